//! Search in the transcript: what is looked for, where it stands, and which place is shown.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::ledger::{Arguments, Body};
use crate::view::{Card, CardBody, CardId, View, one_line, subject};

use super::composer::cut_last;

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

/// What a key did to a search.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// This card is to be shown.
    Shows(Option<CardId>),
    /// It is over; what was found stays in sight.
    Over,
    /// Nothing that concerns it.
    Not,
}

impl Search {
    /// A search that waits for its words.
    pub fn new() -> Self {
        Self { typing: true, ..Self::default() }
    }

    /// Looks for these words; the newest place is shown first.
    pub(super) fn look(&mut self, view: &View, wanted: String) -> Found {
        self.wanted = wanted;
        self.places.clear();
        let small = self.wanted.to_lowercase();
        if !small.trim().is_empty() {
            for card in (0..view.len()).filter_map(|at| view.card(at)) {
                let times = said(card, view).to_lowercase().matches(&small).count();
                self.places.extend(std::iter::repeat_n(card.id, times));
            }
        }
        self.at = self.places.len().saturating_sub(1);
        self.shows()
    }

    /// One key.
    pub(super) fn press(&mut self, view: &View, key: KeyEvent) -> Found {
        let plain = !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
        match key.code {
            KeyCode::Esc => return Found::Over,
            KeyCode::Char('c' | 'd') if !plain => return Found::Over,
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
            _ => return Found::Not,
        }
        Found::Shows(None)
    }

    /// The next place or the one before; from the last to the first.
    fn step(&mut self, by: isize) -> Found {
        let count = self.places.len();
        self.at = match (self.at.checked_add_signed(by), count.checked_sub(1)) {
            (Some(at), Some(last)) if at <= last => at,
            (Some(_), _) => 0,
            (None, last) => last.unwrap_or(0),
        };
        self.shows()
    }

    fn shows(&self) -> Found {
        Found::Shows(self.places.get(self.at).copied())
    }

    /// Which of the times within its card the shown place is.
    pub fn nth(&self) -> usize {
        let here = self.places.get(self.at);
        self.places.iter().take(self.at).filter(|place| Some(*place) == here).count()
    }

    /// What the status line says.
    pub fn words(&self) -> String {
        let cursor = if self.typing { "▏" } else { "" };
        let count = match self.places.len() {
            0 if self.wanted.is_empty() => String::new(),
            0 => " · not found".to_owned(),
            all => format!(" · {} of {all}", self.at + 1),
        };
        format!("find: {}{cursor}{count}", self.wanted)
    }
}

/// What a card says, as far as it is in the transcript.
fn said(card: &Card, view: &View) -> String {
    match &card.body {
        CardBody::Growing => view.live().map(|live| live.text.clone()).unwrap_or_default(),
        CardBody::Forming(forming) => forming.name.clone(),
        CardBody::Tool(panel) => {
            let about = subject(panel);
            let raw = if let Some(Arguments::Unusable(raw)) = panel.arguments() { raw.as_str() } else { "" };
            format!("{} {about} {raw}", panel.name())
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
            Body::User(message) => message.content.clone(),
            Body::Assistant(message) => message.text(),
            Body::Injected(said) => said.text.clone(),
            Body::Note(note) => note.text.clone(),
            Body::Learned(learned) => learned.lesson.sentence(),
            Body::Error { message, .. } => message.clone(),
            _ => one_line(entry),
        },
    }
}
