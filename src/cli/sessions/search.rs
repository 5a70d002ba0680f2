//! `sessions search`: where something was said.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

use memchr::{memchr, memmem};
use serde_json::json;

use super::place::{SessionPlace, lines, remark};
use super::words::SearchWords;
use crate::cli::outcome::{Audience, say_on};
use crate::config::exit::Exit;
use crate::config::fault::Fault;
use crate::ledger::{Body, Change, Entry, EntryId, FORMAT_VERSION, standing};
use crate::runtime::store::{broken_line, incomplete, is_unwritten, scan, title_of};
use crate::session::other_sessions::{first_words, when};
use crate::wire::record::{
    self, FirstLine, RecordError, call_in_words, first_line, glance, read_lines, read_session,
};

/// Places of one session that a person is shown.
const MOST_PLACES: usize = 5;
/// How a session begins that we wrote.
const FIRST: &[u8] = br#"{"type":"session_started""#;
/// What a line has that withdraws another.
const WITHDRAWN: &[u8] = b"tombstone";
/// Bytes of an answer that wait for a write at most, and how long they do.
const MOST_WAITING: usize = 32 * 1024;
const BURST: Duration = Duration::from_millis(5);
/// How lines begin that say nothing in a transcript: they are not understood. What they repeat stands in another line.
const SILENT: [&[u8]; 6] = [
    br#"{"type":"approval""#,
    br#"{"type":"approval_request""#,
    br#"{"type":"delegation_request""#,
    br#"{"type":"delegation_response""#,
    br#"{"type":"transition""#,
    br#"{"type":"turn_ended""#,
];
/// Characters of an excerpt, about a third of them before the first word that was found.
const EXCERPT: usize = 90;

/// A place where all words stand.
struct Hit {
    entry: String,
    kind: &'static str,
    excerpt: String,
}

/// The session that has them.
struct FoundIn {
    head: FirstLine,
    title: String,
}

/// What comes of one session.
enum Searched {
    Nothing,
    /// Places in it, and whether there are more.
    Found(Box<FoundIn>, Vec<Hit>, bool),
    /// It cannot be read.
    Unreadable(String),
}

/// The same, and what is wrong with its lines as far as a look at them tells: most are not understood.
type Looked = (Searched, Option<String>);

/// Prints the places, newest session first, each session as soon as those before it are searched.
pub(super) fn run(place: &SessionPlace, words: &[String], json: bool) -> Result<Exit, Fault> {
    let Some(wanted) = SearchWords::new(words) else {
        return Err(Fault::usage("there is nothing to search for", "give a word to search for"));
    };
    let (mut is_found, mut failed, mut bad) = (false, None, 0_u64);
    let mut told = Telling::default();
    let most = if json { usize::MAX } else { MOST_PLACES };
    let look = |path: &Path, read: Result<&[u8], String>| match read {
        Ok([]) if is_unwritten(path) => (Searched::Nothing, None),
        Ok(bytes) => looked(path, bytes, &wanted, most),
        Err(why) => (Searched::Unreadable(why), None),
    };
    scan(&place.state, look, |(searched, broken)| {
        bad += u64::from(broken.is_some() || matches!(searched, Searched::Unreadable(_)));
        if let Some(broken) = broken {
            remark(&broken);
        }
        match searched {
            Searched::Nothing => {}
            Searched::Unreadable(why) => remark(&format!("{why}; not searched")),
            Searched::Found(session, hits, has_more) => {
                is_found = true;
                told.add(&place.without_keys(lines(tell(place, &session, (&hits, has_more), json))));
            }
        }
        match if told.is_due() { told.say() } else { Ok(Audience::Reads) } {
            Ok(Audience::Reads) => ControlFlow::Continue(()),
            Ok(Audience::Gone) => ControlFlow::Break(()),
            Err(fault) => {
                failed = Some(fault);
                ControlFlow::Break(())
            }
        }
    });
    if failed.is_none() {
        failed = told.say().err();
    }
    if let Some(fault) = failed {
        return Err(fault);
    }
    match bad {
        0 if is_found => {}
        0 => remark("no session contains these words"),
        bad => {
            let found = if is_found { "" } else { "no other session contains these words; " };
            let sessions = if bad == 1 { "session" } else { "sessions" };
            remark(&format!("{found}{bad} {sessions} could not be searched, or only in part"));
        }
    }
    Ok(Exit::Completed)
}

