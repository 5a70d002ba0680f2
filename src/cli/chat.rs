//! The terminal app: the loop in the background, the screen in front.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::runtime::Builder;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::{JoinError, JoinHandle};
use tokio::time::timeout;

use super::copied::said_of_a_copy;
use super::host_services::errands;
use super::skills::callable;
use super::themes::theme;
use super::{appearance, outcome, signals};
use crate::agent::{Attendance, Event, Intent, Shutdown};
use crate::config::exit::Exit;
use crate::config::fault::{Fault, one_line};
use crate::config::models::Choice;
use crate::config::{Invocation, project};
use crate::ledger::{Entry, UserMessage};
use crate::runtime::store::find;
use crate::runtime::{DriverError, Groups};
use crate::session::compose::{Session, compose};
use crate::session::gateway::Ends;
use crate::session::telemetry::{Following, FollowingEnd};
use crate::session::unrecorded;
use crate::session::{Keeping, SessionChoice};
use crate::ui::theme::Theme;
use crate::ui::{AppIo, BranchStart, Interrupts, KillBuffer, Reply, UiError, UiOutcome, UiSettings};
use crate::view::ViewSettings;
use crate::wire::record;

/// How long process groups may take to go after TERM when the app ends.
const GRACE: Duration = Duration::from_millis(500);
/// How long a model server on this machine may take to say that it is there.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long the loop may take to end before that is worth a word.
const MOMENT: Duration = Duration::from_millis(400);
/// What stands before the name of a model that is offered.
const HOW_TO_CHOOSE: &str = "type /model";
/// Threads beside the screen's: one for the loop, one for what it waits for. More would cost memory and gain nothing.
const WORKERS: usize = 2;

/// Opens the app, with a first message or in an earlier session.
pub(super) fn run(
    invocation: &Invocation,
    prompt: Option<&str>,
    which: Option<&SessionChoice>,
) -> Result<Exit, Fault> {
    converse_with(invocation, which.into(), invocation.first(prompt))
}

/// Opens the app in an earlier session, and wants this first.
pub(super) fn go_on(
    invocation: &Invocation,
    keeping: Keeping<'_>,
    first: Option<Intent>,
) -> Result<Exit, Fault> {
    converse_with(invocation, keeping, first)
}

fn converse_with(own: &Invocation, keeping: Keeping<'_>, mut first: Option<Intent>) -> Result<Exit, Fault> {
    let mut session = compose(own, keeping, Attendance::Person)?;
    let (mut draft, killed) = (UserMessage::default(), KillBuffer::default());
    // A branch goes on in a folder of its own.
    let mut elsewhere: Option<Invocation> = None;
    loop {
        let invocation = elsewhere.as_ref().unwrap_or(own);
        let theme = theme(invocation)?;
        let runtime = Builder::new_multi_thread().worker_threads(WORKERS).enable_all().build();
        let runtime = runtime.map_err(|why| Fault::failed(format!("cannot start: {why}"), ""))?;
        let (groups, id) = (session.groups.clone(), session.id.clone());
        let (trouble, telemetry) = session.traces.take().map(Following::apart).unzip();
        let ended = runtime.block_on(converse(
            invocation,
            session,
            (first.take(), std::mem::take(&mut draft), killed.clone()),
            theme,
            trouble,
        ));
        groups.end_all(GRACE);
        runtime.shutdown_timeout(GRACE);
        if let Some(trouble) = telemetry.and_then(FollowingEnd::finish) {
            outcome::complain(&format!("note: {}", one_line(&trouble)));
        }
        match ended? {
            Next::Leave(exit) => return Ok(exit),
            Next::New => {
                let is_back;
                (session, is_back) = out_of_a_branch(own, invocation, Keeping::New, id)?;
                elsewhere = elsewhere.filter(|_| !is_back);
            }
            Next::Branch(start) => {
                let there = invocation.elsewhere(&start.folder, start.model.as_deref());
                match branched(&there, &start) {
                    Ok(branch) => (session, first, elsewhere) = (branch, start.first, Some(there)),
                    Err(why) => {
                        session = resumed(invocation, id)?;
                        session.message = Some(why.to_string());
                    }
                }
            }
            Next::Resume { wanted, draft: held } => {
                let which = SessionChoice::Session(wanted);
                let (other, is_back) = out_of_a_branch(own, invocation, Keeping::Earlier(&which), id)?;
                (session, draft) = (other, held);
                elsewhere = elsewhere.filter(|_| !is_back);
            }
        }
    }
}

