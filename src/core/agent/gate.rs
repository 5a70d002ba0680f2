//! One call on its way to being run: is it known, valid, permitted? Every decision is in the ledger before any effect.

use crate::budget::{Bound, Limit};
use crate::hooks::{Payload, PreTool, PreVerdict};
use crate::ledger::{
    ApprovalRequest, CallId, CutBy, Decider, Decision, EntryId, Millis, OpenCall, Outcome, Remark,
    Sandboxing, Scope, Settlement, ToolUse,
};
use crate::policy::{Verdict, effect_of_call, effects_of_call, fingerprint, grant};
use crate::tool::{Invocation, Preparation, SideEffect, ToolSpec, not_there};

use super::asking::{WHY, is_question};
use super::phase::{Dispatching, Pending, Permission, Phase, State};
use super::{Agent, Answer, Attendance, Effect, Live};

const CUT_OFF: &str = "The message was cut off by the output limit, so this call was not run. \
                       Make it again, with shorter arguments if they were long.";

impl Agent {
    /// Takes in the calls of a message, in order. `cut_off`: the message was truncated, so none of them is run.
    pub(super) fn dispatch(
        &mut self,
        now: Millis,
        calls: impl Iterator<Item = (ToolUse, OpenCall)>,
        cut_off: bool,
        out: &mut Vec<Effect>,
    ) -> Phase {
        let calls: Vec<(ToolUse, OpenCall)> = calls.collect();
        let meter = self.books.meter();
        let before = meter.tool_calls().saturating_sub(calls.len() as u64);
        let most = meter.limits().get(Limit::ToolCalls).unwrap_or(u64::MAX);
        let calls = (before..)
            .zip(calls)
            .map(|(number, (call, token))| {
                let state = if cut_off {
                    State::Over(Settlement::synthetic(Outcome::Failed, CUT_OFF))
                } else if number >= most {
                    let text = format!("The budget of {most} tool calls is used up; was not started");
                    State::Over(Settlement::synthetic(Outcome::Denied(Decider::Policy), text))
                } else {
                    self.examine(&call, out)
                };
                let effect = self.registry.get(&call.name).map_or(SideEffect::Runs, |t| t.effect);
                Pending::new(call, token, effect, state)
            })
            .collect();
        self.advance(now, Dispatching::of(calls), out)
    }

    /// Known and valid? Then the world is looked at, before anything is decided.
    pub(super) fn examine(&mut self, call: &ToolUse, out: &mut Vec<Effect>) -> State {
        if self.registry.get(&call.name).is_none() {
            return State::Over(Settlement::synthetic(Outcome::UnknownTool, self.unknown(&call.name)));
        }
        if let Err(bad) = self.registry.validate_here(&call.name, &call.arguments) {
            return State::Over(invalid(call, &bad.0));
        }
        self.look_at(call, out);
        State::Preparing
    }

    /// Has the world looked at before anything is decided; also at what a sandbox could not hide, where one may be used.
    pub(super) fn look_at(&mut self, call: &ToolUse, out: &mut Vec<Effect>) {
        let sandboxed = self.settings.policy.confines();
        out.push(Effect::Prepare(Invocation { sandboxed, ..self.invocation(call) }));
    }

    fn unknown(&self, name: &str) -> String {
        let known: Vec<&str> = self.registry.tools().iter().map(|t| t.name.as_str()).collect();
        let known = known.join(", ");
        format!("{} The tools are: {known}.", not_there(name, &self.absent))
    }

    /// What is to be run.
    pub(super) fn invocation(&mut self, call: &ToolUse) -> Invocation {
        let max_chars = self.books.meter().limits().bound(Bound::ResultChars);
        let own = self.registry.get(&call.name).and_then(|t| t.timeout_ms);
        Invocation {
            call: call.id,
            key: self.key_of(call.id),
            name: call.name.clone(),
            arguments: call.arguments.clone(),
            timeout_ms: own.unwrap_or(self.settings.tool_timeout_ms),
            max_chars: usize::try_from(max_chars).unwrap_or(usize::MAX),
            sandboxed: false,
        }
    }

