//! The page of permissions: the mode, the rules in force, tier by tier, each with its origin and what it last matched, and
//! the exact actions that were allowed for this session.

use std::sync::Arc;

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::{Page, PageEntry, PageFrame, Spoken};
use crate::ledger::{Millis, Scope};
use crate::policy::{Listed, RuleKind, Tier};
use crate::ui::keymap::KeyAction;
use crate::ui::linear::words::count;
use crate::ui::panes::words::one_row;
use crate::ui::picker_source::Source;
use crate::ui::text::{sanitize, wrap};
use crate::ui::theme::Theme;
use crate::view::{Granted, Permissions, View, summary};

/// Cells before what stands behind the kind of a rule.
const INDENT: usize = 11;

/// The tiers, the user's own word first.
const TIERS: [(Tier, &str); 6] = [
    (Tier::Flag, "The command line"),
    (Tier::User, "Your file"),
    (Tier::Trusted, "The project's file, which you trust"),
    (Tier::Project, "The project's file: it can only tighten"),
    (Tier::Session, "This session"),
    (Tier::BuiltIn, "Built in"),
];

/// Where rules come from.
const OTHERS: &str = "Press a in a waiting call to add one for this session. More: --allow, --ask, --deny \
    or the configuration.";
/// Which rule wins.
const WINS: &str = "Deny rules win, wherever they come from; ask rules win over allow rules.";

/// `/permissions`
pub(in crate::ui) const PERMISSIONS: PageEntry =
    PageEntry { name: "permissions", open: |view| Arc::new(InForce::of(view)) };

/// What is in force after so many entries of the session: to find it, each call is compared with each rule, which no frame does.
#[derive(Debug)]
struct InForce {
    all: Permissions,
    entries: usize,
}

impl InForce {
    fn of(view: &View) -> Self {
        Self { all: view.permissions(), entries: view.rows().len() }
    }
}

impl Page for InForce {
    fn title(&self, _: &View) -> String {
        "permissions".to_owned()
    }

    fn rows(&self, frame: &PageFrame<'_>, width: u16) -> Vec<Line<'static>> {
        lines(frame, usize::from(width), &self.all)
    }

    fn spoken(&self, view: &View, _: Millis) -> Vec<Spoken> {
        said(view, &self.all).into_iter().map(Spoken::Line).collect()
    }

    fn keys(&self, _: &View) -> Vec<(&'static str, &'static str)> {
        let all = &self.all;
        let is_nothing = all.revocable().is_empty() && all.hosts.is_empty() && all.gaps.is_empty();
        if is_nothing { Vec::new() } else { vec![("x", "revoke one")] }
    }

    fn opens(&self, command: KeyAction) -> Option<Source> {
        (command == KeyAction::Revoke).then_some(Source::Grants)
    }

    fn renewed(&self, view: &View) -> Option<Arc<dyn Page>> {
        if view.rows().len() == self.entries {
            return None;
        }
        Some(Arc::new(Self::of(view)))
    }
}

/// The mode and what it allows, the rules in force, strictest first, and what was allowed exactly.
fn said(view: &View, all: &Permissions) -> Vec<String> {
    let (mode, Permissions { rules, taken, granted, configured_hosts, hosts, gaps, .. }) =
        (view.session.mode, all);
    let mut said = vec![format!("mode: {mode}: {}", mode.allows())];
    said.extend(rules.iter().map(|rule| {
        let counts = if rule.counts { "" } else { ", which does not count" };
        let (kind, text, origin) = (rule.kind.as_str(), &rule.text, &rule.origin);
        format!("rule: {kind} {text}, from {origin}{counts}; {}", matched(view, rule))
    }));
    said.extend(granted.iter().map(|Granted { call, name, about, last }| {
        let since = last.map_or_else(|| "no call since".to_owned(), |last| format!("last allowed {last}"));
        format!("allowed for this session by you with {call}; {since}; exactly: {name} {about}")
    }));
    said.extend(
        taken.iter().map(|(call, rule)| format!("added for this session by you with {call}: {rule}")),
    );
    said.extend(
        all.kept_elsewhere
            .iter()
            .map(|(rule, scope)| format!("revoked for this session: {rule}; {}", still_in(*scope))),
    );
    said.extend(
        configured_hosts.iter().map(|host| format!("configured: commands in the sandbox reach {host}")),
    );
    said.extend(
        hosts
            .iter()
            .map(|host| format!("allowed for this session by you: commands in the sandbox reach {host}")),
    );
    said.extend(gaps.iter().map(|gap| {
        // In older sessions it is a whole sentence.
        format!("accepted for this session by you, though the sandbox does not hide it: {gap}")
    }));
    if let Some((call, _)) = all.revocable().first() {
        let how = "/permissions revoke and its call, as in /permissions revoke";
        said.push(format!("to revoke one: {how} {call}"));
    }
    let exactly = match granted.len() {
        0 => String::new(),
        all => format!(", and {} allowed exactly", count(all as u64, "action")),
    };
    said.push(format!("permissions: {} in force{exactly}", count(rules.len() as u64, "rule")));
    said
}

/// Where a rule goes on holding that was taken back for this session only.
fn still_in(scope: Scope) -> &'static str {
    if scope == Scope::Project {
        "other sessions still have it: delete its line in .countersign/config.toml; those that run now keep it"
    } else {
        "other sessions still have it: delete its line in your configuration; those that run now keep it"
    }
}

