//! What a background command has printed and nobody has asked for, and how it ended.

use crate::ledger::BackgroundStatus;
use crate::runtime::sandbox::SandboxWords;
use crate::tool::{Console, Row};

use super::live::complete;

/// As much output is kept until it is asked for: the newest.
const KEPT_BYTES: usize = 64 << 10;

/// Of the newest output as much is kept for who looks on.
const NEWEST_BYTES: usize = 4 << 10;
/// Rows of that which are shown.
const RECENT_ROWS: usize = 8;

/// What nobody asked for yet, and the end.
#[derive(Debug, Default)]
pub(super) struct UnreadOutput {
    bytes: Vec<u8>,
    dropped: u64,
    /// The newest bytes, whether they were asked for or not.
    newest: Vec<u8>,
    /// Reads what was asked for as a terminal does: a sequence or a colour may go on in what comes next.
    console: Console,
    pub(super) end: Option<Ended>,
}

#[derive(Debug, Clone)]
pub(super) struct Ended {
    pub(super) standing: BackgroundStatus,
    pub(super) is_ok: bool,
    /// What there is to say of the sandbox.
    pub(super) said: SandboxWords,
}

impl UnreadOutput {
    /// Takes in what came; of too much only the newest is kept.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.newest.extend_from_slice(bytes);
        self.newest.drain(..self.newest.len().saturating_sub(NEWEST_BYTES));
        self.bytes.extend_from_slice(bytes);
        let too_much = self.bytes.len().saturating_sub(KEPT_BYTES);
        if too_much > 0 {
            // On to the next character: what is kept starts whole.
            let rest = self.bytes.get(too_much..).unwrap_or_default();
            let cut = too_much + rest.iter().take(3).take_while(|byte| **byte & 0xc0 == 0x80).count();
            self.bytes.drain(..cut);
            self.dropped += cut as u64;
        }
    }

    pub(super) fn has_news(&self) -> bool {
        !self.bytes.is_empty() || self.end.is_some()
    }

    /// What is new, said once. A character that is only begun waits for its rest while it can come.
    pub(super) fn take(&mut self) -> String {
        let whole = if self.end.is_some() { self.bytes.len() } else { complete(&self.bytes) };
        let rest = self.bytes.split_off(whole);
        let bytes = std::mem::replace(&mut self.bytes, rest);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        match std::mem::take(&mut self.dropped) {
            0 => text,
            dropped => {
                self.console = Console::default();
                format!("[… {dropped} bytes were dropped before this: read more often …]\n{text}")
            }
        }
    }

    /// What is new, the same as a terminal would show it, and how it ended.
    pub(super) fn news(&mut self) -> (String, String, Option<Ended>) {
        let written = self.take();
        let shown = self.shown(&written);
        (written, shown, self.end.clone())
    }

    /// The last rows that were printed.
    pub(super) fn recent(&self) -> Vec<String> {
        let text = String::from_utf8_lossy(&self.newest);
        // A line that began before what is kept is none.
        let is_cut = self.newest.len() == NEWEST_BYTES;
        let whole = if is_cut { text.split_once('\n').map_or("", |(_, rest)| rest) } else { &text };
        let (mut console, mut rows) = (Console::default(), Vec::new());
        console.push(whole, |row, _| rows.push(row.text().to_owned()));
        rows.extend(console.take_open().map(|row| row.text().to_owned()));
        rows.retain(|row| !row.trim().is_empty());
        rows.split_off(rows.len().saturating_sub(RECENT_ROWS))
    }

    /// What was taken, as a terminal would show it.
    pub(super) fn shown(&mut self, written: &str) -> String {
        let mut shown = String::new();
        self.console.push(written, |row, ends| {
            shown.push_str(row.text());
            shown.push_str(if ends { "\n" } else { "" });
        });
        shown.push_str(self.console.take_open().as_ref().map_or("", Row::text));
        shown
    }
}

#[cfg(test)]
#[path = "heard_tests.rs"]
mod tests;
