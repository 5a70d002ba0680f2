//! The scenes that the screen tests look at.

#![allow(dead_code, clippy::unwrap_used, reason = "tests; not every test uses everything")]

use std::collections::BTreeMap;

use countersign::agent::{Event, Live};
use countersign::ledger::{
    Abort, AbortPath, Block, CallId, CompactionTrigger, CutBy, Decider, Ending, Escrow, Hosted, Outcome,
    Preview, Remark, Tombstone, Transition, Usage,
};
use serde_json::{Value, json};

use super::session_builder::SessionBuilder;

/// A question, two reads, an answer in markdown.
pub fn conversation() -> SessionBuilder {
    let mut builder = SessionBuilder::new();
    builder.user("Why does the parser reject empty input?");
    let read = builder.tool_use("read", json!({"path": "src/parser.rs"}));
    let search = builder.tool_use("search", json!({"pattern": "empty", "path": "tests"}));
    let open = builder.say(None, "Look first.", "I'll read the parser and its tests.", vec![read, search]);
    for (call, content) in open.into_iter().zip([
        "    1\tfn parse() {\n    2\t    todo()\n    3\t}\n(3 lines)",
        "1 match in 1 file\ntests/a.rs:3: empty",
    ]) {
        builder.decide(call.id(), true, Decider::Policy);
        let name = call.name().to_owned();
        builder.run(call.id(), &name);
        builder.settle(call, Outcome::Ok, content, 3);
    }
    builder.call_model(Transition::NextTurn);
    let text = "The check on line **41** returns before the grammar's own rule for nothing:\n\n\
                ```rust\nif input.is_empty() {\n    return Err(Empty);\n}\n```\n\n\
                - remove the check, or\n- let the rule `nothing` match first.";
    builder.say(None, "", text, vec![]);
    builder.end(Ending::Completed);
    builder
}

/// A command that runs and writes, with one queued behind it.
pub fn running() -> SessionBuilder {
    let mut builder = SessionBuilder::new();
    builder.user("Build it and run the tests.");
    let build = builder.tool_use("shell", json!({"command": "cargo build"}));
    let test = builder.tool_use("shell", json!({"command": "cargo test"}));
    let open = builder.say(None, "", "Building first.", vec![build, test]);
    let calls: Vec<_> = open.iter().map(|c| c.id()).collect();
    std::mem::forget(open);
    builder.decide(calls[0], true, Decider::User);
    builder.decide(calls[1], true, Decider::User);
    builder.run(calls[0], "shell");
    builder.output(calls[0], "   Compiling proc-macro2 v1.0.1\n   Compiling parser v0.1.0\nwarn");
    builder.output(calls[0], "ing: unused \u{1b}[31mvariable\u{1b}[0m `x`\n");
    builder.now += 3_000;
    builder
}

/// Three commands, of which one was decided and two wait.
pub fn waiting_command() -> SessionBuilder {
    let mut builder = SessionBuilder::new();
    builder.user("Clean up and test.");
    let uses: Vec<_> = ["rm -rf target/tmp", "cargo test parser", "git status"]
        .into_iter()
        .map(|command| builder.tool_use("shell", json!({ "command": command })))
        .collect();
    let commands = ["rm -rf target/tmp", "cargo test parser", "git status"];
    let open = builder.say(None, "", "Three steps.", uses);
    let calls: Vec<_> = open.iter().map(|c| c.id()).collect();
    std::mem::forget(open);
    for (call, command) in calls.iter().zip(commands) {
        builder.ask(*call, "shell", Preview::Command(command.into()));
    }
    builder
}

/// An edit that waits, with its diff.
pub fn waiting_diff() -> SessionBuilder {
    let mut builder = SessionBuilder::new();
    builder.user("Remove the check.");
    let edit = builder.tool_use("edit", json!({"path": "src/parser.rs", "edits": []}));
    let open = builder.say(None, "", "Removing it.", vec![edit]);
    let diff = "--- src/parser.rs\n+++ src/parser.rs\n@@ -40,5 +40,3 @@\n fn parse(input: &str) {\n\
                -    if input.is_empty() {\n-        return Err(Empty);\n-    }\n+    // nothing is a rule of its own\n     rule(input)\n";
    builder.ask(open[0].id(), "edit", Preview::Diff(diff.into()));
    std::mem::forget(open);
    builder
}

