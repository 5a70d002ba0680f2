//! From an error answer to a [`ModelFailure`]: codes first, then the vendors' words, then the status.

use serde_json::Value;

use crate::model::{FailureClass, ModelFailure, NamedTool, Sizes};

use super::Endpoint;
use super::delay::told_delay;
use super::report::{Report, one_line, page_line};
use super::sizes;
use super::string_mode::speaks_against_tools;

/// What a failed HTTP answer means. `headers` are names and values; a body that is no text is read as far as it is.
pub fn http_failure(status: u16, headers: &[(String, String)], body: &[u8]) -> ModelFailure {
    let mut report = Report::of_body(&String::from_utf8_lossy(body));
    let header = |wanted: &str| headers.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted));
    let id = header("request-id").or_else(|| header("x-request-id")).map(|(_, value)| one_line(value));
    report.request_id = report.request_id.filter(|id| !id.is_empty()).or(id);
    let told = header("x-should-retry").map(|(_, value)| value.trim() == "true");
    let moved = header("location").map(|(_, target)| one_line(target));
    if let Some(target) = moved.filter(|_| (300..400).contains(&status)) {
        return redirected(status, &target);
    }
    conclude(Some(status), &report, headers, told)
}

/// What an error inside a stream, or in the body of a `200`, means.
pub(super) fn stream_failure(error: &Value) -> ModelFailure {
    let report = Report::of_value(error);
    conclude(None, &report, &[], None)
}

/// The stream ended before its protocol's end.
pub(super) fn cut_failure() -> ModelFailure {
    ModelFailure::new(FailureClass::Transient, "The connection ended before the answer was complete.")
        .unheard()
}

/// What came is not the protocol; `what` completes the sentence.
pub(super) fn protocol_failure(what: impl AsRef<str>) -> ModelFailure {
    ModelFailure::new(
        FailureClass::Protocol,
        format!("The server's answer cannot be read: {}.", what.as_ref()),
    )
}

/// A line in the midst of a stream is not what it should be, though others before it were: the next attempt may go well.
pub(super) fn broken_failure() -> ModelFailure {
    let what = "The answer broke off: a line of its stream cannot be read.";
    ModelFailure::new(FailureClass::Transient, what).unheard()
}

/// A page came instead of an answer.
pub(super) fn page_failure(body: &[u8]) -> ModelFailure {
    let line = page_line(&String::from_utf8_lossy(body));
    let shown = if line.is_empty() {
        "it is empty".to_owned()
    } else {
        format!("it is a page that says “{line}”")
    };
    protocol_failure(shown)
}

/// The target without its query: many servers repeat the one that they were asked with, and a key may stand there.
fn redirected(status: u16, target: &str) -> ModelFailure {
    let target = Endpoint::new(target, None).shown_url();
    ModelFailure {
        next: "Set the base URL to where the server really is.".to_owned(),
        ..ModelFailure::new(
            FailureClass::Protocol,
            format!("The server redirects elsewhere (HTTP {status}, to {target}); that was not followed."),
        )
    }
}

fn conclude(
    status: Option<u16>,
    report: &Report,
    headers: &[(String, String)],
    should_retry: Option<bool>,
) -> ModelFailure {
    let class = classify(status, report, should_retry);
    let delay = told_delay(headers, report.retry_delay.as_deref(), &report.message);
    let (said, facts) = (said(report), facts(status, report));
    let (message, brief) = match facts {
        Some(facts) => (format!("{said} ({facts})"), Some(said.into())),
        None => (said.to_owned(), None),
    };
    ModelFailure {
        class,
        message,
        brief,
        next: advice(status, class, report).to_owned(),
        retry_after_ms: delay.filter(|_| class.is_transient()),
        tool: named_tool(report).filter(|_| class == FailureClass::ToolRefused).map(Box::new),
        sizes: Box::new(if class == FailureClass::Overflow { sizes::told(report) } else { Sizes::default() }),
        // Whoever stands in between waited for the answer in vain.
        is_unheard: matches!(status, Some(504 | 524)),
    }
}

fn said(report: &Report) -> &str {
    if report.message.is_empty() { "The provider gave no reason" } else { &report.message }
}

