//! What the loop is given next: the first cue that it can take, in the order in which things happened.

use crate::agent::{Intent, TimerId};
use crate::hooks::HookCall;
use crate::ledger::{CallId, EntryId, Millis};
use crate::tool::Invocation;

use super::stage::Player;
use super::{Answered, Cue, News};

/// What the loop is given next.
pub(super) enum Next {
    Cue(usize),
    Look(Invocation),
    Hooks(HookCall),
    Discovered,
    Live(Answered),
    Timer(TimerId),
    NoResult(CallId),
    NoDecision(CallId, EntryId),
    NoAnswer(EntryId),
    Over,
}

impl Player<'_> {
    pub(super) fn next(&mut self) -> Next {
        if let Some(hooks) = self.hooks.pop_front() {
            return Next::Hooks(hooks);
        }
        let is_looked_at = |look: &Invocation| !self.is_cut_before_its_look(look.call);
        if let Some(look) = self.looks.iter().position(is_looked_at).and_then(|at| self.looks.remove(at)) {
            return Next::Look(look);
        }
        if self.discovers {
            return Next::Discovered;
        }
        if let Some(answered) = self.live.take().filter(|_| self.model.is_some()) {
            return Next::Live(answered);
        }
        match self.next_cue() {
            Some(at) => match (self.open_but_over(at), self.due_before(at)) {
                (Some(next), _) => next,
                (None, Some(timer)) => Next::Timer(timer),
                (None, None) => Next::Cue(at),
            },
            None => self.without_cue(),
        }
    }

    /// Whether the recorded run ended before anybody had looked at the call.
    fn is_cut_before_its_look(&self, call: CallId) -> bool {
        let ended = |cue: &Cue| matches!(&cue.news, News::Returned { call: c, .. } if *c == call);
        !self.tape.examined.contains(&call)
            && (self.tape.cues.iter().any(ended) || self.tape.lost.contains(&call))
    }

    /// The first cue that the loop can take now. What begins something new waits until the loop is idle; cues before that
    /// have nothing to answer any more.
    fn next_cue(&self) -> Option<usize> {
        let next_run = self.cues.iter().position(begins_run).unwrap_or(self.cues.len());
        let taken = (0..next_run).find(|at| self.cues.get(*at).is_some_and(|cue| self.takes(cue)));
        let taken = taken.map(|at| self.first_of_those_that_run(at, next_run));
        let is_at_rest = self.agent.is_idle() || self.is_killed(next_run);
        taken.or_else(|| Some(next_run).filter(|at| is_at_rest && *at < self.cues.len()))
    }

    /// Results are written in the order of the calls. Of several that run, the one that was over first is told first.
    fn first_of_those_that_run(&self, at: usize, next_run: usize) -> usize {
        if !matches!(self.cues.get(at), Some(Cue { news: News::Returned { .. }, .. })) {
            return at;
        }
        let over = |at: &usize| {
            let cue = self.cues.get(*at).filter(|cue| self.takes(cue))?;
            matches!(cue.news, News::Returned { .. }).then(|| (self.time_of(cue), *at))
        };
        (at..next_run).filter_map(|at| over(&at)).min().map_or(at, |(_, at)| at)
    }

    /// When the news came: that of a result before it was written, if it waited for others.
    pub(super) fn time_of(&self, cue: &Cue) -> Millis {
        match &cue.news {
            News::Returned { call, ran_ms, .. } => {
                let over = self.tools.get(call).map(|(_, since)| since.0.saturating_add(*ran_ms));
                Millis(over.map_or(cue.at.0, |over| over.min(cue.at.0)))
            }
            _ => cue.at,
        }
    }

    /// Whether the process ended there, whatever was under way.
    fn is_killed(&self, at: usize) -> bool {
        matches!(self.cues.get(at), Some(Cue { news: News::Restarted { .. }, .. }))
    }

    pub(super) fn takes(&self, cue: &Cue) -> bool {
        match &cue.news {
            News::Wished(wish) => !matches!(wish.intent, Intent::Abort) || !self.agent.is_idle(),
            News::Cut(_) => !self.agent.is_idle(),
            News::Answered(_) => self.model.is_some() && !self.model_has_spoken,
            News::Decided(call, _) => self.waiting.contains_key(call),
            News::Returned { call, report, .. } => report.is_some() && self.tools.contains_key(call),
            News::Ended(..) => true,
            News::Accepted(call, _) => self.tools.contains_key(call),
            News::Restarted { .. } => false,
        }
    }

    /// A call that is still open where the recorded process ended, and was over by then: it was denied, and is not denied here. It was not
    /// lost with the process; what would have come of it is not known.
    fn open_but_over(&self, at: usize) -> Option<Next> {
        if !self.is_killed(at) {
            return None;
        }
        let was_over = |call: &CallId| {
            let ended = |cue: &Cue| matches!(&cue.news, News::Returned { call: c, .. } if c == call);
            self.cues.iter().take(at).any(ended)
        };
        if let Some(call) = self.tools.keys().find(|call| was_over(call)) {
            return Some(Next::NoResult(*call));
        }
        let undecided = self.waiting.iter().find(|(call, _)| was_over(call));
        undecided.map(|(call, request)| Next::NoDecision(*call, *request))
    }

    /// A timer that fires before that cue.
    fn due_before(&self, at: usize) -> Option<TimerId> {
        let until = self.time_of(self.cues.get(at)?);
        let due = self.timers.iter().filter(|(_, due)| **due < until);
        due.min_by_key(|(timer, due)| (**due, **timer)).map(|(timer, _)| *timer)
    }

    /// What the loop is told when the tape has nothing for it.
    fn without_cue(&self) -> Next {
        let hangs = |call: &CallId| {
            let of_it =
                |cue: &Cue| matches!(&cue.news, News::Returned { call: c, report: None, .. } if c == call);
            self.cues.iter().any(of_it) || self.tape.cues.iter().any(of_it)
        };
        if let Some(call) = self.tools.keys().find(|call| !hangs(call)) {
            return Next::NoResult(*call);
        }
        if let Some((call, request)) = self.waiting.iter().next() {
            return if self.cues.is_empty() && !self.settings_ask(*call) {
                Next::Over
            } else {
                Next::NoDecision(*call, *request)
            };
        }
        if let Some(message) = self.model.filter(|_| !self.model_has_spoken) {
            return Next::NoAnswer(message);
        }
        if self.agent.is_idle() {
            return Next::Over;
        }
        // That the time was up after the last entry is nothing that was recorded.
        let is_of_the_tape =
            |timer: &TimerId, due: Millis| due <= self.tape.ends || !self.agent.is_wall_time(*timer);
        let timers = self.timers.iter().filter(|(timer, due)| is_of_the_tape(timer, **due));
        match timers.min_by_key(|(timer, due)| (**due, **timer)) {
            Some((timer, _)) => Next::Timer(*timer),
            None => match (self.model, self.tools.keys().next()) {
                (Some(message), _) => Next::NoAnswer(message),
                (None, Some(call)) => Next::NoResult(*call),
                (None, None) => Next::Over,
            },
        }
    }

    /// Whether a recorded call that waits here was decided then: one that waited when the session was left waits still.
    fn settings_ask(&self, call: CallId) -> bool {
        let asked = self.tape.asked.contains_key(&call);
        let ended = |cue: &Cue| matches!(&cue.news, News::Returned { call: c, .. } if *c == call);
        !asked || self.tape.cues.iter().any(ended)
    }
}

/// Whether it begins something new.
pub(super) fn begins_run(cue: &Cue) -> bool {
    match &cue.news {
        News::Wished(wish) => wish.begins,
        News::Restarted { .. } => true,
        _ => false,
    }
}
