//! What was typed and not sent: it is kept as it was typed, and sent by a command.

use crate::agent::{Event, Live};
use crate::ledger::UserMessage;
use crate::ui::commands::{self, typed};

use super::session::{LinearEffect, LinearSession};
use super::words::plain;

impl LinearSession {
    /// What was to be said when the session before this one was left.
    pub fn holds(&mut self, draft: &str) {
        if !draft.is_empty() {
            self.keep_line(draft);
        }
    }

    /// Keeps a message. It is one when it is sent, too: a `!` at its beginning runs nothing.
    pub(super) fn keep(&mut self, text: &str) {
        self.renderer.forget(text);
        if self.is_words_only(text) {
            return self.keep_line(text);
        }
        let text = typed(&UserMessage::text(text), &self.renderer.view.settings);
        // Of a command that runs something first, that is another message.
        self.renderer.forget(&text);
        self.keep_line(&UserMessage::text(text).as_words().content);
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
            Event::Live(Live::ReturnedLine(line)) => {
                self.renderer.forget(&line.content);
                self.keep_line(&line.content);
            }
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
        self.keep_line(text);
        Vec::new()
    }

    /// Sends what was kept. One alone is read as it was typed, so that a command is one; several are one message. A command among
    /// several is no part of a message: then only the first is sent, and the others stay.
    pub(super) fn send(&mut self, kept: &[String]) -> Vec<LinearEffect> {
        if let [text] = kept {
            return if self.is_words_only(text) { self.submit(text) } else { self.text(text, u64::MAX) };
        }
        if let Some((first, others)) =
            kept.split_first().filter(|_| kept.iter().any(|text| self.is_command(text)))
        {
            let sent = self.send(std::slice::from_ref(first));
            others.iter().for_each(|text| self.keep_line(text));
            return sent;
        }
        let settings = &self.renderer.view.settings;
        let said = |text: &String| {
            if self.is_words_only(text) {
                return text.clone();
            }
            let said = commands::custom(text, &settings.commands).map(|call| call.message);
            said.unwrap_or_else(|| commands::unescaped(text).to_owned())
        };
        let all: Vec<String> = kept.iter().map(said).collect();
        self.submit(&all.join("\n\n"))
    }

    /// Whether a line is one of our commands, or a command for the shell: nothing of it is for a model to read as a message.
    fn is_command(&self, text: &str) -> bool {
        if self.is_words_only(text) {
            return false;
        }
        let settings = &self.renderer.view.settings;
        let is_custom = commands::custom(text, &settings.commands).is_some();
        text.starts_with('!') || (commands::unescaped(text) == text && text.starts_with('/') && !is_custom)
    }
}
