//! Search in the transcript: what is looked for, where it stands, and which place is shown.

use std::borrow::Cow;

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use regex::{Regex, RegexBuilder};
use serde_json::Value;

use crate::ledger::{ApprovalRequest, Arguments, Body, Preview};
use crate::tool::{ASK, delegate, mcp};
use crate::view::{Card, CardBody, CardId, Panel, PanelState, View, one_line, subject};

use super::composer::cut_last;
use super::effect_words;

/// A search under way.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Search {
    /// What is looked for; letter case does not matter.
    pub wanted: String,
    /// Whether it is still being typed.
    pub typing: bool,
    /// The cards in which it stands, once for each time it does, oldest first.
    pub places: Vec<CardId>,
    /// The place that is shown.
    pub at: usize,
}

/// Words that are looked for: in whatever case, over text as it is.
pub(super) struct Wanted(Regex);

impl Wanted {
    /// How often they stand in a text.
    pub(super) fn times_in(&self, text: &str) -> usize {
        self.0.find_iter(text).count()
    }
}

/// What a key did to a search.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum SearchStep {
    /// This card is to be shown.
    Shows(Option<CardId>),
    /// It is over; what was found stays in sight.
    Over,
    /// The same, by a key that means something else.
    Left,
    /// Nothing that concerns it.
    Not,
}

impl Search {
    /// What stands where its words are typed.
    pub(super) const CURSOR: &'static str = "▏";
    /// What Esc does to it.
    pub(super) const ENDS: &'static str = "stay here";

    /// A search that waits for its words.
    pub fn new() -> Self {
        Self { typing: true, ..Self::default() }
    }

    /// Looks for these words; the newest place is shown first.
    pub(super) fn look(&mut self, view: &View, wanted: String) -> SearchStep {
        self.wanted = wanted;
        self.places.clear();
        if let Some(words) = self.words_wanted() {
            for card in (0..view.len()).filter_map(|at| view.card(at)) {
                let times = words.times_in(&said(card, view));
                self.places.extend(std::iter::repeat_n(card.id, times));
            }
        }
        self.at = self.places.len().saturating_sub(1);
        self.shows()
    }

    /// What finds these words, if there are any.
    pub(super) fn words_wanted(&self) -> Option<Wanted> {
        let is_blank = self.wanted.trim().is_empty();
        let words = RegexBuilder::new(&regex::escape(&self.wanted)).case_insensitive(true).build();
        words.ok().filter(|_| !is_blank).map(Wanted)
    }

    /// One key.
    pub(super) fn press(&mut self, view: &View, key: KeyEvent) -> SearchStep {
        let plain = !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
        match key.code {
            KeyCode::Esc => return SearchStep::Over,
            KeyCode::Char('c' | 'd') if !plain => return SearchStep::Over,
            KeyCode::Enter if self.typing => self.typing = false,
            KeyCode::Backspace if self.typing => {
                let mut shorter = self.wanted.clone();
                cut_last(&mut shorter);
                return self.look(view, shorter);
            }
            KeyCode::Char(c) if self.typing && plain => {
                return self.look(view, format!("{}{c}", self.wanted));
            }
            KeyCode::Char('n') | KeyCode::Down if plain => return self.step(1),
            KeyCode::Char('N') | KeyCode::Up if plain => return self.step(-1),
            KeyCode::Char('/') if plain => self.typing = true,
            KeyCode::Char(_) if plain => return SearchStep::Left,
            KeyCode::Enter | KeyCode::Backspace | KeyCode::Tab => return SearchStep::Left,
            _ => return SearchStep::Not,
        }
        SearchStep::Shows(None)
    }

    /// The next place or the one before; from the last to the first.
    fn step(&mut self, by: isize) -> SearchStep {
        let count = self.places.len();
        self.at = match (self.at.checked_add_signed(by), count.checked_sub(1)) {
            (Some(at), Some(last)) if at <= last => at,
            (Some(_), _) => 0,
            (None, last) => last.unwrap_or(0),
        };
        self.shows()
    }

