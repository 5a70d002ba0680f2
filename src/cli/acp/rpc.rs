//! JSON-RPC 2.0 as far as the protocol uses it: what a line says, and the lines that answer.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::wire::Bulk;

/// The line is no JSON.
const PARSE_ERROR: i64 = -32700;
/// The line is JSON, but no request, notification or response.
const INVALID_REQUEST: i64 = -32600;
/// Nobody here has a method of this name.
const METHOD_NOT_FOUND: i64 = -32601;
/// The method does not take these parameters.
const INVALID_PARAMS: i64 = -32602;
/// It failed here.
const INTERNAL_ERROR: i64 = -32603;
/// Longest id of a request that is a text.
const LONGEST_ID: usize = 256;

/// What a line says.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Incoming {
    /// A request: it is answered once.
    Request {
        /// Names it: a number or a text.
        id: Value,
        /// What is asked for.
        method: String,
        /// With what.
        params: Value,
    },
    /// A notification: nobody answers it.
    Notification {
        /// What has happened.
        method: String,
        /// With what.
        params: Value,
    },
    /// The answer to a request of ours.
    Response {
        /// Which.
        id: Value,
        /// The result, or the error.
        outcome: Result<Value, Value>,
    },
}

/// Why a request is answered with an error.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct RpcError {
    code: i64,
    message: String,
}

impl RpcError {
    /// The line is no JSON.
    pub(super) fn parse(why: impl Into<String>) -> Self {
        Self { code: PARSE_ERROR, message: why.into() }
    }

    /// The request cannot be made, at least not now.
    pub(super) fn request(why: impl Into<String>) -> Self {
        Self { code: INVALID_REQUEST, message: why.into() }
    }

    /// There is no such method.
    pub(super) fn method(name: &str) -> Self {
        let name: String = name.chars().take(100).collect();
        Self { code: METHOD_NOT_FOUND, message: format!("there is no method {name:?}") }
    }

    /// The method does not take these parameters.
    pub(super) fn params(why: impl Into<String>) -> Self {
        Self { code: INVALID_PARAMS, message: why.into() }
    }

    /// It failed here.
    pub(super) fn internal(why: impl Into<String>) -> Self {
        Self { code: INTERNAL_ERROR, message: why.into() }
    }

    /// The words.
    #[cfg(test)]
    pub(super) fn words(&self) -> &str {
        &self.message
    }
}

/// A line that is answered with an error at once.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct BadLine {
    /// The id of the request; null where the line does not tell.
    pub(super) id: Value,
    /// Why.
    pub(super) error: RpcError,
}

impl BadLine {
    /// One whose request is not known.
    pub(super) fn nameless(error: RpcError) -> Self {
        Self { id: Value::Null, error }
    }
}

/// Reads a line.
///
/// # Errors
/// What is no JSON, holds too many values, or is no message of JSON-RPC.
pub(super) fn read(line: &[u8]) -> Result<Incoming, BadLine> {
    // Counted before anything is built of it: millions of empty objects would take gigabytes.
    if !Bulk::fits(line) {
        return Err(BadLine::nameless(RpcError::request("the message holds too many values")));
    }
    let value: Value = serde_json::from_slice(line)
        .map_err(|why| BadLine::nameless(RpcError::parse(format!("the line is not JSON: {why}"))))?;
    let Value::Object(mut members) = value else {
        let words = "the line is not one JSON object; batches are not supported";
        return Err(BadLine::nameless(RpcError::request(words)));
    };
    let id = members.remove("id");
    let is_name = |id: &Value| match id {
        Value::Number(_) => true,
        Value::String(text) => text.len() <= LONGEST_ID,
        _ => false,
    };
    let wrong = |id: &Option<Value>, why: &str| BadLine {
        id: id.clone().filter(is_name).unwrap_or(Value::Null),
        error: RpcError::request(why),
    };
    if members.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err(wrong(&id, "the message does not say \"jsonrpc\":\"2.0\""));
    }
    let params = members.remove("params").unwrap_or(Value::Null);
    match (members.remove("method"), id) {
        (Some(Value::String(method)), None) => Ok(Incoming::Notification { method, params }),
        (Some(Value::String(method)), Some(id)) if is_name(&id) => {
            Ok(Incoming::Request { id, method, params })
        }
        (Some(Value::String(_)), id) => Err(wrong(&id, "the id is neither a number nor a short text")),
        (Some(_), id) => Err(wrong(&id, "the method is not a text")),
        (None, Some(id)) if is_name(&id) => answered(id, members),
        (None, id) => Err(wrong(&id, "the message has neither a method nor the id of a request")),
    }
}

