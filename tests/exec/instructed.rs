//! Files of instructions: what the model is told of them, at the start and with the first file of a folder.

use std::fs;

use serde_json::json;

use crate::world::{Ran, World};

fn write(world: &World, name: &str, text: &str) {
    let file = world.work().join(name);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

/// The system prompt of a new session.
fn system(world: &World) -> (String, Ran) {
    for session in world.sessions() {
        fs::remove_file(session).unwrap();
    }
    let ran = world.json(&["--script", "[\"Done.\"]", "go"]);
    (ran.one("session_started")["system"].as_str().unwrap().to_owned(), ran)
}

#[test]
fn a_claude_file_and_what_it_imports_count_where_there_is_no_agents_file() {
    let world = World::new();
    write(&world, "CLAUDE.md", "claude words, see @docs/style.md and @.env");
    write(&world, "docs/style.md", "style words");
    write(&world, ".env", "KEY=value");
    let (prompt, _) = system(&world);
    assert!(prompt.contains("claude words") && prompt.contains("style words"), "{prompt}");
    assert!(prompt.contains("[@.env was not imported") && !prompt.contains("KEY=value"), "{prompt}");
    write(&world, "AGENTS.md", "agent words");
    let (prompt, _) = system(&world);
    assert!(prompt.contains("agent words") && !prompt.contains("claude words"), "{prompt}");
}

#[test]
fn the_names_are_the_users_and_no_projects() {
    let world = World::new().configured("instructions = ['RULES.md', 'CLAUDE.md']");
    write(&world, "AGENTS.md", "agent words");
    write(&world, "CLAUDE.md", "claude words");
    write(&world, "RULES.md", "rule words");
    write(&world, ".countersign/config.toml", "instructions = 'one.txt'");
    assert!(world.program().args(["trust", "--yes"]).status().unwrap().success());
    let (prompt, ran) = system(&world);
    assert!(prompt.contains("rule words") && !prompt.contains("claude words"), "{prompt}");
    assert!(!prompt.contains("agent words") && !prompt.contains("first line"), "{prompt}");
    assert!(ran.err.contains("`instructions` is ignored"), "{}", ran.err);
    for wrong in ["'../AGENTS.md'", "'/etc/passwd'", "''", "['.']"] {
        let world = World::new().configured(&format!("instructions = {wrong}"));
        let said = world.program().args(["exec", "go"]).output().unwrap();
        assert_eq!(said.status.code(), Some(2), "{wrong}");
    }
}

#[test]
fn the_first_file_that_is_read_in_a_folder_brings_its_instructions() {
    let world = World::new();
    write(&world, "sub/AGENTS.md", "sub words");
    write(&world, "sub/a.txt", "a text");
    let read = |path: &str| {
        json!({ "tool_calls": [{ "id": path, "name": "read", "arguments": { "path": path } }] }).to_string()
    };
    let script = json!([read("one.txt"), read("sub/a.txt"), read("sub/a.txt"), "done"]).to_string();
    let ran = world.json(&["--script", &script, "go"]);
    let told: Vec<bool> = ran
        .all("tool_result")
        .iter()
        .map(|result| result["content"].as_str().unwrap().contains("# Instructions of "))
        .collect();
    assert_eq!(told, [false, true, false], "{}", ran.out);
    let system = ran.one("session_started")["system"].as_str().unwrap().to_owned();
    assert!(!system.contains("sub words"), "the system prompt stays as it is");
}

#[test]
fn a_skill_of_the_user_is_called_by_its_name_and_says_what_its_file_says() {
    let world = World::new();
    let skill = |folder: &str, words: &str| {
        let folder = world.place().join(folder);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("SKILL.md"), format!("---\ndescription: Reads PDFs\n---\n{words}\n")).unwrap();
    };
    skill(
        ".claude/skills/pdf",
        "use pdftotext for $ARGUMENTS[1] in ${CLAUDE_SKILL_DIR}, ${CLAUDE_SESSION_ID}",
    );
    skill(".agents/skills/release", "tag it");
    skill(".agents/skills/state", "State: !`touch ran`");
    let (prompt, _) = system(&world);
    assert!(prompt.contains("- pdf: Reads PDFs") && prompt.contains("- release: "), "{prompt}");
    world.sessions().into_iter().for_each(|session| fs::remove_file(session).unwrap());
    assert_eq!(world.exec(&["--script", "[\"Done.\"]", "/pdf make tables"]).code, 0);
    let said = world.entries().into_iter().find(|entry| entry["type"] == "user_message").unwrap();
    let words = said["content"].as_str().unwrap();
    let folder = world.place().join(".claude/skills/pdf");
    let session = world.sessions()[0].file_stem().unwrap().to_str().unwrap().to_owned();
    assert!(
        words.starts_with("/pdf make tables\n\n[from ") && words.contains("pdf/SKILL.md, SHA-256 "),
        "{said}"
    );
    let body = format!("]\n\nuse pdftotext for tables in {}, {session}", folder.display());
    assert!(words.ends_with(&body), "{words}");
    assert!(said.get("files").is_none(), "{said}");
    let why = world.refused(&["--script", "[\"Done.\"]", "/state"]);
    assert!(why.contains("/state runs `touch ran` first, which nobody can approve here"), "{why}");
    // Any other file out there is refused, and so is the word that is no skill's name.
    fs::write(world.place().join("notes.txt"), "x").unwrap();
    assert!(world.refused(&["--script", "[\"Done.\"]", "see @~/notes.txt"]).contains("notes.txt"));
    let ran = world.json(&["--script", "[\"Done.\"]", "/pdfs make"]);
    assert_eq!(ran.one("user_message")["content"], "/pdfs make");
}

