//! A run that another program steers: lines on stdin (`--input jsonl`) become messages, decisions and interrupts.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::json;
use tokio::sync::mpsc;

use super::called::CallableNames;
use super::message_lines::{self, LineDecision, MessageLine};
use super::sent_lines::SentLines;
use crate::agent::{Answer, CallAddress, Event, Intent, Live, Shutdown, SubagentPath};
use crate::cli::events::digest_of;
use crate::cli::outcome::for_stdout;
use crate::config::exit::Exit;
use crate::config::fault::Fault;
use crate::ledger::{Body, CallId, Change, Entry, EntryId, Injector};
use crate::policy::shell::shell_word;
use crate::session::attachments::Attach;
use crate::tool::name::ASK;
use crate::wire::record;

/// Messages that may wait until the model can read them.
const MOST_WAITING: usize = 100;

/// The doors of the loop that lines open.
pub(super) struct Lines {
    /// Reads the images that a message names.
    pub(super) attach: Attach,
    /// What a message can call.
    pub(super) names: CallableNames,
    /// Messages, decisions and interrupts.
    pub(super) doors: Doors,
}

/// The doors of the loop that both sides open.
#[derive(Debug, Clone)]
pub(super) struct Doors {
    /// Messages, decisions and interrupts.
    pub(super) intents: mpsc::Sender<Intent>,
    /// The end.
    pub(super) shutdown: mpsc::Sender<Shutdown>,
}

impl Doors {
    fn wish(&self, intents: Vec<Intent>) {
        for intent in intents {
            if self.intents.blocking_send(intent).is_err() {
                tracing::debug!("a decision came after the loop had ended");
            }
        }
    }
}

/// What is known on both sides: of the thread that reads stdin and of the one that tells what happens.
#[derive(Debug, Clone)]
pub(super) struct Conversation(Arc<Mutex<Exchange>>);

#[derive(Debug, Default)]
struct Exchange {
    /// The calls that wait for a decision, those of sub-agents too.
    open: BTreeMap<CallAddress, Asked>,
    /// Messages that were handed to the loop, and those of them that it has taken up or given back.
    given: usize,
    taken: usize,
    /// The calls whose sub-agents work in the background.
    background: BTreeSet<CallId>,
    /// Whether no run is under way.
    is_idle: bool,
    /// Whether stdin has ended.
    is_closed: bool,
    /// Whether any message was accepted from the program, or any call decided.
    was_used: bool,
    /// A call that waited when stdin had ended.
    undecided: Option<CallId>,
    /// The lines of which nothing was heard yet.
    sent: SentLines,
    /// The line that what was heard last refuses.
    refused: Option<u64>,
}

#[derive(Debug)]
struct Asked {
    request: EntryId,
    digest: String,
    is_question: bool,
    /// Whether a decision is on its way.
    is_answered: bool,
}

