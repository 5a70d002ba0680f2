//! Where to call, with which key, and the call itself.

use std::fmt;

use crate::model::{FailureClass, ModelFailure};

/// A text that must never be shown: keys and header values. Its `Debug` says nothing.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Keeps `text`, without white space around it (keys read from files end in a newline).
    pub fn new(text: impl AsRef<str>) -> Self {
        Self(text.as_ref().trim().to_owned())
    }

    /// The text itself: for the wire alone.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// `text` with every occurrence of the secret blotted out.
    pub fn redact(&self, text: &str) -> String {
        // Shorter ones are placeholders ("x", "none") and would blot out innocent words.
        if self.0.len() < 6 { text.to_owned() } else { strike(text, &self.0, "[key]") }
    }
}

/// `text` with `instead` in the place of each occurrence of `secret`, in large letters and small: somebody who says a key
/// back may have changed them. One that is encoded is not known again.
pub fn strike(text: &str, secret: &str, instead: &str) -> String {
    let (small, secret) = (text.to_ascii_lowercase(), secret.to_ascii_lowercase());
    if secret.is_empty() {
        return text.to_owned();
    }
    // To make ASCII letters small moves no byte, so what is found in one is found in the other.
    let (mut struck, mut after) = (String::new(), 0);
    for (at, _) in small.match_indices(&secret) {
        struck.push_str(text.get(after..at).unwrap_or_default());
        struck.push_str(instead);
        after = at + secret.len();
    }
    struck.push_str(text.get(after..).unwrap_or_default());
    struck
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// A server and how to speak to it.
#[derive(Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// With or without a trailing `/v1` or `/`.
    pub base_url: String,
    /// The key; a local server may want none.
    pub key: Option<Secret>,
    /// What the user calls the key, for advice: `ANTHROPIC_API_KEY`.
    pub key_name: Option<String>,
    /// Sent with every call, after ours: they win.
    pub headers: Vec<(String, Secret)>,
    /// What the provider may run itself, by its own names; none unless a person said so.
    pub hosted_tools: Vec<String>,
    /// How this server differs.
    pub quirks: Quirks,
}

impl Quirks {
    /// What a refusal of the request teaches: quirks with which the same request may be taken. `None` when it
    /// teaches nothing new.
    pub fn learn(self, refusal: &ModelFailure) -> Option<Self> {
        let names =
            |words: &str| refusal.class == FailureClass::BadRequest && refusal.message.contains(words);
        let mut learned = self;
        if names("stream_options") {
            learned.without_stream_options = true;
        }
        if names("max_tokens") && names("max_completion_tokens") && names("instead") {
            learned.max_completion_tokens = Some(true);
        }
        if refusal.message.contains("`reasoning_content`") && refusal.message.contains("must be passed back")
        {
            learned.reasoning_content = Some(true);
        }
        if names("ncrypted content is not supported") {
            learned.without_sealed_reasoning = true;
        }
        if names("reasoning summaries") || names("reasoning.summary") {
            learned.without_reasoning_summary = true;
        }
        if names("prompt_cache_key") {
            learned.without_cache_key = true;
        }
        if names("thinking") && names("display") {
            learned.without_thinking_display = true;
        } else if names("thinking") && names("adaptive") {
            learned.without_thinking_unasked = true;
        }
        if names("roles must alternate") || names("after role 'tool'") {
            learned.strict_order = Some(true);
        }
        if names("ool call id") && names("length of 9") {
            learned.nine_letter_ids = Some(true);
        }
        (learned != self).then_some(learned)
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("url", &self.shown_url())
            .field("key", &self.key)
            .field("key_name", &self.key_name)
            .field("headers", &self.headers)
            .field("quirks", &self.quirks)
            .finish_non_exhaustive()
    }
}

