//! What is said of one call: who was asked about it and who decided, what was sent for it, and how it ended.

use super::session_reading::{KnownCall, SessionReading};
use crate::ledger::{
    Abort, ApprovalRequest, Arguments, Body, CallId, Decider, Decision, EntryId, Outcome, Scope, ToolResult,
};
use crate::tool::{delegate, name};

impl SessionReading<'_> {
    pub(super) fn asked(&mut self, id: EntryId, asked: &ApprovalRequest) {
        let (is_another, lacks_gaps) = (self.shows_another(asked), self.lacks("gaps"));
        if is_another {
            self.fault(
                id,
                format!("the question about call {} shows something else than the call would do", asked.call),
            );
        }
        self.of(asked.call, |known| {
            (known.asked, known.sandboxing) = (Some(asked.gaps.clone()), asked.sandboxing);
            known.lacks_gaps = lacks_gaps;
        });
    }

    /// A changed call is another action: nobody was asked about it yet.
    pub(super) fn call_changed(&mut self, body: &Body) {
        let Some((call, arguments)) = body.changes() else { return };
        if self.lacks("arguments") {
            return self.becomes_unknown(call);
        }
        self.of(call, |known| {
            (known.task, known.asked) = (task_of(&arguments), None);
            known.arguments = Some(arguments);
        });
    }

    /// A person decides about what they were asked, or typed; and only a person's decision goes on.
    pub(super) fn decided(&mut self, id: EntryId, decision: &Decision) {
        let Decision { call, allow, by, .. } = *decision;
        let (lacks_reason, lacks_rule) = (self.lacks("reason"), self.lacks("rule"));
        let lacks_answer = self.lacks("answer");
        let Some(known) = self.calls.get_mut(&call) else { return };
        known.decided = Some((by, allow, decision.answer.is_some() || lacks_answer));
        known.reason = Some(decision.reason.clone()).filter(|_| !allow && !lacks_reason);
        known.lacks_answer = lacks_answer;
        (known.answer, known.sandboxed) = (decision.answer.clone(), Some(decision.sandboxed));
        let was_asked = known.asked.is_some() || known.is_own;
        let is_elsewhere = !lacks_rule && Self::is_elsewhere_than_asked(known, decision);
        let is_no_question = decision.answer.is_some() && known.name != name::ASK;
        if matches!(by, Decider::User | Decider::Nobody) && !was_asked {
            self.fault(id, format!("call {call} is said to be a person's to decide, but nobody was asked"));
        }
        if allow && by == Decider::Hook {
            self.fault(id, format!("a hook is said to have allowed call {call}, and a hook can only deny"));
        }
        if decision.scope != Scope::Once && !(allow && by == Decider::User) {
            self.fault(id, format!("what nobody but a person can grant is granted with call {call}"));
        }
        if is_elsewhere {
            self.fault(
                id,
                format!("a person allowed call {call} otherwise in the sandbox than they were asked"),
            );
        }
        if is_no_question {
            self.fault(id, format!("a person is said to have answered call {call}, which is no question"));
        }
        let of_this = format!("{}-{call}", self.session);
        let is_named =
            if self.is_copy { decision.key.ends_with(&format!("-{call}")) } else { decision.key == of_this };
        if !decision.key.is_empty() && !is_named {
            self.fault(id, format!("the receipt of call {call} has the key of another call"));
        }
    }

    /// The task that goes to another agent is that of the call.
    pub(super) fn sent(&mut self, id: EntryId, call: CallId, agent: &str, task: &str) {
        self.task_sent(call, agent);
        let lacks_task = self.lacks("task");
        let Some(known) = self.calls.get_mut(&call) else { return };
        known.is_delegated = true;
        let is_same_agent = delegate(&known.name) == Some(agent);
        let is_same_task = lacks_task || known.task.as_deref().is_none_or(|told| told == task);
        if !is_same_agent || !is_same_task {
            self.fault(id, format!("another task is sent than call {call} says"));
        }
    }

    pub(super) fn result(&mut self, id: EntryId, result: &ToolResult) {
        if result.outcome != Outcome::Ok {
            self.not_ok.push((result.call, result.outcome.as_str().to_owned()));
        }
        let Some(known) = self.calls.get(&result.call) else { return };
        let (number, is_elsewhere) = (known.number, result.facts.is_elsewhere);
        let is_check = known.is_check;
        let what = if known.name != result.name {
            Some("is the result of another tool")
        } else if !known.is_announced && !known.is_own && !is_elsewhere {
            Some("has no line of its own")
        } else if result.facts.is_from_editor
            && ![name::READ, name::EDIT, name::WRITE].contains(&&*result.name)
        {
            Some("is said to have read a text in an editor, which its tool cannot")
        } else if !result.facts.files.is_empty()
            && ![name::EDIT, name::WRITE, name::ADOPT].contains(&&*result.name)
        {
            Some("is said to have changed files, which its tool does not do")
        } else {
            let differs = differs(known, &result.outcome).or_else(|| self.says_another(known, result));
            differs.filter(|_| !is_elsewhere)
        };
        // A call that waits can be left behind by those that were cut short or lost, and by what was answered; none that ran passes it.
        let ran = matches!(result.outcome, Outcome::Ok | Outcome::TimedOut);
        let has_come = known.is_delegated || known.decided.is_some_and(|(_, _, is_answer)| is_answer);
        self.open.remove(&(number, result.call));
        self.run_results(&result.outcome, is_check);
        let earlier = self.open.first().filter(|(other, _)| *other < number).map(|(_, call)| *call);
        if let Some(what) = what.or_else(|| self.says_another_than_the_task(result)) {
            self.fault(id, format!("call {} {what}", result.call));
        }
        if let Some(earlier) = earlier.filter(|_| ran && !has_come && !is_elsewhere && !self.is_copy) {
            self.fault(id, format!("the result of call {} comes before that of {earlier}", result.call));
        }
        if let Outcome::Aborted(Abort { within: Some(_), ran_ms, .. }) = result.outcome {
            let has_settled = self.escrows.get(&result.call).is_some_and(|(_, is_settled)| *is_settled);
            if ran_ms.is_none() || !has_settled {
                let what = "is said to have started a sub-agent that reported, and there is none";
                self.fault(id, format!("call {} {what}", result.call));
            }
        }
        let (call, is_ok) = (result.call, result.outcome == Outcome::Ok);
        let is_owed =
            |(escrow, is_settled): &(crate::ledger::Escrow, bool)| !is_settled && !escrow.in_background;
        if is_ok && self.escrows.get(&call).is_some_and(is_owed) {
            self.fault(id, format!("call {call} is done, but what was set aside for it is not settled"));
        }
    }
}

/// What a result says of the decision about its call, where that is another one.
fn differs(known: &KnownCall, outcome: &Outcome) -> Option<&'static str> {
    match (known.decided, outcome) {
        (Some((by, false, _)), Outcome::Denied(denied_by)) if by == *denied_by => None,
        (Some(_), Outcome::Denied(_)) => Some("is said to be denied, but was decided otherwise"),
        // The limit of calls is used up without a decision.
        (None, Outcome::Denied(Decider::Policy)) => None,
        (None, Outcome::Denied(_)) => Some("is said to be denied, but nobody has decided about it"),
        (Some((_, true, _)), Outcome::Lost { started: false }) => {
            Some("is said not to have been started, but was allowed")
        }
        (Some((_, false, _)), Outcome::Aborted(Abort { ran_ms: Some(_), .. })) => Some("ran, but was denied"),
        _ => None,
    }
}

/// The task that arguments hand over.
pub(super) fn task_of(arguments: &Arguments) -> Option<String> {
    arguments.text("task").map(str::to_owned)
}
