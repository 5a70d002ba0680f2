//! What was not sent, was refused or is taken back: the composer holds what was typed, not what was made of it.

use countersign::agent::{Intent, Live};
use countersign::ledger::{Injector, Preview, UserMessage};
use countersign::ui::commands::custom;
use countersign::ui::linear::LinearEffect;
use countersign::ui::replies::reply;
use countersign::ui::update::{UiEffect, hear};
use countersign::ui::{Reply, Request};
use countersign::view::{NamedCommand, Template, ViewSettings};
use ratatui::crossterm::event::{KeyCode, KeyModifiers};

use crate::linear_harness::LinearHarness;
use crate::scenes;
use crate::screen_harness::ScreenHarness;
use crate::session_builder::{SessionBuilder, settings};

fn callable() -> ViewSettings {
    let command = NamedCommand {
        name: "tidy".to_owned(),
        description: "tidies".to_owned(),
        hint: "FOLDER".to_owned(),
        file: ".claude/commands/tidy.md".to_owned(),
        sha256: "ab".to_owned(),
        template: Template::read("Tidy $1.", false),
        is_skill: false,
    };
    let skill = NamedCommand {
        name: "pdf".to_owned(),
        description: "reads".to_owned(),
        hint: String::new(),
        file: ".agents/skills/pdf/SKILL.md".to_owned(),
        sha256: "cd".to_owned(),
        template: Template::read("Use pdftotext.", false),
        is_skill: true,
    };
    ViewSettings { commands: vec![skill, command], ..settings() }
}

/// A screen whose composer held this, which was sent; and the message.
fn sent(text: &str) -> (ScreenHarness, String) {
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    harness.view.settings = callable();
    harness.press(text);
    let acts = harness.key(KeyCode::Enter, KeyModifiers::NONE);
    let [UiEffect::Send(Intent::Submit(said))] = acts.as_slice() else { panic!("{text}: {acts:?}") };
    assert!(harness.local.composer.is_empty());
    (harness, said.content.clone())
}

#[test]
fn what_was_typed_comes_back_whatever_was_sent_for_it() {
    let texts = ["hello", "/tidy src", "/pdf make it short", "/pdf", "/init"];
    for text in texts.into_iter().chain(["//help me", "//x", "/usr/bin is a folder"]) {
        let (mut harness, message) = sent(text);
        hear(&mut harness.local, &harness.view, &Live::Returned(vec![message.as_str().into()]));
        assert_eq!(harness.local.composer.text(), text);
        let (mut harness, _) = sent(text);
        reply(
            &mut harness.local,
            &harness.view,
            Reply::Returned { said: message.into(), why: "no".to_owned() },
        );
        assert_eq!(harness.local.composer.text(), text);
        let why = match text {
            "/tidy src" => ".claude/commands/tidy.md: no",
            "/pdf make it short" | "/pdf" => ".agents/skills/pdf/SKILL.md: no",
            _ => "no",
        };
        assert_eq!(harness.local.hint.as_deref(), Some(why), "the file that says it is named");
    }
}

#[test]
fn a_review_has_what_git_shows_and_comes_back_as_one_command() {
    for text in ["/review", "/review --base main", "/review --base HEAD~2"] {
        let mut harness = ScreenHarness::new(SessionBuilder::new());
        harness.press(text);
        let acts = harness.key(KeyCode::Enter, KeyModifiers::NONE);
        let [UiEffect::Send(Intent::Command(own))] = acts.as_slice() else { panic!("{acts:?}") };
        let said = own.then.clone().unwrap();
        assert!(own.is_shared && own.command.contains("--no-pager diff --no-ext-diff"), "{own:?}");
        let is_of_a_base = text.contains("--base");
        assert!(is_of_a_base || own.command.contains("--no-show-signature --format=medium HEAD"), "{own:?}");
        assert!(
            own.must_succeed && !said.content.contains('\''),
            "the model reads no quotes of a shell: {said:?}"
        );
        for message in [said.content.clone(), own.typed()] {
            let mut harness = ScreenHarness::new(SessionBuilder::new());
            hear(&mut harness.local, &harness.view, &Live::Returned(vec![message.into()]));
            assert_eq!(harness.local.composer.text(), text);
        }
        let mut linear = LinearHarness::new(SessionBuilder::new());
        let same = [LinearEffect::Send(Intent::Command(own.clone()))];
        assert_eq!(linear.types(text), same);
    }
    let mut busy = ScreenHarness::new(scenes::running());
    busy.press("/review");
    assert!(busy.key(KeyCode::Enter, KeyModifiers::NONE).is_empty());
    assert_eq!(busy.local.composer.text(), "/review");
}

