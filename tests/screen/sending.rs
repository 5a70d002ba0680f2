//! What Enter does with what was typed: steering, the queue and slash commands; and what is never an answer.

use crate::scenes;
use crate::screen_harness::{ScreenHarness, scrolled};
use crate::session_builder::SessionBuilder;
use countersign::agent::{Event, Intent, Live};
use countersign::ledger::UserMessage;
use countersign::policy::Mode;
use countersign::ui::Request;
use countersign::ui::commands::{Fronts, listed};
use countersign::ui::local::{Focus, Overlay};
use countersign::ui::picker_source::Source;
use countersign::ui::update::{UiEffect, hear};
use countersign::view::CardId;
use ratatui::crossterm::event::{KeyCode, KeyModifiers};

const NONE: KeyModifiers = KeyModifiers::NONE;

fn enter(harness: &mut ScreenHarness) -> Vec<UiEffect> {
    harness.key(KeyCode::Enter, NONE)
}

fn alt_enter(harness: &mut ScreenHarness) -> Vec<UiEffect> {
    harness.key(KeyCode::Enter, KeyModifiers::ALT)
}

fn waiting(steering: &[&str], queued: &[&str]) -> Live {
    let owned = |texts: &[&str]| texts.iter().map(|t| UserMessage::from(*t)).collect();
    Live::Waiting { steering: owned(steering), queued: owned(queued) }
}

#[test]
fn enter_steers_and_alt_enter_queues_while_it_works() {
    let mut harness = ScreenHarness::new(scenes::running());
    harness.press("use the cache");
    let typing = harness.frame(80, 24);
    assert!(typing.contains("enter steers   alt-enter queues"), "{typing}");
    assert!(typing.contains("esc interrupt"), "{typing}");
    assert_eq!(enter(&mut harness), [UiEffect::Send(Intent::Submit("use the cache".into()))]);
    harness.press("then stop");
    assert_eq!(alt_enter(&mut harness), [UiEffect::Send(Intent::Queue("then stop".into()))]);
    assert!(harness.local.composer.is_empty());
    assert!(alt_enter(&mut harness).is_empty() && enter(&mut harness).is_empty(), "nothing is not sent");
    let mut idle = ScreenHarness::new(SessionBuilder::new());
    idle.press("a");
    assert!(alt_enter(&mut idle).is_empty());
    assert_eq!(idle.local.composer.shown(), "a\n", "with nothing under way it is a new line");
}

#[test]
fn what_waits_stands_above_the_composer_until_it_is_delivered() {
    let mut harness = ScreenHarness::new(scenes::running());
    harness.view.fold(&Event::Live(waiting(&["first\nwords"], &["last"])));
    let frame = harness.frame(80, 24);
    let row = |frame: &str, text: &str| {
        frame.lines().position(|l| l.contains(text)).unwrap_or_else(|| panic!("{frame}"))
    };
    let (soon, later) =
        (row(&frame, "↳ with the next tool results: first words"), row(&frame, "↳ after this run: last"));
    assert!(
        row(&frame, "esc interrupt") < soon && soon + 1 == later && later + 1 == row(&frame, "╭────"),
        "{frame}"
    );
    harness.view.fold(&Event::Live(waiting(&["a", "b", "c"], &["d", "e"])));
    let many = harness.frame(80, 24);
    assert!(many.contains("results: c") && !many.contains("run: d") && many.contains("2 more"), "{many}");
    let small = harness.frame(40, 10);
    assert!(small.contains("↳ next: a · 4 more"), "{small}");
    harness.view.fold(&Event::Live(waiting(&[], &[])));
    assert!(!harness.frame(80, 24).contains('↳'));
}

#[test]
fn delivered_words_are_the_users_own_and_marked() {
    let mut harness = ScreenHarness::new(scenes::steered());
    let frame = harness.frame(80, 40);
    assert!(frame.contains(" ↳ Only the first section, please.\n   And in German."), "{frame}");
    assert!(frame.contains("steering · delivered during the run"), "{frame}");
    harness.key(KeyCode::Up, NONE);
    assert_eq!(harness.local.composer.text(), "Only the first section, please.\nAnd in German.");
}

#[test]
fn what_was_not_delivered_comes_back_before_what_is_being_typed() {
    let mut harness = ScreenHarness::new(scenes::running());
    harness.press("draft");
    harness.view.fold(&Event::Live(waiting(&["one"], &["two"])));
    hear(&mut harness.local, &harness.view, &Live::Returned(vec!["one".into(), "two".into()]));
    harness.view.fold(&Event::Live(waiting(&[], &[])));
    assert_eq!(harness.local.composer.text(), "one\n\ntwo\n\ndraft");
    assert!(!harness.frame(80, 24).contains('↳'));
}

