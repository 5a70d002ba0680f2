//! What a run without a screen tells: events and the answer on stdout, remarks on stderr, and the exit code.

use std::io::{self, Write};
use std::sync::Arc;

use serde_json::json;
use tokio::sync::mpsc;

use super::answer_file::{AnswerFile, REFUSED};
use super::conversation::{Conversation, Doors};
use crate::agent::{Event, Live, Shutdown, SubagentPath};
use crate::budget::Limits;
use crate::cli::args::ExecArgs;
use crate::cli::events::EventLines;
use crate::cli::outcome::{complain, for_stdout, say};
use crate::cli::told_denials::ToldDenials;
use crate::cli::told_subagents::{ToldSubagents, calls};
use crate::config::Invocation;
use crate::config::exit::Exit;
use crate::config::fault::{Fault, one_line};
use crate::ledger::{
    Body, CallId, Change, Ending, Entry, EntryId, LearnedLimit, Limit, ProviderLimit, TurnEnded,
};
use crate::policy::shell::shell_word;
use crate::session::other_sessions::first_words;
use crate::wire::record;

/// Characters of what a sub-agent in the background answered.
const MOST_SAID: usize = 200;

/// Tells what happens up to the end of the run; on a thread of its own, since writing may block.
pub(super) fn tell_all(
    mut events: mpsc::Receiver<Event>,
    doors: &Doors,
    mut out: Out,
) -> Result<(Option<TurnEnded>, Out), Fault> {
    // A program answers from the first event on.
    let mut said = out.conversation.is_some();
    let mut ended = None;
    while let Some(event) = events.blocking_recv() {
        let is_over = out.conversation.as_ref().is_some_and(|program| program.hear(&event, doors));
        if out.tell(&event).is_err() && doors.shutdown.blocking_send(Shutdown::Signal).is_err() {
            break;
        }
        if let (path, Event::Appended(entry)) = event.located()
            && said
        {
            out.hear_background(&path, &entry.body);
            out.hear_call(path, &entry.body);
        }
        match event {
            Event::Appended(entry) => match &entry.body {
                // What recovery adds to a resumed session holds no message, so the first one is ours.
                Body::User(_) => {
                    said = true;
                    out.message = Some(entry.id);
                }
                Body::Tombstone(withdrawn) if out.message == Some(withdrawn.target) => {
                    out.refused.push(one_line(&withdrawn.reason));
                }
                Body::Handoff { text } => out.handoff = Some(text.clone()),
                Body::Error { message, next } => out.fault = Some(Fault::failed(message, next)),
                // A tool less: whoever relies on it must hear which.
                Body::ProviderLimit(LearnedLimit {
                    lesson: lesson @ ProviderLimit::ToolRefused { .. },
                    ..
                }) => {
                    complain(&format!("note: {}", one_line(&lesson.sentence())));
                }
                Body::TurnEnded(end) if said && out.conversation.is_none() => {
                    return Ok((Some(end.clone()), out));
                }
                Body::TurnEnded(end) => ended = out.conversation.is_some().then(|| end.clone()),
                _ => {}
            },
            Event::Live(Live::Unreached(why)) => complain(&format!("note: {}", one_line(&why))),
            // Nobody is here to make room: what runs is settled, and the end says what was not recorded.
            Event::Live(Live::LedgerUnwritable { .. }) => {
                if doors.shutdown.blocking_send(Shutdown::Signal).is_err() {
                    break;
                }
            }
            Event::Live(Live::Refused(why)) if out.conversation.is_none() => {
                let refusal = Fault::failed(why, "");
                out.refuse(&refusal);
                return Err(refusal);
            }
            Event::Live(_) => {}
        }
        if is_over {
            break;
        }
    }
    Ok((ended, out))
}

/// Tells whoever reads events that a run was refused before anything of it was sent, and why: what stderr says. No entry says so.
pub(super) fn tell_refusal(is_json: bool, fault: &Fault) {
    if !is_json {
        return;
    }
    let event = json!({ "type": "error", "message": fault.message, "next": fault.next });
    let line = record::line(&event) + "\n";
    let mut stdout = io::stdout().lock();
    // When nobody reads stdout, stderr has it.
    stdout.write_all(for_stdout(&line).as_bytes()).and_then(|()| stdout.flush()).ok();
}

