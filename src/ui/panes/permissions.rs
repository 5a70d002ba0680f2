//! The page of permissions: the mode, the rules in force, tier by tier, each with its origin and what it last matched, and
//! the exact actions that were allowed for this session.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::policy::{Listed, RuleKind, Tier};
use crate::ui::text::{fit, sanitize, wrap};
use crate::ui::theme::Theme;
use crate::view::{Granted, Permissions, summary};

use super::Screen;
use super::output::Laid;
use super::words::one_row;

/// Cells before what stands behind the kind of a rule.
const INDENT: usize = 11;

/// The tiers, the user's own word first.
const TIERS: [(Tier, &str); 5] = [
    (Tier::Flag, "The command line"),
    (Tier::User, "Your file"),
    (Tier::Project, "The project's file: it can only tighten"),
    (Tier::Session, "This session"),
    (Tier::BuiltIn, "Built in"),
];

/// Where rules come from.
const OTHERS: &str = "The key a in a waiting call takes one for this session; --allow, --ask, --deny and the \
                      configuration have others.";
/// Which rule wins.
const WINS: &str =
    "A rule that denies wins, wherever it comes from; one that asks wins over those that allow.";

/// The page, on lines of at most `inner` cells.
pub(super) fn lay(screen: &Screen<'_>, inner: u16, all: &Permissions) -> Laid {
    ("permissions".to_owned(), lines(screen, usize::from(inner), all), Vec::new())
}

fn lines(screen: &Screen<'_>, inner: usize, all: &Permissions) -> Vec<Line<'static>> {
    let Permissions { rules, granted, .. } = all;
    let (theme, mode) = (screen.theme, screen.view.session.mode);
    let mut lines = vec![Line::styled("Mode", theme.title)];
    lines.extend(entry(mode.as_str(), theme.accent, mode.allows(), theme.text, inner));
    for (tier, title) in TIERS {
        let mut of_tier = rules.iter().filter(|rule| rule.origin.tier == tier).peekable();
        if of_tier.peek().is_some() {
            lines.extend([Line::default(), Line::styled(title, theme.title)]);
        }
        for rule in of_tier {
            lines.extend(entry(rule.kind.as_str(), style(rule.kind, theme), &rule.text, theme.text, inner));
            let with = all.taken_with(&rule.text).filter(|_| tier == Tier::Session);
            let with = with.map(|call| format!("by you with {call} · ")).unwrap_or_default();
            let about = format!("{with}{}", about(screen, rule));
            lines.extend(entry("", theme.dim, &about, theme.dim, inner));
        }
    }
    lines.extend(exactly(theme, inner, granted));
    lines.push(Line::default());
    let words = match (rules.is_empty(), granted.is_empty()) {
        (true, true) => format!("No rules: the mode decides. {OTHERS}"),
        (true, false) => format!("No rules: the mode decides about the rest. {OTHERS}"),
        (false, true) => WINS.to_owned(),
        (false, false) => format!("{WINS} What is allowed exactly wins over a rule that asks."),
    };
    lines.extend(wrap(&words, inner.max(1), theme.dim));
    lines
}

/// The exact actions that a person allowed for this session, a row each, and with which calls.
fn exactly(theme: &Theme, inner: usize, granted: &[Granted]) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    if !granted.is_empty() {
        lines.extend([Line::default(), Line::styled("Allowed for this session, exactly", theme.title)]);
    }
    for Granted { call, name, about, last } in granted {
        // Two lines are not one: where the first ends is to be seen.
        let action = one_row(&format!("{name} {}", about.trim_end().replace('\n', " \u{21b5} ")));
        let action = fit(&action, inner.saturating_sub(INDENT).max(1));
        let since = last.map_or_else(|| "no call since".to_owned(), |last| format!("last allowed {last}"));
        lines.extend(entry("allow", theme.success, &action, theme.text, inner));
        lines.extend(entry("", theme.dim, &format!("by you with {call} · {since}"), theme.dim, inner));
    }
    lines
}

/// Where it comes from, and what it last spoke of.
fn about(screen: &Screen<'_>, rule: &Listed) -> String {
    let matched = rule.last.map_or_else(
        || "matched nothing yet".to_owned(),
        |call| {
            let arguments = screen.view.panel(call).and_then(|panel| panel.arguments());
            format!("last matched {call} {}", arguments.map(summary).unwrap_or_default())
        },
    );
    let counts = if rule.counts { "" } else { "does not count · " };
    format!("{counts}{} · {matched}", rule.origin)
}

/// A word in a column of its own, and words beside it, all of them.
fn entry(word: &str, style: Style, words: &str, beside: Style, inner: usize) -> Vec<Line<'static>> {
    let room = inner.saturating_sub(INDENT).max(1);
    let words = sanitize(&one_row(words)).into_owned();
    let rows = wrap(&words, room, beside).into_iter().enumerate();
    let rows = rows.map(|(at, row)| {
        let word = if at == 0 { word } else { "" };
        let mut spans = vec![Span::styled(format!("  {word:8} "), style)];
        spans.extend(row.spans.into_iter().map(|span| span.patch_style(row.style)));
        Line::from(spans)
    });
    rows.collect()
}

fn style(kind: RuleKind, theme: &Theme) -> Style {
    match kind {
        RuleKind::Deny => theme.error,
        RuleKind::Ask => theme.warning,
        RuleKind::Sandbox => theme.accent,
        RuleKind::Allow => theme.success,
    }
}
