//! What Enter does with what was typed: steering, the queue and slash commands; and what is never an answer.

use crate::frames::{Seat, scrolled};
use crate::scenes;
use crate::stage::Stage;
use countersign::agent::{Event, Intent, Live};
use countersign::policy::Mode;
use countersign::ui::Request;
use countersign::ui::commands::{Fronts, listed};
use countersign::ui::local::{Focus, Overlay};
use countersign::ui::source::Source;
use countersign::ui::update::{Act, hear};
use countersign::view::CardId;
use ratatui::crossterm::event::{KeyCode, KeyModifiers};

const NONE: KeyModifiers = KeyModifiers::NONE;

fn enter(seat: &mut Seat) -> Vec<Act> {
    seat.key(KeyCode::Enter, NONE)
}

fn alt_enter(seat: &mut Seat) -> Vec<Act> {
    seat.key(KeyCode::Enter, KeyModifiers::ALT)
}

fn waiting(steering: &[&str], queued: &[&str]) -> Live {
    let owned = |texts: &[&str]| texts.iter().map(|t| (*t).to_owned()).collect();
    Live::Waiting { steering: owned(steering), queued: owned(queued) }
}

#[test]
fn enter_steers_and_alt_enter_queues_while_it_works() {
    let mut seat = Seat::new(scenes::running());
    seat.press("use the cache");
    let typing = seat.frame(80, 24);
    assert!(typing.contains("enter steers   alt-enter queues"), "{typing}");
    assert!(typing.contains("esc interrupt"), "{typing}");
    assert_eq!(enter(&mut seat), [Act::Send(Intent::Submit("use the cache".into()))]);
    seat.press("then stop");
    assert_eq!(alt_enter(&mut seat), [Act::Send(Intent::Queue("then stop".into()))]);
    assert!(seat.local.composer.is_empty());
    assert!(alt_enter(&mut seat).is_empty() && enter(&mut seat).is_empty(), "nothing is not sent");
    let mut idle = Seat::new(Stage::new());
    idle.press("a");
    assert!(alt_enter(&mut idle).is_empty());
    assert_eq!(idle.local.composer.shown(), "a\n", "with nothing under way it is a new line");
}

#[test]
fn what_waits_stands_above_the_composer_until_it_is_delivered() {
    let mut seat = Seat::new(scenes::running());
    seat.view.fold(&Event::Live(waiting(&["first\nwords"], &["last"])));
    let frame = seat.frame(80, 24);
    let row = |frame: &str, text: &str| {
        frame.lines().position(|l| l.contains(text)).unwrap_or_else(|| panic!("{frame}"))
    };
    let (soon, later) =
        (row(&frame, "↳ with the next tool results: first words"), row(&frame, "↳ after this run: last"));
    assert!(
        row(&frame, "turns ") < soon && soon + 1 == later && later + 1 == row(&frame, "╭────"),
        "{frame}"
    );
    seat.view.fold(&Event::Live(waiting(&["a", "b", "c"], &["d", "e"])));
    let many = seat.frame(80, 24);
    assert!(many.contains("results: c") && !many.contains("run: d") && many.contains("2 more"), "{many}");
    let small = seat.frame(40, 10);
    assert!(small.contains("↳ next: a · 4 more"), "{small}");
    seat.view.fold(&Event::Live(waiting(&[], &[])));
    assert!(!seat.frame(80, 24).contains('↳'));
}

#[test]
fn delivered_words_are_the_users_own_and_marked() {
    let mut seat = Seat::new(scenes::steered());
    let frame = seat.frame(80, 40);
    assert!(frame.contains(" ↳ Only the first section, please.\n   And in German."), "{frame}");
    assert!(frame.contains("steering · delivered during the run"), "{frame}");
    seat.key(KeyCode::Up, NONE);
    assert_eq!(seat.local.composer.text(), "Only the first section, please.\nAnd in German.");
}

