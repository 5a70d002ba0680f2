//! Asks providers for their lists of models, all at once: the smallest request that needs a key.

use std::time::Duration;

use futures_util::future::join_all;
use tokio::runtime::Runtime;

use crate::config::Invocation;
use crate::config::fault::Fault;
use crate::config::models::connection_of;
use crate::runtime::{HttpModel, Timeouts};

/// For the connection, and again for the answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// The status of each provider's answer, or why there is none, in the order of `providers`. Reads the keys, and runs
/// the commands that print some.
pub(super) fn probe(invocation: &Invocation, providers: &[String]) -> Vec<Result<u16, Fault>> {
    let runtime = match Runtime::new() {
        Ok(runtime) => runtime,
        Err(why) => {
            let fault =
                Fault::failed(format!("cannot start: {why}"), "try again when the machine is less busy");
            return providers.iter().map(|_| Err(fault.clone())).collect();
        }
    };
    runtime.block_on(join_all(providers.iter().map(|provider| ask(invocation, provider))))
}

async fn ask(invocation: &Invocation, provider: &str) -> Result<u16, Fault> {
    let Invocation { config, environment, .. } = invocation;
    let connection = connection_of(provider, config, environment)?;
    let timeouts = Timeouts { connect: PATIENCE, first_byte: PATIENCE, idle: PATIENCE };
    let network = config.network.clone();
    let model = HttpModel::through(connection.protocol, connection.endpoint(), timeouts, network);
    model.ask_status().await.map_err(|failure| Fault::failed(failure.message, failure.next))
}