/// What is told, in pieces that are worth a write: at once what comes after a while, together what comes in a burst.
#[derive(Default)]
struct Telling {
    waits: String,
    said: Option<Instant>,
}

impl Telling {
    fn add(&mut self, text: &str) {
        self.waits.push_str(text);
    }

    fn is_due(&self) -> bool {
        let is_long_ago = || self.said.is_none_or(|said| said.elapsed() >= BURST);
        !self.waits.is_empty() && (self.waits.len() >= MOST_WAITING || is_long_ago())
    }

    fn say(&mut self) -> Result<Audience, Fault> {
        if self.waits.is_empty() {
            return Ok(Audience::Reads);
        }
        let told = say_on(&self.waits);
        self.waits.clear();
        self.said = Some(Instant::now());
        told
    }
}

fn looked(path: &Path, bytes: &[u8], wanted: &SearchWords, most: usize) -> Looked {
    match searched(path, bytes, wanted, most) {
        // What is said of it already is enough.
        unreadable @ Searched::Unreadable(_) => (unreadable, None),
        searched => (searched, broken_line(path, bytes).or_else(|| incomplete(path, bytes))),
    }
}

/// What stands in a session of all words. Only lines that can have them are understood, unless something was withdrawn.
fn searched(path: &Path, bytes: &[u8], wanted: &SearchWords, most: usize) -> Searched {
    let first = memchr(b'\n', bytes).and_then(|end| bytes.get(..=end)).unwrap_or(bytes);
    let mut lines = wanted.lines(bytes).map(Iterator::peekable);
    let has_some = lines.as_mut().is_none_or(|lines| lines.peek().is_some());
    if first.starts_with(FIRST) && first.ends_with(b"\n") && !has_some {
        return Searched::Nothing;
    }
    let Some(head) = first_line(first) else {
        return Searched::Unreadable(format!("{}: its first line is not session_started", path.display()));
    };
    if !has_some {
        return Searched::Nothing;
    }
    // A version that is not known is told of by who reads all.
    let can_stand_alone = head.version <= u64::from(FORMAT_VERSION);
    let lines = lines.filter(|_| can_stand_alone && memmem::find(bytes, WITHDRAWN).is_none());
    // The first line says nothing, and whether the others can be read.
    let others = lines.map(|lines| lines.filter(|line| line.as_ptr() != first.as_ptr()));
    let found = others.and_then(|others| hits_of_lines(first, others, wanted, most));
    let found = found.map_or_else(|| hits_of_all(bytes, wanted, most), Ok);
    match found {
        Ok((hits, _)) if hits.is_empty() => Searched::Nothing,
        Ok((hits, has_more)) => {
            let session = FoundIn { head, title: title_of(bytes) };
            Searched::Found(Box::new(session), hits, has_more)
        }
        Err(fault) => Searched::Unreadable(format!("{}: {fault}", path.display())),
    }
}

/// The first places in lines that each stand, and whether there are more. Most lines need not be understood whole. `None`: one cannot
/// be read by itself.
fn hits_of_lines<'a>(
    first: &'a [u8],
    lines: impl Iterator<Item = &'a [u8]>,
    wanted: &SearchWords,
    most: usize,
) -> Option<(Vec<Hit>, bool)> {
    let mut hits = Vec::new();
    for line in lines {
        let hit = match glance(line) {
            Some(seen) => {
                wanted.place_in(&seen.text).map(|before| hit(seen.entry, seen.kind, &seen.text, before))
            }
            None if SILENT.iter().any(|begins| line.starts_with(begins)) => None,
            None => {
                let entries = read_lines([first, line].into_iter()).ok()?;
                entries.get(1).and_then(|entry| place_in(entry, wanted))
            }
        };
        if hit.is_some() && hits.len() == most {
            return Some((hits, true));
        }
        hits.extend(hit);
    }
    Some((hits, false))
}

/// The same of a session that must be understood whole.
fn hits_of_all(bytes: &[u8], wanted: &SearchWords, most: usize) -> Result<(Vec<Hit>, bool), RecordError> {
    let entries = read_session(bytes)?.entries;
    let mut places = standing(&entries).filter_map(|entry| place_in(entry, wanted));
    let hits: Vec<Hit> = places.by_ref().take(most).collect();
    Ok((hits, places.next().is_some()))
}

