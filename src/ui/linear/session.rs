//! A session in lines, between a person who types lines and the agent: what is said, what a line means, what it asks for.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use crate::agent::{Event, Intent, Live, OwnCommand};
use crate::ledger::{Body, Entry, EntryId, Millis, UserMessage, standing};
use crate::ui::Request;
use crate::ui::commands::{self, Fronts};
use crate::ui::local::RuleToKeep;
use crate::ui::reading_files::ReadingFiles;
use crate::ui::rewinding;
use crate::view::{CustomCall, View, ViewSettings};

use super::approvals::Approvals;
use super::asked_words::AskedWords;
use super::awaited::Awaited;
use super::behind::Behind;
use super::budget_stop::Stop;
use super::line::Line;
use super::moment::Moment;
use super::multiline::{GatheredLine, Multiline};
use super::offered_undo::OfferedUndo;
use super::output::LinearOutput;
use super::pages::resumed;
use super::renderer::LinearRenderer;
use super::rewind_step::RewindStep;
use super::word;
use super::words::{count, plain};

/// Stands before what the person types.
const PROMPT: &str = "you: ";

/// What a line asks of the world outside.
#[derive(Debug, Clone, PartialEq)]
pub enum LinearEffect {
    /// The agent shall hear this.
    Send(Intent),
    /// The session shall do this.
    Ask(Request),
    /// Interrupt what runs: on its own channel, past all that is queued.
    Abort,
    /// Leave.
    Quit,
    /// Leave, and begin a new session.
    New,
    /// Leave, and go on with the session of this id.
    Resume(String),
}

/// The whole state of it.
#[derive(Debug)]
pub struct LinearSession {
    pub(super) renderer: LinearRenderer,
    pub(super) output: LinearOutput,
    pub(super) asking: Approvals,
    pub(super) stop: Stop,
    pub(super) gather: Multiline,
    /// The call that the next line is about, and what it is for.
    pub(super) words: Option<AskedWords>,
    /// The files of messages that are being read.
    pub(super) reading: Option<ReadingFiles<Millis>>,
    /// When what is waited for began, if that was said.
    pub(super) wait_said: Option<Millis>,
    /// The line of a command that is obeyed now: it is kept if that is refused.
    pub(super) obeyed: Option<String>,
    /// What was typed and not sent.
    pub(super) kept: Vec<String>,
    /// Texts that begin like a command and were typed as words.
    pub(super) words_only: Vec<String>,
    /// The sessions and models that were said last, in the order of their numbers.
    pub(super) sessions: Vec<String>,
    pub(super) models: Vec<String>,
    /// The messages that were said last, in the order of their numbers; and the undo.
    pub(super) messages: Vec<EntryId>,
    pub(super) offer: Option<OfferedUndo>,
    pub(super) rewind: RewindStep,
    pub(super) entry_json: fn(&Entry) -> String,
    pub(super) now: Millis,
    /// Something was sent, and what comes of it has not come back yet.
    pub(super) expected: Option<Awaited>,
    pub(super) quit_armed: bool,
    /// The sessions behind that of the sub-agent which is said, the first session first.
    pub(super) behind: Vec<Behind>,
    pub(super) steering: usize,
    pub(super) queued: usize,
}

impl LinearSession {
    /// A session in which nothing was said yet.
    pub fn new(settings: ViewSettings, entry_json: fn(&Entry) -> String) -> Self {
        Self {
            renderer: LinearRenderer::new(settings),
            output: LinearOutput::default(),
            asking: Approvals::default(),
            stop: Stop::default(),
            gather: Multiline::default(),
            words: None,
            reading: None,
            wait_said: None,
            obeyed: None,
            kept: Vec::new(),
            words_only: Vec::new(),
            sessions: Vec::new(),
            models: Vec::new(),
            messages: Vec::new(),
            offer: None,
            rewind: RewindStep::default(),
            entry_json,
            now: Millis(0),
            expected: None,
            quit_armed: false,
            behind: Vec::new(),
            steering: 0,
            queued: 0,
        }
    }

    /// Begins: who answers and where, what to know, and of an earlier session its last exchange.
    pub fn begin(&mut self, history: &[Event], notice: Option<&str>) {
        let settings = &self.renderer.view.settings;
        let branch = settings.branch.as_ref().map(|branch| format!(", branch {branch}")).unwrap_or_default();
        let (model, mode, cwd) = (&self.renderer.view.session.model, settings.mode, &settings.cwd);
        let words = format!(
            "countersign: model {model}, mode {mode}, in {cwd}{branch}. Type a message, /help or /quit."
        );
        self.output.say(&words);
        notice.into_iter().for_each(|notice| self.found(notice));
        let entries: Vec<Arc<Entry>> = history
            .iter()
            .filter_map(
                |event| if let Event::Appended(entry) = event { Some(Arc::clone(entry)) } else { None },
            )
            .collect();
        let stands: BTreeSet<EntryId> = standing(&entries).map(|entry| entry.id).collect();
        let last = entries.iter().rposition(|entry| matches!(entry.body, Body::User(_)));
        for (at, entry) in entries.iter().enumerate() {
            let event = Event::Appended(Arc::clone(entry));
            if Some(at) == last {
                let whole =
                    entries.iter().fold(View::new(self.renderer.view.settings.clone()), |mut view, one| {
                        view.fold(&Event::Appended(Arc::clone(one)));
                        view
                    });
                self.output.say(&resumed(&whole));
            }
            if last.is_some_and(|last| last <= at) && stands.contains(&entry.id) {
                self.renderer.hear(&event, entry.at, &mut self.output);
            } else {
                self.renderer.skip(&event);
            }
        }
        self.renderer.view.resume();
    }

