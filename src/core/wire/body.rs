//! The body of a call: written into its bytes message by message, so that a long history is never held as JSON values.

use serde_json::{Map, Value};

use crate::context::estimate_tokens;
use crate::model::Request;

/// A JSON object on its way into bytes. Its last member is a list, which may be long.
#[derive(Debug)]
pub(super) struct JsonBody {
    bytes: Vec<u8>,
    is_empty: bool,
}

impl JsonBody {
    /// Bytes that a token of an estimate stands for, with something over for marks and escapes.
    const BYTES_PER_TOKEN: u64 = 5;

    /// Begins with `members`, of which there is at least one, and with the list of this name.
    pub(super) fn begin(request: &Request, members: Map<String, Value>, list: &str) -> Self {
        // Memory of the right size goes back to the system as one piece; a body that had to grow leaves holes.
        let size = estimate_tokens(request).saturating_mul(Self::BYTES_PER_TOKEN);
        let mut body = Self { bytes: Vec::with_capacity(usize::try_from(size).unwrap_or(0)), is_empty: true };
        body.write(&Value::Object(members));
        // The object goes on, so its end is taken back.
        body.bytes.pop();
        body.bytes.push(b',');
        body.write(&Value::from(list));
        body.bytes.extend_from_slice(b":[");
        body
    }

    /// The next item of the list.
    pub(super) fn push(&mut self, item: &Value) {
        if !std::mem::take(&mut self.is_empty) {
            self.bytes.push(b',');
        }
        self.write(item);
    }

    /// All of it.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.bytes.extend_from_slice(b"]}");
        self.bytes
    }

    fn write(&mut self, value: &Value) {
        // A value is always JSON, and memory takes every byte.
        let written = serde_json::to_writer(&mut self.bytes, value);
        debug_assert!(written.is_ok(), "a value could not be written as JSON");
    }
}
