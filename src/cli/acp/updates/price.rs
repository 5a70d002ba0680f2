//! The price of a request that waits, as a call of its own that a client can be asked about.

use serde_json::{Value, json};

use crate::ledger::{EntryId, MicroDollars, PriceEstimate};

/// It, before it is decided about.
pub(in crate::cli::acp) fn asked(entry: EntryId, estimate: &PriceEstimate, up_to: u64) -> Value {
    let answer = estimate.answer.map_or_else(String::new, |(least, most)| {
        format!(" and {} to {} for the answer", MicroDollars(least), MicroDollars(most))
    });
    let words = format!(
        "The next request would cost about {} for the prompt ({} cached and {} new tokens){answer}; you are asked above {}. \
         A yes accepts up to {} for each request of this run.",
        MicroDollars(estimate.prompt),
        estimate.cached,
        estimate.fresh,
        MicroDollars(estimate.limit),
        MicroDollars(up_to),
    );
    json!({
        "toolCallId": id(entry),
        "title": format!("The price of the next request: up to {}", MicroDollars(up_to)),
        "kind": "other",
        "status": "pending",
        "content": [{ "type": "content", "content": { "type": "text", "text": words } }],
        "_meta": { "countersign/price": {
            "entry": entry.to_string(),
            "prompt": estimate.prompt,
            "answer": estimate.answer.map(|(least, most)| [least, most]),
            "limit": estimate.limit,
            "upTo": up_to,
        } },
    })
}

/// It is decided.
pub(in crate::cli::acp) fn answered(entry: EntryId, is_accepted: bool) -> Value {
    let status = if is_accepted { "completed" } else { "failed" };
    json!({ "sessionUpdate": "tool_call_update", "toolCallId": id(entry), "status": status })
}

fn id(entry: EntryId) -> String {
    format!("price-{entry}")
}
