//! `race`: one task for several sub-agents, each in a git worktree of its own; how they stand; taking what one of them made.

pub mod args;
mod run;
mod shown;

use std::io::{IsTerminal as _, stdin, stdout};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::chat;
use super::outcome::{complain, say};
use super::sessions::args::Pick;
use super::sessions::place::SessionPlace;
use crate::agent::Intent;
use crate::config::environment::Environment;
use crate::config::exit::Exit;
use crate::config::fault::Fault;
use crate::config::models::{Table, choose};
use crate::config::{Flags, Invocation};
use crate::ledger::{Body, Entry};
use crate::policy::shell::shell_word;
use crate::runtime::SessionStore;
use crate::runtime::store::subagents::started_by;
use crate::runtime::store::{first_line_of, held};
use crate::session::attachments::Attach;
use crate::session::racing::{
    LaneStanding, adoption, audited_lanes, drop_branches, lanes, race_in, takes_seed,
};
use crate::session::{Keeping, SessionChoice};
use crate::ui::RaceWish;
use args::{OfRace, RaceArgs, RaceVerb};

/// Does what was asked for.
///
/// # Errors
/// There is no repository, no race or no such lane; the race cannot be run, or nothing can be taken.
pub(super) fn run(words: RaceArgs, before: Flags, environment: Environment) -> Result<Exit, Fault> {
    match words.verb.clone() {
        None => begin(words, before, environment),
        Some(RaceVerb::Show(of)) => {
            let found = RaceFound::of(&of, before, environment)?;
            say(&shown::lanes(&found.lanes, of.json))
        }
        Some(RaceVerb::Adopt { lane, of }) => {
            let found = RaceFound::of(&of, before, environment)?;
            let adopted = adoption(&found.lanes, lane, &found.invocation.cwd)
                .map_err(|why| Fault::usage(why, "see `countersign race show`"))?;
            let which = SessionChoice::Session(found.id);
            let intent = Intent::Adopt(Box::new(adopted));
            let elsewhere = found.is_elsewhere.then_some(found.invocation.cwd.as_path());
            run::adopt(&found.invocation, Keeping::Unasked(&which), intent, elsewhere)
        }
        Some(RaceVerb::Drop(of)) => {
            let found = RaceFound::of(&of, before, environment)?;
            found.is_its_own()?;
            found.is_as_recorded()?;
            let dropped = drop_branches(&found.lanes, &found.invocation.cwd)
                .map_err(|why| Fault::failed(why, "`countersign race show` shows the lanes"))?;
            if dropped.is_empty() {
                return say("nothing to remove: no lane of the race has a branch\n");
            }
            say(&dropped.iter().map(|line| format!("{line}\n")).collect::<String>())
        }
    }
}

fn begin(words: RaceArgs, before: Flags, environment: Environment) -> Result<Exit, Fault> {
    let flags = before.then(words.flags.clone());
    let invocation = super::invoke(&flags, environment, None)?;
    if invocation.goal.is_some() {
        return Err(Fault::usage("--goal cannot be combined with a race", "give the task, and --check"));
    }
    let RaceArgs { tasks: prompts, models, seeds, lanes, check, json, .. } = words;
    let wish = RaceWish { prompts, models, seeds, lanes, check };
    if !wish.seeds.is_empty() && wish.models.is_empty() {
        let choice = choose(&invocation.config, &invocation.environment, &Table::embedded())?;
        takes_seed(&choice.spec)
            .map_err(|why| Fault::usage(why, "leave --seeds out, or name another model with -m"))?;
    }
    let attach = Attach::without_hooks(&invocation);
    for task in &wish.prompts {
        attach.refuse_missing(task).map_err(|refused| Fault::usage(refused.what, refused.next))?;
    }
    let (race, point) = race_in(&invocation.cwd, &wish, &invocation.config, &invocation.environment)
        .map_err(|why| Fault::usage(why, "see `countersign race --help`"))?;
    let first = Intent::Race(Box::new(race));
    if !json && stdin().is_terminal() && stdout().is_terminal() {
        return chat::go_on(&invocation, Keeping::New, Some(first));
    }
    point.left_out().iter().for_each(|note| complain(&format!("note: {note}")));
    run::race(&invocation, json, first)
}

