//! From entries to what a model may see: tombstones stripped, results right after their message.

use std::{collections::BTreeSet, sync::Arc};

use super::{AssistantMessage, Block, Body, Entry, EntryId, Ledger, Stop, Thinking, ToolResult, Unsettled};

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

/// The entries that a tombstone has withdrawn: the one place that knows, for requests, transcript and exports.
pub fn tombstoned(entries: &[Arc<Entry>]) -> BTreeSet<EntryId> {
    entries
        .iter()
        .filter_map(|e| if let Body::Tombstone(t) = &e.body { Some(t.target) } else { None })
        .collect()
}

impl Ledger {
    /// What the next request may contain.
    ///
    /// # Errors
    /// [`Unsettled`] while a call is open: such a history cannot be sent.
    pub fn project(&self) -> Result<Vec<Message>, Unsettled> {
        self.settled()?;
        let withdrawn = tombstoned(&self.entries);
        let unbound = unbound(&self.entries);
        let mut messages = Vec::new();
        for entry in self.entries.iter().filter(|e| !withdrawn.contains(&e.id)) {
            match &entry.body {
                Body::User(m) => messages.push(Message::User(m.content.clone())),
                Body::Injected(i) => messages.push(Message::User(i.text.clone())),
                Body::Compaction(c) => messages = vec![Message::User(c.summary.clone())],
                // A refused turn is not shown to a model again, unless its calls have results.
                Body::Assistant(m) if m.stop == Stop::Refusal && m.calls().next().is_none() => {}
                Body::Assistant(m) if m.blocks.is_empty() => {}
                Body::Assistant(m) if unbound.contains(&entry.id) => {
                    messages.push(Message::Assistant(without_reasoning(m)));
                }
                Body::Assistant(m) => messages.push(Message::Assistant(m.clone())),
                Body::ToolResult(r) => push_result(&mut messages, r),
                Body::SessionStarted(_)
                | Body::ToolCall(_)
                | Body::ApprovalRequested(_)
                | Body::ApprovalDecided(_)
                | Body::Tombstone(_)
                | Body::Transition { .. }
                | Body::BudgetRaised { .. }
                | Body::Note(_)
                | Body::Error { .. }
                | Body::TurnEnded(_) => {}
            }
        }
        Ok(messages)
    }
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

/// The words without the provider's own blocks of reasoning.
fn without_reasoning(message: &AssistantMessage) -> AssistantMessage {
    let blocks = message.blocks.iter().map(|block| match block {
        Block::Thinking(thinking) => Block::Thinking(Thinking { replay: None, ..thinking.clone() }),
        Block::Text(_) | Block::ToolUse(_) | Block::Hosted(_) => block.clone(),
    });
    AssistantMessage { blocks: blocks.collect(), ..message.clone() }
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
