//! Calls that wait: the client is asked, and its answer becomes the decision that a key of the screen would make.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use serde_json::Value;

use super::command::SessionCommand;
use super::pending::{AskStage, Asking, Offer, OpenRequest};
use super::session_state::Conversation;
use crate::agent::{Answer, CallAddress, Intent, SubagentPath};
use crate::cli::acp::methods::elicitation_create;
use crate::cli::acp::methods::session_request_permission::{
    self as permission, CANNOT_ASK, PermissionAnswer,
};
use crate::cli::acp::rpc;
use crate::cli::acp::updates::tool_call;
use crate::ledger::{ApprovalRequest, Body, CallId, Entry, EntryId};
use crate::tool::ASK;
use crate::ui::RulePlan;
use crate::ui::local::RuleToKeep;

/// How many questions this process has asked its client.
static QUESTIONS: AtomicU64 = AtomicU64::new(0);

impl Conversation {
    /// An entry that asks for a decision, or makes one, in the session at the end of this path.
    pub(super) async fn decide(&mut self, path: &[CallId], entry: &Entry) {
        match &entry.body {
            Body::ApprovalRequested(asked) => {
                // A request that was recorded again voids the one before: an answer to that comes too late.
                self.no_longer_asked(path, asked.call);
                if self.is_prompted() {
                    let asking = Asking { path: path.to_vec(), entry: entry.id };
                    self.ask(asking, asked.clone(), 1).await;
                }
            }
            Body::ApprovalDecided(decision) => {
                self.no_longer_asked(path, decision.call);
                if path.is_empty() {
                    self.keep_rules().await;
                }
            }
            Body::ToolResult(result) => self.no_longer_asked(path, result.call),
            _ => {}
        }
    }

    fn no_longer_asked(&mut self, path: &[CallId], call: CallId) {
        self.asked.retain(|asking, open| asking.path != path || open.call != call);
    }

    /// The prompt is over. Requests of its run are over with it. Those of sub-agents in the background go on waiting: the client has
    /// them, and what a person decides counts whenever it comes.
    pub(super) fn end_requests(&mut self) {
        let view = &self.view;
        self.asked.retain(|asking, _| view.is_below_background(&asking.path));
    }

    /// Asks about the calls that wait and that the client was not asked about, or does not ask about any more.
    pub(super) async fn offer_waiting(&mut self) {
        let waiting: Vec<(Asking, ApprovalRequest)> = self
            .view
            .waiting_calls()
            .map(|(path, entry, asked)| (Asking { path, entry }, asked.clone()))
            .collect();
        for (asking, asked) in waiting {
            let round = match self.asked.get(&asking) {
                None => 1,
                Some(OpenRequest { round, stage: AskStage::Withdrawn, .. }) => round + 1,
                Some(_) => continue,
            };
            let at = CallAddress { path: asking.path.clone(), call: asked.call };
            if !at.path.is_empty()
                && self.shown_below.insert(at.clone())
                && let Some(begun) = self.begun_below(&at)
            {
                self.update_below(begun, &at).await;
            }
            self.ask(asking, asked, round).await;
        }
    }

    /// Asks about a call; where a rule can be offered, once it is known what would be written for it. That may take a slow disk.
    /// What a sub-agent asks about is allowed once or not at all: a rule for longer would be its own, and end with it.
    async fn ask(&mut self, asking: Asking, asked: ApprovalRequest, round: u32) {
        let is_own = asking.path.is_empty();
        let Some(rule) = permission::rule_of(&asked).filter(|_| is_own && round == 1).cloned() else {
            return self.put(asking, asked, round, None).await;
        };
        let entry = asking.entry;
        let stage = AskStage::Planning(Box::new(asked.clone()));
        let prompt = self.prompt_id();
        self.asked.insert(asking, OpenRequest { call: asked.call, round, number: 0, prompt, stage });
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
        let asking = Asking { path: SubagentPath::new(), entry };
        let is_planning = |open: &&OpenRequest| matches!(open.stage, AskStage::Planning(_));
        if self.asked.get(&asking).filter(is_planning).is_none() {
            return;
        }
        if let Some(OpenRequest { round, stage: AskStage::Planning(asked), .. }) = self.asked.remove(&asking)
        {
            self.put(asking, *asked, round, Some(&plan)).await;
        }
    }

    async fn put(&mut self, asking: Asking, asked: ApprovalRequest, round: u32, plan: Option<&RulePlan>) {
        let at = CallAddress { path: asking.path.clone(), call: asked.call };
        let Some(panel) = self.view.below(&at.path).and_then(|view| view.panel(at.call)) else { return };
        // The name says which session and which request, and no two questions of this process have the same number, whatever was closed
        // and loaded between them: an answer cannot be taken for that to another.
        let number = QUESTIONS.fetch_add(1, Relaxed) + 1;
        let id = format!("{}/{}/{number}", self.id, asking.named());
        let is_question = asked.name == ASK;
        let has_form = is_question && self.client.abilities.has_forms;
        let offered = permission::offered(&asked, plan, round > 1 || !at.path.is_empty());
        if is_question && !has_form && offered.is_empty() {
            let answer = Answer::Nobody(CANNOT_ASK.to_owned());
            let decision = Intent::Decide { request: asking.entry, call: asked.call, answer };
            return self.wish(decision.within(&at.path)).await;
        }
        let request = if has_form {
            rpc::request(&id, elicitation_create::METHOD, elicitation_create::params(&self.id, &asked))
        } else {
            let call = tool_call::asked(self.cwd_of(&at.path), panel, asking.entry, &asked);
            let call = tool_call::in_worktree(call, self.subagents.worktree(&at.path));
            let call = self.under_its_name(call, &at);
            rpc::request(&id, permission::METHOD, permission::params(&self.id, &call, &offered))
        };
        let stage = AskStage::Sent(match has_form {
            true => Offer::Form(elicitation_create::choices(&asked)),
            false => Offer::Options(offered),
        });
        let prompt = self.prompt_id();
        self.asked.insert(asking, OpenRequest { call: asked.call, round, number, prompt, stage });
        self.client.out.send(&request).await;
    }

