//! The scenes that the screen tests look at.

#![allow(dead_code, clippy::unwrap_used, reason = "tests; not every test uses everything")]

use countersign::agent::Live;
use countersign::ledger::{
    Abort, AbortPath, Block, CompactionTrigger, CutBy, Decider, Ending, Hosted, Outcome, Preview, Remark,
    Tombstone, Transition, Usage,
};
use serde_json::{Value, json};

use super::stage::Stage;

/// A question, two reads, an answer in markdown.
pub fn conversation() -> Stage {
    let mut stage = Stage::new();
    stage.user("Why does the parser reject empty input?");
    let read = stage.tool_use("read", json!({"path": "src/parser.rs"}));
    let search = stage.tool_use("search", json!({"pattern": "empty", "path": "tests"}));
    let open = stage.say(None, "Look first.", "I'll read the parser and its tests.", vec![read, search]);
    for (call, content) in open.into_iter().zip([
        "    1\tfn parse() {\n    2\t    todo()\n    3\t}\n(3 lines)",
        "1 match in 1 file\ntests/a.rs:3: empty",
    ]) {
        stage.decide(call.id(), true, Decider::Policy);
        let name = call.name().to_owned();
        stage.run(call.id(), &name);
        stage.settle(call, Outcome::Ok, content, 3);
    }
    stage.call_model(Transition::NextTurn);
    let text = "The check on line **41** returns before the grammar's own rule for nothing:\n\n\
                ```rust\nif input.is_empty() {\n    return Err(Empty);\n}\n```\n\n\
                - remove the check, or\n- let the rule `nothing` match first.";
    stage.say(None, "", text, vec![]);
    stage.end(Ending::Completed);
    stage
}

/// A command that runs and writes, with one queued behind it.
pub fn running() -> Stage {
    let mut stage = Stage::new();
    stage.user("Build it and run the tests.");
    let build = stage.tool_use("shell", json!({"command": "cargo build"}));
    let test = stage.tool_use("shell", json!({"command": "cargo test"}));
    let open = stage.say(None, "", "Building first.", vec![build, test]);
    let calls: Vec<_> = open.iter().map(|c| c.id()).collect();
    std::mem::forget(open);
    stage.decide(calls[0], true, Decider::User);
    stage.decide(calls[1], true, Decider::User);
    stage.run(calls[0], "shell");
    stage.output(calls[0], "   Compiling proc-macro2 v1.0.1\n   Compiling parser v0.1.0\nwarn");
    stage.output(calls[0], "ing: unused \u{1b}[31mvariable\u{1b}[0m `x`\n");
    stage.now += 3_000;
    stage
}

/// Three commands, of which one was decided and two wait.
pub fn waiting_command() -> Stage {
    let mut stage = Stage::new();
    stage.user("Clean up and test.");
    let uses: Vec<_> = ["rm -rf target/tmp", "cargo test parser", "git status"]
        .into_iter()
        .map(|command| stage.tool_use("shell", json!({ "command": command })))
        .collect();
    let commands = ["rm -rf target/tmp", "cargo test parser", "git status"];
    let open = stage.say(None, "", "Three steps.", uses);
    let calls: Vec<_> = open.iter().map(|c| c.id()).collect();
    std::mem::forget(open);
    for (call, command) in calls.iter().zip(commands) {
        stage.ask(*call, "shell", Preview::Command(command.into()));
    }
    stage
}

/// An edit that waits, with its diff.
pub fn waiting_diff() -> Stage {
    let mut stage = Stage::new();
    stage.user("Remove the check.");
    let edit = stage.tool_use("edit", json!({"path": "src/parser.rs", "edits": []}));
    let open = stage.say(None, "", "Removing it.", vec![edit]);
    let diff = "--- src/parser.rs\n+++ src/parser.rs\n@@ -40,5 +40,3 @@\n fn parse(input: &str) {\n\
                -    if input.is_empty() {\n-        return Err(Empty);\n-    }\n+    // nothing is a rule of its own\n     rule(input)\n";
    stage.ask(open[0].id(), "edit", Preview::Diff(diff.into()));
    std::mem::forget(open);
    stage
}

/// A command whose turn it is, and two edits behind it: a small one, and one that does not fit.
pub fn waiting_behind() -> Stage {
    let mut stage = Stage::new();
    stage.user("Remove the check, then test.");
    let test = stage.tool_use("shell", json!({"command": "cargo test parser"}));
    let edit = |stage: &mut Stage, path: &str| stage.tool_use("edit", json!({"path": path, "edits": []}));
    let (small, large) = (edit(&mut stage, "src/parser.rs"), edit(&mut stage, "src/lexer.rs"));
    let open = stage.say(None, "", "Three steps.", vec![test, small, large]);
    stage.ask(open[0].id(), "shell", Preview::Command("cargo test parser".into()));
    let diff = "@@ -40,2 +40,2 @@\n fn parse(input: &str) {\n-    check(input)\n+    rule(input)\n";
    stage.ask(open[1].id(), "edit", Preview::Diff(diff.into()));
    let lines: String = (1..=30).map(|line| format!("+line {line}\n")).collect();
    stage.ask(open[2].id(), "edit", Preview::Diff(format!("@@ -1,0 +1,30 @@\n{lines}")));
    std::mem::forget(open);
    stage
}

