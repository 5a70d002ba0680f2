//! What an error answer says, whoever wrote it: every vendor has a shape of its own.

use serde_json::Value;

use crate::ledger::halves;

/// The parts of an error answer that something can be concluded from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Report {
    /// The provider's sentence; empty when there is none.
    pub(super) message: String,
    /// Types and codes, most specific last, in lower case.
    pub(super) codes: Vec<String>,
    /// A status code in the body: what the upstream server said, or all there is in a stream.
    pub(super) status: Option<u16>,
    /// Google's `retryDelay`.
    pub(super) retry_delay: Option<String>,
    /// llama.cpp: what a request may hold, and what this one's prompt held, in tokens.
    pub(super) window: Option<u64>,
    pub(super) prompt: Option<u64>,
    /// For the provider's support.
    pub(super) request_id: Option<String>,
    /// The place of the tool that is spoken of, where members say it and not the words.
    pub(super) tool: Option<usize>,
}

/// Deepest nesting of a body inside a body that is looked into.
const MAX_DEPTH: usize = 3;
/// Most problems of one answer that are looked through for a tool, and steps of the way to each.
const MOST_PROBLEMS: usize = 64;
const MOST_STEPS: usize = 8;

impl Report {
    /// Reads a body: JSON of any known shape, or the page of a proxy.
    pub(super) fn of_body(body: &str) -> Self {
        match halves::read(body.trim_start_matches('\u{feff}')) {
            Ok(value) => Self::of_value(&value),
            Err(_) => Self { message: page_line(body), ..Self::default() },
        }
    }

    /// Reads a parsed error.
    pub(super) fn of_value(value: &Value) -> Self {
        let mut report = Self::default();
        report.read(value, 0);
        report
    }

    fn read(&mut self, value: &Value, depth: usize) {
        if depth > MAX_DEPTH {
            return;
        }
        match value {
            Value::Array(items) => items.iter().take(1).for_each(|item| self.read(item, depth + 1)),
            Value::String(text) => self.add_message(text),
            Value::Object(_) => {
                self.read_fields(value);
                if let Some(error) = value.get("error") {
                    self.read(error, depth + 1);
                }
                if let Some(raw) = value.pointer("/metadata/raw") {
                    self.read_upstream(raw, depth);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn read_fields(&mut self, value: &Value) {
        for name in ["type", "code", "status"] {
            self.add_code(value.get(name));
        }
        for name in ["status_code", "raw_status_code"] {
            self.add_code(value.get(name));
        }
        match value.get("details") {
            Some(Value::Array(details)) => details.iter().for_each(|detail| {
                self.add_code(detail.get("reason"));
                if let Some(delay) = detail.get("retryDelay").and_then(Value::as_str) {
                    self.retry_delay = Some(delay.to_owned());
                }
            }),
            Some(details) => self.add_code(details.get("error_code")),
            None => {}
        }
        self.tool = self.tool.or_else(|| tool_place(value));
        let count = |name: &str| value.get(name).and_then(Value::as_u64);
        self.window = count("n_ctx").or(self.window);
        self.prompt = count("n_prompt_tokens").or(self.prompt);
        if let Some(id) = value.get("request_id").and_then(Value::as_str) {
            self.request_id = Some(id.to_owned());
        }
        match value.get("message").or_else(|| value.get("detail")) {
            Some(Value::String(text)) => self.add_message(text),
            Some(Value::Array(problems)) => {
                problems
                    .iter()
                    .filter_map(|p| p.get("msg")?.as_str())
                    .for_each(|text| self.add_message(text));
            }
            Some(_) | None => {}
        }
    }

    /// A gateway quotes what the server behind it said: as JSON text, or in words.
    fn read_upstream(&mut self, raw: &Value, depth: usize) {
        let parsed = raw.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
        self.read(parsed.as_ref().filter(|p| p.is_object()).unwrap_or(raw), depth + 1);
    }

    fn add_message(&mut self, text: &str) {
        let line = one_line(text);
        if line.is_empty() || self.message.contains(&line) {
            return;
        }
        if !self.message.is_empty() {
            self.message.push_str(": ");
        }
        self.message.push_str(&line);
    }

    fn add_code(&mut self, code: Option<&Value>) {
        match code {
            Some(Value::Number(number)) => {
                let status = number.as_u64().and_then(|n| u16::try_from(n).ok());
                self.status = status.filter(|s| (400..600).contains(s)).or(self.status);
            }
            Some(Value::String(text)) if !text.is_empty() && text != "error" => {
                self.codes.push(text.to_ascii_lowercase());
            }
            Some(_) | None => {}
        }
    }
}

/// The tool to which an error points beside its words: with OpenAI's `param`, or with a way to it, as servers made with FastAPI
/// do: `"loc": ["body", "tools", 3, "function"]`.
fn tool_place(value: &Value) -> Option<usize> {
    let by_param = value.get("param").and_then(Value::as_str).and_then(place_in_path);
    by_param.or_else(|| {
        let problems = value.get("detail")?.as_array()?.iter().take(MOST_PROBLEMS);
        problems.filter_map(|problem| problem.get("loc")?.as_array()).find_map(|way| place_on_way(way))
    })
}

/// `tools[3].function.parameters`, `tools.3.function`.
fn place_in_path(path: &str) -> Option<usize> {
    let rest = path.strip_prefix("tools")?;
    let place = match rest.strip_prefix('[') {
        Some(rest) => rest.split_once(']')?.0,
        None => rest.strip_prefix('.')?.split('.').next()?,
    };
    place.parse().ok()
}

fn place_on_way(way: &[Value]) -> Option<usize> {
    let mut steps = way.iter().take(MOST_STEPS);
    steps.find(|step| step.as_str() == Some("tools"))?;
    usize::try_from(steps.next()?.as_u64()?).ok()
}

/// Most characters of a provider's sentence that are shown.
const LINE_CHARS: usize = 600;

/// Text as one line: white space joined, control characters out, at a length that can be read.
pub(super) fn one_line(text: &str) -> String {
    let words: Vec<_> = text.split_whitespace().collect();
    let line = words.join(" ");
    let clean: String = line.chars().filter(|c| !c.is_control()).take(LINE_CHARS + 1).collect();
    if clean.chars().count() <= LINE_CHARS {
        return clean;
    }
    let cut: String = clean.chars().take(LINE_CHARS).collect();
    format!("{cut}…")
}

/// The title of a web page, or the first line of a text.
pub(super) fn page_line(body: &str) -> String {
    let lower = body.to_ascii_lowercase();
    let title = lower.find("<title>").and_then(|start| {
        let after = body.get(start + "<title>".len()..)?;
        let end = after.to_ascii_lowercase().find("</title>")?;
        after.get(..end)
    });
    if let Some(title) = title {
        return one_line(title);
    }
    body.lines()
        .map(without_tags)
        .map(|line| one_line(&line))
        .find(|line| !line.is_empty())
        .unwrap_or_default()
}

fn without_tags(line: &str) -> String {
    let mut text = String::new();
    let mut in_tag = false;
    for c in line.chars() {
        match c {
            '<' => in_tag = true,
            '>' if in_tag => in_tag = false,
            _ if !in_tag => text.push(c),
            _ => {}
        }
    }
    text
}
