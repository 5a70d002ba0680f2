//! What people must always be able to read on a small screen: what a call is about, a grant that can be taken back, what there is to know.

use countersign::agent::Intent;
use countersign::ledger::{
    Abort, AbortPath, Change, CutBy, Decider, Facts, Outcome, Preview, Remark, Scope, Settlement, Summary,
};
use countersign::ui::local::Overlay;
use countersign::ui::replies::reply;
use countersign::ui::report::{ReportPart, Subject};
use countersign::ui::theme::Theme;
use countersign::ui::update::UiEffect;
use countersign::ui::{Reply, Request};
use ratatui::crossterm::event::{KeyCode, KeyModifiers};
use serde_json::{Value, json};

use crate::permissions::{allow, harness};
use crate::scenes;
use crate::screen_harness::ScreenHarness;
use crate::session_builder::SessionBuilder;

const NONE: KeyModifiers = KeyModifiers::NONE;

/// Each way in which a call can end.
fn outcomes() -> Vec<Outcome> {
    let aborted = |path, ran_ms| Outcome::Aborted(Abort { path, ran_ms, by: CutBy::User, within: None });
    vec![
        Outcome::Ok,
        Outcome::Failed,
        Outcome::TimedOut,
        Outcome::Invalid,
        Outcome::UnknownTool,
        Outcome::Denied(Decider::User),
        Outcome::Denied(Decider::Policy),
        Outcome::Denied(Decider::Hook),
        aborted(AbortPath::C, Some(3_200)),
        aborted(AbortPath::B, None),
        Outcome::Lost { started: true },
        Outcome::Lost { started: false },
    ]
}

/// The row of a call that ended so, on a screen of forty cells.
fn row(name: &str, arguments: Value, ending: Settlement) -> String {
    let mut builder = SessionBuilder::new();
    builder.user("Do it.");
    let call = builder.tool_use(name, arguments);
    let open = builder.say(None, "", "", vec![call]).remove(0);
    builder.finish(open, ending);
    let frame = ScreenHarness::new(builder).frame(40, 10);
    let is_it = |row: &&str| row.trim_start().starts_with(['✓', '✗', '⊘', '■']);
    frame.lines().find(is_it).unwrap_or_else(|| panic!("{frame}")).to_owned()
}

#[test]
fn every_row_of_a_finished_call_names_what_it_is_about() {
    let summed_up =
        |words: &str| Facts { summary: Some(Summary::Words(words.to_owned())), ..Facts::default() };
    for (facts, outcome) in
        [summed_up("created, 1 line"), summed_up("created, 1,234 lines"), Facts::default()]
            .into_iter()
            .flat_map(|facts| outcomes().into_iter().map(move |outcome| (facts.clone(), outcome)))
    {
        let ending = || Settlement {
            duration_ms: 12_345,
            facts: facts.clone(),
            ..Settlement::synthetic(outcome.clone(), "What came of it, in a sentence.")
        };
        let short = row("write", json!({ "path": "hello.txt" }), ending());
        assert!(short.contains("hello.txt"), "{short}");
        // Of a long path the end is told, whatever came of the call, and of a command both ends.
        let long = row("write", json!({ "path": "src/deep/folder/of/sources/lexer.rs" }), ending());
        assert!(long.contains("src") && long.contains("xer.rs"), "{long}");
        let command = row("shell", json!({ "command": "cargo test --workspace --lib parser" }), ending());
        assert!(command.contains("$ car") && command.contains("ser"), "{command}");
        // How it ended is told in words, too, and no word of that is cut.
        for row in [short, long, command] {
            let words = row.rsplit("  ").next().unwrap();
            assert!(!words.is_empty() && !words.ends_with('…'), "{row}");
        }
    }
}

#[test]
fn why_a_call_was_denied_is_read_to_its_end() {
    let mut builder = SessionBuilder::new();
    builder.user("Do it.");
    let call = builder.tool_use("shell", json!({ "command": "git push" }));
    let open = builder.say(None, "", "", vec![call]).remove(0);
    builder.settle(open, Outcome::Lost { started: true }, "The process died; effects may be partial.", 1);
    let frame = ScreenHarness::new(builder).frame(40, 10);
    let words = frame.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("The process died; effects may be partial."), "{frame}");
}

