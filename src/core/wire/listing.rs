//! The question for a list of models, by which a key is tested: it costs nothing, and needs the key.

use super::anthropic;
use super::call::{Endpoint, HttpCall, Secret};
use super::protocol::Protocol;

/// A GET without a body.
pub(super) fn encode(protocol: Protocol, endpoint: &Endpoint) -> HttpCall {
    let mut headers = match protocol {
        Protocol::Anthropic => anthropic::headers(endpoint),
        Protocol::OpenAiChat | Protocol::OpenAiResponses => endpoint.bearer_headers(),
    };
    // A stream is what the protocols' own calls want; some servers have no list to stream.
    headers.retain(|(name, _)| name != "accept");
    headers.push(("accept".to_owned(), Secret::new("application/json")));
    // This one shows its list to everybody; what it says about a key is shown to the key's holder alone.
    let path = if endpoint.host() == "openrouter.ai" { "key" } else { "models" };
    HttpCall { url: endpoint.url(path), headers, body: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_protocol_asks_below_its_version_with_its_key() {
        for (protocol, base, url, header) in [
            (Protocol::Anthropic, "https://h", "https://h/v1/models", "x-api-key"),
            (Protocol::OpenAiChat, "https://h/v1", "https://h/v1/models", "authorization"),
            (Protocol::OpenAiResponses, "https://h/api/v4", "https://h/api/v4/models", "authorization"),
            (
                Protocol::OpenAiChat,
                "https://openrouter.ai/api/v1",
                "https://openrouter.ai/api/v1/key",
                "authorization",
            ),
        ] {
            let call = encode(protocol, &Endpoint::new(base, Some(Secret::new("sk-1"))));
            assert_eq!(call.url, url);
            assert!(call.body.is_empty() && call.headers.iter().any(|(name, _)| name == header), "{base}");
        }
    }
}
