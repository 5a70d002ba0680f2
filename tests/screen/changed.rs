//! What calls made of files: a change that nobody was asked about is shown when it is made.

use countersign::ledger::{
    Arguments, ChangedFile, Decider, Facts, FileContent, OpenCall, Outcome, Preview, Remark, Settlement,
    Summary, ToolUse,
};
use countersign::ui::Reply;
use countersign::ui::replies::reply;
use countersign::ui::report::{ReportPart, Subject};
use countersign::ui::theme::Theme;
use ratatui::crossterm::event::{KeyCode, KeyModifiers};
use serde_json::{Value, json};

use crate::screen_harness::{ScreenHarness, snapshot};
use crate::session_builder::SessionBuilder;

fn made(builder: &mut SessionBuilder, name: &str, arguments: Value) -> OpenCall {
    let call = builder.tool_use(name, arguments);
    let open = builder.say(None, "", "", vec![call]).pop().unwrap();
    builder.decide(open.id(), true, Decider::Policy);
    builder.run(open.id(), name);
    open
}

fn edit(builder: &mut SessionBuilder, edits: Value) -> OpenCall {
    made(builder, "edit", json!({"path": "src/cart.rs", "edits": edits}))
}

/// An edit that mode `edit` allowed, and a file that is new.
fn allowed() -> SessionBuilder {
    let mut builder = SessionBuilder::new();
    builder.user("Round to even.");
    let old = "fn total(items: &[Item]) -> Money {\n    let sum = sum(items);\n    round(sum)\n}\n";
    let new = "fn total(items: &[Item]) -> Money {\n    let sum = sum(items);\n    round_to_even(sum)\n}\n";
    let other = json!({"old_text": "use money::round;", "new_text": "use money::round_to_even;"});
    let open = edit(&mut builder, json!([{"old_text": old, "new_text": new}, other]));
    builder.settle(open, Outcome::Ok, "edited src/cart.rs: 2 replacements at line 9, 1 (+2 -2 lines)", 17);
    let content: String = (1..=30).map(|line| format!("line {line}\n")).collect();
    let open = made(&mut builder, "write", json!({"path": "docs/new.md", "content": content}));
    wrote(&mut builder, open, FileContent::Absent);
    builder
}

fn wrote(builder: &mut SessionBuilder, open: OpenCall, before: FileContent) {
    let files = vec![ChangedFile { path: "docs/new.md".into(), before, after: FileContent::Large(9) }];
    let summary = Some(Summary::Words("created, 30 lines".into()));
    let facts = Facts { summary, files, ..Facts::default() };
    builder.finish(open, Settlement { facts, ..Settlement::synthetic(Outcome::Ok, "created docs/new.md") });
}

#[test]
fn a_change_that_nobody_was_asked_about_stands_below_its_row() {
    let mut harness = ScreenHarness::new(allowed());
    snapshot("a_change_without_a_question_80x24", &harness.frame(80, 24));
    snapshot("a_change_without_a_question_120x40", &harness.frame(120, 40));
    let low = harness.frame(40, 10);
    assert!(low.contains("… 27 more · tab, o"), "{low}");
    harness.theme = Theme::builtin("countersign-dark").unwrap();
    let buffer = harness.buffer(80, 24);
    let tint = harness.theme.diff_add.bg.unwrap();
    assert!(buffer.content.iter().any(|cell| cell.bg == tint), "what is new has its tint");
}

#[test]
fn its_page_shows_the_same_change_whole() {
    let mut harness = ScreenHarness::new(allowed());
    harness.frame(80, 24);
    harness.key(KeyCode::Tab, KeyModifiers::NONE);
    harness.press("o");
    let page = harness.frame(80, 60);
    assert!(page.contains(" 30 + line 30"), "{page}");
    assert!(page.find("change") < page.find("arguments"), "{page}");
}

#[test]
fn what_was_asked_about_failed_or_cannot_be_told_shows_no_change() {
    let mut builder = SessionBuilder::new();
    builder.user("Go.");
    let edits = json!([{"old_text": "apples", "new_text": "pears"}]);
    let open = edit(&mut builder, edits.clone());
    builder.settle(open, Outcome::Failed, "`src/cart.rs` was not changed.", 3);
    let call = builder.tool_use("edit", json!({"path": "a.rs", "edits": edits}));
    let open = builder.say(None, "", "", vec![call]).pop().unwrap();
    let diff = "@@ -1 +1 @@\n-apples\n+pears\n";
    builder.ask(open.id(), "edit", Preview::Diff(diff.into()));
    builder.decide(open.id(), true, Decider::User);
    builder.settle(open, Outcome::Ok, "edited a.rs: 1 replacement at line 1 (+1 -1 lines)", 3);
    let open = made(&mut builder, "write", json!({"path": "docs/new.md", "content": "pears"}));
    wrote(&mut builder, open, FileContent::Large(9));
    let frame = ScreenHarness::new(builder).frame(80, 24);
    assert!(!frame.contains("pears"), "{frame}");
}

