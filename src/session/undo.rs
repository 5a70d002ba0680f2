//! Undo: files are put back to what they were before the agent changed them.
//!
//! What an undo would do is worked out when it is asked for, and once more when it is to be done: only what was shown is
//! done. Only the loop writes the ledger, so what was done is handed to it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::config::Invocation;
use crate::ledger::{Body, CallId, Change, Entry, EntryId, Escrow, FilesRestored};
use crate::policy::shell::shell_word;
use crate::policy::{effect_of_line, shell};
use crate::runtime::SessionStore;
use crate::runtime::store::find;
use crate::runtime::undo::{
    Agreement, FileAction, FileDifference, Finished, Plan, Restored, Snapshots, UndoScope,
};
use crate::tool::SideEffect;
use crate::tool::name::SHELL;
use crate::ui::commands::plain_git_diff;
use crate::ui::undo_preview::UndoPreview;
use crate::wire::record::SessionFile;

/// One session, and what its files were.
#[derive(Debug, Clone)]
pub(crate) struct Undoing {
    state: PathBuf,
    id: String,
    folder: PathBuf,
    home: Option<PathBuf>,
    snapshots: Snapshots,
}

impl Undoing {
    /// Of the session of this id, which belongs to the folder of this run.
    pub(crate) fn new(state: PathBuf, id: String, invocation: &Invocation) -> Self {
        let (folder, home) = (invocation.cwd.clone(), invocation.environment.home());
        let snapshots = Snapshots::of_session(state.clone(), id.clone());
        Self { state, id, folder, home, snapshots }
    }

    /// What taking back the last turn that changed files would do, or all turns since a message of the user.
    ///
    /// `Ok(None)`: no call of the agent changed a file.
    ///
    /// # Errors
    /// Why it cannot be told, in one line.
    pub(crate) fn offer(&self, message: Option<EntryId>) -> Result<Option<UndoPreview>, String> {
        let file = self.file()?;
        let entries = &file.entries;
        let turns = self.turns_of(entries)?;
        let changing = match message {
            Some(message) => {
                let mut later = turns.iter().filter(|turn| turn.message >= message);
                later.find(|turn| !turn.changing.is_empty())
            }
            None => turns.iter().rev().find(|turn| !turn.changing.is_empty()),
        };
        let since = changing.and_then(|turn| turn.changing.first());
        let Some(since) = since else {
            return match self.changed_by_subagents(&file, message).as_slice() {
                [] => Ok(None),
                sessions => Err(format!(
                    "nothing to undo here, but sub-agents changed files; undo that in their sessions, with \
                     `countersign resume {}` and /undo",
                    sessions
                        .iter()
                        .map(|session| shell_word(session))
                        .collect::<Vec<_>>()
                        .join("`, `countersign resume ")
                )),
            };
        };
        let mut commands = commands(entries, *since);
        let sessions = self.changed_by_subagents(
            &file,
            turns.iter().find(|turn| turn.changing.contains(since)).map(|turn| turn.message),
        );
        commands.extend(
            sessions.into_iter().map(|session| format!("what the sub-agent of session {session} changed")),
        );
        Ok(Some(UndoPreview { commands, ..self.offer_of(*since, &self.plan(*since, &turns, entries)?) }))
    }

    /// The sessions of sub-agents that changed files, since a message of the user or in the last turn. A fork goes on with what the session
    /// did that it was made from, whose sub-agents have that one's name; those of an import did not work here.
    fn changed_by_subagents(&self, file: &SessionFile, message: Option<EntryId>) -> Vec<String> {
        let entries = &file.entries;
        let forked_at = entries.first().and_then(|first| match &first.body {
            Body::SessionStarted(started) => started.forked_at(),
            _ => None,
        });
        let is_ours = |id: EntryId, escrow: &Escrow| {
            let is_inherited = Some(id) <= forked_at && escrow.of_session().is_some();
            Some(id) > file.imported_to && (is_inherited || escrow.is_of(&self.id))
        };
        let last =
            || entries.iter().rev().find(|entry| matches!(entry.body, Body::User(_))).map(|entry| entry.id);
        let since = message.or_else(last);
        let later = entries.iter().filter(|entry| since.is_none_or(|since| entry.id >= since));
        let sessions = later.filter_map(|entry| match &entry.body {
            Body::Change(Change::EscrowReserved(escrow)) if is_ours(entry.id, escrow) => {
                Some(escrow.session.clone())
            }
            _ => None,
        });
        let changed = |session: &String| {
            let snapshots = Snapshots::of_session(self.state.clone(), session.clone());
            snapshots.changes().is_ok_and(|changes| changes.iter().any(|change| change.call.is_some()))
        };
        sessions.filter(changed).collect()
    }

