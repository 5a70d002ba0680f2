//! Calls as rows: one quiet line each, a box while one runs and has something to show.

use std::borrow::Cow;

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::ledger::{EscrowSettlement, Outcome, TaskState, ToolResult, printed_before};
use crate::tool::name::PLAN;
use crate::tool::{self, ASK, delegate};
use crate::ui::blocked_host;
use crate::ui::commands::is_git_diff;
use crate::ui::keymap::{KeyAction, KeyContext};
use crate::ui::program_input::CHORD;
use crate::ui::text::{fit, sanitize, width, wrap};
use crate::ui::theme::{Inks, Theme};
use crate::view::{Forming, HostedLine, HostedState, InBackground, Panel, PanelState, View, subject};

use super::background;
use super::boxes;
use super::call_row::{CallRow, about, line};
use super::card_context::{CardContext, INDENT};
use super::grid;
use super::layouts::TranscriptRow;
use super::made_change;
use super::margin::MARGIN;
use super::standing::{CallStatus, answer_beside, running, running_for, standing};
use super::subagent;
use super::words::{cells, count, middle, middle_of_command, one_row, titled, written_so_far};

/// Lines of live output that a box shows on a high screen, and on a low one.
const TAIL: (usize, usize) = (8, 3);
/// The same while a call waits: its title stays in sight beside that.
const TAIL_BESIDE: usize = 2;
/// Lines of a finished call that stand below it.
const EXCERPT: usize = 3;
/// Most hosts that were blocked which are shown.
const MOST_BLOCKED: usize = 4;
/// The same of a command of the user's own: they want to read it.
const OWN_EXCERPT: usize = 12;
/// Cells of the upper edge of a box that are neither its title nor the words at its right.
const EDGES: usize = 8;

/// How what a call is about is shortened: of paths, patterns and commands both ends tell it from others.
fn cut(panel: &Panel) -> fn(&str, usize) -> String {
    let is_command = panel.arguments().is_some_and(|arguments| arguments.text("command").is_some());
    match panel.name() {
        ASK | PLAN => fit,
        name if delegate(name).is_some() => fit,
        _ if is_command => middle_of_command,
        _ => middle,
    }
}

/// A call that the model is still writing.
pub(super) fn forming(forming: &Forming, around: &CardContext<'_>) -> Vec<TranscriptRow> {
    let theme = around.theme;
    let words = format!("preparing · {}", written_so_far(forming));
    let standing = CallStatus::new("◌", theme.dim, words, theme.dim);
    let name = spoken(&forming.name);
    let about = forming.path.as_deref().unwrap_or_default();
    vec![line(&CallRow { name: &name, before: "", about, cut: middle }, &standing, around)]
}

/// Something that the provider ran itself: it was never ours to run, and the line says so.
pub(super) fn hosted(hosted: &HostedLine, around: &CardContext<'_>) -> TranscriptRow {
    let theme = around.theme;
    let standing = match &hosted.state {
        HostedState::Open => {
            let words = "hosted · no result yet".to_owned();
            CallStatus::new("◌", theme.dim, words, theme.dim)
        }
        HostedState::Done(brought) => {
            let words = format!("hosted · {}", one_row(brought));
            CallStatus::new("✓", theme.success, words, theme.dim)
        }
        HostedState::Failed(why) => {
            let why = format!("failed: {}", one_row(why));
            let words = format!("hosted · {why}");
            CallStatus::new("✗", theme.error, words, theme.error).or(why).or("failed")
        }
    };
    line(&CallRow::sentence(&hosted.name, &hosted.about), &standing, around)
}

