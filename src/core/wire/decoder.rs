//! Bytes of a `200` answer in, news out: finds out what kind of body it is, and ends exactly once.

use std::borrow::Cow;

use serde_json::Value;

use crate::ledger::halves::{self, mark};
use crate::model::{AnswerBounds, ModelFailure, ModelNews};

use super::failure::{broken_failure, cut_failure, page_failure, protocol_failure, stream_failure};
use super::joining::Joining;
use super::protocol::Protocol;
use super::sse::{Broken, MAX_EVENT_BYTES, SseDecoder, SseEvent};
use super::{anthropic, openai_chat, openai_responses};

/// Reads one answer. What it says does not depend on how the bytes are cut.
#[derive(Debug)]
pub struct Decoder {
    body: BodyForm,
    reader: ProtocolReader,
    /// Whether a line of the stream was what it should be.
    has_heard: bool,
    joining: Joining,
    /// Most bytes that are kept without an event that says them.
    most_held: u64,
    over: bool,
}

/// A server that was asked for a stream may answer with a plain JSON object, or a proxy with a page: the first
/// byte tells, since an event stream begins with a comment or the name of a field. (Content types are no help:
/// servers get them wrong.)
#[derive(Debug)]
enum BodyForm {
    Unknown,
    Stream(SseDecoder),
    Whole(Vec<u8>),
    Page(Vec<u8>),
}

#[derive(Debug)]
enum ProtocolReader {
    Anthropic(anthropic::AnthropicReader),
    OpenAiChat(openai_chat::ChatReader),
    OpenAiResponses(openai_responses::ResponsesReader),
}

/// Most values of one event or body: each takes many times the memory of its two bytes.
const MOST_VALUES: usize = 200_000;
/// Bytes up to which they are not counted.
const SMALL: usize = 256 * 1024;

/// Bytes of a page that are kept to quote from.
const PAGE_BYTES: usize = 16 * 1024;

impl Decoder {
    pub(super) fn new(protocol: Protocol) -> Self {
        let reader = match protocol {
            Protocol::Anthropic => ProtocolReader::Anthropic(anthropic::AnthropicReader::default()),
            Protocol::OpenAiChat => ProtocolReader::OpenAiChat(openai_chat::ChatReader::default()),
            Protocol::OpenAiResponses => {
                ProtocolReader::OpenAiResponses(openai_responses::ResponsesReader::default())
            }
        };
        let (body, joining) = (BodyForm::Unknown, Joining::default());
        let most_held = AnswerBounds::default().held();
        Self { body, reader, has_heard: false, joining, most_held, over: false }
    }

    /// The same for an answer that may be so large.
    #[must_use]
    pub fn within(self, bounds: AnswerBounds) -> Self {
        Self { most_held: bounds.held(), ..self }
    }