/// Esc while a command ran and another had not started.
pub fn interrupted() -> Stage {
    let mut stage = Stage::new();
    stage.user("Test everything.");
    let one = stage.tool_use("shell", json!({"command": "cargo test --all"}));
    let two = stage.tool_use("shell", json!({"command": "cargo clippy"}));
    let mut open = stage.say(None, "", "Running the tests.", vec![one, two]).into_iter();
    let (first, second) = (open.next().unwrap(), open.next().unwrap());
    stage.decide(first.id(), true, Decider::User);
    stage.run(first.id(), "shell");
    stage.output(first.id(), "running 12 tests\n");
    let aborted = |ran_ms| Outcome::Aborted(Abort { path: AbortPath::C, ran_ms, by: CutBy::User });
    stage.settle(first, aborted(Some(3_200)), "Interrupted by user mid-execution after 3.2 s.", 3_200);
    stage.settle(second, aborted(None), "Interrupted by user; was not started.", 0);
    stage.end(Ending::AbortedTools);
    stage
}

/// The turn limit ended it; a failed and a denied call before.
pub fn budget_stop() -> Stage {
    let mut stage = Stage::new();
    stage.user("Go on until it is green.");
    let run = stage.tool_use("shell", json!({"command": "cargo test"}));
    let wipe = stage.tool_use("shell", json!({"command": "rm -rf /"}));
    let mut open = stage.say(None, "", "", vec![run, wipe]).into_iter();
    let (first, second) = (open.next().unwrap(), open.next().unwrap());
    stage.decide(first.id(), true, Decider::User);
    stage.settle(first, Outcome::Failed, "test a ... FAILED\nexit code 101", 1_234);
    stage.decide(second.id(), false, Decider::User);
    stage.settle(second, Outcome::Denied(Decider::User), "Denied by the user: too much.", 0);
    stage.end(Ending::MaxTurns);
    stage
}

