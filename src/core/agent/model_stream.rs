//! While a model speaks.

use crate::context::words;
use crate::hooks::Payload;
use crate::ledger::{
    Decider, EntryId, Hosted, Note, OpenCall, Outcome, Remark, Settlement, Stop, ToolUse, Usage,
};
use crate::model::{Draft, ModelEvent, ModelNews};

use super::phase::{Awaiting, Phase};
use super::step::Step;
use super::{Agent, Effect, Live, Operation};

impl Agent {
    /// News of the current model call.
    pub(super) fn on_model(&mut self, step: &mut Step, mut awaiting: Awaiting, news: ModelNews) -> Phase {
        match news {
            ModelNews::ToolsRefused => {
                self.tools_refused(step, &awaiting.model);
                Phase::AwaitingModel(awaiting)
            }
            ModelNews::Event(event) => {
                if let Some(event) = awaiting.draft.admit(event) {
                    let heard = LiveNews::of(&event);
                    awaiting.draft.take(event);
                    step.extend(heard.tell(awaiting.message, &awaiting.draft).map(Effect::Emit));
                }
                if awaiting.draft.excess().is_some() {
                    // The answer ends here, as one that the provider has cut off; the rest is not listened to.
                    step.cancel(Operation::Model(awaiting.message));
                    return self.on_answer(step, awaiting);
                }
                Phase::AwaitingModel(awaiting)
            }
            ModelNews::Finished => self.on_answer(step, awaiting),
            ModelNews::Failed(failure) => self.on_failure(step, awaiting, failure),
        }
    }

    /// The stream is complete: the message is appended first, then its calls are dispatched. The loop goes on
    /// because a call was seen, whatever the provider's stop reason says.
    fn on_answer(&mut self, step: &mut Step, awaiting: Awaiting) -> Phase {
        let usage = self.priced(awaiting.draft.usage(awaiting.estimated_input));
        if !usage.estimated {
            self.counted(&awaiting.model, usage.input, awaiting.estimated_input);
        }
        self.models.asked_for_less = false;
        let (needs_follow_up, excess) = (awaiting.draft.needs_follow_up(), awaiting.draft.excess());
        let about = awaiting.message;
        let ledger = &mut self.history.ledger;
        let mut message =
            awaiting.draft.complete(awaiting.message, awaiting.model, usage, || ledger.mint_call());
        self.restore_arguments(&mut message);
        let (stop, said) = (message.stop.clone(), message.text());
        let calls: Vec<ToolUse> = message.calls().cloned().collect();
        let tokens: Vec<OpenCall> = match self.history.ledger.assistant(step.now, message) {
            Ok(tokens) => tokens,
            Err(unsettled) => return self.give_up(step, &unsettled),
        };
        if let Some(excess) = excess {
            self.history.ledger.remark(step.now, Remark::Note(Note::plain(about, excess.sentence())));
        }
        self.fire(step, Payload::PostSampling { text: said.clone() });
        if !needs_follow_up {
            return self.on_final_words(step, &stop, &said);
        }
        if self.history.guards().asked {
            self.write_progress(step.now);
        }
        let calls = calls.into_iter().zip(tokens);
        if self.history.guards().is_final {
            return self.refuse_calls(step, calls, &stop, &said);
        }
        self.dispatch(step, calls, stop == Stop::Length)
    }

    /// Calls in the final response are settled as not run; its words count.
    fn refuse_calls(
        &mut self,
        step: &mut Step,
        calls: impl Iterator<Item = (ToolUse, OpenCall)>,
        stop: &Stop,
        said: &str,
    ) -> Phase {
        for (_, token) in calls {
            let refusal = Settlement::synthetic(Outcome::Denied(Decider::Policy), words::NOT_IN_FINAL);
            self.history.ledger.settle(step.now, token, refusal);
        }
        self.on_final_words(step, stop, said)
    }

    /// Usage with its cost, if the price is known.
    pub(super) fn priced(&self, usage: Usage) -> Usage {
        let cost = usage.cost.or_else(|| self.spec().price.map(|price| price.cost(&usage)));
        Usage { cost, ..usage }
    }
}

/// What of an event is worth telling live.
enum LiveNews {
    Text(String),
    Thinking(String),
    Hosted(Hosted),
    Call(u32),
    Nothing,
}

impl LiveNews {
    fn of(event: &ModelEvent) -> Self {
        match event {
            ModelEvent::Text(text) => Self::Text(text.clone()),
            ModelEvent::Thinking(text) => Self::Thinking(text.clone()),
            ModelEvent::Hosted(block) => Self::Hosted(block.clone()),
            ModelEvent::CallStarted { index, .. } | ModelEvent::CallArguments { index, .. } => {
                Self::Call(*index)
            }
            ModelEvent::ThinkingDone { .. }
            | ModelEvent::CallDone { .. }
            | ModelEvent::Usage(_)
            | ModelEvent::Stop(_) => Self::Nothing,
        }
    }

    fn tell(self, message: EntryId, draft: &Draft) -> Option<Live> {
        match self {
            Self::Text(text) => Some(Live::Text { message, text }),
            Self::Thinking(text) => Some(Live::Thinking { message, text }),
            Self::Hosted(block) => Some(Live::Hosted { message, block }),
            Self::Call(index) => draft.call_progress(index).map(|(name, bytes, glimpse)| Live::CallForming {
                message,
                index,
                name: name.to_owned(),
                bytes,
                breaks: glimpse.breaks,
                path: glimpse.path.clone(),
            }),
            Self::Nothing => None,
        }
    }
}