/// How a server differs from the protocol's own vendor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Quirks {
    /// Chat: never ask for usage by `stream_options`; the server refuses it.
    pub without_stream_options: bool,
    /// Chat: whether the output limit is called `max_completion_tokens`; `None` goes by the host.
    pub max_completion_tokens: Option<bool>,
    /// Chat: whether each assistant message with calls must carry `reasoning_content`; `None` goes by the host.
    pub reasoning_content: Option<bool>,
    /// Responses: do not ask for summaries of reasoning; the account may not see them.
    pub without_reasoning_summary: bool,
    /// Responses: do not ask for sealed reasoning; the model has none.
    pub without_sealed_reasoning: bool,
    /// Responses: send no `prompt_cache_key`; the server refuses it.
    pub without_cache_key: bool,
    /// Anthropic: do not ask for thinking to be shown; the server does not know the word.
    pub without_thinking_display: bool,
    /// Anthropic: do not ask a model to think when nobody chose an effort; the server refuses adaptive thinking.
    pub without_thinking_unasked: bool,
    /// Chat: whether ids of calls must be nine letters or digits; `None` goes by the host.
    pub nine_letter_ids: Option<bool>,
    /// Chat: whether users and assistants must take turns, and no user may follow a tool's result; `None` goes by
    /// the host.
    pub strict_order: Option<bool>,
    /// Anthropic: send the key as `authorization: Bearer` and not as `x-api-key`.
    pub bearer: bool,
}

impl Endpoint {
    /// A server without extra headers or quirks.
    pub fn new(base_url: impl Into<String>, key: Option<Secret>) -> Self {
        Self {
            base_url: base_url.into(),
            key,
            key_name: None,
            headers: Vec::new(),
            hosted_tools: Vec::new(),
            quirks: Quirks::default(),
        }
    }

    /// What every call to a server of OpenAI's two protocols carries.
    pub(super) fn bearer_headers(&self) -> Vec<(String, Secret)> {
        let mut headers = vec![
            ("content-type".to_owned(), Secret::new("application/json")),
            ("accept".to_owned(), Secret::new("text/event-stream")),
        ];
        if let Some(key) = &self.key {
            headers.push(("authorization".to_owned(), Secret::new(format!("Bearer {}", key.expose()))));
        }
        headers.extend(self.headers.iter().map(|(name, value)| (name.to_ascii_lowercase(), value.clone())));
        headers
    }

    /// The base URL as it may be shown: without user, password and query, which may hold secrets.
    pub fn shown_url(&self) -> String {
        let plain = self.base_url.trim().split(['?', '#']).next().unwrap_or_default();
        let Some((scheme, rest)) = plain.split_once("://") else { return plain.to_owned() };
        let (authority, path) = rest.split_once('/').map_or((rest, ""), |(a, p)| (a, p));
        let host = authority.rsplit('@').next().unwrap_or_default();
        format!("{scheme}://{host}/{path}").trim_end_matches('/').to_owned()
    }

    /// Host of the base URL, in lower case, without port.
    pub(super) fn host(&self) -> String {
        let shown = self.shown_url();
        let rest = shown.split_once("://").map_or(shown.as_str(), |(_, rest)| rest);
        rest.split(['/', ':']).next().unwrap_or_default().to_ascii_lowercase()
    }

    /// The URL of `path` below the API's version folder. A base without any version folder gets `/v1`.
    pub(super) fn url(&self, path: &str) -> String {
        let (base, query) = match self.base_url.trim().split_once('?') {
            Some((base, query)) => (base, format!("?{query}")),
            None => (self.base_url.trim(), String::new()),
        };
        let base = base.trim_end_matches('/');
        let base = base.strip_suffix(path).unwrap_or(base).trim_end_matches('/');
        let folder = base.split_once("://").map_or(base, |(_, rest)| rest);
        let versioned = folder.split('/').skip(1).any(is_version);
        let version = if versioned { "" } else { "/v1" };
        format!("{base}{version}/{path}{query}")
    }
}

/// `v1`, `v4`, `v1beta`.
fn is_version(folder: &str) -> bool {
    folder.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// One HTTP POST, ready to be sent.
#[derive(Clone, PartialEq, Eq)]
pub struct HttpCall {
    /// Where to.
    pub url: String,
    /// Names in lower case; a later one of the same name replaces an earlier one.
    pub headers: Vec<(String, Secret)>,
    /// JSON.
    pub body: Vec<u8>,
}

impl fmt::Debug for HttpCall {
    /// The address and sizes alone: headers and URL may hold secrets, the body what the user said.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.headers.iter().map(|(name, _)| name).collect();
        f.debug_struct("HttpCall")
            .field("headers", &names)
            .field("body_bytes", &self.body.len())
            .finish_non_exhaustive()
    }
}
