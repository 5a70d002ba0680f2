//! The commands about the session itself: its name, a copy of it, its transcript, and the pages of what is in force.

use super::console::{CTRL_C, Console, ENTER, ESC, USUAL};
use super::home::Home;
use super::races::git;

async fn listed(home: &Home) -> Console {
    let mut app = Console::start(home, USUAL, &[]);
    app.sees("ask anything").await;
    app.says("list").await;
    app.sees("This folder has").await;
    app.rests().await;
    app
}

/// Leaves a page. A key right behind Esc would be one with Alt.
async fn leaves(app: &mut Console) {
    app.keys(ESC).await;
    app.sees("ask anything").await;
}

/// The types of each session's entries, in the order in which the sessions were begun.
fn kinds(home: &Home) -> Vec<Vec<String>> {
    let mut files = home.session_files();
    files.sort();
    let kinds = |path: &std::path::PathBuf| {
        let text = std::fs::read_to_string(path).unwrap();
        let line = |line: &str| {
            let entry: serde_json::Value = serde_json::from_str(line).unwrap();
            entry["type"].as_str().unwrap().to_owned()
        };
        text.lines().map(line).collect()
    };
    files.iter().map(kinds).collect()
}

#[tokio::test]
async fn a_session_gets_a_name_and_a_copy_of_it_goes_on() {
    let home = Home::new();
    let mut app = Console::start(&home, USUAL, &[]);
    app.sees("ask anything").await;
    app.keys("/rename too early\r").await;
    app.sees("send a message first").await;
    comes_back(&mut app, "/rename too early").await;
    app.keys("/fork\r").await;
    app.sees("nothing to fork").await;
    comes_back(&mut app, "/fork").await;
    app.keys("/status\r").await;
    app.sees("$0.00").await;
    assert!(!app.screen().contains("unknown"), "{}", app.screen());
    leaves(&mut app).await;
    app.says("list").await;
    app.sees("This folder has").await;
    app.rests().await;
    app.keys("/rename the parser\r").await;
    app.sees("this session is now called the parser").await;
    app.keys("/fork\r").await;
    app.sees("You continue in a copy now").await;
    app.keys("x").await;
    app.sees_no("You continue in a copy").await;
    app.keys("\x7f").await;
    app.says("list").await;
    app.until("a second answer", |screen| screen.matches("This folder has").count() == 2).await;
    app.rests().await;
    app.keys("/sessions\r").await;
    // The transcript names it, too.
    app.sees("sessions of this folder").await;
    app.sees("› the parser").await;
    leaves(&mut app).await;
    app.quits().await;
    let kinds = kinds(&home);
    let [old, new] = kinds.as_slice() else { panic!("{kinds:?}") };
    assert_eq!(old.last().unwrap(), "session_renamed", "the first session stays as it was");
    assert_eq!(old.iter().filter(|kind| *kind == "user_message").count(), 1);
    assert_eq!(new.iter().filter(|kind| *kind == "user_message").count(), 2);
}

/// The line stands in the composer again; the next one is typed without it.
async fn comes_back(app: &mut Console, line: &str) {
    app.sees(&format!("│ {line}")).await;
    app.keys(CTRL_C).await;
    app.sees("ask anything").await;
}

#[tokio::test]
async fn a_command_that_is_refused_stands_in_the_composer_again() {
    let home = Home::new();
    let mut app = Console::start(&home, USUAL, &[]);
    app.sees("ask anything").await;
    for (line, why) in [
        ("/rename the parser", "send a message first"),
        ("/theme nowhere", "there is no theme nowhere"),
        ("/compare nothing", "unknown command /compare"),
        ("/whatif e900 deny", "nothing can go otherwise"),
        ("/export notes.txt", "no messages to export"),
    ] {
        // What is typed is on the screen before it is refused.
        assert!(!line.contains(why), "{why} is seen too early");
        app.keys(&format!("{line}\r")).await;
        app.sees(why).await;
        comes_back(&mut app, line).await;
    }
    app.quits().await;
}

