//! Mode `auto`: commands run in the sandbox without a question, and nothing leaves it without a person.
#![cfg(target_os = "linux")]

use std::process::Command;

use countersign::runtime::sandbox::support;
use serde_json::json;

use crate::world::{World, script, text};

/// Says in words why nothing can be tried here, where the kernel has no whole sandbox.
#[allow(clippy::print_stdout, reason = "says what was not tried")]
pub(crate) fn is_there() -> bool {
    match support().refuses(false) {
        None => true,
        Some(why) => {
            println!("not tried on this machine: {why}");
            false
        }
    }
}

fn shell(command: &str) -> serde_json::Value {
    json!({ "tool_calls": [{ "name": "shell", "arguments": { "command": command } }] })
}

#[test]
fn auto_runs_in_the_sandbox_and_asks_for_the_rest() {
    if !is_there() {
        return;
    }
    let world = World::new();
    let outside = world.place().join("outside.txt");
    let writes = |path: &str| format!("awk 'BEGIN {{ print \"in\" > \"{path}\" }}'");
    let leave = writes(&outside.display().to_string());
    let replies = script(json!([shell(&writes("made.txt")), shell(&leave), shell(&leave), "Done."]));
    let ran = world.json(&["--mode", "auto", "--script", &replies, "go"]);
    assert_eq!(ran.outcomes(), ["ok", "failed", "denied"], "{}", ran.out);
    assert_eq!(world.file("made.txt"), "in\n");
    assert!(!outside.exists());
    let decided: Vec<String> = ran.all("approval").iter().map(|one| text(one, "decision")).collect();
    assert_eq!(decided, ["sandbox", "sandbox", "deny"]);
    let asked = ran.all("approval_request");
    assert!(text(&asked[0], "why").contains("blocked the same action, c2"), "{asked:?}");
    for receipt in &ran.all("approval")[..2] {
        assert_eq!(
            (text(receipt, "digest").len(), text(receipt, "cwd")),
            (64, world.work().display().to_string())
        );
    }
}

#[test]
fn a_rule_runs_commands_in_the_sandbox_and_the_configuration_opens_it() {
    if !is_there() {
        return;
    }
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    let reach = format!("bash -c ': > /dev/tcp/127.0.0.1/{port}'");
    let rule = "sandbox = [\"shell\"]";
    for (opened, outcomes) in
        [("", ["failed", "failed"]), ("network = true\nwritable = ['~/cache']", ["ok", "ok"])]
    {
        let world = World::new().configured(&format!("{rule}\n[tools.sandbox]\n{opened}"));
        std::fs::create_dir(world.place().join("cache")).unwrap();
        let touch = format!("touch {}", world.place().join("cache/made").display());
        let replies = script(json!([shell(&reach), shell(&touch), "Done."]));
        let ran = world.json(&["--script", &replies, "go"]);
        assert_eq!(ran.outcomes(), outcomes, "{}", ran.out);
        let decided: Vec<String> = ran.all("approval").iter().map(|one| text(one, "decision")).collect();
        assert_eq!(decided, ["sandbox", "sandbox"], "in mode ask, by the rule alone");
        assert_eq!(world.place().join("cache/made").exists(), outcomes[1] == "ok");
    }
}

/// The settings of a repository make `git status` run a program of theirs.
#[test]
fn what_only_reads_runs_without_a_question_where_that_is_wished_and_in_the_sandbox_alone() {
    if !is_there() {
        return;
    }
    for (wish, outcomes) in [("", ["denied", "denied"]), ("[tools.sandbox]\nreads = true", ["ok", "ok"])] {
        let world = World::new().configured(wish);
        let (inside, outside) = (world.work().join("inside"), world.place().join("outside"));
        let spy = format!("touch {} {}", inside.display(), outside.display());
        for words in [&["init", "-q"][..], &["config", "core.fsmonitor", &spy]] {
            assert!(Command::new("git").args(words).current_dir(world.work()).status().unwrap().success());
        }
        let replies = script(json!([shell("git status --short"), shell("ls | head"), "Done."]));
        let ran = world.json(&["--script", &replies, "go"]);
        assert_eq!(ran.outcomes(), outcomes, "{}", ran.out);
        // The program of the repository did run, and could not do what nobody had allowed.
        assert_eq!((inside.exists(), outside.exists()), (!wish.is_empty(), false));
        for decided in ran.all("approval") {
            assert_eq!(text(&decided, "decision"), if wish.is_empty() { "deny" } else { "sandbox" });
        }
    }
}

#[test]
fn a_secret_is_hidden_or_where_it_cannot_be_named_and_asked_about() {
    if !is_there() {
        return;
    }
    let world = World::new();
    std::fs::write(world.work().join(".env"), "TOKEN=secret\n").unwrap();
    std::fs::write(world.work().join("server.pem"), "a key\n").unwrap();
    let replies = script(json!([shell("awk '{ print }' .env"), "Done."]));
    let ran = world.json(&["--mode", "auto", "--script", &replies, "go"]);
    if ran.outcomes() == ["failed"] {
        assert!(ran.out.contains("the sandbox hid .env") && !ran.out.contains("TOKEN=secret"), "{}", ran.out);
        return;
    }
    // From root, and where there are no namespaces.
    assert_eq!(ran.outcomes(), ["denied"], "{}", ran.out);
    let asked = ran.all("approval_request")[0].clone();
    let work = world.work().canonicalize().unwrap();
    let named = [".env", "server.pem"].map(|file| format!("{file} ({})", work.join(file).display()));
    let [env, pem] = &named;
    let says = format!("commands could read and change what the sandbox cannot hide: {env}; {pem}");
    assert_eq!(text(&asked, "why"), says, "one sentence names both");
    assert_eq!(asked["gaps"], json!(named));
}

/// Whoever the user is: not all of the names are looked at.
#[test]
fn a_folder_that_is_too_large_to_be_searched_for_secrets_is_named_with_what_to_do() {
    if !is_there() {
        return;
    }
    let world = World::new();
    let many = world.work().join("many");
    std::fs::create_dir(&many).unwrap();
    for number in 0..=20_000 {
        std::fs::write(many.join(number.to_string()), "").unwrap();
    }
    let replies = script(json!([shell("touch made"), "Done."]));
    let ran = world.exec(&["--mode", "auto", "--script", &replies, "go"]);
    assert_eq!(ran.code, 4, "{}", ran.err);
    assert!(ran.err.contains("contains more than 20000 files, so not all were checked"), "{}", ran.err);
    assert_eq!(
        ran.err.matches("next: so that a command runs although the sandbox").count(),
        1,
        "{}",
        ran.err
    );
    assert!(ran.err.contains("(`exec --resume SESSION --mode auto`)"), "{}", ran.err);
    assert!(ran.err.contains("(--allow), which runs it without the sandbox"), "{}", ran.err);
}

#[test]
fn a_hook_that_asks_leaves_a_command_in_its_sandbox() {
    if !is_there() {
        return;
    }
    let hook = "[[hooks.pre_tool]]\ncommand = \"echo '{\\\"decision\\\": \\\"ask\\\"}'\"";
    let asked = |rules: &str| {
        let world = World::new().configured(&format!("{rules}\n{hook}\n"));
        let ran = world.json(&["--script", &script(json!([shell("touch made"), "Done."])), "go"]);
        assert_eq!(ran.outcomes(), ["denied"], "{}", ran.out);
        ran.one("approval_request")["sandbox"].clone()
    };
    assert_eq!(asked("sandbox = ['shell(touch *)']"), "within");
    assert_eq!(asked("allow = ['shell(touch *)']"), "on_wish");
}
