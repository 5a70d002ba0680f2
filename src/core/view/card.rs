//! One card of the transcript: an entry, a call with all that became of it, or an answer that still grows.

use std::borrow::Cow;
use std::sync::Arc;

use crate::context;
use crate::ledger::{
    AssistantMessage, Block, Body, CallId, Change, Entry, EntryId, Hosted, Injector, MessagePiece,
    UserMessage,
};

use super::{Panel, has_source_line};

/// Names a card for good, so that what was laid out for it can be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CardId {
    /// The card of one entry; an answer keeps the name that it had while it grew.
    Entry(EntryId),
    /// The panel of one call.
    Call(CallId),
    /// A call that the model is still writing: its message and its place in it.
    Forming(EntryId, u32),
}

/// Rises with every change. All revisions are equal: two views are the same when they show the same, however
/// often they changed on the way there.
#[derive(Debug, Clone, Copy, Default)]
pub struct Revision(pub u64);

impl PartialEq for Revision {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Revision {
    /// The next one.
    pub(super) fn rise(&mut self) -> Self {
        self.0 += 1;
        *self
    }
}

/// One card.
#[derive(Debug, Clone, PartialEq)]
pub struct Card {
    /// Its name.
    pub id: CardId,
    /// Rises when what it shows changes.
    pub revision: Revision,
    /// What it shows.
    pub body: CardBody,
}

/// What a card shows.
#[derive(Debug, Clone, PartialEq)]
pub enum CardBody {
    /// What the user said.
    User(Arc<Entry>),
    /// What the model said.
    Assistant(Arc<Entry>),
    /// What the model is saying; its text is in [`super::View::live`].
    Growing,
    /// A call that the model is writing.
    Forming(Forming),
    /// A call.
    Tool(Box<Panel>),
    /// A message from neither side.
    Injected(Arc<Entry>),
    /// A summary took the place of what was said before.
    Compacted(Arc<Entry>),
    /// A remark.
    Note(Arc<Entry>),
    /// A failure.
    Error(Arc<Entry>),
    /// A limit was raised.
    Raised(Arc<Entry>),
    /// Another model answers, or thinks harder or less; or files were put back.
    Changed(Arc<Entry>),
    /// A goal, one of its checkpoints, or where it stopped.
    Goal(Arc<Entry>),
    /// The end of a run.
    TurnEnded(Arc<Entry>),
}

/// A call that the model is writing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forming {
    /// Name of the tool.
    pub name: String,
    /// Bytes of argument text so far.
    pub bytes: u64,
    /// Line breaks in the texts so far.
    pub breaks: u64,
    /// The path that it names, once that is whole.
    pub path: Option<String>,
}

/// An answer in the making, as far as it can be seen.
#[derive(Debug, Clone, PartialEq)]
pub struct LiveMessage {
    /// The entry it will be.
    pub id: EntryId,
    /// Its text so far; only ever grows.
    pub text: String,
    /// Its reasoning so far.
    pub thinking: String,
    /// What the provider ran itself so far.
    pub hosted: Vec<Hosted>,
}

impl LiveMessage {
    /// Tokens of what has come so far, as far as its length tells.
    pub fn estimated_tokens(&self) -> u64 {
        context::tokens_of(self.text.len() + self.thinking.len())
    }
}

impl Card {
    /// The panel, if it is one.
    pub fn panel(&self) -> Option<&Panel> {
        if let CardBody::Tool(panel) = &self.body { Some(panel) } else { None }
    }

    /// Whether it is an answer with a fenced block of code.
    pub fn has_code(&self) -> bool {
        let CardBody::Assistant(entry) = &self.body else { return false };
        let Body::Assistant(message) = &entry.body else { return false };
        message
            .blocks
            .iter()
            .any(|block| matches!(block, Block::Text(text) if text.contains("```") || text.contains("~~~")))
    }

    /// Whether it is a message of the user's that is not shown whole among others: it is too long, or has an image in it that
    /// was pasted, or a text that says what it is from.
    pub fn is_long_message(&self) -> bool {
        let (CardBody::User(entry) | CardBody::Injected(entry)) = &self.body else { return false };
        let (words, pastes) = match &entry.body {
            Body::User(said) => (&said.content, &said.pastes),
            Body::Injected(said) if said.by == Injector::Steering => (&said.text, &said.pastes),
            _ => return false,
        };
        let is_long = words.len() > Self::LONG_BYTES || words.lines().count() > Self::LONG_LINES;
        // Whole, it would look like the call of a command.
        let looks_called = || {
            let is_pasted =
                |part: MessagePiece<'_>| matches!(part, MessagePiece::Pasted(text) if has_source_line(text));
            pastes.has_text() && pastes.parts(words).into_iter().any(is_pasted)
        };
        is_long || pastes.has_images() || looks_called()
    }

