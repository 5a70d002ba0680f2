//! `whatif` without a terminal: the branch goes on up to its next ending, and is compared with the session that it left.

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Builder;

use super::names::names;
use crate::agent::{Answer, Attendance, Event, Intent, Shutdown};
use crate::cli::compared::{Compared, compared, shown};
use crate::cli::outcome::say;
use crate::cli::signals;
use crate::config::Invocation;
use crate::config::exit::Exit;
use crate::config::fault::Fault;
use crate::ledger::{ApprovalRequest, Body, CallId, Entry, EntryId};
use crate::recorded::history;
use crate::session::Keeping;
use crate::session::compose::{Session, compose};

/// Why nobody decides.
const NOBODY: &str = "nobody can decide in this branch here";
/// How long process groups may take to go after TERM when the branch has ended.
const GRACE: Duration = Duration::from_millis(500);

pub(super) fn run(
    invocation: &Invocation,
    keeping: Keeping<'_>,
    first: Option<Intent>,
    left: &[Arc<Entry>],
) -> Result<Exit, Fault> {
    let session = compose(invocation, keeping, Attendance::Program)?;
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|why| Fault::failed(format!("cannot start: {why}"), ""))?;
    let groups = session.groups.clone();
    let went = runtime.block_on(go_on(session, first));
    groups.end_all(GRACE);
    runtime.shutdown_timeout(GRACE);
    let (went, exit) = went?;
    let lines = |all: &[Arc<Entry>]| history(all, &names(invocation, all));
    let (was, is) = (lines(left), lines(&went));
    match compared(&was, &is, ("as it was", "this branch")) {
        Compared::Different(diff) => say(&shown(&diff))?,
        _ => say("the branch went as the session did\n")?,
    };
    Ok(exit)
}

/// What is answered to a request in the branch: what was decided about that call, or that nobody is here.
fn answered(
    asked: &ApprovalRequest,
    decided: Option<&(CallId, Answer)>,
    asked_then: Option<&ApprovalRequest>,
) -> Answer {
    let of_this = decided.filter(|(call, _)| *call == asked.call).map(|(_, answer)| answer);
    match of_this {
        // A denial allows nothing, whatever it is about.
        Some(answer @ Answer::Deny(_)) if is_same_call(asked, asked_then) => answer.clone(),
        Some(answer) if is_same_call(asked, asked_then) => match asked_then {
            Some(then) if !is_same_question(asked, then) => Answer::Nobody(format!(
                "it asks something else in the branch than it did in the session: {}; on a terminal you \
                 are asked",
                asked.why
            )),
            _ => answer.clone(),
        },
        _ => Answer::Nobody(NOBODY.to_owned()),
    }
}

/// The same call may be asked about anew, as it is another folder.
fn is_same_call(asked: &ApprovalRequest, then: Option<&ApprovalRequest>) -> bool {
    then.is_some_and(|then| then.name == asked.name && then.arguments == asked.arguments)
}

/// Whether it would reach what it would have reached then, and is asked about for no other reason.
fn is_same_question(asked: &ApprovalRequest, then: &ApprovalRequest) -> bool {
    asked.leads_to == then.leads_to && (asked.is_usual || asked.why == then.why)
}

/// The requests about calls that are not decided, except about this one.
fn still_waiting(entries: &[Arc<Entry>], decided: Option<CallId>) -> Vec<(EntryId, CallId)> {
    let mut open: Vec<(EntryId, CallId)> = Vec::new();
    for entry in entries {
        match &entry.body {
            Body::ApprovalRequested(asked) => open.push((entry.id, asked.call)),
            Body::ApprovalDecided(decision) => open.retain(|(_, call)| *call != decision.call),
            Body::ToolResult(result) => open.retain(|(_, call)| *call != result.call),
            _ => {}
        }
    }
    open.retain(|(_, call)| Some(*call) != decided);
    open
}

/// A call of a sub-agent that waits is denied, too.
fn denied_below(event: &Event) -> Option<Intent> {
    let (path, Event::Appended(entry)) = event.located() else { return None };
    let Body::ApprovalRequested(asked) = &entry.body else { return None };
    let answer = Answer::Nobody(NOBODY.to_owned());
    let denial = Intent::Decide { request: entry.id, call: asked.call, answer };
    (!path.is_empty()).then(|| denial.within(&path))
}

/// Runs the branch to its next ending. What else waits for a decision is denied: nobody is here.
async fn go_on(session: Session, first: Option<Intent>) -> Result<(Vec<Arc<Entry>>, Exit), Fault> {
    let Session { driver, handles, first: begins, before, groups, .. } = session;
    signals::listen(&handles.shutdown, &groups)?;
    let running = tokio::spawn(driver.run(begins));
    let decided = match &first {
        Some(Intent::Decide { call, answer, .. }) => Some((*call, answer.clone())),
        _ => None,
    };
    let asked_then = before.iter().find_map(|entry| match &entry.body {
        Body::ApprovalRequested(asked) if decided.as_ref().is_some_and(|(call, _)| *call == asked.call) => {
            Some(asked.clone())
        }
        _ => None,
    });
    // Other calls whose decisions were cut off wait, too; they are denied as they would be if they asked now.
    let others = still_waiting(&before, decided.as_ref().map(|(call, _)| *call));
    let (intents, mut events) = (handles.intents, handles.events);
    let gone = || Fault::failed("the branch ended before it went on", "`countersign doctor` may say why");
    if let Some(first) = first {
        intents.send(first).await.map_err(|_gone| gone())?;
    }
    for (request, call) in others {
        let answer = Answer::Nobody(NOBODY.to_owned());
        intents.send(Intent::Decide { request, call, answer }).await.map_err(|_gone| gone())?;
    }
    let (mut entries, mut exit) = (before, Exit::Failed);
    while let Some(event) = events.recv().await {
        if let Some(denial) = denied_below(&event) {
            intents.send(denial).await.map_err(|_gone| gone())?;
        }
        let Event::Appended(entry) = event else { continue };
        entries.push(Arc::clone(&entry));
        match &entry.body {
            Body::ApprovalRequested(asked) => {
                let answer = answered(asked, decided.as_ref(), asked_then.as_ref());
                let answer = Intent::Decide { request: entry.id, call: asked.call, answer };
                intents.send(answer).await.map_err(|_gone| gone())?;
            }
            Body::TurnEnded(ended) => {
                exit = ended.reason.into();
                break;
            }
            _ => {}
        }
    }
    handles.shutdown.send(Shutdown::Quit).await.ok();
    // What is still told is of no interest; the loop ends when somebody has heard it.
    while events.recv().await.is_some() {}
    match running.await {
        Ok(Ok(())) => Ok((entries, exit)),
        Ok(Err(why)) => Err(Fault::failed(why.to_string(), "free disk space, and resume the branch")),
        Err(why) => Err(Fault::failed(format!("the loop crashed: {why}"), "please report this")),
    }
}
