//! `!command`: what the composer runs as the user's own, what the transcript shows of it, and what does not run it. Skills
//! that are called by their names.

use countersign::agent::{Intent, OwnCommand};
use countersign::ledger::{Abort, AbortPath, CutBy, Outcome, Preview, UserMessage};
use countersign::policy::Mode;
use countersign::ui::commands::GIT_DIFF;
use countersign::ui::linear::{Echo, Line, LinearEffect};
use countersign::ui::update::{UiEffect, paste};
use countersign::view::{NamedCommand, Template, ViewSettings};
use ratatui::crossterm::event::{KeyCode, KeyModifiers};

use crate::linear_harness::LinearHarness;
use crate::scenes;
use crate::screen_harness::ScreenHarness;
use crate::session_builder::{SessionBuilder, settings};

fn enter(harness: &mut ScreenHarness) -> Vec<UiEffect> {
    harness.key(KeyCode::Enter, KeyModifiers::NONE)
}

fn runs(command: &str, is_shared: bool) -> Vec<UiEffect> {
    vec![UiEffect::Send(Intent::Command(OwnCommand {
        command: command.to_owned(),
        is_shared,
        typed: None,
        then: None,
        must_succeed: false,
    }))]
}

#[test]
fn a_command_runs_by_enter_and_two_signs_leave_it_out() {
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    harness.press("!git status");
    assert_eq!(enter(&mut harness), runs("git status", true));
    assert!(harness.local.composer.is_empty());
    harness.press("!!env");
    assert_eq!(enter(&mut harness), runs("env", false));
    // A blank before it makes it a message, and a sign alone is nothing yet.
    harness.press(" !important");
    assert_eq!(enter(&mut harness), [UiEffect::Send(Intent::Submit(" !important".to_owned().into()))]);
    // The blank stays: what comes back is a message again.
    let sent = UserMessage::from(" !important".to_owned());
    harness.local.composer.give_back_message(&sent);
    assert!(!harness.local.composer.runs_a_command());
    assert_eq!(enter(&mut harness), [UiEffect::Send(Intent::Submit(sent))]);
    harness.press("!");
    assert!(enter(&mut harness).is_empty());
    assert_eq!(harness.local.composer.shown(), "!");
}

#[test]
fn the_end_of_a_paste_runs_nothing() {
    for burst in ["!rm -r build\r", "!rm -r build\recho\r"] {
        let mut harness = ScreenHarness::new(SessionBuilder::new());
        assert!(harness.bursts(burst).is_empty(), "{burst:?}");
        assert!(harness.local.composer.shown().trim_start().starts_with("!rm -r build\n"));
        harness.waits(1_000);
        assert!(paste(&mut harness.local, &harness.view, "!ls\n").is_empty());
    }
}

#[test]
fn while_a_turn_runs_it_stays_in_the_composer() {
    let mut harness = ScreenHarness::new(scenes::running());
    harness.press("!ls");
    assert!(enter(&mut harness).is_empty());
    assert_eq!(harness.local.composer.shown(), "!ls");
    assert!(harness.frame(100, 24).contains("a turn is running"), "{}", harness.frame(100, 24));
    harness.builder = SessionBuilder::new();
    harness.catch_up();
    let frame = harness.frame(100, 24);
    assert!(!frame.contains("a turn is running"), "it was true until the end: {frame}");
}

#[test]
fn one_that_was_stopped_is_said_to_be_stopped_and_nothing_else() {
    let stopped = || {
        let abort = Abort { path: AbortPath::C, ran_ms: Some(3_200), by: CutBy::User, within: None };
        let mut builder = SessionBuilder::new();
        builder.user("!sleep 9");
        builder.runs_own("!sleep 9", "Interrupted.", Outcome::Aborted(abort));
        builder
    };
    let frame = ScreenHarness::new(stopped()).frame(80, 24);
    assert!(frame.contains("your command was stopped") && !frame.contains("Check the effects"), "{frame}");
    let said = LinearHarness::new(stopped()).said;
    assert!(said.contains("end: your command was stopped") && !said.contains("cost"), "{said}");
}

#[test]
fn the_transcript_shows_who_ran_it_and_what_it_wrote() {
    let mut builder = SessionBuilder::new();
    builder.own_command("!git status", "On branch main\nnothing to commit, working tree clean");
    let mut harness = ScreenHarness::new(builder);
    insta::assert_snapshot!(harness.frame(80, 14));
}

