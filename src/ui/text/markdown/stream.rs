//! Markdown that is still being written: closed blocks are laid out once and kept, only the open one is laid again.

use std::sync::Arc;

use ratatui::text::Line;

use super::code;
use super::fence::Fence;
use super::layout::{self, Laid};
use super::scan::{Place, Scanner};
use crate::ui::text::highlight::Highlighter;
use crate::ui::text::sanitize;
use crate::ui::theme::Theme;

/// Bytes after which a line without an end is ended, so that no text makes the open block unbounded.
const LONGEST_LINE: usize = 16 * 1024;

/// An answer that grows. A delta costs at most what the open block costs, which has an end of its own (`scan`), however
/// long the answer is; asked again with nothing new, it costs nothing.
#[derive(Debug, Default)]
pub struct Stream {
    scanner: Scanner,
    /// The line that has not ended yet, as it came.
    partial: String,
    blocks: Vec<Block>,
    page: Page,
    /// All of the text is here at once, so its code is painted by the block.
    is_whole: bool,
}

#[derive(Debug)]
enum Block {
    /// Safe markdown, and where on the page it stands while its colours are being worked out: its first line, and the
    /// number of its first link.
    Text {
        source: String,
        waiting_at: Option<(usize, usize)>,
    },
    Code(Fence),
}

/// What is laid out, and for which width and theme.
#[derive(Debug, Default)]
struct Page {
    width: u16,
    theme: String,
    generation: u64,
    lines: Vec<Line<'static>>,
    /// Lines that stay; those after them belong to the open block.
    settled: usize,
    /// Where links lead, in the order of their numbers; so many of them are on lines that stay.
    links: Vec<Arc<str>>,
    settled_links: usize,
    /// Blocks whose lines all stay.
    done: usize,
    /// The label of the open fence is on the page.
    has_label: bool,
    /// Blocks among the done ones whose colours are being worked out.
    waiting: Vec<usize>,
    /// Nothing has come since, and the open block waits for no colours.
    is_current: bool,
}

impl Stream {
    /// A stream that gets all of its text in one piece.
    pub(super) fn whole() -> Self {
        Self { is_whole: true, ..Self::default() }
    }

    /// Takes what came next.
    pub fn push(&mut self, delta: &str) {
        self.page.is_current &= delta.is_empty();
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
    }

    /// The lines so far, each at most `width` cells wide.
    pub fn lines(&mut self, width: u16, theme: &Theme, highlighter: &Highlighter) -> &[Line<'static>] {
        self.lay(width, theme, highlighter);
        &self.page.lines
    }

    /// Where the links of the lines lead, by the numbers that their pieces are tagged with.
    pub fn links(&self) -> &[Arc<str>] {
        &self.page.links
    }

    pub(super) fn into_lines(
        mut self,
        width: u16,
        theme: &Theme,
        highlighter: &Highlighter,
    ) -> (Vec<Line<'static>>, Vec<Arc<str>>) {
        self.lay(width, theme, highlighter);
        (self.page.lines, self.page.links)
    }

    fn end_line(&mut self) {
        let raw = std::mem::take(&mut self.partial);
        let safe = sanitize(&raw);
        let line = safe.strip_suffix('\n').unwrap_or(&safe);
        match self.scanner.feed(line) {
            Place::FenceOpen(language) => self.blocks.push(Block::Code(Fence::new(language))),
            Place::FenceLine => {
                if let Some(Block::Code(fence)) = self.blocks.last_mut() {
                    fence.push(line);
                }
            }
            Place::FenceClose => {
                if let Some(Block::Code(fence)) = self.blocks.last_mut() {
                    fence.is_closed = true;
                }
            }
            Place::TextStart => {
                self.blocks.push(Block::Text { source: format!("{line}\n"), waiting_at: None })
            }
            Place::Between => {}
            Place::Text => {
                if let Some(Block::Text { source, .. }) = self.blocks.last_mut() {
                    source.push_str(line);
                    source.push('\n');
                }
            }
        }
    }

    fn lay(&mut self, width: u16, theme: &Theme, highlighter: &Highlighter) {
        if (width, &theme.name) != (self.page.width, &self.page.theme) {
            self.start_over(width, theme);
        }
        let generation = highlighter.generation();
        if width == 0 || self.page.is_current && generation == self.page.generation {
            return;
        }
        self.page.lines.truncate(self.page.settled);
        self.page.links.truncate(self.page.settled_links);
        if generation != self.page.generation {
            self.repaint(theme, highlighter);
            self.page.generation = generation;
        }
        self.lay_closed(theme, highlighter);
        self.lay_open(theme, highlighter);
        self.page.is_current = !matches!(self.blocks.get(self.page.done), Some(Block::Code(_)));
    }

    fn start_over(&mut self, width: u16, theme: &Theme) {
        let is_other_theme = theme.name != self.page.theme;
        self.page = Page { width, theme: theme.name.clone(), ..Page::default() };
        for block in &mut self.blocks {
            match block {
                Block::Text { waiting_at, .. } => *waiting_at = None,
                Block::Code(fence) => fence.forget(is_other_theme),
            }
        }
    }

