//! Other people's formats: a [`Request`] becomes bytes, bytes become model news. Nothing here waits or reads a clock.
//!
//! A protocol is a pair: an encoder (`Request` to [`HttpCall`]) and a [`Decoder`] that takes the answer's body in
//! any pieces. What is common to all lives beside them: the event stream ([`sse`]), where and with which key
//! to call ([`Endpoint`]), call ids, and how an error answer reads ([`http_failure`]).

pub mod a2a;
mod answer_format;
mod anthropic;
mod base64;
mod body;
mod bulk;
mod call;
mod charge;
mod decoder;
mod delay;
mod failure;
pub mod foreign;
mod hidden_key;
pub mod hook;
mod ids;
mod image;
mod joining;
mod key_body;
mod listing;
mod openai_chat;
mod openai_responses;
pub mod otlp;
mod protocol;
pub mod record;
mod report;
pub mod script;
mod sizes;
pub mod sse;
pub mod string_mode;
mod unescaped;

pub use base64::base64;
pub use bulk::{Bulk, MOST_VALUES};
pub use call::{Endpoint, HttpCall, Quirks, Secret, strike};
pub use decoder::Decoder;
pub use failure::http_failure;
pub use hidden_key::{SeveralLines, has_key, without_key};
pub use image::{NoImage, NoPicture, Picture, recognize, to_image};
pub use key_body::KeyBody;
pub use protocol::Protocol;
pub use unescaped::unescaped;

use crate::model::Request;

/// Nothing, or `_20250305`.
fn is_version(end: &str) -> bool {
    let digits = |date: &str| date.len() == 8 && date.bytes().all(|b| b.is_ascii_digit());
    end.is_empty() || end.strip_prefix('_').is_some_and(digits)
}

impl Protocol {
    /// The HTTP call that asks for one streamed answer.
    pub fn encode(self, request: &Request, endpoint: &Endpoint) -> HttpCall {
        match self {
            Self::Anthropic => anthropic::encode(request, endpoint),
            Self::OpenAiChat => openai_chat::encode(request, endpoint),
            Self::OpenAiResponses => openai_responses::encode(request, endpoint),
        }
    }

    /// The smallest question that a key must be right for, sent as a GET: no model is asked, nothing is spent.
    pub fn encode_listing(self, endpoint: &Endpoint) -> HttpCall {
        listing::encode(self, endpoint)
    }

    /// What reads the body of a `200` answer: a stream, or the whole answer as JSON.
    pub fn decoder(self) -> Decoder {
        Decoder::new(self)
    }

    /// Names of the tools that a provider of this protocol can run itself.
    pub fn hosted_tools(self) -> Vec<&'static str> {
        match self {
            Self::Anthropic => anthropic::HOSTED_TOOLS.iter().map(|(name, _)| *name).collect(),
            Self::OpenAiChat => Vec::new(),
            Self::OpenAiResponses => openai_responses::HOSTED_TOOLS.to_vec(),
        }
    }

    /// Whether it can run the tool of this name, which may end in a version: `web_search_20250305`.
    pub fn hosts(self, tool: &str) -> bool {
        self.hosted_tools().iter().any(|known| tool.strip_prefix(known).is_some_and(is_version))
    }
}