    /// The look at a call is back: the policy decides.
    pub(super) fn on_prepared(
        &mut self,
        now: Millis,
        phase: Phase,
        call: CallId,
        found: &Preparation,
        out: &mut Vec<Effect>,
    ) -> Phase {
        let mut dispatching = match phase {
            Phase::Dispatching(dispatching) => dispatching,
            phase @ (Phase::Idle
            | Phase::AwaitingModel(_)
            | Phase::BackingOff(_)
            | Phase::Compacting(_)
            | Phase::Consulting(_)
            | Phase::Discovering(_)) => {
                return phase;
            }
        };
        let is_it = |p: &&mut Pending| {
            let is_looked_at =
                matches!(p.state, State::Preparing | State::Revisiting { is_looked_at: true, .. });
            p.call.id == call && is_looked_at
        };
        let Some(pending) = dispatching.calls.iter_mut().find(is_it) else {
            return Phase::Dispatching(dispatching);
        };
        if let Some(bad) = &found.invalid {
            let over = invalid(&pending.call, bad);
            let was_asked_about = pending.waits_since().is_some();
            pending.state =
                if was_asked_about { self.void(now, pending.call.id, over) } else { State::Over(over) };
            return self.advance(now, dispatching, out);
        }
        if matches!(pending.state, State::Revisiting { .. }) {
            let call = pending.call.clone();
            return self.revisited(now, dispatching, &call, found, out);
        }
        if let Some(hook) = self.ask_hooks(pending, out) {
            pending.state = State::Consulting(hook, found.clone());
            return Phase::Dispatching(dispatching);
        }
        let (call, hooked) = (pending.call.clone(), pending.hooked.clone());
        self.decide_by_policy(now, dispatching, &call, hooked.as_ref(), found, out)
    }

    /// The policy decides, made tighter by what hooks have said.
    pub(super) fn decide_by_policy(
        &mut self,
        now: Millis,
        mut dispatching: Dispatching,
        call: &ToolUse,
        hooked: Option<&PreTool>,
        found: &Preparation,
        out: &mut Vec<Effect>,
    ) -> Phase {
        let Some(tool) = self.registry.get(&call.name) else { return Phase::Dispatching(dispatching) };
        let decided = self.settings.policy.decide(tool, &call.arguments, found);
        let (policy, rule) = (decided.verdict, decided.rule.map(|rule| rule.to_string()));
        let by = match hooked {
            Some(said) if said.verdict == PreVerdict::Deny && !matches!(policy, Verdict::Deny(_)) => {
                Decider::Hook
            }
            Some(_) | None => Decider::Policy,
        };
        let is_for_sandbox = matches!(policy, Verdict::Sandbox(_));
        let verdict = hooked.map_or(policy.clone(), |said| said.tighten(policy));
        let state = match verdict {
            Verdict::Allow(_) if is_question(call) => {
                self.ask_someone(now, call, (WHY.to_owned(), Sandboxing::Without), found, out)
            }
            Verdict::Allow(reason) => State::Ready(Permission::ByPolicy { reason, rule, sandboxed: false }),
            Verdict::Deny(reason) => {
                let rule = rule.filter(|_| by == Decider::Policy);
                self.refuse(now, Decision { rule, ..Decision::denial(call.id, by, reason) })
            }
            Verdict::Sandbox(reason) => match self.why_not_confined(call, found) {
                Some(why) => self.ask_someone(now, call, why, found, out),
                None => State::Ready(Permission::ByPolicy { reason, rule, sandboxed: true }),
            },
            Verdict::Ask(why) => {
                let is_possible = self.settings.policy.can_confine(tool, &call.arguments);
                let sandboxing = match is_possible {
                    // A hook that asks loosens nothing.
                    true if is_for_sandbox => Sandboxing::Within,
                    true => Sandboxing::OnWish,
                    false => Sandboxing::Without,
                };
                self.ask_someone(now, call, (why, sandboxing), found, out)
            }
        };
        let nobody_can = self.settings.attendance == Attendance::Stop && self.books.was_asked(call.id);
        if let Some(pending) = dispatching.calls.iter_mut().find(|p| p.call.id == call.id) {
            pending.state = state;
            pending.looked = Some(found.clone());
        }
        if nobody_can {
            return self.stop(now, Phase::Dispatching(dispatching), CutBy::Approval, out);
        }
        self.advance(now, dispatching, out)
    }

