//! `sessions fork`: a new session that begins like another one.

use std::collections::BTreeSet;

use uuid::Uuid;

use super::args::Pick;
use super::place::{SessionPlace, entries, now, remark};
use crate::cli::outcome::say;
use crate::config::exit::Exit;
use crate::config::fault::{Fault, one_line};
use crate::ledger::{Body, CallId, EntryId, check, grants, resting_places};
use crate::runtime::SessionStore;
use crate::runtime::store::adopt;
use crate::wire::record::{Copy, SessionFile, audit, read_session, up_to};

/// Copies the beginning of a session. It ends where no call is open: a result that nobody gave is not made up.
pub(super) fn run(place: &SessionPlace, pick: &Pick, at: Option<&str>) -> Result<Exit, Fault> {
    let path = place.locate(pick)?;
    let name = place.name(&path);
    let bytes = SessionStore::bytes(&path).map_err(|why| Fault::failed(why, "name another session"))?;
    let last = match at {
        Some(text) => wanted(text)?,
        None => audit(&bytes).sound_to.ok_or_else(|| unsound(&name, "no part of it is well-formed"))?,
    };
    let beginning = up_to(&bytes, last).ok_or_else(|| {
        Fault::usage(
            format!("session {name} has no entry {last}"),
            format!("`countersign sessions show {name} --json` lists its entries"),
        )
    })?;
    let file = read_session(beginning).map_err(|why| unsound(&name, &why.to_string()))?;
    check(&file.entries).map_err(|why| unsound(&name, &why.to_string()))?;
    at_rest(&bytes, &file, last)?;
    nothing_comes_back(&bytes, &file, last)?;

    let id = Uuid::now_v7().to_string();
    let began = now();
    let origin = format!("{}@{last}", session_id(&file));
    let copy = Copy {
        session: &id,
        at: Some(began),
        origin: Some(("forked_from", &origin)),
        keeps_grants: place.keeps(&path),
        revoked: revoked_since(&bytes, &file),
    };
    adopt(&place.state, &id, began, &copy.of(beginning))
        .map_err(|why| Fault::failed(why, "free disk space, or fix the folder's permissions"))?;
    say(&format!(
        "{id} is a fork of {} at {last}: {}\nContinue with: countersign resume {id}\n",
        one_line(&name),
        entries(file.entries.len())
    ))
}

/// `e14`, or `14`.
fn wanted(text: &str) -> Result<EntryId, Fault> {
    EntryId::parse(text).or_else(|| text.parse().ok().map(EntryId)).ok_or_else(|| {
        Fault::usage(
            format!("`{text}` is not an entry"),
            "name one as in e14; `sessions show --json` lists them",
        )
    })
}

fn unsound(name: &str, why: &str) -> Fault {
    Fault::failed(
        format!("session {name} cannot be forked there: {why}"),
        format!("`countersign sessions check {name}` reports up to which entry it is well-formed"),
    )
}

/// Refuses a place at which calls wait for their results, and names the nearest that will do.
fn at_rest(bytes: &[u8], beginning: &SessionFile, last: EntryId) -> Result<(), Fault> {
    let length = beginning.entries.len();
    let before = resting_places(&beginning.entries);
    if before.last() == Some(&length) {
        return Ok(());
    }
    // The rest of the file may be damaged: then only what stands before can be named.
    let whole = read_session(bytes).map(|file| file.entries).unwrap_or_else(|_| beginning.entries.clone());
    let after = resting_places(&whole).into_iter().find(|place| *place > length);
    let places: Vec<String> = [before.last().copied(), after]
        .into_iter()
        .flatten()
        .filter_map(|place| whole.get(place.checked_sub(1)?))
        .map(|entry| entry.id.to_string())
        .collect();
    Err(Fault::usage(
        format!("at {last},,, calls wait for their results, so a session cannot end there"),
        format!("fork at {}", places.join(" or ")),
    ))
}

/// The calls of which what was granted is taken back after the place: nobody here grants it anew.
fn revoked_since(bytes: &[u8], beginning: &SessionFile) -> BTreeSet<CallId> {
    let before = grants(beginning.entries.iter().map(AsRef::as_ref));
    let mut revoked: BTreeSet<CallId> = before.iter().map(|grant| grant.call).collect();
    match read_session(bytes) {
        Ok(whole) => {
            for grant in grants(whole.entries.iter().map(AsRef::as_ref)) {
                revoked.remove(&grant.call);
            }
        }
        // Whether one of them was taken back, the damaged rest may have said.
        Err(why) if !revoked.is_empty() => remark(&format!(
            "the rest of the session cannot be read ({why}), so the fork keeps nothing of what was allowed for the whole session"
        )),
        Err(_) => {}
    }
    revoked
}

/// Refuses a place between an answer and the tombstone that withdraws it.
fn nothing_comes_back(bytes: &[u8], beginning: &SessionFile, last: EntryId) -> Result<(), Fault> {
    // Of a damaged file nothing more is known than what stands before.
    let whole = read_session(bytes).map(|file| file.entries).unwrap_or_default();
    let later = whole.get(beginning.entries.len()..).unwrap_or_default();
    let comes_back = later.iter().find(|entry| match &entry.body {
        Body::Tombstone(stone) => beginning.entries.iter().any(|kept| kept.id == stone.target),
        _ => false,
    });
    match comes_back {
        None => Ok(()),
        Some(stone) => Err(Fault::usage(
            format!("the fork would keep an answer at {last} that {} withdraws", stone.id),
            format!("fork at {}", stone.id),
        )),
    }
}

fn session_id(file: &SessionFile) -> &str {
    match file.entries.first().map(|entry| &entry.body) {
        Some(Body::SessionStarted(started)) => &started.session,
        _ => "",
    }
}
