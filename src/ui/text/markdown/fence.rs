//! A top-level block of code, which grows line by line, in parts that are laid out by themselves.

use std::sync::Arc;

use ratatui::text::{Line, Span};

use super::code;
use crate::ui::text::highlight::{Growing, Highlighter, LARGEST_BLOCK, Paint};
use crate::ui::theme::Theme;

/// Lines, and bytes, after which a new part begins.
const MANY: usize = 256;
const LONG: usize = 16 * 1024;

/// The code so far, and its colours so far.
#[derive(Debug, Default)]
pub(super) struct Fence {
    pub(super) language: String,
    /// Whole lines, made safe.
    code: String,
    lines: usize,
    /// How many of the lines are painted at most.
    paintable: usize,
    /// Where each part but the first begins.
    parts: Vec<Start>,
    pub(super) is_closed: bool,
    /// Painted lines, from the first one on.
    painted: Arc<Vec<Line<'static>>>,
    growing: Option<Growing>,
    /// Bytes of the code that the highlighter has been given.
    sent: usize,
    /// The painter lost its place; what is plain stays plain.
    gave_up: bool,
}

/// Where a part begins.
#[derive(Debug, Clone, Copy, Default)]
struct Start {
    byte: usize,
    line: usize,
}

impl Fence {
    pub(super) fn new(language: String) -> Self {
        Self { language, ..Self::default() }
    }

    /// Takes a line; says which part begins with it, if one does.
    pub(super) fn push(&mut self, line: &str) -> Option<usize> {
        let start = self.parts.last().copied().unwrap_or_default();
        let begins = self.lines - start.line >= MANY || self.code.len() - start.byte >= LONG;
        if begins {
            self.parts.push(Start { byte: self.code.len(), line: self.lines });
        }
        self.code.push_str(line);
        self.code.push('\n');
        self.lines += 1;
        if self.code.len() <= LARGEST_BLOCK {
            self.paintable = self.lines;
        }
        begins.then_some(self.parts.len())
    }

    /// Forgets the colours.
    pub(super) fn forget(&mut self) {
        self.painted = Arc::default();
        self.growing = None;
        self.sent = 0;
        self.gave_up = false;
    }

    fn start(&self, part: usize) -> Start {
        part.checked_sub(1).map_or(Start::default(), |before| {
            self.parts.get(before).copied().unwrap_or(Start { byte: self.code.len(), line: self.lines })
        })
    }

    /// The code of a part.
    pub(super) fn text(&self, part: usize) -> &str {
        self.code.get(self.start(part).byte..self.start(part + 1).byte).unwrap_or_default()
    }

    /// Lays out a part, in the colours that are there. Says whether more of them are to come.
    pub(super) fn lay(&self, part: usize, page: &mut Vec<Line<'static>>, room: usize, theme: &Theme) -> bool {
        let (from, to) = (self.start(part).line, self.start(part + 1).line);
        for (at, line) in (from..).zip(self.text(part).split_inclusive('\n')) {
            match self.painted.get(at) {
                Some(painted) => page.extend(code::line(painted, room)),
                None => page.extend(code::line(&code::plain(line, theme), room)),
            }
        }
        !self.gave_up && self.painted.len() < to.min(self.paintable)
    }

    /// Whether colours are still to come.
    fn is_waiting(&self) -> bool {
        !self.gave_up && self.painted.len() < self.paintable
    }

    /// Fetches what has been painted, and asks for what has not: a block that will not grow any more all at once.
    pub(super) fn paint(&mut self, is_whole: bool, theme: &Theme, highlighter: &Highlighter) {
        if self.growing.is_some() || !(is_whole || self.is_closed) {
            return self.paint_growing(theme, highlighter);
        }
        if !self.is_waiting() {
            return;
        }
        match highlighter.paint(&self.language, paintable(&self.code), theme) {
            Paint::Here(lines) => self.painted = lines,
            Paint::Coming => {}
            Paint::Plain => self.gave_up = true,
        }
    }

    /// Sends what was written since the last call to be painted, and fetches what has been.
    fn paint_growing(&mut self, theme: &Theme, highlighter: &Highlighter) {
        if self.language.is_empty() || self.gave_up {
            self.gave_up = true;
            return;
        }
        if self.growing.is_none() {
            self.growing = highlighter.begin();
        }
        let Some(growing) = self.growing else {
            self.gave_up = true;
            return;
        };
        let fresh = paintable(&self.code).get(self.sent..).unwrap_or_default();
        if !fresh.is_empty() {
            highlighter.grow(growing, &self.language, fresh, theme);
            self.sent += fresh.len();
        }
        let grown = highlighter.grown(growing);
        let expected = self.code.split('\n').skip(self.painted.len());
        if expected.zip(&grown).any(|(code, painted)| !is_text_of(painted, code)) {
            self.gave_up = true;
            return;
        }
        Arc::make_mut(&mut self.painted).extend(grown);
        if self.is_closed && !self.is_waiting() {
            highlighter.keep(&self.language, paintable(&self.code), theme, self.painted.as_ref().clone());
            self.growing = None;
        }
    }
}

/// The lines of a block that are painted: all of a usual one, the first of a huge one.
fn paintable(code: &str) -> &str {
    if code.len() <= LARGEST_BLOCK {
        return code;
    }
    let bytes = code.as_bytes().get(..LARGEST_BLOCK).unwrap_or_default();
    let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
    code.get(..end).unwrap_or_default()
}

fn is_text_of(line: &Line<'static>, text: &str) -> bool {
    let mut rest = Some(text);
    for Span { content, .. } in &line.spans {
        rest = rest.and_then(|rest| rest.strip_prefix(content.as_ref()));
    }
    rest == Some("")
}
