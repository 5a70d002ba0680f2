//! The composer's pane.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType};

use crate::ui::command_menu::earlier_command;
use crate::ui::composer::{begins_name, ends_name, is_stand_in, plain};
use crate::ui::layout::Areas;
use crate::ui::local::Focus;
use crate::ui::text::fit;

use super::words::{count, one_row};
use super::{Screen, boxes, time_line};

pub(super) fn draw(frame: &mut Frame<'_>, areas: &Areas, screen: &Screen<'_>) {
    let (theme, local) = (screen.theme, screen.local);
    let editing = local.edit.as_ref().filter(|edit| edit.is_open());
    let has_focus = local.focused(screen.view) == Focus::Composer;
    let outer = outer(areas);
    if areas.boxed {
        let mut block = Block::bordered().border_type(BorderType::Rounded).border_style(theme.border);
        if let Some(word) = local.vim.word() {
            block = block.title_bottom(Line::styled(format!(" {word} "), theme.title).right_aligned());
        }
        if let Some(edit) = &editing {
            let room = usize::from(outer.width).saturating_sub(6);
            let words = format!(" changing {} ", fit(&one_row(&edit.tool), room.saturating_sub(11)));
            // A call is what is changed there: its edges look like those of its box.
            let edges = boxes::edges(theme.border_waiting, has_focus);
            block = block.title_top(Line::styled(words, theme.title));
            block = block.border_type(edges.lines).border_style(edges.style);
        }
        frame.render_widget(block, outer);
    }
    let text = text(areas);
    let runs = editing.is_none() && local.replay.is_none() && local.composer.runs_a_command();
    if runs && areas.boxed {
        let words = if local.composer.begins_with("!!") {
            " your shell command · not shown to the model "
        } else {
            " your shell command "
        };
        let room = usize::from(outer.width).saturating_sub(4);
        let title = Line::styled(fit(words, room), theme.warning);
        frame.render_widget(title, Rect::new(outer.x + 2, outer.y, outer.width.saturating_sub(4), 1));
    }
    if !areas.boxed {
        let sign = if editing.is_some() { "e" } else { sign(local.vim.word().filter(|_| !runs)) };
        let style = if runs { theme.warning } else { theme.accent };
        frame.render_widget(Line::styled(sign, style), Rect::new(outer.x, text.y, 1, 1));
    }
    if let Some(replay) = &local.replay {
        return time_line::draw(frame, text, replay, theme);
    }
    if local.composer.is_empty() {
        let words = match editing {
            Some(_) => "what should it do?",
            None if screen.view.is_over_below() => "nothing more can be said here",
            None => "ask anything",
        };
        let words = fit(words, usize::from(text.width));
        frame.render_widget(Line::styled(words, theme.placeholder), text);
    } else {
        frame.render_widget(local.composer.area(), text);
        written(frame, text, screen);
        above(frame, outer, text, screen);
        below(frame, outer, text, screen);
        ghost(frame, text, screen);
    }
    // What is looked for is typed elsewhere.
    if has_focus && local.reason.is_none() && local.search.is_none() {
        frame.set_cursor_position(cursor(text, screen));
    }
}

/// The sign before what is typed, where there is no box that says the mode of vim. A command begins with a sign of its own.
fn sign(mode: Option<&str>) -> &'static str {
    match mode {
        Some("normal") => "n",
        Some("visual") => "v",
        Some(_) | None => "›",
    }
}

/// What more than its letters goes along: names of pastes as people read them (what keeps them in one row is drawn as brackets, blanks
/// and signs), and files that are there, each in the colour of what can be opened.
fn written(frame: &mut Frame<'_>, text: Rect, screen: &Screen<'_>) {
    let (theme, local) = (screen.theme, screen.local);
    // Only a message takes files along.
    let is_message =
        local.edit.as_ref().is_none_or(|edit| !edit.is_open()) && !local.composer.runs_a_command();
    let buffer = frame.buffer_mut();
    for row in text.rows() {
        let mut is_in_name = false;
        let (mut word, mut begins) = (String::new(), row.x);
        for x in row.x..row.right() {
            let Some(cell) = buffer.cell_mut((x, row.y)) else { continue };
            let mut chars = cell.symbol().chars();
            let c = chars.next().filter(|_| chars.next().is_none());
            is_in_name |= c.is_some_and(begins_name);
            if is_in_name && cell.symbol() != " " {
                cell.set_style(theme.accent);
            }
            if let Some(c) = c.filter(|c| is_stand_in(*c)) {
                is_in_name &= !ends_name(c);
                cell.set_symbol(&plain(&c.to_string()));
            }
            if cell.symbol() != " " {
                word.push_str(cell.symbol());
            }
            if cell.symbol() == " " || x + 1 == row.right() {
                let ends = if cell.symbol() == " " { x } else { x + 1 };
                if is_message && word.contains('@') && local.files.is_named_by(&word) {
                    let place = Rect::new(begins, row.y, ends.saturating_sub(begins), 1);
                    buffer.set_style(place, theme.accent);
                }
                word.clear();
                begins = x + 1;
            }
        }
    }
}

