//! `sessions`: what can be done with sessions from outside.

pub mod args;
mod check;
mod export;
mod fork;
mod import;
mod list;
pub(super) mod place;
mod remove;
mod search;
mod show;

use std::path::PathBuf;

use crate::config::environment::Environment;
use crate::config::exit::Exit;
use crate::config::fault::Fault;
use args::Verb;
use place::Place;

/// Does what was asked for, as seen from the folder `cwd`.
///
/// # Errors
/// One line that says what happened and what to do next.
pub(super) fn run(verb: Verb, cwd: PathBuf, environment: Environment) -> Result<Exit, Fault> {
    let place = Place::new(cwd, environment)?;
    match verb {
        Verb::List { json } => list::run(&place, json),
        Verb::Search { words, json } => search::run(&place, &words, json),
        Verb::Show { pick, json, events } => show::run(&place, &pick, json, events),
        Verb::Export { pick, json } => export::run(&place, &pick, json),
        Verb::Import { file } => import::run(&place, &file),
        Verb::Check { pick } => check::run(&place, &pick),
        Verb::Fork { pick, at } => fork::run(&place, &pick, at.as_deref()),
        Verb::Remove { pick } => remove::run(&place, &pick),
    }
}
