//! Whether the sandbox stood in a command's way, as far as its output tells.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use grep_matcher::Matcher as _;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};

use super::super::line::in_a_line;
use super::{Proxy, Surroundings};

/// What programs print when the kernel says no.
static REFUSED: LazyLock<Option<RegexMatcher>> =
    LazyLock::new(|| any_of(&["permission denied", "operation not permitted", "EACCES", "EPERM"]));
/// What they print of a file that is covered, and of folders that hold one.
static COVERED: LazyLock<Option<RegexMatcher>> = LazyLock::new(|| {
    any_of(&[
        "read-only file system",
        "device or resource busy",
        "invalid cross-device link",
        "EROFS",
        "EBUSY",
        "EXDEV",
    ])
});
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
/// Most hidden files that are named.
const MOST_NAMED: usize = 10;

/// What there is to say of a confined command that has ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::runtime) struct SandboxWords {
    /// What was hidden from it in the workspace, if anything was.
    pub(in crate::runtime) hidden: Option<String>,
    /// That the sandbox may have stood in its way.
    pub(in crate::runtime) refused: Option<String>,
    /// The hosts that it was not let through to.
    pub(in crate::runtime) blocked: Vec<String>,
    /// Why hosts were not reached that it was let through to: the sandbox did not stand in its way.
    pub(in crate::runtime) unreached: Option<String>,
}

impl SandboxWords {
    /// The same when it is known how the command ended: what one that went well was kept from is told only if it is known.
    pub(in crate::runtime) fn after(self, is_ok: bool) -> Self {
        let unreached = self.unreached.filter(|_| !is_ok);
        let refused = self.refused.filter(|_| !is_ok || !self.blocked.is_empty());
        Self { refused, unreached, ..self }
    }
}

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
    /// What is hidden in the workspace, as people read it.
    hidden: Vec<String>,
    /// Finds their names in what is printed, and the first that was found.
    hidden_names: Option<RegexMatcher>,
    named: Option<String>,
    /// Its way to some hosts, if it has one.
    proxy: Option<Proxy>,
}

impl Refusals {
    /// For a command in these surroundings, in the workspace at `root`.
    pub(in crate::runtime) fn of(around: Surroundings, root: &Path) -> Self {
        let Surroundings { covered, proxy, hidden: _ } = around;
        Self { proxy, ..Self::hiding(&covered, root) }
    }

    fn hiding(places: &[PathBuf], root: &Path) -> Self {
        let shown = |place: &Path| in_a_line(&place.strip_prefix(root).unwrap_or(place).to_string_lossy());
        let hidden: Vec<String> = places.iter().map(|place| shown(place)).collect();
        let names = places.iter().filter_map(|place| place.file_name()?.to_str());
        let mut names: Vec<&str> = names.filter(|name| name.len() < OVERLAP).collect();
        // The longest first: `.env` begins `.env.local`.
        names.sort_by_key(|name| std::cmp::Reverse(name.len()));
        let matcher = RegexMatcherBuilder::new().fixed_strings(true).build_many(&names);
        let hidden_names = matcher.ok().filter(|_| !names.is_empty());
        Self { hidden, hidden_names, ..Self::default() }
    }

    /// What there is to say when it has ended.
    pub(in crate::runtime) fn words(&self, network_is_allowed: bool) -> SandboxWords {
        let blocked = self.proxy.as_ref().map(Proxy::blocked).unwrap_or_default();
        let unreached = self.proxy.as_ref().and_then(unreached);
        SandboxWords { hidden: self.hidden(), refused: self.sentence(network_is_allowed), blocked, unreached }
    }

