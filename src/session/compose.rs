//! A session is put together: model, tools, books, agent and driver are made and plugged together.

use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use uuid::Uuid;

use super::background_ids::continued;
use super::copied_folder::as_branch;
use super::interrupted_undo::finish_undo;
use super::moment::now;
use super::notices::{
    end_notice, file_notices, lost_notice, of_files, of_subagent_notice, of_tools, tools_notice,
};
use super::ports::{hook_port, local_tools, router, with_tool_calls};
use super::session_choice::{check_place, session_id};
use super::subagents;
use super::subagents::{CutOff, SubagentMaker};
use super::telemetry::{Following, follow};
use crate::agent::{Agent, Attendance, Effect, Settings};
use crate::config::environment::Environment;
use crate::config::fault::Fault;
use crate::config::models::{Choice, Table, choose, unasked};
use crate::config::{Config, Invocation, effort};
use crate::ledger::{
    About, Body, Change, Entry, EntryId, Fault as LedgerFault, ModelRef, Note, Remark, recover_with,
};
use crate::model::Effort;
use crate::runtime::store::{find, latest, remove_old};
use crate::runtime::{
    BackgroundOutput, Driver, EditorFiles, Groups, Handles, Ports, SessionStore, StorePort,
};
use crate::session::external::ExternalTools;
use crate::session::gateway::Gateway;
use crate::session::instructions::nested::WithNested;
use crate::session::model_switch::Switch;
use crate::session::settings::{little_room, settings};
use crate::session::undo::Undoing;
use crate::session::{Keeping, SessionChoice};
use crate::wire::record::SessionFile;

/// A session ready to run.
pub(crate) struct Session {
    /// The loop.
    pub(crate) driver: Driver,
    /// Its other ends.
    pub(crate) handles: Handles,
    /// What a resumed session must do first.
    pub(crate) first: Vec<Effect>,
    /// What the file already holds.
    pub(crate) before: Vec<Arc<Entry>>,
    /// The last entry of it that came with an import.
    pub(crate) imported_to: Option<EntryId>,
    /// The session's id.
    pub(crate) id: String,
    /// The model and why it is this one.
    pub(crate) choice: Choice,
    /// Does what a front end asks for.
    pub(crate) gateway: Gateway,
    /// How hard the models are told to think.
    pub(crate) effort: Option<Effort>,
    /// What a person should be told.
    pub(crate) notices: Vec<String>,
    /// What is said when it begins, and is no news when it is resumed.
    pub(crate) message: Option<String>,
    /// Every process group that a tool starts.
    pub(crate) groups: Groups,
    /// What background commands print.
    pub(crate) printed: BackgroundOutput,
    /// Who sends traces of it, if somebody does.
    pub(crate) traces: Option<Following>,
}

/// Makes a new session, or takes up an earlier one.
///
/// # Errors
/// A model that cannot be reached as things are, a session that is not there or not sound.
pub(crate) fn compose(
    invocation: &Invocation,
    keeping: Keeping<'_>,
    attendance: Attendance,
) -> Result<Session, Fault> {
    compose_beside(invocation, keeping, attendance, None)
}

