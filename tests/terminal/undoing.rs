//! What the agent did to files is taken back: shown first, done by a key, in the books, and told to the model.

use std::fs;

use serde_json::{Value, json};

use super::console::{CTRL_U, Console, ENTER, ESC, USUAL};
use super::home::Home;

/// The arrow down.
const DOWN: &str = "\x1b[B";

const BEFORE: &str = "alpha\nbeta\ngamma\n";
const AFTER: &str = "alpha\ndelta\ngamma\n";

/// The agent changes a word of a file, and is allowed to.
async fn change(app: &mut Console, home: &Home, from: &str, to: &str) {
    app.says(&format!("change {from} to {to} in notes.txt")).await;
    app.until("the question", |screen| screen.contains("y once")).await;
    app.answers("y").await;
    app.meanwhile("the change", || home.read("notes.txt").contains(to)).await;
    app.rests().await;
}

#[tokio::test]
async fn undo_shows_what_it_would_do_and_enter_does_it_one_turn_after_the_other() {
    let home = Home::new();
    let mut app = Console::start(&home, USUAL, &[]);
    app.sees("ask anything").await;
    change(&mut app, &home, "beta", "delta").await;
    change(&mut app, &home, "delta", "omega").await;
    app.says("run echo hello > made.txt").await;
    app.until("the question", |screen| screen.contains("y once")).await;
    app.answers("y").await;
    app.meanwhile("the command", || home.has("made.txt")).await;
    app.rests().await;
    app.keys("/undo\r").await;
    app.sees("undo what was done to 1 file since “change delta to omega").await;
    app.sees("restored").await;
    app.until("what is not undone", |screen| {
        screen.lines().any(|line| line.contains("echo hello > made.txt") && line.contains("its changes stay"))
    })
    .await;
    app.keys(ESC).await;
    app.sees_no("undo what was done").await;
    assert_eq!(home.read("notes.txt"), "alpha\nomega\ngamma\n", "looking is not doing");
    assert!(home.entries("files_restored").is_empty());

    app.keys("/undo\r").await;
    app.sees("undo what was done to 1 file since “change delta to omega").await;
    app.reads().await;
    app.keys(ENTER).await;
    app.sees("⟲ undone: restored: notes.txt").await;
    assert_eq!(home.read("notes.txt"), AFTER);
    app.keys("/undo\r").await;
    app.sees("undo what was done to 1 file since “change beta to delta").await;
    app.reads().await;
    app.keys("y").await;
    app.until("a second undo", |screen| screen.matches("⟲ undone").count() == 2).await;
    assert_eq!(home.read("notes.txt"), BEFORE);
    app.keys("/undo\r").await;
    app.sees("nothing to undo (changes made by commands").await;
    app.says("list").await;
    app.sees("This folder has 2 entries").await;
    app.rests().await;
    app.quits().await;

    let undone = home.entries("files_restored");
    assert_eq!((&undone[0]["since"], &undone[0]["restored"]), (&json!("c2"), &json!(["notes.txt"])));
    assert_eq!((&undone[1]["since"], &undone[1]["deleted"]), (&json!("c1"), &json!([])));
    let told: Vec<Value> = home.entries("injected").into_iter().filter(|said| said["by"] == "undo").collect();
    assert_eq!(told.len(), 1, "once, with the next message");
    assert!(told[0]["text"].as_str().unwrap().contains("since c1: restored: notes.txt"));
}

#[tokio::test]
async fn what_the_person_changed_since_is_named_and_nothing_is_done() {
    let home = Home::new();
    let mut app = Console::start(&home, USUAL, &[]);
    app.sees("ask anything").await;
    change(&mut app, &home, "beta", "delta").await;
    home.write("notes.txt", "mine\n");
    app.keys("/undo\r").await;
    app.sees("nothing is done").await;
    app.sees("was changed since by someone else: not restored").await;
    app.keys(ENTER).await;
    app.sees("nothing was undone: not every file can be put back").await;
    assert_eq!(home.read("notes.txt"), "mine\n");

    // Changed while the plan is looked at.
    home.write("notes.txt", AFTER);
    app.keys("/undo\r").await;
    app.sees("undo what was done to 1 file").await;
    home.write("notes.txt", "mine again\n");
    app.reads().await;
    app.keys(ENTER).await;
    app.sees("something has changed since this was shown").await;
    assert_eq!(home.read("notes.txt"), "mine again\n");
    app.quits().await;
    assert!(home.entries("files_restored").is_empty());
}

#[tokio::test]
async fn all_since_a_message_is_taken_back() {
    let home = Home::new();
    let mut app = Console::start(&home, USUAL, &[]);
    app.sees("ask anything").await;
    change(&mut app, &home, "beta", "delta").await;
    change(&mut app, &home, "delta", "omega").await;
    app.keys("/rewind\r").await;
    app.sees("esc back").await;
    app.keys("beta").await;
    app.sees("1 of 2").await;
    app.keys(ENTER).await;
    app.sees("the conversation and the files").await;
    app.keys(DOWN).await;
    app.keys(DOWN).await;
    app.sees("› the files").await;
    app.keys(ENTER).await;
    app.sees("undo what was done to 1 file since “change beta to delta").await;
    app.reads().await;
    app.keys(ENTER).await;
    app.sees("⟲ undone: restored: notes.txt").await;
    assert_eq!(home.read("notes.txt"), BEFORE);
    app.quits().await;
    assert_eq!(home.texts("files_restored", "since"), ["c1"]);
}

