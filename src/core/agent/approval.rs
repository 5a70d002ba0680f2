//! One call on its way to being run: is it known, valid, permitted? Every decision is in the ledger before any effect.

use crate::budget::{Bound, Limit};
use crate::hooks::{Payload, PreTool, PreVerdict};
use crate::ledger::{
    ApprovalRequest, CallId, CutBy, Decider, Decision, EntryId, Millis, OpenCall, Outcome, Remark,
    Sandboxing, Scope, Settlement, ToolUse,
};
use crate::policy::{Verdict, grant, told_effects};
use crate::tool::{Invocation, Preparation, SideEffect, not_there};

use super::ask_reason::AskReason;
use super::asking::WHY;
use super::dispatch::tell_over;
use super::own_command::OWN_COMMAND_MS;
use super::phase::{CallState, Dispatching, Pending, Permission, Phase};
use super::step::Step;
use super::{Agent, Answer, Attendance, Effect, Live};

const CUT_OFF: &str = "The message was cut off by the output limit, so this call was not run. \
                       Make it again, with shorter arguments if they were long.";

impl Agent {
    /// Takes in the calls of a message, in order. `cut_off`: the message was truncated, so none of them is run.
    pub(super) fn dispatch(
        &mut self,
        step: &mut Step,
        calls: impl Iterator<Item = (ToolUse, OpenCall)>,
        cut_off: bool,
    ) -> Phase {
        let calls: Vec<(ToolUse, OpenCall)> = calls.collect();
        let meter = self.history.meter();
        let before = meter.taken(Limit::ToolCalls, step.now).saturating_sub(calls.len() as u64);
        let calls = (before..)
            .zip(calls)
            .map(|(number, (call, token))| {
                let state = if cut_off {
                    CallState::Over(Settlement::synthetic(Outcome::Failed, CUT_OFF))
                } else if let Some(over) = self.unless_used_up(number) {
                    CallState::Over(over)
                } else {
                    self.examine(step, &call)
                };
                let effect = self.tools.registry.get(&call.name).map_or(SideEffect::Runs, |t| t.effect);
                Pending::new(call, token, effect, state)
            })
            .collect();
        let dispatching = Dispatching::of(calls);
        dispatching.calls.iter().for_each(|pending| tell_over(step, pending));
        self.advance(step, dispatching)
    }

    /// How a call ends before which the limit of calls was used up, counted from 0.
    pub(super) fn unless_used_up(&mut self, number: u64) -> Option<Settlement> {
        let most = self.history.meter().limits().get(Limit::ToolCalls).unwrap_or(u64::MAX);
        let denied = Outcome::Denied(Decider::Policy);
        (number >= most).then(|| Settlement::synthetic(denied, crate::context::words::calls_used_up(most)))
    }

    /// Known and valid? Then the world is looked at, before anything is decided.
    pub(super) fn examine(&mut self, step: &mut Step, call: &ToolUse) -> CallState {
        if self.tools.registry.get(&call.name).is_none() {
            return CallState::Over(Settlement::synthetic(Outcome::UnknownTool, self.unknown(&call.name)));
        }
        if let Err(bad) = self.tools.registry.validate_here(&call.name, &call.arguments) {
            return CallState::Over(invalid(call, &bad.0));
        }
        self.look_at(step, call);
        CallState::Preparing
    }

    /// Has the world looked at before anything is decided; also at what a sandbox could not hide, where one may be used.
    pub(super) fn look_at(&mut self, step: &mut Step, call: &ToolUse) {
        let sandboxed = self.policy.confines();
        step.act(Effect::Prepare(Invocation { sandboxed, ..self.invocation(call) }));
    }

    fn unknown(&self, name: &str) -> String {
        let known: Vec<&str> = self.tools.registry.tools().iter().map(|t| t.name.as_str()).collect();
        format!("{} The tools are: {}.", not_there(name, &self.tools.absent), known.join(", "))
    }

    /// What is to be run.
    pub(super) fn invocation(&mut self, call: &ToolUse) -> Invocation {
        let max_chars = self.history.meter().limits().bound(Bound::ResultChars);
        let of_tool = self.tools.registry.get(&call.name).and_then(|t| t.timeout_ms);
        let own = if self.history.guards().is_own_command { Some(OWN_COMMAND_MS) } else { of_tool };
        Invocation {
            call: call.id,
            key: self.key_of(call.id),
            name: call.name.clone(),
            arguments: call.arguments.clone(),
            timeout_ms: own.unwrap_or(self.settings.tool_timeout_ms),
            max_chars: usize::try_from(max_chars).unwrap_or(usize::MAX),
            sandboxed: false,
            hosts: self.hosts.clone(),
            is_shown: false,
            allowed_in: None,
        }
    }