/// A call that does not wait for a person.
pub(super) fn lay(panel: &Panel, around: &CardContext<'_>) -> Vec<TranscriptRow> {
    if panel.is_boxed() {
        return live_box(panel, around);
    }
    let about = about(panel);
    let before = panel.changed_by("you").map(|who| format!("changed by {who} · ")).unwrap_or_default();
    let is_typed = panel.is_own_command() && panel.arguments().is_some_and(|a| a.text("command").is_some());
    let name = if is_typed { Cow::Borrowed("you") } else { named(panel) };
    let row = CallRow { name: &name, before: &before, about: &about, cut: cut(panel) };
    let mut rows = vec![line(&row, &standing(panel, around), around)];
    let room = usize::from(around.text_width()).saturating_sub(2);
    rows.extend(untold(panel, room, around).map(|line| TranscriptRow::new(INDENT + 2, line)));
    if let Some(check) = panel.id().and_then(|call| around.view.subagent(call)?.denied_check()) {
        rows.extend(sentences(&[tool::Row::from(check.as_str())], room, around));
    }
    if let Some(InBackground::Over(settled)) = &panel.in_background {
        rows.extend(reported(settled, around));
    } else if let Some(result) = panel.result().filter(|_| !panel.works_in_background()) {
        let mut hosts = blocked(result, around);
        if around.is_low() {
            // Below what was written they would be out of sight: they say why it failed, and are decided about.
            rows.append(&mut hosts);
        }
        rows.extend(above(panel, result, around));
        let last = background::last_lines(panel, around);
        rows.extend(last.unwrap_or_else(|| excerpt(panel, result, around)));
        rows.extend(made_change::excerpt(panel, around));
        rows.append(&mut hosts);
    }
    rows
}

/// That no model is told of a command of the user's own.
fn untold(panel: &Panel, room: usize, around: &CardContext<'_>) -> Option<Line<'static>> {
    let is_untold = panel.is_own_command() && panel.id().is_some_and(|call| around.view.is_untold(call));
    is_untold.then(|| Line::styled(fit("not shown to the model", room), around.theme.warning))
}

/// Whether a sub-agent's box is one row: what it waits for stands below all else, with the keys that decide about it.
pub(super) fn is_folded(panel: &Panel, view: &View) -> bool {
    panel.id().and_then(|call| view.subagent(call)).is_some_and(View::only_waits)
}

/// The looks of what a command writes; those of `/diff git` are ours.
pub(super) fn inks<'t>(panel: &Panel, theme: &'t Theme, plain: Style) -> Inks<'t> {
    let command = panel.arguments().and_then(|arguments| arguments.text("command"));
    let is_diff = panel.is_own_command() && command.is_some_and(is_git_diff);
    if is_diff { Inks::of_diff(theme, plain) } else { Inks::new(theme, plain) }
}

/// The name of a tool; of one that hands a task over, whom it goes to.
fn spoken(name: &str) -> Cow<'_, str> {
    delegate(name).map_or(Cow::Borrowed(name), |agent| Cow::Owned(format!("→ {agent}")))
}

/// The same of a call, which says which of several it is where it hands a task over.
fn named(panel: &Panel) -> Cow<'_, str> {
    if panel.name() == ASK && panel.result().is_some() {
        return Cow::Borrowed("asked you");
    }
    let spoken = spoken(panel.name());
    match panel.id().filter(|_| delegate(panel.name()).is_some()) {
        Some(call) => Cow::Owned(format!("{call} {spoken}")),
        None => spoken,
    }
}

/// What a sub-agent in the background answered in the end.
fn reported(settled: &EscrowSettlement, around: &CardContext<'_>) -> Vec<TranscriptRow> {
    let room = usize::from(around.text_width()).saturating_sub(2);
    let lines = settled.answer.iter().flat_map(|answer| answer.lines());
    let lines = lines.filter(|line| !line.trim().is_empty()).take(EXCERPT);
    if settled.state != TaskState::Completed {
        // How far it came stands at the end of a sentence.
        let lines: Vec<tool::Row> = lines.map(tool::Row::from).collect();
        return sentences(&lines, room, around);
    }
    lines
        .map(|line| TranscriptRow::new(INDENT + 2, Line::styled(fit(&one_row(line), room), around.theme.dim)))
        .collect()
}