impl Conversation {
    /// About a session with these entries, which begins with a message or waits for one.
    pub(super) fn new<'e>(before: impl Iterator<Item = &'e Entry>, has_message: bool) -> Self {
        let mut state = Exchange::default();
        before.for_each(|entry| state.read(&[], entry));
        let (given, taken) = (usize::from(has_message), 0);
        let state = Exchange { given, taken, is_idle: state.open.is_empty(), was_used: has_message, ..state };
        Self(Arc::new(Mutex::new(state)))
    }

    fn exchange(&self) -> MutexGuard<'_, Exchange> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The requests that wait for a decision.
    pub(super) fn waiting(&self) -> BTreeSet<EntryId> {
        self.exchange().open.values().map(|asked| asked.request).collect()
    }

    /// Takes in an event before it is told, and says whether everything is over with it. A call that waits while nobody
    /// can decide any more ends the run, unless it is a sub-agent's.
    pub(super) fn hear(&self, event: &Event, doors: &Doors) -> bool {
        let mut state = self.exchange();
        let (path, inner) = event.located();
        state.refused = None;
        match inner {
            Event::Appended(entry) => {
                state.sent.heard();
                state.read(&path, entry);
            }
            Event::Live(Live::Returned(messages)) if path.is_empty() => {
                state.taken += messages.len();
                state.sent.returned(messages);
            }
            // The loop did not accept an answer, so the call waits on.
            Event::Live(Live::Refused(_)) => {
                let Exchange { sent, open, .. } = &mut *state;
                let line = sent.refused(&path, |at| open.contains_key(at));
                state.refused = line;
                let here = state.open.iter_mut().filter(|(at, _)| at.path.starts_with(&path));
                here.for_each(|(_, asked)| asked.is_answered = false);
            }
            Event::Live(_) => state.sent.heard(),
        }
        let is_stuck = state.is_closed && state.undecided.is_none() && state.note_undecided();
        let is_over = state.is_over();
        let given_up = state.given_up();
        drop(state);
        if is_stuck {
            quit(&doors.shutdown);
        } else {
            doors.wish(given_up);
        }
        is_over
    }

    /// The line that what was heard last refuses, if a line asked for it.
    pub(super) fn refused(&self) -> Option<u64> {
        self.exchange().refused
    }

    /// Why the run could not come to an end of its own, in a session that is kept under this name, or not kept.
    pub(super) fn cut_short(&self, kept_as: Option<&str>) -> Option<Fault> {
        let state = self.exchange();
        if let Some(call) = state.undecided {
            let what = format!("stdin ended while call {call} waited for a decision");
            let next = match kept_as {
                Some(session) => format!("`countersign resume {}` offers the call again", shell_word(session)),
                None => "it was not started, and with --ephemeral there is no session to resume: decide before stdin ends".to_owned(),
            };
            return Some(Fault { exit: Exit::Approval, ..Fault::failed(what, next) });
        }
        let unused = state.is_closed && !state.was_used;
        unused
            .then(|| Fault::usage("stdin held no message", "write {\"type\":\"user_message\",\"content\":…}"))
    }

    /// Reads stdin on a thread of its own, which may wait for ever for the next line.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub(super) fn listen(self, lines: Lines) -> Result<(), Fault> {
        let reading =
            std::thread::Builder::new().name("stdin".to_owned()).spawn(move || self.read_all(&lines));
        reading.map(drop).map_err(|why| Fault::failed(format!("cannot start: {why}"), ""))
    }

    fn read_all(&self, lines: &Lines) {
        let mut stdin = io::stdin().lock();
        let mut number = 0_u64;
        loop {
            let done = match message_lines::next(&mut stdin, &mut number) {
                Ok(Some(line)) => line.and_then(|line| self.accept(line, number, lines)),
                Ok(None) => break,
                Err(why) => {
                    reject(number, &format!("stdin cannot be read: {why}"));
                    break;
                }
            };
            if let Err(why) = done {
                reject(number, &why);
            }
        }
        let mut state = self.exchange();
        state.is_closed = true;
        let is_over = state.note_undecided() || state.is_over();
        let given_up = state.given_up();
        drop(state);
        if is_over {
            quit(&lines.doors.shutdown);
        } else {
            lines.doors.wish(given_up);
        }
    }

    /// Hands on what a line asks for.
    fn accept(&self, line: MessageLine, number: u64, lines: &Lines) -> Result<(), String> {
        let intent = match line {
            MessageLine::UserMessage { content } if content.trim().is_empty() => {
                return Err("the message is empty".to_owned());
            }
            MessageLine::UserMessage { content } => {
                let said = lines.names.said(content).and_then(|words| {
                    let attached = lines.attach.message(words.clone());
                    attached.map_err(|refused| lines.names.placed(&words, refused))
                });
                let (said, note) =
                    said.map_err(|refused| format!("{}; next: {}", refused.what, refused.next))?;
                let mut exchange = self.exchange();
                if exchange.given.saturating_sub(exchange.taken) >= MOST_WAITING {
                    return Err(format!(
                        "{MOST_WAITING} messages wait already; send it when the model has read them"
                    ));
                }
                exchange.given += 1;
                exchange.sent.says(said.content.clone(), number);
                drop(exchange);
                if !note.is_empty() {
                    tell("input_noted", number, &note);
                }
                Intent::Submit(said)
            }
            MessageLine::Approval { id, request, digest, decision, reason } => {
                self.decision(&id, request.as_deref(), &digest, (decision, reason), number)?
            }
            MessageLine::Interrupt {} => {
                if self.exchange().is_at_rest() {
                    return Err("nothing is running".to_owned());
                }
                // In the order of the lines: what was said before it is given back, not begun after it.
                let sent = lines.doors.intents.blocking_send(Intent::Abort);
                return sent.map_err(|_gone| "the run has ended".to_owned());
            }
        };
        self.exchange().was_used = true;
        lines.doors.intents.blocking_send(intent).map_err(|_gone| "the run has ended".to_owned())
    }

    /// A decision, if it is about a call that waits, and about exactly what was asked. One that does not say which request it is to
    /// is to the one that was heard last: where that is another one than the loop's, the loop refuses it.
    fn decision(
        &self,
        id: &str,
        request: Option<&str>,
        digest: &str,
        (decision, reason): (LineDecision, String),
        number: u64,
    ) -> Result<Intent, String> {
        let mut state = self.exchange();
        let waiting = CallAddress::parse(id).and_then(|at| state.open.get_mut(&at).map(|asked| (at, asked)));
        let Some((call, asked)) = waiting else {
            return Err(format!("no call `{id}` waits for a decision"));
        };
        // The arguments may be the same, and what they lead to another thing by now.
        if let Some(other) = request.filter(|request| *request != asked.request.to_string()) {
            return Err(format!(
                "request {other} is not the one of call {call} that waits, which is {}: answer that one",
                asked.request
            ));
        }
        if asked.digest != digest {
            return Err(format!(
                "the digest is not that of call {call}, which still waits: {}",
                asked.digest
            ));
        }
        let answer = match decision {
            LineDecision::Deny => Answer::Deny(reason),
            LineDecision::Allow if !asked.is_question && reason.trim().is_empty() => Answer::AllowOnce,
            LineDecision::Allow if !asked.is_question => Answer::AllowBecause(reason),
            LineDecision::Allow if reason.trim().is_empty() => {
                return Err(format!("call {call} is a question: put the answer into `reason`"));
            }
            LineDecision::Allow => Answer::Reply(reason),
        };
        asked.is_answered = true;
        let request = asked.request;
        state.sent.decides(call.clone(), number);
        let CallAddress { path, call } = call;
        Ok(Intent::Decide { request, call, answer }.within(&path))
    }
}

