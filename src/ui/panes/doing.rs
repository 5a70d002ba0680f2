//! What goes on, in words that fit: the phase, the tool, counts and how long.

use crate::ledger::{CallId, Millis};
use crate::tool::DELEGATE_TO;
use crate::tool::name::{EDIT, FETCH, GLOB, LIST, PLAN, READ, SEARCH, SHELL, WRITE};
use crate::ui::text::{fit, fit_words, whole_words, width};
use crate::view::{Activity, Forming, Phase, subject};

use super::Screen;
use super::words::{clock, count, counted, end, middle, one_row, short, written_so_far};

/// Cells that what goes on keeps before its numbers are left out: a word and what shows that more was said.
const LEAST_HEAD: usize = 8;
/// Cells of a file's name that are never left out for a verb.
const MOST_OF_NAME: usize = 12;

/// What goes on: words, or a verb and the path of a file.
struct DoingWords {
    words: String,
    /// Shorter ways to say it, the longest first.
    shorter: Vec<String>,
    path: Option<String>,
}

impl DoingWords {
    fn of(words: impl Into<String>) -> Self {
        Self { words: words.into(), shorter: Vec::new(), path: None }
    }

    fn at(verb: &str, path: &str) -> Self {
        Self { words: verb.to_owned(), shorter: Vec::new(), path: Some(one_row(path)) }
    }

    /// With this shorter way to say it.
    fn or(mut self, shorter: impl Into<String>) -> Self {
        self.shorter.push(shorter.into());
        self
    }

    fn whole(&self) -> String {
        let path = self.path.as_ref().map(|path| format!(" {path}")).unwrap_or_default();
        // What is cut says so itself.
        format!("{}{path}…", self.words.trim_end_matches('…'))
    }

    /// Cells that it needs, without the sign that more was said: no word of it is cut for its numbers.
    fn least(&self) -> usize {
        let least = width(&self.words).min(LEAST_HEAD);
        if self.path.is_some() {
            return least;
        }
        let first = self.words.split_whitespace().next().unwrap_or_default();
        let shorter = self.shorter.iter().map(|words| width(words));
        shorter.chain([width(first)]).min().unwrap_or_default().max(least)
    }

    /// In so many cells, in the longest words that fit: of a path its end stays, which is the name of the file; the verb goes before
    /// that does.
    fn within(&self, room: usize) -> String {
        let whole = self.whole();
        let Some(path) = self.path.as_ref().filter(|_| width(&whole) > room) else {
            let shorter = self.shorter.iter().map(|words| format!("{words}…"));
            let fitting = [whole.clone()].into_iter().chain(shorter).find(|words| width(words) <= room);
            return fitting.unwrap_or_else(|| fit_words(&whole, room));
        };
        let name = path.rsplit('/').next().unwrap_or(path);
        let beside = room.saturating_sub(width(&self.words) + 2);
        let has_verb = beside >= width(name).min(MOST_OF_NAME);
        let left = if has_verb { beside } else { room.saturating_sub(1) };
        let both = middle(path, left);
        let path = [both, end(path, left)].into_iter().find(|path| path.ends_with(name));
        let path = path.unwrap_or_else(|| end(name, left));
        let verb = if has_verb { format!("{} ", self.words) } else { String::new() };
        fit(&format!("{verb}{path}…"), room)
    }
}

/// How many sub-agents work in the background.
pub(super) fn in_background(screen: &Screen<'_>) -> usize {
    let is_live = !screen.local.read_only && screen.local.replay.is_none();
    if is_live { screen.view.in_background() } else { 0 }
}

