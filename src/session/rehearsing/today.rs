//! What of today's world a past session is played in.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::StreamExt as _;
use tokio::runtime::{Builder, Runtime};

use crate::agent::Settings;
use crate::config::Facts;
use crate::config::Invocation;
use crate::config::fault::Fault;
use crate::config::models::{Choice, Table, Transport, resolve};
use crate::hooks::{HookAnswer, HookCall};
use crate::ledger::{Entry, EntryId, ModelRef};
use crate::model::{ModelEvent, ModelNews, ModelSpec, Request};
use crate::recorded::{Answered, Outside, Played, Player, Tape, Twist};
use crate::runtime::{Groups, HookPort, ModelPort, PastPlaces};
use crate::session::external::ExternalTools;
use crate::session::ports::hook_port;
use crate::session::settings::settings;
use crate::tool::Preparation;

/// Today's configuration, and a folder that need not exist any more.
pub(crate) struct Today<'i> {
    invocation: &'i Invocation,
    places: PastPlaces,
    hooks: Box<dyn HookPort>,
    runtime: Runtime,
    live: Option<LiveModel>,
}

/// A model that is asked again.
pub(crate) struct LiveModel {
    /// What is known about it.
    pub(crate) spec: ModelSpec,
    /// The way to it.
    pub(crate) port: Box<dyn ModelPort>,
}

impl<'i> Today<'i> {
    /// # Errors
    /// The system gives no runtime for hooks.
    pub(crate) fn new(
        invocation: &'i Invocation,
        folder: &Path,
        session: &str,
        live: Option<LiveModel>,
    ) -> Result<Self, Fault> {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|why| Fault::failed(format!("cannot start: {why}"), ""))?;
        let home: Option<PathBuf> = invocation.environment.home();
        let hooks = hook_port(invocation, session, &Groups::default());
        Ok(Self { invocation, places: PastPlaces::of(folder, home), hooks, runtime, live })
    }

    fn spec(&self, model: &ModelRef) -> ModelSpec {
        resolve(model, &self.invocation.config, &Table::embedded(), Facts::default())
    }

    /// The settings that a session of today would have with this model.
    fn settings(&self, model: &ModelRef) -> Settings {
        let spec = self.live.as_ref().map_or_else(|| self.spec(model), |live| live.spec.clone());
        let unreached = |spec: ModelSpec| Choice {
            spec,
            way: Transport::Rehearsal,
            source: String::new(),
            notice: None,
            search: None,
            fallback: Vec::new(),
        };
        let fallback = self.invocation.config.fallback.iter();
        let fallback = fallback.map(|name| unreached(self.spec(&ModelRef::parse(name)))).collect();
        let choice = Choice { fallback, ..unreached(spec) };
        let external = ExternalTools::of(self.invocation, &Groups::default());
        let settings = settings(self.invocation, &choice, &external, self.invocation.config.on_approval);
        Settings { effort: self.invocation.config.effort, seed: 1, ..settings }
    }
}

/// Whose rules decide about the calls of a session that is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RulesOf {
    /// Those of today: what is tested.
    Today,
    /// Those of the session, which said what is on record.
    ItsTime,
}

/// Plays a session. With `sandbox` it is decided whether there is one, so that the machine does not matter.
///
/// # Errors
/// The entries are no session.
pub(crate) fn played(
    today: &mut Today<'_>,
    entries: &[Arc<Entry>],
    sandbox: bool,
    twist: Option<(&Twist, EntryId)>,
    rules: RulesOf,
) -> Result<Played, Fault> {
    let tape = Tape::of(entries).ok_or_else(|| {
        Fault::usage("there is no session in it", "name a session, or a file that holds one")
    })?;
    // A mode that somebody names is one for all of it.
    let config = &today.invocation.config;
    let tape = match (config.source("mode").is_flag(), rules) {
        (true, _) => tape.in_mode(config.mode),
        (false, RulesOf::ItsTime) => tape.as_ruled(entries),
        (false, RulesOf::Today) => tape,
    };
    let tape = match twist {
        Some((twist, from)) => tape.twisted(twist, from),
        None => tape,
    };
    let mut settings = today.settings(&tape.started.model);
    settings.policy.has_sandbox = sandbox;
    Ok(Player::new(settings, tape, today).play())
}

impl Outside for Today<'_> {
    fn look(&mut self, call: &crate::tool::Invocation) -> Preparation {
        self.places.look(&call.name, &call.arguments, None)
    }

    fn hooks(&mut self, call: &HookCall) -> Vec<HookAnswer> {
        self.runtime.block_on(self.hooks.run(call.clone()))
    }

    fn model(&mut self, model: &ModelRef) -> ModelSpec {
        self.live.as_ref().map_or_else(|| self.spec(model), |live| live.spec.clone())
    }

    fn answer(&mut self, request: &Request) -> Option<Answered> {
        let live = self.live.as_ref()?;
        let mut stream = live.port.stream(request.clone());
        Some(self.runtime.block_on(async {
            let mut events: Vec<ModelEvent> = Vec::new();
            while let Some(news) = stream.next().await {
                match news {
                    ModelNews::Event(event) => events.push(event),
                    ModelNews::Finished => return Answered { events, end: Some(Ok(())) },
                    ModelNews::Failed(failure) => return Answered { events, end: Some(Err(failure)) },
                    ModelNews::ToolsRefused => {}
                }
            }
            Answered { events, end: Some(Ok(())) }
        }))
    }
}
