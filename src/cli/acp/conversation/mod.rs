//! One session of the client: a front end on the loop, which tells its events as updates and turns requests into intents.

mod command;
mod decisions;
mod events;
mod pending;
mod pricing;
mod prompting;
mod session_state;
mod settings;
mod subagents;

pub(super) use command::{Ask, Door, SessionCommand};
pub(super) use session_state::Conversation;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;

use super::client_end::ClientEnd;
use super::methods::session_set_config_option::Options;
use super::methods::session_set_mode::modes;
use super::opening::{Opened, Which};
use super::updates::message::Streamed;
use super::updates::{available_commands, config_option};
use crate::agent::{Effect, Shutdown};
use crate::cli::chat::view_settings;
use crate::cli::outcome::complain;
use crate::cli::told_subagents::ToldSubagents;
use crate::config::fault::one_line;
use crate::config::models::Listed;
use crate::ledger::Entry;
use crate::runtime::{Driver, DriverError, Groups};
use crate::session::gateway::{Ends, Gateway};
use crate::session::telemetry::Following;
use crate::ui::Reply;
use crate::view::View;

/// How long process groups may take to go after TERM when a session ends.
const GRACE: Duration = Duration::from_millis(500);
/// Requests that may wait while the client reads slowly.
const COMMANDS_WAITING: usize = 64;

/// The loop, before it runs, and what is left when it has ended.
pub(super) struct Begin {
    driver: Driver,
    first: Vec<Effect>,
    before: Vec<Arc<Entry>>,
    gateway: Gateway,
    groups: Groups,
    traces: Option<Following>,
    notices: Vec<String>,
    all_models: oneshot::Receiver<Vec<Listed>>,
    over: watch::Sender<bool>,
}

impl Conversation {
    /// A session that was opened, and the door to it.
    pub(super) fn new(client: ClientEnd, opened: Opened) -> (Self, Begin, Door) {
        let Opened { invocation, session, models, all_models, notices, files } = opened;
        let view = View::new(view_settings(&invocation, &session));
        let options = Options::new(invocation.config.mode, &session.choice.spec, session.effort, &models);
        let (to_itself, commands) = mpsc::channel(COMMANDS_WAITING);
        let (over, is_over) = watch::channel(false);
        let handles = session.handles;
        let is_taken = Arc::<AtomicBool>::default();
        let door = Door {
            commands: to_itself.clone(),
            abort: handles.abort.clone(),
            is_taken: Arc::clone(&is_taken),
            over: is_over,
            files,
        };
        let (attach, rules) = (session.gateway.attach.clone(), session.gateway.rules.clone());
        let begin = Begin {
            driver: session.driver,
            first: session.first,
            before: session.before,
            gateway: session.gateway,
            groups: session.groups,
            traces: session.traces,
            notices,
            all_models,
            over,
        };
        let conversation = Self {
            id: session.id,
            cwd: invocation.cwd.clone(),
            client,
            view,
            options,
            attach,
            commands,
            to_itself,
            intents: handles.intents,
            abort: handles.abort,
            is_taken,
            shutdown: handles.shutdown,
            events: handles.events,
            prompt: None,
            asked: BTreeMap::new(),
            undecided: None,
            subagents: ToldSubagents::default(),
            shown_below: BTreeSet::new(),
            price: None,
            rules,
            to_keep: Vec::new(),
            requests: None,
            settings: Vec::new(),
            streamed: Streamed::default(),
            plan: Vec::new(),
            title: String::new(),
            grown: BTreeSet::new(),
            is_closing: false,
        };
        (conversation, begin, door)
    }

