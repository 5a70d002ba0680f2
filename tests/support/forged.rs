//! Session files as somebody would make them who knows how the hash chain is made: what they say is checked, too.

use std::fs;
use std::path::Path;

use countersign::wire::record::Chain;

/// The lines with a chain that holds. What is no JSON stays as it is.
pub(crate) fn rechained(text: &str) -> String {
    let mut chain = Chain::default();
    let line = |line: &str| match serde_json::from_str(line) {
        Ok(record) => chain.line(record, &mut || [7; 16]) + "\n",
        Err(_) => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

/// Makes it a session's file, and removes what is known of the one before.
pub(crate) fn forge(file: &Path, text: &str) {
    fs::write(file, rechained(text)).unwrap();
    fs::remove_file(file.with_extension("head")).ok();
}
