//! The life of one sub-agent: it is made, given its task, watched until its run ends, and reported.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt as _;
use tokio::sync::mpsc;

use super::made_session::{AfterEnd, MadeSession, Making};
use super::report::{not_started, stopped_before, tell};
use super::roster::{LoopEnds, Roster, locked, waits_for_task};
use super::watched::Watched;
use crate::agent::{Event, Input, Intent, Live, Shutdown, SubagentNews, SubagentReport, SubagentStart};
use crate::budget::Meter;
use crate::ledger::{Body, CallId, CutBy, Reach, TaskState};
use crate::runtime::{DriverError, Handles};

/// Lives it, once its session is made. Whatever happens, the one that started it is told how it ended.
pub(super) async fn live(making: Making, start: SubagentStart, news: mpsc::Sender<Input>, roster: Roster) {
    let call = start.invocation.call;
    let guarded = AssertUnwindSafe(work(making, start, &news, &roster)).catch_unwind().await;
    let report = guarded.unwrap_or_else(|_panic| SubagentReport {
        content: "The sub-agent crashed: this is a bug of countersign. What it did is in its session; check before \
                  repeating."
            .to_owned(),
        state: TaskState::Failed,
        reach: Reach::CutShort,
        ..not_started("")
    });
    // It stays known as one that is over: until its loop above has heard so, what a person typed can be passed on to it.
    locked(&roster).get_mut(&call).into_iter().for_each(|at_work| at_work.ends(call));
    tell(&news, call, SubagentNews::Over(report)).await;
}

async fn work(
    making: Making,
    start: SubagentStart,
    news: &mpsc::Sender<Input>,
    roster: &Roster,
) -> SubagentReport {
    let call = start.invocation.call;
    let max_chars = start.invocation.max_chars;
    let mut watched = Watched::new(Meter::new(start.limits));
    let made = match making.await {
        Ok(Ok(made)) => made,
        Ok(Err(why)) => return not_started(&why),
        Err(broken) => return not_started(&broken.to_string()),
    };
    let MadeSession { driver, handles, first, task, after } = made;
    let Handles { intents, abort, cut, shutdown, mut events, clock } = handles;
    let ends = LoopEnds { intents: intents.clone(), abort, cut };
    if let Some(by) = who_stopped(roster, call) {
        return stopped_before(by, said_after(after).await.as_deref());
    }
    if is_blank(&task) {
        return never_begun("its task is empty", said_after(after).await.as_deref());
    }
    let driving = tokio::spawn(driver.run(first));
    // A mode comes before the task that it is to hold for.
    hand_over(roster, call, &ends).await;
    drop(ends);
    if intents.send(task).await.is_err() {
        return not_started("its loop ended at once");
    }
    let mut beginning = Beginning::Awaited;
    while let Some(event) = events.recv().await {
        let is_end = watched.read(&event, call, news).await;
        beginning = beginning.after(&event);
        if has_task(&event) {
            locked(roster).get_mut(&call).into_iter().for_each(|at_work| at_work.begins(call));
        }
        retell(news, call, &beginning, event).await;
        if let Beginning::Refused(why) = &beginning {
            watched.refused = Some(why.clone());
            break;
        }
        if is_end {
            break;
        }
    }
    watched.stopped = who_stopped(roster, call);
    // Nothing of it goes on: its commands in the background end, and so do sub-agents of its own.
    locked(roster).get_mut(&call).into_iter().for_each(|at_work| at_work.ends(call));
    shutdown.send(Shutdown::Signal).await.unwrap_or_default();
    while let Some(event) = events.recv().await {
        watched.read(&event, call, news).await;
        retell(news, call, &beginning, event).await;
    }
    let ended = driving
        .await
        .unwrap_or_else(|broken| Err(DriverError::Store { why: broken.to_string(), unwritten: Vec::new() }));
    let said = said_after(after).await;
    match ended.err() {
        // Its task is on no disk, and nothing is done before that.
        Some(why) if matches!(beginning, Beginning::Awaited) => {
            never_begun(&why.to_string(), said.as_deref())
        }
        broken => watched.report(broken, said.as_deref(), clock, max_chars),
    }
}

/// Tells what its loop told, but for its task.
async fn retell(news: &mpsc::Sender<Input>, call: CallId, beginning: &Beginning, event: Event) {
    if !beginning.returns_the_task(&event) {
        tell(news, call, SubagentNews::Told(Box::new(event))).await;
    }
}

