//! What the model sees: each entry of the ledger beside the next request, and why the two differ.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::context::estimate_tokens;
use crate::ledger::{
    AssistantMessage, Block, Body, CallId, Entry, EntryId, Injector, Ledger, Message, Millis, ModelRef, Stop,
    ToolResult, Unsettled, UserMessage, recover, standing, tombstoned,
};
use crate::model::Request;

use super::change;
use super::{Row, synthetic};

/// What becomes of an entry in the next request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// It is sent as it is.
    Sent,
    /// It is sent, but not as a tool or a model made it: how it differs.
    Changed(String),
    /// It is not sent: why.
    Left(String),
    /// It is bookkeeping, which no model is ever shown.
    Apart(&'static str),
}

/// One entry beside the request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenEntry {
    /// Its place among the rows.
    pub row: usize,
    /// Its name.
    pub entry: EntryId,
    /// Whose words the model takes them for.
    pub role: &'static str,
    /// What becomes of it.
    pub fate: Fate,
    /// What it adds to the request, in estimated tokens.
    pub tokens: u64,
    /// The request up to here, in estimated tokens; tools are not counted.
    pub total: u64,
}

/// The next request as it would be sent, beside the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModelSees {
    /// Every entry, oldest first.
    pub all: Vec<SeenEntry>,
    /// Places in `all` of what is sent.
    pub sent: Vec<usize>,
    /// Places in `all` of what is changed or left out.
    pub differing: Vec<usize>,
    /// Messages in the request.
    pub messages: usize,
    /// Estimated tokens of the request without its tools.
    pub tokens: u64,
    /// How many calls are open: until they have results nothing can be sent. They are taken to end now.
    pub open: usize,
    /// Why no request can be made of this ledger, if so.
    pub fault: Option<String>,
}

/// The request that `model` would be sent now. Reads all rows once.
pub fn model_sees(rows: &[Row], model: &str) -> ModelSees {
    let entries: Vec<Arc<Entry>> = rows.iter().map(|row| Arc::clone(&row.entry)).collect();
    let now = entries.last().map_or(Millis(0), |entry| entry.at);
    let (ledger, open) = match recover(entries, now) {
        Ok(found) => (found.ledger, found.lost.0 + found.waiting.len()),
        Err(fault) => return ModelSees { fault: Some(fault.to_string()), ..ModelSees::default() },
    };
    match Sources::of(ledger, ModelRef::parse(model)) {
        Ok(sources) => sources.compare(rows, open),
        Err(fault) => ModelSees { fault: Some(fault.to_string()), ..ModelSees::default() },
    }
}

/// The projection, taken apart by what its messages were made of.
struct Sources {
    said: BTreeMap<EntryId, Arc<AssistantMessage>>,
    results: BTreeMap<CallId, Arc<ToolResult>>,
    /// By the place where each begins; the summary at 0.
    users: BTreeMap<usize, Arc<UserMessage>>,
    /// Who withdrew what, and why.
    withdrawn: BTreeMap<EntryId, String>,
    stands: BTreeSet<EntryId>,
    /// The summary that stands, and its place among the entries.
    summary: Option<(usize, EntryId)>,
    /// The place that is being looked at.
    place: usize,
    ours: BTreeSet<CallId>,
    /// The answer that made a call.
    maker: BTreeMap<CallId, EntryId>,
    model: ModelRef,
    messages: usize,
}

