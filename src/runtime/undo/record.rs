//! The changes on record: one line each, written before the change is made.

use std::ffi::OsString;
use std::fmt::{self, Write as _};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use ring::digest::{SHA256, digest};
use serde_json::{Value, json};

use crate::ledger::{CallId, FileContent};

/// Larger contents are not kept.
pub(in crate::runtime) const MOST_BYTES: u64 = 10 << 20;

/// The permission to run a file, of anybody.
pub(super) const RUNS: u32 = 0o111;

/// The SHA-256 of a content; also the name of its file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hash(String);

impl Hash {
    /// That of these bytes.
    pub fn of(content: &[u8]) -> Self {
        let mut text = String::new();
        for byte in digest(&SHA256, content).as_ref() {
            // Writing into a String cannot fail.
            write!(text, "{byte:02x}").unwrap_or_default();
        }
        Self(text)
    }

    /// 64 hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn parse(text: &str) -> Option<Self> {
        let fits = text.len() == 64 && text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'a'..=b'f'));
        fits.then(|| Self(text.to_owned()))
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What a file is at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// There is none.
    Absent,
    /// These bytes.
    Known(Hash),
    /// So many bytes, too many to be kept or compared.
    Large(u64),
}

impl Content {
    /// That of a file; `None` where there is none.
    pub fn of(file: Option<&[u8]>) -> Self {
        match file {
            None => Self::Absent,
            Some(content) if content.len() as u64 > MOST_BYTES => Self::Large(content.len() as u64),
            Some(content) => Self::Known(Hash::of(content)),
        }
    }

    /// As the ledger says it.
    pub fn told(&self) -> FileContent {
        match self {
            Self::Absent => FileContent::Absent,
            Self::Known(hash) => FileContent::Sha256(hash.as_str().to_owned()),
            Self::Large(bytes) => FileContent::Large(*bytes),
        }
    }
}

/// One change of one file, by a call or by an undo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The call; `None` when an undo restored the file.
    pub call: Option<CallId>,
    /// The file: absolute, symlinks resolved.
    pub path: PathBuf,
    /// What it was.
    pub before: Content,
    /// What it became.
    pub after: Content,
    /// Its permissions before, if it was there.
    pub mode: Option<u32>,
    /// Whether it can be run from then on, where the change is about that, too.
    pub runs: Option<bool>,
    /// The first of the folders that were made for it.
    pub made: Option<PathBuf>,
}

impl Change {
    /// The same change in a copy of the folder; `None` where the file is not in it.
    pub(super) fn moved(&self, old: &Path, new: &Path) -> Option<Self> {
        let there = |path: &PathBuf| path.strip_prefix(old).ok().map(|inside| new.join(inside));
        let path = there(&self.path)?;
        Some(Self { path, made: self.made.as_ref().and_then(there), ..self.clone() })
    }

    /// Whether the file could be run before, where the change is about that, too.
    pub(super) fn ran(&self) -> Option<bool> {
        self.runs.and(self.mode).map(|mode| mode & RUNS != 0)
    }

    /// As its line in the file, without the end of the line.
    pub(super) fn encode(&self) -> String {
        let mut line = json!({
            "call": self.call.map(|call| call.to_string()),
            "path": path_text(&self.path),
            "before": encode(&self.before),
            "after": encode(&self.after),
            "mode": self.mode,
            "made": self.made.as_deref().map(path_text),
        });
        if let (Some(runs), Some(members)) = (self.runs, line.as_object_mut()) {
            members.insert("runs".to_owned(), json!(runs));
        }
        line.to_string()
    }

    /// From its line; `None` when it is none, as the last one after a crash, or when any of its members cannot be read.
    pub(super) fn decode(line: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(line).ok()?;
        let call = match value.get("call")? {
            Value::Null => None,
            name => Some(CallId::parse(name.as_str()?)?),
        };
        let mode = match value.get("mode") {
            None | Some(Value::Null) => None,
            Some(mode) => Some(u32::try_from(mode.as_u64()?).ok()?),
        };
        let runs = match value.get("runs") {
            None => None,
            Some(runs) => Some(runs.as_bool()?),
        };
        let made = match value.get("made") {
            None | Some(Value::Null) => None,
            Some(path) => Some(parse_path(path)?),
        };
        Some(Self {
            call,
            path: parse_path(value.get("path")?)?,
            before: decode(value.get("before")?)?,
            after: decode(value.get("after")?)?,
            mode,
            runs,
            made,
        })
    }
}

fn encode(content: &Content) -> Value {
    match content {
        Content::Absent => Value::Null,
        Content::Known(hash) => json!(hash.as_str()),
        Content::Large(bytes) => json!(bytes),
    }
}

fn decode(value: &Value) -> Option<Content> {
    match value {
        Value::Null => Some(Content::Absent),
        Value::String(hash) => Hash::parse(hash).map(Content::Known),
        other => other.as_u64().map(Content::Large),
    }
}

/// A path is bytes: where they are no text, they are written as numbers.
fn path_text(path: &Path) -> Value {
    path.to_str().map_or_else(|| json!(path.as_os_str().as_bytes()), |text| json!(text))
}

fn parse_path(value: &Value) -> Option<PathBuf> {
    if let Some(text) = value.as_str() {
        return Some(PathBuf::from(text));
    }
    let byte = |number: &Value| number.as_u64().and_then(|number| u8::try_from(number).ok());
    let bytes: Option<Vec<u8>> = value.as_array()?.iter().map(byte).collect();
    Some(OsString::from_vec(bytes?).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_all_of_a_change() {
        let change = Change {
            call: Some(CallId(7)),
            path: OsString::from_vec(b"/a/caf\xe9".to_vec()).into(),
            before: Content::Known(Hash::of(b"x")),
            after: Content::Absent,
            mode: Some(0o640),
            runs: Some(true),
            made: Some("/a".into()),
        };
        assert_eq!(Change::decode(&change.encode()), Some(change.clone()));
        let undone = Change { call: None, path: "/b\n".into(), before: Content::Large(9), ..change };
        let line = undone.encode();
        assert!(!line.contains('\n'));
        assert_eq!(Change::decode(&line), Some(undone));
        assert_eq!(Change::decode(line.get(..line.len() - 1).unwrap()), None);
        // A file must not come back with other permissions than it had.
        for mode in ["\"640\"", "-1", "4294967296"] {
            let damaged = line.replace("\"mode\":416", &format!("\"mode\":{mode}"));
            assert_ne!(damaged, line);
            assert_eq!(Change::decode(&damaged), None, "{damaged}");
        }
    }

    #[test]
    fn a_name_of_a_content_is_nothing_but_its_hash() {
        assert_eq!(
            Hash::of(b"abc").as_str(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert!(Hash::parse("../../etc/passwd").is_none());
    }
}
