//! `sessions`: what can be done with sessions from outside.

pub mod args;
mod bisect;
mod check;
mod compare;
mod export;
mod fork;
mod import;
mod import_foreign;
mod list;
mod otlp;
pub(super) mod place;
mod remove;
mod seal;
mod search;
mod show;
mod tag;
mod tree;
mod words;

use std::path::PathBuf;

use crate::config::environment::Environment;
use crate::config::exit::Exit;
use crate::config::fault::Fault;
use args::SessionsVerb;
use place::SessionPlace;

/// Does what was asked for, as seen from the folder `cwd`.
///
/// # Errors
/// One line that says what happened and what to do next.
pub(super) fn run(verb: SessionsVerb, cwd: PathBuf, environment: Environment) -> Result<Exit, Fault> {
    let place = SessionPlace::new(cwd, environment)?;
    match verb {
        SessionsVerb::List { tag, json } => list::run(&place, tag.as_deref(), json),
        SessionsVerb::Search { words, json } => search::run(&place, &words, json),
        SessionsVerb::Show { pick, json, events } => show::run(&place, &pick, json, events),
        SessionsVerb::Export(args) => export::run(&place, &args),
        SessionsVerb::Otlp(args) => otlp::run(&place, &args),
        SessionsVerb::Import { file, from } => import::run(&place, &file, from),
        SessionsVerb::Tag { words, last } => tag::run(&place, &words, last),
        SessionsVerb::Check { pick } => check::run(&place, &pick),
        SessionsVerb::Seal { pick, key } => seal::run(&place, &pick, key.as_deref()),
        SessionsVerb::Fork { pick, at } => fork::run(&place, &pick, at.as_deref()),
        SessionsVerb::Bisect(args) => bisect::run(&place, &args),
        SessionsVerb::Tree { session } => tree::run(&place, session),
        SessionsVerb::Compare { one, other } => compare::run(&place, &one, &other),
        SessionsVerb::Remove(args) => remove::run(&place, args),
    }
}
