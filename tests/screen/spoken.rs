//! Lines that are heard and not seen: what they say is true when they say it, and no sign stands for a word.

use crate::linear_harness::LinearHarness;
use crate::session_builder::SessionBuilder;
use countersign::ledger::{Decider, Preview};
use countersign::ui::commands::GIT_DIFF;
use serde_json::json;

#[test]
fn calls_that_come_one_after_another_are_counted_when_their_answers_are_named() {
    let mut builder = SessionBuilder::new();
    builder.user("Do it.");
    let calls = ["make one", "make two", "make three"]
        .map(|line| builder.tool_use("shell", json!({ "command": line })));
    let open = builder.say(None, "", "", calls.to_vec());
    builder.ask(open[0].id(), "shell", Preview::Command("make one".into()));
    let mut linear = LinearHarness::new(builder);
    assert!(linear.said.contains("waits for you 1: shell, runs\n"), "{}", linear.said);
    assert!(!linear.said.contains("of 1") && !linear.said.contains("calls wait"), "{}", linear.said);
    linear.builder.ask(open[1].id(), "shell", Preview::Command("make two".into()));
    let said = linear.hears();
    assert!(said.contains("waits for you 2: shell, runs\n"), "{said}");
    assert!(said.trim_end().ends_with("; 2 calls wait, so add the number, as in y 2"), "{said}");
    assert_eq!(linear.types("y 1").len(), 1);
    linear.builder.ask(open[2].id(), "shell", Preview::Command("make three".into()));
    let said = linear.hears();
    assert!(said.contains("waits for you 3: shell, runs\n"), "{said}");
    assert!(said.contains("; 2 calls wait, so add the number, as in y 3"), "{said}");
    std::mem::forget(open);
}

#[test]
fn calls_are_numbered_in_the_order_of_the_answer_whichever_is_examined_first() {
    for is_asked in [true, false] {
        let mut builder = SessionBuilder::new();
        builder.user("Do it.");
        let calls =
            ["make one", "make two"].map(|line| builder.tool_use("shell", json!({ "command": line })));
        let open = builder.say(None, "", "", calls.to_vec());
        let (one, two) = (open[0].id(), open[1].id());
        std::mem::forget(open);
        builder.ask(two, "shell", Preview::Command("make two".into()));
        let mut linear = LinearHarness::new(builder);
        assert!(!linear.said.contains("waits for you"), "{}", linear.said);
        if is_asked {
            linear.builder.ask(one, "shell", Preview::Command("make one".into()));
        } else {
            linear.builder.decide(one, true, Decider::Policy);
        }
        let said = linear.hears();
        let number = if is_asked { 2 } else { 1 };
        let (before, from) = said.split_once(&format!("waits for you {number}: shell")).unwrap();
        assert!(from.contains("command: make two"), "{said}");
        assert_eq!(before.contains("waits for you 1: shell"), is_asked, "{said}");
        assert_eq!(before.contains("command: make one"), is_asked, "{said}");
    }
}

#[test]
fn a_new_file_is_called_that() {
    let mut builder = SessionBuilder::new();
    builder.user("Do it.");
    let call = builder.tool_use("write", json!({ "path": "src/new.rs", "content": "one\n" }));
    let open = builder.say(None, "", "", vec![call]);
    let unified = "--- /dev/null\n+++ src/new.rs\n@@ -0,0 +1,1 @@\n+one\n";
    builder.ask(open[0].id(), "write", Preview::Diff(unified.into()));
    std::mem::forget(open);
    let said = LinearHarness::new(builder).said;
    assert!(
        said.contains("change: src/new.rs\n  new file: src/new.rs\n  from line 1 on:\n  added: one\n"),
        "{said}"
    );
    assert!(!said.contains("/dev/null") && !said.contains("@@"), "{said}");
}

#[test]
fn changes_that_git_finds_are_said_in_words() {
    let unified = "diff --git a/a.txt b/a.txt\nindex 45b983b..ab4a981 100644\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-hi\n+ho";
    // As it is run now, and as it stands in sessions of earlier versions.
    for begins in [GIT_DIFF, "git --no-pager diff --color=always "] {
        let mut builder = SessionBuilder::new();
        builder.untold_command(&format!("!!{begins}HEAD --"), unified);
        let mut linear = LinearHarness::new(builder);
        let words = "  file: a.txt\n  from line 1 on:\n  removed: hi\n  added: ho\n";
        let said = &linear.said;
        assert!(said.contains(words) && !said.contains("@@") && !said.contains("index 45b"), "{said}");
        linear.said.clear();
        linear.types("/output");
        assert!(linear.said.contains(words) && !linear.said.contains("@@"), "{}", linear.said);
    }
    // Another command's words stay as they are.
    let mut builder = SessionBuilder::new();
    builder.untold_command("!!git diff", unified);
    assert!(LinearHarness::new(builder).said.contains("  @@ -1 +1 @@\n  -hi\n"));
}
