//! Markdown as styled lines, whole or while it is being streamed. Both go through the same blocks, so that a finished
//! answer looks exactly like the one that was watched.

mod begun_table;
mod blocks;
mod code;
mod fence;
mod heading;
mod inline;
mod layout;
mod line_kind;
mod scan;
mod stream;
mod table;
mod target;
mod unfinished;

use std::sync::Arc;

use ratatui::text::Line;

pub use self::blocks::{code_blocks, harmless};
pub use self::stream::Stream;
use super::highlight::Highlighter;
use crate::ui::theme::Theme;

/// Lays out a whole text, untrusted as it is, on lines of at most `width` cells. Code whose colours are still being
/// worked out is plain; lay out again once the highlighter's generation has grown.
#[must_use]
pub fn render(source: &str, width: u16, theme: &Theme, highlighter: &Highlighter) -> Vec<Line<'static>> {
    render_linked(source, width, theme, highlighter).0
}

/// The same, and where its links lead, by the numbers that their pieces are tagged with.
#[must_use]
pub fn render_linked(
    source: &str,
    width: u16,
    theme: &Theme,
    highlighter: &Highlighter,
) -> (Vec<Line<'static>>, Vec<Arc<str>>) {
    Stream::whole(source).linked_lines(width, theme, highlighter)
}
