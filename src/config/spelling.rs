//! Paths, texts and lists as TOML writes them.

use std::fmt::Write as _;

use crate::ui::text::sanitize;

/// A path as TOML writes it: segments that are not bare keys are quoted.
pub(crate) fn spelled(path: &[String]) -> String {
    let is_bare =
        |s: &str| !s.is_empty() && s.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    let segments: Vec<String> = path.iter().map(|s| if is_bare(s) { s.clone() } else { quoted(s) }).collect();
    segments.join(".")
}

/// A text as TOML writes it. What would steer a terminal, or hide, is written as an escape and can be read back.
pub(super) fn quoted(text: &str) -> String {
    if !text.contains('\n') && sanitize(text) == text {
        return toml::Value::from(text).to_string();
    }
    let letter = |c: char| match c {
        '"' | '\\' => format!("\\{c}"),
        ' '..='~' => c.to_string(),
        _ => format!("\\U{:08X}", u32::from(c)),
    };
    format!("\"{}\"", text.chars().map(letter).collect::<String>())
}

/// Values as a list of TOML.
pub(super) fn listed(values: impl Iterator<Item = String>) -> String {
    format!("[{}]", values.collect::<Vec<_>>().join(", "))
}

/// Adds a line.
pub(super) fn line(text: &mut String, content: &str) {
    // Writing into a String cannot fail.
    writeln!(text, "{content}").unwrap_or_default();
}
