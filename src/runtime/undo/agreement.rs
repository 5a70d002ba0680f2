//! What the books say was changed. The snapshots lie in files, and files can be forged: a change counts when the books, too,
//! have a call that was let run and that names its path.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::ledger::{Arguments, Body, CallId, ChangedFile, Entry, Outcome};
use crate::tool::name::{ADOPT, EDIT, WRITE};

use super::super::tools::workspace::Workspace;
use super::record::{Change, Content};

/// The tools whose changes are kept.
pub(super) const TOOLS: [&str; 2] = [WRITE, EDIT];

/// What the books of a session say was changed, and by which calls.
#[derive(Debug)]
pub struct Agreement {
    /// The paths of each call that was let run, as they lead now and as they are written.
    paths: BTreeMap<CallId, BTreeSet<PathBuf>>,
    /// What each call that went well says it found and made, by the path as it is written. Empty for calls of earlier programs.
    told: BTreeMap<CallId, Vec<(PathBuf, ChangedFile)>>,
    /// The calls that change permissions, too.
    adoptions: BTreeSet<CallId>,
    /// The calls that went well: what they wrote is in its place.
    done: BTreeSet<CallId>,
    /// The folder of the session, links followed.
    root: PathBuf,
}

/// Why the books do not agree with a recorded change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Disagreement {
    /// They have no call that was let run and names this file.
    NoCall,
    /// The call says that it found or made something else.
    OtherContent,
}

impl Agreement {
    /// With the books of a session that works in `folder`; `home` is what `~` stands for. Follows links as they are now.
    pub fn with(entries: &[Arc<Entry>], folder: &Path, home: Option<PathBuf>) -> Self {
        let workspace = Workspace::new(folder.to_owned(), home);
        let mut named: BTreeMap<CallId, BTreeSet<PathBuf>> = BTreeMap::new();
        let (mut allowed, mut told) = (BTreeSet::new(), BTreeMap::new());
        let (mut adoptions, mut done) = (BTreeSet::new(), BTreeSet::new());
        let names = |call: CallId, arguments: &Arguments, named: &mut BTreeMap<CallId, BTreeSet<PathBuf>>| {
            let Some(path) = arguments.text("path") else { return };
            let leads = workspace.resolve(path).ok().map(|place| place.path);
            let written = workspace.as_written(path);
            named.entry(call).or_default().extend(leads.into_iter().chain([written]));
        };
        for entry in entries {
            match &entry.body {
                Body::ToolCall(call) if TOOLS.contains(&call.name.as_str()) => {
                    named.entry(call.id).or_default();
                    names(call.id, &call.arguments, &mut named);
                }
                Body::CallEdited(_) | Body::Note(_) => {
                    let changed = entry.body.changes().filter(|(call, _)| named.contains_key(call));
                    if let Some((call, arguments)) = changed {
                        names(call, &arguments, &mut named);
                    }
                }
                Body::Command(call) if call.name == ADOPT => {
                    let Arguments::Object(members) = &call.arguments else { continue };
                    adoptions.insert(call.id);
                    let files = members.get("files").and_then(|files| files.as_array());
                    let files = files.into_iter().flatten().filter_map(|file| file.as_str());
                    named.entry(call.id).or_default().extend(files.map(|file| workspace.as_written(file)));
                }
                Body::ApprovalDecided(decision) if decision.allow => drop(allowed.insert(decision.call)),
                Body::ToolResult(result) if result.outcome == Outcome::Ok => {
                    done.insert(result.call);
                    let files = result.facts.files.iter();
                    let files: Vec<_> =
                        files.map(|file| (workspace.as_written(&file.path), file.clone())).collect();
                    if !files.is_empty() {
                        told.insert(result.call, files);
                    }
                }
                _ => {}
            }
        }
        named.retain(|call, _| allowed.contains(call));
        Self { paths: named, told, adoptions, done, root: workspace.root().to_owned() }
    }

    /// The files in the folder of the session that calls were let write which did not go well, each with its call.
    pub(super) fn unfinished(&self) -> impl Iterator<Item = (CallId, &Path)> {
        let unfinished = self.paths.iter().filter(move |(call, _)| !self.done.contains(*call));
        let files =
            unfinished.flat_map(|(call, paths)| paths.iter().map(move |path| (*call, path.as_path())));
        files.filter(move |(_, path)| self.is_within(path))
    }

    /// Whether a path lies in the folder of the session.
    pub(super) fn is_within(&self, path: &Path) -> bool {
        path.starts_with(&self.root)
    }

    /// Whether the books, too, say that this call changed this file.
    pub(super) fn has(&self, change: &Change) -> bool {
        self.against(change).is_none()
    }

    /// What in the books speaks against this change. An undo is no call: it is told by what it follows.
    pub(super) fn against(&self, change: &Change) -> Option<Disagreement> {
        let is_named = |call: &CallId| self.paths.get(call).is_some_and(|paths| paths.contains(&change.path));
        let Some(call) = change.call else {
            let mut calls = self.paths.keys().filter(|call| is_named(call)).peekable();
            if calls.peek().is_none() {
                return Some(Disagreement::NoCall);
            }
            // What is restored is what one of them found.
            let found = |call: &CallId| {
                self.told(*call, &change.path)
                    .is_none_or(|file| file.is_some_and(|file| file.before == change.after.told()))
            };
            return (!calls.any(found)).then_some(Disagreement::OtherContent);
        };
        if !is_named(&call) {
            return Some(Disagreement::NoCall);
        }
        if change.runs.is_some() && !self.adoptions.contains(&call) {
            return Some(Disagreement::OtherContent);
        }
        let is_told =
            |file: &ChangedFile| file.before == change.before.told() && file.after == change.after.told();
        let agrees = self.told(call, &change.path).is_none_or(|file| file.is_some_and(is_told));
        (!agrees).then_some(Disagreement::OtherContent)
    }

    /// What a call says of a file. `None`: it says nothing of any; `Some(None)`: nothing of this one. Where it changed only one, the
    /// path does not matter: links may lead elsewhere by now.
    fn told(&self, call: CallId, path: &Path) -> Option<Option<&ChangedFile>> {
        let files = self.told.get(&call)?;
        Some(match files.as_slice() {
            [(_, only)] => Some(only),
            several => several.iter().find(|(written, _)| written == path).map(|(_, file)| file),
        })
    }

    /// Whether a restore of everything since a call would do this, by the record of changes: the file becomes what it was
    /// before the first of them, and is now what one of them found or left.
    pub(super) fn asks_for(&self, restored: &Change, since: CallId, record: &[Change]) -> bool {
        let chain: Vec<&Change> = record
            .iter()
            .filter(|change| {
                change.path == restored.path
                    && change.call.is_some_and(|call| call >= since)
                    && self.has(change)
            })
            .collect();
        let Some(first) = chain.first() else { return false };
        let was = |content: &Content| *content == restored.before;
        let ran = chain.iter().find_map(|change| change.ran());
        first.before == restored.after
            && (first.mode, &first.made) == (restored.mode, &restored.made)
            && (restored.runs.is_none() || restored.runs == ran)
            && chain.iter().any(|change| was(&change.before) || was(&change.after))
    }
}
