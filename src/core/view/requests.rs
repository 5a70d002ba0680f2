//! The requests that a session has made of models: when, to whom, and what of the ledger each of them contained.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::ledger::{
    AssistantMessage, Block, Body, CallId, Change, Entry, EntryId, Message, Millis, ModelRef, Transition,
    placed, tombstoned,
};

/// One request of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelRequest {
    /// How many entries stood before it.
    pub after: usize,
    /// The entry that tells of it: why the model was called, or the answer.
    pub entry: EntryId,
    /// When.
    pub at: Millis,
    /// Whom; `None`: a model that the session fell back to and that never answered, so that no entry names it.
    pub model: Option<ModelRef>,
    /// Whether something came back. Without an answer the request was prepared, and may have been received.
    pub is_answered: bool,
}

/// What a request had of one entry.
#[derive(Debug, Clone, PartialEq)]
pub enum SentPart {
    /// The system prompt.
    System(String),
    /// A message, as it was sent: a single result of those that are sent together.
    Message(Message),
}

/// All requests, in their order. A model call is named by the reason for it; a summary that a person asks for, and each further
/// part of one, by its answer alone.
pub fn requests(entries: &[Arc<Entry>]) -> Vec<ModelRequest> {
    let mut found = Finding::default();
    for (at, entry) in entries.iter().enumerate() {
        match &entry.body {
            Body::SessionStarted(started) => found.begin_with(&started.model),
            Body::Change(Change::Model { model, .. }) => found.begin_with(model),
            // A new run begins with the first model of the chain again.
            Body::User(_) => found.current.clone_from(&found.first),
            Body::Transition { reason, .. } => {
                if *reason == Transition::ModelFallback {
                    (found.current, found.unnamed) = (None, found.all.len());
                }
                found.open = Some(found.all.len());
                let (after, model) = (at + 1, found.current.clone());
                let (entry, at) = (entry.id, entry.at);
                found.all.push(ModelRequest { after, entry, at, model, is_answered: false });
            }
            Body::Assistant(said) => found.answered(at, entry, &said.model, !said.is_unheard()),
            Body::Compaction(made) => found.answered(at, entry, &made.model, true),
            _ => {}
        }
    }
    found.all
}

#[derive(Default)]
struct Finding {
    all: Vec<ModelRequest>,
    first: Option<ModelRef>,
    current: Option<ModelRef>,
    /// The request that has no answer yet.
    open: Option<usize>,
    /// The first request of which only an answer will say whom it asked.
    unnamed: usize,
}

impl Finding {
    fn begin_with(&mut self, model: &ModelRef) {
        (self.first, self.current) = (Some(model.clone()), Some(model.clone()));
    }

    /// `is_heard`: otherwise it stands for what nobody heard, since the process died.
    fn answered(&mut self, at: usize, entry: &Entry, model: &ModelRef, is_heard: bool) {
        match self.open.take() {
            Some(open) => {
                if let Some(request) = self.all.get_mut(open) {
                    (request.model, request.is_answered) = (Some(model.clone()), is_heard);
                }
            }
            None => self.all.push(ModelRequest {
                after: at,
                entry: entry.id,
                at: entry.at,
                model: Some(model.clone()),
                is_answered: is_heard,
            }),
        }
        // What was tried again before was asked of the same model.
        for request in self.all.iter_mut().skip(self.unnamed) {
            request.model.get_or_insert_with(|| model.clone());
        }
        self.unnamed = self.all.len();
        self.current = Some(model.clone());
    }
}

/// What a request contained, by the place of the entry that it comes from. Tools are no part of the ledger. A summary that was made part
/// by part was asked for with a part of this at a time.
pub fn contents(entries: &[Arc<Entry>], request: &ModelRequest) -> Vec<(usize, SentPart)> {
    let before = entries.get(..request.after).unwrap_or(entries);
    let withdrawn = tombstoned(before);
    let results: BTreeMap<CallId, usize> =
        before
            .iter()
            .enumerate()
            .filter_map(|(at, entry)| {
                if let Body::ToolResult(result) = &entry.body { Some((result.call, at)) } else { None }
            })
            .collect();
    let is_summary =
        |entry: &Entry| matches!(entry.body, Body::Compaction(_)) && !withdrawn.contains(&entry.id);
    let summary = before.iter().rposition(|entry| is_summary(entry));
    let mut parts = Vec::new();
    if let Some(Body::SessionStarted(started)) = before.first().map(|entry| &entry.body) {
        parts.push((0, SentPart::System(started.system.clone())));
    }
    for one in placed(before) {
        match one.message {
            Message::User(said) => {
                // A summary stands where what it replaces began.
                let at = if one.at == 0 { summary.unwrap_or(0) } else { one.at };
                parts.push((at, SentPart::Message(Message::User(said))));
            }
            Message::Assistant(said) => {
                let said = as_sent_to(said, request.model.as_ref());
                parts.push((one.at, SentPart::Message(Message::Assistant(said))));
            }
            Message::Results(several) => parts.extend(several.into_iter().filter_map(|result| {
                let at = *results.get(&result.call)?;
                Some((at, SentPart::Message(Message::Results(vec![result]))))
            })),
        }
    }
    parts
}

