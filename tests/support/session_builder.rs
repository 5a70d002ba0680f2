//! Builds a session entry by entry through the real ledger, as events, for the tests of view and screen.

#![allow(dead_code, clippy::unwrap_used, reason = "tests; not every test uses everything")]

use std::sync::Arc;

use countersign::agent::{Event, Live};
use countersign::ledger::{
    About, ApprovalRequest, Arguments, AssistantMessage, Block, Body, CallId, Compaction, CompactionTrigger,
    Decider, Decision, Ending, Entry, EntryId, Facts, Injected, Injector, Ledger, MicroDollars, Millis,
    ModelRef, Note, OpenCall, Outcome, Preview, Remark, Sandboxing, Scope, SessionStarted, Settlement, Stop,
    Thinking, Tombstone, ToolUse, Transition, TurnEnded, Usage, UserMessage,
};
use countersign::tool::{SideEffect, ToolKind, ToolSpec};
use countersign::view::{View, ViewSettings};
use serde_json::{Value, json};

use crate::legacy_facts;

/// The books, a clock that moves a second an entry, and the events so far.
pub struct SessionBuilder {
    pub ledger: Ledger,
    pub events: Vec<Event>,
    pub now: u64,
    turn: u32,
    calls: u32,
    hosted: u32,
    told: usize,
    not_ok: Vec<(CallId, String)>,
    /// Where what is asked about from now on runs when it is allowed.
    pub sandboxing: Sandboxing,
    /// Where the path of what is asked about from now on leads.
    pub leads_to: Option<String>,
    /// What the next calls that are asked about do; empty: what their preview says.
    pub effects: Vec<String>,
    /// Whether previews leave something out from now on.
    pub is_partial: bool,
    /// What the questions from now on name that the sandbox cannot hide.
    pub gaps: Vec<String>,
    /// Whether what is asked about from now on replaces a file.
    pub replaces: bool,
    /// Why what is asked about from now on asks; `None`: no rule covers it.
    pub why: Option<&'static str>,
}

/// The tool for commands, as far as a rule looks at it.
pub fn shell_tool() -> ToolSpec {
    ToolSpec {
        name: "shell".into(),
        description: String::new(),
        schema: json!({}),
        effect: SideEffect::Runs,
        paths: vec![],
        timeout_ms: None,
        kind: ToolKind::Shell,
        retrieves: false,
    }
}

pub fn settings() -> ViewSettings {
    ViewSettings {
        model: "anthropic/claude-test".into(),
        cwd: "~/src/parser".into(),
        branch: Some("main".into()),
        window: 200_000,
        ..ViewSettings::unknown()
    }
}

pub fn view(events: &[Event]) -> View {
    let mut view = View::new(settings());
    events.iter().for_each(|event| view.fold(event));
    view
}

impl SessionBuilder {
    pub fn new() -> Self {
        let mut builder = Self {
            ledger: Ledger::default(),
            events: vec![],
            now: 1_000_000,
            turn: 0,
            calls: 0,
            hosted: 0,
            told: 0,
            not_ok: vec![],
            sandboxing: Sandboxing::Without,
            leads_to: None,
            effects: Vec::new(),
            is_partial: false,
            gaps: Vec::new(),
            replaces: false,
            why: None,
        };
        let model = ModelRef::parse("anthropic/claude-test");
        let started = SessionStarted {
            session: "0192-test".into(),
            cwd: "/home/me/src/parser".into(),
            model,
            version: 1,
            system: "You are careful.".into(),
            mode: None,
            forked_from: None,
        };
        builder.ledger.start(Millis(builder.now), started);
        builder.tell();
        builder
    }

    pub fn at(&self) -> Millis {
        Millis(self.now)
    }

    /// Turns new entries into events.
    pub fn tell(&mut self) {
        let new: Vec<Arc<Entry>> = self.ledger.entries()[self.told..].to_vec();
        self.told += new.len();
        self.events.extend(new.into_iter().map(Event::Appended));
        self.now += 1_000;
    }

    pub fn live(&mut self, live: Live) {
        self.events.push(Event::Live(live));
    }

    pub fn remark(&mut self, remark: Remark) -> EntryId {
        let id = self.ledger.remark(Millis(self.now), remark);
        self.tell();
        id
    }

    pub fn user(&mut self, text: &str) {
        self.message(UserMessage::text(text));
    }

    pub fn message(&mut self, message: UserMessage) {
        self.ledger.user(Millis(self.now), message).unwrap();
        self.turn = 0;
        self.calls = 0;
        self.not_ok.clear();
        self.tell();
        self.call_model(Transition::Submitted);
    }

    /// The user runs a command of their own, and it succeeds.
    pub fn own_command(&mut self, typed: &str, output: &str) {
        self.ledger.user(Millis(self.now), UserMessage::text(typed)).unwrap();
        self.runs_own(typed, output, Outcome::Ok);
    }

