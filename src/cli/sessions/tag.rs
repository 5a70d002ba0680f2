//! `sessions tag`: words by which a person finds sessions again.

use super::args::Pick;
use super::place::{SessionPlace, add};
use crate::cli::outcome::say;
use crate::config::exit::Exit;
use crate::config::fault::{Fault, one_line};
use crate::ledger::Change;
use crate::runtime::store::summarise;

/// Most characters of a tag.
const LONGEST: usize = 32;
/// Most tags of a session.
const MOST: usize = 32;

/// Records what is new. What the session has already is not recorded again.
pub(super) fn run(place: &SessionPlace, words: &[String], last: bool) -> Result<Exit, Fault> {
    let (session, tags) = match words.split_first() {
        Some((session, tags)) if !last => (Some(session.clone()), tags),
        _ => (None, words),
    };
    if tags.is_empty() {
        return Err(Fault::usage(
            "no tag is named",
            "write +TAG to give the session a tag, or -TAG to take it away",
        ));
    }
    let mut changes = tags.iter().map(|word| read(word)).collect::<Result<Vec<_>, Fault>>()?;
    // Of the same tag, what is written last counts.
    changes.reverse();
    changes.sort_by_key(|(tag, _)| *tag);
    changes.dedup_by_key(|(tag, _)| *tag);
    let path = place.locate(&Pick { session, last })?;
    let before = summarise(&path).map_err(|why| Fault::failed(why, "name another session"))?.tags;
    let has = |tag: &str| before.iter().any(|one| one == tag);
    let wanted = |given: bool| {
        let new = changes.iter().filter(move |(tag, gives)| *gives == given && has(tag) != given);
        new.map(|(tag, _)| (*tag).to_owned()).collect::<Vec<_>>()
    };
    let (added, removed) = (wanted(true), wanted(false));
    let mut now: Vec<&String> = before.iter().filter(|tag| !removed.contains(tag)).chain(&added).collect();
    now.sort();
    if now.len() > MOST {
        return Err(Fault::usage(format!("a session has at most {MOST} tags"), "take some away with -TAG"));
    }
    let told = match now.as_slice() {
        [] => "no tags".to_owned(),
        tags => tags.iter().map(|tag| format!("#{tag}")).collect::<Vec<_>>().join(" "),
    };
    let told = format!("{}: {}\n", place.name(&path), one_line(&told));
    if !added.is_empty() || !removed.is_empty() {
        add(&path, Change::Tagged { added, removed })?;
    }
    say(&told)
}

/// A tag, and whether it is given.
fn read(word: &str) -> Result<(&str, bool), Fault> {
    let (tag, gives) = match (word.strip_prefix('+'), word.strip_prefix('-')) {
        (Some(tag), _) => (tag, true),
        (None, Some(tag)) => (tag, false),
        (None, None) => {
            return Err(Fault::usage(
                format!("`{}` does not say whether the tag is given or taken away", one_line(word)),
                "write +TAG or -TAG",
            ));
        }
    };
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    if tag.is_empty() || tag.chars().count() > LONGEST || !tag.chars().all(fits) {
        return Err(Fault::usage(
            format!("`{}` cannot be a tag", one_line(tag)),
            format!("use up to {LONGEST} letters, digits, `-`, `_` and `.`"),
        ));
    }
    Ok((tag, gives))
}
