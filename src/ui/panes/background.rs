//! Background commands in the transcript: the remark that one has ended, and its last lines in the card of its call.

use ratatui::text::{Line, Span};

use crate::ledger::{BackgroundStatus, CallId, Note};
use crate::ui::text::{fit, width};
use crate::view::{BackgroundShell, Panel};

use super::card_context::{CardContext, INDENT};
use super::layouts::TranscriptRow;
use super::words::one_row;

/// Lines of what it printed that stand in its card.
const EXCERPT: usize = 3;
/// Where more of it is.
const MORE: &str = "   /shells";

/// The background command that a call began.
pub(super) fn of_call<'a>(call: CallId, around: &CardContext<'a>) -> Option<&'a BackgroundShell> {
    around.view.shell_of(around.view.panel(call)?)
}

/// The end of one that nobody had asked about, in a row. Of one that the user stopped, a remark says so already.
pub(super) fn end(note: &Note, ended: &BackgroundStatus, around: &CardContext<'_>) -> Vec<TranscriptRow> {
    let shell = note.about.call().and_then(|call| of_call(call, around));
    if shell.is_some_and(|shell| shell.was_stopped) && !ended.has_failed {
        return Vec::new();
    }
    let theme = around.theme;
    let (sign, style) = if ended.has_failed { ("✗", theme.error) } else { ("·", theme.faint) };
    // Of one that is lost, the words are a sentence: nobody knows how it ended.
    let words = if ended.is_lost {
        format!("{} {}", ended.id, ended.words)
    } else {
        format!("{} ended: {}", ended.id, ended.words.replace(" after ", " · "))
    };
    let room = usize::from(around.prose_width());
    let words = fit(&one_row(&words), room);
    let more = if width(&words) + width(MORE) <= room { MORE } else { "" };
    let line = Line::from(vec![Span::styled(words, style), Span::styled(more, theme.faint)]);
    vec![TranscriptRow::new(INDENT, line).marked(sign, style)]
}

/// The last lines of one that has ended, where this process has them. The result of its call has what it had printed at first.
pub(super) fn last_lines(panel: &Panel, around: &CardContext<'_>) -> Option<Vec<TranscriptRow>> {
    let rows = around.printed_by_ended(panel)?;
    let room = usize::from(around.text_width()).saturating_sub(2);
    let last = rows.get(rows.len().saturating_sub(EXCERPT)..).unwrap_or(rows);
    let row = |row: &String| Line::styled(fit(&one_row(row), room), around.theme.dim);
    Some(last.iter().map(|text| TranscriptRow::new(INDENT + 2, row(text))).collect())
}
