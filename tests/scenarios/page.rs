//! What the ledger says, one line an entry, as the lower half of a story shows it.
//!
//! Lines that begin with `~` are news that leaves no entry: waits, refusals, what went back to the composer. The
//! opening of the session is left out; time is shown where some has passed.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use countersign::agent::{Effect, Live, Operation};
use countersign::ledger::{
    About, AssistantMessage, Block, Body, CallId, Checkpoint, Compaction, Decider, Decision,
    DelegationResponse, Entry, EntryId, Goal, Injector, Message, Note, Outcome, Progress, Scope, Stop,
    ToolResult, TurnEnded, Usage, UserMessage, seconds,
};
use countersign::model::Request;

use crate::changed::{changed, number};

/// The page as it is written.
#[derive(Default)]
pub struct Page {
    lines: Vec<String>,
    last: Option<u64>,
}

impl Page {
    /// The whole page.
    pub fn text(&self) -> String {
        self.lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
    }

    /// A line that is no entry.
    pub fn remark(&mut self, text: &str) {
        self.lines.push(format!("~ {text}"));
    }

    /// Writes down one step. `before` is the log as it was.
    pub fn step(&mut self, effects: &[Effect], before: &[Arc<Entry>], names: &BTreeMap<CallId, String>) {
        let cancelled: Vec<String> = effects.iter().filter_map(|e| cancelled(e, names)).collect();
        let (mut log, mut runs) = (before.to_vec(), Vec::new());
        for effect in effects {
            match effect {
                Effect::Append(entry) => {
                    log.push(Arc::clone(entry));
                    self.entry(entry, &log, &cancelled);
                }
                Effect::Emit(live) => {
                    if let Some(news) = news(live) {
                        self.remark(&news);
                    }
                }
                Effect::RunTool(invocation) => {
                    let confined = if invocation.sandboxed { " in the sandbox" } else { "" };
                    runs.push(format!("{}{}{confined}", invocation.name, number(invocation.call)));
                }
                Effect::TypeInto(call, typed) => {
                    self.remark(&format!("typed into {}: {} bytes", number(*call), typed.0.len()));
                }
                Effect::Cancel(_)
                | Effect::StopBackground(..)
                | Effect::StartSubagent(_)
                | Effect::TellSubagent(..)
                | Effect::CallModel(..)
                | Effect::Prepare(_)
                | Effect::RunHooks(_)
                | Effect::DiscoverTools
                | Effect::SetTimer(..) => {}
            }
        }
        if !runs.is_empty() {
            self.remark(&format!("runs: {}", runs.join(", ")));
        }
        let ended =
            effects.iter().any(|e| matches!(e, Effect::Append(e) if matches!(e.body, Body::TurnEnded(_))));
        if !cancelled.is_empty() && !ended {
            self.remark(&format!("cancelled: {}", cancelled.join(", ")));
        }
    }

    fn entry(&mut self, entry: &Entry, log: &[Arc<Entry>], cancelled: &[String]) {
        let passed = self.last.map_or(0, |last| entry.at.0.saturating_sub(last));
        self.last = Some(entry.at.0);
        if passed > 0 {
            self.lines.push(format!("           · {} later", seconds(passed)));
        }
        let Some((head, says)) = line(&entry.body, log) else { return };
        let ends = matches!(entry.body, Body::TurnEnded(_)) && !cancelled.is_empty();
        let tail = if ends { format!(" · cancelled: {}", cancelled.join(", ")) } else { String::new() };
        self.lines.push(format!("{head:<10} {}{tail}", says.replace('\n', " ⏎ ")));
    }

    /// Which tools the last request held.
    pub fn tools(&mut self, request: &Request) {
        let names: Vec<&str> = request.tools.iter().map(|tool| tool.name.as_str()).collect();
        self.remark(&format!("tools that are sent: {}", names.join(", ")));
    }

    /// What the last request held.
    pub fn sees(&mut self, request: &Request) {
        let messages: Vec<String> = request
            .messages
            .iter()
            .map(|message| match message {
                Message::User(said) => format!("user {:?}", short(&said.shown())),
                Message::Assistant(m) => format!("assistant {}", said(m)),
                Message::Results(results) => {
                    let calls: Vec<String> = results
                        .iter()
                        .map(|r| format!("{} {}", number(r.call), r.outcome.as_str()))
                        .collect();
                    format!("results {}", calls.join(", "))
                }
            })
            .collect();
        let (model, most) = (&request.model, request.max_output);
        self.remark(&format!("{model} sees, and may write {most} tokens: {}", messages.join(" | ")));
    }
}

