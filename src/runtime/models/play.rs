//! Playing one scripted answer: which news comes when, and then waiting for it.

use std::time::Duration;

use futures_util::stream::{self, BoxStream, StreamExt};

use crate::ledger::{Block, Image, Message, Stop, Usage};
use crate::model::{FailureClass, ModelEvent, ModelFailure, ModelNews, Request};
use crate::wire::script::Reply;

use super::tool_mode::ToolMode;

/// One step of an answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Step {
    /// Let this many milliseconds pass.
    Wait(u64),
    /// Say this.
    News(ModelNews),
}

/// The whole answer, in order. `input` is the estimate that is sent when the reply counts nothing itself.
pub(super) fn steps(reply: &Reply, tools: ToolMode, input: u64) -> Vec<Step> {
    let mut score = Score {
        steps: Vec::new(),
        chunk: reply.chunk.unwrap_or(usize::MAX).max(1),
        pause_ms: reply.pause_ms,
        left: reply.cut,
        written: 0,
    };
    if reply.delay_ms > 0 {
        score.steps.push(Step::Wait(reply.delay_ms));
    }
    let whole = score.say(reply, tools);
    let broken = || ModelFailure::new(FailureClass::Transient, "the connection closed in mid-answer");
    let failure = reply.failure.clone().or_else(|| (!whole || reply.cut.is_some()).then(broken));
    match failure {
        Some(failure) => score.news(ModelNews::Failed(failure)),
        None => score.end(reply, tools, input),
    }
    score.steps
}

/// Waits where there is a wait and says the rest; dropping the stream ends it.
pub(super) fn play(steps: Vec<Step>) -> BoxStream<'static, ModelNews> {
    stream::unfold(steps.into_iter(), |mut steps| async move {
        loop {
            match steps.next()? {
                Step::Wait(ms) => tokio::time::sleep(Duration::from_millis(ms)).await,
                Step::News(news) => return Some((news, steps)),
            }
        }
    })
    .boxed()
}

/// Tokens of a request, guessed as a quarter of its characters.
pub(super) fn estimate(request: &Request) -> u64 {
    let messages = request.messages.iter().map(|message| match message {
        Message::User(said) => said.content.chars().count() + characters_of(&said.images),
        Message::Results(results) => {
            results.iter().map(|r| r.content.chars().count() + characters_of(&r.images)).sum()
        }
        Message::Assistant(said) => said.blocks.iter().map(block_size).sum(),
    });
    let tools = request.tools.iter().map(|tool| tool.description.len() + tool.schema.to_string().len());
    let characters = request.system.chars().count() + messages.sum::<usize>() + tools.sum::<usize>();
    (characters as u64).div_ceil(4)
}

/// As many characters as make the tokens of these images.
fn characters_of(images: &[Image]) -> usize {
    let shown: u64 = images.iter().map(Image::tokens).sum();
    usize::try_from(shown * 4).unwrap_or(usize::MAX)
}

fn block_size(block: &Block) -> usize {
    match block {
        Block::Text(text) => text.chars().count(),
        Block::Thinking(thinking) => thinking.text.chars().count(),
        Block::Hosted(block) => block.value.to_string().len(),
        Block::ToolUse(call) => call.name.len() + call.arguments.to_value().to_string().len(),
    }
}

/// An answer being laid out.
struct Score {
    steps: Vec<Step>,
    chunk: usize,
    pause_ms: u64,
    /// Characters until the stream breaks off.
    left: Option<usize>,
    /// Characters so far.
    written: u64,
}

impl Score {
    /// Lays out everything that is said; false when it was cut.
    fn say(&mut self, reply: &Reply, tools: ToolMode) -> bool {
        if !reply.thinking.is_empty() {
            if !self.pieces(&reply.thinking, ModelEvent::Thinking) {
                return false;
            }
            self.event(ModelEvent::ThinkingDone { replay: None });
        }
        let verbatim = reply.verbatim.as_ref().filter(|_| tools == ToolMode::String);
        if !self.pieces(verbatim.unwrap_or(&reply.text), ModelEvent::Text) {
            return false;
        }
        if verbatim.is_some() {
            return true;
        }
        for (index, call) in (0..).zip(&reply.calls) {
            let (wire_id, name) = (call.wire_id.clone(), call.name.clone());
            self.event(ModelEvent::CallStarted { index, wire_id, name });
            if !self.pieces(&call.arguments, |text| ModelEvent::CallArguments { index, text }) {
                return false;
            }
            self.event(ModelEvent::CallDone { index });
        }
        true
    }

    fn end(&mut self, reply: &Reply, tools: ToolMode, input: u64) {
        let calls = !reply.calls.is_empty() && tools == ToolMode::Native;
        let output = self.written.div_ceil(4);
        let estimate = || Usage { input, output, estimated: true, ..Usage::default() };
        self.event(ModelEvent::Usage(reply.usage.unwrap_or_else(estimate)));
        let stop = reply.stop.clone();
        self.event(ModelEvent::Stop(stop.unwrap_or(if calls { Stop::ToolUse } else { Stop::End })));
        self.news(ModelNews::Finished);
    }

    /// Lays out a text in pieces; false when it was cut.
    fn pieces(&mut self, text: &str, event: impl Fn(String) -> ModelEvent) -> bool {
        let mut rest = text.chars().peekable();
        while rest.peek().is_some() {
            let most = self.left.map_or(self.chunk, |left| self.chunk.min(left));
            let piece: String = rest.by_ref().take(most).collect();
            let length = piece.chars().count();
            if length > 0 {
                self.wait_between();
                self.event(event(piece));
                self.written += length as u64;
            }
            if let Some(left) = &mut self.left {
                *left -= length;
                if *left == 0 {
                    return false;
                }
            }
        }
        true
    }

    fn wait_between(&mut self) {
        if self.pause_ms > 0 && self.written > 0 {
            self.steps.push(Step::Wait(self.pause_ms));
        }
    }

    fn event(&mut self, event: ModelEvent) {
        self.news(ModelNews::Event(event));
    }

    fn news(&mut self, news: ModelNews) {
        self.steps.push(Step::News(news));
    }
}