    /// The client answered a request of ours. An answer that is late, the second, or to a request that nobody made does
    /// nothing, and that is said.
    pub(super) async fn answered(&mut self, request: &str, outcome: Result<Value, Value>) {
        if self.price_answered(request, &outcome).await {
            return;
        }
        let prompt = self.prompt_id();
        let open = Asking::parse(request).and_then(|(asking, number)| {
            let asked = self.asked.get_mut(&asking)?;
            let is_sent = !matches!(asked.stage, AskStage::Planning(_) | AskStage::Withdrawn);
            (asked.number == number && is_sent).then_some((asking, asked))
        });
        let Some((asking, asked)) = open else {
            // What was cancelled is answered by the client after that: nobody needs to hear of it.
            if !is_cancelled(&outcome) {
                self.remark("a decision came too late, or for a call that does not wait: it changed nothing")
                    .await;
            }
            return;
        };
        let at = CallAddress { path: asking.path.clone(), call: asked.call };
        let is_of_prompt = asked.prompt == prompt;
        let AskStage::Sent(offered) = std::mem::replace(&mut asked.stage, AskStage::Answered) else {
            let words = format!("call {at} was decided about already: the second decision changed nothing");
            return self.remark(&words).await;
        };
        if !is_of_prompt && (outcome.is_err() || is_cancelled(&outcome)) {
            return self.withdrawn(&asking).await;
        }
        let said = match (outcome, &offered) {
            (Ok(result), Offer::Options(offered)) => permission::said(offered, &result),
            (Ok(result), Offer::Form(choices)) => elicitation_create::said(choices, &result),
            (Err(_), _) => Err("the editor could not ask".to_owned()),
        };
        let answer = match said {
            Ok(PermissionAnswer::Answer(answer)) => answer,
            Ok(PermissionAnswer::Keep(kept)) => {
                let answer = Answer::Always { rule: kept.rule.clone(), scope: kept.scope };
                self.to_keep.retain(|earlier| earlier.call != kept.call);
                self.to_keep.push(kept);
                answer
            }
            // A client answers so when it takes the turn back.
            Ok(PermissionAnswer::Cancelled) => {
                self.withdrawn(&asking).await;
                return self.cancel_once().await;
            }
            Ok(PermissionAnswer::Price(_)) => return,
            Err(why) => {
                self.remark(&format!("nobody decided about call {at}, so it is not run: {why}")).await;
                Answer::Nobody(why)
            }
        };
        self.wish(Intent::Decide { request: asking.entry, call: at.call, answer }.within(&at.path)).await;
    }

    /// The client takes a request back without a decision. It is asked again: now, if it belonged to an earlier prompt, or else with
    /// the next.
    async fn withdrawn(&mut self, asking: &Asking) {
        let prompt = self.prompt_id();
        let Some(open) = self.asked.get_mut(asking) else { return };
        open.stage = AskStage::Withdrawn;
        let is_of_prompt = open.prompt == prompt;
        if self.is_prompted() && !is_of_prompt {
            self.offer_waiting().await;
        }
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

    /// The refusal that comes next is of a decision about this request of the session at the end of this path.
    pub(super) fn names_refusal(&mut self, path: &[CallId], entry: EntryId) {
        self.undecided = Some(Asking { path: path.to_vec(), entry });
    }

    /// The request whose decision is refused next in the session at the end of this path, once.
    pub(super) fn undecided_at(&mut self, path: &[CallId]) -> Option<Asking> {
        self.undecided.take_if(|asking| asking.path == path)
    }

    /// The loop refused something: a decision, whose call then waits on and is asked about again, the prompt, a setting, or anything else.
    pub(super) async fn refused(&mut self, why: &str) {
        if let Some(asking) = self.undecided_at(&[]) {
            self.remark(why).await;
            return self.ask_once_more(asking).await;
        }
        if self.price_refused(why).await || self.prompt_refused(why) || self.setting_refused(why).await {
            return;
        }
        self.remark(why).await;
    }

    /// Something was refused in the session at the end of this path, or in one below, which may be a decision: what still waits there is asked
    /// about again.
    pub(super) async fn ask_again(&mut self, path: &[CallId]) {
        let below: Vec<Asking> =
            self.asked.keys().filter(|asking| asking.path.starts_with(path)).cloned().collect();
        for asking in below {
            self.ask_once_more(asking).await;
        }
    }

    /// What was decided about a request was not accepted. If it waits on, the client is asked once more.
    pub(super) async fn ask_once_more(&mut self, asking: Asking) {
        let is_answered = |open: &&OpenRequest| matches!(open.stage, AskStage::Answered);
        let Some(round) = self.asked.get(&asking).filter(is_answered).map(|open| open.round) else { return };
        let waits = self
            .view
            .waiting_calls()
            .find(|(path, entry, _)| *path == asking.path && *entry == asking.entry)
            .map(|(_, _, asked)| asked.clone());
        let Some(asked) = waits else { return };
        self.asked.remove(&asking);
        if round < 3 {
            self.ask(asking, asked, round + 1).await;
        }
    }
}

/// Whether a client took a request back: it had no decision when it cancelled the prompt.
fn is_cancelled(outcome: &Result<Value, Value>) -> bool {
    let said = outcome.as_ref().ok().and_then(|result| result.pointer("/outcome/outcome"));
    said.and_then(Value::as_str) == Some("cancelled")
}
