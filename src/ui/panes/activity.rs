//! The line above the composer: what goes on, for how long, and how to stop it. Messages to the person stand above it, and take its place
//! while nothing goes on.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::Span;

use crate::tool::ASK;
use crate::ui::focus;
use crate::ui::local::{Focus, Local, Unwritable};
use crate::ui::search::Search;
use crate::ui::text::{fit_words, width, wrap};
use crate::view::{Offer, Phase, View};

use super::Screen;
use super::composer;
use super::doing::{doing, in_background, time};
use super::words::{both_ends, cells, count, count_entries, keys, one_row};

/// How long each sign of the moving glyph is shown, in milliseconds.
pub const MOVES_EVERY: u64 = 125;
/// The signs of the moving glyph, each as wide as one cell everywhere.
const SIGNS: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
/// What stands in its place when nothing shall move, and while nothing goes on before a person has decided.
const STILL: &str = "●";
/// Cells to which words are cut where they do not fit whole.
const CUTS: [usize; 6] = [90, 75, 60, 48, 36, 24];

/// Cells below which the way to stop is said in a shorter word.
const NARROW: usize = 58;

/// Cells for when a failed call is made again, and which time of how many that is.
const LEAST_OF_RETRY: usize = 20;

/// Cells for what goes on, beside where keys go: a word, and for how long.
const LEAST_OF_DOING: usize = 12;

/// What the line says, from the longest way to the shortest.
struct ActivityLine {
    sign: &'static str,
    words: Vec<String>,
    style: Style,
}

/// The ways to say all of a message beside what waits; the shorter ones say less of it.
const WHOLE_WAYS: usize = 3;

/// Rows of a screen below which a call that waits has them all.
const LOW: u16 = 16;
/// Most rows of a message to the person on a high screen, and on a low one: what to do stands at its end.
const MOST_ROWS: (usize, usize) = (8, 4);

/// Rows that it needs: a message to the person is wrapped, so that what to do next is read, too.
pub(super) fn rows(local: &Local, view: &View, (width, height): (u16, u16)) -> u16 {
    let Some(hint) = &local.hint else { return 1 };
    let total = usize::from(width).saturating_sub(2);
    // On a low screen every row is the waiting call's. Elsewhere, too, the rows that were read stay where a message is short.
    let beside = beside_a_message(local, view);
    let keeps_rows = local.short_hint.as_ref().is_some_and(|short| short.keeps_rows);
    let ways = if keeps_rows { beside.len() } else { WHOLE_WAYS };
    let fits_in_a_row = beside.iter().take(ways).any(|words| cells_of(words) <= total);
    if height < LOW && !beside.is_empty() || fits_in_a_row {
        return 1;
    }
    let most = if height < LOW { MOST_ROWS.1 } else { MOST_ROWS.0 };
    let rows = wrap(&one_row(hint), total, Style::new()).len().clamp(1, most);
    u16::try_from(rows).unwrap_or(1) + u16::from(is_more_to_say(local, view))
}

/// Whether a person is waited for.
fn is_waited_for(local: &Local, view: &View) -> bool {
    !local.waiting(view).is_empty() || local.stop(view).is_some()
}

/// Whether there is more to say than a message: a message stays until the next key, and what goes on does not wait for that.
fn is_more_to_say(local: &Local, view: &View) -> bool {
    is_busy(local, view) || local.shut.is_some() || is_waited_for(local, view)
}

/// What waits for the person, with a message on the same line, the longest way first; empty if nothing waits.
fn beside_a_message(local: &Local, view: &View) -> Vec<String> {
    let (Some(hint), Some(what), None) = (&local.hint, what_waits(local, view), &local.shut) else {
        return Vec::new();
    };
    let hint = one_row(hint);
    // What to do next stands at the end of a message, and is not cut for words that the pane below has, too.
    let least = match local.waiting(view).len() {
        0 => "budget".to_owned(),
        waiting => waiting.to_string(),
    };
    let short = local.short_hint.as_ref().and_then(|short| short.of(local.hint.as_deref()?));
    let short = short.map(|words| format!("{least} · {words}"));
    let whole: [String; WHOLE_WAYS] =
        [format!("Waiting for you: {what}"), what, least].map(|what| format!("{what} · {hint}"));
    whole.into_iter().chain(short).collect()
}

