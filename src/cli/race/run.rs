//! A race from its start until every lane is settled, and an adoption; without a screen.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Builder;

use super::shown;
use crate::agent::{Event, Intent, Live, Shutdown};
use crate::cli::outcome::{complain, say};
use crate::cli::signals;
use crate::config::Invocation;
use crate::config::exit::Exit;
use crate::config::fault::{Fault, one_line};
use crate::ledger::{Body, CallId, Change, Entry, Outcome};
use crate::session::Keeping;
use crate::session::compose::{Session, compose, state_of};
use crate::session::racing::lanes;
use crate::tool::delegate;

/// How long process groups may take to go after TERM when the program ends.
const GRACE: Duration = Duration::from_millis(500);
/// Most letters of what a lane says at its end.
const MOST_SAID: usize = 160;

/// Runs a race; then says how its lanes stand.
pub(super) fn race(invocation: &Invocation, is_json: bool, race: Intent) -> Result<Exit, Fault> {
    let session = compose(invocation, Keeping::New, invocation.config.on_approval)?;
    for notice in &session.notices {
        complain(&format!("note: {}", one_line(notice)));
    }
    complain(&format!("note: session {}; ctrl-c stops all lanes", session.id));
    let entries = follow(session, race, Until::AllSettled)?;
    let standing = lanes(&state_of(&invocation.environment)?, &entries, Path::new(&invocation.cwd), false);
    say(&shown::lanes(&standing, is_json))?;
    Ok(if standing.iter().any(|lane| lane.passed()) { Exit::Completed } else { Exit::Failed })
}

/// Adopts what a lane made, in the session of its race; `elsewhere`: its folder, if that is another one than the one it was said in.
pub(super) fn adopt(
    invocation: &Invocation,
    keeping: Keeping<'_>,
    intent: Intent,
    elsewhere: Option<&Path>,
) -> Result<Exit, Fault> {
    let session = compose(invocation, keeping, invocation.config.on_approval)?;
    let entries = follow(session, intent, Until::Ended)?;
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

/// Has this done and follows it. Returns all entries of the session.
fn follow(session: Session, intent: Intent, until: Until) -> Result<Vec<Arc<Entry>>, Fault> {
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|why| Fault::failed(format!("cannot start: {why}"), ""))?;
    let groups = session.groups.clone();
    let followed = runtime.block_on(followed(session, intent, until));
    groups.end_all(GRACE);
    runtime.shutdown_timeout(GRACE);
    followed
}

async fn followed(session: Session, intent: Intent, until: Until) -> Result<Vec<Arc<Entry>>, Fault> {
    let Session { driver, handles, first, before, groups, .. } = session;
    signals::listen(&handles.shutdown, &groups)?;
    let running = tokio::spawn(driver.run(first));
    let (intents, mut events) = (handles.intents, handles.events);
    let gone = |_| Fault::failed("the session ended before it began", "`countersign doctor` may say why");
    intents.send(intent).await.map_err(gone)?;
    let (mut entries, mut open, mut has_ended) = (before, BTreeMap::<CallId, String>::new(), false);
    let mut refused = None;
    while let Some(event) = events.recv().await {
        match event {
            Event::Live(Live::Refused(why)) => refused = Some(why),
            Event::Appended(entry) => {
                tell(&entry, &mut open);
                has_ended |= matches!(entry.body, Body::TurnEnded(_));
                entries.push(entry);
            }
            Event::Live(_) => {}
        }
        let is_over = has_ended && (until == Until::Ended || open.is_empty());
        if is_over || refused.is_some() {
            break;
        }
    }
    handles.shutdown.send(Shutdown::Quit).await.ok();
    while let Some(event) = events.recv().await {
        if let Event::Appended(entry) = event {
            tell(&entry, &mut open);
            entries.push(entry);
        }
    }
    if let Some(why) = refused {
        return Err(Fault::failed(why, "see `countersign race --help`"));
    }
    match running.await {
        Ok(Ok(())) => Ok(entries),
        Ok(Err(why)) => Err(Fault::failed(why.to_string(), "free disk space, and try it again")),
        Err(why) => Err(Fault::failed(format!("the loop crashed: {why}"), "please report this")),
    }
}

/// The beginning of what is said, on one line.
fn shortened(said: &str) -> String {
    one_line(said).chars().take(MOST_SAID).collect()
}

/// Says which lanes start and end.
fn tell(entry: &Entry, open: &mut BTreeMap<CallId, String>) {
    match &entry.body {
        Body::DelegationRequested(sent) => drop(open.insert(sent.call, sent.agent.replace('_', " "))),
        // Of one that is started, the call is answered at once.
        Body::ToolResult(result) if result.outcome != Outcome::Ok => {
            if let Some(lane) = delegate(&result.name) {
                complain(&format!("{}: not started: {}", lane.replace('_', " "), shortened(&result.content)));
            }
        }
        Body::Change(Change::EscrowReserved(escrow)) => {
            if let Some(name) = open.get(&escrow.call) {
                let how = if escrow.waits { "waits for its turn" } else { "starts" };
                complain(&format!("{name}: {how}, session {}", escrow.session));
            }
        }
        Body::Change(Change::SubagentStarted { call }) => {
            if let Some(name) = open.get(call) {
                complain(&format!("{name}: started"));
            }
        }
        Body::Change(Change::EscrowSettled(settled)) => {
            if let Some(name) = open.remove(&settled.call) {
                complain(&format!("{name}: {}", shortened(settled.answer.as_deref().unwrap_or_default())));
            }
        }
        _ => {}
    }
}
