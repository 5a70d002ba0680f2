//! Paths that people and programs read differently are refused.

/// Whether a path can be read in one way only.
///
/// # Errors
/// A sentence: it holds what nobody sees, or what changes how the rest is seen.
pub fn one_reading(path: &str) -> Result<(), String> {
    if let Some(odd) = path.chars().find(|c| c.is_control() || is_unseen(*c)) {
        return Err(format!(
            "the path contains an invisible or reordering character (U+{:04X}); give a plain name, or use \
            `shell`",
            u32::from(odd)
        ));
    }
    if path.contains('\u{fffd}') {
        return Err("the path leads to a name that is not valid Unicode, so it cannot be shown; use \
            `shell`"
            .to_owned());
    }
    if path.starts_with(char::is_whitespace) || path.ends_with(char::is_whitespace) {
        return Err("the path begins or ends with a space, which is invisible; leave it out, or use `shell`"
            .to_owned());
    }
    Ok(())
}

/// What takes no ink, or changes the direction of what does. Joiners and variants, which belong to letters and emoji, are
/// no reason: they are shown, or written out where they hide.
const fn is_unseen(c: char) -> bool {
    matches!(
        c,
        '\u{00ad}' | '\u{034f}' | '\u{061c}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_read_in_two_ways_is_refused() {
        for plain in [
            "src/a.rs",
            "/etc/passwd",
            "~/x y.txt",
            "漢字.md",
            "é",
            "👩\u{200d}💻.txt",
            "",
            ".",
            "a\u{202f}b",
        ] {
            assert_eq!(one_reading(plain), Ok(()), "{plain:?}");
        }
        for odd in
            ["a\nb", "a\tb", "\u{1b}[2Ka", "a\u{202e}b", "a\u{200b}", " a", "a ", "a\u{a0}", "b\u{fffd}"]
        {
            assert!(one_reading(odd).is_err(), "{odd:?}");
        }
    }
}
