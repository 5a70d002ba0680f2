//! The line that is still being written, as it will look: emphasis, code and links that are open are drawn as closed, and
//! half a sign is not drawn yet. Costs what the block costs, which is bounded.

use std::borrow::Cow;

use super::begun_table;
use super::line_kind::{is_in_code, is_indented_code, is_marker};
use super::target::Target;

/// Emphasis that is open: its sign, and how often.
#[derive(Debug, Clone, Copy)]
struct Opened {
    sign: char,
    times: usize,
}

/// A bracket that is open.
#[derive(Debug, Clone, Copy)]
struct Bracket {
    /// Marks that were open before it.
    marks: usize,
    /// Where its text begins.
    from: usize,
    /// It is drawn as the text of a link or an image.
    is_link: bool,
}

/// What is open at the end of what was read of a line.
#[derive(Debug, Default)]
struct OpenMarks {
    marks: Vec<Opened>,
    /// The backquotes that opened code.
    code: Option<usize>,
    brackets: Vec<Bracket>,
    /// The target of a link.
    target: Option<Target>,
    /// An address between angle brackets.
    address: bool,
    /// Where the signs at the end begin, if they are half of something.
    half: Option<usize>,
}

/// Bytes of a text in brackets that is a link's, as long as nothing says otherwise.
const LONGEST_TEXT: usize = 160;

/// A text whose last line may go on, with what is open in that line closed, and a table that has begun drawn as one.
pub(super) fn closed(text: &str) -> Cow<'_, str> {
    if is_in_code(text) {
        return Cow::Borrowed(text);
    }
    let text = in_line(text);
    begun_table::completed(&text).map_or(text, Cow::Owned)
}

/// The same without tables.
fn in_line(text: &str) -> Cow<'_, str> {
    let begins = text.rfind('\n').map_or(0, |at| at + 1);
    let (before, line) = text.split_at_checked(begins).unwrap_or(("", text));
    if is_marker(line) {
        return Cow::Owned(before.to_owned());
    }
    let signs = ['*', '_', '~', '`', '[', '!', '<', '\\'];
    if !line.contains(signs) || is_indented_code(line) {
        return Cow::Borrowed(text);
    }
    let open = OpenMarks::of(line);
    let end = open.half.unwrap_or(line.len());
    let shown = line.get(..end).unwrap_or_default();
    if is_marker(shown) {
        return Cow::Owned(before.to_owned());
    }
    let closers = open.closers(line.len());
    if closers.is_empty() && end == line.len() {
        return Cow::Borrowed(text);
    }
    // A sign behind a blank closes nothing, and within code a blank is shown.
    let shown = if open.code.is_some() { shown } else { shown.trim_end() };
    Cow::Owned(format!("{before}{shown}{closers}"))
}

impl OpenMarks {
    fn of(line: &str) -> Self {
        let mut open = Self::default();
        let mut before = None;
        let mut rest = line;
        while let Some(c) = rest.chars().next() {
            let run = || rest.len() - rest.trim_start_matches(c).len();
            let at = line.len() - rest.len();
            let taken = match c {
                // A cell of a table: nothing goes on in the next one.
                '|' if open.code.is_none() => {
                    open = Self::default();
                    1
                }
                '\\' if open.code.is_none() => open.escape(at, rest),
                _ if open.target.is_some() => open.in_target(c),
                '`' => open.backquotes(at, run(), rest.len()),
                _ if open.code.is_some() => c.len_utf8(),
                '~' if run() != 2 && !(run() == rest.len() && open.is_struck()) => {
                    open.tilde(at, run(), rest.len())
                }
                '*' | '_' | '~' => {
                    let times = run();
                    open.signs(Opened { sign: c, times }, at, before, rest.get(times..))
                }
                '!' | '[' | ']' => open.bracket(at, before, rest),
                '<' => open.angle(at, rest),
                c => c.len_utf8(),
            };
            let (read, behind) = rest.split_at_checked(taken).unwrap_or((rest, ""));
            before = read.chars().next_back();
            rest = behind;
        }
        open
    }

    /// A character that is no sign; at the end it may be for the next one.
    fn escape(&mut self, at: usize, rest: &str) -> usize {
        let next = rest.chars().nth(1);
        if next.is_none() {
            self.half = Some(at);
        }
        1 + next.map_or(0, char::len_utf8)
    }

    /// A sign that strikes nothing out; one at the end may be half of two that do.
    fn tilde(&mut self, at: usize, run: usize, left: usize) -> usize {
        if run == 1 && left == 1 {
            self.half = Some(at);
        }
        run
    }

    fn in_target(&mut self, c: char) -> usize {
        self.target = self.target.and_then(|target| target.after(c));
        c.len_utf8()
    }