    /// Takes in bytes of the body. After the end nothing more is said.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<ModelNews> {
        if self.over {
            return Vec::new();
        }
        let bytes = if matches!(self.body, BodyForm::Unknown) { self.recognise(bytes) } else { bytes };
        match &mut self.body {
            BodyForm::Unknown => Vec::new(),
            BodyForm::Stream(_) => self.read_stream(bytes),
            BodyForm::Whole(body) if body.len() + bytes.len() > MAX_EVENT_BYTES => {
                self.fail(protocol_failure(format!("it is larger than {MAX_EVENT_BYTES} bytes")))
            }
            BodyForm::Whole(body) => {
                body.extend_from_slice(bytes);
                Vec::new()
            }
            BodyForm::Page(body) => {
                let room = PAGE_BYTES.saturating_sub(body.len());
                body.extend(bytes.iter().take(room));
                Vec::new()
            }
        }
    }

    /// The body is over. Together with all [`Decoder::push`]es this gives exactly one `Finished` or `Failed`.
    pub fn finish(&mut self) -> Vec<ModelNews> {
        if self.over {
            return Vec::new();
        }
        match std::mem::replace(&mut self.body, BodyForm::Unknown) {
            BodyForm::Unknown => self.fail(cut_failure()),
            BodyForm::Stream(mut sse) => {
                let mut news = Vec::new();
                if let Some(last) = sse.finish().filter(is_whole) {
                    news = self.event(last);
                }
                if !news.iter().any(is_end) {
                    news.extend(self.reader.end());
                }
                self.up_to_end(news)
            }
            BodyForm::Whole(body) => self.read_whole(&body),
            BodyForm::Page(body) => self.fail(page_failure(&body)),
        }
    }

    /// Whether the end was said.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// Looks at the first byte that says something; the bytes from there on.
    fn recognise<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let blank = |b: &u8| b.is_ascii_whitespace() || b"\xEF\xBB\xBF".contains(b);
        let at = bytes.iter().position(|b| !blank(b)).unwrap_or(bytes.len());
        let (_, rest) = bytes.split_at(at);
        match rest.first() {
            None => {}
            Some(b'{' | b'[') => self.body = BodyForm::Whole(Vec::new()),
            Some(b':' | b'd' | b'e' | b'i' | b'r') => self.body = BodyForm::Stream(SseDecoder::default()),
            Some(_) => self.body = BodyForm::Page(Vec::new()),
        }
        rest
    }

    fn read_stream(&mut self, bytes: &[u8]) -> Vec<ModelNews> {
        let BodyForm::Stream(sse) = &mut self.body else { return Vec::new() };
        let mut arrived = Vec::new();
        let refused = sse.push(bytes, &mut arrived).err();
        let mut news = Vec::new();
        for event in arrived {
            news.extend(self.event(event));
            if news.last().is_some_and(is_end) {
                break;
            }
        }
        if let Some(too_large) = refused {
            news.push(ModelNews::Failed(protocol_failure(too_large.to_string())));
        }
        self.up_to_end(news)
    }

    fn event(&mut self, mut event: SseEvent) -> Vec<ModelNews> {
        if let Cow::Owned(marked) = mark(&event.data) {
            event.data = marked;
            self.joining.begin();
        }
        if is_swollen(&event.data) {
            return vec![ModelNews::Failed(protocol_failure(swollen()))];
        }
        match self.reader.event(&event) {
            Ok(mut news) => {
                self.has_heard |= event.data.trim_start().starts_with('{');
                if self.reader.held() > self.most_held {
                    news.push(ModelNews::Failed(protocol_failure(too_much_held(self.most_held))));
                }
                news
            }
            // What has spoken the protocol until here was not another server: something broke on the way.
            Err(Broken) if self.has_heard => vec![ModelNews::Failed(broken_failure())],
            Err(Broken) => vec![ModelNews::Failed(protocol_failure("an event is not JSON"))],
        }
    }

    fn read_whole(&mut self, body: &[u8]) -> Vec<ModelNews> {
        let text = String::from_utf8_lossy(body);
        if is_swollen(&text) {
            return self.fail(protocol_failure(swollen()));
        }
        match halves::read(&text) {
            Ok(value) => {
                let news = self.reader.whole(&value);
                self.up_to_end(news)
            }
            Err(error) => self.fail(protocol_failure(format!("it is broken JSON ({error})"))),
        }
    }

    fn fail(&mut self, failure: ModelFailure) -> Vec<ModelNews> {
        self.up_to_end(vec![ModelNews::Failed(failure)])
    }

    fn up_to_end(&mut self, mut news: Vec<ModelNews>) -> Vec<ModelNews> {
        if let Some(end) = news.iter().position(is_end) {
            news.truncate(end + 1);
            self.over = true;
        }
        self.joining.join(news)
    }
}

impl ProtocolReader {
    fn event(&mut self, event: &SseEvent) -> Result<Vec<ModelNews>, Broken> {
        match self {
            Self::Anthropic(reader) => reader.event(event),
            Self::OpenAiChat(reader) => reader.event(event),
            Self::OpenAiResponses(reader) => reader.event(event),
        }
    }

    fn whole(&mut self, answer: &Value) -> Vec<ModelNews> {
        // A proxy may wrap its one error in an array.
        let answer = answer.as_array().and_then(|items| items.first()).unwrap_or(answer);
        if answer.get("error").is_some_and(|e| !e.is_null()) {
            return vec![ModelNews::Failed(stream_failure(answer))];
        }
        match self {
            Self::Anthropic(reader) => reader.whole(answer),
            Self::OpenAiChat(reader) => reader.whole(answer),
            Self::OpenAiResponses(reader) => reader.whole(answer),
        }
    }

    /// Bytes that were kept until now, about, without an event that says them: whoever reads the news cannot bound those.
    fn held(&self) -> u64 {
        match self {
            Self::Anthropic(reader) => reader.held(),
            Self::OpenAiChat(reader) => reader.held(),
            Self::OpenAiResponses(reader) => reader.held(),
        }
    }

    fn end(&mut self) -> Vec<ModelNews> {
        match self {
            Self::Anthropic(_) | Self::OpenAiResponses(_) => vec![ModelNews::Failed(cut_failure())],
            Self::OpenAiChat(reader) => reader.end(),
        }
    }
}

/// Whether an event that nothing ended has all its data: of several lines some may be missing.
fn is_whole(event: &SseEvent) -> bool {
    event.data == "[DONE]" || serde_json::from_str::<Value>(&mark(&event.data)).is_ok()
}

fn is_end(news: &ModelNews) -> bool {
    matches!(news, ModelNews::Finished | ModelNews::Failed(_))
}

fn swollen() -> String {
    format!("it has more than {MOST_VALUES} values at once")
}

fn too_much_held(most: u64) -> String {
    format!("it has more than {most} bytes beside its words and arguments")
}

/// Whether JSON text has more values than are made room for, counted without making any.
fn is_swollen(json: &str) -> bool {
    if json.len() <= SMALL {
        return false;
    }
    let (mut values, mut is_text, mut is_escaped) = (0, false, false);
    for byte in json.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_text => is_escaped = true,
            b'"' => is_text = !is_text,
            b',' | b'[' | b'{' if !is_text => values += 1,
            _ => {}
        }
    }
    values > MOST_VALUES
}

#[cfg(test)]
#[path = "decoder_tests.rs"]
mod tests;
