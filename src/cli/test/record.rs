//! `test record`: a session as a test.

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use super::play::{play, told};
use super::settings::only_harmless;
use crate::cli::outcome::say;
use crate::cli::sessions::args::Pick;
use crate::cli::sessions::place::{SessionPlace, read};
use crate::config::environment::Environment;
use crate::config::exit::Exit;
use crate::config::fault::Fault;
use crate::config::{Flags, Invocation};
use crate::ledger::{Body, Entry};
use crate::recorded::Played;
use crate::runtime::new_private;
use crate::runtime::sandbox::support;
use crate::session::exporting::without_keys;
use crate::session::rehearsing::RecordedTest;
use crate::ui::text::counted;

pub(super) fn run(
    flags: &Flags,
    environment: Environment,
    pick: &Pick,
    output: &Path,
) -> Result<Exit, Fault> {
    only_harmless(&flags.config)?;
    let invocation = &crate::cli::invoke(flags, environment, None)?;
    let place = SessionPlace::new(invocation.cwd.clone(), invocation.environment.clone())?;
    let path = place.locate(pick)?;
    let (bytes, session) = read(&place, &path)?;
    // What stands in its place would be played, and the program decides otherwise about that.
    if session.left_out > 0 {
        return Err(Fault::failed(
            format!(
                "the contents of {} were left out of this session",
                counted(session.left_out as u64, "field")
            ),
            "nothing was recorded; name the whole session",
        ));
    }
    let has_sandbox = support().refuses(false).is_none();
    let clean = |line| without_keys(&invocation.environment, line);
    let mut test = RecordedTest::of(&bytes, has_sandbox, clean)
        .map_err(|why| Fault::failed(why, "name another session"))?;
    test.mode = mode(flags, invocation, &test);
    test.config.clone_from(&flags.config);
    test.rules = [flags.allow.clone(), flags.deny.clone(), flags.ask.clone()];
    let played = play(invocation, &test, None)?;
    test.expected = told(invocation, &test, &played);
    let to = invocation.cwd.join(output);
    let shown = output.display();
    let failed = |why: std::io::Error| match why.kind() {
        std::io::ErrorKind::AlreadyExists => {
            Fault::usage(format!("{shown} exists already"), "name another file, or remove it first")
        }
        _ => Fault::failed(format!("{shown} cannot be written: {why}"), "name another file"),
    };
    let mut file = new_private(&to).map_err(failed)?;
    // Half a test is none, and would be in the way of the next try.
    file.write_all(test.text().as_bytes())
        .inspect_err(|_| drop(std::fs::remove_file(&to)))
        .map_err(failed)?;
    say(&summary(&shown.to_string(), &test.entries, &played))
}

/// What the test has, and why it may not be what was wanted.
fn summary(shown: &str, recorded: &[Arc<Entry>], played: &Played) -> String {
    let missing = played.missing_tools(recorded);
    let mut words = format!(
        "{shown}: {}, {} to models\n",
        counted(recorded.len() as u64, "entry"),
        counted(played.requests.len() as u64, "request")
    );
    if !is_over(recorded) {
        words.push_str(
            "The recording ends in the middle of a run, and so does the test: the session is being written, was left, or is a fork of \
             that.\n",
        );
    } else if !missing.is_empty() {
        let names: Vec<String> = missing.into_iter().collect();
        words.push_str(&format!(
            "The session called {}, which is not there now: the test expects that it is unknown. Give the configuration and the servers of the \
             session if that is not what you want.\n",
            names.join(", ")
        ));
    } else if !played.deviations.is_empty() || !played.goes_as(recorded) {
        words.push_str(
            "The session does not go on as it did: with these rules and this mode the program decides otherwise. \
             Give the --mode and the rules of the session if that is not what you want.\n",
        );
    }
    words
}

/// Whether the last run has an end.
fn is_over(entries: &[Arc<Entry>]) -> bool {
    let last = entries.iter().rev().find(|entry| {
        matches!(entry.body, Body::TurnEnded(_) | Body::Transition { .. } | Body::User(_) | Body::Goal(_))
    });
    last.is_none_or(|entry| matches!(entry.body, Body::TurnEnded(_)))
}

/// The mode of the whole test. Where the session recorded its own and nobody names another, none is needed.
fn mode(flags: &Flags, invocation: &Invocation, test: &RecordedTest) -> String {
    let recorded = match test.entries.first().map(|entry| &entry.body) {
        Some(Body::SessionStarted(started)) => started.mode,
        _ => None,
    };
    match (&flags.mode, recorded) {
        (None, Some(_)) => String::new(),
        _ => invocation.config.mode.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::{EntryId, Millis};
    use crate::recorded::Deviation;

    #[test]
    fn what_a_test_has_is_counted_in_its_play_and_not_in_words() {
        // An error can say anything.
        let message = "broke\nrequest 7 to x\nthe recording has no further answer of a model".to_owned();
        let body = Body::Error { message, next: String::new() };
        let entries = [Arc::new(Entry { id: EntryId(1), at: Millis(0), body })];
        let played = Played { entries: entries.to_vec(), ..Played::default() };
        assert_eq!(summary("t.jsonl", &entries, &played), "t.jsonl: 1 entry, 0 requests to models\n");
        // One that never ends is none that goes on as it did, although it is interrupted at the same place.
        let played = Played { deviations: vec![Deviation::Endless], ..played };
        assert!(summary("t.jsonl", &entries, &played).contains("does not go on as it did"));
    }
}
