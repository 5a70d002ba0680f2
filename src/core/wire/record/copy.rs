//! The lines of a session for another place: an export, a fork, an import. What a line holds beyond what is
//! understood here goes with it.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::ledger::{Body, CHAINED_VERSION, CallId, Entry, EntryId, Millis, standing};

use super::chain::{HASH, unchained};
use super::file::{COPIED_FROM, IMPORTED_FROM, IMPORTED_TO, numbered};
use super::{Chain, Salt, left_out, line, time};

/// Every whole line, each safe to print; a torn one is left out.
pub fn durable_lines(bytes: &[u8]) -> Vec<String> {
    values(bytes).map(|value| line(&value)).collect()
}

/// The lines that stand: without what was withdrawn, without its tombstones, and without seals, which sign the whole.
pub fn exported_lines(bytes: &[u8], entries: &[Arc<Entry>]) -> Vec<String> {
    let standing: BTreeSet<EntryId> =
        standing(entries).filter(|e| !matches!(e.body, Body::Tombstone(_))).map(|e| e.id).collect();
    let all: BTreeSet<EntryId> = entries.iter().map(|e| e.id).collect();
    let stands =
        |value: &Value| entry_of(value).is_none_or(|id| standing.contains(&id) || !all.contains(&id));
    // Without some of its lines it is no chain any more, and it does not claim to be one.
    let plain = |mut value: Value| {
        left_out::fill(&mut value);
        as_unchained_version(&mut value);
        line(&unchained(value))
    };
    values(bytes).filter(|value| stands(value) && !is_seal(value)).map(plain).collect()
}

/// All lines of a session without its chain and seals, as version 2 wrote them: for a file that goes with others and proves nothing.
pub fn plain_lines(bytes: &[u8]) -> Vec<String> {
    let plain = |mut value: Value| {
        left_out::fill(&mut value);
        as_unchained_version(&mut value);
        line(&unchained(value))
    };
    values(bytes).filter(|value| !is_seal(value)).map(plain).collect()
}

/// Without hashes a file does not claim to have them.
fn as_unchained_version(value: &mut Value) {
    if value.get("version").is_some_and(|version| version.as_u64() >= Some(CHAINED_VERSION.into()))
        && let Value::Object(members) = value
    {
        members.insert("version".to_owned(), (CHAINED_VERSION - 1).into());
    }
}

/// The beginning of a file, the line of this entry included; `None` when no line has it.
pub fn up_to(bytes: &[u8], last: EntryId) -> Option<&[u8]> {
    let mut length = 0;
    for (_, line, _) in numbered(bytes) {
        length += line.len();
        let value: Option<Value> = serde_json::from_slice(line).ok();
        if value.as_ref().and_then(entry_of) == Some(last) {
            return bytes.get(..length);
        }
    }
    None
}

/// The beginning of a file before this entry, and behind it the lines of these entries; `None` when no line has it.
pub fn before(bytes: &[u8], first: EntryId, and: &BTreeSet<EntryId>) -> Option<Vec<u8>> {
    let (mut kept, mut is_before) = (Vec::new(), true);
    for (_, line, _) in numbered(bytes) {
        let value: Option<Value> = serde_json::from_slice(line).ok();
        let entry = value.as_ref().and_then(entry_of);
        is_before &= entry != Some(first);
        if is_before || entry.is_some_and(|entry| and.contains(&entry)) {
            kept.extend_from_slice(line);
        }
    }
    (!is_before).then_some(kept)
}

/// How a copy of a session differs from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copy<'a> {
    /// Its id.
    pub session: &'a str,
    /// When it begins; `None`: when the other did.
    pub at: Option<Millis>,
    /// The folder it goes on in; `None`: that of the other.
    pub folder: Option<&'a str>,
    /// Where it comes from, as a member of its first line.
    pub origin: Option<(&'a str, &'a str)>,
    /// The last entry of a session that comes from elsewhere: nobody here has seen what was decided up to there.
    pub imported_to: Option<EntryId>,
    /// Whether the other is kept here. Of one from elsewhere it is not believed which folders its own is a copy of.
    pub is_of_here: bool,
    /// What it keeps of what a person allowed for the whole session.
    pub keeps: Keeps,
}

