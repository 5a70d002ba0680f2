//! Hooks around tools: before a call is decided they may tighten or change it, after its result they may comment.

use crate::hooks::{HookAnswer, HookId, Payload, combine_pre_tool, combine_told};
use crate::ledger::{Millis, Note, Outcome, Remark, Settlement, ToolUse};

use super::phase::{Dispatching, Pending, Phase, State};
use super::{Agent, Effect};

impl Dispatching {
    /// Whether this run of hooks is waited for here.
    pub(super) fn waits_for(&self, hook: HookId) -> bool {
        self.told.contains(&hook)
            || self.calls.iter().any(|p| matches!(&p.state, State::Consulting(h, _) if *h == hook))
    }
}

impl Agent {
    /// Hooks around a tool have spoken.
    pub(super) fn hooked_tools(
        &mut self,
        now: Millis,
        mut dispatching: Dispatching,
        hook: HookId,
        answers: &[HookAnswer],
        out: &mut Vec<Effect>,
    ) -> Phase {
        if dispatching.told.remove(&hook) {
            let said = combine_told(answers);
            self.asides.extend(said.injects);
            dispatching.prevented = dispatching.prevented.or(said.prevent);
            return self.advance(now, dispatching, out);
        }
        let said = combine_pre_tool(answers);
        self.asides.extend(said.injects.clone());
        dispatching.prevented = dispatching.prevented.or_else(|| said.prevent.clone());
        let is_it = |p: &&mut Pending| matches!(&p.state, State::Consulting(h, _) if *h == hook);
        if let Some(pending) = dispatching.calls.iter_mut().find(is_it) {
            for text in &said.notes {
                self.books.ledger.remark(now, Remark::Note(Note::plain(pending.call.id, text)));
            }
            match said.updated_input.clone() {
                Some(arguments) => {
                    let changed = ToolUse { arguments, ..pending.call.clone() };
                    pending.state = self.change_call(now, &changed, out);
                    pending.call = changed;
                    pending.hooked = Some(said);
                }
                None => {
                    let State::Consulting(_, found) = std::mem::replace(&mut pending.state, State::Preparing)
                    else {
                        return Phase::Dispatching(dispatching);
                    };
                    pending.hooked = Some(said);
                    let (call, hooked) = (pending.call.clone(), pending.hooked.clone());
                    return self.decide_by_policy(now, dispatching, &call, hooked.as_ref(), &found, out);
                }
            }
        }
        self.advance(now, dispatching, out)
    }

    /// Changed arguments are validated and looked at anew; the model is told what was changed.
    fn change_call(&mut self, now: Millis, changed: &ToolUse, out: &mut Vec<Effect>) -> State {
        let text = format!(
            "A hook changed the arguments of the call of {} to {}",
            changed.name,
            changed.arguments.canonical()
        );
        self.books.ledger.remark(now, Remark::Note(Note::of_hook(changed.id, &text)));
        self.asides.push(text);
        if let Err(bad) = self.registry.validate_here(&changed.name, &changed.arguments) {
            let text =
                format!("A hook changed the arguments, and they are not valid: {bad}. Nothing was run.");
            return State::Over(Settlement::synthetic(Outcome::Invalid, text));
        }
        self.look_at(changed, out);
        State::Preparing
    }

    /// Asks the hooks about a call, once; `None` when none listens or they have spoken.
    pub(super) fn ask_hooks(&mut self, pending: &Pending, out: &mut Vec<Effect>) -> Option<HookId> {
        if pending.hooked.is_some() {
            return None;
        }
        let call = &pending.call;
        let payload = Payload::PreTool {
            call: call.id,
            tool_name: call.name.clone(),
            tool_input: call.arguments.clone(),
        };
        self.run_hooks(payload, out)
    }

    /// Tells the hooks that a tool has run; the next turn waits for what they say.
    pub(super) fn tell_result(
        &mut self,
        call: &ToolUse,
        ending: &Settlement,
        out: &mut Vec<Effect>,
    ) -> Option<HookId> {
        let payload = Payload::PostTool {
            call: call.id,
            tool_name: call.name.clone(),
            tool_input: call.arguments.clone(),
            tool_result: ending.content.clone(),
            is_error: ending.outcome.is_error(),
        };
        self.run_hooks(payload, out)
    }
}