#[test]
fn a_custom_command_becomes_a_message_and_one_that_runs_something_is_refused() {
    let world = World::new();
    let folder = world.place().join(".claude/commands");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("explain.md"), "Explain $1 to $2.\n").unwrap();
    fs::write(folder.join("state.md"), "State: !`touch ran`\n").unwrap();
    let ran = world.json(&["--script", "[\"Done.\"]", "/explain this me"]);
    let said = ran.one("user_message")["content"].as_str().unwrap().to_owned();
    assert!(said.ends_with("\n\nExplain this to me.") && said.contains("explain.md, SHA-256 "), "{said}");
    let why = world.refused(&["--script", "[\"Done.\"]", "/state"]);
    assert!(why.contains("/state runs `touch ran` first"), "{why}");
}

fn pipe(world: &World, file: &std::path::Path) {
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let made = std::process::Command::new("mkfifo").arg(file).status();
    assert!(made.unwrap().success(), "{}", world.work().display());
}

#[test]
fn a_command_or_skill_that_is_no_file_is_said_and_nothing_is_sent() {
    for (of_user, name) in [
        (false, ".countersign/commands/x.md"),
        (false, ".claude/commands/git/x.md"),
        (false, ".opencode/command/x.md"),
        (false, ".agents/skills/x/SKILL.md"),
        (true, ".agents/commands/x.md"),
        (true, "config/countersign/commands/x.md"),
        (true, ".claude/skills/x/SKILL.md"),
    ] {
        let world = World::new();
        let file = if of_user { world.place().join(name) } else { world.work().join(name) };
        pipe(&world, &file);
        let words = ["--script", "[\"Not reached.\"]", "/x now"];
        let line = world.refused(&words);
        let why = format!("{} cannot be read: it is not a regular file; it is ignored", file.display());
        assert!(line.contains("/x cannot be used: ") && line.contains(&why), "{name}: {line}");
        fs::remove_file(&file).unwrap();
        fs::create_dir(&file).unwrap();
        assert!(world.refused(&words).contains("it is not a regular file"), "{name}");
        fs::remove_dir(&file).unwrap();
        std::os::unix::fs::symlink("/dev/zero", &file).unwrap();
        let why = if of_user { "it is not a regular file" } else { "it is reached by a symbolic link" };
        assert!(world.refused(&words).contains(why), "{name}");
        assert!(world.sessions().is_empty(), "{name}");
    }
}

#[test]
fn a_skill_with_a_broken_header_is_said_and_nothing_is_sent() {
    let world = World::new();
    write(&world, ".agents/skills/x/SKILL.md", "no header");
    let line = world.refused(&["--script", "[\"Not reached.\"]", "/x"]);
    assert!(line.contains("/x cannot be used: ") && line.contains("does not begin with a header"), "{line}");
}

#[test]
fn instructions_and_agents_that_are_no_files_are_said() {
    let world = World::new();
    for name in ["AGENTS.md", ".countersign/agents/helper.md"] {
        pipe(&world, &world.work().join(name));
    }
    write(&world, "CLAUDE.md", "claude words");
    let (prompt, ran) = system(&world);
    assert!(prompt.contains("claude words"), "{prompt}");
    assert!(
        ran.err.contains("AGENTS.md cannot be read: it is not a regular file; the model is not told"),
        "{}",
        ran.err
    );
    assert!(ran.err.contains("agents/helper.md cannot be read: it is not a regular file"), "{}", ran.err);
}

#[test]
fn the_second_agent_file_of_a_name_is_said_to_be_ignored() {
    let world = World::new();
    for name in ["one", "two"] {
        let text = format!("---\nname: reviewer\ndescription: Reads {name}\n---\nRead it.\n");
        write(&world, &format!(".claude/agents/{name}.md"), &text);
    }
    let why = "two.md: one.md beside it has the name `reviewer` already; the sub-agent is ignored";
    let (_, ran) = system(&world);
    assert!(ran.err.contains(why), "{}", ran.err);
    let output = world.program().arg("trust").output().unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    let is_it = |line: &str| line.trim_start().starts_with("ignored") && line.contains(why);
    assert!(told.lines().any(is_it) && told.contains("Reads one") && !told.contains("Reads two"), "{told}");
}

/// What is more important is not pushed off the screen by a repository full of odd files.
#[test]
fn many_odd_files_are_one_line_behind_the_rest_and_doctor_lists_them() {
    let world = World::new();
    for number in 0..20 {
        write(&world, &format!(".agents/skills/s{number}/SKILL.md"), "no header");
        write(&world, &format!(".claude/agents/a{number}.md"), "no header");
    }
    write(&world, ".countersign/config.toml", "allow = ['shell(make *)']");
    let (_, ran) = system(&world);
    let notes: Vec<&str> = ran.err.lines().filter(|line| line.starts_with("note: ")).collect();
    let said = notes.last().copied().unwrap_or_default();
    assert!(said.starts_with("note: 40 notices about files of instructions"), "{}", ran.err);
    assert!(notes.iter().any(|line| line.contains("`allow` is ignored")), "{}", ran.err);
    assert!(!ran.err.contains("SKILL.md"), "{}", ran.err);
    let output = world.program().arg("doctor").output().unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(told.contains("s19/SKILL.md") && told.contains("a19.md"), "{told}");
}
