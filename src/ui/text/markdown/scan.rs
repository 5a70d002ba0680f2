//! Finds where one block of markdown ends for good, line by line, so that what is above need not be read again.

/// Bytes of one block beyond which it is closed at the next line that looks like a beginning.
const LONG: usize = 32 * 1024;

/// Lines of one block beyond which the same holds: many short ones cost more than a few long ones.
const MANY: usize = 1_000;

/// How often that much a block has at most: then it is closed at the next line, whatever that is.
const TOO: usize = 2;

/// What a line is to the blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum LinePlace {
    /// It goes on with the text block before it.
    Text,
    /// It is blank, and belongs to nothing: so is what follows, up to the next beginning.
    Between,
    /// It begins a text block; all before it is closed.
    TextStart,
    /// It opens a code fence in this language; all before it is closed.
    FenceOpen(String),
    /// It is code.
    FenceLine,
    /// It closes the fence.
    FenceClose,
}

/// What the lines so far mean for the next one. Text that has been placed is never placed anew, however it goes on.
#[derive(Debug, Clone, Default)]
pub(super) struct Scanner {
    fence: Option<Fence>,
    /// The line before was blank.
    after_blank: bool,
    /// A text block is open.
    is_open: bool,
    /// The open block has lines that look like list items, so that another one may go on with the list.
    has_items: bool,
    /// Bytes and lines of the open block.
    size: usize,
    lines: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fence {
    mark: char,
    length: usize,
}

impl Scanner {
    /// Places one line, which comes without its newline.
    pub(super) fn feed(&mut self, line: &str) -> LinePlace {
        if let Some(fence) = self.fence {
            if closes(fence, line) {
                *self = Self::default();
                return LinePlace::FenceClose;
            }
            return LinePlace::FenceLine;
        }
        if let Some((fence, language)) = opens(line) {
            *self = Self { fence: Some(fence), ..Self::default() };
            return LinePlace::FenceOpen(language);
        }
        if line.trim().is_empty() {
            if !self.is_open || self.has_more_than(TOO) {
                *self = Self::default();
                return LinePlace::Between;
            }
            self.after_blank = true;
            self.count(line);
            return LinePlace::Text;
        }
        let starts = !self.is_open || self.ends_before(line);
        if starts {
            *self = Self { is_open: true, ..Self::default() };
        }
        self.after_blank = false;
        self.has_items |= is_item(line);
        self.count(line);
        if starts { LinePlace::TextStart } else { LinePlace::Text }
    }

    /// Whether the open block cannot reach over this line. To say no is always safe, only slower.
    fn ends_before(&self, line: &str) -> bool {
        let is_flush = !line.starts_with(' ');
        let goes_on_with_list = self.has_items && is_item(line);
        self.has_more_than(TOO)
            || (is_flush && self.has_more_than(1))
            || (is_flush && self.after_blank && !goes_on_with_list)
    }

    /// A line has its end, too.
    fn count(&mut self, line: &str) {
        self.size += line.len() + 1;
        self.lines += 1;
    }

    fn has_more_than(&self, times: usize) -> bool {
        self.size > times * LONG || self.lines > times * MANY
    }
}

/// A fence at the very start of a line; indented ones may belong to a list and are left to the parser.
fn opens(line: &str) -> Option<(Fence, String)> {
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let info = line.trim_start_matches(mark);
    let length = line.len() - info.len();
    if length < 3 || (mark == '`' && info.contains('`')) {
        return None;
    }
    Some((Fence { mark, length }, language(info)))
}

/// The language that an info string names.
pub(super) fn language(info: &str) -> String {
    let name = info.split([' ', ',', '{', '\n']).find(|word| !word.is_empty()).unwrap_or_default();
    name.trim_end_matches('}').trim_start_matches('.').to_lowercase()
}

fn closes(fence: Fence, line: &str) -> bool {
    let indented = line.trim_start_matches(' ');
    let rest = indented.trim_start_matches(fence.mark);
    line.len() - indented.len() <= 3 && indented.len() - rest.len() >= fence.length && rest.trim().is_empty()
}

/// Whether a line begins like an item of a list.
fn is_item(line: &str) -> bool {
    let line = line.trim_start_matches(' ');
    let digits = line.trim_start_matches(|character: char| character.is_ascii_digit());
    let after = if digits.len() == line.len() {
        line.strip_prefix(['-', '+', '*'])
    } else {
        digits.strip_prefix(['.', ')'])
    };
    after.is_some_and(|after| after.is_empty() || after.starts_with(' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(text: &str) -> Vec<LinePlace> {
        let mut scanner = Scanner::default();
        text.lines().map(|line| scanner.feed(line)).collect()
    }

    #[test]
    fn blank_lines_end_paragraphs_but_not_lists() {
        use LinePlace::{Text, TextStart};
        assert_eq!(places("a\nb\n\nc"), [TextStart, Text, Text, TextStart]);
        assert_eq!(
            places("- a\n\n- b\n\n  more\n\nend"),
            [TextStart, Text, Text, Text, Text, Text, TextStart]
        );
        assert_eq!(places("a:\n1. b\n\n2. c"), [TextStart, Text, Text, Text]);
        assert_eq!(places("a\n\n    code"), [TextStart, Text, Text]);
    }

    #[test]
    fn fences_open_and_close() {
        use LinePlace::{FenceClose, FenceLine, TextStart};
        let rust = LinePlace::FenceOpen("rust".to_owned());
        assert_eq!(
            places("a\n```rust\n\n``\n```\nb"),
            [TextStart, rust.clone(), FenceLine, FenceLine, FenceClose, TextStart]
        );
        assert_eq!(places("````Rust,ignore\n```\n`````"), [rust, FenceLine, FenceClose]);
        assert_eq!(places("``` a`b"), [TextStart]);
    }

    #[test]
    fn a_block_without_end_is_cut_however_its_lines_begin() {
        let long = "x".repeat(98);
        for line in
            ["", "-", "- a", "  - a", " x", ">", "> a", "| a | b |", "1. a", "\t", "    x", "a", &long]
        {
            // What comes first may be a list, to which blank and indented lines belong.
            let text = format!("- begins\n{}", format!("{line}\n").repeat(100_000));
            let (mut lines, mut bytes, mut scanner) = (0, 0, Scanner::default());
            for one in text.lines() {
                match scanner.feed(one) {
                    LinePlace::TextStart => (lines, bytes) = (1, one.len() + 1),
                    LinePlace::Between => {}
                    _ => (lines, bytes) = (lines + 1, bytes + one.len() + 1),
                }
                assert!(
                    lines <= TOO * MANY + 1 && bytes <= TOO * LONG + one.len() + 1,
                    "{line:?}: {lines} {bytes}"
                );
            }
        }
    }
}
