//! The ledger: append-only, and a malformed one cannot be written.
//!
//! At most one result a call: [`Ledger::settle`] consumes an [`OpenCall`]. At least one: nothing can be said,
//! injected or sent while a call is open ([`Unsettled`]). No code repairs a history on its way out: there is
//! [`check`], which refuses, and [`recover`], which runs once when a session is loaded.

mod approval;
mod attached;
mod attempt;
mod background;
mod calls_reach;
mod change;
mod changed_file;
mod check;
mod compaction;
mod content;
mod delegation;
mod effort;
mod ending;
mod entry;
mod escrow;
mod facts;
mod files_restored;
mod foreign_tool;
mod fork;
mod goal;
mod grant;
pub(crate) mod halves;
mod handing_over;
mod host;
mod hosted;
mod id;
mod image;
mod injector;
mod left_open;
mod left_out;
mod limit;
mod message;
mod mode;
mod note;
mod open;
mod outcome;
mod pastes;
mod project;
mod provider_limit;
mod reach;
mod recover;
mod task_state;
mod unanswered;

use std::{collections::BTreeSet, fmt, sync::Arc};

use delegation::Delegated;

pub use approval::{ApprovalRequest, Decision, PATH, Preview, Sandboxing, Scope};
pub use attached::{AttachedFile, grouped};
pub use attempt::{told_of_typing, was_typed_into};
pub use background::BackgroundStatus;
pub use calls_reach::{CallsReach, RunElsewhere};
pub use changed_file::{ChangedFile, FileContent};
pub use check::{Fault, audit, check, resting_places};
pub use compaction::{Compaction, CompactionTrigger};
pub use content::{Arguments, Block, Thinking, ToolUse};
pub use delegation::{DelegationRequest, DelegationResponse, RemoteTask, TaskState};
pub use effort::Effort;
pub use ending::{Ending, EndingKind, Transition};
pub use entry::{Body, Entry, Injected, SessionStarted, Tombstone, TurnEnded, UserMessage};
pub use escrow::{Escrow, EscrowSettlement, Spent};
pub use facts::{CommandState, Facts, Summary};
pub use fork::{ForkFault, forkable};
pub use goal::{Answerer, Asked, Checkpoint, Goal, Progress, Validation};
pub use grant::{Grant, grants};
pub use handing_over::{open_escrows, untold_escrows};
pub use host::{accepted_gaps, opened_hosts};
pub use id::{CallId, EntryId, Millis};
pub use left_open::results_left_open;
pub use left_out::LeftOut;
pub use limit::{Limit, LimitRow, Span, Unit};
pub use message::{AssistantMessage, MicroDollars, ModelRef, Stop, Usage};
pub use note::{About, FailedCall, Note, NoteKind, PriceEstimate};
pub use outcome::{
    Abort, AbortPath, CutBy, Decider, FORKED_TEXT, Outcome, ToolResult, aborted_after, aborted_having,
    aborted_text, came_to_before, forgotten_text, lost_text, printed_before, seconds,
};
pub use pastes::{MessagePiece, Pastes};
pub use project::{Message, Placed, placed, standing, tombstoned};
pub use provider_limit::{LearnedLimit, ProviderLimit};
pub use recover::{Recovered, Stood, answers_a_compaction, has_room, recover, recover_with};
pub use unanswered::was_asking;
pub use {
    change::Change,
    files_restored::FilesRestored,
    foreign_tool::ForeignTool,
    hosted::{CODE_EXECUTION, CODE_INTERPRETER, HOSTED, Hosted, WEB_FETCH, WEB_SEARCH, hosted},
    image::{Image, measures},
    injector::Injector,
    mode::Mode,
    open::OpenCall,
    reach::Reach,
};

/// Version of the session format that this program writes.
pub const FORMAT_VERSION: u32 = 3;
/// The first version whose lines have hashes, and whose permissions are all receipts.
pub const CHAINED_VERSION: u32 = 3;

/// The books of one session.
#[derive(Debug, Default)]
pub struct Ledger {
    entries: Vec<Arc<Entry>>,
    open: BTreeSet<CallId>,
    last_entry: u64,
    last_call: u64,
}

/// Refused: calls are open, so nothing may be said before they have their results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsettled(pub Vec<CallId>);

impl fmt::Display for Unsettled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let calls: Vec<_> = self.0.iter().map(ToString::to_string).collect();
        write!(f, "calls without a result: {}", calls.join(", "))
    }
}

