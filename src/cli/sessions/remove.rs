//! `sessions remove`: forgets a session for good.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::args::{Pick, RemoveArgs};
use super::place::{EMPTY, SessionPlace, id_of, lines, remark};
use crate::cli::outcome::say;
use crate::config::exit::Exit;
use crate::config::fault::{Fault, one_line};
use crate::policy::shell::shell_word;
use crate::runtime::store::{Summary, is_unwritten, old, remove, remove_if_old, summarise};
use crate::session::other_sessions::{first_words, when};
use crate::session::racing::branches_of;
use crate::session::subagents::worktrees_of;
use crate::ui::text::counted;

/// Removes the session that is named, or the old ones.
pub(super) fn run(place: &SessionPlace, args: RemoveArgs) -> Result<Exit, Fault> {
    match args.older_than {
        Some(age) => remove_older(place, days(&age)?, args.yes),
        None => remove_one(place, &Pick { session: args.session, last: args.last }),
    }
}

/// `90d`, `90`.
fn days(text: &str) -> Result<u64, Fault> {
    let days = text.strip_suffix('d').unwrap_or(text).parse().ok().filter(|days| *days > 0);
    days.ok_or_else(|| {
        Fault::usage(
            format!("`{}` is not a number of days", one_line(text)),
            "write it as in --older-than 90d",
        )
    })
}

/// Lists the sessions that have not changed for so long, and removes them if that is wished.
fn remove_older(place: &SessionPlace, days: u64, is_wished: bool) -> Result<Exit, Fault> {
    let now = SystemTime::now();
    let (mut told, mut count) = (Vec::new(), 0);
    for old in old(&place.state, days, now) {
        let about = format!(
            "{} ({}, unchanged for {} days)",
            one_line(&id_of(&old.path)),
            old.summary.as_ref().map_or_else(|| EMPTY.to_owned(), |known| about(place, known)),
            old.days
        );
        let folder = old.summary.as_ref().map(|known| PathBuf::from(&known.cwd));
        let left = || folder.map(|folder| left_by(place, &old.path, &folder)).unwrap_or_default();
        match is_wished.then(|| (left(), remove_if_old(&place.state, &old, days, now))) {
            Some((_, Err(why))) => remark(&format!("{why}; not removed")),
            Some((left, Ok(()))) => {
                left.iter().for_each(|line| remark(line));
                told.push(format!("removed {about}"));
            }
            None => told.push(about),
        }
        count += 1;
    }
    if count == 0 {
        remark(&format!(
            "no session without a tag or a seal is unchanged for more than {}",
            counted(days, "day")
        ));
    } else if !is_wished {
        remark(&format!("nothing was removed; add --yes to remove {}", sessions(count)));
    }
    say(&lines(told))
}

fn sessions(count: usize) -> String {
    if count == 1 { "this session".to_owned() } else { format!("these {count} sessions") }
}

fn about(place: &SessionPlace, summary: &Summary) -> String {
    let folder = place.environment.shown(Path::new(&summary.cwd));
    format!("{}, {}, {}", when(summary.started), first_words(&folder, 80), first_words(summary.title(), 60))
}

/// The worktrees that sub-agents of a session left, and the branches of its race: they may be wanted, and nothing else names them when the
/// session is gone. `folder` is that of the session.
fn left_by(place: &SessionPlace, path: &Path, folder: &Path) -> Vec<String> {
    let id = id_of(path);
    let Some((repository, worktrees)) = worktrees_of(folder, &id) else { return Vec::new() };
    let git = format!("git -C {}", shell_word(&repository.to_string_lossy()));
    let worktree = |top: &PathBuf| {
        let named = shell_word(&top.to_string_lossy());
        format!(
            "a sub-agent's git worktree stays: {}; `{git} worktree remove --force {named}` removes it and what is in it",
            top.display()
        )
    };
    let branches = branches_of(&place.state, path, folder, &id).join(" ");
    let branches = (!branches.is_empty())
        .then(|| format!("branches of its race stay: {branches}; `{git} branch -D {branches}` removes them"));
    worktrees.iter().map(worktree).chain(branches).collect()
}

/// Removes a kept session and names it. Files that lie elsewhere are none of ours.
fn remove_one(place: &SessionPlace, pick: &Pick) -> Result<Exit, Fault> {
    let path = place.locate(pick)?;
    if !place.keeps(&path) {
        return Err(Fault::usage(
            format!("{} is not one of the stored sessions", path.display()),
            "give a session's id (`countersign sessions list`); delete other files yourself",
        ));
    }
    // What cannot be read can be removed all the same.
    let summary = summarise(&path).ok();
    let described = match &summary {
        Some(known) => about(place, known),
        None if is_unwritten(&path) => EMPTY.to_owned(),
        None => "unreadable".to_owned(),
    };
    let folder = summary.as_ref().map_or_else(|| place.cwd.clone(), |known| PathBuf::from(&known.cwd));
    let left = left_by(place, &path, &folder);
    remove(&place.state, &path).map_err(|why| Fault::failed(why, "nothing was removed"))?;
    left.iter().for_each(|line| remark(line));
    say(&format!("removed {} ({described})\n", one_line(&id_of(&path))))
}
