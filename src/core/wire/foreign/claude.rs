//! Session files of Claude Code: one object a line, each naming the one before it, so that a file can hold several branches of
//! a conversation. A message of the model is several lines with one id.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::ledger::Arguments;

use super::super::record::read_moment;
use super::lines::text;
use super::reading::{ForeignReading, Known, keep_first};

/// Most bytes of an id.
const MOST_OF_AN_ID: usize = 128;
/// The model of messages that no model said.
const NO_MODEL: &str = "<synthetic>";

/// The lines of a file and how they hang together; later, those of the branch that was left last.
#[derive(Debug, Default)]
pub(super) struct Thread {
    nodes: BTreeMap<String, Node>,
    last: Option<String>,
    groups: BTreeSet<String>,
}

#[derive(Debug)]
struct Node {
    before: Option<String>,
    group: Option<String>,
}

/// Whether a line is one of Claude Code.
pub(super) fn is_one(value: &Value) -> bool {
    match text(value, "type") {
        Some("user" | "assistant") => value.get("message").is_some_and(Value::is_object),
        Some("summary") => value.get("leafUuid").is_some(),
        Some(_) => text(value, "sessionId").is_some() || text(value, "parentUuid").is_some(),
        None => false,
    }
}

/// Takes notice of a line.
pub(super) fn survey(known: &mut Known, thread: &mut Thread, value: &Value) {
    if is_beside(value) {
        return;
    }
    keep_first(&mut known.session, value.get("sessionId"));
    keep_first(&mut known.cwd, value.get("cwd"));
    if known.began.is_none() {
        known.began = value.get("timestamp").and_then(read_moment);
    }
    let message = value.get("message");
    let model = message.and_then(|message| message.get("model"));
    keep_first(&mut known.model, model.filter(|model| *model != NO_MODEL));
    if let Some(id) = id(value, "uuid") {
        let before = id_of(value.get("parentUuid")).or_else(|| id_of(value.get("logicalParentUuid")));
        let group = message.and_then(|message| id_of(message.get("id")));
        if matches!(text(value, "type"), Some("user" | "assistant")) {
            thread.last = Some(id.clone());
        }
        thread.nodes.insert(id, Node { before, group });
    }
}

impl Thread {
    /// Keeps only the lines that lead to the last one.
    pub(super) fn close(&mut self) {
        let mut kept = BTreeMap::new();
        let mut next = self.last.take();
        while let Some((id, node)) = next.and_then(|id| self.nodes.remove_entry(&id)) {
            self.groups.extend(node.group.clone());
            next = node.before.clone();
            kept.insert(id, node);
        }
        // A message is complete when all its lines are there; the results of its calls may hang beside the branch.
        for (id, node) in std::mem::take(&mut self.nodes) {
            if node.group.as_ref().is_some_and(|group| self.groups.contains(group)) {
                kept.insert(id, node);
            }
        }
        self.nodes = kept;
    }

    /// Whether a line belongs to it. One without an id does, and so do results of calls that do.
    fn has(&self, value: &Value) -> bool {
        let Some(id) = id(value, "uuid") else { return true };
        let leads_on =
            || id_of(value.get("parentUuid")).is_some_and(|before| self.nodes.contains_key(&before));
        self.nodes.contains_key(&id) || has_results(value) && leads_on()
    }
}

/// Takes a line in.
pub(super) fn read(import: &mut ForeignReading, thread: &Thread, value: &Value) {
    let kind = text(value, "type");
    if is_beside(value) || matches!(kind, Some("user" | "assistant")) && !thread.has(value) {
        import.counts.beside += 1;
        return;
    }
    import.maker.at(value.get("timestamp").and_then(read_moment));
    let is_taken = match (kind, value.get("message")) {
        (Some("user"), Some(message)) => user(import, value, message),
        (Some("assistant"), Some(message)) => assistant(import, message),
        (Some("summary"), _) => titled(import, text(value, "summary")),
        (Some("custom-title"), _) => titled(import, text(value, "customTitle")),
        (Some("ai-title"), _) => titled(import, text(value, "aiTitle")),
        _ => false,
    };
    import.counts.skipped += usize::from(!is_taken);
}

