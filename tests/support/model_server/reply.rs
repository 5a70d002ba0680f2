//! What the script says, whatever the protocol.

use serde_json::Value;
use tokio::sync::oneshot;

/// One reply to one request.
#[derive(Debug)]
pub enum Reply {
    /// `200`, streamed.
    Stream(Vec<Part>),
    /// `200`, as one JSON object, though a stream was asked for. (`Wait`, `Error` and cuts are no parts of it.)
    Whole(Vec<Part>),
    /// Any status with any body.
    Raw { status: u16, headers: Vec<(String, String)>, body: String },
}

/// One part of a streamed answer, in order.
#[derive(Debug)]
pub enum Part {
    Text(String),
    Thinking(String),
    /// Arguments are sent as they are, JSON or not.
    Call {
        id: String,
        name: String,
        arguments: String,
    },
    /// Tokens: prompt, output. Without this part: 10 and 5.
    Usage(u64, u64),
    /// The reason, as the protocol spells it. Without this part the usual one.
    Stop(String),
    /// Nothing more is sent before the test opens the gate.
    Wait(oneshot::Receiver<()>),
    /// An error event: type and message. The stream ends with it.
    Error(String, String),
    /// Bytes as they are.
    Bytes(String),
    /// The connection breaks here.
    Cut,
    /// The body ends here as HTTP wants it, but not as the protocol does.
    End,
}

/// Opens a gate; so does dropping it.
#[derive(Debug)]
pub struct Opener(oneshot::Sender<()>);

impl Opener {
    pub fn open(self) {
        // A server that is gone needs no gate.
        self.0.send(()).unwrap_or_default();
    }
}

/// A place in an answer where the server waits for the test.
pub fn gate() -> (Part, Opener) {
    let (sender, receiver) = oneshot::channel();
    (Part::Wait(receiver), Opener(sender))
}

impl Reply {
    pub fn text(text: &str) -> Self {
        Self::Stream(vec![Part::text(text)])
    }

    /// One call: id, name, arguments.
    pub fn call(id: &str, name: &str, arguments: &Value) -> Self {
        Self::Stream(vec![Part::call(id, name, arguments)])
    }

    /// An error in the provider's own shape. Chat and Messages clients read both shapes.
    pub fn error(status: u16, kind: &str, message: &str) -> Self {
        let body = serde_json::json!({ "type": "error", "error": { "type": kind, "message": message } });
        Self::raw(status, "application/json", &body.to_string())
    }

    pub fn raw(status: u16, content_type: &str, body: &str) -> Self {
        let headers = vec![("content-type".to_owned(), content_type.to_owned())];
        Self::Raw { status, headers, body: body.to_owned() }
    }

    /// Adds a header; only raw replies have any of their own.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        if let Self::Raw { headers, .. } = &mut self {
            headers.push((name.to_owned(), value.to_owned()));
        }
        self
    }
}

impl Part {
    pub fn text(text: &str) -> Self {
        Self::Text(text.to_owned())
    }

    pub fn call(id: &str, name: &str, arguments: &Value) -> Self {
        Self::Call { id: id.to_owned(), name: name.to_owned(), arguments: arguments.to_string() }
    }
}

/// What goes out, in order.
pub(crate) enum Frame {
    Bytes(String),
    Wait(oneshot::Receiver<()>),
    Cut,
}

/// A text in two pieces, so that clients must put it together.
pub(crate) fn halves(text: &str) -> [&str; 2] {
    let mut middle = text.len() / 2;
    while !text.is_char_boundary(middle) {
        middle += 1;
    }
    let (first, second) = text.split_at(middle);
    [first, second]
}
