//! The mouse: clicks give the focus and open, drags select, the wheel scrolls what is under it. Nothing that it does
//! answers a call that waits: only keys do.

mod click;
mod scene;

use ratatui::crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use tui_textarea::CursorMove;

use super::effect::UiEffect;
use super::focus;
use super::inspector::choose;
use super::local::{Focus, Local, Overlay};
use super::overlays::moved;
use super::panes::{Hit, composer_scrolls, dragged, hit, selectable};
use super::selection::{Press, Selection, Unit};
use super::session_rule;
pub use scene::Scene;

/// Rows that a notch of the wheel moves by.
const NOTCH: i32 = 3;
/// Most rows that a drag beyond an edge moves by at once.
const FASTEST: i32 = 5;
/// Milliseconds in which a second click belongs to the first.
const TOGETHER: u64 = 400;

/// One event of the mouse, at `now` in milliseconds of the wall clock. Returns what has to be done.
pub fn mouse(local: &mut Local, scene: Scene<'_>, event: MouseEvent, now: u64) -> Vec<UiEffect> {
    let at = (event.column, event.row);
    match event.kind {
        MouseEventKind::ScrollUp => turn(local, scene, at, -1),
        MouseEventKind::ScrollDown => turn(local, scene, at, 1),
        MouseEventKind::Down(MouseButton::Left) => press(local, scene, at, now),
        MouseEventKind::Drag(MouseButton::Left) => drag(local, scene, at),
        MouseEventKind::Up(MouseButton::Left) => return release(local, scene, at),
        MouseEventKind::Down(_)
        | MouseEventKind::Up(_)
        | MouseEventKind::Drag(_)
        | MouseEventKind::Moved
        | MouseEventKind::ScrollLeft
        | MouseEventKind::ScrollRight => {}
    }
    Vec::new()
}

/// A drag that is held beyond an edge moves the window on.
pub fn pull(local: &mut Local) {
    let rows = local.pointer.pull;
    wheel(local, rows);
}

/// Scrolls what is shown by so many rows.
fn wheel(local: &mut Local, rows: i32) {
    match &mut local.overlay {
        Some(Overlay::Ledger(inspector)) => inspector.scroll = moved(inspector.scroll, rows),
        Some(Overlay::Picker(picker)) => picker.go(rows.signum()),
        Some(page) => {
            if let Some(at) = page.scrolled() {
                *at = moved(*at, rows);
            }
        }
        None => local.scroll.wish += rows,
    }
}

/// One notch of the wheel, up or down.
fn turn(local: &mut Local, scene: Scene<'_>, at: (u16, u16), step: i32) {
    let under = hit(scene.layouts, scene.view, local, scene.screen, at);
    if let (Hit::Composer(..), true) = (under, composer_scrolls(local, scene.view, scene.screen)) {
        return local.composer.go(if step < 0 { CursorMove::Up } else { CursorMove::Down });
    }
    if let (Hit::Card { card, .. }, None) = (under, &local.overlay)
        && let Focus::Approval(call) = local.focused(scene.view)
        && scene.view.position(call) == Some(card)
        && (session_rule::scroll(local, if step < 0 { -1 } else { 1 }) || focus::scroll(local, step * NOTCH))
    {
        return;
    }
    match (under, &mut local.overlay) {
        (Hit::Line(_), Some(Overlay::Ledger(inspector))) => {
            let here = inspector.place(inspector.count(scene.view));
            let there = if step < 0 { here.saturating_sub(1) } else { here + 1 };
            choose(inspector, scene.view, there);
        }
        _ => wheel(local, step * NOTCH),
    }
}

fn press(local: &mut Local, scene: Scene<'_>, at: (u16, u16), now: u64) {
    let before = local.pointer.press.take();
    let again = before.filter(|press| press.mouse == at && now.saturating_sub(press.at) <= TOGETHER);
    let count = again.map_or(1, |press| press.count % 3 + 1);
    local.pointer.let_go();
    local.hint = None;
    local.quit_armed = false;
    let on = selectable(scene.layouts, local, at);
    local.pointer.press = Some(Press { mouse: at, at: now, count, on, is_down: true });
    let unit = match count {
        2 => Unit::Word,
        3 => Unit::Paragraph,
        _ => return,
    };
    if let Some((surface, point)) = on.filter(|_| !click::opens(local, scene, at, count)) {
        local.pointer.selection = Some(Selection::begin(surface, unit, point, at));
    }
}

fn drag(local: &mut Local, scene: Scene<'_>, at: (u16, u16)) {
    let Some(press) = local.pointer.press.filter(|press| press.is_down && press.mouse != at) else {
        return follow(local, scene, at);
    };
    if let (None, Some((surface, point))) = (&local.pointer.selection, press.on) {
        local.pointer.selection = Some(Selection::begin(surface, Unit::Cell, point, at));
    }
    follow(local, scene, at);
}

/// The selection reaches to where the mouse is; beyond an edge the window comes along.
fn follow(local: &mut Local, scene: Scene<'_>, at: (u16, u16)) {
    let Some(selection) = local.pointer.selection.as_mut().filter(|selection| selection.held.is_some())
    else {
        return;
    };
    let (to, beyond) = dragged(scene.layouts, at);
    selection.to = to.unwrap_or(selection.to);
    (selection.held, selection.span) = (Some(at), None);
    let began = local.pointer.pull == 0;
    local.pointer.pull = beyond.clamp(-FASTEST, FASTEST);
    if began && beyond != 0 {
        pull(local);
    }
}

fn release(local: &mut Local, scene: Scene<'_>, at: (u16, u16)) -> Vec<UiEffect> {
    follow(local, scene, at);
    local.pointer.pull = 0;
    let Some(press) = local.pointer.press.as_mut().filter(|press| press.is_down) else { return Vec::new() };
    press.is_down = false;
    let press = *press;
    if let Some(selection) = &mut local.pointer.selection {
        selection.held = None;
        return vec![UiEffect::CopySelected];
    }
    if press.mouse == at { click::click(local, scene, at, press.count) } else { Vec::new() }
}
