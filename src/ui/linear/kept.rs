//! What was typed and not sent: it is kept as it was typed, and sent by a command.

use crate::agent::{Event, Intent, Live};
use crate::ui::Request;
use crate::ui::commands::{self, Fronts, Meaning, typed};

use super::budget_stop;
use super::line::Echo;
use super::session::{LinearEffect, LinearSession};
use super::word;
use super::words::plain;

impl LinearSession {
    /// What was to be said when the session before this one was left.
    pub fn holds(&mut self, draft: &str) {
        if !draft.is_empty() {
            self.keep(draft);
        }
    }

    pub(super) fn keep(&mut self, text: &str) {
        self.renderer.forget(text);
        let text = typed(text, &self.renderer.view.settings);
        self.keep_line(&text);
    }

    /// Keeps a line as it was typed, a command for example.
    pub(super) fn keep_line(&mut self, line: &str) {
        if !self.kept.iter().any(|kept| kept == line) {
            self.kept.push(line.to_owned());
        }
        self.output.say(&format!("kept, /send sends it: {line}"));
    }

    /// What was typed comes back, also from the session of a sub-agent.
    pub(super) fn keep_returned(&mut self, event: &Event) {
        match event.located().1 {
            Event::Live(Live::Returned(texts)) => texts.iter().for_each(|said| self.keep(&said.content)),
            Event::Live(Live::ReturnedLine(line)) => self.keep_line(line),
            _ => {}
        }
    }

    /// What was typed meanwhile is taken: for the results, or for the end of the run.
    pub(super) fn waits(&mut self, steering: usize, queued: usize) {
        if steering > self.steering {
            self.output.say("queued: sent with the next tool results");
        }
        if queued > self.queued {
            self.output.say("queued: sent when this run is over");
        }
        (self.steering, self.queued) = (steering, queued);
    }

    /// The command that was typed is not carried out: its line is kept.
    pub(super) fn not_obeyed(&mut self, why: &str) {
        self.output.say(&format!("refused: {}", plain(why)));
        if let Some(line) = self.obeyed.take() {
            self.keep_line(&line);
        }
    }

    /// A message while a call waits for an answer.
    pub(super) fn unsent(&mut self, text: &str) -> Vec<LinearEffect> {
        let letters = self.asking.letters();
        self.output.say(&format!("not sent: a call waits for you; {letters}"));
        self.keep(text);
        Vec::new()
    }

    /// A line that is written like an answer, while no call waits.
    pub(super) fn unasked(&mut self, text: &str) -> Vec<LinearEffect> {
        self.output.say("not an answer: no call waits for you");
        self.keep(text.trim());
        Vec::new()
    }

    /// A line that would decide something, and came with others: nobody has typed it as an answer.
    pub(super) fn together(&mut self, text: &str) -> Vec<LinearEffect> {
        let (text, is_answer) = (text.trim(), word::read(text).is_some());
        let what = if is_answer { "not an answer" } else { "not done" };
        self.no_answer(&format!("{what}: {text} came together with other lines; type it on its own"))
    }

    /// Whether a line is more than words to send: an answer to a call, what an answer asks for, a command that is run, or one that
    /// spends, changes files or lets calls do more. In a terminal, where it may stand in a text that is pasted, any command; in what comes
    /// out of a pipe the others are for us.
    pub(super) fn does_something(&self, text: &str, echo: Echo) -> bool {
        let settings = &self.renderer.view.settings;
        let custom = commands::custom(text, &settings.commands);
        let answers = self.asking.is_open() && (word::read(text).is_some() || self.words.is_some());
        let runs =
            commands::own(text).is_some() || custom.as_ref().is_some_and(|custom| custom.command.is_some());
        let is_one = || {
            custom.is_some()
                || commands::skill(text, &settings.skills).is_some()
                || matches!(commands::read(text, Fronts::Lines), Some(Ok(_)))
        };
        answers
            || runs
            || budget_stop::decides(text)
            || self.lets_more(text)
            || (echo != Echo::Unseen && is_one())
    }

    /// Whether a line is a command by which calls may do more unasked, or by which files of a race are taken.
    fn lets_more(&self, text: &str) -> bool {
        let mode = self.renderer.view.session.mode;
        match commands::read(text, Fronts::Lines) {
            Some(Ok(Meaning::Intent(Intent::SetMode(to)))) => to > mode,
            Some(Ok(meaning)) => matches!(
                meaning,
                Meaning::AcceptGaps
                    | Meaning::Intent(Intent::OpenHost(_))
                    | Meaning::Request(Request::Adopt(_))
            ),
            Some(Err(_)) | None => false,
        }
    }

    pub(super) fn no_answer(&mut self, why: &str) -> Vec<LinearEffect> {
        self.leave_rule();
        self.output.say(why);
        Vec::new()
    }

    /// A command that means nothing, or that there is and that cannot be used.
    pub(super) fn no_command(&mut self, text: &str, why: &str) -> Vec<LinearEffect> {
        let Some(why) = commands::unusable(text, &self.renderer.view.settings.ignored) else {
            return self.usage(why);
        };
        self.output.say(&format!("refused: {}", plain(&why)));
        Vec::new()
    }

    /// A command of the user's own, or a custom one that runs a command first, while it cannot run.
    pub(super) fn not_run(&mut self, text: &str) -> Vec<LinearEffect> {
        let why = match self.asking.is_open() {
            true => format!("a call waits for you; {}", self.asking.letters()),
            false => "a turn is running".to_owned(),
        };
        self.output.say(&format!("not run: {why}"));
        self.keep(text);
        Vec::new()
    }

    /// Sends what was kept. One alone is read as it was typed, so that a command is one; several are one message. A command among
    /// several is no part of a message: then only the first is sent, and the others stay.
    pub(super) fn send(&mut self, kept: &[String]) -> Vec<LinearEffect> {
        if let [text] = kept {
            return self.text(text, u64::MAX);
        }
        if let Some((first, others)) =
            kept.split_first().filter(|_| kept.iter().any(|text| self.is_command(text)))
        {
            let sent = self.text(first, u64::MAX);
            others.iter().for_each(|text| self.keep(text));
            return sent;
        }
        let settings = &self.renderer.view.settings;
        let said = |text: &String| {
            let custom = || commands::custom(text, &settings.commands).map(|call| call.message);
            let said = commands::skill(text, &settings.skills).or_else(custom);
            said.unwrap_or_else(|| commands::unescaped(text).to_owned())
        };
        let all: Vec<String> = kept.iter().map(said).collect();
        self.submit(&all.join("\n\n"))
    }

    /// Whether a line is one of our commands, or a command for the shell: nothing of it is for a model to read as a message.
    fn is_command(&self, text: &str) -> bool {
        let settings = &self.renderer.view.settings;
        let is_custom = commands::skill(text, &settings.skills).is_some()
            || commands::custom(text, &settings.commands).is_some();
        text.starts_with('!') || (commands::unescaped(text) == text && text.starts_with('/') && !is_custom)
    }
}