/// A command whose turn it is, and two edits behind it: a small one, and one that does not fit.
pub fn waiting_behind() -> SessionBuilder {
    let mut builder = SessionBuilder::new();
    builder.user("Remove the check, then test.");
    let test = builder.tool_use("shell", json!({"command": "cargo test parser"}));
    let edit = |builder: &mut SessionBuilder, path: &str| {
        builder.tool_use("edit", json!({"path": path, "edits": []}))
    };
    let (small, large) = (edit(&mut builder, "src/parser.rs"), edit(&mut builder, "src/lexer.rs"));
    let open = builder.say(None, "", "Three steps.", vec![test, small, large]);
    builder.ask(open[0].id(), "shell", Preview::Command("cargo test parser".into()));
    let diff = "@@ -40,2 +40,2 @@\n fn parse(input: &str) {\n-    check(input)\n+    rule(input)\n";
    builder.ask(open[1].id(), "edit", Preview::Diff(diff.into()));
    let lines: String = (1..=30).map(|line| format!("+line {line}\n")).collect();
    builder.ask(open[2].id(), "edit", Preview::Diff(format!("@@ -1,0 +1,30 @@\n{lines}")));
    std::mem::forget(open);
    builder
}

/// Esc while a command ran and another had not started.
pub fn interrupted() -> SessionBuilder {
    let mut builder = SessionBuilder::new();
    builder.user("Test everything.");
    let one = builder.tool_use("shell", json!({"command": "cargo test --all"}));
    let two = builder.tool_use("shell", json!({"command": "cargo clippy"}));
    let mut open = builder.say(None, "", "Running the tests.", vec![one, two]).into_iter();
    let (first, second) = (open.next().unwrap(), open.next().unwrap());
    builder.decide(first.id(), true, Decider::User);
    builder.run(first.id(), "shell");
    builder.output(first.id(), "running 12 tests\n");
    let aborted =
        |ran_ms| Outcome::Aborted(Abort { path: AbortPath::C, ran_ms, by: CutBy::User, within: None });
    builder.settle(first, aborted(Some(3_200)), "Interrupted by user mid-execution after 3.2 s.", 3_200);
    builder.settle(second, aborted(None), "Interrupted by user; was not started.", 0);
    builder.end(Ending::AbortedTools);
    builder
}

/// The turn limit ended it; a failed and a denied call before.
pub fn budget_stop() -> SessionBuilder {
    let mut builder = SessionBuilder::new();
    builder.user("Go on until it is green.");
    let run = builder.tool_use("shell", json!({"command": "cargo test"}));
    let wipe = builder.tool_use("shell", json!({"command": "rm -rf /"}));
    let mut open = builder.say(None, "", "", vec![run, wipe]).into_iter();
    let (first, second) = (open.next().unwrap(), open.next().unwrap());
    builder.decide(first.id(), true, Decider::User);
    builder.settle(first, Outcome::Failed, "test a ... FAILED\nexit code 101", 1_234);
    builder.decide(second.id(), false, Decider::User);
    builder.settle(second, Outcome::Denied(Decider::User), "Denied by the user: too much.", 0);
    builder.end(Ending::MaxTurns);
    builder
}

/// The model is writing.
pub fn growing() -> SessionBuilder {
    let mut builder = SessionBuilder::new();
    builder.user("Explain.");
    let message = builder.ledger.reserve();
    builder.live(Live::Thinking { message, text: "First I think about it.".into() });
    builder.live(Live::Text { message, text: "The parser **works** as".into() });
    builder.live(Live::CallForming {
        message,
        index: 0,
        name: "write".into(),
        bytes: 320,
        breaks: 11,
        path: Some("src/parser.rs".into()),
    });
    builder
}

/// The blocks of a search by the provider: what was asked, and what came of it.
fn search(id: &str, query: &str, content: Value) -> [Block; 2] {
    let block = |kind: &str, value: Value| {
        let (kind, name, id) = (kind.to_owned(), "web_search".to_owned(), id.to_owned());
        Block::Hosted(Hosted { kind, name, id, value })
    };
    let found = json!({ "content": content });
    [block("server_tool_use", json!({ "input": { "query": query } })), block("web_search_tool_result", found)]
}

