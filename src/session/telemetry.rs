//! Traces while a session runs: what is durable is folded where it is written, and a thread of its own sends what has ended. A
//! collector that is slow or gone delays nothing and fails nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc as std_mpsc;
use std::time::Duration;

use tokio::runtime::Builder;
use tokio::sync::{mpsc, oneshot};

use crate::config::Invocation;
use crate::config::environment::Environment;
use crate::config::telemetry::headers;
use crate::ledger::{Body, Entry, EntryId};
use crate::policy::shell::shell_word;
use crate::runtime::{Collector, Network, NotSent, StoreError, StorePort};
use crate::session::exporting::without_keys;
use crate::ui::text::counted;
use crate::wire::Secret;
use crate::wire::otlp::{MOST_SPANS, Span, Traces, requests};
use crate::wire::record;

/// Batches that may wait for a slow collector; what comes after them is counted and dropped.
const BATCHES_WAITING: usize = 64;
/// How long the last batches may take when the program ends.
const AT_THE_END: Duration = Duration::from_secs(2);

/// The other end of the thread that sends.
pub(crate) struct Following {
    trouble: oneshot::Receiver<String>,
    end: FollowingEnd,
}

/// What is waited for at the end.
pub(crate) struct FollowingEnd {
    over: std_mpsc::Receiver<ExportSummary>,
    again: String,
    dropped: Arc<AtomicU64>,
}

/// What came of it.
struct ExportSummary {
    /// The first trouble, if nobody heard of it.
    untold: Option<String>,
}

/// Where spans go, and how.
struct Way {
    address: String,
    headers: Vec<(String, Secret)>,
    network: Network,
    environment: Environment,
    session: String,
    again: String,
}

/// Puts what follows the session around its store, if the user wants traces. `before` is what the file holds
/// already, and how much of it came with an import.
pub(crate) fn follow(
    invocation: &Invocation,
    session: &str,
    (before, imported_to): (&[Arc<Entry>], Option<EntryId>),
    store: Box<dyn StorePort>,
    notices: &mut Vec<String>,
) -> (Box<dyn StorePort>, Option<Following>) {
    let Some(address) = invocation.config.telemetry.otlp.clone() else { return (store, None) };
    let headers = headers(&invocation.config.telemetry, &invocation.environment);
    let again = again(session, &address);
    let way = Way {
        address,
        headers: headers.unwrap_or_else(|why| {
            notices.push(format!("Traces are sent without their headers: {why}."));
            Vec::new()
        }),
        network: invocation.config.network.clone(),
        environment: invocation.environment.clone(),
        session: session.to_owned(),
        again: again.clone(),
    };
    let (to, batches) = mpsc::channel(BATCHES_WAITING);
    let (first, trouble) = oneshot::channel();
    let (ended, over) = std_mpsc::channel();
    let began = std::thread::Builder::new().name("traces".to_owned()).spawn(move || {
        let sent = serve(&way, batches, first);
        // Nobody waits any more when the program has ended.
        ended.send(sent).ok();
    });
    if let Err(why) = began {
        notices.push(format!("Traces are not sent: {why}."));
        return (store, None);
    }
    let mut traces = Traces::new(None).imported_to(imported_to);
    for entry in before {
        traces.take(entry);
    }
    // They were sent when they ended, or can be sent with `sessions otlp`.
    traces.ended();
    let dropped = Arc::new(AtomicU64::new(0));
    let store = TracedStore { inner: store, unsynced: Vec::new(), traces, to, dropped: Arc::clone(&dropped) };
    (Box::new(store), Some(Following { trouble, end: FollowingEnd { over, again, dropped } }))
}

/// How a session is sent by hand.
fn again(session: &str, address: &str) -> String {
    let (session, to) = (shell_word(session), shell_word(shown(address)));
    format!("`countersign sessions otlp {session} --to {to}` sends it")
}

/// The address without what may be a key.
fn shown(address: &str) -> &str {
    address.split('?').next().unwrap_or_default()
}

impl Following {
    /// The first trouble while the session runs, and what is waited for at its end.
    pub(crate) fn apart(self) -> (oneshot::Receiver<String>, FollowingEnd) {
        (self.trouble, self.end)
    }

    /// Waits for the last spans, for a moment. Gives what a person should know.
    pub(crate) fn finish(self) -> Option<String> {
        let Self { mut trouble, end } = self;
        let late = end.finish();
        trouble.try_recv().ok().or(late)
    }
}