    /// The look at a call is back: the policy decides.
    pub(super) fn on_prepared(
        &mut self,
        step: &mut Step,
        mut dispatching: Dispatching,
        call: CallId,
        found: &Preparation,
    ) -> Phase {
        let is_it = |p: &&mut Pending| {
            let is_looked_at =
                matches!(p.state, CallState::Preparing | CallState::Revisiting { is_looked_at: true, .. });
            p.call.id == call && is_looked_at
        };
        let Some(pending) = dispatching.calls.iter_mut().find(is_it) else {
            return Phase::Dispatching(dispatching);
        };
        if let Some(bad) = &found.invalid {
            let over = invalid(&pending.call, bad);
            let was_asked_about = pending.waits_since().is_some();
            pending.state = if was_asked_about {
                self.void(step.now, pending.call.id, over)
            } else {
                CallState::Over(over)
            };
            tell_over(step, pending);
            return self.advance(step, dispatching);
        }
        if matches!(pending.state, CallState::Revisiting { .. }) {
            let call = pending.call.clone();
            return self.revisited(step, dispatching, &call, found);
        }
        if let Some(hook) = self.ask_hooks(step, pending) {
            pending.state = CallState::Consulting(hook, found.clone());
            return Phase::Dispatching(dispatching);
        }
        let (call, hooked) = (pending.call.clone(), pending.hooked.clone());
        self.decide_by_policy(step, dispatching, &call, hooked.as_ref(), found)
    }

    /// The policy decides, made tighter by what hooks have said.
    pub(super) fn decide_by_policy(
        &mut self,
        step: &mut Step,
        mut dispatching: Dispatching,
        call: &ToolUse,
        hooked: Option<&PreTool>,
        found: &Preparation,
    ) -> Phase {
        let Some(tool) = self.tools.registry.get(&call.name) else {
            drop(dispatching);
            return self.bug(step, "a tool that was examined is no longer known");
        };
        let decided = self.policy.decide(tool, &call.arguments, found);
        let is_usual = decided.is_usual;
        let (policy, rule) = match self.ruled(call) {
            Some(then) => (then.verdict.clone(), then.rule.clone()),
            None => (decided.verdict, decided.rule.map(|rule| rule.to_string())),
        };
        let by = match hooked {
            Some(said) if said.verdict == PreVerdict::Deny && !matches!(policy, Verdict::Deny(_)) => {
                Decider::Hook
            }
            Some(_) | None => Decider::Policy,
        };
        let is_for_sandbox = matches!(policy, Verdict::Sandbox(_));
        let is_it = |pending: &&Pending| pending.call.id == call.id;
        let stands = dispatching.calls.iter().find(is_it).and_then(Pending::waits_since);
        let verdict = hooked.map_or(policy.clone(), |said| said.tighten(policy));
        let hook_denies = hooked.is_some_and(|said| said.verdict == PreVerdict::Deny);
        if self.settings.overruled.contains_key(&call.id) && !hook_denies {
            return self.overrule(step, dispatching, call, &verdict, found);
        }
        let state = match verdict {
            Verdict::Allow(_) if self.is_question(call) => {
                let reason = AskReason::of(WHY.to_owned(), Sandboxing::Without);
                self.ask_someone(step, call, reason, found, stands)
            }
            Verdict::Allow(reason) => {
                CallState::Ready(Permission::ByPolicy { reason, rule, sandboxed: false })
            }
            Verdict::Deny(reason) => {
                let rule = rule.filter(|_| by == Decider::Policy);
                self.refuse(step.now, Decision { rule, ..Decision::denial(call.id, by, reason) })
            }
            Verdict::Sandbox(reason) => match self.why_not_confined(call, found) {
                Some(why) => self.ask_someone(step, call, why, found, stands),
                None => CallState::Ready(Permission::ByPolicy { reason, rule, sandboxed: true }),
            },
            Verdict::Ask(why) => {
                let sandboxing = match self.policy.can_confine(tool, &call.arguments) {
                    // A hook that asks loosens nothing.
                    true if is_for_sandbox => Sandboxing::Within,
                    true => Sandboxing::OnWish,
                    false => Sandboxing::Without,
                };
                let reason = AskReason { is_usual, ..AskReason::of(why, sandboxing) };
                let reason = self.with_gaps(reason, found);
                self.ask_someone(step, call, reason, found, stands)
            }
        };
        let nobody_can = self.settings.attendance == Attendance::Stop && self.history.was_asked(call.id);
        if let Some(pending) = dispatching.calls.iter_mut().find(|p| p.call.id == call.id) {
            pending.state = if stands.is_some() { self.no_longer_waits(step, pending, state) } else { state };
            pending.looked = Some(found.clone());
        }
        if nobody_can {
            return self.stop(step, Phase::Dispatching(dispatching), CutBy::Approval);
        }
        self.advance_or_queue(step, dispatching, call.id)
    }

