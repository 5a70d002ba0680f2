//! What an agent answers: a task as it stands, a message, a change of either; or that it will not.
//!
//! One reader serves both versions: the members of an object say what it is, whether it has a `kind` or not.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use sha2::{Digest, Sha256};

use super::part::{Part, RawPart};
use crate::ledger::TaskState;

/// Most characters of the name of an artifact: each is kept for as long as its task.
const MOST_NAME: usize = 256;

/// What an agent says of a task.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// All of it, as it stands.
    Task(Task),
    /// Something that was said: the answer, where there is no task.
    Message {
        /// The task that it belongs to, if it names one.
        task: Option<String>,
        /// What was said.
        message: A2aMessage,
    },
    /// It stands otherwise now.
    Status {
        /// The task.
        task: String,
        /// How it stands.
        status: TaskStatus,
    },
    /// It made something, or more of it.
    Artifact {
        /// The task.
        task: String,
        /// What it made.
        artifact: Artifact,
        /// Whether this belongs behind what is there of it.
        append: bool,
    },
}

/// A task of an agent.
#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    /// What the agent calls it.
    pub id: String,
    /// How it stands.
    pub status: TaskStatus,
    /// What it made.
    pub artifacts: Vec<Artifact>,
    /// What was said, oldest first.
    pub history: Vec<A2aMessage>,
    /// What came of it in a word, beside what it made: KAOS has that, and leaves it empty where the answer was said.
    pub output: Option<String>,
}

/// How a task stands.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskStatus {
    /// In a word.
    pub state: TaskState,
    /// In the agent's own words.
    pub message: Option<A2aMessage>,
}

/// Something that was said.
#[derive(Debug, Clone, PartialEq)]
pub struct A2aMessage {
    /// Whether the agent said it.
    pub is_of_agent: bool,
    /// What was said.
    pub parts: Vec<Part>,
}

/// Something that a task made.
#[derive(Debug, Clone, PartialEq)]
pub struct Artifact {
    /// Its name within the task.
    pub id: String,
    /// What it is.
    pub parts: Vec<Part>,
}

/// Why an answer is no event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoEvent {
    /// The agent said no.
    Refused {
        /// The number of the error.
        code: i64,
        /// Why, in its words.
        message: String,
    },
    /// It cannot be read.
    Unreadable,
}

/// Reads an answer, or one event of a stream of them.
///
/// # Errors
/// [`NoEvent`].
pub fn read(body: &[u8]) -> Result<Event, NoEvent> {
    let answer: RawAnswer = serde_json::from_slice(body).map_err(|_why| NoEvent::Unreadable)?;
    if let Some(error) = answer.error {
        return Err(error.refusal());
    }
    answer.result.and_then(RawResult::event).ok_or(NoEvent::Unreadable)
}

#[derive(Deserialize)]
struct RawAnswer {
    result: Option<RawResult>,
    error: Option<RawError>,
}

#[derive(Deserialize)]
pub(super) struct RawError {
    code: Option<i64>,
    message: Option<String>,
}

impl RawError {
    pub(super) fn refusal(self) -> NoEvent {
        let message = self.message.unwrap_or_default();
        NoEvent::Refused { code: self.code.unwrap_or_default(), message }
    }
}

/// Everything that a result can be, and the members under which 1.0 says which.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawResult {
    task: Option<Box<Self>>,
    message: Option<RawMessage>,
    #[serde(alias = "status_update")]
    status_update: Option<Box<Self>>,
    #[serde(alias = "artifact_update")]
    artifact_update: Option<Box<Self>>,
    id: Option<String>,
    #[serde(alias = "task_id")]
    task_id: Option<String>,
    status: Option<RawStatus>,
    artifacts: Option<Vec<RawArtifact>>,
    history: Option<Vec<RawMessage>>,
    artifact: Option<RawArtifact>,
    append: Option<bool>,
    role: Option<RawName>,
    parts: Option<Vec<RawPart>>,
    output: Option<String>,
}