#[test]
fn words_never_answer_a_call_that_waits() {
    for word in ["y", "yes", "n", "s", "allow it", "/yes"] {
        let mut harness = ScreenHarness::new(scenes::waiting_command());
        harness.frame(80, 24);
        countersign::ui::update::paste(&mut harness.local, &harness.view, word);
        for acts in [enter(&mut harness), alt_enter(&mut harness)] {
            let decides = acts.iter().any(|a| matches!(a, UiEffect::Send(Intent::Decide { .. })));
            assert!(!decides, "{word}: {acts:?}");
        }
        assert_eq!(harness.view.waiting().len(), 3);
    }
}

#[test]
fn a_command_that_waits_for_the_end_of_a_run_stays_where_it_was_typed() {
    let goal = "/goal make the parser accept empty input | check: cargo test";
    for text in
        ["/diff git", "/diff main", "/compact", "/fork", "/new", "/goal resume", goal, "/race tidy up"]
    {
        for later in [false, true] {
            let mut harness = ScreenHarness::new(scenes::running());
            harness.press(text);
            let acts = if later { alt_enter(&mut harness) } else { enter(&mut harness) };
            assert_eq!(acts, [], "{text}");
            assert_eq!(harness.local.composer.text(), text);
            assert!(harness.frame(80, 24).contains("press enter when it has finished"), "{text}");
        }
        let mut harness = ScreenHarness::new(scenes::conversation());
        harness.press(text);
        assert_eq!(enter(&mut harness).len(), 1, "{text}");
        assert!(harness.local.composer.is_empty(), "{text}");
    }
    // What is picked is not kept, and says so in other words.
    let mut harness = ScreenHarness::new(scenes::running());
    harness.ctrl('p');
    harness.press("/compact");
    assert_eq!(enter(&mut harness), []);
    assert!(harness.local.hint.as_ref().unwrap().contains("when it has finished, or interrupt it first"));
}

#[test]
fn slash_commands_are_obeyed_and_leave_the_composer_empty() {
    for busy in [false, true] {
        let run = |text: &str| {
            let mut harness =
                ScreenHarness::new(if busy { scenes::running() } else { scenes::conversation() });
            harness.press(text);
            let acts = if busy { alt_enter(&mut harness) } else { enter(&mut harness) };
            assert!(harness.local.composer.is_empty(), "{text}");
            (acts, harness.local.overlay)
        };
        assert_eq!(run("/quit"), (vec![UiEffect::Quit], None));
        assert_eq!(run("/mode plan"), (vec![UiEffect::Send(Intent::SetMode(Mode::Plan))], None));
        let named = Request::ChooseModel("openai/x".into());
        assert_eq!(run("/model openai/x"), (vec![UiEffect::Ask(named)], None));
        assert_eq!(run("/model"), (vec![UiEffect::Pick(Source::Models)], None));
        let effort = Intent::SetEffort(Some(countersign::model::Effort::Max));
        assert_eq!(run("/effort max"), (vec![UiEffect::Send(effort)], None));
        assert!(scrolled(run("/help").1.as_ref(), "help") == Some(0));
        assert!(matches!(run("/ledger").1, Some(Overlay::Ledger(_))));
        assert!(scrolled(run("/permissions").1.as_ref(), "permissions") == Some(0));
        assert!(scrolled(run("/budgets ").1.as_ref(), "budgets") == Some(0));
    }
}

#[test]
fn an_unknown_command_names_the_known_ones_and_stays() {
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    harness.press("/compcat");
    assert!(enter(&mut harness).is_empty());
    assert_eq!(harness.local.composer.text(), "/compcat");
    let frame = harness.frame(80, 24);
    assert!(frame.contains("/help lists them all"), "{frame}");
    harness.ctrl('u');
    let texts = ["//compact", "/etc/hosts is odd", "what does /compact do?"];
    for (text, sent) in texts.map(|text| (text, text.replace("//", "/"))) {
        harness.press(text);
        assert_eq!(enter(&mut harness), [UiEffect::Send(Intent::Submit(sent.into()))]);
    }
    harness.press("/co");
    assert!(harness.frame(80, 24).contains("/compact"), "what it can become is shown while it is typed");
}

