//! What keys do: who has the focus, what Esc and Ctrl-C mean where, and which answers count.

use crate::frames::Seat;
use crate::scenes;
use crate::stage::Stage;
use countersign::agent::{Answer, Event, Intent, Live};
use countersign::budget::Limit;
use countersign::ledger::Decider;
use countersign::policy::Mode;
use countersign::ui::local::{Focus, Overlay};
use countersign::ui::update::{Act, hear, paste};
use proptest::prelude::*;
use ratatui::crossterm::event::{KeyCode, KeyModifiers};

const NONE: KeyModifiers = KeyModifiers::NONE;

fn waiting() -> Seat {
    let mut seat = Seat::new(scenes::waiting_command());
    seat.frame(80, 24);
    seat
}

fn decided(acts: &[Act]) -> (u64, u64, Answer) {
    match acts {
        [Act::Send(Intent::Decide { request, call, answer })] => (request.0, call.0, answer.clone()),
        other => panic!("not one decision: {other:?}"),
    }
}

#[test]
fn what_is_out_of_sight_cannot_be_answered() {
    let mut seat = Seat::new(scenes::waiting_diff());
    seat.size = (60, 14);
    seat.turns();
    seat.key(KeyCode::Home, KeyModifiers::CONTROL);
    let away = seat.frame(60, 14);
    assert!(away.contains("a call waits for you") && !away.contains("y once"), "{away}");
    seat.waits(1_000);
    assert!(seat.press("y").is_empty(), "it only comes into sight");
    assert!(seat.frame(60, 14).contains("y once"));
    seat.waits(1_000);
    assert!(seat.press("y").is_empty(), "its end comes into sight");
    assert!(seat.frame(60, 14).contains("now shown: press again"));
    seat.waits(1_000);
    assert_eq!(decided(&seat.press("y")).1, 1);
}

#[test]
fn even_the_smallest_screen_can_answer() {
    for (width, height) in [(40, 10), (41, 11), (60, 12), (200, 50)] {
        for scene in [scenes::waiting_command, scenes::waiting_diff] {
            let mut seat = Seat::new(scene());
            paste(&mut seat.local, &seat.view, "a\nb\nc\nd\ne");
            seat.size = (width, height);
            assert_eq!(decided(&seat.answers("n")).1, 1, "{width}x{height}");
        }
    }
}

#[test]
fn tab_and_arrows_go_through_the_waiting_calls() {
    let mut seat = waiting();
    seat.key(KeyCode::Down, NONE);
    assert!(seat.frame(80, 24).contains("keys: call 1 of 3"), "down from an empty composer");
    seat.key(KeyCode::Down, NONE);
    assert!(seat.frame(80, 24).contains("keys: call 2 of 3"));
    assert_eq!(decided(&seat.answers("y")).1, 2, "the second is answered, its siblings are not");
    assert_eq!(seat.local.focused(&seat.view), Focus::Composer, "and the keys are the composer's");
    for at in [0, 2] {
        seat.key(KeyCode::Tab, NONE);
        seat.frame(80, 24);
        assert_eq!(seat.local.focused(&seat.view), Focus::Approval(seat.view.waiting()[at].1.call));
    }
    seat.key(KeyCode::Tab, NONE);
    assert_eq!(seat.local.focused(&seat.view), Focus::Composer);
}

#[test]
fn a_reason_is_written_in_the_panel_and_dies_with_its_request() {
    let mut seat = waiting();
    seat.answers("r");
    seat.press("not  y");
    seat.key(KeyCode::Backspace, NONE);
    let (_, call, answer) = decided(&seat.key(KeyCode::Enter, NONE));
    assert_eq!((call, answer), (1, Answer::Deny("not".into())));
    seat.frame(80, 24);
    seat.answers("r");
    seat.press("no");
    assert!(seat.key(KeyCode::Esc, NONE).is_empty(), "Esc closes the line, it does not interrupt");
    assert!(seat.local.reason.is_none());
    seat.frame(80, 24);
    seat.answers("r");
    seat.press("x");
    let call = seat.view.waiting()[1].1.call;
    seat.stage.decide(call, false, Decider::User);
    seat.catch_up();
    seat.press("z");
    assert!(seat.local.reason.is_none(), "somebody else answered it");
}

#[test]
fn a_refused_answer_can_be_given_again() {
    let mut seat = waiting();
    seat.answers("y");
    hear(&mut seat.local, &Live::Refused("that request is gone".into()));
    assert!(seat.frame(80, 24).contains("that request is gone"));
    assert_eq!(decided(&seat.answers("n")).1, 1);
}