/// The rest of the earlier command that Tab would complete, behind the cursor.
fn ghost(frame: &mut Frame<'_>, text: Rect, screen: &Screen<'_>) {
    let typed = screen.local.composer.shown();
    let Some(earlier) = earlier_command(screen.local, screen.view) else { return };
    let Some(rest) = earlier.strip_prefix(&typed) else { return };
    let at = cursor(text, screen);
    let room = text.right().saturating_sub(at.x);
    let is_last = screen.local.composer.before_cursor() == typed;
    if is_last && room > 0 {
        let words = Line::styled(fit(&one_row(rest), usize::from(room)), screen.theme.placeholder);
        frame.render_widget(words, Rect::new(at.x, at.y, room, 1));
    }
}

/// How much of a long text is above the rows in sight.
fn above(frame: &mut Frame<'_>, outer: Rect, text: Rect, screen: &Screen<'_>) {
    let (rows, _) = screen.local.composer.area().scroll_offset();
    if rows == 0 {
        return;
    }
    if outer.y < text.y {
        let words = Line::styled(format!(" ↑ {} above ", count(rows.into(), "line")), screen.theme.title);
        let room = Rect::new(outer.x + 2, outer.y, outer.width.saturating_sub(4), 1);
        frame.render_widget(words.right_aligned(), room);
    } else {
        frame.render_widget(Line::styled("↑", screen.theme.accent), Rect::new(outer.x, text.y, 1, 1));
    }
}

/// How much is below them, on the lower edge.
fn below(frame: &mut Frame<'_>, outer: Rect, text: Rect, screen: &Screen<'_>) {
    let rows = screen.local.composer.rows_below();
    if rows > 0 && text.bottom() < outer.bottom() {
        let words = Line::styled(format!(" ↓ {} below ", count(rows, "line")), screen.theme.title);
        let room = Rect::new(outer.x + 2, text.bottom(), outer.width.saturating_sub(4), 1);
        frame.render_widget(words, room);
    }
}

/// Both where the composer has no edge to say it on, for the line above it; `leads`: something stands behind it. The composer
/// must have been drawn.
pub(super) fn beyond_in_words(screen: &Screen<'_>, leads: bool) -> Vec<Span<'static>> {
    let composer = &screen.local.composer;
    if composer.is_empty() {
        return Vec::new();
    }
    let (above, _) = composer.area().scroll_offset();
    let ways = [("↑", usize::from(above)), ("↓", composer.rows_below())];
    let told = ways.into_iter().filter(|(_, rows)| *rows > 0).map(|(sign, rows)| format!("{sign} {rows}"));
    let told = told.collect::<Vec<_>>().join(" ");
    if told.is_empty() {
        return Vec::new();
    }
    let space = if leads { "   " } else { "" };
    vec![Span::styled(format!("{told}{space}"), screen.theme.title)]
}

/// The composer with its edges.
fn outer(areas: &Areas) -> Rect {
    let area = areas.composer;
    Rect::new(area.x + 1, area.y, area.width.saturating_sub(2), area.height)
}

/// Where its text stands.
pub(super) fn text(areas: &Areas) -> Rect {
    let (outer, edge) = (outer(areas), u16::from(areas.boxed));
    let width = Areas::composer_width(areas.composer);
    Rect::new(outer.x + 2, outer.y + edge, width, outer.height.saturating_sub(2 * edge))
}

/// Where the terminal's own cursor stands, so that input methods know it.
fn cursor(text: Rect, screen: &Screen<'_>) -> Position {
    let area = screen.local.composer.area();
    if area.is_empty() {
        return Position::new(text.x, text.y);
    }
    let at = area.screen_cursor();
    let (top, _) = area.scroll_offset();
    let row = u16::try_from(at.row).unwrap_or(u16::MAX).saturating_sub(top);
    let col = u16::try_from(at.col).unwrap_or(u16::MAX);
    Position::new(
        text.x + col.min(text.width.saturating_sub(1)),
        text.y + row.min(text.height.saturating_sub(1)),
    )
}
