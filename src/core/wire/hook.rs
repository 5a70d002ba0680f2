//! Hooks as commands: one JSON object in, an exit code and perhaps JSON out.
//!
//! Beside our own names stand those that scripts written for other agents look for.

use std::ops::RangeInclusive;

use serde_json::{Map, Value, json};

use crate::hooks::{HookAnswer, HookCall, HookDecision, HookPoint, Payload};
use crate::ledger::Arguments;

/// Most bytes of stdout, and of stderr, that are looked at.
pub const MOST_BYTES: usize = 64 << 10;

/// What a shell ends with whose command cannot be executed.
const NOT_EXECUTABLE: i32 = 126;
/// The same where there is no such command.
const NOT_FOUND: i32 = 127;
/// What it ends with whose command a signal has killed: 128 and the number of the signal.
const SIGNALS: RangeInclusive<i32> = 129..=192;

/// How a hook's command ended, and what it left behind.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HookEnd {
    /// Its exit code; `None` when a signal ended it.
    pub code: Option<i32>,
    /// What it printed: the first bytes, one more than [`MOST_BYTES`] when there was more.
    pub stdout: Vec<u8>,
    /// What it complained: likewise.
    pub stderr: Vec<u8>,
}

/// What the hook reads from stdin: one JSON object on one line.
pub fn encode(call: &HookCall, session: &str, cwd: &str) -> String {
    let point = call.point();
    let mut object = json!({
        "hook": point.as_str(), "session": session, "cwd": cwd,
        "hook_event_name": point.event_name(), "session_id": session,
    });
    if let (Value::Object(all), Value::Object(own)) = (&mut object, about(&call.payload)) {
        all.extend(own);
    }
    format!("{object}\n")
}

fn about(payload: &Payload) -> Value {
    match payload {
        Payload::SessionStart { source } => json!({ "source": source.as_str() }),
        Payload::UserPrompt { prompt } => json!({ "prompt": prompt }),
        Payload::PreTool { call, tool_name, tool_input } => {
            let mut told = json!({ "tool_name": tool_name, "tool_input": tool_input.to_value() });
            if let (Some(call), Value::Object(members)) = (call, &mut told) {
                members.insert("tool_use_id".to_owned(), call.to_string().into());
            }
            told
        }
        Payload::PostTool { call, tool_name, tool_input, tool_result, is_error } => json!({
            "tool_name": tool_name, "tool_input": tool_input.to_value(), "tool_use_id": call.to_string(),
            "tool_result": tool_result, "is_error": is_error,
            "tool_response": { "content": tool_result, "is_error": is_error },
        }),
        Payload::PostSampling { text } => json!({ "text": text, "last_assistant_message": text }),
        Payload::Stop { text, stop_hook_active } => json!({
            "text": text, "last_assistant_message": text, "stop_hook_active": stop_hook_active,
        }),
        Payload::StopFailure { reason, error, recovering } => {
            json!({ "reason": reason, "error": error, "recovering": recovering })
        }
        Payload::PreCompact { trigger } => json!({ "trigger": trigger.as_str() }),
        Payload::Notification { text } => json!({ "text": text, "message": text }),
    }
}

/// What the hook of this name said at this point. Never fails: what cannot be understood is trouble, which is shown
/// and blocks nothing. What did not come to an end of its own refuses where something waits for leave.
pub fn parse(point: HookPoint, hook: String, ended: &HookEnd) -> HookAnswer {
    let mut answer = HookAnswer { hook, ..HookAnswer::default() };
    match ended.code {
        Some(0) if ended.stdout.len() > MOST_BYTES => {
            answer.trouble = Some(format!("printed more than {} KB, which was not read", MOST_BYTES >> 10));
        }
        Some(0) => read_stdout(&mut answer, point, &ended.stdout),
        Some(2) if point.can_refuse() => {
            answer.decision = Some(HookDecision::Deny);
            answer.reason = words(&text_of(&ended.stderr));
        }
        Some(2) => add_trouble(&mut answer, &complaint("exit code 2 does not block here", &ended.stderr)),
        Some(code @ (NOT_EXECUTABLE | NOT_FOUND)) => {
            let why = complaint(&format!("exit code {code}"), &ended.stderr);
            return HookAnswer::not_started(answer.hook, point, &why);
        }
        Some(code) if SIGNALS.contains(&code) => {
            let how = format!("was killed by a signal (exit code {code})");
            return killed(answer.hook, point, &how, &ended.stderr);
        }
        Some(code) => add_trouble(&mut answer, &complaint(&format!("exit code {code}"), &ended.stderr)),
        None => return killed(answer.hook, point, "was killed by a signal", &ended.stderr),
    }
    answer
}

fn killed(hook: String, point: HookPoint, how: &str, stderr: &[u8]) -> HookAnswer {
    let advice = "try again, or correct it or remove it from the configuration";
    HookAnswer::cut_short(hook, point, &complaint(how, stderr), advice)
}

/// What happened, with the last line of what the hook complained: that is where errors stand.
fn complaint(what: &str, stderr: &[u8]) -> String {
    let text = text_of(stderr);
    match text.lines().rev().find_map(words) {
        Some(line) => format!("{what}: {}", super::report::one_line(&line)),
        None => what.to_owned(),
    }
}

