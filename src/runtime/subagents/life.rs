//! The life of one sub-agent: it is made, given its task, watched until its run ends, and reported.

use std::collections::BTreeSet;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt as _;
use tokio::sync::mpsc;

use super::{
    AfterEnd, LoopEnds, MadeSession, MakeSession, Roster, locked, not_started, stopped_before, stopped_by,
    tell,
};
use crate::agent::{Event, Input, Intent, Live, Shutdown, SubagentNews, SubagentReport, SubagentStart};
use crate::budget::Meter;
use crate::ledger::{Body, CallId, Change, CutBy, Ending, Entry, Outcome, Reach, TaskState, TurnEnded};
use crate::runtime::{Clock, DriverError, Handles};
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
        reach: Reach::CutShort,
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
    let Handles { intents, abort, cut, shutdown, mut events, clock } = handles;
    let ends = LoopEnds { intents: intents.clone(), abort, cut };
    if let Some(by) = who_stopped(roster, call) {
        return stopped_before(by, said_after(after).await.as_deref());
    }
    if is_blank(&task) {
        let said = said_after(after).await;
        return not_started(
            &["its task is empty"].into_iter().chain(said.as_deref()).collect::<Vec<_>>().join("; "),
        );
    }
    let driving = tokio::spawn(driver.run(first));
    // A mode comes before the task that it is to hold for.
    hand_over(roster, call, &ends).await;
    drop(ends);
    if intents.send(task).await.is_err() {
        return not_started("its loop ended at once");
    }
    let mut beginning = Beginning::Awaited;
    while let Some(event) = events.recv().await {
        let is_end = watched.read(&event, call, news).await;
        beginning = beginning.after(&event);
        if has_task(&event)
            && let Some(at_work) = locked(roster).get_mut(&call)
        {
            at_work.begins();
        }
        tell(news, call, SubagentNews::Told(Box::new(event))).await;
        if let Beginning::Refused(why) = &beginning {
            watched.refused = Some(why.clone());
            break;
        }
        if is_end {
            break;
        }
    }
    watched.stopped = who_stopped(roster, call);
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
    let said = said_after(after).await;
    watched.report(ended.err(), said.as_deref(), clock, max_chars)
}

/// Who told it to stop. One that is not known any more was given up with its session.
fn who_stopped(roster: &Roster, call: CallId) -> Option<CutBy> {
    locked(roster).get(&call).map_or(Some(CutBy::SessionEnd), |at_work| at_work.stopped)
}

/// Gives its loop what was wanted of it while its session was made; what comes from here on goes there directly.
async fn hand_over(roster: &Roster, call: CallId, ends: &LoopEnds) {
    loop {
        let held = match locked(roster).get_mut(&call) {
            Some(at_work) if at_work.held.is_empty() => {
                at_work.ends = Some(ends.clone());
                return;
            }
            Some(at_work) => std::mem::take(&mut at_work.held),
            None => return,
        };
        for intent in held {
            // A loop that is over is found out with the task.
            ends.intents.send(intent).await.unwrap_or_default();
        }
    }
}

/// Whether its loop has taken the task, as this tells.
fn has_task(event: &Event) -> bool {
    let Event::Appended(entry) = event else { return false };
    matches!(entry.body, Body::User(_) | Body::Goal(_))
}

/// Whether its loop would find nothing to begin with.
fn is_blank(task: &Intent) -> bool {
    matches!(task, Intent::Submit(said) if said.content.trim().is_empty() && said.images.is_empty())
}

/// Whether its loop takes the task.
enum Beginning {
    /// Nothing is known yet.
    Awaited,
    /// The task came back; why follows.
    Returned,
    /// It does not, and why: no run begins, so there is no end to wait for.
    Refused(String),
    /// It has begun.
    Begun,
}

impl Beginning {
    fn after(self, event: &Event) -> Self {
        match (self, event) {
            (Self::Begun, _) => Self::Begun,
            (Self::Refused(why), _) => Self::Refused(why),
            (_, event) if has_task(event) => Self::Begun,
            // What else a person wanted of it meanwhile can be refused, too, and is not returned.
            (Self::Awaited, Event::Live(Live::Returned(_))) => Self::Returned,
            (Self::Returned, Event::Live(Live::Refused(why))) => Self::Refused(why.clone()),
            (before, _) => before,
        }
    }
}

async fn said_after(after: Option<AfterEnd>) -> Option<String> {
    tokio::task::spawn_blocking(after?).await.unwrap_or_default()
}

/// What is seen of a sub-agent.
struct Watched {
    meter: Meter,
    /// Calls of its that wait for a person.
    waiting: BTreeSet<CallId>,
    ended: Option<TurnEnded>,
    /// Who told it to stop.
    stopped: Option<CutBy>,
    /// Why its loop did not take the task.
    refused: Option<String>,
    /// How far its calls came.
    reach: Reach,
}

