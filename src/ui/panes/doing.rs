//! What goes on, in words that fit: the phase, the tool, counts and how long.

use crate::ledger::{CallId, Millis};
use crate::tool::DELEGATE_TO;
use crate::tool::name::{EDIT, FETCH, GLOB, LIST, PLAN, READ, SEARCH, SHELL, WRITE};
use crate::ui::text::{fit, width};
use crate::view::{Activity, Forming, Phase, subject};

use super::Screen;
use super::words::{clock, count, one_row, short};

/// Cells that what goes on keeps before its numbers are left out: a word and what shows that more was said.
const LEAST_HEAD: usize = 8;

/// How many sub-agents work in the background.
pub(super) fn in_background(screen: &Screen<'_>) -> usize {
    let is_live = !screen.local.read_only && screen.local.replay.is_none();
    if is_live { screen.view.in_background() } else { 0 }
}

/// What goes on and for how long, in so many cells.
pub(super) fn doing(screen: &Screen<'_>, room: usize) -> String {
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
    time(now.since(since) / 1_000)
}

/// How long something goes on, as the line says it.
pub(super) fn time(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        seconds => clock(seconds),
    }
}