    /// A person decides; where there is none, the answer is no. With the reason comes where the call, once allowed, runs.
    fn ask_someone(
        &mut self,
        now: Millis,
        call: &ToolUse,
        why: (String, Sandboxing),
        found: &Preparation,
        out: &mut Vec<Effect>,
    ) -> State {
        let request = self.request_about(call, why, found);
        let request = self.ask(now, request, out);
        match self.settings.attendance {
            Attendance::Person => State::Waiting(request),
            Attendance::Deny if is_question(call) => {
                self.deny_by_policy(now, call.id, "nobody is here to answer".to_owned())
            }
            Attendance::Deny => self.deny_by_policy(now, call.id, "nobody is here to approve it".to_owned()),
            Attendance::Stop => {
                self.deny_by_policy(now, call.id, "it needs an approval that nobody can give here".to_owned())
            }
        }
    }

    /// Writes that a call waits, and tells hooks.
    pub(super) fn ask(&mut self, now: Millis, request: ApprovalRequest, out: &mut Vec<Effect>) -> EntryId {
        self.fire(Payload::Notification { text: format!("{} waits for a decision", request.name) }, out);
        self.books.ledger.remark(now, Remark::ApprovalRequested(request))
    }

    /// What a person is asked about a call.
    pub(super) fn request_about(
        &mut self,
        call: &ToolUse,
        (why, sandboxing): (String, Sandboxing),
        found: &Preparation,
    ) -> ApprovalRequest {
        let rule = self.offered(call, found).ok().map(|rule| rule.to_string());
        let warning = self.books.unclear().warning(&call.name, &call.arguments);
        let effect = |tool: &ToolSpec| effect_of_call(tool, &call.arguments);
        let risk = self.registry.get(&call.name).map_or(SideEffect::Sends, effect).as_str().to_owned();
        // One effect is said by the risk.
        let all = self.registry.get(&call.name).map(|tool| effects_of_call(tool, &call.arguments));
        let all = all.filter(|all| all.len() > 1).unwrap_or_default();
        let effects = all.into_iter().map(|effect| effect.as_str().to_owned()).collect();
        let names_path = self.registry.get(&call.name).is_some_and(|tool| !tool.paths.is_empty());
        let leads_to = found.leads_to.first().filter(|_| names_path).cloned();
        ApprovalRequest {
            call: call.id,
            name: call.name.clone(),
            arguments: call.arguments.to_value(),
            why,
            risk,
            effects,
            preview: found.preview.clone(),
            warning,
            rule,
            sandboxing,
            leads_to,
            is_partial: found.is_partial,
        }
    }

    pub(super) fn deny_by_policy(&mut self, now: Millis, call: CallId, reason: String) -> State {
        self.refuse(now, Decision::denial(call, Decider::Policy, reason))
    }

    pub(super) fn refuse(&mut self, now: Millis, denial: Decision) -> State {
        let by = denial.by;
        let text = format!("Denied: {}. The call was not started.", denial.reason);
        self.record(now, denial);
        State::Over(Settlement::synthetic(Outcome::Denied(by), text))
    }

