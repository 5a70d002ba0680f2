//! A recorded test, played as the program is today.

use std::path::Path;

use crate::config::Invocation;
use crate::config::fault::Fault;
use crate::recorded::{Played, trace};
use crate::session::rehearsing::{LiveModel, RecordedTest, RulesOf, Today, played};

/// The lines of the test's play, today.
pub(super) fn lines(
    invocation: &Invocation,
    test: &RecordedTest,
    live: Option<LiveModel>,
) -> Result<Vec<String>, Fault> {
    Ok(told(invocation, test, &play(invocation, test, live)?))
}

/// The test's play, today.
pub(super) fn play(
    invocation: &Invocation,
    test: &RecordedTest,
    live: Option<LiveModel>,
) -> Result<Played, Fault> {
    let (session, folder) = test.session();
    let mut today = Today::new(invocation, Path::new(folder), session, live)?;
    played(&mut today, &test.entries, test.sandbox, None, RulesOf::Today)
}

/// A play in lines, without what differs from machine to machine.
pub(super) fn told(invocation: &Invocation, test: &RecordedTest, played: &Played) -> Vec<String> {
    let (session, folder) = test.session();
    let mut names = vec![(session.to_owned(), "SESSION"), (folder.to_owned(), "FOLDER")];
    names.push((invocation.cwd.to_string_lossy().into_owned(), "FOLDER"));
    if let Some(home) = invocation.environment.home() {
        names.push((home.to_string_lossy().into_owned(), "~"));
    }
    // A name within another one comes after it.
    names.retain(|(name, _)| name.len() > 1);
    names.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    trace(played, &names)
}