    /// Lays again what waited for its colours. The text is the same, so the lines are as many as before.
    fn repaint(&mut self, theme: &Theme, highlighter: &Highlighter) {
        let room = usize::from(self.page.width);
        for index in std::mem::take(&mut self.page.waiting) {
            let is_waiting = match self.blocks.get_mut(index) {
                Some(Block::Text { source, waiting_at: Some((start, link)) }) => {
                    let laid = layout::lay(source, room, theme, highlighter, *link);
                    for (place, line) in self.page.lines.iter_mut().skip(*start).zip(laid.lines) {
                        *place = line;
                    }
                    laid.is_waiting
                }
                Some(Block::Code(fence)) => {
                    fence.paint_whole(theme, highlighter);
                    fence.lay(&mut self.page.lines, room, theme);
                    fence.is_waiting()
                }
                Some(Block::Text { waiting_at: None, .. }) | None => false,
            };
            if is_waiting {
                self.page.waiting.push(index);
            }
        }
    }

    /// Lays out the blocks that were closed since the last time; their lines stay.
    fn lay_closed(&mut self, theme: &Theme, highlighter: &Highlighter) {
        let last_is_closed = matches!(self.blocks.last(), Some(Block::Code(fence)) if fence.is_closed);
        let closed = self.blocks.len() - usize::from(!last_is_closed && !self.blocks.is_empty());
        for index in self.page.done..closed {
            let is_waiting = match self.blocks.get_mut(index) {
                Some(Block::Text { source, waiting_at }) => {
                    let link = self.page.links.len();
                    let laid = layout::lay(source, usize::from(self.page.width), theme, highlighter, link);
                    let is_waiting = laid.is_waiting;
                    let start = self.page.add(laid);
                    *waiting_at = is_waiting.then_some((start, link));
                    is_waiting
                }
                Some(Block::Code(fence)) => {
                    self.page.add_label(&fence.language, theme);
                    fence.paint_whole(theme, highlighter);
                    fence.lay(&mut self.page.lines, usize::from(self.page.width), theme);
                    fence.is_waiting()
                }
                None => false,
            };
            self.page.has_label = false;
            if is_waiting {
                self.page.waiting.push(index);
            }
        }
        self.page.done = closed;
        self.page.settled = self.page.lines.len();
        self.page.settled_links = self.page.links.len();
    }

    /// Lays out the open block and the line that has not ended. Whole lines of code stay, the rest is laid each time.
    fn lay_open(&mut self, theme: &Theme, highlighter: &Highlighter) {
        let room = usize::from(self.page.width);
        let safe = sanitize(&self.partial);
        let place = self.scanner.clone().feed(&safe);
        let open = self.blocks.get_mut(self.page.done);
        match open {
            Some(Block::Code(fence)) => {
                self.page.add_label(&fence.language, theme);
                if self.is_whole {
                    fence.paint_whole(theme, highlighter);
                } else {
                    fence.paint_growing(theme, highlighter);
                }
                fence.lay(&mut self.page.lines, room, theme);
                self.page.settled = self.page.lines.len();
                if place == Place::FenceLine && !safe.is_empty() {
                    self.page.lines.extend(code::line(&code::plain(&safe, theme), room));
                }
                return;
            }
            Some(Block::Text { source, .. }) => {
                let goes_on = place == Place::Text;
                let whole = if goes_on { format!("{source}{safe}") } else { source.clone() };
                self.page.add(layout::lay(&whole, room, theme, highlighter, self.page.links.len()));
                if goes_on {
                    return;
                }
            }
            None => {}
        }
        if let Place::FenceOpen(language) = &place {
            self.page.add_label(language, theme);
            self.page.has_label = false;
        } else {
            self.page.add(layout::lay(&safe, room, theme, highlighter, self.page.links.len()));
        }
    }
}

impl Page {
    /// Adds a block's lines, apart from what is above; says where they begin. A block that shows nothing adds nothing.
    fn add(&mut self, Laid { lines, links, .. }: Laid) -> usize {
        self.links.extend(links);
        if !lines.is_empty() && !self.lines.is_empty() {
            self.lines.push(Line::default());
        }
        let start = self.lines.len();
        self.lines.extend(lines);
        start
    }

    /// Begins a block of code, once.
    fn add_label(&mut self, language: &str, theme: &Theme) {
        if std::mem::replace(&mut self.has_label, true) {
            return;
        }
        if !self.lines.is_empty() {
            self.lines.push(Line::default());
        }
        self.lines.extend(code::label(language, usize::from(self.width), theme));
    }
}

/// Splits a text at the last character boundary at or before `at`.
fn split_before(text: &str, at: usize) -> (&str, &str) {
    let at = (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
    text.split_at_checked(at).unwrap_or((text, ""))
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
        let before = stream.lines(40, &theme, &highlighter).to_vec();
        assert!(stream.page.is_current);
        // Were it laid again, this would be gone.
        stream.page.lines.push(Line::raw("mark"));
        assert_eq!(stream.lines(40, &theme, &highlighter).len(), before.len() + 1);
        stream.push(" more");
        assert!(!stream.page.is_current);
        assert_eq!(stream.lines(40, &theme, &highlighter).last().unwrap().to_string(), "• two more");
        assert_eq!(stream.lines(20, &theme, &highlighter).len(), before.len(), "another width is laid anew");
        stream.push("\n```rust\nfn");
        stream.lines(20, &theme, &highlighter);
        assert!(!stream.page.is_current, "colours may still come");
    }
}