/// What comes after a session.
enum Next {
    /// Nothing.
    Leave(Exit),
    /// A new session.
    New,
    /// A branch that was made.
    Branch(Box<BranchStart>),
    /// Another session.
    Resume {
        /// Its id.
        wanted: String,
        /// What the composer holds there.
        draft: UserMessage,
    },
}

/// The branch that was made, with what to know of it.
fn branched(there: &Invocation, start: &BranchStart) -> Result<Session, Fault> {
    let which = SessionChoice::Session(start.id.clone());
    let keeping = match &start.decided {
        Some((call, answer)) => Keeping::Branch(&which, *call, answer),
        None => Keeping::Earlier(&which),
    };
    let mut session = compose(there, keeping, Attendance::Person)?;
    let folder = there.environment.shown(&there.cwd);
    session.notices.push(format!("You continue in a branch of the session, in the folder {folder}."));
    session.notices.extend(start.remarks.iter().cloned());
    Ok(session)
}

/// What a person goes on with, and whether that is in their own folder again; the session that was left, if it cannot be
/// had, with the reason. New sessions begin in the user's own folder, and those of it can be resumed, also out of a branch,
/// which is in a folder of its own.
fn out_of_a_branch(
    own: &Invocation,
    now: &Invocation,
    keeping: Keeping<'_>,
    left: String,
) -> Result<(Session, bool), Fault> {
    let is_new = matches!(keeping, Keeping::New);
    let here = if is_new { own } else { now };
    let composed = compose(here, keeping, Attendance::Person).map(|session| (session, here.cwd == own.cwd));
    let composed = composed.or_else(|why| {
        let elsewhere =
            if here.cwd == own.cwd { None } else { compose(own, keeping, Attendance::Person).ok() };
        elsewhere.map(|session| (session, true)).ok_or(why)
    });
    match composed {
        Ok((mut session, is_back)) => {
            if is_back && now.cwd != own.cwd {
                let [folder, branch] = [own, now].map(|one| one.environment.shown(&one.cwd));
                session.message = Some(format!("You are back in {folder}. The branch stays in {branch}."));
            }
            Ok((if is_new { session } else { said_of_a_copy(session, &left, own) }, is_back))
        }
        Err(why) => {
            let mut back = resumed(now, left)?;
            back.message = Some(why.to_string());
            Ok((back, false))
        }
    }
}

/// The session that was left, again; a new one, if it is gone.
fn resumed(invocation: &Invocation, left: String) -> Result<Session, Fault> {
    let which = SessionChoice::Session(left);
    let back = compose(invocation, Keeping::Earlier(&which), Attendance::Person);
    back.or_else(|_| compose(invocation, Keeping::New, Attendance::Person))
}