    /// The session's id.
    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// Answers the request that opened it, and goes on until it is closed or the client is gone.
    pub(super) async fn run(mut self, begin: Begin, request: Value, which: Which) {
        let Begin { driver, first, before, gateway, groups, traces, notices, all_models, over } = begin;
        self.recall(&before, matches!(which, Which::Load(_))).await;
        self.client.out.answer(&request, Ok(self.opened(&which, &notices))).await;
        let commands = available_commands::all(&self.view.settings.commands);
        self.update(commands).await;
        let to_itself = self.to_itself.clone();
        tokio::spawn(async move {
            let Ok(models) = all_models.await else { return };
            // Nobody hears it when the session has ended.
            to_itself.send(SessionCommand::Listed(models)).await.ok();
        });
        let running = tokio::spawn(driver.run(first));
        let Ends { requests, replies, .. } = gateway.begin(self.intents.clone());
        self.requests = Some(requests);
        self.converse(replies).await;
        self.over(running).await;
        drop(tokio::task::spawn_blocking(move || {
            groups.end_all(GRACE);
            if let Some(trouble) = traces.and_then(Following::finish) {
                complain(&format!("note: {}", one_line(&trouble)));
            }
            over.send_replace(true);
        }));
    }

    /// The answer to the request that opened the session.
    fn opened(&self, which: &Which, notices: &[String]) -> Value {
        let mut result = json!({
            "modes": modes(self.options.mode),
            "configOptions": self.options.all(),
            "_meta": { "countersign/notices": notices },
        });
        if let (Which::New, Some(members)) = (which, result.as_object_mut()) {
            members.insert("sessionId".to_owned(), self.id.clone().into());
        }
        result
    }

    async fn converse(&mut self, mut replies: mpsc::Receiver<Reply>) {
        let mut gone = self.client.gone.clone();
        loop {
            tokio::select! {
                biased;
                () = vanished(&mut gone), if !self.is_closing => self.close(Shutdown::Signal).await,
                Some(command) = self.commands.recv(), if !self.is_closing => self.obey(command).await,
                event = self.events.recv() => match event {
                    Some(event) => self.hear_all(event).await,
                    None => return,
                },
                Some(reply) = replies.recv() => self.replied(reply).await,
            }
        }
    }

    async fn obey(&mut self, command: SessionCommand) {
        match command {
            SessionCommand::Request { id, what: Ask::Prompt(params) } => self.prompted(id, params).await,
            SessionCommand::Request { id, what: Ask::SetMode(params) } => self.set_mode(id, params).await,
            SessionCommand::Request { id, what: Ask::SetOption(params) } => {
                self.set_option(id, params).await;
            }
            SessionCommand::Cancel { is_pressed } => self.cancel(is_pressed).await,
            SessionCommand::CancelRequest(id) => {
                if self.prompt.as_ref().is_some_and(|prompt| prompt.id == id) {
                    self.cancel(false).await;
                }
            }
            SessionCommand::Answer { request, outcome } => self.answered(&request, outcome).await,
            SessionCommand::Read { id, said } => self.was_read(&id, said).await,
            SessionCommand::Planned { entry, plan } => self.planned(entry, plan).await,
            SessionCommand::Listed(models) => {
                if self.options.learn(&models) {
                    self.update(config_option::all(&self.options)).await;
                }
            }
            SessionCommand::Close => self.close(Shutdown::Quit).await,
        }
    }

    /// Ends the loop; its last events are still heard.
    async fn close(&mut self, how: Shutdown) {
        self.is_closing = true;
        if let Some(prompt) = &mut self.prompt {
            prompt.is_cancelled = true;
        }
        // What runs is stopped as by Esc. A call that waits for a decision waits on if the session is closed, and is
        // settled if the client has vanished.
        if self.shutdown.send(how).await.is_err() {
            tracing::debug!("the loop had ended already");
        }
    }

    /// The loop has ended: whoever still waits is told.
    async fn over(&mut self, running: JoinHandle<Result<(), DriverError>>) {
        let outcome = match running.await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(DriverError::Store { why, unwritten })) => {
                Err(crate::session::unrecorded::fault(&why, &unwritten).to_string())
            }
            Err(broken) => Err(format!("the loop crashed: {broken}")),
        };
        if let Err(why) = &outcome {
            complain(&format!("error: {}", one_line(why)));
        }
        self.end_prompt(outcome).await;
        self.end_settings().await;
    }
}

/// Ends when the client is gone.
async fn vanished(gone: &mut watch::Receiver<bool>) {
    // Without a sender nobody is there, either.
    gone.wait_for(|is_gone| *is_gone).await.map(drop).unwrap_or_default();
}
