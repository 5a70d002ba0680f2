//! `sessions compare`: two sessions side by side: decisions, results, cost and endings.

use super::args::Pick;
use super::place::{SessionPlace, read};
use crate::cli::compared::{Compared, compared, shown};
use crate::cli::outcome::say;
use crate::config::exit::Exit;
use crate::config::fault::Fault;
use crate::ledger::{Body, Entry};
use crate::recorded::history;

/// Compares two sessions; exit 1 if they are different.
pub(super) fn run(place: &SessionPlace, one: &str, other: &str) -> Result<Exit, Fault> {
    let (one, other) = (lines(place, one)?, lines(place, other)?);
    match compared(&one.1, &other.1, (&one.0, &other.0)) {
        Compared::Different(diff) => {
            say(&place.without_keys(shown(&diff)))?;
            Ok(Exit::Failed)
        }
        _ => say("both went the same way, whatever models and tools said\n"),
    }
}

/// The name of a session, and what was decided and came of it, in lines.
fn lines(place: &SessionPlace, named: &str) -> Result<(String, Vec<String>), Fault> {
    let path = place.locate(&Pick { session: Some(named.to_owned()), last: false })?;
    let entries = read(place, &path)?.1.entries;
    let began = entries.first().map(AsRef::as_ref);
    let names = match began {
        Some(Entry { body: Body::SessionStarted(started), .. }) => {
            vec![(started.session.clone(), "SESSION"), (started.cwd.clone(), "FOLDER")]
        }
        _ => Vec::new(),
    };
    Ok((place.name(&path), history(&entries, &names)))
}
