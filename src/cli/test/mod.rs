//! `test`: sessions that were kept as tests, played through the program as it is now.

pub mod args;
mod junit;
mod record;
mod run;
mod whole_file;

use std::path::Path;

use crate::config::environment::Environment;
use crate::config::exit::Exit;
use crate::config::fault::Fault;
use crate::config::{Flags, Invocation};
use crate::recorded::{Played, trace};
use crate::session::rehearsing::{LiveModel, RecordedTest, RulesOf, Today, played};
use args::{TestArgs, TestVerb};

/// Does what was asked for.
///
/// # Errors
/// A session, a test or a configuration that cannot be read.
pub(super) fn run(words: TestArgs, before: Flags, environment: Environment) -> Result<Exit, Fault> {
    match words.verb {
        TestVerb::Record { pick, output, flags } => {
            record::run(&before.then(*flags), environment, &pick, &output)
        }
        TestVerb::Run { files, junit, accept, live, flags } => {
            let flags = before.then(*flags);
            let how = run::How { junit, accept, live };
            run::run(&flags, &environment, &files, &how)
        }
    }
}

/// The keys that a test may set with `-c`: none of them starts a program, reaches a host or names a file, whoever wrote the test.
const KEYS: [&str; 4] = ["budget.", "loop.", "models.script.", "on_approval"];

/// Whether all these settings are of keys that a test may set.
///
/// # Errors
/// The first that is not.
fn only_harmless(settings: &[String]) -> Result<(), Fault> {
    let key = |setting: &String| setting.split('=').next().unwrap_or_default().trim().to_owned();
    let is_harmless =
        |key: &str| KEYS.iter().any(|known| key == *known || known.ends_with('.') && key.starts_with(known));
    match settings.iter().map(key).find(|key| !is_harmless(key)) {
        None => Ok(()),
        Some(key) => Err(Fault::usage(
            format!("a test cannot set {key}"),
            "it can set limits (budget, loop), models.script and on_approval; put the rest into the configuration",
        )),
    }
}

/// The flags that were given when it was recorded, and over them those that are given now.
///
/// # Errors
/// It sets more than a test may.
fn with_recorded(test: &RecordedTest, now: &Flags) -> Result<Flags, Fault> {
    only_harmless(&test.config)?;
    let [allow, deny, ask] = test.rules.clone();
    let mode = Some(test.mode.clone()).filter(|mode| !mode.is_empty());
    let recorded = Flags { mode, config: test.config.clone(), allow, deny, ask, ..Flags::default() };
    Ok(recorded.then(now.clone()))
}

/// The lines of the test's play, today.
fn lines(
    invocation: &Invocation,
    test: &RecordedTest,
    live: Option<LiveModel>,
) -> Result<Vec<String>, Fault> {
    Ok(told(invocation, test, &play(invocation, test, live)?))
}

/// The test's play, today.
fn play(invocation: &Invocation, test: &RecordedTest, live: Option<LiveModel>) -> Result<Played, Fault> {
    let (session, folder) = test.session();
    let mut today = Today::new(invocation, Path::new(folder), session, live)?;
    played(&mut today, &test.entries, test.sandbox, None, RulesOf::Today)
}

/// A play in lines, without what differs from machine to machine.
fn told(invocation: &Invocation, test: &RecordedTest, played: &Played) -> Vec<String> {
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