impl Watched {
    fn new(meter: Meter) -> Self {
        Self {
            meter,
            waiting: BTreeSet::new(),
            ended: None,
            stopped: None,
            refused: None,
            reach: Reach::default(),
        }
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
        if let Body::ToolResult(result) = &entry.body {
            self.reach = self.reach.max(result.outcome.reach());
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
        // Of one whose books broke, calls may have run that they do not say.
        let reach = if broken.is_some() { Reach::CutShort } else { self.reach };
        let (outcome, state, mut content) = match (broken, self.ended) {
            (Some(why), _) => {
                let words = format!(
                    "The sub-agent's session could not be written: {why}. Check what it did before repeating."
                );
                (Outcome::Failed, TaskState::Failed, words)
            }
            (None, Some(ended)) => of_ending(&ended, self.stopped),
            (None, None) if self.refused.is_some() => {
                let why = self.refused.unwrap_or_default();
                (Outcome::Failed, TaskState::Rejected, format!("The sub-agent was not started: {why}"))
            }
            (None, None) => {
                let words =
                    "The sub-agent ended without a word. Check what it did before repeating.".to_owned();
                (Outcome::Failed, TaskState::Failed, words)
            }
        };
        content.extend(said.into_iter().flat_map(|said| ["\n\n", said]));
        let bounded = bound(&content, max_chars);
        SubagentReport { outcome, content: bounded.text, cut_chars: bounded.cut_chars, state, spent, reach }
    }
}

/// How the end of its run is told, and who stopped it, if that is known.
pub(crate) fn of_ending(ended: &TurnEnded, stopped: Option<CutBy>) -> (Outcome, TaskState, String) {
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
            let by = stopped.map(|by| format!(", {}", stopped_by(by))).unwrap_or_default();
            format!("The sub-agent was stopped before its end{by}.")
        }
        _ => format!("The sub-agent stopped before its end: {}.", ended.reason.as_str()),
    };
    if !text.is_empty() {
        words.push_str(" The last that it said:\n");
        words.push_str(text);
    }
    (Outcome::Failed, state, words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Limits;
    use crate::ledger::{
        Abort, AbortPath, CutBy, Decider, EntryId, Facts, Millis, Settlement, ToolResult, Usage,
    };

    fn ended(outcome: Outcome) -> Event {
        let Settlement { content, written, duration_ms, cut_chars, images, .. } =
            Settlement::synthetic(Outcome::Ok, "");
        let (call, name, facts) = (CallId(1), "shell".to_owned(), Facts::default());
        let result =
            ToolResult { call, name, outcome, content, written, duration_ms, cut_chars, facts, images };
        let body = Body::ToolResult(Arc::new(result));
        Event::Appended(Arc::new(Entry { id: EntryId(1), at: Millis(1), body }))
    }

    async fn reach(outcomes: &[Outcome], broken: Option<DriverError>) -> Reach {
        let (news, _heard) = mpsc::channel(8);
        let mut watched = Watched::new(Meter::new(Limits::default()));
        for outcome in outcomes {
            watched.read(&ended(outcome.clone()), CallId(9), &news).await;
        }
        watched.report(broken, None, Clock::start(Millis(0)), 1_000).reach
    }

    #[test]
    fn a_task_that_is_not_taken_is_not_waited_for() {
        let blank = |text: &str| is_blank(&Intent::Submit(text.into()));
        assert!(blank("") && blank(" \n") && !blank("go"));
        let returned = || Event::Live(Live::Returned(vec!["go".into()]));
        let refused = || Event::Live(Live::Refused("no image".to_owned()));
        let begun = || {
            let body = Body::User(Arc::new("go".into()));
            Event::Appended(Arc::new(Entry { id: EntryId(2), at: Millis(1), body }))
        };
        let after = |events: &[Event]| events.iter().fold(Beginning::Awaited, Beginning::after);
        assert!(matches!(after(&[returned(), refused()]), Beginning::Refused(why) if why == "no image"));
        // Something else was refused; the task comes.
        assert!(matches!(after(&[refused()]), Beginning::Awaited));
        assert!(matches!(after(&[begun(), returned(), refused()]), Beginning::Begun));
    }

    #[test]
    fn a_reason_that_is_a_sentence_has_one_full_stop() {
        for why in ["no space left.", "no space left"] {
            assert_eq!(not_started(why).content, "The sub-agent was not started: no space left.");
        }
    }

    #[test]
    fn a_report_says_who_stopped_it() {
        let ended = TurnEnded {
            reason: Ending::AbortedTools,
            turns: 1,
            tool_calls: 1,
            hosted_tools: 0,
            usage: Usage::default(),
            wall_ms: 5,
            text: "".into(),
            not_ok: Vec::new(),
            next_safe_action: String::new(),
        };
        for (by, says) in [
            (Some(CutBy::User), "The sub-agent was stopped before its end, by the user."),
            (
                Some(CutBy::WallTime),
                "The sub-agent was stopped before its end, since the time of the run that it worked for was over.",
            ),
            (
                Some(CutBy::SessionEnd),
                "The sub-agent was stopped before its end, since the session that it worked for ended.",
            ),
            (None, "The sub-agent was stopped before its end."),
        ] {
            let (outcome, state, words) = of_ending(&ended, by);
            assert_eq!((outcome, state, words.as_str()), (Outcome::Failed, TaskState::Canceled, says));
        }
    }

    #[tokio::test]
    async fn a_report_says_how_far_the_furthest_of_its_calls_came() {
        let cut =
            |ran_ms| Outcome::Aborted(Abort { path: AbortPath::C, ran_ms, by: CutBy::User, within: None });
        let denied = Outcome::Denied(Decider::User);
        assert_eq!(reach(&[], None).await, Reach::NothingStarted);
        assert_eq!(reach(&[denied.clone(), cut(None)], None).await, Reach::NothingStarted);
        assert_eq!(reach(&[Outcome::Ok, cut(None)], None).await, Reach::NothingCut);
        assert_eq!(reach(&[cut(Some(3)), Outcome::Ok], None).await, Reach::CutShort);
        let broken = DriverError::Store { why: "full".to_owned(), unwritten: Vec::new() };
        assert_eq!(reach(&[denied], Some(broken)).await, Reach::CutShort);
    }
}
