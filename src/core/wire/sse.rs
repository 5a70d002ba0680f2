//! Server-sent events: bytes in, cut anywhere; events out, as the WHATWG standard says.
//!
//! One deliberate departure: some servers close right after the last line, without the empty line that ends an
//! event, and some gateways even without the end of the line `data: [DONE]`. So [`SseDecoder::finish`] hands out
//! what lacks nothing but these. Everything else that is unterminated is incomplete and discarded.

use std::fmt;

/// Most bytes that one event may have.
pub const MAX_EVENT_BYTES: usize = 32 * 1024 * 1024;

const BOM: &[u8] = b"\xEF\xBB\xBF";
const DONE_LINE: &[u8] = b"data: [DONE]";

/// One event.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SseEvent {
    /// Its `event` field; empty when it has none.
    pub name: String,
    /// Its `data` lines, joined by LF. Bytes that are not UTF-8 become U+FFFD.
    pub data: String,
}

/// An event is larger than the limit: what follows cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventTooLarge {
    /// The limit, in bytes.
    pub limit: usize,
}

impl fmt::Display for EventTooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "one event of the answer is larger than {} bytes", self.limit)
    }
}

/// An event that is no JSON where it must be: what the readers of the protocols say of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Broken;

/// Reads events from bytes. Takes time linear in the bytes, whatever their pieces.
#[derive(Debug)]
pub struct SseDecoder {
    limit: usize,
    /// The line that has not ended yet.
    line: Vec<u8>,
    name: Vec<u8>,
    data: Vec<u8>,
    has_data: bool,
    first_line: bool,
    /// The last byte was a CR that ended a line: an LF right after it belongs to it.
    after_cr: bool,
    too_large: bool,
}

impl Default for SseDecoder {
    fn default() -> Self {
        Self::with_limit(MAX_EVENT_BYTES)
    }
}

impl SseDecoder {
    /// A decoder that refuses events of more than `limit` bytes.
    pub fn with_limit(limit: usize) -> Self {
        Self {
            limit,
            line: Vec::new(),
            name: Vec::new(),
            data: Vec::new(),
            has_data: false,
            first_line: true,
            after_cr: false,
            too_large: false,
        }
    }

    /// Takes in bytes; events that they complete are added to `events`.
    ///
    /// # Errors
    /// [`EventTooLarge`], then and ever after; events before it were added.
    pub fn push(&mut self, bytes: &[u8], events: &mut Vec<SseEvent>) -> Result<(), EventTooLarge> {
        let mut rest = bytes;
        while let Some(&first) = rest.first() {
            self.within_limit()?;
            if std::mem::take(&mut self.after_cr) && first == b'\n' {
                rest = rest.get(1..).unwrap_or_default();
                continue;
            }
            let end = rest.iter().position(|b| matches!(b, b'\n' | b'\r'));
            let (line, tail) = rest.split_at(end.unwrap_or(rest.len()));
            self.line.extend_from_slice(line);
            self.within_limit()?;
            if let Some((&terminator, after)) = tail.split_first() {
                self.after_cr = terminator == b'\r';
                self.end_line(events);
                rest = after;
            } else {
                rest = tail;
            }
        }
        Ok(())
    }

    /// The bytes are over. Hands out a last event whose lines all ended, and a `[DONE]` that did not end.
    pub fn finish(&mut self) -> Option<SseEvent> {
        if !self.line.is_empty() {
            if self.has_data || self.line != DONE_LINE {
                return None;
            }
            self.end_line(&mut Vec::new());
        }
        self.has_data.then(|| self.take_event())
    }

    fn within_limit(&mut self) -> Result<(), EventTooLarge> {
        self.too_large |= self.line.len() + self.data.len() > self.limit;
        if self.too_large { Err(EventTooLarge { limit: self.limit }) } else { Ok(()) }
    }

    fn end_line(&mut self, events: &mut Vec<SseEvent>) {
        let mut line = std::mem::take(&mut self.line);
        let text = if std::mem::take(&mut self.first_line) {
            line.strip_prefix(BOM).unwrap_or(&line)
        } else {
            line.as_slice()
        };
        if text.is_empty() {
            if self.has_data {
                events.push(self.take_event());
            }
            self.name.clear();
        } else {
            self.read_field(text);
        }
        line.clear();
        self.line = line;
    }

    fn read_field(&mut self, line: &[u8]) {
        let mut halves = line.splitn(2, |b| *b == b':');
        let field = halves.next().unwrap_or_default();
        let value = halves.next().unwrap_or_default();
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => {
                if self.has_data {
                    self.data.push(b'\n');
                }
                self.has_data = true;
                self.data.extend_from_slice(value);
            }
            b"event" => value.clone_into(&mut self.name),
            // A comment has an empty field name; `id` and `retry` serve reconnection, which a model call never does.
            _ => {}
        }
    }

    fn take_event(&mut self) -> SseEvent {
        self.has_data = false;
        let event = SseEvent {
            name: String::from_utf8_lossy(&self.name).into_owned(),
            data: String::from_utf8_lossy(&self.data).into_owned(),
        };
        self.name.clear();
        self.data.clear();
        event
    }
}