impl Sources {
    fn of(mut ledger: Ledger, model: ModelRef) -> Result<Self, Unsettled> {
        let now = ledger.entries().last().map_or(Millis(0), |entry| entry.at);
        ledger.settle_lost(now);
        let messages = ledger.placed()?;
        let entries = ledger.entries();
        let gone = tombstoned(entries);
        let mut reading = Self {
            said: BTreeMap::new(),
            results: BTreeMap::new(),
            users: BTreeMap::new(),
            withdrawn: BTreeMap::new(),
            stands: standing(entries).map(|entry| entry.id).collect(),
            summary: None,
            place: 0,
            ours: BTreeSet::new(),
            maker: BTreeMap::new(),
            model,
            messages: messages.len(),
        };
        for (at, entry) in entries.iter().enumerate() {
            match &entry.body {
                Body::Tombstone(stone) => drop(reading.withdrawn.insert(stone.target, stone.reason.clone())),
                Body::Compaction(_) if !gone.contains(&entry.id) => reading.summary = Some((at, entry.id)),
                Body::Validation(call) | Body::Command(call) => drop(reading.ours.insert(call.id)),
                Body::Assistant(said) => reading.maker.extend(said.calls().map(|call| (call.id, entry.id))),
                _ => {}
            }
        }
        for placed in messages {
            match placed.message {
                Message::User(said) => drop(reading.users.insert(placed.at, said)),
                Message::Assistant(said) => drop(reading.said.insert(said.id, said)),
                Message::Results(results) => reading.results.extend(results.into_iter().map(|r| (r.call, r))),
            }
        }
        Ok(reading)
    }

    fn compare(mut self, rows: &[Row], open: usize) -> ModelSees {
        let mut sees = ModelSees { messages: self.messages, open, ..ModelSees::default() };
        for (at, row) in rows.iter().enumerate() {
            self.place = at;
            let (fate, sent) = self.fate(&row.entry);
            let tokens = sent.map_or(0, |sent| self.tokens(sent));
            sees.tokens += tokens;
            match &fate {
                Fate::Sent => sees.sent.push(at),
                Fate::Changed(_) => {
                    sees.sent.push(at);
                    sees.differing.push(at);
                }
                Fate::Left(_) => sees.differing.push(at),
                Fate::Apart(_) => {}
            }
            let (entry, role, total) = (row.entry.id, role(&row.entry.body), sees.tokens);
            sees.all.push(SeenEntry { row: at, entry, role, fate, tokens, total });
        }
        sees
    }

    fn tokens(&self, sent: Sent) -> u64 {
        let (system, messages) = match sent {
            Sent::System(words) => (words, Vec::new()),
            Sent::Message(message) => (String::new(), vec![message]),
        };
        estimate_tokens(&Request {
            model: self.model.clone(),
            system,
            messages,
            tools: Vec::new(),
            max_output: 0,
            effort: None,
            seed: None,
            adaptive_thinking: false,
            reasons: None,
            cache_key: String::new(),
            answer_schema: None,
            withheld: BTreeSet::new(),
        })
    }

    /// What becomes of an entry, and what is sent of it.
    fn fate(&mut self, entry: &Entry) -> (Fate, Option<Sent>) {
        if let Some(reason) = self.withdrawn.get(&entry.id) {
            return (Fate::Left(format!("withdrawn: {reason}")), None);
        }
        if !self.stands.contains(&entry.id) {
            let of = entry.body.call().and_then(|call| self.maker.get(&call));
            let of = of.map_or_else(|| "what it is about".to_owned(), ToString::to_string);
            return (Fate::Left(format!("{of} was withdrawn")), None);
        }
        let message = match &entry.body {
            Body::SessionStarted(started) => {
                return (Fate::Sent, Some(Sent::System(started.system.clone())));
            }
            Body::User(_) | Body::Injected(_) | Body::Compaction(_) => {
                let is_summary = self.summary.is_some_and(|(summary, _)| self.place == summary);
                let at = if is_summary { 0 } else { self.place };
                return match self.users.remove(&at) {
                    Some(said) => (Fate::Sent, Some(Sent::Message(Message::User(said)))),
                    None => self.compacted(),
                };
            }
            Body::Assistant(said) => return self.answer(entry, said),
            Body::ToolResult(result) => return self.result(result),
            Body::ToolCall(call) => match self.maker.get(&call.id) {
                Some(maker) if self.said.contains_key(maker) => Fate::Apart("it is sent within its answer"),
                _ => return self.compacted(),
            },
            Body::Validation(_) => {
                Fate::Left("the loop's own call: a checkpoint reports its result".to_owned())
            }
            Body::Command(_) => Fate::Left("the user's own command: a message reports its result".to_owned()),
            Body::CallEdited(_) => Fate::Apart("sent in a message before the next turn"),
            Body::Change(change) => Fate::Apart(change::why_not_sent(change)),
            Body::ApprovalRequested(_) | Body::ApprovalDecided(_) => Fate::Apart("a decision about a call"),
            Body::DelegationRequested(_) | Body::DelegationAnswered(_) => {
                Fate::Apart("sent as the call and its result")
            }
            Body::Tombstone(_) => Fate::Apart("it withdraws another entry"),
            Body::Transition { .. } | Body::TurnEnded(_) => Fate::Apart("a step of the loop"),
            Body::Goal(_) | Body::Checkpoint(_) | Body::Progress(_) => {
                Fate::Apart("sent in the messages of the goal")
            }
            Body::Handoff { .. } | Body::Note(_) | Body::ProviderLimit(_) | Body::Error { .. } => {
                Fate::Apart("for people")
            }
        };
        (message, None)
    }

