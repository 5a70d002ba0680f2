//! The sub-agents that events tell of: how they are named, and which sessions are theirs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::agent::SubagentPath;
use crate::ledger::{Body, CallId, Change};

/// Those that were started, by the calls that lead to them.
#[derive(Debug, Default)]
pub(in crate::cli) struct ToldSubagents {
    all: BTreeMap<SubagentPath, ToldSubagent>,
    /// The calls of the session itself whose sub-agents work in the background.
    background: BTreeSet<CallId>,
    /// The folder of the session that starts them.
    own: Option<PathBuf>,
}

/// One of them.
#[derive(Debug, Default)]
pub(in crate::cli) struct ToldSubagent {
    /// Its name.
    pub(in crate::cli) name: String,
    /// Its session.
    session: String,
    /// The folder in which it works, once its session has begun.
    pub(in crate::cli) cwd: Option<PathBuf>,
}

impl ToldSubagents {
    /// Takes in an entry of the session at the end of this path.
    pub(in crate::cli) fn read(&mut self, path: &[CallId], body: &Body) {
        let below = |call: &CallId| path.iter().chain([call]).copied().collect::<SubagentPath>();
        match body {
            Body::DelegationRequested(sent) => {
                self.all.entry(below(&sent.call)).or_default().name.clone_from(&sent.agent);
            }
            Body::Change(Change::EscrowReserved(escrow)) => {
                self.all.entry(below(&escrow.call)).or_default().session.clone_from(&escrow.session);
                if path.is_empty() && escrow.in_background {
                    self.background.insert(escrow.call);
                }
            }
            Body::Change(Change::EscrowSettled(settled)) if path.is_empty() => {
                self.background.remove(&settled.call);
            }
            Body::SessionStarted(started) if path.is_empty() => self.own = Some(PathBuf::from(&started.cwd)),
            Body::SessionStarted(started) => {
                self.all.entry(path.to_vec()).or_default().cwd = Some(PathBuf::from(&started.cwd));
            }
            _ => {}
        }
    }

    /// The sub-agent at the end of a path; `None` where the path leads to the session itself.
    pub(in crate::cli) fn get(&self, path: &[CallId]) -> Option<&ToldSubagent> {
        self.all.get(path).filter(|_| !path.is_empty())
    }

    /// Those of the session itself that work in the background, each as people are told of it: `name (c1)`.
    pub(in crate::cli) fn in_background(&self) -> Vec<String> {
        self.background.iter().map(|call| self.shown(*call)).collect()
    }

    /// Whether the sub-agent of this call of the session itself works in the background.
    pub(in crate::cli) fn is_in_background(&self, call: CallId) -> bool {
        self.background.contains(&call)
    }

    /// The sub-agent of a call of the session itself, as people are told of it.
    pub(in crate::cli) fn shown(&self, call: CallId) -> String {
        let name = self.all.get([call].as_slice()).map_or("", |one| one.name.as_str());
        format!("{name} ({call})")
    }

    /// The worktree in which the sub-agent at the end of a path works: its folder, where that is another than the session's.
    pub(in crate::cli) fn worktree(&self, path: &[CallId]) -> Option<&Path> {
        let (own, folder) = (self.own.as_deref()?, self.get(path)?.cwd.as_deref()?);
        (folder != own).then_some(folder)
    }

    /// What programs are told of it: its name, the calls that lead to it, its session, and its worktree if it has one.
    pub(in crate::cli) fn described(&self, path: &[CallId]) -> Option<Value> {
        let ToldSubagent { name, session, .. } = self.get(path)?;
        let mut said = json!({ "name": name, "call": calls(path), "session": session });
        if let (Some(folder), Some(members)) = (self.worktree(path), said.as_object_mut()) {
            members.insert("worktree".to_owned(), folder.to_string_lossy().into());
        }
        Some(said)
    }
}

/// The calls that lead to a sub-agent: of several with one name, they tell which it is.
pub(in crate::cli) fn calls(path: &[CallId]) -> String {
    path.iter().map(ToString::to_string).collect::<Vec<_>>().join("/")
}
