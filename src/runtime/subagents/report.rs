//! What is reported of a sub-agent that did not begin, and how the loop above is told.

use tokio::sync::mpsc;

use crate::agent::{Input, SubagentNews, SubagentReport};
use crate::ledger::{CallId, CutBy, Outcome, Reach, Spent, TaskState};

/// The report of one that did nothing.
pub(super) fn not_started(why: &str) -> SubagentReport {
    SubagentReport {
        outcome: Outcome::Failed,
        content: format!("The sub-agent was not started: {}.", why.trim_end_matches('.')),
        cut_chars: 0,
        state: TaskState::Rejected,
        spent: Spent::default(),
        reach: Reach::NothingStarted,
    }
}

/// By whom a sub-agent was stopped, after a comma.
pub(super) fn stopped_by(by: CutBy) -> &'static str {
    match by {
        CutBy::User => "by the user",
        CutBy::WallTime => "because the time limit of its run was reached",
        CutBy::Approval => "because another call of its run needs an approval",
        CutBy::SessionEnd => "because the session that it worked for ended",
    }
}

/// The report of one that was stopped before it began.
pub(super) fn stopped_before(by: CutBy, said: Option<&str>) -> SubagentReport {
    let mut content = format!("The sub-agent was stopped before it began, {}.", stopped_by(by));
    content.extend(said.into_iter().flat_map(|said| ["\n\n", said]));
    SubagentReport { content, state: TaskState::Canceled, ..not_started("") }
}

/// Tells the loop. Nobody listens only while it is going down.
pub(super) async fn tell(news: &mpsc::Sender<Input>, call: CallId, what: SubagentNews) {
    if news.send(Input::Subagent(call, what)).await.is_err() {
        tracing::debug!("a sub-agent reported after the loop had ended");
    }
}
