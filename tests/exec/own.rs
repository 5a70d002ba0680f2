//! Our own files, start-up files and secrets, where the session works in the home folder or beside them.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use crate::world::{Ran, World, script, text};

fn call(name: &str, arguments: Value) -> Value {
    json!({ "tool_calls": [{ "name": name, "arguments": arguments }] })
}

/// One run in the home folder.
fn at_home(world: &World, mode: &str, calls: &[Value]) -> Ran {
    let replies = script(Value::Array(calls.iter().cloned().chain([json!("Done.")]).collect()));
    let output = world
        .program()
        .args(["exec", "--json", "--mode", mode, "--script", &replies, "go"])
        .current_dir(world.place())
        .output()
        .unwrap();
    Ran::of(output.status, output.stdout, output.stderr)
}

#[test]
fn in_the_home_folder_nothing_of_ours_and_no_start_up_file_is_written_unasked() {
    for mode in ["edit", "auto"] {
        let world = World::new().configured("# mine\n");
        let writes = [
            "config/countersign/config.toml",
            "config/countersign/keys.toml",
            "state/countersign/trust.json",
            "state/countersign/sessions/2026/11/ID.files/restoring",
            ".bashrc",
            ".config/autostart/x.desktop",
            "work/../.profile",
        ];
        let mut calls: Vec<Value> =
            writes.iter().map(|path| call("write", json!({ "path": path, "content": "planted" }))).collect();
        calls.push(call("shell", json!({ "command": "echo planted > .zshrc" })));
        // In the middle: so many denials in a row would end the run.
        calls.insert(4, call("write", json!({ "path": "notes.txt", "content": "fine" })));
        let ran = at_home(&world, mode, &calls);
        let mut outcomes = ran.outcomes();
        assert_eq!(outcomes.remove(4), "ok", "{}", ran.out);
        assert_eq!(outcomes, ["denied"; 8], "{mode}: {}", ran.out);
        assert_eq!(fs::read_to_string(world.config_file()).unwrap(), "# mine\n");
        assert!(
            [".bashrc", ".profile", ".zshrc", ".config"]
                .iter()
                .all(|name| !world.place().join(name).exists())
        );
    }
}

#[test]
fn secrets_are_read_in_no_mode_without_a_person() {
    for mode in ["ask", "edit", "auto", "plan"] {
        let world = World::new();
        fs::create_dir_all(world.place().join(".ssh")).unwrap();
        for name in [".ssh/id_rsa", "work/.env", "work/deep.pem"] {
            fs::write(world.place().join(name), "planted").unwrap();
        }
        let mut calls: Vec<Value> = [".ssh/id_rsa", "work/.env", "work/deep.pem", "work/one.txt"]
            .iter()
            .map(|path| call("read", json!({ "path": path })))
            .collect();
        calls.push(call("search", json!({ "pattern": "planted" })));
        let ran = at_home(&world, mode, &calls);
        assert_eq!(ran.outcomes(), ["denied", "denied", "denied", "ok", "ok"], "{mode}: {}", ran.out);
        let whys: Vec<String> = ran.all("approval_request").iter().map(|one| text(one, "why")).collect();
        assert_eq!(whys[..2], [".ssh/id_rsa may contain secrets", "work/.env may contain secrets"]);
        let searched = text(&ran.all("tool_result")[4], "content");
        assert!(searched.contains("not searched, since it may contain secrets"), "{searched}");
        assert!(!searched.contains("planted") && !searched.contains("id_rsa"), "{searched}");
    }
}

