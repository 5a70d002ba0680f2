//! What the sessions of sub-agents are made of.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::offered::known;
use super::worktree::Worktree;
use crate::agent::{Attendance, Settings};
use crate::config::subagents::Subagent;
use crate::config::{Config, Invocation};
use crate::runtime::mcp::McpServers;
use crate::runtime::{EditorFiles, Groups, ModelRouter};

/// What the sessions of sub-agents are made of.
pub(crate) struct SubagentMaker {
    pub(super) invocation: Invocation,
    /// The configuration as the session has it.
    pub(super) config: Config,
    pub(super) state: PathBuf,
    /// Whether their entries are kept.
    pub(super) is_kept: bool,
    /// What the session that starts them began with.
    pub(super) settings: Settings,
    pub(super) router: ModelRouter,
    pub(super) groups: Groups,
    /// The MCP servers of the session, which they use too.
    pub(super) servers: McpServers,
    /// The editor whose texts of files count, if there is one.
    pub(super) editor: Option<Arc<dyn EditorFiles>>,
    pub(super) attendance: Attendance,
    /// Those that can be started.
    pub(super) known: Vec<Subagent>,
    /// The sub-agents that stand above theirs, the outermost first.
    pub(super) above: Vec<String>,
    /// The worktree of the session that starts them, if it has one.
    pub(super) worktree: Option<Worktree>,
}

impl SubagentMaker {
    /// For a session of a person, which begins so.
    pub(crate) fn new(invocation: &Invocation, config: &Config, state: &Path, settings: Settings) -> Self {
        Self {
            invocation: invocation.clone(),
            config: config.clone(),
            state: state.to_owned(),
            is_kept: true,
            attendance: settings.attendance,
            settings,
            router: ModelRouter::default(),
            groups: Groups::default(),
            servers: McpServers::default(),
            editor: None,
            known: known(config),
            above: Vec::new(),
            worktree: None,
        }
    }

    /// Whether their entries are kept.
    #[must_use]
    pub(crate) fn kept(self, is_kept: bool) -> Self {
        Self { is_kept, ..self }
    }

    /// With the models, the register of programs, and the editor of that session.
    #[must_use]
    pub(crate) fn plugged(
        self,
        router: &ModelRouter,
        groups: &Groups,
        editor: Option<Arc<dyn EditorFiles>>,
    ) -> Self {
        Self { router: router.clone(), groups: groups.clone(), editor, ..self }
    }

    /// With the MCP servers of that session.
    #[must_use]
    pub(crate) fn lending(self, servers: McpServers) -> Self {
        Self { servers, ..self }
    }
}
