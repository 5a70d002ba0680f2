//! A play in lines of words: each request, decision, result and ending, so that two plays can be compared by eye.

use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::ledger::{Block, Body, Change, Decision, Entry, FileContent, Message, ToolResult, TurnEnded};
use crate::model::{Request, ToolDescription};

use super::{Deviation, Played, PlayedRequest};

/// The lines of a play. What is named in `names` is written as the word beside it: a folder, an id.
pub fn trace(played: &Played, names: &[(String, &str)]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut before: Option<&Request> = None;
    let mut requests = played.requests.iter().enumerate().peekable();
    for (at, entry) in played.entries.iter().enumerate() {
        while let Some((number, asked)) = requests.next_if(|(_, asked)| asked.after <= at) {
            request(number, asked, before, &mut lines);
            before = Some(&asked.request);
        }
        said(entry, &mut lines);
    }
    for (number, asked) in requests {
        request(number, asked, before, &mut lines);
        before = Some(&asked.request);
    }
    lines.extend(played.deviations.iter().map(deviation));
    named(lines, names)
}

/// The lines of a session without its requests, so that two sessions can be compared: what requests would show stands with its entry, whole
/// messages, what people answered, and what calls made of files.
pub fn history(entries: &[Arc<Entry>], names: &[(String, &str)]) -> Vec<String> {
    let mut lines = Vec::new();
    for entry in entries {
        said(entry, &mut lines);
        match &entry.body {
            Body::User(message) => lines.extend(indented(&message.shown()).skip(1)),
            // What a person answers is their decision.
            Body::ApprovalDecided(decision) => {
                lines.extend(decision.answer.iter().flat_map(|answer| indented(answer)));
            }
            Body::ToolResult(result) => lines.extend(result.facts.files.iter().map(|file| {
                format!("    {}: {} before, {} after", file.path, content(&file.before), content(&file.after))
            })),
            _ => {}
        }
    }
    named(lines, names)
}

fn content(content: &FileContent) -> String {
    match content {
        FileContent::Absent => "nothing".to_owned(),
        FileContent::Sha256(hash) => hash.chars().take(12).collect(),
        FileContent::Large(bytes) => format!("{bytes} bytes"),
    }
}

fn named(lines: Vec<String>, names: &[(String, &str)]) -> Vec<String> {
    let named = |line: &str| {
        names.iter().fold(line.to_owned(), |line, (name, word)| line.replace(name.as_str(), word))
    };
    lines.iter().flat_map(|line| line.lines().map(named).collect::<Vec<_>>()).collect()
}

/// What is new in a request: a part that is as it was before is not repeated.
fn request(number: usize, asked: &PlayedRequest, before: Option<&Request>, lines: &mut Vec<String>) {
    let request = &asked.request;
    let effort = request.effort_to_ask().map(|effort| format!(", effort {}", effort.as_str()));
    let seed = request.seed.map(|seed| format!(", seed {seed}"));
    lines.push(format!(
        "request {} to {}, at most {} tokens{}{}",
        number + 1,
        request.model,
        request.max_output,
        effort.unwrap_or_default(),
        seed.unwrap_or_default()
    ));
    if before.is_none_or(|before| before.system != request.system) {
        lines.push("  system".to_owned());
        lines.extend(indented(&request.system));
    }
    if before.is_none_or(|before| before.tools != request.tools) {
        lines.extend(request.tools.iter().map(|one| tool(one)));
    }
    if let Some(schema) = request.answer_schema.as_ref().filter(|_| before.is_none()) {
        lines.push(format!("  the answer has to satisfy {schema}"));
    }
    let known = before.map(|before| before.messages.as_slice()).unwrap_or_default();
    let same = known.iter().zip(&request.messages).take_while(|(one, other)| one == other).count();
    if same < known.len() {
        lines.push(format!("  only the first {same} messages are as before"));
    }
    request.messages.get(same..).unwrap_or_default().iter().for_each(|one| message(one, lines));
}

fn tool(tool: &ToolDescription) -> String {
    let schema = Sha256::digest(tool.schema.to_string().as_bytes());
    let short: String = schema.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    let first = tool.description.lines().next().unwrap_or_default();
    let all = Sha256::digest(tool.description.as_bytes());
    let words: String = all.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    format!("  tool {}, schema {short}, description {words}: {first}", tool.name)
}

fn message(message: &Message, lines: &mut Vec<String>) {
    match message {
        Message::User(said) => {
            lines.push("  user".to_owned());
            lines.extend(indented(&said.shown()));
        }
        Message::Assistant(said) => {
            lines.push("  assistant".to_owned());
            for block in &said.blocks {
                match block {
                    Block::Text(text) => lines.extend(indented(text)),
                    Block::Thinking(thinking) => {
                        lines.push("    (thinking)".to_owned());
                        lines.extend(indented(&thinking.text));
                    }
                    Block::ToolUse(call) => {
                        lines.push(format!(
                            "    call {} {} {}",
                            call.id,
                            call.name,
                            call.arguments.to_value()
                        ));
                    }
                    Block::Hosted(hosted) => lines.push(format!("    {} {}", hosted.name, hosted.value)),
                }
            }
        }
        Message::Results(results) => results.iter().for_each(|one| result(one, lines)),
    }
}

