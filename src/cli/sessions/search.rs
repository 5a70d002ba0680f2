//! `sessions search`: where something was said.

use std::ops::ControlFlow;
use std::path::Path;

use memchr::{memchr, memmem};
use serde_json::json;

use super::place::{SessionPlace, lines, remark};
use super::words::{MatchingLines, SearchWords};
use crate::cli::outcome::{Audience, say_on};
use crate::config::exit::Exit;
use crate::config::fault::Fault;
use crate::ledger::{Body, Entry, standing};
use crate::runtime::store::{Summary, scan, summary_of};
use crate::session::other_sessions::{first_words, when};
use crate::wire::record::{self, first_line, read_lines, read_session};

/// Places of one session that a person is shown; the rest is counted.
const MOST_PLACES: usize = 5;
/// How a session begins that we wrote.
const FIRST: &[u8] = br#"{"type":"session_started""#;
/// What a line has that withdraws another.
const WITHDRAWN: &[u8] = b"tombstone";
/// Characters of an excerpt, about a third of them before the first word that was found.
const EXCERPT: usize = 90;

/// A place where all words stand.
struct Hit {
    entry: String,
    kind: &'static str,
    excerpt: String,
}

/// What comes of one session.
enum Searched {
    Nothing,
    /// Places in it, and how many more there are.
    Found(Box<Summary>, Vec<Hit>, usize),
    /// It cannot be read.
    Unreadable(String),
}

/// Prints the places, newest session first, each session as soon as those before it are searched.
pub(super) fn run(place: &SessionPlace, words: &[String], json: bool) -> Result<Exit, Fault> {
    let Some(wanted) = SearchWords::new(words) else {
        return Err(Fault::usage("there is nothing to search for", "give a word to search for"));
    };
    let (mut is_found, mut failed) = (false, None);
    let most = if json { usize::MAX } else { MOST_PLACES };
    let look = |path: &Path, read: Result<&[u8], String>| match read {
        Ok(bytes) => searched(path, bytes, &wanted, most),
        Err(why) => Searched::Unreadable(why),
    };
    scan(&place.state, look, |searched| {
        match searched {
            Searched::Nothing => {}
            Searched::Unreadable(why) => remark(&format!("{why}; not searched")),
            Searched::Found(summary, hits, more) => {
                is_found = true;
                let told = say_on(&place.without_keys(lines(tell(place, &summary, (&hits, more), json))));
                match told {
                    Ok(Audience::Reads) => {}
                    Ok(Audience::Gone) => return ControlFlow::Break(()),
                    Err(fault) => {
                        failed = Some(fault);
                        return ControlFlow::Break(());
                    }
                }
            }
        }
        ControlFlow::Continue(())
    });
    if let Some(fault) = failed {
        return Err(fault);
    }
    if !is_found {
        remark("no session contains these words");
    }
    Ok(Exit::Completed)
}

/// What stands in a session of all words. Only lines that can have them are understood, unless something was withdrawn.
fn searched(path: &Path, bytes: &[u8], wanted: &SearchWords, most: usize) -> Searched {
    let first = memchr(b'\n', bytes).and_then(|end| bytes.get(..=end)).unwrap_or(bytes);
    if !first.starts_with(FIRST) && first_line(first).is_none() {
        return Searched::Unreadable(format!("{}: its first line is not session_started", path.display()));
    }
    let entries = match wanted.lines(bytes) {
        MatchingLines::These(lines) if lines.is_empty() => return Searched::Nothing,
        MatchingLines::These(lines) if memmem::find(bytes, WITHDRAWN).is_none() => {
            // The first line says nothing, and whether the others can be read.
            let others = lines.into_iter().filter(|line| line.as_ptr() != first.as_ptr());
            read_lines(std::iter::once(first).chain(others)).ok()
        }
        MatchingLines::These(_) | MatchingLines::Any => None,
    };
    let entries = match entries.map_or_else(|| read_session(bytes).map(|file| file.entries), Ok) {
        Ok(entries) => entries,
        Err(fault) => return Searched::Unreadable(format!("{}: {fault}", path.display())),
    };
    let mut places = standing(&entries).filter_map(|entry| place_in(entry, wanted));
    let hits: Vec<Hit> =
        places.by_ref().take(most).map(|(entry, text, first)| hit(entry, &text, first)).collect();
    if hits.is_empty() {
        return Searched::Nothing;
    }
    let more = places.count();
    match summary_of(path, bytes) {
        Ok(summary) => Searched::Found(Box::new(summary), hits, more),
        Err(why) => Searched::Unreadable(why),
    }
}