    /// A person decides; where there is none, the answer is no. `stands`: the request by which it waits already, which goes on if
    /// there is nothing else to say.
    pub(super) fn ask_someone(
        &mut self,
        step: &mut Step,
        call: &ToolUse,
        reason: AskReason,
        found: &Preparation,
        stands: Option<EntryId>,
    ) -> CallState {
        let request = self.request_about(call, reason, found);
        let is_the_same = self.history.request_of(call.id).is_some_and(|(_, asked)| *asked == request);
        let request = match stands.filter(|_| is_the_same) {
            Some(stands) => stands,
            None => self.ask(step, request),
        };
        match self.settings.attendance {
            Attendance::Person | Attendance::Program => CallState::Waiting(request),
            Attendance::Deny if self.is_question(call) => {
                self.deny_by_policy(step.now, call.id, "no user is available to answer".to_owned())
            }
            Attendance::Deny => {
                self.deny_by_policy(step.now, call.id, "no user is available to approve it".to_owned())
            }
            Attendance::Stop => self.deny_by_policy(
                step.now,
                call.id,
                "it needs an approval, and no user is available".to_owned(),
            ),
        }
    }

    /// Writes that a call waits, and tells hooks.
    pub(super) fn ask(&mut self, step: &mut Step, request: ApprovalRequest) -> EntryId {
        self.fire(step, Payload::Notification { text: format!("{} waits for a decision", request.name) });
        self.history.ledger.remark(step.now, Remark::ApprovalRequested(request))
    }

    /// What a person is asked about a call.
    pub(super) fn request_about(
        &mut self,
        call: &ToolUse,
        reason: AskReason,
        found: &Preparation,
    ) -> ApprovalRequest {
        let rule = self.offered(call, found).ok().map(|rule| rule.to_string());
        let warning = match (&found.warning, self.history.unclear().warning(&call.name, &call.arguments)) {
            (Some(found), Some(known)) if !found.contains(&known) => Some(format!("{found}; {known}")),
            (found, known) => found.clone().or(known),
        };
        let tool = self.tools.registry.get(&call.name);
        let (risk, effects) = told_effects(tool, &call.arguments, found);
        let names_path = tool.is_some_and(|tool| !tool.paths.is_empty());
        let leads_to = found.leads_to.first().filter(|_| names_path).cloned();
        ApprovalRequest {
            call: call.id,
            name: call.name.clone(),
            arguments: call.arguments.to_value(),
            why: reason.why,
            risk,
            effects,
            preview: found.preview.clone(),
            warning,
            rule,
            sandboxing: reason.sandboxing,
            leads_to,
            is_partial: found.is_partial,
            is_usual: reason.is_usual,
            replaces: found.replaces,
            gaps: reason.gaps,
        }
    }

    pub(super) fn deny_by_policy(&mut self, now: Millis, call: CallId, reason: String) -> CallState {
        self.refuse(now, Decision::denial(call, Decider::Policy, reason))
    }

    pub(super) fn refuse(&mut self, now: Millis, denial: Decision) -> CallState {
        let by = denial.by;
        let text = format!("Denied: {}. The call was not started.", denial.reason);
        self.record(now, denial);
        CallState::Over(Settlement::synthetic(Outcome::Denied(by), text))
    }

