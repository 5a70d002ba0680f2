//! The approvals with their receipts: what was asked, who decided, for how long it holds, what came of it.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::ledger::{Decider, Decision};
use crate::policy::RuleKind;
use crate::ui::inspector::Inspector;
use crate::ui::panes::Screen;
use crate::ui::panes::words::{both_ends, cells, count, duration, one_row};
use crate::ui::text::{fit, sanitize, width};
use crate::view::Receipt;

use super::words::{field, section, time_of_day};

/// Cells of the column of what was decided.
const DECIDED: usize = 26;
/// The same where there is little room.
const DECIDED_IN_SHORT: usize = 12;
/// Cells from which on a row has room for the ids, which stand on its page too.
const ROOM_FOR_IDS: usize = 70;
/// Cells from which on it has room for who decided.
const ROOM_FOR_WHO: usize = 56;

pub(super) fn summed_up(
    screen: &Screen<'_>,
    inspector: &Inspector,
) -> (Vec<Span<'static>>, Vec<Span<'static>>) {
    let theme = screen.theme;
    let receipts = &inspector.books.receipts;
    let asked = count(receipts.len(true), "question");
    let words = if inspector.asked {
        format!("{asked} to a person")
    } else {
        format!("{}, {asked} to a person", count(receipts.len(false), "decision"))
    };
    let right = if inspector.asked { "f: all decisions" } else { "f: those asked" };
    (vec![Span::styled(words, theme.dim)], vec![Span::styled(right, theme.faint)])
}

pub(super) fn line(
    screen: &Screen<'_>,
    inspector: &Inspector,
    at: usize,
    total: usize,
) -> Option<Line<'static>> {
    let theme = screen.theme;
    let receipt = inspector.books.receipts.get(at, inspector.asked)?;
    let (long, style) = decided(screen, receipt);
    let mut left = Vec::new();
    if total >= ROOM_FOR_IDS {
        let ids = format!("{:5} {:4} ", receipt.entry.to_string(), receipt.call.to_string());
        left.push(Span::styled(ids, theme.dim));
    }
    let (words, column) =
        if total < ROOM_FOR_WHO { (in_short(receipt), DECIDED_IN_SHORT) } else { (long, DECIDED) };
    left.push(Span::styled(format!("{:column$} ", fit(&words, column)), style));
    let waited = receipt.waited_ms.map(|ms| format!("waited {}", duration(ms))).unwrap_or_default();
    let action = one_row(&format!("{} {}", receipt.name, receipt.about));
    let beside = total.saturating_sub(cells(&left));
    // What was decided about goes before for how long.
    let waited = if width(&action) + waited.len() + 2 > beside { String::new() } else { waited };
    left.push(Span::styled(fit(action.trim_end(), beside), theme.text));
    Some(both_ends(left, vec![Span::styled(waited, theme.dim)], total))
}

/// `✓ once`: who decided stands beside it, or on its page.
fn in_short(receipt: &Receipt) -> String {
    match (&receipt.decision, receipt.outcome) {
        (Some(made), _) if made.allow => format!("✓ {}", made.scope.as_str()),
        (Some(_), _) => "✗ denied".to_owned(),
        (None, Some(_)) => "✗ undecided".to_owned(),
        (None, None) => "… waits".to_owned(),
    }
}

/// `allowed once by user`
fn decided(screen: &Screen<'_>, receipt: &Receipt) -> (String, Style) {
    let theme = screen.theme;
    // No entry says it of a session that is only read.
    let left_open = || Some(screen.view.panel(receipt.call)?.result()?.outcome.as_str());
    match (&receipt.decision, receipt.outcome.or_else(left_open)) {
        (Some(made), _) if made.allow => {
            (format!("✓ allowed {} by {}", made.scope.as_str(), made.by.as_str()), theme.text)
        }
        (Some(made), _) => (format!("✗ denied by {}", made.by.as_str()), theme.error),
        (None, Some(outcome)) => (format!("✗ not decided: {outcome}"), theme.warning),
        (None, None) => ("… waits for you".to_owned(), theme.warning),
    }
}

/// What the rule says by which the policy decided; `None`: a person took the rule.
fn verb(made: &Decision) -> Option<&'static str> {
    let kind = match (made.allow, made.sandboxed) {
        (true, true) => RuleKind::Sandbox,
        (true, false) => RuleKind::Allow,
        (false, _) => RuleKind::Deny,
    };
    (made.by == Decider::Policy).then_some(kind.as_str())
}

/// The receipt in full, above the entry.
pub(super) fn about(
    screen: &Screen<'_>,
    inspector: &Inspector,
    at: usize,
    width: usize,
) -> Vec<Line<'static>> {
    let theme = screen.theme;
    let Some(receipt) = inspector.books.receipts.get(at, inspector.asked) else { return Vec::new() };
    let one = |name: &str, value: &str| field(name, value, width, theme.text, theme);
    let mut lines = vec![Line::styled("receipt", theme.title)];
    let (decided, style) = decided(screen, receipt);
    lines.extend(field("decision", &decided, width, style, theme));
    if screen.view.settings.is_imported(receipt.entry) {
        let words = "no: it came with an import";
        lines.extend(field("seen here", words, width, theme.warning, theme));
    }
    if let Some((made, rule)) = receipt.decision.as_ref().and_then(|made| Some((made, made.rule.as_deref()?)))
    {
        match verb(made) {
            Some(verb) => lines.extend(one("rule", &format!("{verb} {rule}"))),
            None => lines.extend(one("rule taken", rule)),
        }
    }
    if let Some(made) = receipt.decision.as_ref().filter(|made| !made.reason.is_empty()) {
        lines.extend(one("because", &made.reason));
    }
    match &receipt.asked {
        Some((why, risk)) => {
            lines.extend(one("asked", &format!("{} UTC: {why}", time_of_day(receipt.at))));
            lines.extend(one("effect", risk));
        }
        None => lines.extend(one("asked", "nobody: decided at once")),
    }
    if let Some(ms) = receipt.waited_ms {
        lines.extend(one("waited", &duration(ms)));
    }
    lines.extend(one("call", &format!("{} {}", receipt.call, sanitize(&receipt.name))));
    if let Some(outcome) = receipt.outcome {
        lines.extend(one("it ended", outcome));
    }
    lines.extend(section("exact action", &receipt.fingerprint, width, theme));
    lines
}