#[tokio::test]
async fn the_transcript_is_written_to_a_file_that_is_not_there_yet() {
    let home = Home::new();
    let mut app = listed(&home).await;
    app.keys("/export notes.txt\r").await;
    app.sees("exists already").await;
    assert_eq!(home.read("notes.txt"), "alpha\nbeta\ngamma\n");
    comes_back(&mut app, "/export notes.txt").await;
    app.keys("/export talk.md\r").await;
    app.sees("the transcript was written to").await;
    assert!(home.read("talk.md").contains("This folder has"));
    app.keys("/rename the parser\r").await;
    app.sees("now called the parser").await;
    app.keys("/export named.md\r").await;
    app.sees("the transcript was written to").await;
    assert!(home.read("named.md").contains("- Name: `the parser`"));
    app.keys("/copy\r").await;
    app.sees("copied 1 line").await;
    app.quits().await;
}

#[tokio::test]
async fn pages_say_what_is_in_force_and_what_has_changed() {
    let home = Home::new();
    let mut app = listed(&home).await;
    app.keys("/diff\r").await;
    app.sees("No file differs").await;
    leaves(&mut app).await;
    app.says("change beta to delta in notes.txt").await;
    app.allows().await;
    app.sees("Done: edited").await;
    app.rests().await;
    app.keys("/diff\r").await;
    app.sees("+ delta").await;
    assert!(app.screen().contains("notes.txt  +1 −1"), "{}", app.screen());
    assert!(app.screen().contains("1 file · +1 −1"), "{}", app.screen());
    assert!(!app.screen().contains("b/notes.txt"), "its name stands there once: {}", app.screen());
    leaves(&mut app).await;
    home.write("notes.txt", "alpha\nbeta\ngamma\n");
    app.keys("/diff\r").await;
    app.sees("No file differs").await;
    leaves(&mut app).await;
    app.keys("/status\r").await;
    app.sees("instructions").await;
    app.sees("rehearsal").await;
    leaves(&mut app).await;
    for (command, said) in [
        ("/mcp", "No MCP server is configured"),
        ("/agents", "No agent elsewhere is configured"),
        ("/skills", "No skills are in force"),
        ("/trust", "No file of this folder asks for anything"),
        ("/tree", "This session has no branches"),
    ] {
        app.keys(&format!("{command}\r")).await;
        app.sees(said).await;
        leaves(&mut app).await;
    }
    app.quits().await;
}

#[tokio::test]
async fn the_page_of_agents_names_files_that_are_ignored() {
    let home = Home::new();
    let folder = home.root().join("config/countersign/agents");
    std::fs::create_dir_all(&folder).unwrap();
    for name in ["one.md", "two.md"] {
        let text = "---\nname: reviewer\ndescription: Reads it\n---\nRead it.\n";
        std::fs::write(folder.join(name), text).unwrap();
    }
    let mut app = listed(&home).await;
    app.keys("/agents\r").await;
    app.sees("agent files").await;
    leaves(&mut app).await;
    app.quits().await;
}

#[tokio::test]
async fn a_review_is_a_message_that_the_transcript_shows() {
    let home = Home::new();
    for words in [&["init", "-q", "-b", "main"][..], &["add", "."], &["commit", "-q", "-m", "first"]] {
        git(&home, words);
    }
    let mut app = Console::start(&home, USUAL, &[]);
    app.sees("ask anything").await;
    app.keys("/review --base main\r").await;
    app.sees("Review the changes of this branch since main").await;
    app.rests().await;
    app.quits().await;
    let said = home.texts("user_message", "content");
    let [command, message] = said.as_slice() else { panic!("{said:?}") };
    assert!(command.contains("main...HEAD"), "{command}");
    let begins = "/review --base main\n\n[from countersign, built in, SHA-256 ";
    assert!(message.starts_with(begins), "it says who says it: {message}");
    assert!(message.contains("]\n\nReview the changes of this branch since main"), "{message}");
    let by: Vec<String> = home.texts("approval", "by");
    assert_eq!(by, ["user"], "it is recorded as a command of the user");
}

