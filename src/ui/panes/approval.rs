//! A call that waits for a person: the true bytes of what it would do, why it asks, and the keys.

use std::ops::Range;

use ratatui::text::{Line, Span};

use crate::ledger::{ApprovalRequest, EntryId, Preview, Sandboxing};
use crate::ui::text::diff::{self, DiffColours};
use crate::ui::text::{fit, width, wrap};
use crate::view::{Panel, subject};

use super::card_context::{CardContext, INDENT};
use super::layouts::{PaneReach, TranscriptRow};
use super::margin::MARGIN;
use super::words::{both_ends, cells, end, middle, one_row};
use super::{action, answers, beginning, boxes, call_title, gaps, line_parts, risk, session_rule};

/// Lines that are left for other calls that wait.
const MOST_OTHERS: usize = 4;
/// Rows that a call keeps before one is left to the words above it.
const LEAST_OF_CALL: usize = 4;
/// Cells of a box below which the words beside its title are few.
const NARROW: usize = 60;
/// Cells of a sub-agent's name in a title.
const MOST_OF_NAME: usize = 12;

/// The panel of a call that waits: whole where it is chosen, else one line.
pub(super) fn lay(panel: &Panel, around: &CardContext<'_>) -> Vec<TranscriptRow> {
    let Some((id, request)) = panel.request() else { return Vec::new() };
    if around.chosen == Some(id) {
        return whole(panel, id, request, around);
    }
    let total = usize::from(around.panel_width()).saturating_sub(usize::from(INDENT - MARGIN));
    let row = TranscriptRow::new(INDENT, in_line(panel, id, request, total, around));
    vec![row.marked("○", around.theme.dim)]
}

/// A call whose turn it is not, on one line: Tab shows it whole, and nothing decides about it before.
fn in_line(
    panel: &Panel,
    id: EntryId,
    request: &ApprovalRequest,
    total: usize,
    around: &CardContext<'_>,
) -> Line<'static> {
    let theme = around.theme;
    let right = waits(around, id, total);
    let room = total.saturating_sub(width(&right) + 2);
    let mut left = call_title::in_a_row(panel, request, theme, room);
    if let Some(name) = &panel.asked_by {
        left.insert(0, Span::styled(format!("{}: ", one_row(&name.to_string())), theme.text));
    }
    let is_path = matches!(request.preview, Preview::Diff(_));
    let mut used = 0;
    for span in &mut left {
        // Files of a deep folder differ in the last part of their paths.
        let cut: fn(&str, usize) -> String = if is_path { middle } else { |text, most| fit(text, most) };
        let text = cut(&span.content, room.saturating_sub(used));
        used += width(&text);
        span.content = text.into();
    }
    both_ends(left, vec![Span::styled(right, theme.dim)], total)
}

fn whole(
    panel: &Panel,
    id: EntryId,
    request: &ApprovalRequest,
    around: &CardContext<'_>,
) -> Vec<TranscriptRow> {
    let theme = around.theme;
    let total = usize::from(around.panel_width());
    let inner = total.saturating_sub(4).max(1);
    let right = beside_title(panel, id, request, around);
    let (mut foot, mut explained) = reasons(panel, id, request, inner, around);
    let session = if panel.asked_by.is_some() { answers::ITS_SESSION } else { "this session" };
    let rule = rule_below(&mut foot, &mut explained, id, inner, around);
    let (names_files, read) =
        rule.as_ref().map_or((false, None), |rule| (rule.names_files, Some(rule.reading)));
    foot.extend(match rule {
        Some(rule) => rule.lines,
        None => answers::lay(around.has_keys, id, (panel, request), (inner, session), around),
    });
    let (title, head) = title(panel, request, width(&right) + 8, around);
    let from = around.reading.filter(|reading| reading.request == id).map_or(0, |reading| reading.from);
    let airy = around.height >= 15;
    let others = if airy { rows_below(request, around) } else { 0 };
    let room = |foot: usize| usize::from(around.height).saturating_sub(2 + foot + others).max(1);
    let most = |foot: usize| room(foot).saturating_sub(usize::from(airy)).max(1);
    let path = subject(panel);
    let (language, highlighter) = (diff::language(&path), around.highlighter);
    let colours = DiffColours { theme, language, highlighter };
    // Only what is laid out is shorter: the call is the same.
    let beginning = beginning::of(request);
    let in_room = |most| {
        let (has_keys, has_rule, goes_on) = (around.has_keys, read.is_some(), beginning.is_some());
        action::Room { inner, most, from, has_keys, has_rule, goes_on }
    };
    let shown = beginning.as_ref().unwrap_or(request);
    let laid = |most| action::shown(shown, head.clone(), in_room(most), colours);
    let mut asks_anyway = gaps::are_told(request, inner, risk::most_lines(request, id, around), around);
    let (mut body, mut reach) = laid(most(foot.len()));
    if reach.rows < reach.all && room(foot.len()) < 3 {
        // What is decided about goes before why it asks, which the page of the call has too.
        asks_anyway &= explained.is_empty();
        foot.drain(explained);
        (body, reach) = laid(most(foot.len()));
    }
    // A rule below it leaves few rows: of a call that is cut, the one that would keep them apart is the call's, too. Without a rule
    // one is left to the words before the call, which say what it is for.
    let is_cut = airy && reach.rows < reach.all;
    let rows = |foot: usize| match read {
        Some(_) if is_cut => room(foot),
        None if is_cut && most(foot) > LEAST_OF_CALL => most(foot).saturating_sub(1),
        _ => most(foot),
    };
    if is_cut {
        (body, reach) = laid(rows(foot.len()));
    }
    let is_command = matches!(request.preview, Preview::Command(_));
    if is_command && reach.rows < reach.all && room(foot.len()) < 4 && !head.is_empty() {
        // The title begins with the worst effect; the rest of them goes before the command does.
        (body, reach) = action::shown(shown, Vec::new(), in_room(rows(foot.len())), colours);
    }
    // A call that is cut says itself where all of it is.
    if reach.rows >= reach.all {
        let spare = room(foot.len()).saturating_sub(body.len());
        body.extend(line_parts::beneath(panel, inner, spare, airy, theme));
    }
    body.extend(foot);
    let right = Span::styled(right, theme.accent);
    let border = boxes::edges(risk::border(request, theme), around.has_keys);
    let lines = boxes::boxed(title, right, body, total, border);
    reaching(lines, PaneReach { names_files, asks_anyway, rule: read, ..reach })
}

