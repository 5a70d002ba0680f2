//! The way to one agent: a request, and its answer whole or in events; nothing is ever sent twice.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use futures_util::stream;
use reqwest::header::{ACCEPT, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap};
use reqwest::{Body, Client, Response, StatusCode, Url};
use tokio::task::spawn_blocking;

use super::agent::A2aAgent;
use crate::runtime::network::{self, Network};
use crate::runtime::untrusted;
use crate::wire::a2a::{Dialect, Event, NoEvent, Version, find, read};
use crate::wire::sse::{SseDecoder, SseEvent};
use crate::wire::{Bulk, MOST_VALUES};

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(10);
/// Most bytes of an answer, and of one event of a stream.
const MOST_ANSWER: usize = 16 << 20;
/// Most bytes of an answer that is read where others wait; a larger one gets a thread of its own.
const AT_ONCE: usize = 64 << 10;
const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";

/// Why there is no answer; raw words of the agent are in it.
pub(super) enum Trouble {
    /// It said no.
    Refused { code: i64, message: String },
    /// It did not let us in; why, as in "it asks for a login".
    Closed(String),
    /// Nothing that can be read came of it; why, as in "connection refused".
    Unheard(String),
}

/// A client for the server of this address, and the headers that each request gets.
///
/// # Errors
/// What is wrong with a header or the network's settings; no value stands in it.
pub(super) fn client(agent: &A2aAgent, url: &Url, network: &Network) -> Result<(Client, HeaderMap), String> {
    let client = network.client(url, CONNECT).map_err(|failure| failure.message)?;
    Ok((client, untrusted::headers(&agent.headers)?))
}

/// What an answer with another status than success means; `None`: it is one of success.
pub(super) fn no_success(status: StatusCode) -> Option<String> {
    if status.is_success() {
        return None;
    }
    Some(match status.as_u16() {
        401 | 403 => {
            format!("it asks for a login (HTTP {}); a key for it belongs in its headers", status.as_u16())
        }
        300..=399 => format!("it redirects to an address that is not configured (HTTP {})", status.as_u16()),
        _ => format!("HTTP {status}"),
    })
}

/// The body of an answer.
///
/// # Errors
/// Why it did not come.
pub(super) async fn body(mut response: Response, most: usize) -> Result<Vec<u8>, String> {
    let mut body = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(bytes)) if body.len() + bytes.len() > most => {
                return Err(format!("its answer is larger than {} MB", most >> 20));
            }
            Ok(Some(bytes)) => body.extend_from_slice(&bytes),
            Ok(None) => return Ok(body),
            Err(error) => return Err(network::cause(&error)),
        }
    }
}

/// The way to an agent whose card is known.
pub(super) struct AgentLink {
    pub(super) client: Client,
    pub(super) headers: HeaderMap,
    pub(super) url: Url,
    /// How it is spoken to; another way, once it has said that it does not know this one.
    pub(super) dialect: RwLock<Dialect>,
}

/// An event, and whether taking it in is work for a thread of its own.
pub(super) struct StreamEvent {
    pub(super) event: Event,
    pub(super) is_large: bool,
}

/// What came of a request that may be answered in events.
pub(super) enum StreamedAnswer {
    Whole(StreamEvent),
    Stream(Events),
}

