//! `whatif --allow` of a command: whatever way its line takes, the folder of the session stays as it is.

use serde_json::json;

use countersign::runtime::sandbox::support;

use crate::world::{Ran, World};

/// Lines that reach the folder without naming it. `HERE` is the name of the session's folder in the home folder.
const LINES: &[&str] = &[
    "touch ~/HERE/made",
    "touch $HOME/HERE/made",
    "cd ~/HERE && touch made",
    "cd && touch HERE/made",
    "touch ~/\"HERE\"/made",
    "touch ~/wor?/.; touch ~/w*k/made; for f in ~/w*; do touch $f/made; done",
    "cd / && touch \"$(echo $HOME)\"/HERE/made",
    "eval 'touch $HOME/wo''rk/made'",
    "python3 -c 'import os; open(os.environ[\"HOME\"] + \"/HERE/made\", \"w\")'",
    "sh -c 'touch ${HOME%/}/HERE/made'",
];

fn whatif(world: &World, words: &[&str]) -> Ran {
    let output = world.program().arg("whatif").args(words).output().unwrap();
    Ran::of(output.status, output.stdout, output.stderr)
}

/// A session in which nobody allowed the line, and the entry that says so.
fn denied(line: &str) -> (World, String) {
    let world = World::new();
    let call = json!({ "name": "shell", "arguments": { "command": line } });
    let script = json!([{ "tool_calls": [call] }, "Done."]).to_string();
    world.json(&["--mode", "ask", "--script", &script, "go"]);
    let entries = world.entries();
    let entry = entries.iter().find(|line| line["type"] == "approval").unwrap()["entry"].as_str().unwrap();
    (world, entry.to_owned())
}

#[test]
fn no_line_reaches_the_folder_of_the_session() {
    for line in LINES.iter().map(|line| line.replace("HERE", "work")) {
        let (world, entry) = denied(&line);
        let ran = whatif(&world, &["--last", &entry, "--allow", "--script", r#"["x"]"#]);
        assert!(!world.work().join("made").exists(), "{line}: {ran:?}");
        let is_told = ran.out.contains("+allowed c1 by user, once, in the sandbox") || ran.code == 2;
        assert!(is_told, "{line}: {ran:?}");
        let here = whatif(&world, &["--last", &entry, "--allow", "--here", "--script", r#"["x"]"#]);
        let has_python =
            !line.starts_with("python3") || std::process::Command::new("python3").arg("-V").output().is_ok();
        assert!(world.work().join("made").exists() || !has_python, "{line}: {here:?}");
    }
}

#[test]
fn in_the_copy_the_line_does_what_it_says() {
    let (world, entry) = denied("mkdir -p sub && cd sub && touch made");
    let ran = whatif(&world, &["--last", &entry, "--allow", "--script", r#"["x"]"#]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let in_sandbox = support().refuses(false).is_none();
    assert_eq!(ran.out.contains("in the sandbox"), in_sandbox, "{ran:?}");
    let folders = std::fs::read_dir(world.place()).unwrap().map(|entry| entry.unwrap().path());
    let copies =
        folders.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("countersign-copy-"));
    assert!(copies.into_iter().any(|copy| copy.join("sub/made").exists()), "{ran:?}");
    assert!(!world.work().join("sub").exists());
}
