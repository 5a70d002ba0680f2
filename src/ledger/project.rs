//! From entries to what a model may see: tombstones stripped, results right after their message.

use std::{collections::BTreeSet, sync::Arc};

use super::{AssistantMessage, Body, Entry, EntryId, Image, Ledger, ToolResult, Unsettled, UserMessage};

/// One message as a model sees it, still free of any protocol.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// From the user, or injected in the user's place.
    User(UserMessage),
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
        let mut messages = Vec::new();
        let mut last_images: &[Image] = &[];
        for entry in self.entries.iter().filter(|e| !withdrawn.contains(&e.id)) {
            match &entry.body {
                Body::User(m) => {
                    last_images = &m.images;
                    messages.push(Message::User(m.clone()));
                }
                Body::Injected(i) => {
                    let (content, images) = (i.text.clone(), i.images.clone());
                    messages.push(Message::User(UserMessage { content, images }));
                }
                // The summary repeats the user's last words; what they showed with them must not be lost either.
                Body::Compaction(c) => {
                    let (content, images) = (c.summary.clone(), last_images.to_vec());
                    messages = vec![Message::User(UserMessage { content, images })];
                }
                Body::Assistant(m) if m.blocks.is_empty() => {}
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

fn push_result(messages: &mut Vec<Message>, result: &ToolResult) {
    if let Some(Message::Results(results)) = messages.last_mut() {
        // After a crash a call that waited is settled after those behind it; a model sees them in call order.
        let at = results.partition_point(|earlier| earlier.call < result.call);
        results.insert(at, result.clone());
    } else {
        messages.push(Message::Results(vec![result.clone()]));
    }
}
