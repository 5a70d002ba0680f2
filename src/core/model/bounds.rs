//! How large one answer may become: a model, or whoever answers in its place, can write without an end.

use serde_json::Value;

use super::ModelEvent;

/// Bytes that a part of an answer counts beside what it says, so that parts without words are bounded too.
const PER_PART: u64 = 256;

/// More bytes than a token has on average in any text that is meant to be read: about four in English, and up to eight in scripts of India, of
/// which a letter has three bytes and a token of today's tokenizers several letters.
const BYTES_OF_A_TOKEN: u64 = 12;
/// Bytes beyond that: what is left may be a handful of tokens.
const SLACK: u64 = 2 * 1024;

/// Bytes that may be kept without an event in any case.
const HELD_SLACK: u64 = 16 << 20;

/// The most that one answer may have (`[loop] max_answer_bytes`, `max_argument_bytes`, `max_calls_per_answer`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnswerBounds {
    /// Bytes of text, of thinking, and of what the provider ran itself, together.
    pub bytes: u64,
    /// Bytes of the arguments of all calls together.
    pub argument_bytes: u64,
    /// Calls.
    pub calls: u64,
}

impl AnswerBounds {
    /// Bytes of what may be kept of an answer before an event says it: so much more than the answer may have that the parts of one
    /// that is not too large always fit.
    pub(crate) fn held(self) -> u64 {
        self.bytes.saturating_add(self.argument_bytes).saturating_mul(4).saturating_add(HELD_SLACK)
    }
}

impl Default for AnswerBounds {
    /// What no model writes that answers a question: the largest answers of today's models have less than a megabyte.
    fn default() -> Self {
        Self { bytes: 8 << 20, argument_bytes: 4 << 20, calls: 128 }
    }
}

/// What an answer had too much of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Excess {
    /// More than so many bytes of words.
    Words(u64),
    /// More than so many bytes of arguments.
    Arguments(u64),
    /// More than so many calls.
    Calls(u64),
    /// More than so many tokens, which were all that a budget had left.
    Tokens(u64),
}

impl Excess {
    /// What happened to the answer, and which key says how much it may have.
    pub fn sentence(self) -> String {
        let (what, key) = match self {
            Self::Tokens(left) => {
                return format!(
                    "The answer was cut off: it went beyond the {left} tokens that the budget had left and \
                     the request had asked for. The rest was not read; what had arrived counts."
                );
            }
            Self::Words(most) => (format!("{most} bytes of text and thinking"), "max_answer_bytes"),
            Self::Arguments(most) => (format!("{most} bytes of arguments"), "max_argument_bytes"),
            Self::Calls(most) => (format!("{most} calls"), "max_calls_per_answer"),
        };
        format!("The answer was cut off after {what} (loop.{key}); the rest was not read.")
    }
}

/// The room that an answer has, as it is used up.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Room {
    bounds: AnswerBounds,
    words: u64,
    /// Of them thinking whose block is not whole yet: the provider's own block says it once more.
    unsealed: u64,
    arguments: u64,
    calls: u64,
    /// Tokens that a budget has left, if one has an end.
    tokens: Option<u64>,
    /// Bytes of the piece that had no room: they came, whether or not they are read.
    refused: u64,
    /// What there was too much of: nothing more is taken in then, but for what the provider counted.
    excess: Option<Excess>,
}

impl Room {
    pub(super) fn new(bounds: AnswerBounds) -> Self {
        Self { bounds, ..Self::default() }
    }

    /// The room of an answer for which a budget has so many tokens left.
    pub(super) fn left(self, tokens: Option<u64>) -> Self {
        Self { tokens, ..self }
    }

    /// Whether so many bytes more are more than the budget paid for. Whoever does what it is asked has ended by then.
    fn is_unpaid(&self, added: u64) -> Option<Excess> {
        let tokens = self.tokens?;
        let most = tokens.saturating_mul(BYTES_OF_A_TOKEN).saturating_add(SLACK);
        (self.words + self.arguments + added > most).then_some(Excess::Tokens(tokens))
    }

