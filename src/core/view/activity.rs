//! What goes on right now, for the one line that always says so.

use crate::ledger::{CallId, Millis};

use super::{CardBody, Forming, Panel, Phase, View};

/// What goes on, more exactly than the phase says.
#[derive(Debug, Clone, PartialEq)]
pub enum Activity<'v> {
    /// The phase says it all.
    Phase(&'v Phase),
    /// The model thinks: estimated tokens of reasoning so far.
    Thinking(u64),
    /// The model answers: estimated tokens so far, reasoning included.
    Answering(u64),
    /// The model writes a call; of several the last.
    Writing(&'v Forming),
    /// A call runs, the one that began first, beside so many others.
    Running {
        /// The call.
        call: CallId,
        /// How many others run.
        others: usize,
    },
}

impl View {
    /// What goes on, and since when. Costs what is under way, not what was said.
    pub fn activity(&self) -> (Activity<'_>, Millis) {
        let phase = &self.status.phase;
        let activity = match phase {
            Phase::AwaitingModel => self.answer(),
            Phase::DispatchingTools => match self.first_running() {
                Some((call, since)) => {
                    let others = self.waited_for().count().saturating_sub(1);
                    return (Activity::Running { call, others }, since);
                }
                None => Activity::Phase(phase),
            },
            Phase::Idle
            | Phase::Discovering
            | Phase::AskingHooks(_)
            | Phase::WaitingApproval
            | Phase::Compacting(_)
            | Phase::Retrying { .. } => Activity::Phase(phase),
        };
        (activity, self.status.since)
    }

    /// Tokens of the session until now: those that were counted, and by our estimate those of the prompt that was sent and of the answer that
    /// is being written.
    pub fn tokens_until_now(&self) -> u64 {
        let usage = self.meter().session_usage();
        let prompt = self.asked.map_or(0, |(_, tokens)| tokens);
        let live = self.live.as_ref().map_or(0, super::LiveMessage::estimated_tokens);
        [usage.output, prompt, live].into_iter().fold(usage.input, u64::saturating_add)
    }

    /// The calls that run and since when, without those whose work goes on in the background: their results may only wait for others.
    fn waited_for(&self) -> impl Iterator<Item = (CallId, Millis)> {
        let all = self.running.iter().map(|(call, since)| (*call, *since));
        all.filter(move |(call, _)| !self.panel(*call).is_some_and(Panel::works_in_background))
    }

    fn first_running(&self) -> Option<(CallId, Millis)> {
        self.waited_for().min_by_key(|(_, since)| *since)
    }

    fn answer(&self) -> Activity<'_> {
        let forming = self.live_cards.iter().rev().find_map(|card| match &card.body {
            CardBody::Forming(forming) => Some(forming),
            _ => None,
        });
        match (forming, self.live.as_ref()) {
            (Some(forming), _) => Activity::Writing(forming),
            (None, Some(live)) if !live.text.is_empty() => Activity::Answering(live.estimated_tokens()),
            (None, live) => Activity::Thinking(live.map_or(0, super::LiveMessage::estimated_tokens)),
        }
    }
}