#[test]
fn a_long_grant_is_told_whole_before_it_is_taken_back() {
    let command = "cargo test --workspace --all-targets --all-features -- --nocapture --test-threads 1 --include-ignored";
    let host = "a-rather-long-name-of-a-host.in-some-zone.of-a-registry-of-packages.example.org:8443";
    let session = || {
        let mut builder = SessionBuilder::new();
        builder.user("Do it.");
        let call = builder.tool_use("shell", json!({ "command": command }));
        let open = builder.say(None, "", "", vec![call]).remove(0);
        builder.ask(open.id(), "shell", Preview::Command(command.into()));
        allow(&mut builder, open.id(), Scope::Session);
        builder.settle(open, Outcome::Ok, "fine", 1);
        builder.remark(Remark::Change(Change::HostOpened { host: host.to_owned() }));
        builder
    };
    for (width, height) in [(40, 10), (80, 24)] {
        let mut harness = harness(session());
        harness.press("/permissions revoke");
        assert!(harness.key(KeyCode::Enter, NONE).is_empty());
        let glued = |frame: String| frame.split_whitespace().collect::<String>();
        let frame = harness.frame(width, height);
        let wanted: String = command.split_whitespace().collect();
        assert!(glued(frame.clone()).contains(&wanted), "{frame}");
        harness.key(KeyCode::Down, NONE);
        let frame = harness.frame(width, height);
        assert!(glued(frame.clone()).contains(&format!("reach{host}fromthesandbox")), "{frame}");
    }
}

#[test]
fn behind_a_sign_for_commands_the_foot_says_that_enter_does_not_run_it_now() {
    let mut own = SessionBuilder::new();
    own.asks_custom("!sleep 9", "sleep 9");
    for (builder, says) in [
        (scenes::running(), "enter not during a turn"),
        (scenes::waiting_command(), "enter not during a turn"),
        (own, "enter not while one runs"),
    ] {
        let mut harness = ScreenHarness::new(builder);
        harness.press("!ls");
        for (width, height) in [(40, 10), (80, 24), (120, 40)] {
            let frame = harness.frame(width, height);
            let foot = frame.lines().last().unwrap();
            assert!(foot.contains(says) && !foot.contains("steers"), "{frame}");
        }
        assert!(harness.key(KeyCode::Enter, NONE).is_empty(), "as it says");
        assert_eq!(harness.local.composer.shown(), "!ls");
    }
}

#[test]
fn what_there_is_to_know_takes_one_row_of_a_low_screen_and_stands_on_the_page_of_the_session() {
    let mut builder = SessionBuilder::new();
    builder.own_command("!ls", "hello.txt");
    let mut harness = ScreenHarness::new(builder);
    let said = "No key was found, so the rehearsal model is used: it understands a few requests. To connect a \
        real model, set ANTHROPIC_API_KEY.";
    harness.local.found(said);
    harness.local.found("~/w/CLAUDE.md: @gone.md was not imported: there is no such file");
    let frame = harness.frame(40, 10);
    let rows: Vec<&str> = frame.lines().skip_while(|row| !row.contains("Ready")).collect();
    assert!(rows[1].contains("No key was found") && rows[1].ends_with("· /status"), "{frame}");
    assert!(rows[2].contains("ask anything"), "one row: {frame}");
    let wide = harness.frame(80, 24);
    assert!(wide.contains("was not imported"), "{wide}");
    // What a few rows have no room for is where they say that it is, also after the first message.
    for number in 0..20 {
        harness
            .local
            .found(&format!("~/w/CLAUDE.md: @gone{number}.md was not imported: there is no such file"));
    }
    let frame = harness.frame(80, 24);
    assert!(frame.contains("more lines: /status"), "{frame}");
    harness.press("hello");
    assert!(matches!(harness.key(KeyCode::Enter, NONE)[..], [UiEffect::Send(Intent::Submit(_))]));
    harness.press("/status");
    let acts = harness.key(KeyCode::Enter, NONE);
    assert!(matches!(acts[..], [UiEffect::Ask(Request::Report(_))]), "{acts:?}");
    let answer = vec![ReportPart::Heading("Session".to_owned()), ReportPart::fact("id", "0199")];
    reply(&mut harness.local, &harness.view, Reply::Report(Subject::Status, answer));
    let frame = harness.frame(80, 60);
    for words in ["No key was found", "set ANTHROPIC_API_KEY.", "@gone19.md was not imported", "0199"] {
        assert!(frame.contains(words), "{words}\n{frame}");
    }
}