impl Exchange {
    fn read(&mut self, path: &[CallId], entry: &Entry) {
        let at = |call| CallAddress { path: path.to_vec(), call };
        match &entry.body {
            Body::ApprovalRequested(asked) => {
                let is_question = asked.name == ASK;
                let digest = digest_of(asked);
                let open = Asked { request: entry.id, digest, is_question, is_answered: false };
                self.open.insert(at(asked.call), open);
            }
            Body::ApprovalDecided(decision) => {
                self.open.remove(&at(decision.call));
                self.sent.decided(&at(decision.call));
            }
            Body::ToolResult(result) => drop(self.open.remove(&at(result.call))),
            Body::Change(Change::EscrowReserved(escrow)) if path.is_empty() && escrow.in_background => {
                self.background.insert(escrow.call);
            }
            // A sub-agent that is settled asks for nothing any more, nor do those that it started.
            Body::Change(Change::EscrowSettled(settled)) => {
                if path.is_empty() {
                    self.background.remove(&settled.call);
                }
                let over: SubagentPath = path.iter().copied().chain([settled.call]).collect();
                self.open.retain(|at, _| !at.path.starts_with(&over));
            }
            Body::TurnEnded(_) if !path.is_empty() => self.open.retain(|at, _| at.path != path),
            _ if !path.is_empty() => {}
            Body::User(said) => {
                self.sent.taken(&said.content);
                self.taken += 1;
                self.is_idle = false;
            }
            Body::Injected(said) if said.by == Injector::Steering => {
                self.sent.taken(&said.text);
                self.taken += 1;
            }
            Body::TurnEnded(_) => self.is_idle = true,
            _ => {}
        }
    }

    /// Whether no run is under way, and none is about to begin.
    fn is_at_rest(&self) -> bool {
        self.is_idle && self.taken >= self.given
    }

    /// Whether nothing more can come: stdin has ended, what it held is done, and so is what sub-agents do in the background.
    fn is_over(&self) -> bool {
        self.is_closed && self.is_at_rest() && self.background.is_empty()
    }

    /// Notes a call of the session that nobody can decide any more.
    fn note_undecided(&mut self) -> bool {
        let undecided = self.open.iter().find(|(at, asked)| at.path.is_empty() && !asked.is_answered);
        self.undecided = undecided.map(|(at, _)| at.call);
        self.undecided.is_some()
    }

    /// What is answered about calls of sub-agents when nobody can decide any more. They cannot be left open: what a sub-agent
    /// does is not taken up again when the session is resumed.
    fn given_up(&mut self) -> Vec<Intent> {
        if !self.is_closed {
            return Vec::new();
        }
        let open = self.open.iter_mut().filter(|(at, asked)| !at.path.is_empty() && !asked.is_answered);
        open.map(|(at, asked)| {
            asked.is_answered = true;
            let answer = Answer::Nobody("stdin ended before anybody decided".to_owned());
            Intent::Decide { request: asked.request, call: at.call, answer }.within(&at.path)
        })
        .collect()
    }
}

fn quit(shutdown: &mpsc::Sender<Shutdown>) {
    if shutdown.blocking_send(Shutdown::Quit).is_err() {
        tracing::debug!("stdin ended after the loop had");
    }
}

/// Says on stdout that a line changed nothing, and why. When nobody reads stdout, the loop hears of it elsewhere.
fn reject(number: u64, why: &str) {
    tell("input_rejected", number, why);
}

/// Says something of a line on stdout.
fn tell(kind: &str, number: u64, why: &str) {
    let line = record::line(&json!({ "type": kind, "line": number, "why": why })) + "\n";
    let mut stdout = io::stdout().lock();
    stdout.write_all(for_stdout(&line).as_bytes()).and_then(|()| stdout.flush()).ok();
}
