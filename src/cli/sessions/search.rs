//! `sessions search`: where something was said.

use serde_json::json;

use super::place::{SessionPlace, lines, remark};
use crate::cli::outcome::say;
use crate::config::exit::Exit;
use crate::config::fault::Fault;
use crate::ledger::{Body, Entry, standing};
use crate::runtime::SessionStore;
use crate::runtime::store::{Summary, list};
use crate::session::other_sessions::{first_words, when};
use crate::wire::record;

/// Places of one session that a person is shown; the rest is counted.
const MOST_PLACES: usize = 5;
/// Characters of an excerpt, about a third of them before the first word that was found.
const EXCERPT: usize = 90;

/// A place where all words stand.
struct Hit {
    entry: String,
    kind: &'static str,
    excerpt: String,
}

/// Prints the places, newest session first.
pub(super) fn run(place: &SessionPlace, words: &[String], json: bool) -> Result<Exit, Fault> {
    let wanted: Vec<String> =
        words.iter().map(|word| word.trim().to_lowercase()).filter(|w| !w.is_empty()).collect();
    if wanted.is_empty() {
        return Err(Fault::usage("there is nothing to search for", "give a word to search for"));
    }
    let listing = list(&place.state);
    for (_, why) in &listing.unreadable {
        remark(&format!("{why}; not searched"));
    }
    let mut found = Vec::new();
    for summary in &listing.sessions {
        match SessionStore::read(&summary.path) {
            Ok(file) => {
                let hits: Vec<Hit> = standing(&file.entries).filter_map(|e| hit(e, &wanted)).collect();
                found.extend(tell(place, summary, &hits, json));
            }
            Err(why) => remark(&format!("{why}; not searched")),
        }
    }
    if found.is_empty() {
        remark("no session contains these words");
    }
    say(&place.without_keys(lines(found)))
}

fn hit(entry: &Entry, wanted: &[String]) -> Option<Hit> {
    let text = said(&entry.body)?;
    let small = text.to_lowercase();
    let first =
        wanted.iter().map(|word| small.find(word)).collect::<Option<Vec<usize>>>()?.into_iter().min()?;
    let before = small.get(..first).map_or(0, |before| before.chars().count());
    let start = before.saturating_sub(EXCERPT / 3);
    let part: String = text.chars().skip(start).take(EXCERPT * 4).collect();
    let lead = if start > 0 { "\u{2026}" } else { "" };
    let excerpt = format!("{lead}{}", first_words(&part, EXCERPT));
    Some(Hit { entry: entry.id.to_string(), kind: entry.body.kind(), excerpt })
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

fn tell(place: &SessionPlace, summary: &Summary, hits: &[Hit], json: bool) -> Vec<String> {
    if json {
        let object = |hit: &Hit| {
            record::line(&json!({
                "session": summary.id, "at": record::moment(summary.started), "cwd": summary.cwd,
                "entry": hit.entry, "type": hit.kind, "excerpt": hit.excerpt,
            }))
        };
        return hits.iter().map(object).collect();
    }
    if hits.is_empty() {
        return Vec::new();
    }
    let folder = place.environment.shown(std::path::Path::new(&summary.cwd));
    let words = first_words(summary.title(), EXCERPT / 2);
    let mut told = vec![format!(
        "{}  {}  {}  {words}",
        first_words(&summary.id, EXCERPT),
        when(summary.started),
        first_words(&folder, EXCERPT)
    )];
    told.extend(
        hits.iter().take(MOST_PLACES).map(|hit| format!("  {} {}: {}", hit.entry, hit.kind, hit.excerpt)),
    );
    if let Some(more) = hits.len().checked_sub(MOST_PLACES).filter(|more| *more > 0) {
        told.push(format!("  \u{2026} and {more} more"));
    }
    told
}
