//! A strict model server on 127.0.0.1: it follows a script, and refuses malformed requests as the providers do.
//!
//! Include it with `#[path = "support/model_server/mod.rs"] mod model_server;`. It runs in a thread of its own, so
//! it serves plain tests, async tests and other processes alike. Which protocol it speaks follows from the path
//! that is called. Delays are [`gate`]s that the test opens; nothing here sleeps.

#![allow(
    dead_code,
    unused_imports,
    unreachable_pub,
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::disallowed_methods,
    reason = "a test support that each test uses in part"
)]

mod answer_schema;
mod anthropic;
mod anthropic_hosted;
mod connection;
mod limit;
mod openai_chat;
mod openai_responses;
pub(crate) mod picture;
mod reply;

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use serde_json::Value;
use tokio::sync::{oneshot, watch};

pub use reply::{Opener, Part, Reply, gate};

/// A request as it arrived, refused ones included.
#[derive(Debug, Clone)]
pub struct Recorded {
    pub path: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Value,
    /// Status that it was answered with.
    pub status: u16,
}

impl Recorded {
    pub fn header(&self, wanted: &str) -> Option<&str> {
        self.headers.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str())
    }
}

/// The server; it ends when this is dropped.
pub struct ModelServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

pub(crate) struct Shared {
    key: Option<String>,
    state: Mutex<State>,
    /// How many answers were left by their client before their end.
    closed: watch::Sender<usize>,
    /// How many requests came.
    asked: watch::Sender<usize>,
}

#[derive(Default)]
struct State {
    /// What a request may hold, in tokens as this server counts them.
    window: Option<u64>,
    replies: VecDeque<Reply>,
    requests: Vec<Recorded>,
    pages: BTreeMap<String, Value>,
    visits: Vec<Recorded>,
}

impl ModelServer {
    /// Answers well-formed requests with `replies`, one each, in order. Refused requests use up none.
    pub fn start(replies: Vec<Reply>) -> Self {
        Self::start_with_key(replies, None)
    }

    /// Also refuses every request without this key.
    pub fn start_with_key(replies: Vec<Reply>, key: Option<&str>) -> Self {
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let state = State { replies: replies.into(), ..State::default() };
        let shared = Arc::new(Shared {
            key: key.map(str::to_owned),
            state: Mutex::new(state),
            closed: watch::Sender::new(0),
            asked: watch::Sender::new(0),
        });
        let (stop, stopped) = oneshot::channel::<()>();
        let serving = Arc::clone(&shared);
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async move {
                let listener = tokio::net::TcpListener::from_std(listener).unwrap();
                let accepting = tokio::spawn(async move {
                    while let Ok((socket, _)) = listener.accept().await {
                        tokio::spawn(connection::serve(socket, Arc::clone(&serving)));
                    }
                });
                drop(stopped.await);
                accepting.abort();
            });
        });
        Self { address, shared, stop: Some(stop), thread: Some(thread) }
    }

    /// Refuses what does not fit this window, in the provider's own words, and tells with each answer what it counted.
    pub fn with_window(self, tokens: u64) -> Self {
        self.shared.state.lock().unwrap().window = Some(tokens);
        self
    }

    /// `http://127.0.0.1:PORT`, without `/v1`.
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// All requests so far.
    pub fn requests(&self) -> Vec<Recorded> {
        self.shared.state.lock().unwrap().requests.clone()
    }

    /// Also answers `path` with this JSON, whoever asks for it and however often.
    pub fn page(self, path: &str, answer: Value) -> Self {
        self.shared.state.lock().unwrap().pages.insert(path.to_owned(), answer);
        self
    }

    /// Requests for pages so far.
    pub fn visits(&self) -> Vec<Recorded> {
        self.shared.state.lock().unwrap().visits.clone()
    }

    /// Whether a client left before the end of an answer.
    pub fn closed_early(&self) -> bool {
        *self.shared.closed.borrow() > 0
    }

    /// Waits until `count` answers were left before their end.
    pub async fn closed(&self, count: usize) {
        self.shared.closed.subscribe().wait_for(|closed| *closed >= count).await.unwrap();
    }

    /// Waits until `count` requests came.
    pub async fn asked(&self, count: usize) {
        self.shared.asked.subscribe().wait_for(|asked| *asked >= count).await.unwrap();
    }

    /// Replies that no request has used up.
    pub fn left(&self) -> usize {
        self.shared.state.lock().unwrap().replies.len()
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            thread.join().expect("the model server panicked");
        }
    }
}

impl Shared {
    /// The next reply of the script; a loud refusal when there is none.
    fn next_reply(&self) -> Reply {
        let next = self.state.lock().unwrap().replies.pop_front();
        next.unwrap_or_else(|| {
            Reply::error(400, "script_exhausted", "The script of the model server has no reply left.")
        })
    }

    fn window(&self) -> Option<u64> {
        self.state.lock().unwrap().window
    }

    /// The page of this path, if there is one and the visitor may see it.
    fn page(&self, visit: &Recorded) -> Option<Value> {
        let mut state = self.state.lock().unwrap();
        let page = state.pages.get(&visit.path).cloned()?;
        state.visits.push(visit.clone());
        let bearer = visit.header("authorization").and_then(|value| value.strip_prefix("Bearer "));
        let shown = visit.header("x-api-key").or(bearer);
        (self.key.is_none() || self.key.as_deref() == shown).then_some(page)
    }

    fn record(&self, request: Recorded) {
        self.state.lock().unwrap().requests.push(request);
        self.asked.send_modify(|asked| *asked += 1);
    }

    fn left_early(&self) {
        self.closed.send_modify(|closed| *closed += 1);
    }
}
