//! What the sandbox cannot hide from commands: whether they run anyway for the session, and what is accepted then.

use ratatui::text::Line;

use crate::ledger::ApprovalRequest;
use crate::ui::keymap::{KeyAction, KeyContext};
use crate::ui::local::OfferedRule;
use crate::ui::rebinding::Keymap;
use crate::ui::text::wrap;
use crate::ui::theme::Theme;

use super::card_context::CardContext;
use super::risk;
use super::session_rule::{LaidRule, in_sight};
use super::words::{flow, keys, one_row};

/// The question, with the key that says yes.
pub(super) fn question(keymap: &Keymap) -> String {
    let key = keymap.first(KeyContext::Approval, KeyAction::Raise, "g");
    let key = key.map(|key| format!(" {key}: yes")).unwrap_or_default();
    format!("Run commands anyway for this session?{key}")
}

/// Whether the pane asks and says all that is accepted, with so many lines for why it asks.
pub(super) fn are_told(
    request: &ApprovalRequest,
    inner: usize,
    most: usize,
    around: &CardContext<'_>,
) -> bool {
    let is_said = |gap: &String| request.why.contains(gap.as_str());
    let is_whole = || risk::reason(request, inner, around.theme, usize::MAX).len() <= most;
    let asks = !request.gaps.is_empty() && around.height >= 15;
    asks && !request.is_usual && request.gaps.iter().all(is_said) && is_whole()
}

/// All that is accepted, and for how long, on lines of so many cells.
pub(super) fn accepted(gaps: &[String], inner: usize, theme: &Theme) -> Vec<Line<'static>> {
    let said = "for this session, this call and later ones can read and change:";
    let mut lines = wrap(said, inner, theme.text);
    lines.extend(named(gaps, inner, theme));
    lines
}

/// Each of what the sandbox cannot hide, whole.
fn named(gaps: &[String], inner: usize, theme: &Theme) -> Vec<Line<'static>> {
    gaps.iter().flat_map(|gap| wrap(&one_row(gap), inner, theme.warning)).collect()
}

/// What is accepted in so many rows of the pane of the call, where there is no room for it beside the call.
pub(super) fn lay(offered: &OfferedRule, inner: usize, rows: usize, around: &CardContext<'_>) -> LaidRule {
    let theme = around.theme;
    let key = around.keymap.first(KeyContext::Approval, KeyAction::Raise, "g").unwrap_or_default();
    let asked = "Run commands anyway this session? They can read and change:";
    let mut lines = wrap(asked, inner, theme.text);
    lines.extend(named(&offered.gaps, inner, theme));
    let head = lines.len();
    let (mut lines, reading) = in_sight(offered, (lines, head), (inner, rows), around);
    let word = if reading.is_unread() { "read on" } else { "yes" };
    let lit = if around.is_ripe { theme.accent } else { theme.dim };
    let keys = keys(&[(key.as_str(), word), ("esc", "back")], lit, theme.text);
    lines.extend(flow(keys, 2, inner).into_iter().take(1));
    LaidRule { lines, reading, names_files: false }
}
