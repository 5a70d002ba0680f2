//! One server over the time of a process: connected when it is first needed, and again when it has ended.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use reqwest::Url;
use tokio::sync::Mutex;
use tokio::time::timeout_at;

use super::checked::Checks;
use super::launch_context::McpMeans;
use super::link::{Link, within};
use super::listing::{Offering, list};
use super::server::{McpServer, McpWay};
use super::status::{McpFound, McpStanding};
use crate::ledger::Arguments;
use crate::runtime::untrusted::{Secrets, address_and_headers, in_path, shown};

/// How often a program is started again although nothing came of the last time.
const MOST_RESTARTS: u32 = 3;

/// A server and, when there is one, the connection to it.
pub(super) struct ManagedServer {
    pub(super) server: McpServer,
    means: McpMeans,
    secrets: Secrets,
    state: Mutex<ServerState>,
    /// By which the arguments of calls are checked, since its tools were listed: whoever looks at a call waits for no
    /// connection.
    checks: OnceLock<Checks>,
    /// Attempts that came to nothing; whoever waited for one does not make the next.
    failures: AtomicU32,
    /// Starts since a call was last answered.
    fruitless: AtomicU32,
}

#[derive(Default)]
struct ServerState {
    link: Option<Arc<Link>>,
    found: Option<Arc<Offering>>,
    why_not: String,
}

/// A server that can be asked, and what it has.
pub(super) type ReadyServer = (Arc<Link>, Arc<Offering>);

impl ManagedServer {
    pub(super) fn new(server: McpServer, means: McpMeans) -> Self {
        Self {
            secrets: secrets(&server),
            server,
            means,
            state: Mutex::default(),
            checks: OnceLock::new(),
            failures: AtomicU32::new(0),
            fruitless: AtomicU32::new(0),
        }
    }

    /// What it brings, for people.
    pub(super) async fn standing(&self) -> McpStanding {
        let found: Result<McpFound, String> = match self.ready().await {
            Ok((_, found)) => Ok(found.standing.clone()),
            Err(why) => {
                Err(format!("The MCP server `{}` {why}; its tools are not available.", self.server.name))
            }
        };
        McpStanding { name: self.server.name.clone(), found }
    }

    /// Whom a call is sent to: the command and how it is held, or the address without what may be a key.
    pub(super) fn recipient(&self) -> String {
        match &self.server.way {
            McpWay::Command { program, args, sandboxed, network, .. } => {
                let words: Vec<&str> =
                    std::iter::once(program.as_str()).chain(args.iter().map(String::as_str)).collect();
                let held = match (sandboxed, network) {
                    (false, _) => "",
                    (true, false) => " (in the sandbox)",
                    (true, true) => " (in the sandbox, with a network)",
                };
                format!("{}{held}", self.hide(&words.join(" ")))
            }
            McpWay::Http { url, .. } => {
                let address = Url::parse(url).map(|url| shown(&url)).unwrap_or_default();
                self.secrets.strike(&address)
            }
        }
    }

    /// A connection that is open, made now if there is none, within the time that the server has for that.
    ///
    /// # Errors
    /// Why there is none, after the name of the server; safe to be shown.
    pub(super) async fn ready(&self) -> Result<ReadyServer, String> {
        let failures = self.failures.load(Relaxed);
        let mut state = self.state.lock().await;
        if let (Some(link), Some(found)) = (&state.link, &state.found)
            && !link.is_over()
        {
            return Ok((link.clone(), found.clone()));
        }
        if self.failures.load(Relaxed) != failures {
            return Err(state.why_not.clone());
        }
        // What is left of it ends before it is started again.
        state.link = None;
        let is_program = matches!(self.server.way, McpWay::Command { .. });
        let restarts = self.fruitless.load(Relaxed);
        if is_program && restarts > MOST_RESTARTS {
            return Err(format!(
                "was started {restarts} times and exited without an answer; it is not restarted"
            ));
        }
        let opened = self.open(state.found.clone()).await;
        self.fruitless.fetch_add(1, Relaxed);
        match opened {
            Ok((link, found)) => {
                state.link = Some(link.clone());
                state.found = Some(found.clone());
                Ok((link, found))
            }
            Err(why) => {
                self.failures.fetch_add(1, Relaxed);
                let verb = if is_program { "started" } else { "reached" };
                state.why_not = format!("could not be {verb}: {}", self.secrets.hide(&why));
                Err(state.why_not.clone())
            }
        }
    }

    /// Why the arguments of a call are not valid, if they are not.
    pub(super) async fn fault(&self, tool: String, arguments: Arguments) -> Option<String> {
        match self.checks.get() {
            Some(checks) => checks.clone().fault(tool, arguments).await,
            None => Some("the server's tools are not known yet".to_owned()),
        }
    }

    /// Ends the connection if there is one, for a bounded time. Nothing is asked any more after this.
    pub(super) async fn close(&self) {
        // Whoever opens one just now has been told to end before.
        let link = self.state.try_lock().ok().and_then(|mut state| state.link.take());
        if let Some(link) = link {
            link.close().await;
        }
    }

    /// A call was answered: it is worth being started again.
    pub(super) fn answered(&self) {
        self.fruitless.store(0, Relaxed);
    }

    /// The words of the server, fit for a sentence.
    pub(super) fn hide(&self, words: &str) -> String {
        self.secrets.hide(words)
    }

    /// Its tools are listed once: what a name means does not change in a session.
    async fn open(&self, found: Option<Arc<Offering>>) -> Result<ReadyServer, String> {
        let until = within(self.server.start_ms);
        let link = Link::open(&self.server, &self.means, until).await?;
        let found = match found {
            Some(found) => found,
            None => match timeout_at(until, list(&self.server, &link)).await {
                Ok(Ok(found)) => {
                    self.checks.get_or_init(|| found.checks.clone());
                    Arc::new(found)
                }
                Ok(Err(why)) => {
                    link.close().await;
                    return Err(why);
                }
                Err(_elapsed) => {
                    link.close().await;
                    return Err("it did not list its tools in time".to_owned());
                }
            },
        };
        Ok((Arc::new(link), found))
    }
}

/// The values that a server was configured with, which may be keys.
fn secrets(server: &McpServer) -> Secrets {
    match &server.way {
        McpWay::Command { env, .. } => {
            let given = server.secrets.iter().map(|secret| secret.expose().to_owned());
            Secrets::new(env.values().cloned().chain(given))
        }
        McpWay::Http { url, headers } => {
            Secrets::new(address_and_headers(url, headers).chain(in_path(&server.secrets)))
        }
    }
}