/// The model is writing.
pub fn growing() -> Stage {
    let mut stage = Stage::new();
    stage.user("Explain.");
    let message = stage.ledger.reserve();
    stage.live(Live::Thinking { message, text: "First I think about it.".into() });
    stage.live(Live::Text { message, text: "The parser **works** as".into() });
    stage.live(Live::CallForming { message, index: 0, name: "write".into(), bytes: 320 });
    stage
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
pub fn hosted() -> Stage {
    let mut stage = Stage::new();
    stage.user("What is new in the parser's language?");
    let text = |text: &str| Block::Text(text.into());
    let mut blocks = vec![text("I look it up.")];
    blocks.extend(search("s1", "language release notes 2026", json!([{}, {}, {}])));
    blocks.extend(search("s2", "parser changes", json!({ "error_code": "max_uses_exceeded" })));
    blocks.push(text("There is **one** change: empty input is valid now. Let me see since when."));
    blocks.extend(search("s3", "empty input valid since", json!([{}])));
    blocks.push(text("Since version 4."));
    let id = stage.ledger.reserve();
    let usage =
        Usage { input: 12_000, cache_read: 9_000, cache_write: 2_000, output: 310, ..Usage::default() };
    stage.write(id, blocks, usage, false);
    stage.end(Ending::Completed);
    stage
}

/// The provider searches while the model still speaks.
pub fn hosted_growing() -> Stage {
    let mut stage = Stage::new();
    stage.user("What is new?");
    let message = stage.ledger.reserve();
    let first = search("s1", "language release notes 2026", json!([{}, {}, {}]));
    let [second, _] = search("s2", "parser changes", json!([]));
    for block in first.into_iter().chain([second]) {
        let Block::Hosted(block) = block else { continue };
        stage.live(Live::Hosted { message, block });
    }
    stage.live(Live::Text { message, text: "There is one change so".into() });
    stage
}

/// A command runs; two messages wait for its result, and three for the end of the run.
pub fn queued() -> Stage {
    let mut stage = running();
    stage.waiting(
        &["use the release profile\nand say how long it took", "leave the docs alone"],
        &["then write the changelog", "then tag it", "and say goodbye"],
    );
    stage
}

/// What was said meanwhile was delivered with the results, between notes of attempts and of a late result.
pub fn steered() -> Stage {
    let mut stage = Stage::new();
    stage.user("Fetch the page.");
    let read = stage.tool_use("read", json!({"path": "a.md"}));
    let mut open = stage.say(None, "", "Reading.", vec![read]).into_iter();
    let call = open.next().unwrap();
    stage.decide(call.id(), true, Decider::Policy);
    stage.note("c1", "Run 1 failed (failed) and was tried again:\nbusy\nbusy again");
    stage.settle(call, Outcome::Ok, "text\n", 12);
    stage.waiting(&[], &[]);
    stage.steer("Only the first section, please.\nAnd in German.");
    stage.note("e9", "The model call failed: overloaded");
    stage.note("e11", "The model call failed: overloaded");
    stage.say(None, "", "Der erste Abschnitt handelt vom Parser.", vec![]);
    stage.end(Ending::Completed);
    stage
}

/// The model call failed; it waits before the second retry.
pub fn retrying() -> Stage {
    let mut stage = Stage::new();
    stage.user("Explain.");
    stage.note("e4", "The model call failed: overloaded");
    let reason = "the provider is overloaded (HTTP 529)".to_owned();
    stage.live(Live::Retrying { attempt: 2, most: 4, wait_ms: 4_200, reason });
    stage
}

/// A summary is being written because the context nears the window.
pub fn compacting() -> Stage {
    let mut stage = conversation();
    stage.user("Go on.");
    stage.call_model(Transition::AutoCompact);
    stage.live(Live::Compacting(CompactionTrigger::Auto));
    stage
}

/// A summary took the place of what was said.
pub fn compacted() -> Stage {
    let mut stage = compacting();
    stage.compact(CompactionTrigger::Auto, SUMMARY);
    stage.call_model(Transition::AutoCompact);
    stage.say(None, "", "I go on with the parser.", vec![]);
    stage.end(Ending::Completed);
    stage
}

const SUMMARY: &str = "The conversation up to here was compacted. Its summary:\n\n\
    ## What the user wants\nWhy the parser rejects **empty** input.\n\n\
    ## Done\n- read `src/parser.rs`\n- the check on line 41 returns too early\n\n\
    The user's last message was:\nGo on.";

/// All that the inspector tells apart: a withdrawn answer, a summary, results that were cut and made up, decisions of
/// all kinds, three runs.
pub fn eventful() -> Stage {
    let mut stage = Stage::new();
    stage.user("Why does the parser reject empty input?");
    let lost = stage.ledger.reserve();
    drop(stage.speak(Some(lost), "", "The check on line", vec![], true));
    let reason = "the model call failed: the stream was cut".to_owned();
    stage.remark(Remark::Tombstone(Tombstone { target: lost, reason }));
    stage.call_model(Transition::TransientRetry);
    let read = stage.tool_use("read", json!({"path": "src/parser.rs"}));
    for call in stage.say(None, "Look first.", "I'll read the parser.", vec![read]) {
        stage.decide(call.id(), true, Decider::Policy);
        stage.settle_cut(call, "    1\tfn parse() {", 48_213);
    }
    stage.call_model(Transition::NextTurn);
    stage.say(None, "", "It returns before the rule for nothing.", vec![]);
    stage.end(Ending::Completed);
    stage.compact(CompactionTrigger::Manual, SUMMARY);
    stage.user("Mend it, and run the tests.");
    let test = stage.tool_use("shell", json!({"command": "cargo test --all"}));
    let wipe = stage.tool_use("shell", json!({"command": "rm -rf target"}));
    let lint = stage.tool_use("shell", json!({"command": "cargo clippy"}));
    let open = stage.say(None, "Tests, then lints.", "Running both.", vec![test, wipe, lint]);
    for (call, command) in open.iter().zip(["cargo test --all", "rm -rf target", "cargo clippy"]) {
        stage.ask(call.id(), "shell", Preview::Command(command.into()));
    }
    let mut open = open.into_iter();
    let mut next = || open.next().unwrap();
    let (test, wipe, lint) = (next(), next(), next());
    stage.decide(test.id(), true, Decider::User);
    stage.decide(wipe.id(), false, Decider::User);
    stage.decide(lint.id(), true, Decider::User);
    let aborted = |ran_ms| Outcome::Aborted(Abort { path: AbortPath::C, ran_ms, by: CutBy::User });
    stage.settle(
        test,
        aborted(Some(3_200)),
        "Interrupted mid-execution after 3.2 s; effects may be partial",
        3_200,
    );
    stage.settle(wipe, Outcome::Denied(Decider::User), "Denied by the user.", 0);
    stage.settle(lint, aborted(None), "Interrupted by user; was not started", 0);
    stage.end(Ending::AbortedTools);
    stage.user("Go on.");
    stage.say(None, "", "Done: the check is gone.", vec![]);
    stage.end(Ending::Completed);
    stage
}
