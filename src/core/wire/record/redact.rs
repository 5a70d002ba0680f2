//! A copy of a session file without some of its content fields. Its chain and its seals still hold: of each field the hash stays.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::ledger::EntryId;

use super::chain::HASH;
use super::chain_fault::ChainFault;
use super::file::numbered;
use super::known_members::unknown;
use super::links::Links;
use super::members::members;

/// A content field of a line.
#[derive(Debug, Clone, Copy)]
pub struct ContentField<'a> {
    /// The line's `type`.
    pub kind: &'a str,
    /// Its entry.
    pub entry: Option<EntryId>,
    /// The member.
    pub name: &'a str,
    /// What it says.
    pub value: &'a Value,
}

/// A copy, and how many fields it leaves out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Redacted {
    /// The text of its file.
    pub text: String,
    /// Fields that were left out here; those that were missing before are not counted.
    pub fields: u64,
    /// The first member that is not known here and stays, since the hash of its line covers it: the number of
    /// the line, and the member.
    pub unknown: Option<(usize, String)>,
}

/// The file without the content fields for which `leaves_out` says so, each with its salt. A torn last line is left out.
///
/// # Errors
/// The number of the first line of which nothing can be left out, from 1, and why: the chain does not hold there, or an older
/// version wrote it and it has no hashes.
pub fn without(
    bytes: &[u8],
    leaves_out: &mut dyn FnMut(ContentField<'_>) -> bool,
) -> Result<Redacted, (usize, ChainFault)> {
    let (mut copy, mut links) = (Redacted::default(), Links::default());
    for (number, line, rest) in numbered(bytes) {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let Some(members) = members(line) else {
            if rest.is_empty() {
                break;
            }
            return Err((number, ChainFault::Unchained));
        };
        links.read(line).map_err(|fault| (number, fault))?;
        let at = members.iter().position(|(name, _)| name == HASH);
        let text = std::str::from_utf8(line).ok();
        let (Some(at), Some(text)) = (at, text) else { return Err((number, ChainFault::Unchained)) };
        let (head, tail) = members.split_at(at);
        let parsed = |raw: &str| serde_json::from_str::<Value>(raw).unwrap_or_default();
        let own =
            |wanted: &str| head.iter().find(|(name, _)| name == wanted).map(|(_, raw)| parsed(raw.get()));
        let (kind, entry) = (own("type").unwrap_or_default(), own("entry").unwrap_or_default());
        let entry = entry.as_str().and_then(EntryId::parse);
        if copy.unknown.is_none() {
            let names = head.iter().map(|(name, _)| &**name);
            let found = unknown(kind.as_str().unwrap_or_default(), names);
            copy.unknown = found.map(|name| (number, name.to_owned()));
        }
        let salts = tail.iter().find(|(name, _)| name == "salts").map(|(_, raw)| parsed(raw.get()));
        let (mut kept_salts, mut contents) = (serde_json::Map::new(), String::new());
        for (name, raw) in tail.iter().skip(1).filter(|(name, _)| name != "salts") {
            let value = parsed(raw.get());
            let kind = kind.as_str().unwrap_or_default();
            if leaves_out(ContentField { kind, entry, name, value: &value }) {
                copy.fields += 1;
                continue;
            }
            let salt = salts.as_ref().and_then(|salts| salts.get(name.as_ref())).cloned();
            kept_salts.insert(name.to_string(), salt.unwrap_or_default());
            // Writing to a string cannot fail.
            write!(contents, ",{}:{}", json!(name), raw.get()).unwrap_or_default();
        }
        let hash = tail.first().map_or("", |(_, raw)| raw.get());
        let marked = format!(",\"{HASH}\":{hash}");
        let hashed = text.find(&marked).map_or(0, |at| at + marked.len());
        copy.text.push_str(text.get(..hashed).unwrap_or_default());
        if !kept_salts.is_empty() {
            write!(copy.text, ",\"salts\":{}", Value::Object(kept_salts)).unwrap_or_default();
        }
        copy.text.push_str(&contents);
        copy.text.push_str("}\n");
    }
    Ok(copy)
}
