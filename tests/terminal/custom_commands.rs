//! Custom commands from Markdown files: a message with its words put in, and commands in it that wait for a decision.

use super::console::{Console, USUAL};
use super::home::Home;

/// A home whose user has these commands.
fn with_commands() -> Home {
    let home = Home::new();
    let folder = home.root().join(".claude/commands/git");
    std::fs::create_dir_all(&folder).unwrap();
    let look = "---\ndescription: Looks at the state\nargument-hint: '[what]'\n---\nLook at $1.\n\n!`echo made-$1 > made.txt`\n";
    std::fs::write(folder.join("look.md"), look).unwrap();
    std::fs::write(folder.join("plain.md"), "Explain $ARGUMENTS.\n").unwrap();
    std::fs::write(folder.join("help.md"), "Hidden by ours.\n").unwrap();
    home
}

#[tokio::test]
async fn a_command_becomes_the_message_that_its_file_says() {
    let home = with_commands();
    let mut app = Console::start(&home, USUAL, &[]);
    app.sees("ask anything").await;
    app.keys("/pl").await;
    app.sees("Explain $ARGUMENTS.").await;
    app.keys("ain the parser\r").await;
    app.sees("Explain the parser.").await;
    app.rests().await;
    app.keys("/skills\r").await;
    app.sees("a built-in command has this name").await;
    app.sees("asks before it runs").await;
    app.keys("\x1b").await;
    app.sees("ask anything").await;
    app.quits().await;
    let said = home.texts("user_message", "content");
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(
        said[0].starts_with("/plain the parser\n\n[from ") && said[0].contains("plain.md, SHA-256 "),
        "{said:?}"
    );
}

#[tokio::test]
async fn the_page_of_skills_says_what_is_wrong_with_files() {
    let home = Home::new();
    for (file, text) in [
        (".claude/commands/broken.md", "---\na: [x\n---\nDo it."),
        (".agents/skills/x/SKILL.md", "no header"),
    ] {
        let file = home.root().join(file);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    let mut app = Console::start(&home, USUAL, &[]);
    app.sees("ask anything").await;
    app.keys("/skills\r").await;
    app.sees("No skills are in force").await;
    app.sees("Broken files").await;
    app.sees("broken.md: line 2 of its header cannot be read: a bracket is").await;
    app.sees("the skill is ignored").await;
    app.keys("\x1b").await;
    app.sees("ask anything").await;
    app.quits().await;
}

#[tokio::test]
async fn what_a_command_runs_waits_for_the_user_and_the_message_for_it() {
    let home = with_commands();
    let mut app = Console::start(&home, USUAL, &[]);
    app.sees("ask anything").await;
    app.keys("/look here\r").await;
    app.sees("echo made-here > made.txt").await;
    assert!(!home.has("made.txt"));
    app.allows().await;
    app.sees("(the output of").await;
    app.rests().await;
    app.quits().await;
    assert_eq!(home.read("made.txt"), "made-here\n");
    let said = home.texts("user_message", "content");
    assert!(said.len() == 2 && said[0] == "/look here" && said[1].contains("Look at here."), "{said:?}");
    let calls = home.entries("tool_call");
    assert_eq!(calls[0]["by"], "command", "{calls:?}");
    let decided = home.entries("approval");
    assert!(decided.iter().any(|entry| entry["decision"] == "allow" && entry["by"] == "user"), "{decided:?}");
}

#[tokio::test]
async fn after_a_no_nothing_runs_and_the_message_is_in_the_composer() {
    let home = with_commands();
    let mut app = Console::start(&home, USUAL, &[]);
    app.sees("ask anything").await;
    app.keys("/look here\r").await;
    app.sees("echo made-here > made.txt").await;
    app.answers("n").await;
    app.until("what was typed", |screen| screen.contains("│ /look here")).await;
    assert!(!home.has("made.txt"));
    assert_eq!(home.texts("user_message", "content"), ["/look here"]);
    app.keys("\x15").await;
    app.sees("ask anything").await;
    app.quits().await;
}

#[tokio::test]
async fn those_of_a_project_wait_for_trust() {
    let home = Home::new();
    std::fs::create_dir_all(home.workspace().join(".opencode/commands")).unwrap();
    home.write(".opencode/commands/pwn.md", "!`touch pwned`");
    let mut app = Console::start(&home, USUAL, &[]);
    app.sees("1 command of").await;
    app.keys("/pwn\r").await;
    app.sees("/pwn cannot be used").await;
    app.keys("\x15").await;
    app.keys("/trust\r").await;
    app.sees("it asks before it runs: touch pwned").await;
    app.keys("\x1b").await;
    app.sees("ask anything").await;
    app.quits().await;
    assert!(!home.has("pwned"));
}