#[test]
fn esc_interrupts_when_busy_and_never_clears_the_composer() {
    let mut seat = Seat::new(scenes::running());
    seat.press("draft");
    assert_eq!(seat.key(KeyCode::Esc, NONE), [Act::Abort]);
    assert_eq!(seat.local.composer.text(), "draft");
    seat.ctrl('o');
    assert!(seat.key(KeyCode::Esc, NONE).is_empty(), "an overlay is closed first");
    assert!(seat.local.overlay.is_none());
    let mut idle = Seat::new(scenes::conversation());
    idle.press("draft");
    assert!(idle.key(KeyCode::Esc, NONE).is_empty());
    assert_eq!(idle.local.composer.text(), "draft");
    let mut asked = waiting();
    assert_eq!(asked.key(KeyCode::Esc, NONE), [Act::Abort]);
}

#[test]
fn ctrl_c_clears_then_asks_then_quits() {
    let mut seat = Seat::new(Stage::new());
    seat.press("text");
    assert!(seat.ctrl('c').is_empty());
    assert!(seat.local.composer.is_empty());
    assert!(seat.ctrl('c').is_empty());
    assert!(seat.frame(80, 24).contains("ctrl-c again"));
    assert_eq!(seat.ctrl('c'), [Act::Quit]);
    let mut other = Seat::new(Stage::new());
    other.ctrl('c');
    other.press("x");
    other.key(KeyCode::Backspace, NONE);
    assert!(other.ctrl('c').is_empty(), "another key in between starts over");
}

#[test]
fn ctrl_d_quits_only_when_empty_and_ctrl_u_empties() {
    let mut seat = Seat::new(Stage::new());
    seat.press("text");
    assert!(seat.ctrl('d').is_empty());
    seat.ctrl('u');
    assert!(seat.local.composer.is_empty());
    assert_eq!(seat.ctrl('d'), [Act::Quit]);
    assert_eq!(seat.ctrl('z'), [Act::Suspend]);
}

#[test]
fn enter_sends() {
    let mut seat = Seat::new(Stage::new());
    seat.press("one");
    seat.ctrl('j');
    seat.press("two");
    let sent = seat.key(KeyCode::Enter, NONE);
    assert_eq!(sent, [Act::Send(Intent::Submit("one\ntwo".into()))]);
    assert!(seat.key(KeyCode::Enter, NONE).is_empty(), "nothing is not sent");
}

#[test]
fn shift_tab_goes_through_the_modes() {
    let mut seat = Seat::new(Stage::new());
    for mode in [Mode::Edit, Mode::Auto, Mode::Plan, Mode::Ask] {
        assert_eq!(seat.key(KeyCode::BackTab, KeyModifiers::SHIFT), [Act::Send(Intent::SetMode(mode))]);
        seat.view.fold(&Event::Live(Live::ModeChanged(mode)));
        assert!(seat.frame(80, 24).contains(&format!("· {mode}\n")));
    }
    seat.view.fold(&Event::Live(Live::ModeChanged(Mode::Unrestricted)));
    let next = seat.key(KeyCode::BackTab, KeyModifiers::SHIFT);
    assert_eq!(next, [Act::Send(Intent::SetMode(Mode::Plan))], "out of it, never into it");
}

#[test]
fn after_a_budget_stop_g_raises_by_the_original_size() {
    let mut seat = Seat::new(scenes::budget_stop());
    assert_eq!(seat.answers("g"), [Act::Send(Intent::Raise { limit: Limit::Turns, to: 100 })]);
    assert!(seat.answers("g").is_empty(), "once");
    let mut typing = Seat::new(scenes::budget_stop());
    typing.frame(80, 24);
    assert!(typing.press("go on").is_empty());
    assert_eq!(typing.local.composer.text(), "go on");
    let mut other = Seat::new(scenes::conversation());
    assert!(other.press("g").is_empty());
    assert_eq!(other.local.composer.text(), "g");
}

#[test]
fn big_pastes_fold_and_are_sent_whole() {
    let mut seat = Seat::new(Stage::new());
    let big = "x".repeat(216 * 1024);
    seat.press("see ");
    paste(&mut seat.local, &seat.view, &big);
    assert_eq!(seat.local.composer.shown(), "see [pasted 216 KB]");
    paste(&mut seat.local, &seat.view, &"line\r\n".repeat(30));
    assert!(seat.local.composer.shown().ends_with("[pasted 30 lines]"));
    seat.key(KeyCode::Backspace, NONE);
    assert_eq!(seat.local.composer.shown(), "see [pasted 216 KB]", "one key takes a folded paste whole");
    let sent = seat.key(KeyCode::Enter, NONE);
    assert_eq!(sent, [Act::Send(Intent::Submit(format!("see {big}").into()))]);
}

#[test]
fn the_cursor_moves_by_what_people_see() {
    let mut seat = Seat::new(Stage::new());
    for cluster in ["👨‍👩‍👧‍👦", "e\u{301}", "🇩🇪"] {
        paste(&mut seat.local, &seat.view, &format!("a{cluster}b"));
        seat.key(KeyCode::Left, NONE);
        seat.key(KeyCode::Backspace, NONE);
        assert_eq!(seat.local.composer.text(), "ab", "{cluster}");
        seat.ctrl('u');
    }
}

