//! Taking a task back, and what the agent says to that.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep, timeout_at};

use super::agent_handle::AgentHandle;
use super::link::{AgentLink, StreamEvent, Trouble};
use super::progress::{TaskProgress, ended, shown_id};
use super::report;
use crate::ledger::TaskState;
use crate::tool::ToolReport;
use crate::wire::a2a::Event;

/// How long after the first answer it is asked whether the task has ended; it is asked again after twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// Asks for the task to be cancelled and waits until it ended, no longer than `until`. What became of it in a sentence, below it what
/// the agent had answered by then, and how the task stands if the agent said so.
pub(super) async fn farewell(
    link: &AgentLink,
    kept: &Arc<AgentHandle>,
    id: &str,
    (until, max_chars): (Instant, usize),
) -> (String, Option<TaskState>) {
    let (agent, shown) = (&kept.agent.name, shown_id(id));
    let mut told = None;
    let why_not = match timeout_at(until, cancel(link, id, &mut told)).await {
        Ok(Ok((TaskState::Canceled, _))) => {
            let words = format!("canceled, as the agent {agent} confirms (its task {shown})");
            return (words, Some(TaskState::Canceled));
        }
        Ok(Ok((state, event))) => {
            let words = format!("{}, as the agent {agent} reports (its task {shown})", state.as_str());
            let report = report_of(kept, id, event, max_chars).await;
            return (with_answer(words, &report.unwrap_or_default()), Some(state));
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

/// What an agent says of a task that had ended before it could be cancelled, as its result would have said it.
async fn report_of(kept: &Arc<AgentHandle>, id: &str, event: Event, max_chars: usize) -> Option<String> {
    let (kept, mut told) = (Arc::clone(kept), TaskProgress::of(Some(id)));
    let reading = spawn_blocking(move || {
        told.take(event);
        report::of(&kept.agent.name, &told, &kept.secrets, max_chars).content
    });
    reading.await.ok()
}

/// A line, and below it what the agent answered: nobody hears it otherwise.
fn with_answer(words: String, answer: &str) -> String {
    if answer.is_empty() { words } else { format!("{words}\nIt answered:\n{answer}") }
}

/// The state in which the task ended, with what says so; `told` is what the agent said of it before.
async fn cancel(
    link: &AgentLink,
    id: &str,
    told: &mut Option<TaskState>,
) -> Result<(TaskState, Event), String> {
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
            (Some(state), Ok(heard)) if ended(state) => return Ok((state, heard.event)),
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
        Some(task) if ended(task.state) => {
            let words = match &task.id {
                Some(id) => format!("{}, as the agent {agent} reports (its task {id})", task.state.as_str()),
                None => format!("the agent {agent} had already answered"),
            };
            with_answer(words, &report.content)
        }
        _ => report.content,
    };
    ToolReport { remote: report.remote, ..ToolReport::failed(words) }
}
