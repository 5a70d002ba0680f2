//! What is said of a task that another agent was given: that it waits for somebody, how it ended, and what came of its call.

use super::session_reading::{SessionReading, TaskReading};
use crate::ledger::{CallId, DelegationResponse, EntryId, ToolResult};

impl SessionReading<'_> {
    pub(super) fn task_sent(&mut self, call: CallId, agent: &str) {
        let agent = agent.to_owned();
        self.tasks.insert(call, TaskReading { agent, ..TaskReading::default() });
    }

    /// Only what has changed is written.
    pub(super) fn task_waits(&mut self, id: EntryId, call: CallId, waits: bool) {
        let Some(task) = self.tasks.get_mut(&call) else { return };
        let did = std::mem::replace(&mut task.waits, waits);
        if did == waits {
            let what = if waits { "waits, which it does already" } else { "waits no more, but did not wait" };
            self.fault(id, format!("the sub-agent of call {call} {what}"));
        }
    }

    pub(super) fn task_ended(&mut self, id: EntryId, answered: &DelegationResponse) {
        let (call, lacks_content) = (answered.call, self.lacks("content"));
        let Some(task) = self.tasks.get_mut(&call) else { return };
        task.ended = Some((answered.is_error, (!lacks_content).then(|| answered.content.clone())));
        if task.agent != answered.agent {
            self.fault(id, format!("the task of call {call} is said to be answered by another agent"));
        }
    }

    /// The end of a task and the result of its call are written together. Of a failure a dead process may have left the first alone: then
    /// the second is what its own session says.
    pub(super) fn says_another_than_the_task(&self, result: &ToolResult) -> Option<&'static str> {
        let (is_error, content) = self.tasks.get(&result.call)?.ended.as_ref()?;
        if *is_error {
            let has_session =
                self.escrows.get(&result.call).is_some_and(|(escrow, _)| !escrow.is_elsewhere());
            let differs = !result.outcome.is_error() && !has_session;
            return differs.then_some("is said to have worked, but its task ended with an error");
        }
        if result.outcome.is_error() {
            return Some("is said to have failed, but its task was done");
        }
        let content = content.as_ref().filter(|_| !self.lacks("content"))?;
        (*content != result.content).then_some("says something else than the end of its task")
    }
}