fn read_stdout(answer: &mut HookAnswer, point: HookPoint, stdout: &[u8]) {
    let Ok(text) = std::str::from_utf8(stdout) else {
        answer.trouble = Some("printed bytes that are not text".to_owned());
        return;
    };
    let text = text.trim().trim_start_matches('\u{feff}').trim_start();
    match serde_json::from_str(text) {
        Ok(Value::Object(said)) => read_object(answer, point, said),
        // Whoever begins an object meant one: a lost decision must be seen.
        Err(fault) if text.starts_with('{') => {
            answer.trouble = Some(format!("printed JSON that does not parse: {fault}"));
        }
        Ok(_) | Err(_) if text.contains('\0') => {
            answer.trouble = Some("printed bytes that are not text".to_owned());
        }
        Ok(_) | Err(_) => match point {
            HookPoint::UserPrompt | HookPoint::SessionStart => answer.inject = words(text),
            _ => answer.remark = words(text),
        },
    }
}

/// Everything that is understood holds, whatever else stands beside it: a denial is not lost to a wrong field.
fn read_object(answer: &mut HookAnswer, point: HookPoint, mut said: Map<String, Value>) {
    let nested = match said.remove("hookSpecificOutput") {
        Some(Value::Object(nested)) => nested,
        Some(Value::Null) | None => Map::new(),
        Some(other) => {
            add_trouble(answer, &unlike("hookSpecificOutput", "an object", &other));
            Map::new()
        }
    };
    let mut fields = Fields { maps: [said, nested], answer };
    let top = fields.text(&["decision"]);
    let inner = fields.text(&["permissionDecision"]);
    for word in [top, inner].into_iter().flatten() {
        fields.decide(point, &word);
    }
    let reason = fields.text(&["reason", "permissionDecisionReason"]);
    let inject = fields.text(&["inject", "additionalContext"]);
    let remark = fields.text(&["systemMessage"]);
    let stop_reason = fields.text(&["stopReason", "stop_reason"]);
    let goes_on = fields.switch("continue").unwrap_or(true);
    let updated_input = fields.object(&["updated_input", "updatedInput"]);

    answer.prevent = (!goes_on).then(|| {
        let why = stop_reason.or_else(|| reason.clone());
        why.unwrap_or_else(|| format!("the hook `{}` ended the run", answer.hook))
    });
    (answer.reason, answer.inject, answer.remark) = (reason, inject, remark);
    answer.updated_input = updated_input.filter(|_| point == HookPoint::PreTool).map(Arguments::Object);
}

/// The members of an answer, by any of their names, at the top or nested.
struct Fields<'a> {
    maps: [Map<String, Value>; 2],
    answer: &'a mut HookAnswer,
}

impl Fields<'_> {
    /// The first that is there and not null, with its name.
    fn take(&mut self, names: &[&'static str]) -> Option<(&'static str, Value)> {
        let [top, nested] = &mut self.maps;
        let mut found =
            names.iter().flat_map(|name| [(*name, top.remove(*name)), (*name, nested.remove(*name))]);
        found.find_map(|(name, value)| value.filter(|value| !value.is_null()).map(|value| (name, value)))
    }

    fn text(&mut self, names: &[&'static str]) -> Option<String> {
        match self.take(names)? {
            (_, Value::String(text)) => words(&text),
            (name, other) => self.wrong(name, "a text", &other),
        }
    }

    fn switch(&mut self, name: &'static str) -> Option<bool> {
        match self.take(&[name])? {
            (_, Value::Bool(switch)) => Some(switch),
            (name, other) => self.wrong(name, "true or false", &other),
        }
    }

    fn object(&mut self, names: &[&'static str]) -> Option<Map<String, Value>> {
        match self.take(names)? {
            (_, Value::Object(members)) => Some(members),
            (name, other) => self.wrong(name, "an object", &other),
        }
    }

    fn wrong<T>(&mut self, name: &str, wanted: &str, found: &Value) -> Option<T> {
        add_trouble(self.answer, &unlike(name, wanted, found));
        None
    }

    /// Of two decisions in one answer the tighter holds.
    fn decide(&mut self, point: HookPoint, word: &str) {
        let decision = match word.to_ascii_lowercase().as_str() {
            "allow" | "approve" => HookDecision::Allow,
            "ask" => HookDecision::Ask,
            "deny" | "block" => HookDecision::Deny,
            // Said by scripts that leave it to others.
            "defer" | "none" => return,
            other => {
                let other = super::report::one_line(other);
                return add_trouble(
                    self.answer,
                    &format!("decision {other:?} is unknown; use allow, deny, ask or block"),
                );
            }
        };
        let means_something = match decision {
            HookDecision::Allow => true,
            HookDecision::Ask => point == HookPoint::PreTool,
            HookDecision::Deny => point.can_refuse(),
        };
        if means_something {
            self.answer.decision = self.answer.decision.max(Some(decision));
        } else {
            add_trouble(self.answer, &format!("decision {word:?} has no meaning at {point}"));
        }
    }
}

fn unlike(name: &str, wanted: &str, found: &Value) -> String {
    let found = match found {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    };
    format!("`{name}` must be {wanted}, not {found}")
}

fn add_trouble(answer: &mut HookAnswer, sentence: &str) {
    let before = answer.trouble.take().map(|trouble| trouble + "; ").unwrap_or_default();
    answer.trouble = Some(before + sentence);
}

/// What was complained, within the bound, with a line that says so when it was longer.
fn text_of(bytes: &[u8]) -> String {
    match bytes.get(..MOST_BYTES) {
        Some(head) if bytes.len() > MOST_BYTES => {
            format!("{}\n[… the rest was not read …]", String::from_utf8_lossy(head))
        }
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
}

/// Trimmed, without control characters but for line breaks and tabs; `None` when nothing is left.
fn words(text: &str) -> Option<String> {
    let clean: String = text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect();
    let clean = clean.trim();
    (!clean.is_empty()).then(|| clean.to_owned())
}

#[cfg(test)]
#[path = "hook_tests.rs"]
mod tests;