/// The same, beside an editor whose texts of files count.
///
/// # Errors
/// As [`compose`].
pub(crate) fn compose_beside(
    invocation: &Invocation,
    keeping: Keeping<'_>,
    attendance: Attendance,
    editor: Option<Arc<dyn EditorFiles>>,
) -> Result<Session, Fault> {
    let state = state_dir(invocation)?;
    let opened = keeping.earlier().map(|which| open(invocation, &state, which)).transpose()?;
    let branch = opened.as_ref().and_then(|(_, file)| as_branch(invocation, &state, file));
    let invocation = branch.as_ref().unwrap_or(invocation);
    let (config, choice) = choice(invocation, opened.as_ref().map(|(_, file)| file), keeping.asks_a_model())?;
    let groups = Groups::default();
    let tools = local_tools(invocation, &config, &groups, attendance, editor.clone());
    let choice = with_tool_calls(choice, &config);
    let router = router(&choice, &config)?;
    let now = now();
    // What acts otherwise than one thinks comes first, then what a person has to do; the files are behind all of it.
    let mut notices = [of_tools(&config, &tools), notices(invocation, &config, &choice)?].concat();
    let external = ExternalTools::of(invocation, &groups);
    let settings = settings(invocation, &choice, &external, attendance);
    let mut settings = keeping.narrowing(Settings { effort: config.effort, ..settings });
    let maker = SubagentMaker::new(invocation, &config, &state, settings.clone())
        .kept(!matches!(keeping, Keeping::Ephemeral))
        .plugged(&router, &groups, editor)
        .lending(external.servers());
    let (agent, first, before, store, id, imported_to) = match opened {
        None => {
            remove_old(&state, config.keep_days, SystemTime::now());
            let id = Uuid::now_v7().to_string();
            settings.session.clone_from(&id);
            let store = keeping.new_store(&state, &id)?;
            let mut agent = Agent::new(settings);
            let mut first = agent.first_effects();
            first.extend(agent.first_forecast(now));
            (agent, first, Vec::new(), store, id, None)
        }
        Some((store, file)) => {
            let (agent, first, before, id, imported_to) =
                take_up(invocation, &state, &maker, settings, file, &mut notices)?;
            (agent, first, before, Box::new(store) as Box<dyn StorePort>, id, imported_to)
        }
    };
    let (store, traces) = follow(invocation, &id, (&before, imported_to), store, &mut notices);
    let tools = keeping.with_undo(continued(tools, &before), &state, &id);
    let printed = tools.background_output();
    let tools = Box::new(WithNested::new(external.around(tools, invocation), invocation));
    let switch = Switch::new(config.clone(), invocation.environment.clone(), router.clone());
    let gateway = Gateway::new(invocation, (state, &id), switch, &groups).telling(tools.instructions());
    let hooks = hook_port(invocation, &id, &groups);
    let ports = Ports { model: Box::new(router), tools, hooks, subagents: maker.port(), store };
    let (driver, handles) = Driver::new(agent, ports);
    Ok(Session {
        driver,
        handles,
        first,
        before,
        imported_to,
        id,
        effort: config.effort.and_then(|level| choice.spec.abilities.effort(level)),
        choice,
        gateway,
        notices: [notices, of_files(invocation)].concat(),
        message: None,
        groups,
        printed,
        traces,
    })
}

type TakenUp = (Agent, Vec<Effect>, Vec<Arc<Entry>>, String, Option<EntryId>);

/// The loop of an earlier session, with what it does first, what its file holds, its id, and how much of it
/// came with an import.
fn take_up(
    invocation: &Invocation,
    state: &Path,
    maker: &SubagentMaker,
    settings: Settings,
    file: SessionFile,
    notices: &mut Vec<String>,
) -> Result<TakenUp, Fault> {
    // Where the wall clock was set back meanwhile, time goes on from the last entry.
    let now = file.entries.iter().map(|entry| entry.at).fold(now(), Ord::max);
    notices.extend(file_notices(&file));
    let before = file.entries.clone();
    let id = session_id(&before);
    let imported_to = file.came_to();
    let cut_off = CutOff::of(maker, now);
    let known = subagents::standing(state, &invocation.cwd, (&before, file.imported_to), &cut_off);
    let missing = end_notice(&file);
    notices.extend(of_subagent_notice(&id));
    let (ended, entries) = cut_off.end_own(state, &id, file.entries, &known);
    let mut recovered = recover_with(entries, now, &known).map_err(|fault| damaged(&id, &fault))?;
    if let Some(said) = missing {
        // What is written from here on has no trace of it.
        recovered.ledger.remark(now, Remark::Note(Note::plain(About::Session, said)));
    }
    notices.extend(lost_notice(recovered.lost));
    let (mut agent, resumed) = Agent::resume(settings, recovered, now);
    let mut first: Vec<Effect> = ended.into_iter().chain(resumed).collect();
    first.extend(agent.first_effects());
    let undo = Undoing::new(state.to_owned(), id.clone(), invocation);
    first.extend(finish_undo(&undo, &before, &mut agent, now, notices));
    first.extend(agent.first_forecast(now));
    Ok((agent, first, before, id, imported_to))
}

/// What a person should know of the configuration.
fn notices(invocation: &Invocation, config: &Config, choice: &Choice) -> Result<Vec<String>, Fault> {
    let room = little_room(invocation, choice);
    let room = room.map(|(what, next)| format!("{what}. What helps: {next}."));
    let mut notices: Vec<String> = room.into_iter().chain(invocation.config.warnings.clone()).collect();
    notices.extend(choice.notice.clone());
    // What was chosen in the session is no file's, and each model gets the nearest level.
    if config.effort == invocation.config.effort {
        notices.extend(effort::check(config, choice)?);
    }
    notices.extend(tools_notice(choice, invocation.config.tools));
    Ok(notices)
}

