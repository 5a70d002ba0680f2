//! The list of an agent's tasks, in which one is looked for that never got a name.

use serde::Deserialize;

use super::event::{NoEvent, RawError, RawName};
use crate::ledger::TaskState;

/// What the agent calls the task that was sent under `context`, in the list that it answered: one that goes on before
/// those that have ended. `None`: none of them is.
///
/// # Errors
/// [`NoEvent`].
pub fn find(body: &[u8], context: &str) -> Result<Option<String>, NoEvent> {
    let answer: RawList = serde_json::from_slice(body).map_err(|_why| NoEvent::Unreadable)?;
    if let Some(error) = answer.error {
        return Err(error.refusal());
    }
    let mut found = None;
    for task in answer.result.ok_or(NoEvent::Unreadable)?.tasks {
        if task.session_id.as_deref() != Some(context) {
            continue;
        }
        let Some(id) = task.id.filter(|id| !id.is_empty()) else { continue };
        let state = task.status.and_then(|status| status.state).map(|name| name.state());
        let goes_on = matches!(state, Some(TaskState::Submitted | TaskState::Working));
        if goes_on {
            return Ok(Some(id));
        }
        found = found.or(Some(id));
    }
    Ok(found)
}

#[derive(Deserialize)]
struct RawList {
    result: Option<RawTasks>,
    error: Option<RawError>,
}

#[derive(Deserialize)]
struct RawTasks {
    tasks: Vec<RawListed>,
}

/// As little of a task as is needed: a list may be long.
#[derive(Deserialize)]
struct RawListed {
    id: Option<String>,
    #[serde(rename = "sessionId", alias = "contextId", alias = "session_id", alias = "context_id")]
    session_id: Option<String>,
    status: Option<RawState>,
}

#[derive(Deserialize)]
struct RawState {
    state: Option<RawName>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_task_is_found_by_what_it_was_sent_under() {
        let task = |id: &str, session: &str, state: &str| json!({ "id": id, "sessionId": session, "status": { "state": state, "message": "x" }, "history": [] });
        let list = json!({ "result": { "count": 4, "tasks": [
            task("t1", "other", "working"), task("t2", "mine", "completed"), task("t3", "mine", "working"),
            task("t4", "older", "completed"),
        ] } });
        let body = list.to_string();
        let find = |context| find(body.as_bytes(), context).unwrap();
        assert_eq!(
            (find("mine").as_deref(), find("older").as_deref(), find("x")),
            (Some("t3"), Some("t4"), None)
        );
        assert_eq!(super::find(b"{}", "x"), Err(NoEvent::Unreadable));
    }
}
