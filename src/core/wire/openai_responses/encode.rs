//! A request as Responses takes it: nothing is kept by the server, so all of it is sent.

use serde_json::{Map, Value, json};

use crate::model::{Effort, Request, ToolDescription};
use crate::wire::answer_format;
use crate::wire::body::JsonBody;
use crate::wire::call::{Endpoint, HttpCall};

use super::{history, hosted};

/// The call that asks for one streamed answer.
pub(crate) fn encode(request: &Request, endpoint: &Endpoint) -> HttpCall {
    let mut body = Map::new();
    let mut set = |name: &str, value: Value| body.insert(name.to_owned(), value);
    set("model", json!(request.model.name));
    set("max_output_tokens", json!(request.max_output.max(LEAST_OUTPUT)));
    set("stream", json!(true));
    set("store", json!(false));
    // Models that do not reason refuse to seal any reasoning. One that nobody knows may reason, and without the seal its
    // reasoning could not go back; if it refuses, that is learned.
    if request.reasons != Some(false) && !endpoint.quirks.without_sealed_reasoning {
        set("include", json!(["reasoning.encrypted_content"]));
    }
    let reasoning = reasoning(request, endpoint.quirks.without_reasoning_summary);
    if !reasoning.is_empty() {
        set("reasoning", Value::Object(reasoning));
    }
    let key = request.cache_key.as_str();
    if !key.is_empty() && key.len() <= LONGEST_KEY && !endpoint.quirks.without_cache_key {
        set("prompt_cache_key", json!(key));
    }
    if !request.system.trim().is_empty() {
        set("instructions", json!(request.system));
    }
    if let Some(schema) = &request.answer_schema {
        set("text", json!({ "format": answer_format::responses(schema) }));
    }
    let hosted = request.hosted(&endpoint.hosted_tools).map(|name| hosted::tool(name));
    let tools: Vec<Value> = request.tools.iter().map(|one| tool(one)).chain(hosted).collect();
    if !tools.is_empty() {
        set("tools", Value::Array(tools));
    }
    let mut body = JsonBody::begin(request, body, "input");
    history::write(request, &mut body);
    HttpCall { url: endpoint.url("responses"), headers: endpoint.bearer_headers(), body: body.finish() }
}

/// The effort that was chosen, and a summary of the reasoning where there is some: of a model that is known to reason,
/// or is told to.
fn reasoning(request: &Request, without_summary: bool) -> Map<String, Value> {
    let effort = request.effort_to_ask();
    let reasons = match effort {
        Some(level) => level != Effort::None,
        None => request.reasons == Some(true),
    };
    let mut members = Map::new();
    members.extend(effort.map(|level| ("effort".to_owned(), json!(level.as_str()))));
    if reasons && !without_summary {
        members.insert("summary".to_owned(), json!("auto"));
    }
    members
}

/// A longer key of the cache is refused.
const LONGEST_KEY: usize = 64;

/// A lower limit is refused.
const LEAST_OUTPUT: u64 = 16;

/// Without `strict: false` a schema would have to obey rules of its own.
fn tool(tool: &ToolDescription) -> Value {
    let ToolDescription { name, description, schema, .. } = tool;
    json!({
        "type": "function", "name": name, "description": description, "parameters": schema, "strict": false,
    })
}
