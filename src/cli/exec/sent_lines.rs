//! The lines that were handed to the loop, by their numbers: what it refuses is named by the line that asked for it.

use crate::agent::CallAddress;
use crate::ledger::{CallId, UserMessage};

/// The lines of which nothing was heard yet.
#[derive(Debug, Default)]
pub(super) struct SentLines {
    decisions: Vec<(CallAddress, u64)>,
    messages: Vec<(String, u64)>,
    /// The line of the message that was given back last, while nothing else has been heard: the reason follows.
    returned: Option<u64>,
}

impl SentLines {
    /// A decision was handed over.
    pub(super) fn decides(&mut self, at: CallAddress, line: u64) {
        self.decisions.push((at, line));
    }

    /// A message was handed over.
    pub(super) fn says(&mut self, content: String, line: u64) {
        self.messages.push((content, line));
    }

    /// A decision about this call was recorded: the first that was sent.
    pub(super) fn decided(&mut self, at: &CallAddress) {
        if let Some(first) = self.decisions.iter().position(|(sent, _)| sent == at) {
            self.decisions.remove(first);
        }
    }

    /// A message was taken up.
    pub(super) fn taken(&mut self, content: &str) {
        self.line_of(content);
    }

    /// Messages were given back; why, comes next, if there is a reason.
    pub(super) fn returned(&mut self, messages: &[UserMessage]) {
        let lines = messages.iter().filter_map(|message| self.line_of(&message.content));
        self.returned = lines.collect::<Vec<u64>>().pop();
    }

    /// Something was refused in the session of this path. A decision about a call that is not `open` any more comes first.
    /// Returns the line that asked for it, if one did.
    pub(super) fn refused(&mut self, path: &[CallId], open: impl Fn(&CallAddress) -> bool) -> Option<u64> {
        if let Some(line) = self.returned.take() {
            return Some(line);
        }
        let below = self.decisions.iter().enumerate().filter(|(_, (at, _))| at.path.starts_with(path));
        let (first, _) = below.min_by_key(|(sent, (at, _))| (open(at), at.path != path, *sent))?;
        Some(self.decisions.remove(first).1)
    }

    /// Something else was heard.
    pub(super) fn heard(&mut self) {
        self.returned = None;
    }

    fn line_of(&mut self, content: &str) -> Option<u64> {
        let first = self.messages.iter().position(|(sent, _)| sent == content)?;
        Some(self.messages.remove(first).1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(path: &[u64], call: u64) -> CallAddress {
        CallAddress { path: path.iter().map(|call| CallId(*call)).collect(), call: CallId(call) }
    }

    #[test]
    fn what_is_refused_is_named_by_its_line() {
        let mut sent = SentLines::default();
        sent.decides(at(&[], 1), 1);
        sent.decides(at(&[], 1), 2);
        sent.decides(at(&[7], 1), 3);
        sent.decides(at(&[], 9), 4);
        sent.decided(&at(&[], 1));
        let open = |at: &CallAddress| at.call == CallId(9);
        assert_eq!(sent.refused(&[CallId(7)], open), Some(3));
        assert_eq!(sent.refused(&[], open), Some(2), "the second decision about one call");
        assert_eq!(sent.refused(&[], open), Some(4));
        assert_eq!(sent.refused(&[], open), None);
        sent.says("with a picture".to_owned(), 5);
        sent.decides(at(&[], 2), 6);
        sent.returned(&["with a picture".into()]);
        assert_eq!(sent.refused(&[], open), Some(5));
        sent.says("given back".to_owned(), 7);
        sent.returned(&["given back".into()]);
        sent.heard();
        assert_eq!(sent.refused(&[], open), Some(6));
    }
}