    /// Says what time it is.
    pub fn tick(&mut self, now: Millis) {
        self.now = self.now.max(now);
        self.renderer.view.tick(now);
    }

    /// Something happened. Returns what the session is to do now.
    pub fn hear(&mut self, event: &Event) -> Option<Request> {
        let event = self.route(event)?;
        if let (path, Event::Live(Live::Refused(why))) = event.located() {
            self.asking.reopen();
            if !path.is_empty() {
                self.output.say(&format!("refused: {}", super::words::plain(why)));
            }
        }
        self.renderer.hear(event, self.now, &mut self.output);
        let is_busy = self.renderer.view.status.is_busy();
        self.expected =
            self.expected.filter(|expected| !expected.is(event, is_busy) && !expected.is_below(event));
        match event {
            Event::Live(Live::Waiting { steering, queued }) => self.waits(steering.len(), queued.len()),
            event => self.keep_returned(event),
        }
        let rewinds = match event {
            Event::Appended(entry) => rewinding::due(&mut self.rewind.due, entry),
            Event::Live(_) => None,
        };
        rewinds.or_else(|| RuleToKeep::due(&mut self.asking.to_keep, &self.renderer.view))
    }

    /// What is to be said where the conversation goes on after a rewind: the message.
    pub fn draft(&self, message: EntryId) -> UserMessage {
        rewinding::said(&self.renderer.view, message).unwrap_or_default()
    }

    /// Something was found out that is worth knowing.
    pub fn found(&mut self, words: &str) {
        words.split("\n\n").for_each(|words| self.output.say(&format!("notice: {}", plain(words))));
    }

    /// All that happened at once is said: the calls that wait, or that it is the person's turn. True when
    /// there is a question, a budget stop, an undo, or a prompt for words, that was not there before; whoever
    /// writes it then tells [`LinearSession::written`].
    pub fn settle(&mut self) -> bool {
        let asks = self.asking.ask(&self.renderer.view, &mut self.output);
        if asks && self.gather.is_open() {
            self.output.say("note: your text is not finished; end it before you answer");
        }
        if self.words.is_some_and(|words| !self.asking.waits(words.request)) {
            self.words = None;
            self.output.say("note: that call is no longer waiting; nothing more is needed");
        }
        let asks_for_words = self.words.is_some_and(AskedWords::is_new);
        let offers_undo = self.offer.as_ref().is_some_and(OfferedUndo::is_new);
        let is_question = asks || asks_for_words || offers_undo || self.stop.is_new(&self.renderer.view);
        if !is_question {
            self.invite();
        }
        is_question
    }

    /// It is the person's turn, if nothing runs.
    fn invite(&mut self) {
        if self.rests() && !self.output.is_open() && !self.gather.is_open() {
            self.output.prompt(PROMPT);
        }
    }

    /// The questions said so far stand on the terminal; every line typed from here on carries this number or a higher
    /// one. An answer is asked for, which is to be written next. `at`: when, since the session began.
    pub fn written(&mut self, typed: u64, at: Duration) {
        let moment = Moment { typed, at };
        self.asking.written(moment, &mut self.output);
        self.stop.written(&self.renderer.view, moment);
        self.offer.iter_mut().for_each(|offer| offer.written(moment));
        self.prompt_for_words(moment);
        self.invite();
    }

    /// The words to write.
    pub fn words(&mut self) -> String {
        self.output.take()
    }

    /// Whether nothing runs and nothing is on its way.
    pub fn rests(&self) -> bool {
        !self.renderer.view.status.is_busy() && self.expected.is_none()
    }

    /// Whether a call waits for an answer.
    pub fn asks(&self) -> bool {
        self.asking.is_open()
    }

    /// Whether a prompt stands open.
    pub fn is_prompted(&self) -> bool {
        self.output.is_open()
    }

    /// The end: no word stands behind a prompt.
    pub fn end(&mut self) {
        self.output.close();
    }

    /// Ctrl-C. `shown`: the terminal has written its ^C.
    pub fn interrupt(&mut self, shown: bool) -> Vec<LinearEffect> {
        let effects = self.interrupt_here(shown);
        self.addressed(effects)
    }

