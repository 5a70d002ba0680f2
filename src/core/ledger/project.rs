//! From entries to what a model may see: tombstones stripped, results right after their message.

use std::{collections::BTreeSet, sync::Arc};

use super::attached::with_files;
use super::{
    AssistantMessage, Block, Body, CallId, Compaction, Entry, EntryId, Image, Ledger, ProviderLimit, Stop,
    ToolResult, Unsettled, UserMessage,
};

/// One message as a model sees it, still free of any protocol. What stands in the ledger is shared with it, not copied.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// From the user, or injected in the user's place.
    User(Arc<UserMessage>),
    /// From the model; its model is named inside, so that foreign reasoning can be left out.
    Assistant(Arc<AssistantMessage>),
    /// The results of the assistant message before it, in call order.
    Results(Vec<Arc<ToolResult>>),
}

/// A message and the place in the ledger where it begins.
#[derive(Debug, Clone, PartialEq)]
pub struct Placed {
    /// Number of its first entry, from 0; a summary stands where what it replaces began.
    pub at: usize,
    /// Whether the user said it, as opposed to the model or somebody in the user's place.
    pub is_users: bool,
    /// The message.
    pub message: Message,
}

/// The entries that a tombstone has withdrawn.
pub fn tombstoned(entries: &[Arc<Entry>]) -> BTreeSet<EntryId> {
    entries
        .iter()
        .filter_map(|e| if let Body::Tombstone(t) = &e.body { Some(t.target) } else { None })
        .collect()
}

/// The entries that stand: without the withdrawn ones, the calls they made, and the notes about them. Requests, the
/// transcript of a session and its exports are all made of these.
pub fn standing(entries: &[Arc<Entry>]) -> impl Iterator<Item = &Arc<Entry>> {
    standing_at(entries).map(|(_, entry)| entry)
}

/// The same with their numbers.
fn standing_at(entries: &[Arc<Entry>]) -> impl Iterator<Item = (usize, &Arc<Entry>)> {
    let withdrawn = tombstoned(entries);
    let mut calls: BTreeSet<CallId> = BTreeSet::new();
    for entry in entries.iter().filter(|e| withdrawn.contains(&e.id)) {
        if let Body::Assistant(message) = &entry.body {
            calls.extend(message.calls().map(|call| call.id));
        }
    }
    entries.iter().enumerate().filter(move |(_, e)| {
        let about = if let Body::Note(note) = &e.body { note.about.entry() } else { None };
        !withdrawn.contains(&e.id)
            && about.is_none_or(|about| !withdrawn.contains(&about))
            && e.body.call().is_none_or(|call| !calls.contains(&call))
    })
}

impl Ledger {
    /// What the next request may contain.
    ///
    /// # Errors
    /// [`Unsettled`] while a call is open: such a history cannot be sent.
    pub fn project(&self) -> Result<Vec<Message>, Unsettled> {
        Ok(self.placed()?.into_iter().map(|placed| placed.message).collect())
    }

    /// The same, with the place where each message begins: where a summary may end.
    ///
    /// # Errors
    /// [`Unsettled`] while a call is open.
    pub fn placed(&self) -> Result<Vec<Placed>, Unsettled> {
        self.settled()?;
        Ok(placed(&self.entries))
    }
}

/// What a request that was made after these entries and before any other contains. Calls that are open have no result in it.
pub fn placed(entries: &[Arc<Entry>]) -> Vec<Placed> {
    let unbound = unbound(entries);
    let mut messages: Vec<Placed> = Vec::new();
    let mut ours = BTreeSet::new();
    let mut last_images: &[Image] = &[];
    for (at, entry) in standing_at(entries) {
        let mut push = |is_users, message| messages.push(Placed { at, is_users, message });
        match &entry.body {
            Body::User(m) => {
                last_images = &m.images;
                push(true, Message::User(with_its_files(m)));
            }
            Body::Injected(i) => {
                let (content, images) = (with_files(&i.text, &i.files), i.images.clone());
                push(
                    false,
                    Message::User(Arc::new(UserMessage { content, images, ..UserMessage::default() })),
                );
            }
            Body::Compaction(made) => messages = compacted(entries, messages, made, last_images),
            // A refused turn is not shown to a model again, unless its calls have results.
            Body::Assistant(m) if m.stop == Stop::Refusal && m.calls().next().is_none() => {}
            Body::Assistant(m) if m.blocks.is_empty() => {}
            Body::Assistant(m) if unbound.contains(&entry.id) => {
                if let Some(said) = without_reasoning(m) {
                    push(false, Message::Assistant(said));
                }
            }
            Body::Assistant(m) => push(false, Message::Assistant(Arc::clone(m))),
            Body::Validation(call) | Body::Command(call) => {
                ours.insert(call.id);
            }
            // No model made that call, so none may be given its result; a checkpoint or a message tells what it showed.
            Body::ToolResult(r) if ours.contains(&r.call) => {}
            Body::ToolResult(r) => push_result(&mut messages, at, r),
            Body::ProviderLimit(_) if ProviderLimit::of(entry) == Some(ProviderLimit::ReasoningRefused) => {
                messages = leave_reasoning_out(messages);
            }
            Body::SessionStarted(_)
            | Body::ToolCall(_)
            | Body::CallEdited(_)
            | Body::ApprovalRequested(_)
            | Body::ApprovalDecided(_)
            | Body::DelegationRequested(_)
            | Body::DelegationAnswered(_)
            | Body::Tombstone(_)
            | Body::Transition { .. }
            | Body::Change(_)
            | Body::Goal(_)
            | Body::Checkpoint(_)
            | Body::Progress(_)
            | Body::Handoff { .. }
            | Body::Note(_)
            | Body::ProviderLimit(_)
            | Body::Error { .. }
            | Body::TurnEnded(_) => {}
        }
    }
    messages
}

