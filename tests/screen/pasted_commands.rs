//! A paste that begins as a command does: what the screen says of it is what Enter does with it.

use countersign::agent::{Intent, OwnCommand};
use countersign::ledger::{Pastes, UserMessage};
use countersign::policy::Mode;
use countersign::ui::Request;
use countersign::ui::composer::plain;
use countersign::ui::update::{UiEffect, paste};
use ratatui::crossterm::event::{KeyCode, KeyModifiers};

use crate::scenes;
use crate::screen_harness::ScreenHarness;
use crate::session_builder::SessionBuilder;

const TITLE: &str = "your shell command";
const TYPED: &str = "must be typed, not pasted";

/// A composer into which this was typed, and this pasted behind it.
fn with(typed: &str, pasted: &str) -> ScreenHarness {
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    harness.press(typed);
    assert!(paste(&mut harness.local, &harness.view, pasted).is_empty());
    harness
}

fn enter(harness: &mut ScreenHarness) -> Vec<UiEffect> {
    harness.key(KeyCode::Enter, KeyModifiers::NONE)
}

/// What Enter sends as a message.
fn sent(harness: &mut ScreenHarness) -> String {
    let acts = enter(harness);
    let [UiEffect::Send(Intent::Submit(said))] = acts.as_slice() else { panic!("no message: {acts:?}") };
    said.content.clone()
}

fn runs(command: &str) -> Vec<UiEffect> {
    let own = OwnCommand::read(&format!("!{command}")).unwrap();
    vec![UiEffect::Send(Intent::Command(own))]
}

/// More lines than are shown.
fn folded(beginning: &str) -> String {
    format!("{beginning}\n{}end", "print(1)\n".repeat(24))
}

#[test]
fn a_long_paste_that_begins_with_the_sign_is_a_message() {
    let one_long_line = format!("!echo {}", "x".repeat(3_000));
    for pasted in ["!touch pwn\nprint(1)", &folded("!touch pwn"), &folded("!!touch pwn"), &one_long_line] {
        for (width, height) in [(40, 16), (80, 24), (120, 40)] {
            let mut harness = with("", pasted);
            let frame = harness.frame(width, height);
            assert!(!frame.contains(TITLE) && !frame.contains("runs it as you"), "{frame}");
            assert!(frame.contains("is a message") || frame.contains("are a message"), "{frame}");
            assert_eq!(sent(&mut harness), format!(" {pasted}"));
        }
    }
    // The person makes it a command, in sight.
    let mut harness = with("", "!ls\npwd");
    harness.key(KeyCode::Up, KeyModifiers::NONE);
    harness.ctrl('a');
    harness.key(KeyCode::Delete, KeyModifiers::NONE);
    assert!(harness.frame(80, 24).contains(TITLE), "{}", harness.frame(80, 24));
    assert_eq!(enter(&mut harness), runs("ls\npwd"));
}

#[test]
fn a_paste_that_is_opened_is_still_a_message() {
    let mut harness = with("", &folded("!touch pwn"));
    harness.ctrl('a');
    harness.key(KeyCode::Delete, KeyModifiers::NONE);
    assert!(harness.local.composer.message().content.starts_with("!touch pwn"));
    assert!(!harness.frame(80, 24).contains(TITLE), "{}", harness.frame(80, 24));
    harness.key(KeyCode::Char('o'), KeyModifiers::ALT);
    assert!(harness.local.composer.shown().starts_with(" !touch pwn\nprint(1)"));
    assert_eq!(sent(&mut harness), format!(" {}", folded("!touch pwn")));
}

#[test]
fn a_line_that_is_pasted_in_sight_is_a_command_that_is_seen_as_one() {
    for (typed, pasted, command) in [
        ("", "!git status", "git status"),
        ("", "!git status\n", "git status"),
        ("!", "git status", "git status"),
        ("!cat ", "a b.txt", "cat a b.txt"),
    ] {
        let mut harness = with(typed, pasted);
        let frame = harness.frame(80, 24);
        assert!(frame.contains(TITLE) && frame.contains("runs it as you"), "{frame}");
        assert_eq!(enter(&mut harness), runs(command));
    }
    // Behind a sign that was typed, a folded one is an argument of the command that the title speaks of.
    let mut harness = with("!cat ", &folded("!a"));
    assert!(harness.frame(80, 24).contains(TITLE), "{}", harness.frame(80, 24));
    assert!(matches!(enter(&mut harness).as_slice(), [UiEffect::Send(Intent::Command(_))]));
}