fn answered(id: Value, mut members: Map<String, Value>) -> Result<Incoming, BadLine> {
    let outcome = match (members.remove("result"), members.remove("error")) {
        (Some(result), None) => Ok(result),
        (_, Some(error)) => Err(error),
        (None, None) => {
            let error = RpcError::request("the answer has neither a result nor an error");
            return Err(BadLine { id, error });
        }
    };
    Ok(Incoming::Response { id, outcome })
}

/// The answer to a request.
pub(super) fn response(id: &Value, outcome: Result<Value, RpcError>) -> Value {
    match outcome {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err(error) => json!({ "jsonrpc": "2.0", "id": id, "error": error }),
    }
}

/// A request of ours.
pub(super) fn request(id: &str, method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

/// A notification of ours.
pub(super) fn notification(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
}

/// Parameters as this type has them; members that it does not know are left alone.
///
/// # Errors
/// -32602, in words.
pub(super) fn params<T: serde::de::DeserializeOwned>(params: Value) -> Result<T, RpcError> {
    let params = if params.is_null() { json!({}) } else { params };
    serde_json::from_value(params)
        .map_err(|why| RpcError::params(format!("the parameters were not understood: {why}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(line: &str) -> (Value, i64) {
        let bad = read(line.as_bytes()).unwrap_err();
        (bad.id, bad.error.code)
    }

    #[test]
    fn a_line_is_a_request_a_notification_or_an_answer() {
        let read = |text: &str| read(text.as_bytes()).unwrap();
        let request = read(r#"{"jsonrpc":"2.0","id":"a","method":"m","params":{"x":1}}"#);
        let (id, method, params) = (json!("a"), "m".to_owned(), json!({ "x": 1 }));
        assert_eq!(request, Incoming::Request { id, method, params });
        let told = read(r#"{"jsonrpc":"2.0","method":"m"}"#);
        assert_eq!(told, Incoming::Notification { method: "m".to_owned(), params: Value::Null });
        let done = read(r#"{"jsonrpc":"2.0","id":3,"result":null}"#);
        assert_eq!(done, Incoming::Response { id: json!(3), outcome: Ok(Value::Null) });
        let failed = read(r#"{"jsonrpc":"2.0","id":3,"error":{"code":1}}"#);
        assert_eq!(failed, Incoming::Response { id: json!(3), outcome: Err(json!({ "code": 1 })) });
    }

    #[test]
    fn what_is_none_of_these_is_named_with_its_code() {
        assert_eq!(code("{"), (Value::Null, PARSE_ERROR));
        assert_eq!(code(&"[".repeat(5_000)), (Value::Null, PARSE_ERROR));
        let many = format!("[{}]", "{},".repeat(200_000));
        for line in ["[]", "7", r#"{"id":1,"method":"m"}"#, many.as_str()] {
            assert_eq!(code(line).1, INVALID_REQUEST, "{}", line.get(..40).unwrap_or(line));
        }
        assert_eq!(code(r#"{"jsonrpc":"2.0","id":1}"#), (json!(1), INVALID_REQUEST));
        assert_eq!(code(r#"{"jsonrpc":"2.0","id":1,"method":7}"#), (json!(1), INVALID_REQUEST));
        assert_eq!(code(r#"{"jsonrpc":"2.0","id":[1],"method":"m"}"#), (Value::Null, INVALID_REQUEST));
    }
}