#[test]
fn what_was_not_delivered_comes_back_before_what_is_being_typed() {
    let mut seat = Seat::new(scenes::running());
    seat.press("draft");
    seat.view.fold(&Event::Live(waiting(&["one"], &["two"])));
    hear(&mut seat.local, &Live::Returned(vec!["one".into(), "two".into()]));
    seat.view.fold(&Event::Live(waiting(&[], &[])));
    assert_eq!(seat.local.composer.text(), "one\n\ntwo\n\ndraft");
    assert!(!seat.frame(80, 24).contains('↳'));
}

#[test]
fn words_never_answer_a_call_that_waits() {
    for word in ["y", "yes", "n", "s", "allow it", "/yes"] {
        let mut seat = Seat::new(scenes::waiting_command());
        seat.frame(80, 24);
        countersign::ui::update::paste(&mut seat.local, &seat.view, word);
        for acts in [enter(&mut seat), alt_enter(&mut seat)] {
            let decides = acts.iter().any(|a| matches!(a, Act::Send(Intent::Decide { .. })));
            assert!(!decides, "{word}: {acts:?}");
        }
        assert_eq!(seat.view.waiting().len(), 3);
    }
}

#[test]
fn slash_commands_are_obeyed_and_leave_the_composer_empty() {
    for busy in [false, true] {
        let run = |text: &str| {
            let mut seat = Seat::new(if busy { scenes::running() } else { scenes::conversation() });
            seat.press(text);
            let acts = if busy { alt_enter(&mut seat) } else { enter(&mut seat) };
            assert!(seat.local.composer.is_empty(), "{text}");
            (acts, seat.local.overlay)
        };
        assert_eq!(run("/compact"), (vec![Act::Send(Intent::Compact)], None));
        assert_eq!(run("/quit"), (vec![Act::Quit], None));
        assert_eq!(run("/mode plan"), (vec![Act::Send(Intent::SetMode(Mode::Plan))], None));
        let named = Request::ChooseModel("openai/x".into());
        assert_eq!(run("/model openai/x"), (vec![Act::Ask(named)], None));
        assert_eq!(run("/model"), (vec![Act::Pick(Source::Models)], None));
        let effort = Intent::SetEffort(Some(countersign::model::Effort::Max));
        assert_eq!(run("/effort max"), (vec![Act::Send(effort)], None));
        assert!(scrolled(run("/help").1.as_ref(), "help") == Some(0));
        assert!(matches!(run("/ledger").1, Some(Overlay::Ledger(_))));
        assert!(scrolled(run("/permissions").1.as_ref(), "permissions") == Some(0));
        assert!(scrolled(run("/budgets ").1.as_ref(), "budgets") == Some(0));
    }
}

#[test]
fn an_unknown_command_names_the_known_ones_and_stays() {
    let mut seat = Seat::new(Stage::new());
    seat.press("/compcat");
    assert!(enter(&mut seat).is_empty());
    assert_eq!(seat.local.composer.text(), "/compcat");
    let frame = seat.frame(80, 24);
    assert!(frame.contains("/help lists them all"), "{frame}");
    seat.ctrl('u');
    for text in ["//compact", "/etc/hosts is odd", "what does /compact do?"] {
        seat.press(text);
        assert_eq!(enter(&mut seat), [Act::Send(Intent::Submit(text.into()))]);
    }
    seat.press("/co");
    assert!(seat.frame(80, 24).contains("/compact"), "what it can become is shown while it is typed");
}

#[test]
fn ctrl_b_opens_the_budgets_and_closes_them() {
    let mut seat = Seat::new(scenes::budget_stop());
    seat.ctrl('b');
    let frame = seat.frame(120, 40);
    for gauge in seat.view.gauges(seat.stage.at()) {
        assert!(frame.contains(gauge.name), "{frame}");
    }
    for word in ["token_budget", "context", "this run", "this session", "no limit", "left"] {
        assert!(frame.contains(word), "{word}: {frame}");
    }
    seat.ctrl('b');
    assert!(seat.local.overlay.is_none());
}