#[test]
fn earlier_messages_come_back() {
    let mut seat = Seat::new(scenes::conversation());
    seat.key(KeyCode::Up, NONE);
    assert_eq!(seat.local.composer.text(), "Why does the parser reject empty input?");
    seat.key(KeyCode::Down, NONE);
    assert!(seat.local.composer.is_empty());
}

#[test]
fn the_transcript_is_held_where_it_was_scrolled_to() {
    let mut seat = Seat::new(scenes::conversation());
    let end = seat.frame(60, 18);
    seat.key(KeyCode::PageUp, NONE);
    let held = seat.frame(60, 18);
    assert!(held.contains("Why does the parser") && held.contains("more below"), "{held}");
    seat.stage.user("And now?");
    seat.catch_up();
    let more = seat.frame(60, 18);
    assert!(more.contains("Why does the parser") && more.contains("1 new below"), "{more}");
    seat.key(KeyCode::End, NONE);
    let followed = seat.frame(60, 18);
    assert!(followed.contains("And now?") && !followed.contains("below") && followed != end);
}

#[test]
fn o_opens_the_call_that_has_the_focus() {
    let mut seat = Seat::new(scenes::conversation());
    seat.key(KeyCode::Tab, NONE);
    // Past the answer with code.
    seat.key(KeyCode::Up, NONE);
    seat.key(KeyCode::Up, NONE);
    seat.press("o");
    assert!(matches!(seat.local.overlay, Some(Overlay::Output(call, _)) if call.0 == 1));
    assert!(seat.frame(80, 24).contains("todo()"));
}

fn keys() -> impl Strategy<Value = (KeyCode, KeyModifiers)> {
    let codes = prop_oneof![
        prop::char::range(' ', '~').prop_map(KeyCode::Char),
        prop::sample::select(vec!['é', '字', '\u{301}', '👍']).prop_map(KeyCode::Char),
        prop::sample::select(vec![
            KeyCode::Enter,
            KeyCode::Esc,
            KeyCode::Tab,
            KeyCode::BackTab,
            KeyCode::Backspace,
            KeyCode::Delete,
            KeyCode::Up,
            KeyCode::Down,
            KeyCode::Left,
            KeyCode::Right,
            KeyCode::Home,
            KeyCode::End,
            KeyCode::PageUp,
            KeyCode::PageDown,
            KeyCode::F(1),
        ]),
    ];
    let held = prop::sample::select(vec![
        NONE,
        NONE,
        NONE,
        KeyModifiers::CONTROL,
        KeyModifiers::ALT,
        KeyModifiers::SHIFT,
    ]);
    (codes, held)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn no_keys_and_no_size_make_it_panic(
        scene in 0usize..12,
        steps in prop::collection::vec((keys(), 0u16..90, 0u16..34, any::<bool>()), 1..40),
    ) {
        let stage = [scenes::conversation, scenes::running, scenes::waiting_command, scenes::waiting_diff,
            scenes::interrupted, scenes::budget_stop, scenes::growing, scenes::queued, scenes::steered,
            scenes::retrying, scenes::compacting, scenes::compacted][scene]();
        let mut seat = Seat::new(stage);
        for ((code, held), width, height, draws) in steps {
            seat.key(code, held);
            if draws {
                seat.frame(width, height);
            }
        }
        seat.frame(80, 24);
    }
}

#[test]
fn the_copy_key_gives_away_code_as_it_was_written() {
    let mut stage = Stage::new();
    stage.user("Show me.");
    let long = "x".repeat(200);
    let text = format!("One:\n\n```rust\nfn a() {{\n\tb(\"{long}\");\n}}\n```\n\nTwo:\n\n```sh\nls\n```");
    stage.say(None, "", &text, vec![]);
    stage.end(countersign::ledger::Ending::Completed);
    let mut seat = Seat::new(stage);
    seat.frame(40, 10);
    seat.key(KeyCode::Tab, NONE);
    let first = Act::Copy(format!("fn a() {{\n\tb(\"{long}\");\n}}"));
    assert_eq!(seat.press("c"), std::slice::from_ref(&first));
    assert_eq!(seat.press("c"), [Act::Copy("ls".into())]);
    assert_eq!(seat.press("c"), [first], "round again");
    assert_eq!(seat.press("o"), [], "code does not open");
    assert_eq!(seat.local.overlay, None);
    seat.key(KeyCode::Tab, NONE);
    assert_eq!(seat.press("c"), [], "in the composer it is a letter");

    let mut seat = Seat::new(scenes::budget_stop());
    seat.frame(80, 24);
    seat.key(KeyCode::Tab, NONE);
    seat.frame(80, 24);
    seat.key(KeyCode::Tab, NONE);
    assert_eq!(seat.press("c"), [Act::Copy("rm -rf /".into())], "of a call, its command");
}
