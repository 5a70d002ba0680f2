//! What the provider ran itself, as lines: a tool with what it was asked and what it brought, or a remark.

use serde_json::Value;

use crate::ledger::{Arguments, Block, Hosted};

use super::summary;

/// A part of an answer, as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShownPart {
    /// Words; neighbouring texts are one.
    Words(String),
    /// Something that the provider ran or made.
    Hosted(HostedLine),
}

/// One line about something hosted; not yet safe for a screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostedLine {
    /// The provider's name of the tool, or what it is.
    pub name: String,
    /// What it was asked.
    pub about: String,
    /// How it stands.
    pub state: HostedState,
}

/// How something hosted stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HostedState {
    /// There is no result yet, or none came.
    Open,
    /// What it brought: `10 results`.
    Done(String),
    /// It went wrong, and why.
    Failed(String),
}

/// The words of an answer and what the provider ran between them, in order. `pieces` are the blocks of a message.
pub fn shown(pieces: &[Block]) -> Vec<ShownPart> {
    let all: Vec<&Hosted> =
        pieces.iter().filter_map(|b| if let Block::Hosted(h) = b { Some(h) } else { None }).collect();
    let mut shown = Vec::new();
    for piece in pieces {
        match piece {
            Block::Text(text) => match shown.last_mut() {
                Some(ShownPart::Words(words)) => words.push_str(text),
                Some(ShownPart::Hosted(_)) | None => shown.push(ShownPart::Words(text.to_string())),
            },
            Block::Hosted(block) => shown.extend(line(block, &all).map(ShownPart::Hosted)),
            Block::Thinking(_) | Block::ToolUse(_) => {}
        }
    }
    shown.retain(|part| !matches!(part, ShownPart::Words(words) if words.trim().is_empty()));
    shown
}

/// The same of blocks alone, while the answer still grows.
pub fn hosted_lines(blocks: &[Hosted]) -> Vec<HostedLine> {
    let all: Vec<&Hosted> = blocks.iter().collect();
    blocks.iter().filter_map(|block| line(block, &all)).collect()
}

/// The line of one block. A result is shown with its call, citations with their text.
fn line(block: &Hosted, all: &[&Hosted]) -> Option<HostedLine> {
    let has_call = |id: &str| all.iter().any(|other| other.is_call() && other.id == id);
    if block.is_citation() || (block.is_result() && has_call(&block.id)) {
        return None;
    }
    let result = all.iter().find(|other| other.is_result() && other.id == block.id);
    let state = match (block.is_call(), result) {
        (true, Some(result)) => brought(&result.value),
        (true, None) => HostedState::Open,
        (false, _) => brought(&block.value),
    };
    let remark = |name: &str, about: String| HostedLine {
        name: name.to_owned(),
        about,
        state: HostedState::Done("by the provider".to_owned()),
    };
    Some(match block.kind.as_str() {
        "fallback" => remark("another model answered", text_at(&block.value, "/to/model")),
        "compaction" => remark("compaction", "the earlier conversation, summarised".to_owned()),
        kind => {
            let name = if block.name.is_empty() { kind } else { &block.name };
            HostedLine { name: name.to_owned(), about: asked(&block.value), state }
        }
    })
}

/// What a tool was asked: its query, its address, or all of its input.
fn asked(value: &Value) -> String {
    let places = ["/input/query", "/action/query", "/input/url", "/action/url", "/input/code", "/code"];
    let found = places.iter().map(|place| text_at(value, place)).find(|text| !text.is_empty());
    found.unwrap_or_else(|| {
        let input = value.get("input").filter(|input| input.is_object());
        input.map_or_else(String::new, |input| summary(&Arguments::from_value(input.clone())))
    })
}

/// What a result says in numbers; a result that is an error says which.
fn brought(value: &Value) -> HostedState {
    let content = value.get("content").unwrap_or(&Value::Null);
    let error = ["/content/error_code", "/error/message", "/error"];
    if let Some(why) = error.iter().map(|place| text_at(value, place)).find(|text| !text.is_empty()) {
        return HostedState::Failed(why);
    }
    match (content.as_array().map(Vec::len), text_at(value, "/status").as_str()) {
        (Some(1), _) => HostedState::Done("1 result".to_owned()),
        (Some(n), _) => HostedState::Done(format!("{n} results")),
        (None, "failed" | "incomplete") => HostedState::Failed(text_at(value, "/status")),
        (None, _) => HostedState::Done("done".to_owned()),
    }
}

fn text_at(value: &Value, place: &str) -> String {
    value.pointer(place).and_then(Value::as_str).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn block(kind: &str, id: &str, value: Value) -> Hosted {
        Hosted { kind: kind.to_owned(), name: "web_search".to_owned(), id: id.to_owned(), value }
    }

    fn search(id: &str) -> Hosted {
        block("server_tool_use", id, json!({ "input": { "query": "news" } }))
    }

    #[test]
    fn a_search_is_one_line_with_its_result() {
        let found = block("web_search_tool_result", "a", json!({ "content": [{}, {}] }));
        let failed =
            block("web_search_tool_result", "b", json!({ "content": { "error_code": "max_uses_exceeded" } }));
        let whole =
            block("web_search_call", "d", json!({ "action": { "query": "x" }, "status": "completed" }));
        let lines = hosted_lines(&[search("a"), found, search("b"), failed, search("c"), whole]);
        let said: Vec<_> = lines.iter().map(|l| (l.about.as_str(), l.state.clone())).collect();
        assert_eq!(
            said,
            [
                ("news", HostedState::Done("2 results".to_owned())),
                ("news", HostedState::Failed("max_uses_exceeded".to_owned())),
                ("news", HostedState::Open),
                ("x", HostedState::Done("done".to_owned())),
            ]
        );
    }

    #[test]
    fn words_stand_where_they_were_said() {
        let cited = Hosted { kind: Hosted::CITATIONS.to_owned(), ..search("") };
        let text = |text: &str| Block::Text(text.into());
        let fallback = Hosted {
            kind: "fallback".to_owned(),
            name: String::new(),
            value: json!({ "to": { "model": "claude-small" } }),
            ..search("")
        };
        let shown = shown(&[
            Block::Hosted(fallback),
            text("It "),
            Block::Hosted(cited),
            text("rains."),
            Block::Hosted(search("a")),
            text(" "),
        ]);
        let [ShownPart::Hosted(first), ShownPart::Words(words), ShownPart::Hosted(second)] = shown.as_slice()
        else {
            panic!("{shown:?}")
        };
        assert_eq!((first.name.as_str(), first.about.as_str()), ("another model answered", "claude-small"));
        assert_eq!((words.as_str(), second.name.as_str()), ("It rains.", "web_search"));
    }
}
