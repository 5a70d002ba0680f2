//! The page of a summary: what a compaction replaced, and the words that a model reads in its place. Also the page of a
//! long message.

use std::sync::Arc;

use ratatui::text::Line;

use crate::ledger::{Compaction, EntryId};
use crate::ui::text::highlight::Highlighter;
use crate::ui::text::plain::Plain;
use crate::ui::text::{MEASURE, markdown, wrap};
use crate::ui::theme::Theme;

use super::Screen;
use super::margin::theirs;
use super::output::LaidOutput;
use super::words::{count_entries, short};

/// The page, on lines of at most `inner` cells.
pub(super) fn lay(screen: &Screen<'_>, inner: u16, entry: EntryId) -> LaidOutput {
    let inner = inner.max(1);
    if let Some(said) = screen.view.long_message(entry) {
        let shown = Plain::whole(&said.shown());
        let (width, theme) = (usize::from(inner), screen.theme);
        let behind = (said.content.len(), theme.dim);
        let pieces = (0..shown.pieces()).map(|at| shown.lines_in_two(at, width, theme.user, behind));
        let lines = pieces.flatten().collect();
        return ("message".to_owned(), lines, Vec::new());
    }
    let (lines, links) = screen.view.compaction(entry).map_or_else(Default::default, |made| {
        lines(made, screen.view.replaced_by(entry), inner, screen.theme)
    });
    ("summary".to_owned(), lines, links)
}

/// What it replaced and its words.
fn lines(
    made: &Compaction,
    replaced: usize,
    inner: u16,
    theme: &Theme,
) -> (Vec<Line<'static>>, Vec<Arc<str>>) {
    let about =
        format!("{}, up to {}. They stay in the ledger: ctrl-o.", told(made, replaced), made.replaces_to);
    let mut lines = wrap(&about, usize::from(inner).min(MEASURE), theme.dim);
    lines.push(Line::default());
    let room = inner.saturating_sub(2).max(1);
    let (words, links) = markdown::render_linked(&made.summary, room, theme, &Highlighter::off());
    lines.extend(words.into_iter().map(|line| Line { spans: theirs(line.spans), ..line }));
    (lines, links)
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
