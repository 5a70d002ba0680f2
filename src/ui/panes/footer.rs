//! The last line: the budgets that matter now, and the keys that do.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Span;

use crate::ui::blocked_host;
use crate::ui::command_menu::{self, earlier_command};
use crate::ui::commands::{self, Fronts};
use crate::ui::copying;
use crate::ui::focus;
use crate::ui::keymap::{KeyAction, KeyContext};
use crate::ui::local::Focus;
use crate::ui::search::Search;
use crate::ui::text::width;
use crate::ui::theme::Inks;

use super::meters::{Meters, meters};
use super::words::{both_ends, cells, keys, middle, one_row};
use super::{Screen, activity, grid, send_price};

/// Cells of a host's name, at least.
const LEAST_OF_HOST: usize = 8;

/// Whether what is typed is a command that there is not, which Enter does not send.
fn calls_nothing(screen: &Screen<'_>) -> bool {
    let (composer, settings) = (&screen.local.composer, &screen.view.settings);
    if composer.has_no_name() || !composer.begins_with("/") {
        return false;
    }
    let text = composer.text();
    let is_theirs = || commands::custom(&text, &settings.commands).is_some();
    matches!(commands::read(&text, Fronts::Screen), Some(Err(_))) && !is_theirs()
}

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, screen: &Screen<'_>) {
    let theme = screen.theme;
    let total = usize::from(area.width).saturating_sub(2);
    let host = blocked(screen, total);
    let host = host.iter().map(|(key, words)| (key.as_str(), words.as_str()));
    let pairs: Vec<(&str, &str)> = host.chain(offered(screen)).collect();
    let keys = keys(&pairs, theme.text, theme.dim);
    let (left, right) = match own_line(screen, total) {
        Some(line) => (line, keys.join(&Span::raw("   "))),
        None => priced(&meters(screen), &keys, send_price::words(screen), total)
            .unwrap_or_else(|| fitting(&meters(screen), keys, total)),
    };
    let line = both_ends(left, right, total);
    frame.render_widget(line, Rect::new(area.x + 1, area.y, area.width.saturating_sub(2), 1));
}

/// The key that allows a host for the call in focus, and that host; of a long name both ends.
fn blocked(screen: &Screen<'_>, total: usize) -> Option<(String, String)> {
    let (local, view) = (screen.local, screen.view);
    let is_other = local.replay.is_some() || local.search.is_some() || local.reason.is_some();
    let Focus::Card(card) = local.focused(view) else { return None };
    let host = blocked_host::of_card(view, card).filter(|_| !is_other)?;
    let key = local.keymap.first(KeyContext::Panel, KeyAction::AllowHost, "h")?;
    let taken = meters(screen).least() + 3 + width(&key) + width(" allow ");
    let host = middle(&one_row(host), total.saturating_sub(taken).max(LEAST_OF_HOST));
    Some((key, format!("allow {host}")))
}