#[test]
fn a_message_that_is_called_back_and_is_folded_runs_nothing() {
    let said = "!touch pwn; id > id.txt";
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    harness.local.earlier = vec![UserMessage { pastes: Pastes::all(said), ..UserMessage::text(said) }];
    harness.key(KeyCode::Up, KeyModifiers::NONE);
    assert!(plain(&harness.local.composer.shown()).ends_with("[Pasted 1 KB]"));
    let frame = harness.frame(80, 24);
    assert!(!frame.contains(TITLE) && !frame.contains("runs it as you"), "{frame}");
    assert_eq!(sent(&mut harness).trim_start(), said);
}

#[test]
fn what_lets_calls_do_more_is_typed() {
    for command in [
        "/mode unrestricted",
        "/permissions host docs.rs",
        "/permissions gaps",
        "/adopt 2",
        "/race adopt 2",
        "/whatif e1 allow",
    ] {
        let (name, rest) = command.split_at(3);
        let with_ends = format!("{command}\n\n");
        for (typed, pasted) in [("", command), (" ", command), ("", with_ends.as_str()), (name, rest)] {
            let mut harness = with(typed, pasted);
            assert!(enter(&mut harness).is_empty(), "{typed:?} {pasted:?}");
            assert!(harness.local.hint.as_deref().unwrap().contains(TYPED), "{command}");
            assert_eq!(harness.local.composer.text(), command, "it stays");
            // Put back after it was deleted, and in a session that goes on, it has not been typed either.
            harness.ctrl('u');
            harness.ctrl('y');
            assert!(enter(&mut harness).is_empty(), "{command}");
        }
        let mut harness = ScreenHarness::new(SessionBuilder::new());
        harness.press(command);
        assert_eq!(enter(&mut harness).len(), 1, "{command}");
    }
    // What takes away is obeyed, and so is any other command with an argument that was pasted.
    let mode = |mode| vec![UiEffect::Send(Intent::SetMode(mode))];
    assert_eq!(enter(&mut with("", "/mode plan")), mode(Mode::Plan));
    assert_eq!(enter(&mut with("/mode ", "plan")), mode(Mode::Plan));
    let renamed = enter(&mut with("/rename ", "the parser"));
    assert_eq!(renamed, [UiEffect::Send(Intent::Rename("the parser".to_owned()))]);
    let mut harness = with("/mode ", &format!("unrestricted{}", "\n".repeat(25)));
    assert!(enter(&mut harness).is_empty());
    assert!(harness.local.hint.as_deref().unwrap().contains(TYPED), "{:?}", harness.local.hint);
}

#[test]
fn the_end_of_a_paste_without_marks_lets_calls_do_no_more() {
    for burst in ["/mode unrestricted\r", "/mode unrestricted\r\r", "/permissions gaps\r"] {
        let mut harness = ScreenHarness::new(SessionBuilder::new());
        assert!(harness.bursts(burst).is_empty(), "{burst:?}");
        assert!(harness.local.hint.as_deref().unwrap().contains("an enter of its own"), "{burst:?}");
        assert_eq!(harness.local.composer.shown(), burst.trim_end());
        harness.waits(1_000);
        assert_eq!(enter(&mut harness).len(), 1, "by itself, in sight");
    }
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    assert!(harness.bursts("/mode unrestricted\n\n\n\n\n\n\n\n\n").is_empty());
    assert!(enter(&mut harness).is_empty());
    // With a line behind it, it is a message.
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    assert!(harness.bursts("/mode unrestricted\rx").is_empty());
    assert_eq!(sent(&mut harness), "/mode unrestricted\nx");
}

#[test]
fn a_long_paste_that_begins_with_a_slash_is_a_message() {
    for pasted in [
        "/goal mend it | check: touch pwn\nand more",
        &format!("/mode unrestricted{}", "\n".repeat(25)),
        &folded("/export pwn.md"),
        "/* A comment\n * of C. */",
        "//help me\nplease",
    ] {
        let mut harness = with("", pasted);
        assert!(!harness.frame(80, 24).contains("enter run"), "{}", harness.frame(80, 24));
        let said = sent(&mut harness);
        // The second slash is taken away only where it can be seen.
        assert!(said == pasted.trim() || pasted.starts_with("//"), "{said}");
    }
    // One line is a command, and so is one whose name was typed.
    assert_eq!(
        enter(&mut with("", "/export a.md")),
        [UiEffect::Ask(Request::Export(Some("a.md".to_owned())))]
    );
    let later = enter(&mut with("/race ", &folded("fix it")));
    assert!(matches!(later.as_slice(), [UiEffect::Ask(Request::Race(_))]), "{later:?}");
    let mut harness = with("", "these lines\ndo not work");
    harness.key(KeyCode::Up, KeyModifiers::NONE);
    harness.ctrl('a');
    harness.press("/race ");
    assert!(matches!(enter(&mut harness).as_slice(), [UiEffect::Ask(Request::Race(_))]));
}

