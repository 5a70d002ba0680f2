//! The last line: what it is doing, and the keys that matter now.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Span;

use crate::tool::ASK;
use crate::ui::focusing;
use crate::ui::local::{Focus, Shut};
use crate::ui::text::{fit, width};
use crate::view::Phase;

use super::Screen;
use super::words::{both_ends, cells, count_entries, keys, one_row};

/// Cells to which the reason of a retry is cut together with the countdown, where it does not fit whole.
const CUTS: [usize; 4] = [90, 75, 62, 50];

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, screen: &Screen<'_>) {
    let theme = screen.theme;
    let total = usize::from(area.width).saturating_sub(2);
    let (says, style) = match (&screen.local.hint, &screen.local.search) {
        (Some(hint), _) => (vec![one_row(hint)], theme.warning),
        (None, Some(search)) => (vec![one_row(&search.words())], theme.accent),
        (None, None) => match &screen.local.shut {
            Some(shut) => (not_recording(shut), theme.error),
            None => (doing(screen), theme.status),
        },
    };
    let keys = keys(&offered(screen), theme.text, theme.dim);
    // While something is typed, where it goes matters more than why the model was called.
    let least = if screen.local.composer.is_blank() { says.first() } else { says.last() };
    let least = least.map_or(0, |words| width(words));
    let (left, right) = fitting(&says, keys, least, screen.view.status.is_busy(), total);
    let line = both_ends(vec![Span::styled(left, style)], right, total);
    frame.render_widget(line, Rect::new(area.x + 1, area.y, area.width.saturating_sub(2), 1));
}

/// Gives up keys from the last to the second until there are `least` cells for words, then words, then cuts: while
/// something `stops`, the first key is how to stop it; else it goes too.
fn fitting(
    says: &[String],
    mut keys: Vec<Vec<Span<'static>>>,
    least: usize,
    stops: bool,
    total: usize,
) -> (String, Vec<Span<'static>>) {
    loop {
        let right = keys.join(&Span::raw("   "));
        let room = total.saturating_sub(cells(&right) + 2);
        if least > room && keys.len() > usize::from(stops) {
            keys.pop();
            continue;
        }
        let said = says.iter().find(|words| width(words) <= room).or(says.last());
        return (said.map_or_else(String::new, |words| fit(words, room)), right);
    }
}

/// Why nothing acts, and shorter ways to say it: the reason matters more than where.
fn not_recording(shut: &Shut) -> Vec<String> {
    let waiting = count_entries(shut.entries);
    let why = one_row(&shut.why);
    let full = format!("{why} · paused · {waiting} to record · retrying automatically");
    let short = format!("paused, {waiting} to record: {why}");
    let cut = CUTS.into_iter().map(|cells| fit(&short, cells));
    [full].into_iter().chain(cut).chain(["paused: nothing can be recorded".to_owned()]).collect()
}

/// `running tools · turn 3`, and shorter ways to say it.
fn doing(screen: &Screen<'_>) -> Vec<String> {
    let status = &screen.view.status;
    if let Some(keys) = where_keys_go(screen) {
        let words = status.words(screen.now);
        let is_early =
            focusing::waits(screen.local.focused(screen.view)) && !screen.local.is_ripe(screen.view);
        if is_early {
            let soon = format!("{keys} in a moment");
            return vec![format!("{soon} · {words}"), soon, format!("{keys} …")];
        }
        return vec![format!("{keys} · {words}"), keys];
    }
    let words = status.words(screen.now);
    if let Phase::Retrying { reason, .. } = &status.phase {
        let full = format!("{words} · esc stops: {}", one_row(reason));
        let cut = CUTS.into_iter().map(|cells| fit(&full, cells));
        return [full.clone()].into_iter().chain(cut).chain([words]).collect();
    }
    let mut says = vec![words.clone()];
    if status.is_busy() && status.turn > 0 {
        says.insert(0, format!("{words} · turn {}", status.turn));
    }
    says
}

/// Where keys go, while something waits for the person.
fn where_keys_go(screen: &Screen<'_>) -> Option<String> {
    let (local, view) = (screen.local, screen.view);
    let waiting = local.waiting(view);
    let there = match local.focused(view) {
        Focus::Approval(call) => {
            let at = waiting.iter().position(|(_, asked)| asked.call == call)?;
            let is_question = waiting.get(at).is_some_and(|(_, asked)| asked.name == ASK);
            let what = if is_question { "question" } else { "call" };
            match waiting.len() {
                1 => format!("this {what}"),
                all => format!("{what} {} of {all}", at + 1),
            }
        }
        Focus::Stop => "this budget".to_owned(),
        Focus::Card(_) => "this card".to_owned(),
        Focus::Composer if waiting.is_empty() && local.stop(view).is_none() => return None,
        Focus::Composer => "composer".to_owned(),
    };
    Some(format!("keys: {there}"))
}

/// The keys that matter now, the most important one first. While a run is under way and something is typed, where
/// it goes matters more than anything else.
fn offered(screen: &Screen<'_>) -> Vec<(&'static str, &'static str)> {
    let (busy, local) = (screen.view.status.is_busy(), screen.local);
    if let Some(search) = &local.search {
        let next = if search.typing { ("enter", "looks") } else { ("n N", "next, before") };
        return vec![("esc", "stay here"), next];
    }
    if local.edit.as_ref().is_some_and(|edit| edit.is_open()) {
        return vec![
            ("esc", "leaves it"),
            ("enter", "asks again"),
            ("ctrl-j", "new line"),
            ("ctrl-g", "editor"),
        ];
    }
    if let Some(reason) = &local.reason {
        return vec![("esc", "back"), ("enter", if reason.answers { "answers" } else { "denies" })];
    }
    if matches!(local.focused(screen.view), Focus::Card(_)) {
        let stops = busy.then_some(("esc", "interrupt"));
        return stops.into_iter().chain([("o", "open"), ("c", "copy code"), ("tab", "on")]).collect();
    }
    if focusing::waits(local.focused(screen.view)) {
        let stops = busy.then_some(("esc", "interrupt"));
        return stops.into_iter().chain([("tab", "on, or back"), ("?", "keys")]).collect();
    }
    let mut pairs = Vec::new();
    match (busy, local.composer.is_blank()) {
        (true, false) => return vec![("esc", "interrupt"), ("enter", "steers"), ("alt-enter", "queues")],
        (true, true) => pairs.push(("esc", "interrupt")),
        (false, false) => pairs.extend([("enter", "send"), ("ctrl-j", "new line")]),
        (false, true) => {}
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