#[test]
fn ctrl_b_opens_the_budgets_and_closes_them() {
    let mut harness = ScreenHarness::new(scenes::budget_stop());
    harness.ctrl('b');
    let frame = harness.frame(120, 40);
    let names = ["turns", "tool calls", "time", "input tokens", "output tokens", "token target", "cost"];
    let bounds = ["calls at the same time", "characters of a result", "of a model call", "of a tool call"];
    let words = ["context", "this run", "this session", "no limit", "not set", "left"];
    for word in names.into_iter().chain(bounds).chain(words) {
        assert!(frame.contains(word), "{word}: {frame}");
    }
    for gauge in harness.view.gauges(harness.builder.at()) {
        assert!(!frame.contains(gauge.name), "people read words: {frame}");
    }
    let at = |word: &str| frame.lines().position(|row| row.trim_start().starts_with(word)).unwrap();
    assert!(at("cost") < at("turns"), "{frame}");
    harness.ctrl('b');
    assert!(harness.local.overlay.is_none());
}

#[test]
fn a_summary_has_the_focus_and_opens() {
    let mut harness = ScreenHarness::new(scenes::compacted());
    harness.key(KeyCode::Tab, NONE);
    let Focus::Card(CardId::Entry(entry)) = harness.local.focused(&harness.view) else {
        panic!("no summary")
    };
    enter(&mut harness);
    assert_eq!(harness.local.overlay, Some(Overlay::Summary(entry, 0)));
    let page = harness.frame(80, 30);
    assert!(page.contains("Why the parser rejects") && page.contains("8 entries replaced"), "{page}");
    harness.key(KeyCode::Esc, NONE);
    harness.key(KeyCode::Up, NONE);
    harness.key(KeyCode::Up, NONE);
    assert!(matches!(harness.local.focused(&harness.view), Focus::Card(CardId::Call(call)) if call.0 == 2));
    assert!(harness.frame(60, 14).contains("▎✓ search"), "the card comes into sight with the focus");
}

#[test]
fn the_wait_before_a_retry_counts_down() {
    let mut harness = ScreenHarness::new(scenes::retrying());
    let first = harness.frame(100, 24);
    assert!(first.contains("The provider is overloaded (HTTP 529), retrying in 4 s (2 of 4)"), "{first}");
    let narrow = harness.frame(80, 24);
    assert!(narrow.contains("The provider is overloaded, retrying in 4 s (2 of 4)"), "{narrow}");
    harness.builder.now += 2_000;
    assert!(harness.frame(100, 24).contains("retrying in 2 s (2 of 4)"));
    assert!(harness.frame(40, 10).contains("Retrying in 2 s (2 of 4)"));
    assert!((40..100).all(|width| harness.frame(width, 24).contains("in 2 s (2")), "the count stays");
    harness.builder.now += 9_000;
    assert!(harness.frame(100, 24).contains("retrying now (2 of 4)"));
    assert_eq!(harness.key(KeyCode::Esc, NONE), [UiEffect::Abort]);
}

#[test]
fn the_remedy_at_the_end_of_a_long_refusal_is_in_sight() {
    let mut harness = ScreenHarness::new(scenes::conversation());
    let why = "The message does not fit into the context window of the model. ".repeat(7);
    harness.local.hint = Some(format!("{why}Choose a model with a larger window: /model"));
    let frame = harness.frame(80, 24);
    let words = frame.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("a larger window: /model"), "{frame}");
}

#[test]
fn beside_a_card_that_has_the_keys_a_retry_keeps_its_count() {
    let mut builder = scenes::conversation();
    builder.user("Go on.");
    let (reason, brief) = ("the provider is overloaded (HTTP 529)".to_owned(), None);
    builder.live(Live::Retrying { attempt: 1, most: 4, wait_ms: 4_000, reason, brief });
    let mut harness = ScreenHarness::new(builder);
    harness.frame(40, 16);
    harness.key(KeyCode::Tab, NONE);
    assert!(matches!(harness.local.focused(&harness.view), Focus::Card(_)));
    let frame = harness.frame(40, 16);
    assert!(frame.contains("Retrying in 3 s (1 of 4)"), "{frame}");
}