#[test]
fn what_is_left_out_of_its_output_is_counted() {
    for (lines, words) in [(13, None), (14, Some("… 2 lines above · tab, o")), (40, Some("… 28 lines above"))]
    {
        let mut builder = SessionBuilder::new();
        let wrote: Vec<String> = (1..=lines).map(|line| format!("row {line}.")).collect();
        builder.own_command("!seq", &wrote.join("\n"));
        let frame = ScreenHarness::new(builder).frame(80, 30);
        assert!(frame.contains(&format!("row {lines}.")), "{frame}");
        assert_eq!(frame.contains("row 1."), words.is_none(), "{frame}");
        assert_eq!(frame.contains("above"), words.is_some(), "{frame}");
        assert!(words.is_none_or(|words| frame.contains(words)), "{frame}");
    }
}

#[test]
fn the_difference_that_git_finds_is_called_what_people_know_it_as_and_opens_whole() {
    let mut builder = SessionBuilder::new();
    let wrote: Vec<String> = (1..=40).map(|line| format!("+row {line}.")).collect();
    builder.untold_command(&format!("!!{GIT_DIFF}HEAD --"), &wrote.join("\n"));
    let mut harness = ScreenHarness::new(builder);
    let frame = harness.frame(80, 30);
    assert!(frame.contains("git diff HEAD") && !frame.contains("GIT_NO"), "{frame}");
    assert!(frame.contains("lines above · tab, o") && !frame.contains("+row 1."), "{frame}");
    harness.key(KeyCode::Tab, KeyModifiers::NONE);
    harness.press("o");
    let page = harness.frame(80, 60);
    assert!(
        page.contains("git diff HEAD") && page.contains("+row 1.") && page.contains("+row 40."),
        "{page}"
    );
}

#[test]
fn its_output_is_read_out_once_and_cut() {
    let mut builder = SessionBuilder::new();
    let wrote: Vec<String> = (1..=15).map(|line| format!("row {line}.")).collect();
    builder.own_command("!seq", &wrote.join("\n"));
    let said = LinearHarness::new(builder).said;
    assert_eq!((said.matches("row 15.").count(), said.matches("row 7.").count()), (1, 0), "{said}");
    assert!(said.contains("(7 more lines before these: /output c"), "{said}");
}

#[test]
fn while_it_waits_for_a_decision_esc_does_not_stop_what_has_not_begun() {
    let mut builder = SessionBuilder::new();
    let call = builder.asks_custom("/fix it", "ls");
    builder.ask(call, "shell", Preview::Command("ls".into()));
    let frame = ScreenHarness::new(builder).frame(80, 24);
    assert!(frame.contains("takes your command back") && !frame.contains("stops your command"), "{frame}");
}

#[test]
fn the_line_of_one_that_failed_says_what_it_was() {
    let mut builder = SessionBuilder::new();
    builder.failed_command("!no-such-program-here", "exit code 127");
    let frame = ScreenHarness::new(builder).frame(40, 10);
    assert!(frame.contains("✗ you     $ no-s") && frame.contains("exit code 127"), "{frame}");
}

#[test]
fn a_review_is_shown_as_it_was_typed_and_not_as_what_it_runs() {
    let mut linear = LinearHarness::new(SessionBuilder::new());
    let acts = linear.types("/review --base main");
    let [LinearEffect::Send(Intent::Command(own))] = acts.as_slice() else { panic!("{acts:?}") };
    linear.builder.own_command(&own.typed(), "clean");
    linear.builder.user(&own.then.as_ref().unwrap().content);
    linear.hears();
    let is_said = ["you: !", "[from countersign"].iter().any(|words| linear.said.contains(words));
    assert!(!is_said, "the line stands there already: {}", linear.said);
    let mut builder = SessionBuilder::new();
    builder.own_command(&own.typed(), "clean");
    let frame = ScreenHarness::new(builder).frame(80, 24);
    assert!(frame.contains("› /review --base main") && !frame.contains("› !"), "{frame}");
    let mut builder = SessionBuilder::new();
    builder.user(&own.typed());
    let frame = ScreenHarness::new(builder).frame(80, 24);
    assert!(frame.contains("› !") && !frame.contains("/review"), "words, and nothing was run: {frame}");
}

#[test]
fn a_line_runs_one_too_unless_it_came_with_others() {
    let mut linear = LinearHarness::new(SessionBuilder::new());
    let own = OwnCommand::read("!git status").unwrap();
    assert_eq!(linear.types("!git status"), [LinearEffect::Send(Intent::Command(own))]);
    let line = Line { alone: false, ..linear.line("!rm -r build", 0) };
    assert!(linear.hears_line(&line).is_empty());
    assert!(linear.said.contains("!rm -r build came together with other lines"), "{}", linear.said);
}

