//! How a model is reached: protocol, address, key.

use crate::wire::{Endpoint, Quirks};
pub use crate::wire::{Protocol, Secret};

/// Everything needed to call a model's server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connection {
    /// What is spoken.
    pub protocol: Protocol,
    /// Where, without a `/` at its end. Anthropic: without `/v1` (the path is `/v1/messages`). The others:
    /// with its `/v1` (the paths are `/chat/completions` and `/responses`).
    pub base_url: String,
    /// The key; `None` for servers that want none.
    pub key: Option<Secret>,
    /// What the user calls the key, for advice: `ANTHROPIC_API_KEY`.
    pub key_name: Option<String>,
    /// More headers, by name.
    pub headers: Vec<(String, Secret)>,
    /// How the server differs.
    pub quirks: Quirks,
    /// What the provider may run itself, by its own names.
    pub hosted_tools: Vec<String>,
}

impl Connection {
    /// The server, as the wire speaks to it.
    pub fn endpoint(&self) -> Endpoint {
        let mut endpoint = Endpoint::new(&self.base_url, self.key.clone());
        endpoint.key_name.clone_from(&self.key_name);
        endpoint.headers.clone_from(&self.headers);
        endpoint.quirks = self.quirks;
        endpoint.hosted_tools.clone_from(&self.hosted_tools);
        endpoint
    }
}

/// Checks an address that a person wrote.
///
/// # Errors
/// A sentence that does not repeat what may hold a password.
pub fn check_base_url(text: &str) -> Result<(), String> {
    let Some(rest) = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://")) else {
        return Err("must be an address that begins with https:// or http://".to_owned());
    };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if host.contains('@') {
        return Err("must be an address without a user name and password; name the key's variable in \
            api_key_env"
            .to_owned());
    }
    if host.is_empty()
        || host.starts_with(':')
        || rest.contains(|c: char| c.is_whitespace() || c.is_control())
    {
        return Err("must be an address with a host, as in https://models.example/v1".to_owned());
    }
    if rest.contains('#') {
        return Err("must be an address without `#`".to_owned());
    }
    Ok(())
}

/// Checks the address of a proxy that a person wrote.
///
/// # Errors
/// A sentence that does not repeat what may hold a password.
pub fn check_proxy(text: &str) -> Result<(), String> {
    let plain = text.replacen("socks5h://", "http://", 1).replacen("socks5://", "http://", 1);
    check_base_url(&plain).map_err(|_of_servers| {
        "must be the address of a proxy without a user name and password, as in http://proxy.example:3128 \
        or socks5h://127.0.0.1:1080; put one with a password into the variable HTTPS_PROXY"
            .to_owned()
    })
}

/// The address as [`Connection::base_url`] has it: people write it with and without `/v1`.
pub fn normal_base_url(protocol: Protocol, text: &str) -> String {
    let (address, query) = text.split_at(text.find('?').unwrap_or(text.len()));
    let bare = address.trim_end_matches('/');
    match protocol {
        Protocol::Anthropic => {
            let bare = bare.strip_suffix("/v1").unwrap_or(bare).trim_end_matches('/');
            format!("{bare}{query}")
        }
        Protocol::OpenAiChat | Protocol::OpenAiResponses if has_version(bare) => format!("{bare}{query}"),
        Protocol::OpenAiChat | Protocol::OpenAiResponses => format!("{bare}/v1{query}"),
    }
}

/// Whether a segment of the path names a version: `/v1`, `/v4`, `/v1beta/openai`.
fn has_version(address: &str) -> bool {
    let path = address.split("://").nth(1).unwrap_or(address);
    path.split('/').skip(1).any(|segment| {
        let mut letters = segment.chars();
        letters.next() == Some('v') && letters.next().is_some_and(|c| c.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_and_without_v1_is_the_same() {
        for written in ["http://h:1", "http://h:1/", "http://h:1/v1", "http://h:1/v1/"] {
            assert_eq!(normal_base_url(Protocol::Anthropic, written), "http://h:1");
            assert_eq!(normal_base_url(Protocol::OpenAiChat, written), "http://h:1/v1");
            assert_eq!(normal_base_url(Protocol::OpenAiResponses, written), "http://h:1/v1");
        }
        let chat = |written: &str| normal_base_url(Protocol::OpenAiChat, written);
        assert_eq!(chat("https://h/api/paas/v4"), "https://h/api/paas/v4");
        assert_eq!(chat("https://h/v1beta/openai/"), "https://h/v1beta/openai");
        assert_eq!(chat("https://h/proxy"), "https://h/proxy/v1");
        assert_eq!(chat("https://v1.h"), "https://v1.h/v1");
        assert_eq!(chat("https://h/?api-version=v2/x"), "https://h/v1?api-version=v2/x");
    }

    #[test]
    fn addresses_that_are_none() {
        for wrong in ["models.example", "ftp://h", "https://", "https://:80", "https://a b", "https://h#x"] {
            assert!(check_base_url(wrong).is_err(), "{wrong}");
        }
        let message = check_base_url("https://me:secret@h").unwrap_err();
        assert!(!message.contains("secret"));
        assert!(check_base_url("http://127.0.0.1:8080/v1").is_ok());
    }

    #[test]
    fn secrets_are_not_shown() {
        let connection = Connection {
            protocol: Protocol::Anthropic,
            base_url: "https://h".into(),
            key: Some(Secret::new("sk-1")),
            key_name: None,
            headers: vec![("x-extra".into(), Secret::new("sk-2"))],
            quirks: Quirks::default(),
            hosted_tools: vec![],
        };
        assert!(!format!("{connection:?}").contains("sk-"));
    }
}
