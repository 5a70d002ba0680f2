//! The answer as it grows: folds events into one assistant message and knows whether a call was seen.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::ledger::{
    Arguments, AssistantMessage, Block, CallId, EntryId, Hosted, ModelRef, Stop, Thinking, ToolUse, Usage,
};

use super::bounds::{AnswerBounds, Excess, Room};
use super::{Glimpse, ModelEvent};

/// An answer in the making.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Draft {
    parts: Vec<DraftPart>,
    usage: Usage,
    stop: Option<Stop>,
    /// Bytes of text, thinking and arguments so far: the estimate when no usage arrives.
    written: u64,
    room: Room,
}

#[derive(Debug, Clone, PartialEq)]
enum DraftPart {
    Text(String),
    Thinking { text: String, replay: Option<Value>, done: bool },
    Call { index: u32, wire_id: String, name: String, arguments: String, glimpse: Glimpse, done: bool },
    Hosted(Hosted),
}

/// A call whose arguments never finished: kept as a note, never run, never replayed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnfinishedCall {
    /// Name of the tool.
    pub name: String,
    /// Argument text so far.
    pub arguments: String,
    /// The provider ran it itself, and had not brought its result.
    pub is_hosted: bool,
}

impl Draft {
    /// An answer that may become this large.
    pub fn within(bounds: AnswerBounds) -> Self {
        Self { room: Room::new(bounds), ..Self::default() }
    }

    /// The same, for which a budget has so many tokens left, if one has an end. Servers may send more than they were asked for.
    #[must_use]
    pub fn paid(self, tokens: Option<u64>) -> Self {
        Self { room: self.room.left(tokens), ..self }
    }

    /// Takes in one event, if the answer has room for it. Events of a block that is over, or of a call that never began,
    /// change nothing.
    pub fn push(&mut self, event: ModelEvent) {
        if let Some(event) = self.admit(event) {
            self.take(event);
        }
    }

    /// An event that the answer has room for, to be [taken](Self::take).
    pub fn admit(&mut self, event: ModelEvent) -> Option<ModelEvent> {
        self.room.admit(event, self.parts.len())
    }

    /// Takes in what was admitted.
    pub fn take(&mut self, event: ModelEvent) {
        match event {
            ModelEvent::Text(text) => self.text(&text),
            ModelEvent::Thinking(text) => self.thinking(&text),
            ModelEvent::ThinkingDone { replay } => self.thinking_done(replay),
            ModelEvent::CallStarted { index, wire_id, name } => {
                self.parts.push(DraftPart::Call {
                    index,
                    wire_id,
                    name,
                    arguments: String::new(),
                    glimpse: Glimpse::default(),
                    done: false,
                });
            }
            ModelEvent::CallArguments { index, text } => {
                self.written += text.len() as u64;
                if let Some(DraftPart::Call { arguments, glimpse, .. }) = self.call_mut(index) {
                    arguments.push_str(&text);
                    glimpse.take(&text, arguments);
                }
            }
            ModelEvent::CallDone { index } => {
                if let Some(DraftPart::Call { done, .. }) = self.call_mut(index) {
                    *done = true;
                }
            }
            ModelEvent::Hosted(block) => self.parts.push(DraftPart::Hosted(block)),
            ModelEvent::Usage(usage) => self.usage = usage,
            ModelEvent::Stop(stop) => self.stop = Some(stop),
        }
    }

    /// What the answer had too much of: it is over then, cut off, whatever else comes.
    pub fn excess(&self) -> Option<Excess> {
        self.room.excess()
    }

    /// Whether a tool call was seen: the one thing that decides whether the loop goes on. The
    /// provider's stop reason does not.
    pub fn needs_follow_up(&self) -> bool {
        self.parts.iter().any(|p| matches!(p, DraftPart::Call { .. }))
    }