#[test]
fn nothing_in_a_text_that_is_pasted_into_lines_is_carried_out() {
    for scene in [SessionBuilder::new(), scenes::waiting_command()] {
        let mut linear = LinearHarness::new(scene);
        for text in ["!touch x", "/mode unrestricted", "/undo yes", "/raise"] {
            let line = Line { alone: false, ..linear.line(text, 9) };
            assert_eq!(linear.hears_line(&line), [], "{text}");
            let said = format!("not done: {text} came together with other lines");
            assert!(linear.said.contains(&said), "{text}: {}", linear.said);
        }
    }
}

/// Out of a pipe come commands, too, but what lets calls do more is decided by a line of its own.
#[test]
fn lines_of_a_pipe_that_came_together_let_calls_do_no_more() {
    let mut linear = LinearHarness::new(SessionBuilder::new());
    for text in [
        "/mode unrestricted",
        "/mode edit",
        "/permissions gaps",
        "/permissions host docs.rs",
        "/race adopt 1",
    ] {
        let line = Line { alone: false, echo: Echo::Unseen, ..linear.line(text, 9) };
        assert_eq!(linear.hears_line(&line), [], "{text}");
        let said = format!("not done: {text} came together with other lines");
        assert!(linear.said.contains(&said), "{text}: {}", linear.said);
        assert!(!linear.types(text).is_empty(), "{text} by itself");
    }
    let line = Line { alone: false, echo: Echo::Unseen, ..linear.line("/mode plan", 9) };
    assert_eq!(linear.hears_line(&line), [LinearEffect::Send(Intent::SetMode(Mode::Plan))]);
}

#[test]
fn a_line_that_cannot_run_now_is_kept_and_says_one_thing() {
    let mut linear = LinearHarness::new(scenes::waiting_command());
    let before = linear.said.len();
    assert!(linear.types("!git status").is_empty());
    let said = linear.said.split_off(before);
    assert!(said.contains("not run: a call waits for you; answer: y once"), "{said}");
    assert!(said.contains("kept, /send sends it: !git status") && !said.contains("refused"), "{said}");
}

#[test]
fn kept_commands_are_run_one_by_one_and_are_no_message() {
    let mut linear = LinearHarness::new(SessionBuilder::new());
    for kept in ["!!echo mine", "!pwd", "a message"] {
        linear.talk.holds(kept);
    }
    let own = |command: &str, is_shared| {
        let own = OwnCommand {
            command: command.to_owned(),
            is_shared,
            typed: None,
            then: None,
            must_succeed: false,
        };
        [LinearEffect::Send(Intent::Command(own))]
    };
    assert_eq!(linear.types("/send"), own("echo mine", false));
    let mut linear = LinearHarness::new(SessionBuilder::new());
    linear.talk.holds("one");
    linear.talk.holds("two");
    let LinearEffect::Send(Intent::Submit(said)) = linear.types("/send").remove(0) else {
        panic!("no message")
    };
    assert_eq!(said.content, "one\n\ntwo");
}

#[test]
fn commands_of_the_screen_say_why_they_do_nothing_in_lines() {
    let mut linear = LinearHarness::new(SessionBuilder::new());
    for (name, why) in [
        ("/copy", "copy: not here"),
        ("/thinking", "thinking: nothing is folded here"),
        ("/theme", "themes: none here"),
    ] {
        assert!(linear.types(name).is_empty());
        linear.writes();
        assert!(linear.said.contains(why), "{name}: {}", linear.said);
    }
    assert!(!linear.said.contains("unknown command"), "{}", linear.said);
}

#[test]
fn a_command_that_cannot_be_used_says_why() {
    let why =
        "the folder of /r/.claude/commands/fix.md is not trusted yet; `countersign trust` shows it and asks";
    let unusable = ViewSettings { ignored: vec![("fix".to_owned(), why.to_owned())], ..settings() };
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    harness.view.settings = unusable.clone();
    harness.press("/fix it");
    assert!(enter(&mut harness).is_empty());
    assert_eq!(harness.local.hint.as_deref(), Some(format!("/fix cannot be used: {why}").as_str()));
    assert_eq!(harness.local.composer.shown(), "/fix it");
    let mut linear = LinearHarness::told(SessionBuilder::new(), unusable);
    assert!(linear.types("/fix it").is_empty());
    linear.writes();
    assert!(linear.said.contains("refused: /fix cannot be used: the folder of"), "{}", linear.said);
}

#[test]
fn tab_completes_from_the_commands_before() {
    let mut builder = SessionBuilder::new();
    builder.own_command("!git status", "clean");
    builder.own_command("!git log --oneline", "e1");
    let mut harness = ScreenHarness::new(builder);
    let tab = |harness: &mut ScreenHarness| harness.key(KeyCode::Tab, KeyModifiers::NONE);
    harness.press("!git");
    tab(&mut harness);
    assert_eq!(harness.local.composer.shown(), "!git log --oneline", "the last one that begins so");
    harness.ctrl('u');
    harness.press("!git s");
    tab(&mut harness);
    assert_eq!(enter(&mut harness), runs("git status", true));
    harness.key(KeyCode::Up, KeyModifiers::NONE);
    assert_eq!(harness.local.composer.shown(), "!git log --oneline", "an arrow calls one back");
}

