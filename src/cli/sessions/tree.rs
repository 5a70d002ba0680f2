//! `sessions tree`: which session was made from which.

use super::args::Pick;
use super::place::{SessionPlace, id_of, lines, remark};
use crate::cli::outcome::say;
use crate::config::exit::Exit;
use crate::config::fault::Fault;
use crate::runtime::store::list;
use crate::session::family::Family;

/// Shows all sessions that have branches, each with its branches below it, or the tree in which one stands.
pub(super) fn run(place: &SessionPlace, session: Option<String>) -> Result<Exit, Fault> {
    let sessions = list(&place.state).sessions;
    let family = Family::of(&sessions);
    let told = match session {
        Some(session) => {
            let id = id_of(&place.locate(&Pick { session: Some(session), last: false })?);
            let told = family.around(&id);
            if told.is_empty() {
                remark(
                    "this session has no branches and is not one; `countersign whatif` and `/fork` make some",
                );
                return Ok(Exit::Completed);
            }
            told
        }
        None => family.all(),
    };
    if told.is_empty() {
        remark("no session has branches; `countersign whatif` and `/fork` make some");
    }
    say(&place.without_keys(lines(told)))
}