    /// The same, and no model is told of it.
    pub fn untold_command(&mut self, typed: &str, output: &str) {
        let target = self.ledger.user(Millis(self.now), UserMessage::text(typed)).unwrap();
        self.remark(Remark::Tombstone(Tombstone { target, reason: "left out".to_owned() }));
        self.runs_own(typed, output, Outcome::Ok);
    }

    /// What a custom command runs before its message, which is not sent yet.
    pub fn custom_command(&mut self, typed: &str, command: &str) {
        self.ledger.user(Millis(self.now), UserMessage::text(typed)).unwrap();
        self.runs_own(command, "", Outcome::Ok);
    }

    /// The same, and it fails.
    pub fn failed_command(&mut self, typed: &str, output: &str) {
        self.ledger.user(Millis(self.now), UserMessage::text(typed)).unwrap();
        self.runs_own(typed, output, Outcome::Failed);
    }

    pub fn runs_own(&mut self, typed: &str, output: &str, outcome: Outcome) {
        let is_stopped = matches!(outcome, Outcome::Aborted(_));
        let now = Millis(self.now);
        (self.turn, self.calls) = (0, 0);
        let arguments = Arguments::from_value(json!({ "command": typed.trim_start_matches('!') }));
        let (call, token) = self.ledger.command(now, "shell", arguments).unwrap();
        self.tell();
        let decision = Decision::permission(call.id, Decider::User, "the user typed it");
        self.remark(Remark::ApprovalDecided(decision));
        self.settle(token, outcome, output, 3);
        self.inject(Injector::Command, output);
        self.end(if is_stopped { Ending::AbortedTools } else { Ending::Completed });
    }

    /// What a custom command runs before its message is sent; it is not decided yet.
    pub fn asks_custom(&mut self, typed: &str, command: &str) -> CallId {
        let now = Millis(self.now);
        self.ledger.user(now, UserMessage::text(typed)).unwrap();
        let arguments = Arguments::from_value(json!({ "command": command }));
        let (call, token) = self.ledger.command(now, "shell", arguments).unwrap();
        std::mem::forget(token);
        self.tell();
        call.id
    }

    pub fn call_model(&mut self, reason: Transition) {
        self.turn += 1;
        self.remark(Remark::Transition { turn: self.turn, reason });
    }

    pub fn inject(&mut self, by: Injector, text: &str) {
        self.ledger.inject(Millis(self.now), Injected::text(by, text)).unwrap();
        self.tell();
    }

    /// The user said this while it ran, and the model hears it now.
    pub fn steer(&mut self, said: impl Into<UserMessage>) {
        self.ledger.inject(Millis(self.now), Injected::steering(said.into())).unwrap();
        self.tell();
        self.call_model(Transition::Steered);
    }

    pub fn note(&mut self, about: &str, text: &str) {
        self.remark(Remark::Note(Note::plain(About::parse(about), text)));
    }

    pub fn waiting(&mut self, steering: &[&str], queued: &[&str]) {
        let owned = |texts: &[&str]| texts.iter().map(|t| UserMessage::from(*t)).collect();
        self.live(Live::Waiting { steering: owned(steering), queued: owned(queued) });
    }

    /// A summary of everything so far.
    pub fn compact(&mut self, trigger: CompactionTrigger, summary: &str) -> EntryId {
        let made = Compaction {
            trigger,
            replaces_to: self.ledger.last_id().unwrap(),
            summary: summary.into(),
            model: ModelRef::parse("anthropic/claude-test"),
            usage: Usage {
                input: 148_000,
                output: 900,
                cost: Some(MicroDollars(450_000)),
                ..Usage::default()
            },
            tokens_before: 148_000,
            tokens_after: 3_100,
        };
        let id = self.ledger.compact(Millis(self.now), made).unwrap();
        self.tell();
        id
    }

    /// A call of a message in the making.
    pub fn tool_use(&mut self, name: &str, arguments: Value) -> ToolUse {
        self.calls += 1;
        let arguments = Arguments::from_value(arguments);
        ToolUse { id: self.ledger.mint_call(), wire_id: String::new(), name: name.into(), arguments }
    }

    /// The model speaks, under an id that was reserved for it or under a new one.
    pub fn say(
        &mut self,
        id: Option<EntryId>,
        thinking: &str,
        text: &str,
        calls: Vec<ToolUse>,
    ) -> Vec<OpenCall> {
        self.speak(id, thinking, text, calls, false)
    }

    pub fn speak(
        &mut self,
        id: Option<EntryId>,
        thinking: &str,
        text: &str,
        calls: Vec<ToolUse>,
        interrupted: bool,
    ) -> Vec<OpenCall> {
        let id = id.unwrap_or_else(|| self.ledger.reserve());
        let mut blocks = Vec::new();
        if !thinking.is_empty() {
            blocks.push(Block::Thinking(Thinking { text: thinking.into(), replay: None }));
        }
        if !text.is_empty() {
            blocks.push(Block::Text(text.into()));
        }
        blocks.extend(calls.into_iter().map(Block::ToolUse));
        self.write(id, blocks, Usage { input: 12_000, output: 310, ..Usage::default() }, interrupted)
    }

