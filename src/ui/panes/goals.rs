//! Goal mode in the transcript: the goal, a line a checkpoint, and where it stopped.

use ratatui::text::Line;

use crate::ledger::{Body, Checkpoint, Entry, Goal};
use crate::ui::text::fit;

use super::card_context::{CardContext, INDENT};
use super::layouts::TranscriptRow;
use super::remarks::{amount, said};
use super::words::{count, one_row};

/// The sign of everything that belongs to a goal.
const SIGN: &str = "◎";

/// A goal's card.
pub(super) fn lay(entry: &Entry, around: &CardContext<'_>) -> Vec<TranscriptRow> {
    match &entry.body {
        Body::Goal(goal) => set(goal, around),
        Body::Checkpoint(made) => vec![checked(made, around)],
        Body::Handoff { text } => handed_off(text, around),
        _ => Vec::new(),
    }
}

fn set(goal: &Goal, around: &CardContext<'_>) -> Vec<TranscriptRow> {
    let theme = around.theme;
    let mut terms = vec![
        format!("done when {}", goal.done_condition),
        format!("checkpoint every {}", count(goal.checkpoints as usize, "turn")),
    ];
    terms.extend(goal.budget.iter().map(|(limit, most)| amount(*limit, *most)));
    // The objective is the user's own message, right above.
    said(SIGN, &format!("goal · {}", terms.join(" · ")), theme.accent, theme.dim, around)
}

/// `◎ checkpoint 2 · done: no (validation command) · 3 calls worked (edit, edit, shell), 0 did not`
fn checked(made: &Checkpoint, around: &CardContext<'_>) -> TranscriptRow {
    let theme = around.theme;
    let (answer, by) = match made.done() {
        Some(done) => (done.answer.as_deref().unwrap_or("asked"), done.by.as_str().replace('_', " ")),
        None => ("asked", String::new()),
    };
    let evidence = made.evidence().and_then(|asked| asked.answer.as_deref()).unwrap_or_default();
    let first = evidence.lines().next().unwrap_or_default();
    let words = format!("checkpoint {} · done: {answer} ({by}) · {first}", made.number);
    let words = fit(&one_row(&words), usize::from(around.prose_width()));
    let style = if answer == "yes" { theme.success } else { theme.dim };
    TranscriptRow::new(INDENT, Line::styled(words, style)).marked(SIGN, theme.accent)
}

fn handed_off(text: &str, around: &CardContext<'_>) -> Vec<TranscriptRow> {
    let theme = around.theme;
    let mut rows = said(SIGN, "handoff", theme.accent, theme.text, around);
    rows.extend(said("", text, theme.dim, theme.dim, around));
    rows
}
