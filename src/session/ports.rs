//! What a session is plugged to: models behind one port, each in the mode in which it calls tools; the built-in tools; hooks.

use std::sync::Arc;

use super::sandbox;
use crate::agent::Attendance;
use crate::config::fault::Fault;
use crate::config::models::{Choice, Transport};
use crate::config::{Config, Invocation, ToolCalling};
use crate::model::ToolCalls;
use crate::runtime::{
    AutoToolMode, CommandHooks, EditorFiles, Groups, HookPort, HttpModel, LocalTools, ModelPort, ModelRouter,
    NoHooks, Reach, RehearsalModel, ScriptedModel, StringModel, Timeouts,
};
use crate::wire::{script, string_mode};

/// One port for the whole chain.
///
/// # Errors
/// Exit 2: a script that cannot be read.
pub(crate) fn router(choice: &Choice, config: &Config) -> Result<ModelRouter, Fault> {
    let router = ModelRouter::default();
    for one in std::iter::once(choice).chain(&choice.fallback) {
        router.add(one.spec.model.clone(), model_port(one, config)?);
    }
    Ok(router)
}

/// The choice, and those behind it, with how each model calls tools at first: as it was asked for, or with `auto` by what is
/// known about it and by how a script is written.
pub(crate) fn with_tool_calls(mut choice: Choice, config: &Config) -> Choice {
    for one in choice.fallback.iter_mut() {
        one.spec.tool_calls = tool_calls(one, config);
    }
    choice.spec.tool_calls = tool_calls(&choice, config);
    choice
}

fn tool_calls(choice: &Choice, config: &Config) -> ToolCalls {
    let in_text = match (config.tools, &choice.way) {
        // It speaks no other way.
        (_, Transport::Rehearsal) | (ToolCalling::Native, _) => false,
        (ToolCalling::String, _) => true,
        (ToolCalling::Auto, Transport::Server(_)) => choice.spec.abilities.tools == Some(false),
        (ToolCalling::Auto, Transport::Script(text)) => {
            let calls = |reply: &script::Reply| string_mode::has_calls(&reply.text);
            choice.spec.abilities.tools == Some(false)
                || script::parse(text).is_ok_and(|replies| replies.iter().any(calls))
        }
    };
    if in_text { ToolCalls::InText } else { ToolCalls::Native }
}

/// The model, calling tools as its spec says; with `auto`, until its server refuses them.
///
/// # Errors
/// Exit 2: a script that cannot be read.
pub(crate) fn model_port(choice: &Choice, config: &Config) -> Result<Box<dyn ModelPort>, Fault> {
    let first = choice.spec.tool_calls;
    let model: Box<dyn ModelPort> = match &choice.way {
        Transport::Rehearsal => return Ok(Box::new(RehearsalModel::default())),
        Transport::Script(text) => {
            let replies = script::parse(text).map_err(|why| {
                Fault::usage(format!("the script cannot be read: {why}"), "fix that element")
            })?;
            Box::new(ScriptedModel::new(replies, first))
        }
        Transport::Server(connection) => {
            let (protocol, endpoint) = (connection.protocol, connection.endpoint());
            let model = HttpModel::through(protocol, endpoint, Timeouts::default(), config.network.clone());
            Box::new(model.within(config.answer))
        }
    };
    Ok(match config.tools {
        ToolCalling::Native => model,
        ToolCalling::String => Box::new(StringModel::new(model)),
        ToolCalling::Auto => Box::new(AutoToolMode::new(model, first)),
    })
}

/// The built-in tools, in the session's folder and its sandbox.
pub(super) fn local_tools(
    invocation: &Invocation,
    config: &Config,
    groups: &Groups,
    attendance: Attendance,
    editor: Option<Arc<dyn EditorFiles>>,
) -> LocalTools {
    let tools = LocalTools::new(invocation.cwd.clone(), invocation.environment_of_programs(), groups.clone())
        .giving(invocation.named_for_programs())
        .within(sandbox::sandbox(invocation))
        .signing_commits(invocation.environment.cache_dir().filter(|_| config.trailers))
        .reaching(Reach { allowed: config.fetch_hosts.clone(), network: config.network.clone() });
    let tools = if attendance == Attendance::Person { tools.attended() } else { tools };
    if let Some(editor) = editor { tools.beside(editor) } else { tools }
}

/// Runs the configured hooks in the session's folder, or in the one that it is a copy of, without what looks
/// like a key in their environment.
pub(crate) fn hook_port(invocation: &Invocation, session: &str, groups: &Groups) -> Box<dyn HookPort> {
    if invocation.config.hooks().is_empty() {
        return Box::new(NoHooks);
    }
    Box::new(command_hooks(invocation, session, groups))
}

/// The same, for whoever asks them about something else than the loop's calls.
pub(crate) fn command_hooks(invocation: &Invocation, session: &str, groups: &Groups) -> CommandHooks {
    let environment = invocation.environment_of_programs();
    let (specs, cwd) = (invocation.config.hooks(), invocation.cwd.clone());
    let hooks = CommandHooks::new(specs, session.to_owned(), cwd, environment, groups.clone())
        .giving(invocation.named_for_programs());
    // The first is that of the person; each further one is a copy of the one before.
    match invocation.parents.first() {
        Some(folder) => hooks.standing_in(folder.clone()),
        None => hooks,
    }
}