fn line(body: &Body, log: &[Arc<Entry>]) -> Option<(String, String)> {
    let plain = |head: &str, says: String| Some((head.to_owned(), says));
    match body {
        Body::SessionStarted(_) => None,
        Body::User(m) => plain("user", m.content.clone()),
        Body::Assistant(m) => plain("assistant", assistant(m)),
        Body::ToolCall(c) => {
            Some((format!("call {}", number(c.id)), format!("{} {}", c.name, c.arguments.to_value())))
        }
        Body::CallEdited(c) => Some((format!("edit {}", number(c.id)), c.arguments.to_value().to_string())),
        Body::Validation(c) | Body::Command(c) => {
            let says = format!("goal check: {} {}", c.name, c.arguments.to_value());
            Some((format!("call {}", number(c.id)), says))
        }
        Body::Goal(g) => plain("goal", goal(g)),
        Body::Checkpoint(c) => plain("check", checkpoint(c)),
        Body::Progress(p) => plain("progress", format!("of check {}: {}", p.checkpoint, answers(p))),
        Body::Handoff { text } => plain("handoff", text.clone()),
        Body::Injected(i) if i.by == Injector::GoalCheck => {
            let parts =
                if i.text.starts_with("Checkpoint ") { "the six questions" } else { "the parts of the goal" };
            plain("injected", format!("by goal_check: {parts}"))
        }
        Body::ApprovalRequested(r) => {
            let warning = r.warning.as_ref().map(|words| format!(" ! {words}")).unwrap_or_default();
            let to = r.leads_to.as_ref().map(|to| format!(" -> {to}")).unwrap_or_default();
            Some((format!("ask {}", number(r.call)), format!("{} ({}){to}{warning}", r.why, r.risk)))
        }
        Body::ApprovalDecided(d) => Some(decision(d)),
        Body::DelegationRequested(r) => {
            Some((format!("sent {}", number(r.call)), format!("to {}: {}", r.agent, r.task)))
        }
        Body::DelegationAnswered(r) => Some(delegation(r)),
        Body::ToolResult(r) => Some(result(r)),
        Body::Injected(i) => plain("injected", format!("by {}: {}", i.by.as_str(), i.text)),
        Body::Tombstone(t) => plain("tombstone", format!("{}: {}", about(t.target, log), t.reason)),
        Body::Compaction(c) => plain("compaction", compaction(c)),
        Body::Transition { turn, reason } => {
            plain("transition", format!("{} (turn {turn})", reason.as_str()))
        }
        Body::Change(c) => {
            let (sign, words) = changed(c);
            plain(sign, words)
        }
        Body::Note(n) => plain("note", note(n, log)),
        Body::ProviderLimit(l) => plain("learned", l.lesson.sentence()),
        Body::Error { message, next } => plain("error", format!("{message} → {next}")),
        Body::TurnEnded(t) => plain("turn", turn(t)),
    }
}

fn goal(goal: &Goal) -> String {
    let budget: Vec<String> =
        goal.budget.iter().map(|(limit, most)| format!(" · {} {most}", limit.name())).collect();
    let begun = if goal.current_plan.is_empty() {
        String::new()
    } else {
        format!(" · plan {:?}", goal.current_plan)
    };
    let log =
        if goal.progress_log.is_empty() { String::new() } else { format!(" · log {:?}", goal.progress_log) };
    format!(
        "{} · done when {} · every {}{}{begun}{log}",
        goal.objective,
        goal.done_condition,
        goal.checkpoints,
        budget.concat()
    )
}

/// Who answered each of the six, and what: `model` alone where it is asked.
fn checkpoint(made: &Checkpoint) -> String {
    let asked: Vec<String> = made
        .questions
        .iter()
        .map(|q| match &q.answer {
            Some(answer) => format!("{}: {}", q.by.as_str(), short(answer)),
            None => q.by.as_str().to_owned(),
        })
        .collect();
    format!("{} · {}", made.number, asked.join(" | "))
}

