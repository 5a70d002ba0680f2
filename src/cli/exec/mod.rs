//! A run without a screen: the answer on stdout, or one event a line.

mod answer_file;
mod prompt;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use tokio::runtime::Builder;
use tokio::sync::{mpsc, oneshot};

use super::args::ExecArgs;
use super::events::EventLines;
use super::signals;
use answer_file::AnswerFile;
use prompt::Words;

use crate::agent::{Event, Intent, Live, Shutdown};
use crate::config::Invocation;
use crate::config::exit::Exit;
use crate::config::fault::{Fault, one_line};
use crate::ledger::{
    Body, CallId, Ending, Image, LearnedLimit, Outcome, ProviderLimit, ToolResult, TurnEnded,
};
use crate::runtime::DriverError;
use crate::session::attachments::{Attach, AttachmentRefusal};
use crate::session::compose::{Session, compose};
use crate::session::{Keeping, SessionChoice};
use crate::ui::text::sanitize;
use crate::view::summary;

/// How long a model server on this machine may take to say that it is there: the message waits for it.
const PATIENCE: Duration = Duration::from_millis(200);
/// How long process groups may take to go after TERM when the program ends.
const GRACE: Duration = Duration::from_millis(500);

/// Runs one message to its ending.
pub(super) fn run(invocation: &Invocation, exec: &ExecArgs) -> Result<Exit, Fault> {
    let answer_file = exec.output.as_deref().map(AnswerFile::at).transpose()?;
    let wish = first(invocation, exec)?;
    let which = SessionChoice::named(exec.resume.clone(), exec.last);
    let keeping = if exec.ephemeral { Keeping::Ephemeral } else { which.as_ref().into() };
    let session = compose(invocation, keeping, invocation.config.on_approval)?;
    if let Some((what, next)) = session.choice.spec.refusal_of(images_of(&wish)) {
        return Err(Fault::usage(what, next));
    }
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
    let groups = session.groups.clone();
    let ended = runtime.block_on(follow(session, wish, Out::new(exec, answer_file, invocation)));
    groups.end_all(GRACE);
    runtime.shutdown_timeout(GRACE);
    ended
}

/// How the run begins. A goal needs no message, so stdin is left alone unless it is asked for.
fn first(invocation: &Invocation, exec: &ExecArgs) -> Result<Intent, Fault> {
    let prompt = exec.prompt.as_deref();
    let Words { prompt, block } =
        if invocation.goal.is_some() && prompt.is_none() { Words::default() } else { prompt::words(prompt)? };
    let refused = |AttachmentRefusal { what, next }| Fault::usage(what, next);
    let attach = Attach::new(invocation);
    let mut said = attach.message(prompt).map_err(refused)?;
    // What stands on the command line is meant from where it was typed, whatever -C says.
    let here = Path::new(".").canonicalize().unwrap_or_else(|_gone| invocation.cwd.clone());
    attach.seen_from(here).add(&mut said, &exec.image).map_err(refused)?;
    if let Some(block) = block {
        said.content = format!("{}\n\n{block}", said.content);
    }
    Ok(match &invocation.goal {
        Some(goal) => Intent::Pursue(Box::new(goal.clone()), said),
        None => Intent::Submit(said),
    })
}

/// The images that the first message brings.
fn images_of(wish: &Intent) -> &[Image] {
    match wish {
        Intent::Submit(said) | Intent::Pursue(_, said) => &said.images,
        _ => &[],
    }
}

async fn follow(session: Session, wish: Intent, mut out: Out) -> Result<Exit, Fault> {
    let Session { driver, handles, first, before, groups, .. } = session;
    out.lines = out.limits.take().map(|limits| EventLines::new(limits, before.iter().map(AsRef::as_ref)));
    signals::listen(&handles.shutdown, &groups)?;
    signals::watch_stdout(&handles.shutdown);
    let running = tokio::spawn(driver.run(first));
    if handles.intents.send(wish).await.is_err() {
        tracing::debug!("the loop ended before the message reached it");
    }
    // Whoever reads may be slow, and the loop goes on meanwhile.
    let (events, shutdown) = (handles.events, handles.shutdown);
    let (over, is_over) = oneshot::channel();
    let telling = std::thread::Builder::new().name("telling".to_owned()).spawn(move || {
        // Nobody waits for it only when the run has broken.
        over.send(tell_all(events, &shutdown, out)).ok();
    });
    telling.map_err(|why| Fault::failed(format!("cannot start: {why}"), ""))?;
    let told = is_over.await.map_err(|_gone| {
        Fault::failed(
            "internal error while writing output",
            "please \
        report this",
        )
    })?;
    drop(handles.intents);
    let (ended, out) = told?;
    match running.await {
        Ok(Ok(())) => {}
        Ok(Err(DriverError::Store { why, unwritten })) => {
            return Err(crate::session::unrecorded::fault(&why, &unwritten));
        }
        Err(panicked) => {
            return Err(Fault::failed(format!("the loop crashed: {panicked}"), "please report this"));
        }
    }
    match ended {
        Some(end) => out.close(&end),
        None => out.gone.as_ref().map_or(Ok(Exit::Interrupted), |why| out.abandoned(why)),
    }
}

