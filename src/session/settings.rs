//! What a session begins with here: its instructions, tools, rules and limits, and whether they leave room in the window of its model.

use super::moment::now;
use super::{instructions, subagents};
use crate::agent::{Attendance, Settings};
use crate::config::models::Choice;
use crate::config::{Config, Invocation, environment};
use crate::context::{self, NoRoom, tokens_in_all};
use crate::policy::Policy;
use crate::runtime::sandbox::support;
use crate::runtime::{echo_spec, tool_specs};
use crate::session::external::ExternalTools;
use crate::tool::{Registry, ToolSpec};

/// Instructions and tools of ours do not fill a window of so many tokens.
const LARGE_WINDOW: u64 = 100_000;

/// The built-in tools, and the one for tests if the configuration adds it.
pub(crate) fn tools(echo: bool) -> Vec<ToolSpec> {
    let mut tools = tool_specs();
    tools.extend(echo.then(echo_spec));
    tools
}

/// The built-in tools, and those that start sub-agents.
fn all_tools(config: &Config) -> Vec<ToolSpec> {
    let mut all = tools(config.echo);
    all.extend(subagents::tools(&subagents::known(config)));
    all
}

/// Why there is hardly room in the window of a model that may answer here, or none, and what to do: what every request contains is too
/// much for it, without the tools that come from elsewhere. `None`: there is room.
pub(crate) fn little_room(invocation: &Invocation, choice: &Choice) -> Option<NoRoom> {
    let all = std::iter::once(&choice.spec).chain(choice.fallback.iter().map(|other| &other.spec));
    let mut small = all.filter(|spec| spec.window < LARGE_WINDOW).peekable();
    // Nearly every window is large, and the files of instructions need not be read again for it.
    small.peek()?;
    let tools = Registry::new(all_tools(&invocation.config));
    let schema = invocation.answer_schema.as_ref().map(|schema| schema.shown());
    let fixed = tokens_in_all(&instructions::of(invocation), tools.shown().iter(), schema.as_deref());
    let percent = invocation.config.compact_at_percent;
    small.find_map(|spec| context::little_room(spec, fixed, percent))
}

/// What a session begins with here.
pub(crate) fn settings(
    invocation: &Invocation,
    choice: &Choice,
    external: &ExternalTools,
    attendance: Attendance,
) -> Settings {
    let config = &invocation.config;
    Settings {
        cwd: invocation.cwd.to_string_lossy().into_owned(),
        system: instructions::of(invocation),
        environment: environment::note(&invocation.cwd),
        tools: all_tools(config),
        subagents: subagents::terms(&subagents::known(config), config),
        reserves: config.reserves(),
        policy: Policy {
            mode: config.mode,
            rules: config.rules(),
            looking_is_free: config.sandbox.reads,
            has_sandbox: support().refuses(false).is_none(),
            ..Policy::default()
        },
        limits: config.limits.clone(),
        hooks: invocation.config.hooks(),
        fallback: choice.fallback.iter().map(|other| other.spec.clone()).collect(),
        token_budget: config.token_budget(),
        ask_above: config.ask_above.map(|most| most.0),
        max_consecutive_failures: config.max_consecutive_failures,
        final_response: config.final_response,
        answer_schema: invocation.answer_schema.clone(),
        limit_is_steps: config.limit_is_steps,
        answer: config.answer,
        compact_at_percent: config.compact_at_percent,
        tool_timeout_ms: config.tool_timeout_ms,
        parallel: config.parallel,
        attendance,
        seed: now().0,
        discovers: external.is_somebody(),
        absent: external.absent().iter().cloned().chain(subagents::switched_off(config)).collect(),
        ..Settings::new(choice.spec.clone())
    }
}
