//! Pages that take the whole screen: all of one call, and the frame that the help shares.

use std::borrow::Cow;
use std::sync::Arc;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::ledger::{ApprovalRequest, Arguments, CallId, Preview};
use crate::tool::name::SHELL_OUTPUT;
use crate::tool::{ASK, Row};
use crate::ui::effect_words;
use crate::ui::keymap::{KeyAction, KeyContext};
use crate::ui::local::Overlay;
use crate::ui::new_file::NewFile;
use crate::ui::text::diff::DiffColours;
use crate::ui::text::{
    command_in_a_row, cut_spans, diff, fit, sanitize, spelled_command, width, wrap, wrap_spans,
};
use crate::ui::theme::Theme;
use crate::view::{Panel, PanelState, subject};

use super::action::behind;
use super::call_row::about;
use super::margin::{margin, theirs};
use super::words::{both_ends, cells, flow, keys, one_row};
use super::{Screen, action, call_title, gaps, grid, line_parts, made_change, page_answers, tools};

/// Most commands of a line whose effects the page of its call says; a line can have thousands.
const MOST_PARTS: usize = 100;

/// A page as it was laid out: its title, its lines, where their links lead.
pub(super) type LaidOutput = (String, Vec<Line<'static>>, Vec<Arc<str>>);

/// All of a call: its arguments, which may be long, are not laid out.
pub(super) struct CallText {
    pub title: Vec<Span<'static>>,
    pub lines: Vec<Line<'static>>,
    /// Before which line the arguments stand.
    pub at: usize,
    pub arguments: String,
    /// Whether they stand under their names; else they are one text.
    pub is_named: bool,
    /// Whether one of them is a command, whose white space counts.
    pub is_command: bool,
    /// How many of the lines must have been in sight before it is allowed; more than there are: all, and all of the arguments.
    pub must: usize,
}

impl CallText {
    /// With its arguments laid out, too.
    pub(super) fn whole(self, inner: u16, theme: &Theme) -> LaidOutput {
        let Self { title, mut lines, at, arguments, is_named, is_command, .. } = self;
        let behind = lines.split_off(at.min(lines.len()));
        let lay = laying(is_named, is_command);
        lines.extend(lay(&arguments, false, usize::from(inner).max(1), theme));
        lines.extend(behind);
        (title.iter().map(|span| span.content.as_ref()).collect(), lines, Vec::new())
    }
}

/// All of a call, on lines of at most `inner` cells.
pub(super) fn lay(screen: &Screen<'_>, inner: u16, call: CallId) -> CallText {
    let Some(panel) = screen.view.panel(call) else {
        // A call of a sub-agent is here only as long as it waits.
        let lines = vec![Line::styled("This call is no longer waiting.", screen.theme.dim)];
        let (title, arguments) = (vec![Span::raw("call")], String::new());
        return CallText { title, lines, at: 0, arguments, is_named: false, is_command: false, must: 0 };
    };
    let whose =
        panel.asked_by.as_ref().map(|by| format!("{}: ", one_row(&by.to_string()))).unwrap_or_default();
    let waiting = panel.request().filter(|_| panel.state == PanelState::Waiting);
    let title = match waiting.filter(|(_, request)| request.name != ASK) {
        Some((_, request)) => call_title::in_a_row(panel, request, screen.theme, usize::MAX),
        None => vec![Span::raw(name_and_subject(panel))],
    };
    let whose = Some(whose).filter(|whose| !whose.is_empty()).map(Span::raw);
    let title = whose.into_iter().chain(title).collect();
    CallText { title, ..described(panel, usize::from(inner).max(1), screen) }
}

/// What a call is called and what it is about, where nobody is asked about it.
fn name_and_subject(panel: &Panel) -> String {
    let overwrites = panel.request().is_some_and(|(_, request)| request.replaces);
    let name = if overwrites { "overwrite".to_owned() } else { one_row(panel.name()) };
    let is_command = panel.arguments().is_some_and(|arguments| arguments.text("command").is_some());
    let about = about(panel);
    let about = if is_command { command_in_a_row(&about) } else { one_row(&about) };
    format!("{name}  {about}")
}

/// The title of a page in `room` cells: what has no look of its own has that of a title.
pub(super) fn titled(title: &[Span<'static>], room: usize, theme: &Theme) -> Vec<Span<'static>> {
    let mut left = room;
    let spans = title.iter().map(|span| {
        let text = fit(&span.content, left);
        left = left.saturating_sub(width(&text));
        Span::styled(text, if span.style == Style::default() { theme.title } else { span.style })
    });
    spans.collect()
}

/// Which path it uses, what it would change, what it was called with, why it asks, what it wrote; and how many of the lines
/// say what would be done: to the end of a change that is shown whole, else all.
fn described(panel: &Panel, inner: usize, screen: &Screen<'_>) -> CallText {
    let (mut lines, theme) = (Vec::new(), screen.theme);
    let inks = tools::inks(panel, theme, theme.text);
    let is_command = panel.arguments().is_some_and(|arguments| arguments.text("command").is_some());
    let is_program = is_command || panel.name() == SHELL_OUTPUT;
    let rows = |lines: &mut Vec<Line<'static>>, rows: &mut dyn Iterator<Item = &Row>| {
        lines.extend(rows.flat_map(|row| broken(grid::spans(row, &inks), inner, is_program)));
    };
    let mut must = usize::MAX;
    lines.extend(panel.request().map(|(_, request)| used(request, inner, theme)).unwrap_or_default());
    let change = change(panel, inner, screen);
    if !change.is_empty() {
        head(&mut lines, "change", theme);
        lines.extend(change);
    }
    let is_whole = |asked: &ApprovalRequest| matches!(asked.preview, Preview::Diff(_)) && !asked.is_partial;
    if panel.request().is_some_and(|(_, request)| is_whole(request)) {
        must = lines.len();
    }
    let rest = panel.request().and_then(|(_, request)| NewFile::cut_in(request)).map(|file| file.in_two().1);
    if rest.is_none() && panel.arguments().is_some() {
        head(&mut lines, "arguments", theme);
    }
    let at = lines.len();
    let worktree = panel.asked_by.as_ref().map_or(&screen.view.worktree, |by| &by.worktree);
    if let Some(folder) = worktree.as_ref().filter(|_| panel.request().is_some()) {
        head(&mut lines, "in the worktree", theme);
        lines.extend(behind(inner, |room| wrap(&one_row(folder), room, theme.text)));
    }
    if let Some((_, request)) = panel.request() {
        head(&mut lines, "why it asks", theme);
        let does = effect_words::does(request);
        let does = if request.replaces { format!("overwrites a file, {does}") } else { does };
        let reasons = [does.as_str(), &request.why, request.warning.as_deref().unwrap_or_default()];
        let reasons: Vec<&str> = reasons.into_iter().filter(|reason| !reason.is_empty()).collect();
        lines.extend(behind(inner, |room| {
            let mut lines = wrap(&one_row(&reasons.join(" · ")), room, theme.text);
            lines.extend(line_parts::table(panel, room, MOST_PARTS, "", theme));
            lines.extend(by_rule(screen, request, room));
            lines
        }));
        if !request.gaps.is_empty() {
            head(&mut lines, "Run commands anyway?", theme);
            lines.extend(gaps::accepted(&request.gaps, inner, theme));
            must = usize::MAX;
        }
    }
    if panel.result().is_some() {
        head(&mut lines, "result", theme);
        rows(&mut lines, &mut panel.result_rows().iter());
    } else if panel.rows().next().is_some() {
        head(&mut lines, "output so far", theme);
        rows(&mut lines, &mut panel.rows());
    }
    let is_named = rest.is_none() && matches!(panel.arguments(), Some(Arguments::Object(_)));
    let arguments = rest.or_else(|| panel.arguments().map(called_with)).unwrap_or_default();
    CallText { title: Vec::new(), lines, at, arguments, is_named, is_command, must }
}

/// A row of what a call wrote, as it fits. Columns of a program stay where they are; all else is read word by word.
fn broken(row: Vec<Span<'static>>, inner: usize, is_program: bool) -> Vec<Line<'static>> {
    if is_program {
        return cut_spans(&theirs(row), inner, margin());
    }
    behind(inner, |room| wrap_spans(row, room, Vec::new()))
}

/// What it would change, or has changed without a question, as far as that is known.
fn change(panel: &Panel, inner: usize, screen: &Screen<'_>) -> Vec<Line<'static>> {
    let (path, inner) = (subject(panel), inner.saturating_sub(2));
    let (theme, highlighter) = (screen.theme, screen.highlighter);
    let colours = DiffColours { theme, language: diff::language(&path), highlighter };
    let lines = match panel.request() {
        None => made_change::lay(panel, inner, colours).lines,
        Some((_, request)) => {
            let Preview::Diff(unified) = &request.preview else { return Vec::new() };
            // The path stands above, and what is cut of a new file stands behind its beginning.
            let begun = NewFile::cut_in(request).map(|file| file.in_two().0);
            let shown = begun.as_deref().unwrap_or_else(|| action::hunks(unified));
            diff::render(shown, u16::try_from(inner).unwrap_or(u16::MAX), colours)
        }
    };
    lines.into_iter().map(|line| Line { spans: theirs(line.spans), ..line }).collect()
}

/// The rule that asks, and where it is written.
fn by_rule(screen: &Screen<'_>, request: &ApprovalRequest, inner: usize) -> Vec<Line<'static>> {
    let Some(rule) = screen.view.asks_by(request) else { return Vec::new() };
    let said = format!("{} {rule} · {}", rule.kind.as_str(), rule.origin);
    wrap(&one_row(&said), inner, screen.theme.dim)
}

/// A heading of ours, after an empty line where it is not the first.
fn head(lines: &mut Vec<Line<'static>>, words: &'static str, theme: &Theme) {
    if !lines.is_empty() {
        lines.push(Line::default());
    }
    lines.push(Line::styled(words, theme.title));
}

/// What others wrote, line by line, behind the margin; broken between words, as on the card of the call.
fn text(text: &str, inner: usize, theme: &Theme) -> Vec<Line<'static>> {
    let text = sanitize(text);
    behind(inner, |room| text.lines().flat_map(|line| wrap(line, room, theme.text)).collect())
}

/// What a line of a value begins with that is not its first one: there a name would begin.
const BELOW_NAME: &str = "  ";

/// What lays out a piece of arguments: whether its first line goes on from the piece before, how wide, in which theme.
pub(super) type LayPiece = fn(&str, bool, usize, &Theme) -> Vec<Line<'static>>;

/// How arguments are laid out.
pub(super) fn laying(is_named: bool, is_command: bool) -> LayPiece {
    match (is_named, is_command) {
        (false, _) => plain_text,
        (true, false) => named_text,
        (true, true) => command_text,
    }
}

/// A piece of one long text, laid out as such a text is, whether or not its first line goes on from the piece
/// before.
fn plain_text(piece: &str, _goes_on: bool, inner: usize, theme: &Theme) -> Vec<Line<'static>> {
    text(piece, inner, theme)
}

/// A piece of arguments under their names.
fn named_text(piece: &str, goes_on: bool, inner: usize, theme: &Theme) -> Vec<Line<'static>> {
    let spell = |line: &str| vec![Span::styled(sanitize(line).into_owned(), theme.text)];
    under_names(piece, goes_on, inner, &spell)
}

/// The same where white space is seen.
fn command_text(piece: &str, goes_on: bool, inner: usize, theme: &Theme) -> Vec<Line<'static>> {
    under_names(piece, goes_on, inner, &|line: &str| spelled_command(line, theme.text))
}

/// Whatever a value says, none of its rows begins where a name does. `goes_on`: the first line goes on from the piece before.
fn under_names(
    piece: &str,
    goes_on: bool,
    inner: usize,
    spell: &dyn Fn(&str) -> Vec<Span<'static>>,
) -> Vec<Line<'static>> {
    behind(inner, |room| {
        let mut rows = Vec::new();
        if piece.is_empty() {
            return rows;
        }
        // A carriage return before the end of a line is shown like any other.
        for (at, line) in piece.strip_suffix('\n').unwrap_or(piece).split('\n').enumerate() {
            let begun = Some(line).filter(|_| goes_on && at == 0);
            match begun.or_else(|| line.strip_prefix(BELOW_NAME)) {
                Some(rest) => rows.extend(behind(room, |room| wrap_spans(spell(rest), room, Vec::new()))),
                None => rows.extend(wrap_spans(spell(line), room, margin())),
            }
        }
        rows
    })
}

