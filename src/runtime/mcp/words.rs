//! A server's own words, made fit for people and models: nothing that hides, reorders or steers, no keys, and an end.

use std::error::Error;

use crate::policy::shell::conceals;

use super::server::{McpServer, McpWay};

/// Most characters of a server's words in one of our sentences.
pub(super) const IN_A_SENTENCE: usize = 300;
/// Values of fewer bytes are words like `1` and `true`, which would be struck out of every sentence.
const SHORTEST_SECRET: usize = 6;

/// The text without control characters (newlines stay, tabs become spaces), overrides of direction and invisible
/// characters; at most `most` characters, the last of which says that there were more.
pub(super) fn plain(text: &str, most: usize) -> String {
    let mut kept = text.chars().filter_map(|c| match c {
        '\n' => Some('\n'),
        '\t' => Some(' '),
        _ if conceals(c) => None,
        _ => Some(c),
    });
    let mut plain: String = kept.by_ref().take(most).collect();
    if kept.next().is_some() {
        plain.pop();
        plain.push('…');
    }
    plain
}

/// The same on one line.
pub(super) fn one_line(text: &str, most: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    plain(&words.join(" "), most)
}

/// What must not stand in a sentence about a server: the values that it was configured with, which may be keys.
pub(super) struct Secrets(Vec<String>);

impl Secrets {
    pub(super) fn of(server: &McpServer) -> Self {
        let mut values: Vec<String> = match &server.way {
            McpWay::Command { env, .. } => env.values().cloned().collect(),
            McpWay::Http { url, headers } => {
                let asked = url.split_once('?').map(|(_, rest)| rest.to_owned());
                // `Bearer KEY` is said back as `KEY`, too.
                let words = headers.values().flat_map(|value| value.split_whitespace().map(str::to_owned));
                headers.values().cloned().chain(words).chain(asked).collect()
            }
        };
        values.extend(server.secrets.iter().map(|secret| secret.expose().to_owned()));
        values.retain(|value| value.len() >= SHORTEST_SECRET);
        // The longest first: a part of it would leave the rest to be read.
        values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        Self(values)
    }

    /// The words of a server, without its secrets, on one line that fits a sentence.
    pub(super) fn hide(&self, text: &str) -> String {
        let hidden = self.0.iter().fold(text.to_owned(), |text, value| text.replace(value, "[hidden]"));
        one_line(&hidden, IN_A_SENTENCE)
    }
}

/// The innermost cause of an error: the outer ones only say that something failed, and name addresses.
pub(super) fn cause(error: &(dyn Error + 'static)) -> String {
    let mut innermost = error;
    while let Some(inner) = innermost.source() {
        innermost = inner;
    }
    innermost.to_string()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::wire::Secret;

    #[test]
    fn nothing_hides_or_steers() {
        assert_eq!(plain("a\u{1b}[31mb\u{202e}c\u{200b}d\te\nf\u{e0041}", 99), "a[31mbcd e\nf");
        assert_eq!(plain("hällo", 5), "hällo");
        assert_eq!(plain("hällo!", 5), "häll…");
        assert_eq!(one_line(" a\n\n b\u{7}\r\nc ", 99), "a b c");
    }

    #[test]
    fn keys_are_not_said() {
        let headers = BTreeMap::from([("authorization".to_owned(), "Bearer key-1234567".to_owned())]);
        let way = McpWay::Http { url: "https://x.test/mcp?key=abcdefgh".to_owned(), headers };
        let server = McpServer {
            name: "x".to_owned(),
            way,
            reads: Vec::new(),
            secrets: vec![Secret::new("of-an-argument")],
            start_ms: 1,
            call_ms: None,
        };
        let said =
            Secrets::of(&server).hide("no: Bearer key-1234567 (key-1234567) at ?key=abcdefgh of-an-argument");
        assert_eq!(said, "no: [hidden] ([hidden]) at ?[hidden] [hidden]");
    }
}
