//! The chunk that makes up nearly all of a stream, a piece of text and nothing else, read without a tree of values.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;

/// Everything that a chunk may say; what is not borrowed must be missing or null, or the chunk says more than text.
#[derive(Deserialize)]
struct Chunk<'a> {
    #[serde(borrow)]
    choices: (Choice<'a>,),
    usage: Option<IgnoredAny>,
    x_groq: Option<IgnoredAny>,
    error: Option<IgnoredAny>,
    #[serde(default, borrow)]
    object: Cow<'a, str>,
}

#[derive(Deserialize)]
struct Choice<'a> {
    #[serde(default)]
    index: u64,
    #[serde(borrow)]
    delta: Delta<'a>,
    finish_reason: Option<IgnoredAny>,
    usage: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Delta<'a> {
    #[serde(borrow)]
    content: Cow<'a, str>,
    refusal: Option<IgnoredAny>,
    reasoning: Option<IgnoredAny>,
    reasoning_content: Option<IgnoredAny>,
    reasoning_details: Option<IgnoredAny>,
    tool_calls: Option<IgnoredAny>,
}

/// The text of a chunk that says nothing else. `None`: it must be read in full.
pub(super) fn text(data: &str) -> Option<Cow<'_, str>> {
    // A chunk of another kind should not be read twice.
    if !data.contains("\"content\":\"") {
        return None;
    }
    let Chunk { choices: (choice,), usage, x_groq, error, object } = serde_json::from_str(data).ok()?;
    let Choice { index: 0, delta, finish_reason: None, usage: None } = choice else { return None };
    let says_more = delta.refusal.or(delta.reasoning).or(delta.reasoning_content);
    let says_more = says_more.or(delta.reasoning_details).or(delta.tool_calls);
    let says_more = says_more.or(usage).or(x_groq).or(error).is_some() || object == "error";
    (!says_more).then_some(delta.content)
}
