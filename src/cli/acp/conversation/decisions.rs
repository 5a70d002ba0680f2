//! Calls that wait: the client is asked, and its answer becomes the decision that a key of the screen would make.

use serde_json::Value;

use super::{Conversation, SessionCommand};
use crate::agent::{Answer, Intent};
use crate::cli::acp::methods::elicitation_create;
use crate::cli::acp::methods::session_request_permission::{
    self as permission, CANNOT_ASK, OfferedAnswer, PermissionAnswer,
};
use crate::cli::acp::rpc;
use crate::cli::acp::updates::tool_call;
use crate::ledger::{ApprovalRequest, Body, CallId, Entry, EntryId};
use crate::tool::ASK;
use crate::ui::RulePlan;
use crate::ui::local::RuleToKeep;

/// A request that the client was asked about.
#[derive(Debug)]
pub(super) struct OpenRequest {
    /// The call.
    call: CallId,
    /// How often it was asked about: an answer that the loop did not take is asked for once more.
    round: u32,
    stage: AskStage,
}

/// How far a request is.
#[derive(Debug)]
enum AskStage {
    /// What would be written for its rule is found out before the client is asked.
    Planning(Box<ApprovalRequest>),
    /// The client has it. What can be answered; `None`: it is a form.
    Sent(Option<Vec<OfferedAnswer>>),
    /// The client has answered.
    Answered,
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
            Body::ApprovalDecided(decision) => {
                self.asked.retain(|_, asked| asked.call != decision.call);
                self.keep_rules().await;
            }
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

    /// Asks about a call; where a rule can be offered, once it is known what would be written for it. That may take a slow disk.
    async fn ask(&mut self, entry: EntryId, asked: ApprovalRequest, round: u32) {
        let Some(rule) = permission::rule_of(&asked).filter(|_| round == 1).cloned() else {
            return self.put(entry, asked, round, None).await;
        };
        let stage = AskStage::Planning(Box::new(asked.clone()));
        self.asked.insert(entry, OpenRequest { call: asked.call, round, stage });
        let (rules, to_itself) = (self.rules.clone(), self.to_itself.clone());
        tokio::spawn(async move {
            let planning = rule.clone();
            let plan = tokio::task::spawn_blocking(move || rules.plan(planning)).await;
            let plan = plan.unwrap_or_else(|broken| RulePlan {
                project: Err(broken.to_string()),
                everywhere: Err(broken.to_string()),
                rule,
            });
            if to_itself.send(SessionCommand::Planned { entry, plan }).await.is_err() {
                tracing::debug!("a rule was planned after its session had ended");
            }
        });
    }

    /// What would be written for a rule is known: the client is asked, if the call still waits.
    pub(super) async fn planned(&mut self, entry: EntryId, plan: RulePlan) {
        let is_planning = |open: &&OpenRequest| matches!(open.stage, AskStage::Planning(_));
        if self.asked.get(&entry).filter(is_planning).is_none() {
            return;
        }
        if let Some(OpenRequest { round, stage: AskStage::Planning(asked), .. }) = self.asked.remove(&entry) {
            self.put(entry, *asked, round, Some(&plan)).await;
        }
    }

    async fn put(&mut self, entry: EntryId, asked: ApprovalRequest, round: u32, plan: Option<&RulePlan>) {
        let Some(panel) = self.view.panel(asked.call) else { return };
        // The name says which session, which request, and which round: an answer cannot be taken for that to another.
        let id = format!("{}/{entry}/{round}", self.id);
        let is_question = asked.name == ASK;
        let has_form = is_question && self.client.abilities.has_forms;
        let offered = permission::offered(&asked, plan, round > 1);
        if is_question && !has_form && offered.is_empty() {
            let answer = Answer::Nobody(CANNOT_ASK.to_owned());
            return self.wish(Intent::Decide { request: entry, call: asked.call, answer }).await;
        }
        let request = if has_form {
            rpc::request(&id, elicitation_create::METHOD, elicitation_create::params(&self.id, &asked))
        } else {
            let call = tool_call::asked(&self.cwd, panel, entry, &asked);
            rpc::request(&id, permission::METHOD, permission::params(&self.id, &call, &offered))
        };
        let stage = AskStage::Sent((!has_form).then_some(offered));
        self.asked.insert(entry, OpenRequest { call: asked.call, round, stage });
        self.client.out.send(&request).await;
    }

