//! What a request cost whose process died before its answer: nobody knows, so the most that it may have cost counts.

use crate::budget::Limit;
use crate::ledger::{AssistantMessage, Millis, Note, Remark, Stop, Tombstone, Usage, answers_a_compaction};
use crate::model::ModelSpec;

use super::Agent;
use super::switching::last_model;

impl Agent {
    /// Counts it as an answer without words. Were it free, a session that is killed again and again would spend more than it may.
    pub(super) fn count_unanswered(&mut self, now: Millis) {
        let spec = self.asked_before();
        let output_left = self.history.meter().left(Limit::OutputTokens, now);
        let Ok(request) = self.request(output_left) else { return };
        let input = self.measure(&request);
        let most = request.max_output.min(self.room_beside(&spec, input));
        // No more was asked for than the limit paid for, unless it is another one by now.
        let output = self.reserve(now, spec.price, input, most).unwrap_or(most);
        let counted = Usage { input, output, estimated: true, ..Usage::default() };
        let usage = Usage { cost: spec.price.map(|price| price.cost(&counted)), ..counted };
        let is_summary = answers_a_compaction(self.history.ledger.entries());
        let id = self.history.ledger.reserve();
        let (model, stop) = (spec.model, Stop::Interrupted);
        let unheard = AssistantMessage { id, model, blocks: Vec::new(), stop, usage, interrupted: true };
        // It makes no call, so this opens none; a refusal would mean that one is open already.
        let Ok(_no_tokens) = self.history.ledger.assistant(now, unheard) else { return };
        if is_summary {
            let reason = "the compaction was interrupted".to_owned();
            self.history.ledger.remark(now, Remark::Tombstone(Tombstone { target: id, reason }));
        }
        let text = format!(
            "The process ended while the model was answering. What that request cost is not known. The most that it may have cost is \
             counted: {input} tokens of the prompt and {output} of the answer."
        );
        self.history.ledger.remark(now, Remark::Note(Note::plain(id, text)));
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