    /// An answer, block by block.
    pub fn write(
        &mut self,
        id: EntryId,
        blocks: Vec<Block>,
        usage: Usage,
        interrupted: bool,
    ) -> Vec<OpenCall> {
        let message = AssistantMessage {
            id,
            model: ModelRef::parse("anthropic/claude-test"),
            blocks,
            stop: Stop::End,
            usage,
            interrupted,
        };
        self.hosted += u32::try_from(message.hosted().filter(|block| block.is_use()).count()).unwrap();
        let open = self.ledger.assistant(Millis(self.now), message).unwrap();
        self.tell();
        open
    }

    pub fn ask(&mut self, call: CallId, name: &str, preview: Preview) -> EntryId {
        self.offer(call, name, preview, None)
    }

    pub fn offer(&mut self, call: CallId, name: &str, preview: Preview, rule: Option<&str>) -> EntryId {
        let risk = match &preview {
            Preview::Command(line) if line.starts_with("rm ") => SideEffect::Deletes,
            _ => effect(name),
        };
        let made = self.ledger.entries().iter().rev().find_map(|entry| match &entry.body {
            Body::ToolCall(made) | Body::CallEdited(made) if made.id == call => {
                Some(made.arguments.to_value())
            }
            _ => None,
        });
        self.remark(Remark::ApprovalRequested(ApprovalRequest {
            call,
            name: name.into(),
            arguments: made.unwrap_or(Value::Null),
            why: self.why.unwrap_or("no rule covers it").into(),
            risk: self.effects.first().map_or(risk.as_str(), String::as_str).into(),
            effects: self.effects.clone(),
            preview,
            warning: None,
            rule: rule.map(str::to_owned),
            sandboxing: self.sandboxing,
            leads_to: self.leads_to.clone(),
            is_partial: self.is_partial,
            is_usual: self.why.is_none(),
            replaces: self.replaces,
            gaps: self.gaps.clone(),
        }))
    }

    pub fn decide(&mut self, call: CallId, allow: bool, by: Decider) {
        let reason = "test";
        self.remark(Remark::ApprovalDecided(Decision { allow, ..Decision::denial(call, by, reason) }));
    }

    pub fn take(&mut self, call: CallId, rule: &str) {
        let (allow, scope, rule) = (true, Scope::Session, Some(rule.to_owned()));
        let denial = Decision::denial(call, Decider::User, "");
        self.remark(Remark::ApprovalDecided(Decision { allow, scope, rule, ..denial }));
    }

    pub fn run(&mut self, call: CallId, name: &str) {
        self.live(Live::Progress { step: self.turn, call, target: name.into(), effect: effect(name) });
    }

    pub fn output(&mut self, call: CallId, chunk: &str) {
        self.live(Live::ToolOutput { call, chunk: chunk.into() });
    }

    pub fn settle(&mut self, call: OpenCall, outcome: Outcome, content: &str, duration_ms: u64) {
        self.finish(call, Settlement { duration_ms, ..Settlement::synthetic(outcome, content) });
    }

    /// A result of which so many characters were left out.
    pub fn settle_cut(&mut self, call: OpenCall, content: &str, cut_chars: u64) {
        let ending = Settlement::synthetic(Outcome::Ok, content);
        self.finish(call, Settlement { duration_ms: 3, cut_chars, ..ending });
    }

    pub fn finish(&mut self, call: OpenCall, mut ending: Settlement) {
        if ending.facts == Facts::default() {
            ending.facts = legacy_facts::facts(call.name(), &ending.outcome, &ending.content);
        }
        if ending.outcome.is_error() {
            self.not_ok.push((call.id(), ending.outcome.as_str().into()));
        }
        self.ledger.settle(Millis(self.now), call, ending);
        self.tell();
    }

    pub fn end(&mut self, reason: Ending) {
        self.remark(Remark::TurnEnded(TurnEnded {
            reason,
            turns: self.turn,
            tool_calls: self.calls,
            hosted_tools: self.hosted,
            usage: Usage::default(),
            wall_ms: 12_300,
            text: "".into(),
            not_ok: self.not_ok.clone(),
            next_safe_action: reason.next_safe_action().into(),
            cut_by: None,
        }));
    }
}

/// What the tool of this name does.
fn effect(name: &str) -> SideEffect {
    match name {
        "read" | "list" | "search" | "glob" => SideEffect::Reads,
        "write" | "edit" => SideEffect::Writes,
        "shell" => SideEffect::Runs,
        _ => SideEffect::Sends,
    }
}
