//! What a request cost of which no answer was heard: nobody knows. If its process died, the most that it may have cost counts; if it
//! was stopped, or its connection broke, what was sent.

use crate::budget::Limit;
use crate::ledger::{
    AssistantMessage, EntryId, MicroDollars, Millis, ModelRef, Note, Remark, Tombstone, Usage,
    answers_a_compaction,
};
use crate::model::{ModelSpec, Price};

use super::Agent;
use super::switching::last_model;

/// What it means that nothing came of a request.
#[derive(Clone, Copy)]
pub(super) enum Silence {
    /// It was not sent, or refused.
    CostsNothing,
    /// It was sent, and what became of it is not known.
    MayBeBilled,
    /// It was answered, without a word.
    IsTheAnswer,
}

impl Silence {
    pub(super) fn of(may_be_billed: bool) -> Self {
        if may_be_billed { Self::MayBeBilled } else { Self::CostsNothing }
    }
}

impl Agent {
    /// Told before a step: the model call that was asked for and not made yet, since its reason is not on disk. Stopped now, it counts
    /// nothing.
    pub fn has_not_sent(&mut self, call: Option<EntryId>) {
        self.unsent = call;
    }

    pub(super) fn was_sent(&self, call: EntryId) -> bool {
        self.unsent != Some(call)
    }

    /// Counts what was sent with a request of which nothing was heard, as an answer without words. Providers may bill it.
    pub(super) fn count_unheard(&mut self, now: Millis, id: EntryId, model: ModelRef, estimated_input: u64) {
        let input = self.scaled(&model, estimated_input);
        let usage = self.priced(Usage { input, estimated: true, ..Usage::default() });
        self.write_unheard(now, AssistantMessage::unheard(id, model, usage));
        let text = format!(
            "No part of the answer arrived, so the cost of that request is not known. An estimate of its \
             prompt is counted: {input} tokens."
        );
        self.history.ledger.remark(now, Remark::Note(Note::plain(id, text)));
    }

    /// It makes no call, so this opens none; a refusal would mean that one is open already.
    fn write_unheard(&mut self, now: Millis, unheard: AssistantMessage) -> bool {
        self.history.ledger.assistant(now, unheard).is_ok()
    }

    /// Counts it as an answer without words. Were it free, a session that is killed again and again would spend more than it may.
    pub(super) fn count_unanswered(&mut self, now: Millis) {
        let spec = self.asked_before();
        let output_left = self.history.meter().left(Limit::OutputTokens, now);
        let Ok(request) = self.request(output_left) else { return };
        // Tools that come from elsewhere are not known yet. What was last known of the context contains them.
        let measured = self.measure(&request).max(self.history.meter().context_tokens());
        let input = self.within_input(now, measured);
        let most = request.max_output.min(self.room_beside(&spec, input));
        let output = self.most_answered(now, spec.price, input, most);
        let counted = Usage { input, output, estimated: true, ..Usage::default() };
        let cost = spec.price.map(|price| price.cost(&counted));
        let usage = Usage { cost: cost.map(|cost| self.within_cost(now, cost)), ..counted };
        let is_summary = answers_a_compaction(self.history.ledger.entries());
        let id = self.history.ledger.reserve();
        if !self.write_unheard(now, AssistantMessage::unheard(id, spec.model, usage)) {
            return;
        }
        if is_summary {
            let reason = "the compaction was interrupted".to_owned();
            self.history.ledger.remark(now, Remark::Tombstone(Tombstone { target: id, reason }));
        }
        let text = format!(
            "The process ended while the model was answering, so the cost of that request is not known. \
             The most that it may have cost is counted: {input} tokens of the prompt and {output} of the \
             answer."
        );
        self.history.ledger.remark(now, Remark::Note(Note::plain(id, text)));
    }

    /// The most tokens of an answer that the limit of cost paid for.
    fn most_answered(&mut self, now: Millis, price: Option<Price>, input: u64, most: u64) -> u64 {
        if !self.settings.asked_within_limits {
            // No more was asked for than the limit paid for, unless it is another one by now.
            return self.reserve(now, price, input, most).unwrap_or(most);
        }
        let beside = self.affordable(now, price, input, most);
        // A prompt that would not fit was measured otherwise then, or cost less: the answer cost no more than all.
        beside.or_else(|| self.affordable(now, price, 0, most)).unwrap_or(most)
    }

    fn within_input(&mut self, now: Millis, input: u64) -> u64 {
        let left = self.history.meter().left(Limit::InputTokens, now);
        left.filter(|_| self.settings.asked_within_limits).map_or(input, |left| input.min(left))
    }

    fn within_cost(&mut self, now: Millis, cost: MicroDollars) -> MicroDollars {
        let left = self.history.meter().left(Limit::Cost, now).filter(|_| self.settings.asked_within_limits);
        left.map_or(cost, |left| cost.min(MicroDollars(left)))
    }

    /// The model that the dead process had asked; its price is that of the one that goes on, where it is not known any more.
    fn asked_before(&self) -> ModelSpec {
        let by_now = self.spec();
        let Some(asked) = last_model(&self.history.ledger).filter(|_| self.history.fallbacks() == 0) else {
            return by_now.clone();
        };
        let mut known = std::iter::once(by_now).chain(&self.settings.fallback);
        let spec = known.find(|spec| spec.model == asked).unwrap_or(by_now).clone();
        ModelSpec { model: asked, ..spec }
    }
}
