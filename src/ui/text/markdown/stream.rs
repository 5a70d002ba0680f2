//! Markdown in pieces, whole or while it is still being written: a piece is laid out when it is asked for and kept, and
//! only the open one is laid out again when more comes.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use ratatui::text::Line;

use super::code;
use super::fence::Fence;
use super::layout;
use super::scan::{LinePlace, Scanner};
use super::unfinished;
use crate::ui::text::highlight::Highlighter;
use crate::ui::text::{sanitize, split_before};
use crate::ui::theme::Theme;

/// Bytes after which a line without an end is ended, so that no text makes the open block unbounded.
const LONGEST_LINE: usize = 16 * 1024;

/// An answer, in pieces that depend on its text alone: a block, or a part of a long block of code. To take text costs what
/// the text costs, once, whatever the width. A piece has an end of its own (`scan`, `fence`), so that laying one out costs
/// the same however long the answer is; asked again with nothing new, it costs nothing.
#[derive(Debug, Default)]
pub struct Stream {
    scanner: Scanner,
    /// The line that has not ended yet, as it came.
    partial: String,
    /// What that line is to the pieces.
    tail: Tail,
    pieces: Vec<BlockPiece>,
    fences: Vec<Fence>,
    page: BlockPage,
    /// All of the text is here at once, so its code is painted by the block.
    is_whole: bool,
    /// More is to come, so what is open in the last line is drawn as closed.
    is_growing: bool,
}

#[derive(Debug)]
enum BlockPiece {
    /// Safe markdown.
    Text(String),
    /// A part of a fence.
    Code { fence: usize, part: usize },
}

/// The line that has not ended yet.
#[derive(Debug, Default)]
enum Tail {
    /// Shows nothing.
    #[default]
    Nothing,
    /// Goes on with the open text.
    Text,
    /// Is code of the open fence.
    Code,
    /// Is a piece of its own, of text.
    Apart,
    /// Is a piece of its own: it opens a fence in this language.
    Fence(String),
}

/// The pieces that are laid out, and for which width and theme.
#[derive(Debug, Default)]
struct BlockPage {
    width: u16,
    theme: String,
    laid: BTreeMap<usize, LaidBlock>,
    /// Pieces that were laid out, ever.
    count: usize,
}

#[derive(Debug)]
struct LaidBlock {
    lines: Vec<Line<'static>>,
    /// Where its links lead, in the order of their numbers.
    links: Vec<Arc<str>>,
    /// Its colours were still being worked out in this generation of the highlighter.
    waits: Option<u64>,
}

impl Stream {
    /// A stream that gets all of its text in one piece.
    #[must_use]
    pub fn whole(text: &str) -> Self {
        let mut stream = Self { is_whole: true, ..Self::default() };
        stream.push(text);
        stream
    }

    /// A stream of which more is to come whenever it is looked at.
    #[must_use]
    pub fn growing() -> Self {
        Self { is_growing: true, ..Self::default() }
    }

    /// Takes what came next.
    pub fn push(&mut self, delta: &str) {
        if delta.is_empty() {
            return;
        }
        // The open piece, and a line that was one of its own.
        self.page.laid.split_off(&self.pieces.len().saturating_sub(1));
        for piece in delta.split_inclusive('\n') {
            let mut piece = piece;
            while self.partial.len() + piece.len() > LONGEST_LINE {
                let (head, tail) = split_before(piece, LONGEST_LINE - self.partial.len());
                self.partial.push_str(head);
                self.end_line();
                piece = tail;
            }
            self.partial.push_str(piece);
            if piece.ends_with('\n') {
                self.end_line();
            }
        }
        self.tail = self.place_partial();
    }

    /// How many pieces there are.
    #[must_use]
    pub fn pieces(&self) -> usize {
        self.pieces.len() + usize::from(matches!(self.tail, Tail::Apart | Tail::Fence(_)))
    }

    /// The lines of a piece, each at most `width` cells wide, and where the links in them lead, by the numbers that
    /// they are tagged with. The empty line that sets it apart from what is above is its first.
    pub fn piece(
        &mut self,
        at: usize,
        width: u16,
        theme: &Theme,
        highlighter: &Highlighter,
    ) -> (&[Line<'static>], &[Arc<str>]) {
        self.settle(at, width, theme, highlighter, 0);
        self.page.laid.get(&at).map_or((&[], &[]), |laid| (&laid.lines, &laid.links))
    }

    /// The text of a piece, as it is before it is laid out.
    #[must_use]
    pub fn source(&self, at: usize) -> Cow<'_, str> {
        let is_last = at + 1 >= self.pieces.len();
        let text = match self.pieces.get(at) {
            Some(BlockPiece::Text(source)) => source.as_str(),
            Some(BlockPiece::Code { fence, part }) => {
                self.fences.get(*fence).map_or("", |fence| fence.text(*part))
            }
            None => "",
        };
        match self.tail {
            Tail::Text | Tail::Code if is_last => Cow::Owned(format!("{text}{}", sanitize(&self.partial))),
            Tail::Apart | Tail::Fence(_) if at == self.pieces.len() => sanitize(&self.partial),
            _ => Cow::Borrowed(text),
        }
    }

