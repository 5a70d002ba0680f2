//! What a Chat Completions server counted, in our meaning.

use serde_json::Value;

use crate::ledger::Usage;
use crate::wire::charge;

/// The usage in a chunk, wherever the server puts it.
pub(super) fn find(chunk: &Value) -> Option<Usage> {
    ["/usage", "/x_groq/usage", "/choices/0/usage"]
        .into_iter()
        .find_map(|path| chunk.pointer(path).filter(|usage| usage.is_object()))
        .map(read)
}

fn read(usage: &Value) -> Usage {
    let count = |path: &str| usage.pointer(path).and_then(Value::as_u64);
    let input = count("/prompt_tokens").unwrap_or_default();
    let written = count("/completion_tokens").unwrap_or_default();
    let reasoning = count("/completion_tokens_details/reasoning_tokens").unwrap_or_default();
    let cached = count("/prompt_tokens_details/cached_tokens").or_else(|| count("/prompt_cache_hit_tokens"));
    // One vendor counts reasoning beside the written tokens, not among them: its total gives it away.
    let beside = written.saturating_add(reasoning);
    let apart = reasoning > 0 && count("/total_tokens") == Some(input.saturating_add(beside));
    Usage {
        input,
        output: if apart { beside } else { written },
        cache_read: cached.unwrap_or_default(),
        cache_write: count("/prompt_tokens_details/cache_write_tokens").unwrap_or_default(),
        reasoning,
        cost: charge::told(usage),
        estimated: false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn counts_as_large_as_they_may_be_are_added() {
        let usage = json!({
            "prompt_tokens": u64::MAX, "completion_tokens": u64::MAX, "total_tokens": u64::MAX,
            "completion_tokens_details": { "reasoning_tokens": u64::MAX },
        });
        let read = find(&json!({ "usage": usage })).unwrap();
        assert_eq!((read.input, read.output, read.reasoning), (u64::MAX, u64::MAX, u64::MAX));
    }
}
