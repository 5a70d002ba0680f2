//! The product without a screen, without its loop: a talk, what is typed, and all that is said.

#![allow(dead_code, clippy::indexing_slicing, reason = "tests; not every test uses everything")]

use std::time::Duration;

use countersign::agent::Event;
use countersign::ledger::{Body, CallId, EntryId, Millis};
use countersign::ui::Request;
use countersign::ui::linear::{Echo, Line, LinearEffect, LinearSession};
use countersign::view::ViewSettings;
use countersign::wire::record;

use super::session_builder::{SessionBuilder, settings};

/// A session in lines, what its builder records, and everything that was written.
pub struct LinearHarness {
    pub talk: LinearSession,
    pub builder: SessionBuilder,
    heard: usize,
    pub questions: u64,
    /// Since the talk began.
    pub clock: Duration,
    pub said: String,
    /// What events asked of the session.
    pub kept: Vec<Request>,
}

impl LinearHarness {
    pub fn new(builder: SessionBuilder) -> Self {
        Self::told(builder, settings())
    }

    pub fn told(builder: SessionBuilder, settings: ViewSettings) -> Self {
        let talk = LinearSession::new(settings, |entry| format!("{:#}", record::without_images(entry)));
        let mut lines = Self {
            talk,
            builder,
            heard: 0,
            questions: 0,
            clock: Duration::ZERO,
            said: String::new(),
            kept: Vec::new(),
        };
        lines.talk.begin(&[], None);
        lines.hears();
        lines
    }

    /// Takes in what the builder has recorded since, and writes, as the loop does.
    pub fn hears(&mut self) -> String {
        self.talk.tick(Millis(self.builder.now));
        for event in &self.builder.events[self.heard..] {
            self.kept.extend(self.talk.hear(event));
        }
        self.heard = self.builder.events.len();
        self.writes()
    }

    pub fn writes(&mut self) -> String {
        let asks = self.talk.settle();
        let mut words = self.talk.words();
        if asks {
            self.questions += 1;
            self.talk.written(self.questions, self.clock);
            words.push_str(&self.talk.words());
        }
        self.said.push_str(&words);
        words
    }

    /// Types a line at a terminal, having seen all that was written.
    pub fn types(&mut self, text: &str) -> Vec<LinearEffect> {
        self.types_at(text, self.questions)
    }

    /// Types a line when so many questions stood on the terminal.
    pub fn types_at(&mut self, text: &str, typed: u64) -> Vec<LinearEffect> {
        self.said.push_str(&format!("{text}\n"));
        let line = self.line(text, typed);
        self.hears_line(&line)
    }

    /// A line that was typed by itself, when so many questions stood on the terminal.
    pub fn line(&mut self, text: &str, typed: u64) -> Line {
        self.clock += Duration::from_secs(1);
        Line { text: text.to_owned(), typed, echo: Echo::Shown, alone: true, at: self.clock }
    }

    /// A line, however it came.
    pub fn hears_line(&mut self, line: &Line) -> Vec<LinearEffect> {
        let acts = self.talk.line(line);
        for act in &acts {
            match act {
                LinearEffect::Send(intent) => self.talk.sent(&Request::Intent(intent.clone())),
                LinearEffect::Ask(request) => self.talk.sent(request),
                LinearEffect::Abort | LinearEffect::Quit | LinearEffect::New | LinearEffect::Resume(_) => {}
            }
        }
        self.writes();
        acts
    }
}

pub fn snapshot(name: &str, said: &str) {
    let strange =
        said.chars().find(|c| c.is_control() && *c != '\n' || ('\u{2500}'..='\u{257f}').contains(c));
    assert_eq!(strange, None, "{said}");
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../golden/linear");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, said));
}

/// A line that was typed by itself, long after everything.
pub fn typed(text: &str, typed: u64) -> Line {
    Line { text: text.to_owned(), typed, echo: Echo::Shown, alone: true, at: Duration::from_secs(3_600) }
}

/// The request that an event is, and the call that it is about.
pub fn asked(event: &Event) -> Option<(EntryId, CallId)> {
    let Event::Appended(entry) = event else { return None };
    match &entry.body {
        Body::ApprovalRequested(request) => Some((entry.id, request.call)),
        _ => None,
    }
}
