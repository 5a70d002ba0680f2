//! One line of the books.

use std::sync::Arc;

use super::image::shown;
use super::{
    ApprovalRequest, Arguments, AssistantMessage, AttachedFile, CallId, Change, Checkpoint, Compaction,
    CutBy, Decision, DelegationRequest, DelegationResponse, Ending, EntryId, Goal, Image, Injector,
    LearnedLimit, Millis, Mode, ModelRef, Note, Pastes, Progress, ProviderLimit, ToolResult, ToolUse,
    Transition, Usage,
};

/// One entry: immutable once appended, never removed.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Unique in the session; what tombstones and notes name.
    pub id: EntryId,
    /// When it was appended.
    pub at: Millis,
    /// What it says.
    pub body: Body,
}

/// What an entry can say.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// First entry of every session.
    SessionStarted(SessionStarted),
    /// The user spoke.
    User(Arc<UserMessage>),
    /// The model spoke. Its calls follow as [`Body::ToolCall`] entries of their own.
    Assistant(Arc<AssistantMessage>),
    /// A call the model made; written before any decision about it.
    ToolCall(ToolUse),
    /// A call that the loop itself made: the validation command of a goal. It passes the gate like a model's; its
    /// result is not shown to a model as a result, but told in the words of a checkpoint.
    Validation(ToolUse),
    /// A command that the user typed and ran (`!command`): a call of theirs, allowed by them. Its result is not shown to a
    /// model as a result, but told in a message, unless they left it out.
    Command(ToolUse),
    /// A person changed the arguments of a call that waited: it is another action now, and is examined anew.
    CallEdited(ToolUse),
    /// Someone must decide about a call.
    ApprovalRequested(ApprovalRequest),
    /// Someone did.
    ApprovalDecided(Decision),
    /// A task is about to be sent to another agent.
    DelegationRequested(DelegationRequest),
    /// What came of it; the result of its call follows.
    DelegationAnswered(DelegationResponse),
    /// The one result of a call.
    ToolResult(Arc<ToolResult>),
    /// A message that neither side said: the model sees it as the user's.
    Injected(Injected),
    /// Withdraws a message: stays in the ledger, is stripped from everything made of it.
    Tombstone(Tombstone),
    /// A summary takes the place of everything before it, in what a model sees; nothing is deleted.
    Compaction(Compaction),
    /// Why the model is called (again).
    Transition {
        /// Number of the model turn in this run, from 1.
        turn: u32,
        /// The reason.
        reason: Transition,
    },
    /// Something is different for the rest of the session.
    Change(Change),
    /// A goal is set, or taken up again: all eight parts.
    Goal(Goal),
    /// The six questions of a checkpoint.
    Checkpoint(Checkpoint),
    /// What the model answered to them.
    Progress(Progress),
    /// A goal stopped before its end: for whoever takes over.
    Handoff {
        /// The note.
        text: String,
    },
    /// Seen in the inspector, never by a model.
    Note(Note),
    /// What a provider's refusal taught about later requests; people read it as a note.
    ProviderLimit(LearnedLimit),
    /// Something went wrong and the user should know.
    Error {
        /// What.
        message: String,
        /// What to do next.
        next: String,
    },
    /// The run is over.
    TurnEnded(TurnEnded),
}