/// The rows of a result of which some stand below its call.
fn told_rows(panel: &Panel, result: &ToolResult, around: &CardContext<'_>) -> Vec<tool::Row> {
    let mut rows = panel.result_rows();
    rows.retain(|row| !row.text().trim().is_empty());
    if result.facts.ended().is_some_and(|how| rows.last().is_some_and(|row| row.text().trim() == how)) {
        rows.pop();
    }
    let began = around.view.shell_of(panel).and(result.facts.background());
    if began.is_some_and(|status| rows.last().is_some_and(|row| row.text().trim() == status.line())) {
        // How it stood when it began; the row of the call says how it stands.
        rows.pop();
    }
    if panel.asks_back() {
        // The last one tells the model how to answer.
        rows.pop();
    }
    rows
}

/// How many of so many rows of the user's own command are shown.
fn most_of_own(all: usize) -> usize {
    // Words for one row that is left out would take its place.
    if all <= OWN_EXCERPT + 1 { all } else { OWN_EXCERPT }
}

/// That the user's own command wrote more above what is shown of it.
fn above(panel: &Panel, result: &ToolResult, around: &CardContext<'_>) -> Option<TranscriptRow> {
    let is_command = panel.arguments().is_some_and(|a| a.text("command").is_some());
    let shows_end = matches!(result.outcome, Outcome::Ok | Outcome::Failed | Outcome::TimedOut);
    if !panel.is_own_command() || !is_command || !shows_end {
        return None;
    }
    let all = told_rows(panel, result, around).len();
    let left = all.saturating_sub(most_of_own(all));
    let room = usize::from(around.text_width()).saturating_sub(2);
    let words = format!("… {} above", count(left, "line"));
    (left > 0).then(|| TranscriptRow::new(INDENT + 2, made_change::left_out(words, room, around)))
}

/// The last lines of what a command wrote, also of one that was cut short, the first of what another agent said or a
/// call complains about, why it was denied.
fn excerpt(panel: &Panel, result: &ToolResult, around: &CardContext<'_>) -> Vec<TranscriptRow> {
    let is_command = panel.arguments().is_some_and(|a| a.text("command").is_some());
    let began = around.view.shell_of(panel).and(result.facts.background());
    let rows = told_rows(panel, result, around);
    let reason: Vec<tool::Row> = panel
        .decision()
        .map(|decision| tool::Row::from(decision.reason.as_str()))
        .filter(|reason| !reason.text().trim().is_empty())
        .into_iter()
        .collect();
    let printed = printed_before(result).into_iter().flat_map(str::lines);
    let printed: Vec<tool::Row> =
        printed.filter(|line| !line.trim().is_empty()).map(tool::Row::from).collect();
    let shown: &[tool::Row] = match &result.outcome {
        Outcome::Ok if result.facts.is_silent && (began.is_some() || result.facts.background().is_none()) => {
            &[]
        }
        Outcome::Ok | Outcome::Failed | Outcome::TimedOut if is_command => {
            let most = if panel.is_own_command() { most_of_own(rows.len()) } else { EXCERPT };
            rows.get(rows.len().saturating_sub(most)..).unwrap_or(&[])
        }
        Outcome::Ok if delegate(&result.name).is_some() => rows.get(..EXCERPT.min(rows.len())).unwrap_or(&[]),
        Outcome::Failed
        | Outcome::TimedOut
        | Outcome::Invalid
        | Outcome::UnknownTool
        | Outcome::Lost { .. } => rows.get(..EXCERPT.min(rows.len())).unwrap_or(&[]),
        Outcome::Denied(_) => reason.as_slice(),
        // Its row says no more than that it was stopped.
        Outcome::Aborted(_) if panel.is_subagent => rows.get(..EXCERPT.min(rows.len())).unwrap_or(&[]),
        Outcome::Aborted(_) => {
            // That its effects may be partial stays in sight above that.
            let most = if around.is_low() { 1 } else { EXCERPT };
            printed.get(printed.len().saturating_sub(most)..).unwrap_or(&[])
        }
        Outcome::Ok => &[],
    };
    let room = usize::from(around.text_width()).saturating_sub(2);
    if result.name == ASK && result.outcome == Outcome::Ok {
        return answered(result, room, around);
    }
    if is_read_whole(panel, result) {
        // Why nothing came of it is read to its end, and how far a sub-agent came from its beginning.
        return sentences(shown, room, around);
    }
    if let (Outcome::Failed, [why], false) = (&result.outcome, shown, is_command) {
        let style = around.theme.dim;
        let lines = wrap(&within_rows(&sanitize(why.text()), room), room, style);
        return lines.into_iter().map(|line| TranscriptRow::new(INDENT + 2, line)).collect();
    }
    let inks = inks(panel, around.theme, around.theme.dim);
    shown.iter().map(|row| TranscriptRow::new(INDENT + 2, grid::fitted(row, room, &inks))).collect()
}