fn damaged(id: &str, fault: &LedgerFault) -> Fault {
    Fault::failed(
        format!("session {id} is damaged: {fault}"),
        "nothing was changed; view it with `countersign inspect`, or start a new session",
    )
}

/// The program's state folder.
///
/// # Errors
/// When there is no home to put it in.
pub(crate) fn state_dir(invocation: &Invocation) -> Result<std::path::PathBuf, Fault> {
    state_of(&invocation.environment)
}

/// The program's state folder in this environment.
///
/// # Errors
/// When there is no home to put it in.
pub(crate) fn state_of(environment: &Environment) -> Result<std::path::PathBuf, Fault> {
    environment
        .state_dir()
        .ok_or_else(|| Fault::usage("there is no folder for sessions", "set HOME or XDG_STATE_HOME"))
}

/// The file of the session that is meant.
///
/// # Errors
/// A sentence that says which sessions there are.
pub(crate) fn locate(
    invocation: &Invocation,
    state: &Path,
    which: &SessionChoice,
) -> Result<std::path::PathBuf, Fault> {
    locate_from(&invocation.cwd, state, which)
}

/// The same, seen from a folder.
///
/// # Errors
/// A sentence that says which sessions there are.
pub(crate) fn locate_from(
    cwd: &Path,
    state: &Path,
    which: &SessionChoice,
) -> Result<std::path::PathBuf, Fault> {
    match which {
        SessionChoice::Session(wanted) => find(state, wanted)
            .map_err(|why| Fault::usage(why, "name one that `countersign sessions list` shows")),
        SessionChoice::Last => latest(state, &cwd.to_string_lossy()).ok_or_else(|| {
            Fault::usage(
                format!("there is no session for {} yet", cwd.display()),
                "start one with `countersign`, or name a session by its id",
            )
        }),
    }
}

fn open(
    invocation: &Invocation,
    state: &Path,
    which: &SessionChoice,
) -> Result<(SessionStore, SessionFile), Fault> {
    let path = locate(invocation, state, which)?;
    let (store, file) = SessionStore::open(&path).map_err(|why| Fault::failed(why, ""))?;
    check_place(&invocation.cwd, &path, &file)?;
    Ok((store, file))
}

/// Whether an earlier session can be taken up here: the same that [`compose_beside`] would say, without touching it. It may be open.
///
/// # Errors
/// As there.
pub(crate) fn check_earlier(invocation: &Invocation, which: &SessionChoice) -> Result<(), Fault> {
    let path = locate(invocation, &state_dir(invocation)?, which)?;
    let file = SessionStore::read(&path).map_err(|why| Fault::failed(why, ""))?;
    check_place(&invocation.cwd, &path, &file)?;
    choice(invocation, Some(&file), true).map(drop)
}

/// A resumed session keeps its model and its effort, unless others were named: what was chosen in it stands above the
/// files, as what is named on the command line does; what it began with, below them. Returns the configuration that
/// says so, too. Where no model is asked (`is_asked`), none has to be within reach.
fn choice(
    invocation: &Invocation,
    file: Option<&SessionFile>,
    is_asked: bool,
) -> Result<(Config, Choice), Fault> {
    let mut config = invocation.config.clone();
    let entries = file.map(|file| file.entries.as_slice()).unwrap_or_default();
    let nobody_scripts = config.script.is_none() && invocation.environment.mock_responses().is_none();
    let (left, was_chosen) = left_with(entries);
    if nobody_scripts && (config.model.is_none() || was_chosen && !config.source("model").is_flag()) {
        let left = left.filter(|model| model.provider != "script").map(ToString::to_string);
        config.model = left.or(config.model);
    }
    let chosen = entries.iter().rev().find_map(|entry| match &entry.body {
        Body::Change(Change::Effort { effort }) => Some(*effort),
        _ => None,
    });
    if let Some(effort) = chosen.filter(|_| !config.source("effort").is_flag()) {
        config.effort = effort;
    }
    let table = Table::embedded();
    let choice =
        if is_asked { choose(&config, &invocation.environment, &table)? } else { unasked(&config, &table) };
    Ok((config, choice))
}

/// The model that a session was left with, and whether somebody chose it in the session.
fn left_with(entries: &[Arc<Entry>]) -> (Option<&ModelRef>, bool) {
    let found = entries.iter().rev().find_map(|entry| match &entry.body {
        Body::Change(Change::Model { model, .. }) => Some((model, true)),
        Body::SessionStarted(started) => Some((&started.model, false)),
        _ => None,
    });
    found.map_or((None, false), |(model, was_chosen)| (Some(model), was_chosen))
}