    fn shows(&self) -> SearchStep {
        SearchStep::Shows(self.places.get(self.at).copied())
    }

    /// Which of the times within its card the shown place is.
    pub fn nth(&self) -> usize {
        let here = self.places.get(self.at);
        self.places.iter().take(self.at).filter(|place| Some(*place) == here).count()
    }

    /// What the status line says.
    pub fn words(&self) -> String {
        let cursor = if self.typing { Self::CURSOR } else { "" };
        let count = match self.places.len() {
            0 if self.wanted.is_empty() => String::new(),
            0 => " · not found".to_owned(),
            all => format!(" · {} of {all}", self.at + 1),
        };
        format!("find: {}{cursor}{count}", self.wanted)
    }
}

/// What a card says, as far as it is in the transcript.
fn said<'v>(card: &'v Card, view: &'v View) -> Cow<'v, str> {
    match &card.body {
        CardBody::Growing => view.live().map_or("", |live| &live.text).into(),
        CardBody::Forming(forming) => forming.name.as_str().into(),
        CardBody::Tool(panel) => {
            let about = subject(panel);
            if let Some((_, request)) = panel.request().filter(|_| panel.state == PanelState::Waiting) {
                return waiting(panel, request, &about).into();
            }
            let raw = if let Some(Arguments::Unusable(raw)) = panel.arguments() { raw.as_str() } else { "" };
            format!("{} {about} {raw}", panel.name()).into()
        }
        CardBody::User(entry)
        | CardBody::Assistant(entry)
        | CardBody::Injected(entry)
        | CardBody::Changed(entry)
        | CardBody::Compacted(entry)
        | CardBody::Note(entry)
        | CardBody::Error(entry)
        | CardBody::Raised(entry)
        | CardBody::Goal(entry)
        | CardBody::TurnEnded(entry) => match &entry.body {
            Body::User(message) => message.content.as_str().into(),
            Body::Assistant(message) => message.text().into(),
            Body::Injected(said) => said.text.as_str().into(),
            Body::Note(note) => note.for_people().into(),
            Body::ProviderLimit(learned) => learned.lesson.sentence().into(),
            Body::Error { message, .. } => message.as_str().into(),
            _ => one_line(entry).into(),
        },
    }
}

/// What the pane of a call that waits says: whose it is, what it does, its name, what it is about, all that would be done, and why it asks.
fn waiting(panel: &Panel, request: &ApprovalRequest, about: &str) -> String {
    let whose = panel.asked_by.as_ref().map(ToString::to_string).unwrap_or_default();
    let is_told = request.name != ASK && !effect_words::is_plain(request);
    let does = if is_told { effect_words::does(request) } else { String::new() };
    let (name, arguments) = (named(request), told(&request.arguments));
    let (about, shown) = match &request.preview {
        // The whole of what the subject is the first line of.
        Preview::Command(command) => ("", command.as_str()),
        Preview::Diff(unified) => (about, unified.as_str()),
        Preview::Recipient(_) | Preview::None => ("", arguments.as_str()),
    };
    let to = if let Preview::Recipient(to) = &request.preview { to.as_str() } else { "" };
    let why = if request.is_usual || request.name == ASK { "" } else { request.why.as_str() };
    let warning = request.warning.as_deref().unwrap_or_default();
    let parts = [whose.as_str(), &does, &name, about, shown, to, warning, why];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

/// The name of the action in its title.
fn named(request: &ApprovalRequest) -> String {
    if let Some((server, tool)) = mcp(&request.name) {
        return format!("{tool} of the MCP server {server}");
    }
    match delegate(&request.name) {
        Some(agent) => format!("→ {agent} a task for another agent"),
        None if request.name == ASK => "the model asks you".to_owned(),
        None if request.replaces => "overwrite".to_owned(),
        None => request.name.clone(),
    }
}

/// The values of arguments.
fn told(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(told).collect::<Vec<_>>().join("\n"),
        Value::Object(members) => {
            let told = |(name, value): (&String, &Value)| format!("{name}: {}", told(value));
            members.iter().map(told).collect::<Vec<_>>().join("\n")
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}