    /// The client answered a request of ours. An answer that is late, the second, or to a request that nobody made does
    /// nothing, and that is said.
    pub(super) async fn answered(&mut self, request: &str, outcome: Result<Value, Value>) {
        if self.price_answered(request, &outcome).await {
            return;
        }
        let named = request.split_once('/');
        let named =
            named.and_then(|(entry, round)| Some((EntryId::parse(entry)?, round.parse::<u32>().ok()?)));
        let open = named.and_then(|(entry, round)| {
            let asked = self.asked.get_mut(&entry)?;
            let is_sent = !matches!(asked.stage, AskStage::Planning(_));
            (asked.round == round && is_sent).then_some((entry, asked))
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
        let AskStage::Sent(offered) = std::mem::replace(&mut asked.stage, AskStage::Answered) else {
            let words = format!("call {call} was decided about already: the second decision changed nothing");
            return self.remark(&words).await;
        };
        let said = match (outcome, &offered) {
            (Ok(result), Some(offered)) => permission::said(offered, &result),
            (Ok(result), None) => elicitation_create::said(&result),
            (Err(_), _) => Err("the editor could not ask".to_owned()),
        };
        let answer = match said {
            Ok(PermissionAnswer::Answer(answer)) => answer,
            Ok(PermissionAnswer::Keep(kept)) => {
                let answer = Answer::Always { rule: kept.rule.clone(), scope: kept.scope };
                self.to_keep.push(kept);
                answer
            }
            // A client answers so when it takes the turn back.
            Ok(PermissionAnswer::Cancelled) => return self.cancel().await,
            Ok(PermissionAnswer::Price(_)) => return,
            Err(why) => {
                self.remark(&format!("nobody decided about call {call}, so it is not run: {why}")).await;
                Answer::Nobody(why)
            }
        };
        self.wish(Intent::Decide { request: entry, call, answer }).await;
    }

    /// Rules whose decisions are recorded are written down.
    async fn keep_rules(&mut self) {
        for kept in std::mem::take(&mut self.to_keep) {
            let mut kept = Some(kept);
            if let Some(request) = RuleToKeep::due(&mut kept, &self.view) {
                self.request(request).await;
            }
            self.to_keep.extend(kept);
        }
    }

    /// The loop refused something: the prompt, a setting, or a decision, whose call then waits on and is asked about again.
    pub(super) async fn refused(&mut self, why: &str) {
        if self.price_refused(why).await || self.prompt_refused(why) || self.setting_refused(why).await {
            return;
        }
        self.remark(why).await;
        let is_open =
            |entry: &EntryId, view: &crate::view::View| view.waiting().iter().any(|(open, _)| open == entry);
        let answered: Vec<EntryId> = self
            .asked
            .iter()
            .filter(|(entry, asked)| matches!(asked.stage, AskStage::Answered) && is_open(entry, &self.view))
            .map(|(entry, _)| *entry)
            .collect();
        for entry in answered {
            self.to_keep.retain(|kept| self.asked.get(&entry).is_none_or(|asked| asked.call != kept.call));
            let Some(round) = self.asked.remove(&entry).map(|asked| asked.round) else { continue };
            let waiting = self.view.waiting();
            let found = waiting.iter().find(|(open, _)| *open == entry).map(|(_, asked)| (*asked).clone());
            if let Some(asked) = found.filter(|_| round < 3) {
                self.ask(entry, asked, round + 1).await;
            }
        }
    }
}