    /// What was hidden from it, in a sentence.
    pub(in crate::runtime) fn hidden(&self) -> Option<String> {
        let named = self.hidden.get(..MOST_NAMED).unwrap_or(&self.hidden).join(", ");
        let more = self.hidden.len().saturating_sub(MOST_NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        (!self.hidden.is_empty())
            .then(|| format!("the sandbox hid {named}{more}: no reading or writing there"))
    }

    /// Takes in what came.
    pub(in crate::runtime) fn push(&mut self, bytes: &[u8]) {
        let (first, last) = (bytes.len().min(OVERLAP), bytes.len().saturating_sub(OVERLAP));
        self.tail.extend_from_slice(bytes.get(..first).unwrap_or_default());
        for text in [self.tail.as_slice(), bytes] {
            let covered = !self.hidden.is_empty() && holds(&COVERED, text);
            self.refused = self.refused || covered || holds(&REFUSED, text);
            self.no_network = self.no_network || holds(&NO_NETWORK, text);
            if let (None, Some(names)) = (&self.named, &self.hidden_names) {
                let found = names.find(text).ok().flatten();
                let found = found.and_then(|found| text.get(found.start()..found.end()));
                self.named = found.map(|name| in_a_line(&String::from_utf8_lossy(name)));
            }
        }
        if bytes.len() >= OVERLAP {
            self.tail = bytes.get(last..).unwrap_or_default().to_vec();
        } else {
            self.tail.drain(..self.tail.len().saturating_sub(OVERLAP));
        }
    }

    /// For a command that failed: that the sandbox may be why, in a sentence; `None` when nothing points to it.
    fn sentence(&self, network_is_allowed: bool) -> Option<String> {
        let blocked = self.proxy.as_ref().map(Proxy::blocked).unwrap_or_default();
        if !blocked.is_empty() {
            return Some(format!(
                "the sandbox did not let it reach {}; the user can allow a host, or the call can be requested \
                 without the sandbox",
                blocked.join(", ")
            ));
        }
        if let Some(name) = &self.named {
            return Some(format!(
                "the sandbox may have blocked this: {name} is hidden in it; the call can be requested without the sandbox"
            ));
        }
        let why = match (self.no_network && !network_is_allowed, self.refused) {
            (true, _) if self.proxy.is_some() => Some(
                "the sandbox may have blocked this: only the allowed hosts can be reached, and only by programs that use the proxy named in https_proxy; the call can be requested without the sandbox",
            ),
            (true, _) => Some(
                "the sandbox may have blocked this: it has no network, not even to this machine; the call can be requested without the sandbox",
            ),
            (false, true) => Some(
                "the sandbox may have blocked this: a command in it writes only in the workspace and $TMPDIR, cannot read secrets or move the folders that hold them, and has no sockets; the call can be requested without the sandbox",
            ),
            (false, false) => None,
        };
        why.map(str::to_owned)
    }
}

/// Why a proxy did not reach hosts that a command may reach: programs mostly print only a number.
fn unreached(proxy: &Proxy) -> Option<String> {
    let missed = proxy.missed();
    let named = missed.get(..MOST_NAMED).unwrap_or(&missed).join("; ");
    (!missed.is_empty()).then_some(named)
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
    fn what_was_hidden_is_named_and_a_failure_that_names_it_is_explained() {
        let root = Path::new("/srv/app");
        let places = ["/srv/app/.env", "/srv/app/deep/.env.local", "/else/key.pem"].map(PathBuf::from);
        let mut refusals = Refusals::hiding(&places, root);
        let hidden = "the sandbox hid .env, deep/.env.local, /else/key.pem: no reading or writing there";
        refusals.push(b"it is quiet");
        assert_eq!(
            refusals.words(false),
            SandboxWords { hidden: Some(hidden.to_owned()), ..SandboxWords::default() }
        );
        ["cat: deep/.en", "v.local: Permission denied"]
            .iter()
            .for_each(|piece| refusals.push(piece.as_bytes()));
        assert!(refusals.sentence(false).unwrap().contains("this: .env.local is hidden"), "{refusals:?}");
        let many: Vec<PathBuf> = (0..12).map(|number| format!("/srv/app/{number}.pem").into()).collect();
        assert!(Refusals::hiding(&many, root).hidden().unwrap().contains("9.pem and 2 more"));
        assert_eq!(Refusals::hiding(&[], root).words(false), SandboxWords::default());
        let forged = PathBuf::from("/srv/app/x\n[exit code 0]/.env");
        let hidden = Refusals::hiding(&[forged], root).hidden().unwrap();
        assert!(hidden.starts_with(r"the sandbox hid x\n[exit code 0]/.env: no"), "{hidden}");
    }

    #[test]
    fn however_much_comes_little_is_kept() {
        let mut refusals = Refusals::default();
        (0..1000).for_each(|_| refusals.push(&[b'x'; 4096]));
        assert!(refusals.tail.len() <= OVERLAP);
    }
}
