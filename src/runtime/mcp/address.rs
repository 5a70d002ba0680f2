//! A server that is an address: reached as every other server is.

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use reqwest::Url;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::{StreamableHttpClientTransportConfig, StreamableHttpError};

use super::line_limit::MOST_BYTES;
use super::streams::{Streams, Tries};
use super::tasks::Tasks;
use super::web::{Answered, Web};
use crate::runtime::network::{self, Network};
use crate::runtime::untrusted::{self, cause};

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(10);

/// The way to a server, and what is heard of it on that way.
pub(super) type Reached = (StreamableHttpClientTransport<Web>, Arc<Answered>);

/// The way to a server that speaks streamable HTTP. Nothing is sent yet.
///
/// # Errors
/// What is wrong with the address, a header's name or value, or the network's settings; no value stands in it.
pub(super) fn reach(
    address: &str,
    headers: &BTreeMap<String, String>,
    network: &Network,
    tasks: Arc<Tasks>,
) -> Result<Reached, String> {
    let url = Url::parse(address).map_err(|_why| "its address cannot be read".to_owned())?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err("its address begins neither with https:// nor with http://".to_owned());
    }
    let client = network.client(&url, CONNECT).map_err(|failure| failure.message)?;
    let headers = untrusted::headers(headers)?;
    let mut config = StreamableHttpClientTransportConfig::with_uri(url.as_str())
        .custom_headers(headers)
        .max_sse_event_size(MOST_BYTES)
        // A call is never sent twice: a session that is over is begun anew for the next one.
        .reinit_on_expired_session(false);
    config.retry_config = Arc::new(Tries);
    let answered = Arc::<Answered>::default();
    let web = Web { client, tasks, answered: answered.clone(), streams: Streams::default() };
    Ok((StreamableHttpClientTransport::with_client(web, config), answered))
}

/// Why a message did not get through; raw words of the server are in it.
pub(super) fn why(error: &(dyn Error + 'static)) -> String {
    let mut next = Some(error);
    while let Some(error) = next {
        match error.downcast_ref::<StreamableHttpError<reqwest::Error>>() {
            Some(StreamableHttpError::Client(error)) => return network::cause(error),
            Some(StreamableHttpError::AuthRequired(_)) => {
                return "it asks for a login (HTTP 401); a key for it belongs in its headers".to_owned();
            }
            Some(StreamableHttpError::UnexpectedServerResponse(said)) => {
                return said.trim_end_matches([':', ' ']).to_owned();
            }
            _ => next = error.source(),
        }
    }
    cause(error)
}
