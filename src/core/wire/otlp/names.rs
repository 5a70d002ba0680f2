//! Names that the conventions have for what the ledger has names of its own for.

use crate::ledger::{ModelRef, Stop, Transition, Usage};
use serde_json::Value;

use super::span::{flag, fraction, name, number, text};

/// What the conventions call an error of no kind that they know.
pub(super) const OTHER: &str = "_OTHER";

/// The provider of a model.
pub(super) fn provider(model: &ModelRef) -> String {
    match model.provider.as_str() {
        "openai-chat" | "openai-responses" => "openai".to_owned(),
        "gemini" => "gcp.gemini".to_owned(),
        "vertex" => "gcp.vertex_ai".to_owned(),
        "mistral" => "mistral_ai".to_owned(),
        "xai" => "x_ai".to_owned(),
        "bedrock" => "aws.bedrock".to_owned(),
        "azure" => "azure.ai.openai".to_owned(),
        other => name(other),
    }
}

/// A model as its provider names it; some stand alone.
pub(super) fn model(model: &ModelRef) -> String {
    name(if model.name.is_empty() { &model.provider } else { &model.name })
}

/// Why a model stopped.
pub(super) fn finish(stop: &Stop) -> String {
    match stop {
        Stop::End => "stop".to_owned(),
        Stop::ToolUse => "tool_call".to_owned(),
        Stop::Refusal => "content_filter".to_owned(),
        other => name(other.as_str()),
    }
}

/// What kind of error a call of a model ended with, by what the loop did next.
pub(super) fn failure(next: Transition) -> &'static str {
    match next {
        Transition::TransientRetry | Transition::ModelFallback | Transition::ReactiveCompactRetry => {
            next.as_str()
        }
        _ => OTHER,
    }
}

/// Tokens and what they cost.
pub(super) fn usage(used: &Usage) -> Vec<Value> {
    let mut attributes = vec![
        number("gen_ai.usage.input_tokens", used.input),
        number("gen_ai.usage.output_tokens", used.output),
    ];
    let parts = [
        ("gen_ai.usage.cache_read.input_tokens", used.cache_read),
        ("gen_ai.usage.cache_creation.input_tokens", used.cache_write),
        ("countersign.usage.reasoning_tokens", used.reasoning),
    ];
    attributes
        .extend(parts.into_iter().filter(|(_, count)| *count > 0).map(|(key, count)| number(key, count)));
    if let Some(cost) = used.cost {
        #[allow(clippy::cast_precision_loss, reason = "a cost of more than 2^53 millionths is none")]
        let dollars = cost.0 as f64 / 1_000_000.0;
        attributes.push(fraction("countersign.usage.cost_usd", dollars));
    }
    if used.estimated {
        attributes.push(flag("countersign.usage.estimated", true));
    }
    attributes
}

/// The entry that a span or an event was made of.
pub(super) fn entry(id: crate::ledger::EntryId) -> Value {
    text("countersign.entry", &id.to_string())
}