#[tokio::test]
async fn a_fork_names_the_sub_agents_that_changed_files_before_it() {
    let home = Home::new();
    let task = json!({ "name": "delegate_to_general", "arguments": { "task": "Make it." } });
    let write = json!({ "name": "write", "arguments": { "path": "made.txt", "content": "x\n" } });
    let script = json!([{ "tool_calls": [task] }, { "tool_calls": [write] }, "It is made.", "All done."]);
    let mut app = Console::start(&home, USUAL, &["--mode", "unrestricted", "--script", &script.to_string()]);
    app.sees("ask anything").await;
    app.says("make it").await;
    app.sees("All done.").await;
    app.rests().await;
    assert!(home.has("made.txt"));
    app.keys("/fork\r").await;
    app.sees("You continue in a copy now").await;
    app.keys("/undo\r").await;
    app.sees("nothing to undo here, but sub-agents").await;
    app.keys(CTRL_U).await;
    app.quits().await;
}

#[tokio::test]
async fn while_a_call_waits_nothing_is_taken_back() {
    let home = Home::new();
    let mut app = Console::start(&home, USUAL, &[]);
    app.sees("ask anything").await;
    change(&mut app, &home, "beta", "delta").await;
    app.says("run echo hello > made.txt").await;
    app.sees("y once").await;
    app.keys("/undo\r").await;
    app.sees("a run is in progress").await;
    assert_eq!(home.read("notes.txt"), AFTER);
    app.answers("n").await;
    app.rests().await;
    app.quits().await;
}

#[tokio::test]
async fn nothing_is_undone_while_an_earlier_undo_is_not_complete() {
    let home = Home::new();
    let mut app = Console::start(&home, USUAL, &[]);
    app.sees("ask anything").await;
    change(&mut app, &home, "beta", "delta").await;
    let journal = home.session_files()[0].with_extension("files").join("restoring");
    fs::write(&journal, format!("{}\n", json!({ "since": "c1", "entries": 1_000 }))).unwrap();
    app.keys("/undo\r").await;
    app.sees("an earlier undo is not complete").await;
    app.keys(CTRL_U).await;
    app.quits().await;
    assert!(journal.exists(), "its record is as it was");
    assert_eq!(home.read("notes.txt"), AFTER);
}

#[tokio::test]
async fn an_undo_that_a_crash_cut_off_is_finished_first() {
    let home = Home::new();
    let mut app = Console::start(&home, USUAL, &[]);
    app.sees("ask anything").await;
    change(&mut app, &home, "beta", "delta").await;
    app.quits().await;
    let kept = home.session_files()[0].with_extension("files");
    let changes = fs::read_to_string(kept.join("changes")).unwrap();
    let mut undo: Value = serde_json::from_str(changes.lines().next().unwrap()).unwrap();
    let (before, after) = (undo["before"].clone(), undo["after"].clone());
    (undo["call"], undo["before"], undo["after"]) = (Value::Null, after, before);
    fs::write(kept.join("restoring"), format!("{}\n{undo}\n", json!({ "since": "c1" }))).unwrap();

    let mut app = Console::start(&home, USUAL, &["resume", "--last"]);
    app.sees("⟲ undone: restored: notes.txt").await;
    assert_eq!(home.read("notes.txt"), BEFORE);
    app.quits().await;
    assert_eq!(home.texts("files_restored", "since"), ["c1"]);
}

/// The files are put back, and the process dies before the entry that says so is durable.
#[tokio::test]
async fn an_undo_that_a_crash_kept_out_of_the_books_is_told_on_resume_and_only_once() {
    let home = Home::new();
    let mut app = Console::start(&home, USUAL, &[]);
    app.sees("ask anything").await;
    change(&mut app, &home, "beta", "delta").await;
    app.keys("/undo\r").await;
    app.sees("undo what was done to 1 file since “change beta to delta").await;
    app.reads().await;
    app.keys(ENTER).await;
    app.sees("⟲ undone: restored: notes.txt").await;
    app.quits().await;
    let file = &home.session_files()[0];
    let whole = fs::read_to_string(file).unwrap();
    let told = whole.lines().position(|line| line.contains("\"files_restored\"")).unwrap();
    fs::write(file, whole.lines().take(told).map(|line| format!("{line}\n")).collect::<String>()).unwrap();

    for _ in 0..2 {
        let mut app = Console::start(&home, USUAL, &["resume", "--last"]);
        app.sees("⟲ undone: restored: notes.txt").await;
        assert_eq!(home.read("notes.txt"), BEFORE);
        app.quits().await;
        assert_eq!(home.texts("files_restored", "since"), ["c1"]);
    }
    assert!(!file.with_extension("files").join("restoring").exists());
}

#[tokio::test]
async fn lines_of_words_do_the_same() {
    let home = Home::new();
    let mut app = Console::start(&home, USUAL, &["--screen-reader"]);
    app.sees("you: ").await;
    app.keys("change beta to delta in notes.txt\n").await;
    app.sees("answer: y once").await;
    app.reads().await;
    app.keys("y\n").await;
    app.sees("end: done").await;
    app.keys("/undo yes\n").await;
    app.sees("first use /undo").await;
    app.keys("/rewind\n").await;
    app.sees("change beta to delta in notes.txt").await;
    app.keys("/rewind 1\n").await;
    app.sees("/rewind 1 files: the files; the conversation stays as it is").await;
    app.keys("/rewind 1 files\n").await;
    app.sees("notes.txt: restored").await;
    app.sees("nothing is done yet: /undo yes does it").await;
    assert_eq!(home.read("notes.txt"), AFTER);
    app.reads().await;
    app.keys("/undo yes\n").await;
    app.sees("undone: restored: notes.txt").await;
    assert_eq!(home.read("notes.txt"), BEFORE);
    app.keys("/undo\n").await;
    app.sees("undo: nothing to undo").await;
    app.keys("/quit\n").await;
    assert!(app.ends().await.success(), "{}", app.screen());
    assert_eq!(home.texts("files_restored", "since"), ["c1"]);
}
