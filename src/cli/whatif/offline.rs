//! `whatif --offline`: the recorded rest, played with one thing otherwise.

use std::path::Path;
use std::sync::Arc;

use super::names::names;
use crate::cli::compared::{Compared, compared};
use crate::cli::outcome::say;
use crate::cli::sessions::place::remark;
use crate::config::Invocation;
use crate::config::exit::Exit;
use crate::config::fault::Fault;
use crate::ledger::{Body, Entry, EntryId};
use crate::recorded::{Played, Twist, trace};
use crate::runtime::sandbox::support;
use crate::session::rehearsing::{RulesOf, Today, played};

pub(super) fn run(
    invocation: &Invocation,
    entries: &[Arc<Entry>],
    (twist, from): (&Twist, EntryId),
) -> Result<Exit, Fault> {
    let Some(Body::SessionStarted(started)) = entries.first().map(|entry| &entry.body) else {
        return Err(Fault::usage("there is no session in it", "name another one"));
    };
    let has_sandbox = support().refuses(false).is_none();
    let play = |twist: Option<(&Twist, EntryId)>| -> Result<Played, Fault> {
        let mut today = Today::new(invocation, Path::new(&started.cwd), &started.session, None)?;
        played(&mut today, entries, has_sandbox, twist, RulesOf::ItsTime)
    };
    let (as_it_was, otherwise) = (play(None)?, play(Some((twist, from)))?);
    if !as_it_was.goes_as(entries) {
        remark(
            "with the limits, hooks and tools of today the session does not go on as it did: \"as it was\" is how it would go today; give \
             the limits and tools that it had with -c",
        );
    }
    let names = names(invocation, entries);
    let (as_it_was, otherwise) = (trace(&as_it_was, &names), trace(&otherwise, &names));
    match compared(&as_it_was, &otherwise, ("as it was", "otherwise")) {
        Compared::Different(diff) => say(&super::super::compared::shown(&diff)),
        _ => say("nothing would have been different\n"),
    }
}
