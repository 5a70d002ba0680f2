//! What a Responses server counted, in our meaning.

use serde_json::Value;

use crate::ledger::Usage;
use crate::wire::charge;

/// The usage of a response, once it has one.
pub(super) fn find(response: &Value) -> Option<Usage> {
    let usage = response.get("usage").filter(|usage| usage.is_object())?;
    let count = |path: &str| usage.pointer(path).and_then(Value::as_u64).unwrap_or_default();
    Some(Usage {
        input: count("/input_tokens"),
        output: count("/output_tokens"),
        cache_read: count("/input_tokens_details/cached_tokens"),
        cache_write: count("/input_tokens_details/cache_write_tokens"),
        reasoning: count("/output_tokens_details/reasoning_tokens"),
        cost: charge::told(usage),
        estimated: false,
    })
}
