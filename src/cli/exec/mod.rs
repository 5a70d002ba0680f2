//! A run without a screen: the answer on stdout, or one event a line.

mod answer_file;
mod called;
mod conversation;
mod first_message;
mod message_lines;
mod output_schema;
mod prompt;
mod sent_lines;
mod telling;

use std::time::Duration;

use tokio::runtime::Builder;
use tokio::sync::oneshot;

use super::args::ExecArgs;
use super::outcome::complain;
use super::signals;
use answer_file::{AnswerFile, REFUSED};
use called::CallableNames;
use conversation::{Conversation, Doors, Lines};
use first_message::FirstMessage;
use output_schema::answer_schema;
use telling::{Out, tell_all, tell_refusal};

use crate::agent::{Attendance, Intent, Shutdown};
use crate::config::environment::Environment;
use crate::config::exit::Exit;
use crate::config::fault::{Fault, one_line};
use crate::config::{Flags, Invocation};
use crate::ledger::Image;
use crate::runtime::{DriverError, Groups};
use crate::session::attachments::Attach;
use crate::session::compose::{Session, compose};
use crate::session::telemetry::Following;
use crate::session::{Keeping, SessionChoice};

/// How long a model server on this machine may take to say that it is there: the message waits for it.
const PATIENCE: Duration = Duration::from_millis(200);
/// How long process groups may take to go after TERM when the program ends.
const GRACE: Duration = Duration::from_millis(500);

/// What a run works with.
///
/// # Errors
/// A flag or the configuration is wrong; whoever reads events is told why.
pub(super) fn invoked(flags: &Flags, environment: Environment, exec: &ExecArgs) -> Result<Invocation, Fault> {
    let invoked = || -> Result<Invocation, Fault> {
        let answer_schema = exec.output_schema.as_deref().map(answer_schema).transpose()?;
        let invocation = super::invoke(flags, environment, exec.on_approval.clone())?;
        Ok(Invocation { answer_schema, ..invocation })
    };
    invoked().inspect_err(|fault| tell_refusal(exec.json, fault))
}

/// Runs one message to its ending.
pub(super) fn run(invocation: &Invocation, exec: &ExecArgs) -> Result<Exit, Fault> {
    let told = |fault: &Fault| tell_refusal(exec.json, fault);
    let answer_file = exec.output.as_deref().map(AnswerFile::at).transpose().inspect_err(told)?;
    let prepared = prepared(invocation, exec).inspect_err(told);
    if let (Err(_told), Some(file)) = (&prepared, &answer_file) {
        file.leave(REFUSED);
    }
    let (mut session, first) = prepared?;
    let is_steered = exec.input.is_some();
    for notice in &session.notices {
        complain(&format!("note: {}", one_line(notice)));
    }
    let search = session.choice.search.iter();
    for offer in search.flat_map(|search| search.offers("start with -m", PATIENCE)) {
        complain(&format!("note: {}", one_line(&offer)));
    }
    // This thread is the loop's and all that it waits for, so that nothing is handed from thread to thread; another tells.
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|why| Fault::failed(format!("cannot start: {why}"), ""))?;
    let (groups, telemetry) = (session.groups.clone(), session.traces.take());
    let lines = is_steered
        .then(|| (session.gateway.attach.clone(), CallableNames::of(invocation, Some(&session.id))));
    let out = Out::new(exec, answer_file, invocation, &session.id);
    let ended = runtime.block_on(follow(session, first, lines, out));
    groups.end_all(GRACE);
    runtime.shutdown_timeout(GRACE);
    if let Some(trouble) = telemetry.and_then(Following::finish) {
        complain(&format!("note: {}", one_line(&trouble)));
    }
    ended
}

/// The session of a run, and how it begins.
fn prepared(invocation: &Invocation, exec: &ExecArgs) -> Result<(Session, Option<FirstMessage>), Fault> {
    let first = FirstMessage::of(invocation, exec)?;
    if let Some(first) = &first {
        first.check(invocation)?;
    }
    let which = SessionChoice::named(exec.resume.clone(), exec.last);
    let keeping = if exec.ephemeral { Keeping::Ephemeral } else { which.as_ref().into() };
    let attendance = if exec.input.is_some() { Attendance::Program } else { invocation.config.on_approval };
    let session = compose(invocation, keeping, attendance)?;
    let first = first.map(|first| first.in_session(invocation, &session.id)).transpose()?;
    Ok((session, first))
}