#[test]
fn a_skill_is_offered_completed_and_called_by_its_name() {
    let skill = |name: &str| NamedCommand {
        name: name.to_owned(),
        description: format!("does {name}"),
        hint: String::new(),
        file: format!(".agents/skills/{name}/SKILL.md"),
        sha256: "ab".to_owned(),
        template: Template::read("Use pdftotext.\n", false),
        is_skill: true,
    };
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    // One has the name of a command of ours, which comes first.
    harness.view.settings.commands = vec![skill("pdf"), skill("help")];
    harness.press("/pd");
    assert!(harness.frame(80, 24).contains("/pdf          does pdf"), "{}", harness.frame(80, 24));
    harness.key(KeyCode::Tab, KeyModifiers::NONE);
    harness.press("make a table");
    assert_eq!(harness.local.composer.shown(), "/pdf make a table");
    let said = "Use pdftotext.\n\n\nARGUMENTS: make a table";
    let message = format!("/pdf make a table\n\n[from .agents/skills/pdf/SKILL.md, SHA-256 ab]\n\n{said}");
    assert_eq!(enter(&mut harness), [UiEffect::Send(Intent::Submit(message.into()))]);
    harness.press("/help");
    assert!(enter(&mut harness).is_empty() && harness.local.overlay.is_some());
    // While a turn runs it can wait for its end, as any message.
    let mut harness = ScreenHarness::new(scenes::running());
    harness.view.settings.commands = vec![skill("pdf")];
    harness.press("/pdf it");
    let acts = harness.key(KeyCode::Enter, KeyModifiers::ALT);
    assert!(matches!(acts.as_slice(), [UiEffect::Send(Intent::Queue(said))] if said.content.ends_with("it")));
}

#[test]
fn a_line_that_is_a_command_looks_like_one_and_tab_shows_what_it_completes() {
    let mut builder = SessionBuilder::new();
    builder.own_command("!git status", "clean");
    let mut harness = ScreenHarness::new(builder);
    harness.press("!gi");
    for (width, height) in [(40, 16), (80, 24), (120, 40)] {
        let frame = harness.frame(width, height);
        assert!(frame.contains(" your shell command ") && frame.contains("!git status"), "{frame}");
        assert!(frame.contains("runs it as you"), "{frame}");
    }
    let frame = harness.frame(40, 10);
    assert!(frame.lines().any(|row| row.starts_with(" › !git status")), "{frame}");
    harness.key(KeyCode::Left, KeyModifiers::NONE);
    assert!(!harness.frame(80, 24).contains("!git status │"), "nothing is completed within a line");
    harness.ctrl('u');
    harness.press("!!env");
    assert!(harness.frame(80, 24).contains("your shell command · not shown to the model"));
    let low = harness.frame(40, 10);
    assert!(low.contains(" › !!env") && low.contains("!! not shown to the model"), "{low}");
    harness.ctrl('u');
    harness.press("a message");
    assert!(!harness.frame(80, 24).contains("your shell command"));
}

#[test]
fn what_no_model_is_told_of_says_so_in_the_transcript() {
    let shown = |typed: &str| {
        let mut builder = SessionBuilder::new();
        match typed.starts_with("!!") {
            true => builder.untold_command(typed, "x"),
            false => builder.own_command(typed, "x"),
        }
        ScreenHarness::new(builder).frame(80, 24)
    };
    assert!(shown("!!env").contains("not shown to the model"), "{}", shown("!!env"));
    assert!(!shown("!env").contains("not shown to the model"));
}

#[test]
fn while_a_command_of_ones_own_runs_nothing_steers() {
    let mut builder = SessionBuilder::new();
    builder.asks_custom("!sleep 9", "sleep 9");
    let mut harness = ScreenHarness::new(builder);
    for typed in ["", "a message"] {
        harness.press(typed);
        let frame = harness.frame(100, 24);
        assert!(!frame.contains("steers") && frame.contains("sends after it"), "{frame}");
    }
}

#[test]
fn a_command_that_is_not_there_is_not_offered_to_be_sent() {
    for (text, is_sent) in [("/nosuch thing", false), ("//nosuch thing", true), ("hello", true)] {
        let mut harness = ScreenHarness::new(SessionBuilder::new());
        harness.press(text);
        assert_eq!(harness.frame(80, 24).contains("enter send"), is_sent, "{text}");
    }
}