impl AgentLink {
    /// How it is spoken to.
    pub(super) fn dialect(&self) -> Dialect {
        self.dialect.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The agent does not know the method of this way: another is used from now on. Whether there is one.
    pub(super) fn unlearn(&self, way: &Dialect) -> bool {
        let mut current = self.dialect.write().unwrap_or_else(PoisonError::into_inner);
        // Another task may have found that out meanwhile.
        if *current != *way {
            return true;
        }
        match way.instead() {
            Some(other) => {
                *current = other;
                true
            }
            None => false,
        }
    }

    /// What the agent calls the task that was sent under this id, if it lists its tasks and this among them.
    ///
    /// # Errors
    /// [`Trouble`].
    pub(super) async fn find(&self, message: &str) -> Result<Option<String>, Trouble> {
        let Some(request) = self.dialect().list() else { return Ok(None) };
        let length = request.len();
        let response = self.post(request.into(), length).await?;
        let body = body(response, MOST_ANSWER).await.map_err(Trouble::Unheard)?;
        let message = message.to_owned();
        read_apart(body, move |body| find(body, &message)).await.map(|(found, _)| found)
    }

    /// Sends a message. `sent` becomes true when it is about to leave this machine, and not before.
    ///
    /// # Errors
    /// [`Trouble`].
    pub(super) async fn send(
        &self,
        message: String,
        sent: Arc<AtomicBool>,
    ) -> Result<StreamedAnswer, Trouble> {
        // A body that is polled once cannot be sent again by anybody on the way.
        let length = message.len();
        let body = Body::wrap_stream(stream::once(async move {
            sent.store(true, Relaxed);
            std::future::ready(Ok::<_, Infallible>(message)).await
        }));
        let response = self.post(body, length).await?;
        let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        if response.status().is_success() && kind.is_some_and(|kind| kind.starts_with(EVENTS)) {
            return Ok(StreamedAnswer::Stream(Events::of(response)));
        }
        whole(response).await.map(StreamedAnswer::Whole)
    }

    /// Asks something that is answered whole.
    ///
    /// # Errors
    /// [`Trouble`].
    pub(super) async fn ask(&self, request: String) -> Result<StreamEvent, Trouble> {
        let length = request.len();
        whole(self.post(request.into(), length).await?).await
    }

    async fn post(&self, body: Body, length: usize) -> Result<Response, Trouble> {
        let mut request = self
            .client
            .post(self.url.clone())
            .headers(self.headers.clone())
            .header(CONTENT_TYPE, JSON)
            .header(CONTENT_LENGTH, length)
            .header(ACCEPT, format!("{JSON}, {EVENTS}"));
        if self.dialect().version == Version::V1 {
            request = request.header("A2A-Version", Version::V1.as_str());
        }
        request.body(body).send().await.map_err(|error| Trouble::Unheard(network::cause(&error)))
    }
}

async fn whole(response: Response) -> Result<StreamEvent, Trouble> {
    let why_not = no_success(response.status());
    let is_closed = response.status().is_redirection()
        || matches!(response.status(), StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
    if let Some(why) = &why_not
        && is_closed
    {
        return Err(Trouble::Closed(why.clone()));
    }
    let event = match body(response, MOST_ANSWER).await {
        Ok(body) => heard(body).await,
        Err(why) => Err(Trouble::Unheard(why)),
    };
    match (why_not, event) {
        // Some servers refuse with an error of the protocol and a status that says so, too.
        (_, Err(refused @ Trouble::Refused { .. })) => Err(refused),
        (Some(why), _) => Err(Trouble::Unheard(why)),
        (None, event) => event,
    }
}

async fn heard(body: Vec<u8>) -> Result<StreamEvent, Trouble> {
    read_apart(body, read).await.map(|(event, is_large)| StreamEvent { event, is_large })
}

/// Reads a body, a large one on a thread of its own, and says whether it was large. One that holds too many values is
/// not read.
async fn read_apart<T: Send + 'static>(
    body: Vec<u8>,
    read: impl FnOnce(&[u8]) -> Result<T, NoEvent> + Send + 'static,
) -> Result<(T, bool), Trouble> {
    let is_large = body.len() > AT_ONCE;
    let reading = move || if Bulk::fits(&body) { Some(read(&body)) } else { None };
    let read = if is_large {
        spawn_blocking(reading).await.unwrap_or(Some(Err(NoEvent::Unreadable)))
    } else {
        reading()
    };
    let Some(read) = read else {
        return Err(Trouble::Unheard(format!("its answer contains more than {MOST_VALUES} values")));
    };
    read.map(|read| (read, is_large)).map_err(|none| match none {
        NoEvent::Refused { code, message } => Trouble::Refused { code, message },
        NoEvent::Unreadable => Trouble::Unheard("its answer does not match the protocol".to_owned()),
    })
}

/// The events of one answer, as they come.
pub(super) struct Events {
    response: Response,
    decoder: SseDecoder,
    waiting: VecDeque<SseEvent>,
    is_over: bool,
}

impl Events {
    fn of(response: Response) -> Self {
        let decoder = SseDecoder::with_limit(MOST_ANSWER);
        Self { response, decoder, waiting: VecDeque::new(), is_over: false }
    }

    /// The next one; `None` when there are no more.
    ///
    /// # Errors
    /// [`Trouble`]; after that there is nothing more.
    pub(super) async fn next(&mut self) -> Result<Option<StreamEvent>, Trouble> {
        loop {
            if let Some(event) = self.waiting.pop_front() {
                return heard(event.data.into_bytes()).await.map(Some);
            }
            if self.is_over {
                return Ok(None);
            }
            self.read().await?;
        }
    }

    async fn read(&mut self) -> Result<(), Trouble> {
        match self.response.chunk().await {
            Ok(Some(bytes)) => {
                let mut events = Vec::new();
                let pushed = self.decoder.push(&bytes, &mut events);
                self.waiting.extend(events);
                pushed.map_err(|_too_large| {
                    Trouble::Unheard(format!(
                        "one event of its answer is larger than {} MB",
                        MOST_ANSWER >> 20
                    ))
                })
            }
            Ok(None) => {
                self.is_over = true;
                self.waiting.extend(self.decoder.finish());
                Ok(())
            }
            Err(error) => Err(Trouble::Unheard(network::cause(&error))),
        }
    }
}
