//! What is seen of a sub-agent while it works, and what is reported of it in the end.

use std::collections::{BTreeMap, BTreeSet};

use tokio::sync::mpsc;

use super::report::{stopped_by, tell};
use crate::agent::{Event, Input, SubagentNews, SubagentPath, SubagentReport};
use crate::budget::Meter;
use crate::ledger::{
    Abort, AbortPath, Body, CallId, CallsReach, Change, CutBy, Ending, Entry, Outcome, Reach, TaskState,
    TurnEnded,
};
use crate::runtime::{Clock, DriverError};
use crate::tool::bound;

/// What is seen of a sub-agent.
pub(super) struct Watched {
    meter: Meter,
    /// Calls of its that wait for a person.
    waiting: BTreeSet<CallId>,
    ended: Option<TurnEnded>,
    /// Who told it to stop.
    pub(super) stopped: Option<CutBy>,
    /// Why its loop did not take the task.
    pub(super) refused: Option<String>,
    /// How far its calls came, and those of its own sub-agents: what those in the background did, no result of a call says.
    calls: BTreeMap<SubagentPath, CallsReach>,
}

impl Watched {
    pub(super) fn new(meter: Meter) -> Self {
        Self {
            meter,
            waiting: BTreeSet::new(),
            ended: None,
            stopped: None,
            refused: None,
            calls: BTreeMap::new(),
        }
    }

