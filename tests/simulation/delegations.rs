//! The rules of tasks that go to another agent: sent once and after the decision, ended once and with the call.

use std::collections::BTreeMap;

use countersign::ledger::{CallId, DelegationRequest, DelegationResponse, Note, ToolResult};
use countersign::tool::Invocation;

/// What the log says of delegations.
#[derive(Default, Clone)]
pub struct Delegations {
    sent: BTreeMap<CallId, DelegationRequest>,
    named: BTreeMap<CallId, String>,
    ended: BTreeMap<CallId, DelegationResponse>,
}

impl Delegations {
    pub fn send(&mut self, request: &DelegationRequest, is_allowed: bool) -> Result<(), String> {
        let call = request.call;
        if !is_allowed {
            return Err(format!("the task of {call} is sent before anybody allowed it"));
        }
        match self.sent.insert(call, request.clone()) {
            None => Ok(()),
            Some(_) => Err(format!("the task of {call} is sent twice")),
        }
    }

    pub fn is_sent(&self, call: CallId) -> bool {
        self.sent.contains_key(&call)
    }

    /// What the agent calls the task is said once, while the task is there.
    pub fn note(&mut self, note: &Note) -> Result<(), String> {
        let Some((call, id)) = note.accepted() else { return Ok(()) };
        if !self.sent.contains_key(&call) || self.ended.contains_key(&call) {
            return Err(format!("the task of {call} is accepted, but is not under way"));
        }
        match self.named.insert(call, id.to_owned()) {
            None => Ok(()),
            Some(_) => Err(format!("the task of {call} is accepted twice")),
        }
    }

    pub fn end(&mut self, response: &DelegationResponse) -> Result<(), String> {
        let call = response.call;
        if self.sent.get(&call).is_none_or(|sent| sent.agent != response.agent) {
            return Err(format!("the task of {call} has an end and was not sent, or to somebody else"));
        }
        if self.named.get(&call) != response.task_id.as_ref() {
            return Err(format!("the end of {call} names the task {:?}", response.task_id));
        }
        match self.ended.insert(call, response.clone()) {
            None => Ok(()),
            Some(_) => Err(format!("the task of {call} ends twice")),
        }
    }

    /// A result says what the end of the task says. After a crash between the two it may say that it is lost.
    pub fn result(&self, result: &ToolResult, died: bool) -> Result<(), String> {
        let call = result.call;
        match (self.sent.contains_key(&call), self.ended.get(&call)) {
            (false, None) => Ok(()),
            (true, Some(end))
                if died || (&end.content, end.is_error) == (&result.content, result.outcome.is_error()) =>
            {
                Ok(())
            }
            _ => Err(format!("the result of {call} and the end of its task do not agree")),
        }
    }

    /// What runs was sent first, with the words that the call has.
    pub fn may_run(&self, invocation: &Invocation) -> Result<(), String> {
        let call = invocation.call;
        let task = invocation.arguments.text("task").unwrap_or_default();
        match (invocation.name.strip_prefix("delegate_to_"), self.sent.get(&call)) {
            (None, None) => Ok(()),
            (Some(agent), Some(sent)) if (&*sent.agent, &*sent.task) == (agent, task) => Ok(()),
            (_, sent) => Err(format!("{call} runs, and what is said to be sent is {sent:?}")),
        }
    }
}