/// Rows below a call that stay in sight: the other calls that wait have a line each, and so has one between them that does not wait any
/// more, with an empty one on each side.
fn rows_below(request: &ApprovalRequest, around: &CardContext<'_>) -> usize {
    let waiting = around.waiting.len().saturating_sub(1);
    let below = around.view.down_to_the_last_that_waits(request.call);
    if below > waiting { below + 2 } else { waiting }.min(MOST_OTHERS)
}

/// The rows of a box, of which the first says how much of the call is in them.
fn reaching(lines: Vec<Line<'static>>, reach: PaneReach) -> Vec<TranscriptRow> {
    let mut rows: Vec<TranscriptRow> =
        lines.into_iter().map(|line| TranscriptRow::new(MARGIN, line)).collect();
    if let Some(row) = rows.first_mut() {
        row.reach = Some(reach);
    }
    rows
}

/// The rule that "always" would take, below what is said: where there is no room for both, what explains the question goes.
fn rule_below(
    foot: &mut Vec<Line<'static>>,
    explained: &mut Range<usize>,
    id: EntryId,
    inner: usize,
    around: &CardContext<'_>,
) -> Option<session_rule::LaidRule> {
    let always = around.always.filter(|always| always.request == id && around.has_keys);
    let always = always.filter(|_| around.reason.is_none_or(|reason| reason.request != id))?;
    // A line for what is decided about, two for the box; the rest is for the rule.
    let room = |foot: usize| usize::from(around.height).saturating_sub(3 + foot);
    if room(foot.len()) < session_rule::LEAST {
        foot.drain(std::mem::take(explained));
    }
    let lay = if always.is_rule() { session_rule::lay } else { gaps::lay };
    Some(lay(always, inner, room(foot.len()), around))
}

/// The title, and the first lines where it has no room for what counts. On a low screen the name of a sub-agent stands there, and
/// takes no row from the call.
fn title(
    panel: &Panel,
    request: &ApprovalRequest,
    beside: usize,
    around: &CardContext<'_>,
) -> (Vec<Span<'static>>, Vec<Line<'static>>) {
    let (theme, total) = (around.theme, usize::from(around.panel_width()));
    let name = asked_by(panel, around);
    let beside = beside + name.as_deref().map_or(0, width);
    let (mut title, head) = call_title::title(panel, request).with_head(request, theme, (beside, total));
    title.splice(0..0, name.map(|name| Span::styled(name, theme.text)));
    (title, head)
}

/// The name of a sub-agent before a title: of several with one name the call tells which it is.
fn asked_by(panel: &Panel, around: &CardContext<'_>) -> Option<String> {
    let name = panel.asked_by.as_ref().filter(|_| around.height < 15);
    name.map(|by| format!("{} {}: ", fit(&one_row(by.name()), MOST_OF_NAME), by.calls))
}

/// The words beside the title: that it waits. On a narrow screen how much it changes says more, for that it
/// waits stands in the line above the composer, too; only which of several it is stays.
fn beside_title(panel: &Panel, id: EntryId, request: &ApprovalRequest, around: &CardContext<'_>) -> String {
    let total = usize::from(around.panel_width());
    let right = waits(around, id, total);
    if total >= NARROW || !around.waiting.contains(&id) {
        return right;
    }
    let name = asked_by(panel, around).as_deref().map_or(0, width);
    let room = |right: &str| total.saturating_sub(width(right) + 8 + name);
    let is_alone = around.waiting.len() == 1;
    let with = |lines: &str| if is_alone { lines.to_owned() } else { format!("{lines} · {right}") };
    let lines = lines_beside(panel, request, around, |lines: &str| room(&with(lines)), room(&right));
    lines.map_or_else(|| right.clone(), |lines| with(&lines))
}

