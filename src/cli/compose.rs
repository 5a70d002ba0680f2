//! Where all floors meet: model, tools, books, agent and driver are made and plugged together.

use std::path::Path;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use uuid::Uuid;

use super::args::Which;
use super::config::{Config, ToolCalling};
use super::environment::Environment;
use super::fault::Fault;
use super::models::{Choice, Table, Way, choose};
use super::{Invocation, effort, environment, instructions};
use crate::agent::{Agent, Attendance, Effect, Settings};
use crate::ledger::{Body, Entry, Millis, recover};
use crate::policy::Policy;
use crate::runtime::store::{find, latest};
use crate::runtime::{
    AutoToolMode, CommandHooks, Driver, Groups, Handles, HookPort, HttpModel, LocalTools, ModelPort,
    ModelRouter, NoHooks, Ports, RehearsalModel, RunningMode, ScriptedModel, SessionStore, StringModel,
    Timeouts, ToolMode, echo_spec, tool_specs,
};
use crate::tool::ToolSpec;
use crate::wire::record::SessionFile;
use crate::wire::{script, string_mode};

/// A session ready to run.
pub(super) struct Session {
    /// The loop.
    pub(super) driver: Driver,
    /// Its other ends.
    pub(super) handles: Handles,
    /// What a resumed session must do first.
    pub(super) first: Vec<Effect>,
    /// What the file already holds.
    pub(super) before: Vec<Arc<Entry>>,
    /// The session's id.
    pub(super) id: String,
    /// The model and why it is this one.
    pub(super) choice: Choice,
    /// How the model calls tools; may change while it runs.
    pub(super) tools_mode: RunningMode,
    /// What a person should be told.
    pub(super) notices: Vec<String>,
    /// Every process group that a tool starts.
    pub(super) groups: Groups,
}

/// Makes a new session, or takes up an earlier one.
///
/// # Errors
/// A model that cannot be reached as things are, a session that is not there or not sound.
pub(super) fn compose(
    invocation: &Invocation,
    which: Option<&Which>,
    attendance: Attendance,
) -> Result<Session, Fault> {
    let state = state_dir(invocation)?;
    let opened = which.map(|which| open(invocation, &state, which)).transpose()?;
    let choice = choice(invocation, opened.as_ref().map(|(_, file)| file))?;
    let groups = Groups::default();
    let tools = LocalTools::new(invocation.cwd.clone(), invocation.environment_of_programs(), groups.clone());
    let (model, tools_mode) = model_port(&choice, &invocation.config)?;
    let now = now();
    let mut notices = invocation.config.warnings.clone();
    notices.extend(choice.notice.clone());
    notices.extend(effort::check(&invocation.config, &choice)?);
    notices.extend(tools_notice(&choice, invocation.config.tools));

    let mut settings = settings(invocation, &choice, attendance);
    let (agent, first, before, store, id) = match opened {
        None => {
            let id = Uuid::now_v7().to_string();
            settings.session.clone_from(&id);
            let store = SessionStore::create(&state, &id).map_err(|why| Fault::failed(why, ""))?;
            (Agent::new(settings), Vec::new(), Vec::new(), store, id)
        }
        Some((store, file)) => {
            notices.extend(file_notices(&file));
            let before = file.entries.clone();
            let id = session_id(&before);
            let recovered = recover(file.entries, now).map_err(|fault| {
                Fault::failed(
                    format!("session {id} is not sound: {fault}"),
                    "nothing was changed; look at it with `countersign inspect`, or start a new session",
                )
            })?;
            notices.extend(lost_notice(recovered.lost));
            let (agent, first) = Agent::resume(settings, recovered, now);
            (agent, first, before, store, id)
        }
    };
    let hooks = hook_port(invocation, &id, &groups);
    let model = with_fallbacks(&choice, &invocation.config, model)?;
    let ports = Ports { model, tools: Box::new(tools), hooks, store: Box::new(store) };
    let (driver, handles) = Driver::new(agent, ports);
    Ok(Session { driver, handles, first, before, id, choice, tools_mode, notices, groups })
}

