//! What is said and not yet written: lines that no terminal can misread.

use std::borrow::Cow;

use crate::ui::pages::Spoken;
use crate::ui::text::{sanitize, told_end};

use super::line::Echo;

/// Stands before every line that goes on with what somebody else wrote: a line at the margin is always ours.
const MARGIN: &str = "  ";
/// What is said in the place of a line without a word, where it counts.
const BLANK: &str = "[blank line]";

/// Lines of words, and whether a prompt stands open behind them.
#[derive(Debug, Default)]
pub(super) struct LinearOutput {
    text: String,
    open: bool,
}

impl LinearOutput {
    /// Words that begin with who or what they are of. Whatever follows their first line stands behind the margin;
    /// blank lines say nothing and are left out.
    pub(super) fn say(&mut self, words: &str) {
        let safe = sanitize(words);
        let mut lines = safe.lines().filter(|line| !line.trim().is_empty());
        if let Some(first) = lines.next() {
            self.line(first);
        }
        lines.for_each(|line| self.line(&format!("{MARGIN}{line}")));
    }

    /// The same of what would run as it is written: blank lines, and blanks at the end of a line, are part of
    /// it and are named. A line that says the same itself has a backslash before it.
    pub(super) fn say_exactly(&mut self, name: &str, words: &str) {
        let safe = sanitize(words);
        let named = safe.lines().map(|line| match line.trim() {
            "" => Cow::Borrowed(BLANK),
            says_so if says_so.trim_start_matches('\\') == BLANK => Cow::Owned(format!("\\{says_so}")),
            _ => told_end(line),
        });
        self.say(&format!("{name}: {}", named.collect::<Vec<_>>().join("\n")));
    }

    /// More of what the last line was about.
    pub(super) fn more(&mut self, words: &str) {
        for line in sanitize(words).lines().filter(|line| !line.trim().is_empty()) {
            self.line(&format!("{MARGIN}{line}"));
        }
    }

    /// A thing that a page says.
    pub(super) fn speak(&mut self, said: &Spoken) {
        match said {
            Spoken::Line(words) => self.say(words),
            Spoken::More(words) => self.more(words),
        }
    }

    /// Words behind which the person types.
    pub(super) fn prompt(&mut self, words: &str) {
        self.close();
        self.text.push_str(words);
        self.open = true;
    }

    /// Whether a prompt stands open.
    pub(super) fn is_open(&self) -> bool {
        self.open
    }

    /// A line was typed. A terminal has shown it and begun the next line; where nothing has, it is said.
    pub(super) fn typed(&mut self, line: &str, echo: Echo) {
        if echo == Echo::Unseen {
            let prompt = if self.open { "" } else { "typed: " };
            self.text.push_str(&format!("{prompt}{}\n", sanitize(line)));
        }
        self.open = self.open && echo == Echo::Elsewhere;
    }

    /// The terminal has written something of its own, such as ^C, and stands behind it.
    pub(super) fn broken(&mut self) {
        self.open = true;
    }

    /// Ends the line of an open prompt.
    pub(super) fn close(&mut self) {
        if std::mem::take(&mut self.open) {
            self.text.push('\n');
        }
    }

    /// All that is to be written.
    pub(super) fn take(&mut self) -> String {
        std::mem::take(&mut self.text)
    }

    fn line(&mut self, line: &str) {
        self.close();
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_wrote_never_begins_at_the_margin() {
        let mut output = LinearOutput::default();
        output.prompt("you: ");
        output.say("model: one\n\nwaits for you 1: \u{1b}[31mrm\u{7}\r\ny");
        output.more("you: yes");
        assert_eq!(output.take(), "you: \nmodel: one\n  waits for you 1: ^[[31mrm^G\n  y\n  you: yes\n");
    }

    #[test]
    fn blank_lines_of_what_would_run_are_named() {
        let mut output = LinearOutput::default();
        output.say_exactly("command", "cat > a <<E\none\n\n  \ntwo\nE");
        assert_eq!(
            output.take(),
            "command: cat > a <<E\n  one\n  [blank line]\n  [blank line]\n  two\n  E\n"
        );
    }

    #[test]
    fn blanks_behind_a_backslash_are_named() {
        let mut output = LinearOutput::default();
        output.say_exactly("command", "echo \\ \nrm -f keep.txt");
        output.say_exactly("command", "echo \\\nrm -f keep.txt");
        output.say_exactly("command", "\nls");
        assert_eq!(
            output.take(),
            "command: echo \\ [blank at the end]\n  rm -f keep.txt\ncommand: echo \\\n  rm -f keep.txt\n\
             command: [blank line]\n  ls\n"
        );
    }

    #[test]
    fn no_line_that_is_not_blank_says_that_it_is() {
        let mut output = LinearOutput::default();
        output.say_exactly("command", "a\n\n[blank line]\n [blank line] \n\\[blank line]\n[blank line] b");
        assert_eq!(
            output.take(),
            "command: a\n  [blank line]\n  \\[blank line]\n  \\[blank line]\n  \\\\[blank line]\n  [blank line] b\n"
        );
    }

    #[test]
    fn a_line_that_no_terminal_has_shown_is_said() {
        let mut output = LinearOutput::default();
        output.prompt("you: ");
        output.typed("hello", Echo::Unseen);
        output.typed("and more", Echo::Unseen);
        output.prompt("you: ");
        output.typed("seen", Echo::Shown);
        output.say("model: yes");
        assert_eq!(output.take(), "you: hello\ntyped: and more\nyou: model: yes\n");
        output.prompt("you: ");
        output.typed("typed ahead", Echo::Elsewhere);
        output.say("model: no");
        output.typed("and more", Echo::Elsewhere);
        output.say("model: no");
        assert_eq!(output.take(), "you: \nmodel: no\nmodel: no\n");
    }
}
