//! The hash chain of a session file: every line carries its own hash and that of the line before it. What people and tools
//! said is in the hash only as a salted hash of its own, so that it can be left out later without breaking the chain.
//!
//! `docs/SESSION-FORMAT.md` defines the form. A line is the members of its record in this order:
//!
//! ```text
//! {"type":…,…,"prev":"HASH","sealed":{"content":"HASH"},"hash":"HASH","salts":{"content":"SALT"},"content":"…"}
//! └───────────────── hashed ───────────────────────────┘
//! ```

use std::fmt::Write as _;

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::line;

/// The members that the chain adds to a record.
pub(super) const PREV: &str = "prev";
const SEALED: &str = "sealed";
pub(super) const HASH: &str = "hash";
const SALTS: &str = "salts";
pub(super) const MEMBERS: [&str; 4] = [PREV, SEALED, HASH, SALTS];

/// Members that say what somebody said or did, in records of any type.
const CONTENT: [&str; 36] = [
    "answer",
    "arguments",
    "blocked",
    "blocks",
    "content",
    "current_plan",
    "deleted",
    "digest",
    "done_condition",
    "facts",
    "files",
    "gaps",
    "hosted",
    "images",
    "key",
    "leads_to",
    "left",
    "objective",
    "plan",
    "preview",
    "progress",
    "progress_log",
    "questions",
    "restored",
    "rule",
    "stop_rules",
    "summary",
    "system",
    "task",
    "text",
    "thinking",
    "tool_calls",
    "validation_method",
    "warning",
    "why",
    "written",
];

/// Random bytes for a salt.
pub type Salt = [u8; 16];

/// Where a chain stands: what the next line has as `prev`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    head: String,
    lines: u64,
}

impl Default for Chain {
    fn default() -> Self {
        Self::after(&Sha256::new(), 0)
    }
}

impl Chain {
    /// One that begins after bytes which have no hashes of their own: none, or lines of an older version.
    pub(super) fn after(bytes: &Sha256, lines: u64) -> Self {
        Self { head: hex(&bytes.clone().finalize()), lines }
    }

    /// One that goes on after a line of this hash.
    pub(super) fn at(head: String, lines: u64) -> Self {
        Self { head, lines }
    }

    /// The hash of the last line: 64 hexadecimal digits.
    pub fn head(&self) -> &str {
        &self.head
    }

    /// How many lines stand before the next one, those of older versions included.
    pub fn lines(&self) -> u64 {
        self.lines
    }

    /// The next line, without its newline. Each content field takes a salt, which nobody can guess.
    pub fn line(&mut self, record: Value, salt: &mut dyn FnMut() -> Salt) -> String {
        let (mut head, mut contents) = (Map::new(), Map::new());
        let kind = record.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
        if let Value::Object(members) = unchained(record) {
            for (name, value) in members {
                let part = if is_content(&kind, &name) { &mut contents } else { &mut head };
                part.insert(name, value);
            }
        }
        let (mut sealed, mut salts, mut tail) = (Map::new(), Map::new(), String::new());
        for (name, value) in &contents {
            let (salt, text) = (hex(&salt()), line(value));
            sealed.insert(name.clone(), sealed_hash(&salt, text.as_bytes()).into());
            salts.insert(name.clone(), salt.into());
            // Writing to a string cannot fail.
            write!(tail, ",{}:{text}", json!(name)).unwrap_or_default();
        }
        head.insert(PREV.to_owned(), self.head.as_str().into());
        if !sealed.is_empty() {
            head.insert(SEALED.to_owned(), sealed.into());
        }
        let mut text = line(&Value::Object(head));
        text.pop();
        let hash = hex(&Sha256::digest(text.as_bytes()));
        write!(text, ",\"{HASH}\":\"{hash}\"").unwrap_or_default();
        if !salts.is_empty() {
            write!(text, ",\"{SALTS}\":{}", Value::Object(salts)).unwrap_or_default();
        }
        text.push_str(&tail);
        text.push('}');
        *self = Self { head: hash, lines: self.lines + 1 };
        text
    }
}

/// A record without what the chain added.
pub(super) fn unchained(mut record: Value) -> Value {
    if let Value::Object(members) = &mut record {
        MEMBERS.iter().for_each(|name| drop(members.shift_remove(*name)));
    }
    record
}

/// Whether a member can be left out of a redacted document.
pub(super) fn is_content(kind: &str, name: &str) -> bool {
    match name {
        "reason" => matches!(kind, "approval" | "tombstone"),
        "message" | "next" => kind == "error",
        // What others call a task can be anything that they like.
        "task_id" => matches!(kind, "note" | "delegation_response"),
        "host" => matches!(kind, "host_allowed" | "host_revoked"),
        "name" => kind == "session_renamed",
        "added" | "removed" => kind == "session_tagged",
        _ => CONTENT.contains(&name),
    }
}

/// What stands for a content field: the hash of its salt, as it is written, and the bytes of its value in the line.
pub(super) fn sealed_hash(salt: &str, value: &[u8]) -> String {
    hex(&Sha256::new().chain_update(salt.as_bytes()).chain_update(value).finalize())
}

pub(super) fn hex(bytes: &[u8]) -> String {
    let digit = |nibble: u8| if nibble < 10 { b'0' + nibble } else { b'a' + nibble - 10 };
    let digits = bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect();
    String::from_utf8(digits).unwrap_or_default()
}
