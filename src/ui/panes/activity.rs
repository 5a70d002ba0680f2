//! The line above the composer: what goes on, for how long, and how to stop it. Messages to the person stand above it, and take its place
//! while nothing goes on.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Span;

use crate::ledger::{CallId, Millis};
use crate::tool::name::{EDIT, FETCH, GLOB, LIST, PLAN, READ, SEARCH, SHELL, WRITE};
use crate::tool::{ASK, DELEGATE_TO};
use crate::ui::focus;
use crate::ui::local::{Focus, Local, Unwritable};
use crate::ui::text::{fit, width, wrap};
use crate::view::{Activity, Forming, Offer, Phase, View, subject};

use super::Screen;
use super::words::{both_ends, cells, clock, count, count_entries, keys, one_row, short};

/// How long each sign of the moving glyph is shown, in milliseconds.
pub const MOVES_EVERY: u64 = 125;
/// The signs of the moving glyph, each as wide as one cell everywhere.
const SIGNS: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
/// What stands in its place when nothing shall move, and while a person is waited for.
const STILL: &str = "●";
/// Cells to which words are cut where they do not fit whole.
const CUTS: [usize; 6] = [90, 75, 60, 48, 36, 24];

/// Cells that what goes on keeps before its numbers are left out: a word and what shows that more was said.
const LEAST_HEAD: usize = 8;
/// Cells below which the way to stop is said in a shorter word.
const NARROW: usize = 58;

/// What the line says, from the longest way to the shortest.
struct ActivityLine {
    sign: &'static str,
    words: Vec<String>,
    style: Style,
}

/// Rows of a screen below which a call that waits has them all.
const LOW: u16 = 16;
/// Most rows of a message to the person.
const MOST_ROWS: usize = 4;

/// Rows that it needs: a message to the person is wrapped, so that what to do next is read, too.
pub(super) fn rows(local: &Local, view: &View, (width, height): (u16, u16)) -> u16 {
    let Some(hint) = &local.hint else { return 1 };
    // On a low screen every row is the waiting call's.
    if height < LOW && is_waited_for(local, view) {
        return 1;
    }
    let total = usize::from(width).saturating_sub(2);
    let goes_on = goes_on(local, view);
    let stop = match is_busy(local, view) && !goes_on {
        true => cells(&stop(local, total, Style::new(), Style::new())) + 2,
        false => 0,
    };
    let rows = wrap(&one_row(hint), total.saturating_sub(stop), Style::new()).len().clamp(1, MOST_ROWS);
    u16::try_from(rows).unwrap_or(1) + u16::from(goes_on)
}

/// Whether a person is waited for.
fn is_waited_for(local: &Local, view: &View) -> bool {
    !local.waiting(view).is_empty() || local.stop(view).is_some()
}

/// Whether there is more to say than a message: a message stays until the next key, and what goes on does not wait for that. A call that
/// waits says so itself, and keeps the rows that were read.
fn goes_on(local: &Local, view: &View) -> bool {
    (is_busy(local, view) || local.shut.is_some()) && !is_waited_for(local, view)
}

fn is_busy(local: &Local, view: &View) -> bool {
    view.status.is_busy() && !local.read_only && local.replay.is_none()
}

