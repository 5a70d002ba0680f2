//! One line of the chain held against its own hashes: what can be said of it without those before it.

use memchr::memmem;
use sha2::{Digest as _, Sha256};

use super::canonical::{are_different, is_canonical};
use super::chain::{HASH, PREV, hex, is_content, sealed_hash};
use super::chain_fault::ChainFault;
use super::decode::is_known;
use super::known_members::was_plain;
use super::members::{Member, listed, member, unquoted};
use super::time;

/// What stands once in a line, before its hash.
const HASH_BEGINS: &[u8] = b",\"hash\":\"";

/// What a line says of itself, and whether that is so.
#[derive(Debug)]
pub(super) struct HashedLine<'l> {
    /// All of it, its newline with it.
    pub(super) line: &'l [u8],
    /// The version of the format that it names, which a first line does; otherwise 0.
    pub(super) version: u64,
    /// `None`: it has no hash.
    pub(super) own: Option<OwnHash<'l>>,
}

/// The hash that a line gives itself.
#[derive(Debug)]
pub(super) struct OwnHash<'l> {
    pub(super) claimed: &'l str,
    /// The hash of the line that it says it follows.
    pub(super) prev: Option<&'l str>,
    /// Content fields that were left out.
    pub(super) redacted: u64,
    /// Whether its bytes have these hashes.
    pub(super) held: Result<(), ChainFault>,
}

impl<'l> HashedLine<'l> {
    /// Of a line with these members.
    pub(super) fn of(line: &'l [u8], members: &[Member<'l>]) -> Self {
        let own = members.iter().position(|(name, _)| name == HASH).map(|at| OwnHash::of(line, members, at));
        Self { line, version: version(members), own }
    }

    /// The same, and that each value has the bytes that we write for it: that takes longer, and decides nothing for whoever reads
    /// the values as we do. The second is what is wrong with that, if anything.
    pub(super) fn strictly(line: &'l [u8], members: &[Member<'l>]) -> (Self, Option<ChainFault>) {
        let hashed = Self::of(line, members);
        let words = match hashed.own.as_ref().map(|_| members) {
            None => None,
            Some(members) if !members.iter().all(|(_, raw)| is_canonical(raw.get())) => Some(
                "spaces, escapes or numbers that are written differently, or two members of the same name",
            ),
            Some(members) if kind_of(members).is_some_and(is_known) => member(members, "at")
                .filter(|at| !time::is_written(at))
                .map(|_| "a time that is written differently"),
            Some(_) => None,
        };
        (hashed, words.map(ChainFault::NotCanonical))
    }
}

impl<'l> OwnHash<'l> {
    /// `at`: where the hash stands among the members.
    fn of(line: &'l [u8], members: &[Member<'l>], at: usize) -> Self {
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        let claimed = members.get(at).map_or("", |(_, raw)| unquoted(raw.get()));
        let (head, tail) = members.split_at(at);
        let prev = head.iter().find(|(name, _)| name == PREV).map(|(_, raw)| unquoted(raw.get()));
        let mut own = Self { claimed, prev, redacted: 0, held: Ok(()) };
        own.held = own.hold(text, head, tail);
        own
    }

    fn hold(&mut self, text: &[u8], head: &[Member<'_>], tail: &[Member<'_>]) -> Result<(), ChainFault> {
        let other = || ChainFault::NotCanonical("spaces, or keys that are escaped");
        let hashed = text.get(..covered(text, 0, head).ok_or_else(other)?).unwrap_or_default();
        if hex(&Sha256::digest(hashed)) != self.claimed {
            return Err(ChainFault::Changed);
        }
        self.redacted = contents(head, tail)?;
        // All of the line, so that nothing stands between or behind the members.
        if covered(text, hashed.len(), tail) != text.len().checked_sub(1) || !text.ends_with(b"}") {
            return Err(other());
        }
        let (before, rest) = text.split_at_checked(hashed.len()).unwrap_or_default();
        // One that begins before it ends at most in what it begins with.
        let reach = text.get(..before.len() + HASH_BEGINS.len() - 1).unwrap_or(text);
        if !rest.starts_with(HASH_BEGINS) || memmem::find(reach, HASH_BEGINS).is_some() {
            return Err(ChainFault::NotCanonical("a second `hash`"));
        }
        Ok(())
    }
}

/// That each content field has its hash, in the same order; how many were left out, salt and all.
fn contents(head: &[Member<'_>], tail: &[Member<'_>]) -> Result<u64, ChainFault> {
    let other =
        || ChainFault::NotCanonical("content fields, their hashes and their salts do not fit together");
    let sealed = member(head, "sealed").map_or(Some(Vec::new()), listed).ok_or_else(other)?;
    // Of a type that is not known here, nobody knows what its contents are.
    let kind = kind_of(head).ok_or(ChainFault::NotCanonical("`type` is not the first member"))?;
    if is_known(kind) && !sealed.iter().all(|(name, _)| is_content(kind, name)) {
        return Err(ChainFault::NotCanonical("something is sealed that is no content"));
    }
    // What was left out would leave the other one standing in its place.
    let names = head.iter().map(|(name, _)| &**name).chain(sealed.iter().map(|(name, _)| &**name));
    if !are_different(names.collect()) {
        return Err(ChainFault::NotCanonical("two members of the same name"));
    }
    // What is content could be left out of a copy, and this could not.
    let is_bare = |(name, _): &Member<'_>| is_content(kind, name) && !was_plain(kind, name);
    if is_known(kind) && head.iter().any(is_bare) {
        return Err(ChainFault::NotCanonical("a content field stands where it cannot be left out"));
    }
    let mut rest = tail.get(1..).unwrap_or_default();
    let mut salts = Vec::new();
    if let [(name, raw), after @ ..] = rest
        && name == "salts"
    {
        (salts, rest) = (listed(raw.get()).ok_or_else(other)?, after);
    }
    let mut salts = salts.iter().peekable();
    let mut rest = rest.iter().peekable();
    let mut redacted = 0;
    for (name, hash) in &sealed {
        let salt = salts.next_if(|(salted, _)| salted == name);
        let content = rest.next_if(|(content, _)| content == name);
        match (salt, content) {
            (Some((_, salt)), Some((_, raw))) => {
                if sealed_hash(salt, raw.get().as_bytes()) != *hash {
                    return Err(ChainFault::ContentChanged(name.clone().into_owned()));
                }
            }
            (None, None) => redacted += 1,
            _ => return Err(other()),
        }
    }
    if salts.next().is_some() || rest.next().is_some() { Err(other()) } else { Ok(redacted) }
}

/// The type of a line, which nobody can leave out.
fn kind_of<'m>(head: &'m [Member<'_>]) -> Option<&'m str> {
    head.first().filter(|(name, _)| name == "type").map(|(_, raw)| unquoted(raw.get()))
}

/// Where these members of a line end, the first of which begins at `from`, if they are written without a space between them.
fn covered(text: &[u8], from: usize, members: &[Member<'_>]) -> Option<usize> {
    let mut at = from;
    for (name, raw) in members {
        for part in [if at == 0 { "{\"" } else { ",\"" }, name, "\":"] {
            text.get(at..)?.starts_with(part.as_bytes()).then_some(())?;
            at += part.len();
        }
        // The value is a part of the line: where it is, its bytes are.
        (raw.get().as_ptr().addr() == text.as_ptr().addr() + at).then_some(())?;
        at += raw.get().len();
    }
    Some(at)
}

fn version(members: &[Member<'_>]) -> u64 {
    member(members, "version").and_then(|raw| raw.parse().ok()).unwrap_or_default()
}
