//! Models behind HTTP: sends what a protocol encodes, and feeds what comes back to its decoder.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use futures_util::{FutureExt, StreamExt, stream, stream::BoxStream};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Response, Url};
use tokio::time::timeout;

use crate::model::{AnswerBounds, FailureClass, ModelFailure, ModelNews, Request};
use crate::wire::{Decoder, Endpoint, HttpCall, Protocol, Quirks, http_failure};

use super::ModelPort;
use super::network::{Network, cause, way_out};
use super::patience::{Patience, refusal};
use super::untrusted::{Secrets, address_and_headers};

/// How long to wait for a server. There is no limit on the whole answer: a model may write for an hour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// For the connection, TLS included.
    pub connect: Duration,
    /// From the request to the first byte of the answer; a local model reads its prompt in this time.
    pub first_byte: Duration,
    /// Between two pieces of the answer; thirty times as long where none of them brings news.
    pub idle: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            first_byte: Duration::from_secs(300),
            idle: Duration::from_secs(120),
        }
    }
}

/// Most options of the protocol that a server may refuse in one call.
const MOST_LESSONS: usize = 3;

/// A model served over HTTP. One call is one request; trying again is the loop's decision.
#[derive(Debug, Clone)]
pub struct HttpModel {
    server: Arc<HttpServer>,
    bounds: AnswerBounds,
}

#[derive(Debug)]
struct HttpServer {
    protocol: Protocol,
    endpoint: Endpoint,
    timeouts: Timeouts,
    network: Network,
    /// Made by the first call: TLS and the certificate store take time that the first frame should not.
    client: OnceLock<Result<Client, ModelFailure>>,
    /// How the server differs, with what its refusals taught.
    learned: Mutex<Quirks>,
    /// What it may say back, and nobody else may read.
    secrets: Secrets,
}

impl HttpModel {
    /// A model behind `endpoint`. Nothing is connected or read before the first call.
    pub fn new(protocol: Protocol, endpoint: Endpoint, timeouts: Timeouts) -> Self {
        Self::through(protocol, endpoint, timeouts, Network::default())
    }

    /// The same, reached as `network` says.
    pub fn through(protocol: Protocol, endpoint: Endpoint, timeouts: Timeouts, network: Network) -> Self {
        let (client, learned) = (OnceLock::new(), Mutex::new(endpoint.quirks));
        let secrets = secrets(&endpoint);
        let server = HttpServer { protocol, endpoint, timeouts, network, client, learned, secrets };
        Self { server: Arc::new(server), bounds: AnswerBounds::default() }
    }

    /// The same, of which answers may be so large.
    #[must_use]
    pub fn within(self, bounds: AnswerBounds) -> Self {
        Self { bounds, ..self }
    }

    /// Asks the server for its list of models, by the rules of every call: what a key is tested with. Gives the
    /// status of the answer, whatever it is; the body, which may quote the key, is not read.
    ///
    /// # Errors
    /// No answer came: what stood in its way, and what to do.
    pub async fn ask_status(&self) -> Result<u16, ModelFailure> {
        self.server.status().await.map_err(|failure| self.server.hidden(failure))
    }
}

/// What of an endpoint may be a key.
fn secrets(endpoint: &Endpoint) -> Secrets {
    let headers = endpoint.headers.iter().map(|(name, value)| (name.clone(), value.expose().to_owned()));
    let headers: BTreeMap<String, String> = headers.collect();
    let key = endpoint.key.iter().map(|key| key.expose().to_owned());
    Secrets::new(address_and_headers(endpoint.base_url.trim(), &headers).chain(key))
}

impl ModelPort for HttpModel {
    fn stream(&self, request: Request) -> BoxStream<'static, ModelNews> {
        let phase = HttpPhase::Asking(Box::new(request));
        let call = ModelCall { phase, waiting: VecDeque::new(), bounds: self.bounds };
        let server = Arc::clone(&self.server);
        stream::unfold((server, call), |(server, mut call)| async move {
            let news = call.next(&server).await?;
            Some((news, (server, call)))
        })
        .boxed()
    }
}

/// One model call on its way.
struct ModelCall {
    phase: HttpPhase,
    /// News that were read and not taken yet.
    waiting: VecDeque<ModelNews>,
    bounds: AnswerBounds,
}

enum HttpPhase {
    Asking(Box<Request>),
    /// Dropping the response closes the connection.
    Reading(Box<(Response, Decoder, Patience)>),
    Over,
}

