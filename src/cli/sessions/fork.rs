//! `sessions fork`: a new session that begins like another one.

use uuid::Uuid;

use super::args::Pick;
use super::place::{SessionPlace, entries, now, remark};
use crate::cli::outcome::say;
use crate::config::exit::Exit;
use crate::config::fault::{Fault, one_line};
use crate::ledger::EntryId;
use crate::runtime::SessionStore;
use crate::session::branching::Trunk;

/// Copies the beginning of a session.
pub(super) fn run(place: &SessionPlace, pick: &Pick, at: Option<&str>) -> Result<Exit, Fault> {
    let path = place.locate(pick)?;
    let name = place.name(&path);
    let last = at.map(wanted).transpose()?;
    let id = Uuid::now_v7().to_string();
    let trunk = Trunk { state: &place.state, path: &path, name: name.clone(), is_ours: place.keeps(&path) };
    let branched = trunk.branch(last, &id, now())?;
    // What contradicts itself goes along.
    if let Ok((_, Some(damage))) = SessionStore::audited(&path) {
        remark(&damage);
    }
    if let Some(said) = branched.remark {
        remark(&said);
    }
    say(&format!(
        "{id} is a fork of {} at {}: {}\nContinue with: countersign resume {id}\n",
        one_line(&name),
        branched.last,
        entries(branched.entries)
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