/// What the answer says beside its words.
fn facts(status: Option<u16>, report: &Report) -> Option<String> {
    let mut facts = Vec::new();
    if let Some(status) = status.or(report.status) {
        facts.push(format!("HTTP {status}"));
    }
    facts.extend(report.codes.last().cloned());
    facts.extend(report.request_id.as_ref().map(|id| format!("request {id}")));
    (!facts.is_empty()).then(|| one_line(&facts.join(", ")))
}

fn classify(status: Option<u16>, report: &Report, should_retry: Option<bool>) -> FailureClass {
    let words = report.message.to_lowercase();
    let says = |phrases: &[&str]| phrases.iter().any(|phrase| words.contains(phrase));
    let coded = |codes: &[&str]| report.codes.iter().any(|code| codes.contains(&code.as_str()));
    if says(PAIRING) {
        FailureClass::Pairing
    } else if coded(REPLAY_CODES) || says(REPLAY) {
        FailureClass::ReplayRefused
    } else if matches!(status.or(report.status), None | Some(400 | 422)) && named_tool(report).is_some() {
        FailureClass::ToolRefused
    } else if let Some(most) = output_limit(&words) {
        FailureClass::OutputLimit { most }
    } else if coded(OVERFLOW_CODES) || says(OVERFLOW) {
        FailureClass::Overflow
    } else if coded(QUOTA_CODES) || report.codes.iter().any(|c| is_spend_limit(c)) || says(QUOTA) {
        FailureClass::Quota
    } else if coded(AUTH_CODES) || says(AUTH) {
        FailureClass::Auth
    } else if coded(MODEL_CODES) || says(UNKNOWN_MODEL) || (status == Some(404) && words.contains("model")) {
        FailureClass::UnknownModel
    } else if coded(REFUSED_CODES) || says(REFUSED) {
        FailureClass::BadRequest
    } else if speaks_against_tools(&words) {
        FailureClass::NoTools
    } else if coded(REJECTED_CODES) {
        FailureClass::OutputRejected
    } else if coded(TRANSIENT_CODES) {
        FailureClass::Transient
    } else {
        by_status(status, report, should_retry)
    }
}

/// The most output tokens that the provider names: "100000 > 64000, which is the maximum allowed number of output
/// tokens", "at most 16384 completion tokens". Zero is no limit that could be asked for.
fn output_limit(words: &str) -> Option<u64> {
    let before =
        |phrase: &str| words.split_once(phrase).and_then(|(before, _)| before.split_whitespace().last());
    let named = before(", which is the maximum allowed number of output tokens").or_else(|| {
        let (_, after) = words.split_once("at most ")?;
        let (number, rest) = after.split_once(' ')?;
        (words.contains("max_") && rest.starts_with("completion tokens")).then_some(number)
    })?;
    named.replace([',', '_'], "").parse().ok().filter(|most| *most > 0)
}

/// The tool that a refusal is about: "tools.17.custom.input_schema: …", "Invalid 'tools[17].function.name': …", "Invalid schema
/// for function 'NAME': …". One vendor puts all of them into its first: "tools[0].function_declarations[17]: …"; some servers quote
/// a way to it: "('body', 'tools', 17, 'function')". Where the words name none, the members beside them may.
fn named_tool(report: &Report) -> Option<NamedTool> {
    tool_in_words(&report.message).or(report.tool.map(NamedTool::At))
}

fn tool_in_words(message: &str) -> Option<NamedTool> {
    for (before, end) in
        [("function_declarations[", ']'), ("tools.", '.'), ("tools[", ']'), ("'tools', ", ',')]
    {
        let after = message.split(before).skip(1);
        let mut places = after.filter_map(|after| after.split_once(end)?.0.parse().ok());
        if let Some(place) = places.next() {
            return Some(NamedTool::At(place));
        }
    }
    let (_, name) = message.split_once("Invalid schema for function '")?;
    Some(NamedTool::Called(name.split_once('\'')?.0.to_owned()))
}

