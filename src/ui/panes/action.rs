//! What a call that waits would do, by its kind: the true bytes, and nothing left out without a word.

use ratatui::text::{Line, Span};
use serde_json::Value;

use crate::ledger::{ApprovalRequest, PATH, Preview};
use crate::policy::{page, server};
use crate::tool::{ASK, delegate};
use crate::ui::new_file::NewFile;
use crate::ui::text::diff::DiffColours;
use crate::ui::text::tag::ours;
use crate::ui::text::{diff, fit, sanitize, spelled_command, width, wrap, wrap_spans};
use crate::ui::theme::Theme;

use super::layouts::PaneReach;
use super::margin::{margin, theirs};
use super::words::{cells, one_row};

/// Cells of the column of names before arguments, at most.
const NAMES: usize = 16;

/// That the path is not written as it is used, where it is not, on one line; the page of the call has all of it.
pub(super) fn written(request: &ApprovalRequest, inner: usize, theme: &Theme) -> Option<Line<'static>> {
    let written = one_row(request.written()?);
    Some(Line::styled(fit(&format!("written as {written}"), inner), theme.warning))
}

/// What an action is laid out into.
#[derive(Clone, Copy)]
pub(super) struct Room {
    /// Cells of a line.
    pub inner: usize,
    /// Most lines.
    pub most: usize,
    /// The first line in sight.
    pub from: usize,
    /// Whether keys go to it: those that scroll, too.
    pub has_keys: bool,
    /// Whether a rule is shown below it: a key puts that away before another one opens the page.
    pub has_rule: bool,
    /// Whether it is only the beginning of the call.
    pub goes_on: bool,
}

/// The action itself under its `head`, as much as there is room for, and how much that is; what is left out is told, and
/// `o` shows it. The end of it counts, whatever it is: all of it must have been in sight.
pub(super) fn shown(
    request: &ApprovalRequest,
    head: Vec<Line<'static>>,
    room: Room,
    colours: DiffColours<'_>,
) -> (Vec<Line<'static>>, PaneReach) {
    let Room { inner, most, from, has_keys, has_rule, goes_on } = room;
    if most == 1 {
        return row_by_row(request, head, room, colours);
    }
    let theme = colours.theme;
    let (mut lines, first_change) = action(request, inner, goes_on, colours);
    let heads = head.len();
    let total = heads + lines.len();
    if total > most {
        // Where there is no room for all of it, what changes goes before where it stands.
        let hidden = first_change.filter(|first| first + 1 >= most.saturating_sub(heads)).unwrap_or(0);
        lines.drain(..hidden);
    }
    let lines: Vec<Line<'static>> = head.into_iter().chain(lines).collect();
    let all = lines.len();
    let must = all;
    if total <= most && !goes_on {
        return (lines, PaneReach { from: 0, rows: all, all, must, ..PaneReach::default() });
    }
    // The last row says what is out of sight.
    let rows = most.saturating_sub(1).max(1);
    let from = from.min(all.saturating_sub(rows));
    let mut shown: Vec<Line<'static>> = lines.into_iter().skip(from).take(rows).collect();
    let than = if goes_on { "more than " } else { "" };
    let words = format!("rows {}–{} of {than}{all}", from + 1, (from + rows).min(all));
    let ways =
        [" · pgup pgdn scroll · o shows all", " · pgup pgdn · o all", " · o shows all", " · o all", ""];
    let with_rule =
        [" · pgup pgdn scroll · esc, then o shows all", " · pgup pgdn · esc, o all", " · pgup pgdn", "", ""];
    let ways = if has_rule { with_rule } else { ways };
    let mut ways = ways.into_iter().skip(if has_keys { 0 } else { 2 });
    let way = ways.find(|way| width(&words) + width(way) <= inner).unwrap_or_default();
    shown.push(Line::styled(fit(&format!("{words}{way}"), inner), theme.warning));
    (shown, PaneReach { from, rows, all, must, ..PaneReach::default() }.ending(!goes_on))
}

