//! Calls that wait: the client is asked, and its answer becomes the decision that a key of the screen would make.

use serde_json::Value;

use super::Conversation;
use crate::agent::{Answer, Intent};
use crate::cli::acp::methods::elicitation_create;
use crate::cli::acp::methods::session_request_permission::{
    self as permission, CANNOT_ASK, OfferedAnswer, PermissionAnswer,
};
use crate::cli::acp::rpc;
use crate::cli::acp::updates::tool_call;
use crate::ledger::{ApprovalRequest, Body, CallId, Entry, EntryId};
use crate::tool::ASK;

/// A request that the client was asked about.
#[derive(Debug)]
pub(super) struct OpenRequest {
    /// The call.
    call: CallId,
    /// How often it was asked about: an answer that the loop did not take is asked for once more.
    round: u32,
    /// What can be answered; `None`: it is a form.
    offered: Option<Vec<OfferedAnswer>>,
    /// Whether the client has answered.
    is_answered: bool,
}

impl Conversation {
    /// An entry that asks for a decision, or makes one.
    pub(super) async fn decide(&mut self, entry: &Entry) {
        match &entry.body {
            Body::ApprovalRequested(asked) => {
                // A request that was recorded again voids the one before: an answer to that comes too late.
                self.asked.retain(|_, earlier| earlier.call != asked.call);
                if self.is_prompted() {
                    self.ask(entry.id, asked.clone(), 1).await;
                }
            }
            Body::ApprovalDecided(decision) => self.asked.retain(|_, asked| asked.call != decision.call),
            Body::ToolResult(result) => self.asked.retain(|_, asked| asked.call != result.call),
            _ => {}
        }
    }

    /// Asks about the calls that wait and were not asked about.
    pub(super) async fn offer_waiting(&mut self) {
        let waiting = self.view.waiting().into_iter().map(|(entry, asked)| (entry, asked.clone()));
        let waiting: Vec<(EntryId, ApprovalRequest)> = waiting.collect();
        for (entry, asked) in waiting {
            if !self.asked.contains_key(&entry) {
                self.ask(entry, asked, 1).await;
            }
        }
    }

    async fn ask(&mut self, entry: EntryId, asked: ApprovalRequest, round: u32) {
        let Some(panel) = self.view.panel(asked.call) else { return };
        // The name says which session, which request, and which round: an answer cannot be taken for that to another.
        let id = format!("{}/{entry}/{round}", self.id);
        let is_question = asked.name == ASK;
        let has_form = is_question && self.client.abilities.has_forms;
        let offered = permission::offered(&asked, round > 1);
        if is_question && !has_form && offered.is_empty() {
            let answer = Answer::Deny(CANNOT_ASK.to_owned());
            return self.wish(Intent::Decide { request: entry, call: asked.call, answer }).await;
        }
        let request = if has_form {
            rpc::request(&id, elicitation_create::METHOD, elicitation_create::params(&self.id, &asked))
        } else {
            let call = tool_call::asked(&self.cwd, panel, entry, &asked);
            rpc::request(&id, permission::METHOD, permission::params(&self.id, &call, &offered))
        };
        let offered = (!has_form).then_some(offered);
        self.asked.insert(entry, OpenRequest { call: asked.call, round, offered, is_answered: false });
        self.client.out.send(&request).await;
    }

    /// The client answered a request of ours. An answer that is late, the second, or to a request that nobody made does
    /// nothing, and that is said.
    pub(super) async fn answered(&mut self, request: &str, outcome: Result<Value, Value>) {
        let named = request.split_once('/');
        let named =
            named.and_then(|(entry, round)| Some((EntryId::parse(entry)?, round.parse::<u32>().ok()?)));
        let open = named.and_then(|(entry, round)| {
            let asked = self.asked.get_mut(&entry)?;
            (asked.round == round).then_some((entry, asked))
        });
        let Some((entry, asked)) = open else {
            // What was cancelled is answered by the client after that: nobody needs to hear of it.
            let is_cancelled = outcome.as_ref().is_ok_and(|result| {
                result.pointer("/outcome/outcome").and_then(Value::as_str) == Some("cancelled")
            });
            if !is_cancelled {
                self.remark("a decision came too late, or for a call that does not wait: it changed nothing")
                    .await;
            }
            return;
        };
        let call = asked.call;
        if asked.is_answered {
            let words = format!("call {call} was decided about already: the second decision changed nothing");
            return self.remark(&words).await;
        }
        asked.is_answered = true;
        let said = match (outcome, &asked.offered) {
            (Ok(result), Some(offered)) => permission::said(offered, &result),
            (Ok(result), None) => elicitation_create::said(&result),
            (Err(_), _) => Err("the editor could not ask".to_owned()),
        };
        match said {
            Ok(PermissionAnswer::Answer(answer)) => {
                self.wish(Intent::Decide { request: entry, call, answer }).await
            }
            // A client answers so when it takes the turn back.
            Ok(PermissionAnswer::Cancelled) => self.cancel(),
            Err(why) => {
                self.remark(&format!("call {call} is denied: {why}")).await;
                let answer = Answer::Deny(format!("nobody decided: {why}"));
                self.wish(Intent::Decide { request: entry, call, answer }).await;
            }
        }
    }

    /// The loop refused something: the prompt, a setting, or a decision, whose call then waits on and is asked about again.
    pub(super) async fn refused(&mut self, why: &str) {
        if self.prompt_refused(why) || self.setting_refused(why).await {
            return;
        }
        self.remark(why).await;
        let is_open =
            |entry: &EntryId, view: &crate::view::View| view.waiting().iter().any(|(open, _)| open == entry);
        let answered: Vec<EntryId> = self
            .asked
            .iter()
            .filter(|(entry, asked)| asked.is_answered && is_open(entry, &self.view))
            .map(|(entry, _)| *entry)
            .collect();
        for entry in answered {
            let Some(round) = self.asked.remove(&entry).map(|asked| asked.round) else { continue };
            let waiting = self.view.waiting();
            let found = waiting.iter().find(|(open, _)| *open == entry).map(|(_, asked)| (*asked).clone());
            if let Some(asked) = found.filter(|_| round < 3) {
                self.ask(entry, asked, round + 1).await;
            }
        }
    }
}
