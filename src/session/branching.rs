//! A new session that begins like another one: for `sessions fork`, and for going back to before a message.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use uuid::Uuid;

use crate::config::fault::Fault;
use crate::ledger::{
    Body, Entry, EntryId, ForkFault, Millis, accepted_gaps, forkable, grants, has_room, opened_hosts,
};
use crate::policy::shell::shell_word;
use crate::recorded::results_of_decided;
use crate::runtime::SessionStore;
use crate::runtime::store::{Salts, adopt, find, known};
use crate::runtime::undo::{Agreement, Snapshots};
use crate::wire::record::before as before_entry;
use crate::wire::record::{
    Audit, Copy, Keeps, Links, SessionFile, TakenBack, audit, audit_lines, read_session, up_to,
};

/// What to know of a copy of a session from elsewhere that had a system prompt.
pub(crate) const OWN_INSTRUCTIONS: &str =
    "the system prompt of the file is left out; the session goes on with the prompt that a new one has here";

/// Clocks of two machines differ by less: time zones do not count.
const MOST_AHEAD_MS: u64 = 24 * 3_600_000;

/// Why a session from elsewhere could not go on here: what comes has higher numbers than all that stands, and no earlier time.
pub(crate) fn cannot_go_on(entries: &[Arc<Entry>], now: Millis) -> Option<String> {
    if !has_room(entries) {
        return Some(
            "its entries or calls have numbers so high that too few are left for those to come".to_owned(),
        );
    }
    let ahead = entries.iter().find(|entry| entry.at.since(now) > MOST_AHEAD_MS)?;
    Some(format!("the time of its entry {} is more than a day ahead of the clock here", ahead.id))
}

/// Whether a session says what its model was told first.
pub(crate) fn has_instructions(entries: &[Arc<Entry>]) -> bool {
    let first = entries.first().map(|entry| &entry.body);
    matches!(first, Some(Body::SessionStarted(started)) if !started.system.is_empty())
}

/// The session that another one begins like.
pub(crate) struct Trunk<'a> {
    /// Where sessions are kept.
    pub state: &'a Path,
    /// Its file.
    pub path: &'a Path,
    /// How it is named in what to type next.
    pub name: String,
    /// Whether the file is one of those that we keep: what was allowed there for the session holds on.
    pub is_ours: bool,
}

/// What came of it.
pub(crate) struct Branched {
    /// The last entry that both have.
    pub last: EntryId,
    /// How many entries both have.
    pub entries: usize,
    /// What to know beside it.
    pub remark: Option<String>,
}