    /// Takes in an event. Says whether its run is over.
    pub(super) async fn read(&mut self, event: &Event, call: CallId, news: &mpsc::Sender<Input>) -> bool {
        let (path, inner) = event.located();
        if let Event::Appended(entry) = inner {
            self.calls.entry(path).or_default().read(entry);
        }
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

    pub(super) fn report(
        self,
        broken: Option<DriverError>,
        said: Option<&str>,
        clock: Clock,
        max_chars: usize,
    ) -> SubagentReport {
        let spent = self.meter.spent(clock.now());
        // Of one whose books broke, calls may have run that they do not say.
        let came = self.calls.values().map(CallsReach::reach).max().unwrap_or_default();
        let reach = if broken.is_some() { Reach::CutShort } else { came };
        let (outcome, state, mut content) = match (broken, self.ended) {
            (Some(why), _) => {
                let words = format!(
                    "The sub-agent's session could not be written: {why}. Check what it did before repeating."
                );
                (Outcome::Failed, TaskState::Failed, words)
            }
            (None, Some(ended)) => {
                let (outcome, state, words) = of_ending(&ended, self.stopped, reach);
                let cut = cut_short(&ended, self.stopped, reach);
                (cut.map_or(outcome, Outcome::Aborted), state, words)
            }
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

/// How the end of its run is told, and who stopped it, if that is known. Its calls came so far.
pub(crate) fn of_ending(
    ended: &TurnEnded,
    stopped: Option<CutBy>,
    reach: Reach,
) -> (Outcome, TaskState, String) {
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
        // Where it was cut short, that stands before these words.
        _ if cut_short(ended, stopped, reach).is_some() => {
            format!("The sub-agent stopped before its end: {}.", ended.reason.words())
        }
        _ => format!("The sub-agent stopped before its end: {}; {}.", ended.reason.words(), reach.of_calls()),
    };
    if !text.is_empty() {
        words.push_str(" Its last words:\n");
        words.push_str(text);
    }
    (Outcome::Failed, state, words)
}

/// Where it was cut short, by whoever stopped it or by the time: whoever is told of it must know how far its
/// calls came, also where its model was asked just then.
pub(crate) fn cut_short(ended: &TurnEnded, stopped: Option<CutBy>, reach: Reach) -> Option<Abort> {
    let is_stopped = matches!(ended.reason, Ending::AbortedStreaming | Ending::AbortedTools);
    let by = match ended.reason {
        Ending::WallTime => Some(CutBy::WallTime),
        Ending::ApprovalRequired => Some(CutBy::Approval),
        _ => stopped.or(ended.cut_by).or(Some(CutBy::User)).filter(|_| is_stopped),
    };
    let abort = |by| Abort { path: AbortPath::C, ran_ms: Some(ended.wall_ms), by, within: Some(reach) };
    by.map(abort)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::agent::Live;
    use crate::budget::Limits;
    use crate::ledger::{
        Decider, Decision, EntryId, Facts, Millis, Settlement, ToolResult, Usage, aborted_having,
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

    fn stopped_after_a_call() -> TurnEnded {
        TurnEnded {
            reason: Ending::AbortedTools,
            turns: 1,
            tool_calls: 1,
            hosted_tools: 0,
            usage: Usage::default(),
            wall_ms: 5,
            text: "".into(),
            not_ok: Vec::new(),
            next_safe_action: String::new(),
            cut_by: None,
        }
    }

    #[test]
    fn a_report_says_who_stopped_it() {
        let ended = stopped_after_a_call();
        for (by, says) in [
            (Some(CutBy::User), "The sub-agent was stopped before its end, by the user."),
            (
                Some(CutBy::WallTime),
                "The sub-agent was stopped before its end, because the time limit of its run was reached.",
            ),
            (
                Some(CutBy::SessionEnd),
                "The sub-agent was stopped before its end, because the session that it worked for ended.",
            ),
            (None, "The sub-agent was stopped before its end."),
        ] {
            let (outcome, state, words) = of_ending(&ended, by, Reach::NothingCut);
            assert_eq!((outcome, state, words.as_str()), (Outcome::Failed, TaskState::Canceled, says));
        }
    }

    #[test]
    fn of_one_that_was_cut_short_it_is_told_how_far_its_calls_came() {
        let ended = |reason| TurnEnded { reason, ..stopped_after_a_call() };
        let within = |reason, reach| {
            let abort = cut_short(&ended(reason), Some(CutBy::User), reach)?;
            Some((abort.by, abort.within))
        };
        for reach in [Reach::NothingStarted, Reach::NothingCut, Reach::CutShort] {
            let told = within(Ending::AbortedTools, reach);
            assert_eq!(told, Some((CutBy::User, Some(reach))), "{reach:?}");
        }
        // The time may end while its model is asked.
        for reach in [Reach::NothingStarted, Reach::NothingCut, Reach::CutShort] {
            assert_eq!(within(Ending::WallTime, reach), Some((CutBy::WallTime, Some(reach))));
            assert_eq!(within(Ending::ApprovalRequired, reach), Some((CutBy::Approval, Some(reach))));
        }
        // Another limit stops it between two calls.
        assert_eq!(within(Ending::MaxTurns, Reach::NothingCut), None);
    }

    #[test]
    fn whatever_ends_it_before_its_end_it_is_told_once_how_far_its_calls_came() {
        let own = [Ending::Completed, Ending::GoalReached];
        for reason in Ending::ALL.iter().copied().filter(|reason| !own.contains(reason)) {
            for reach in [Reach::NothingStarted, Reach::NothingCut, Reach::CutShort] {
                let ended = TurnEnded { reason, ..stopped_after_a_call() };
                let words = of_ending(&ended, None, reach).2;
                let told = match cut_short(&ended, None, reach) {
                    Some(abort) => aborted_having(abort, &words),
                    None => words,
                };
                assert_eq!(told.matches(reach.of_calls()).count(), 1, "{reason:?}: {told}");
            }
        }
        let ended = TurnEnded { reason: Ending::MaxTurns, ..stopped_after_a_call() };
        let words = of_ending(&ended, None, Reach::NothingStarted).2;
        assert!(words.ends_with("; none of its calls had been started."), "{words}");
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

    #[tokio::test]
    async fn what_a_sub_agent_of_its_own_did_counts_also_where_no_result_of_a_call_says_it() {
        let (news, _heard) = mpsc::channel(8);
        let mut watched = Watched::new(Meter::new(Limits::default()));
        let reach = |watched: &Watched| watched.calls.values().map(CallsReach::reach).max();
        let below = |event| Event::Live(Live::Subagent { call: CallId(1), event: Box::new(event) });
        let allowed = |call| {
            let body = Body::ApprovalDecided(Decision::permission(call, Decider::Policy, ""));
            Event::Appended(Arc::new(Entry { id: EntryId(1), at: Millis(1), body }))
        };
        // The call that started it is over: it works in the background.
        watched.read(&allowed(CallId(1)), CallId(9), &news).await;
        watched.read(&ended(Outcome::Ok), CallId(9), &news).await;
        assert_eq!(reach(&watched), Some(Reach::NothingCut));
        watched.read(&below(allowed(CallId(4))), CallId(9), &news).await;
        assert_eq!(reach(&watched), Some(Reach::CutShort), "its call has no result");
    }
}