/// The text of an entry that has all words, and how many characters stand before the first of them.
fn place_in<'e>(entry: &'e Entry, wanted: &SearchWords) -> Option<(&'e Entry, String, usize)> {
    let text = said(&entry.body)?;
    let small = text.to_lowercase();
    let first = wanted.first_in(&small)?;
    let before = small.get(..first).map_or(0, |before| before.chars().count());
    Some((entry, text, before))
}

fn hit(entry: &Entry, text: &str, before: usize) -> Hit {
    let start = before.saturating_sub(EXCERPT / 3);
    let part: String = text.chars().skip(start).take(EXCERPT * 4).collect();
    let lead = if start > 0 { "\u{2026}" } else { "" };
    let excerpt = format!("{lead}{}", first_words(&part, EXCERPT));
    Hit { entry: entry.id.to_string(), kind: entry.body.kind(), excerpt }
}

/// What an entry says in a transcript.
fn said(body: &Body) -> Option<String> {
    match body {
        Body::User(message) => Some(message.content.clone()),
        Body::Assistant(message) => Some(message.text()),
        Body::Goal(goal) => Some(format!("{} {}", goal.objective, goal.done_condition)),
        Body::Handoff { text } => Some(text.clone()),
        Body::ToolCall(call) | Body::Validation(call) | Body::Command(call) | Body::CallEdited(call) => {
            Some(format!("{} {}", call.name, call.arguments.to_value()))
        }
        Body::ToolResult(result) => Some(result.content.clone()),
        Body::Injected(injected) => Some(injected.text.clone()),
        Body::Compaction(made) => Some(made.summary.clone()),
        Body::Note(note) => Some(note.for_people().to_owned()),
        Body::ProviderLimit(learned) => Some(learned.lesson.sentence()),
        Body::Error { message, .. } => Some(message.clone()),
        Body::SessionStarted(_)
        | Body::ApprovalRequested(_)
        | Body::ApprovalDecided(_)
        | Body::DelegationRequested(_)
        | Body::DelegationAnswered(_)
        | Body::Tombstone(_)
        | Body::Transition { .. }
        | Body::Change(_)
        | Body::Checkpoint(_)
        | Body::Progress(_)
        | Body::TurnEnded(_) => None,
    }
}

fn tell(place: &SessionPlace, summary: &Summary, (hits, more): (&[Hit], usize), json: bool) -> Vec<String> {
    if json {
        let object = |hit: &Hit| {
            record::line(&json!({
                "session": summary.id, "at": record::moment(summary.started), "cwd": summary.cwd,
                "entry": hit.entry, "type": hit.kind, "excerpt": hit.excerpt,
            }))
        };
        return hits.iter().map(object).collect();
    }
    let folder = place.environment.shown(std::path::Path::new(&summary.cwd));
    let words = first_words(summary.title(), EXCERPT / 2);
    let mut told = vec![format!(
        "{}  {}  {}  {words}",
        first_words(&summary.id, EXCERPT),
        when(summary.started),
        first_words(&folder, EXCERPT)
    )];
    told.extend(hits.iter().map(|hit| format!("  {} {}: {}", hit.entry, hit.kind, hit.excerpt)));
    if more > 0 {
        told.push(format!("  \u{2026} and {more} more"));
    }
    told
}