#[derive(Deserialize)]
struct RawStatus {
    state: Option<RawName>,
    #[serde(default, deserialize_with = "worded")]
    message: Option<RawMessage>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawMessage {
    #[serde(alias = "task_id")]
    task_id: Option<String>,
    role: Option<RawName>,
    parts: Option<Vec<RawPart>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawArtifact {
    #[serde(alias = "artifact_id")]
    artifact_id: Option<String>,
    parts: Option<Vec<RawPart>>,
}

/// A member of an enumeration: by its name, or by its number in the definition of 1.0.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum RawName {
    Name(String),
    Number(u64),
}

/// A message, or words alone: those of KAOS.
fn worded<'de, D: Deserializer<'de>>(source: D) -> Result<Option<RawMessage>, D::Error> {
    source.deserialize_any(Worded)
}

struct Worded;

impl<'de> Visitor<'de> for Worded {
    type Value = Option<RawMessage>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a message")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_str<E>(self, words: &str) -> Result<Self::Value, E> {
        let role = Some(RawName::Name("agent".to_owned()));
        let parts = (!words.is_empty()).then(|| vec![RawPart::of_text(words)]);
        Ok(Some(RawMessage { task_id: None, role, parts }))
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Self::Value, A::Error> {
        RawMessage::deserialize(MapAccessDeserializer::new(members)).map(Some)
    }
}

impl RawResult {
    /// Members nest no deeper than one: an object inside an object of its own kind is none.
    fn event(self) -> Option<Event> {
        let inner = [self.task, self.status_update, self.artifact_update].into_iter().flatten().next();
        if let Some(inner) = inner {
            return inner.event_itself();
        }
        if let Some(message) = self.message {
            return Some(message.event());
        }
        Self { task: None, message: None, status_update: None, artifact_update: None, ..self }.event_itself()
    }

    fn event_itself(self) -> Option<Event> {
        let [id, task_id] = [self.id, self.task_id].map(named);
        if let Some(artifact) = self.artifact {
            let append = self.append.unwrap_or_default();
            return Some(Event::Artifact { task: task_id?, artifact: artifact.into(), append });
        }
        if let Some(status) = self.status {
            let status = status.into();
            let Some(id) = id else { return Some(Event::Status { task: task_id?, status }) };
            let artifacts = self.artifacts.unwrap_or_default().into_iter().map(Artifact::from).collect();
            let history = self.history.unwrap_or_default().into_iter().map(A2aMessage::from).collect();
            return Some(Event::Task(Task { id, status, artifacts, history, output: self.output }));
        }
        Some(RawMessage { task_id, role: self.role, parts: Some(self.parts?) }.event())
    }
}

impl RawMessage {
    fn event(mut self) -> Event {
        Event::Message { task: named(self.task_id.take()), message: self.into() }
    }
}

/// A name that is empty is none.
fn named(id: Option<String>) -> Option<String> {
    id.filter(|id| !id.is_empty())
}

impl From<RawStatus> for TaskStatus {
    fn from(raw: RawStatus) -> Self {
        let state = raw.state.map_or(TaskState::Unknown, |name| name.state());
        Self { state, message: raw.message.map(A2aMessage::from) }
    }
}

impl From<RawMessage> for A2aMessage {
    fn from(raw: RawMessage) -> Self {
        let is_of_agent = match raw.role {
            Some(RawName::Name(name)) => matches!(name.as_str(), "agent" | "ROLE_AGENT"),
            Some(RawName::Number(number)) => number == 2,
            None => false,
        };
        Self { is_of_agent, parts: parts(raw.parts) }
    }
}

impl From<RawArtifact> for Artifact {
    fn from(raw: RawArtifact) -> Self {
        Self { id: short(raw.artifact_id.unwrap_or_default()), parts: parts(raw.parts) }
    }
}

/// The name, if it is not too long; else its beginning and its hash, which no other name has.
fn short(id: String) -> String {
    if id.chars().count() <= MOST_NAME {
        return id;
    }
    let hash: String = Sha256::digest(id.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    let head: String = id.chars().take(MOST_NAME.saturating_sub(hash.len() + 1)).collect();
    format!("{head}-{hash}")
}

fn parts(raw: Option<Vec<RawPart>>) -> Vec<Part> {
    raw.unwrap_or_default().into_iter().map(Part::from).collect()
}

/// The states by their numbers in 1.0.
const NUMBERED: [TaskState; 9] = [
    TaskState::Unknown,
    TaskState::Submitted,
    TaskState::Working,
    TaskState::Completed,
    TaskState::Failed,
    TaskState::Canceled,
    TaskState::InputRequired,
    TaskState::Rejected,
    TaskState::AuthRequired,
];

impl RawName {
    /// `TASK_STATE_INPUT_REQUIRED`, `input-required` or 6.
    pub(super) fn state(&self) -> TaskState {
        let state = match self {
            Self::Name(name) => {
                let name = name.strip_prefix("TASK_STATE_").unwrap_or(name);
                TaskState::parse(&name.to_ascii_lowercase().replace('_', "-"))
            }
            Self::Number(number) => usize::try_from(*number).ok().and_then(|at| NUMBERED.get(at)).copied(),
        };
        state.unwrap_or(TaskState::Unknown)
    }
}

#[cfg(test)]
#[path = "event_tests.rs"]
mod tests;
