//! What neither side said, as rows: injected words, notes, failures, raised limits, compactions.

use ratatui::style::Style;
use ratatui::text::Line;

use crate::budget::{Limit, Unit};
use crate::ledger::{Body, Change, Compaction, Entry, EntryId, Injected, Injector};
use crate::ui::text::{fit, sanitize, wrap};
use crate::view::{BackgroundShell, change};

use super::background;
use super::card_context::{CardContext, INDENT};
use super::layouts::TranscriptRow;
use super::summary;
use super::words::{clock, count, dollars, one_row, short};

/// Most cells of a command in a remark about it: its card has all of it.
const MOST_OF_COMMAND: usize = 60;
/// Lines of a summary that stand in its card.
const EXCERPT: usize = 2;

/// A remark.
pub(super) fn lay(entry: &Entry, around: &CardContext<'_>) -> Vec<TranscriptRow> {
    let theme = around.theme;
    match &entry.body {
        Body::Injected(injected) if injected.by == Injector::Steering => {
            steering((injected.shown(), injected.text.len()), around)
        }
        Body::Injected(injected) if injected.by == Injector::Discovery => {
            said("!", &injected.shown(), theme.warning, theme.dim, around)
        }
        Body::Injected(injected) => vec![quiet("↳", &named(injected), theme.dim, around)],
        // Only its first line: the rest, such as the output of a failed attempt, is in the ledger.
        Body::Note(note) => match note.ended() {
            Some(ended) => background::end(note, ended, around),
            None => {
                let first = note.for_people().trim().lines().next().unwrap_or("").trim_end_matches(':');
                wrapped("·", first, theme.faint, around)
            }
        },
        Body::ProviderLimit(learned) => wrapped("·", learned.lesson.sentence().as_ref(), theme.faint, around),
        Body::Change(Change::Budget { limit, to }) => {
            let words = format!("limit raised to {}", amount(*limit, *to));
            vec![quiet("↑", &words, theme.dim, around)]
        }
        Body::Change(change @ Change::PriceAccepted { .. }) => {
            wrapped("↑", &change::words(change), theme.dim, around)
        }
        Body::Change(change @ Change::FilesRestored(_)) => {
            said("⟲", &changed(change), theme.accent, theme.dim, around)
        }
        Body::Change(Change::BackgroundStopped { id, call }) => {
            let command = command(background::of_call(*call, around));
            wrapped("⊖", &format!("you stopped {id}{command}"), theme.dim, around)
        }
        Body::Change(change) => {
            let sign = if matches!(change, Change::GrantRevoked { .. }) { "⊖" } else { "⇄" };
            wrapped(sign, &changed(change), theme.dim, around)
        }
        Body::Compaction(made) => compacted(entry.id, made, around),
        Body::Error { message, next } => failure(message, next, around),
        _ => Vec::new(),
    }
}

/// What it runs, behind its name.
fn command(shell: Option<&BackgroundShell>) -> String {
    shell.map_or_else(String::new, |shell| format!(": {}", fit(&one_row(&shell.command), MOST_OF_COMMAND)))
}

fn changed(change: &Change) -> String {
    format!("{}: {}", change::heading(change), change::words(change))
}

fn named(injected: &Injected) -> String {
    format!("{}: {}", injected.by.as_str().replace('_', " "), injected.text)
}

/// One line, whatever it says.
fn quiet(sign: &'static str, words: &str, style: Style, around: &CardContext<'_>) -> TranscriptRow {
    let line = fit(&one_row(words), usize::from(around.prose_width()));
    TranscriptRow::new(INDENT, Line::styled(line, style)).marked(sign, style)
}

/// All of it, in one paragraph: what was granted is not cut.
fn wrapped(sign: &'static str, words: &str, style: Style, around: &CardContext<'_>) -> Vec<TranscriptRow> {
    said(sign, &one_row(words), style, style, around)
}

/// The user's own words, marked as said while it ran; from `words_end` on it is what we say below them.
pub(super) fn steering((text, words_end): (String, usize), around: &CardContext<'_>) -> Vec<TranscriptRow> {
    let theme = around.theme;
    let (words, notes) = text.split_at_checked(words_end).unwrap_or((&text, ""));
    let mut rows = said("↳", words, theme.accent, theme.user, around);
    let notes = notes.strip_prefix('\n').unwrap_or(notes);
    if !notes.is_empty() {
        rows.extend(said("", notes, theme.dim, theme.dim, around));
    }
    let mark = TranscriptRow::new(INDENT, Line::styled("steering · delivered during the run", theme.dim));
    rows.push(mark);
    rows
}

/// What a summary replaced, how it begins, and how to read it.
fn compacted(id: EntryId, made: &Compaction, around: &CardContext<'_>) -> Vec<TranscriptRow> {
    let theme = around.theme;
    let width = usize::from(around.prose_width());
    let head = format!("compacted · {}", summary::told(made, around.view.replaced_by(id)));
    let head = Line::styled(fit(&head, width), theme.text);
    let mut rows = vec![TranscriptRow::new(INDENT, head).marked("⇊", theme.accent)];
    let words = sanitize(&made.summary).into_owned();
    // Headings and lines that only announce others say little.
    let says = |line: &&str| !(line.trim().is_empty() || line.starts_with('#') || line.ends_with(':'));
    let lines = words.lines().filter(says).take(EXCERPT);
    rows.extend(lines.map(|line| {
        TranscriptRow::new(INDENT + 2, Line::styled(fit(line.trim(), width.saturating_sub(2)), theme.dim))
    }));
    let long = "the ledger keeps everything · tab, then o: the whole summary";
    // The keys are said nowhere else.
    let keys = if fit(long, width) == long { long } else { "tab, then o: the whole summary" };
    rows.push(TranscriptRow::new(INDENT, Line::styled(fit(keys, width), theme.faint)));
    rows
}

/// A limit's value in its own unit.
pub(super) fn amount(limit: Limit, value: u64) -> String {
    match limit.unit() {
        Unit::Things(word) => count(usize::try_from(value).unwrap_or(usize::MAX), word),
        Unit::Seconds => clock(value),
        Unit::Tokens => format!("{} tokens", short(value)),
        Unit::MicroDollars => dollars(value),
    }
}

fn failure(message: &str, next: &str, around: &CardContext<'_>) -> Vec<TranscriptRow> {
    let theme = around.theme;
    let mut rows = said("✗", message, theme.error, theme.error, around);
    rows.extend(said("", next, theme.dim, theme.dim, around));
    rows
}

/// Wrapped words beside a sign in the margin; beside none, if that is empty.
pub(super) fn said(
    sign: &'static str,
    words: &str,
    sign_style: Style,
    style: Style,
    around: &CardContext<'_>,
) -> Vec<TranscriptRow> {
    let width = usize::from(around.prose_width());
    let lines = wrap(&sanitize(words), width, style).into_iter();
    let mut rows: Vec<TranscriptRow> = lines.map(|line| TranscriptRow::new(INDENT, line)).collect();
    if let Some(first) = rows.first_mut().filter(|_| !sign.is_empty()) {
        first.mark = Some((sign, sign_style));
    }
    rows
}
