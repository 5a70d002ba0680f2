//! The chunks that make up nearly all of a stream, pieces of text, reasoning or arguments and nothing else, read
//! without a tree of values.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;

/// What such a chunk says; what it does not say is missing or empty.
#[derive(Deserialize)]
pub(super) struct QuickChunk {
    #[serde(default)]
    pub(super) content: Option<String>,
    #[serde(default)]
    pub(super) reasoning: Option<String>,
    #[serde(default)]
    pub(super) reasoning_content: Option<String>,
    #[serde(default, rename = "tool_calls")]
    pub(super) call: Option<(Fragment,)>,
    refusal: Option<IgnoredAny>,
    function_call: Option<IgnoredAny>,
    reasoning_details: Option<IgnoredAny>,
}

/// More arguments of a call that has begun.
#[derive(Deserialize)]
pub(super) struct Fragment {
    /// The server's number of the call.
    #[serde(rename = "index")]
    pub(super) slot: u64,
    pub(super) function: Function,
    #[serde(default)]
    id: Option<String>,
    extra_content: Option<IgnoredAny>,
}

#[derive(Deserialize)]
pub(super) struct Function {
    pub(super) arguments: String,
    #[serde(default)]
    name: Option<String>,
}

/// Everything else that a chunk may say must be missing or null, or the chunk says more than a piece.
#[derive(Deserialize)]
struct Chunk<'a> {
    choices: (QuickChoice,),
    usage: Option<IgnoredAny>,
    x_groq: Option<IgnoredAny>,
    error: Option<IgnoredAny>,
    #[serde(default, borrow)]
    object: Cow<'a, str>,
}

#[derive(Deserialize)]
struct QuickChoice {
    #[serde(default)]
    index: u64,
    delta: QuickChunk,
    finish_reason: Option<IgnoredAny>,
    usage: Option<IgnoredAny>,
    message: Option<IgnoredAny>,
}

/// The piece of a chunk that says nothing else. `None`: it must be read in full.
pub(super) fn piece(data: &str) -> Option<QuickChunk> {
    let Chunk { choices: (choice,), usage, x_groq, error, object } = serde_json::from_str(data).ok()?;
    let QuickChoice { index: 0, delta, finish_reason: None, usage: None, message: None } = choice else {
        return None;
    };
    let says_more = usage.or(x_groq).or(error).is_some() || object == "error";
    (!says_more && delta.is_plain()).then_some(delta)
}

impl QuickChunk {
    fn is_plain(&self) -> bool {
        let named = |text: &Option<String>| text.as_ref().is_some_and(|text| !text.is_empty());
        let begins = self.call.as_ref().is_some_and(|(fragment,)| {
            named(&fragment.id) || named(&fragment.function.name) || fragment.extra_content.is_some()
        });
        !begins && self.refusal.is_none() && self.function_call.is_none() && self.reasoning_details.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEGINS: &str =
        r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"write","arguments":""}}]}"#;

    #[test]
    fn what_says_more_is_read_in_full() {
        let quick = |delta: &str| piece(&format!(r#"{{"choices":[{{"delta":{delta}}}]}}"#)).is_some();
        assert!(quick(r#"{"content":"a"}"#) && quick(r#"{"reasoning":"a"}"#));
        assert!(quick(r#"{"tool_calls":[{"index":0,"function":{"arguments":"a"}}]}"#));
        for full in [
            BEGINS,
            r#"{"content":["a"]}"#,
            r#"{"content":"a","refusal":"b"}"#,
            r#"{"content":"a","function_call":{"arguments":"b"}}"#,
            r#"{"reasoning":"a","reasoning_details":[]}"#,
            r#"{"tool_calls":[{"index":0,"function":{"arguments":"a"},"extra_content":{}}]}"#,
            r#"{"tool_calls":[{"index":0,"function":{"arguments":{}}}]}"#,
            r#"{"tool_calls":[{"function":{"arguments":"a"}}]}"#,
            r#"{"tool_calls":[{"index":0,"function":{"arguments":"a"}},{"index":1}]}"#,
        ] {
            assert!(!quick(full), "{full}");
        }
        for data in [
            r#"{"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}"#,
            r#"{"choices":[{"index":1,"delta":{"content":"a"}}]}"#,
            r#"{"choices":[{"delta":{},"message":{"content":"a"}}]}"#,
            r#"{"choices":[{"delta":{"content":"a"}}],"usage":{}}"#,
            r#"{"choices":[{"delta":{"content":"a"}}],"error":{"message":"b"}}"#,
            r#"{"object":"error","choices":[{"delta":{"content":"a"}}]}"#,
            r#"{"choices":[]}"#,
        ] {
            assert!(piece(data).is_none(), "{data}");
        }
    }
}