#[test]
fn a_forged_record_of_an_undo_is_refused_and_named_when_the_session_goes_on() {
    let world = World::new();
    let wrote = call("write", json!({ "path": "made.txt", "content": "mine" }));
    world.json(&["--mode", "edit", "--script", &script(json!([wrote, "Done."])), "go"]);
    let outside = world.place().join("outside.txt");
    fs::write(&outside, "theirs").unwrap();
    // SHA-256 of "theirs" and "another file\n", as anybody can work them out.
    let kept = world.session_file().with_extension("files");
    for path in [outside.clone(), world.work().join("two.txt")] {
        let hash = countersign::runtime::undo::Hash::of(&fs::read(&path).unwrap());
        let line = |call: Value, before: Value, after: Value| json!({ "call": call, "path": path, "before": before, "after": after, "mode": null, "made": null });
        let undo = line(Value::Null, json!(hash.as_str()), Value::Null);
        let journal = format!("{}\n{undo}\n", json!({ "since": "c1", "entries": 0 }));
        fs::write(kept.join("restoring"), journal).unwrap();
        let ran = world.exec(&["--last", "--script", &script(json!(["Again."])), "go on"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert!(ran.err.contains("was refused, and nothing was changed"), "{}", ran.err);
        assert!(ran.err.contains(path.file_name().unwrap().to_str().unwrap()), "{}", ran.err);
        assert!(path.exists());
    }
    assert_eq!(world.file("made.txt"), "mine");
}

#[test]
fn an_undo_that_cannot_be_completed_keeps_nobody_from_going_on() {
    let world = World::new();
    let wrote = call("write", json!({ "path": "made.txt", "content": "mine" }));
    world.json(&["--mode", "edit", "--script", &script(json!([wrote, "Done."])), "go"]);
    let kept = world.session_file().with_extension("files");
    fs::create_dir(kept.join("restoring")).unwrap();
    for tells in [true, false] {
        let ran = world.exec(&["--last", "--script", &script(json!(["Again."])), "go on"]);
        assert_eq!((ran.code, ran.out.as_str()), (0, "Again.\n"), "{}", ran.err);
        assert_eq!(ran.err.contains("An interrupted undo could not be completed"), tells, "{}", ran.err);
    }
    assert!(kept.join("restoring.refused").exists() && !kept.join("restoring").exists());
}

/// A pipe could be waited for without end; the program that waits is ended after a minute.
#[test]
fn what_is_no_file_among_the_sessions_is_named_and_waited_for_by_nobody() {
    let world = World::new();
    world.json(&["--script", &script(json!(["A word to be found."])), "go"]);
    let folder = world.session_file().parent().unwrap().to_owned();
    for kind in ["p", "c 1 5"] {
        let place = folder.join(format!("99999999-odd-{}.jsonl", &kind[..1]));
        let made = Command::new("mknod").arg(place).args(kind.split(' ')).status().unwrap();
        // Only root makes devices.
        assert!(made.success() || kind != "p");
    }
    for words in
        [&["sessions", "list"][..], &["sessions", "search", "found"], &["doctor"], &["exec", "--last", "x"]]
    {
        let program = world.program();
        let ours = program.get_envs().filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())));
        let output = Command::new("timeout")
            .args(["60", env!("CARGO_BIN_EXE_countersign")])
            .args(words)
            .env_clear()
            .envs(ours)
            .current_dir(world.work())
            .output()
            .unwrap();
        assert_ne!(output.status.code(), Some(124), "{words:?} waits");
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        assert!(words[0] == "exec" || said.contains("not a regular file"), "{words:?}: {said}");
    }
}

/// Somebody who refuses a key may say it in other letters.
#[test]
fn a_key_in_other_letters_is_not_shown() {
    let world = World::new().with("SOME_API_KEY", "Abcdef-0123456789");
    let said = "the key ABCDEF-0123456789 is no good, nor is abcdef-0123456789";
    world.json(&["--script", &script(json!([said])), "go"]);
    let ran = world.sessions_cli(&["search", "good"]);
    assert!(ran.out.contains("key (key hidden) is no good, nor is (key hidden)"), "{}", ran.out);
    assert!(!ran.out.to_lowercase().contains("abcdef-0123456789"), "{}", ran.out);
}
