//! Approvals in their panes: allowed, denied, denied with a reason, granted for the session.

use std::time::Duration;

use serde_json::json;

use super::console::{Console, ENTER, ESC, USUAL};
use super::home::Home;

/// Gives the answer keys to the call of this command: the calls are looked at side by side, and the one that was
/// ready first is the first one.
async fn has_the_keys(app: &mut Console, command: &str) {
    let has_them = |screen: &str| {
        let its_box = screen.split_once(command).and_then(|(_, rest)| rest.split_once(['╯', '┛']));
        its_box.is_some_and(|(inside, _)| inside.contains("y once"))
    };
    app.has_the_keys().await;
    if !has_them(&app.screen()) {
        app.keys("\x1b[B").await;
    }
    app.until("the keys in that pane", has_them).await;
}

#[tokio::test]
async fn a_change_waits_with_its_diff_and_happens_after_y() {
    let home = Home::new();
    let mut app = Console::start(&home, USUAL, &[]);
    app.sees("ask anything").await;
    app.says("change beta to delta in notes.txt").await;
    app.sees("waits for you").await;
    app.sees("y once").await;
    let screen = app.screen();
    assert!(screen.contains("beta") && screen.contains("delta"), "{screen}");
    assert_eq!(home.read("notes.txt"), "alpha\nbeta\ngamma\n", "nothing happens before the answer");
    app.answers("y").await;
    app.sees("✓ done").await;
    app.sees_no("waits for you").await;
    assert_eq!(home.read("notes.txt"), "alpha\ndelta\ngamma\n");
    app.rests().await;
    app.quits().await;
    let decision = &home.entries("approval")[0];
    assert_eq!(
        (&decision["decision"], &decision["scope"], &decision["by"]),
        (&json!("allow"), &json!("once"), &json!("user"))
    );
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_command_is_allowed_in_the_sandbox_and_asked_about_again_where_that_stood_in_the_way() {
    if let Some(why) = countersign::runtime::sandbox::support().refuses(false) {
        eprintln!("not tried on this machine: {why}");
        return;
    }
    let home = Home::new();
    let outside = home.root().join("outside.txt");
    let leaves = json!({ "tool_calls": [{ "name": "shell", "arguments": {
        "command": format!("awk 'BEGIN {{ print \"out\" > \"{}\" }}'", outside.display())
    } }] });
    let mut app = Console::scripted(&home, &json!([leaves, leaves, "both have run"]));
    app.sees("ask anything").await;
    app.says("go").await;
    app.sees("b sandbox").await;
    app.answers("b").await;
    app.sees("may have blocked").await;
    assert!(!outside.exists());
    app.sees("y once").await;
    app.answers("y").await;
    app.sees("both have run").await;
    app.rests().await;
    app.quits().await;
    assert!(outside.exists());
    let decided: Vec<_> = home.entries("approval").iter().map(|entry| entry["decision"].clone()).collect();
    assert_eq!(decided, [json!("sandbox"), json!("allow")]);
}

#[tokio::test]
async fn a_rule_is_seen_then_taken_and_the_next_command_of_its_kind_asks_nobody() {
    let home = Home::new();
    let test = |name: &str| json!({ "tool_calls": [{ "name": "shell", "arguments": { "command": format!("cargo test {name}") } }] });
    let script = json!([test("one"), test("two"), "both have run"]);
    let mut app = Console::scripted(&home, &script);
    app.sees("ask anything").await;
    app.says("go").await;
    app.sees("a always").await;
    app.answers("a").await;
    app.sees("always: shell(cargo test *)").await;
    app.sees("would not have matched any earlier call").await;
    app.sees("a enter as marked").await;
    assert_eq!(home.entries("approval").len(), 0, "it is only shown");
    app.answers("a").await;
    app.sees("both have run").await;
    app.rests().await;
    app.keys("/permissions").await;
    app.sees("the rules in force").await;
    app.keys(ENTER).await;
    app.sees("shell(cargo test *)").await;
    app.sees("this session · last matched c2 $ cargo test two").await;
    app.keys("q").await;
    app.sees_no("last matched").await;
    app.quits().await;
    assert_eq!(home.entries("approval_request").len(), 1);
    let decisions = home.entries("approval");
    let [first, second] = &decisions[..] else { panic!("{decisions:?}") };
    assert_eq!(
        (&first["by"], &first["scope"], &first["rule"]),
        (&json!("user"), &json!("session"), &json!("shell(cargo test *)"))
    );
    assert_eq!(
        (&second["by"], &second["reason"]),
        (&json!("policy"), &json!("rule shell(cargo test *) of this session"))
    );
    assert_eq!(home.entries("tool_result").len(), 2);
}

#[tokio::test]
async fn a_denied_command_does_not_run_and_the_chat_goes_on() {
    let home = Home::new();
    let mut app = Console::start(&home, USUAL, &[]);
    app.sees("ask anything").await;
    app.says("run echo hello > made.txt").await;
    app.sees("waits for you").await;
    app.sees("$ echo hello > made.txt").await;
    app.sees("y once").await;
    app.answers("n").await;
    app.sees("denied by you").await;
    app.sees("✓ done").await;
    app.rests().await;
    assert!(!home.has("made.txt"));
    app.says("read notes.txt").await;
    app.sees("It begins with alpha").await;
    app.rests().await;
    app.quits().await;
    assert_eq!(home.texts("tool_result", "outcome"), ["denied", "ok"]);
}

#[tokio::test]
async fn a_denied_call_leaves_its_siblings_alone() {
    let home = Home::new();
    let script = json!([
        { "tool_calls": [
            { "name": "shell", "arguments": { "command": "echo one > one.txt" } },
            { "name": "shell", "arguments": { "command": "echo two > two.txt" } },
            { "name": "read", "arguments": { "path": "notes.txt" } },
        ]},
        "both are answered",
    ]);
    let mut app = Console::scripted(&home, &script);
    app.sees("ask anything").await;
    app.says("go").await;
    app.sees("waits for you · 1 of 2").await;
    app.sees("waits for you · 2 of 2").await;
    has_the_keys(&mut app, "$ echo one").await;
    app.answers("n").await;
    app.until("the second one alone", |screen| screen.contains("waits for you") && !screen.contains(" of 2"))
        .await;
    app.sees("y once").await;
    app.answers("y").await;
    app.sees("both are answered").await;
    app.rests().await;
    app.quits().await;
    assert!(!home.has("one.txt"));
    assert_eq!(home.read("two.txt"), "two\n");
    assert_eq!(home.texts("tool_result", "outcome"), ["denied", "ok", "ok"]);
    let ids = home.texts("tool_call", "id");
    assert_eq!(home.texts("tool_result", "id"), ids, "results in the order of the calls");
}

#[tokio::test]
async fn a_reason_reaches_the_model() {
    let home = Home::new();
    let mut app = Console::start(&home, USUAL, &[]);
    app.sees("ask anything").await;
    app.says("run rm notes.txt").await;
    app.sees("y once").await;
    app.answers("r").await;
    app.sees("enter denies").await;
    app.keys("keep my notes, y n s").await;
    app.sees("reason: keep my notes, y n s").await;
    app.keys(ENTER).await;
    app.sees("denied by you").await;
    app.sees("✓ done").await;
    app.rests().await;
    app.quits().await;
    let result = &home.entries("tool_result")[0];
    assert_eq!(result["outcome"], "denied");
    assert!(result["content"].as_str().unwrap().contains("keep my notes, y n s"), "{result}");
    assert_eq!(home.entries("approval")[0]["reason"], "keep my notes, y n s");
    assert!(home.has("notes.txt"));
}

#[tokio::test]
async fn a_grant_for_the_session_is_for_the_exact_action() {
    let home = Home::new();
    let mut app = Console::start(&home, USUAL, &[]);
    app.sees("ask anything").await;
    app.says("run echo x >> log.txt").await;
    app.sees("y once").await;
    app.answers("s").await;
    app.sees("✓ done").await;
    app.rests().await;

    app.says("run echo x >> log.txt").await;
    app.until("a second ending", |screen| screen.matches("✓ done").count() == 2).await;
    app.rests().await;
    assert_eq!(home.read("log.txt"), "x\nx\n");
    assert_eq!(home.entries("approval_request").len(), 1, "the second time it is not asked");

    app.says("run echo y >> log.txt").await;
    app.sees("waits for you").await;
    app.sees("y once").await;
    app.answers("n").await;
    app.sees("denied by you").await;
    app.rests().await;
    app.quits().await;
    assert_eq!(home.read("log.txt"), "x\nx\n");
}

#[tokio::test]
async fn typing_goes_to_the_composer_until_tab_is_pressed() {
    let home = Home::new();
    let mut app = Console::start(&home, USUAL, &[]);
    app.sees("ask anything").await;
    app.says("run echo hello > made.txt").await;
    app.sees("tab to decide").await;
    app.sees("keys go to your message").await;
    for key in ["s", "o", "r", "r", "y"] {
        app.keys(key).await;
        app.reads().await;
    }
    app.sees("sorry").await;
    assert!(!home.has("made.txt") && home.entries("approval").is_empty());
    app.answers("y").await;
    app.sees("✓ done").await;
    assert_eq!(home.read("made.txt"), "hello\n");
    assert!(app.screen().contains("sorry"), "what was typed is still there");
}

#[tokio::test]
async fn a_paste_without_brackets_and_a_second_letter_decide_nothing() {
    let home = Home::new();
    let call =
        |name: &str| json!({ "name": "shell", "arguments": { "command": format!("echo x > {name}") } });
    let script = json!([{ "tool_calls": [call("one.txt"), call("two.txt")] }, "both are answered"]);
    let mut app = Console::scripted(&home, &script);
    app.sees("ask anything").await;
    app.says("go").await;
    app.sees("waits for you · 2 of 2").await;
    app.reads().await;
    app.keys("stop\ty\ts then\ty").await;
    app.sees("then").await;
    app.reads().await;
    app.sees("keys go to your message").await;
    assert!(home.entries("approval").is_empty(), "{}", app.screen());
    app.keys("\x15").await;
    app.sees("ask anything").await;
    // One key in one read decides about one call; two are a burst.
    app.has_the_keys().await;
    app.keys("nn").await;
    app.sees("│ nn").await;
    assert!(home.entries("approval").is_empty(), "{}", app.screen());
    app.answers("n").await;
    app.until("one call", |screen| screen.contains("waits for you") && !screen.contains(" of 2")).await;
    app.keys("nnnn").await;
    app.reads().await;
    assert_eq!(home.entries("approval").len(), 1);
    assert!(app.screen().contains("nn"), "the rest is text:\n{}", app.screen());
    app.answers("n").await;
    app.sees("both are answered").await;
    assert!(!home.has("one.txt") && !home.has("two.txt"));
}

/// A paste of two keys that arrives in pieces: the second one is read right behind the frame that the first one made.
#[tokio::test]
async fn a_key_right_behind_the_frame_that_gave_the_keys_decides_nothing() {
    let home = Home::new();
    let mut app = Console::start(&home, USUAL, &[]);
    app.sees("ask anything").await;
    app.says("run echo hello > made.txt").await;
    app.sees("tab to decide").await;
    for key in ["y", "s"] {
        app.takes_time(Duration::from_millis(600)).await;
        app.keys("\t").await;
        app.sees("keys go to this call").await;
        app.keys(key).await;
        app.sees("keys go to your message").await;
        app.keys("\x15").await;
    }
    assert!(home.entries("approval").is_empty() && !home.has("made.txt"));
    app.takes_time(Duration::from_millis(600)).await;
    app.keys("\ty").await;
    app.keys_are_taken().await;
    assert!(home.entries("approval").is_empty() && !home.has("made.txt"));
    app.keys("\x15").await;
    app.keys(ESC).await;
    app.sees("interrupted").await;
    app.rests().await;
    app.quits().await;
}