fn by_status(status: Option<u16>, report: &Report, should_retry: Option<bool>) -> FailureClass {
    // An error inside a stream comes after the server had accepted the request: unless it says otherwise, it is
    // trouble on the way.
    let in_stream = if report.codes.iter().any(|c| c == "invalid_request_error") { 400 } else { 500 };
    match status.filter(|s| *s >= 300).or(report.status).unwrap_or(in_stream) {
        401 | 403 => FailureClass::Auth,
        402 => FailureClass::Quota,
        // No model is spoken of: it is the address that is unknown.
        404 => FailureClass::Protocol,
        408 | 409 | 429 => retryable(should_retry.unwrap_or(true)),
        status if status >= 500 => retryable(should_retry.unwrap_or(true)),
        _ => retryable(should_retry.unwrap_or(false)),
    }
}

fn retryable(yes: bool) -> FailureClass {
    if yes { FailureClass::Transient } else { FailureClass::BadRequest }
}

fn is_spend_limit(code: &str) -> bool {
    code.ends_with("_spend_limit_exceeded") || code.ends_with("_spend_limit_reached")
}

fn advice(status: Option<u16>, class: FailureClass, report: &Report) -> &'static str {
    if class != FailureClass::BadRequest {
        return "";
    }
    if status == Some(407) {
        return PROXY_KEY;
    }
    let is_413 = status.or(report.status) == Some(413);
    if is_413 || report.codes.iter().any(|code| code == "request_too_large") {
        return TOO_LARGE;
    }
    if report.message.to_lowercase().contains(JINJA) { START_WITH_JINJA } else { "" }
}

const PAIRING: &[&str] = &[
    "ids were found without `tool_result` blocks",
    "unexpected `tool_use_id` found in `tool_result`",
    "must be followed by tool messages responding to",
    "must be a response to a prece",
    "no tool output found for",
    "no tool call found for",
    "not the same number of function calls and responses",
    "number of function response parts",
];
const OVERFLOW_CODES: &[&str] =
    &["context_length_exceeded", "exceed_context_size_error", "model_context_window_exceeded"];
const OVERFLOW: &[&str] = &[
    "prompt is too long",
    "exceed context limit",
    "exceeds the context window",
    "maximum context length",
    "exceeds the available context size",
    "reduce the length of the messages",
    "maximum prompt length is",
    "input token count (",
    "greater than the context length",
    "prompt token count of",
    "exceeded model token limit",
    "context window exceeds limit",
    "input is too long for requested model",
    "request too large for",
    "exceeded max context length",
    "exceeds the context length",
    "maximum model length",
    "context length is only",
    "longer than the model's context length",
];
const QUOTA_CODES: &[&str] =
    &["insufficient_quota", "credit_balance_exhausted", "organization_usage_limit_exceeded", "billing_error"];
const QUOTA: &[&str] = &["credit balance is too low", "insufficient balance"];
const AUTH_CODES: &[&str] =
    &["authentication_error", "permission_error", "invalid_api_key", "api_key_invalid", "unauthenticated"];
const AUTH: &[&str] = &["incorrect api key", "invalid api key", "api key not valid"];
const MODEL_CODES: &[&str] = &["model_not_found", "invalid_model", "not_found_error"];
const UNKNOWN_MODEL: &[&str] = &[
    "is not a valid model",
    "model not found",
    "supported api model names",
    "no such model",
    "unknown model",
];
const TRANSIENT_CODES: &[&str] = &[
    "overloaded_error",
    "server_is_overloaded",
    "slow_down",
    "rate_limit_error",
    "rate_limit_exceeded",
    "api_error",
    "timeout_error",
];
/// The model wrote a call that the server's own check refused; the next attempt writes another.
const REJECTED_CODES: &[&str] = &["tool_use_failed"];
const REPLAY_CODES: &[&str] = &["invalid_encrypted_content"];
const REPLAY: &[&str] = &[
    "`signature` in `thinking`",
    "in the latest assistant message cannot be modified",
    "of type 'reasoning' was provided without",
    "without its required 'reasoning' item",
    "`reasoning_content` in the thinking mode must be passed back",
    "encrypted content for item",
];
/// The prompt breaks the provider's rules of use: sent again it does so again, also where a stream says it.
const REFUSED_CODES: &[&str] = &["invalid_prompt"];
/// Refused as it is, though some servers answer with a status or a code of their own trouble.
const REFUSED: &[&str] = &[JINJA, "roles must alternate"];
/// Without this flag the server takes no tools.
const JINJA: &str = "requires --jinja";