impl Ledger {
    /// Everything appended so far, oldest first.
    pub fn entries(&self) -> &[Arc<Entry>] {
        &self.entries
    }

    /// Mints the id that a coming entry will have (a model call is named by it).
    pub fn reserve(&mut self) -> EntryId {
        self.last_entry += 1;
        EntryId(self.last_entry)
    }

    /// Mints the id of a call that a model is making.
    pub fn mint_call(&mut self) -> CallId {
        self.last_call += 1;
        CallId(self.last_call)
    }

    /// Opens the books.
    pub fn start(&mut self, at: Millis, started: SessionStarted) -> EntryId {
        self.append(at, Body::SessionStarted(started))
    }

    /// The user speaks.
    ///
    /// # Errors
    /// [`Unsettled`] while a call is open.
    pub fn user(&mut self, at: Millis, message: UserMessage) -> Result<EntryId, Unsettled> {
        self.settled()?;
        Ok(self.append(at, Body::User(Arc::new(message))))
    }

    /// Somebody else speaks in the user's place.
    ///
    /// # Errors
    /// [`Unsettled`] while a call is open.
    pub fn inject(&mut self, at: Millis, injected: Injected) -> Result<EntryId, Unsettled> {
        self.settled()?;
        Ok(self.append(at, Body::Injected(injected)))
    }

    /// The model speaks, under the id reserved when it was called. One token for each call in the message,
    /// in order; each call also gets an entry of its own.
    ///
    /// # Errors
    /// [`Unsettled`] while a call of an earlier message is open.
    pub fn assistant(&mut self, at: Millis, message: AssistantMessage) -> Result<Vec<OpenCall>, Unsettled> {
        self.settled()?;
        let calls: Vec<ToolUse> = message.calls().cloned().collect();
        self.push(Entry { id: message.id, at, body: Body::Assistant(Arc::new(message)) });
        let mut tokens = Vec::new();
        for call in calls {
            tokens.push(OpenCall::mint(&call));
            self.open.insert(call.id);
            self.append(at, Body::ToolCall(call));
        }
        Ok(tokens)
    }

    /// The loop itself makes a call: the validation command of a goal. Nothing else may be open.
    ///
    /// # Errors
    /// [`Unsettled`] while a call is open.
    pub fn validate(
        &mut self,
        at: Millis,
        name: &str,
        arguments: Arguments,
    ) -> Result<(ToolUse, OpenCall), Unsettled> {
        self.call_without_a_model(at, name, arguments, Body::Validation)
    }

    /// The user runs a command. Nothing else may be open.
    ///
    /// # Errors
    /// [`Unsettled`] while a call is open.
    pub fn command(
        &mut self,
        at: Millis,
        name: &str,
        arguments: Arguments,
    ) -> Result<(ToolUse, OpenCall), Unsettled> {
        self.call_without_a_model(at, name, arguments, Body::Command)
    }

    fn call_without_a_model(
        &mut self,
        at: Millis,
        name: &str,
        arguments: Arguments,
        body: fn(ToolUse) -> Body,
    ) -> Result<(ToolUse, OpenCall), Unsettled> {
        self.settled()?;
        let id = self.mint_call();
        let call = ToolUse { id, wire_id: String::new(), name: name.to_owned(), arguments };
        let token = OpenCall::mint(&call);
        self.open.insert(id);
        self.append(at, body(call.clone()));
        Ok((call, token))
    }

    /// Gives a call its one result and uses up the permission to do so. A task that another agent was given for it
    /// ends in the books, too.
    pub fn settle(&mut self, at: Millis, call: OpenCall, ending: Settlement) -> EntryId {
        self.open.remove(&call.id);
        let Settlement { outcome, content, written, duration_ms, cut_chars, facts, mut images, remote } =
            ending;
        if outcome.is_error() {
            images.clear();
        }
        let OpenCall { id: call, name, delegated } = call;
        if let Some(Delegated { agent, task_id }) = delegated {
            let RemoteTask { id, state } =
                remote.unwrap_or(RemoteTask { id: None, state: TaskState::Unknown });
            let response = DelegationResponse {
                call,
                agent,
                content: content.clone(),
                is_error: outcome.is_error(),
                task_id: id.or(task_id),
                state,
            };
            self.append(at, Body::DelegationAnswered(response));
        }
        let result =
            ToolResult { call, name, outcome, content, written, duration_ms, cut_chars, facts, images };
        self.append(at, Body::ToolResult(Arc::new(result)))
    }