impl Trunk<'_> {
    /// What stands beside the file is ours only where we keep it.
    fn known(&self) -> Option<Links> {
        if self.is_ours { known(self.path) } else { None }
    }

    /// The last entry of a file from elsewhere: nobody here has seen what was decided up to there.
    fn came_along(&self, entries: &[Arc<Entry>]) -> Option<EntryId> {
        if self.is_ours { None } else { entries.iter().map(|entry| entry.id).max() }
    }

    /// Whether the lines of the copy are counted from now on. A session of ours that may lack lines hands
    /// that on: its copy says so. Of a file from elsewhere nobody ever counted them, and its copy says where
    /// it comes from.
    fn counts_from_here(&self, is_whole: bool) -> bool {
        !self.is_ours || is_whole
    }

    /// Copies the beginning, up to an entry, else all of it. It ends where no call is open: a result that nobody gave
    /// is not made up.
    ///
    /// # Errors
    /// It cannot be read, there is no such entry, or no session can end there: says where one can.
    pub(crate) fn branch(&self, last: Option<EntryId>, id: &str, now: Millis) -> Result<Branched, Fault> {
        let name = &self.name;
        // Before the session: one that is being written has more lines then than are known, and never fewer.
        let known = self.known();
        let bytes =
            SessionStore::bytes(self.path).map_err(|why| Fault::failed(why, "name another session"))?;
        let has_end = known.is_some();
        let audit = audit_lines(&bytes, known.unwrap_or_default());
        if let Some(fault) = audit.faults.first().filter(|_| audit.is_replaced) {
            return Err(unsound(name, &fault.to_string()));
        }
        let last = last.map_or_else(|| whole(name, &audit), Ok)?;
        let beginning = up_to(&bytes, last).ok_or_else(|| {
            Fault::usage(
                format!("session {name} has no entry {last}"),
                format!("`countersign sessions show {} --json` lists its entries", shell_word(name)),
            )
        })?;
        let file = read_session(beginning).map_err(|why| unsound(name, &why.to_string()))?;
        sound(name, beginning)?;
        can_end(&bytes, &file, last)?;
        let origin = format!("{}@{last}", session_id(&file));
        let (keeps, remark) = match self.is_ours {
            true => {
                let (back, remark) = taken_back_since(&bytes, &file);
                (Keeps::AllExcept(back), remark)
            }
            false => (Keeps::Nothing, from_elsewhere(name, &file.entries, now)?),
        };
        let copy = Copy {
            session: id,
            at: Some(now),
            origin: Some(("forked_from", &origin)),
            folder: None,
            imported_to: self.came_along(&file.entries),
            is_of_here: self.is_ours,
            keeps,
        };
        let mut salts = Salts::new().map_err(|why| Fault::failed(why, "try again"))?;
        let has_end = self.counts_from_here(has_end && audit.faults.is_empty());
        let path = adopt(self.state, id, now, &copy.of(beginning, &mut || salts.salt()), has_end)
            .map_err(|why| Fault::failed(why, "free disk space, or fix the folder's permissions"))?;
        let lost = if self.is_ours { self.carry_changes(&path, &file).err() } else { None };
        let remark = remark.or_else(|| {
            lost.map(|why| format!("what its calls changed cannot be undone or traced there: {why}"))
        });
        Ok(Branched { last, entries: file.entries.len(), remark })
    }

    /// What the calls of the beginning changed, and what the files were, goes along.
    fn carry_changes(&self, branch: &Path, beginning: &SessionFile) -> Result<(), String> {
        let calls = beginning.entries.iter().filter_map(|entry| match &entry.body {
            Body::ToolCall(call) | Body::Command(call) => Some(call.id),
            _ => None,
        });
        Snapshots::beside(branch).carry(&Snapshots::beside(self.path), &calls.collect())
    }

    /// What the calls that are over in the branch changed goes along, as changes of its own folder.
    fn carry_into(&self, branch: &Path, whole: &SessionFile, home: Option<PathBuf>) -> Result<(), String> {
        let entries = SessionStore::read(branch)?.entries;
        let (Some(old), Some(new)) = (folder_of(&whole.entries), folder_of(&entries)) else { return Ok(()) };
        let calls = entries.iter().filter_map(|entry| match &entry.body {
            Body::ToolResult(result) => Some(result.call),
            _ => None,
        });
        // As recorded paths are.
        let real = |folder: &Path| folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let books = Agreement::with(&entries, &new, home);
        let (there, here) = (Snapshots::beside(self.path), Snapshots::beside(branch));
        here.carry_into(&there, &calls.collect(), (&real(&old), &real(&new)), &books)
    }

    /// Copies all that stands before an entry into a session of another folder, also where a call waits for a decision. Of calls that
    /// had been started before it, the result goes along: it does not depend on what comes.
    ///
    /// # Errors
    /// It cannot be read, or there is no such entry.
    pub(crate) fn branch_before(
        &self,
        first: EntryId,
        folder: &Path,
        (id, now, home): (&str, Millis, Option<PathBuf>),
    ) -> Result<Branched, Fault> {
        let name = &self.name;
        let bytes =
            SessionStore::bytes(self.path).map_err(|why| Fault::failed(why, "name another session"))?;
        let whole = read_session(&bytes).map_err(|why| unsound(name, &why.to_string()))?;
        sound(name, &bytes)?;
        let at = whole.entries.iter().position(|entry| entry.id == first);
        let before = whole.entries.get(..at.unwrap_or_default()).unwrap_or_default();
        let last = before
            .last()
            .map(|entry| entry.id)
            .ok_or_else(|| Fault::usage(format!("nothing stands before {first}"), "name a later entry"))?;
        let ended =
            results_of_decided(&whole.entries, first).map_err(|why| unsound(name, &why.to_string()))?;
        let beginning = before_entry(&bytes, first, &ended)
            .ok_or_else(|| Fault::usage(format!("session {name} has no entry {first}"), ""))?;
        let origin = format!("{}@{last}", session_id(&whole));
        let folder = folder.to_string_lossy();
        let copy = Copy {
            session: id,
            at: Some(now),
            origin: Some(("forked_from", &origin)),
            folder: Some(&folder),
            imported_to: self.came_along(before),
            is_of_here: self.is_ours,
            keeps: Keeps::Nothing,
        };
        let mut salts = Salts::new().map_err(|why| Fault::failed(why, "try again"))?;
        let has_end = self.counts_from_here(self.known().is_some());
        let branch = adopt(self.state, id, now, &copy.of(&beginning, &mut || salts.salt()), has_end)
            .map_err(|why| Fault::failed(why, "free disk space, or fix the folder's permissions"))?;
        let lost = if self.is_ours { self.carry_into(&branch, &whole, home).err() } else { None };
        let remark =
            lost.map(|why| format!("what its calls changed cannot be undone or traced there: {why}"));
        Ok(Branched { last, entries: before.len(), remark })
    }
}