/// Cells of words behind the sign of the line.
fn cells_of(words: &str) -> usize {
    width(STILL) + 1 + width(words)
}

/// Whether something goes on that Esc stops: this line then says what Esc does now.
pub(super) fn is_busy(local: &Local, view: &View) -> bool {
    (view.status.is_busy() || local.reading_files.is_some()) && !local.read_only && local.replay.is_none()
}

/// What Esc does now: what was opened last goes first.
fn stop(local: &Local, total: usize, key: Style, word: Style) -> Vec<Span<'static>> {
    let is_editing = local.is_editing();
    let goes_back = local.always.is_some() || local.reason.is_some() || is_editing;
    let does = match (local.search.is_some(), goes_back) {
        (true, _) => Search::ENDS,
        (false, true) => "back",
        (false, false) if total < NARROW => "stop",
        (false, false) => "interrupt",
    };
    keys(&[("esc", does)], key, word).concat()
}

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, screen: &Screen<'_>) {
    let theme = screen.theme;
    let total = usize::from(area.width).saturating_sub(2);
    let busy = is_busy(screen.local, screen.view);
    let mut stop = if busy { stop(screen.local, total, theme.text, theme.dim) } else { Vec::new() };
    if frame.area().height < LOW {
        stop.splice(0..0, composer::beyond_in_words(screen, !stop.is_empty()));
    }
    let hint = screen.local.hint.as_ref();
    let beside = beside_a_message(screen.local, screen.view);
    let in_words = beside.get(1);
    if area.height == 1 && in_words.is_some_and(|words| cells_of(words) + cells(&stop) + 2 > total) {
        // What waits is said in words, and the help has that key, too.
        stop.clear();
    }
    let room = total.saturating_sub(if stop.is_empty() { 0 } else { cells(&stop) + 2 });
    let (area, said) = match hint {
        Some(_) if area.height == 1 && !beside.is_empty() => {
            (area, ActivityLine { sign: STILL, words: beside, style: theme.warning })
        }
        Some(hint) if area.height > 1 => {
            if !is_more_to_say(screen.local, screen.view) {
                return wrapped(frame, area, (&one_row(hint), theme.warning), room, stop);
            }
            let above = Rect { height: area.height - 1, ..area };
            wrapped(frame, above, (&one_row(hint), theme.warning), total, Vec::new());
            (Rect { y: area.y + above.height, height: 1, ..area }, said(screen, room.saturating_sub(2)))
        }
        Some(hint) => (area, ActivityLine { sign: "", words: vec![one_row(hint)], style: theme.warning }),
        None => (area, said(screen, room.saturating_sub(2))),
    };
    let sign = if said.sign.is_empty() { 0 } else { width(said.sign) + 1 };
    let room = room.saturating_sub(sign);
    let words = said.words.iter().find(|words| width(words) <= room).or(said.words.last());
    let words = words.map_or_else(String::new, |words| fit_words(words, room));
    if hint.is_none() && screen.local.search.as_ref().is_some_and(|search| search.typing) {
        // The terminal's own cursor stands there, so that input methods know the place.
        let before =
            words.rsplit_once(Search::CURSOR).and_then(|(before, _)| u16::try_from(width(before)).ok());
        if let Some(before) = before {
            frame.set_cursor_position(Position::new(area.x.saturating_add(1).saturating_add(before), area.y));
        }
    }
    let mut left = Vec::new();
    if sign > 0 {
        left.push(Span::styled(format!("{} ", said.sign), theme.accent));
    }
    left.push(Span::styled(words, said.style));
    frame.render_widget(
        both_ends(left, stop, total),
        Rect::new(area.x + 1, area.y, area.width.saturating_sub(2), 1),
    );
}