/// The report of one that has done nothing, with what is said after its end.
fn never_begun(why: &str, said: Option<&str>) -> SubagentReport {
    not_started(&[why].into_iter().chain(said).collect::<Vec<_>>().join("; "))
}

/// Who told it to stop. One that is not known any more was given up with its session.
fn who_stopped(roster: &Roster, call: CallId) -> Option<CutBy> {
    locked(roster).get(&call).map_or(Some(CutBy::SessionEnd), |at_work| at_work.stopped)
}

/// Gives its loop what was wanted of it while its session was made; what comes from here on goes there
/// directly. What was said to it waits until it has its task.
async fn hand_over(roster: &Roster, call: CallId, ends: &LoopEnds) {
    loop {
        let held = match locked(roster).get_mut(&call) {
            Some(at_work) => {
                let held = std::mem::take(&mut at_work.held).into_iter();
                let (said, held): (Vec<Intent>, Vec<Intent>) = held.partition(waits_for_task);
                at_work.held = said;
                if held.is_empty() {
                    at_work.ends = Some(ends.clone());
                    return;
                }
                held
            }
            None => return,
        };
        for intent in held {
            // A loop that is over is found out with the task.
            ends.intents.send(intent).await.unwrap_or_default();
        }
    }
}

/// Whether its loop has taken the task, as this tells.
fn has_task(event: &Event) -> bool {
    let Event::Appended(entry) = event else { return false };
    matches!(entry.body, Body::User(_) | Body::Goal(_))
}

/// Whether its loop would find nothing to begin with.
fn is_blank(task: &Intent) -> bool {
    matches!(task, Intent::Submit(said) if said.content.trim().is_empty() && said.images.is_empty())
}

/// Whether its loop takes the task.
enum Beginning {
    /// Nothing is known yet.
    Awaited,
    /// The task came back; why follows.
    Returned,
    /// It does not, and why: no run begins, so there is no end to wait for.
    Refused(String),
    /// It has begun.
    Begun,
}

impl Beginning {
    fn after(self, event: &Event) -> Self {
        match (self, event) {
            (Self::Begun, _) => Self::Begun,
            (Self::Refused(why), _) => Self::Refused(why),
            (_, event) if has_task(event) => Self::Begun,
            // What else a person wanted of it meanwhile can be refused, too, and is not returned.
            (Self::Awaited, Event::Live(Live::Returned(_))) => Self::Returned,
            (Self::Returned, Event::Live(Live::Refused(why))) => Self::Refused(why.clone()),
            (before, _) => before,
        }
    }

    /// Whether it is the task that comes back: nobody has typed that. What was typed is said behind the task.
    fn returns_the_task(&self, event: &Event) -> bool {
        !matches!(self, Self::Begun) && matches!(event, Event::Live(Live::Returned(_)))
    }
}

async fn said_after(after: Option<AfterEnd>) -> Option<String> {
    tokio::task::spawn_blocking(after?).await.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::ledger::{Entry, EntryId, Millis};

    #[test]
    fn a_task_that_is_not_taken_is_not_waited_for() {
        let blank = |text: &str| is_blank(&Intent::Submit(text.into()));
        assert!(blank("") && blank(" \n") && !blank("go"));
        let returned = || Event::Live(Live::Returned(vec!["go".into()]));
        let refused = || Event::Live(Live::Refused("no image".to_owned()));
        let begun = || {
            let body = Body::User(Arc::new("go".into()));
            Event::Appended(Arc::new(Entry { id: EntryId(2), at: Millis(1), body }))
        };
        let after = |events: &[Event]| events.iter().fold(Beginning::Awaited, Beginning::after);
        assert!(matches!(after(&[returned(), refused()]), Beginning::Refused(why) if why == "no image"));
        // Something else was refused; the task comes.
        assert!(matches!(after(&[refused()]), Beginning::Awaited));
        assert!(matches!(after(&[begun(), returned(), refused()]), Beginning::Begun));
        // The task is no words of a person's; what they said is.
        assert!(after(&[returned()]).returns_the_task(&returned()));
        assert!(!after(&[begun()]).returns_the_task(&returned()));
        assert!(!after(&[]).returns_the_task(&refused()));
    }

    #[test]
    fn a_reason_that_is_a_sentence_has_one_full_stop() {
        for why in ["no space left.", "no space left"] {
            assert_eq!(not_started(why).content, "The sub-agent was not started: no space left.");
        }
    }
}