/// The same where one row is all: what is out of sight is told at its end. The lines are laid narrower for that, so that
/// nothing is behind the words.
fn row_by_row(
    request: &ApprovalRequest,
    head: Vec<Line<'static>>,
    room: Room,
    colours: DiffColours<'_>,
) -> (Vec<Line<'static>>, PaneReach) {
    let Room { inner, from, .. } = room;
    let place = |at: usize, all: usize| {
        if inner < 30 { format!(" {at}/{all}") } else { format!(" {at} of {all} rows") }
    };
    let lay = |inner: usize, is_whole: bool| {
        let (mut lines, first_change) = action(request, inner, room.goes_on, colours);
        lines.drain(..first_change.filter(|_| !is_whole).unwrap_or(0));
        let head = head.iter().cloned().flat_map(|line| narrowed(line, inner));
        head.chain(lines).collect::<Vec<_>>()
    };
    let mut lines = lay(inner, true);
    if lines.len() > 1 {
        // Narrower lines are more of them, whose number can need another cell.
        for digits in 1.. {
            let most = 10_usize.saturating_pow(digits).saturating_sub(1);
            lines = lay(inner.saturating_sub(width(&place(most, most)) + 1).max(1), false);
            if lines.len() <= most {
                break;
            }
        }
    }
    let all = lines.len();
    let from = from.min(all.saturating_sub(1));
    let mut shown: Vec<Line<'static>> = lines.into_iter().skip(from).take(1).collect();
    if let Some(row) = shown.first_mut().filter(|_| all > 1) {
        let style = std::mem::take(&mut row.style);
        row.spans.iter_mut().for_each(|span| span.style = style.patch(span.style));
        let cut = if from + 1 < all { "…" } else { "" };
        let place = place(from + 1, all);
        let apart = inner.saturating_sub(cells(&row.spans) + width(cut) + width(&place));
        let words = format!("{cut}{}{place}", " ".repeat(apart));
        row.spans.push(Span::styled(words, ours(colours.theme.warning)));
    }
    (shown, PaneReach { from, rows: 1, all, must: all, ..PaneReach::default() }.ending(!room.goes_on))
}

/// A line in so many cells, what is below it behind the margin that it has.
fn narrowed(line: Line<'static>, inner: usize) -> Vec<Line<'static>> {
    let is_theirs = line.spans.first().is_some_and(|span| span.content == "  ");
    let style = line.style;
    let spans = line.spans.into_iter().map(|span| Span { style: style.patch(span.style), ..span }).collect();
    wrap_spans(spans, inner, if is_theirs { margin() } else { Vec::new() })
}

/// The action itself, whole, and where its first change begins, if it is one.
fn action(
    request: &ApprovalRequest,
    inner: usize,
    goes_on: bool,
    colours: DiffColours<'_>,
) -> (Vec<Line<'static>>, Option<usize>) {
    let theme = colours.theme;
    match &request.preview {
        Preview::Command(command) => {
            let wide = inner.saturating_sub(2).max(1);
            let mut lines = wrap_spans(spelled_command(command, theme.strong), wide, Vec::new());
            for (at, line) in lines.iter_mut().enumerate() {
                line.spans.insert(0, Span::styled(if at == 0 { "$ " } else { "  " }, ours(theme.dim)));
            }
            let beside = request.beside_command().into_iter();
            let told: Vec<_> = beside.map(|(name, value)| one_row(&format!("{name}: {value}"))).collect();
            if !told.is_empty() {
                // It begins where no line of the command does.
                let words = vec![Span::styled(format!("with {}", told.join(" · ")), theme.warning)];
                lines.extend(wrap_spans(words, inner, margin()));
            }
            (lines, None)
        }
        Preview::Diff(unified) => {
            let new = NewFile::cut_in(request).map(|file| file.whole(goes_on));
            let unified = new.as_deref().unwrap_or_else(|| hunks(unified));
            let laid = diff::lay(unified, u16::try_from(inner).unwrap_or(u16::MAX), colours);
            let mut lines = laid.lines;
            if request.is_partial && new.is_none() {
                lines.push(Line::styled(fit("the whole call:", inner), theme.warning));
                lines.extend(arguments(request, inner, theme));
            }
            (lines, laid.first_change)
        }
        Preview::Recipient(to) => {
            let mut lines = arguments(request, inner, theme);
            lines.extend(wrap(&format!("sent to {}", one_row(to)), inner, theme.dim));
            (lines, None)
        }
        Preview::None => (arguments(request, inner, theme), None),
    }
}

/// What others wrote, in the room that is left of `inner` cells behind a margin: our own lines in the same box, such as
/// the keys, begin before it.
pub(super) fn behind(inner: usize, lay: impl FnOnce(usize) -> Vec<Line<'static>>) -> Vec<Line<'static>> {
    let lines = lay(inner.saturating_sub(2).max(1)).into_iter();
    lines.map(|line| Line { spans: theirs(line.spans), ..line }).collect()
}

/// What a call would be made with.
fn arguments(request: &ApprovalRequest, inner: usize, theme: &Theme) -> Vec<Line<'static>> {
    let members = match &request.arguments {
        Value::Object(members) if request.name == ASK => {
            return question(members, inner, theme);
        }
        Value::Object(members) => members,
        other => return behind(inner, |room| wrap(&sanitize(&other.to_string()), room, theme.strong)),
    };
    let alone = |name: &str| members.get(name).and_then(Value::as_str).filter(|_| members.len() == 1);
    match (alone("url"), alone("task").filter(|_| delegate(&request.name).is_some())) {
        (Some(url), _) => fetched(url, inner, theme),
        (None, Some(task)) => behind(inner, |room| wrap(&sanitize(task), room, theme.strong)),
        (None, None) if members.is_empty() => vec![Line::styled("no arguments", theme.dim)],
        (None, None) => behind(inner, |room| named(request, members, room, theme)),
    }
}

/// The question, and its choices under their numbers, which begin where no line of the question does.
fn question(members: &serde_json::Map<String, Value>, inner: usize, theme: &Theme) -> Vec<Line<'static>> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let asked = members.get("question").map(text).unwrap_or_default();
    let mut lines = behind(inner, |room| wrap(&sanitize(&asked), room, theme.strong));
    let choices = members.get("choices").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    for (number, choice) in (1..).zip(choices) {
        let wide = inner.saturating_sub(3).max(1);
        for (at, mut line) in wrap(&sanitize(&text(choice)), wide, theme.text).into_iter().enumerate() {
            let mark = if at == 0 { format!("{number}  ") } else { "   ".to_owned() };
            line.spans.insert(0, Span::styled(mark, ours(theme.accent)));
            lines.push(line);
        }
    }
    lines
}

