//! The page of a summary: what a compaction replaced, and the words that a model reads in its place.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;

use crate::ledger::{Compaction, EntryId};
use crate::ui::text::highlight::Highlighter;
use crate::ui::text::{MEASURE, markdown, wrap};
use crate::ui::theme::Theme;

use super::Screen;
use super::output::page;
use super::words::{count_entries, short};

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, screen: &Screen<'_>, entry: EntryId, at: u16) {
    let inner = area.width.saturating_sub(4).max(1);
    let lines = screen.view.compaction(entry).map_or_else(Vec::new, |made| {
        let replaced = screen.view.replaced_by(entry);
        lines(made, replaced, inner, screen.theme)
    });
    page(frame, area, screen, "summary", lines, at);
}

/// What it replaced and its words.
fn lines(made: &Compaction, replaced: usize, inner: u16, theme: &Theme) -> Vec<Line<'static>> {
    let about =
        format!("{}, up to {}. They stay in the ledger: ctrl-o.", told(made, replaced), made.replaces_to);
    let mut lines = wrap(&about, usize::from(inner).min(MEASURE), theme.dim);
    lines.push(Line::default());
    lines.extend(markdown::render(&made.summary, inner, theme, &Highlighter::off()));
    lines
}

/// `auto · 148k to 3.1k tokens · 42 entries replaced`
pub(super) fn told(made: &Compaction, replaced: usize) -> String {
    format!(
        "{} · {} to {} tokens · {} replaced",
        made.trigger.as_str(),
        short(made.tokens_before),
        short(made.tokens_after),
        count_entries(replaced)
    )
}
