//! A top-level block of code, which grows line by line: a line is laid out once, and repainted once.

use ratatui::text::{Line, Span};

use super::code;
use crate::ui::text::highlight::{Growing, Highlighter, LARGEST_BLOCK, Paint};
use crate::ui::theme::Theme;

/// The code so far, its colours so far, and how much of it stands on the page.
#[derive(Debug, Default)]
pub(super) struct Fence {
    pub(super) language: String,
    /// Whole lines, made safe.
    code: String,
    pub(super) is_closed: bool,
    /// Painted lines, from the first one on.
    painted: Vec<Line<'static>>,
    growing: Option<Growing>,
    /// Bytes of the code that the highlighter has been given.
    sent: usize,
    /// The painter lost its place; what is plain stays plain.
    gave_up: bool,
    laid: Laid,
}

/// What of a fence stands on the page.
#[derive(Debug, Default)]
struct Laid {
    /// Bytes of the code.
    bytes: usize,
    /// For each line of code, where on the page it begins.
    starts: Vec<usize>,
    /// Lines of code that stand there in colour.
    painted: usize,
}

impl Fence {
    pub(super) fn new(language: String) -> Self {
        Self { language, ..Self::default() }
    }

    pub(super) fn push(&mut self, line: &str) {
        self.code.push_str(line);
        self.code.push('\n');
    }

    /// Forgets what stands on the page, and the colours too when the theme has changed.
    pub(super) fn forget(&mut self, colours_too: bool) {
        self.laid = Laid::default();
        if colours_too {
            self.painted.clear();
            self.growing = None;
            self.sent = 0;
            self.gave_up = false;
        }
    }

    /// Puts on the page what is not there yet, and paints what has come.
    pub(super) fn lay(&mut self, page: &mut Vec<Line<'static>>, room: usize, theme: &Theme) {
        let fresh = self.code.get(self.laid.bytes..).unwrap_or_default();
        for line in fresh.split_inclusive('\n') {
            self.laid.starts.push(page.len());
            page.extend(code::line(&code::plain(line, theme), room));
        }
        self.laid.bytes = self.code.len();
        while let (Some(start), Some(painted)) =
            (self.laid.starts.get(self.laid.painted), self.painted.get(self.laid.painted))
        {
            // The text is the same, so the lines are as many as before.
            for (place, line) in page.iter_mut().skip(*start).zip(code::line(painted, room)) {
                *place = line;
            }
            self.laid.painted += 1;
        }
    }

    /// Whether colours are still to come.
    pub(super) fn is_waiting(&self) -> bool {
        !self.gave_up && self.painted.len() < paintable(&self.code).lines().count()
    }

    /// Fetches the colours of a block that will not grow any more, all at once.
    pub(super) fn paint_whole(&mut self, theme: &Theme, highlighter: &Highlighter) {
        if self.growing.is_some() {
            self.paint_growing(theme, highlighter);
            return;
        }
        match highlighter.paint(&self.language, paintable(&self.code), theme) {
            Paint::Here(lines) => self.painted = lines.as_ref().clone(),
            Paint::Coming => {}
            Paint::Plain => self.gave_up = true,
        }
    }

    /// Sends what was written since the last call to be painted, and fetches what has been.
    pub(super) fn paint_growing(&mut self, theme: &Theme, highlighter: &Highlighter) {
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
        self.painted.extend(grown);
        if self.is_closed && !self.is_waiting() {
            highlighter.keep(&self.language, paintable(&self.code), theme, self.painted.clone());
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