impl Body {
    /// The event's `type`, as recorded and as the inspector shows it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::SessionStarted(_) => "session_started",
            Self::User(_) => "user_message",
            Self::Assistant(_) => "agent_response",
            Self::ToolCall(_) | Self::Validation(_) | Self::Command(_) => "tool_call",
            Self::CallEdited(_) => "call_edited",
            Self::ApprovalRequested(_) => "approval_request",
            Self::ApprovalDecided(_) => "approval",
            Self::DelegationRequested(_) => "delegation_request",
            Self::DelegationAnswered(_) => "delegation_response",
            Self::ToolResult(_) => "tool_result",
            Self::Injected(_) => "injected",
            Self::Tombstone(_) => "tombstone",
            Self::Compaction(_) => "compaction",
            Self::Transition { .. } => "transition",
            Self::Change(change) => change.kind(),
            Self::Goal(_) => "goal",
            Self::Checkpoint(_) => "goal_checkpoint",
            Self::Progress(_) => "goal_progress",
            Self::Handoff { .. } => "handoff",
            Self::Note(_) | Self::ProviderLimit(_) => "note",
            Self::Error { .. } => "error",
            Self::TurnEnded(_) => "turn_ended",
        }
    }

    /// What a call would do from here on, where a person or a hook has changed it: which call, and its arguments.
    pub fn changes(&self) -> Option<(CallId, Arguments)> {
        match self {
            Self::CallEdited(call) => Some((call.id, call.arguments.clone())),
            Self::Note(note) => note.changed_by_hook(),
            _ => None,
        }
    }

    /// The call that this entry is about, if it is about one.
    pub fn call(&self) -> Option<CallId> {
        match self {
            Self::ToolCall(u) | Self::Validation(u) | Self::Command(u) | Self::CallEdited(u) => Some(u.id),
            Self::ApprovalRequested(r) => Some(r.call),
            Self::ApprovalDecided(d) => Some(d.call),
            Self::DelegationRequested(r) => Some(r.call),
            Self::DelegationAnswered(r) => Some(r.call),
            Self::ToolResult(r) => Some(r.call),
            Self::SessionStarted(_)
            | Self::User(_)
            | Self::Assistant(_)
            | Self::Injected(_)
            | Self::Tombstone(_)
            | Self::Compaction(_)
            | Self::Transition { .. }
            | Self::Change(_)
            | Self::Goal(_)
            | Self::Checkpoint(_)
            | Self::Progress(_)
            | Self::Handoff { .. }
            | Self::Note(_)
            | Self::ProviderLimit(_)
            | Self::Error { .. }
            | Self::TurnEnded(_) => None,
        }
    }
}

impl ProviderLimit {
    /// The lesson of an entry, if it is one.
    pub fn of(entry: &Entry) -> Option<Self> {
        match &entry.body {
            Body::ProviderLimit(learned) => Some(learned.lesson.clone()),
            _ => None,
        }
    }
}

/// What was true when the session began; frozen for its life.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionStarted {
    /// The session's id (UUID v7).
    pub session: String,
    /// Its folder.
    pub cwd: String,
    /// The model it began with.
    pub model: ModelRef,
    /// Version of the session format.
    pub version: u32,
    /// The system prompt, frozen: newest models bind their thinking to it, and caches live by it.
    pub system: String,
    /// The mode in which calls were decided first. `None`: a program wrote it that did not record modes.
    pub mode: Option<Mode>,
    /// The session that this one was forked from, and the last entry that both have: `SESSION@e14`.
    pub forked_from: Option<String>,
}

impl SessionStarted {
    /// The last entry that a fork has of the other session.
    pub fn forked_at(&self) -> Option<EntryId> {
        EntryId::parse(self.forked_from.as_deref()?.rsplit_once('@')?.1)
    }
}

/// What the user said, and showed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UserMessage {
    /// The words, as they were typed: also the names of the images.
    pub content: String,
    /// The images, in the order of their names.
    pub images: Vec<Image>,
    /// The text files, in the order of their names.
    pub files: Vec<AttachedFile>,
    /// What of the words was pasted.
    pub pastes: Pastes,
}

impl UserMessage {
    /// Words alone.
    pub fn text(content: impl Into<String>) -> Self {
        Self { content: content.into(), ..Self::default() }
    }

    /// What people read: the words, and a line for each image and file.
    pub fn shown(&self) -> String {
        shown(&self.content, &self.images, &self.files)
    }

    /// The words alone, and what of them was pasted. They name what it brought: sent again, that is read again.
    #[must_use]
    pub fn without_attachments(self) -> Self {
        Self { pastes: self.pastes, ..Self::text(self.content) }
    }