/// Goes back to before messages of one session.
#[derive(Debug, Clone)]
pub(crate) struct Rewinding {
    state: PathBuf,
    id: String,
}

impl Rewinding {
    /// Of the session of this id.
    pub(crate) fn new(state: PathBuf, id: String) -> Self {
        Self { state, id }
    }

    /// Makes a session that has all that this one has, and returns its id.
    ///
    /// # Errors
    /// Why there is none, in one line.
    pub(crate) fn fork(&self, now: Millis) -> Result<String, String> {
        let path = find(&self.state, &self.id)
            .map_err(|_none| "there are no messages yet, so there is nothing to fork".to_owned())?;
        let id = Uuid::now_v7().to_string();
        let trunk = Trunk { state: &self.state, path: &path, name: self.id.clone(), is_ours: true };
        trunk.branch(None, &id, now).map(|_| id).map_err(|why| why.to_string())
    }

    /// Makes the session of that id, which has all that stands before the message.
    ///
    /// # Errors
    /// Why there is none, in one line.
    pub(crate) fn branch(&self, message: EntryId, branch: &str, now: Millis) -> Result<(), String> {
        let path = find(&self.state, &self.id)?;
        let file = SessionStore::read(&path)?;
        let at = file.entries.iter().position(|entry| entry.id == message);
        let before = at.and_then(|at| file.entries.get(at.checked_sub(1)?));
        let last = before.ok_or_else(|| format!("nothing stands before {message}"))?.id;
        let trunk = Trunk { state: &self.state, path: &path, name: self.id.clone(), is_ours: true };
        trunk.branch(Some(last), branch, now).map(drop).map_err(|why| why.to_string())
    }
}

fn unsound(name: &str, why: &str) -> Fault {
    Fault::failed(
        format!("session {name} cannot be forked there: {why}"),
        format!(
            "`countersign sessions check {}` reports up to which entry it is well-formed",
            shell_word(name)
        ),
    )
}

