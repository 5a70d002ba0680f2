//! The calls of all sessions and what was decided about them: what a policy can be tried on.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::ledger::{Arguments, Body, CallId, Change, Decider, Entry, EntryId, Millis, Mode};
use crate::runtime::SessionStore;
use crate::runtime::store::{each, files, is_unwritten};
use crate::wire::record::SessionFile;

/// One call that a model made.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PastCall {
    /// Its session.
    pub session: String,
    /// The folder of the session.
    pub cwd: String,
    /// The entry that announced it.
    pub entry: EntryId,
    /// Its tool.
    pub tool: String,
    /// Its arguments, as they were changed last.
    pub arguments: Arguments,
    /// Where its path led, if somebody was asked.
    pub leads_to: Option<String>,
    /// The mode in which it was decided, if that is recorded.
    pub mode: Option<Mode>,
    /// What was decided.
    pub was: WasDecided,
    /// Whether it came with an import: only a file says what was decided, and nobody here has seen it.
    pub is_imported: bool,
}

/// What was decided about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum WasDecided {
    /// Nobody decided: the run ended before.
    #[default]
    Open,
    /// The rules let it run.
    Ran,
    /// The rules let it run in the sandbox.
    RanConfined,
    /// The rules refused it.
    Refused,
    /// A person let it run.
    AllowedByPerson,
    /// A person refused it.
    DeniedByPerson,
}

/// The calls since a moment, oldest session first, how many sessions they are of, and of which sessions not all is counted, a sentence
/// each.
pub(crate) fn past_calls(state: &Path, since: Option<Millis>) -> (Vec<PastCall>, usize, Vec<String>) {
    let began = since.map(|at| SystemTime::UNIX_EPOCH + Duration::from_millis(at.0));
    let is_recent = |path: &PathBuf| {
        let changed = path.metadata().and_then(|meta| meta.modified()).ok();
        began.is_none_or(|began| changed.is_none_or(|changed| changed >= began))
    };
    let mut paths: Vec<PathBuf> = files(state).into_iter().filter(is_recent).collect();
    paths.reverse();
    let all = each(&paths, |_: &mut (), path| of_session(path, since));
    let (mut calls, mut sessions, mut notes) = (Vec::new(), 0, Vec::new());
    for (path, session) in paths.iter().zip(all) {
        match session {
            Ok((of_one, damage)) => {
                sessions += usize::from(!of_one.is_empty());
                calls.extend(of_one);
                notes.extend(damage.map(|why| format!("{why}; only what was denied in it is counted")));
            }
            Err(_) if is_unwritten(path) => {}
            Err(why) => notes.push(format!("{why}; not counted")),
        }
    }
    (calls, sessions, notes)
}

/// The calls of a session, and what is wrong with it. Of one that is not as it was recorded, what somebody denied is believed: that can
/// only make rules narrower.
fn of_session(path: &Path, since: Option<Millis>) -> Result<(Vec<PastCall>, Option<String>), String> {
    let (file, damage) = SessionStore::audited(path)?;
    let mut calls = calls_of(&file, since);
    let damage = damage.filter(|_| !calls.is_empty());
    if damage.is_some() {
        calls.retain(|call| call.was == WasDecided::DeniedByPerson);
    }
    Ok((calls, damage))
}

fn calls_of(file: &SessionFile, since: Option<Millis>) -> Vec<PastCall> {
    let Some(Body::SessionStarted(started)) = file.entries.first().map(|entry| &entry.body) else {
        return Vec::new();
    };
    // What a fork has inherited is the other session's, except where somebody decided about it in the fork.
    let inherited = started.forked_at();
    let is_own =
        |entry: &Entry| inherited.is_none_or(|last| entry.id > last) && since.is_none_or(|at| entry.at >= at);
    let mut calls: Vec<(bool, PastCall)> = Vec::new();
    let mut places: BTreeMap<CallId, usize> = BTreeMap::new();
    let mut mode = started.mode;
    for entry in &file.entries {
        if let Body::Change(Change::Mode { mode: now, .. }) = &entry.body {
            mode = Some(*now);
        }
        if let Body::ToolCall(call) = &entry.body {
            places.insert(call.id, calls.len());
            let made = PastCall {
                session: started.session.clone(),
                cwd: started.cwd.clone(),
                entry: entry.id,
                tool: call.name.clone(),
                arguments: call.arguments.clone(),
                leads_to: None,
                mode,
                was: WasDecided::Open,
                is_imported: file.imported_to.is_some_and(|last| entry.id <= last),
            };
            calls.push((is_own(entry), made));
        }
        let changed = entry.body.changes();
        let call = entry.body.call().or(changed.as_ref().map(|(call, _)| *call));
        let about = call.and_then(|call| places.get(&call));
        if let Some((is_counted, known)) = about.and_then(|at| calls.get_mut(*at)) {
            *is_counted |= matches!(entry.body, Body::ApprovalDecided(_)) && is_own(entry);
            if let Some((_, arguments)) = changed {
                known.arguments = arguments;
            }
            known.learn(entry, mode);
        }
    }
    calls.into_iter().filter(|(is_counted, _)| *is_counted).map(|(_, call)| call).collect()
}

impl PastCall {
    fn learn(&mut self, entry: &Entry, mode: Option<Mode>) {
        match &entry.body {
            Body::ApprovalRequested(asked) => {
                self.mode = mode;
                self.leads_to = asked.leads_to.clone().or(self.leads_to.take());
            }
            Body::ApprovalDecided(decision) => {
                if decision.by != Decider::User {
                    self.mode = mode;
                }
                self.was = match (decision.by, decision.allow) {
                    (Decider::User, true) => WasDecided::AllowedByPerson,
                    (Decider::User, false) => WasDecided::DeniedByPerson,
                    (_, true) if decision.sandboxed => WasDecided::RanConfined,
                    (_, true) => WasDecided::Ran,
                    (_, false) => WasDecided::Refused,
                };
            }
            _ => {}
        }
    }
}