impl ModelCall {
    async fn next(&mut self, server: &HttpServer) -> Option<ModelNews> {
        loop {
            if let Some(news) = self.waiting.pop_front() {
                return Some(news);
            }
            match std::mem::replace(&mut self.phase, HttpPhase::Over) {
                HttpPhase::Asking(request) => match server.ask(&request).await {
                    Ok(response) => {
                        let decoder = server.protocol.decoder().within(self.bounds);
                        let patience = Patience::new(server.timeouts.idle);
                        self.phase = HttpPhase::Reading(Box::new((response, decoder, patience)));
                    }
                    Err(failure) => self.waiting.push_back(server.failed(failure)),
                },
                HttpPhase::Reading(mut answer) => {
                    let (response, decoder, patience) = answer.as_mut();
                    let mut news = server.read(response, decoder).await;
                    if patience.is_over(&news) {
                        let failure = server.silent("to go on", patience.whole()).unheard();
                        news.push(ModelNews::Failed(failure));
                    }
                    self.waiting.extend(news.into_iter().map(|news| server.without_key(news)));
                    if !decoder.is_over() && !matches!(self.waiting.back(), Some(ModelNews::Failed(_))) {
                        self.phase = HttpPhase::Reading(answer);
                    }
                }
                HttpPhase::Over => return None,
            }
        }
    }
}

impl HttpServer {
    async fn status(&self) -> Result<u16, ModelFailure> {
        let call = self.protocol.encode_listing(&self.endpoint);
        let url = self.parse(&call)?;
        let asking = self.client(&url)?.get(url).headers(self.headers(&call)?).send();
        match timeout(self.timeouts.first_byte, asking).await {
            Err(_elapsed) => Err(self.silent("to begin its answer", self.timeouts.first_byte)),
            Ok(Err(error)) => Err(self.unreachable(&error)),
            Ok(Ok(response)) => Ok(response.status().as_u16()),
        }
    }

    /// Gives the answer once its head says that it is one. A server that refuses options of the protocol is asked
    /// again without them, one by one, and is remembered: that is agreeing on the protocol, not trying again.
    async fn ask(&self, request: &Request) -> Result<Response, ModelFailure> {
        let mut endpoint = self.endpoint.clone();
        endpoint.quirks = self.learned();
        let mut lessons = 0;
        loop {
            let refusal = match self.send(self.protocol.encode(request, &endpoint)).await {
                Ok(response) if lessons == 0 => return Ok(response),
                Ok(response) => {
                    self.remember(endpoint.quirks);
                    return Ok(response);
                }
                Err(failure) => failure,
            };
            let taught = endpoint.quirks.learn(&refusal).filter(|_| lessons < MOST_LESSONS);
            let Some(quirks) = taught else { return Err(refusal) };
            endpoint.quirks = quirks;
            lessons += 1;
        }
    }