/// The last entry at which a session without a fault can end.
fn whole(name: &str, audit: &Audit) -> Result<EntryId, Fault> {
    let Some(last) = audit.sound_to else { return Err(unsound(name, "no part of it is well-formed")) };
    match audit.faults.first() {
        None => Ok(last),
        Some(fault) => Err(Fault::failed(
            format!("session {name} is not well-formed: {fault}"),
            format!(
                "`countersign sessions fork {} --at {last}` saves what stands before that",
                shell_word(name)
            ),
        )),
    }
}

/// What to know of a fork of a file from elsewhere.
///
/// # Errors
/// It could not go on here.
fn from_elsewhere(name: &str, entries: &[Arc<Entry>], now: Millis) -> Result<Option<String>, Fault> {
    if let Some(why) = cannot_go_on(entries, now) {
        let what = format!("session {name} cannot be forked: {why}");
        return Err(Fault::failed(what, "nothing was written"));
    }
    Ok(has_instructions(entries).then(|| OWN_INSTRUCTIONS.to_owned()))
}

/// That nothing is wrong with these lines.
fn sound(name: &str, bytes: &[u8]) -> Result<(), Fault> {
    audit(bytes).faults.first().map_or(Ok(()), |fault| Err(unsound(name, &fault.to_string())))
}

/// Refuses a place at which no fork can end, and names the nearest that will do.
fn can_end(bytes: &[u8], beginning: &SessionFile, last: EntryId) -> Result<(), Fault> {
    // The rest of the file may be damaged: then nothing more is known than what stands before.
    let whole = read_session(bytes).map(|file| file.entries).unwrap_or_else(|_| beginning.entries.clone());
    forkable(&whole, beginning.entries.len()).map_err(|why| match why {
        ForkFault::CallsAreOpen { nearest } => Fault::usage(
            format!("at {last} calls wait for their results, so a session cannot end there"),
            fork_at(&nearest),
        ),
        ForkFault::ComesBack { kept, stone, nearest } => {
            Fault::usage(format!("the fork would keep {kept}, which {stone} withdraws"), fork_at(&nearest))
        }
    })
}

/// Places that will do, as a next step.
fn fork_at(places: &[EntryId]) -> String {
    let places: Vec<String> = places.iter().map(ToString::to_string).collect();
    format!("fork at {}", places.join(" or "))
}

/// What was allowed at the place and is taken back after it: nobody here allows it anew.
fn taken_back_since(bytes: &[u8], beginning: &SessionFile) -> (TakenBack, Option<String>) {
    let mut back = TakenBack::default();
    let entries = || beginning.entries.iter().map(AsRef::as_ref);
    back.calls.extend(grants(entries()).iter().map(|grant| grant.call));
    back.hosts.extend(opened_hosts(entries()).into_iter().map(str::to_owned));
    let gaps = accepted_gaps(entries());
    match read_session(bytes) {
        Ok(whole) => {
            let whole = || whole.entries.iter().map(AsRef::as_ref);
            for grant in grants(whole()) {
                back.calls.remove(&grant.call);
            }
            for host in opened_hosts(whole()) {
                back.hosts.remove(host);
            }
            let standing = accepted_gaps(whole());
            back.gaps = gaps.iter().any(|gap| !standing.contains(gap));
        }
        // Whether one of them was taken back, the damaged rest may have said.
        Err(why) => {
            back.gaps = !gaps.is_empty();
            if back != TakenBack::default() {
                let remark = format!(
                    "the rest of the session cannot be read ({why}), so the fork keeps nothing of what was allowed for the whole session"
                );
                return (back, Some(remark));
            }
        }
    }
    (back, None)
}

fn folder_of(entries: &[Arc<Entry>]) -> Option<PathBuf> {
    match entries.first().map(|entry| &entry.body) {
        Some(Body::SessionStarted(started)) => Some(PathBuf::from(&started.cwd)),
        _ => None,
    }
}

fn session_id(file: &SessionFile) -> &str {
    match file.entries.first().map(|entry| &entry.body) {
        Some(Body::SessionStarted(started)) => &started.session,
        _ => "",
    }
}
