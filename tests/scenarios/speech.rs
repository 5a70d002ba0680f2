//! What a model says in a story: `text "…" / tool_use NAME {…} / end tool_use`.

use countersign::ledger::{Hosted, Stop, Usage};
use countersign::model::{FailureClass, ModelEvent, ModelFailure, ModelNews, NamedTool, Sizes};
use serde_json::{Value, json};

use crate::notation::{duration, number, parts, quoted, value, word};

/// Reads one line of speech. `first_call` numbers the calls of this answer.
pub fn speech(line: &str, first_call: u32) -> Result<Vec<ModelNews>, String> {
    let mut news = Vec::new();
    let mut index = first_call;
    for part in parts(line, " / ") {
        let (kind, rest) = word(part);
        let event = |event| ModelNews::Event(event);
        match kind {
            "text" => news.push(event(ModelEvent::Text(quoted(rest)?.0))),
            "thinking" => {
                let (text, unfinished) = quoted(rest)?;
                news.push(event(ModelEvent::Thinking(text)));
                if unfinished != "…" {
                    let replay = Some(json!({ "signature": "signed" }));
                    news.push(event(ModelEvent::ThinkingDone { replay }));
                }
            }
            "tool_use" => {
                news.extend(call(rest, index)?.into_iter().map(event));
                index += 1;
            }
            "hosted" => news.push(event(ModelEvent::Hosted(hosted(rest)?))),
            "usage" => news.push(event(ModelEvent::Usage(usage(rest)?))),
            "stop" => news.push(event(ModelEvent::Stop(Stop::parse(rest)))),
            "end" => {
                news.push(event(ModelEvent::Stop(Stop::parse(rest))));
                news.push(ModelNews::Finished);
            }
            "finished" => news.push(ModelNews::Finished),
            "fails" => news.push(ModelNews::Failed(failure(rest)?)),
            "cut" => {
                let words = "The connection ended before the answer was complete.";
                news.push(ModelNews::Failed(ModelFailure::new(FailureClass::Transient, words)));
            }
            other => return Err(format!("a model cannot `{other}`")),
        }
    }
    Ok(news)
}

/// `NAME {…}`, `NAME "text that is no object"`, `NAME {"path":"a…` (unfinished); then maybe `id=…`.
fn call(rest: &str, index: u32) -> Result<Vec<ModelEvent>, String> {
    let (name, rest) = word(rest);
    let (text, rest, done) = match rest.strip_suffix('…') {
        Some(begun) => (begun.to_owned(), "", false),
        None => match value(rest)? {
            (Value::String(text), rest) => (text, rest, true),
            (object, rest) => (object.to_string(), rest, true),
        },
    };
    let wire_id = rest.strip_prefix("id=").map_or_else(|| format!("wire_{index}"), str::to_owned);
    let mut events = vec![
        ModelEvent::CallStarted { index, wire_id, name: name.to_owned() },
        ModelEvent::CallArguments { index, text },
    ];
    events.extend(done.then_some(ModelEvent::CallDone { index }));
    Ok(events)
}

/// `KIND NAME ID {…}`: what the provider ran itself.
fn hosted(rest: &str) -> Result<Hosted, String> {
    let (kind, rest) = word(rest);
    let (name, rest) = word(rest);
    let (id, rest) = word(rest);
    let (value, _) = value(rest)?;
    Ok(Hosted { kind: kind.to_owned(), name: name.to_owned(), id: id.to_owned(), value })
}

fn usage(rest: &str) -> Result<Usage, String> {
    let mut usage = Usage::default();
    for pair in rest.split_whitespace() {
        let (key, tokens) = pair.split_once('=').ok_or_else(|| format!("`{pair}` is not like in=10"))?;
        match key {
            "in" => usage.input = number(tokens)?,
            "out" => usage.output = number(tokens)?,
            "cached" => usage.cache_read = number(tokens)?,
            other => return Err(format!("`{other}` is not counted here: in, out, cached")),
        }
    }
    Ok(usage)
}

fn failure(rest: &str) -> Result<ModelFailure, String> {
    let (class, rest) = word(rest);
    let (class, sizes) = sizes(class)?;
    let mut named = None;
    let class = match class {
        "transient" => FailureClass::Transient,
        "overflow" => FailureClass::Overflow,
        "quota" => FailureClass::Quota,
        "auth" => FailureClass::Auth,
        "bad_request" => FailureClass::BadRequest,
        "pairing" => FailureClass::Pairing,
        "exhausted" => FailureClass::Exhausted,
        "replay_refused" => FailureClass::ReplayRefused,
        "output_rejected" => FailureClass::OutputRejected,
        "no_tools" => FailureClass::NoTools,
        tool if tool.starts_with("tool=") => {
            let name = tool.trim_start_matches("tool=");
            named = Some(name.parse().map_or_else(|_| NamedTool::Called(name.to_owned()), NamedTool::At));
            FailureClass::ToolRefused
        }
        limit if limit.starts_with("output_limit=") => {
            FailureClass::OutputLimit { most: number(limit.trim_start_matches("output_limit="))? }
        }
        other => return Err(format!("`{other}` is no kind of failure")),
    };
    let (words, rest) = quoted(rest)?;
    let asked = rest.strip_prefix("after ").map(duration).transpose()?;
    let tool = named.map(Box::new);
    Ok(ModelFailure {
        retry_after_ms: asked,
        sizes: Box::new(sizes),
        tool,
        ..ModelFailure::new(class, words)
    })
}

/// `overflow=8192/5000`: the window and the prompt, as the provider names them.
fn sizes(class: &str) -> Result<(&str, Sizes), String> {
    let Some(named) = class.strip_prefix("overflow=") else { return Ok((class, Sizes::default())) };
    let (window, prompt) = named.split_once('/').ok_or("sizes are WINDOW/PROMPT")?;
    Ok(("overflow", Sizes { window: Some(number(window)?), prompt: Some(number(prompt)?) }))
}