fn result(result: &ToolResult, lines: &mut Vec<String>) {
    lines.push(format!("  result {} {}", result.call, result.outcome.as_str()));
    lines.extend(indented(&result.shown()));
}

fn indented(text: &str) -> impl Iterator<Item = String> + '_ {
    text.lines().map(|line| format!("    {line}").trim_end().to_owned())
}

/// What an entry decides. What requests show is not said again.
fn said(entry: &Entry, lines: &mut Vec<String>) {
    match &entry.body {
        Body::User(said) => lines.push(format!("message {}", first_line(&said.content))),
        Body::ToolCall(call) | Body::Validation(call) | Body::Command(call) => {
            lines.push(format!("call {} {} {}", call.id, call.name, call.arguments.to_value()));
        }
        Body::CallEdited(call) => lines.push(format!("changed {} to {}", call.id, call.arguments.to_value())),
        Body::Note(note) => {
            let changed = note.changed_by_hook();
            lines.extend(changed.map(|(call, to)| format!("a hook changed {call} to {}", to.to_value())));
        }
        Body::ApprovalRequested(asked) => {
            lines.push(format!("asked about {}: {} ({})", asked.call, asked.why, asked.does()));
        }
        Body::ApprovalDecided(decision) => lines.push(decided(decision)),
        Body::ToolResult(result) => {
            lines.push(format!("result of {}: {}", result.call, result.outcome.as_str()))
        }
        Body::Transition { turn, reason } => {
            lines.push(format!("goes on: {} (turn {turn})", reason.as_str()))
        }
        Body::Tombstone(_) => lines.push("an answer is withdrawn".to_owned()),
        Body::Compaction(made) => lines.push(format!("summary: {}", made.trigger.as_str())),
        Body::Error { message, .. } => lines.push(format!("error {message}")),
        Body::TurnEnded(ended) => lines.push(ending(ended)),
        Body::Change(Change::Mode { mode, .. }) => lines.push(format!("mode {mode}")),
        Body::SessionStarted(_)
        | Body::Assistant(_)
        | Body::DelegationRequested(_)
        | Body::DelegationAnswered(_)
        | Body::Injected(_)
        | Body::Change(_)
        | Body::Goal(_)
        | Body::Checkpoint(_)
        | Body::Progress(_)
        | Body::Handoff { .. }
        | Body::ProviderLimit(_) => {}
    }
}

fn decided(decision: &Decision) -> String {
    let what = if decision.allow { "allowed" } else { "denied" };
    let place = if decision.sandboxed { ", in the sandbox" } else { "" };
    let rule = decision.rule.as_ref().map(|rule| format!(", rule {rule}")).unwrap_or_default();
    let why = if decision.reason.is_empty() { String::new() } else { format!(": {}", decision.reason) };
    let (by, scope) = (decision.by.as_str(), decision.scope.as_str());
    format!("{what} {} by {by}, {scope}{place}{rule}{why}", decision.call)
}

fn ending(ended: &TurnEnded) -> String {
    let usage = &ended.usage;
    let cost = usage.cost.map(|cost| format!(", {} micro-dollars", cost.0)).unwrap_or_default();
    format!(
        "ends: {}; turns {}, calls {}, input {}, output {}{cost}",
        ended.reason.as_str(),
        ended.turns,
        ended.tool_calls,
        usage.input,
        usage.output
    )
}

fn deviation(deviation: &Deviation) -> String {
    match deviation {
        Deviation::NoAnswer(_) => {
            "the recording has no further answer of a model; interrupted there".to_owned()
        }
        Deviation::NoDecision(call) => format!("the recording has no decision about {call}; denied"),
        Deviation::NoResult(call) => format!("the recording has no result of {call}; it failed"),
        Deviation::Endless => "it does not end; stopped".to_owned(),
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::{CallId, Decider, EntryId, Millis};

    #[test]
    fn two_answers_of_a_person_are_two_histories() {
        let answered = |words: &str| {
            let permission = Decision::permission(CallId(1), Decider::User, "");
            let body = Body::ApprovalDecided(Decision { answer: Some(words.into()), ..permission });
            history(&[Arc::new(Entry { id: EntryId(7), at: Millis(1), body })], &[])
        };
        assert_eq!(answered("blue"), answered("blue"));
        assert_ne!(answered("blue"), answered("red"));
        assert!(answered("blue").contains(&"    blue".to_owned()), "{:?}", answered("blue"));
    }
}
