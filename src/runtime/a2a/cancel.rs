//! Taking a task back, and what the agent says to that.

use std::time::Duration;

use tokio::time::{Instant, sleep, timeout_at};

use super::agent_handle::AgentHandle;
use super::link::{AgentLink, StreamEvent, Trouble};
use super::progress::{ended, shown_id};
use crate::ledger::TaskState;
use crate::tool::ToolReport;
use crate::wire::a2a::Event;

/// How long after the first answer it is asked whether the task has ended; it is asked again after twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// Asks for the task to be cancelled and waits until it ended, no longer than `until`. What became of it in a sentence, and
/// how the task stands if the agent said so.
pub(super) async fn farewell(
    link: &AgentLink,
    kept: &AgentHandle,
    id: &str,
    until: Instant,
) -> (String, Option<TaskState>) {
    let (agent, shown) = (&kept.agent.name, shown_id(id));
    let mut told = None;
    let why_not = match timeout_at(until, cancel(link, id, &mut told)).await {
        Ok(Ok(TaskState::Canceled)) => {
            let words = format!("canceled, as the agent {agent} confirms (its task {shown})");
            return (words, Some(TaskState::Canceled));
        }
        Ok(Ok(state)) => {
            let words = format!("{}, as the agent {agent} reports (its task {shown})", state.as_str());
            return (words, Some(state));
        }
        Ok(Err(why)) => kept.secrets.hide(&why),
        Err(_elapsed) => match told {
            Some(state) => format!("it reports that it is {}", state.as_str()),
            None => "it did not answer in time".to_owned(),
        },
    };
    let never = "perhaps not canceled: the agent";
    (format!("{never} {agent} did not confirm it: {why_not} (its task {shown})"), told)
}

/// The state in which the task ended; `told` is what the agent said of it before.
async fn cancel(link: &AgentLink, id: &str, told: &mut Option<TaskState>) -> Result<TaskState, String> {
    let mut pause = FIRST_PAUSE;
    let mut answer = link.ask(link.dialect().cancel(id)).await;
    if let Err(Trouble::Refused { code, message }) = answer {
        // What has ended cannot be cancelled: how it ended is asked.
        let refusal = format!("{message} (error {code})");
        answer = link.ask(link.dialect().get(id)).await;
        if !state(&answer, id).is_some_and(ended) {
            *told = state(&answer, id);
            return Err(refusal);
        }
    }
    loop {
        match (state(&answer, id), answer) {
            (Some(state), _) if ended(state) => return Ok(state),
            (state, Ok(_)) => *told = state,
            (_, Err(Trouble::Refused { code, message })) => return Err(format!("{message} (error {code})")),
            (_, Err(Trouble::Closed(why) | Trouble::Unheard(why))) => return Err(why),
        }
        sleep(pause).await;
        pause *= 2;
        answer = link.ask(link.dialect().get(id)).await;
    }
}

/// How the task stands; what is said of another is not believed.
fn state(answer: &Result<StreamEvent, Trouble>, id: &str) -> Option<TaskState> {
    match answer {
        Ok(StreamEvent { event: Event::Task(task), .. }) if task.id == id => Some(task.status.state),
        _ => None,
    }
}

/// Looks for a task that has no name yet in the list of an agent that has one, until it is there or `until`.
pub(super) async fn found(link: &AgentLink, message: &str, until: Instant) -> Option<String> {
    link.dialect().list()?;
    let looking = async {
        loop {
            match link.find(message).await {
                Ok(Some(id)) => return Some(id),
                Ok(None) => sleep(FIRST_PAUSE * 2).await,
                Err(_) => return None,
            }
        }
    };
    // The rest of the time is for cancelling it.
    let half = Instant::now() + until.saturating_duration_since(Instant::now()) / 2;
    timeout_at(half, looking).await.ok().flatten()
}

/// What is told of a call that was cut short after its task had come to an end, or had never begun.
pub(super) fn afterwards(agent: &str, report: ToolReport) -> ToolReport {
    let words = match &report.remote {
        Some(task) if ended(task.state) => match &task.id {
            Some(id) => format!("{}, as the agent {agent} reports (its task {id})", task.state.as_str()),
            None => format!("the agent {agent} had already answered"),
        },
        _ => report.content,
    };
    ToolReport { remote: report.remote, ..ToolReport::failed(words) }
}