/// The provider searched by itself, twice with results and once in vain; most of the prompt came from its cache.
pub fn hosted() -> SessionBuilder {
    let mut builder = SessionBuilder::new();
    builder.user("What is new in the parser's language?");
    let text = |text: &str| Block::Text(text.into());
    let mut blocks = vec![text("I look it up.")];
    blocks.extend(search("s1", "language release notes 2026", json!([{}, {}, {}])));
    blocks.extend(search("s2", "parser changes", json!({ "error_code": "max_uses_exceeded" })));
    blocks.push(text("There is **one** change: empty input is valid now. Let me see since when."));
    blocks.extend(search("s3", "empty input valid since", json!([{}])));
    blocks.push(text("Since version 4."));
    let id = builder.ledger.reserve();
    let usage =
        Usage { input: 12_000, cache_read: 9_000, cache_write: 2_000, output: 310, ..Usage::default() };
    builder.write(id, blocks, usage, false);
    builder.end(Ending::Completed);
    builder
}

/// The provider searches while the model still speaks.
pub fn hosted_growing() -> SessionBuilder {
    let mut builder = SessionBuilder::new();
    builder.user("What is new?");
    let message = builder.ledger.reserve();
    let first = search("s1", "language release notes 2026", json!([{}, {}, {}]));
    let [second, _] = search("s2", "parser changes", json!([]));
    for block in first.into_iter().chain([second]) {
        let Block::Hosted(block) = block else { continue };
        builder.live(Live::Hosted { message, block });
    }
    builder.live(Live::Text { message, text: "There is one change so".into() });
    builder
}

/// A command runs; two messages wait for its result, and three for the end of the run.
pub fn queued() -> SessionBuilder {
    let mut builder = running();
    builder.waiting(
        &["use the release profile\nand say how long it took", "leave the docs alone"],
        &["then write the changelog", "then tag it", "and say goodbye"],
    );
    builder
}

/// What was said meanwhile was delivered with the results, between notes of attempts and of a late result.
pub fn steered() -> SessionBuilder {
    let mut builder = SessionBuilder::new();
    builder.user("Fetch the page.");
    let read = builder.tool_use("read", json!({"path": "a.md"}));
    let mut open = builder.say(None, "", "Reading.", vec![read]).into_iter();
    let call = open.next().unwrap();
    builder.decide(call.id(), true, Decider::Policy);
    builder.note("c1", "Run 1 failed and was tried again:\nbusy\nbusy again");
    builder.settle(call, Outcome::Ok, "text\n", 12);
    builder.waiting(&[], &[]);
    builder.steer("Only the first section, please.\nAnd in German.");
    builder.note("e9", "The model call failed: overloaded");
    builder.note("e11", "The model call failed: overloaded");
    builder.say(None, "", "Der erste Abschnitt handelt vom Parser.", vec![]);
    builder.end(Ending::Completed);
    builder
}

/// The model call failed; it waits before the second retry.
pub fn retrying() -> SessionBuilder {
    let mut builder = SessionBuilder::new();
    builder.user("Explain.");
    builder.note("e4", "The model call failed: overloaded");
    let reason = "the provider is overloaded (HTTP 529)".to_owned();
    let brief = Some("the provider is overloaded".into());
    builder.live(Live::Retrying { attempt: 2, most: 4, wait_ms: 4_200, reason, brief });
    builder
}

/// A summary is being written because the context nears the window.
pub fn compacting() -> SessionBuilder {
    let mut builder = conversation();
    builder.user("Go on.");
    builder.call_model(Transition::AutoCompact);
    builder.live(Live::Compacting(CompactionTrigger::Auto));
    builder
}

/// A summary took the place of what was said.
pub fn compacted() -> SessionBuilder {
    let mut builder = compacting();
    builder.compact(CompactionTrigger::Auto, SUMMARY);
    builder.call_model(Transition::AutoCompact);
    builder.say(None, "", "I go on with the parser.", vec![]);
    builder.end(Ending::Completed);
    builder
}

const SUMMARY: &str = "The conversation up to here was compacted. Its summary:\n\n\
    ## What the user wants\nWhy the parser rejects **empty** input.\n\n\
    ## Done\n- read `src/parser.rs`\n- the check on line 41 returns too early\n\n\
    The user's last message was:\nGo on.";