/// A message in several rows; of one that needs more, the end is cut.
fn wrapped(
    frame: &mut Frame<'_>,
    area: Rect,
    (hint, style): (&str, Style),
    room: usize,
    stop: Vec<Span<'static>>,
) {
    let lines = wrap(hint, room, style);
    let most = usize::from(area.height);
    let mut stop = Some(stop);
    for (row, line) in (area.y..).zip(lines.iter().take(most)) {
        let is_cut = row + 1 == area.y + area.height && lines.len() > most;
        let words = line.to_string();
        // Where the sign that there is more has no room, a word goes for it.
        let most = room.min(width(&words) + 1);
        let words = if is_cut { fit_words(&format!("{words} …"), most) } else { words };
        let both = both_ends(
            vec![Span::styled(words, style)],
            stop.take().unwrap_or_default(),
            usize::from(area.width) - 2,
        );
        frame.render_widget(both, Rect::new(area.x + 1, row, area.width.saturating_sub(2), 1));
    }
}

fn said(screen: &Screen<'_>, room: usize) -> ActivityLine {
    let (theme, local) = (screen.theme, screen.local);
    if let Some(search) = &local.search {
        return ActivityLine { sign: "", words: vec![one_row(&search.words())], style: theme.accent };
    }
    if let Some(shut) = &local.shut {
        return ActivityLine { sign: "", words: not_recording(shut), style: theme.error };
    }
    if let Some(words) = waits(screen) {
        let sign = if screen.view.running_calls().is_some() { sign(screen) } else { STILL };
        return ActivityLine { sign, words, style: theme.warning };
    }
    if matches!(local.focused(screen.view), Focus::Card(_)) {
        return on_a_card(screen, room);
    }
    if let (false, Some(reading)) = (screen.view.status.is_busy(), local.reading_files) {
        let words =
            vec![format!("Reading files… {}", time(local.now.saturating_sub(reading.since).as_secs()))];
        return ActivityLine { sign: sign(screen), words, style: theme.status };
    }
    let in_background = in_background(screen);
    if !screen.view.status.is_busy() && in_background > 0 {
        let count = count(in_background, "sub-agent");
        let words = vec![
            format!("{count} at work in the background · /fleet"),
            format!("{count} at work · /fleet"),
            format!("{count} at work"),
        ];
        return ActivityLine { sign: sign(screen), words, style: theme.status };
    }
    if screen.view.is_over_below() {
        let words = vec!["This sub-agent is done · ← goes back".to_owned(), "Done · ← goes back".to_owned()];
        return ActivityLine { sign: "", words, style: theme.dim };
    }
    if !screen.view.status.is_busy() {
        return ActivityLine { sign: "", words: vec!["Ready".to_owned()], style: theme.dim };
    }
    ActivityLine { sign: sign(screen), words: vec![doing(screen, room)], style: theme.status }
}

