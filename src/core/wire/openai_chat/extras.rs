//! What a server hangs on a call and wants back with it: one vendor signs the thought behind each call there.

use serde_json::{Map, Value, json};

use crate::ledger::Block;

/// Under which name a call carries it, and a message's blob keeps it.
pub(super) const MEMBER: &str = "extra_content";

/// The blob that keeps the extras of a message's calls, by the call's number in the message.
pub(super) fn blob<'a>(extras: impl Iterator<Item = (u32, &'a Value)>) -> Option<Value> {
    let kept: Map<String, Value> = extras.map(|(index, extra)| (index.to_string(), extra.clone())).collect();
    (!kept.is_empty()).then(|| json!({ MEMBER: kept }))
}

/// Puts what the calls of an earlier message of the same model came with back where it was.
pub(super) fn replay(blocks: &[Block], calls: &mut [Value]) {
    let blobs =
        blocks.iter().filter_map(|b| if let Block::Thinking(t) = b { t.replay.as_ref() } else { None });
    let kept = blobs.filter_map(|blob| blob.get(MEMBER)?.as_object()).flatten();
    for (index, extra) in kept {
        let call = index.parse::<usize>().ok().and_then(|index| calls.get_mut(index));
        if let Some(call) = call.and_then(Value::as_object_mut) {
            call.insert(MEMBER.to_owned(), extra.clone());
        }
    }
}

/// The vendor that signs refuses a step whose first call has no signature. For calls that it did not make itself it
/// documents this stand-in.
pub(super) fn stand_in(calls: &mut [Value]) {
    if let Some(first) = calls.first_mut().and_then(Value::as_object_mut) {
        first.entry(MEMBER).or_insert_with(
            || json!({ "google": { "thought_signature": "skip_thought_signature_validator" } }),
        );
    }
}