    /// A person decides about one call; its siblings are not touched. An answer to a request that is no longer
    /// open is refused.
    pub(super) fn decide(
        &mut self,
        step: &mut Step,
        phase: Phase,
        request: EntryId,
        call: CallId,
        answer: Answer,
    ) -> Phase {
        let is_it = |p: &&mut Pending| p.call.id == call && p.waits_since() == Some(request);
        let at = self.address(call);
        let text = format!("The approval of call {at} is no longer open; the answer was not accepted.");
        let Phase::Dispatching(mut dispatching) = phase else {
            step.emit(Live::Refused(text));
            return phase;
        };
        let Some(pending) = dispatching.calls.iter_mut().find(is_it) else {
            step.emit(Live::Refused(text));
            return Phase::Dispatching(dispatching);
        };
        let Some(answer) = self.unless_early(step, pending, answer) else {
            return Phase::Dispatching(dispatching);
        };
        self.answered(step, pending, answer);
        self.advance(step, dispatching)
    }

    pub(super) fn answered(&mut self, step: &mut Step, pending: &mut Pending, answer: Answer) {
        let yes = Decision::permission(pending.call.id, Decider::User, "");
        match answer {
            answer if self.is_question(&pending.call) => self.answer_question(step, pending, answer),
            Answer::Reply(_) => {
                step.emit(Live::Refused("this call is not a question; press y, s or n".to_owned()))
            }
            Answer::Edit(arguments) => self.edit_call(step, pending, arguments),
            Answer::Always { rule, scope } => self.always(step, pending, &rule, scope),
            Answer::AllowOnce => self.allow(step, pending, yes),
            Answer::AllowBecause(reason) => self.allow(step, pending, Decision { reason, ..yes }),
            Answer::AllowSession => self.allow(step, pending, Decision { scope: Scope::Session, ..yes }),
            Answer::AllowSandboxed if self.history.sandboxing_of(pending.call.id) == Sandboxing::Without => {
                let why = "this call cannot run in the sandbox; it still waits".to_owned();
                step.emit(Live::Refused(why));
            }
            Answer::AllowSandboxed => self.allow(step, pending, Decision { sandboxed: true, ..yes }),
            Answer::Deny(reason) => pending.state = self.denied(step.now, &pending.call, reason),
            Answer::Nobody(why) => pending.state = self.undecided(step.now, &pending.call, why),
        }
    }

    fn allow(&mut self, step: &mut Step, pending: &mut Pending, decision: Decision) {
        let call = &pending.call;
        let sandboxed = decision.sandboxed || self.history.sandboxing_of(call.id) == Sandboxing::Within;
        if decision.scope == Scope::Session {
            let (Some(tool), Some(found)) = (self.tools.registry.get(&call.name), &pending.looked) else {
                return step.emit(Live::Refused(NOT_EXAMINED.to_owned()));
            };
            let action = grant(tool, &call.arguments, found);
            let policy = &mut self.policy;
            let granted = if sandboxed { &mut policy.granted_in_sandbox } else { &mut policy.granted };
            granted.insert(action);
        }
        pending.receipt = Some(self.receive(step.now, call, Decision { sandboxed, ..decision }));
        pending.sandboxed = sandboxed;
        pending.state = CallState::Ready(Permission::Recorded);
    }

    pub(super) fn denied(&mut self, now: Millis, call: &ToolUse, reason: String) -> CallState {
        let why = if reason.is_empty() { String::new() } else { format!(": {reason}") };
        self.record(now, Decision::denial(call.id, Decider::User, reason));
        let text = if self.is_question(call) {
            format!("The user did not answer{why}.")
        } else {
            format!("The user denied this call{why}. It was not started; do not repeat it unchanged.")
        };
        CallState::Over(Settlement::synthetic(Outcome::Denied(Decider::User), text))
    }

    /// A call that waits for nobody: it is over without a decision of the user.
    pub(super) fn undecided(&mut self, now: Millis, call: &ToolUse, why: String) -> CallState {
        let text = if self.is_question(call) {
            format!("Nobody answered: {why}.")
        } else {
            format!("Nobody decided about this call: {why}. It was not started.")
        };
        self.record(now, Decision::denial(call.id, Decider::Nobody, why));
        CallState::Over(Settlement::synthetic(Outcome::Denied(Decider::Nobody), text))
    }
}

/// What a person reads whose answer allows more than this one call, before anybody has looked at what it would do.
pub(super) const NOT_EXAMINED: &str = "not accepted: this call is still being examined; it still waits";

/// How a call ends whose arguments its tool does not take.
fn invalid(call: &ToolUse, why: &str) -> Settlement {
    let text = format!("The arguments of {} are not valid: {why}. Nothing was run.", call.name);
    Settlement::synthetic(Outcome::Invalid, text)
}