    /// Bytes that came and were not taken in.
    pub(super) fn refused(&self) -> u64 {
        self.refused
    }

    pub(super) fn excess(&self) -> Option<Excess> {
        self.excess
    }

    /// An event that an answer of so many parts has room for.
    pub(super) fn admit(&mut self, event: ModelEvent, parts: usize) -> Option<ModelEvent> {
        if self.excess.is_some() && !matches!(event, ModelEvent::Usage(_)) {
            return None;
        }
        let used = self.words + parts as u64 * PER_PART;
        let AnswerBounds { bytes, argument_bytes, calls } = self.bounds;
        match event {
            // What does not fit is left out whole: what was told while it came is then what the message says.
            ModelEvent::Text(ref text) | ModelEvent::Thinking(ref text) => {
                let added = text.len() as u64;
                let is_large = (used + added > bytes).then_some(Excess::Words(bytes));
                self.excess = is_large.or_else(|| self.is_unpaid(added));
                if self.excess.is_some() {
                    self.refused = added;
                    return None;
                }
                self.words += added;
                self.unsealed += if matches!(event, ModelEvent::Thinking(_)) { added } else { 0 };
                Some(event)
            }
            ModelEvent::CallArguments { ref text, .. } => {
                let added = text.len() as u64;
                let all = self.arguments + added;
                let is_large = (all > argument_bytes).then_some(Excess::Arguments(argument_bytes));
                self.excess = is_large.or_else(|| self.is_unpaid(added));
                if self.excess.is_some() {
                    self.refused = added;
                    return None;
                }
                self.arguments += added;
                Some(event)
            }
            ModelEvent::CallStarted { ref wire_id, ref name, .. } => {
                self.arguments += (wire_id.len() + name.len()) as u64;
                self.calls += 1;
                if self.calls > calls {
                    self.excess = Some(Excess::Calls(calls));
                } else if self.arguments > argument_bytes {
                    self.excess = Some(Excess::Arguments(argument_bytes));
                }
                self.excess.is_none().then_some(event)
            }
            ModelEvent::Hosted(_) | ModelEvent::ThinkingDone { .. } => {
                let own = match &event {
                    ModelEvent::Hosted(block) => weight(&block.value),
                    ModelEvent::ThinkingDone { replay: Some(replay) } => {
                        weight(replay).saturating_sub(std::mem::take(&mut self.unsealed))
                    }
                    _ => 0,
                };
                self.words += own;
                if used + own > bytes {
                    self.excess = Some(Excess::Words(bytes));
                }
                self.excess.is_none().then_some(event)
            }
            ModelEvent::CallDone { .. } | ModelEvent::Usage(_) | ModelEvent::Stop(_) => Some(event),
        }
    }
}

