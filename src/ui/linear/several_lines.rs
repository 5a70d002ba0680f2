//! Lines that came together, and texts of several lines: what of them is words, and what may be carried out.

use crate::agent::Intent;
use crate::ledger::UserMessage;
use crate::ui::commands::{self, Fronts};

use super::budget_stop;
use super::line::{Echo, Line};
use super::session::{LinearEffect, LinearSession};
use super::word;

/// What is said of a text between quotes that would be a command on a line of its own.
const NO_COMMAND: &str = "note: nothing between \"\"\" is a command; the text is a message";

impl LinearSession {
    /// Whether a line would be carried out only if nothing came with it.
    pub fn has_to_be_alone(&self, line: &Line) -> bool {
        self.gather.joins() || self.does_something(&line.text, line.echo)
    }

    /// Lines that backslashes have joined. A command among them may stand in a text that is pasted: it is
    /// carried out only if each of its lines came by itself, and what decides is one line.
    pub(super) fn joined(&mut self, text: &str, alone: bool, line: &Line) -> Vec<LinearEffect> {
        if self.does_something(text, line.echo) && (!alone || budget_stop::decides(text)) {
            return self.together(text);
        }
        self.other(text, line.typed)
    }

    /// A text between quotes is words, whatever it begins with: quotes are there for what is pasted between
    /// them.
    pub(super) fn quoted(&mut self, text: &str, typed: u64) -> Vec<LinearEffect> {
        self.as_words(&UserMessage::text(text), typed, NO_COMMAND)
    }

    /// Sends a text as words, whatever it begins with; `note` says so of one that begins like a command.
    pub(super) fn as_words(&mut self, said: &UserMessage, typed: u64, note: &str) -> Vec<LinearEffect> {
        let text = said.content.as_str();
        self.leave_rule();
        if text.trim().is_empty() {
            return Vec::new();
        }
        let is_like_a_command = text.trim_start().starts_with(['!', '/']);
        if is_like_a_command && !self.is_words_only(text) {
            self.words_only.push(text.to_owned());
        }
        // Whoever has seen a question may have meant an answer: nothing is done with it.
        if self.asking.was_asked(typed) {
            return self.unsent(text);
        }
        if is_like_a_command {
            self.output.say(note);
        }
        self.renderer.was_typed(text);
        vec![LinearEffect::Send(Intent::Submit(said.clone()))]
    }

    /// Whether a text was typed as words: it stays that when it comes back, and when it is sent again.
    pub(super) fn is_words_only(&self, text: &str) -> bool {
        self.words_only.iter().any(|words| words == text)
    }

    /// A line that would decide something, and came with others: nobody has typed it as an answer.
    pub(super) fn together(&mut self, text: &str) -> Vec<LinearEffect> {
        let (text, is_answer) = (text.trim(), word::read(text).is_some());
        let what = if is_answer { "not an answer" } else { "not done" };
        self.no_answer(&format!("{what}: {text} came together with other lines; type it on its own"))
    }

    /// Whether a line is more than words to send: an answer to a call, what an answer asks for, a command
    /// that is run, or one that spends, changes files or lets calls do more. In a terminal, where it may
    /// stand in a text that is pasted, any command; in what comes out of a pipe the others are for us.
    pub(super) fn does_something(&self, text: &str, echo: Echo) -> bool {
        let settings = &self.renderer.view.settings;
        let custom = commands::custom(text, &settings.commands);
        let answers = self.asking.is_open() && (word::read(text).is_some() || self.words.is_some());
        let runs =
            commands::own(text).is_some() || custom.as_ref().is_some_and(|custom| custom.command.is_some());
        let is_one = || custom.is_some() || matches!(commands::read(text, Fronts::Lines), Some(Ok(_)));
        answers
            || runs
            || budget_stop::decides(text)
            || self.lets_more(text)
            || (echo != Echo::Unseen && is_one())
    }

    /// Whether a line is a command by which calls may do more unasked, or by which files of a race are taken.
    fn lets_more(&self, text: &str) -> bool {
        let mode = self.renderer.view.session.mode;
        matches!(commands::read(text, Fronts::Lines), Some(Ok(meaning)) if meaning.lets_more(mode))
    }
}