/// All that the inspector tells apart: a withdrawn answer, a summary, results that were cut and made up, decisions of
/// all kinds, three runs.
pub fn eventful() -> SessionBuilder {
    let mut builder = SessionBuilder::new();
    builder.user("Why does the parser reject empty input?");
    let lost = builder.ledger.reserve();
    drop(builder.speak(Some(lost), "", "The check on line", vec![], true));
    let reason = "the model call failed: the stream was cut".to_owned();
    builder.remark(Remark::Tombstone(Tombstone { target: lost, reason }));
    builder.call_model(Transition::TransientRetry);
    let read = builder.tool_use("read", json!({"path": "src/parser.rs"}));
    for call in builder.say(None, "Look first.", "I'll read the parser.", vec![read]) {
        builder.decide(call.id(), true, Decider::Policy);
        builder.settle_cut(call, "    1\tfn parse() {", 48_213);
    }
    builder.call_model(Transition::NextTurn);
    builder.say(None, "", "It returns before the rule for nothing.", vec![]);
    builder.end(Ending::Completed);
    builder.compact(CompactionTrigger::Manual, SUMMARY);
    builder.user("Mend it, and run the tests.");
    let test = builder.tool_use("shell", json!({"command": "cargo test --all"}));
    let wipe = builder.tool_use("shell", json!({"command": "rm -rf target"}));
    let lint = builder.tool_use("shell", json!({"command": "cargo clippy"}));
    let open = builder.say(None, "Tests, then lints.", "Running both.", vec![test, wipe, lint]);
    for (call, command) in open.iter().zip(["cargo test --all", "rm -rf target", "cargo clippy"]) {
        builder.ask(call.id(), "shell", Preview::Command(command.into()));
    }
    let mut open = open.into_iter();
    let mut next = || open.next().unwrap();
    let (test, wipe, lint) = (next(), next(), next());
    builder.decide(test.id(), true, Decider::User);
    builder.decide(wipe.id(), false, Decider::User);
    builder.decide(lint.id(), true, Decider::User);
    let aborted =
        |ran_ms| Outcome::Aborted(Abort { path: AbortPath::C, ran_ms, by: CutBy::User, within: None });
    builder.settle(
        test,
        aborted(Some(3_200)),
        "Interrupted mid-execution after 3.2 s; effects may be partial",
        3_200,
    );
    builder.settle(wipe, Outcome::Denied(Decider::User), "Denied by the user.", 0);
    builder.settle(lint, aborted(None), "Interrupted by user; was not started", 0);
    builder.end(Ending::AbortedTools);
    builder.user("Go on.");
    builder.say(None, "", "Done: the check is gone.", vec![]);
    builder.end(Ending::Completed);
    builder
}

/// A sub-agent at work whose command waits, with what happened in its session as it is told above.
pub fn waiting_below() -> SessionBuilder {
    waiting_below_beside(None)
}

/// The same beside another call of the session's own, which does not wait yet.
pub fn waiting_below_beside(command: Option<&str>) -> SessionBuilder {
    let mut builder = SessionBuilder::new();
    builder.user("Have it made.");
    let task = builder.tool_use("delegate_to_general", json!({ "task": "Make it." }));
    let own = command.map(|command| builder.tool_use("shell", json!({ "command": command })));
    let mut open = builder.say(None, "", "I ask.", [task].into_iter().chain(own).collect());
    let call = open[0].id();
    builder.decide(call, true, Decider::Policy);
    builder.ledger.delegate(builder.at(), &mut open[0], "general", "Make it.");
    let session = format!("0192-test-{call}");
    let escrow =
        Escrow { call, session, limits: BTreeMap::new(), parallel: 1, in_background: false, waits: false };
    builder.ledger.set_aside(builder.at(), escrow);
    builder.tell();
    builder.run(call, "delegate_to_general");
    std::mem::forget(open);
    below(&mut builder, call, child().events);
    builder
}

/// The session of that sub-agent, up to its call that waits.
pub fn child() -> SessionBuilder {
    let mut child = SessionBuilder::new();
    child.user("Make it.");
    let command = child.tool_use("shell", json!({ "command": "touch made.txt" }));
    let open = child.say(None, "", "I make it.", vec![command]);
    child.offer(open[0].id(), "shell", Preview::Command("touch made.txt".into()), Some("shell(touch *)"));
    std::mem::forget(open);
    child
}

/// Events of the sub-agent that this call started, as they are told above.
pub fn below(builder: &mut SessionBuilder, call: CallId, events: Vec<Event>) {
    for event in events {
        builder.live(Live::Subagent { call, event: Box::new(event) });
    }
}
