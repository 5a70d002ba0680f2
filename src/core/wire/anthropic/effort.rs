//! How hard the model is to think, as Messages says it: by a level, or for older models by a number of tokens. A model
//! that finds out itself how long to think is asked to, and to show it, also when nobody chose an effort.

use serde_json::{Map, Value, json};

use crate::ledger::{Block, Message};
use crate::model::{Effort, Request};
use crate::wire::call::Quirks;

/// The fewest tokens that thinking may be given.
const LEAST_BUDGET: u64 = 1024;

/// Writes what is asked for, if anything is, into the body of the call. An older model, or one that nobody knows, does
/// not think unasked: there it costs what nobody chose, and not every server takes the words.
pub(super) fn set(request: &Request, quirks: Quirks, body: &mut Map<String, Value>) {
    let thinking = match request.effort_to_ask() {
        None if request.thinks_by_itself() && !quirks.without_thinking_unasked => adaptive(quirks),
        None => return,
        Some(Effort::None) => json!({ "type": "disabled" }),
        Some(level) if request.adaptive_thinking => {
            body.insert("output_config".to_owned(), json!({ "effort": level_name(level) }));
            adaptive(quirks)
        }
        Some(level) => match budget(level, request) {
            Some(tokens) => json!({ "type": "enabled", "budget_tokens": tokens }),
            None => return,
        },
    };
    body.insert("thinking".to_owned(), thinking);
}

/// The newest models say nothing of what they think unless they are asked to show it.
fn adaptive(quirks: Quirks) -> Value {
    if quirks.without_thinking_display {
        return json!({ "type": "adaptive" });
    }
    json!({ "type": "adaptive", "display": "summarized" })
}

/// The protocol begins at low.
fn level_name(level: Effort) -> &'static str {
    level.max(Effort::Low).as_str()
}

/// Tokens for thinking; half of the answer's at most. `None`: there is no room, or thinking may not begin now.
fn budget(level: Effort, request: &Request) -> Option<u64> {
    let wanted = match level {
        Effort::None | Effort::Minimal => LEAST_BUDGET,
        Effort::Low => 4_096,
        Effort::Medium => 8_192,
        Effort::High => 16_384,
        Effort::XHigh => 24_576,
        Effort::Max => 32_768,
    };
    let tokens = wanted.min(request.max_output / 2);
    (tokens >= LEAST_BUDGET && !is_amid_calls_without_thinking(request)).then_some(tokens)
}

/// With thinking switched on, an answer whose calls were just run must begin with thinking, or the request is refused.
/// It does not when it was given before the switch, or by another model: then thinking begins with the next message.
fn is_amid_calls_without_thinking(request: &Request) -> bool {
    let mut messages = request.messages.iter().rev();
    let mut has_results = false;
    let answer = messages.find_map(|message| match message {
        Message::Assistant(answer) => Some(answer),
        Message::Results(_) => {
            has_results = true;
            None
        }
        Message::User(_) => None,
    });
    let begins_with_thinking = answer.is_some_and(|answer| {
        let first = answer.blocks.first();
        answer.model == request.model
            && matches!(first, Some(Block::Thinking(thinking)) if thinking.replay.is_some())
    });
    has_results && !begins_with_thinking
}
