//! Remarks beside a conversation: what each is about, what kind of thing it records, and the words for people.
//!
//! Whatever the program decides by is the kind. The text is shown and never read back.

use std::fmt;

use serde_json::{Map, Value};

use super::{Arguments, BackgroundStatus, CallId, EntryId, Outcome};

/// A remark for people.
#[derive(Debug, Clone, PartialEq)]
pub struct Note {
    /// What it is about.
    pub about: About,
    /// What it records.
    pub kind: NoteKind,
    /// The words that people read. Private, so that nothing is decided by them.
    text: String,
}

/// What a note is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum About {
    /// The session as a whole.
    Session,
    /// An entry: `e12`.
    Entry(EntryId),
    /// A call: `c7`.
    Call(CallId),
    /// Something that only another version knows, as it is written.
    Unknown(String),
}

/// What a note records.
#[derive(Debug, Clone, PartialEq)]
pub enum NoteKind {
    /// Nothing that anything is decided by.
    Plain,
    /// A run of the call failed, and the call was tried again.
    Retried {
        /// Which run failed, from 1.
        attempt: u64,
    },
    /// The user typed into the terminal of the call.
    TypedInto,
    /// The sandbox may be why the call failed.
    SandboxRefused,
    /// The agent that was given the task of the call works on it.
    TaskAccepted {
        /// What the agent calls the task.
        task_id: String,
    },
    /// A hook changed the arguments of the call.
    ChangedByHook {
        /// What they are from here on; sessions of format version 2 do not have them.
        arguments: Option<Value>,
    },
    /// A background command, begun by the call, has ended.
    BackgroundEnded(BackgroundStatus),
    /// A model call failed; the note is about the answer that it would have had.
    CallFailed(FailedCall),
    /// What the next model call would cost is more than the user lets go unasked; the run ends with it.
    PriceEstimated(PriceEstimate),
    /// A model is about to be asked for a summary that the user wants between two runs: no transition says so there.
    SummaryAsked {
        /// Whether that was tried before, or this is a further part.
        again: bool,
    },
    /// The user does not wait for that summary any more.
    SummaryStopped,
    /// A kind that only a later version knows: kept and shown, never interpreted.
    Unknown {
        /// Its name.
        name: String,
        /// The other members of its record.
        members: Map<String, Value>,
    },
}

/// How a model call failed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FailedCall {
    /// The class of the failure, as `model::FailureClass` names it.
    pub class: String,
    /// What the provider said.
    pub message: String,
    /// What it advises; mostly empty.
    pub next: String,
    /// How long it asks to wait, in milliseconds.
    pub retry_after_ms: Option<u64>,
    /// The most that a request may hold, in tokens, as the provider says.
    pub window: Option<u64>,
    /// What the refused prompt holds, in tokens.
    pub prompt: Option<u64>,
    /// The most output that may be asked for, in tokens.
    pub most_output: Option<u64>,
}

/// What a model call would cost, as far as that is known before it is made. Costs are in micro-dollars.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PriceEstimate {
    /// Tokens of the prompt that the provider's cache probably has.
    pub cached: u64,
    /// The other tokens of the prompt.
    pub fresh: u64,
    /// What the prompt costs.
    pub prompt: u64,
    /// What the answer costs, from and to, by the session's last answers.
    pub answer: Option<(u64, u64)>,
    /// What a call may cost unasked.
    pub limit: u64,
}

impl PriceEstimate {
    /// The prompt and the longest answer.
    pub fn most(&self) -> u64 {
        self.prompt.saturating_add(self.answer.map_or(0, |(_, most)| most))
    }
}

impl About {
    /// Reads what [`fmt::Display`] writes.
    pub fn parse(text: &str) -> Self {
        if text.is_empty() {
            return Self::Session;
        }
        let call = || CallId::parse(text).map(Self::Call);
        EntryId::parse(text).map(Self::Entry).or_else(call).unwrap_or_else(|| Self::Unknown(text.to_owned()))
    }

    /// The entry, if it is about one.
    pub fn entry(&self) -> Option<EntryId> {
        if let Self::Entry(entry) = self { Some(*entry) } else { None }
    }

    /// The call, if it is about one.
    pub fn call(&self) -> Option<CallId> {
        if let Self::Call(call) = self { Some(*call) } else { None }
    }
}

impl fmt::Display for About {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Session => Ok(()),
            Self::Entry(entry) => entry.fmt(f),
            Self::Call(call) => call.fmt(f),
            Self::Unknown(text) => f.write_str(text),
        }
    }
}

impl From<EntryId> for About {
    fn from(entry: EntryId) -> Self {
        Self::Entry(entry)
    }
}

impl From<CallId> for About {
    fn from(call: CallId) -> Self {
        Self::Call(call)
    }
}

impl From<Option<EntryId>> for About {
    fn from(entry: Option<EntryId>) -> Self {
        entry.map_or(Self::Session, Self::Entry)
    }
}

impl Note {
    /// A remark of this kind.
    pub fn new(about: impl Into<About>, kind: NoteKind, text: impl Into<String>) -> Self {
        Self { about: about.into(), kind, text: text.into() }
    }