    /// The user's message, if it is not shown whole among others.
    pub fn long_message(&self) -> Option<Cow<'_, UserMessage>> {
        let (CardBody::User(entry) | CardBody::Injected(entry)) = &self.body else { return None };
        match &entry.body {
            _ if !self.is_long_message() => None,
            Body::User(said) => Some(Cow::Borrowed(said)),
            Body::Injected(said) => said.said().map(Cow::Owned),
            _ => None,
        }
    }

    /// A message with more lines is long.
    pub const LONG_LINES: usize = 20;
    /// A message with more bytes is long.
    pub const LONG_BYTES: usize = 4 * 1024;

    pub(super) fn panel_mut(&mut self) -> Option<&mut Panel> {
        if let CardBody::Tool(panel) = &mut self.body { Some(panel) } else { None }
    }
}

impl CardBody {
    /// The card that an entry makes; `None` for those that only change other cards or the status.
    pub(super) fn of(entry: &Arc<Entry>) -> Option<Self> {
        let entry = Arc::clone(entry);
        match &entry.body {
            Body::User(_) => Some(Self::User(entry)),
            Body::Assistant(m) if is_silent(m) => None,
            Body::Assistant(_) => Some(Self::Assistant(entry)),
            Body::ToolCall(_) | Body::Validation(_) | Body::Command(_) => {
                Some(Self::Tool(Box::new(Panel::new(entry))))
            }
            // A checkpoint has a card of its own, which says more than what the model read.
            // Nor has what its panel says: the user's change of a call.
            Body::Injected(i)
                if matches!(
                    i.by,
                    Injector::Environment
                        | Injector::GoalCheck
                        | Injector::Edit
                        | Injector::Undo
                        | Injector::Background
                        | Injector::Command
                        | Injector::Choice
                ) =>
            {
                None
            }
            Body::Goal(_) | Body::Checkpoint(_) | Body::Handoff { .. } => Some(Self::Goal(entry)),
            Body::Injected(_) => Some(Self::Injected(entry)),
            Body::Compaction(_) => Some(Self::Compacted(entry)),
            // What another agent calls its task is for who looks for it: in the inspector.
            Body::Note(note) if note.accepted().is_some() => None,
            // The end of the run says what it asks.
            Body::Note(note) if note.price().is_some() => None,
            // What is under way is said while it is, and what came of it has a card of its own.
            Body::Note(note) if note.asks_for_a_summary() => None,
            Body::Note(_) | Body::ProviderLimit(_) => Some(Self::Note(entry)),
            Body::Error { .. } => Some(Self::Error(entry)),
            // The header shows it, and the model is told of it in a message that is shown.
            Body::Change(Change::Mode { .. }) => None,
            Body::Change(Change::Budget { .. } | Change::PriceAccepted { .. }) => Some(Self::Raised(entry)),
            // The panel of the call shows it.
            Body::Change(
                Change::EscrowReserved(_)
                | Change::EscrowSettled(_)
                | Change::SubagentStarted { .. }
                | Change::SubagentWaits { .. },
            ) => None,
            Body::Change(_) => Some(Self::Changed(entry)),
            Body::TurnEnded(_) => Some(Self::TurnEnded(entry)),
            Body::SessionStarted(_)
            | Body::CallEdited(_)
            | Body::ApprovalRequested(_)
            | Body::ApprovalDecided(_)
            | Body::DelegationRequested(_)
            | Body::DelegationAnswered(_)
            | Body::ToolResult(_)
            | Body::Tombstone(_)
            | Body::Progress(_)
            | Body::Transition { .. } => None,
        }
    }
}

/// Whether a message has nothing to show but its calls, which have cards of their own.
fn is_silent(message: &AssistantMessage) -> bool {
    message.text().trim().is_empty()
        && message.thinking().trim().is_empty()
        && message.hosted().next().is_none()
}