fn answers(said: &Progress) -> String {
    let mut parts = Vec::new();
    parts.extend(said.objective_valid.map(|valid| format!("valid {valid}")));
    parts.extend(said.done.map(|done| format!("done {done}")));
    parts.extend(said.blocked.as_ref().map(|why| format!("blocked {why:?}")));
    parts.extend(Some(&said.progress).filter(|p| !p.is_empty()).map(|p| format!("progress {p:?}")));
    parts.extend(Some(&said.plan).filter(|p| !p.is_empty()).map(|p| format!("plan {p:?}")));
    parts.join(", ")
}

fn assistant(message: &AssistantMessage) -> String {
    let mut line = said(message);
    let mut marks = Vec::new();
    if message.interrupted {
        marks.push("interrupted".to_owned());
    } else if !matches!(message.stop, Stop::End | Stop::ToolUse) {
        marks.push(format!("stop {}", message.stop.as_str()));
    }
    if message.model.provider != "script" {
        marks.push(format!("by {}", message.model));
    }
    marks.extend(tokens(&message.usage));
    if !marks.is_empty() {
        let _written = write!(line, " ({})", marks.join(", "));
    }
    line.trim_start().to_owned()
}

/// Text, ⟨thinking⟩ and [calls], in order.
fn said(message: &AssistantMessage) -> String {
    let blocks: Vec<String> = message
        .blocks
        .iter()
        .map(|block| match block {
            Block::Text(text) => text.to_string(),
            Block::Thinking(thinking) => format!("⟨{}⟩", thinking.text),
            Block::Hosted(block) => format!("{{{} {}}}", block.kind, block.name),
            Block::ToolUse(call) => format!("[{}{}]", call.name, number(call.id)),
        })
        .collect();
    if blocks.is_empty() { "(nothing)".to_owned() } else { blocks.join(" ") }
}

fn decision(decision: &Decision) -> (String, String) {
    let head = format!("{} {}", if decision.allow { "allow" } else { "deny" }, number(decision.call));
    let scope = match decision.scope {
        Scope::Once => "once",
        Scope::Session => "for the session",
        Scope::Project => "for the project",
        Scope::Everywhere => "everywhere",
    };
    let reason = if decision.reason.is_empty() { String::new() } else { format!(": {}", decision.reason) };
    let confined = if decision.sandboxed { ", in the sandbox" } else { "" };
    let verb = if decision.by == Decider::Policy { "by rule" } else { "takes" };
    let rule = decision.rule.as_ref().map(|rule| format!(", {verb} {rule}")).unwrap_or_default();
    (head, format!("by {}, {scope}{confined}{rule}{reason}", decision.by.as_str()))
}

fn result(result: &ToolResult) -> (String, String) {
    let outcome = match &result.outcome {
        Outcome::Denied(by) => format!("denied by {}", by.as_str()),
        Outcome::Aborted(abort) => format!("aborted {:?}", abort.path),
        Outcome::Lost { started } => format!("lost, {}", if *started { "started" } else { "not started" }),
        other => other.as_str().to_owned(),
    };
    let time =
        if result.duration_ms == 0 { String::new() } else { format!(" ({})", seconds(result.duration_ms)) };
    (format!("result {}", number(result.call)), format!("{outcome:<8} {}{time}", result.content))
}

fn delegation(response: &DelegationResponse) -> (String, String) {
    let DelegationResponse { agent, task_id, state, is_error, content, .. } = response;
    let task = task_id.as_deref().unwrap_or("(nameless)");
    let how = if *is_error { "error" } else { "no error" };
    (
        format!("end {}", number(response.call)),
        format!("{agent}'s {task}: {}, {how}: {content}", state.as_str()),
    )
}

fn compaction(compaction: &Compaction) -> String {
    let Compaction { trigger, summary, tokens_before, tokens_after, .. } = compaction;
    format!("{}: {summary} ({tokens_before} → {tokens_after} tokens)", trigger.as_str())
}

fn note(note: &Note, log: &[Arc<Entry>]) -> String {
    let what = match &note.about {
        About::Call(call) => number(*call),
        About::Entry(entry) => about(*entry, log),
        About::Session | About::Unknown(_) => note.about.to_string(),
    };
    format!("on {what}: {}", note.for_people())
}

