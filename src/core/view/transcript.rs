//! A whole session as text: for a person at a terminal, or as a document in Markdown. Made of the same cards as the
//! screen; what was withdrawn is not in it. What models, tools, agents and people wrote never stands where our own signs and
//! headings do: in plain text it begins two cells after them, in Markdown it is quoted or fenced.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::change;
use super::quote::{self, fenced, inline, quoted};
use super::{Card, CardBody, InBackground, Panel, View, ViewSettings, decision_words, one_line, subject};
use crate::agent::Event;
use crate::ledger::{
    About, Arguments, Body, CallId, Change, Entry, EntryId, Injector, TurnEnded, seconds, standing,
};

/// Lines of a result that a person is shown; the rest is counted.
const MOST_LINES: usize = 12;

/// How a transcript is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Indented text; long results are cut.
    Plain,
    /// Markdown, with everything.
    Markdown,
}

/// The transcript of these entries. Not yet safe for a screen.
pub fn transcript(entries: &[Arc<Entry>], style: Style) -> String {
    let mut view = View::new(ViewSettings::unknown());
    standing(entries).for_each(|entry| view.fold(&Event::Appended(Arc::clone(entry))));
    let mut page = Document { style, text: String::new(), said: String::new(), untold: untold(entries) };
    (0..view.len()).filter_map(|at| view.card(at)).for_each(|card| page.card(card));
    page.text
}

struct Document {
    style: Style,
    text: String,
    /// What the model said last, so that the end of a run does not say it again.
    said: String,
    /// Commands of the user's own that no model is told of.
    untold: BTreeSet<CallId>,
}

/// Their messages were withdrawn at once.
fn untold(entries: &[Arc<Entry>]) -> BTreeSet<CallId> {
    let withdrawn: BTreeSet<EntryId> = entries
        .iter()
        .filter_map(|entry| if let Body::Tombstone(stone) = &entry.body { Some(stone.target) } else { None })
        .collect();
    let (mut said, mut untold) = (None, BTreeSet::new());
    for entry in entries {
        match &entry.body {
            Body::User(_) => said = Some(entry.id),
            Body::Command(call) if said.is_some_and(|said| withdrawn.contains(&said)) => {
                untold.insert(call.id);
            }
            _ => {}
        }
    }
    untold
}

impl Document {
    fn card(&mut self, card: &Card) {
        match &card.body {
            CardBody::Tool(panel) => self.call(panel),
            CardBody::User(entry)
            | CardBody::Assistant(entry)
            | CardBody::Injected(entry)
            | CardBody::Compacted(entry)
            | CardBody::Note(entry)
            | CardBody::Error(entry)
            | CardBody::Raised(entry)
            | CardBody::Changed(entry)
            | CardBody::Goal(entry)
            | CardBody::TurnEnded(entry) => self.entry(entry),
            CardBody::Growing | CardBody::Forming(_) => {}
        }
    }

    fn entry(&mut self, entry: &Entry) {
        match &entry.body {
            Body::User(message) => self.speech("User", "\u{203a} ", &message.shown()),
            // A note says what it stands for.
            Body::Assistant(message) if message.is_unheard() => {}
            Body::Assistant(message) => {
                self.said = message.text();
                let heading = if message.interrupted { "Assistant (interrupted)" } else { "Assistant" };
                self.speech(heading, "  ", &message.text());
                if message.interrupted && self.style == Style::Plain {
                    self.aside("interrupted", "");
                }
            }
            Body::Injected(injected) if injected.by == Injector::Steering => {
                self.speech("User, while it ran", "\u{203a} ", &injected.shown());
            }
            Body::Injected(injected) => self.aside(injected.by.as_str(), &injected.text),
            Body::Compaction(made) => {
                let what = format!("summary of the earlier conversation ({})", made.trigger.as_str());
                self.aside(&what, &made.summary);
            }
            Body::Note(note) if note.about == About::Session => self.aside("note", note.for_people()),
            Body::Note(note) => self.aside(&format!("note on {}", note.about), note.for_people()),
            Body::ProviderLimit(learned) => {
                self.aside(&format!("note on {}", learned.about), &learned.lesson.sentence());
            }
            Body::Error { message, next } => self.aside("error", &format!("{message}; next: {next}")),
            Body::Change(change @ Change::Budget { .. }) => self.aside(&change::words(change), ""),
            Body::Change(change) => self.aside(change::heading(change), &change::words(change)),
            Body::Goal(_) => self.aside("goal", &one_line(entry)),
            Body::Checkpoint(_) => self.aside("goal check", &one_line(entry)),
            Body::Handoff { text } => self.aside("handoff", text),
            Body::TurnEnded(ended) => self.end(entry, ended),
            _ => {}
        }
    }

