//! What a tool of a server gave, as the loop takes results.

use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents, ServerResult};
use serde_json::Value;

use crate::ledger::{Facts, Outcome};
use crate::runtime::untrusted::{IN_A_SENTENCE, Pictures, one_line, plain, read};
use crate::tool::{ToolReport, bound};

/// Most characters of what the server says when it refuses a call.
const MOST_REFUSAL: usize = 4_000;

/// The report of a call that was answered. Decodes images: for a thread that may be busy.
pub(super) fn of(tool: &str, answer: ServerResult, max_chars: usize) -> ToolReport {
    let mut given = ReportParts { parts: Vec::new(), images: Pictures::of(tool) };
    let is_error = match answer {
        ServerResult::CallToolResult(result) => given.take(result),
        ServerResult::CustomResult(result) => match given.take_loosely(&result.0) {
            Some(is_error) => is_error,
            None => return ToolReport::failed(NO_RESULT).unclear(),
        },
        ServerResult::InputRequiredResult(_) => {
            return ToolReport::failed("the server requests more input first, which is not supported here");
        }
        _ => return ToolReport::failed(NO_RESULT).unclear(),
    };
    if given.parts.is_empty() {
        given
            .parts
            .push(if is_error { "the tool failed without saying why" } else { "(nothing)" }.to_owned());
    }
    let (bounded, written) = read(&given.parts.join("\n"), max_chars);
    let (content, cut_chars) = (bounded.text, bounded.cut_chars);
    let outcome = if is_error { Outcome::Failed } else { Outcome::Ok };
    let images = if is_error { Vec::new() } else { given.images.taken() };
    let (transient, refused, remote) = (false, false, None);
    let facts = Facts::default();
    ToolReport {
        outcome,
        content,
        written,
        cut_chars,
        facts,
        images,
        transient,
        refused,
        remote,
        is_unsent: false,
    }
}

const NO_RESULT: &str = "the server's answer is not a tool result; check what was done";

/// The report of a call that the server refused.
pub(super) fn refused(refusal: &ErrorData, max_chars: usize) -> ToolReport {
    let why = plain(&refusal.message, MOST_REFUSAL);
    let bounded = bound(&format!("the server refused the call: {why} (error {})", refusal.code.0), max_chars);
    ToolReport { cut_chars: bounded.cut_chars, ..ToolReport::failed(bounded.text) }
}

struct ReportParts<'t> {
    parts: Vec<String>,
    images: Pictures<'t>,
}

impl ReportParts<'_> {
    /// Takes a whole result in; whether it says that the tool failed.
    fn take(&mut self, result: CallToolResult) -> bool {
        let has_text = result.content.iter().any(|block| block.as_text().is_some());
        for block in result.content {
            self.add(block);
        }
        if let Some(structured) = result.structured_content.filter(|value| !has_text && !value.is_null()) {
            self.parts.push(structured.to_string());
        }
        result.is_error.unwrap_or_default()
    }

    /// The same with a result of which a part is of a kind that the SDK does not know. `None` when it is no result.
    fn take_loosely(&mut self, result: &Value) -> Option<bool> {
        for block in result.get("content")?.as_array()? {
            match serde_json::from_value(block.clone()) {
                Ok(block) => self.add(block),
                Err(_) => {
                    let kind = block.get("type").and_then(Value::as_str).unwrap_or("unknown");
                    self.name(&format!("content of kind {kind}, which is not supported"));
                }
            }
        }
        Some(result.get("isError").and_then(Value::as_bool).unwrap_or_default())
    }

    fn add(&mut self, block: ContentBlock) {
        match block {
            ContentBlock::Text(text) => self.parts.push(text.text),
            ContentBlock::Image(image) => self.parts.push(self.images.take(&image.data)),
            ContentBlock::Audio(audio) => {
                self.name(&format!("audio ({}), which is not supported here", audio.mime_type));
            }
            ContentBlock::Resource(embedded) => match embedded.resource {
                ResourceContents::TextResourceContents { text, .. } => self.parts.push(text),
                ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
                    let kind = mime_type.unwrap_or_default();
                    self.name(&format!("resource {uri} ({kind}, {} characters of base64)", blob.len()));
                }
                _ => self.name("resource of an unknown kind"),
            },
            ContentBlock::ResourceLink(link) => {
                self.name(&format!(
                    "link to the resource {} ({})",
                    link.uri,
                    link.title.unwrap_or(link.name)
                ));
            }
            _ => self.name("content of an unknown kind"),
        }
    }

    /// One line for what cannot be shown.
    fn name(&mut self, what: &str) {
        self.parts.push(format!("[{}]", one_line(what, IN_A_SENTENCE)));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_steers_a_terminal_is_for_the_books_alone() {
        let raw = "\u{1b}[31mred\u{1b}[0m\n10 %\r20 %";
        let blocks = json!([{ "type": "text", "text": raw }, { "type": "resource", "resource":
            { "uri": "x:y", "text": "a\u{1b}]0;title\u{7}b" } }]);
        for failed in [false, true] {
            let answer = json!({ "content": blocks, "isError": failed });
            let known: CallToolResult = serde_json::from_value(answer.clone()).unwrap();
            let loose = ServerResult::CustomResult(rmcp::model::CustomResult(answer));
            for answer in [ServerResult::CallToolResult(known), loose] {
                let report = of("paint", answer, 1_000);
                assert_eq!(report.content, "red\n20 %\nab");
                let written = format!("{raw}\na\u{1b}]0;title\u{7}b");
                assert_eq!((report.written, report.outcome == Outcome::Failed), (Some(written), failed));
            }
        }
    }
}