#[test]
fn a_summary_has_the_focus_and_opens() {
    let mut seat = Seat::new(scenes::compacted());
    seat.key(KeyCode::Tab, NONE);
    let Focus::Card(CardId::Entry(entry)) = seat.local.focused(&seat.view) else { panic!("no summary") };
    enter(&mut seat);
    assert_eq!(seat.local.overlay, Some(Overlay::Summary(entry, 0)));
    let page = seat.frame(80, 30);
    assert!(page.contains("Why the parser rejects") && page.contains("8 entries replaced"), "{page}");
    seat.key(KeyCode::Esc, NONE);
    seat.key(KeyCode::Up, NONE);
    seat.key(KeyCode::Up, NONE);
    assert!(matches!(seat.local.focused(&seat.view), Focus::Card(CardId::Call(call)) if call.0 == 2));
    assert!(seat.frame(60, 14).contains("▎✓ search"), "the card comes into sight with the focus");
}

#[test]
fn the_wait_before_a_retry_counts_down() {
    let mut seat = Seat::new(scenes::retrying());
    let first = seat.frame(100, 24);
    assert!(first.contains("retrying 2 of 4 in 4 s · esc stops: the provider is overloaded"), "{first}");
    seat.stage.now += 2_000;
    assert!(seat.frame(100, 24).contains("retrying 2 of 4 in 2 s"));
    assert!(seat.frame(40, 10).contains("retrying 2 of 4 in 2 s"));
    seat.stage.now += 9_000;
    assert!(seat.frame(100, 24).contains("retrying 2 of 4 now"));
    assert_eq!(seat.key(KeyCode::Esc, NONE), [Act::Abort]);
}

#[test]
fn the_menu_of_commands_takes_arrows_and_enter_and_runs_what_only_one_begins_with() {
    let mut seat = Seat::new(scenes::conversation());
    seat.press("/bud");
    assert!(enter(&mut seat).is_empty());
    assert!(scrolled(seat.local.overlay.as_ref(), "budgets").is_some(), "the only one that begins so");
    seat.key(KeyCode::Esc, KeyModifiers::NONE);
    seat.press("/mo");
    assert!(enter(&mut seat).is_empty());
    assert!(seat.local.hint.as_ref().unwrap().contains("/mo can become /mode, /model"));
    seat.key(KeyCode::Down, KeyModifiers::NONE);
    assert!(seat.frame(80, 24).contains("›/mode"));
    assert!(enter(&mut seat).is_empty());
    assert_eq!(seat.local.composer.shown(), "/mode ", "it waits for the name");
    seat.ctrl('u');
    seat.press("/");
    for row in listed(Fronts::Screen) {
        assert!(seat.frame(80, 40).contains(row.name), "{} is offered", row.name);
    }
    assert!(seat.frame(80, 24).contains("more, use the arrows"));
    seat.key(KeyCode::Up, KeyModifiers::NONE);
    assert!(seat.frame(80, 24).contains("›/undo") && seat.frame(40, 10).contains("›/undo"), "the last one");
    assert_eq!(enter(&mut seat), [Act::Undo(None)]);
    seat.press("/plan");
    enter(&mut seat);
    seat.key(KeyCode::Esc, KeyModifiers::NONE);
    // What was sent before comes up where no command is typed.
    seat.key(KeyCode::Up, KeyModifiers::NONE);
    assert_eq!(seat.local.composer.text(), "Why does the parser reject empty input?");
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
        let mut seat = Seat::new(scenes::conversation());
        seat.press(typed);
        seat.key(KeyCode::Tab, KeyModifiers::NONE);
        assert_eq!(seat.local.composer.shown(), completed, "{typed}");
    }
}

#[test]
fn esc_closes_the_menu_of_commands_and_typing_opens_it_again() {
    let mut seat = Seat::new(scenes::conversation());
    seat.press("/mo");
    assert!(seat.frame(80, 24).contains("/model"));
    assert!(seat.key(KeyCode::Esc, KeyModifiers::NONE).is_empty());
    assert!(!seat.frame(80, 24).contains("/model") && seat.local.composer.text() == "/mo");
    seat.press("d");
    assert!(seat.frame(80, 24).contains("/model"));
    // What runs is stopped first.
    let mut seat = Seat::new(scenes::running());
    seat.press("/mo");
    assert_eq!(seat.key(KeyCode::Esc, KeyModifiers::NONE), [Act::Abort]);
}
