//! The HTTP behind a server that is an address. What it answers is weighed before the SDK builds anything of it, and a
//! server of the older kind is called by its name.

use std::borrow::Cow;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderName, HeaderValue, WWW_AUTHENTICATE};
use reqwest::{Client, Response, StatusCode};
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, JsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, SseError, StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
};
use sse_stream::{Sse, SseStream};
use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};

use super::line_limit::MOST_BYTES;
use super::streams::{OneStream, Streams};
use super::tasks::Tasks;
use crate::wire::{Bulk, MOST_VALUES};

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
const SESSION: &str = "mcp-session-id";
/// Most bytes of an answer that is read where others wait; a larger one gets a thread of its own.
const AT_ONCE: usize = 64 << 10;
/// Most bytes of what a server says when it refuses.
const MOST_REFUSAL: usize = 64 << 10;
/// How long it is looked whether a server is of the older kind.
const LOOK: Duration = Duration::from_secs(3);

type Failure = StreamableHttpError<reqwest::Error>;
#[expect(clippy::disallowed_types, reason = "the SDK's own")]
type Headers = std::collections::HashMap<HeaderName, HeaderValue>;

/// A client whose answers are weighed.
#[derive(Debug, Clone)]
pub(super) struct Web {
    pub(super) client: Client,
    pub(super) tasks: Arc<Tasks>,
    pub(super) answered: Arc<Answered>,
    pub(super) streams: Streams,
}

/// What is heard of a server beside its messages.
#[derive(Debug, Default)]
pub(super) struct Answered {
    /// It refused the greeting without words of the protocol (HTTP 400), and is not of the older kind: it may know the
    /// newest way alone, in which each request has more headers.
    may_be_newer: AtomicBool,
}

impl Answered {
    /// Whether the newest way may be understood.
    pub(super) fn may_be_newer(&self) -> bool {
        self.may_be_newer.load(Relaxed)
    }
}

fn strange(words: impl Into<Cow<'static, str>>) -> Failure {
    StreamableHttpError::UnexpectedServerResponse(words.into())
}

fn too_many() -> String {
    format!("its answer contains more than {MOST_VALUES} values")
}

/// The body of an answer.
async fn body(mut response: Response, most: usize) -> Result<Vec<u8>, Failure> {
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await? {
        if body.len() + piece.len() > most {
            return Err(strange(format!("its answer is larger than {} MB", most >> 20)));
        }
        body.extend_from_slice(&piece);
    }
    Ok(body)
}

/// A message of the server. `Ok(None)`: it is none.
async fn read(body: Vec<u8>, tasks: &Arc<Tasks>) -> Result<Option<ServerJsonRpcMessage>, Failure> {
    let (is_large, tasks) = (body.len() > AT_ONCE, tasks.clone());
    let reading = move || {
        Bulk::fits(&body).then(|| {
            tasks.hear(&body);
            serde_json::from_slice(&body).ok()
        })
    };
    let read = if is_large { spawn_blocking(reading).await? } else { reading() };
    read.ok_or_else(|| strange(too_many()))
}

/// The events of an answer, none of them larger or heavier than allowed.
fn events(
    response: Response,
    tasks: Arc<Tasks>,
    mut stream: OneStream,
) -> BoxStream<'static, Result<Sse, SseError>> {
    let mut size = Size::default();
    let is_too_large = Arc::new(AtomicBool::new(false));
    let too_large = is_too_large.clone();
    let pieces = response.bytes_stream().map(move |piece| {
        let piece = piece.map_err(io::Error::other)?;
        if size.take(&piece) {
            Ok(piece)
        } else {
            too_large.store(true, Relaxed);
            Err(io::Error::other(format!("one event of its answer is larger than {} MB", MOST_BYTES >> 20)))
        }
    });
    let light = move |event: Result<Sse, SseError>| match event {
        Ok(event) if event.data.as_ref().is_some_and(|data| !Bulk::fits(data.as_bytes())) => {
            stream.refuse();
            Err(SseError::Body(too_many().into()))
        }
        Ok(event) => {
            tasks.hear(event.data.as_deref().unwrap_or_default().as_bytes());
            Ok(stream.take(event))
        }
        Err(failure) => {
            if is_too_large.load(Relaxed) {
                stream.refuse();
            }
            Err(failure)
        }
    };
    SseStream::from_bytes_stream(pieces).map(light).boxed()
}