    /// Does what was shown, and says what was done.
    ///
    /// # Errors
    /// Why nothing was, in one line.
    pub(crate) fn restore(&self, since: CallId, shown: &[(String, String)]) -> Result<FilesRestored, String> {
        let entries = self.file()?.entries;
        let plan = self.plan(since, &self.turns_of(&entries)?, &entries)?;
        if self.offer_of(since, &plan).files != shown {
            return Err(
                "nothing was undone: something has changed since this was shown; check it again".to_owned()
            );
        }
        let restored = self.snapshots.restore(&plan, entries.len() as u64)?;
        Ok(self.told(since, restored))
    }

    /// Finishes what the end of an earlier process cut off: what was done, when there is something of it that these entries,
    /// all that the session has, do not tell; and in words what was refused or could not be done. That is set aside: whoever goes on with
    /// the session changes files, and it is not done after that.
    pub(crate) fn finish(
        &self,
        entries: &[Arc<Entry>],
        books: &Agreement,
    ) -> (Option<FilesRestored>, Option<String>) {
        let is_told = |since, earlier| is_told(entries, since, earlier);
        let finished = match self.snapshots.finish(books, is_told) {
            Ok(finished) => finished,
            Err(why) => {
                let kept = self
                    .snapshots
                    .give_up()
                    .map(|kept| format!(" Its record is kept as {}.", kept.display()));
                let kept = kept.unwrap_or_default();
                return (None, Some(format!("An interrupted undo could not be completed: {why}.{kept}")));
            }
        };
        match finished {
            Finished::Nothing => (None, None),
            Finished::Done(restored) => (restored.since.map(|since| self.told(since, restored)), None),
            Finished::Failed(restored, failed, kept) => {
                let failed: Vec<String> =
                    failed.iter().map(|(file, why)| format!("{}: {why}", self.shown(file))).collect();
                let why = format!(
                    "An interrupted undo could not be completed: {}. Its record is kept as {}.",
                    failed.join("; "),
                    kept.display()
                );
                let since = restored.since.filter(|_| !restored.files.is_empty());
                (since.map(|since| self.told(since, restored)), Some(why))
            }
            Finished::Damaged(line, kept) => (
                None,
                Some(format!(
                    "The record of an undo that was cut off is damaged in line {line}, and nothing was \
                     touched. It is kept as {}.",
                    kept.display()
                )),
            ),
            Finished::Refused(files, kept) => {
                let files: Vec<String> = files.iter().map(|file| self.shown(file)).collect();
                (
                    None,
                    Some(format!(
                        "The record of an interrupted undo was refused, and nothing was changed: according to \
                         the ledger, the agent did not change the files it names: {}. It is saved as {}.",
                        files.join(", "),
                        kept.display()
                    )),
                )
            }
        }
    }

    /// Removes what a killed process of this session has left beside files: the files that were to have it.
    pub(crate) fn remove_leftovers(&self, books: &Agreement) -> Vec<String> {
        let left = self.snapshots.remove_leftovers(books);
        left.iter().map(|left| self.shown(&left.file)).collect()
    }

    /// The files that the session has changed and that are different now, and how many it changed in all.
    ///
    /// # Errors
    /// Why that is not known, in one line.
    pub(crate) fn differences(&self, most: usize) -> Result<(Vec<FileDifference>, usize), String> {
        let entries = self.file()?.entries;
        self.snapshots.differences(&self.agreement(&entries), |path| self.shown(path), most)
    }