#[test]
fn a_command_that_is_refused_comes_back_in_lines_as_it_was_typed() {
    for line in
        ["/diff git", "/rename  the parser", "/export a.md", "/whatif e1 deny", "/permissions revoke c1"]
    {
        let mut linear = LinearHarness::new(SessionBuilder::new());
        let acts = linear.types(line);
        let request = match acts.into_iter().next() {
            Some(LinearEffect::Send(intent)) => Request::Intent(intent),
            Some(LinearEffect::Ask(request)) => request,
            other => panic!("{line}: {other:?}"),
        };
        let request = linear.talk.with_line(request);
        assert_eq!(request.line(), Some(line));
        linear.talk.not_taken(request);
        linear.writes();
        assert!(linear.said.contains(&format!("kept, /send sends it: {line}\n")), "{}", linear.said);
        linear.talk.forget_line();
        let request = Request::ListModels("a/one".to_owned());
        assert_eq!(linear.talk.with_line(request.clone()), request);
    }
    let mut linear = LinearHarness::new(scenes::running());
    assert!(linear.types("/new").is_empty());
    assert!(linear.said.contains("kept, /send sends it: /new\n"), "{}", linear.said);
}

#[test]
fn the_screen_knows_the_line_of_what_it_asks_for() {
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    harness.press("/export a.md");
    let acts = harness.key(KeyCode::Enter, KeyModifiers::NONE);
    assert_eq!(acts, [UiEffect::Ask(Request::Export(Some("a.md".to_owned())))]);
    assert_eq!(harness.local.obeyed.as_deref(), Some("/export a.md"));
    assert!(harness.local.composer.is_empty());
}

#[test]
fn the_line_of_a_command_comes_back_as_it_was_typed() {
    for line in ["/race tidy up | lanes: 99", "/adopt 3"] {
        let mut harness = ScreenHarness::new(SessionBuilder::new());
        hear(&mut harness.local, &harness.view, &Live::ReturnedLine(line.into()));
        assert_eq!(harness.local.composer.text(), line);
        let mut harness = ScreenHarness::new(SessionBuilder::new());
        let returned = Reply::LineReturned { line: line.to_owned(), why: "no".to_owned() };
        reply(&mut harness.local, &harness.view, returned);
        assert_eq!(harness.local.composer.text(), line);
        assert_eq!(harness.local.hint.as_deref(), Some("no"));
    }
}

#[test]
fn what_a_person_sent_is_called_back_as_it_was_typed_and_once() {
    let mut builder = SessionBuilder::new();
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    harness.view.settings = callable();
    let message = custom("/tidy src", &harness.view.settings.commands).unwrap().message;
    builder.own_command("/tidy src", "x");
    builder.user(&message);
    builder.inject(Injector::Steering, "//help me");
    for event in &builder.events {
        harness.view.fold(event);
    }
    let up = |harness: &mut ScreenHarness| {
        harness.key(KeyCode::Up, KeyModifiers::NONE);
        harness.local.composer.text()
    };
    assert_eq!(up(&mut harness), "//help me");
    assert_eq!(up(&mut harness), "/tidy src");
    assert_eq!(up(&mut harness), "/tidy src", "there is none before it");
}

/// The names of a custom command and of a skill, as of those that are built in.
#[test]
fn words_that_begin_with_the_name_of_a_custom_command_come_back_as_words() {
    for said in ["/tidy this\nand that", "/tidy src", "/pdf it", "/help me"] {
        let escaped = format!("/{said}");
        let mut builder = SessionBuilder::new();
        builder.user(said);
        let mut harness = ScreenHarness::new(SessionBuilder::new());
        harness.view.settings = callable();
        for event in &builder.events {
            harness.view.fold(event);
        }
        harness.key(KeyCode::Up, KeyModifiers::NONE);
        assert_eq!(harness.local.composer.text(), escaped);
        let acts = harness.key(KeyCode::Enter, KeyModifiers::NONE);
        assert_eq!(acts, [UiEffect::Send(Intent::Submit(said.into()))], "the words, and nothing is called");
        // The same after a refusal, with blanks before it, and in lines.
        hear(&mut harness.local, &harness.view, &Live::Returned(vec![format!("  {said}").as_str().into()]));
        assert_eq!(harness.local.composer.text(), escaped);
        let mut linear = LinearHarness::told(SessionBuilder::new(), callable());
        linear.talk.reply(Reply::Returned { said: said.into(), why: "no".to_owned() });
        linear.writes();
        let sends = [LinearEffect::Send(Intent::Submit(said.into()))];
        assert_eq!(linear.types("/send"), sends);
    }
}

