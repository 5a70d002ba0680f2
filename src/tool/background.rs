//! How it stands with a background command, as the last line of a result says it.
//!
//! The line is written by the tools and read by the view: the ledger holds it, so what the view shows is durable.

use crate::ledger::{CallId, Note};

/// What one result says of one background command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// Its id: `b1`, `b2`, …
    pub id: String,
    /// Whether it ran when this was said.
    pub is_running: bool,
    /// In words: "running for 3 s", "exit code 1 after 3 s".
    pub words: String,
}

const RUNNING: &str = "running";
const LOST: &str = "ended with the earlier process";

impl Standing {
    /// The line: `[b1: running for 3 s]`.
    pub fn line(&self) -> String {
        format!("[{}: {}]", self.id, self.words)
    }

    /// Of one that runs since so many seconds.
    pub fn running(number: u64, seconds: u64) -> Self {
        Self { id: id_of(number), is_running: true, words: format!("{RUNNING} for {seconds} s") }
    }

    /// Of one that ended, and how.
    pub fn ended(number: u64, how: &str, seconds: u64) -> Self {
        Self { id: id_of(number), is_running: false, words: format!("{how} after {seconds} s") }
    }

    /// Of one that an earlier process of the session had started, which is gone.
    pub fn lost(id: &str) -> Self {
        Self { id: id.to_owned(), is_running: false, words: LOST.to_owned() }
    }

    /// Whether it is one of those.
    pub fn is_lost(&self) -> bool {
        self.words == LOST
    }

    /// The same as a note on the call that began it: it has ended, and nobody asked.
    pub fn note(&self, call: CallId) -> Note {
        Note { about: call.to_string(), text: self.line() }
    }

    /// What such a note says. Whatever else is noted on a call has words before such a line.
    pub fn of_note(note: &Note) -> Option<Self> {
        CallId::parse(&note.about)?;
        Self::read(&note.text)
            .filter(|(_, before)| before.is_empty() && !note.text.contains('\n'))
            .map(|(standing, _)| standing)
    }

    /// What the last line of a result says, and the result without it; `None` when it says nothing of the kind. Only
    /// the last line counts: what a command prints stands before it.
    pub fn read(content: &str) -> Option<(Self, &str)> {
        let (before, last) = content.rsplit_once('\n').unwrap_or(("", content));
        let (id, words) = last.strip_prefix('[')?.strip_suffix(']')?.split_once(": ")?;
        number_of(id)?;
        let is_running = words.starts_with(RUNNING);
        Some((Self { id: id.to_owned(), is_running, words: words.to_owned() }, before))
    }
}

/// `b1`
pub fn id_of(number: u64) -> String {
    format!("b{number}")
}

/// The reverse of [`id_of`].
pub fn number_of(id: &str) -> Option<u64> {
    let digits = id.strip_prefix('b')?;
    digits.chars().all(|c| c.is_ascii_digit()).then(|| digits.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_nothing_else() {
        for said in [Standing::running(12, 3), Standing::ended(1, "exit code 0", 70)] {
            let content = format!("out\n[b9: running for 1 s]\n{}", said.line());
            assert_eq!(Standing::read(&content), Some((said.clone(), "out\n[b9: running for 1 s]")));
            assert_eq!(Standing::read(&said.line()), Some((said, "")));
        }
        for other in ["", "out", "[b1: running", "[c1: running]", "[b: x]", "[b+1: x]", "[b1: running]\nout"]
        {
            assert_eq!(Standing::read(other), None, "{other}");
        }
    }
}
