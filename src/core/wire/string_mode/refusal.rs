//! Whether a server refused a request because there were tools in it.

use crate::model::ModelFailure;

/// What servers say when they or the model take no tools.
const SENTENCES: [&str; 9] = [
    "not support tool",
    "not support function",
    "requires --jinja",
    "--enable-auto-tool-choice",
    "no endpoints found that support tool",
    "supports tool calling for this model",
    "tool use with function calling is unsupported",
    "tools are not supported",
    "tool calling is not supported",
];

/// How servers call a member of the request that they do not know.
const UNKNOWN: [&str; 8] = [
    "unknown",
    "unrecognized",
    "unexpected",
    "unsupported",
    "not supported",
    "not permitted",
    "not allowed",
    "extra inputs",
];

/// Whether the failure says that the server takes no tools, so that the same request may do in string mode.
///
/// Goes by the words alone: the same refusal comes with status 400, 404, 422 and 500.
pub fn refuses_tools(failure: &ModelFailure) -> bool {
    speaks_against_tools(&failure.message.to_lowercase())
}

/// The same of a sentence in lower case.
pub(in crate::wire) fn speaks_against_tools(words: &str) -> bool {
    SENTENCES.iter().any(|sentence| words.contains(sentence))
        || (names_tools(words) && UNKNOWN.iter().any(|word| words.contains(word)))
}

/// Whether `tools` itself is spoken of as a member of the request: quoted, or after a colon, as in
/// `Unrecognized request argument supplied: tools`.
fn names_tools(words: &str) -> bool {
    ["tools", "tool_choice"].iter().any(|name| {
        let quoted = ["'", "\"", "`"].iter().any(|mark| words.contains(&format!("{mark}{name}{mark}")));
        quoted || words.split(": ").any(|part| is_word(part, name))
    })
}

/// `tools`, and not `tools.0.name`: a fault in one tool is no refusal of all.
fn is_word(text: &str, word: &str) -> bool {
    text.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', ',', ';', '(']))
}
