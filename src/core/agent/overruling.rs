//! A person decides in the place of the rules, before a call is made again: for branches of a session, in which a call goes
//! otherwise that nobody had been asked about. And what rules once said, for a session that is played again.

use crate::ledger::{Sandboxing, ToolUse};
use crate::policy::Verdict;
use crate::tool::Preparation;

use super::ask_reason::AskReason;
use super::phase::{CallState, Dispatching, Phase};
use super::ruling::Ruling;
use super::step::Step;
use super::{Agent, Attendance};

impl Agent {
    /// What the rules said then, if that is what counts.
    pub(super) fn ruled(&self, call: &ToolUse) -> Option<&Ruling> {
        let said = self.settings.ruled.get(&call.id)?;
        said.iter().find(|ruling| ruling.arguments == call.arguments)
    }

    /// The call is asked about whatever the rules say, and answered at once: the ledger has the request and a person's decision. That
    /// counts once.
    pub(super) fn overrule(
        &mut self,
        step: &mut Step,
        mut dispatching: Dispatching,
        call: &ToolUse,
        verdict: &Verdict,
        found: &Preparation,
    ) -> Phase {
        let reason = self.why_overruled(call, verdict, found);
        if let Some(pending) = dispatching.calls.iter_mut().find(|pending| pending.call.id == call.id) {
            // Who answers is known, also where nobody is there to be asked.
            let attendance = std::mem::replace(&mut self.settings.attendance, Attendance::Program);
            pending.state = self.ask_someone(step, call, reason, found, None);
            self.settings.attendance = attendance;
            pending.looked = Some(found.clone());
            let answer = self.settings.overruled.remove(&call.id);
            if let (CallState::Waiting(_), Some(answer)) = (&pending.state, answer) {
                self.answered(step, pending, answer);
            }
        }
        self.advance(step, dispatching)
    }

    fn why_overruled(&self, call: &ToolUse, verdict: &Verdict, found: &Preparation) -> AskReason {
        let tool = self.tools.registry.get(&call.name);
        let can_confine = tool.is_some_and(|tool| self.policy.can_confine(tool, &call.arguments));
        let sandboxing = match (can_confine, verdict) {
            (false, _) => Sandboxing::Without,
            (true, Verdict::Sandbox(_)) => Sandboxing::Within,
            (true, _) => Sandboxing::OnWish,
        };
        let would = match verdict {
            Verdict::Allow(why) => format!("allow it: {why}"),
            Verdict::Sandbox(why) => format!("run it in the sandbox: {why}"),
            Verdict::Ask(why) => format!("ask about it: {why}"),
            Verdict::Deny(why) => format!("deny it: {why}"),
        };
        let why = format!("you decide about it in this branch; the rules would {would}");
        self.with_gaps(AskReason::of(why, sandboxing), found)
    }
}