    /// A summary takes the place of what was said up to the entry that it names.
    ///
    /// # Errors
    /// [`Unsettled`] while a call is open: a pair is never split.
    pub fn compact(&mut self, at: Millis, compaction: Compaction) -> Result<EntryId, Unsettled> {
        self.settled()?;
        Ok(self.append(at, Body::Compaction(compaction)))
    }

    /// The id of the newest entry.
    pub fn last_id(&self) -> Option<EntryId> {
        self.entries.last().map(|entry| entry.id)
    }

    /// Records something that no protocol constrains: decisions, tombstones, transitions, notes, endings.
    ///
    /// `remark` has no variant for messages and results, so nothing malformed can enter this way.
    pub fn remark(&mut self, at: Millis, remark: Remark) -> EntryId {
        self.append(at, remark.into())
    }

    /// Whether every call has its result.
    ///
    /// # Errors
    /// [`Unsettled`] with the calls that are open.
    pub fn settled(&self) -> Result<(), Unsettled> {
        if self.open.is_empty() { Ok(()) } else { Err(Unsettled(self.open.iter().copied().collect())) }
    }

    fn append(&mut self, at: Millis, body: Body) -> EntryId {
        let id = self.reserve();
        self.push(Entry { id, at, body });
        id
    }

    fn push(&mut self, entry: Entry) {
        self.entries.push(Arc::new(entry));
    }
}

/// What a result says; the call's name and id come from its token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settlement {
    /// How the call ended.
    pub outcome: Outcome,
    /// What the model reads; bounded.
    pub content: String,
    /// What a command wrote, where that is more.
    pub written: Option<String>,
    /// For how long it ran, in milliseconds.
    pub duration_ms: u64,
    /// Characters left out of `content`.
    pub cut_chars: u64,
    /// What else its tool tells.
    pub facts: Facts,
    /// What the model sees beside it; left out of the books when the call has failed.
    pub images: Vec<Image>,
    /// The task that another agent was given, as it told.
    pub remote: Option<RemoteTask>,
}

impl Settlement {
    /// A result that no tool gave.
    pub fn synthetic(outcome: Outcome, content: impl Into<String>) -> Self {
        let content = content.into();
        Self {
            outcome,
            content,
            written: None,
            duration_ms: 0,
            cut_chars: 0,
            facts: Facts::default(),
            images: Vec::new(),
            remote: None,
        }
    }
}

/// What may be recorded at any time.
#[derive(Debug, Clone, PartialEq)]
pub enum Remark {
    /// A call that waited has other arguments now.
    CallEdited(ToolUse),
    /// A call waits for a decision.
    ApprovalRequested(ApprovalRequest),
    /// A decision.
    ApprovalDecided(Decision),
    /// A withdrawal.
    Tombstone(Tombstone),
    /// Why the model is called.
    Transition {
        /// Model turn of the run, from 1.
        turn: u32,
        /// Reason.
        reason: Transition,
    },
    /// Something is different for the rest of the session.
    Change(Change),
    /// A goal.
    Goal(Goal),
    /// The questions of a checkpoint.
    Checkpoint(Checkpoint),
    /// The model's answers to them.
    Progress(Progress),
    /// Where a goal stopped.
    Handoff {
        /// The note.
        text: String,
    },
    /// A remark.
    Note(Note),
    /// What a refusal taught.
    ProviderLimit(LearnedLimit),
    /// A failure the user should know of.
    Error {
        /// What.
        message: String,
        /// What to do next.
        next: String,
    },
    /// The end of a run.
    TurnEnded(TurnEnded),
}

impl From<Remark> for Body {
    fn from(remark: Remark) -> Self {
        match remark {
            Remark::CallEdited(u) => Self::CallEdited(u),
            Remark::ApprovalRequested(r) => Self::ApprovalRequested(r),
            Remark::ApprovalDecided(d) => Self::ApprovalDecided(d),
            Remark::Tombstone(t) => Self::Tombstone(t),
            Remark::Transition { turn, reason } => Self::Transition { turn, reason },
            Remark::Change(change) => Self::Change(change),
            Remark::Goal(g) => Self::Goal(g),
            Remark::Checkpoint(c) => Self::Checkpoint(c),
            Remark::Progress(p) => Self::Progress(p),
            Remark::Handoff { text } => Self::Handoff { text },
            Remark::Note(n) => Self::Note(n),
            Remark::ProviderLimit(l) => Self::ProviderLimit(l),
            Remark::Error { message, next } => Self::Error { message, next },
            Remark::TurnEnded(t) => Self::TurnEnded(t),
        }
    }
}
