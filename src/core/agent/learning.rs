//! What refusals and answers teach about a model's sizes: its window, and how its tokens compare with our estimate.

use crate::context::{
    LEAST_ANSWER, LEAST_WINDOW, NoRoom, estimate_tokens, message_tokens, no_room_at_all, no_room_for_message,
    said_tokens, tokens_in_all,
};
use crate::ledger::{EntryId, LearnedLimit, Message, Millis, ModelRef, ProviderLimit, Remark, UserMessage};
use crate::model::{FailureClass, ModelFailure, ModelSpec, Request, Sizes};

use super::Agent;
use super::scale::Scale;

/// A window that nobody stated is never taken to be smaller than this: no model that works with tools has less.
const LEAST_ESTIMATED_WINDOW: u64 = 4_096;
/// A provider's count is at most so many times our estimate; more is not believed.
const MOST_SCALE: u64 = 4;

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

    /// Why a message is not sent to a model, and what to do: it does not fit into its window, or nothing does. What refusals have
    /// taught does not count, and what a provider counted neither: of a doubt the provider has the last word.
    pub(super) fn no_room_for(&self, spec: &ModelSpec, said: &UserMessage) -> Option<NoRoom> {
        let (fixed, said) = (self.fixed_tokens(), said_tokens(said));
        // A guess refuses nothing: the window of a model that nobody knows may be ten times as large.
        let is_known = spec.window >= LEAST_WINDOW && !spec.is_unknown();
        if is_known { no_room_for_message(spec, fixed, said) } else { None }
    }

    /// Why nothing is sent to it.
    pub(super) fn no_room_in(&self, spec: &ModelSpec) -> Option<NoRoom> {
        if spec.window < LEAST_WINDOW { None } else { no_room_at_all(spec, self.fixed_tokens()) }
    }

    /// An estimate of what is in every request, as far as the tools are known yet.
    fn fixed_tokens(&self) -> u64 {
        let refused = self.history.refused_tools();
        let tools = self.tools.registry.shown().iter().filter(|tool| !refused.contains(&tool.name));
        let schema = self.settings.answer_schema.as_ref().map(|schema| schema.shown());
        tokens_in_all(&self.settings.system, tools, schema.as_deref())
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::{Effect, Input, Intent, Live, Settings};
    use crate::ledger::{Body, Ending};
    use crate::tool::{Discovered, SideEffect, ToolKind, ToolSpec};

    /// Instructions of 2,000 tokens, or none, and a window that somebody has stated.
    fn settings(window: u64, system: &str) -> Settings {
        let spec = ModelSpec { window, ..ModelSpec::unknown(ModelRef::parse("near/small")) };
        Settings { system: system.to_owned(), ..Settings::new(spec) }
    }

    fn submit(agent: &mut Agent, text: &str) -> Vec<Effect> {
        agent.step(Millis(1), Input::Intent(Intent::Submit(text.into())))
    }

    fn is_call(effect: &Effect) -> bool {
        matches!(effect, Effect::CallModel(..))
    }

    fn refusal(effects: &[Effect]) -> String {
        let why = effects
            .iter()
            .find_map(|e| if let Effect::Emit(Live::Refused(why)) = e { Some(why.clone()) } else { None });
        why.unwrap_or_default()
    }

    #[test]
    fn a_message_that_does_not_fit_goes_back_to_the_composer_and_nothing_is_sent() {
        let mut agent = Agent::new(settings(4_000, &"x".repeat(8_000)));
        let long = "y".repeat(8_000);
        let back = Effect::Emit(Live::Returned(vec![long.as_str().into()]));
        let effects = submit(&mut agent, &long);
        assert!(effects.contains(&back) && !effects.iter().any(is_call), "{effects:?}");
        let why = refusal(&effects);
        assert!(
            why.contains(": shorten it (about 2,000 tokens; ") && why.contains(" of its 4,000)"),
            "{why}"
        );
        assert!(agent.ledger().entries().is_empty(), "nothing is written");
        assert!(submit(&mut agent, "short").iter().any(is_call));
        assert!(submit(&mut agent, &long).contains(&back), "one that steers goes back, too");
    }

    #[test]
    fn a_window_without_room_for_the_instructions_is_named_before_anything_is_sent() {
        let mut agent = Agent::new(settings(2_000, &"x".repeat(8_000)));
        let effects = submit(&mut agent, "hi");
        let why = refusal(&effects);
        assert!(why.contains("too small") && why.contains("[models.\"near/small\"]"), "{why}");
        assert!(agent.ledger().entries().is_empty() && !effects.iter().any(is_call));
    }

    #[test]
    fn tools_from_elsewhere_that_do_not_fit_end_the_run_before_a_request() {
        let mut agent = Agent::new(Settings { discovers: true, ..settings(2_000, "") });
        submit(&mut agent, "go");
        let tool = ToolSpec {
            name: "mcp__there__send".into(),
            description: "z".repeat(8_000),
            schema: serde_json::json!({}),
            effect: SideEffect::Sends,
            paths: Vec::new(),
            timeout_ms: None,
            kind: ToolKind::Mcp,
            retrieves: false,
        };
        let found = Discovered { tools: vec![tool], ..Discovered::default() };
        let effects = agent.step(Millis(2), Input::Discovered(found));
        assert!(!effects.iter().any(is_call), "{effects:?}");
        let entries = agent.ledger().entries();
        let is_said =
            |body: &Body| matches!(body, Body::Error { message, .. } if message.contains("too small"));
        assert!(entries.iter().any(|entry| is_said(&entry.body)));
        let is_end =
            |body: &Body| matches!(body, Body::TurnEnded(end) if end.reason == Ending::PromptTooLong);
        assert!(entries.iter().any(|entry| is_end(&entry.body)));
    }
}