#[test]
fn the_menu_of_commands_takes_arrows_and_enter_and_runs_what_it_marks() {
    let mut harness = ScreenHarness::new(scenes::conversation());
    harness.press("/bud");
    assert!(enter(&mut harness).is_empty());
    assert!(scrolled(harness.local.overlay.as_ref(), "budgets").is_some(), "the only one that begins so");
    harness.key(KeyCode::Esc, KeyModifiers::NONE);
    harness.press("/mo");
    assert!(harness.frame(80, 24).contains("› /mode"), "what Enter runs is marked");
    assert!(enter(&mut harness).is_empty());
    let picks =
        matches!(&harness.local.overlay, Some(Overlay::Picker(picker)) if picker.source == Source::Modes);
    assert!(picks, "the modes are there to pick from");
    harness.key(KeyCode::Esc, KeyModifiers::NONE);
    harness.press("/ren");
    assert!(enter(&mut harness).is_empty());
    assert_eq!(harness.local.composer.shown(), "/rename ", "it waits for the name");
    harness.ctrl('u');
    harness.press("/");
    for row in listed(Fronts::Screen) {
        assert!(harness.frame(80, 70).contains(row.name), "{} is offered", row.name);
    }
    assert!(harness.frame(80, 24).contains(" more"));
    harness.key(KeyCode::Up, KeyModifiers::NONE);
    assert!(
        harness.frame(80, 24).contains("› /whatif") && harness.frame(40, 10).contains("› /whatif"),
        "the last one"
    );
    for _ in 0..6 {
        harness.key(KeyCode::Down, KeyModifiers::NONE);
    }
    assert_eq!(enter(&mut harness), [UiEffect::Undo(None)], "from the last to the first, and on");
    harness.press("/plan");
    enter(&mut harness);
    harness.key(KeyCode::Esc, KeyModifiers::NONE);
    // What was sent before comes up where no command is typed.
    harness.key(KeyCode::Up, KeyModifiers::NONE);
    assert_eq!(harness.local.composer.text(), "Why does the parser reject empty input?");
}

#[test]
fn tab_completes_what_stands_behind_a_name_and_never_drops_it() {
    let cases = [
        ("/mode p", "/mode plan"),
        ("/effort m", "/effort m"),
        ("/effort mi", "/effort minimal"),
        ("/mode x", "/mode x"),
        ("/theme pap", "/theme pap"),
        ("/bud", "/budgets "),
    ];
    for (typed, completed) in cases {
        let mut harness = ScreenHarness::new(scenes::conversation());
        harness.press(typed);
        harness.key(KeyCode::Tab, KeyModifiers::NONE);
        assert_eq!(harness.local.composer.shown(), completed, "{typed}");
    }
}

#[test]
fn the_menu_offers_what_can_follow_a_command() {
    let mut harness = ScreenHarness::new(scenes::conversation());
    harness.press("/mode ");
    let frame = harness.frame(80, 24);
    for word in ["plan", "ask", "edit", "auto", "unrestricted"] {
        assert!(frame.contains(&format!(" {word}\n")), "{word}: {frame}");
    }
    harness.key(KeyCode::Down, NONE);
    harness.key(KeyCode::Down, NONE);
    assert_eq!(enter(&mut harness), [UiEffect::Send(Intent::SetMode(Mode::Ask))]);
    harness.press("/effort m");
    let frame = harness.frame(80, 24);
    assert!(
        frame.contains(" max\n") && frame.contains(" minimal\n") && !frame.contains(" high\n"),
        "{frame}"
    );
    harness.key(KeyCode::Down, NONE);
    harness.key(KeyCode::Tab, NONE);
    assert!(["/effort max", "/effort minimal", "/effort medium"].contains(&&*harness.local.composer.shown()));
    harness.ctrl('u');
    harness.press("/mode plan");
    assert_eq!(enter(&mut harness), [UiEffect::Send(Intent::SetMode(Mode::Plan))]);
}

#[test]
fn esc_closes_the_menu_of_commands_and_typing_opens_it_again() {
    let mut harness = ScreenHarness::new(scenes::conversation());
    harness.press("/mo");
    assert!(harness.frame(80, 24).contains("/model"));
    assert!(harness.key(KeyCode::Esc, KeyModifiers::NONE).is_empty());
    assert!(!harness.frame(80, 24).contains("/model") && harness.local.composer.text() == "/mo");
    harness.press("d");
    assert!(harness.frame(80, 24).contains("/model"));
    // What runs is stopped first.
    let mut harness = ScreenHarness::new(scenes::running());
    harness.press("/mo");
    assert_eq!(harness.key(KeyCode::Esc, KeyModifiers::NONE), [UiEffect::Abort]);
}

#[test]
fn the_context_of_a_first_answer_is_estimated_while_it_comes() {
    for (width, height) in [(40, 10), (80, 24)] {
        let mut builder = SessionBuilder::new();
        builder.user("Go.");
        let message = builder.ledger.reserve();
        builder.live(Live::Asked { message, tokens: 2_800 });
        let frame = ScreenHarness::new(builder).frame(width, height);
        assert!(frame.contains("~2.8k/200k"), "{frame}");
    }
}