#[test]
fn a_page_shows_what_is_typed_as_code_without_its_quotes_and_leaves_words_of_others_as_they_are() {
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    harness.press("/trust");
    harness.key(KeyCode::Enter, NONE);
    let answer = vec![
        ReportPart::Note("Run `countersign trust` in a shell.".to_owned()),
        ReportPart::Line("runs echo `rm -rf /`".to_owned()),
    ];
    reply(&mut harness.local, &harness.view, Reply::Report(Subject::Trust, answer));
    let frame = harness.frame(80, 24);
    assert!(frame.contains("Run countersign trust in a shell."), "{frame}");
    assert!(frame.contains("runs echo `rm -rf /`"), "{frame}");
    harness.theme = Theme::builtin("countersign-dark").unwrap();
    let buffer = harness.buffer(80, 24);
    let code = harness.theme.code.fg.unwrap();
    let typed: String =
        buffer.content.iter().filter(|cell| cell.fg == code).map(|cell| cell.symbol()).collect();
    assert!(typed.contains("countersign trust") && !typed.contains("rm"), "{typed}");
}

#[test]
fn a_list_without_a_line_is_not_opened() {
    let opens = |typed: &str, says: &str| {
        let mut harness = ScreenHarness::new(SessionBuilder::new());
        harness.press(typed);
        assert!(harness.key(KeyCode::Enter, NONE).is_empty());
        assert_eq!(harness.local.overlay, None, "{typed}");
        let frame = harness.frame(40, 10).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(frame.contains(says), "{frame}");
    };
    opens("/permissions revoke", "nothing is granted for this session");
    opens("/shells stop", "no command runs in the background");
    for (page, key, says) in [
        ("/fleet", 'x', "nothing at work can be stopped by itself"),
        ("/fleet", 'o', "nothing is at work for this session"),
        ("/shells", 'x', "no command runs in the background"),
        ("/permissions", 'x', "nothing is granted for this session"),
    ] {
        let mut harness = ScreenHarness::new(SessionBuilder::new());
        harness.local.overlay = Some(crate::screen_harness::page(page, &harness.view));
        harness.frame(80, 24);
        assert!(harness.key(KeyCode::Char(key), NONE).is_empty());
        assert!(matches!(harness.local.overlay, Some(Overlay::Page(_))), "{page}");
        let frame = harness.frame(80, 24);
        assert!(frame.contains(says), "{frame}");
    }
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    harness.ctrl('r');
    assert_eq!(harness.local.overlay, None);
    assert_eq!(harness.local.hint.as_deref(), Some("there is no earlier message"));
}

#[test]
fn the_help_is_offered_and_opened_over_a_page_and_the_ledger() {
    for command in ["/fleet", "/permissions", "/budgets", "/plan", "/shells"] {
        for key in [KeyCode::Char('?'), KeyCode::F(1)] {
            let mut harness = ScreenHarness::new(SessionBuilder::new());
            let below = crate::screen_harness::page(command, &harness.view);
            harness.local.overlay = Some(below.clone());
            let frame = harness.frame(80, 24);
            assert!(frame.lines().last().unwrap().contains("? keys"), "{frame}");
            harness.key(key, NONE);
            let frame = harness.frame(80, 24);
            assert!(frame.contains("keys") && frame.contains("new line; shift-enter too"), "{frame}");
            assert!(!frame.lines().last().unwrap().contains("? keys"), "it closes the help: {frame}");
            harness.key(key, NONE);
            assert_eq!(harness.local.overlay, Some(below), "{command}");
        }
    }
    let mut harness = ScreenHarness::new(scenes::conversation());
    harness.ctrl('o');
    for (width, height) in [(40, 10), (80, 24), (120, 40)] {
        let frame = harness.frame(width, height);
        assert!(frame.lines().last().unwrap().contains("? keys"), "{frame}");
    }
    harness.press("?");
    assert!(harness.frame(80, 24).contains("new line; shift-enter too"));
    harness.key(KeyCode::Esc, NONE);
    assert!(matches!(harness.local.overlay, Some(Overlay::Ledger(_))));
    // What is looked for can have that sign in it.
    harness.press("/?");
    assert!(matches!(&harness.local.overlay, Some(Overlay::Ledger(it)) if it.query == "?"));
    // Whoever only looks at a session does not leave it with the help.
    let mut harness = ScreenHarness::new(scenes::conversation());
    harness.local.read_only = true;
    harness.ctrl('o');
    harness.press("?");
    assert!(harness.key(KeyCode::Esc, NONE).is_empty(), "back to the ledger");
    assert_eq!(harness.key(KeyCode::Esc, NONE), [UiEffect::Quit]);
}
