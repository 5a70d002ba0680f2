//! Characters that make a line say something else than it shows.

/// Longer lines are not read: nobody would read them either.
pub const MOST_CHARS: usize = 16_384;

/// Refuses what hides, reorders, or only looks like a blank.
pub(super) fn check(line: &str) -> Result<(), &'static str> {
    if line.chars().count() > MOST_CHARS {
        return Err("the line is too long to parse");
    }
    match line.chars().find_map(wrong) {
        Some(why) => Err(why),
        None => Ok(()),
    }
}

/// Whether a character steers, hides, reorders, or only looks like a blank; newline, tab and space do not.
pub fn conceals(c: char) -> bool {
    wrong(c).is_some()
}

fn wrong(c: char) -> Option<&'static str> {
    match c {
        '\n' | '\t' | ' ' => None,
        _ if c.is_control() => Some("it contains a control character"),
        _ if c.is_whitespace() => Some("it contains a blank that the shell does not take for one"),
        '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{17b4}'
        | '\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{2800}'
        | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffd}'
        | '\u{e0000}'..='\u{e0fff}' => Some("it contains an invisible or reordering character"),
        '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}' => Some("it contains a private-use character"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST_CHARS, check, conceals};

    #[test]
    fn as_many_characters_as_there_may_be_are_read_and_no_more() {
        assert!(check(&"é".repeat(MOST_CHARS)).is_ok());
        assert!(check(&"é".repeat(MOST_CHARS + 1)).is_err());
        assert!(check(&"é".repeat(2 * MOST_CHARS)).is_err());
    }

    #[test]
    fn what_shows_nothing_or_something_else_is_refused() {
        for c in
            ['\u{1b}', '\u{a0}', '\u{202e}', '\u{200b}', '\u{e000}', '\u{f8ff}', '\u{f0000}', '\u{10ffff}']
        {
            assert!(conceals(c), "{c:?}");
            assert!(check(&format!("echo {c}")).is_err(), "{c:?}");
        }
        for c in ['a', 'é', '語', '🙂', '\n', '\t', ' '] {
            assert!(!conceals(c), "{c:?}");
            assert!(check(&format!("echo {c}")).is_ok(), "{c:?}");
        }
    }
}