/// Bytes since the last line without any, at which an event ends.
#[derive(Default)]
struct Size {
    event: usize,
    line: usize,
}

impl Size {
    fn take(&mut self, piece: &[u8]) -> bool {
        for byte in piece {
            self.event += 1;
            match byte {
                b'\n' if self.line == 0 => self.event = 0,
                b'\n' => self.line = 0,
                b'\r' => {}
                _ => self.line += 1,
            }
            if self.event > MOST_BYTES {
                return false;
            }
        }
        true
    }
}

impl Web {
    /// A stream behind this event, or the one that answers nothing.
    async fn begin_stream(
        &self,
        uri: &str,
        session_id: Option<Arc<str>>,
        behind: Option<&str>,
        custom_headers: Headers,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Failure> {
        let mut get = self.client.get(uri).header(ACCEPT, format!("{EVENTS}, {JSON}"));
        if let Some(session) = session_id {
            get = get.header(SESSION, &*session);
        }
        if let Some(last) = behind {
            get = get.header("last-event-id", last);
        }
        let response = get.headers(custom_headers.into_iter().collect()).send().await?;
        if response.status() == StatusCode::METHOD_NOT_ALLOWED {
            return Err(StreamableHttpError::ServerDoesNotSupportSse);
        }
        if let Some(challenge) = challenge(&response) {
            return Err(challenge);
        }
        let response = response.error_for_status()?;
        if is(&response, EVENTS) {
            Ok(events(response, self.tasks.clone(), self.streams.behind(behind.map(str::to_owned))))
        } else {
            Err(StreamableHttpError::UnexpectedContentType(None))
        }
    }

    /// What is said when a server refuses the greeting in a way that servers of the older kind do; looks whether it is one.
    async fn is_of_the_older_kind(&self, uri: &str, headers: Headers) -> bool {
        let asking =
            self.client.get(uri).header(ACCEPT, EVENTS).headers(headers.into_iter().collect()).send();
        let look = async {
            let response = asking.await.ok().filter(|response| response.status().is_success())?;
            if !is(&response, EVENTS) {
                return None;
            }
            events(response, Arc::default(), Streams::default().behind(None)).next().await?.ok()?.event
        };
        timeout(LOOK, look).await.ok().flatten().is_some_and(|event| event == "endpoint")
    }

    /// What an answer without success means.
    async fn refusal(
        &self,
        response: Response,
        uri: &str,
        is_greeting: bool,
        headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let (status, is_json) = (response.status(), is(&response, JSON));
        if let Some(challenge) = challenge(&response) {
            return Err(challenge);
        }
        let is_auth = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
        if is_json
            && !is_auth
            && let Ok(body) = body(response, MOST_REFUSAL).await
            && let Ok(Some(error @ JsonRpcMessage::Error(_))) = read(body, &self.tasks).await
        {
            return Ok(StreamableHttpPostResponse::Json(error, None));
        }
        let may_be_older = matches!(
            status,
            StatusCode::BAD_REQUEST | StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED
        );
        if is_greeting && may_be_older && self.is_of_the_older_kind(uri, headers).await {
            return Err(strange(format!(
                "it uses the older HTTP+SSE transport (2024-11-05), which is not supported (HTTP {status}); \
                ask its operator for the streamable HTTP address, which often ends in /mcp"
            )));
        }
        if is_greeting && status == StatusCode::BAD_REQUEST {
            self.answered.may_be_newer.store(true, Relaxed);
        }
        let said = format!("HTTP {status}");
        Err(strange(if status.is_redirection() {
            format!("it redirects to an address that is not configured ({said})")
        } else {
            said
        }))
    }
}

/// Whether the server was reached and gives no stream: asking again would change nothing soon.
fn is_turned_away(failure: &Failure) -> bool {
    let may_pass = [StatusCode::REQUEST_TIMEOUT, StatusCode::TOO_MANY_REQUESTS];
    match failure {
        StreamableHttpError::Client(failure) => {
            failure.status().is_some_and(|status| status.is_client_error() && !may_pass.contains(&status))
        }
        StreamableHttpError::UnexpectedContentType(_) => true,
        _ => false,
    }
}

fn is(response: &Response, kind: &str) -> bool {
    response.headers().get(CONTENT_TYPE).is_some_and(|said| said.as_bytes().starts_with(kind.as_bytes()))
}

/// A login that is asked for.
fn challenge(response: &Response) -> Option<Failure> {
    let header = response.headers().get(WWW_AUTHENTICATE)?.to_str().unwrap_or_default().to_owned();
    (response.status() == StatusCode::UNAUTHORIZED)
        .then(|| StreamableHttpError::AuthRequired(AuthRequiredError::new(header)))
}

impl StreamableHttpClient for Web {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        _login: Option<String>,
        custom_headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let request = match &message {
            JsonRpcMessage::Request(request) => Some(&request.request),
            _ => None,
        };
        let is_greeting =
            matches!(request, Some(ClientRequest::InitializeRequest(_) | ClientRequest::DiscoverRequest(_)));
        let has_session = session_id.is_some();
        let mut post = self.client.post(&*uri).header(ACCEPT, format!("{EVENTS}, {JSON}"));
        // The newest version wants it in each request; those before do not mind.
        let method = HeaderName::from_static("mcp-method");
        if let Some(request) = request
            && !custom_headers.contains_key(&method)
        {
            post = post.header(method, request.method());
        }
        if let Some(session) = session_id {
            post = post.header(SESSION, &*session);
        }
        let response =
            post.headers(custom_headers.clone().into_iter().collect()).json(&message).send().await?;
        let status = response.status();
        match status {
            StatusCode::ACCEPTED | StatusCode::NO_CONTENT => return Ok(StreamableHttpPostResponse::Accepted),
            StatusCode::NOT_FOUND if has_session => return Err(StreamableHttpError::SessionExpired),
            status if !status.is_success() => {
                return self.refusal(response, &uri, is_greeting, custom_headers).await;
            }
            _ => {}
        }
        let session = response.headers().get(SESSION).and_then(|id| id.to_str().ok()).map(str::to_owned);
        let waits = request.is_some();
        if is(&response, EVENTS) {
            let events = events(response, self.tasks.clone(), self.streams.answering());
            return Ok(StreamableHttpPostResponse::Sse(events, session));
        }
        if !is(&response, JSON) {
            return match waits {
                true => Err(strange("its answer is not JSON")),
                false => Ok(StreamableHttpPostResponse::Accepted),
            };
        }
        match read(body(response, MOST_BYTES).await?, &self.tasks).await? {
            Some(message) => Ok(StreamableHttpPostResponse::Json(message, session)),
            None if waits => Err(strange("its answer is not a protocol message")),
            None => Ok(StreamableHttpPostResponse::Accepted),
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        login: Option<String>,
        custom_headers: Headers,
    ) -> Result<(), Failure> {
        self.client.delete_session(uri, session_id, login, custom_headers).await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        _login: Option<String>,
        custom_headers: Headers,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Failure> {
        // Of all refusals, this one alone is not followed by another try.
        let pause = self.streams.pause(last_event_id.as_deref());
        sleep(pause.ok_or(StreamableHttpError::ServerDoesNotSupportSse)?).await;
        let begun = self.begin_stream(&uri, session_id, last_event_id.as_deref(), custom_headers).await;
        if let Err(failure) = &begun {
            self.streams.missed(last_event_id.as_deref(), is_turned_away(failure));
        }
        begun
    }
}