    fn learned(&self) -> Quirks {
        *self.learned.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What another call learned meanwhile and this one did not is learned again from the next refusal.
    fn remember(&self, quirks: Quirks) {
        *self.learned.lock().unwrap_or_else(PoisonError::into_inner) = quirks;
    }

    async fn send(&self, call: HttpCall) -> Result<Response, ModelFailure> {
        let url = self.parse(&call)?;
        let client = self.client(&url)?;
        let headers = self.headers(&call)?;
        let sending = client.post(url).headers(headers).body(call.body).send();
        let response = match timeout(self.timeouts.first_byte, sending).await {
            Err(_elapsed) => {
                return Err(self.silent("to begin its answer", self.timeouts.first_byte).unheard());
            }
            Ok(Err(error)) => return Err(self.unreachable(&error)),
            Ok(Ok(response)) => response,
        };
        if response.status().is_success() { Ok(response) } else { Err(self.refusal(response).await) }
    }

    /// Reads one piece of the answer.
    async fn read(&self, response: &mut Response, decoder: &mut Decoder) -> Vec<ModelNews> {
        match timeout(self.timeouts.idle, response.chunk()).await {
            Ok(Ok(Some(bytes))) => {
                let news = decoder.push(&bytes);
                if decoder.is_over() {
                    // The end is usually there already; reading it lets the connection serve the next call.
                    let _end_of_body = response.chunk().now_or_never();
                }
                news
            }
            Ok(Ok(None)) => decoder.finish(),
            Ok(Err(error)) => {
                let message = format!(
                    "The connection to {} broke during the answer: {}.",
                    self.endpoint.shown_url(),
                    cause(&error)
                );
                vec![ModelNews::Failed(ModelFailure::new(FailureClass::Transient, message).unheard())]
            }
            Err(_elapsed) => vec![ModelNews::Failed(self.silent("to go on", self.timeouts.idle).unheard())],
        }
    }

    /// What an answer with a bad status says.
    async fn refusal(&self, response: Response) -> ModelFailure {
        let status = response.status().as_u16();
        let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        let headers: Vec<_> =
            response.headers().iter().map(|(n, v)| (n.as_str().to_owned(), text(v))).collect();
        // A body that breaks off still says something, and the status says the rest.
        let body = refusal(response.bytes_stream(), self.timeouts.idle).await;
        http_failure(status, &headers, &body)
    }

    fn parse(&self, call: &HttpCall) -> Result<Url, ModelFailure> {
        let url =
            Url::parse(&call.url).ok().filter(|u| matches!(u.scheme(), "http" | "https") && u.has_host());
        url.ok_or_else(|| ModelFailure {
            next: "Set the base URL to an address like http://localhost:11434/v1.".to_owned(),
            ..ModelFailure::new(
                FailureClass::BadRequest,
                format!("“{}” is not a server address.", self.endpoint.shown_url()),
            )
        })
    }

    fn headers(&self, call: &HttpCall) -> Result<HeaderMap, ModelFailure> {
        let mut headers = HeaderMap::new();
        for (name, value) in &call.headers {
            let parsed =
                HeaderName::try_from(name.as_str()).ok().zip(HeaderValue::from_str(value.expose()).ok());
            let Some((parsed_name, mut value)) = parsed else {
                return Err(ModelFailure {
                    next: "Check the key and the headers for line breaks and invalid characters.".to_owned(),
                    ..ModelFailure::new(
                        FailureClass::Auth,
                        format!(
                            "The header {name} contains characters \
                        that cannot be sent."
                        ),
                    )
                });
            };
            value.set_sensitive(true);
            headers.insert(parsed_name, value);
        }
        Ok(headers)
    }

    fn client(&self, url: &Url) -> Result<&Client, ModelFailure> {
        let made = self.client.get_or_init(|| self.network.client(url, self.timeouts.connect));
        made.as_ref().map_err(Clone::clone)
    }

    fn unreachable(&self, error: &reqwest::Error) -> ModelFailure {
        let base = self.endpoint.shown_url();
        let message = if error.is_timeout() {
            format!("No connection to {base} within {} s.", self.timeouts.connect.as_secs_f32())
        } else if error.is_connect() {
            format!("Cannot connect to {base}: {}.", cause(error))
        } else {
            format!("The call to {base} was cut off: {}.", cause(error))
        };
        // What broke off after the connection stood may have been received.
        let is_unheard = !error.is_timeout() && !error.is_connect();
        let failure = ModelFailure::new(FailureClass::Transient, message);
        ModelFailure { next: way_out(error, &base), is_unheard, ..failure }
    }

    fn silent(&self, what: &str, waited: Duration) -> ModelFailure {
        let (base, seconds) = (self.endpoint.shown_url(), waited.as_secs_f32());
        ModelFailure::new(FailureClass::Transient, format!("Waited {seconds} s for {base} {what}; gave up."))
    }

    fn failed(&self, failure: ModelFailure) -> ModelNews {
        self.without_key(ModelNews::Failed(failure))
    }

    fn without_key(&self, news: ModelNews) -> ModelNews {
        let ModelNews::Failed(failure) = news else { return news };
        ModelNews::Failed(self.hidden(failure))
    }

    /// Some servers quote the key that they refuse, and the address that they were asked at. It must not reach the books.
    fn hidden(&self, mut failure: ModelFailure) -> ModelFailure {
        if failure.class == FailureClass::Pairing {
            tracing::error!(
                "{} refused the history as unpaired: a bug in \
                countersign",
                self.endpoint.shown_url()
            );
        }
        failure.message = self.secrets.strike_cut(&failure.message, "[key]");
        failure.brief = failure.brief.map(|brief| self.secrets.strike_cut(&brief, "[key]").into());
        if let (FailureClass::Auth, "", Some(name)) =
            (failure.class, failure.next.as_str(), &self.endpoint.key_name)
        {
            failure.next = format!("Check {name}: set it to a valid key and send the message again.");
        }
        failure
    }
}
