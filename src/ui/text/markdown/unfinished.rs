//! The line that is still being written, as it will look: emphasis, code and links that are open are drawn as closed, and
//! half a sign is not drawn yet. Costs what the line costs, which is bounded.

use std::borrow::Cow;

/// Emphasis that is open: its sign, and how often.
#[derive(Debug, Clone, Copy)]
struct Opened {
    sign: char,
    times: usize,
}

/// What is open at the end of what was read of a line.
#[derive(Debug, Default)]
struct OpenMarks {
    marks: Vec<Opened>,
    /// The backquotes that opened code.
    code: Option<usize>,
    /// The target of a link was begun, with so many marks open.
    link: Option<usize>,
    /// Where the signs at the end begin, if they are half of something.
    half: Option<usize>,
}

/// A text whose last line may go on, with what is open in that line closed.
pub(super) fn closed(text: &str) -> Cow<'_, str> {
    let begins = text.rfind('\n').map_or(0, |at| at + 1);
    let line = text.get(begins..).unwrap_or_default();
    if is_marker(line) {
        return Cow::Owned(text.get(..begins).unwrap_or_default().to_owned());
    }
    if !line.contains(['*', '_', '~', '`', '[']) || is_indented_code(line) {
        return Cow::Borrowed(text);
    }
    let open = OpenMarks::of(line);
    let end = open.half.unwrap_or(line.len());
    let shown = line.get(..end).unwrap_or_default();
    let closers = open.closers();
    if closers.is_empty() && end == line.len() {
        return Cow::Borrowed(text);
    }
    // A sign behind a blank closes nothing, and within code a blank is shown.
    let shown = if open.code.is_some() { shown } else { shown.trim_end() };
    Cow::Owned(format!("{}{shown}{closers}", text.get(..begins).unwrap_or_default()))
}

/// Whether nothing stands there yet but the marker of a list, a heading, a quote or a table: it is drawn with its first word.
fn is_marker(line: &str) -> bool {
    let line = line.trim();
    let is_heading = !line.is_empty() && line.len() <= 6 && line.chars().all(|c| c == '#');
    is_heading || ["-", "*", "+", ">", "|"].contains(&line)
}

/// Items of a list in a list are indented, too.
fn is_indented_code(line: &str) -> bool {
    let rest = line.trim_start_matches([' ', '\t']);
    let is_item = rest.starts_with(['-', '*', '+']) || rest.starts_with(|c: char| c.is_ascii_digit());
    (line.starts_with("    ") || line.starts_with('\t')) && !is_item
}

impl OpenMarks {
    fn of(line: &str) -> Self {
        let mut open = Self::default();
        let mut before = None;
        let mut rest = line;
        while let Some(c) = rest.chars().next() {
            let run = rest.len() - rest.trim_start_matches(c).len();
            let at = line.len() - rest.len();
            let taken = match c {
                '`' => open.backquotes(at, run, rest.len()),
                _ if open.code.is_some() => c.len_utf8(),
                '\\' => 1 + rest.chars().nth(1).map_or(0, char::len_utf8),
                '~' if run != 2 && !(run == rest.len() && open.is_struck()) => run,
                '*' | '_' | '~' => open.signs(Opened { sign: c, times: run }, at, before, rest.get(run..)),
                // A cell of a table: nothing goes on in the next one.
                '|' => {
                    open = Self::default();
                    1
                }
                ']' if rest.starts_with("](") => {
                    open.link = Some(open.marks.len());
                    2
                }
                c if open.link.is_some() && (c == ')' || c.is_whitespace()) => {
                    open.link = None;
                    c.len_utf8()
                }
                c => c.len_utf8(),
            };
            let (read, behind) = rest.split_at_checked(taken).unwrap_or((rest, ""));
            before = read.chars().next_back();
            rest = behind;
        }
        open
    }

    /// Backquotes, of which so many stand here, and so many bytes behind the first. Returns how many bytes were read.
    fn backquotes(&mut self, at: usize, run: usize, left: usize) -> usize {
        let is_last = run == left;
        match self.code {
            Some(opened) if opened == run => self.code = None,
            None if !is_last => self.code = Some(run),
            Some(_) | None if is_last => self.half = Some(at),
            Some(_) | None => {}
        }
        run
    }