/// What goes on and for how long, in so many cells.
pub(super) fn doing(screen: &Screen<'_>, room: usize) -> String {
    let (activity, since) = screen.view.activity();
    let time = elapsed(since, screen.now);
    let mut brief = None;
    let mut tokens_of = |words: &str, tokens: u64| {
        brief = Some(format!("{} tok", short(tokens)));
        (DoingWords::of(words), Some(counted(tokens, "token")))
    };
    let (what, more) = match activity {
        Activity::Thinking(0) => (DoingWords::of("Thinking"), None),
        Activity::Thinking(tokens) => tokens_of("Thinking", tokens),
        Activity::Answering(tokens) => tokens_of("Answering", tokens),
        Activity::Writing(forming) => writing(forming),
        Activity::Running { call, others } => (running(screen, call), beside(others)),
        Activity::Phase(Phase::Retrying { attempt, most, until, reason, brief }) => {
            let (left_ms, brief) = (until.since(screen.now), brief.as_deref());
            return Retry { attempt: *attempt, most: *most, left_ms, reason, brief }.words(room);
        }
        Activity::Phase(phase) => (of_phase(phase), None),
    };
    // Counts go before the time, and those of the session before that of the background.
    let behind = in_background(screen);
    let behind = (behind > 0).then(|| format!("{behind} in the background"));
    let all = |parts: &[&Option<String>]| {
        parts.iter().filter_map(|part| part.as_deref()).collect::<Vec<_>>().join(" · ")
    };
    let time = Some(time);
    let least = what.least();
    let tails = [
        all(&[&more, &behind, &time]),
        all(&[&more, &time]),
        all(&[brief.as_ref().map_or(&more, |_| &brief), &time]),
        all(&[if more.is_some() { &more } else { &time }]),
        all(&[&brief]),
    ];
    let tail = tails.iter().find(|tail| !tail.is_empty() && least + 2 + width(tail) <= room);
    match tail {
        Some(tail) => format!("{} {tail}", what.within(room - 1 - width(tail))),
        None => what.within(room),
    }
}

