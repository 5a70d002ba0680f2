//! The life of one sub-agent: it is made, given its task, watched until its run ends, and reported.

use std::collections::BTreeSet;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt as _;
use tokio::sync::mpsc;

use super::{AtWork, MadeSession, MakeSession, Roster, locked, not_started, tell};
use crate::agent::{Event, Input, Shutdown, SubagentNews, SubagentReport, SubagentStart};
use crate::budget::Meter;
use crate::ledger::{Body, CallId, Change, Ending, Entry, Outcome, TaskState, TurnEnded};
use crate::runtime::{Clock, DriverError};
use crate::tool::bound;

/// Lives it. Whatever happens, the one that started it is told how it ended.
pub(super) async fn live(
    maker: Arc<dyn MakeSession>,
    start: SubagentStart,
    news: mpsc::Sender<Input>,
    roster: Roster,
) {
    let call = start.invocation.call;
    let guarded = AssertUnwindSafe(work(maker, start, &news, &roster)).catch_unwind().await;
    let report = guarded.unwrap_or_else(|_panic| SubagentReport {
        content: "The sub-agent crashed: this is a bug of countersign. What it did is in its session; check before \
                  repeating."
            .to_owned(),
        state: TaskState::Failed,
        ..not_started("")
    });
    locked(&roster).remove(&call);
    tell(&news, call, SubagentNews::Over(report)).await;
}

async fn work(
    maker: Arc<dyn MakeSession>,
    start: SubagentStart,
    news: &mpsc::Sender<Input>,
    roster: &Roster,
) -> SubagentReport {
    let call = start.invocation.call;
    let max_chars = start.invocation.max_chars;
    let mut watched = Watched::new(Meter::new(start.limits.clone()));
    let made = match tokio::task::spawn_blocking(move || maker.make(&start)).await {
        Ok(Ok(made)) => made,
        Ok(Err(why)) => return not_started(&why),
        Err(broken) => return not_started(&broken.to_string()),
    };
    let MadeSession { driver, handles, first, task, after } = made;
    let (intents, abort, shutdown, mut events) =
        (handles.intents, handles.abort, handles.shutdown, handles.events);
    locked(roster).insert(call, AtWork { intents: intents.clone(), abort, news: news.clone() });
    let driving = tokio::spawn(driver.run(first));
    if intents.send(task).await.is_err() {
        return not_started("its loop ended at once");
    }
    while let Some(event) = events.recv().await {
        let is_end = watched.read(&event, call, news).await;
        tell(news, call, SubagentNews::Told(Box::new(event))).await;
        if is_end {
            break;
        }
    }
    // Nothing of it goes on: its commands in the background end, and so do sub-agents of its own.
    locked(roster).remove(&call);
    shutdown.send(Shutdown::Signal).await.unwrap_or_default();
    while let Some(event) = events.recv().await {
        watched.read(&event, call, news).await;
        tell(news, call, SubagentNews::Told(Box::new(event))).await;
    }
    let ended = driving
        .await
        .unwrap_or_else(|broken| Err(DriverError::Store { why: broken.to_string(), unwritten: Vec::new() }));
    let said = match after {
        Some(after) => tokio::task::spawn_blocking(after).await.unwrap_or_default(),
        None => None,
    };
    watched.report(ended.err(), said.as_deref(), handles.clock, max_chars)
}

/// What is seen of a sub-agent.
struct Watched {
    meter: Meter,
    /// Calls of its that wait for a person.
    waiting: BTreeSet<CallId>,
    ended: Option<TurnEnded>,
}

impl Watched {
    fn new(meter: Meter) -> Self {
        Self { meter, waiting: BTreeSet::new(), ended: None }
    }

    /// Takes in an event. Says whether its run is over.
    async fn read(&mut self, event: &Event, call: CallId, news: &mpsc::Sender<Input>) -> bool {
        let Event::Appended(entry) = event else { return false };
        self.meter.read(entry);
        let waited = !self.waiting.is_empty();
        self.count_waits(entry);
        let waits = !self.waiting.is_empty();
        if waits != waited {
            tell(news, call, SubagentNews::Waits(waits)).await;
        }
        if let Body::TurnEnded(ended) = &entry.body {
            self.ended = Some(ended.clone());
            return true;
        }
        false
    }

    fn count_waits(&mut self, entry: &Entry) {
        match &entry.body {
            Body::ApprovalRequested(request) => {
                self.waiting.insert(request.call);
            }
            Body::Change(Change::SubagentWaits { call, waits: true }) => {
                self.waiting.insert(*call);
            }
            Body::Change(Change::SubagentWaits { call, waits: false }) => {
                self.waiting.remove(call);
            }
            Body::ApprovalDecided(decision) => {
                self.waiting.remove(&decision.call);
            }
            Body::CallEdited(call) => {
                self.waiting.remove(&call.id);
            }
            Body::ToolResult(result) => {
                self.waiting.remove(&result.call);
            }
            Body::TurnEnded(_) => self.waiting.clear(),
            _ => {}
        }
    }

    fn report(
        self,
        broken: Option<DriverError>,
        said: Option<&str>,
        clock: Clock,
        max_chars: usize,
    ) -> SubagentReport {
        let spent = self.meter.spent(clock.now());
        let (outcome, state, mut content) = match (broken, self.ended) {
            (Some(why), _) => {
                let words = format!(
                    "The sub-agent's session could not be written: {why}. Check what it did before repeating."
                );
                (Outcome::Failed, TaskState::Failed, words)
            }
            (None, Some(ended)) => of_ending(&ended),
            (None, None) => {
                let words =
                    "The sub-agent ended without a word. Check what it did before repeating.".to_owned();
                (Outcome::Failed, TaskState::Failed, words)
            }
        };
        content.extend(said.into_iter().flat_map(|said| ["\n\n", said]));
        let bounded = bound(&content, max_chars);
        SubagentReport { outcome, content: bounded.text, cut_chars: bounded.cut_chars, state, spent }
    }
}

/// How the end of its run is told.
pub(crate) fn of_ending(ended: &TurnEnded) -> (Outcome, TaskState, String) {
    let text = ended.text.trim();
    if ended.reason == Ending::Completed {
        let words = if text.is_empty() { "It is done, and said nothing about it." } else { text };
        return (Outcome::Ok, TaskState::Completed, words.to_owned());
    }
    if ended.reason == Ending::GoalReached {
        let words = format!("Its check passed. {text}");
        return (Outcome::Ok, TaskState::Completed, words.trim_end().to_owned());
    }
    let state = match ended.reason {
        Ending::AbortedStreaming | Ending::AbortedTools => TaskState::Canceled,
        Ending::ApprovalRequired => TaskState::InputRequired,
        _ => TaskState::Failed,
    };
    let mut words = match state {
        TaskState::Canceled => {
            "The sub-agent was stopped before its end, by the user or with the run.".to_owned()
        }
        _ => format!("The sub-agent stopped before its end: {}.", ended.reason.as_str()),
    };
    if !text.is_empty() {
        words.push_str(" The last that it said:\n");
        words.push_str(text);
    }
    (Outcome::Failed, state, words)
}
