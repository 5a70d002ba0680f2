//! `whatif`: a session from one of its decisions or messages on, otherwise.

pub mod args;
mod live;
mod names;
mod offline;

use std::io::{IsTerminal as _, stdin, stdout};
use std::path::{Path, PathBuf};

use super::chat;
use super::sessions::args::Pick;
use super::sessions::place::{SessionPlace, now, remark};
use crate::config::Flags;
use crate::config::environment::Environment;
use crate::config::exit::Exit;
use crate::config::fault::Fault;
use crate::ledger::{Body, EntryId};
use crate::recorded::Twist;
use crate::runtime::SessionStore;
use crate::session::branching::Trunk;
use crate::session::whatif::{Typed, branch, departure, first, twist};
use crate::session::{Keeping, SessionChoice};
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
    let (file, damage) =
        SessionStore::audited(&path).map_err(|why| Fault::failed(why, "name another session"))?;
    damage.iter().for_each(|why| remark(why));
    let departure = departure(&file.entries, entry)?;
    let twist = twist(typed(words), &file.entries, &departure)?;
    if words.offline {
        let invocation = super::invoke(&flags, environment, None)?;
        return offline::run(&invocation, &file.entries, (&twist, departure.first));
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
    let made = branch(
        &trunk,
        (&twist, &departure, &file.entries),
        (&folder, words.here),
        environment.home(),
        now(),
    )?;
    made.remarks.iter().for_each(|what| remark(what));
    remark(&format!("branch {} goes on in {}", made.id, made.folder.display()));
    let flags = Flags { cd: Some(made.folder.clone()), ..flags };
    let invocation = super::invoke(&flags, environment, None)?;
    let which = SessionChoice::Session(made.id.clone());
    let first = first(&made.twist, &departure, &file.entries);
    let keeping = match &made.twist {
        Twist::Decides(call, answer) if first.is_none() => Keeping::Branch(&which, *call, answer),
        Twist::Decides(..) | Twist::Says(..) => Keeping::Earlier(&which),
    };
    if stdin().is_terminal() && stdout().is_terminal() {
        chat::go_on(&invocation, keeping, first)
    } else {
        live::run(&invocation, keeping, first, &file.entries)
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
        .ok_or_else(|| Fault::usage(format!("`{entry}` is not an entry"), "write it as in e41"))?;
    Ok((Pick { session, last: words.last }, at))
}

/// What was typed.
fn typed(words: &WhatifArgs) -> Typed<'_> {
    Typed {
        deny: words.deny.as_deref(),
        allow: words.allow,
        edit: words.edit.as_deref(),
        has_other_model: words.model.is_some() || words.script.is_some(),
    }
}

fn folder_of(file: &SessionFile) -> PathBuf {
    match file.entries.first().map(|entry| &entry.body) {
        Some(Body::SessionStarted(started)) => Path::new(&started.cwd).to_owned(),
        _ => PathBuf::new(),
    }
}
