//! What must not stand in a sentence about somebody else's server: the values that it was configured with, which may be keys.

use std::collections::BTreeMap;
use std::fmt;

use reqwest::Url;

use super::super::tools::is_secret_header;
use super::words::{IN_A_SENTENCE, one_line};
use crate::wire::{Secret, strike};

/// Values of fewer bytes are words like `1` and `true`, which would be struck out of every sentence.
const SHORTEST_SECRET: usize = 6;
/// What says that a text was cut.
const CUT: char = '…';
/// Fewer characters of the beginning of a key say nothing of it.
const SHORTEST_BEGINNING: usize = 4;
/// What stands before a key in a header, and is none.
const SCHEMES: [&str; 5] = ["apikey", "basic", "bearer", "digest", "token"];

/// Values that may be keys.
pub(in crate::runtime) struct Secrets(Vec<String>);

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secrets(…)")
    }
}

impl Secrets {
    /// These values, and no others.
    pub(in crate::runtime) fn new(values: impl IntoIterator<Item = String>) -> Self {
        let mut values: Vec<String> =
            values.into_iter().filter(|value| value.len() >= SHORTEST_SECRET).collect();
        // The longest first: a part of it would leave the rest to be read.
        values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        Self(values)
    }

    /// The text without the secrets.
    pub(in crate::runtime) fn strike(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, value| strike(&text, value, "[hidden]"))
    }

    /// The same on one line that fits a sentence.
    pub(in crate::runtime) fn hide(&self, text: &str) -> String {
        one_line(&self.strike(text), IN_A_SENTENCE)
    }

    /// The text with `instead` in the place of each secret. It may have been cut before: where `…` says so, the beginning of a
    /// secret goes, too.
    pub(in crate::runtime) fn strike_cut(&self, text: &str, instead: &str) -> String {
        let struck = self.0.iter().fold(text.to_owned(), |text, value| strike(&text, value, instead));
        let mut whole = String::with_capacity(struck.len());
        for piece in struck.split_inclusive(CUT) {
            match piece.strip_suffix(CUT).and_then(|piece| self.before_a_beginning(piece)) {
                Some(before) => whole.extend([before, instead, "…"]),
                None => whole.push_str(piece),
            }
        }
        whole
    }

    /// What stands before the beginning of a secret with which the text ends.
    fn before_a_beginning<'t>(&self, text: &'t str) -> Option<&'t str> {
        let small = text.to_ascii_lowercase();
        let lengths = self.0.iter().filter_map(|secret| {
            let secret = secret.to_ascii_lowercase();
            let is_there =
                |end: &usize| secret.get(..*end).is_some_and(|beginning| small.ends_with(beginning));
            (SHORTEST_BEGINNING..secret.len()).rev().find(is_there)
        });
        text.get(..text.len().saturating_sub(lengths.max()?))
    }
}

/// What may be keys in the path of an address, as it was given and as it stands there.
pub(in crate::runtime) fn in_path(given: &[Secret]) -> impl Iterator<Item = String> {
    given.iter().flat_map(|secret| {
        let written = Url::parse("http://host/").ok().map(|mut url| {
            url.set_path(secret.expose());
            url.path().trim_start_matches('/').to_owned()
        });
        written.into_iter().chain([secret.expose().to_owned()])
    })
}

/// The parts of an address and its headers that may be keys: the query and its values, a name and a password
/// before the host, the values of the headers, and the words of these where a scheme or the name of the
/// header says that one is a key. The words of a title are words that every server says.
pub(in crate::runtime) fn address_and_headers(
    url: &str,
    headers: &BTreeMap<String, String>,
) -> impl Iterator<Item = String> {
    let asked = url.split_once('?').map(|(_, rest)| rest.to_owned());
    let host = url.split_once("://").and_then(|(_, rest)| rest.split(['/', '?', '#']).next());
    let login = host.and_then(|host| host.rsplit_once('@')).map(|(login, _)| login.to_owned());
    let password = login.as_ref().and_then(|login| login.split_once(':')).map(|(_, word)| word.to_owned());
    // `Bearer KEY` is said back as `KEY`, too, also behind a scheme that nobody here knows.
    let with_keys = headers.iter().filter(|(name, value)| {
        is_secret_header(name) || value.split_whitespace().next().is_some_and(is_scheme)
    });
    let words = with_keys.flat_map(|(_, value)| value.split_whitespace());
    let words = words.filter(|word| !is_scheme(word)).map(str::to_owned);
    headers.values().cloned().chain(words).chain(asked).chain(in_query(url)).chain(login).chain(password)
}

fn is_scheme(word: &str) -> bool {
    SCHEMES.contains(&word.to_ascii_lowercase().as_str())
}