/// Whether what is said of it is read as sentences: why nothing came of it, and how far a sub-agent came.
fn is_read_whole(panel: &Panel, result: &ToolResult) -> bool {
    match &result.outcome {
        Outcome::Denied(_) | Outcome::Lost { .. } | Outcome::Invalid => true,
        Outcome::Failed => delegate(&result.name).is_some(),
        Outcome::Aborted(_) => panel.is_subagent,
        Outcome::Ok | Outcome::UnknownTool | Outcome::TimedOut => false,
    }
}

/// What a person answered, below the question where it has no room beside it.
fn answered(result: &ToolResult, room: usize, around: &CardContext<'_>) -> Vec<TranscriptRow> {
    if answer_beside(result, around).is_some() {
        return Vec::new();
    }
    let answer = format!("→ {}", one_row(result.content.trim()));
    let lines = wrap(&within_rows(&answer, room), room, around.theme.text).into_iter();
    lines.map(|line| TranscriptRow::new(INDENT + 2, line)).collect()
}

/// A sentence on as many rows as an excerpt has; of a longer one the middle is left out, for the reason stands behind the path.
fn within_rows(said: &str, room: usize) -> String {
    let fits = |said: &str| wrap(said, room, Style::new()).len() <= EXCERPT;
    // A row can end early, where a word does.
    let cells = (1..=room * EXCERPT).rev().find(|cells| fits(&middle(said, *cells)));
    middle(said, cells.unwrap_or(1))
}

/// What is said, on as many rows as an excerpt has; of more, the end of the last one is cut.
fn sentences(said: &[tool::Row], room: usize, around: &CardContext<'_>) -> Vec<TranscriptRow> {
    let style = around.theme.dim;
    let all: Vec<Line<'static>> =
        said.iter().flat_map(|row| wrap(&sanitize(row.text()), room, style)).collect();
    let is_cut = all.len() > EXCERPT;
    let mut lines: Vec<Line<'static>> = all.into_iter().take(EXCERPT).collect();
    if let Some(last) = lines.last_mut().filter(|_| is_cut) {
        let said = last.to_string();
        *last = Line::styled(fit(&format!("{}…", said.trim_end_matches('…')), room), style);
    }
    lines.into_iter().map(|line| TranscriptRow::new(INDENT + 2, line)).collect()
}

