//! The product without a screen, in a terminal that edits and echoes lines itself: every byte is a word or a line's end.

use rustix::process::Signal;
use serde_json::json;

use super::console::{CTRL_C, CTRL_D, Console};
use super::home::Home;

/// Rows enough for all that a test says: nothing is scrolled away.
const LONG: (u16, u16) = (120, 200);

fn start(home: &Home, arguments: &[&str]) -> Console {
    Console::start(home, LONG, &[&["--screen-reader"], arguments].concat())
}

/// Types a line, as soon as it is the person's turn.
async fn says(app: &mut Console, line: &str) {
    app.until("a prompt", |screen| screen.trim_end().ends_with("\nyou:")).await;
    app.keys(&format!("{line}\n")).await;
}

/// No escape sequence, no line that is written over, no box, nothing but words.
fn assert_plain(app: &Console) {
    let said = String::from_utf8(app.bytes.clone()).unwrap();
    let words = said.replace("\r\n", "\n");
    let strange =
        words.chars().find(|c| c.is_control() && *c != '\n' || ('\u{2500}'..='\u{257f}').contains(c));
    assert_eq!(strange, None, "{said:?}");
}

/// Each of these lines stands there once.
fn assert_once(app: &Console, lines: &[&str]) {
    for line in lines {
        assert_eq!(app.times(line), 1, "{line:?} in\n{}", app.screen());
    }
}

#[tokio::test]
async fn a_call_is_allowed_another_denied_with_a_reason_and_nothing_is_said_twice() {
    let home = Home::new();
    let mut app = start(&home, &[]);
    says(&mut app, "change beta to delta in notes.txt").await;
    app.sees("answer: y once, s this session, a always,").await;
    assert_eq!(home.read("notes.txt"), "alpha\nbeta\ngamma\n", "nothing happens before the answer");
    app.reads().await;
    app.keys("y\n").await;
    app.sees("end: done; 2 turns, 1 tool call").await;
    assert_eq!(home.read("notes.txt"), "alpha\ndelta\ngamma\n");

    says(&mut app, "run rm notes.txt").await;
    app.sees("command: rm notes.txt").await;
    app.until("a second question", |screen| screen.matches("answer: y once").count() == 2).await;
    app.keys("yes, do it\n").await;
    app.sees("not sent: a call waits for you").await;
    app.reads().await;
    app.keys("r\n").await;
    app.sees("reason, or an empty line").await;
    app.reads().await;
    app.keys("keep my notes\n").await;
    app.sees("denied by you").await;
    app.until("a second end", |screen| screen.matches("end: done").count() == 2).await;

    says(&mut app, "/budgets").await;
    app.sees("budget max_tool_calls: 1 call of 200 calls used").await;
    says(&mut app, "/ledger 3").await;
    app.sees("turn_ended: completed").await;
    says(&mut app, "/quit").await;
    assert!(app.ends().await.success(), "{}", app.screen());
    app.assert_restored();
    assert_plain(&app);
    assert_once(
        &app,
        &[
            "  removed: beta\r\n",
            "  added: delta\r\n",
            "command: rm notes.txt\r\n",
            "kept, /send sends it: yes, do it\r\n",
        ],
    );
    assert!(home.has("notes.txt"));
    assert_eq!(home.texts("tool_result", "outcome"), ["ok", "denied"]);
    assert_eq!(home.entries("approval")[1]["reason"], "keep my notes");
    assert_eq!(home.texts("user_message", "content").len(), 2, "what was refused was not sent");
}

#[tokio::test]
async fn a_rule_is_said_then_taken_and_the_next_command_of_its_kind_asks_nobody() {
    let home = Home::new();
    let test = |name: &str| json!({ "tool_calls": [{ "name": "shell", "arguments": { "command": format!("cargo test {name}") } }] });
    let script = json!([test("one"), test("two"), test("three"), "all have run"]);
    let mut app = start(&home, &["--script", &script.to_string()]);
    says(&mut app, "go").await;
    app.sees("answer: y once, s this session, a always,").await;
    app.reads().await;
    app.keys("y\n").await;
    app.until("a second question", |screen| screen.matches("answer: y once").count() == 2).await;
    // Both lines are in the terminal at once: neither was typed as an answer.
    app.signal(Signal::STOP);
    app.keys("a\na\n").await;
    app.signal(Signal::CONT);
    app.sees("a came together with other lines").await;
    app.reads().await;
    app.keys("a\n").await;
    app.sees("always 1: 1 earlier call it would have matched").await;
    assert_eq!(home.entries("approval").len(), 1, "it is only said");
    app.reads().await;
    app.keys("a\n").await;
    app.sees("and for this session, what shell(cargo test *) covers").await;
    app.sees("all have run").await;
    says(&mut app, "/permissions").await;
    app.sees("rule: allow shell(cargo test *), from this session; last matched c3").await;
    app.keys(CTRL_D).await;
    assert!(app.ends().await.success());
    assert_eq!(home.entries("approval_request").len(), 2);
    assert_eq!(home.texts("approval", "by"), ["user", "user", "policy"]);
    assert_eq!(home.entries("approval")[1]["rule"], "shell(cargo test *)");
    assert_plain(&app);
}

