//! A request as Responses takes it: nothing is kept by the server, so all of it is sent.

use serde_json::{Map, Value, json};

use crate::model::{Effort, Request, ToolDescription};
use crate::wire::body::Body;
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
    // Models that do not reason refuse to seal any reasoning.
    if !endpoint.quirks.without_sealed_reasoning {
        set("include", json!(["reasoning.encrypted_content"]));
    }
    if let Some(effort) = request.effort {
        set("reasoning", reasoning(effort, endpoint.quirks.without_reasoning_summary));
    }
    if !request.system.trim().is_empty() {
        set("instructions", json!(request.system));
    }
    let hosted = endpoint.hosted_tools.iter().map(|name| hosted::tool(name));
    let tools: Vec<Value> = request.tools.iter().map(tool).chain(hosted).collect();
    if !tools.is_empty() {
        set("tools", Value::Array(tools));
    }
    let mut body = Body::begin(request, body, "input");
    history::write(request, &mut body);
    HttpCall { url: endpoint.url("responses"), headers: endpoint.bearer_headers(), body: body.finish() }
}

fn reasoning(effort: Effort, without_summary: bool) -> Value {
    if without_summary || effort == Effort::None {
        return json!({ "effort": effort.as_str() });
    }
    json!({ "effort": effort.as_str(), "summary": "auto" })
}

/// A lower limit is refused.
const LEAST_OUTPUT: u64 = 16;

/// Without `strict: false` a schema would have to obey rules of its own.
fn tool(tool: &ToolDescription) -> Value {
    let ToolDescription { name, description, schema } = tool;
    json!({
        "type": "function", "name": name, "description": description, "parameters": schema, "strict": false,
    })
}