/// The arguments, each whole and on lines of its own.
fn called_with(arguments: &Arguments) -> String {
    let members = match arguments {
        Arguments::Object(members) => members,
        Arguments::Unusable(raw) => return raw.clone(),
    };
    let mut said = String::new();
    for (name, value) in members {
        if !said.is_empty() {
            said.push('\n');
        }
        let name = one_row(name);
        // With a blank before it, it would be a line of the value above.
        let name = if name.trim() == name { name } else { format!("{name:?}") };
        said.push_str(&name);
        said.push_str(": ");
        let value = value.as_str().map_or_else(|| Cow::Owned(value.to_string()), Cow::Borrowed);
        for (at, line) in value.strip_suffix('\n').unwrap_or(&value).split('\n').enumerate() {
            if at > 0 {
                said.push('\n');
                said.push_str(BELOW_NAME);
            }
            said.push_str(line);
        }
    }
    said
}

/// The path that is used, and how it is written where that is not the same.
fn used(request: &ApprovalRequest, inner: usize, theme: &Theme) -> Vec<Line<'static>> {
    let Some(path) = &request.leads_to else { return Vec::new() };
    let written = request.written().map(|written| format!("written as {written}"));
    let mut lines = vec![Line::styled("path", theme.title)];
    for said in std::iter::once(path.clone()).chain(written) {
        lines.extend(text(&one_row(&said), inner, theme));
    }
    lines
}

