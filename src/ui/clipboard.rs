//! The terminal's clipboard, reached by OSC 52: also across ssh, and from inside tmux.

use std::fmt::Write as _;

use ratatui::crossterm::Command;
use ratatui::crossterm::clipboard::CopyToClipboard;

/// Most bytes that are copied: terminals drop longer sequences, some without a word.
pub const MOST_BYTES: usize = 100 * 1024;

/// What the terminal must be told to take a text into its clipboard, and how many bytes of the text that covers.
///
/// In tmux it is said twice: to tmux itself, which listens where `set-clipboard` is `on`, and through it to the
/// terminal outside, where `allow-passthrough` is on.
pub fn sequence(text: &str, in_tmux: bool) -> (String, usize) {
    let (kept, _) = text.split_at(boundary(text, MOST_BYTES));
    let mut said = String::new();
    if CopyToClipboard::to_clipboard_from(kept).write_ansi(&mut said).is_err() {
        return (String::new(), 0);
    }
    if in_tmux {
        let inner = said.replace('\x1b', "\x1b\x1b");
        if write!(said, "\x1bPtmux;{inner}\x1b\\").is_err() {
            return (String::new(), 0);
        }
    }
    (said, kept.len())
}

/// Where the last character ends that fits into so many bytes.
fn boundary(text: &str, most: usize) -> usize {
    (0..=most.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// What the status line says about it.
pub fn report(text: &str, copied: usize) -> String {
    let lines = text.split_at(boundary(text, copied)).0.lines().count();
    let lines = if lines == 1 { "1 line".to_owned() } else { format!("{lines} lines") };
    match copied {
        0 => "nothing to copy".to_owned(),
        _ if copied < text.len() => {
            format!("copied the first {lines}: a terminal accepts at most {} KB", MOST_BYTES / 1024)
        }
        _ => format!("copied {lines}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_goes_out_in_base64() {
        assert_eq!(sequence("hello", false), ("\x1b]52;c;aGVsbG8=\x1b\\".to_owned(), 5));
        assert_eq!(report("a\nb\n", 4), "copied 2 lines");
        assert_eq!(report("a", 1), "copied 1 line");
        assert_eq!(report("", 0), "nothing to copy");
    }

    #[test]
    fn tmux_hears_it_and_passes_it_on() {
        let (said, _) = sequence("hello", true);
        assert_eq!(said, "\x1b]52;c;aGVsbG8=\x1b\\\x1bPtmux;\x1b\x1b]52;c;aGVsbG8=\x1b\x1b\\\x1b\\");
    }

    #[test]
    fn what_is_too_long_is_cut_between_characters() {
        let text = "é\n".repeat(MOST_BYTES);
        let (said, copied) = sequence(&text, false);
        assert!(copied <= MOST_BYTES && copied > MOST_BYTES - 3 && said.len() < MOST_BYTES * 3 / 2);
        assert!(report(&text, copied).starts_with("copied the first"), "{}", report(&text, copied));
    }
}