/// The images that the first message brings.
fn images_of(wish: &Intent) -> &[Image] {
    match wish {
        Intent::Submit(said) | Intent::Pursue(_, said) => &said.images,
        _ => &[],
    }
}

/// The message with what it names; `None`: the run was interrupted meanwhile.
async fn with_files(
    message: FirstMessage,
    attach: Attach,
    groups: &Groups,
    out: &mut Out,
) -> Result<Option<Intent>, Fault> {
    let wish = message.attached(attach, groups).await.inspect_err(|refusal| out.refuse(refusal))?;
    if wish.is_none() {
        out.leave_the_answer("the run was interrupted before its end");
    }
    Ok(wish)
}

/// Follows a run to its end. `lines`: where stdin is lines, what reads the files that messages name, and what they can call.
async fn follow(
    session: Session,
    first_message: Option<FirstMessage>,
    lines: Option<(Attach, CallableNames)>,
    mut out: Out,
) -> Result<Exit, Fault> {
    let Session { driver, handles, first, before, groups, choice, gateway, .. } = session;
    signals::listen(&handles.shutdown, &groups)?;
    let wish = match first_message {
        None => None,
        Some(message) => match with_files(message, gateway.attach, &groups, &mut out).await? {
            None => return Ok(Exit::Interrupted),
            wish => wish,
        },
    };
    if let Some((what, next)) = choice.spec.refusal_of(wish.as_ref().map(images_of).unwrap_or_default()) {
        let refusal = Fault::usage(what, next);
        out.refuse(&refusal);
        return Err(refusal);
    }
    let conversation =
        lines.map(|lines| (lines, Conversation::new(before.iter().map(AsRef::as_ref), wish.is_some())));
    out.begin(&before, conversation.as_ref().map(|(_, program)| program.clone()));
    signals::watch_stdout(&handles.shutdown);
    let running = tokio::spawn(driver.run(first));
    if let Some(wish) = wish
        && handles.intents.send(wish).await.is_err()
    {
        tracing::debug!("the loop ended before the message reached it");
    }
    // Whoever reads may be slow, and the loop goes on meanwhile.
    let (events, to_end) = (handles.events, handles.shutdown.clone());
    let doors = Doors { intents: handles.intents.clone(), shutdown: handles.shutdown };
    let of_telling = doors.clone();
    let (over, is_over) = oneshot::channel();
    let telling = std::thread::Builder::new().name("telling".to_owned()).spawn(move || {
        // Nobody waits for it only when the run has broken.
        over.send(tell_all(events, &of_telling, out)).ok();
    });
    telling.map_err(|why| Fault::failed(format!("cannot start: {why}"), ""))?;
    let is_steered = conversation.is_some();
    match conversation {
        Some(((attach, names), program)) => program.listen(Lines { attach, names, doors })?,
        // The loop ends when nobody holds a door of it any more.
        None => drop(doors),
    }
    let told = is_over
        .await
        .map_err(|_gone| Fault::failed("internal error while writing output", "please report this"))?;
    drop(handles.intents);
    // Whoever reads stdin holds a door of the loop open, and does not end before stdin does.
    if is_steered && to_end.send(Shutdown::Quit).await.is_err() {
        tracing::debug!("the loop has ended already");
    }
    let (ended, out) = told?;
    match running.await {
        Ok(Ok(())) => {}
        Ok(Err(DriverError::Store { why, unwritten })) => {
            out.leave_the_answer("not all of the run was recorded");
            return Err(crate::session::unrecorded::fault(&why, &unwritten));
        }
        Err(panicked) => {
            out.leave_the_answer("the run did not complete");
            return Err(Fault::failed(format!("the loop crashed: {panicked}"), "please report this"));
        }
    }
    out.end(ended.as_ref())
}
