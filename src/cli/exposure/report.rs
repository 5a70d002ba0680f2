//! What was found by `exposure`, in words and as JSON.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use crate::config::environment::Environment;
use crate::ledger::ModelRef;
use crate::session::exposure::{Destination, Exposed, Exposure, Reached, Sought};
use crate::session::other_sessions::{first_words, when};
use crate::wire::record::moment;

/// Characters of what carried it.
const MOST: usize = 120;
/// The models that answer in this process.
const EMBEDDED: [&str; 2] = ["rehearsal", "script"];

/// The report for people.
pub(super) fn words(found: &Exposure, wanted: &Sought, environment: &Environment) -> String {
    let searched = counted(found.sessions as u64, "session was", "sessions were");
    if found.all.is_empty() {
        let what = if matches!(wanted, Sought::File(_)) { "the file" } else { "this" };
        return format!("no session has {what}; {searched} searched{}\n", not_whole(found, "it"));
    }
    let (mut text, mut session) = (String::new(), None);
    for one in &found.all {
        if session != Some(&one.session) {
            let folder = environment.shown(Path::new(&one.folder));
            text.push_str(&format!("{}  {}\n", first_words(&one.session, MOST), first_words(&folder, MOST)));
            session = Some(&one.session);
        }
        text.push_str(&entry(one));
    }
    let but = not_whole(found, "more of it");
    text + &sum(&found.sum) + "; " + &searched + " searched" + &but + "\n"
}

/// How many of the sessions cannot tell whether they had it.
fn not_whole(found: &Exposure, what: &str) -> String {
    let of = |sessions: &[String], how: &str| {
        let is = (!sessions.is_empty()).then(|| counted(sessions.len() as u64, "is", "are"));
        is.map(|is| format!("{is} {how}"))
    };
    let parts = [of(&found.damaged, "not well-formed"), of(&found.incomplete, "incomplete")];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() {
        String::new()
    } else {
        format!(", of which {} and may have had {what}", parts.join(", "))
    }
}

fn entry(one: &Exposed) -> String {
    let sure = if one.is_certain { "" } else { "perhaps " };
    let variable = one.variable.as_ref().map(|name| format!(" has {}", first_words(name, MOST)));
    let what = first_words(&one.what, MOST);
    let mut text =
        format!("  {}  {}  {sure}{what}{}\n", one.entry, when(one.at), variable.unwrap_or_default());
    if let (Some(call), Some(decided)) = (one.call, &one.decided) {
        text.push_str(&format!("      {call} was {}\n", first_words(&decided.words(), MOST)));
    }
    if one.reached.is_empty() {
        text.push_str("      it was in no request\n");
    }
    for (to, reached) in &one.reached {
        text.push_str(&format!("      {}\n", first_words(&line(to, reached), MOST * 2)));
    }
    text
}

/// `to anthropic/claude: 3 requests, 2026-11-20 22:54 to 2026-11-20 22:59`
fn line(to: &Destination, reached: &Reached) -> String {
    let times = if when(reached.first) == when(reached.last) {
        when(reached.first)
    } else {
        format!("{} to {}", when(reached.first), when(reached.last))
    };
    match to {
        Destination::Command => format!("may have sent it: {times}"),
        Destination::Model(model) => {
            let requests = counted(reached.count, "request", "requests");
            format!("to {}: {requests}{}, {times}", model_name(model.as_ref()), unanswered(reached))
        }
        to if reached.uncertain == reached.count => {
            format!("perhaps to {}{}: {times}", name(to), unheard(to))
        }
        to => format!("to {}: {times}", name(to)),
    }
}

fn sum(sum: &BTreeMap<Destination, Reached>) -> String {
    if sum.is_empty() {
        return "nothing of it was sent".to_owned();
    }
    let parts = sum.iter().map(|(to, reached)| match to {
        Destination::Model(model) => {
            let requests = counted(reached.count, "request", "requests");
            format!("{requests} to {}{}", model_name(model.as_ref()), unanswered(reached))
        }
        Destination::Command => {
            format!("{} that may have sent it", counted(reached.count, "command", "commands"))
        }
        to => {
            let calls = counted(reached.count, "call", "calls");
            match reached.uncertain {
                0 => format!("{calls} to {}", name(to)),
                all if all == reached.count => format!("perhaps {calls} to {}", name(to)),
                some => format!("{calls} to {} ({some} of them perhaps)", name(to)),
            }
        }
    });
    first_words(&parts.collect::<Vec<_>>().join(", "), MOST * 8)
}

/// Requests that nobody answered may have been received, or never left.
fn unanswered(reached: &Reached) -> String {
    match reached.unanswered {
        0 => String::new(),
        count => format!(" ({count} without an answer)"),
    }
}

/// Why it is not sure that a page was asked for: it may have been refused here, before anything was sent.
fn unheard(to: &Destination) -> &'static str {
    if matches!(to, Destination::Host(_)) { ", of which no answer is on record" } else { "" }
}

fn model_name(model: Option<&ModelRef>) -> String {
    match model {
        None => "a model that is not on record".to_owned(),
        Some(model) if EMBEDDED.contains(&model.provider.as_str()) => format!("{model} (in this process)"),
        Some(model) => model.to_string(),
    }
}

fn name(to: &Destination) -> String {
    match to {
        Destination::Model(model) => model_name(model.as_ref()),
        Destination::Server(name) => format!("the MCP server {name}"),
        Destination::Agent(name) => format!("the agent {name}"),
        Destination::Host(name) => format!("the host {name}"),
        Destination::Command => "a command".to_owned(),
    }
}

fn counted(count: u64, one: &str, many: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
}

/// The report for programs.
pub(super) fn json(found: &Exposure, wanted: &Sought) -> Value {
    let kind = if matches!(wanted, Sought::File(_)) { "path" } else { "text" };
    let all: Vec<Value> = found.all.iter().map(one_json).collect();
    json!({
        "searched": kind, "sessions": found.sessions, "unreadable": found.unreadable.len(),
        "damaged": found.damaged.len(), "incomplete": found.incomplete.len(),
        "exposures": all, "sum": reached_json(&found.sum),
    })
}

fn one_json(one: &Exposed) -> Value {
    json!({
        "session": one.session, "cwd": one.folder, "entry": one.entry.to_string(), "at": moment(one.at), "type": one.kind,
        "what": one.what, "variable": one.variable, "call": one.call.map(|call| call.to_string()),
        "certain": one.is_certain, "decision": one.decided.as_ref().map(|decided| decided.json()),
        "destinations": reached_json(&one.reached),
    })
}

fn reached_json(reached: &BTreeMap<Destination, Reached>) -> Value {
    let one = |(to, reached): (&Destination, &Reached)| {
        let (kind, name, model) = match to {
            Destination::Model(None) => ("model", None, None),
            Destination::Model(Some(model)) => {
                let name = Some(&model.name).filter(|name| !name.is_empty());
                ("model", Some(&model.provider), name)
            }
            Destination::Server(name) => ("mcp_server", Some(name), None),
            Destination::Agent(name) => ("agent", Some(name), None),
            Destination::Host(name) => ("host", Some(name), None),
            Destination::Command => ("command", None, None),
        };
        json!({
            "kind": kind, "name": name, "model": model, "count": reached.count, "unanswered": reached.unanswered,
            "uncertain": reached.uncertain, "first": moment(reached.first), "last": moment(reached.last),
        })
    };
    reached.iter().map(one).collect()
}