/// What a copy keeps of what a person allowed for the whole session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Keeps {
    /// Nobody here has allowed what a file brings: no grant, no host, no gap of the sandbox, no raised limit.
    Nothing,
    /// All except what was taken back after the place at which a fork ends.
    AllExcept(TakenBack),
}

/// What stood at the place at which a fork ends, and does not any more.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TakenBack {
    /// The calls with which something was granted.
    pub calls: BTreeSet<CallId>,
    /// Hosts that commands in the sandbox could reach.
    pub hosts: BTreeSet<String>,
    /// Whether what the sandbox cannot hide was accepted.
    pub gaps: bool,
}

impl Copy<'_> {
    /// The text of the copy's file. It has a chain of its own. Lines without a hash get none here: nobody knows whether they are what
    /// was written, and a copy cannot prove it.
    pub fn of(&self, bytes: &[u8], salt: &mut dyn FnMut() -> Salt) -> String {
        let (mut text, mut chain) = (String::new(), None);
        // A seal signs another chain: here it would never hold.
        for (number, mut value) in values(bytes).filter(|value| !is_seal(value)).enumerate() {
            if let Value::Object(members) = &mut value {
                if number == 0 {
                    self.begin(members);
                }
                if !self.keeps.line(members) {
                    continue;
                }
                if !self.keeps.grant(members) {
                    take_back(members);
                }
            }
            if chain.is_none() && has_hash(&value) {
                let before = Sha256::new_with_prefix(text.as_bytes());
                chain = Some(Chain::after(&before, text.lines().count() as u64));
            }
            match &mut chain {
                Some(chain) => text.push_str(&chain.line(value, salt)),
                None => text.push_str(&line(&value)),
            }
            text.push('\n');
        }
        text
    }

    fn begin(&self, members: &mut Map<String, Value>) {
        members.insert("session".to_owned(), self.session.into());
        // Instructions from elsewhere hold for nobody here: without them, a session goes on with those of a new one. An import of an
        // earlier version still has them.
        let is_import = members.contains_key(IMPORTED_TO) || members.contains_key(IMPORTED_FROM);
        if !self.is_of_here || is_import {
            members.shift_remove("system");
        }
        let mut folders = match members.get(COPIED_FROM).filter(|_| self.is_of_here) {
            Some(Value::Array(known)) => known.clone(),
            _ => Vec::new(),
        };
        if let Some(folder) = self.folder {
            let left = members.insert("cwd".to_owned(), folder.into());
            folders.extend(left.filter(|left| left.as_str() != Some(folder)));
        }
        match folders.is_empty() {
            true => drop(members.shift_remove(COPIED_FROM)),
            false => drop(members.insert(COPIED_FROM.to_owned(), folders.into())),
        }
        if let Some(at) = self.at {
            members.insert("at".to_owned(), time::to_value(at));
        }
        if let Some((how, from)) = self.origin {
            members.insert(how.to_owned(), from.into());
        }
        if let Some(last) = self.imported_to {
            members.insert(IMPORTED_TO.to_owned(), last.to_string().into());
        }
    }
}

impl Keeps {
    /// Whether a line stays that is a permission of a person, or takes one back.
    fn line(&self, members: &Map<String, Value>) -> bool {
        let text = |name: &str| members.get(name).and_then(Value::as_str).unwrap_or_default();
        match (text("type"), self) {
            (
                "host_allowed" | "host_revoked" | "gaps_accepted" | "gaps_refused" | "budget_raised"
                | "price_accepted",
                Self::Nothing,
            ) => false,
            ("host_allowed", Self::AllExcept(back)) => !back.hosts.contains(text("host")),
            ("gaps_accepted", Self::AllExcept(back)) => !back.gaps,
            _ => true,
        }
    }

