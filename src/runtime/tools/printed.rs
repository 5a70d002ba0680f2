//! What a command prints, twice: as a terminal would show it in the end, for the model, and as it was written, for the books.

use crate::tool::{Bounded, Console};

use super::gather::Gathered;
use super::live::complete;

/// Both, within the same bound.
#[derive(Debug)]
pub(super) struct Printed {
    shown: Gathered,
    written: Gathered,
    console: Console,
    /// The beginning of a character whose rest has not come.
    begun: Vec<u8>,
}

impl Printed {
    /// For a result of at most `max_chars` characters.
    pub(super) fn new(max_chars: usize) -> Self {
        let gathered = || Gathered::new(max_chars);
        Self { shown: gathered(), written: gathered(), console: Console::default(), begun: Vec::new() }
    }

    /// Takes in what came.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.written.push(bytes);
        if self.begun.is_empty() {
            self.read(bytes, false);
        } else {
            let mut whole = std::mem::take(&mut self.begun);
            whole.extend_from_slice(bytes);
            self.read(&whole, false);
        }
    }

    fn read(&mut self, bytes: &[u8], is_last: bool) {
        let whole = if is_last { bytes.len() } else { complete(bytes) };
        let (whole, begun) = bytes.split_at_checked(whole).unwrap_or((bytes, &[]));
        self.begun = begun.to_vec();
        let shown = &mut self.shown;
        self.console.push(&String::from_utf8_lossy(whole), |row, ends| {
            shown.push(row.text().as_bytes());
            shown.push(if ends { b"\n" } else { b"" });
        });
    }

    /// What the model reads, with `ending` as its last line; and what was written, where that is something else.
    pub(super) fn finish(mut self, ending: &str) -> (Bounded, Option<String>) {
        let begun = std::mem::take(&mut self.begun);
        self.read(&begun, true);
        if let Some(row) = self.console.take_open() {
            self.shown.push(row.text().as_bytes());
        }
        let (shown, written) = (self.shown.finish(ending), self.written.finish(ending).text);
        let differs = written != shown.text;
        (shown, differs.then_some(written))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(bytes: &[u8], piece: usize) -> (String, Option<String>) {
        let mut printed = Printed::new(1_000);
        bytes.chunks(piece).for_each(|piece| printed.push(piece));
        let (shown, written) = printed.finish("exit code 1");
        (shown.text, written)
    }

    #[test]
    fn wherever_it_is_cut_the_model_reads_what_a_terminal_shows() {
        let written = "\x1b[1;32m   Compiling\x1b[0m é\r\n 10 %\r 20 %\x1b[K\n\u{1f600}\x1b]0;t\x07!";
        for piece in 1..=written.len() {
            let (shown, kept) = printed(written.as_bytes(), piece);
            assert_eq!(shown, "   Compiling é\n 20 %\n\u{1f600}!\nexit code 1", "{piece}");
            assert_eq!(kept.as_deref(), Some(format!("{written}\nexit code 1").as_str()), "{piece}");
        }
    }

    #[test]
    fn what_steers_no_terminal_is_kept_once_and_unchanged() {
        for bytes in [&b"plain\n\ttab  \nand more"[..], b"a\xffb\xe2\x82", "é漢\u{301}".as_bytes(), b""] {
            let (shown, kept) = printed(bytes, 1);
            let text = String::from_utf8_lossy(bytes);
            let text = if text.is_empty() { String::new() } else { format!("{text}\n") };
            assert_eq!((shown, kept), (format!("{text}exit code 1"), None));
        }
    }

    #[test]
    fn a_bar_that_is_drawn_anew_for_ever_costs_the_model_one_line() {
        let mut printed = Printed::new(100);
        for percent in 0..100_000 {
            printed.push(format!("\r\x1b[K{percent} %").as_bytes());
        }
        let (shown, kept) = printed.finish("");
        assert_eq!((shown.text.as_str(), shown.cut_chars), ("99999 %", 0));
        let kept = kept.unwrap();
        assert!(kept.contains("characters cut") && kept.chars().count() < 200, "{kept:?}");
    }
}