    /// What these entries say was changed.
    pub(crate) fn agreement(&self, entries: &[Arc<Entry>]) -> Agreement {
        Agreement::with(entries, &self.folder, self.home.clone())
    }

    fn plan(&self, since: CallId, turns: &[Turn], entries: &[Arc<Entry>]) -> Result<Plan, String> {
        let calls = turns.iter().flat_map(|turn| &turn.changing).copied();
        self.snapshots
            .plan(&UndoScope::Calls(calls.filter(|call| *call >= since).collect()), &self.agreement(entries))
    }

    fn offer_of(&self, since: CallId, plan: &Plan) -> UndoPreview {
        // All of it is done, or nothing is.
        let is_refused = !plan.refused.is_empty();
        let steps = plan.steps.iter().map(|step| {
            let what = match (step.action == FileAction::Delete, is_refused) {
                (true, false) => "deleted",
                (false, false) => "restored",
                (true, true) => "not deleted either",
                (false, true) => "not restored either",
            };
            (self.shown(&step.path), what.to_owned())
        });
        let already = plan.already.iter().map(|path| (self.shown(path), "is already as it was".to_owned()));
        let refused = plan.refused.iter();
        let refused =
            refused.map(|refusal| (self.shown(&refusal.path), format!("{}: not restored", refusal.why)));
        UndoPreview {
            since,
            // Why nothing is done stands first.
            files: refused.chain(steps).chain(already).collect(),
            commands: Vec::new(),
            is_refused,
        }
    }

    fn told(&self, since: CallId, restored: Restored) -> FilesRestored {
        let shown = |paths: Vec<PathBuf>| paths.iter().map(|path| self.shown(path)).collect();
        let (deleted, others) = restored.files.into_iter().partition(|path| restored.deleted.contains(path));
        FilesRestored { since, restored: shown(others), deleted: shown(deleted), left: shown(restored.left) }
    }

    /// A path as people and the model know it.
    pub(crate) fn shown(&self, path: &Path) -> String {
        path.strip_prefix(&self.folder).unwrap_or(path).display().to_string()
    }

    /// The file of the session: the loop writes before it acts, so that all that has begun is in it.
    fn file(&self) -> Result<SessionFile, String> {
        let Ok(path) = find(&self.state, &self.id) else {
            return Err("there are no messages yet".to_owned());
        };
        SessionStore::read(&path)
    }

    fn turns_of(&self, entries: &[Arc<Entry>]) -> Result<Vec<Turn>, String> {
        if is_running(entries) {
            return Err("a run is in progress: interrupt it or wait until it ends, then undo".to_owned());
        }
        if self.snapshots.is_unfinished(|since, earlier| is_told(entries, since, earlier))? {
            return Err("an earlier undo is not complete: resume the session, which completes it, then undo"
                .to_owned());
        }
        let changing = self.snapshots.changes()?.into_iter().filter_map(|change| change.call).collect();
        Ok(turns(entries, &changing))
    }
}

/// Whether one of these entries, after the first so many, tells of an undo since that call.
fn is_told(entries: &[Arc<Entry>], since: CallId, earlier: u64) -> bool {
    let tells =
        |body: &Body| matches!(body, Body::Change(Change::FilesRestored(done)) if done.since == since);
    let later = entries.iter().skip(usize::try_from(earlier).unwrap_or(usize::MAX));
    later.into_iter().any(|entry| tells(&entry.body))
}

/// What a message of the user has led to.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Turn {
    message: EntryId,
    /// Its calls that changed files and were not taken back.
    changing: BTreeSet<CallId>,
}

/// The turns, oldest first; `changing` are the calls that changed files.
fn turns(entries: &[Arc<Entry>], changing: &BTreeSet<CallId>) -> Vec<Turn> {
    let mut turns: Vec<Turn> = Vec::new();
    for entry in entries {
        match (&entry.body, turns.last_mut()) {
            (Body::User(_), _) => turns.push(Turn { message: entry.id, changing: BTreeSet::new() }),
            (Body::ToolCall(call) | Body::Command(call), Some(turn)) if changing.contains(&call.id) => {
                turn.changing.insert(call.id);
            }
            (Body::Change(Change::FilesRestored(done)), _) => {
                turns.iter_mut().for_each(|turn| turn.changing.retain(|call| *call < done.since));
            }
            _ => {}
        }
    }
    turns
}

