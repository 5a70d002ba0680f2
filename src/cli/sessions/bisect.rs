//! `sessions bisect`: which call of a session broke a command.

use std::time::Duration;

use tokio::runtime::Runtime;

use super::args::BisectArgs;
use super::place::{SessionPlace, remark};
use crate::cli::blame::described::described;
use crate::cli::outcome::say;
use crate::cli::signals;
use crate::config::exit::Exit;
use crate::config::fault::Fault;
use crate::runtime::Groups;
use crate::runtime::trial::{Attempt, Trial};
use crate::runtime::undo::FileDifference;
use crate::session::bisect::{BisectVerdict, Culprit, SessionWalk, copied};
use crate::session::other_sessions::first_words;
use crate::ui::text::{counted, sanitize};

/// Characters of a path, or of a reason.
const MOST: usize = 160;
/// Lines of a diff.
const MOST_LINES: usize = 60;

/// Walks the changes of one session; exit 0 when the call was found.
///
/// # Errors
/// The session or its changes cannot be read, its folder cannot be copied, or the command cannot be started.
pub(super) fn run(place: &SessionPlace, args: &BisectArgs) -> Result<Exit, Fault> {
    let path = place.locate(&args.pick)?;
    // What a file from elsewhere brings along would be run by the command.
    if !place.keeps(&path) {
        return Err(Fault::usage(
            format!("{} is not one of the sessions that are kept here", path.display()),
            "name one by its id: `countersign sessions list`",
        ));
    }
    let walk = SessionWalk::of(&path, place.environment.home()).map_err(|why| {
        Fault::failed(why, "choose a session that changed files: `countersign sessions list`")
    })?;
    if !walk.folder().is_dir() {
        let folder = walk.folder().display();
        return Err(Fault::usage(
            format!("the folder of the session, {folder}, is gone"),
            "choose another session",
        ));
    }
    if let Some(why) = walk.damage() {
        remark(why);
    }
    for (file, why) in &walk.left {
        let file = first_words(&file.display().to_string(), MOST);
        remark(&format!("{file} stays as it is now: {why}"));
    }
    remark("changes made by commands are not tracked; they are in every attempt as they are now");
    let runtime = Runtime::new().map_err(|why| Fault::failed(format!("cannot start: {why}"), ""))?;
    runtime.block_on(search(place, args, &walk))
}

async fn search(place: &SessionPlace, args: &BisectArgs, walk: &SessionWalk) -> Result<Exit, Fault> {
    let failed = |why: String| Fault::failed(why, "");
    let mut quit = signals::told_to_end()?;
    let Some(folder) = copied(walk.folder().to_owned(), &mut quit).await.map_err(failed)? else {
        return Ok(Exit::Interrupted);
    };
    if let Some(shared) = folder.shared_in_words() {
        remark(&first_words(&shared, MOST));
    }
    let groups = Groups::default();
    let trial = Trial {
        command: args.command.clone(),
        environment: place.environment.all(),
        most_time: Duration::from_secs(args.timeout),
        is_heard: args.verbose,
        groups: groups.clone(),
    };
    let count = walk.len();
    let tell = |made: usize, attempt: Attempt| {
        remark(&format!(
            "after {made} of {}, the command {}",
            counted(count as u64, "change"),
            outcome(attempt)
        ));
    };
    let verdict = walk.search(&folder, &trial, &mut quit, tell).await;
    groups.end_all(Duration::ZERO);
    if args.keep {
        remark(&format!("the copy is in {}", folder.keep().display()));
    } else {
        drop(folder);
    }
    told(place, verdict.map_err(|why| Fault::failed(why, "check the command"))?, args.timeout)
}

fn told(place: &SessionPlace, verdict: BisectVerdict, timeout: u64) -> Result<Exit, Fault> {
    let (text, exit) = match verdict {
        BisectVerdict::Stopped => return Ok(Exit::Interrupted),
        BisectVerdict::Broken(culprits) => {
            let head = match culprits.as_slice() {
                [_] => "this call broke it:\n",
                _ => "one of these calls broke it; what lies between them is not known:\n",
            };
            (head.to_owned() + &culprits.iter().map(culprit).collect::<String>(), Exit::Completed)
        }
        BisectVerdict::FailsBefore(Attempt::TimedOut) => (
            format!("not found: before the first change the command does not end within {timeout} s\n"),
            Exit::Failed,
        ),
        BisectVerdict::FailsBefore(attempt) => {
            let how = outcome(attempt);
            (
                format!("not found: before the first change of the session, the command {how} already\n"),
                Exit::Failed,
            )
        }
        BisectVerdict::SucceedsAfter => (
            "not found: after the last change of the session, the command succeeds\n".to_owned(),
            Exit::Failed,
        ),
    };
    say(&place.without_keys(text))?;
    Ok(exit)
}

fn outcome(attempt: Attempt) -> String {
    match attempt {
        Attempt::Succeeded => "succeeds".to_owned(),
        Attempt::Failed(Some(code)) => format!("fails with exit code {code}"),
        Attempt::Failed(None) => "is ended by a signal".to_owned(),
        Attempt::TimedOut => "does not end in time".to_owned(),
        Attempt::Stopped => "was stopped".to_owned(),
    }
}

fn culprit(found: &Culprit) -> String {
    let mut told = described(&found.by);
    for FileDifference { path, diff } in &found.diffs {
        let file = first_words(&path.display().to_string(), MOST);
        let (diff, added, removed) = match diff {
            Ok(diff) => diff,
            Err(why) => {
                told.push_str(&format!("  {file}: no diff, since {why}\n"));
                continue;
            }
        };
        told.push_str(&format!("  {file}: +{added} -{removed} lines\n"));
        let lines = diff.lines();
        told.extend(lines.clone().take(MOST_LINES).map(|line| format!("    {}\n", sanitize(line))));
        if let Some(more) = lines.count().checked_sub(MOST_LINES).filter(|more| *more > 0) {
            told.push_str(&format!("    \u{2026} lines left out: {more}\n"));
        }
    }
    told
}