#[tokio::test]
async fn what_was_allowed_for_the_session_is_taken_back_for_good() {
    let home = Home::new();
    let echo =
        json!({ "tool_calls": [{ "name": "shell", "arguments": { "command": "echo same >> made.txt" } }] });
    let mut app = start(&home, &["--script", &json!([echo, "once", echo, "denied"]).to_string()]);
    says(&mut app, "go").await;
    app.sees("answer: y once, s this session").await;
    app.reads().await;
    app.keys("s\n").await;
    app.sees("model: once").await;
    says(&mut app, "/permissions revoke c2").await;
    app.sees("not revoked: c2 granted nothing").await;
    says(&mut app, "/permissions revoke c1").await;
    app.sees("revoked: what you granted with c1 needs approval again in this session").await;
    says(&mut app, "again").await;
    app.until("a second question", |screen| screen.matches("answer: y once").count() == 2).await;
    app.reads().await;
    app.keys("n\n").await;
    app.sees("model: denied").await;
    app.keys(CTRL_D).await;
    assert!(app.ends().await.success());

    let script = json!([echo, "asked"]).to_string();
    let mut app = Console::start(&home, LONG, &["resume", "--last", "--screen-reader", "--script", &script]);
    says(&mut app, "once more").await;
    app.sees("answer: y once, s this session").await;
    app.reads().await;
    app.keys("n\n").await;
    app.sees("model: asked").await;
    app.keys(CTRL_D).await;
    assert!(app.ends().await.success());
    assert_eq!(home.entries("grant_revoked").len(), 1);
    assert_eq!(home.entries("approval_request").len(), 3);
    assert_eq!(home.read("made.txt"), "same\n");
    assert_plain(&app);
}

#[tokio::test]
async fn what_was_allowed_exactly_is_listed_and_holds_after_a_restart() {
    let home = Home::new();
    let echo =
        json!({ "tool_calls": [{ "name": "shell", "arguments": { "command": "echo same >> made.txt" } }] });
    let mut app = start(&home, &["--script", &json!([echo, echo, "twice"]).to_string()]);
    says(&mut app, "go").await;
    app.sees("answer: y once, s this session").await;
    app.reads().await;
    app.keys("s\n").await;
    app.sees("model: twice").await;
    says(&mut app, "/permissions").await;
    app.sees("allowed for this session by you with c1; last allowed c2; exactly: shell $ echo same").await;
    app.keys(CTRL_D).await;
    assert!(app.ends().await.success());

    let script = json!([echo, "thrice"]).to_string();
    let mut app = Console::start(&home, LONG, &["resume", "--last", "--screen-reader", "--script", &script]);
    says(&mut app, "/permissions").await;
    app.sees("allowed for this session by you with c1; last allowed c2; exactly: shell $ echo same").await;
    says(&mut app, "again").await;
    app.sees("model: thrice").await;
    says(&mut app, "/permissions").await;
    app.sees("by you with c1; last allowed c3; exactly").await;
    app.keys(CTRL_D).await;
    assert!(app.ends().await.success());
    assert_eq!(home.texts("approval", "by"), ["user", "policy", "policy"]);
    assert_eq!(home.read("made.txt"), "same\nsame\nsame\n");
    assert_plain(&app);
}

