//! What a click does.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::scene::Scene;
use crate::ui::effect::UiEffect;
use crate::ui::focus::waits;
use crate::ui::inspector::{self, InspectorAction};
use crate::ui::key_actions::obey;
use crate::ui::key_timing::Press;
use crate::ui::keymap::KeyAction;
use crate::ui::local::{Focus, Local, Overlay};
use crate::ui::panes::{Hit, hit};
use crate::ui::picker_choice::take;
use crate::ui::picker_keys::{self, Done};
use crate::view::{Card, CardBody, CardId, PanelState};

/// A press and a release in one place, the `count`-th one shortly after the other.
pub(super) fn click(local: &mut Local, scene: Scene<'_>, at: (u16, u16), count: u8) -> Vec<UiEffect> {
    // Keys that go into a reason must not come to mean something else.
    if local.reason.is_some() {
        return Vec::new();
    }
    if opens(local, scene, at, count) {
        let enter = KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE);
        return obey(local, scene.view, KeyAction::Open, Press::made(enter), false);
    }
    match hit(scene.layouts, scene.view, local, scene.screen, at) {
        Hit::Composer(row, col) if !local.read_only && local.replay.is_none() => {
            local.focus = Focus::Composer;
            local.composer.put_cursor(row, col);
        }
        Hit::Card { is_reasoning_head: true, .. } => local.thinking_open = !local.thinking_open,
        Hit::Card { card, .. } => {
            if let Some(focus) = scene.view.card(card).and_then(|card| focus_of(local, scene, card)) {
                local.focus = focus;
                // The line above the composer then says what keys decide, and no longer what is looked for.
                local.search.take_if(|_| waits(focus));
            }
        }
        Hit::Tab(tab) => {
            if let Some(Overlay::Ledger(it)) = &mut local.overlay
                && let InspectorAction::Ask(request) = inspector::turn(it, scene.view, tab)
            {
                return vec![UiEffect::Ask(request)];
            }
        }
        Hit::TimeLine(cell, of) => {
            if let Some(replay) = &mut local.replay {
                replay.scrub(cell + 1, of);
            }
        }
        Hit::Line(line) => return on_line(local, scene, line),
        Hit::Composer(..) | Hit::Nothing => {}
    }
    Vec::new()
}

/// Chooses a line of a list; the chosen one is opened.
fn on_line(local: &mut Local, scene: Scene<'_>, line: usize) -> Vec<UiEffect> {
    match &mut local.overlay {
        Some(Overlay::Ledger(it)) if it.place(it.count(scene.view)) == line => {
            if let InspectorAction::Ask(request) = inspector::open(it) {
                return vec![UiEffect::Ask(request)];
            }
        }
        Some(Overlay::Ledger(it)) => inspector::choose(it, scene.view, line),
        Some(Overlay::Picker(picker)) if picker.place() == line => {
            let enter = KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE);
            return match picker_keys::update(local, Press::made(enter), 1) {
                Some(Done::Acts(acts)) => acts,
                Some(Done::Takes(choice)) => take(local, scene.view, choice),
                None => Vec::new(),
            };
        }
        Some(Overlay::Picker(_)) => return picker_keys::choose(local, line),
        _ => {}
    }
    Vec::new()
}

/// Whether a click opens a card: one that has the focus already, on its first row however quick it comes, elsewhere
/// unless it selects a word. A call that waits is never opened, and never answered, by a click.
pub(super) fn opens(local: &Local, scene: Scene<'_>, at: (u16, u16), count: u8) -> bool {
    let Hit::Card { card, is_first, is_reasoning_head: false } =
        hit(scene.layouts, scene.view, local, scene.screen, at)
    else {
        return false;
    };
    let Some(card) = scene.view.card(card) else { return false };
    let has_more = match &card.body {
        CardBody::Tool(panel) => panel.state != PanelState::Waiting,
        CardBody::Compacted(_) => true,
        _ => card.is_long_message(),
    };
    let has_focus = local.focused(scene.view) == Focus::Card(card.id);
    has_more && has_focus && local.reason.is_none() && (is_first || count == 1)
}

/// The focus that a card takes, if it takes any.
fn focus_of(local: &Local, scene: Scene<'_>, card: &Card) -> Option<Focus> {
    if let Some(panel) = card.panel()
        && panel.state == PanelState::Waiting
    {
        let waiting = local.waiting(scene.view);
        return panel
            .id()
            .filter(|id| waiting.iter().any(|(_, asked)| asked.call == *id))
            .map(Focus::Approval);
    }
    if local.stop(scene.view).is_some_and(|end| card.id == CardId::Entry(end)) {
        return Some(Focus::Stop);
    }
    scene.view.focusable().any(|id| id == card.id).then_some(Focus::Card(card.id))
}
