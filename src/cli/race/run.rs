//! A race from its start until every lane is settled, and an adoption; without a screen.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::OptionFuture;
use tokio::runtime::Builder;
use tokio::signal::unix::SignalKind;
use tokio::sync::mpsc;
use tokio::task::JoinError;

use super::shown;
use crate::agent::{Event, Intent, Live, Shutdown};
use crate::cli::outcome::{complain, say};
use crate::cli::signals;
use crate::cli::told_denials::ToldDenials;
use crate::config::Invocation;
use crate::config::exit::Exit;
use crate::config::fault::{Fault, one_line};
use crate::ledger::{Body, CallId, Change, CutBy, Entry, EscrowSettlement, Outcome, TaskState};
use crate::policy::Mode;
use crate::runtime::DriverError;
use crate::session::Keeping;
use crate::session::compose::{Session, compose, state_of};
use crate::session::racing::{LaneStanding, lanes};
use crate::tool::delegate;
use crate::ui::text::fit;

/// How long process groups may take to go after TERM when the program ends.
const GRACE: Duration = Duration::from_millis(500);
/// How long lanes may take to settle when a signal stops the race.
const SETTLING: Duration = Duration::from_secs(5);
/// Most cells of what a lane says at its end.
const MOST_SAID: usize = 300;

/// Runs a race; then says how its lanes stand.
pub(super) fn race(invocation: &Invocation, is_json: bool, race: Intent) -> Result<Exit, Fault> {
    let session = compose(invocation, Keeping::New, invocation.config.on_approval)?;
    for notice in &session.notices {
        complain(&format!("note: {}", one_line(notice)));
    }
    let Followed { entries, is_stopped, denials } =
        follow(session, invocation.config.mode, race, Until::AllSettled)?;
    denials.lines().for_each(|line| complain(line));
    let standing = lanes(&state_of(&invocation.environment)?, &entries, Path::new(&invocation.cwd), false);
    say(&shown::lanes(&standing, is_json))?;
    Ok(if is_stopped { Exit::Interrupted } else { outcome(&standing, denials.has_denied()) })
}

/// Whether a lane has done its task. A model may say that it is done: what it was not allowed to do is not, unless a check says otherwise.
fn outcome(lanes: &[LaneStanding], has_denied: bool) -> Exit {
    let is_done = |lane: &LaneStanding| lane.passed() && (lane.terms.check.is_some() || lane.decided.1 == 0);
    let needs_person = |lane: &LaneStanding| {
        lane.ended.as_ref().is_some_and(|ended| Exit::from(ended.reason) == Exit::Approval)
    };
    match (lanes.iter().any(is_done), has_denied || lanes.iter().any(needs_person)) {
        (true, _) => Exit::Completed,
        (false, true) => Exit::Approval,
        (false, false) => Exit::Failed,
    }
}

