//! What running calls have printed so far. A call that is cut short has no other result to say it.

use std::collections::BTreeMap;

use crate::ledger::CallId;
use crate::tool::{Shown, settled};

/// Bytes of each call that are kept: of the beginning, and of the end.
const HEAD: usize = 4 << 10;
const TAIL: usize = 12 << 10;

/// The output of each running call.
#[derive(Debug, Default)]
pub(super) struct Printed(BTreeMap<CallId, KeptOutput>);

#[derive(Debug, Default)]
struct KeptOutput {
    head: String,
    tail: String,
    /// Characters between both that are not kept.
    cut_chars: u64,
}

impl Printed {
    /// Takes in a piece, or the screen that stands in the place of all before.
    pub(super) fn add(&mut self, call: CallId, shown: &Shown) {
        match shown {
            Shown::Text(piece) => self.0.entry(call).or_default().push(piece),
            Shown::Screen(screen) => {
                let lines: Vec<&str> = screen.lines().collect();
                let mut now = KeptOutput::default();
                now.push(&lines.join("\n"));
                self.0.insert(call, now);
            }
            Shown::Task(_) => {}
        }
    }

    /// The call has a result of its own, or runs anew.
    pub(super) fn forget(&mut self, call: CallId) {
        self.0.remove(&call);
    }

    /// Forgets the call, and says what it had printed, as plain text, and how many characters of that are missing in it.
    pub(super) fn take(&mut self, call: CallId) -> Option<(String, u64)> {
        let mut kept = self.0.remove(&call)?;
        // What is kept of it is kept whole when it is taken in again, as in a replay.
        if kept.cut_chars > 0 {
            kept.shorten();
        }
        let KeptOutput { head, tail, cut_chars } = kept;
        let text = match cut_chars {
            0 => head + &tail,
            cut => format!("{head}\n[… {cut} characters cut …]\n{tail}"),
        };
        let plain = settled(&text).unwrap_or(text);
        let plain = plain.trim_end();
        (!plain.is_empty()).then(|| (plain.to_owned(), cut_chars))
    }
}

impl KeptOutput {
    /// The end is cut only when it is twice as long as what is kept of it: a piece costs what it is long.
    fn push(&mut self, piece: &str) {
        let room = if self.tail.is_empty() { HEAD.saturating_sub(self.head.len()) } else { 0 };
        let (head, rest) = piece.split_at(boundary(piece, room.min(piece.len())));
        self.head.push_str(head);
        self.tail.push_str(rest);
        if self.tail.len() > 2 * TAIL {
            self.shorten();
        }
    }

    fn shorten(&mut self) {
        let at = boundary(&self.tail, self.tail.len().saturating_sub(TAIL));
        self.cut_chars += self.tail.drain(..at).map(|_| 1).sum::<u64>();
    }
}

/// The first boundary of characters from here on.
fn boundary(text: &str, from: usize) -> usize {
    (from..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_and_the_end_are_kept_and_what_is_missing_is_counted() {
        let mut printed = Printed::default();
        printed.add(CallId(1), &"one\ntwo \u{1b}[31mred\u{1b}[0m\n".into());
        assert_eq!(printed.take(CallId(1)), Some(("one\ntwo red".to_owned(), 0)));
        assert_eq!(printed.take(CallId(1)), None);
        let mut all = 0;
        for number in 0..100_000 {
            let piece = format!("é{number}\n");
            all += piece.chars().count() as u64;
            printed.add(CallId(2), &piece.as_str().into());
        }
        let (kept, cut) = printed.take(CallId(2)).unwrap();
        assert!(kept.starts_with("é0\né1\n") && kept.ends_with("é99999") && kept.len() <= HEAD + TAIL + 50);
        let line = format!("\n[… {cut} characters cut …]\n");
        let is_whole = kept.chars().count() as u64 - line.chars().count() as u64 + 1 + cut == all;
        assert!(kept.contains(&line) && is_whole, "{cut} of {all}");
        printed.add(CallId(2), &kept.as_str().into());
        assert_eq!(printed.take(CallId(2)), Some((kept, 0)), "taken in again, it is the same");
    }
}