/// The query as it is sent, and its values, as they are written and as they are meant. The version of what is asked is no key, and
/// servers speak of it.
fn in_query(url: &str) -> Vec<String> {
    let written = url.split_once('?').map_or("", |(_, query)| query).split('#').next().unwrap_or_default();
    let parsed = Url::parse(url).ok();
    let sent = parsed.as_ref().and_then(Url::query).unwrap_or_default();
    let mut all = vec![sent.to_owned()];
    for query in [written, sent] {
        let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        all.extend(pairs.filter(|(name, _)| !name.contains("version")).map(|(_, value)| value.to_owned()));
    }
    let meant = parsed.iter().flat_map(Url::query_pairs);
    all.extend(meant.filter(|(name, _)| !name.contains("version")).map(|(_, value)| value.into_owned()));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_not_said() {
        let headers = BTreeMap::from([("authorization".to_owned(), "Bearer key-1234567".to_owned())]);
        let address = "https://me:secret-word@x.test/mcp?key=abcdefgh";
        let others = ["of-an-argument".to_owned(), "true".to_owned()];
        let secrets = Secrets::new(address_and_headers(address, &headers).chain(others));
        let said = secrets.hide(
            "no: Bearer key-1234567 (KEY-1234567) at secret-word@x.test?key=abcdefgh of-an-argument true",
        );
        assert_eq!(said, "no: [hidden] ([hidden]) at [hidden]@x.test?[hidden] [hidden] true");
    }

    #[test]
    fn words_of_a_header_are_no_keys_unless_a_scheme_or_its_name_says_so() {
        for (name, value, left) in [
            ("X-Title", "My assistant", "The assistant model is overloaded: my-key-42"),
            ("Authorization", "SSWS my-key-42", "The assistant model is overloaded: [hidden]"),
            ("X-Amz-Credential", "v4 my-key-42", "The assistant model is overloaded: [hidden]"),
            ("x-hub-signature", "v4 my-key-42", "The assistant model is overloaded: [hidden]"),
            ("x-github-pat", "v4 my-key-42", "The assistant model is overloaded: [hidden]"),
            ("X-Team", "bearer my-key-42", "The assistant model is overloaded: [hidden]"),
            ("X-Title", "assistant", "The [hidden] model is overloaded: my-key-42"),
        ] {
            let headers = BTreeMap::from([(name.to_owned(), value.to_owned())]);
            let secrets = Secrets::new(address_and_headers("https://x.test", &headers));
            assert_eq!(
                secrets.strike("The assistant model is overloaded: my-key-42"),
                left,
                "{name}: {value}"
            );
        }
    }

    #[test]
    fn what_a_query_holds_is_known_whole_and_in_parts() {
        let address = "https://x.test/v1?api-version=2024-10-21&key=of%20the-query&sig=planted";
        let secrets = Secrets::new(address_and_headers(address, &BTreeMap::new()));
        for (said, left) in [
            ("no: of%20the-query", "no: [hidden]"),
            ("no: Of The-Query", "no: [hidden]"),
            ("no sig planted", "no sig [hidden]"),
            ("version 2024-10-21 is not supported", "version 2024-10-21 is not supported"),
        ] {
            assert_eq!(secrets.strike(said), left);
        }
    }

    #[test]
    fn what_is_left_of_a_key_that_was_cut_is_not_said() {
        let headers = BTreeMap::from([("x-team".to_owned(), "Bearer planted-key-42".to_owned())]);
        let secrets = Secrets::new(address_and_headers("https://x.test", &headers));
        for (said, left) in [
            ("no: planted-key-4… (HTTP 401)", "no: [key]… (HTTP 401)"),
            ("no: PLAN…: Bearer planted-k…", "no: [key]…: [key]…"),
            ("no: pla…", "no: pla…"),
            ("planted… and a Bearer token, planted-key-4", "[key]… and a Bearer token, planted-key-4"),
            ("planted-key-42… é…", "[key]… é…"),
            ("plain", "plain"),
            ("", ""),
        ] {
            assert_eq!(secrets.strike_cut(said, "[key]"), left);
        }
    }

    #[test]
    fn a_key_in_a_path_is_known_as_it_was_given_and_as_it_is_written_there() {
        let secrets = Secrets::new(in_path(&[Secret::new("key of/a path")]));
        for said in ["http://h.test/s/key%20of/a%20path/mcp", "http://h.test/s/key of/a path/mcp"] {
            assert_eq!(secrets.strike(said), "http://h.test/s/[hidden]/mcp");
        }
    }

    #[test]
    fn a_key_that_contains_another_is_hidden_whole() {
        let (short, long) = ("secret", "the-secret-of-all");
        for values in [[short, long], [long, short]] {
            let secrets = Secrets::new(values.map(str::to_owned));
            assert_eq!(secrets.hide("at the-secret-of-all and secret"), "at [hidden] and [hidden]");
        }
    }
}