impl FollowingEnd {
    /// Waits for the last spans, for a moment. Gives what a person should know, if nobody was told.
    pub(crate) fn finish(self) -> Option<String> {
        let Ok(sent) = self.over.recv_timeout(AT_THE_END) else {
            return Some(format!(
                "traces of this session were not sent: the collector did not answer in time; {} again",
                self.again
            ));
        };
        let dropped = self.dropped.load(Ordering::Relaxed);
        let count = (dropped > 0).then(|| {
            let spans = counted(dropped, "span");
            let were = if dropped == 1 { "was" } else { "were" };
            format!("{spans} {were} not sent, since the collector was too slow; {} again", self.again)
        });
        sent.untold.or(count)
    }
}

/// Sends batch after batch until the session has ended.
fn serve(way: &Way, mut batches: mpsc::Receiver<Vec<Span>>, first: oneshot::Sender<String>) -> ExportSummary {
    let mut told = ExportTrouble { first: Some(first), untold: None };
    let runtime = match Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(why) => {
            told.tell(format!("traces are not sent: {why}"));
            return ExportSummary { untold: told.untold };
        }
    };
    runtime.block_on(async {
        let collector = match Collector::new(&way.address, &way.headers, &way.network) {
            Ok(collector) => collector,
            Err(why) => return told.not_sent(&why, &way.again),
        };
        while let Some(spans) = batches.recv().await {
            for body in requests(&way.session, &spans) {
                let body = without_keys(&way.environment, record::line(&body));
                match collector.send(body).await {
                    Ok(None) => {}
                    Ok(Some(refused)) => {
                        told.tell(format!(
                            "the collector refused {}: {}",
                            counted(refused.spans, "span"),
                            refused.why
                        ));
                    }
                    Err(why) => told.not_sent(&why, &way.again),
                }
            }
        }
    });
    ExportSummary { untold: told.untold }
}

/// A person is told once.
struct ExportTrouble {
    first: Option<oneshot::Sender<String>>,
    untold: Option<String>,
}

impl ExportTrouble {
    fn not_sent(&mut self, why: &NotSent, again: &str) {
        self.tell(format!("traces were not sent: {}; {}; {again} again", why.what, why.next));
    }

    fn tell(&mut self, words: String) {
        tracing::warn!("{words}");
        if let Some(first) = self.first.take() {
            self.untold = first.send(words).err();
        }
    }
}

/// A store that tells what became durable.
struct TracedStore {
    inner: Box<dyn StorePort>,
    unsynced: Vec<Arc<Entry>>,
    traces: Traces,
    to: mpsc::Sender<Vec<Span>>,
    dropped: Arc<AtomicU64>,
}

impl StorePort for TracedStore {
    fn append(&mut self, entries: &[Arc<Entry>]) -> Result<(), StoreError> {
        let written = self.inner.append(entries);
        match written {
            Ok(()) => self.unsynced.extend_from_slice(entries),
            Err(_) => self.unsynced.clear(),
        }
        written
    }

    fn sync(&mut self) -> Result<(), StoreError> {
        let written = self.inner.sync();
        let durable = std::mem::take(&mut self.unsynced);
        if written.is_ok() {
            for entry in durable {
                self.traces.take(&entry);
                if matches!(entry.body, Body::TurnEnded(_)) || self.traces.waiting() >= MOST_SPANS {
                    self.pass_on();
                }
            }
        }
        written
    }
}

impl TracedStore {
    /// Never waits.
    fn pass_on(&mut self) {
        let spans = self.traces.ended();
        if spans.is_empty() {
            return;
        }
        if let Err(full) = self.to.try_send(spans) {
            let lost = full.into_inner().len();
            self.dropped.fetch_add(lost as u64, Ordering::Relaxed);
        }
    }
}

impl Drop for TracedStore {
    /// What a session is left with open is sent when it has ended.
    fn drop(&mut self) {
        self.pass_on();
    }
}

#[cfg(test)]
mod tests {
    use super::again;

    #[test]
    fn the_command_that_sends_a_session_can_be_pasted() {
        let plain = again("0198-ab", "http://127.0.0.1:4318/v1/traces?key=x");
        assert_eq!(
            plain,
            "`countersign sessions otlp 0198-ab --to http://127.0.0.1:4318/v1/traces` sends it"
        );
        assert!(again("a b;c", "http://x/$(y)").contains("otlp 'a b;c' --to 'http://x/$(y)'`"));
    }
}
