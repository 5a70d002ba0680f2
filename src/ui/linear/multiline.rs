//! Lines become messages: one each, but for those that end in a backslash and those between a pair of `"""`.

/// What stands around a text of several lines.
const QUOTES: &str = "\"\"\"";

/// A text of several lines in the making.
#[derive(Debug, Default)]
pub(super) struct Multiline {
    lines: Vec<String>,
    quoted: bool,
}

/// What a line has become.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum GatheredLine {
    /// A part of a text that goes on.
    Part,
    /// A line of its own.
    Line(String),
    /// The end of a text of several lines: all of it.
    Text(String),
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

    /// Takes the next line.
    pub(super) fn take(&mut self, line: &str) -> GatheredLine {
        let begins = !self.is_open();
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
        if !(self.quoted && last.is_empty()) {
            self.lines.push(last.to_owned());
        }
        let text = self.lines.join("\n");
        self.drop_all();
        GatheredLine::Text(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(lines: &[&str]) -> Vec<GatheredLine> {
        let mut gather = Multiline::default();
        let all = lines.iter().map(|line| gather.take(line));
        let all: Vec<GatheredLine> = all.filter(|one| *one != GatheredLine::Part).collect();
        assert!(!gather.is_open(), "{lines:?}");
        all
    }

    #[test]
    fn lines_are_joined_as_they_say() {
        let text = |text: &str| GatheredLine::Text(text.to_owned());
        let line = |text: &str| GatheredLine::Line(text.to_owned());
        for (lines, become_) in [
            (&["one", "two"][..], vec![line("one"), line("two")]),
            (&["one\\", "two\\", "three"], vec![text("one\ntwo\nthree")]),
            (&["\"\"\"", "a", "", "y", "\"\"\"", "b"], vec![text("a\n\ny"), line("b")]),
            (&["\"\"\"a", "b\"\"\""], vec![text("a\nb")]),
            (&["\"\"\"whole\"\"\""], vec![text("whole")]),
            (&["C:\\\\", "x"], vec![line("C:\\\\"), line("x")]),
            (&["a\\", "\"\"\""], vec![text("a\n\"\"\"")]),
        ] {
            assert_eq!(texts(lines), become_, "{lines:?}");
        }
    }
}