/// Adopts what a lane made, in the session of its race; `elsewhere`: its folder, if that is another one than the one it was said in.
pub(super) fn adopt(
    invocation: &Invocation,
    keeping: Keeping<'_>,
    intent: Intent,
    elsewhere: Option<&Path>,
) -> Result<Exit, Fault> {
    let session = compose(invocation, keeping, invocation.config.on_approval)?;
    let Followed { entries, .. } = follow(session, invocation.config.mode, intent, Until::Ended)?;
    let result = entries.iter().rev().find_map(|entry| match &entry.body {
        Body::ToolResult(result) => Some(result),
        _ => None,
    });
    match result {
        Some(result) if result.outcome == Outcome::Ok => {
            let changed =
                elsewhere.map(|folder| format!("\nthe race was in {0}: {0} has them now", folder.display()));
            let changed = changed.unwrap_or_default();
            say(&format!(
                "{}{changed}\nno commit was made; /undo in the session takes it back\n",
                result.content
            ))
        }
        Some(result) => {
            Err(Fault::failed(result.content.clone(), "`countersign race show` names the branches"))
        }
        None => Err(Fault::failed("the session ended before anything was taken", "try it again")),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Until {
    Ended,
    AllSettled,
}

/// What came of a session that was followed.
struct Followed {
    entries: Vec<Arc<Entry>>,
    /// Whether a signal stopped it.
    is_stopped: bool,
    /// What its lanes were denied.
    denials: ToldDenials,
}

/// Has this done and follows it. Returns all entries of the session.
fn follow(session: Session, mode: Mode, intent: Intent, until: Until) -> Result<Followed, Fault> {
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|why| Fault::failed(format!("cannot start: {why}"), ""))?;
    let groups = session.groups.clone();
    let followed = runtime.block_on(followed(session, mode, intent, until));
    groups.end_all(GRACE);
    runtime.shutdown_timeout(GRACE);
    followed
}

async fn followed(session: Session, mode: Mode, intent: Intent, until: Until) -> Result<Followed, Fault> {
    let Session { driver, handles, first, before, groups, id, .. } = session;
    let (signal_to, mut signals) = mpsc::channel(4);
    signals::listen_for(&signal_to, &groups, whose)?;
    let running = tokio::spawn(driver.run(first));
    let (intents, mut events) = (handles.intents, handles.events);
    let gone = |_| Fault::failed("the session ended before it began", "`countersign doctor` may say why");
    intents.send(intent).await.map_err(gone)?;
    let (mut entries, mut open, mut has_ended) = (before, BTreeMap::<CallId, String>::new(), false);
    let (mut refused, mut is_stopped, mut denials) = (None, false, ToldDenials::new(mode));
    let mut rejections = BTreeSet::new();
    // Lanes that are stopped settle what they spent, and for so long they are waited for.
    let mut patience = pin!(OptionFuture::from(None));
    loop {
        let event = tokio::select! {
            biased;
            Some(by) = signals.recv(), if !is_stopped => {
                is_stopped = true;
                if open.is_empty() {
                    break;
                }
                stop_lanes(&open, &intents, (&handles.cut, by)).await;
                patience.set(OptionFuture::from(Some(tokio::time::sleep(SETTLING))));
                continue;
            }
            Some(()) = &mut patience, if is_stopped => break,
            event = events.recv() => event,
        };
        event.iter().for_each(|event| hear_denial(event, &open, &mut denials));
        match event {
            Some(Event::Live(Live::Refused(why))) if !is_stopped => refused = Some(why),
            Some(Event::Appended(entry)) => {
                tell_start(&entry, until, &id);
                tell(&entry, &mut open, &mut rejections);
                has_ended |= matches!(entry.body, Body::TurnEnded(_));
                entries.push(entry);
            }
            Some(Event::Live(_)) => {}
            None => break,
        }
        let is_over = has_ended && (until == Until::Ended || open.is_empty());
        if is_over || refused.is_some() {
            break;
        }
    }
    let how = if is_stopped { Shutdown::Signal } else { Shutdown::Quit };
    handles.shutdown.send(how).await.ok();
    while let Some(event) = events.recv().await {
        hear_denial(&event, &open, &mut denials);
        if let Event::Appended(entry) = event {
            tell(&entry, &mut open, &mut rejections);
            entries.push(entry);
        }
    }
    if let Some(why) = refused {
        return Err(Fault::failed(why, "see `countersign race --help`"));
    }
    ended_well(running.await)?;
    Ok(Followed { entries, is_stopped, denials })
}

fn ended_well(ended: Result<Result<(), DriverError>, JoinError>) -> Result<(), Fault> {
    match ended {
        Ok(Ok(())) => Ok(()),
        Ok(Err(why)) => Err(Fault::failed(why.to_string(), "free disk space, and try it again")),
        Err(why) => Err(Fault::failed(format!("the loop crashed: {why}"), "please report this")),
    }
}

/// Who stops a race with this signal: Ctrl-C is a person's, the others can be anybody's.
fn whose(signal: SignalKind) -> CutBy {
    if signal == SignalKind::interrupt() { CutBy::User } else { CutBy::SessionEnd }
}

/// Tells all lanes to settle. The last first: those that wait must not start meanwhile.
async fn stop_lanes(
    open: &BTreeMap<CallId, String>,
    intents: &mpsc::Sender<Intent>,
    (cut, by): (&mpsc::Sender<CutBy>, CutBy),
) {
    if by != CutBy::User {
        complain("stopped by a signal; the lanes settle what they spent");
        return cut.send(by).await.unwrap_or_default();
    }
    complain("stopped by you; the lanes settle what they spent");
    for call in open.keys().rev() {
        // A loop that is over is found out by its events.
        intents.send(Intent::Abort.within(&[*call])).await.unwrap_or_default();
    }
}

/// The beginning of what is said, on one line.
fn shortened(said: &str) -> String {
    let lines: Vec<&str> = said.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    fit(&one_line(&lines.join(" · ")), MOST_SAID)
}

/// Nobody is here to see it.
fn hear_denial(event: &Event, open: &BTreeMap<CallId, String>, denials: &mut ToldDenials) {
    let (path, Event::Appended(entry)) = event.located() else { return };
    let lane = path.first().and_then(|call| open.get(call));
    denials.read(&path, &entry.body, lane.map(String::as_str));
}

/// What a lane came to. Why one was not started is told whole, since what to do stands last, and of several with the same reason once.
fn came_to(settled: &EscrowSettlement, rejections: &mut BTreeSet<String>) -> String {
    let answer = settled.answer.as_deref().unwrap_or_default();
    if settled.state != TaskState::Rejected {
        return shortened(answer);
    }
    // What follows an empty line is about its worktree, of which the table tells.
    let why = one_line(answer.trim().split("\n\n").next().unwrap_or_default());
    if rejections.contains(&why) {
        return "not started, for the same reason".to_owned();
    }
    rejections.insert(why.clone());
    why
}

/// Names the session of a race that has started: of one that is refused none is kept.
fn tell_start(entry: &Entry, until: Until, session: &str) {
    if until == Until::AllSettled && matches!(entry.body, Body::User(_)) {
        complain(&format!("note: session {session}; ctrl-c stops all lanes"));
    }
}

/// Says which lanes start and end. `rejections`: why lanes were not started, as it was said.
fn tell(entry: &Entry, open: &mut BTreeMap<CallId, String>, rejections: &mut BTreeSet<String>) {
    match &entry.body {
        Body::DelegationRequested(sent) => drop(open.insert(sent.call, sent.agent.replace('_', " "))),
        // Of one that is started, the call is answered at once.
        Body::ToolResult(result) if result.outcome != Outcome::Ok => {
            if let Some(lane) = delegate(&result.name) {
                complain(&format!("{}: not started: {}", lane.replace('_', " "), shortened(&result.content)));
            }
        }
        Body::Change(Change::EscrowReserved(escrow)) => {
            // One that waits has no session yet.
            match open.get(&escrow.call) {
                Some(name) if escrow.waits => complain(&format!("{name}: waits for its turn")),
                Some(name) => complain(&format!("{name}: starts, session {}", escrow.session)),
                None => {}
            }
        }
        Body::Change(Change::SubagentStarted { call }) => {
            if let Some(name) = open.get(call) {
                complain(&format!("{name}: started"));
            }
        }
        Body::Change(Change::EscrowSettled(settled)) => {
            if let Some(name) = open.remove(&settled.call) {
                complain(&format!("{name}: {}", came_to(settled, rejections)));
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_lane_says_is_one_line_and_ends_where_it_is_cut() {
        assert_eq!(shortened("It is done.\n\nThe branch is race/1."), "It is done. · The branch is race/1.");
        let long = shortened(&"word ".repeat(100));
        assert!(long.ends_with('…') && long.chars().count() <= MOST_SAID, "{long}");
    }

    #[test]
    fn why_lanes_were_not_started_is_said_whole_and_once() {
        let why = format!("the task is {}too long; shorten it", "far ".repeat(200));
        let lane = |call| EscrowSettlement::not_started(CallId(call), TaskState::Rejected, &why);
        let mut said = BTreeSet::new();
        assert_eq!(came_to(&lane(1), &mut said), format!("It was not started: {why}."));
        assert_eq!(came_to(&lane(2), &mut said), "not started, for the same reason");
        let other = EscrowSettlement::not_started(CallId(3), TaskState::Rejected, "there is no room");
        assert_eq!(came_to(&other, &mut said), "It was not started: there is no room.");
    }
}