#[test]
fn into_a_call_goes_what_was_pasted() {
    let mut harness = ScreenHarness::new(scenes::waiting_command());
    harness.frame(80, 24);
    assert!(harness.answers("e").is_empty());
    harness.ctrl('u');
    paste(&mut harness.local, &harness.view, "!a\nb");
    assert_eq!(harness.local.composer.shown(), "!a\nb");
    assert!(!harness.frame(80, 24).contains(TITLE));
    harness.ctrl('u');
    paste(&mut harness.local, &harness.view, &folded("!a"));
    harness.key(KeyCode::Char('o'), KeyModifiers::ALT);
    assert!(harness.local.composer.shown().starts_with("!a\nprint(1)"));
}

#[test]
fn several_lines_that_come_as_keys_are_a_message_as_a_marked_paste_is() {
    let many: String = (1..=30).map(|n| format!("\recho {n}")).collect();
    for end in ["\r", "\n"] {
        for burst in [
            "!echo a\recho b",
            "!!echo a\r\recho b",
            &format!("!echo a{many}"),
            "/rename a\rb",
            "/race fix it\rand that",
        ] {
            let burst = burst.replace('\r', end);
            let text = burst.replace('\r', "\n");
            let mut harness = ScreenHarness::new(SessionBuilder::new());
            assert!(harness.bursts(&burst).is_empty(), "{burst:?}");
            let hint = harness.local.hint.clone().unwrap_or_default();
            // What would be no command says nothing.
            let is_silent = text.starts_with("/rename");
            assert!(is_silent || hint.contains("pasted lines are a message"), "{burst:?}: {hint}");
            assert!(!harness.frame(80, 24).contains(TITLE), "{}", harness.frame(80, 24));
            let blank = if text.starts_with('!') { " " } else { "" };
            harness.waits(1_000);
            assert_eq!(sent(&mut harness), format!("{blank}{text}"));
        }
    }
    // In two reads, before words that were there.
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    harness.press("done");
    harness.ctrl('a');
    harness.waits(1_000);
    harness.bursts("!echo a\rec");
    harness.waits(5);
    harness.bursts("ho b ");
    harness.waits(1_000);
    assert_eq!(sent(&mut harness), " !echo a\necho b done");
    // What a person typed begins a command, whatever comes behind it.
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    harness.press("!");
    harness.waits(1_000);
    harness.bursts("echo a\recho b");
    harness.waits(1_000);
    assert_eq!(enter(&mut harness), runs("echo a\necho b"));
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    harness.press("!echo a");
    harness.ctrl('j');
    harness.press("echo b");
    assert_eq!(enter(&mut harness), runs("echo a\necho b"));
}

/// The word that matters stands behind the name.
#[test]
fn what_lets_calls_do_more_is_typed_with_what_follows_its_name() {
    for (typed, pasted) in [
        ("/mode ", "unrestricted"),
        ("/mode unr", "estricted"),
        ("/permissions host ", "evil.example"),
        ("/permissions ", "host evil.example"),
        ("/adopt ", "2"),
        ("/whatif e1 ", "allow"),
    ] {
        let command = format!("{typed}{pasted}");
        let mut harness = with(typed, pasted);
        let is_refused = |harness: &mut ScreenHarness| {
            assert!(enter(harness).is_empty(), "{command}");
            assert!(harness.local.hint.as_deref().unwrap().contains(TYPED), "{command}");
            assert_eq!(harness.local.composer.text(), command, "it stays");
        };
        is_refused(&mut harness);
        // Nor is it typed after it was deleted and put back, or undone and made again.
        harness.ctrl('u');
        harness.ctrl('y');
        is_refused(&mut harness);
        harness.ctrl('u');
        harness.ctrl('_');
        is_refused(&mut harness);
        harness.local.composer.hold_edited(&command);
        is_refused(&mut harness);
        // Once all of it is gone, it can be typed.
        harness.ctrl('u');
        harness.press(&command);
        assert_eq!(enter(&mut harness).len(), 1, "{command}");
    }
    // The end of a word that was pasted and deleted, put in behind a name.
    let mut harness = with("", "unrestricted");
    harness.ctrl('w');
    harness.press("/mode ");
    harness.ctrl('y');
    assert!(enter(&mut harness).is_empty(), "{}", harness.local.composer.shown());
}
