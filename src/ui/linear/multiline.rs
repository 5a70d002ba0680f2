//! Lines become messages: one each, but for those that end in a backslash and those between a pair of `"""`.

/// What stands around a text of several lines.
const QUOTES: &str = "\"\"\"";
/// What stands between two lines of a command for the shell. It joins them itself: whether the backslash is one
/// depends on the quotes around it.
const SHELL_JOIN: &str = "\\\n";

/// A text of several lines in the making.
#[derive(Debug, Default)]
pub(super) struct Multiline {
    lines: Vec<String>,
    quoted: bool,
    /// A line of it came together with others.
    together: bool,
}

/// What a line has become.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum GatheredLine {
    /// A part of a text that goes on.
    Part,
    /// A line of its own.
    Line(String),
    /// The end of lines that a backslash at their ends joins: all of them, and whether each came by itself.
    Joined {
        /// The lines.
        text: String,
        /// Whether none came together with others.
        alone: bool,
    },
    /// The end of a text between quotes: all of it.
    Quoted(String),
}

impl Multiline {
    /// Whether a text is begun and not ended.
    pub(super) fn is_open(&self) -> bool {
        self.quoted || !self.lines.is_empty()
    }

    /// Forgets what was begun; says how many lines it had.
    pub(super) fn drop_all(&mut self) -> usize {
        let lines = self.lines.len();
        *self = Self::default();
        lines
    }

    /// Whether lines are begun that a backslash joins.
    pub(super) fn joins(&self) -> bool {
        self.is_open() && !self.quoted
    }

    /// Takes the next line; `alone`: it came by itself.
    pub(super) fn take(&mut self, line: &str, alone: bool) -> GatheredLine {
        let begins = !self.is_open();
        self.together = !alone || (self.together && !begins);
        let rest = if begins { line.trim_start().strip_prefix(QUOTES) } else { None };
        self.quoted |= rest.is_some();
        let line = rest.unwrap_or(line);
        if self.quoted {
            return match line.trim_end().strip_suffix(QUOTES) {
                Some(last) => self.end(last),
                None => self.part(line, rest.is_some()),
            };
        }
        if line.chars().rev().take_while(|c| *c == '\\').count() % 2 == 1 {
            return self.part(line.strip_suffix('\\').unwrap_or(line), false);
        }
        if begins { GatheredLine::Line(line.to_owned()) } else { self.end(line) }
    }

    fn part(&mut self, line: &str, opens: bool) -> GatheredLine {
        if !(opens && line.is_empty()) {
            self.lines.push(line.to_owned());
        }
        GatheredLine::Part
    }

    fn end(&mut self, last: &str) -> GatheredLine {
        let (quoted, alone) = (self.quoted, !self.together);
        if !(quoted && last.is_empty()) {
            self.lines.push(last.to_owned());
        }
        let is_command = !quoted && self.lines.first().is_some_and(|first| first.starts_with('!'));
        // Behind the last word, nothing is joined: a backslash alone would be a word.
        while is_command && self.lines.last().is_some_and(|line| line.trim().is_empty()) {
            self.lines.pop();
        }
        let text = self.lines.join(if is_command { SHELL_JOIN } else { "\n" });
        self.drop_all();
        if quoted { GatheredLine::Quoted(text) } else { GatheredLine::Joined { text, alone } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(lines: &[&str]) -> Vec<GatheredLine> {
        let mut gather = Multiline::default();
        let all = lines.iter().map(|line| gather.take(line, true));
        let all: Vec<GatheredLine> = all.filter(|one| *one != GatheredLine::Part).collect();
        assert!(!gather.is_open(), "{lines:?}");
        all
    }

    #[test]
    fn lines_are_joined_as_they_say() {
        let quoted = |text: &str| GatheredLine::Quoted(text.to_owned());
        let joined = |text: &str| GatheredLine::Joined { text: text.to_owned(), alone: true };
        let line = |text: &str| GatheredLine::Line(text.to_owned());
        for (lines, become_) in [
            (&["one", "two"][..], vec![line("one"), line("two")]),
            (&["one\\", "two\\", "three"], vec![joined("one\ntwo\nthree")]),
            (&["\"\"\"", "a", "", "y", "\"\"\"", "b"], vec![quoted("a\n\ny"), line("b")]),
            (&["\"\"\"a", "b\"\"\""], vec![quoted("a\nb")]),
            (&["\"\"\"whole\"\"\""], vec![quoted("whole")]),
            (&["C:\\\\", "x"], vec![line("C:\\\\"), line("x")]),
            (&["a\\", "\"\"\""], vec![joined("a\n\"\"\"")]),
            // The shell reads its own backslashes, and nothing else does.
            (&["!rm -r old \\", "dist"], vec![joined("!rm -r old \\\ndist")]),
            (&["!echo 'a\\", "b'\\", "c"], vec![joined("!echo 'a\\\nb'\\\nc")]),
            (&["\"\"\"!a\\", "b\"\"\""], vec![quoted("!a\\\nb")]),
            (&[" !a\\", "b"], vec![joined(" !a\nb")]),
            (&["!touch x \\", "\\", ""], vec![joined("!touch x ")]),
        ] {
            assert_eq!(texts(lines), become_, "{lines:?}");
        }
    }

    #[test]
    fn lines_are_joined_by_who_typed_each_of_them_only_if_all_came_by_themselves() {
        for (first, last) in [(true, true), (true, false), (false, true), (false, false)] {
            let mut gather = Multiline::default();
            // What came before is another text.
            gather.take("before", false);
            assert_eq!(gather.take("one\\", first), GatheredLine::Part);
            let joined = GatheredLine::Joined { text: "one\ntwo".to_owned(), alone: first && last };
            assert_eq!(gather.take("two", last), joined);
        }
    }
}