#[test]
fn the_page_of_changes_names_each_file_once() {
    let mut harness = ScreenHarness::new(allowed());
    harness.press("/diff");
    harness.key(KeyCode::Enter, KeyModifiers::NONE);
    let unified = "--- a/src/cart.rs\n+++ b/src/cart.rs\n@@ -1 +1 @@\n-old\n+new\n".to_owned();
    let parts = vec![
        ReportPart::Heading("src/cart.rs  +1 −1".to_owned()),
        ReportPart::Diff { path: "src/cart.rs".to_owned(), unified },
    ];
    reply(&mut harness.local, &harness.view, Reply::Report(Subject::Changes, parts));
    let frame = harness.frame(80, 24);
    assert!(frame.contains("1   - old") && frame.contains("  1 + new"), "{frame}");
    assert!(!frame.contains("--- a/") && !frame.contains("+++ b/"), "{frame}");
    assert_eq!(frame.matches("src/cart.rs").count(), 1, "{frame}");
}

/// A new file of 400 lines, whose diff leaves the last ones out.
fn long_file() -> ScreenHarness {
    let mut builder = SessionBuilder::new();
    builder.user("Write it.");
    let lines: Vec<String> = (1..=400).map(|line| format!("line {line} of a page\n")).collect();
    let content: String = lines.concat();
    let listed: String = lines.iter().take(397).map(|line| format!("+{line}")).collect();
    let diff = format!("--- /dev/null\n+++ b/docs/big.md\n@@ -0,0 +1,400 @@\n{listed}… 4 more lines\n");
    let call = builder.tool_use("write", json!({"path": "docs/big.md", "content": content}));
    let open = builder.say(None, "", "Here it is.", vec![call]);
    builder.is_partial = true;
    builder.ask(open[0].id(), "write", Preview::Diff(diff));
    std::mem::forget(open);
    ScreenHarness::new(builder)
}

#[test]
fn each_line_of_a_long_new_file_is_shown_once() {
    let mut harness = long_file();
    harness.turns();
    let frame = harness.frame(80, 24);
    assert!(frame.contains("write  docs/big.md  +400"), "{frame}");
    // The head of the hunk and the lines of the file.
    assert_eq!(harness.local.reading.map(|reading| (reading.all, reading.must)), Some((401, 401)));
    for _ in 0..60 {
        harness.key(KeyCode::PageDown, KeyModifiers::NONE);
        harness.frame(80, 24);
    }
    let end = harness.frame(80, 24);
    assert!(end.contains("400 + line 400 of a page") && !end.contains("whole call"), "{end}");
    harness.press("o");
    let mut pages = String::new();
    for _ in 0..20 {
        pages.push_str(&harness.frame(80, 60));
        harness.key(KeyCode::PageDown, KeyModifiers::NONE);
    }
    assert!(pages.contains("397 + line 397 of") && pages.contains("398 + line 398 of"), "{pages}");
    assert!(pages.contains("400 + line 400 of") && !pages.contains("content"), "{pages}");
}

#[test]
fn on_a_low_screen_the_title_of_a_changed_call_has_a_short_word_for_that() {
    let mut builder = SessionBuilder::new();
    builder.user("Go.");
    let arguments = json!({"path": "src/a.rs", "edits": []});
    let call = builder.tool_use("edit", arguments.clone());
    let open = builder.say(None, "", "", vec![call]).pop().unwrap();
    let id = open.id();
    let ask = |builder: &mut SessionBuilder| {
        builder.ask(id, "edit", Preview::Diff("@@ -1 +1 @@\n-apples\n+pears\n".into()));
    };
    ask(&mut builder);
    let arguments = Arguments::from_value(arguments);
    builder.remark(Remark::CallEdited(ToolUse {
        id,
        wire_id: String::new(),
        name: "edit".into(),
        arguments,
    }));
    ask(&mut builder);
    std::mem::forget(open);
    let mut harness = ScreenHarness::new(builder);
    let frame = harness.frame(40, 10);
    assert!(frame.contains("edit  src/a.rs · changed ") && frame.contains("pears"), "{frame}");
    assert!(harness.frame(80, 24).contains("edit  src/a.rs · changed by you"));
}
