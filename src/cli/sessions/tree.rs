//! `sessions tree`: which session was made from which.

use super::place::{SessionPlace, lines, remark};
use crate::cli::outcome::say;
use crate::config::exit::Exit;
use crate::config::fault::Fault;
use crate::runtime::store::list;
use crate::session::family::Family;

/// Shows all sessions that have branches, each with its branches below it.
pub(super) fn run(place: &SessionPlace) -> Result<Exit, Fault> {
    let sessions = list(&place.state).sessions;
    let told = Family::of(&sessions).all();
    if told.is_empty() {
        remark("no session has branches; `countersign whatif` and `/fork` make some");
    }
    say(&place.without_keys(lines(told)))
}