/// The program's state folder.
///
/// # Errors
/// When there is no home to put it in.
pub(super) fn state_dir(invocation: &Invocation) -> Result<std::path::PathBuf, Fault> {
    state_of(&invocation.environment)
}

/// The program's state folder in this environment.
///
/// # Errors
/// When there is no home to put it in.
pub(super) fn state_of(environment: &Environment) -> Result<std::path::PathBuf, Fault> {
    environment
        .state_dir()
        .ok_or_else(|| Fault::usage("there is no folder to keep sessions in", "set HOME or XDG_STATE_HOME"))
}

/// The file of the session that is meant.
///
/// # Errors
/// A sentence that says which sessions there are.
pub(super) fn locate(
    invocation: &Invocation,
    state: &Path,
    which: &Which,
) -> Result<std::path::PathBuf, Fault> {
    locate_from(&invocation.cwd, state, which)
}

/// The same, seen from a folder.
///
/// # Errors
/// A sentence that says which sessions there are.
pub(super) fn locate_from(cwd: &Path, state: &Path, which: &Which) -> Result<std::path::PathBuf, Fault> {
    match which {
        Which::Session(wanted) => find(state, wanted).map_err(|why| Fault::usage(why, "")),
        Which::Last => latest(state, &cwd.to_string_lossy()).ok_or_else(|| {
            Fault::usage(
                format!("there is no session of {} yet", cwd.display()),
                "start one with `countersign`, or name a session by its id",
            )
        }),
    }
}

fn open(invocation: &Invocation, state: &Path, which: &Which) -> Result<(SessionStore, SessionFile), Fault> {
    let path = locate(invocation, state, which)?;
    let (store, file) = SessionStore::open(&path).map_err(|why| Fault::failed(why, ""))?;
    let home = file.entries.first().and_then(|e| match &e.body {
        Body::SessionStarted(started) => Some(started.cwd.clone()),
        _ => None,
    });
    match home {
        Some(folder) if Path::new(&folder) != invocation.cwd => Err(Fault::usage(
            format!("session {} works in {folder}", session_id(&file.entries)),
            format!("go on with `countersign -C {folder} resume {}`", session_id(&file.entries)),
        )),
        _ => Ok((store, file)),
    }
}

fn session_id(entries: &[Arc<Entry>]) -> String {
    entries
        .iter()
        .find_map(|e| if let Body::SessionStarted(s) = &e.body { Some(s.session.clone()) } else { None })
        .unwrap_or_default()
}

/// A resumed session keeps its model, unless another was named.
fn choice(invocation: &Invocation, file: Option<&SessionFile>) -> Result<Choice, Fault> {
    let mut config = invocation.config.clone();
    let began_with = file.and_then(|f| f.entries.first()).and_then(|e| match &e.body {
        Body::SessionStarted(started) => Some(started.model.clone()),
        _ => None,
    });
    if config.model.is_none() && config.script.is_none() && invocation.environment.mock_responses().is_none()
    {
        config.model = began_with.filter(|model| model.provider != "script").map(|model| model.to_string());
    }
    choose(&config, &invocation.environment, &Table::embedded())
}

/// The model in the mode that was asked for. `auto` goes by what is known about it, and by how a script is written.
fn model_port(choice: &Choice, config: &Config) -> Result<(Box<dyn ModelPort>, RunningMode), Fault> {
    let tools = config.tools;
    let mut is_string = match tools {
        ToolCalling::Auto => choice.spec.abilities.tools == Some(false),
        ToolCalling::Native => false,
        ToolCalling::String => true,
    };
    let model: Box<dyn ModelPort> = match &choice.way {
        // It speaks no other way.
        Way::Rehearsal => return Ok((Box::new(RehearsalModel::default()), RunningMode::new(false))),
        Way::Script(text) => {
            let replies = script::parse(text).map_err(|why| {
                Fault::usage(format!("the script cannot be read: {why}"), "mend that element")
            })?;
            is_string |=
                tools == ToolCalling::Auto && replies.iter().any(|reply| string_mode::has_calls(&reply.text));
            Box::new(ScriptedModel::new(replies, if is_string { ToolMode::String } else { ToolMode::Native }))
        }
        Way::Server(connection) => Box::new(HttpModel::through(
            connection.protocol,
            connection.endpoint(),
            Timeouts::default(),
            config.network.clone(),
        )),
    };
    Ok(match tools {
        ToolCalling::Native => (model, RunningMode::new(false)),
        ToolCalling::String => (Box::new(StringModel::new(model)), RunningMode::new(true)),
        ToolCalling::Auto => {
            let model = AutoToolMode::new(model, is_string);
            let mode = model.mode();
            (Box::new(model), mode)
        }
    })
}