    /// The words, for whoever shows or records them. Whoever decides something uses the kind instead.
    pub fn for_people(&self) -> &str {
        &self.text
    }

    /// A remark that nothing is decided by.
    pub fn plain(about: impl Into<About>, text: impl Into<String>) -> Self {
        Self { about: about.into(), kind: NoteKind::Plain, text: text.into() }
    }

    /// Run number `attempt` of the call, from 1, failed with this content.
    pub fn of_failed_run(call: CallId, attempt: u64, outcome: &Outcome, content: &str) -> Self {
        let how = match outcome {
            Outcome::Failed => "failed",
            Outcome::TimedOut => "timed out",
            other => other.as_str(),
        };
        let text = format!("Run {attempt} {how} and was tried again:\n{content}");
        Self { about: call.into(), kind: NoteKind::Retried { attempt }, text }
    }

    /// The sandbox may be why the call failed.
    pub fn of_refusal(call: CallId) -> Self {
        let text = "The sandbox may have blocked this command. If it is requested again, you are asked.";
        Self { about: call.into(), kind: NoteKind::SandboxRefused, text: text.to_owned() }
    }

    /// The user typed into the terminal of the call, which still runs.
    pub fn of_typing(call: CallId) -> Self {
        let text = "The user typed into the terminal of this call. What was typed is not kept.";
        Self { about: call.into(), kind: NoteKind::TypedInto, text: text.to_owned() }
    }

    /// The agent has taken the task of the call, and calls it this.
    pub(super) fn of_acceptance(call: CallId, agent: &str, id: &str) -> Self {
        let text = format!("The agent {agent} works on it as its task {id}.");
        Self { about: call.into(), kind: NoteKind::TaskAccepted { task_id: id.to_owned() }, text }
    }

    /// A hook changed the arguments of the call.
    pub fn of_hook(call: CallId, arguments: Value, text: impl Into<String>) -> Self {
        let kind = NoteKind::ChangedByHook { arguments: Some(arguments) };
        Self { about: call.into(), kind, text: text.into() }
    }

    /// The call that a hook has changed, and its arguments from here on, where the note has them.
    pub fn changed_by_hook(&self) -> Option<(CallId, Arguments)> {
        match &self.kind {
            NoteKind::ChangedByHook { arguments: Some(arguments) } => {
                Some((self.about.call()?, Arguments::from_value(arguments.clone())))
            }
            _ => None,
        }
    }

    /// A background command has ended, and nobody asked.
    pub fn of_background(call: CallId, status: BackgroundStatus) -> Self {
        let text = status.line();
        Self { about: call.into(), kind: NoteKind::BackgroundEnded(status), text }
    }

    /// A model call failed: what is known of it, and the words for people.
    pub fn of_failed_call(about: EntryId, failed: FailedCall, text: impl Into<String>) -> Self {
        Self::new(about, NoteKind::CallFailed(failed), text)
    }

    /// The user wants a summary between two runs, and a model is asked for it next.
    pub fn of_summary_asked(about: impl Into<About>, again: bool) -> Self {
        let text = match again {
            true => "A model is asked again for the summary.",
            false => "A model is asked for a summary, as the user requested.",
        };
        Self::new(about, NoteKind::SummaryAsked { again }, text)
    }

    /// The user does not wait for that summary any more.
    pub fn of_summary_stopped(about: impl Into<About>) -> Self {
        Self::new(about, NoteKind::SummaryStopped, "The compaction was interrupted; nothing was replaced.")
    }

    /// Whether a model is asked for a summary next that the user wants between two runs.
    pub fn asks_for_a_summary(&self) -> bool {
        matches!(self.kind, NoteKind::SummaryAsked { .. })
    }

    /// What the next call would cost, if the note records that.
    pub fn price(&self) -> Option<&PriceEstimate> {
        if let NoteKind::PriceEstimated(estimate) = &self.kind { Some(estimate) } else { None }
    }

    /// How a model call failed, if the note records that.
    pub fn failed_call(&self) -> Option<&FailedCall> {
        if let NoteKind::CallFailed(failed) = &self.kind { Some(failed) } else { None }
    }

    /// The call that the sandbox may have stopped, if the note records that.
    pub fn refused(&self) -> Option<CallId> {
        matches!(self.kind, NoteKind::SandboxRefused).then(|| self.about.call())?
    }

    /// The call whose terminal the user typed into, if the note records that.
    pub fn typed_into(&self) -> Option<CallId> {
        matches!(self.kind, NoteKind::TypedInto).then(|| self.about.call())?
    }

    /// The call and the number of its run, if the note records one that failed.
    pub fn failed_run(&self) -> Option<(CallId, u64)> {
        let NoteKind::Retried { attempt } = self.kind else { return None };
        Some((self.about.call()?, attempt))
    }

    /// The call, and what the agent calls its task, if the note records that.
    pub fn accepted(&self) -> Option<(CallId, &str)> {
        let NoteKind::TaskAccepted { task_id } = &self.kind else { return None };
        Some((self.about.call()?, task_id))
    }

    /// How the background command ended, if the note records that.
    pub fn ended(&self) -> Option<&BackgroundStatus> {
        if let NoteKind::BackgroundEnded(status) = &self.kind { Some(status) } else { None }
    }
}
