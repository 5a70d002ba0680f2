//! `whatif`: a session from one of its decisions or messages on, otherwise.

pub mod args;
mod live;
mod offline;

use std::io::{IsTerminal as _, stdin, stdout};
use std::path::{Path, PathBuf};

use super::chat;
use super::sessions::args::Pick;
use super::sessions::place::{SessionPlace, now, remark};
use crate::agent::{Answer, Intent};
use crate::config::environment::Environment;
use crate::config::exit::Exit;
use crate::config::fault::Fault;
use crate::config::{Flags, Invocation};
use crate::ledger::{Arguments, Body, EntryId};
use crate::recorded::{Crossroads, Twist};
use crate::runtime::SessionStore;
use crate::session::SessionChoice;
use crate::session::branching::Trunk;
use crate::session::whatif::{Departure, branch};
use crate::wire::record::SessionFile;
use args::WhatifArgs;

/// Does what was asked for.
///
/// # Errors
/// The session or the entry is not there, nothing could have gone otherwise at it, or the branch cannot go on.
pub(super) fn run(words: &WhatifArgs, before: Flags, environment: Environment) -> Result<Exit, Fault> {
    let flags = before.then(words.flags());
    let cwd = super::folder(flags.cd.as_deref())?;
    let place = SessionPlace::new(cwd, environment.clone())?;
    let (pick, entry) = named(words)?;
    let path = place.locate(&pick)?;
    let file = SessionStore::read(&path).map_err(|why| Fault::failed(why, "name another session"))?;
    let departure = Departure::before(&file.entries, entry)?;
    let twist = twist(words, &file, &departure)?;
    if words.offline {
        let invocation = super::invoke(&flags, environment, None)?;
        return offline::run(&invocation, &file.entries, &twist);
    }
    // What a file from elsewhere brings along would be continued here.
    if !place.keeps(&path) {
        let what = format!("{} is not one of the sessions that are kept here", path.display());
        return Err(Fault::usage(what, "import it first, or use --offline"));
    }
    let folder = folder_of(&file);
    if !folder.is_dir() {
        let what = format!("the folder of the session, {}, is gone", folder.display());
        return Err(Fault::usage(what, "use --offline"));
    }
    let trunk = Trunk { state: &place.state, path: &path, name: place.name(&path), is_ours: true };
    let made = branch(&trunk, &departure, (&folder, words.here), environment.home(), now())?;
    made.remarks.iter().for_each(|what| remark(what));
    remark(&format!("branch {} goes on in {}", made.id, made.folder.display()));
    let flags = Flags { cd: Some(made.folder.clone()), ..flags };
    let invocation = super::invoke(&flags, environment, None)?;
    let which = SessionChoice::Session(made.id.clone());
    let first = first(&twist, &departure, &file);
    if stdin().is_terminal() && stdout().is_terminal() {
        chat::go_on(&invocation, &which, first)
    } else {
        live::run(&invocation, &which, first, &file.entries)
    }
}

fn named(words: &WhatifArgs) -> Result<(Pick, EntryId), Fault> {
    let (session, entry) = match (words.words.as_slice(), words.last) {
        ([entry], true) => (None, entry),
        ([session, entry], false) => (Some(session.clone()), entry),
        ([_], false) => {
            return Err(Fault::usage("a session or an entry is missing", "give both, as in `0199 e41`"));
        }
        _ => return Err(Fault::usage("--last names a session already", "give only the entry")),
    };
    let at = EntryId::parse(entry)
        .ok_or_else(|| Fault::usage(format!("`{entry}` is no entry"), "write it as in e41"))?;
    Ok((Pick { session, last: words.last }, at))
}

/// What is to be otherwise.
fn twist(words: &WhatifArgs, file: &SessionFile, departure: &Departure) -> Result<Twist, Fault> {
    match departure.crossroads {
        Crossroads::Decision(call) => {
            let answer = match (&words.deny, words.allow, &words.edit) {
                (Some(reason), _, _) => Answer::Deny(reason.clone()),
                (None, true, _) => Answer::AllowOnce,
                (None, false, Some(edit)) => match Arguments::parse(edit) {
                    arguments @ Arguments::Object(_) => Answer::Edit(arguments),
                    Arguments::Unusable(_) => {
                        return Err(Fault::usage(
                            "--edit is no JSON object",
                            "give all arguments of the call",
                        ));
                    }
                },
                (None, false, None) => {
                    return Err(Fault::usage("nothing is otherwise", "give --deny, --allow or --edit"));
                }
            };
            Ok(Twist::Decides(call, answer))
        }
        Crossroads::Message(message) => {
            if words.deny.is_some() || words.allow {
                return Err(Fault::usage(
                    format!("{message} is a message, and waits for no decision"),
                    "give --edit with other words, or another model with -m",
                ));
            }
            if words.edit.is_none() && words.model.is_none() && words.script.is_none() {
                return Err(Fault::usage("nothing is otherwise", "give --edit, or another model with -m"));
            }
            let said = file.entries.iter().find(|entry| entry.id == message).map(|entry| &entry.body);
            let before = if let Some(Body::User(said)) = said { said.content.clone() } else { String::new() };
            Ok(Twist::Says(message, words.edit.clone().unwrap_or(before)))
        }
    }
}

fn first(twist: &Twist, departure: &Departure, file: &SessionFile) -> Intent {
    match twist {
        Twist::Decides(call, answer) => Intent::Decide {
            request: departure.request.unwrap_or(EntryId(0)),
            call: *call,
            answer: answer.clone(),
        },
        Twist::Says(message, words) => {
            let said = file.entries.iter().find_map(|entry| match &entry.body {
                Body::User(said) if entry.id == *message => Some(said.as_ref().clone()),
                _ => None,
            });
            let mut said = said.unwrap_or_default();
            said.content.clone_from(words);
            Intent::Submit(said)
        }
    }
}

fn folder_of(file: &SessionFile) -> PathBuf {
    match file.entries.first().map(|entry| &entry.body) {
        Some(Body::SessionStarted(started)) => Path::new(&started.cwd).to_owned(),
        _ => PathBuf::new(),
    }
}

/// The folder and the home as words, for what is compared.
fn names(
    invocation: &Invocation,
    file: &[std::sync::Arc<crate::ledger::Entry>],
) -> Vec<(String, &'static str)> {
    let mut names = vec![(invocation.cwd.to_string_lossy().into_owned(), "FOLDER")];
    if let Some(Body::SessionStarted(started)) = file.first().map(|entry| &entry.body) {
        names.extend([(started.session.clone(), "SESSION"), (started.cwd.clone(), "FOLDER")]);
    }
    names
}
