//! A collector of traces: OTLP over HTTP, bounded in time and size. It is told what happened and asked nothing.

use std::collections::BTreeMap;
use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Client, Response, StatusCode, Url, redirect};

use crate::wire::Secret;
use crate::wire::otlp::{Refused, refused};

use super::network::{Network, cause, is_loopback, way_out};
use super::untrusted::{Secrets, address_and_headers, headers, shown};

/// How long a request may take, with its answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// Most bytes of an answer that are read.
const MOST_BYTES: usize = 64 * 1024;
/// Where traces go at a server of which only the host was named.
const TRACES: &str = "/v1/traces";

/// A collector, by its address.
#[derive(Debug)]
pub struct Collector {
    url: Url,
    client: Client,
    headers: HeaderMap,
    secrets: Secrets,
}

/// Spans that no collector has, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotSent {
    /// What happened; a sentence without its end.
    pub what: String,
    /// What to do.
    pub next: String,
}

impl NotSent {
    fn new(what: impl Into<String>, next: impl Into<String>) -> Self {
        Self { what: what.into(), next: next.into() }
    }
}

impl Collector {
    /// The collector at this address, which gets these headers with each request.
    ///
    /// # Errors
    /// An address, headers or a network that cannot be used; repeats nothing that may be a key.
    pub fn new(address: &str, configured: &[(String, Secret)], network: &Network) -> Result<Self, NotSent> {
        let mut url = Url::parse(address)
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
            .filter(|url| url.username().is_empty() && url.password().is_none())
            .ok_or_else(|| {
                NotSent::new(
                    "the address of the collector cannot be used",
                    "give one like http://127.0.0.1:4318, without a name and a password; a key goes into a header",
                )
            })?;
        if url.path() == "/" {
            url.set_path(TRACES);
        }
        let builder = Client::builder()
            .user_agent(concat!("countersign/", env!("CARGO_PKG_VERSION")))
            .timeout(PATIENCE)
            .redirect(redirect::Policy::none());
        let client =
            network.equip(builder, &url).map_err(|failure| NotSent::new(failure.message, failure.next))?;
        let configured = configured.iter().map(|(name, value)| (name.clone(), value.expose().to_owned()));
        let configured: BTreeMap<String, String> = configured.collect();
        let next = "write it as NAME: VALUE, on one line and without other characters than ASCII";
        let mut headers: HeaderMap = headers(&configured).map_err(|why| NotSent::new(why, next))?;
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let secrets = Secrets::new(address_and_headers(url.as_str(), &configured));
        Ok(Self { url, client, headers, secrets })
    }

    /// Its address, as it may be shown.
    pub fn shown(&self) -> String {
        shown(&self.url)
    }

    /// Whether others on the network can read what it is sent.
    pub fn is_exposed(&self) -> bool {
        self.url.scheme() == "http" && !is_loopback(&self.url)
    }

    /// Sends the body of one request. Gives what the collector did not take of it.
    ///
    /// # Errors
    /// Why it took nothing.
    pub async fn send(&self, body: String) -> Result<Option<Refused>, NotSent> {
        let asking = self.client.post(self.url.clone()).headers(self.headers.clone()).body(body);
        let mut response = asking.send().await.map_err(|error| self.unreachable(&error))?;
        let answer = beginning(&mut response).await;
        if response.status().is_success() {
            return Ok(refused(&answer).map(|said| Refused { why: self.secrets.hide(&said.why), ..said }));
        }
        Err(self.refusal(response.status(), &answer))
    }

    fn unreachable(&self, error: &reqwest::Error) -> NotSent {
        let shown = self.shown();
        if error.is_timeout() {
            let what = format!("the collector at {shown} did not answer within {} s", PATIENCE.as_secs());
            return NotSent::new(what, "see whether it runs, and try again later");
        }
        let next = if error.is_connect() {
            "see whether it runs and takes OTLP over HTTP (port 4318 is usual)".to_owned()
        } else {
            way_out(error, &shown)
        };
        NotSent::new(format!("the collector at {shown} cannot be reached: {}", cause(error)), next)
    }

    fn refusal(&self, status: StatusCode, answer: &[u8]) -> NotSent {
        let said = self.secrets.hide(&String::from_utf8_lossy(answer));
        let said = if said.is_empty() { said } else { format!(": {said}") };
        let next = match status.as_u16() {
            300..=399 => "name the address to which it leads; redirects are not followed",
            401 | 403 => "check the headers that it wants",
            404 | 405 => "check the address: traces go to /v1/traces unless it has a path of its own",
            413 | 429 | 500.. => "try again later; sent again, the same session has the same ids",
            _ => "see whether it takes OTLP over HTTP as JSON",
        };
        NotSent::new(format!("the collector at {} answered {status}{said}", self.shown()), next)
    }
}

/// The beginning of an answer. One that breaks off still says something, and the status says the rest.
async fn beginning(response: &mut Response) -> Vec<u8> {
    let mut answer = Vec::new();
    while let Ok(Some(bytes)) = response.chunk().await {
        answer.extend(bytes.iter().take(MOST_BYTES - answer.len()));
        if answer.len() == MOST_BYTES {
            break;
        }
    }
    answer
}
