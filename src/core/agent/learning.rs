//! What refusals and answers teach about a model's sizes: its window, and how its tokens compare with our estimate.

use crate::context::{estimate_tokens, message_tokens};
use crate::ledger::{EntryId, LearnedLimit, Message, Millis, ModelRef, ProviderLimit, Remark};
use crate::model::{FailureClass, ModelFailure, ModelSpec, Request, Sizes};

use super::Agent;

/// A window that nobody stated is never taken to be smaller than this: no model that works with tools has less.
const LEAST_ESTIMATED_WINDOW: u64 = 4_096;
/// Nor one that was stated smaller than this: such a number is a mistake.
const LEAST_WINDOW: u64 = 512;
/// The fewest tokens that are asked for as an answer, however little room a window leaves.
const LEAST_ANSWER: u64 = 256;
/// A provider's count is at most so many times our estimate; more is not believed.
const MOST_SCALE: u64 = 4;

/// What a provider counted where we estimated.
#[derive(Debug, Clone)]
pub(super) struct Scale {
    model: ModelRef,
    counted: u64,
    estimated: u64,
}

impl Agent {
    /// The window of the model that answers now: what is known of it, or less if a refusal showed that.
    pub(super) fn window(&self) -> u64 {
        self.window_of(self.spec())
    }

    pub(super) fn window_of(&self, spec: &ModelSpec) -> u64 {
        self.history.learned_window(&spec.model).map_or(spec.window, |learned| learned.min(spec.window))
    }

    /// Remembers how many tokens a prompt really had.
    pub(super) fn counted(&mut self, model: &ModelRef, counted: u64, estimated: u64) {
        if counted > 0 && estimated > 0 {
            self.models.scale = Some(Scale { model: model.clone(), counted, estimated });
        }
    }

    /// What our estimate comes to in the tokens of the model's provider; never less than the estimate.
    pub(super) fn scaled(&self, model: &ModelRef, estimate: u64) -> u64 {
        let (counted, estimated) = self.ratio(model);
        by_ratio(estimate, counted, estimated)
    }

    /// The reverse of [`Agent::scaled`].
    pub(super) fn unscaled(&self, model: &ModelRef, tokens: u64) -> u64 {
        let (counted, estimated) = self.ratio(model);
        by_ratio(tokens, estimated, counted)
    }

    fn ratio(&self, model: &ModelRef) -> (u64, u64) {
        match &self.models.scale {
            Some(scale) if scale.model == *model && scale.counted > scale.estimated => {
                (scale.counted.min(scale.estimated.saturating_mul(MOST_SCALE)), scale.estimated)
            }
            Some(_) | None => (1, 1),
        }
    }

    /// The size of a request in the provider's tokens, as far as that can be known: our estimate, or what the provider
    /// counted last and what is new since, whichever is more.
    pub(super) fn measure(&mut self, request: &Request) -> u64 {
        let since = request.messages.iter().rev().take_while(|m| !matches!(m, Message::Assistant(_)));
        let new = self.scaled(&request.model, since.map(message_tokens).sum());
        let known = self.history.meter().counted_context();
        self.scaled(&request.model, estimate_tokens(request)).max(known.saturating_add(new))
    }

    /// The most output that may be asked for beside a prompt of `size` tokens, with a margin for what we do not know.
    pub(super) fn room_beside(&self, spec: &ModelSpec, size: u64) -> u64 {
        // Before the provider has counted anything, the estimate may be off by a quarter.
        let is_counted = self.models.scale.as_ref().is_some_and(|scale| scale.model == spec.model);
        let margin = if is_counted { size / 16 } else { size / 4 } + 64;
        self.window_of(spec).saturating_sub(size).saturating_sub(margin).max(LEAST_ANSWER)
    }

    /// A prompt was refused as too long. What the refusal says of the window is learned; if it says nothing, the window
    /// counts as three quarters of what was refused. Written only when the window was thought to be larger.
    pub(super) fn learn_window(
        &mut self,
        now: Millis,
        model: &ModelRef,
        failure: &ModelFailure,
        estimated: u64,
    ) -> bool {
        if failure.class != FailureClass::Overflow {
            return false;
        }
        let Sizes { window, prompt } = *failure.sizes;
        self.counted(model, prompt.unwrap_or_default(), estimated);
        let most = match window {
            Some(stated) => stated.max(LEAST_WINDOW),
            None => (self.scaled(model, estimated) / 4 * 3).max(LEAST_ESTIMATED_WINDOW),
        };
        self.take_window(now, model, most)
    }

    /// The model stopped because its window was full: prompt and answer together are its window.
    pub(super) fn learn_full_window(&mut self, now: Millis) {
        let model = self.spec().model.clone();
        if let Some(usage) = self.history.last_usage().filter(|usage| !usage.estimated && usage.input > 0) {
            self.take_window(now, &model, usage.input.saturating_add(usage.output).max(LEAST_WINDOW));
        }
    }

    fn take_window(&mut self, now: Millis, model: &ModelRef, most: u64) -> bool {
        let assumed = if self.spec().model == *model { self.spec().window } else { u64::MAX };
        let known = self.history.learned_window(model).unwrap_or(u64::MAX).min(assumed);
        let is_news = most < known;
        if is_news {
            self.learn(now, ProviderLimit::Window { model: model.clone(), most });
        }
        is_news
    }

    /// Whether the refused prompt itself fits, and only the output that was asked for beside it did not.
    pub(super) fn less_output_would_do(failure: &ModelFailure, asked: u64) -> bool {
        let Sizes { window: Some(window), prompt: Some(prompt) } = *failure.sizes else { return false };
        let room = window.saturating_sub(prompt);
        failure.class == FailureClass::Overflow && room >= LEAST_ANSWER && asked > room
    }

    /// Writes a lesson down: it holds for every later request.
    pub(super) fn learn(&mut self, now: Millis, lesson: ProviderLimit) {
        let about = self.history.ledger.last_id().unwrap_or(EntryId(0));
        self.history.ledger.remark(now, Remark::ProviderLimit(LearnedLimit { about, lesson }));
    }
}

fn by_ratio(tokens: u64, up: u64, down: u64) -> u64 {
    let scaled = u128::from(tokens) * u128::from(up) / u128::from(down.max(1));
    u64::try_from(scaled).unwrap_or(u64::MAX)
}