    fn interrupt_here(&mut self, shown: bool) -> Vec<LinearEffect> {
        if shown {
            self.output.broken();
        }
        self.leave_rule();
        let armed = std::mem::take(&mut self.quit_armed);
        if self.gather.is_open() {
            let lines = self.gather.drop_all() as u64;
            self.output.say(&format!("dropped: {}", count(lines, "line")));
        } else if self.words.take().is_some() {
            self.output.say("cancelled: nothing is denied");
        } else if self.renderer.view.status.is_busy() {
            return self.stops();
        } else if armed {
            return vec![LinearEffect::Quit];
        } else if self.expected.is_some() {
            self.quit_armed = true;
            return self.stops();
        } else {
            self.quit_armed = true;
            self.output.say("to quit: Ctrl-C again, Ctrl-D, or /quit");
        }
        Vec::new()
    }

    /// A line was typed.
    pub fn line(&mut self, line: &Line) -> Vec<LinearEffect> {
        self.obeyed = None;
        let effects = self.line_here(line);
        self.addressed(effects)
    }

    fn line_here(&mut self, line: &Line) -> Vec<LinearEffect> {
        self.quit_armed = false;
        self.output.typed(&line.text, line.echo);
        let now = Moment { typed: line.typed, at: line.at };
        // Of lines that came together none is an answer, nor the words that belong to one.
        if let Some(asked) = self.words.filter(|_| line.alone) {
            return self.words_typed(asked, line.text.trim(), now);
        }
        let answers_nothing = self.asking.answers_nothing(&line.text) && !self.gather.is_open();
        match self.gather.take(&line.text, line.alone) {
            // Before anything else: what stands in a text that was pasted is meant for nobody.
            GatheredLine::Line(text) if !line.alone && self.does_something(&text, line.echo) => {
                self.together(&text)
            }
            GatheredLine::Line(text) if self.too_early(&text, now).is_some() => {
                self.no_answer(self.too_early(&text, now).unwrap_or_default())
            }
            GatheredLine::Line(text) if self.asking.is_open() => match word::read(&text) {
                Some(word) => self.answer(word, now),
                None => self.other(&text, line.typed),
            },
            GatheredLine::Line(text) if answers_nothing => self.unasked(&text),
            GatheredLine::Line(text) => self.other(&text, line.typed),
            GatheredLine::Joined { text, alone } => self.joined(&text, alone, line),
            GatheredLine::Quoted(text) => self.quoted(&text, line.typed),
            GatheredLine::Part => {
                self.leave_rule();
                Vec::new()
            }
        }
    }

    /// A line that answers no call, and takes no rule.
    pub(super) fn other(&mut self, text: &str, typed: u64) -> Vec<LinearEffect> {
        self.leave_rule();
        self.text(text, typed)
    }

    pub(super) fn left(&mut self) {
        if let Some(left) = self.asking.left() {
            self.output.say(&left);
        }
    }

    /// A message, or a command.
    pub(super) fn text(&mut self, text: &str, typed: u64) -> Vec<LinearEffect> {
        if text.trim().is_empty() {
            return Vec::new();
        }
        if let Some(own) = commands::own(text) {
            if self.renderer.view.status.is_busy() {
                return self.not_run(text);
            }
            self.renderer.was_typed(text.trim_end());
            return self.obey(own);
        }
        // Whoever has seen a question may have meant an answer: nothing is done with it.
        let was_asked = self.asking.was_asked(typed);
        if let Some(CustomCall { typed, message, command, .. }) =
            commands::custom(text, &self.renderer.view.settings.commands)
        {
            return match command {
                _ if was_asked => self.unsent(&message),
                None => self.submit(&message),
                Some(_) if self.renderer.view.status.is_busy() => self.not_run(text),
                Some(command) => {
                    // Two messages are recorded for one line: what was typed, with what runs first, and what the file says.
                    self.renderer.was_typed(&typed);
                    self.renderer.was_typed(&message);
                    let own = OwnCommand {
                        command,
                        is_shared: true,
                        typed: Some(typed.into()),
                        then: Some(Box::new(message.into())),
                        must_succeed: false,
                    };
                    vec![LinearEffect::Send(Intent::Command(own))]
                }
            };
        }
        match commands::read(text, Fronts::Lines) {
            Some(Ok(meaning)) => {
                self.obeyed = Some(text.trim().to_owned());
                self.obey(meaning)
            }
            Some(Err(why)) => self.no_command(text, &why),
            None if was_asked => self.unsent(text),
            None => self.submit(commands::unescaped(text)),
        }
    }

    pub(super) fn submit(&mut self, text: &str) -> Vec<LinearEffect> {
        self.renderer.was_typed(text);
        vec![LinearEffect::Send(Intent::Submit(text.into()))]
    }

    pub(super) fn usage(&mut self, why: &str) -> Vec<LinearEffect> {
        self.output.say(&format!("not understood: {}", plain(why)));
        Vec::new()
    }
}