/// What Esc does now: what was opened last goes first.
fn stop(local: &Local, total: usize, key: Style, word: Style) -> Vec<Span<'static>> {
    let is_editing = local.edit.as_ref().is_some_and(|edit| edit.is_open());
    let goes_back = local.always.is_some() || local.reason.is_some() || local.search.is_some() || is_editing;
    let interrupts = if total < NARROW { "stop" } else { "interrupt" };
    keys(&[("esc", if goes_back { "back" } else { interrupts })], key, word).concat()
}

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, screen: &Screen<'_>) {
    let theme = screen.theme;
    let total = usize::from(area.width).saturating_sub(2);
    let busy = is_busy(screen.local, screen.view);
    let stop = if busy { stop(screen.local, total, theme.text, theme.dim) } else { Vec::new() };
    let room = total.saturating_sub(if busy { cells(&stop) + 2 } else { 0 });
    let hint = screen.local.hint.as_ref();
    let (area, said) = match hint {
        Some(hint) if area.height > 1 => {
            if !goes_on(screen.local, screen.view) {
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
    let words = words.map_or_else(String::new, |words| fit(words, room));
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
        let words = if is_cut { fit(&format!("{words}…"), room) } else { words };
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
    let waits = waits(screen, room);
    if !waits.is_empty() {
        return ActivityLine { sign: STILL, words: waits, style: theme.warning };
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
    if !screen.view.status.is_busy() {
        return ActivityLine { sign: "", words: vec!["Ready".to_owned()], style: theme.dim };
    }
    ActivityLine { sign: sign(screen), words: vec![doing(screen, room)], style: theme.status }
}

/// How many sub-agents work in the background.
fn in_background(screen: &Screen<'_>) -> usize {
    let is_live = !screen.local.read_only && screen.local.replay.is_none();
    if is_live { screen.view.in_background() } else { 0 }
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
    let cut = CUTS.into_iter().map(|cells| fit(&short, cells));
    [full].into_iter().chain(cut).chain(["paused: nothing can be recorded".to_owned()]).collect()
}

/// What waits for the person, and where keys go meanwhile. Empty: nothing waits.
fn waits(screen: &Screen<'_>, room: usize) -> Vec<String> {
    let (local, view) = (screen.local, screen.view);
    let focused = local.focused(view);
    let waiting = local.waiting(view);
    let questions = waiting.iter().filter(|(_, asked)| asked.name == ASK).count();
    let what = match (waiting.len() - questions, questions) {
        (0, 0) if local.stop(view).is_some() => match view.offer() {
            Some(Offer::Price { .. }) => "a price to accept".to_owned(),
            Some(Offer::Limit { limit, .. }) if view.meter().set_aside(limit) > 0 => {
                "a budget is set aside".to_owned()
            }
            _ => "a budget is used up".to_owned(),
        },
        (0, 0) if matches!(focused, Focus::Card(_)) => {
            let mut says = vec!["keys: this card".to_owned()];
            if view.status.is_busy() {
                let room = room.saturating_sub(width(" · keys: this card"));
                says.insert(0, format!("{} · keys: this card", doing(screen, room)));
            }
            return says;
        }
        (0, 0) => return Vec::new(),
        (calls, 0) => count(calls, "call"),
        (0, questions) => count(questions, "question"),
        (calls, questions) => format!("{}, {}", count(calls, "call"), count(questions, "question")),
    };
    let keys = match focused {
        Focus::Approval(call) => match waiting.iter().position(|(_, asked)| asked.call == call) {
            Some(at) if waiting.len() > 1 => format!("{} of {}", at + 1, waiting.len()),
            _ if questions > 0 => "this question".to_owned(),
            _ => "this call".to_owned(),
        },
        Focus::Stop => "this budget".to_owned(),
        Focus::Card(_) => "this card".to_owned(),
        Focus::Composer => "composer".to_owned(),
    };
    let is_early = focus::waits(focused) && !local.is_ripe(view);
    let soon = if is_early { " in a moment" } else { "" };
    let short = if is_early { format!("keys: {keys} …") } else { format!("keys: {keys}") };
    vec![
        format!("Waiting for you: {what} · keys: {keys}{soon}"),
        format!("{what} · keys: {keys}{soon}"),
        format!("keys: {keys}{soon}"),
        short,
    ]
}

/// What goes on and for how long, in so many cells.
fn doing(screen: &Screen<'_>, room: usize) -> String {
    let (activity, since) = screen.view.activity();
    let time = elapsed(since, screen.now);
    let (what, more) = match activity {
        Activity::Thinking(0) => ("Thinking".to_owned(), None),
        Activity::Thinking(tokens) => ("Thinking".to_owned(), Some(format!("{} tokens", short(tokens)))),
        Activity::Answering(tokens) => ("Answering".to_owned(), Some(format!("{} tokens", short(tokens)))),
        Activity::Writing(forming) => writing(forming),
        Activity::Running { call, others } => (running(screen, call), beside(others)),
        Activity::Phase(Phase::Retrying { attempt, most, until, reason }) => {
            return retrying(&format!("{attempt} of {most}"), until.since(screen.now), reason, room);
        }
        Activity::Phase(phase) => (in_words(phase).to_owned(), None),
    };
    // Counts go before the time, and those of the session before that of the background.
    let behind = in_background(screen);
    let behind = (behind > 0).then(|| format!("{behind} in the background"));
    let all = |parts: &[&Option<String>]| {
        parts.iter().filter_map(|part| part.as_deref()).collect::<Vec<_>>().join(" · ")
    };
    let time = Some(time);
    let tails = [
        all(&[&more, &behind, &time]),
        all(&[&more, &time]),
        all(&[if more.is_some() { &more } else { &time }]),
    ];
    let tail = tails.iter().find(|tail| width(&what).min(LEAST_HEAD) + 2 + width(tail) <= room);
    match tail {
        Some(tail) => format!("{} {tail}", fit(&format!("{what}…"), room - 1 - width(tail))),
        None => fit(&format!("{what}…"), room),
    }
}

const fn in_words(phase: &Phase) -> &'static str {
    match phase {
        Phase::Idle => "Ready",
        Phase::AwaitingModel => "Thinking",
        Phase::Discovering => "Waiting for MCP servers and agents",
        Phase::AskingHooks(_) => "Asking hooks",
        Phase::DispatchingTools => "Preparing tools",
        Phase::WaitingApproval => "Waiting for you",
        Phase::Compacting(_) => "Summarizing the conversation",
        Phase::Retrying { .. } => "Retrying",
    }
}

/// What the call will do, in a word that is true of its tool.
fn writing(forming: &Forming) -> (String, Option<String>) {
    let path = forming.path.as_deref();
    let what = match forming.name.as_str() {
        READ => format!("Reading {}", path.unwrap_or("a file")),
        LIST => format!("Listing {}", path.unwrap_or("a folder")),
        GLOB => "Finding files".to_owned(),
        SEARCH => path.map_or_else(|| "Searching".to_owned(), |path| format!("Searching {path}")),
        FETCH => "Fetching a page".to_owned(),
        PLAN => "Planning".to_owned(),
        SHELL => "Writing a command".to_owned(),
        WRITE | EDIT => format!("Writing {}", path.unwrap_or("a file")),
        name => format!("Preparing {name}"),
    };
    let much = match forming.breaks {
        0 => format!("{} bytes", short(forming.bytes)),
        breaks => format!("{} lines", short(breaks + 1)),
    };
    (one_row(&what), Some(much))
}

fn running(screen: &Screen<'_>, call: CallId) -> String {
    let Some(panel) = screen.view.panel(call) else { return "Running".to_owned() };
    let command = panel.arguments().and_then(|arguments| arguments.text("command"));
    let words = match command.and_then(|command| command.lines().next()) {
        Some(line) => line.to_owned(),
        None => match panel.name().strip_prefix(DELEGATE_TO) {
            Some(agent) => return one_row(&format!("Waiting for {agent}: {}", subject(panel))),
            None => match acting(panel.name()) {
                Some(verb) => return one_row(&format!("{verb} {}", subject(panel))),
                None => format!("{} {}", panel.name(), subject(panel)),
            },
        },
    };
    format!("Running {}", one_row(words.trim_end()))
}

/// What a tool of ours does, where the name alone does not read as a sentence.
fn acting(name: &str) -> Option<&'static str> {
    match name {
        READ => Some("Reading"),
        LIST => Some("Listing"),
        GLOB => Some("Finding"),
        SEARCH => Some("Searching"),
        FETCH => Some("Fetching"),
        WRITE | EDIT => Some("Writing"),
        _ => None,
    }
}

fn beside(others: usize) -> Option<String> {
    (others > 0).then(|| format!("{} more", count(others, "call")))
}

/// The reason first, then when it is tried again. Where the line is short, the words for that become shorter, then the reason;
/// and where nothing of the reason is left, the transcript above has it.
fn retrying(which: &str, left_ms: u64, reason: &str, room: usize) -> String {
    let left = match left_ms.div_ceil(1_000) {
        0 => "now".to_owned(),
        left => format!("in {left} s"),
    };
    let reason = capitalized(&one_row(reason));
    let brief = which.replace(" of ", "/");
    let tails = [
        format!(": retrying {left} ({which})"),
        format!(": retry {left} ({which})"),
        format!(": retry {left} ({brief})"),
        format!(": retry {left}"),
    ];
    let whole = tails.iter().find(|tail| width(&reason) + width(tail) <= room);
    // The count matters more than half of the reason.
    let cut = || tails.iter().take(3).find(|tail| LEAST_HEAD + width(tail) <= room);
    match whole.or_else(cut) {
        Some(tail) => format!("{}{tail}", fit(&reason, room - width(tail))),
        None => fit(&format!("Retrying {left} ({which})"), room),
    }
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn elapsed(since: Millis, now: Millis) -> String {
    match now.since(since) / 1_000 {
        seconds @ 0..60 => format!("{seconds} s"),
        seconds => clock(seconds),
    }
}