/// Who is asked first, then the whole address, both as they are requested: a long one can hide where it leads, and what the
/// model wrote can look like another. That is said where it differs.
fn fetched(url: &str, inner: usize, theme: &Theme) -> Vec<Line<'static>> {
    let page = match page(url) {
        Ok(page) => page,
        Err(why) => {
            let from = server(url).map(|server| format!("from {server}")).unwrap_or_default();
            let mut lines = wrap(&one_row(&from), inner, theme.strong);
            lines.extend(behind(inner, |room| wrap(&sanitize(url), room, theme.text)));
            lines.extend(wrap(&one_row(&why), inner, theme.warning));
            return lines;
        }
    };
    let mut lines = wrap(&format!("from {}", one_row(&page.server)), inner, theme.strong);
    lines.extend(behind(inner, |room| wrap(&sanitize(&page.whole), room, theme.text)));
    if page.whole.trim_end_matches('/') != url.trim().trim_end_matches('/') {
        let words = format!("the model wrote {}", one_row(url.trim()));
        lines.extend(wrap_spans(vec![Span::styled(words, theme.warning)], inner, margin()));
    }
    lines
}

/// Every argument under its name, whole; the path as it is used.
fn named(
    request: &ApprovalRequest,
    members: &serde_json::Map<String, Value>,
    inner: usize,
    theme: &Theme,
) -> Vec<Line<'static>> {
    let most = NAMES.min(inner / 3);
    let names: Vec<String> = members.keys().map(|name| one_row(name)).collect();
    let fitting = names.iter().map(|name| width(name)).filter(|cells| *cells <= most);
    let column = fitting.max().unwrap_or(0) + 2;
    let wide = inner.saturating_sub(column).max(1);
    let mut lines = Vec::new();
    for (name, (member, value)) in names.iter().zip(members) {
        let used = request.leads_to.as_ref().filter(|_| member == PATH);
        let text = used.map_or_else(|| said(value), |path| said(&Value::String(path.clone())));
        let mut told = wrap(&sanitize(&text), wide, theme.strong);
        told.extend(written(request, wide, theme).filter(|_| used.is_some()));
        // A name that is longer than its column has lines of its own: none is cut.
        let is_long = width(name) > most;
        if is_long {
            lines.extend(wrap(name, inner, theme.dim));
        }
        for (at, mut line) in told.into_iter().enumerate() {
            let name = if at == 0 && !is_long { name.as_str() } else { "" };
            let pad = " ".repeat(column.saturating_sub(width(name)));
            line.spans.insert(0, Span::styled(format!("{name}{pad}"), ours(theme.dim)));
            lines.push(line);
        }
    }
    lines
}

/// A value as it is read: a text without its quotes, unless it could be taken for a number, say, or for nothing.
fn said(value: &Value) -> String {
    let is_other = |text: &str| {
        serde_json::from_str(text).is_ok_and(|read: Value| !read.is_object() && !read.is_array())
    };
    let is_plain = |text: &&str| !text.trim().is_empty() && !is_other(text);
    value.as_str().filter(is_plain).map_or_else(|| format!("{value:#}"), str::to_owned)
}

/// A diff without the two lines that name its file, which the title names: every row counts here. A diff of
/// several files keeps them.
pub(super) fn hunks(unified: &str) -> &str {
    let files = unified.lines().filter(|l| l.starts_with("+++ ")).count();
    match unified.find("@@") {
        Some(at) if files <= 1 => unified.get(at..).unwrap_or(unified),
        Some(_) | None => unified,
    }
}
