//! Markdown as styled lines.

use ratatui::text::Line;

use super::highlight::Highlighter;
use crate::ui::theme::Theme;

/// Lays out a whole text.
#[must_use]
pub fn render(source: &str, width: u16, theme: &Theme, _highlighter: &Highlighter) -> Vec<Line<'static>> {
    super::wrap(&super::sanitize(source), usize::from(width), theme.text)
}

/// A text that is still growing.
#[derive(Debug, Default)]
pub struct Stream {
    source: String,
    lines: Vec<Line<'static>>,
}

impl Stream {
    /// Takes what came next.
    pub fn push(&mut self, delta: &str) {
        self.source.push_str(delta);
    }

    /// The lines so far.
    pub fn lines(&mut self, width: u16, theme: &Theme, highlighter: &Highlighter) -> &[Line<'static>] {
        self.lines = render(&self.source, width, theme, highlighter);
        &self.lines
    }
}