fn titled(import: &mut ForeignReading, title: Option<&str>) -> bool {
    import.title = title.map(str::to_owned).or(import.title.take());
    title.is_some()
}

fn user(import: &mut ForeignReading, value: &Value, message: &Value) -> bool {
    if value.get("isMeta") == Some(&Value::Bool(true)) {
        return false;
    }
    if value.get("isCompactSummary") == Some(&Value::Bool(true)) {
        import.maker.summary(&words(message.get("content")));
        return true;
    }
    let mut is_taken = false;
    let (results, said): (Vec<&Value>, Vec<&Value>) = match message.get("content") {
        Some(Value::Array(blocks)) => {
            blocks.iter().partition(|block| text(block, "type") == Some("tool_result"))
        }
        Some(content) => (Vec::new(), vec![content]),
        None => (Vec::new(), Vec::new()),
    };
    for result in results {
        let failed = result.get("is_error") == Some(&Value::Bool(true));
        let call = text(result, "tool_use_id").unwrap_or_default();
        import.result(call, words(result.get("content")), failed);
        is_taken = true;
    }
    let unknown = said.iter().filter(|block| !is_known(block)).count();
    let said: Vec<String> = said.into_iter().map(block_words).filter(|words| !words.is_empty()).collect();
    is_taken |= !said.is_empty();
    import.maker.user(said.join("\n\n"));
    import.counts.parts += if is_taken { unknown } else { 0 };
    is_taken
}

fn assistant(import: &mut ForeignReading, message: &Value) -> bool {
    let model = text(message, "model");
    let Some(Value::Array(blocks)) = message.get("content") else { return false };
    if model == Some(NO_MODEL) {
        return false;
    }
    let group = text(message, "id");
    let mut taken = 0;
    for block in blocks {
        let is_taken = match text(block, "type") {
            Some("text") => {
                import.maker.text(group, model, text(block, "text").unwrap_or_default());
                true
            }
            // Its signature is for the request that it came from.
            Some("thinking") => {
                import.maker.thinking(group, model, text(block, "thinking").unwrap_or_default());
                true
            }
            Some("tool_use") => {
                let arguments = Arguments::from_value(block.get("input").cloned().unwrap_or_default());
                let called = (text(block, "id").unwrap_or_default(), text(block, "name").unwrap_or_default());
                import.call(group, model, called, arguments);
                true
            }
            _ => false,
        };
        taken += usize::from(is_taken);
    }
    // A line of which nothing is taken is counted as a line.
    import.counts.parts += if taken > 0 { blocks.len().saturating_sub(taken) } else { 0 };
    taken > 0
}

/// What a content says: text, or blocks of it.
fn words(content: Option<&Value>) -> String {
    match content {
        Some(Value::Array(blocks)) => blocks.iter().map(block_words).collect::<Vec<_>>().join("\n"),
        Some(content) => block_words(content),
        None => String::new(),
    }
}

fn block_words(block: &Value) -> String {
    match block {
        Value::String(text) => text.clone(),
        block => match text(block, "type") {
            Some("text") => text(block, "text").unwrap_or_default().to_owned(),
            Some("image") => "(an image, which was not imported)".to_owned(),
            Some("document") => "(a document, which was not imported)".to_owned(),
            _ => String::new(),
        },
    }
}

/// Whether a block is of a kind that says something here.
fn is_known(block: &Value) -> bool {
    block.is_string() || matches!(text(block, "type"), Some("text" | "image" | "document"))
}

fn has_results(value: &Value) -> bool {
    let content = value.get("message").and_then(|message| message.get("content")).and_then(Value::as_array);
    content.is_some_and(|blocks| blocks.iter().any(|block| text(block, "type") == Some("tool_result")))
}

/// What an agent said that worked beside the conversation.
fn is_beside(value: &Value) -> bool {
    value.get("isSidechain") == Some(&Value::Bool(true))
}

fn id(value: &Value, member: &str) -> Option<String> {
    id_of(value.get(member))
}

fn id_of(value: Option<&Value>) -> Option<String> {
    value.and_then(Value::as_str).filter(|id| !id.is_empty() && id.len() <= MOST_OF_AN_ID).map(str::to_owned)
}
