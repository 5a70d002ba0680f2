//! The facts of a tool result from its words, as the reader of version 1 files finds them.

use std::sync::Arc;

use countersign::ledger::{Body, CallId, Entry, EntryId, Facts, Millis, Outcome, ToolResult};
use countersign::wire::record::{decode, encode};

/// Facts of a result of this tool.
pub(crate) fn facts(tool: &str, outcome: &Outcome, content: &str) -> Facts {
    let result = ToolResult {
        call: CallId(1),
        name: tool.to_owned(),
        outcome: outcome.clone(),
        content: content.to_owned(),
        written: None,
        duration_ms: 0,
        cut_chars: 0,
        facts: Facts::default(),
        images: Vec::new(),
    };
    let entry = Entry { id: EntryId(1), at: Millis(0), body: Body::ToolResult(Arc::new(result)) };
    let mut record = encode(&entry);
    record.as_object_mut().unwrap().remove("facts");
    match decode(&record).unwrap().body {
        Body::ToolResult(result) => result.facts.clone(),
        other => unreachable!("not a result: {other:?}"),
    }
}