    fn speech(&mut self, heading: &str, lead: &str, words: &str) {
        if words.trim().is_empty() {
            return;
        }
        match self.style {
            Style::Plain => self.indented(lead, words.trim_end()),
            Style::Markdown => self.push(&format!("## {heading}\n\n{}", quoted(words.trim_end()))),
        }
    }

    /// What it is in our words, and what it says.
    fn aside(&mut self, what: &str, says: &str) {
        let says = says.trim_end();
        match self.style {
            Style::Plain if says.is_empty() => self.indented("\u{b7} ", what),
            Style::Plain => self.indented("\u{b7} ", &format!("{what}: {says}")),
            Style::Markdown if says.is_empty() => self.push(&format!("*{}*\n\n", inline(what))),
            Style::Markdown => self.push(&format!("*{}:*\n\n{}", inline(what), quoted(says))),
        }
    }

    fn call(&mut self, panel: &Panel) {
        let about = subject(panel);
        let (mark, how) = match panel.result() {
            Some(result) if result.outcome.is_error() => ("\u{2717}", result.outcome.as_str().to_owned()),
            Some(result) => ("\u{2713}", format!("ok after {}", seconds(result.duration_ms))),
            None => ("?", "no result yet".to_owned()),
        };
        let is_untold = panel.id().is_some_and(|call| self.untold.contains(&call));
        let how = if is_untold { format!("{how} \u{b7} not shown to the model") } else { how };
        let changed_by = panel.changed_by("the user");
        let how = match &changed_by {
            Some(who) => format!("{how} \u{b7} changed by {who}"),
            None => how,
        };
        let content = panel.result().map(|result| result.shown()).unwrap_or_default();
        match self.style {
            Style::Plain => {
                let name = if panel.is_own_command() { "you" } else { panel.name() };
                let words = quote::one_line(&format!("{name}  {about}"));
                let words = words.replacen(' ', "  ", 1);
                self.indented(&format!("{mark} "), &format!("{words} \u{b7} {how}"));
                self.cut_result(&content);
            }
            Style::Markdown => {
                let written = |arguments: &Arguments| match arguments.are_left_out() {
                    true => Arguments::LEFT_OUT.to_owned(),
                    false => format!("{:#}", arguments.to_value()),
                };
                let given = panel.arguments().map(written).unwrap_or_default();
                let whose = if panel.is_own_command() { "the user's own " } else { "" };
                self.push(&format!("### {mark} {whose}{}: {how}\n\n", inline(panel.name())));
                let kind = |arguments: Option<&Arguments>| match arguments {
                    Some(arguments) if arguments.are_left_out() => "text",
                    _ => "json",
                };
                if changed_by.is_some() {
                    let wished = panel.wished().map(written).unwrap_or_default();
                    self.push("*Before the change:*\n\n");
                    self.push(&fenced(kind(panel.wished()), &wished));
                    self.push("*Changed to:*\n\n");
                }
                self.push(&fenced(kind(panel.arguments()), &given));
                if let Some(decision) = panel.decision() {
                    self.aside(&decision_words(decision), &decision.reason);
                }
                self.push(&fenced("text", &content));
            }
        }
        if let Some(stands) = &panel.in_background {
            self.ended_in_background(stands);
        }
    }

    /// How the sub-agent of a call ended that worked in the background: the result of the call says only that it began.
    fn ended_in_background(&mut self, stands: &InBackground) {
        let InBackground::Over(settled) = stands else {
            return self.aside("the end of the sub-agent is not recorded", "");
        };
        let how = format!("the sub-agent {}", change::how_it_ended(settled));
        let answer = settled.answer.as_deref().unwrap_or_default();
        match self.style {
            Style::Plain => {
                self.aside(&how, "");
                self.cut_result(answer);
            }
            Style::Markdown => self.aside(&how, answer),
        }
    }

    /// The first lines of a result, without the blank line that stood before it.
    fn cut_result(&mut self, content: &str) {
        let lines: Vec<&str> = content.trim_end().lines().collect();
        let more = lines.len().saturating_sub(MOST_LINES);
        let mut shown: Vec<String> = lines.iter().take(MOST_LINES).map(|line| (*line).to_owned()).collect();
        if more > 0 {
            shown.push(format!("\u{2026} lines left out: {more}"));
        }
        if !shown.is_empty() {
            self.text.truncate(self.text.trim_end().len());
            self.push("\n");
            self.indented("    ", &shown.join("\n"));
        }
    }