/// Where the run is told.
pub(super) struct Out {
    json: bool,
    /// The session, if it has a file.
    kept_as: Option<String>,
    answer_file: Option<AnswerFile>,
    /// Whether the answer must satisfy a schema.
    has_schema: bool,
    limits: Option<Limits>,
    lines: Option<EventLines>,
    /// The program that steers the run, if one does.
    conversation: Option<Conversation>,
    fault: Option<Fault>,
    /// The message that was said last.
    message: Option<EntryId>,
    /// Messages that hooks refused, a line each.
    refused: Vec<String>,
    /// The calls of the run that were denied, those of sub-agents too.
    denials: ToldDenials,
    /// The sub-agents of the run.
    subagents: ToldSubagents,
    /// Where a goal stopped.
    handoff: Option<String>,
    /// Why nothing more can be written to stdout.
    gone: Option<io::Error>,
}

impl Out {
    /// About this session.
    pub(super) fn new(
        exec: &ExecArgs,
        answer_file: Option<AnswerFile>,
        invocation: &Invocation,
        session: &str,
    ) -> Self {
        let limits = exec.json.then(|| invocation.config.limits.clone());
        Self {
            json: exec.json,
            kept_as: (!exec.ephemeral).then(|| session.to_owned()),
            answer_file,
            has_schema: invocation.answer_schema.is_some(),
            limits,
            lines: None,
            conversation: None,
            fault: None,
            message: None,
            refused: Vec::new(),
            denials: ToldDenials::new(invocation.config.mode),
            subagents: ToldSubagents::default(),
            handoff: None,
            gone: None,
        }
    }

    /// Begins to tell. `before` are the entries of a resumed session, which are not told again, except to a program what it
    /// has to decide.
    pub(super) fn begin(&mut self, before: &[Arc<Entry>], conversation: Option<Conversation>) {
        let entries = || before.iter().map(AsRef::as_ref);
        let Some(limits) = self.limits.take() else { return };
        let lines = EventLines::new(limits, entries(), conversation.is_some());
        let waiting = conversation.as_ref().map(Conversation::waiting).unwrap_or_default();
        let asked = entries().filter(|entry| waiting.contains(&entry.id));
        let text: String = asked.map(|entry| lines.durable(entry) + "\n").collect();
        (self.conversation, self.lines) = (conversation, Some(lines));
        // Nobody reads: the loop hears of that elsewhere.
        self.write(&text).unwrap_or_default();
    }

    /// How the run ended, as an exit code; the answer is told, or why there is none.
    pub(super) fn end(self, ended: Option<&TurnEnded>) -> Result<Exit, Fault> {
        for who in self.subagents.in_background() {
            let next = match &self.kept_as {
                Some(session) => {
                    format!(
                        "`countersign resume {}` says how far it came and what it spent",
                        shell_word(session)
                    )
                }
                None => "with --ephemeral nothing is kept that says how far it came".to_owned(),
            };
            complain(&format!("sub-agent {who} was cut off in the background; {next}"));
        }
        let kept_as = self.kept_as.as_deref();
        if let Some(fault) = self.conversation.as_ref().and_then(|lines| lines.cut_short(kept_as)) {
            self.leave_the_answer(&fault.message);
            return Err(fault);
        }
        if ended.is_none() {
            self.leave_the_answer("the run was interrupted before its end");
        }
        match ended {
            Some(end) => self.close(end),
            None => self.gone.as_ref().map_or(Ok(Exit::Interrupted), |why| self.abandoned(why)),
        }
    }

    /// Says that nothing is sent: the file of the answer is as it was, and an event says why.
    pub(super) fn refuse(&self, fault: &Fault) {
        self.leave_the_answer(REFUSED);
        tell_refusal(self.json, fault);
    }

    /// Says that the file of the answer is as it was, if there is one.
    pub(super) fn leave_the_answer(&self, why: &str) {
        if let Some(file) = &self.answer_file {
            file.leave(why);
        }
    }

