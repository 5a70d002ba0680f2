//! `[agents.NAME]` with `instructions`: a sub-agent of this machine, as an agent file defines one.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::entry::{AgentEntry, LocalAgent};
use super::row::key;
use crate::config::Config;
use crate::config::key::{KeyRow, Member, one};
use crate::config::peers::{self, Peer as _, as_word};
use crate::config::setting::Wrong;
use crate::config::spelling::{listed, quoted};
use crate::config::subagents::tools::{NamedTools, TOOLS, ours, tools_are};
use crate::config::subagents::{LANES_ONLY, MOST_BYTES, MOST_TURNS, Subagent, is_session_model};
use crate::config::value::Written;
use crate::policy::Mode;
use crate::tool::name::{DELEGATE_TO, LANE, MCP};
use crate::ui::text::counted;

/// What `isolation` can be.
const WORKTREE: &str = "worktree";
const NONE: &str = "none";

impl LocalAgent {
    /// What of it is written, beside the instructions.
    fn keys(&self) -> impl Iterator<Item = &'static str> {
        let keys = [
            ("tools", self.tools.is_some()),
            ("disallowed_tools", self.disallowed_tools.is_some()),
            ("model", self.model.is_some()),
            ("mode", self.mode.is_some()),
            ("max_turns", self.max_turns.is_some()),
            ("isolation", self.in_worktree.is_some()),
            ("background", self.in_background.is_some()),
        ];
        keys.into_iter().filter(|(_, is_written)| *is_written).map(|(key, _)| key)
    }

    /// What is said of it before a folder is trusted, and in lists.
    pub(super) fn terms(&self) -> Vec<String> {
        let mut terms = Vec::new();
        let written =
            |word: &str, value: &Option<String>| value.as_ref().map(|value| format!("{word} {value}"));
        terms.extend(self.tools.as_ref().map(|tools| format!("its tools: {}", tools.join(", "))));
        let taken = self.disallowed_tools.as_ref().filter(|tools| !tools.is_empty());
        terms.extend(taken.map(|tools| format!("without the tools: {}", tools.join(", "))));
        terms.extend(written("its model:", &self.model));
        terms.extend(self.mode.map(|mode| format!("its mode: {mode}")));
        terms.extend(self.max_turns.map(|turns| format!("at most {}", counted(turns, "turn"))));
        let works = [("in a worktree", self.in_worktree), ("in the background", self.in_background)];
        terms.extend(works.iter().filter(|(_, on)| *on == Some(true)).map(|(how, _)| format!("works {how}")));
        terms.extend(self.instructions.as_ref().map(|text| format!("it is told: {}", as_word(text))));
        terms
    }
}

/// Whether what is written of an agent goes together, where a part of it is a sub-agent's.
pub(super) fn check(name: &str, agent: &AgentEntry) -> Result<(), Wrong> {
    let wrong = |keys: &[&str], why: &str| {
        Err(format!("{}: {}: {why}", agent.source, peers::path::<AgentEntry>(name, keys)))
    };
    let local = &agent.local;
    if name.starts_with(LANE) {
        return wrong(&[], LANES_ONLY);
    }
    if local.instructions.is_none() {
        return match local.keys().next() {
            Some(key) => wrong(&[key], "configures a sub-agent, which has `instructions` and no `url`"),
            None => Ok(()),
        };
    }
    if agent.url.is_some() {
        return wrong(
            &[],
            "has both `url`, as an agent elsewhere, and `instructions`, as a sub-agent: leave one out",
        );
    }
    if !agent.headers.is_empty() {
        return wrong(&["headers"], "a sub-agent gets no headers; they are for an agent with `url`");
    }
    if !agent.reserve.is_empty() {
        let why = "`reserve` is for an agent with `url`; a sub-agent is given a part of what is left";
        return wrong(&["reserve"], why);
    }
    if agent.has_times() {
        let why =
            "`start_seconds` and `call_seconds` are for an agent with `url`; `max_turns` bounds a sub-agent";
        return wrong(&[], why);
    }
    if agent.description.as_deref().is_none_or(|text| text.trim().is_empty()) {
        return wrong(&[], "has no `description`, by which the model chooses a sub-agent");
    }
    Ok(())
}

/// When all layers are read: what is a sub-agent stands among those, and takes the place of another of its name.
pub(in crate::config) fn take_up(config: &mut Config) {
    let is_one = |agent: &AgentEntry| agent.enabled && agent.local.instructions.is_some();
    let all = std::mem::take(&mut config.agents);
    let (here, elsewhere): (BTreeMap<_, _>, BTreeMap<_, _>) =
        all.into_iter().partition(|(_, agent)| is_one(agent));
    config.agents = elsewhere;
    for (name, agent) in &here {
        config.subagents.all.retain(|known| known.name != *name);
        config.subagents.all.push(defined(name, agent));
    }
    config.subagents.defined = here;
}