/// Where the rows of a page stand.
pub(super) fn body(area: Rect) -> Rect {
    let height = area.height.saturating_sub(2 + foot(area));
    Rect::new(area.x + 2, area.y + 2, area.width.saturating_sub(4), height)
}

/// Rows that the keys take, and what keeps them apart.
const fn foot(area: Rect) -> u16 {
    if area.height >= 16 { 2 } else { 1 }
}

/// A titled page of rows, those in sight.
pub(super) fn page(frame: &mut Frame<'_>, area: Rect, screen: &Screen<'_>) {
    let Some(page) = &screen.layouts.page else { return };
    let theme = screen.theme;
    let body = body(area);
    let (total, height, all) = (usize::from(body.width), usize::from(body.height), page.rows.len());
    // Where all of it is in sight there is no place in it.
    let place = match all > height {
        true => format!("{}–{} of {all}", page.from + 1, (page.from + height).min(all)),
        false => String::new(),
    };
    let title = titled(&page.title, total.saturating_sub(place.chars().count() + 2), theme);
    let top = both_ends(title, vec![Span::styled(place, theme.dim)], total);
    frame.render_widget(top, Rect { y: area.y, height: 1, ..body });
    super::rows::draw(frame, body, screen);
    let foot = match &screen.local.hint {
        Some(hint) => Line::styled(fit(&one_row(hint), total), theme.warning),
        None => {
            let mut pairs = vec![("esc", "back")];
            if let Some(Overlay::Page(open)) = &screen.local.overlay {
                // Keys that act stand first: a narrow page has no room for all.
                pairs.splice(0..0, open.page.keys(screen.view));
            }
            let subject = screen.local.subject(screen.view).filter(|(_, asked, _)| asked.name != ASK);
            let is_asked = subject.is_some();
            let room = (total + 2).saturating_sub(page_answers::cells_of(&pairs));
            let answers =
                subject.map(|(_, asked, _)| page_answers::lay(asked, screen.view.panel(asked.call), room));
            let answers = answers.unwrap_or_default();
            pairs.extend(answers.iter().map(|(key, word)| (key.as_str(), *word)));
            // What fits into a narrow page is what decides or acts; where it is scrolled to stands at its top.
            pairs.push(("pgup pgdn", "scroll"));
            let is_help = matches!(&screen.local.overlay, Some(Overlay::Page(open)) if open.page.is_help());
            let help = screen.local.keymap.first(KeyContext::Page, KeyAction::Help, "?");
            pairs.extend(help.iter().filter(|_| !is_help).map(|key| (key.as_str(), "keys")));
            let lit = !is_asked || screen.local.is_ripe(screen.view);
            let groups = keys(&pairs, if lit { theme.text } else { theme.dim }, theme.dim);
            let in_one = |space: usize| {
                groups.iter().map(|group| cells(group) + space).sum::<usize>() <= total + space
            };
            let space = if in_one(3) { 3 } else { 2 };
            flow(groups, space, total).into_iter().next().unwrap_or_default()
        }
    };
    frame.render_widget(foot, Rect { y: area.bottom().saturating_sub(1), height: 1, ..body });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_row_of_a_value_begins_where_a_name_does() {
        let theme = Theme::plain();
        let rows = |piece: &str, goes_on: bool| {
            let rows = named_text(piece, goes_on, 20, &theme);
            rows.iter().map(ToString::to_string).collect::<Vec<String>>()
        };
        assert_eq!(
            rows("to: bob and some more\n  to: alice\n  \nn: 1", false),
            ["  to: bob and some", "    more", "    to: alice", "    ", "  n: 1"]
        );
        assert_eq!(rows("to: eve\nn: 1", true), ["    to: eve", "  n: 1"], "a long line goes on");
        assert_eq!(rows("to: eve\nn: 1", false), ["  to: eve", "  n: 1"]);
    }
}
