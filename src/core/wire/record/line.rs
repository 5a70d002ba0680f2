//! An event object as the text of its line.

use std::fmt::Write;

use serde_json::Value;

/// The object on one line, without the newline. What some readers take for the end of a line, or a terminal for a
/// command (U+007F to U+009F, U+2028, U+2029), is escaped as well as JSON demands it of the ASCII controls.
pub fn line(event: &Value) -> String {
    let text = event.to_string();
    if !text.contains(is_risky) {
        return text;
    }
    // Outside of strings JSON has none of these characters, so each stands where an escape may stand.
    let mut line = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if is_risky(character) {
            // Writing to a string cannot fail.
            write!(line, "\\u{:04x}", u32::from(character)).unwrap_or_default();
        } else {
            line.push(character);
        }
    }
    line
}

pub(super) fn is_risky(character: char) -> bool {
    matches!(character, '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn one_line_for_every_reader_and_the_same_value() {
        let event = json!({ "t\u{85}": "a\u{2028}b\u{2029}c\u{9b}31m\u{7f}\n\\ é \u{10ffff}" });
        let line = line(&event);
        assert!(!line.chars().any(|c| c.is_control() || is_risky(c)), "{line}");
        assert_eq!(serde_json::from_str::<Value>(&line).unwrap(), event);
        assert!(line.contains("\\u0085") && line.contains('é'));
    }
}
