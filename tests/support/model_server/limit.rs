//! A window that is really smaller than the client may think: what counts, and how each provider refuses the rest.

use serde_json::{Value, json};

use super::Reply;
use super::connection::Speech;

/// What a prompt holds: system, tools and messages, at 3.4 bytes of JSON a token. A client that counts otherwise is wrong
/// here as it is elsewhere.
pub(super) fn prompt(body: &Value) -> u64 {
    let members = ["system", "instructions", "tools", "messages", "input"];
    let bytes: usize = members.iter().filter_map(|name| body.get(*name)).map(|v| v.to_string().len()).sum();
    bytes as u64 * 10 / 34
}

/// The provider's own refusal of what does not fit. Messages and Chat count the output that is asked for, Responses the
/// prompt alone; and Responses does not say how large its window is.
pub(super) fn refusal(speech: Speech, body: &Value, window: u64) -> Option<Reply> {
    let prompt = prompt(body);
    let output = ["max_tokens", "max_completion_tokens"].iter().find_map(|name| body[*name].as_u64());
    let output = output.unwrap_or_default();
    let counts_output = !matches!(speech, Speech::OpenAiResponses);
    if prompt <= window && (prompt + output <= window || !counts_output) {
        return None;
    }
    let invalid = "invalid_request_error";
    let error = match speech {
        Speech::Anthropic if prompt > window => {
            let message = format!("prompt is too long: {prompt} tokens > {window} maximum");
            json!({ "type": "error", "error": { "type": invalid, "message": message } })
        }
        Speech::Anthropic => {
            let message = format!(
                "input length and `max_tokens` exceed context limit: {prompt} + {output} > {window}, decrease input \
                 length or `max_tokens` and try again"
            );
            json!({ "type": "error", "error": { "type": invalid, "message": message } })
        }
        Speech::OpenAiChat => {
            let message = format!(
                "This model's maximum context length is {window} tokens. However, you requested {} tokens ({prompt} in \
                 the messages, {output} in the completion). Please reduce the length of the messages or completion.",
                prompt + output
            );
            json!({ "error": { "message": message, "type": invalid, "param": "messages", "code": "context_length_exceeded" } })
        }
        Speech::OpenAiResponses => {
            let message = "Your input exceeds the context window of this model. Please adjust your input and try again.";
            json!({ "error": { "message": message, "type": invalid, "param": "input", "code": "context_length_exceeded" } })
        }
    };
    Some(Reply::raw(400, "application/json", &error.to_string()))
}
