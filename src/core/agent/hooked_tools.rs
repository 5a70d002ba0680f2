//! Hooks around tools: before a call is decided they may tighten or change it, after its result they may comment.

use crate::hooks::{HookAnswer, HookId, Payload, combine_pre_tool, combine_told};
use crate::ledger::{Note, Outcome, Remark, Settlement, ToolUse};

use super::Agent;
use super::phase::{CallState, Dispatching, Pending, Phase};
use super::step::Step;

impl Dispatching {
    /// Whether this run of hooks is waited for here.
    pub(super) fn waits_for(&self, hook: HookId) -> bool {
        self.told.contains(&hook)
            || self.calls.iter().any(|p| matches!(&p.state, CallState::Consulting(h, _) if *h == hook))
    }
}

impl Agent {
    /// Hooks around a tool have spoken.
    pub(super) fn hooked_tools(
        &mut self,
        step: &mut Step,
        mut dispatching: Dispatching,
        hook: HookId,
        answers: &[HookAnswer],
    ) -> Phase {
        if dispatching.told.remove(&hook) {
            let said = combine_told(answers);
            self.inbox.from_hooks.extend(said.injects);
            dispatching.prevented = dispatching.prevented.or(said.prevent);
            return self.advance(step, dispatching);
        }
        let said = combine_pre_tool(answers);
        let said = if self.history.guards().is_validating() { said.unchanging() } else { said };
        self.inbox.from_hooks.extend(said.injects.clone());
        dispatching.prevented = dispatching.prevented.or_else(|| said.prevent.clone());
        let asked = dispatching.calls.iter_mut().find_map(|pending| {
            let CallState::Consulting(by, found) = &pending.state else { return None };
            (*by == hook).then(|| found.clone()).map(|found| (pending, found))
        });
        if let Some((pending, found)) = asked {
            for text in &said.notes {
                self.history.ledger.remark(step.now, Remark::Note(Note::plain(pending.call.id, text)));
            }
            match said.updated_input.clone() {
                Some(arguments) => {
                    let changed = ToolUse { arguments, ..pending.call.clone() };
                    pending.state = self.change_call(step, &changed);
                    pending.call = changed;
                    pending.hooked = Some(said);
                }
                None => {
                    pending.state = CallState::Preparing;
                    pending.hooked = Some(said);
                    let (call, hooked) = (pending.call.clone(), pending.hooked.clone());
                    return self.decide_by_policy(step, dispatching, &call, hooked.as_ref(), &found);
                }
            }
        }
        self.advance(step, dispatching)
    }

    /// Changed arguments are validated and looked at anew; the model is told what was changed.
    fn change_call(&mut self, step: &mut Step, changed: &ToolUse) -> CallState {
        let text = format!(
            "A hook changed the arguments of the call of {} to {}",
            changed.name,
            changed.arguments.canonical()
        );
        self.history
            .ledger
            .remark(step.now, Remark::Note(Note::of_hook(changed.id, changed.arguments.to_value(), &text)));
        self.inbox.from_hooks.push(text);
        if let Err(bad) = self.tools.registry.validate_here(&changed.name, &changed.arguments) {
            let text =
                format!("A hook changed the arguments, and they are not valid: {bad}. Nothing was run.");
            return CallState::Over(Settlement::synthetic(Outcome::Invalid, text));
        }
        self.look_at(step, changed);
        CallState::Preparing
    }

    /// Asks the hooks about a call, once; `None` when none listens or they have spoken.
    pub(super) fn ask_hooks(&mut self, step: &mut Step, pending: &Pending) -> Option<HookId> {
        if pending.hooked.is_some() {
            return None;
        }
        let call = &pending.call;
        let payload = Payload::PreTool {
            call: Some(call.id),
            tool_name: call.name.clone(),
            tool_input: call.arguments.clone(),
        };
        self.run_hooks(step, payload)
    }

    /// Tells the hooks that a tool has run; the next turn waits for what they say.
    pub(super) fn tell_result(
        &mut self,
        step: &mut Step,
        call: &ToolUse,
        ending: &Settlement,
    ) -> Option<HookId> {
        let payload = Payload::PostTool {
            call: call.id,
            tool_name: call.name.clone(),
            tool_input: call.arguments.clone(),
            tool_result: ending.content.clone(),
            is_error: ending.outcome.is_error(),
        };
        self.run_hooks(step, payload)
    }
}
