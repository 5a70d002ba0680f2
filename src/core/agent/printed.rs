//! What running calls have printed so far. A call that is cut short has no other result to say it.

use std::collections::BTreeMap;

use crate::ledger::CallId;
use crate::tool::{Shown, settled};

/// Bytes of each call that are kept, the last ones.
const MOST: usize = 16 << 10;

/// The latest output of each running call.
#[derive(Debug, Default)]
pub(super) struct Printed(BTreeMap<CallId, KeptOutput>);

#[derive(Debug, Default)]
struct KeptOutput {
    text: String,
    is_cut: bool,
}

impl Printed {
    /// Takes in a piece, or the screen that stands in the place of all before.
    pub(super) fn add(&mut self, call: CallId, shown: &Shown) {
        match shown {
            Shown::Text(piece) => self.0.entry(call).or_default().push(piece),
            Shown::Screen(screen) => {
                let lines: Vec<&str> = screen.lines().collect();
                let mut tail = KeptOutput::default();
                tail.push(&lines.join("\n"));
                self.0.insert(call, tail);
            }
            Shown::Task(_) => {}
        }
    }

    /// The call has a result of its own, or runs anew.
    pub(super) fn forget(&mut self, call: CallId) {
        self.0.remove(&call);
    }

    /// Forgets the call, and says what it had printed, as plain text.
    pub(super) fn take(&mut self, call: CallId) -> Option<String> {
        let KeptOutput { text, is_cut } = self.0.remove(&call)?;
        let plain = settled(&text).unwrap_or(text);
        let plain = plain.trim_end();
        let begin = if is_cut { "[…]" } else { "" };
        (!plain.is_empty()).then(|| format!("{begin}{plain}"))
    }
}

impl KeptOutput {
    /// Cut only when it is twice as long as what is kept: a piece costs what it is long.
    fn push(&mut self, piece: &str) {
        self.text.push_str(piece);
        if self.text.len() > 2 * MOST {
            let whole = |at: &usize| self.text.is_char_boundary(*at);
            let at = (self.text.len() - MOST..self.text.len()).find(whole).unwrap_or(0);
            self.text.drain(..at);
            self.is_cut = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_what_was_printed_is_kept_and_its_length_is_bounded() {
        let mut printed = Printed::default();
        printed.add(CallId(1), &"one\ntwo \u{1b}[31mred\u{1b}[0m\n".into());
        assert_eq!(printed.take(CallId(1)).as_deref(), Some("one\ntwo red"));
        assert_eq!(printed.take(CallId(1)), None);
        for number in 0..100_000 {
            printed.add(CallId(2), &format!("é{number}\n").as_str().into());
        }
        let kept = printed.take(CallId(2)).unwrap();
        assert!(kept.starts_with("[…]") && kept.ends_with("é99999") && kept.len() <= 2 * MOST + 5);
    }
}