    /// The same as words that are no command: a blank stands before a `!` that begins them.
    #[must_use]
    pub fn as_words(mut self) -> Self {
        if self.content.starts_with('!') {
            self.content.insert(0, ' ');
            self.pastes = self.pastes.behind(1);
        }
        self
    }

    /// This one and the next one as one message, a blank line between them.
    #[must_use]
    pub fn followed_by(mut self, next: Self) -> Self {
        if self.content.is_empty() {
            return next;
        }
        if next.content.is_empty() {
            return self;
        }
        self.content.push_str("\n\n");
        self.pastes = self.pastes.and(&next.pastes.behind(self.content.len()));
        self.content.push_str(&next.content);
        self.images.extend(next.images);
        self.files.extend(next.files);
        self
    }
}

impl From<String> for UserMessage {
    fn from(content: String) -> Self {
        Self::text(content)
    }
}

impl From<&str> for UserMessage {
    fn from(content: &str) -> Self {
        Self::text(content)
    }
}

/// A message from neither side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Injected {
    /// Who injected it.
    pub by: Injector,
    /// What the model reads.
    pub text: String,
    /// What it sees: only what the user says while it runs has images.
    pub images: Vec<Image>,
    /// The text files: as images, only what the user says has any.
    pub files: Vec<AttachedFile>,
    /// What of the words was pasted: as images, only what the user says has any.
    pub pastes: Pastes,
}

impl Injected {
    /// Words alone.
    pub fn text(by: Injector, text: impl Into<String>) -> Self {
        let (images, files, pastes) = Default::default();
        Self { by, text: text.into(), images, files, pastes }
    }

    /// What the user said while a run was under way.
    pub fn steering(said: UserMessage) -> Self {
        let UserMessage { content: text, images, files, pastes } = said;
        Self { by: Injector::Steering, text, images, files, pastes }
    }

    /// What the user said while a run was under way, as the message that it was; `None` if others said it.
    pub fn said(&self) -> Option<UserMessage> {
        let Self { by, text, images, files, pastes } = self;
        let (content, pastes) = (text.clone(), pastes.clone());
        (*by == Injector::Steering).then(|| UserMessage {
            content,
            images: images.clone(),
            files: files.clone(),
            pastes,
        })
    }

    /// What people read: the words, and a line for each image and file.
    pub fn shown(&self) -> String {
        shown(&self.text, &self.images, &self.files)
    }
}

/// Withdraws an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tombstone {
    /// Which; a message that was streamed and never completed is named by the id that it would have had.
    pub target: EntryId,
    /// Why.
    pub reason: String,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnEnded {
    /// Why.
    pub reason: Ending,
    /// Model turns made in this run.
    pub turns: u32,
    /// Tool calls made in this run.
    pub tool_calls: u32,
    /// Uses of the provider's own tools in this run.
    pub hosted_tools: u32,
    /// Tokens of this run.
    pub usage: Usage,
    /// Time of this run in milliseconds, without that in which a call waited for people, even if another one ran meanwhile.
    pub wall_ms: u64,
    /// The final answer, shared with the message that is all of it; continued parts joined.
    pub text: Arc<str>,
    /// Calls of this run that were not ok: id and outcome.
    pub not_ok: Vec<(CallId, String)>,
    /// What can be done now without harm, as recorded: for a record. People are told [`TurnEnded::what_next`].
    pub next_safe_action: String,
    /// Who cut it short. `None`: nobody did, or the process was gone, or nobody wrote it down.
    pub cut_by: Option<CutBy>,
}

impl TurnEnded {
    /// What can be done now without harm, for people: one of our own sentences, whatever a file says.
    pub fn what_next(&self) -> &'static str {
        self.reason.next_safe_action_on_record(&self.next_safe_action)
    }

    /// Whether anything of it was counted here. Of a conversation in another program nothing is.
    pub fn is_counted(&self) -> bool {
        self.turns > 0 || self.tool_calls > 0 || self.hosted_tools > 0 || self.wall_ms > 0
    }
}