/// The call that a rule last spoke of.
fn matched(view: &View, rule: &Listed) -> String {
    rule.last.map_or_else(
        || "matched nothing yet".to_owned(),
        |call| {
            let arguments = view.panel(call).and_then(|panel| panel.arguments());
            format!("last matched {call} {}", arguments.map(summary).unwrap_or_default())
        },
    )
}

fn lines(frame: &PageFrame<'_>, inner: usize, all: &Permissions) -> Vec<Line<'static>> {
    let Permissions { rules, granted, configured_hosts, hosts, gaps, .. } = all;
    let (theme, mode) = (frame.theme, frame.view.session.mode);
    let mut lines = vec![Line::styled("Mode", theme.title)];
    lines.extend(entry(mode.as_str(), theme.accent, mode.allows(), theme.text, inner));
    for (tier, title) in TIERS {
        let mut of_tier = rules.iter().filter(|rule| rule.origin.tier == tier).peekable();
        if of_tier.peek().is_some() {
            lines.extend([Line::default(), Line::styled(title, theme.title)]);
        }
        for rule in of_tier {
            lines.extend(entry(rule.kind.as_str(), style(rule.kind, theme), &rule.text, theme.text, inner));
            let with = all.taken_with(&rule.text).filter(|_| rule.origin.place.is_none());
            let with = with.map(|call| format!("by you with {call} · ")).unwrap_or_default();
            let about = format!("{with}{}", about(frame, rule));
            lines.extend(entry("", theme.dim, &about, theme.dim, inner));
        }
    }
    if !all.kept_elsewhere.is_empty() {
        lines.extend([Line::default(), Line::styled("Revoked for this session", theme.title)]);
    }
    for (rule, scope) in &all.kept_elsewhere {
        lines.extend(entry("revoked", theme.warning, rule, theme.text, inner));
        lines.extend(entry("", theme.dim, still_in(*scope), theme.dim, inner));
    }
    lines.extend(exactly(theme, inner, granted));
    if !configured_hosts.is_empty() {
        lines.extend([Line::default(), Line::styled("Sandbox: hosts, configured", theme.title)]);
    }
    for host in configured_hosts {
        lines.extend(entry("allow", theme.success, host, theme.text, inner));
    }
    if !hosts.is_empty() {
        lines.extend([Line::default(), Line::styled("Sandbox: hosts, in this session", theme.title)]);
    }
    for host in hosts {
        lines.extend(entry("allow", theme.success, host, theme.text, inner));
        lines.extend(entry("", theme.dim, "by you", theme.dim, inner));
    }
    if !gaps.is_empty() {
        lines.extend([Line::default(), Line::styled("Sandbox: accepted, though not hidden", theme.title)]);
    }
    for gap in gaps {
        lines.extend(entry("accept", theme.warning, gap, theme.text, inner));
    }
    lines.push(Line::default());
    let words = match (rules.is_empty(), granted.is_empty()) {
        (true, true) => format!("No rules: the mode decides. {OTHERS}"),
        (true, false) => format!("No rules: the mode decides about the rest. {OTHERS}"),
        (false, true) => WINS.to_owned(),
        (false, false) => format!("{WINS} An exact call that you allowed wins over ask rules."),
    };
    lines.extend(wrap(&words, inner.max(1), theme.dim));
    lines
}

/// The exact actions that a person allowed for this session, all of each, and with which calls.
fn exactly(theme: &Theme, inner: usize, granted: &[Granted]) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    if !granted.is_empty() {
        lines.extend([Line::default(), Line::styled("Allowed for this session, exactly", theme.title)]);
    }
    for Granted { call, name, about, last } in granted {
        // Two lines are not one: where the first ends is to be seen.
        let action = one_row(&format!("{name} {}", about.trim_end().replace('\n', " \u{21b5} ")));
        let since = last.map_or_else(|| "no call since".to_owned(), |last| format!("last allowed {last}"));
        lines.extend(entry("allow", theme.success, &action, theme.text, inner));
        lines.extend(entry("", theme.dim, &format!("by you with {call} · {since}"), theme.dim, inner));
    }
    lines
}

/// Where it comes from, and what it last spoke of.
fn about(frame: &PageFrame<'_>, rule: &Listed) -> String {
    let matched = matched(frame.view, rule);
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
