//! What a list says of a session, read from its lines without understanding all of them.

use serde_json::Value;

/// What was said first, the name, and how the last run ended, as far as lines were read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outline {
    /// What the user said first.
    pub first_message: Option<String>,
    /// The name that the user gave it last.
    pub name: Option<String>,
    /// Why the last run ended; `None` while none has, or after something followed.
    pub ending: Option<String>,
}

/// The types that an outline is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said {
    /// The user spoke.
    User(String),
    /// The user gave it this name.
    Renamed(String),
    /// The model was called.
    Transition,
    /// A run ended, for this reason.
    Ended(String),
}

impl Outline {
    /// Reads one line.
    pub fn read(&mut self, line: &[u8]) {
        match Said::of(line) {
            Some(Said::User(words)) => {
                self.first_message.get_or_insert(words);
                self.ending = None;
            }
            Some(Said::Renamed(name)) => self.name = Some(name),
            Some(Said::Transition) => self.ending = None,
            Some(Said::Ended(reason)) => self.ending = Some(reason),
            None => {}
        }
    }
}

impl Said {
    /// Understands a line if it is of one of these types. Most lines are told apart without being parsed.
    pub fn of(line: &[u8]) -> Option<Self> {
        let names: [&[u8]; 4] = [b"user_message", b"transition", b"turn_ended", b"session_renamed"];
        let has = |name: &[u8]| line.windows(name.len()).any(|window| window == name);
        if !names.into_iter().any(has) {
            return None;
        }
        let value: Value = serde_json::from_slice(line).ok()?;
        let text = |member: &str| value.get(member).and_then(Value::as_str).map(str::to_owned);
        match value.get("type")?.as_str()? {
            "user_message" => text("content").map(Self::User),
            "session_renamed" => text("name").map(Self::Renamed),
            "transition" => Some(Self::Transition),
            "turn_ended" => text("reason").map(Self::Ended),
            _ => None,
        }
    }
}
