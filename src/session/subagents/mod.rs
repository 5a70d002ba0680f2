//! The sessions of sub-agents: put together as one of a person is, with what its agent may have, and never more than the session
//! that starts it.

mod books;
mod cut_off;
mod given_tools;
mod lane;
mod last_words;
mod left_worktrees;
mod maker;
mod narrowed;
mod offered;
mod own_ledger;
mod refusal;
mod standing;
mod unbegun;
mod worktree;

use std::sync::Arc;

pub(crate) use cut_off::CutOff;
pub(crate) use lane::{LaneTerms, MOST_LANES};
pub(crate) use last_words::was_cut_off;
pub(crate) use maker::SubagentMaker;
pub(crate) use offered::{known, named, terms, tools};
pub(crate) use refusal::switched_off;
pub(crate) use standing::standing;
pub(crate) use worktree::{as_made, worktree_of, worktrees_of};

use super::copied_folder::in_copied;
use super::instructions::nested::WithNested;
use super::ports::{hook_port, local_tools};
use super::ports::{model_port, with_tool_calls};
use crate::agent::{Agent, Intent, Settings, SubagentStart};
use crate::config::fault::{Fault, one_line};
use crate::config::models::{Table, reach};
use crate::config::subagents::Subagent;
use crate::config::{Invocation, environment};
use crate::ledger::{ModelRef, UserMessage};
use crate::model::ModelSpec;
use crate::runtime::mcp::{Lent, McpServers, McpTools};
use crate::runtime::store::subagents::free_id;
use crate::runtime::undo::Snapshots;
use crate::runtime::{
    AfterEnd, Driver, EditorFiles, LocalSubagents, MadeSession, MakeRest, MakeSession, NoSubagents, Ports,
    SubagentPort, ToolPort, Unhurried,
};
use crate::tool::name::MCP;
use books::Books;
use given_tools::has;
use lane::is_lane;
use narrowed::narrowed;
use worktree::Worktree;

impl SubagentMaker {
    /// The port for the session that starts them.
    pub(crate) fn port(self) -> Box<dyn SubagentPort> {
        if self.known.is_empty() {
            return Box::new(NoSubagents);
        }
        Box::new(LocalSubagents::new(Arc::new(self)))
    }

    /// What the session of one begins with. Its rules are those of the configuration: what was granted in the session that
    /// starts it was granted to that alone.
    fn settings(&self, start: &SubagentStart, subagent: &Subagent, model: ModelSpec) -> Settings {
        let mut settings = Settings {
            session: start.session.clone(),
            system: format!(
                "{}\n\n# You are the sub-agent {}\n\n{}",
                self.settings.system, subagent.name, subagent.instructions
            ),
            model,
            effort: start.effort,
            limits: start.limits.clone(),
            discovers: self.lends(subagent).is_some(),
            attendance: self.attendance,
            absent: self.absent(subagent),
            path: self.settings.path.iter().copied().chain([start.invocation.call]).collect(),
            ..narrowed(self.settings.clone(), subagent, &self.below(subagent), &self.config)
        };
        settings.policy.mode = start.mode;
        settings
    }

    /// Which tools of the session's MCP servers it has: of one that works in a worktree, those that its file names only, since a
    /// server works in the session's folder.
    fn lends(&self, subagent: &Subagent) -> Option<Lent> {
        let may_any = match &subagent.tools {
            Some(tools) => tools.iter().any(|tool| tool.starts_with(MCP)),
            None => !subagent.in_worktree,
        };
        let subagent = (may_any && !self.servers.is_empty()).then(|| subagent.clone())?;
        Some(Arc::new(move |tool: &str| has(&subagent, tool)))
    }

    fn model(
        &self,
        start: &SubagentStart,
        subagent: &Subagent,
        lane: Option<&LaneTerms>,
    ) -> Result<ModelSpec, String> {
        // A script answers instead of a model, whichever one an agent file names. A lane has the model that a person gave it.
        let scripts = self.config.source("script").is_flag()
            || self.invocation.environment.mock_responses().is_some()
                && !self.config.source("model").is_flag();
        let own = subagent.model.as_ref().filter(|_| !scripts);
        let chosen = lane.and_then(|lane| lane.model.as_ref()).or(own);
        let Some(named) = chosen else { return Ok(ModelSpec::clone(&start.model)) };
        let (model, environment) = (ModelRef::parse(named), &self.invocation.environment);
        let said = |fault: Fault| {
            let (why, next) = (one_line(&fault.message), one_line(&fault.next));
            format!("its model {named} cannot be used: {why}; {next}")
        };
        let choice = reach(&model, &self.config, environment, &Table::embedded()).map_err(said)?;
        let choice = with_tool_calls(choice, &self.config);
        let port = model_port(&choice, &self.config).map_err(said)?;
        self.router.add(choice.spec.model.clone(), port);
        Ok(choice.spec)
    }

    /// The tools of a session: those of this machine, and what it is lent.
    fn tools_of(
        &self,
        invocation: &Invocation,
        session: &str,
        editor: Option<Arc<dyn EditorFiles>>,
        lent: Option<Lent>,
    ) -> Box<dyn ToolPort> {
        let mut tools = local_tools(invocation, &self.config, &self.groups, self.attendance, editor);
        if self.is_kept {
            tools = tools.keeping(Snapshots::of_session(self.state.clone(), session.to_owned()));
        }
        match lent {
            Some(lent) => Box::new(McpTools::lent(Box::new(tools), self.servers.clone(), lent)),
            None => Box::new(tools),
        }
    }