/// The race of a session.
struct RaceFound {
    id: String,
    /// Whether it was in another folder than the one in which somebody asks.
    is_elsewhere: bool,
    invocation: Invocation,
    lanes: Vec<LaneStanding>,
    /// What is wrong with the session.
    damage: Option<String>,
}

impl RaceFound {
    /// Which branches are those of the race stands in its session.
    fn is_as_recorded(&self) -> Result<(), Fault> {
        match &self.damage {
            Some(why) => Err(Fault::failed(
                format!("nothing was removed: {why}"),
                "`git branch -D` removes the branches that you name",
            )),
            None => Ok(()),
        }
    }

    /// A fork tells of the race that its session had before. Its branches are that one's, and its lanes may be at work.
    fn is_its_own(&self) -> Result<(), Fault> {
        let sessions = self.lanes.iter().filter_map(|lane| lane.session.as_deref());
        match sessions.filter_map(started_by).find(|above| *above != self.id) {
            Some(above) => Err(Fault::usage(
                format!(
                    "session {} was forked from one that had this race: its branches belong to {above}",
                    self.id
                ),
                format!("remove them with `countersign race drop {}`", shell_word(above)),
            )),
            None => Ok(()),
        }
    }

    fn of(of: &OfRace, before: Flags, environment: Environment) -> Result<Self, Fault> {
        let flags = before.then(of.flags.clone());
        let cwd = super::folder(flags.cd.as_deref())?;
        let place = SessionPlace::new(cwd.clone(), environment.clone())?;
        let path = match &of.session {
            Some(session) => place.locate(&Pick { session: Some(session.clone()), last: false })?,
            None => newest(&place)?,
        };
        let (file, damage) =
            SessionStore::audited(&path).map_err(|why| Fault::failed(why, "name another session"))?;
        // What is taken goes where the race was.
        let folder = folder_of(&file.entries).filter(|folder| folder.is_dir()).unwrap_or_else(|| cwd.clone());
        let is_elsewhere = folder != cwd;
        let is_open = held(&path).is_some();
        let lanes = audited_lanes(&place.state, &file.entries, damage.as_deref(), &folder, is_open);
        if lanes.is_empty() {
            let none = format!("session {} had no race", place.name(&path));
            return Err(Fault::usage(
                damage.map_or(none.clone(), |why| format!("{none} that can be found: {why}")),
                "`countersign race --help` shows how to start one",
            ));
        }
        let id = place.name(&path);
        let invocation = super::invoke(&Flags { cd: Some(folder), ..flags }, environment, None)?;
        Ok(Self { id, is_elsewhere, invocation, lanes, damage })
    }
}

/// The newest session of this folder that had a race.
fn newest(place: &SessionPlace) -> Result<PathBuf, Fault> {
    // The first line is read of all, and the rest of those of this folder.
    let had_one = |path: &PathBuf| {
        if first_line_of(path).is_none_or(|head| Path::new(&head.cwd) != place.cwd) {
            return false;
        }
        let entries = SessionStore::read(path).map(|file| file.entries).unwrap_or_default();
        folder_of(&entries).as_ref() == Some(&place.cwd)
            && !lanes(&place.state, &entries, &place.cwd, false).is_empty()
    };
    let found = crate::runtime::store::files(&place.state).into_iter().find(had_one);
    found.ok_or_else(|| {
        Fault::usage(
            "no session of this folder had a race",
            "`countersign race --help` shows how to start one",
        )
    })
}

fn folder_of(entries: &[Arc<Entry>]) -> Option<PathBuf> {
    match entries.first().map(|entry| &entry.body) {
        Some(Body::SessionStarted(started)) => Some(PathBuf::from(&started.cwd)),
        _ => None,
    }
}
