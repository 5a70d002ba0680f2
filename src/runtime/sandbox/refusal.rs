//! Whether the sandbox stood in a command's way, as far as its output tells.

use std::sync::LazyLock;

use grep_matcher::Matcher as _;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};

/// What programs print when the kernel says no.
static REFUSED: LazyLock<Option<RegexMatcher>> =
    LazyLock::new(|| any_of(&["permission denied", "operation not permitted", "EACCES", "EPERM"]));
/// What they print when there is no network.
static NO_NETWORK: LazyLock<Option<RegexMatcher>> = LazyLock::new(|| {
    any_of(&[
        "could not resolve host",
        "unable to resolve host",
        "temporary failure in name resolution",
        "temporary failure resolving",
        "name or service not known",
        "failed to lookup address",
        "network is unreachable",
        "bad address",
        "getaddrinfo",
        "socket: operation not permitted",
        "can't create socket",
        "couldn't connect to server",
    ])
});
/// At least the longest of the above.
const OVERLAP: usize = 64;

fn any_of(words: &[&str]) -> Option<RegexMatcher> {
    let built = RegexMatcherBuilder::new().case_insensitive(true).build(&words.join("|"));
    debug_assert!(built.is_ok(), "the words of a refusal are no pattern");
    built.inspect_err(|why| tracing::error!("refusals of the sandbox are not recognized: {why}")).ok()
}

/// Listens to the output of a confined command; keeps a few bytes of it.
#[derive(Debug, Default)]
pub(in crate::runtime) struct Refusals {
    tail: Vec<u8>,
    refused: bool,
    no_network: bool,
}

impl Refusals {
    /// Takes in what came.
    pub(in crate::runtime) fn push(&mut self, bytes: &[u8]) {
        let (first, last) = (bytes.len().min(OVERLAP), bytes.len().saturating_sub(OVERLAP));
        self.tail.extend_from_slice(bytes.get(..first).unwrap_or_default());
        for text in [self.tail.as_slice(), bytes] {
            self.refused = self.refused || holds(&REFUSED, text);
            self.no_network = self.no_network || holds(&NO_NETWORK, text);
        }
        if bytes.len() >= OVERLAP {
            self.tail = bytes.get(last..).unwrap_or_default().to_vec();
        } else {
            self.tail.drain(..self.tail.len().saturating_sub(OVERLAP));
        }
    }

    /// For a command that failed: that the sandbox may be why, in a sentence; `None` when nothing points to it.
    pub(in crate::runtime) fn sentence(&self, network_is_allowed: bool) -> Option<&'static str> {
        match (self.no_network && !network_is_allowed, self.refused) {
            (true, _) => Some(
                "the sandbox may have blocked this: it has no network, not even to this machine; the call can be requested without the sandbox",
            ),
            (false, true) => Some(
                "the sandbox may have blocked this: a command in it writes only in the workspace and $TMPDIR, cannot read secrets, and has no sockets; the call can be requested without the sandbox",
            ),
            (false, false) => None,
        }
    }
}

fn holds(words: &LazyLock<Option<RegexMatcher>>, text: &[u8]) -> bool {
    words.as_ref().is_some_and(|words| words.is_match(text).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(pieces: &[&str]) -> Refusals {
        let mut refusals = Refusals::default();
        pieces.iter().for_each(|piece| refusals.push(piece.as_bytes()));
        refusals
    }

    #[test]
    fn a_refusal_is_heard_across_pieces_and_names_what_was_refused() {
        let written = heard(&["sh: 1: cannot create /etc/x: Permis", "sion denied\n"]);
        assert!(written.sentence(false).unwrap().contains("only in the workspace"));
        let fetched = heard(&["curl: (6) Could not resolve host: a.test"]);
        assert!(fetched.sentence(false).unwrap().contains("no network"));
        assert_eq!(fetched.sentence(true), None, "then it was not the sandbox");
        assert_eq!(heard(&["error[E0308]: mismatched types"]).sentence(false), None);
    }

    #[test]
    fn however_much_comes_little_is_kept() {
        let mut refusals = Refusals::default();
        (0..1000).for_each(|_| refusals.push(&[b'x'; 4096]));
        assert!(refusals.tail.len() <= OVERLAP);
    }
}