    /// The worktree of one that works in its own.
    fn worktree_for(
        &self,
        subagent: &Subagent,
        id: &str,
        base: Option<&str>,
    ) -> Result<Option<Worktree>, String> {
        if !subagent.in_worktree {
            return Ok(None);
        }
        let unable = |why| format!("its worktree cannot be made: {why}");
        // What works in a worktree can have changed by what git finds its settings.
        self.worktree.as_ref().map_or(Ok(()), Worktree::is_as_git_made_it).map_err(unable)?;
        Worktree::make(&self.invocation.cwd, id, base).map(Some).map_err(unable)
    }

    fn made(&self, start: &SubagentStart, books: Option<Books>) -> Result<MadeSession, String> {
        let subagent = self.known.iter().find(|one| one.name == start.agent);
        let subagent = subagent.ok_or_else(|| format!("there is no sub-agent {}", start.agent))?;
        let id = free_id(&self.state, &start.session, super::moment::now())?;
        // First of all: a file without a byte proves that nothing was done, should the process die.
        let books = books.map_or_else(|| Books::of(&self.state, id, self.is_kept), Ok)?;
        let lane = is_lane(subagent).then(|| LaneTerms::read(&start.invocation.arguments)).transpose()?;
        let task = match &lane {
            Some(lane) => lane.begins()?,
            None => Intent::Submit(task(start)),
        };
        let model = self.model(start, subagent, lane.as_ref())?;
        let seed = lane.as_ref().and_then(|lane| lane.seed);
        let mut settings = seeded(self.settings(start, subagent, model), seed)?;
        let base = lane.as_ref().map(|lane| lane.base.as_str());
        let worktree = self.worktree_for(subagent, id, base)?;
        // An editor shows the files of the session's folder.
        let editor = self.editor.clone().filter(|_| worktree.is_none());
        let mut invocation = self.invocation.clone();
        if let Some(worktree) = &worktree {
            invocation = in_copied(&self.invocation, (&worktree.top, &worktree.folder));
            let besides = invocation.config.rules().into_iter().skip(self.invocation.config.rules.len());
            settings.policy.rules.extend(besides);
            settings.hooks = invocation.config.hooks();
            settings.cwd = invocation.cwd.to_string_lossy().into_owned();
            settings.environment = environment::note(&invocation.cwd);
        }
        let lent = self.lends(subagent);
        let is_lent = lent.is_some();
        let tools = self.tools_of(&invocation, id, editor.clone(), lent);
        let below = Self {
            invocation: invocation.clone(),
            config: self.config.clone(),
            state: self.state.clone(),
            settings: settings.clone(),
            router: self.router.clone(),
            groups: self.groups.clone(),
            // What works in a worktree lends nothing, whoever asks.
            servers: if is_lent { self.servers.clone() } else { McpServers::default() },
            editor,
            known: self.below(subagent),
            above: self.above.iter().chain([&subagent.name]).cloned().collect(),
            worktree: worktree.clone().or_else(|| self.worktree.clone()),
            ..*self
        };
        let ports = Ports {
            model: Box::new(Unhurried(self.router.clone())),
            tools: Box::new(WithNested::new(tools, &invocation)),
            hooks: hook_port(&invocation, id, &self.groups),
            subagents: below.port(),
            store: books.port(),
        };
        let agent = Agent::new(settings);
        let first = agent.first_effects();
        let (driver, handles) = Driver::new(agent, ports);
        let after = worktree.map(|worktree| -> AfterEnd {
            Box::new(move || match lane {
                Some(lane) => Some(worktree.end_as(&lane.branch)),
                None => worktree.end(),
            })
        });
        Ok(MadeSession { driver, handles, first, task, after })
    }
}

impl MakeSession for SubagentMaker {
    fn make(&self, start: &SubagentStart) -> Result<MadeSession, String> {
        self.made(start, None)
    }

    /// A worktree is a change of the repository, and the key of a model can come from a command.
    fn foresee(self: Arc<Self>, start: &SubagentStart) -> Option<MakeRest> {
        let subagent = self.known.iter().find(|one| one.name == start.agent)?;
        if subagent.in_worktree || subagent.model.is_some() {
            return None;
        }
        // Its file is made before what starts it is synced, so that both become durable together.
        let (start, books) = (start.clone(), Books::of(&self.state, &start.session, self.is_kept).ok()?);
        Some(Box::new(move || self.made(&start, Some(books))))
    }
}

/// With the seed of a lane, if it has one.
///
/// # Errors
/// The model takes no seed.
fn seeded(mut settings: Settings, seed: Option<u64>) -> Result<Settings, String> {
    if seed.is_some() {
        if let Some(why) = settings.model.refusal_of_seed() {
            return Err(why);
        }
        settings.model_seed = seed;
        // Another model would answer without it, or otherwise with it.
        settings.fallback.clear();
    }
    Ok(settings)
}

fn task(start: &SubagentStart) -> UserMessage {
    let said = start.invocation.arguments.text("task").unwrap_or_default();
    UserMessage::text(if said.trim().is_empty() { "There is no task. Say so." } else { said })
}