    /// All lines.
    pub fn lines(&mut self, width: u16, theme: &Theme, highlighter: &Highlighter) -> Vec<Line<'static>> {
        self.linked_lines(width, theme, highlighter).0
    }

    /// All lines, and where their links lead: numbered through, where no piece was asked for alone.
    pub(super) fn linked_lines(
        &mut self,
        width: u16,
        theme: &Theme,
        highlighter: &Highlighter,
    ) -> (Vec<Line<'static>>, Vec<Arc<str>>) {
        let (mut lines, mut links) = (Vec::new(), Vec::new());
        for at in 0..self.pieces() {
            self.settle(at, width, theme, highlighter, links.len());
            if let Some(laid) = self.page.laid.get(&at) {
                lines.extend_from_slice(&laid.lines);
                links.extend_from_slice(&laid.links);
            }
        }
        (lines, links)
    }

    /// How many times a piece was laid out: what it costs to show this.
    #[must_use]
    pub const fn work(&self) -> usize {
        self.page.count
    }

    fn end_line(&mut self) {
        let raw = std::mem::take(&mut self.partial);
        let safe = sanitize(&raw);
        let line = safe.strip_suffix('\n').unwrap_or(&safe);
        match self.scanner.feed(line) {
            LinePlace::FenceOpen(language) => {
                self.pieces.push(BlockPiece::Code { fence: self.fences.len(), part: 0 });
                self.fences.push(Fence::new(language));
            }
            LinePlace::FenceLine => {
                let last = self.fences.len().saturating_sub(1);
                if let Some(part) = self.fences.last_mut().and_then(|fence| fence.push(line)) {
                    self.pieces.push(BlockPiece::Code { fence: last, part });
                }
            }
            LinePlace::FenceClose => {
                if let Some(fence) = self.fences.last_mut() {
                    fence.is_closed = true;
                }
            }
            LinePlace::TextStart => self.pieces.push(BlockPiece::Text(format!("{line}\n"))),
            LinePlace::Between => {}
            LinePlace::Text => {
                if let Some(BlockPiece::Text(source)) = self.pieces.last_mut() {
                    source.push_str(line);
                    source.push('\n');
                }
            }
        }
    }

    /// What the line that has not ended is, if it goes on like this.
    fn place_partial(&self) -> Tail {
        let safe = sanitize(&self.partial);
        let place = self.scanner.clone().feed(&safe);
        match (place, self.pieces.last()) {
            (LinePlace::FenceLine, _) if !safe.is_empty() => Tail::Code,
            (LinePlace::FenceLine | LinePlace::FenceClose, _) => Tail::Nothing,
            (LinePlace::Text, Some(BlockPiece::Text(_))) => Tail::Text,
            (LinePlace::FenceOpen(language), _) => Tail::Fence(language),
            _ if safe.trim().is_empty() => Tail::Nothing,
            _ => Tail::Apart,
        }
    }

    /// Lays out a piece if it is not laid out already; its links are numbered from `first` on.
    fn settle(&mut self, at: usize, width: u16, theme: &Theme, highlighter: &Highlighter, first: usize) {
        if (width, &theme.name) != (self.page.width, &self.page.theme) {
            if theme.name != self.page.theme {
                self.fences.iter_mut().for_each(Fence::forget);
            }
            let count = self.page.count;
            self.page = BlockPage { width, theme: theme.name.clone(), count, ..BlockPage::default() };
        }
        if width == 0 || at >= self.pieces() {
            return;
        }
        let generation = highlighter.generation();
        let is_kept = |laid: &LaidBlock| laid.waits.is_none_or(|then| then == generation);
        if self.page.laid.get(&at).is_some_and(is_kept) {
            return;
        }
        let room = usize::from(self.page.width);
        let layout::LaidPiece { mut lines, is_waiting, links } =
            self.lay(at, room, theme, highlighter, first);
        // A block that shows nothing has this line, too: without a row, no window would ever be full of such blocks.
        if at > 0 && !matches!(self.pieces.get(at), Some(BlockPiece::Code { part: 1.., .. })) {
            lines.insert(0, Line::default());
        }
        self.page.count += 1;
        let waits = is_waiting.then_some(generation);
        self.page.laid.insert(at, LaidBlock { lines, links, waits });
    }

    /// What a piece comes to.
    fn lay(
        &mut self,
        at: usize,
        room: usize,
        theme: &Theme,
        highlighter: &Highlighter,
        first: usize,
    ) -> layout::LaidPiece {
        let Some(BlockPiece::Code { fence, part }) = self.pieces.get(at) else {
            if let (Tail::Fence(language), None) = (&self.tail, self.pieces.get(at)) {
                let lines = code::label(language, room, theme).into_iter().collect();
                return layout::LaidPiece { lines, is_waiting: false, links: Vec::new() };
            }
            let source = self.source(at);
            let is_open = matches!(self.tail, Tail::Text | Tail::Apart) && at + 1 == self.pieces();
            let is_open = is_open && self.is_growing;
            let source = if is_open { unfinished::closed(&source) } else { Cow::Borrowed(&*source) };
            // Nothing is shown of a line that may be a row and has no word yet.
            let grows = is_open && !source.ends_with('\n');
            return layout::lay(&source, room, theme, highlighter, (first, grows));
        };
        let mut laid = layout::LaidPiece { lines: Vec::new(), is_waiting: false, links: Vec::new() };
        if let Some(fence) = self.fences.get_mut(*fence) {
            if *part == 0 {
                laid.lines.extend(code::label(&fence.language, room, theme));
            }
            fence.paint(self.is_whole, theme, highlighter);
            laid.is_waiting = fence.lay(*part, &mut laid.lines, room, theme);
        }
        if matches!(self.tail, Tail::Code) && at + 1 == self.pieces.len() {
            laid.lines.extend(code::line(&code::plain(&sanitize(&self.partial), theme), room));
        }
        laid
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_again_is_not_laid_again() {
        let theme = Theme::builtin("countersign-dark").unwrap();
        let highlighter = Highlighter::off();
        let mut stream = Stream::default();
        stream.push("- one\n- two");
        let before = stream.lines(40, &theme, &highlighter);
        assert_eq!(stream.work(), 1);
        assert_eq!((stream.lines(40, &theme, &highlighter), stream.work()), (before.clone(), 1));
        stream.push("");
        assert_eq!((stream.lines(40, &theme, &highlighter), stream.work()), (before.clone(), 1));
        stream.push(" more");
        assert_eq!(stream.lines(40, &theme, &highlighter).last().unwrap().to_string(), "• two more");
        assert_eq!(stream.work(), 2);
        assert_eq!(stream.lines(20, &theme, &highlighter).len(), before.len(), "another width is laid anew");
        assert_eq!(stream.work(), 3);
    }

    #[test]
    fn what_is_half_written_is_drawn_as_what_it_will_be() {
        let theme = Theme::builtin("countersign-dark").unwrap();
        let highlighter = Highlighter::off();
        let text = "One **bold word**, `some code` and *more*.\n\n- **Name**: what";
        let whole: Vec<char> = Stream::whole(text)
            .lines(80, &theme, &highlighter)
            .iter()
            .flat_map(|line| line.to_string().chars().collect::<Vec<_>>())
            .filter(|c| !c.is_whitespace())
            .collect();
        let mut stream = Stream::growing();
        for c in text.chars() {
            stream.push(&c.to_string());
            let lines = stream.lines(80, &theme, &highlighter);
            let drawn: Vec<char> = lines
                .iter()
                .flat_map(|line| line.to_string().chars().collect::<Vec<_>>())
                .filter(|c| !c.is_whitespace())
                .collect();
            assert!(whole.starts_with(&drawn), "{drawn:?}");
        }
        assert_eq!(stream.source(1), "- **Name**: what", "what is copied is what was written");
    }

    #[test]
    fn a_piece_is_laid_alone() {
        let theme = Theme::builtin("countersign-dark").unwrap();
        let highlighter = Highlighter::off();
        for unit in ["A paragraph of words.\n\n", "- an item\n", "let x = 1;\n", "no end "] {
            let fence = if unit.starts_with("let") { "```rust\n" } else { "" };
            let mut stream = Stream::whole(&format!("{fence}{}", unit.repeat(80_000)));
            let last = stream.pieces() - 1;
            for width in [80, 40] {
                let before = stream.work();
                let rows = stream.piece(last, width, &theme, &highlighter).0.len();
                assert!(rows <= 4_000 && stream.work() - before <= 2, "{unit:?}: {rows} rows");
            }
        }
    }
}