fn defined(name: &str, agent: &AgentEntry) -> Subagent {
    let LocalAgent {
        instructions,
        tools,
        disallowed_tools,
        model,
        mode,
        max_turns,
        in_worktree,
        in_background,
    } = agent.local.clone();
    Subagent {
        name: name.to_owned(),
        description: agent.description.clone().unwrap_or_default(),
        instructions: instructions.unwrap_or_default(),
        tools,
        without: disallowed_tools.unwrap_or_default(),
        model: model.filter(|model| !is_session_model(model)),
        mode,
        turns: max_turns,
        in_background: in_background.unwrap_or_default(),
        in_worktree: in_worktree.unwrap_or_default(),
        file: Some(PathBuf::from(agent.source().place())),
        is_off: false,
    }
}

pub(in crate::config) static ROWS: &[KeyRow] = &[
    key(
        "agents.*.instructions",
        Member::Letters {
            set: |agent, _, value| {
                agent.local.instructions = Some(instructions(value)?);
                Ok(())
            },
            get: |agent| one(agent.local.instructions.as_deref().map(quoted)),
        },
    ),
    key(
        "agents.*.tools",
        Member::Letters {
            set: |agent, _, value| {
                agent.local.tools = Some(tools(value)?);
                Ok(())
            },
            get: |agent| {
                let tools = agent.local.tools.as_ref();
                one(tools.map(|tools| listed(tools.iter().map(|tool| quoted(tool)))))
            },
        },
    ),
    key(
        "agents.*.disallowed_tools",
        Member::Letters {
            set: |agent, _, value| {
                agent.local.disallowed_tools = Some(disallowed(value)?);
                Ok(())
            },
            get: |agent| {
                let tools = agent.local.disallowed_tools.as_ref();
                one(tools.map(|tools| listed(tools.iter().map(|tool| quoted(tool)))))
            },
        },
    )
    // As agent files name it.
    .also(&["agents.*.disallowedTools"]),
    key(
        "agents.*.model",
        Member::Letters {
            set: |agent, _, value| {
                agent.local.model = Some(value.text()?.to_owned());
                Ok(())
            },
            get: |agent| one(agent.local.model.as_deref().map(quoted)),
        },
    ),
    key(
        "agents.*.mode",
        Member::Letters {
            set: |agent, _, value| {
                agent.local.mode = Some(Mode::parse(value.text()?)?);
                Ok(())
            },
            get: |agent| one(agent.local.mode.map(|mode| quoted(&mode.to_string()))),
        },
    ),
    key(
        "agents.*.max_turns",
        Member::Count {
            most: MOST_TURNS,
            set: |agent, turns| agent.local.max_turns = Some(turns),
            get: |agent| agent.local.max_turns,
        },
    ),
    key(
        "agents.*.isolation",
        Member::Letters {
            set: |agent, _, value| {
                agent.local.in_worktree = Some(is_worktree(value)?);
                Ok(())
            },
            get: |agent| one(agent.local.in_worktree.map(|on| quoted(if on { WORKTREE } else { NONE }))),
        },
    ),
    key(
        "agents.*.background",
        Member::Switch {
            set: |agent, on| agent.local.in_background = Some(on),
            get: |agent| agent.local.in_background,
        },
    ),
];

fn instructions(value: &Written) -> Result<String, String> {
    let text = value.text()?.to_owned();
    if text.len() > MOST_BYTES {
        return Err(format!("has at most {MOST_BYTES} bytes, not {}", text.len()));
    }
    if text.contains('\0') {
        return Err("must be text".to_owned());
    }
    Ok(text)
}

fn is_worktree(value: &Written) -> Result<bool, String> {
    match value.text()? {
        WORKTREE => Ok(true),
        NONE => Ok(false),
        other => Err(format!("must be `{WORKTREE}` or `{NONE}`, not {}", as_word(other))),
    }
}

/// Tools by our names. One with a list starts no other agents, so no task can come back to where it came from.
fn tools(value: &Written) -> Result<Vec<String>, String> {
    let named: Vec<String> = value.texts()?.into_iter().map(str::to_owned).collect();
    let NamedTools { tools, elsewhere, unknown } = ours(&named);
    let is_wrong = |tool: &&String| !TOOLS.contains(&tool.as_str()) && !tool.starts_with(MCP);
    let wrong = tools.iter().find(is_wrong).or(elsewhere.first()).or(unknown.first());
    match wrong {
        Some(tool) if tool.starts_with(DELEGATE_TO) => {
            Err(format!("a sub-agent that has a list of tools starts no others, so `{tool}` cannot be in it"))
        }
        Some(tool) => Err(format!("there is no tool `{tool}`; the tools are {}", TOOLS.join(", "))),
        None => Ok(tools),
    }
}

/// Tools by our names that are taken. A name of nothing would leave one in its hands that its author did not want there.
fn disallowed(value: &Written) -> Result<Vec<String>, String> {
    let named: Vec<String> = value.texts()?.into_iter().map(str::to_owned).collect();
    let NamedTools { tools, elsewhere, unknown } = ours(&named);
    match tools.iter().find(|tool| *tool == "*").or(elsewhere.first()).or(unknown.first()) {
        Some(tool) => Err(format!("there is no tool `{tool}`; {}", tools_are())),
        None => Ok(tools),
    }
}