/// Where an entry has all words.
fn place_in(entry: &Entry, wanted: &SearchWords) -> Option<Hit> {
    let text = said(&entry.body)?;
    let before = wanted.place_in(&text)?;
    Some(hit(entry.id, entry.body.kind(), &text, before))
}

fn hit(entry: EntryId, kind: &'static str, text: &str, before: usize) -> Hit {
    let start = before.saturating_sub(EXCERPT / 3);
    let byte = |text: &str, characters: usize| match text.is_ascii() {
        true => characters.min(text.len()),
        false => text.char_indices().nth(characters).map_or(text.len(), |(byte, _)| byte),
    };
    let rest = text.get(byte(text, start)..).unwrap_or_default();
    let part = rest.get(..byte(rest, EXCERPT * 4)).unwrap_or(rest);
    let lead = if start > 0 { "\u{2026}" } else { "" };
    let excerpt = format!("{lead}{}", first_words(part, EXCERPT));
    Hit { entry: entry.to_string(), kind, excerpt }
}

/// What an entry says in a transcript. An image of the clipboard has a word there, and no path.
fn said(body: &Body) -> Option<String> {
    match body {
        Body::User(message) => Some(message.pastes.titled(&message.content)),
        Body::Assistant(message) => Some(message.text()),
        Body::Goal(goal) => Some(format!("{} {}", goal.objective, goal.done_condition)),
        Body::Handoff { text } => Some(text.clone()),
        Body::ToolCall(call) | Body::Validation(call) | Body::Command(call) | Body::CallEdited(call) => {
            Some(call_in_words(&call.name, &call.arguments.to_value()))
        }
        Body::ToolResult(result) => Some(result.content.clone()),
        Body::Injected(injected) => Some(injected.pastes.titled(&injected.text)),
        Body::Compaction(made) => Some(made.summary.clone()),
        Body::Note(note) => Some(note.for_people().to_owned()),
        Body::ProviderLimit(learned) => Some(learned.lesson.sentence()),
        Body::Error { message, .. } => Some(message.clone()),
        Body::Change(Change::Renamed { name }) => Some(name.clone()),
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

fn tell(
    place: &SessionPlace,
    FoundIn { head, title }: &FoundIn,
    (hits, has_more): (&[Hit], bool),
    json: bool,
) -> Vec<String> {
    if json {
        let object = |hit: &Hit| {
            record::line(&json!({
                "session": head.session, "at": record::moment(head.started), "cwd": head.cwd,
                "entry": hit.entry, "type": hit.kind, "excerpt": hit.excerpt,
            }))
        };
        return hits.iter().map(object).collect();
    }
    let folder = place.environment.shown(Path::new(&head.cwd));
    let words = first_words(title, EXCERPT / 2);
    let mut told = vec![format!(
        "{}  {}  {}  {words}",
        first_words(&head.session, EXCERPT),
        when(head.started),
        first_words(&folder, EXCERPT)
    )];
    told.extend(hits.iter().map(|hit| format!("  {} {}: {}", hit.entry, hit.kind, hit.excerpt)));
    if has_more {
        told.push("  \u{2026} and more; --json lists all".to_owned());
    }
    told
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::ledger::{Injected, Millis, Pastes, UserMessage};

    #[test]
    fn a_hit_has_a_word_for_an_image_of_the_clipboard() {
        let content = "see @/tmp/countersign-clipboard-1/pasted-1.png now";
        let pastes = Pastes::of(content, vec![(4, 46)]).naming(content, &[]);
        let pasted = UserMessage { pastes, ..content.into() };
        let wanted = SearchWords::new(&["now".to_owned()]).unwrap();
        let excerpt = |body: Body| {
            let entry = Entry { id: EntryId(2), at: Millis(1), body };
            place_in(&entry, &wanted).unwrap().excerpt
        };
        assert_eq!(excerpt(Body::Injected(Injected::steering(pasted.clone()))), "see [Image] now");
        assert_eq!(excerpt(Body::User(Arc::new(pasted))), "see [Image] now");
        let typed = excerpt(Body::User(Arc::new(content.into())));
        assert!(typed.ends_with("clipboard-1/pasted-1.png now"), "what was typed stays: {typed}");
    }
}