    /// Whether nothing at all was said or counted.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty() && self.usage == Usage::default()
    }

    /// What the provider counted; an estimate of the prompt and the output (4 bytes a token) when it said nothing.
    pub fn usage(&self, estimated_input: u64) -> Usage {
        let written = self.estimated_output();
        if self.excess().is_some() {
            // What the provider counted before it was cut short is not all.
            let input =
                self.usage.input.max(if self.usage == Usage::default() { estimated_input } else { 0 });
            return Usage { input, output: self.usage.output.max(written), estimated: true, ..self.usage };
        }
        if self.usage == Usage::default() {
            return Usage { input: estimated_input, output: written, estimated: true, ..Usage::default() };
        }
        self.usage
    }

    /// The same for an answer that was cut short, or is not kept: what the provider had counted until then is not all.
    /// Anthropic counts one token when an answer begins, and the rest when it ends.
    pub fn usage_when_cut(&self, estimated_input: u64) -> Usage {
        let usage = self.usage(estimated_input);
        let written = self.estimated_output();
        if self.parts.is_empty() && written == 0 {
            return usage;
        }
        Usage { output: usage.output.max(written), estimated: true, ..usage }
    }

    /// Tokens of all that came, at 4 bytes a token.
    fn estimated_output(&self) -> u64 {
        (self.written + self.room.refused()).div_ceil(4)
    }

    /// The message of a stream that ended as it must: every block counts.
    pub fn complete(
        self,
        id: EntryId,
        model: ModelRef,
        usage: Usage,
        mut mint: impl FnMut() -> CallId,
    ) -> AssistantMessage {
        let saw_call = self.needs_follow_up();
        let said = if self.excess().is_some() { Some(Stop::Length) } else { self.stop };
        let stop = said.unwrap_or(if saw_call { Stop::ToolUse } else { Stop::Other("none".to_owned()) });
        let blocks = self.parts.into_iter().map(|part| part.into_block(&mut mint)).collect();
        AssistantMessage { id, model, blocks, stop, usage, interrupted: false }
    }

    /// What Esc leaves of a stream: text, finished thinking and finished calls. Unfinished thinking is left out;
    /// unfinished calls come back beside the message, the provider's own without a result among them.
    pub fn interrupt(
        self,
        id: EntryId,
        model: ModelRef,
        usage: Usage,
        mut mint: impl FnMut() -> CallId,
    ) -> (AssistantMessage, Vec<UnfinishedCall>) {
        let finished: Vec<bool> = (0..self.parts.len()).map(|at| self.is_finished_call(at)).collect();
        let answered = self.answered();
        let is_unanswered = |block: &Hosted| block.is_call() && !answered.contains(&block.id);
        let mut blocks = Vec::new();
        let mut unfinished = Vec::new();
        for (part, finished) in self.parts.into_iter().zip(finished) {
            match part {
                DraftPart::Thinking { done: false, .. } => {}
                DraftPart::Call { name, arguments, .. } if !finished => {
                    unfinished.push(UnfinishedCall { name, arguments, is_hosted: false });
                }
                DraftPart::Hosted(call) if is_unanswered(&call) => unfinished.push(UnfinishedCall {
                    arguments: call.value.get("input").map(Value::to_string).unwrap_or_default(),
                    name: call.name,
                    is_hosted: true,
                }),
                part => blocks.push(part.into_block(&mut mint)),
            }
        }
        let message =
            AssistantMessage { id, model, blocks, stop: Stop::Interrupted, usage, interrupted: true };
        (message, unfinished)
    }

    /// What is kept of a stream that failed: its words alone. All calls come back beside the message, never made.
    pub fn abandon(
        self,
        id: EntryId,
        model: ModelRef,
        usage: Usage,
    ) -> (AssistantMessage, Vec<UnfinishedCall>) {
        let mut blocks = Vec::new();
        let mut calls = Vec::new();
        for part in self.parts {
            match part {
                DraftPart::Text(text) => blocks.push(Block::Text(text.into())),
                DraftPart::Thinking { text, replay, .. } => {
                    blocks.push(Block::Thinking(Thinking { text, replay }))
                }
                DraftPart::Call { name, arguments, .. } => {
                    calls.push(UnfinishedCall { name, arguments, is_hosted: false });
                }
                DraftPart::Hosted(block) => blocks.push(Block::Hosted(block)),
            }
        }
        let message =
            AssistantMessage { id, model, blocks, stop: Stop::Interrupted, usage, interrupted: true };
        (message, calls)
    }

    /// Name of a call in the making, bytes of argument text so far, and what can be told of them.
    pub fn call_progress(&self, wanted: u32) -> Option<(&str, u64, &Glimpse)> {
        self.parts.iter().rev().find_map(|part| match part {
            DraftPart::Call { index, name, arguments, glimpse, .. } if *index == wanted => {
                Some((name.as_str(), arguments.len() as u64, glimpse))
            }
            DraftPart::Call { .. }
            | DraftPart::Text(_)
            | DraftPart::Thinking { .. }
            | DraftPart::Hosted(_) => None,
        })
    }

    fn is_finished_call(&self, at: usize) -> bool {
        let is_last = at + 1 == self.parts.len();
        match self.parts.get(at) {
            Some(DraftPart::Call { arguments, done, .. }) => {
                *done
                    || !is_last
                    || (!arguments.trim().is_empty()
                        && matches!(Arguments::parse(arguments), Arguments::Object(_)))
            }
            Some(DraftPart::Text(_) | DraftPart::Thinking { .. } | DraftPart::Hosted(_)) | None => false,
        }
    }

    /// Ids of the provider's own calls that have their result.
    fn answered(&self) -> BTreeSet<String> {
        let results = self.parts.iter().filter_map(|part| match part {
            DraftPart::Hosted(block) if block.is_result() => Some(block.id.clone()),
            DraftPart::Hosted(_)
            | DraftPart::Text(_)
            | DraftPart::Thinking { .. }
            | DraftPart::Call { .. } => None,
        });
        results.collect()
    }

    fn text(&mut self, more: &str) {
        self.written += more.len() as u64;
        if let Some(DraftPart::Text(text)) = self.parts.last_mut() {
            text.push_str(more);
        } else if !more.is_empty() {
            self.parts.push(DraftPart::Text(more.to_owned()));
        }
    }

    fn thinking(&mut self, more: &str) {
        self.written += more.len() as u64;
        if let Some(DraftPart::Thinking { text, done: false, .. }) = self.parts.last_mut() {
            text.push_str(more);
        } else {
            self.parts.push(DraftPart::Thinking { text: more.to_owned(), replay: None, done: false });
        }
    }

    fn thinking_done(&mut self, block: Option<Value>) {
        if let Some(DraftPart::Thinking { replay, done: done @ false, .. }) = self.parts.last_mut() {
            *replay = block;
            *done = true;
        } else {
            self.parts.push(DraftPart::Thinking { text: String::new(), replay: block, done: true });
        }
    }

    fn call_mut(&mut self, wanted: u32) -> Option<&mut DraftPart> {
        self.parts.iter_mut().rev().find(|p| matches!(p, DraftPart::Call { index, .. } if *index == wanted))
    }
}