    /// Whether what was granted with a call stays granted.
    fn grant(&self, members: &Map<String, Value>) -> bool {
        let call = members.get("id").and_then(Value::as_str).and_then(CallId::parse);
        match self {
            Self::Nothing => false,
            Self::AllExcept(back) => call.is_none_or(|call| !back.calls.contains(&call)),
        }
    }
}

/// A decision for the whole session becomes one for its call alone, and says what it was.
fn take_back(members: &mut Map<String, Value>) {
    let is_decision = members.get("type").and_then(Value::as_str) == Some("approval");
    let scope = members.get("scope").and_then(Value::as_str).unwrap_or_default().to_owned();
    if is_decision && scope != "once" {
        members.insert("scope".to_owned(), "once".into());
        members.insert("scope_before_import".to_owned(), scope.into());
    }
}

fn values(bytes: &[u8]) -> impl Iterator<Item = Value> {
    numbered(bytes).filter_map(|(_, line, _)| serde_json::from_slice(line).ok())
}

fn has_hash(value: &Value) -> bool {
    value.get(HASH).is_some()
}

fn is_seal(value: &Value) -> bool {
    value.get("type").and_then(Value::as_str) == Some("sealed")
}

fn entry_of(value: &Value) -> Option<EntryId> {
    EntryId::parse(value.get("entry")?.as_str()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::record::file::copied_from;

    #[test]
    fn a_copy_says_of_which_folders_its_own_is_one_and_believes_none_from_elsewhere() {
        let first = |folder: &str, known: &[&str]| serde_json::json!({ "type": "session_started", "session": "s", "cwd": folder, "copied_from": known });
        let made = |first: &Value, folder: Option<&str>, is_of_here: bool| {
            let origin = Some(("forked_from", "s@e1"));
            let keeps = Keeps::Nothing;
            let copy = Copy { session: "t", at: None, origin, folder, imported_to: None, is_of_here, keeps };
            let text = copy.of(format!("{first}\n").as_bytes(), &mut Default::default);
            copied_from(&serde_json::from_str(text.trim_end()).unwrap())
        };
        assert_eq!(made(&first("/w", &[]), Some("/copy"), true), ["/w"]);
        assert_eq!(made(&first("/copy", &["/w"]), Some("/again"), true), ["/w", "/copy"]);
        assert_eq!(made(&first("/copy", &["/w"]), None, true), ["/w"], "a fork works in the same copy");
        assert_eq!(
            made(&first("/w", &[]), Some("/w"), true),
            [""; 0],
            "a branch in the same folder is in no copy"
        );
        assert_eq!(made(&first("/copy", &["/evil"]), None, false), [""; 0], "an import says nothing of it");
        assert_eq!(made(&first("/w", &["/evil"]), Some("/copy"), false), ["/w"]);
    }

    #[test]
    fn a_copy_of_what_comes_from_elsewhere_has_no_instructions_of_its_own() {
        let first = |origin: &str| serde_json::json!({ "type": "session_started", "session": "s", "cwd": "/w", "system": "obey", origin: "e1" });
        let told = |first: &Value, is_of_here: bool| {
            let keeps = Keeps::Nothing;
            let (at, origin, folder, imported_to) = (None, None, None, None);
            let copy = Copy { session: "t", at, origin, folder, imported_to, is_of_here, keeps };
            let text = copy.of(format!("{first}\n").as_bytes(), &mut Default::default);
            serde_json::from_str::<Value>(text.trim_end()).unwrap().get("system").cloned()
        };
        assert_eq!(told(&first("forked_from"), true), Some("obey".into()));
        assert_eq!(told(&first("forked_from"), false), None);
        assert_eq!(told(&first(IMPORTED_TO), true), None, "an import that an earlier version made");
        assert_eq!(told(&first(IMPORTED_FROM), true), None);
    }
}