    /// What opens or closes the text of a link or an image. Returns how many bytes were read.
    fn bracket(&mut self, at: usize, before: Option<char>, rest: &str) -> usize {
        let is_apart = before.is_none_or(|c| !c.is_alphanumeric() && !matches!(c, ']' | ')'));
        if rest.starts_with("](") {
            if self.brackets.pop().is_some() {
                self.target = Some(Target::default());
            }
            return 2;
        }
        if rest == "]" && self.brackets.last().is_some_and(|open| open.is_link) {
            self.half = Some(at);
            return 1;
        }
        if rest.starts_with(']') {
            self.brackets.pop();
            return 1;
        }
        let is_image = rest.starts_with("![");
        if rest == "!" && is_apart || rest == "![" || rest == "[" && is_apart {
            self.half = Some(at);
            return rest.len();
        }
        if rest.starts_with('[') || is_image {
            let signs = 1 + usize::from(is_image);
            let is_text = |c: char| c.is_alphabetic() || matches!(c, '`' | '*' | '_' | '~' | '"' | '!');
            let is_inner = self.brackets.iter().any(|open| open.is_link);
            let is_link = is_image
                || is_apart && !is_inner && rest.get(signs..).is_some_and(|text| text.starts_with(is_text));
            self.brackets.push(Bracket { marks: self.marks.len(), from: at + signs, is_link });
            return signs;
        }
        1
    }

    /// An address between angle brackets.
    fn angle(&mut self, at: usize, rest: &str) -> usize {
        let schemes = ["<https://", "<http://"];
        if schemes.iter().any(|scheme| scheme.starts_with(rest)) {
            self.half = Some(at);
            return rest.len();
        }
        if !schemes.iter().any(|scheme| rest.starts_with(scheme)) {
            return 1;
        }
        match rest.find(|c: char| c == '>' || c.is_whitespace()) {
            Some(end) => end,
            None => {
                self.address = true;
                rest.len()
            }
        }
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

    /// What closes all that is open in a line of so many bytes, the innermost first.
    fn closers(&self, length: usize) -> String {
        let mut closers = "`".repeat(self.code.unwrap_or_default());
        if self.address {
            closers.push('>');
        }
        if let Some(target) = self.target {
            closers.push_str(&target.closers());
        }
        let mut open = self.marks.len();
        for bracket in self.brackets.iter().rev() {
            closers.push_str(&self.close_from(bracket.marks, open));
            open = open.min(bracket.marks);
            if bracket.is_link && length - bracket.from <= LONGEST_TEXT {
                closers.push_str("]()");
            }
        }
        closers + &self.close_from(0, open)
    }

    /// What closes these marks.
    fn close_from(&self, from: usize, to: usize) -> String {
        let marks = self.marks.get(from..to).unwrap_or_default();
        marks.iter().rev().map(|open| open.sign.to_string().repeat(open.times)).collect()
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
            ("a ~", "a"),
            ("text\n-", "text\n"),
            ("##", ""),
            ("run ``a`", "run ``a``"),
            ("run `a b", "run `a b`"),
            ("**run `a", "**run `a`**"),
            ("see [it](https://exa", "see [it](https://exa)"),
            ("see [it](", "see [it]()"),
            ("see [it", "see [it]()"),
            ("see [it]", "see [it]()"),
            ("see [", "see"),
            ("see [**it", "see [**it**]()"),
            ("**see [it", "**see [it]()**"),
            ("[it](https://a/b_(c", "[it](https://a/b_(c))"),
            ("[it](x \"tit", "[it](x \"tit\")"),
            ("[it](x ", "[it](x)"),
            ("- [x", ""),
            ("- [x]", ""),
            ("- [Name", "- [Name]()"),
            ("so !", "so"),
            ("so ![", "so"),
            ("so ![a cat", "so ![a cat]()"),
            ("so ![a cat](c.p", "so ![a cat](c.p)"),
            ("[![b](c", "[![b](c)]()"),
            ("see <htt", "see"),
            ("see <https://e.o", "see <https://e.o>"),
            ("a \\", "a"),
            ("| [a", "| [a]()\n|---|"),
            ("- x\n\n  | a |\n  |", "- x\n\n  | a |\n  |---|"),
            ("**see [it](https://a_b", "**see [it](https://a_b)**"),
            ("| **a** | `b", "| **a** | `b`\n|---|---|"),
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
            "|**a | b",
            "    x = **a",
            "\\*a",
            "a \\`b",
            "see [it](x) and",
            "* item",
            "a[0",
            "a [0, 1) b",
            "see [1",
            "see [1]",
            "Hello!",
            "a < b",
            "- [ ] task",
            "```\n| a | [b",
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