/// How many lines change, where the title has room for what it is about and not for that number, too. `room`:
/// cells of the title beside these words; `without`: beside those that stand there now.
fn lines_beside(
    panel: &Panel,
    request: &ApprovalRequest,
    around: &CardContext<'_>,
    room: impl Fn(&str) -> usize,
    without: usize,
) -> Option<String> {
    let title = call_title::title(panel, request);
    let (added, removed) = title.lines?;
    let whole = format!("+{added} −{removed}");
    let all = cells(&title.spans(request, around.theme, usize::MAX));
    let alone = all.saturating_sub(width(&whole) + 2);
    if all <= without || alone > without {
        return None;
    }
    let ways = [Some(whole), (removed == 0).then(|| format!("+{added}"))];
    ways.into_iter().flatten().find(|way| alone <= room(way))
}

/// What is said below the action: warnings, why it asks; and which of these lines can go where there is little room.
fn reasons(
    panel: &Panel,
    id: EntryId,
    request: &ApprovalRequest,
    inner: usize,
    around: &CardContext<'_>,
) -> (Vec<Line<'static>>, Range<usize>) {
    let theme = around.theme;
    let mut foot = whose(panel, request, inner, around);
    if let Some(warning) = &request.warning {
        foot.extend(wrap(&format!("! {}", one_row(warning)), inner, theme.warning));
    }
    let is_serious = risk::is_serious(request);
    let most = risk::most_lines(request, id, around);
    let warned = foot.len();
    if most > 0 {
        foot.extend(risk::reason(request, inner, theme, most));
    }
    // It waits because of what the sandbox cannot hide.
    if !request.gaps.is_empty() && around.height >= 15 {
        foot.extend(wrap(&gaps::question(around.keymap), inner, theme.text));
    }
    // Where a path leads is said nowhere else; the other reasons are those that the command shows.
    let is_told = is_serious && risk::leaves(request) || request.sandboxing == Sandboxing::Within;
    let explained = warned..if is_told { warned } else { foot.len() };
    (foot, explained)
}

/// Whose call it is, where the model does not make it; and the worktree in which it acts, if it does.
fn whose(
    panel: &Panel,
    request: &ApprovalRequest,
    inner: usize,
    around: &CardContext<'_>,
) -> Vec<Line<'static>> {
    // A sub-agent has a goal only as a lane of a race.
    let check = match (panel.asked_by.is_some(), inner < 60) {
        (false, _) => "the check of the goal: if it exits with 0, the goal is reached",
        (true, false) => "the check of the race: if it exits with 0, this lane has passed",
        (true, true) => "the check of the race",
    };
    let custom = around.view.custom_command(request.call);
    // A row less for it is one more for the call.
    let custom = custom.map(|name| match (one_row(name), inner < 60) {
        (shown, true) => format!("{shown} runs this first"),
        (shown, false) => {
            format!("the {} {shown} runs this before its message", around.view.kind_of_named(name))
        }
    });
    let below = panel.asked_by.as_ref().filter(|_| around.height >= 15);
    // What it was asked to do says more than its name.
    let below = below.map(|by| {
        let task = if by.task.is_empty() { String::new() } else { format!(": {}", by.task) };
        fit(&one_row(&format!("asked by {by}{task}")), inner)
    });
    let check = panel.is_goal_check().then(|| check.to_owned());
    let words = check.into_iter().chain(custom).chain(below);
    let mut lines: Vec<_> = words.flat_map(|words| wrap(&words, inner, around.theme.text)).collect();
    let worktree = panel.asked_by.as_ref().map_or(&around.view.worktree, |by| &by.worktree);
    // Where it acts is as much a part of the call as what it does. The last folder is the worktree's own.
    lines.extend(worktree.as_ref().map(|folder| {
        let lead = if inner < 60 { "worktree " } else { "in the worktree " };
        let folder = end(&one_row(folder), inner.saturating_sub(width(lead)));
        Line::styled(format!("{lead}{folder}"), around.theme.text)
    }));
    lines
}

/// That it waits, and which of several it is; the latter only where there is little room.
fn waits(around: &CardContext<'_>, id: EntryId, total: usize) -> String {
    let is_narrow = total < NARROW;
    match around.waiting.iter().position(|w| *w == id) {
        Some(at) if around.waiting.len() > 1 => {
            let place = format!("{} of {}", at + 1, around.waiting.len());
            if is_narrow { place } else { format!("waits for you · {place}") }
        }
        Some(_) if is_narrow => "waits".to_owned(),
        Some(_) => "waits for you".to_owned(),
        None => "answered".to_owned(),
    }
}
