//! The sub-agents that events tell of: how they are named, and which sessions are theirs.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::agent::SubagentPath;
use crate::ledger::{Body, CallId, Change};

/// Those that were started, by the calls that lead to them.
#[derive(Debug, Default)]
pub(in crate::cli) struct ToldSubagents(BTreeMap<SubagentPath, ToldSubagent>);

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
                self.0.entry(below(&sent.call)).or_default().name.clone_from(&sent.agent);
            }
            Body::Change(Change::EscrowReserved(escrow)) => {
                self.0.entry(below(&escrow.call)).or_default().session.clone_from(&escrow.session);
            }
            Body::SessionStarted(started) if !path.is_empty() => {
                self.0.entry(path.to_vec()).or_default().cwd = Some(PathBuf::from(&started.cwd));
            }
            _ => {}
        }
    }

    /// The sub-agent at the end of a path; `None` where the path leads to the session itself.
    pub(in crate::cli) fn get(&self, path: &[CallId]) -> Option<&ToldSubagent> {
        self.0.get(path).filter(|_| !path.is_empty())
    }

    /// What programs are told of it: its name, the calls that lead to it, and its session.
    pub(in crate::cli) fn described(&self, path: &[CallId]) -> Option<Value> {
        let ToldSubagent { name, session, .. } = self.get(path)?;
        let calls: Vec<String> = path.iter().map(ToString::to_string).collect();
        Some(json!({ "name": name, "call": calls.join("/"), "session": session }))
    }
}
