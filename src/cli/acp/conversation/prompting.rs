//! The prompt that is under way: read, said, and answered when its run has ended.

use std::sync::atomic::Ordering;

use serde_json::Value;

use super::command::SessionCommand;
use super::pending::{PendingPrompt, Stage};
use super::session_state::Conversation;
use crate::agent::Intent;
use crate::cli::acp::methods::session_prompt::{self, Block};
use crate::cli::acp::rpc::RpcError;
use crate::ledger::{Body, CallId, Entry, EntryId, Injector, UserMessage};
use crate::ui::commands::{self, Fronts, Meaning};
use crate::view::CustomCall;

impl Conversation {
    /// `session/prompt`
    pub(super) async fn prompted(&mut self, id: Value, params: Value) {
        if self.prompt.is_some() {
            let words = "a prompt is under way in this session; cancel it first, or wait for its answer";
            return self.client.out.answer(&id, Err(RpcError::request(words))).await;
        }
        let blocks = match session_prompt::read(params).and_then(|blocks| self.expanded(blocks)) {
            Ok(blocks) => blocks,
            Err(why) => return self.client.out.answer(&id, Err(why)).await,
        };
        self.prompt =
            Some(PendingPrompt { id: id.clone(), stage: Stage::Reading, is_cancelled: false, ended: None });
        let (attach, cwd, to_itself) = (self.attach.clone(), self.cwd.clone(), self.to_itself.clone());
        tokio::spawn(async move {
            // Files may lie on a slow disk, or on one that never answers.
            let read = tokio::task::spawn_blocking(move || match blocks {
                Expanded::Blocks(blocks) => {
                    session_prompt::message(&attach, &cwd, UserMessage::default(), blocks)
                        .map(|said| (said, String::new()))
                }
                Expanded::Call { words, beside } => {
                    attach.message(words).map_err(session_prompt::refused).and_then(|(said, note)| {
                        Ok((session_prompt::message(&attach, &cwd, said, beside)?, note))
                    })
                }
            });
            let said = read.await.unwrap_or_else(|broken| Err(RpcError::internal(broken.to_string())));
            if to_itself.send(SessionCommand::Read { id, said }).await.is_err() {
                tracing::debug!("a prompt was read after its session had ended");
            }
        });
    }

    /// What the words of a command mean, its arguments in the same block; blocks that call none stay as they are.
    fn expanded(&self, blocks: Vec<Block>) -> Result<Expanded, RpcError> {
        let Some(text) = session_prompt::slash(&blocks) else { return Ok(Expanded::Blocks(blocks)) };
        match commands::custom(text, &self.view.settings.commands) {
            Some(call @ CustomCall { command: Some(_), .. }) => {
                let runs = commands::runs_first(&call, &self.view.settings.commands);
                let words = format!("{runs}; call it in the app, or write the prompt out");
                return Err(RpcError::params(words));
            }
            Some(call) => return Ok(Expanded::call(call.message, blocks)),
            None => {}
        }
        if let Some(why) = commands::unusable(text, &self.view.settings.ignored) {
            return Err(RpcError::params(why));
        }
        match commands::read(text, Fronts::Lines) {
            Some(Ok(Meaning::Init)) => Ok(Expanded::call(commands::init(), blocks)),
            Some(Ok(Meaning::Review(base))) => {
                Ok(Expanded::call(commands::review_by_the_model(base.as_deref()), blocks))
            }
            _ => Ok(Expanded::Blocks(blocks)),
        }
    }

    /// The prompt was read.
    pub(super) async fn was_read(&mut self, id: &Value, said: Result<(UserMessage, String), RpcError>) {
        let Some(prompt) = self.prompt.as_mut().filter(|prompt| prompt.id == *id) else { return };
        let is_empty = |said: &UserMessage| said.content.trim().is_empty() && said.images.is_empty();
        match said {
            _ if prompt.is_cancelled => self.answer_prompt(Ok(session_prompt::cancelled())).await,
            Err(why) => self.answer_prompt(Err(why)).await,
            Ok((said, _)) if is_empty(&said) => {
                self.answer_prompt(Err(RpcError::params("the prompt is empty"))).await;
            }
            Ok((said, note)) => {
                prompt.stage = Stage::Said;
                if !note.is_empty() {
                    self.remark(&note).await;
                }
                self.wish(Intent::Submit(said)).await;
                // Calls that waited when the session was opened are offered now: only a prompt can be asked in.
                self.offer_waiting().await;
            }
        }
    }

    /// Esc. One that comes before the loop has the message is remembered: it would find nothing to stop.
    /// `is_pressed`: the loop had the message and has had this Esc.
    pub(super) async fn cancel(&mut self, is_pressed: bool) {
        if self.cancel_price().await {
            return;
        }
        let Some(prompt) = &mut self.prompt else { return };
        prompt.is_cancelled = true;
        if prompt.stage != Stage::Reading && !is_pressed {
            self.esc();
        }
    }

