//! What was found by `blame`, in words and as JSON.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::described::{MOST, MOST_OF_MESSAGE, described};
use crate::session::blame::{Blame, Origin, WrittenBy};
use crate::session::other_sessions::{first_words, when};
use crate::ui::text::sanitize;
use crate::wire::record::{self, moment};

/// Characters of an id that tell sessions apart.
const SHORT_ID: usize = 13;

/// All that is known of one line.
pub(super) fn one(blame: &Blame, texts: &[String], at: usize, with_diff: bool) -> String {
    let text = texts.get(at).map(String::as_str).unwrap_or_default();
    let mut told = format!("line {}: {}\n", at + 1, first_words(text, MOST));
    let Some(origin) = blame.origins.get(at) else { return told };
    if let Some(why) = doubt(blame, origin) {
        told.push_str(&format!("  {why}\n"));
    }
    let (Origin::Step(place) | Origin::Perhaps(place)) = origin else { return told };
    told + &step(blame, *place, with_diff)
}

/// All lines, each with the call that wrote it.
pub(super) fn all(blame: &Blame, texts: &[String], with_diff: bool) -> String {
    let mut told = String::new();
    let mut places = BTreeSet::new();
    for (at, (text, origin)) in texts.iter().zip(&blame.origins).enumerate() {
        let who = match origin {
            Origin::Step(place) | Origin::Perhaps(place) => {
                places.insert(*place);
                blame
                    .written_by(*place)
                    .map(|by| short(&by, matches!(origin, Origin::Perhaps(_))))
                    .unwrap_or_default()
            }
            Origin::Unrecorded(_) => "not recorded".to_owned(),
            Origin::Before => "-".to_owned(),
            Origin::Lost(..) => "not known".to_owned(),
        };
        told.push_str(&format!("{who:<40} {:>5}  {}\n", at + 1, sanitize(text)));
    }
    if with_diff {
        told.extend(places.into_iter().map(|place| format!("\n{}", step(blame, place, true))));
    }
    if !blame.has_steps() {
        told.push_str("no session has changed this file\n");
    }
    told
}

/// `0199…/e14 2026-11-20 22:54 edit`
fn short(by: &WrittenBy, is_doubtful: bool) -> String {
    let id: String = by.session.chars().take(SHORT_ID).collect();
    let doubt = if is_doubtful { "?" } else { "" };
    format!(
        "{}/{} {} {}{doubt}",
        first_words(&id, SHORT_ID),
        by.entry,
        when(by.at),
        first_words(&by.tool, MOST)
    )
}

/// Why it is not known, or not sure, which call wrote a line.
fn doubt(blame: &Blame, origin: &Origin) -> Option<String> {
    let named = |place: &usize| {
        blame.written_by(*place).map_or_else(String::new, |by| {
            format!("{}/{} ({})", first_words(&by.session, MOST), by.entry, when(by.at))
        })
    };
    Some(match origin {
        Origin::Step(_) => return None,
        Origin::Perhaps(_) => {
            "this call, or something after it that was not recorded: what the call made of the file is not \
             known"
                .to_owned()
        }
        Origin::Unrecorded(place) => {
            format!("changed after {} by something that was not recorded", named(place))
        }
        Origin::Before if blame.has_steps() => "no session wrote it: it was there before the first \
         recorded change"
            .to_owned(),
        Origin::Before => "no session has changed this file".to_owned(),
        Origin::Lost(place, why) => {
            format!("not known: of the file before {}, {}", named(place), first_words(why, MOST))
        }
    })
}

fn step(blame: &Blame, place: usize, with_diff: bool) -> String {
    let Some(by) = blame.written_by(place) else { return String::new() };
    let mut told = described(&by);
    if with_diff {
        told.push_str(&diff(blame, place));
    }
    told
}

fn diff(blame: &Blame, place: usize) -> String {
    let Some((diff, was_shown)) = blame.diff(place) else {
        return "  its diff is no longer known\n".to_owned();
    };
    let head = if was_shown { "the diff that was shown" } else { "nobody was shown a diff; what it changed" };
    let lines = diff.lines().map(|line| format!("    {}\n", sanitize(line)));
    format!("  {head}:\n{}", lines.collect::<String>())
}

/// One line as a JSON object.
pub(super) fn json(blame: &Blame, texts: &[String], at: usize, with_diff: bool) -> String {
    let origin = blame.origins.get(at);
    let (word, place) = match origin {
        Some(Origin::Step(place)) => ("call", Some(*place)),
        Some(Origin::Perhaps(place)) => ("perhaps_call", Some(*place)),
        Some(Origin::Unrecorded(place)) => ("unrecorded", Some(*place)),
        Some(Origin::Lost(place, _)) => ("not_kept", Some(*place)),
        Some(Origin::Before) | None => ("before", None),
    };
    let mut all = Map::new();
    all.insert("line".to_owned(), json!(at + 1));
    all.insert("text".to_owned(), json!(texts.get(at)));
    all.insert("origin".to_owned(), json!(word));
    // Of a line that nobody recorded: the last change before it.
    if let Some((place, by)) = place.and_then(|place| Some((place, blame.written_by(place)?))) {
        all.extend(members(&by));
        if with_diff {
            let (diff, was_shown) = blame.diff(place).unzip();
            all.insert("diff".to_owned(), json!(diff));
            all.insert("diff_was_shown".to_owned(), json!(was_shown));
        }
    }
    record::line(&Value::Object(all))
}

fn members(by: &WrittenBy) -> Map<String, Value> {
    let message = by.message.as_ref();
    let value = json!({
        "session": by.session, "entry": by.entry.to_string(), "call": by.call.map(|call| call.to_string()),
        "at": moment(by.at), "tool": by.tool, "decision": by.decided.as_ref().map(|decided| decided.json()),
        "asked_in": message.map(|(entry, _)| entry.to_string()),
        "message": message.map(|(_, words)| first_words(words, MOST_OF_MESSAGE)),
        "answer": by.answer.as_ref().map(|answer| answer.id.to_string()),
        "model": by.answer.as_ref().map(|answer| answer.model.to_string()),
        "cost_usd": by.cost().map(|cost| cost.0 as f64 / 1e6),
    });
    match value {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}
