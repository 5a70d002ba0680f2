//! Events as lines of JSON: durable ones as the session file has them but for the bytes
//! of images, live ones as the design names them.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::told_subagents::ToldSubagents;
use crate::agent::{CallAddress, Event, Live};
use crate::budget::{Gauge, Limit, Limits, Meter, Unit};
use crate::ledger::{ApprovalRequest, Arguments, Body, Entry, Millis};
use crate::policy::digest;
use crate::tool::delegate;
use crate::wire::record;

/// Rows of a command's terminal that a line carries.
const SCREEN_ROWS: usize = 20;

/// Turns events into lines, and says when a budget's gauge has moved.
#[derive(Debug)]
pub(super) struct EventLines {
    meter: Meter,
    shown: Vec<Gauge>,
    /// Whether a program reads the lines and answers: it needs the digests of requests, and what it is refused.
    is_answered: bool,
    subagents: ToldSubagents,
    /// Calls of sub-agents that were asked about and not decided.
    asked_below: BTreeSet<CallAddress>,
    /// The line of the input that the next event refuses.
    pub(super) refused: Option<u64>,
}

impl EventLines {
    /// Lines of a session with these limits. `before` are the entries of a resumed session, which are not told again.
    pub(super) fn new<'e>(
        limits: Limits,
        before: impl Iterator<Item = &'e Entry>,
        is_answered: bool,
    ) -> Self {
        let mut meter = Meter::new(limits);
        before.for_each(|entry| meter.read(entry));
        Self {
            meter,
            shown: Vec::new(),
            is_answered,
            subagents: ToldSubagents::default(),
            asked_below: BTreeSet::new(),
            refused: None,
        }
    }

    /// The lines of one event, in order. A live event that the stream does not carry has none.
    pub(super) fn lines(&mut self, event: &Event) -> Vec<String> {
        match event {
            Event::Live(Live::Returned(texts)) if self.is_answered => {
                let returned =
                    texts.iter().map(|said| json!({ "type": "message_returned", "content": said.content }));
                returned.map(|event| record::line(&event)).collect()
            }
            Event::Live(Live::Refused(why)) if self.is_answered => {
                vec![record::line(&self.rejection(why, None))]
            }
            Event::Live(live @ Live::Subagent { .. }) => {
                let mut told: Vec<Value> = live_event(live).into_iter().collect();
                told.extend(self.of_subagent(event));
                told.iter().map(record::line).collect()
            }
            Event::Live(live) => live_event(live).iter().map(record::line).collect(),
            Event::Appended(entry) => {
                self.meter.read(entry);
                self.subagents.read(&[], &entry.body);
                let mut lines = vec![self.durable(entry)];
                lines.extend(self.moved(entry.at).iter().map(record::line));
                lines
            }
        }
    }

    /// The line of an entry.
    pub(super) fn durable(&self, entry: &Entry) -> String {
        let mut event = record::without_images(entry);
        if let (Body::ApprovalRequested(asked), true, Value::Object(members)) =
            (&entry.body, self.is_answered, &mut event)
        {
            name_request(members, entry, asked);
        }
        record::line(&event)
    }

    /// What was refused, with the number of its line, if a line asked for it.
    fn rejection(&self, why: &str, whose: Option<Value>) -> Value {
        let mut event = json!({ "type": "input_rejected" });
        if let Value::Object(members) = &mut event {
            members.extend(self.refused.map(|line| ("line".to_owned(), line.into())));
            members.insert("why".to_owned(), why.into());
            members.extend(whose.map(|whose| ("subagent".to_owned(), whose)));
        }
        event
    }

    /// What is told of a sub-agent beside what happened in its session: its calls that wait for a decision and the decisions, in
    /// the form of the session's own, by ids that no other call has.
    fn of_subagent(&mut self, event: &Event) -> Option<Value> {
        let (path, inner) = event.located();
        let entry = match inner {
            Event::Appended(entry) => entry,
            Event::Live(Live::Refused(why)) if self.is_answered => {
                let whose = self.subagents.described(&path);
                return Some(self.rejection(why, Some(json!(whose))));
            }
            Event::Live(_) => return None,
        };
        self.subagents.read(&path, &entry.body);
        let at = CallAddress { path, call: entry.body.call()? };
        let is_told = match &entry.body {
            Body::ApprovalRequested(_) => {
                self.asked_below.insert(at.clone());
                true
            }
            // What nobody was asked about is told as all else that happens there.
            Body::ApprovalDecided(_) => self.asked_below.remove(&at),
            _ => false,
        };
        if !is_told {
            return None;
        }
        let mut event = record::without_images(entry);
        let members = event.as_object_mut()?;
        // They are those of an entry in the other ledger.
        for member in ["entry", "at"] {
            members.remove(member);
        }
        members.insert("id".to_owned(), at.to_string().into());
        if let (Body::ApprovalRequested(asked), true) = (&entry.body, self.is_answered) {
            name_request(members, entry, asked);
        }
        members.insert("subagent".to_owned(), self.subagents.described(&at.path)?);
        Some(event)
    }

    /// The gauges that changed since they were last told; the clock alone moves none.
    fn moved(&mut self, now: Millis) -> Vec<Value> {
        let gauges = self.meter.gauges(now);
        let is_clock = |gauge: &Gauge| unit(gauge) == Some(Unit::Seconds);
        let moved: Vec<Value> = gauges
            .iter()
            .filter(|gauge| !is_clock(gauge) && gauge.used > 0 && !self.shown.contains(gauge))
            .map(budget_event)
            .collect();
        self.shown = gauges;
        moved
    }
}