    /// A person decides about one call; its siblings are not touched. An answer to a request that is no longer
    /// open is refused.
    pub(super) fn decide(
        &mut self,
        now: Millis,
        phase: Phase,
        request: EntryId,
        call: CallId,
        answer: Answer,
        out: &mut Vec<Effect>,
    ) -> Phase {
        let is_it = |p: &&mut Pending| p.call.id == call && p.waits_since() == Some(request);
        let mut phase = phase;
        if let Phase::Dispatching(dispatching) = &mut phase
            && let Some(pending) = dispatching.calls.iter_mut().find(is_it)
        {
            let Some(answer) = self.unless_early(pending, answer, out) else { return phase };
            match answer {
                answer if is_question(&pending.call) => self.answer_question(now, pending, answer, out),
                Answer::Reply(_) => {
                    out.push(Effect::Emit(Live::Refused("this call is no question".to_owned())));
                }
                Answer::Edit(arguments) => self.edit_call(now, pending, arguments, out),
                Answer::Always(rule) => self.always(now, pending, &rule, out),
                Answer::AllowOnce => self.allow(now, pending, Scope::Once, false),
                Answer::AllowSession => self.allow(now, pending, Scope::Session, false),
                Answer::AllowSandboxed if self.books.sandboxing_of(call) == Sandboxing::Without => {
                    let why = "this call cannot run in the sandbox; it still waits".to_owned();
                    out.push(Effect::Emit(Live::Refused(why)));
                }
                Answer::AllowSandboxed => self.allow(now, pending, Scope::Once, true),
                Answer::Deny(reason) => pending.state = self.denied(now, &pending.call, reason),
            }
            return match phase {
                Phase::Dispatching(dispatching) => self.advance(now, dispatching, out),
                phase @ (Phase::Idle
                | Phase::AwaitingModel(_)
                | Phase::BackingOff(_)
                | Phase::Compacting(_)
                | Phase::Consulting(_)
                | Phase::Discovering(_)) => phase,
            };
        }
        let text = format!("The approval of call {call} is no longer open; the answer was not taken.");
        out.push(Effect::Emit(Live::Refused(text)));
        phase
    }

    fn allow(&mut self, now: Millis, pending: &mut Pending, scope: Scope, in_sandbox: bool) {
        let call = &pending.call;
        let sandboxed = in_sandbox || self.books.sandboxing_of(call.id) == Sandboxing::Within;
        if scope == Scope::Session {
            let found = pending.looked.clone().unwrap_or_default();
            let action = match self.registry.get(&call.name) {
                Some(tool) => grant(tool, &call.arguments, &found),
                None => fingerprint(&call.name, &call.arguments),
            };
            let policy = &mut self.settings.policy;
            let granted = if sandboxed { &mut policy.granted_in_sandbox } else { &mut policy.granted };
            granted.insert(action);
        }
        let denial = Decision::denial(call.id, Decider::User, "");
        pending.receipt = Some(self.receive(now, call, Decision { scope, sandboxed, ..denial }));
        pending.sandboxed = sandboxed;
        pending.state = State::Ready(Permission::Recorded);
    }

    pub(super) fn denied(&mut self, now: Millis, call: &ToolUse, reason: String) -> State {
        let why = if reason.is_empty() { String::new() } else { format!(": {reason}") };
        self.record(now, Decision::denial(call.id, Decider::User, reason));
        let text = if is_question(call) {
            format!("The user did not answer{why}.")
        } else {
            format!("The user denied this call{why}. It was not started; do not repeat it unchanged.")
        };
        State::Over(Settlement::synthetic(Outcome::Denied(Decider::User), text))
    }
}

/// How a call ends whose arguments its tool does not take.
fn invalid(call: &ToolUse, why: &str) -> Settlement {
    let text = format!("The arguments of {} are not valid: {why}. Nothing was run.", call.name);
    Settlement::synthetic(Outcome::Invalid, text)
}
