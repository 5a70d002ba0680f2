//! A page of rows, and that of a call: of its arguments each frame lays out some more, and what is laid out is kept while the page is open.

use ratatui::text::{Line, Span};

use crate::ledger::CallId;
use crate::ui::theme::Theme;

use super::Screen;
use super::laid_arguments::{ArgumentsShape, LaidArguments};
use super::layouts::{FullPage, TranscriptRow};
use super::output::{self, CallText, LaidOutput};

/// A page as it was laid out.
pub(super) struct LaidPage {
    pub title: Vec<Span<'static>>,
    pub rows: Vec<TranscriptRow>,
    /// The arguments among them, if it is the page of a call.
    pub arguments: Option<LaidArguments>,
    /// Rows in all; more than anything if not all of them are laid out.
    pub all: usize,
    /// How many of them must have been in sight before the call is allowed.
    pub must: usize,
    /// Pieces that were laid out for it now.
    pub work: usize,
}

impl LaidPage {
    /// One whose rows are all there.
    pub(super) fn of((title, lines, links): LaidOutput) -> Self {
        let rows: Vec<TranscriptRow> =
            lines.into_iter().map(|line| TranscriptRow::linked(0, line, &links)).collect();
        let title = vec![Span::raw(title)];
        Self { title, all: rows.len(), rows, arguments: None, must: 0, work: 0 }
    }

    /// That of a call; of its arguments some more than the page before had.
    pub(super) fn of_call(screen: &Screen<'_>, inner: u16, call: CallId, before: Option<FullPage>) -> Self {
        let CallText { title, mut lines, at, arguments, is_named, is_command, must } =
            output::lay(screen, inner, call);
        let shape = ArgumentsShape { call, inner, theme: screen.theme.name.clone(), is_named, is_command };
        let (mut laid, mut shown) = kept(before, shape, arguments);
        let work = lay_more(&mut laid, &mut shown, screen.theme);
        let plain = |line: Line<'static>| TranscriptRow::new(0, line);
        let behind = lines.split_off(at.min(lines.len()));
        let mut rows: Vec<TranscriptRow> = lines.into_iter().map(plain).collect();
        (laid.at, laid.rows) = (rows.len(), shown.len());
        rows.append(&mut shown);
        rows.extend(laid.left().map(|words| plain(Line::styled(words, screen.theme.warning))));
        rows.extend(behind.into_iter().map(plain));
        let all = if laid.is_whole() { rows.len() } else { usize::MAX };
        Self { title, rows, arguments: Some(laid), all, must: must.min(all), work }
    }
}

/// The arguments of the page before, with their rows, if they are the same; else none of them is laid out.
fn kept(
    before: Option<FullPage>,
    shape: ArgumentsShape,
    text: String,
) -> (LaidArguments, Vec<TranscriptRow>) {
    let kept = before.and_then(|FullPage { mut rows, arguments, .. }| {
        let kept = arguments.filter(|kept| kept.shape == shape && kept.text == text)?;
        rows.truncate(kept.at + kept.rows);
        let rows = rows.split_off(kept.at.min(rows.len()));
        Some((kept, rows))
    });
    kept.unwrap_or_else(|| (LaidArguments::new(shape, text), Vec::new()))
}

/// Lays out as much more as one frame bears; says how many pieces that are.
fn lay_more(laid: &mut LaidArguments, rows: &mut Vec<TranscriptRow>, theme: &Theme) -> usize {
    let inner = usize::from(laid.shape.inner).max(1);
    let (until, mut pieces) = (laid.until(), 0);
    let lay = output::laying(laid.shape.is_named, laid.shape.is_command);
    loop {
        let goes_on = laid.is_within_line();
        let Some(piece) = laid.next_piece(until, rows.len()) else { return pieces };
        let lines = lay(piece, goes_on, inner, theme).into_iter();
        rows.extend(lines.map(|line| TranscriptRow::new(0, line)));
        pieces += 1;
    }
}