/// Bytes that a value holds, about.
pub(crate) fn weight(value: &Value) -> u64 {
    match value {
        Value::String(text) => text.len() as u64,
        Value::Array(items) => items.iter().map(|item| 32 + weight(item)).sum(),
        Value::Object(members) => {
            members.iter().map(|(name, member)| 64 + name.len() as u64 + weight(member)).sum()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::{AssistantMessage, CallId, EntryId, ModelRef, Stop, Usage};
    use crate::model::Draft;

    fn small() -> Draft {
        Draft::within(AnswerBounds { bytes: 1_000, argument_bytes: 100, calls: 2 })
    }

    fn complete(draft: Draft) -> AssistantMessage {
        let mut next = 0;
        draft.complete(EntryId(1), ModelRef::parse("m"), Usage::default(), || {
            next += 1;
            CallId(next)
        })
    }

    fn call(index: u32) -> ModelEvent {
        ModelEvent::CallStarted { index, wire_id: "w".into(), name: "n".into() }
    }

    #[test]
    fn words_without_an_end_are_cut_off_and_the_message_is_well_formed() {
        for (event, is_text) in [
            (ModelEvent::Text as fn(String) -> ModelEvent, true),
            (ModelEvent::Thinking as fn(String) -> ModelEvent, false),
        ] {
            let mut draft = small();
            for _ in 0..100 {
                draft.push(event("ü".repeat(8)));
            }
            assert_eq!(draft.excess(), Some(Excess::Words(1_000)));
            let message = complete(draft);
            assert_eq!(message.stop, Stop::Length);
            let said = if is_text { message.text() } else { message.thinking() };
            assert!((700..=1_000).contains(&said.len()) && said.chars().all(|c| c == 'ü'), "{}", said.len());
        }
        // Words that change their kind with each piece: the parts count.
        let mut draft = small();
        for _ in 0..1_000 {
            draft.push(ModelEvent::Text("a".into()));
            draft.push(ModelEvent::Thinking("b".into()));
        }
        assert!(draft.excess().is_some() && complete(draft).blocks.len() < 8);
    }

    #[test]
    fn arguments_calls_and_blocks_of_the_provider_are_bounded() {
        let mut draft = small();
        draft.push(call(0));
        draft.push(ModelEvent::CallArguments { index: 0, text: "x".repeat(60) });
        draft.push(call(1));
        draft.push(ModelEvent::CallArguments { index: 1, text: "y".repeat(60) });
        draft.push(ModelEvent::CallArguments { index: 1, text: "late".into() });
        draft.push(ModelEvent::Usage(Usage { input: 7, ..Usage::default() }));
        assert_eq!(draft.excess(), Some(Excess::Arguments(100)));
        assert_eq!(draft.usage(0).input, 7, "what was counted still counts");
        let message = complete(draft);
        let lengths: usize =
            message.calls().map(|c| c.arguments.to_value().as_str().map_or(0, str::len)).sum();
        assert_eq!((message.stop.clone(), lengths), (Stop::Length, 60));

        let mut draft = small();
        (0..3).for_each(|index| draft.push(call(index)));
        assert_eq!(draft.excess(), Some(Excess::Calls(2)));
        assert_eq!(complete(draft).calls().count(), 2);

        let mut draft = small();
        draft.push(ModelEvent::ThinkingDone { replay: Some(Value::String("sealed".repeat(500))) });
        assert_eq!(draft.excess(), Some(Excess::Words(1_000)));
        assert!(complete(draft).blocks.is_empty());
        let mut draft = small();
        draft.push(ModelEvent::Thinking("t".repeat(400)));
        draft.push(ModelEvent::ThinkingDone { replay: Some(Value::String("t".repeat(400))) });
        assert_eq!(draft.excess(), None, "what is said once more is not counted twice");
    }

    #[test]
    fn an_answer_ends_when_it_is_longer_than_the_budget_paid_for() {
        let most = usize::try_from(100 * BYTES_OF_A_TOKEN + SLACK).unwrap();
        for is_call in [false, true] {
            let mut draft = Draft::within(AnswerBounds::default()).paid(Some(100));
            draft.push(call(0));
            let piece = |text: String| match is_call {
                true => ModelEvent::CallArguments { index: 0, text },
                false => ModelEvent::Text(text),
            };
            draft.push(piece("x".repeat(most - 2)));
            assert_eq!(draft.excess(), None, "what may be honest is read");
            draft.push(piece("xx".to_owned()));
            assert_eq!(draft.excess(), Some(Excess::Tokens(100)));
            assert_eq!(draft.usage(0).output, (most as u64).div_ceil(4), "all of it came");
            assert_eq!(complete(draft).stop, Stop::Length);
        }
        let mut free = Draft::within(AnswerBounds::default()).paid(None);
        free.push(ModelEvent::Text("x".repeat(most * 2)));
        let mut rich = Draft::within(AnswerBounds::default()).paid(Some(u64::MAX));
        rich.push(ModelEvent::Text("x".repeat(most * 2)));
        assert_eq!((free.excess(), rich.excess()), (None, None));
    }

    #[test]
    fn an_answer_that_is_full_and_no_more_is_whole() {
        let mut draft = small();
        draft.push(ModelEvent::Text("x".repeat(1_000)));
        draft.push(ModelEvent::Stop(Stop::End));
        assert_eq!((draft.excess(), complete(draft).stop), (None, Stop::End));
    }
}
