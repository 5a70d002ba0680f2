//! `sessions remove`: forgets a session for good.

use super::args::Pick;
use super::place::{SessionPlace, id_of};
use crate::cli::outcome::say;
use crate::config::exit::Exit;
use crate::config::fault::{Fault, one_line};
use crate::runtime::store::{remove, summarise};
use crate::session::other_sessions::{first_words, when};

/// Removes a kept session and names it. Files that lie elsewhere are none of ours.
pub(super) fn run(place: &SessionPlace, pick: &Pick) -> Result<Exit, Fault> {
    let path = place.locate(pick)?;
    if !place.keeps(&path) {
        return Err(Fault::usage(
            format!("{} is not one of the stored sessions", path.display()),
            "give a session's id (`countersign sessions list`); delete other files yourself",
        ));
    }
    // What cannot be read can be removed all the same.
    let about = summarise(&path).map_or_else(
        |_unreadable| "unreadable".to_owned(),
        |summary| {
            let folder = place.environment.shown(std::path::Path::new(&summary.cwd));
            format!(
                "{}, {}, {}",
                when(summary.started),
                first_words(&folder, 80),
                first_words(summary.title(), 60)
            )
        },
    );
    remove(&path).map_err(|why| Fault::failed(why, "nothing was removed"))?;
    say(&format!("removed {} ({about})\n", one_line(&id_of(&path))))
}