    /// A run of signs of emphasis between this character and this text.
    fn signs(&mut self, run: Opened, at: usize, before: Option<char>, behind: Option<&str>) -> usize {
        // In an address they are signs like others.
        if self.link.is_some() {
            return run.times;
        }
        let after = behind.and_then(|behind| behind.chars().next());
        let is_apart = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
        let is_blank = |c: Option<char>| c.is_none_or(char::is_whitespace);
        let opened = self.marks.iter().rposition(|open| open.sign == run.sign);
        let closes = !is_blank(before) && (run.sign == '*' || is_apart(after));
        if let (Some(opened), true) = (opened, closes) {
            let times = self.marks.get(opened).map_or(0, |open| open.times);
            if after.is_none() && run.times < times {
                self.half = Some(at);
                return run.times;
            }
            self.close(run);
        } else if is_apart(before) && after.is_none() {
            self.half = Some(at);
        } else if is_apart(before) && !is_blank(after) {
            self.marks.push(run);
        }
        run.times
    }

    /// One `~` is a sign only as half of those that end what is struck out.
    fn is_struck(&self) -> bool {
        self.marks.iter().any(|open| open.sign == '~')
    }

    /// Closes what this run closes, the innermost first.
    fn close(&mut self, run: Opened) {
        let mut left = run.times;
        while left > 0
            && let Some(opened) = self.marks.iter().rposition(|open| open.sign == run.sign)
        {
            let times = self.marks.get(opened).map_or(0, |open| open.times);
            self.marks.truncate(opened);
            if left < times {
                self.marks.push(Opened { times: times - left, ..run });
            }
            left = left.saturating_sub(times);
        }
    }

    fn closers(&self) -> String {
        let mut closers = "`".repeat(self.code.unwrap_or_default());
        let within = self.link.unwrap_or(self.marks.len());
        let (outside, inside) = self.marks.split_at_checked(within).unwrap_or((&self.marks, &[]));
        let close = |marks: &[Opened]| -> String {
            marks.iter().rev().map(|open| open.sign.to_string().repeat(open.times)).collect()
        };
        closers.push_str(&close(inside));
        if self.link.is_some() {
            closers.push(')');
        }
        closers + &close(outside)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_open_in_the_last_line_is_closed() {
        for (text, shown) in [
            ("a **wor", "a **wor**"),
            ("a **word ", "a **word**"),
            ("a **", "a"),
            ("a *", "a"),
            ("a **word*", "a **word**"),
            ("a **word**", "a **word**"),
            ("a ***wo", "a ***wo***"),
            ("a **b *c", "a **b *c***"),
            ("a **b *c*", "a **b *c***"),
            ("a _b", "a _b_"),
            ("- **Name", "- **Name**"),
            ("    - **Name", "    - **Name**"),
            ("one **x\n\ntwo `co", "one **x\n\ntwo `co`"),
            ("run `", "run"),
            ("a ~~gon", "a ~~gon~~"),
            ("a ~~gone~", "a ~~gone~~"),
            ("a ~~", "a"),
            ("text\n-", "text\n"),
            ("##", ""),
            ("run ``a`", "run ``a``"),
            ("run `a b", "run `a b`"),
            ("**run `a", "**run `a`**"),
            ("see [it](https://exa", "see [it](https://exa)"),
            ("see [it](", "see [it]()"),
            ("**see [it](https://a_b", "**see [it](https://a_b)**"),
            ("| **a** | `b", "| **a** | `b`"),
        ] {
            assert_eq!(closed(text), shown, "{text}");
        }
    }

    #[test]
    fn what_is_no_sign_stays() {
        for text in [
            "",
            "plain",
            "2 * 3",
            "2*3",
            "2*",
            "a ** b",
            "snake_case",
            "snake_",
            "__init__",
            "`a` b",
            "**a** b",
            "**a\nb",
            "| **a | b",
            "    x = **a",
            "\\*a",
            "a \\`b",
            "see [it](x) and",
            "see [it",
            "* item",
            "- ~5 s",
            "~/a b",
            "about ~5 and",
            "42",
        ] {
            assert_eq!(closed(text), text, "{text}");
        }
    }

    #[test]
    fn closing_twice_changes_nothing() {
        let text = "**a *b* `c` [d](e) _f_ ``g ` h`` and** more **x";
        for end in 0..=text.len() {
            let begun = text.get(..end).unwrap();
            let once = closed(begun).into_owned();
            assert_eq!(closed(&once), once, "{begun}");
        }
    }
}