/// Tells what happens up to the end of the run; on a thread of its own, since writing may block.
fn tell_all(
    mut events: mpsc::Receiver<Event>,
    shutdown: &mpsc::Sender<Shutdown>,
    mut out: Out,
) -> Result<(Option<TurnEnded>, Out), Fault> {
    let mut said = false;
    while let Some(event) = events.blocking_recv() {
        if out.tell(&event).is_err() && shutdown.blocking_send(Shutdown::Signal).is_err() {
            break;
        }
        match event {
            Event::Appended(entry) => match &entry.body {
                // What recovery adds to a resumed session holds no message, so the first one is ours.
                Body::User(_) => said = true,
                Body::ToolCall(call) if said => {
                    out.calls.insert(call.id, summary(&call.arguments));
                }
                Body::ApprovalRequested(asked) if said && asked.leads_to.is_some() => {
                    out.calls.insert(asked.call, summary(&asked.used()));
                }
                Body::ToolResult(result) if said => out.hear_result(result),
                Body::Handoff { text } => out.handoff = Some(text.clone()),
                Body::Error { message, next } => out.fault = Some(Fault::failed(message, next)),
                // A tool less: whoever relies on it must hear which.
                Body::ProviderLimit(LearnedLimit {
                    lesson: lesson @ ProviderLimit::ToolRefused { .. },
                    ..
                }) => {
                    complain(&format!("note: {}", one_line(&lesson.sentence())));
                }
                Body::TurnEnded(end) if said => return Ok((Some(end.clone()), out)),
                _ => {}
            },
            Event::Live(Live::Unreached(why)) => complain(&format!("note: {}", one_line(&why))),
            // Nobody is here to make room: what runs is settled, and the end says what was not recorded.
            Event::Live(Live::LedgerUnwritable { .. }) => {
                if shutdown.blocking_send(Shutdown::Signal).is_err() {
                    break;
                }
            }
            Event::Live(Live::Refused(why)) => return Err(Fault::failed(why, "")),
            Event::Live(_) => {}
        }
    }
    Ok((None, out))
}

/// Where the run is told.
struct Out {
    json: bool,
    /// Whether the session has a file.
    is_kept: bool,
    answer_file: Option<AnswerFile>,
    limits: Option<crate::budget::Limits>,
    lines: Option<EventLines>,
    fault: Option<Fault>,
    /// The calls of the run that were denied, a line each.
    denied: Vec<String>,
    /// What each call of the run is about.
    calls: BTreeMap<CallId, String>,
    /// Where a goal stopped.
    handoff: Option<String>,
    /// Why nothing more can be written to stdout.
    gone: Option<io::Error>,
}

impl Out {
    fn new(exec: &ExecArgs, answer_file: Option<AnswerFile>, invocation: &Invocation) -> Self {
        let limits = exec.json.then(|| invocation.config.limits.clone());
        Self {
            json: exec.json,
            is_kept: !exec.ephemeral,
            answer_file,
            limits,
            lines: None,
            fault: None,
            denied: Vec::new(),
            calls: BTreeMap::new(),
            handoff: None,
            gone: None,
        }
    }

    /// Writes an event's lines. The error means that nobody reads any more; it comes once.
    fn tell(&mut self, event: &Event) -> Result<(), ()> {
        let Some(lines) = &mut self.lines else { return Ok(()) };
        let text: String = lines.lines(event).into_iter().map(|line| line + "\n").collect();
        if text.is_empty() || self.gone.is_some() {
            return Ok(());
        }
        let text = super::outcome::for_stdout(&text);
        let mut stdout = io::stdout().lock();
        let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
        written.map_err(|why| self.gone = Some(why))
    }

    /// Nobody is here to see a denial go by: it is named at the end.
    fn hear_result(&mut self, result: &ToolResult) {
        if let Outcome::Denied(by) = result.outcome {
            let what = self.calls.get(&result.call).map(String::as_str).unwrap_or_default();
            self.denied.push(format!("denied by {}: {} {what}", by.as_str(), result.name));
        }
    }

    /// A run that could not be told to its end: the reader went away, or the place to write to is broken.
    fn abandoned(&self, why: &io::Error) -> Result<Exit, Fault> {
        if why.kind() == io::ErrorKind::BrokenPipe {
            return Ok(Exit::Interrupted);
        }
        let saved = if self.is_kept { "; the session is saved" } else { "" };
        Err(Fault::failed(
            format!("cannot write to stdout: {why}"),
            format!("check where stdout goes{saved}"),
        ))
    }

    /// The answer, and in one line why it is none.
    fn close(mut self, end: &TurnEnded) -> Result<Exit, Fault> {
        let exit = match Exit::from(end.reason) {
            // The model may say that it is done: what it was not allowed to do is not.
            Exit::Completed if !self.denied.is_empty() => Exit::Approval,
            exit => exit,
        };
        let written = self.answer_file.as_ref().map(|file| file.keep(exit, &end.text));
        if !self.json && !end.text.is_empty() {
            super::outcome::say(&format!("{}\n", end.text))?;
        }
        written.transpose()?;
        self.denied.iter().for_each(|line| complain(line));
        if let Some(why) = &self.gone {
            return self.abandoned(why);
        }
        if matches!(end.reason, Ending::ModelError | Ending::PromptTooLong)
            && let Some(fault) = self.fault.take()
        {
            return Err(fault);
        }
        if let Some(text) = self.handoff.take().filter(|_| !self.json) {
            complain(&text);
        }
        if !end.reason.completed() {
            complain(&format!("stopped: {}; next: {}", end.reason.as_str(), end.next_safe_action));
        }
        Ok(exit)
    }
}

/// A remark on stderr, made safe wherever that leads: only its first line begins at the edge, so that no command or
/// answer in it looks like a remark of its own. When stderr is gone, nobody is left to tell.
fn complain(line: &str) {
    writeln!(io::stderr(), "{}", sanitize(line).replace('\n', "\n  ")).unwrap_or_default();
}