/// What the user's command wrote, where nothing waits for a decision: a line of others is not part of one.
fn own_line(screen: &Screen<'_>, total: usize) -> Option<Vec<Span<'static>>> {
    let (local, view) = (screen.local, screen.view);
    let is_typing =
        matches!(local.focused(view), Focus::Composer) && local.reason.is_none() && local.edit.is_none();
    let waits = !local.waiting(view).is_empty() || local.stop(view).is_some();
    let row = local.status_line.row().filter(|_| is_typing && !waits && local.search.is_none())?;
    let inks = Inks::new(screen.theme, screen.theme.dim);
    Some(grid::fitted(row, total, &inks).spans)
}

/// With the longest words for the price of what is typed that fit beside the budgets and one key.
fn priced(
    meters: &Meters,
    keys: &[Vec<Span<'static>>],
    prices: Vec<Vec<Span<'static>>>,
    total: usize,
) -> Option<(Vec<Span<'static>>, Vec<Span<'static>>)> {
    let first = keys.first().map_or(0, |key| cells(key) + 3);
    let narrowest = meters.least().max(1);
    let fits = |price: &Vec<Span<'_>>| narrowest + 3 + cells(price) + 3 + first <= total;
    let price = prices.into_iter().find(fits)?;
    let with_price: Vec<Vec<Span<'static>>> = [price].into_iter().chain(keys.iter().cloned()).collect();
    let least = with_price.iter().take(2).map(|key| cells(key) + 3).sum::<usize>();
    let room = total.saturating_sub(least);
    let left = meters.beside(room, room);
    let most = (2..=with_price.len()).rev().find(|count| {
        let right = with_price.iter().take(*count).map(|key| cells(key) + 3).sum::<usize>();
        cells(&left) + right <= total
    });
    let right: Vec<Vec<Span<'static>>> = with_price.into_iter().take(most.unwrap_or(2)).collect();
    Some((left, right.join(&Span::raw("   "))))
}

/// The budgets as long as they fit beside one key, then as many keys as there is room for, or at least a short one. Where a budget is
/// above half, keys give way.
fn fitting(
    meters: &Meters,
    mut keys: Vec<Vec<Span<'static>>>,
    total: usize,
) -> (Vec<Span<'static>>, Vec<Span<'static>>) {
    let first = keys.first().map_or(0, |key| cells(key) + 3);
    let left = meters.beside(total.saturating_sub(first), total);
    let fits = |right: &[Span<'_>]| cells(&left) + 3 + cells(right) <= total;
    let short = keys.iter().find(|key| fits(key)).cloned();
    loop {
        let right = keys.join(&Span::raw("   "));
        if keys.is_empty() {
            return (left, short.unwrap_or_default());
        }
        if fits(&right) {
            return (left, right);
        }
        keys.pop();
    }
}

/// The keys that matter now, the most important one first. While a run is under way and something is typed, where
/// it goes matters more than anything else.
fn offered(screen: &Screen<'_>) -> Vec<(&'static str, &'static str)> {
    let (busy, local) = (screen.view.status.is_busy(), screen.local);
    if local.replay.is_some() {
        return vec![("ctrl-o", "ledger")];
    }
    if let Some(keys) = while_writing(screen) {
        return keys;
    }
    if let Focus::Card(card) = local.focused(screen.view) {
        let is_blocked = blocked_host::of_card(screen.view, card).is_some();
        let copies = copying::offered(screen.view, card).filter(|_| !is_blocked).map(|what| ("c", what));
        return [("o", "open")].into_iter().chain(copies).chain([("tab", "back")]).collect();
    }
    let focused = local.focused(screen.view);
    if focus::waits(focused) {
        let waiting = local.waiting(screen.view);
        let last = waiting.last().map(|(_, asked)| Focus::Approval(asked.call));
        let is_before = matches!(focused, Focus::Approval(_)) && last.is_some_and(|last| last != focused);
        return vec![("tab", if is_before { "next call" } else { "back" }), ("?", "keys")];
    }
    // What is typed there is not taken, so no key is offered that would send it.
    if screen.view.is_over_below() {
        let back = local.composer.is_empty().then_some(("←", "back"));
        let help = local.composer.is_empty().then_some(("?", "keys"));
        return back.into_iter().chain([("ctrl-o", "ledger")]).chain(help).collect();
    }
    if let Some(keys) = of_a_list(screen) {
        return keys;
    }
    if busy && local.composer.runs_a_command() {
        return while_busy(screen.view.runs_own_command());
    }
    let mut pairs = Vec::new();
    let completes = earlier_command(local, screen.view).map(|_| ("tab", "completes"));
    match (busy, local.composer.is_blank()) {
        (true, _) if screen.view.runs_own_command() && !local.waiting(screen.view).is_empty() => {
            return vec![("esc", "takes your command back"), ("enter", "sends after it")];
        }
        (true, _) if screen.view.runs_own_command() => {
            return vec![("esc", "stops your command"), ("enter", "sends after it")];
        }
        (false, false) if local.composer.runs_a_command() && local.composer.begins_with("!!") => {
            let pairs = vec![("!!", "not shown to the model"), ("enter", "runs it as you")];
            return pairs.into_iter().chain(completes).collect();
        }
        (false, false) if local.composer.runs_a_command() => {
            let pairs = [("enter", "runs it as you")].into_iter().chain(completes);
            return pairs.chain([("ctrl-j", "new line")]).collect();
        }
        (true, false) => return vec![("enter", "steers"), ("alt-enter", "queues")],
        (false, false) if calls_nothing(screen) => pairs.push(("ctrl-j", "new line")),
        (false, false) => pairs.extend([("enter", "send"), ("ctrl-j", "new line")]),
        (_, true) => {}
    }
    pairs.push(("ctrl-o", "ledger"));
    if local.composer.is_empty() {
        pairs.push(("?", "keys"));
    }
    if busy {
        pairs.extend([("enter", "steers"), ("alt-enter", "queues")]);
    }
    pairs
}

/// Where what is typed is no message.
fn while_writing(screen: &Screen<'_>) -> Option<Vec<(&'static str, &'static str)>> {
    let local = screen.local;
    if let Some(search) = &local.search {
        let next = if search.typing { ("enter", "done") } else { ("n N", "next, before") };
        // While something goes on, the line above the composer says it.
        let ends = (!activity::is_busy(local, screen.view)).then_some(("esc", Search::ENDS));
        return Some([next].into_iter().chain(ends).collect());
    }
    if local.is_editing() {
        return Some(vec![
            ("esc", "leaves it"),
            ("enter", "asks again"),
            ("ctrl-j", "new line"),
            ("ctrl-g", "editor"),
        ]);
    }
    let reason = local.reason.as_ref()?;
    Some(vec![("esc", "back"), ("enter", if reason.answers { "answers" } else { "denies" })])
}

/// What Enter does with what a list offers goes before what it does with a message.
fn of_a_list(screen: &Screen<'_>) -> Option<Vec<(&'static str, &'static str)>> {
    let local = screen.local;
    if local.files.is_offering() {
        let takes = if local.files.opens_a_folder() { "open" } else { "take" };
        let keys = if local.files.enter_picks() {
            vec![("enter tab", takes)]
        } else {
            vec![("enter", "send"), ("tab", takes)]
        };
        return Some(keys.into_iter().chain([("↑↓", "choose")]).collect());
    }
    command_menu::keys(local, screen.view)
}

/// Behind a command of one's own while a turn runs, or another such command: it stays in the composer, and Enter says why.
fn while_busy(runs_own: bool) -> Vec<(&'static str, &'static str)> {
    if runs_own {
        return vec![("enter", "not while one runs"), ("esc", "stops your command")];
    }
    vec![("enter", "not during a turn"), ("esc", "interrupts")]
}
