//! Thinking that a server left in the text: what stands between `<think>` and `</think>` before the first word of an
//! answer. Open models write it so, and not every server takes it out. In the midst of an answer the marks are text.

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// Most bytes of white space that are kept back at the beginning: behind more of it nothing is looked for.
const MOST_WHITE: usize = 256;

/// A part of the text, and what it is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum TextPart {
    /// A piece of thinking.
    Thinking(String),
    /// The thinking is over.
    Over,
    /// A piece of the answer.
    Text(String),
}

/// Reads the text of one answer, in any pieces. What may be a part of a mark is kept back until that is known.
#[derive(Debug, Default)]
pub(super) struct Thoughts {
    at: At,
    held: String,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum At {
    /// Nothing but white space has come.
    #[default]
    Beginning,
    /// Between the marks; whether a word was said there.
    Inside { has_words: bool },
    /// White space between the thinking and the answer.
    Behind,
    /// The answer: all of it is text.
    Answer,
}

impl Thoughts {
    /// Whether all that comes is text.
    pub(super) fn are_over(&self) -> bool {
        self.at == At::Answer
    }

    /// Takes in more text.
    pub(super) fn push(&mut self, text: &str) -> Vec<TextPart> {
        let mut parts = Vec::new();
        self.held.push_str(text);
        while self.step(&mut parts) {}
        parts
    }

    /// No more text belongs to what is kept back: the answer is over, or goes on with something else.
    pub(super) fn finish(&mut self) -> Option<TextPart> {
        let held = std::mem::take(&mut self.held);
        let was = std::mem::replace(&mut self.at, At::Answer);
        match was {
            _ if held.is_empty() => None,
            At::Inside { .. } => Some(TextPart::Thinking(held)),
            At::Behind => None,
            At::Beginning | At::Answer => Some(TextPart::Text(held)),
        }
    }

    /// One step; whether another may follow.
    fn step(&mut self, parts: &mut Vec<TextPart>) -> bool {
        match self.at {
            At::Beginning => {
                let spoken = self.held.trim_start();
                let is_near = self.held.len() - spoken.len() <= MOST_WHITE;
                if let Some(rest) = spoken.strip_prefix(OPEN).filter(|_| is_near) {
                    self.held = rest.to_owned();
                    self.at = At::Inside { has_words: false };
                    return true;
                }
                if is_near && OPEN.starts_with(spoken) {
                    return false;
                }
                self.at = At::Answer;
                true
            }
            At::Inside { has_words } => self.inside(has_words, parts),
            At::Behind => {
                self.held = self.held.trim_start().to_owned();
                if !self.held.is_empty() {
                    self.at = At::Answer;
                }
                !self.held.is_empty()
            }
            At::Answer => {
                if !self.held.is_empty() {
                    parts.push(TextPart::Text(std::mem::take(&mut self.held)));
                }
                false
            }
        }
    }

    fn inside(&mut self, mut has_words: bool, parts: &mut Vec<TextPart>) -> bool {
        let end = self.held.find(CLOSE);
        let most = end.unwrap_or(self.held.len() - kept_back(&self.held));
        let (thought, rest) = self.held.split_at(most);
        let thought = if has_words { thought } else { thought.trim_start() };
        if !thought.is_empty() {
            has_words = true;
            parts.push(TextPart::Thinking(thought.to_owned()));
        }
        if end.is_none() {
            self.held = rest.to_owned();
            self.at = At::Inside { has_words };
            return false;
        }
        self.held = rest.strip_prefix(CLOSE).unwrap_or(rest).to_owned();
        if has_words {
            parts.push(TextPart::Over);
        }
        self.at = At::Behind;
        true
    }
}

/// How many bytes at the end may be the beginning of the closing mark.
fn kept_back(text: &str) -> usize {
    (1..CLOSE.len())
        .rev()
        .find(|count| text.ends_with(CLOSE.get(..*count).unwrap_or(CLOSE)))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Thinking, whether it came to its end, and text; the same however the text is cut.
    fn read(text: &str) -> (String, bool, String) {
        let mut read = Vec::new();
        for size in 1..=text.len() {
            let mut thoughts = Thoughts::default();
            let (mut thinking, mut is_over, mut answer) = (String::new(), false, String::new());
            let mut rest = text;
            let mut parts = Vec::new();
            while !rest.is_empty() {
                let end = (size..=rest.len()).find(|at| rest.is_char_boundary(*at)).unwrap_or(rest.len());
                let (piece, tail) = rest.split_at(end);
                parts.extend(thoughts.push(piece));
                rest = tail;
            }
            parts.extend(thoughts.finish());
            for part in parts {
                match part {
                    TextPart::Thinking(more) => {
                        assert!(!is_over && answer.is_empty());
                        thinking.push_str(&more);
                    }
                    TextPart::Over => is_over = true,
                    TextPart::Text(more) => answer.push_str(&more),
                }
            }
            read.push((thinking, is_over, answer));
        }
        read.dedup();
        assert_eq!(read.len(), 1, "{text:?}: {read:?}");
        read.remove(0)
    }

    #[test]
    fn thinking_is_told_from_the_answer_however_it_is_cut() {
        let long = " ".repeat(MOST_WHITE + 1) + "<think>a</think>";
        for (text, thinking, is_over, answer) in [
            ("<think>Hm, ü.\n</think>\n\nYes.", "Hm, ü.\n", true, "Yes."),
            (" \n<think>\nHm.</think>Yes.", "Hm.", true, "Yes."),
            ("<think></think>Yes.", "", false, "Yes."),
            ("<think>\n\n</think>\n\nYes.", "", false, "Yes."),
            ("<think>a < b </ c </thin </think>d", "a < b </ c </thin ", true, "d"),
            // It never ends: what was said as thinking stays that.
            ("<think>Hm.", "Hm.", false, ""),
            ("<think>Hm.</thi", "Hm.</thi", false, ""),
            // Not at the beginning, not the mark, not again.
            ("Say <think>a</think>.", "", false, "Say <think>a</think>."),
            ("`<think>`", "", false, "`<think>`"),
            ("<thinking>a</thinking>", "", false, "<thinking>a</thinking>"),
            ("<think>a</think>b <think>c</think>", "a", true, "b <think>c</think>"),
            ("<think>a</think><think>c</think>", "a", true, "<think>c</think>"),
            ("  <thi", "", false, "  <thi"),
            (" \n", "", false, " \n"),
            (&long, "", false, &long),
        ] {
            assert_eq!(read(text), (thinking.to_owned(), is_over, answer.to_owned()), "{text:?}");
        }
    }
}