    fn end(&mut self, entry: &Entry, ended: &TurnEnded) {
        // Words that the model did not say: that a budget is used up, and what to do.
        if self.said.is_empty() || !ended.text.ends_with(&self.said) {
            self.speech("Result", "  ", &ended.text);
        }
        self.said.clear();
        let plural = |count: u32, what: &str| {
            if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
        };
        let counts = match ended.is_counted() {
            true => format!("{}, {}", plural(ended.turns, "turn"), plural(ended.tool_calls, "tool call")),
            false => String::new(),
        };
        let after = |sign: &str| if counts.is_empty() { String::new() } else { format!("{sign}{counts}") };
        let next = if ended.reason.completed() { "" } else { ended.what_next() };
        let reason = ended.reason.as_str();
        match self.style {
            Style::Plain => {
                let next = if next.is_empty() { String::new() } else { format!("\n{next}") };
                self.indented(
                    "\u{2500}\u{2500} ",
                    &format!("{reason}{} \u{b7} {}{next}", after(" \u{b7} "), entry.id),
                );
            }
            Style::Markdown => {
                let next = if next.is_empty() { String::new() } else { format!(" {}", inline(next)) };
                self.push(&format!("*{reason}{}.{next}*\n\n---\n\n", after(": ")));
            }
        }
    }

    /// The words, with `lead` before the first line and as much space before the others, and a blank line after.
    fn indented(&mut self, lead: &str, words: &str) {
        let space = " ".repeat(lead.chars().count());
        for (number, line) in words.lines().enumerate() {
            let before = if number == 0 { lead } else { space.as_str() };
            let whole = format!("{before}{line}");
            self.push(whole.trim_end());
            self.push("\n");
        }
        self.push("\n");
    }

    fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::ledger::{
        Escrow, EscrowSettlement, Facts, Millis, Outcome, Spent, TaskState, ToolResult, ToolUse,
    };

    /// A call that handed a task to a sub-agent in the background, which may have ended.
    fn in_background(settled: Option<(TaskState, &str)>) -> Vec<Arc<Entry>> {
        let call = CallId(1);
        let name = "delegate_to_bg".to_owned();
        let arguments = Arguments::parse(r#"{"task":"Look."}"#);
        let made = ToolUse { id: call, wire_id: String::new(), name: name.clone(), arguments };
        let escrow = Escrow {
            call,
            session: "s-c1".to_owned(),
            limits: BTreeMap::new(),
            parallel: 1,
            in_background: true,
            waits: false,
        };
        let result = ToolResult {
            call,
            name,
            outcome: Outcome::Ok,
            content: "You are told when it is done.".to_owned(),
            written: None,
            duration_ms: 1,
            cut_chars: 0,
            facts: Facts::default(),
            images: Vec::new(),
        };
        let settled = settled.map(|(state, answer)| {
            let spent = Spent { turns: 2, ..Spent::default() };
            let answer = Some(answer.to_owned());
            Body::Change(Change::EscrowSettled(EscrowSettlement {
                call,
                spent,
                is_assumed: false,
                state,
                answer,
            }))
        });
        let bodies = [
            Body::Command(made),
            Body::Change(Change::EscrowReserved(escrow)),
            Body::ToolResult(Arc::new(result)),
        ];
        let entry = |(id, body)| Arc::new(Entry { id: EntryId(id), at: Millis(id), body });
        (1..).zip(bodies.into_iter().chain(settled)).map(entry).collect()
    }

    #[test]
    fn how_a_sub_agent_in_the_background_ended_stands_with_its_call() {
        for style in [Style::Plain, Style::Markdown] {
            let done = transcript(&in_background(Some((TaskState::Completed, "It says first."))), style);
            assert!(done.contains("the sub-agent is completed: 2 turns"), "{done}");
            assert!(done.contains("It says first."), "{done}");
            let stopped = transcript(&in_background(Some((TaskState::Canceled, "It was stopped."))), style);
            assert!(
                stopped.contains("the sub-agent is canceled") && stopped.contains("stopped."),
                "{stopped}"
            );
            let open = transcript(&in_background(None), style);
            assert!(open.contains("the end of the sub-agent is not recorded"), "{open}");
        }
    }
}
