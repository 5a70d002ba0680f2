//! The two versions of the protocol, with streams and without, as an agent writes them.

use serde_json::{Value, json};

/// How the agent is spoken to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Way {
    pub(crate) is_new: bool,
    pub(crate) streams: bool,
}

impl Way {
    pub(crate) const ALL: [Self; 4] = [
        Self { is_new: true, streams: true },
        Self { is_new: true, streams: false },
        Self { is_new: false, streams: true },
        Self { is_new: false, streams: false },
    ];
    pub(crate) const NEWEST: Self = Self { is_new: true, streams: true };

    /// What the version calls these: send, get, cancel.
    pub(crate) fn methods(self) -> [&'static str; 3] {
        match (self.is_new, self.streams) {
            (true, true) => ["SendStreamingMessage", "GetTask", "CancelTask"],
            (true, false) => ["SendMessage", "GetTask", "CancelTask"],
            (false, true) => ["message/stream", "tasks/get", "tasks/cancel"],
            (false, false) => ["message/send", "tasks/get", "tasks/cancel"],
        }
    }

    pub(crate) fn state(self, name: &str) -> String {
        match self.is_new {
            true => format!("TASK_STATE_{}", name.to_uppercase().replace('-', "_")),
            false => name.to_owned(),
        }
    }

    pub(crate) fn parts(self, parts: &[Value]) -> Value {
        let old = |part: &Value| match part {
            part if part.get("text").is_some() => json!({ "kind": "text", "text": part["text"] }),
            part if part.get("data").is_some() => json!({ "kind": "data", "data": part["data"] }),
            part => json!({ "kind": "file", "file": {
                "bytes": part.get("raw"), "uri": part.get("url"), "name": part["filename"], "mimeType": part["mediaType"],
            } }),
        };
        if self.is_new { json!(parts) } else { parts.iter().map(old).collect() }
    }

    pub(crate) fn said(self, words: &str) -> Value {
        let parts = self.parts(&[json!({ "text": words })]);
        match self.is_new {
            true => json!({ "messageId": "m", "role": "ROLE_AGENT", "parts": parts }),
            false => json!({ "kind": "message", "messageId": "m", "role": "agent", "parts": parts }),
        }
    }

    /// An object as an event of a stream, or as a whole answer.
    pub(crate) fn event(self, name: &str, kind: &str, mut object: Value) -> Value {
        match self.is_new {
            true => json!({ name: object }),
            false => {
                object["kind"] = json!(kind);
                object
            }
        }
    }
}