    /// Writes an event's lines. The error means that nobody reads any more; it comes once.
    fn tell(&mut self, event: &Event) -> Result<(), ()> {
        let Some(lines) = &mut self.lines else { return Ok(()) };
        lines.refused = self.conversation.as_ref().and_then(Conversation::refused);
        let text: String = lines.lines(event).into_iter().map(|line| line + "\n").collect();
        self.write(&text)
    }

    fn write(&mut self, text: &str) -> Result<(), ()> {
        if text.is_empty() || self.gone.is_some() {
            return Ok(());
        }
        let text = for_stdout(text);
        let mut stdout = io::stdout().lock();
        let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
        written.map_err(|why| self.gone = Some(why))
    }

    /// What a sub-agent in the background came to: no result of a call says it. Said before it is forgotten.
    fn hear_background(&mut self, path: &[CallId], body: &Body) {
        let Body::Change(Change::EscrowSettled(settled)) = body else { return };
        if path.is_empty() && self.subagents.is_in_background(settled.call) {
            let words =
                settled.answer.as_deref().map(|answer| format!(": {}", first_words(answer, MOST_SAID)));
            let (who, state) = (self.subagents.shown(settled.call), settled.state.words());
            complain(&format!("sub-agent {who} is {state}{}", words.unwrap_or_default()));
        }
    }

    /// What is told of calls when the run has ended.
    fn hear_call(&mut self, path: SubagentPath, body: &Body) {
        self.subagents.read(&path, body);
        if let Body::TurnEnded(end) = body {
            self.hear_end_below(&path, end);
        }
        let named = self.subagents.get(&path).map(|one| format!("sub-agent {} {}", one.name, calls(&path)));
        self.denials.read(&path, body, named.as_deref());
    }

    /// A sub-agent whose part of a limit was used up, or did not pay for its next request. What the run itself ends with is said at its end.
    fn hear_end_below(&self, path: &[CallId], end: &TurnEnded) {
        let Some(one) = self.subagents.get(path) else { return };
        if Limit::of_ending(end.reason).is_some() {
            let (who, reason) = (calls(path), end.reason.words());
            complain(&format!("note: sub-agent {} {who} stopped before its end: {reason}", one.name));
        }
    }

    /// A run that could not be told to its end: the reader went away, or the place to write to is broken.
    fn abandoned(&self, why: &io::Error) -> Result<Exit, Fault> {
        if why.kind() == io::ErrorKind::BrokenPipe {
            return Ok(Exit::Interrupted);
        }
        let saved = if self.kept_as.is_some() { "; the session is saved" } else { "" };
        Err(Fault::failed(
            format!("cannot write to stdout: {why}"),
            format!("check where stdout goes{saved}"),
        ))
    }

    /// The answer, and in one line why it is none.
    fn close(mut self, end: &TurnEnded) -> Result<Exit, Fault> {
        let exit = match Exit::from(end.reason) {
            // The model may say that it is done: what it was not allowed to do is not.
            Exit::Completed if self.denials.has_denied() => Exit::Approval,
            exit => exit,
        };
        let written = self.answer_file.as_ref().map(|file| file.keep(end.reason, &end.text));
        // Whoever asked for a schema reads nothing from stdout that does not satisfy it.
        let is_fit = !self.has_schema || end.reason.completed();
        if !self.json && !end.text.is_empty() && is_fit {
            say(&format!("{}\n", end.text))?;
        }
        written.transpose()?;
        self.refused.iter().chain(self.denials.lines()).for_each(|line| complain(line));
        if let Some(why) = &self.gone {
            return self.abandoned(why);
        }
        if matches!(end.reason, Ending::ModelError | Ending::PromptTooLong | Ending::InvalidAnswer)
            && let Some(fault) = self.fault.take()
        {
            return Err(fault);
        }
        if let Some(text) = self.handoff.take().filter(|_| !self.json) {
            complain(&text);
        }
        if !end.reason.completed() {
            complain(&format!("stopped: {}; next: {}", end.reason.as_str(), end.what_next()));
        }
        Ok(exit)
    }
}
