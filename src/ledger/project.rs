//! From entries to what a model may see: tombstones stripped, results right after their message.

use std::{collections::BTreeSet, sync::Arc};

use super::{AssistantMessage, Block, Body, CallId, Entry, EntryId, Ledger, Lesson, ToolResult, Unsettled};

/// One message as a model sees it, still free of any protocol.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// From the user, or injected in the user's place.
    User(String),
    /// From the model; its model is named inside, so that foreign reasoning can be left out.
    Assistant(AssistantMessage),
    /// The results of the assistant message before it, in call order.
    Results(Vec<ToolResult>),
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
    let withdrawn = tombstoned(entries);
    let mut calls: BTreeSet<CallId> = BTreeSet::new();
    for entry in entries.iter().filter(|e| withdrawn.contains(&e.id)) {
        if let Body::Assistant(message) = &entry.body {
            calls.extend(message.calls().map(|call| call.id));
        }
    }
    entries.iter().filter(move |e| {
        let about = if let Body::Note(note) = &e.body { EntryId::parse(&note.about) } else { None };
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
        self.settled()?;
        let mut messages = Vec::new();
        let mut ours = BTreeSet::new();
        for entry in standing(&self.entries) {
            match &entry.body {
                Body::User(m) => messages.push(Message::User(m.content.clone())),
                Body::Injected(i) => messages.push(Message::User(i.text.clone())),
                Body::Compaction(c) => messages = vec![Message::User(c.summary.clone())],
                Body::Assistant(m) if m.blocks.is_empty() => {}
                Body::Assistant(m) => messages.push(Message::Assistant(m.clone())),
                Body::Validation(call) => {
                    ours.insert(call.id);
                }
                // No model made that call, so none may be given its result; a checkpoint tells what it showed.
                Body::ToolResult(r) if ours.contains(&r.call) => {}
                Body::ToolResult(r) => push_result(&mut messages, r),
                Body::Note(_) if Lesson::of(entry) == Some(Lesson::ReasoningRefused) => {
                    leave_reasoning_out(&mut messages);
                }
                Body::SessionStarted(_)
                | Body::ToolCall(_)
                | Body::ApprovalRequested(_)
                | Body::ApprovalDecided(_)
                | Body::Tombstone(_)
                | Body::Transition { .. }
                | Body::BudgetRaised { .. }
                | Body::Goal(_)
                | Body::Checkpoint(_)
                | Body::Progress(_)
                | Body::Handoff { .. }
                | Body::Note(_)
                | Body::Error { .. }
                | Body::TurnEnded(_) => {}
            }
        }
        Ok(messages)
    }
}

/// All of it up to here: a block is bound to those before it, so none may stay. What comes later is bound to what
/// is then sent, and is sent back.
fn leave_reasoning_out(messages: &mut Vec<Message>) {
    for message in messages.iter_mut() {
        if let Message::Assistant(said) = message {
            said.blocks.retain(|block| !matches!(block, Block::Thinking(_)));
        }
    }
    messages.retain(|message| !matches!(message, Message::Assistant(said) if said.blocks.is_empty()));
}

fn push_result(messages: &mut Vec<Message>, result: &ToolResult) {
    if let Some(Message::Results(results)) = messages.last_mut() {
        // After a crash a call that waited is settled after those behind it; a model sees them in call order.
        let at = results.partition_point(|earlier| earlier.call < result.call);
        results.insert(at, result.clone());
    } else {
        messages.push(Message::Results(vec![result.clone()]));
    }
}