/// A message with its files as part of its words: no protocol knows files, and so none can leave one out.
fn with_its_files(said: &Arc<UserMessage>) -> Arc<UserMessage> {
    if said.files.is_empty() {
        return Arc::clone(said);
    }
    let content = with_files(&said.content, &said.files);
    Arc::new(UserMessage { content, images: said.images.clone(), ..UserMessage::default() })
}

/// Messages that were made while something stood before them that was withdrawn later. Providers bind reasoning to all
/// that came before it, so theirs is no longer valid. What was withdrawn before anything followed it binds nobody.
fn unbound(entries: &[Arc<Entry>]) -> BTreeSet<EntryId> {
    let mut unbound = BTreeSet::new();
    for (at, entry) in entries.iter().enumerate() {
        let Body::Tombstone(stone) = &entry.body else { continue };
        let between = entries.iter().take(at).skip_while(|e| e.id != stone.target).skip(1);
        unbound.extend(between.filter(|e| matches!(e.body, Body::Assistant(_))).map(|e| e.id));
    }
    unbound
}

/// The message without its reasoning; `None` when nothing else is in it.
fn without_reasoning(message: &Arc<AssistantMessage>) -> Option<Arc<AssistantMessage>> {
    let is_reasoning = |block: &Block| matches!(block, Block::Thinking(_));
    if !message.blocks.iter().any(is_reasoning) {
        return Some(Arc::clone(message));
    }
    let mut left = AssistantMessage::clone(message);
    left.blocks.retain(|block| !is_reasoning(block));
    (!left.blocks.is_empty()).then(|| Arc::new(left))
}

/// The summary, and after it what it does not replace. Reasoning is bound to what stood before it, which is gone.
fn compacted(
    entries: &[Arc<Entry>],
    messages: Vec<Placed>,
    made: &Compaction,
    last_images: &[Image],
) -> Vec<Placed> {
    let end = entries.iter().position(|entry| entry.id == made.replaces_to);
    let stays = |placed: &Placed| end.is_some_and(|end| placed.at > end);
    let kept = leave_reasoning_out(messages.into_iter().filter(stays).collect());
    // The summary repeats the user's last words; what they showed with them must not be lost either.
    let has_wish = kept.iter().any(|placed| placed.is_users);
    let images = if has_wish { Vec::new() } else { last_images.to_vec() };
    let message = Message::User(Arc::new(UserMessage {
        content: made.summary.clone(),
        images,
        ..UserMessage::default()
    }));
    std::iter::once(Placed { at: 0, is_users: false, message }).chain(kept).collect()
}

/// All of it up to here: a block is bound to those before it, so none may stay. What comes later is bound to what
/// is then sent, and is sent back.
fn leave_reasoning_out(messages: Vec<Placed>) -> Vec<Placed> {
    let left = messages.into_iter().filter_map(|placed| match &placed.message {
        Message::Assistant(said) => {
            without_reasoning(said).map(|left| Placed { message: Message::Assistant(left), ..placed })
        }
        Message::User(_) | Message::Results(_) => Some(placed),
    });
    left.collect()
}

fn push_result(messages: &mut Vec<Placed>, at: usize, result: &Arc<ToolResult>) {
    if let Some(Placed { message: Message::Results(results), .. }) = messages.last_mut() {
        // After a crash a call that waited is settled after those behind it; a model sees them in call order.
        let at = results.partition_point(|earlier| earlier.call < result.call);
        results.insert(at, Arc::clone(result));
    } else {
        let message = Message::Results(vec![Arc::clone(result)]);
        messages.push(Placed { at, is_users: false, message });
    }
}