async fn converse(
    invocation: &Invocation,
    session: Session,
    (first, draft, killed): (Option<Intent>, UserMessage, KillBuffer),
    theme: Theme,
    trouble: Option<oneshot::Receiver<String>>,
) -> Result<Next, Fault> {
    let (quit, keys) = signals_of(invocation)?;
    let (interrupts, spoken) = match keys {
        InterruptKeys::End(interrupts) => (Some(interrupts), None),
        InterruptKeys::Speak(spoken) => (None, Some(spoken)),
    };
    let (attach, groups) = (session.gateway.attach.clone(), session.groups.clone());
    let settings = UiSettings {
        view: view_settings(invocation, &session),
        theme,
        asks_background: appearance::asks_background(invocation),
        follows_background: appearance::follows_background(invocation),
        takes: appearance::takes(invocation),
        motion: invocation.config.motion,
        vim: invocation.config.vim,
        has_status_line: session.gateway.status.is_some(),
        keymap: invocation.config.keymap.clone(),
        first,
        draft,
        killed,
        pasted: attach.images_there(),
        history: session.before.iter().cloned().map(Event::Appended).collect(),
        notice: notice(invocation, &session),
        message: session.message,
        read_only: false,
        replay: None,
        quit,
        interrupts,
        entry_json,
        mentions: Box::new(move |text| attach.images_in_paste(text)),
        errands: errands(invocation, session.gateway.earlier.clone(), session.printed),
    };
    let running = tokio::spawn(session.driver.run(session.first));
    let handles = session.handles;
    let Ends { requests, replies, tell } = session.gateway.begin(handles.intents.clone());
    drop(trouble.map(|trouble| tokio::spawn(tell_trouble(trouble, tell.clone()))));
    offer_servers(&session.choice, tell);
    let now = Box::new(move || handles.clock.now());
    let app = AppIo { events: handles.events, requests, replies, abort: handles.abort, now };
    // Also after a panic of the screen the loop must settle what it has begun.
    let outcome = AssertUnwindSafe(front(app, settings, spoken)).catch_unwind().await;
    let outcome = match outcome {
        Ok(outcome) => outcome.map_err(|why| Fault::usage(why.to_string(), "")),
        Err(_panic) => Err(outcome::broken()),
    };
    if handles.shutdown.send(shutdown(&outcome)).await.is_err() {
        tracing::debug!("the loop ended before the screen did");
    }
    let ended = until_ended(running, &groups).await;
    drop(handles.intents);
    ended_well(ended)?;
    next(outcome?, invocation, &session.id)
}

/// What comes after a session that was left so.
fn next(outcome: UiOutcome, invocation: &Invocation, id: &str) -> Result<Next, Fault> {
    match outcome {
        UiOutcome::New => Ok(Next::New),
        UiOutcome::Branch(start) => Ok(Next::Branch(start)),
        UiOutcome::Resume { id, draft } => Ok(Next::Resume { wanted: id, draft }),
        UiOutcome::Quit | UiOutcome::AgentGone => farewell(invocation, id).map(Next::Leave),
        UiOutcome::Signalled => {
            if let Err(why) = farewell(invocation, id) {
                tracing::debug!("the message about how to continue could not be printed: {why}");
            }
            Ok(Next::Leave(Exit::Interrupted))
        }
        UiOutcome::TerminalGone => Ok(Next::Leave(Exit::Interrupted)),
    }
}

/// How the loop ends after the screen.
fn shutdown(outcome: &Result<UiOutcome, Fault>) -> Shutdown {
    match outcome {
        Ok(UiOutcome::Quit | UiOutcome::New | UiOutcome::Branch(_) | UiOutcome::Resume { .. }) => {
            Shutdown::Quit
        }
        Ok(UiOutcome::Signalled | UiOutcome::AgentGone | UiOutcome::TerminalGone) | Err(_) => {
            Shutdown::Signal
        }
    }
}

/// Waits for the loop. The screen is gone: whoever waits longer than a moment is told for what, and a signal ends the wait.
async fn until_ended(
    mut running: JoinHandle<Result<(), DriverError>>,
    groups: &Groups,
) -> Result<Result<(), DriverError>, JoinError> {
    if let Ok(ended) = timeout(MOMENT, &mut running).await {
        return ended;
    }
    outcome::remark("waiting a few seconds for hooks and agents to finish; ctrl-c ends the program now");
    tokio::select! {
        ended = &mut running => ended,
        () = signals::end_on_the_next(groups) => running.await,
    }
}

/// What a Ctrl-C is that became a signal.
enum InterruptKeys {
    /// The end: on the screen Ctrl-C is read as a key.
    End(Interrupts),
    /// That key: where words are said in lines, the terminal makes a signal of it.
    Speak(mpsc::Receiver<()>),
}

/// What tells the front to end.
fn signals_of(invocation: &Invocation) -> Result<(watch::Receiver<bool>, InterruptKeys), Fault> {
    if appearance::speaks(invocation) {
        let (quit, interrupts) = signals::told_to_end_or_interrupted()?;
        return Ok((quit, InterruptKeys::Speak(interrupts)));
    }
    let interrupts =
        Interrupts::listen().map_err(|why| Fault::failed(format!("cannot listen for signals: {why}"), ""))?;
    Ok((signals::told_to_end_otherwise()?, InterruptKeys::End(interrupts)))
}

