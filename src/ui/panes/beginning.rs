//! The beginning of a call that is too long for its pane: a model may write megabytes of arguments, which would hold up each frame. All of
//! it is on its page.

use serde_json::{Map, Value};

use crate::ledger::{ApprovalRequest, Preview};
use crate::ui::text::split_before;

/// Bytes that a pane lays out: more than anybody reads in it.
const MOST_BYTES: usize = 64 * 1024;
/// Bytes that a number counts.
const NUMBER: usize = 8;

/// The request with the beginning of what is called with, if that is too long; `None`: it is not.
pub(super) fn of(request: &ApprovalRequest) -> Option<ApprovalRequest> {
    let size = match &request.preview {
        // A diff is bounded where it is made.
        Preview::Diff(_) if !request.is_partial => 0,
        Preview::Diff(_) | Preview::Command(_) | Preview::Recipient(_) | Preview::None => {
            bytes(&request.arguments)
        }
    };
    if size <= MOST_BYTES {
        return None;
    }
    let mut room = MOST_BYTES;
    let arguments = cut(&request.arguments, &mut room);
    let preview = match &request.preview {
        Preview::Command(command) => Preview::Command(split_before(command, MOST_BYTES).0.to_owned()),
        Preview::Diff(_) | Preview::Recipient(_) | Preview::None => request.preview.clone(),
    };
    Some(ApprovalRequest { arguments, preview, ..request.clone() })
}

/// About how many bytes a value has as text.
fn bytes(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(|item| bytes(item) + 1).sum(),
        Value::Object(members) => members.iter().map(|(name, value)| name.len() + bytes(value) + 1).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => NUMBER,
    }
}

/// As much of a value as there is room for.
fn cut(value: &Value, room: &mut usize) -> Value {
    match value {
        Value::String(text) => {
            let (kept, _) = split_before(text, *room);
            *room = room.saturating_sub(kept.len());
            Value::String(kept.to_owned())
        }
        Value::Array(items) => {
            let mut kept = Vec::new();
            for item in items {
                if *room == 0 {
                    break;
                }
                *room = room.saturating_sub(1);
                kept.push(cut(item, room));
            }
            Value::Array(kept)
        }
        Value::Object(members) => {
            let mut kept = Map::new();
            for (name, value) in members {
                // Half a name could be that of another one; but a name may be all that there is.
                if *room == 0 || (name.len() > *room && !kept.is_empty()) {
                    break;
                }
                let (name, _) = split_before(name, *room);
                *room = room.saturating_sub(name.len() + 1);
                kept.insert(name.to_owned(), cut(value, room));
            }
            Value::Object(kept)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {
            *room = room.saturating_sub(NUMBER);
            value.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_kept_is_a_beginning_and_bounded() {
        let begins = |value: &Value| {
            let mut room = MOST_BYTES;
            cut(value, &mut room)
        };
        let long = "é".repeat(MOST_BYTES);
        for value in [
            json!({ "a": 1, "body": long, "after": "x" }),
            json!({ "items": vec!["word"; MOST_BYTES] }),
            json!({ "items": vec![1; MOST_BYTES] }),
            json!({ (long.as_str()): long, "after": 1 }),
        ] {
            let kept = begins(&value);
            assert!(bytes(&value) > MOST_BYTES && bytes(&kept) <= MOST_BYTES + NUMBER + 1);
            assert!(bytes(&kept) > MOST_BYTES / 2 && kept.get("after").is_none());
        }
        let short = json!({ "a": [1, null, true, "x"], "b": { "c": "d" } });
        assert_eq!(begins(&short), short);
    }
}
