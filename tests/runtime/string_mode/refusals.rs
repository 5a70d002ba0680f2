//! Which failures say that a server takes no tools.

use countersign::model::{FailureClass, ModelFailure};
use countersign::wire::http_failure;
use countersign::wire::string_mode::refuses_tools;

fn says(message: &str) -> bool {
    refuses_tools(&ModelFailure::new(FailureClass::BadRequest, message))
}

#[test]
fn refusals_of_tools() {
    for message in [
        "registry.ollama.ai/library/gemma3:4b does not support tools (HTTP 400)",
        "tools param requires --jinja flag (HTTP 500, server_error)",
        "\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set (HTTP 400)",
        "No endpoints found that support tool use. To learn more about provider routing, visit: https://h/docs",
        "Unrecognized request argument supplied: tools (HTTP 400)",
        "Unknown parameter: 'tools'. (HTTP 400)",
        "tools: Extra inputs are not permitted (HTTP 422)",
        "Unsupported parameter: `tool_choice` (HTTP 400)",
        "deepseek-reasoner does not support Function Calling (HTTP 400)",
        "This model doesn't say so, but tool calling is not supported here.",
    ] {
        assert!(says(message), "{message}");
    }
}

#[test]
fn other_failures() {
    for message in [
        "tools.0.custom.input_schema: JSON schema is invalid, unexpected `type` (HTTP 400)",
        "tools[3].function.strict: Extra inputs are not permitted",
        "Unknown parameter: 'stream_options'. (HTTP 400)",
        "Unsupported value: 'temperature' does not support 0.2 with this model.",
        "The model `tools-1` does not exist",
        "Overloaded",
        "messages: tool_use ids were found without tool_result blocks",
    ] {
        assert!(!says(message), "{message}");
    }
}

/// The server says `api_error`, which elsewhere is trouble of its own: here trying again is of no use.
#[test]
fn a_refusal_is_not_tried_again_whatever_its_code() {
    let body = br#"{"error":{"message":"stablelm2:latest does not support tools","type":"api_error","param":null,"code":null}}"#;
    let failure = http_failure(400, &[], body);
    assert_eq!(failure.class, FailureClass::NoTools);
    assert!(refuses_tools(&failure) && failure.next_step().contains("--tools string"));
}