/// What an answer repeats: which request it is to, since a call can be asked about anew, and what exactly that is about.
fn name_request(members: &mut Map<String, Value>, entry: &Entry, asked: &ApprovalRequest) {
    members.insert("request".to_owned(), entry.id.to_string().into());
    members.insert("digest".to_owned(), digest_of(asked).into());
}

/// The digest of exactly what is asked about; a decision names it.
pub(in crate::cli) fn digest_of(asked: &ApprovalRequest) -> String {
    digest(&asked.name, &Arguments::from_value(asked.arguments.clone()))
}

/// What a gauge counts, if it is a limit's.
fn unit(gauge: &Gauge) -> Option<Unit> {
    Limit::parse(gauge.name).map(Limit::unit)
}

fn budget_event(gauge: &Gauge) -> Value {
    let is_money = unit(gauge) == Some(Unit::MicroDollars);
    let amount = |value: u64| if is_money { json!(value as f64 / 1e6) } else { json!(value) };
    let mut event = json!({
        "type": "budget",
        "name": gauge.name,
        "used": amount(gauge.used),
        "limit": gauge.limit.map(amount),
    });
    // While sub-agents are at work.
    if let (1.., Value::Object(members)) = (gauge.set_aside, &mut event) {
        members.insert("set_aside".to_owned(), amount(gauge.set_aside));
    }
    event
}

fn live_event(live: &Live) -> Option<Value> {
    match live {
        Live::Text { message, text } => {
            Some(json!({ "type": "text_delta", "message": message.to_string(), "text": text }))
        }
        Live::Thinking { message, text } => {
            Some(json!({ "type": "thinking_delta", "message": message.to_string(), "text": text }))
        }
        Live::Progress { step, target, .. } => {
            let (action, target) = match delegate(target) {
                Some(agent) => ("delegate", agent),
                None => ("tool_call", target.as_str()),
            };
            Some(json!({ "type": "progress", "step": step, "action": action, "target": target }))
        }
        Live::ToolOutput { call, chunk } => {
            Some(json!({ "type": "tool_output", "id": call.to_string(), "chunk": chunk }))
        }
        // A form feed: what comes stands in the place of what was shown before.
        Live::Screen { call, screen } => {
            let all = screen.lines().count();
            let last: Vec<&str> = screen.lines().skip(all.saturating_sub(SCREEN_ROWS)).collect();
            let chunk = format!("\u{c}{}\n", last.join("\n"));
            Some(json!({ "type": "tool_output", "id": call.to_string(), "chunk": chunk }))
        }
        Live::Subagent { call, event } => {
            let inner = match &**event {
                Event::Appended(entry) => record::without_images(entry),
                Event::Live(live) => live_event(live)?,
            };
            Some(json!({ "type": "subagent", "call": call.to_string(), "event": inner }))
        }
        Live::SubagentWaits { call, waits } => {
            Some(json!({ "type": "subagent_waits", "call": call.to_string(), "waits": waits }))
        }
        Live::Hosted { .. }
        | Live::CallForming { .. }
        | Live::Allowed { .. }
        | Live::ToolFinished { .. }
        | Live::Retrying { .. }
        | Live::Compacting(_)
        | Live::Asked { .. }
        | Live::AskingHooks(_)
        | Live::Discovering
        | Live::Discovered(_)
        | Live::Next(_)
        | Live::Unreached(_)
        | Live::Waiting { .. }
        | Live::Returned(_)
        | Live::ReturnedLine(_)
        | Live::ModeChanged(_)
        | Live::Answering { .. }
        | Live::LedgerUnwritable { .. }
        | Live::LedgerWritable
        | Live::Undecided(_)
        | Live::Refused(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::CallId;
    use crate::tool::SideEffect;

    #[test]
    fn progress_names_the_bare_tool_or_agent() {
        let progress = |target: &str| {
            live_event(&Live::Progress {
                call: CallId(1),
                step: 2,
                target: target.to_owned(),
                effect: SideEffect::Runs,
            })
            .unwrap()
        };
        assert_eq!(
            progress("calculator"),
            json!({ "type": "progress", "step": 2, "action": "tool_call", "target": "calculator" })
        );
        assert_eq!(
            progress("delegate_to_researcher"),
            json!({ "type": "progress", "step": 2, "action": "delegate", "target": "researcher" })
        );
    }
}
