//! Words that can follow a command are offered, what a custom command takes is said, and lists have columns.

use countersign::ledger::{Decider, Outcome};
use countersign::ui::PreviewPart;
use countersign::ui::local::Overlay;
use countersign::ui::picker::{Choice, Item, Picker};
use countersign::ui::picker_source::Source;
use countersign::view::{NamedCommand, Template};
use ratatui::crossterm::event::{KeyCode, KeyModifiers};
use serde_json::json;

use crate::scenes;
use crate::screen_harness::ScreenHarness;
use crate::session_builder::SessionBuilder;

fn offers(harness: &mut ScreenHarness, typed: &str, words: &[&str]) {
    harness.ctrl('u');
    harness.press(typed);
    let frame = harness.frame(80, 24);
    for word in words {
        assert!(frame.contains(word), "{typed} offers {word}: {frame}");
    }
}

#[test]
fn what_can_follow_a_command_is_offered_and_completed() {
    let mut builder = SessionBuilder::new();
    builder.user("Change it.");
    let edit = builder.tool_use("edit", json!({ "path": "src/a.rs" }));
    let open = builder.say(None, "", "", vec![edit]);
    for call in open {
        let id = call.id();
        builder.decide(id, true, Decider::User);
        builder.settle(call, Outcome::Ok, "done", 3);
    }
    let mut harness = ScreenHarness::new(builder);
    harness.local.known_names.branches = ["main", "fix/empty"].map(str::to_owned).to_vec();
    offers(&mut harness, "/diff ", &["git", "git src/a.rs", "changed in this session"]);
    offers(&mut harness, "/review ", &["--base main", "--base fix/empty"]);
    offers(&mut harness, "/export ", &["transcript.md", "Markdown"]);
    offers(&mut harness, "/permissions ", &["revoke ", "a grant, to pick from", "host"]);
    offers(&mut harness, "/review --base f", &["--base fix/empty"]);
    assert!(!harness.frame(80, 24).contains("--base main"));
    harness.key(KeyCode::Tab, KeyModifiers::NONE);
    assert_eq!(harness.local.composer.shown(), "/review --base fix/empty");
}

#[test]
fn what_was_granted_is_offered_to_be_revoked() {
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    harness.view.session.hosts = ["docs.rs".to_owned()].into_iter().collect();
    offers(&mut harness, "/permissions rev", &["revoke docs.rs", "reached from the sandbox"]);
}

#[test]
fn a_custom_command_says_what_it_takes() {
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    harness.view.settings.commands = vec![NamedCommand {
        name: "tidy".to_owned(),
        description: "tidies a folder".to_owned(),
        hint: "[folder] [depth]".to_owned(),
        file: ".claude/commands/tidy.md".to_owned(),
        sha256: "ab".to_owned(),
        template: Template::read("Tidy $1.", false),
        is_skill: false,
    }];
    offers(&mut harness, "/tidy", &["[folder] [depth] · tidies a folder"]);
    offers(&mut harness, "/tidy src", &["[folder] [depth] · tidies a folder"]);
}

#[test]
fn columns_of_a_list_begin_at_the_same_cell_at_every_width() {
    let item = |words: &str, aside: &str| Item {
        words: words.into(),
        aside: aside.into(),
        choice: Choice::Model(words.into()),
    };
    let items = [
        ("a/one", "200k  $3.00"),
        ("provider/a-very-long-name-of-a-model-of-theirs", "1M  $15.00"),
        ("b/two", "8k"),
    ];
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    let items = items.map(|(words, aside)| item(words, aside));
    harness.local.overlay = Some(Overlay::Picker(Picker::new(Source::Models, items.into())));
    for width in [40, 52, 80, 120] {
        let frame = harness.frame(width, 24);
        let begins = ["200k", "1M", "8k"].map(|word| {
            let row = frame.lines().find(|row| row.contains(word)).unwrap();
            row.split_once(word).unwrap().0.chars().count()
        });
        assert!(begins.iter().all(|at| *at == begins[0]), "{begins:?} {frame}");
    }
}

#[test]
fn a_theme_shows_code_a_diff_and_an_approval_and_a_preview_shows_markdown() {
    let mut harness = ScreenHarness::new(scenes::conversation());
    let theme =
        |name: &str| Item { words: name.into(), aside: String::new(), choice: Choice::Theme(name.into()) };
    harness.local.overlay =
        Some(Overlay::Picker(Picker::new(Source::Themes, ["dark", "light"].map(theme).into())));
    let frame = harness.frame(80, 24);
    for words in ["fn greet(name: &str)", "+     format!(\"Good morning", "waits for you", "y once", "✓ done"]
    {
        assert!(frame.contains(words), "{words}: {frame}");
    }
    let mut picker =
        Picker::new(Source::Sessions, vec![Item { choice: Choice::Session("a".into()), ..theme("a") }]);
    let answer = "It is **mended**.\n\n```rust\nlet a = 1;\n```";
    picker.preview = Some(("a".into(), vec![PreviewPart::Answered(answer.into())]));
    harness.local.overlay = Some(Overlay::Picker(picker));
    let frame = harness.frame(100, 24);
    assert!(frame.contains("It is mended.") && frame.contains("let a = 1;"), "{frame}");
    assert!(!frame.contains("**") && !frame.contains("```"), "{frame}");
}
