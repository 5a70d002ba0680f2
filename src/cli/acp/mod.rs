//! `acp`: the agent inside editors, by the Agent Client Protocol (version 1), as JSON-RPC lines on stdin and stdout.
//!
//! A third front end on the same events and intents: the same ledger, rules, sandbox and budgets. `methods/` has what a client
//! can ask, `updates/` what it is told, a file each; `conversation/` is one session, `server.rs` the connection.
//!
//! The wire is our own. The official crate (`agent-client-protocol`) brings for stdio a pool of threads of another runtime
//! (`blocking`), reads lines without a bound, and has had five major versions in sixteen months. Its schema crate is used in the
//! tests: everything that is sent is parsed with it.

pub(crate) mod args;
mod client_end;
mod client_files;
mod conversation;
mod lines;
mod methods;
mod opening;
mod out;
mod rpc;
mod server;
mod updates;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Builder;
use tokio::sync::{mpsc, watch};

use self::client_end::ClientEnd;
use self::methods::initialize::ClientAbilities;
use self::opening::SessionDefaults;
use self::out::Out;
use self::server::{AcpServer, ServerNews};
use super::signals;
use crate::config::environment::Environment;
use crate::config::exit::Exit;
use crate::config::fault::Fault;
use crate::config::{self, Flags, logging};
use crate::session::compose::state_of;

/// Threads: for the loops, and for what they wait for.
const WORKERS: usize = 2;
/// Lines that may wait to be understood.
const LINES_WAITING: usize = 16;
/// How long the last lines, and what is still read from disks, may take when the client is gone.
const GRACE: Duration = Duration::from_secs(2);

/// Serves a client until it closes stdin.
pub(super) fn run(flags: Flags, environment: Environment) -> Result<Exit, Fault> {
    if flags.goal.is_some() {
        return Err(Fault::usage(
            "--goal cannot be combined with acp",
            "start the goal with `countersign exec`",
        ));
    }
    let state = state_of(&environment)?;
    let cwd = super::folder(flags.cd.as_deref())?;
    // A wrong flag is told now, not to an editor.
    let config = config::load(&cwd, &environment, &flags.given())?;
    logging::start(Some(&state), &config.log);
    let runtime = Builder::new_multi_thread().worker_threads(WORKERS).enable_all().build();
    let runtime = runtime.map_err(|why| Fault::failed(format!("cannot start: {why}"), ""))?;
    let (is_gone, gone) = watch::channel(false);
    let (news, heard) = mpsc::channel(LINES_WAITING);
    let (deaf, no_reader) = (news.clone(), is_gone.clone());
    let (out, written) = Out::begin(gone.clone(), move || vanish(&no_reader, &deaf))?;
    listen(news.clone(), is_gone.clone())?;
    let exit = runtime.block_on(async {
        let mut quit = signals::told_to_end()?;
        let ending = news.clone();
        let told = tokio::spawn(async move {
            let is_told = quit.wait_for(|is_told| *is_told).await.is_ok();
            if is_told {
                is_gone.send_replace(true);
                // Nobody hears it when the client is gone already.
                ending.send(ServerNews::Gone).await.ok();
            }
            is_told
        });
        let line = ClientEnd { out, abilities: ClientAbilities::default(), gone };
        let start = SessionDefaults { flags: Arc::new(flags), environment };
        AcpServer::new(start, state, line, news).serve(heard).await;
        let was_told = told.is_finished();
        told.abort();
        Ok(if was_told { Exit::Interrupted } else { Exit::Completed })
    });
    runtime.shutdown_timeout(GRACE);
    written.wait(GRACE);
    exit
}

/// The editor is gone, or reads no more: nobody is there to whom anything can be told.
fn vanish(is_gone: &watch::Sender<bool>, news: &mpsc::Sender<ServerNews>) {
    is_gone.send_replace(true);
    // Nobody hears it when the connection has ended for another reason.
    news.blocking_send(ServerNews::Gone).ok();
}

/// Reads stdin on a thread of its own, which may wait for ever for the next line.
fn listen(news: mpsc::Sender<ServerNews>, is_gone: watch::Sender<bool>) -> Result<(), Fault> {
    let reading = std::thread::Builder::new().name("stdin".to_owned()).spawn(move || {
        let mut stdin = io::stdin().lock();
        loop {
            match lines::next(&mut stdin) {
                Ok(Some(line)) => {
                    if news.blocking_send(ServerNews::Line(line)).is_err() {
                        break;
                    }
                }
                Ok(None) => break,
                Err(why) => {
                    tracing::error!("stdin cannot be read: {why}");
                    break;
                }
            }
        }
        vanish(&is_gone, &news);
    });
    reading.map(drop).map_err(|why| Fault::failed(format!("cannot start: {why}"), ""))
}