#[tokio::test]
async fn what_is_typed_before_the_question_steers_and_never_approves() {
    let home = Home::new();
    let call = json!({ "name": "shell", "arguments": { "command": "echo made > made.txt" } });
    let script = json!([
        { "text": "slow words\n".repeat(60), "chunk": 11, "pause_ms": 20, "tool_calls": [call] },
        "both are heard",
    ]);
    let mut app = start(&home, &["--script", &script.to_string()]);
    says(&mut app, "go").await;
    app.sees("model: slow words").await;
    app.keys("y\nand be quick\n").await;
    app.sees("pasted: 2 lines, one message").await;
    app.sees("queued: sent with").await;
    app.sees("answer: y once").await;
    assert!(!home.has("made.txt"));
    app.reads().await;
    app.keys("n\n").await;
    app.sees("both are heard").await;
    app.sees("delivered to the model: y").await;
    app.keys(CTRL_D).await;
    assert!(app.ends().await.success());
    assert!(!home.has("made.txt"));
    assert_eq!(home.texts("approval", "decision"), ["deny"]);
    let said = home.texts("injected", "text");
    assert!(said.ends_with(&["y\nand be quick".to_owned()]), "{said:?}");
    assert_plain(&app);
}

#[tokio::test]
async fn a_line_that_waits_in_the_terminal_while_the_question_comes_does_not_approve() {
    let home = Home::new();
    let mut app = start(&home, &[]);
    says(&mut app, "run echo made > made.txt").await;
    // The app stands still wherever it is on the way to its question, and the answer is in the terminal first.
    app.signal(Signal::STOP);
    app.reads().await;
    app.keys("y\n").await;
    app.signal(Signal::CONT);
    // Where the first line was still held, the two are one message, about which nobody is asked.
    let came = |screen: &str| screen.contains("answer: y once") || screen.contains("pasted: 2 lines");
    app.until("a question, or one message", came).await;
    if !app.screen().contains("answer: y once") {
        app.until("an end", |screen| screen.contains("end: ")).await;
        app.keys(CTRL_D).await;
        assert!(app.ends().await.success() && !home.has("made.txt") && home.entries("approval").is_empty());
        return;
    }
    app.reads().await;
    app.keys("n\n").await;
    app.until("an end", |screen| screen.contains("end: ")).await;
    app.keys(CTRL_D).await;
    assert!(app.ends().await.success());
    assert!(!home.has("made.txt"), "{}", app.screen());
    assert_eq!(home.texts("approval", "decision"), ["deny"]);
}

#[tokio::test]
async fn ctrl_c_ends_a_running_command_and_at_rest_leaves() {
    let home = Home::new();
    let mut app = start(&home, &[]);
    says(&mut app, "run echo begun > made.txt; sleep 600").await;
    app.sees("answer: y once").await;
    app.reads().await;
    app.keys("y\n").await;
    app.meanwhile("a command that runs", || home.has("made.txt")).await;
    app.keys("/status\n").await;
    app.sees("status: running tools").await;
    app.keys(CTRL_C).await;
    app.sees("end: interrupted, effects may be partial").await;
    app.sees("next: Check the effects").await;
    app.keys(CTRL_C).await;
    app.sees("to quit: Ctrl-C again").await;
    app.keys(CTRL_C).await;
    assert!(app.ends().await.success(), "{}", app.screen());
    assert_eq!(home.texts("tool_result", "outcome"), ["aborted"]);
    assert_plain(&app);
}

#[tokio::test]
async fn a_budget_stop_is_raised_by_a_word() {
    let home = Home::new();
    let script = json!([{ "name": "read", "arguments": { "path": "notes.txt" } }, "it holds three words"]);
    let mut app = start(&home, &["--max-turns", "1", "--script", &script.to_string(), "go"]);
    app.sees("you: go").await;
    app.sees("budget max_model_turns: /raise raises it to 2 turns and continues").await;
    app.reads().await;
    says(&mut app, "/raise").await;
    app.sees("model: it holds three words").await;
    app.sees("end: done").await;
    app.keys(CTRL_D).await;
    assert!(app.ends().await.success());
    assert_eq!(home.texts("turn_ended", "reason"), ["max_turns", "completed"]);
    assert_plain(&app);
    assert_once(&app, &["you: go\r\n", "model: it holds three words\r\n", "raised to 2 turns"]);
}

#[tokio::test]
async fn a_terminal_that_cannot_move_its_cursor_is_spoken_to_in_lines() {
    let home = Home::new();
    let mut app = Console::start_with(&home, LONG, &[], &[("TERM", "dumb")]);
    app.sees("TERM is dumb, so plain lines are printed").await;
    says(&mut app, "\"\"\"").await;
    app.keys("read\nnotes.txt\n\"\"\"\n").await;
    app.sees("It begins with `alpha`").await;
    app.sees("end: done").await;
    says(&mut app, "/quit").await;
    assert!(app.ends().await.success());
    app.assert_restored();
    assert_plain(&app);
    assert_eq!(home.texts("user_message", "content"), ["read\nnotes.txt"]);
}