    fn compacted(&self) -> (Fate, Option<Sent>) {
        let by = self.summary.map_or_else(|| "a summary".to_owned(), |(_, id)| id.to_string());
        (Fate::Left(format!("compacted by {by}")), None)
    }

    fn answer(&mut self, entry: &Entry, said: &AssistantMessage) -> (Fate, Option<Sent>) {
        let Some(mut sent) = self.said.remove(&entry.id) else {
            let why = match self.summary {
                Some((summary, _)) if self.place < summary => return self.compacted(),
                _ if said.stop == Stop::Refusal => "a refused turn is not shown again",
                _ if said.blocks.is_empty() => "it is empty",
                _ => "it is only reasoning, which is no longer sent",
            };
            return (Fate::Left(why.to_owned()), None);
        };
        let count = |blocks: &[Block]| blocks.iter().filter(|b| matches!(b, Block::Thinking(_))).count();
        let mut why = Vec::new();
        if count(&sent.blocks) < count(&said.blocks) {
            why.push("its reasoning is left out: the messages before it have changed".to_owned());
        } else if count(&sent.blocks) > 0 && said.model != self.model {
            why.push(format!("reasoning of another model is dropped: {}", said.model));
            Arc::make_mut(&mut sent).blocks.retain(|block| !matches!(block, Block::Thinking(_)));
        }
        if said.interrupted {
            why.push("cut short: what came until then".to_owned());
        }
        let fate = if why.is_empty() { Fate::Sent } else { Fate::Changed(why.join("; ")) };
        // Its calls come after it in the ledger: who asks for them finds it here.
        self.said.insert(entry.id, Arc::clone(&sent));
        (fate, Some(Sent::Message(Message::Assistant(sent))))
    }

    fn result(&mut self, result: &ToolResult) -> (Fate, Option<Sent>) {
        if self.ours.contains(&result.call) {
            return (Fate::Left("the loop's own call: a checkpoint reports its result".to_owned()), None);
        }
        let Some(sent) = self.results.remove(&result.call) else { return self.compacted() };
        let mut why: Vec<String> =
            synthetic(result).map(|why| format!("synthetic · {why}")).into_iter().collect();
        if sent.images.len() < result.images.len() {
            why.push("its images are left out".to_owned());
        }
        if result.cut_chars > 0 {
            why.push(format!("cut: {} characters left out", result.cut_chars));
        }
        let fate = if why.is_empty() { Fate::Sent } else { Fate::Changed(why.join("; ")) };
        (fate, Some(Sent::Message(Message::Results(vec![sent]))))
    }
}

/// What is sent of an entry.
enum Sent {
    System(String),
    Message(Message),
}

/// Whose words the model takes an entry for.
fn role(body: &Body) -> &'static str {
    match body {
        Body::SessionStarted(_) => "system",
        Body::User(_) => "user",
        Body::Injected(said) if said.by == Injector::Steering => "user",
        Body::Injected(_) => "user, by us",
        Body::Compaction(_) => "user, summary",
        Body::Assistant(_) => "assistant",
        Body::ToolCall(_) | Body::Validation(_) | Body::Command(_) => "call",
        Body::ToolResult(_) => "tool result",
        _ => "",
    }
}
