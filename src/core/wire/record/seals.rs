//! Seals: signatures of the chain, as lines of the session file.

use serde_json::Value;

use super::file::numbered;

/// The `type` of the lines.
const KIND: &[u8] = br#"{"type":"sealed""#;

/// One seal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seal {
    /// Its line, from 1; it covers those before.
    pub line: usize,
    /// When it was made, as the line says.
    pub at: String,
    /// The hash that was signed.
    pub head: String,
    /// The signature, armoured.
    pub signature: String,
    /// Whether the hash is that of the line before.
    pub fits: bool,
}

/// The seals of a file, oldest first.
pub fn seals(bytes: &[u8]) -> Vec<Seal> {
    let of_line = |(line, bytes, _): (usize, &[u8], &[u8])| {
        if !bytes.starts_with(KIND) {
            return None;
        }
        let value: Value = serde_json::from_slice(bytes).ok()?;
        let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        let (head, prev) = (text("head")?, text("prev"));
        let fits = prev.as_ref() == Some(&head);
        Some(Seal { line, at: text("at").unwrap_or_default(), signature: text("signature")?, head, fits })
    };
    numbered(bytes).filter_map(of_line).collect()
}