const START_WITH_JINJA: &str = "Start the server with --jinja to enable tools, or use --tools string.";
const TOO_LARGE: &str =
    "The request is larger than the server accepts: compact the session (/compact), or start a new one.";
const PROXY_KEY: &str = "The proxy requires a user name and a password: put them into HTTPS_PROXY, as in \
    http://name:password@proxy.example:3128.";

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn named(status: u16, body: &Value) -> Option<NamedTool> {
        let failure = http_failure(status, &[], body.to_string().as_bytes());
        assert_eq!(failure.tool.is_some(), failure.class == FailureClass::ToolRefused, "{failure:?}");
        failure.tool.map(|tool| *tool)
    }

    #[test]
    fn a_tool_is_named_by_members_where_the_words_name_none() {
        let param = |param: Value| json!({ "error": { "message": "It is not valid.", "type": "invalid_request_error", "param": param } });
        for path in ["tools[3].function.parameters", "tools[3]", "tools.3.function", "tools.3"] {
            assert_eq!(named(400, &param(path.into())), Some(NamedTool::At(3)), "{path}");
        }
        let far = format!("tools[{}]", "9".repeat(400));
        for path in ["tools", "tools[", "tools[x]", "messages[3].content", "tool_choice", "mytools[3]", &far]
        {
            assert_eq!(named(400, &param(path.into())), None, "{path}");
        }
        assert_eq!(named(400, &param(json!(["tools", 3]))), None);
        assert_eq!(named(500, &param("tools[3]".into())), None, "trouble of the server's own");
        let both =
            json!({ "error": { "message": "Invalid schema for function 'say': no.", "param": "tools[3]" } });
        assert_eq!(named(400, &both), Some(NamedTool::Called("say".to_owned())));
    }

    #[test]
    fn the_words_of_a_failure_are_kept_beside_those_with_its_facts() {
        let told = |status, body: &Value| {
            let failure = http_failure(status, &[], body.to_string().as_bytes());
            (failure.message, failure.brief)
        };
        let busy = json!({ "error": { "message": "Busy (HTTP 1) now", "type": "overloaded_error" } });
        let (message, brief) = told(529, &busy);
        assert_eq!(message, "Busy (HTTP 1) now (HTTP 529, overloaded_error)");
        assert_eq!(brief.as_deref(), Some("Busy (HTTP 1) now"));
        let bare = stream_failure(&json!({ "message": "Busy" }));
        assert_eq!((bare.message.as_str(), bare.brief), ("Busy", None));
    }

    #[test]
    fn a_tool_is_named_by_the_way_to_it() {
        let problem = |way: Value| json!({ "type": "dict_type", "loc": way, "msg": "Input should be a valid dictionary" });
        let detail = |problems: Vec<Value>| json!({ "detail": problems });
        let way = json!(["body", "tools", 3, "function", "parameters"]);
        assert_eq!(named(422, &detail(vec![problem(way.clone())])), Some(NamedTool::At(3)));
        let elsewhere = problem(json!(["body", "messages", 2, "content"]));
        assert_eq!(
            named(422, &detail(vec![elsewhere.clone(), problem(way.clone())])),
            Some(NamedTool::At(3))
        );
        let long: Vec<Value> = (0..20).map(|_| "x".into()).chain(way.as_array().unwrap().clone()).collect();
        let strange = [
            json!(["body", "tools"]),
            json!(["body", "tools", -1]),
            json!(["tools", "name"]),
            json!("tools"),
            long.into(),
        ];
        for way in strange {
            assert_eq!(named(422, &detail(vec![problem(way.clone())])), None, "{way}");
        }
        let many = std::iter::repeat_n(elsewhere, 100).chain([problem(way)]).collect();
        assert_eq!(named(422, &detail(many)), None, "not all of a flood is looked through");
        let quoted = json!({ "object": "error", "message": "[{'type': 'dict_type', 'loc': ('body', 'tools', 3, 'function'), 'msg': 'Input should be a valid dictionary'}]" });
        assert_eq!(named(400, &quoted), Some(NamedTool::At(3)));
    }
}
