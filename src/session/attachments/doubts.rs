//! What is said before a message is sent, and how a person confirms it.

use std::time::{Duration, Instant};

use super::attached::Attached;
use crate::ledger::AttachedFile;

/// How long after a warning the same message sends the file all the same: a key that bounces confirms nothing, and nobody
/// remembers a warning for longer.
pub(super) const CONFIRMS_FROM: Duration = Duration::from_millis(500);
pub(super) const CONFIRMS_UNTIL: Duration = Duration::from_secs(300);

/// What is said before a message is sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Doubts {
    /// Of what it would send.
    pub(super) warnings: Vec<String>,
    /// How many of those are of pasted images. Their chips are known, and no path.
    pub(super) of_chips: usize,
    /// Of words that may have been meant as files.
    pub(super) words: Vec<String>,
    /// The labels of files of which not all is sent. Nobody is asked about that.
    pub(super) cut: Vec<String>,
}

impl Doubts {
    pub(super) fn is_empty(&self) -> bool {
        self.warnings.is_empty() && self.words.is_empty()
    }

    pub(super) fn said(&self) -> String {
        self.words.iter().chain(&self.warnings).cloned().collect::<Vec<_>>().join("; ")
    }

    /// What a person is told to do.
    pub(super) fn next(&self) -> &'static str {
        let has_paths = self.warnings.len() > self.of_chips;
        match (has_paths, self.of_chips > 0, self.words.is_empty()) {
            (false, false, _) => "correct the path, or send it again to send it as text",
            (true, false, true) => "send it again to attach it, or put the path in `backquotes`",
            (true, false, false) => "send it again to send it so, or put the path in `backquotes`",
            (false, true, true) => "send it again to attach the image, or delete its chip",
            (false, true, false) => "send it again to send it so, or delete the chip of the image",
            (true, true, _) => {
                "send it again to send it so, or delete the chip of the image and put the path in `backquotes`"
            }
        }
    }

    /// The same where nobody can confirm anything; `None`: nothing speaks against sending it. A word that may be something else than a file
    /// is sent as one: nobody could say that it is.
    pub(super) fn without_a_person(&self) -> Option<&'static str> {
        (!self.warnings.is_empty()).then_some("put its path in `backquotes` to send only the name")
    }

    /// What to know of words that are sent though they may have been meant as files, and of files of which not all is sent; empty, if
    /// there is nothing.
    pub(super) fn note(&self) -> String {
        let words = (!self.words.is_empty()).then(|| format!("{}; sent as text", self.words.join("; ")));
        let cut = (!self.cut.is_empty()).then(|| format!("not all of it is sent: {}", self.cut.join(", ")));
        words.into_iter().chain(cut).collect::<Vec<_>>().join("; ")
    }
}

/// A file, or a part of it with these lines, with its label if not all of that is sent: the words that stand for it on a screen.
pub(super) fn with_cut(file: AttachedFile, lines: Option<(u64, u64)>) -> Attached {
    let is_short = match lines.filter(|_| !file.is_folder()) {
        Some((_, last)) => file.last < last.min(file.of_lines),
        None => file.of_lines > 0,
    };
    let is_cut = is_short || file.cut_bytes > 0 || file.cut_chars > 0;
    let not_sent = if is_cut { file.label() } else { String::new() };
    Attached::File(file, not_sent)
}

/// A message that would send something that a person is warned about.
#[derive(Debug, Clone)]
pub(super) struct Warned {
    content: String,
    doubts: Doubts,
    pub(super) at: Instant,
}

impl Warned {
    pub(super) fn now(content: String, doubts: Doubts) -> Self {
        Self { content, doubts, at: Instant::now() }
    }

    /// Whether this message, with these doubts, is sent again to confirm it.
    pub(super) fn is_confirmed(&self, content: &str, doubts: &Doubts) -> bool {
        self.content == content
            && (&self.doubts.warnings, &self.doubts.words) == (&doubts.warnings, &doubts.words)
            && (CONFIRMS_FROM..CONFIRMS_UNTIL).contains(&self.at.elapsed())
    }
}