fn of_phase(phase: &Phase) -> DoingWords {
    let words = DoingWords::of(in_words(phase));
    match phase {
        Phase::Discovering => words.or("Waiting for servers"),
        Phase::Compacting(_) => words.or("Summarizing"),
        _ => words,
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
fn writing(forming: &Forming) -> (DoingWords, Option<String>) {
    let at = |verb, nameless| match &forming.path {
        Some(path) => DoingWords::at(verb, path),
        None => DoingWords::of(nameless),
    };
    let what = match forming.name.as_str() {
        READ => at("Reading", "Reading a file"),
        LIST => at("Listing", "Listing a folder"),
        GLOB => DoingWords::of("Finding files"),
        SEARCH => at("Searching", "Searching"),
        FETCH => DoingWords::of("Fetching a page"),
        PLAN => DoingWords::of("Planning"),
        SHELL => DoingWords::of("Writing a command"),
        WRITE | EDIT => at("Writing", "Writing a file"),
        name => DoingWords::of(one_row(&format!("Preparing {name}"))),
    };
    (what, Some(written_so_far(forming)))
}

fn running(screen: &Screen<'_>, call: CallId) -> DoingWords {
    let Some(panel) = screen.view.panel(call) else { return DoingWords::of("Running") };
    let command = panel.arguments().and_then(|arguments| arguments.text("command"));
    let words = match command.and_then(|command| command.lines().next()) {
        Some(line) => line.to_owned(),
        None => match panel.name().strip_prefix(DELEGATE_TO) {
            Some(agent) => {
                let agent = one_row(agent);
                let words = format!("Waiting for {agent}: {}", one_row(&subject(panel)));
                return DoingWords::of(words).or(format!("Waiting for {agent}")).or(agent);
            }
            None => match acting(panel.name()) {
                Some(verb) if matches!(panel.name(), READ | LIST | WRITE | EDIT) => {
                    return DoingWords::at(verb, &subject(panel));
                }
                Some(verb) => return DoingWords::of(one_row(&format!("{verb} {}", subject(panel)))),
                None => format!("{} {}", panel.name(), subject(panel)),
            },
        },
    };
    DoingWords::of(format!("Running {}", one_row(words.trim_end())))
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

/// A failed model call that is made again.
struct Retry<'a> {
    attempt: u64,
    most: u64,
    left_ms: u64,
    reason: &'a str,
    brief: Option<&'a str>,
}

impl Retry<'_> {
    /// The reason first, then when it is tried again. Where the line is short, the facts behind the reason go, then the words
    /// become shorter, then the reason; where nothing of that is left, the transcript above has it. When, and which of how many,
    /// are said nowhere else: they stay.
    fn words(&self, room: usize) -> String {
        let left = match self.left_ms.div_ceil(1_000) {
            0 => "now".to_owned(),
            left => format!("in {left} s"),
        };
        let Self { attempt, most, .. } = self;
        let (which, few) = (format!("{attempt} of {most}"), format!("{attempt}/{most}"));
        let tails = [
            format!(", retrying {left} ({which})"),
            format!(", retry {left} ({which})"),
            format!(", retry {left} ({few})"),
        ];
        let whole = capitalized(&one_row(self.reason));
        // What the status and the request were is in the transcript, too.
        let brief = self.brief.map_or_else(|| whole.clone(), |brief| capitalized(&one_row(brief)));
        let without_facts = tails.iter().map(|tail| (&brief, tail));
        let ways = tails.iter().take(1).map(|tail| (&whole, tail)).chain(without_facts);
        let mut said = ways.map(|(reason, tail)| format!("{reason}{tail}"));
        let cut = || {
            // Half a word says less than the shorter ways below.
            tails.iter().find_map(|tail| {
                let said = whole_words(&brief, room.checked_sub(width(tail))?)?;
                (width(&said) >= LEAST_HEAD).then(|| format!("{said}{tail}"))
            })
        };
        let alone = || {
            let ways = [
                format!("Retrying {left} ({which})"),
                format!("Retry {left} ({which})"),
                format!("Retry {left} ({few})"),
                format!("{left} ({few})"),
            ];
            let fitting = ways.iter().find(|words| width(words) <= room);
            fitting.cloned().unwrap_or_else(|| fit(&format!("{few} {left}"), room))
        };
        said.find(|words| width(words) <= room).or_else(cut).unwrap_or_else(alone)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_retry_keeps_when_and_which_of_how_many_in_every_room() {
        let reason = "the provider is overloaded (HTTP 529)";
        let brief = Some("the provider is overloaded");
        let retry = Retry { attempt: 1, most: 4, left_ms: 3_200, reason, brief };
        for (room, words) in [
            (80, "The provider is overloaded (HTTP 529), retrying in 4 s (1 of 4)"),
            (62, "The provider is overloaded, retrying in 4 s (1 of 4)"),
            (50, "The provider is overloaded, retry in 4 s (1 of 4)"),
            (46, "The provider is overloaded, retry in 4 s (1/4)"),
            (40, "The provider…, retrying in 4 s (1 of 4)"),
            (36, "The provider…, retry in 4 s (1 of 4)"),
            (31, "Retrying in 4 s (1 of 4)"),
            (24, "Retrying in 4 s (1 of 4)"),
            (20, "Retry in 4 s (1/4)"),
            (12, "in 4 s (1/4)"),
        ] {
            assert_eq!(retry.words(room), words, "{room}");
        }
        // A reason that has such words itself is one of words.
        let said = Retry { reason: "a gate said no (HTTP 1) today", brief: None, ..retry };
        assert_eq!(said.words(70), "A gate said no (HTTP 1) today, retrying in 4 s (1 of 4)");
        assert_eq!(said.words(52), "A gate said no (HTTP 1) today, retry in 4 s (1 of 4)");
        let one = Retry { reason: "overloaded", brief: None, attempt: 10, most: 10, left_ms: 32_000 };
        assert_eq!(one.words(33), "Overloaded, retry in 32 s (10/10)");
        assert_eq!(one.words(32), "Retrying in 32 s (10 of 10)", "a word is not cut");
    }

    #[test]
    fn no_word_of_what_goes_on_is_cut_where_there_are_shorter_ways() {
        let waits = DoingWords::of("Waiting for researcher: Find out what a qubit is.");
        let waits = waits.or("Waiting for researcher").or("researcher");
        let all = [
            (of_phase(&Phase::Discovering), 20),
            (waits, 11),
            (DoingWords::of("Running cargo test --workspace"), 14),
            (DoingWords::of("Preparing tools"), 10),
        ];
        for (what, least) in all {
            let whole = what.whole();
            let words = |text: &str| -> Vec<String> {
                text.split_whitespace().map(|word| word.replace(['…', ':'], "")).collect()
            };
            let known = words(&whole);
            for room in least..60 {
                let said = what.within(room);
                assert!(width(&said) <= room, "{room}: {said}");
                assert!(words(&said).iter().all(|word| known.contains(word)), "{room}: {said}");
            }
        }
    }
}