fn turn(ended: &TurnEnded) -> String {
    let mut facts = vec![plural(ended.turns, "turn")];
    if ended.tool_calls > 0 {
        facts.push(plural(ended.tool_calls, "call"));
    }
    facts.extend(tokens(&ended.usage));
    if ended.wall_ms > 0 {
        facts.push(seconds(ended.wall_ms));
    }
    if !ended.not_ok.is_empty() {
        let calls: Vec<String> =
            ended.not_ok.iter().map(|(c, how)| format!("{} {how}", number(*c))).collect();
        facts.push(format!("not ok: {}", calls.join(", ")));
    }
    let text = if ended.text.is_empty() { String::new() } else { format!("{:?} · ", ended.text) };
    format!("{}   {text}{}", ended.reason.as_str(), facts.join(" · "))
}

/// Tokens and cost, where the provider counted them.
fn tokens(usage: &Usage) -> Option<String> {
    let counted = usage.input + usage.output > 0 && (!usage.estimated || usage.cost.is_some());
    let cost =
        usage.cost.map_or_else(String::new, |c| format!(" ${}.{:06}", c.0 / 1_000_000, c.0 % 1_000_000));
    counted.then(|| format!("in {} out {}{cost}", usage.input, usage.output))
}

/// An entry, by its words: numbers would change with every line above.
fn about(target: EntryId, log: &[Arc<Entry>]) -> String {
    let Some(entry) = log.iter().find(|e| e.id == target) else {
        return "an answer never written".to_owned();
    };
    match &entry.body {
        Body::Assistant(message) => format!("{:?}", short(&said(message))),
        other => format!("the {}", other.kind()),
    }
}

fn contents(said: &[UserMessage]) -> Vec<&str> {
    said.iter().map(|said| said.content.as_str()).collect()
}

fn news(live: &Live) -> Option<String> {
    match live {
        Live::Retrying { attempt, most, wait_ms, reason, .. } => {
            Some(format!("retry {attempt} of {most} in {} ms: {reason}", wait_ms))
        }
        Live::Returned(said) => Some(format!("returned to the composer: {:?}", contents(said))),
        Live::ReturnedLine(s) => Some(format!("returned to the composer as it was typed: {:?}", s.content)),
        Live::LedgerUnwritable { why, .. } => Some(format!("the books are shut: {why}")),
        Live::LedgerWritable => Some("the books are open".to_owned()),
        Live::Refused(why) => Some(format!("refused: {why}")),
        Live::Waiting { steering, queued } if steering.len() + queued.len() > 0 => {
            Some(format!("waiting: steering {:?}, queued {:?}", contents(steering), contents(queued)))
        }
        Live::Answering { said, .. } => said.as_ref().map(|said| format!("told: {said}")),
        Live::Discovering => Some("waiting for MCP servers and agents".to_owned()),
        Live::Unreached(why) => Some(format!("told: {why}")),
        Live::Compacting(trigger) => Some(format!("compacting ({})", trigger.as_str())),
        Live::AskingHooks(at) => Some(format!("asks hooks at {}", at.as_str())),
        Live::Discovered(_)
        | Live::Next(_)
        | Live::Asked { .. }
        | Live::Text { .. }
        | Live::Thinking { .. }
        | Live::Hosted { .. }
        | Live::CallForming { .. }
        | Live::Allowed { .. }
        | Live::Progress { .. }
        | Live::ToolOutput { .. }
        | Live::Screen { .. }
        | Live::ToolFinished { .. }
        | Live::Subagent { .. }
        | Live::SubagentWaits { .. }
        | Live::Undecided(_)
        | Live::Waiting { .. }
        | Live::ModeChanged(_) => None,
    }
}

fn cancelled(effect: &Effect, names: &BTreeMap<CallId, String>) -> Option<String> {
    let Effect::Cancel(operation) = effect else { return None };
    let named =
        |call: &CallId| format!("{}{}", names.get(call).map_or("call", String::as_str), number(*call));
    Some(match operation {
        Operation::Model(_) => "the model".to_owned(),
        Operation::Preparation(call) => format!("the look at {}", named(call)),
        Operation::Tool(call) | Operation::Subagent(call, _) => named(call),
        Operation::Timer(_) => "a timer".to_owned(),
        Operation::Hooks(_) => "hooks".to_owned(),
        Operation::Discovery => "the search for tools".to_owned(),
    })
}

fn plural(count: u32, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// The beginning of long words.
fn short(text: &str) -> String {
    let begin: String = text.chars().take(60).collect();
    if begin.len() < text.len() { format!("{begin}…") } else { begin }
}