/// Reasoning, and what a provider ran itself, go back to the model that made them and to no other.
fn as_sent_to(mut said: Arc<AssistantMessage>, model: Option<&ModelRef>) -> Arc<AssistantMessage> {
    if model != Some(&said.model) {
        let is_its_own = |block: &Block| matches!(block, Block::Thinking(_) | Block::Hosted(_));
        if said.blocks.iter().any(is_its_own) {
            Arc::make_mut(&mut said).blocks.retain(|block| !is_its_own(block));
        }
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::{Stop, Tombstone, Usage, UserMessage};

    fn entries(bodies: Vec<Body>) -> Vec<Arc<Entry>> {
        let entry = |(body, id): (Body, u64)| Arc::new(Entry { id: EntryId(id), at: Millis(id * 10), body });
        bodies.into_iter().zip(1..).map(entry).collect()
    }

    fn user(words: &str) -> Body {
        Body::User(Arc::new(UserMessage::text(words)))
    }

    fn why(reason: Transition) -> Body {
        Body::Transition { turn: 1, reason }
    }

    fn says(id: u64, model: &str) -> Body {
        Body::Assistant(Arc::new(AssistantMessage {
            id: EntryId(id),
            model: ModelRef::parse(model),
            blocks: vec![Block::Text("x".into()), Block::Thinking(crate::ledger::Thinking::default())],
            stop: Stop::End,
            usage: Usage::default(),
            interrupted: false,
        }))
    }

    fn changed(to: &str) -> Body {
        Body::Change(Change::Model { model: ModelRef::parse(to), previous: ModelRef::parse("x/x") })
    }

    #[test]
    fn each_request_names_whom_it_asked() {
        let books = entries(vec![
            changed("a/one"),
            user("hello"),
            why(Transition::Submitted),
            why(Transition::ModelFallback),
            why(Transition::TransientRetry),
            says(6, "b/two"),
            why(Transition::NextTurn),
            user("again"),
            why(Transition::Submitted),
            says(10, "a/one"),
            changed("c/three"),
            user("more"),
            why(Transition::Submitted),
            why(Transition::ModelFallback),
        ]);
        let named: Vec<(usize, Option<String>, bool)> = requests(&books)
            .into_iter()
            .map(|request| (request.after, request.model.map(|model| model.to_string()), request.is_answered))
            .collect();
        let of = |after, model: &str, answered| (after, Some(model.to_owned()), answered);
        assert_eq!(
            named,
            [
                of(3, "a/one", false),
                of(4, "b/two", false),
                of(5, "b/two", true),
                of(7, "b/two", false),
                of(9, "a/one", true),
                of(13, "c/three", false),
                (14, None, false),
            ]
        );
    }

    #[test]
    fn what_was_withdrawn_is_in_no_later_request_and_reasoning_goes_to_nobody_else() {
        let books = entries(vec![
            changed("a/one"),
            user("secret"),
            why(Transition::Submitted),
            says(4, "a/one"),
            Body::Tombstone(Tombstone { target: EntryId(2), reason: String::new() }),
            user("other"),
            why(Transition::Submitted),
            says(8, "b/two"),
        ]);
        let all = requests(&books);
        let places = |request: &ModelRequest| -> Vec<usize> {
            contents(&books, request).into_iter().map(|(at, _)| at).collect()
        };
        assert_eq!(all.iter().map(places).collect::<Vec<_>>(), [vec![1], vec![3, 5]]);
        let (_, answer) = contents(&books, all.get(1).unwrap()).swap_remove(0);
        let SentPart::Message(Message::Assistant(said)) = answer else { panic!("{answer:?}") };
        assert_eq!(said.blocks, [Block::Text("x".into())]);
    }
}