/// The commands that were let run since a call, in their order; those that only read are left out.
fn commands(entries: &[Arc<Entry>], since: CallId) -> Vec<String> {
    let (mut commands, mut own) = (BTreeMap::new(), BTreeSet::new());
    let mut started = BTreeSet::new();
    for entry in entries {
        match &entry.body {
            // What it was changed to is what ran. The check of a goal is a command like any other.
            Body::ToolCall(call) | Body::Validation(call) | Body::Command(call)
                if call.name == SHELL && call.id >= since =>
            {
                let command = call.arguments.text("command").unwrap_or_default();
                commands.insert(call.id, command.to_owned());
                if matches!(&entry.body, Body::Command(_)) {
                    own.insert(call.id);
                }
            }
            Body::ApprovalDecided(decision) if decision.allow => drop(started.insert(decision.call)),
            Body::CallEdited(_) | Body::Note(_) => {
                if let Some((call, arguments)) = entry.body.changes()
                    && let Some(command) = commands.get_mut(&call)
                {
                    arguments.text("command").unwrap_or_default().clone_into(command);
                }
            }
            _ => {}
        }
    }
    // What `/diff git` runs is the plain command with more that keeps git from running programs.
    let plain = |call: &CallId, command: &str| plain_git_diff(command).filter(|_| own.contains(call));
    let changes = |(call, command): &(CallId, String)| {
        let told = plain(call, command);
        effect_of_line(&shell::read(told.as_ref().unwrap_or(command))) != SideEffect::Reads
    };
    let ran = commands.into_iter().filter(|(call, _)| started.contains(call));
    ran.filter(changes).map(|(_, command)| command).collect()
}

/// Whether something has begun that has not ended.
fn is_running(entries: &[Arc<Entry>]) -> bool {
    let last = entries.iter().rev().find_map(|entry| match entry.body {
        Body::TurnEnded(_) => Some(false),
        Body::User(_) | Body::ToolCall(_) | Body::Transition { .. } => Some(true),
        _ => None,
    });
    last.unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::commands;
    use crate::ledger::{Arguments, Body, CallId, Decider, Decision, Entry, EntryId, Millis, ToolUse};
    use crate::ui::commands::GIT_DIFF;

    fn shell(id: u64, line: &str) -> ToolUse {
        let arguments = Arguments::Object([("command".to_owned(), line.into())].into_iter().collect());
        ToolUse { id: CallId(id), wire_id: String::new(), name: "shell".to_owned(), arguments }
    }

    fn allowed(id: u64) -> Body {
        Body::ApprovalDecided(Decision::permission(CallId(id), Decider::User, ""))
    }

    #[test]
    fn an_undo_names_all_commands_that_ran_and_may_have_changed_something() {
        let bodies = [
            Body::ToolCall(shell(1, "touch before")),
            allowed(1),
            Body::ToolCall(shell(2, "touch a")),
            Body::CallEdited(shell(2, "touch b")),
            allowed(2),
            Body::ToolCall(shell(3, "touch denied")),
            Body::ToolCall(shell(4, "ls")),
            allowed(4),
            // The check of a goal.
            Body::Validation(shell(5, "make test")),
            allowed(5),
            // Those of `/diff git`, and one that only begins so.
            Body::Command(shell(6, &format!("{GIT_DIFF}HEAD -- 'a b'"))),
            allowed(6),
            Body::Command(shell(7, &format!("{GIT_DIFF}HEAD --; touch c"))),
            allowed(7),
        ];
        let entry = |(body, id)| Arc::new(Entry { id: EntryId(id), at: Millis(0), body });
        let entries: Vec<Arc<Entry>> = bodies.into_iter().zip(1..).map(entry).collect();
        let begins_so = format!("{GIT_DIFF}HEAD --; touch c");
        assert_eq!(commands(&entries, CallId(2)), ["touch b", "make test", begins_so.as_str()]);
    }
}