#[test]
fn a_custom_command_that_was_called_while_a_call_waits_is_kept_as_the_command() {
    let mut linear = LinearHarness::told(scenes::waiting_command(), callable());
    assert!(linear.types("/tidy src").is_empty());
    linear.writes();
    assert!(linear.said.contains("kept, /send sends it: /tidy src\n"), "{}", linear.said);
}

#[test]
fn a_message_in_lines_is_kept_as_it_was_typed_and_sent_as_before() {
    let mut linear = LinearHarness::told(SessionBuilder::new(), callable());
    let acts = linear.types("/tidy src");
    linear.talk.reply(Reply::Returned { said: said(&acts).into(), why: "no".to_owned() });
    linear.writes();
    assert!(linear.said.contains("kept, /send sends it: /tidy src\n"), "{}", linear.said);
    assert!(linear.said.contains("tidy.md: no\n"), "its file may be what is wrong: {}", linear.said);
    assert_eq!(linear.types("/send"), acts);
}

/// A message and what runs before it are one thing that is sent: refused, it is typed once more, and later said as if for the first time.
#[test]
fn a_command_that_runs_something_first_comes_back_once_and_is_sent_as_before() {
    let mut known = callable();
    known.commands[1].template = Template::read("!`git status` Tidy $1.", false);
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    harness.view.settings = known.clone();
    harness.press("/tidy src");
    let acts = harness.key(KeyCode::Enter, KeyModifiers::NONE);
    let [UiEffect::Send(Intent::Command(own))] = acts.as_slice() else { panic!("{acts:?}") };
    let said = UserMessage::clone(own.then.as_ref().unwrap());
    let returned = || Reply::Returned { said: said.clone(), why: "no".to_owned() };
    reply(&mut harness.local, &harness.view, returned());
    assert_eq!(harness.local.composer.text(), "/tidy src");
    assert_eq!(harness.key(KeyCode::Enter, KeyModifiers::NONE), acts);
    let mut linear = LinearHarness::told(SessionBuilder::new(), known);
    let sent = linear.types("/tidy src");
    assert!(matches!(sent.as_slice(), [LinearEffect::Send(Intent::Command(_))]), "{sent:?}");
    linear.talk.reply(returned());
    linear.writes();
    assert_eq!(linear.said.matches("kept, /send sends it: /tidy src\n").count(), 1, "{}", linear.said);
    assert_eq!(linear.types("/send"), sent);
    linear.talk.not_taken(Request::Intent(Intent::Command(own.clone())));
    linear.writes();
    assert_eq!(linear.said.matches("kept, /send sends it: /tidy src\n").count(), 2, "{}", linear.said);
}

fn said(acts: &[LinearEffect]) -> &str {
    let [LinearEffect::Send(Intent::Submit(said))] = acts else { panic!("{acts:?}") };
    &said.content
}

/// What a custom command runs waits for a decision.
fn waits() -> SessionBuilder {
    let mut builder = SessionBuilder::new();
    let call = builder.asks_custom("/tidy src", "ls src");
    builder.ask(call, "shell", Preview::Command("ls src".into()));
    builder
}

#[test]
fn the_approval_of_what_a_custom_command_runs_names_it() {
    let mut harness = ScreenHarness::new(waits());
    for (width, height) in [(40, 10), (80, 24), (120, 40)] {
        let frame = harness.frame(width, height);
        assert!(frame.contains("/tidy"), "{frame}");
    }
    assert!(
        harness.frame(80, 24).contains("the custom command /tidy runs this"),
        "{}",
        harness.frame(80, 24)
    );
    let linear = LinearHarness::new(waits());
    assert!(linear.said.contains("shell (of the custom command /tidy)"), "{}", linear.said);
}

#[test]
fn the_approval_of_what_a_skill_runs_calls_it_a_skill() {
    let waits = || {
        let mut builder = SessionBuilder::new();
        let call = builder.asks_custom("/pdf it", "ls");
        builder.ask(call, "shell", Preview::Command("ls".into()));
        builder
    };
    let mut harness = ScreenHarness::new(waits());
    harness.view.settings = callable();
    let frame = harness.frame(80, 24);
    assert!(frame.contains("the skill /pdf runs this before its message"), "{frame}");
    let linear = LinearHarness::told(waits(), callable());
    assert!(linear.said.contains("shell (of the skill /pdf)"), "{}", linear.said);
}

#[test]
fn lines_offer_a_rule_only_for_calls_that_have_one() {
    let mut builder = SessionBuilder::new();
    let call = builder.asks_custom("!x", "x");
    builder.ask(call, "shell", Preview::Command("x".into()));
    let mut linear = LinearHarness::new(builder);
    linear.types("is it safe?");
    assert!(linear.said.contains("not sent: a call waits"), "{}", linear.said);
    assert!(!linear.said.contains("always") && !linear.said.contains(" a,"), "{}", linear.said);
}