/// The hosts that the sandbox kept the command from, and the key that allows one.
fn blocked(result: &ToolResult, around: &CardContext<'_>) -> Vec<TranscriptRow> {
    let theme = around.theme;
    let room = usize::from(around.text_width()).saturating_sub(2);
    let key = around.keymap.first(KeyContext::Panel, KeyAction::AllowHost, "h");
    let ways = key.map(|key| [format!(" · tab, {key}: allow it for this session"), format!(" · tab, {key}")]);
    let hosts = &result.facts.blocked_hosts;
    let next = blocked_host::next(around.view, hosts);
    let other = |words: &str, host: &String| {
        let is_open = around.view.session.hosts.contains(host);
        let hows: &[&str] = if is_open { &[" · allowed since then", " · allowed"] } else { &[""] };
        let how = hows.iter().find(|how| width(words) + width(how) <= room).or(hows.last()).unwrap_or(&"");
        let words = middle(words, room.saturating_sub(width(how)));
        let line = vec![Span::styled(words, theme.warning), Span::styled(*how, theme.dim)];
        TranscriptRow::new(INDENT + 2, Line::from(line))
    };
    // The one that the key takes is whole, for it is decided about.
    let taken = |words: &str| {
        let mut lines = wrap(words, room, theme.warning);
        let of = lines.len();
        if let Some(last) = lines.last_mut() {
            let left = room.saturating_sub(cells(&last.spans));
            let how = ways.iter().flatten().find(|how| width(how) <= left).cloned().unwrap_or_default();
            last.spans.push(Span::styled(how, theme.dim));
        }
        let rows = lines.into_iter().enumerate();
        let rows = rows
            .map(|(at, line)| TranscriptRow { host: Some((at, of)), ..TranscriptRow::new(INDENT + 2, line) });
        rows.collect::<Vec<_>>()
    };
    let skip = next.map_or(0, |at| (at + 1).saturating_sub(MOST_BLOCKED));
    let shown = hosts.iter().enumerate().skip(skip).take(MOST_BLOCKED);
    let rows = shown.flat_map(|(at, host)| {
        let words = format!("blocked {}", one_row(host));
        if next == Some(at) { taken(&words) } else { vec![other(&words, host)] }
    });
    rows.collect()
}

/// The key that types into the terminal of a running command.
fn how_to_type(panel: &Panel, around: &CardContext<'_>, inner: usize) -> Option<Line<'static>> {
    let key = around.keymap.first(KeyContext::Everywhere, KeyAction::TypeInto, CHORD);
    let key = key.filter(|_| panel.takes_keys())?;
    let said = fit(" types into it", inner.saturating_sub(width(&key)));
    let (key, said) = (Span::styled(key, around.theme.text), Span::styled(said, around.theme.dim));
    Some(Line::from(vec![key, said]))
}

/// A call that runs and writes.
fn live_box(panel: &Panel, around: &CardContext<'_>) -> Vec<TranscriptRow> {
    if let Some((call, child)) = panel.id().and_then(|call| Some((call, around.view.subagent(call)?))) {
        if child.only_waits() {
            let waits = CallStatus::new("?", around.theme.dim, "waits below".to_owned(), around.theme.dim)
                .or("waits");
            return vec![line(&CallRow::sentence(&named(panel), &subject(panel)), &waits, around)];
        }
        return subagent::lay(call, (&named(panel), &subject(panel)), child, around);
    }
    let theme = around.theme;
    let total = usize::from(around.panel_width());
    let inner = total.saturating_sub(4);
    let most = match around.height {
        _ if around.is_someone_waiting() => TAIL_BESIDE,
        15.. => TAIL.0,
        _ => TAIL.1,
    };
    let inks = inks(panel, theme, theme.dim);
    let skip = panel.rows().count().saturating_sub(most);
    let written = panel.rows().skip(skip).map(|row| grid::fitted(row, inner, &inks));
    let body = untold(panel, inner, around).into_iter().chain(written);
    let body = body.chain(how_to_type(panel, around, inner)).collect();
    let about = one_row(&about(panel));
    let name = if panel.is_own_command() { Cow::Borrowed("you") } else { named(panel) };
    let name = one_row(&name);
    // What runs matters more than what it does to the world, and neither may hide the other.
    let beside = width(&name) + 2 + width(&about);
    let words = match panel.state {
        PanelState::Running { since, effect } => {
            let ms = around.now.since(since);
            let long = running_for(ms, effect);
            if beside + width(&long) + EDGES <= total { long } else { running(ms) }
        }
        _ => String::new(),
    };
    let room = total.saturating_sub(width(&words) + EDGES + width(&name) + 2);
    let title = titled(&name, &cut(panel)(&about, room), theme);
    let right = Span::styled(words, theme.dim);
    boxes::boxed(title, right, body, total, theme.border_live)
        .into_iter()
        .map(|line| TranscriptRow::new(MARGIN, line))
        .collect()
}