fn tools_notice(choice: &Choice, tools: ToolCalling) -> Option<String> {
    (tools == ToolCalling::String && choice.way == Way::Rehearsal).then(|| {
        "The rehearsal model calls tools natively; --tools string changes nothing for it.".to_owned()
    })
}

/// Runs the configured hooks in the session's folder, without what looks like a key in their environment.
fn hook_port(invocation: &Invocation, session: &str, groups: &Groups) -> Box<dyn HookPort> {
    let specs = invocation.config.hooks();
    if specs.is_empty() {
        return Box::new(NoHooks);
    }
    let environment = invocation.environment_of_programs();
    Box::new(CommandHooks::new(
        specs,
        session.to_owned(),
        invocation.cwd.clone(),
        environment,
        groups.clone(),
    ))
}

/// One port for the whole chain. A model alone needs no router.
fn with_fallbacks(
    choice: &Choice,
    config: &Config,
    first: Box<dyn ModelPort>,
) -> Result<Box<dyn ModelPort>, Fault> {
    if choice.fallback.is_empty() {
        return Ok(first);
    }
    let mut ports = vec![(choice.spec.model.clone(), first)];
    for other in &choice.fallback {
        ports.push((other.spec.model.clone(), model_port(other, config)?.0));
    }
    Ok(Box::new(ModelRouter::new(ports)))
}

/// The built-in tools, and the one for tests if the configuration adds it.
fn tools(echo: bool) -> Vec<ToolSpec> {
    let mut tools = tool_specs();
    tools.extend(echo.then(echo_spec));
    tools
}

fn settings(invocation: &Invocation, choice: &Choice, attendance: Attendance) -> Settings {
    let config = &invocation.config;
    Settings {
        cwd: invocation.cwd.to_string_lossy().into_owned(),
        system: instructions::system_prompt(&invocation.cwd, &invocation.environment),
        environment: environment::note(&invocation.cwd),
        tools: tools(config.echo),
        policy: Policy { mode: config.mode, rules: config.rules(), ..Policy::default() },
        limits: config.limits.clone(),
        hooks: invocation.config.hooks(),
        effort: config.effort,
        fallback: choice.fallback.iter().map(|other| other.spec.clone()).collect(),
        token_budget: config.token_budget(),
        max_consecutive_failures: config.max_consecutive_failures,
        final_response: config.final_response,
        limit_is_steps: config.limit_is_steps,
        compact_at_percent: config.compact_at_percent,
        tool_timeout_ms: config.tool_timeout_ms,
        parallel: config.parallel,
        attendance,
        seed: now().0,
        ..Settings::new(choice.spec.clone())
    }
}

fn file_notices(file: &SessionFile) -> Vec<String> {
    let torn = file.torn_tail.as_ref().map(|torn| {
        format!("Line {} of the session file was torn; its {} bytes are left out.", torn.line, torn.bytes)
    });
    let skipped = file.skipped.iter().map(|skipped| {
        format!(
            "Line {} of the session file ({}) was not understood; it stays as it is.",
            skipped.line, skipped.kind
        )
    });
    torn.into_iter().chain(skipped).collect()
}

fn lost_notice((lost, started): (usize, usize)) -> Option<String> {
    (lost > 0).then(|| {
        format!("The session had ended with {lost} open calls, {started} of them started: they are settled as lost.")
    })
}

pub(super) fn now() -> Millis {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Millis(u64::try_from(since_epoch.as_millis()).unwrap_or(u64::MAX))
}