/// One of the two fronts: the screen, or, where Ctrl-C is told apart, words in lines.
async fn front(
    app: AppIo,
    settings: UiSettings,
    interrupts: Option<mpsc::Receiver<()>>,
) -> Result<UiOutcome, UiError> {
    match interrupts {
        Some(interrupts) => crate::ui::listen(app, settings, interrupts).await,
        None => crate::ui::run(app, settings).await,
    }
}

/// What to know before the first message.
fn notice(invocation: &Invocation, session: &Session) -> Option<String> {
    let notices: Vec<&str> = appearance::why_it_speaks(invocation)
        .into_iter()
        .chain(session.notices.iter().map(String::as_str))
        .collect();
    Some(notices.join("\n\n")).filter(|notice| !notice.is_empty())
}

/// Whether the loop came to its end.
fn ended_well(ended: Result<Result<(), DriverError>, JoinError>) -> Result<(), Fault> {
    match ended {
        Ok(Ok(())) => Ok(()),
        Ok(Err(DriverError::Store { why, unwritten })) => Err(unrecorded::fault(&why, &unwritten)),
        Err(panicked) => Err(Fault::failed(format!("the loop crashed: {panicked}"), "please report this")),
    }
}

/// Says which model servers answer on this machine, when they have: the first frame waits for none.
fn offer_servers(choice: &Choice, tell: mpsc::Sender<Reply>) {
    if let Some(search) = choice.search.clone() {
        // A thread that ends with the process: nobody waits for a server that keeps silent.
        std::thread::spawn(move || {
            let offers = search.offers(HOW_TO_CHOOSE, PATIENCE);
            if !offers.is_empty() && tell.blocking_send(Reply::Notice(offers.join("\n"))).is_err() {
                tracing::debug!("a model server was found after the screen had closed");
            }
        });
    }
}

/// Says that traces are not sent, once.
async fn tell_trouble(trouble: oneshot::Receiver<String>, tell: mpsc::Sender<Reply>) {
    if let Ok(words) = trouble.await
        && tell.send(Reply::Notice(words)).await.is_err()
    {
        tracing::debug!("traces failed after the screen had closed");
    }
}

/// Where to go on, if anything was written.
fn farewell(invocation: &Invocation, id: &str) -> Result<Exit, Fault> {
    let state = crate::session::compose::state_dir(invocation)?;
    if find(&state, id).is_err() {
        return Ok(Exit::Completed);
    }
    outcome::say(&format!("Continue with: countersign resume {id}\n"))
}

/// What the screen says about the session.
pub(super) fn view_settings(invocation: &Invocation, session: &Session) -> ViewSettings {
    ViewSettings {
        model: session.choice.spec.model.to_string(),
        mode: invocation.config.mode,
        effort: session.effort,
        cwd: invocation.environment.shown(&invocation.cwd),
        branch: project::branch(&invocation.cwd),
        window: session.choice.spec.window,
        limits: invocation.config.limits.clone(),
        token_budget: invocation.config.token_budget().map(|budget| budget.tokens),
        tool_calls: session.choice.spec.tool_calls,
        rules: invocation.config.rules(),
        tools: crate::session::settings::tools(invocation.config.echo),
        commands: callable(invocation, Some(&session.id)),
        ignored: invocation.config.commands.ignored.clone(),
        hosts: opened_hosts(invocation),
        imported_to: session.imported_to,
    }
}

/// The hosts that the configuration opens to commands in the sandbox, one by one.
fn opened_hosts(invocation: &Invocation) -> Vec<String> {
    let hosts = invocation.config.sandbox.network.hosts().unwrap_or_default();
    hosts.iter().map(ToString::to_string).collect()
}

/// An entry as the session file has it, laid out for reading: images without their bytes.
pub(super) fn entry_json(entry: &Entry) -> String {
    format!("{:#}", record::without_images(entry))
}