#[tokio::test]
async fn a_session_is_picked_by_its_number_and_says_its_last_exchange() {
    let home = Home::new();
    let mut app = start(&home, &[]);
    says(&mut app, "read notes.txt").await;
    app.sees("It begins with `alpha`").await;
    says(&mut app, "/quit").await;
    assert!(app.ends().await.success());

    let mut app = start(&home, &[]);
    says(&mut app, "/sessions").await;
    app.sees("session 1: read notes.txt").await;
    says(&mut app, "/sessions 1").await;
    app.sees("resumed: 1 message from you, 1 tool call").await;
    app.sees("It begins with `alpha`").await;
    says(&mut app, "list").await;
    app.sees("This folder has 1 entry").await;
    app.keys(CTRL_D).await;
    assert!(app.ends().await.success());
    assert_eq!(home.texts("user_message", "content"), ["read notes.txt", "list"]);
    assert_plain(&app);
}

#[tokio::test]
async fn a_signal_that_ends_programs_ends_it_with_its_books_closed() {
    let home = Home::new();
    let folder = home.root().join("config/countersign");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), "screen_reader = true\n").unwrap();
    let mut app = Console::start(&home, LONG, &[]);
    says(&mut app, "run echo begun > made.txt; sleep 600").await;
    app.sees("answer: y once").await;
    app.reads().await;
    app.keys("s\n").await;
    app.meanwhile("a command that runs", || home.has("made.txt")).await;
    app.signal(Signal::TERM);
    let code = app.ends().await.code();
    assert_eq!(code, Some(130), "{}", app.screen());
    assert_eq!(home.texts("tool_result", "outcome"), ["aborted"]);
    assert_plain(&app);
}

#[tokio::test]
async fn ctrl_z_works_by_itself() {
    let home = Home::new();
    let shell =
        r#"set -m; "$APP" --screen-reader; echo "it is stopped"; read -r line; fg; echo "it ended with $?""#;
    let command = pty_process::Command::new("sh").args(["-c", shell]);
    let mut app = Console::start_command(&home, LONG, command, &[("APP", env!("CARGO_BIN_EXE_countersign"))]);
    app.until("a prompt", |screen| screen.trim_end().ends_with("\nyou:")).await;
    app.keys("\x1a").await;
    app.sees("it is stopped").await;
    app.keys("\n").await;
    app.until("the job again", |screen| screen.matches("--screen-reader").count() == 1).await;
    app.keys("read notes.txt\n").await;
    app.sees("It begins with `alpha`").await;
    app.keys(CTRL_D).await;
    app.sees("it ended with 0").await;
    app.ends().await;
}

#[tokio::test]
async fn the_conversation_goes_back_by_a_number_and_the_message_is_kept() {
    let home = Home::new();
    let mut app = start(&home, &[]);
    says(&mut app, "list").await;
    app.sees("end: done").await;
    says(&mut app, "!!echo mine").await;
    app.sees("not shown to the model").await;
    says(&mut app, "change beta to delta in notes.txt").await;
    app.sees("answer: y once").await;
    app.reads().await;
    app.keys("y\n").await;
    app.until("a second end", |screen| screen.matches("end: done").count() == 2).await;
    says(&mut app, "/rewind").await;
    app.sees("/rewind NUMBER goes back to before that message").await;
    assert_once(
        &app,
        &["message 1, just now: list", "message 2, just now: change beta to delta in notes.txt"],
    );
    assert!(!app.screen().contains("message 3"), "a command of one's own is no message\n{}", app.screen());
    says(&mut app, "/rewind 2").await;
    app.sees("/rewind 2 conversation: ").await;
    says(&mut app, "/rewind 2 conversation").await;
    app.sees("kept, /send sends it: change beta to delta in notes.txt").await;
    assert_ne!(home.read("notes.txt"), "alpha\nbeta\ngamma\n", "the files stay");
    assert_eq!(home.session_files().len(), 2, "the conversation goes on in another session");
    assert_plain(&app);
    says(&mut app, "/quit").await;
    app.ends().await;
}