impl DraftPart {
    fn into_block(self, mint: &mut impl FnMut() -> CallId) -> Block {
        match self {
            Self::Text(text) => Block::Text(text.into()),
            Self::Hosted(block) => Block::Hosted(block),
            Self::Thinking { text, replay, .. } => Block::Thinking(Thinking { text, replay }),
            Self::Call { wire_id, name, arguments, .. } => {
                Block::ToolUse(ToolUse { id: mint(), wire_id, name, arguments: Arguments::parse(&arguments) })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_cut_before_it_was_counted_is_estimated_and_marked() {
        let mut draft = Draft::default();
        let prompt = Usage { input: 100, estimated: true, ..Usage::default() };
        assert_eq!(draft.usage(100), prompt, "an answer without words was asked for, too");
        draft.push(ModelEvent::Text("x".repeat(40)));
        let estimate = draft.usage(100);
        assert_eq!((estimate.input, estimate.output, estimate.estimated), (100, 10, true));
        let counted = Usage { input: 7, output: 3, ..Usage::default() };
        draft.push(ModelEvent::Usage(counted));
        assert_eq!(draft.usage(100), counted, "what the provider counted stands");
    }

    #[test]
    fn what_was_cut_after_its_first_count_has_at_least_what_came() {
        let begun = Usage { input: 7, output: 1, ..Usage::default() };
        let mut draft = Draft::default();
        draft.push(ModelEvent::Usage(begun));
        assert_eq!(draft.usage_when_cut(100), begun, "nothing came that could be estimated");
        draft.push(ModelEvent::Text("x".repeat(40_000)));
        let cut = Usage { output: 10_000, estimated: true, ..begun };
        assert_eq!(draft.usage_when_cut(100), cut);
        let ended = Usage { output: 12_000, ..begun };
        draft.push(ModelEvent::Usage(ended));
        assert_eq!(draft.usage_when_cut(100), Usage { estimated: true, ..ended }, "a larger count stands");
        assert_eq!(draft.usage(100), ended);
    }
}