#[tokio::test]
async fn a_review_of_which_git_shows_nothing_is_not_asked_for() {
    let home = Home::new();
    let mut app = Console::start(&home, USUAL, &[]);
    app.sees("ask anything").await;
    for command in ["/review", "/review --base nosuch~1"] {
        app.keys(&format!("{command}\r")).await;
        app.sees("not sent: the command before it failed").await;
        comes_back(&mut app, command).await;
    }
    app.quits().await;
    assert_eq!(home.entries("agent_response").len(), 0, "no model was asked");
    let said = home.texts("user_message", "content");
    assert!(said.iter().all(|said| said.starts_with('!')), "{said:?}");
    assert!(said[1].contains("'nosuch~1'...HEAD && "), "{said:?}");
}

#[tokio::test]
async fn git_is_run_without_what_a_repository_names() {
    let home = Home::new();
    home.write(".gitattributes", "*.txt diff=shown\n");
    for words in [&["init", "-q", "-b", "main"][..], &["add", "."], &["commit", "-q", "-m", "first"]] {
        git(&home, words);
    }
    let (mark, hooks) = (home.root().join("mark"), home.root().join("hooks"));
    std::fs::create_dir(&hooks).unwrap();
    let program = hooks.join("post-index-change");
    std::fs::write(&program, format!("#!/bin/sh\ntouch '{}'\n", mark.display())).unwrap();
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    git(&home, &["config", "core.hooksPath", hooks.to_str().unwrap()]);
    for name in ["core.fsmonitor", "diff.external", "diff.shown.command", "diff.shown.textconv"] {
        git(&home, &["config", name, program.to_str().unwrap()]);
    }
    let mut app = Console::start(&home, USUAL, &[]);
    app.sees("ask anything").await;
    app.keys("/review\r").await;
    app.sees("Review the changes that are not committed").await;
    app.rests().await;
    home.write("notes.txt", "alpha\ndelta\ngamma\n");
    app.keys("/diff git\r").await;
    app.sees("+delta").await;
    app.rests().await;
    app.keys("/review --base main\r").await;
    app.sees("Review the changes of this branch since main").await;
    app.rests().await;
    app.quits().await;
    assert!(!mark.exists(), "something that the settings name was run");
    let shown = home.texts("tool_result", "content");
    assert!(
        shown[0].contains("+alpha") && shown[1..].iter().all(|shown| shown.contains("+delta")),
        "{shown:?}"
    );
    git(&home, &["--no-pager", "diff", "HEAD"]);
    assert!(mark.exists(), "the settings are obeyed where nothing is said of them");
}

#[tokio::test]
async fn a_branch_is_left_for_the_own_folder_and_can_be_resumed_from_there() {
    let home = Home::new();
    let mut app = listed(&home).await;
    let first = std::fs::read_to_string(home.session_files().remove(0)).unwrap();
    let entries = first.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let said = entries.into_iter().find(|entry| entry["type"] == "user_message").unwrap();
    let whatif = format!("/whatif {} edit list it all\r", said["id"].as_str().unwrap());
    app.keys(&whatif).await;
    app.sees("You continue in a branch of the session").await;
    app.sees("› list it all").await;
    app.rests().await;
    // The session that it was made from is in another folder, and offered.
    app.keys("/sessions\r").await;
    app.sees("just now · done").await;
    app.keys(ENTER).await;
    app.sees("You are back in").await;
    app.sees_no("› list it all").await;
    app.keys(&whatif).await;
    app.sees("Listing it all failed").await;
    app.rests().await;
    app.keys("/clear\r").await;
    app.sees("You are back in").await;
    app.says("list").await;
    app.sees("This folder has").await;
    app.rests().await;
    app.quits().await;
    let mut folders: Vec<String> = home.session_files().iter().map(|file| folder(file)).collect();
    folders.sort();
    folders.dedup();
    let here = folder(&home.session_files()[0]);
    let of_here = home.session_files().iter().filter(|file| folder(file) == here).count();
    assert_eq!(
        (folders.len(), of_here),
        (3, 2),
        "two branches with a folder each, two sessions here: {folders:?}"
    );
}

/// The folder that a session belongs to.
fn folder(file: &std::path::Path) -> String {
    let text = std::fs::read_to_string(file).unwrap();
    let began: serde_json::Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    began["cwd"].as_str().unwrap().to_owned()
}