fn sign(screen: &Screen<'_>) -> &'static str {
    if !screen.local.motion {
        return STILL;
    }
    let at = usize::try_from(screen.now.0 / MOVES_EVERY).unwrap_or(0);
    SIGNS.get(at % SIGNS.len()).copied().unwrap_or(STILL)
}

/// Why nothing acts, and shorter ways to say it: the reason matters more than where.
fn not_recording(shut: &Unwritable) -> Vec<String> {
    let waiting = count_entries(shut.entries);
    let why = one_row(&shut.why);
    let full = format!("{why} · paused · {waiting} to record · retrying automatically");
    let short = format!("paused, {waiting} to record: {why}");
    let cut = CUTS.into_iter().map(|cells| fit_words(&short, cells));
    [full].into_iter().chain(cut).chain(["paused: nothing can be recorded".to_owned()]).collect()
}

/// What waits for the person, if anything does.
fn what_waits(local: &Local, view: &View) -> Option<String> {
    let waiting = local.waiting(view);
    let questions = waiting.iter().filter(|(_, asked)| asked.name == ASK).count();
    Some(match (waiting.len() - questions, questions) {
        (0, 0) if local.stop(view).is_some() => match view.offer() {
            Some(Offer::Price { .. }) => "a price to accept".to_owned(),
            Some(Offer::Limit { limit, .. }) if view.meter().set_aside(limit) > 0 => {
                "a budget is set aside".to_owned()
            }
            _ => "a budget is used up".to_owned(),
        },
        (0, 0) => return None,
        (calls, 0) => count(calls, "call"),
        (0, questions) => count(questions, "question"),
        (calls, questions) => format!("{}, {}", count(calls, "call"), count(questions, "question")),
    })
}

/// Where keys go that go to a card, beside what goes on. Nobody is waited for, so nothing of it warns.
fn on_a_card(screen: &Screen<'_>, room: usize) -> ActivityLine {
    let words = "keys go to this card";
    if !screen.view.status.is_busy() {
        return ActivityLine { sign: "", words: vec![words.to_owned()], style: screen.theme.dim };
    }
    let is_tried_again = matches!(screen.view.status.phase, Phase::Retrying { .. });
    let beside = |words: &str| room.saturating_sub(width(words) + 3);
    if is_tried_again && beside(words) < LEAST_OF_RETRY {
        // When, and which of how many, stand nowhere else; the card is marked.
        let words = vec![doing(screen, room)];
        return ActivityLine { sign: sign(screen), words, style: screen.theme.status };
    }
    let left = beside(words);
    let both = (left >= LEAST_OF_DOING).then(|| format!("{} · {words}", doing(screen, left)));
    let words = both.into_iter().chain([words.to_owned()]).collect();
    ActivityLine { sign: sign(screen), words, style: screen.theme.status }
}

/// What waits for the person, beside what runs meanwhile, and where keys go. `None`: nothing waits.
fn waits(screen: &Screen<'_>) -> Option<Vec<String>> {
    let (local, view) = (screen.local, screen.view);
    let what = what_waits(local, view)?;
    let focused = local.focused(view);
    let waiting = local.waiting(view);
    let questions = waiting.iter().filter(|(_, asked)| asked.name == ASK).count();
    let (keys, brief) = match focused {
        Focus::Approval(call) => match waiting.iter().position(|(_, asked)| asked.call == call) {
            Some(at) if waiting.len() > 1 => {
                let place = format!("{} of {}", at + 1, waiting.len());
                (format!("call {place}"), place)
            }
            _ if questions > 0 => both("this question"),
            _ => both("this call"),
        },
        Focus::Stop => both("this budget"),
        Focus::Card(_) => both("this card"),
        Focus::Composer if local.is_editing() => ("your change".to_owned(), "change".to_owned()),
        Focus::Composer => ("your message".to_owned(), "message".to_owned()),
    };
    let is_early = focus::waits(focused) && !local.is_ripe(view);
    let soon = if is_early { " in a moment" } else { "" };
    let short = if is_early { format!("keys: {brief} …") } else { format!("keys: {brief}") };
    // That something runs outlasts for how long, and the words around what waits.
    let runs = view.running_calls().map(|(calls, since)| {
        let (count, time) = (format!("{calls} running"), time(screen.now.since(since) / 1_000));
        [
            format!("{count} {time} · Waiting for you: {what} · keys go to {keys}{soon}"),
            format!("{count} {time} · for you: {what} · keys go to {keys}{soon}"),
            format!("{count} · for you: {what} · keys: {brief}{soon}"),
            format!("{count} · for you: {what} · {short}"),
            format!("{count} · {what} · {short}"),
        ]
    });
    let only = [
        format!("Waiting for you: {what} · keys go to {keys}{soon}"),
        format!("{what} · keys go to {keys}{soon}"),
        format!("{what} · keys: {brief}{soon}"),
        format!("keys: {brief}{soon}"),
        short,
    ];
    Some(runs.into_iter().flatten().chain(only).collect())
}

/// Where keys go, and the same where there is little room.
fn both(words: &str) -> (String, String) {
    (words.to_owned(), words.to_owned())
}