    /// The same for a request that the client takes back with the prompt: a second Esc would not let sub-agents settle.
    pub(super) async fn cancel_once(&mut self) {
        if !self.prompt.as_ref().is_some_and(|prompt| prompt.is_cancelled) {
            self.cancel(false).await;
        }
    }

    fn esc(&self) {
        // A full channel holds one already.
        self.abort.try_send(()).ok();
    }

    /// The loop has written an entry: the prompt's own message, or the end of its run.
    pub(super) fn follow_prompt(&mut self, entry: &Entry) {
        let Some(prompt) = &mut self.prompt else { return };
        match &entry.body {
            Body::User(_) if prompt.stage == Stage::Said => {
                prompt.stage = Stage::Taken;
                self.is_taken.store(true, Ordering::SeqCst);
                if prompt.is_cancelled {
                    self.esc();
                }
            }
            Body::Injected(said) if prompt.stage == Stage::Said && said.by == Injector::Steering => {
                prompt.stage = Stage::Taken;
                self.is_taken.store(true, Ordering::SeqCst);
            }
            Body::TurnEnded(end) if matches!(prompt.stage, Stage::Taken | Stage::Returned(_)) => {
                prompt.ended = Some(session_prompt::ended(entry.id, end));
                self.is_taken.store(false, Ordering::SeqCst);
            }
            _ => {}
        }
    }

    /// The run of the prompt has ended, and this is the answer.
    pub(super) fn end_with(&mut self, answer: Value) {
        if let Some(prompt) = &mut self.prompt {
            prompt.ended = Some(answer);
        }
    }

    /// The loop gave back what was said.
    pub(super) fn prompt_returned(&mut self) {
        if let Some(prompt) = self.prompt.as_mut().filter(|prompt| prompt.stage == Stage::Said) {
            prompt.stage = Stage::Returned(None);
        }
    }

    /// The loop refused the prompt. False: it is about something else.
    pub(super) fn prompt_refused(&mut self, why: &str) -> bool {
        match self.prompt.as_mut().map(|prompt| &mut prompt.stage) {
            Some(Stage::Returned(reason)) => {
                *reason = Some(why.to_owned());
                true
            }
            Some(stage) if *stage == Stage::Said && self.asked.is_empty() && !self.view.status.is_busy() => {
                *stage = Stage::Returned(Some(why.to_owned()));
                true
            }
            _ => false,
        }
    }

    /// Answers the prompt, if its run has ended or it was given back. All that the run brought is told by now.
    pub(super) async fn settle_prompt(&mut self) {
        let Some(prompt) = &mut self.prompt else { return };
        if let Some(ended) = prompt.ended.take() {
            return self.answer_prompt(Ok(ended)).await;
        }
        if let Stage::Returned(why) = &prompt.stage {
            let why = why.clone().unwrap_or_else(|| "the run before it ended, so it was not sent".to_owned());
            let outcome = if prompt.is_cancelled {
                Ok(session_prompt::cancelled())
            } else {
                Err(RpcError::request(why))
            };
            self.answer_prompt(outcome).await;
        }
    }

    async fn answer_prompt(&mut self, outcome: Result<Value, RpcError>) {
        self.end_requests();
        self.price = None;
        self.is_taken.store(false, Ordering::SeqCst);
        if let Some(prompt) = self.prompt.take() {
            self.client.out.answer(&prompt.id, outcome).await;
        }
    }

    /// The loop is over.
    pub(super) async fn end_prompt(&mut self, outcome: Result<(), String>) {
        self.settle_prompt().await;
        let waiting: Vec<(EntryId, CallId)> =
            self.view.own_waiting().map(|(entry, asked)| (entry, asked.call)).collect();
        let answer = outcome.map_err(RpcError::internal).map(|()| match waiting.first() {
            Some((asked, _)) => {
                let calls: Vec<CallId> = waiting.iter().map(|(_, call)| *call).collect();
                session_prompt::left(*asked, &calls)
            }
            None => session_prompt::cancelled(),
        });
        self.answer_prompt(answer).await;
    }

    /// Whether a call can be asked about: a client expects that only while it waits for a prompt, and has not taken it back.
    pub(super) fn is_prompted(&self) -> bool {
        self.prompt.as_ref().is_some_and(|prompt| prompt.stage != Stage::Reading && !prompt.is_cancelled)
    }

    /// The prompt that is under way.
    pub(super) fn prompt_id(&self) -> Option<Value> {
        self.prompt.as_ref().map(|prompt| prompt.id.clone())
    }
}

/// A prompt after its command was looked up.
enum Expanded {
    /// It calls none.
    Blocks(Vec<Block>),
    /// It calls one.
    Call {
        /// What the command says; its `@paths` name files.
        words: String,
        /// What goes with it: an editor makes a block of each file that is mentioned behind the command.
        beside: Vec<Block>,
    },
}

impl Expanded {
    /// What a command says that these blocks call.
    fn call(words: String, blocks: Vec<Block>) -> Self {
        Self::Call { words, beside: session_prompt::beside_slash(blocks) }
    }
}
