//! A message that begins as a command of the shell does: when it comes back, it runs nothing that the person
//! did not run here.

use countersign::agent::{Intent, Live, OwnCommand};
use countersign::ledger::{Ending, EntryId, Injector};
use countersign::ui::linear::LinearEffect;
use countersign::ui::update::{UiEffect, hear};
use countersign::ui::{Reply, Request};
use countersign::view::ViewSettings;
use ratatui::crossterm::event::{KeyCode, KeyModifiers};

use crate::linear_harness::LinearHarness;
use crate::screen_harness::ScreenHarness;
use crate::session_builder::{SessionBuilder, settings};

/// A session in which a command was run, then a program sent a message and the user another one meanwhile.
fn session() -> SessionBuilder {
    let mut builder = SessionBuilder::new();
    builder.own_command("!git status", "clean");
    builder.untold_command("!!git log", "e1");
    builder.user("!git push");
    builder.inject(Injector::Steering, "!git reset");
    builder.end(Ending::Completed);
    builder
}

fn up(harness: &mut ScreenHarness) -> String {
    harness.key(KeyCode::Up, KeyModifiers::NONE);
    harness.local.composer.shown()
}

#[test]
fn only_what_was_run_is_called_back_as_a_command() {
    let mut harness = ScreenHarness::new(session());
    for message in [" !git reset", " !git push"] {
        assert_eq!(up(&mut harness), message);
        let frame = harness.frame(80, 24);
        assert!(!frame.contains("your shell command") && !frame.contains("runs it as you"), "{frame}");
        let mut sends = ScreenHarness { local: harness.local.clone(), ..ScreenHarness::new(session()) };
        let acts = sends.key(KeyCode::Enter, KeyModifiers::NONE);
        assert_eq!(acts, [UiEffect::Send(Intent::Submit(message.into()))]);
    }
    for command in ["!!git log", "!git status"] {
        assert_eq!(up(&mut harness), command);
        assert!(harness.frame(80, 24).contains("your shell command"), "{command}");
    }
    let own = OwnCommand::read("!git status").unwrap();
    assert_eq!(harness.key(KeyCode::Enter, KeyModifiers::NONE), [UiEffect::Send(Intent::Command(own))]);
    // Nor does Tab complete a command from a message.
    harness.press("!git pu");
    harness.key(KeyCode::Tab, KeyModifiers::NONE);
    assert_eq!(harness.local.composer.shown(), "!git pu");
}

#[test]
fn what_a_file_from_elsewhere_says_was_run_is_words() {
    let mut harness = ScreenHarness::new(session());
    harness.view.settings = ViewSettings { imported_to: Some(EntryId(u64::MAX)), ..settings() };
    for message in [" !git reset", " !git push", " !!git log", " !git status"] {
        assert_eq!(up(&mut harness), message);
    }
}

#[test]
fn a_message_that_comes_back_is_a_message() {
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    hear(&mut harness.local, &harness.view, &Live::Returned(vec!["!touch x".into()]));
    assert_eq!(harness.local.composer.shown(), " !touch x");
    // A command that was refused is one.
    harness.ctrl('u');
    hear(&mut harness.local, &harness.view, &Live::ReturnedLine("!touch x".into()));
    assert_eq!(harness.local.composer.shown(), "!touch x");
    assert!(harness.local.composer.runs_a_command());
}

#[test]
fn in_lines_a_message_is_kept_as_one_and_a_command_as_one() {
    let mut linear = LinearHarness::new(SessionBuilder::new());
    linear.talk.reply(Reply::Returned { said: "!touch x".into(), why: "no".to_owned() });
    linear.writes();
    assert!(linear.said.contains("kept, /send sends it:"), "{}", linear.said);
    assert_eq!(linear.types("/send"), [LinearEffect::Send(Intent::Submit(" !touch x".into()))]);
    let mut linear = LinearHarness::new(SessionBuilder::new());
    linear.talk.reply(Reply::NoModel { name: "slow/x".to_owned(), why: "no".to_owned() });
    linear.writes();
    let sought = Request::ChooseModel("slow/x".to_owned());
    assert_eq!(linear.types("/send"), [LinearEffect::Ask(sought)], "{}", linear.said);
    // Where the conversation goes on after a rewind.
    let linear = LinearHarness::new(session());
    let drafts: Vec<String> = (0..20).map(|id| linear.talk.draft(EntryId(id)).content).collect();
    assert!(drafts.contains(&" !git push".to_owned()), "{drafts:?}");
    assert!(
        drafts.contains(&"!git status".to_owned()) && drafts.contains(&"!!git log".to_owned()),
        "{drafts:?}"
    );
}
