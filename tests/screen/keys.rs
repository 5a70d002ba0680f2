//! What keys do: who has the focus, what Esc and Ctrl-C mean where, and which answers count.

use crate::scenes;
use crate::screen_harness::ScreenHarness;
use crate::session_builder::SessionBuilder;
use countersign::agent::{Answer, Event, Intent, Live};
use countersign::budget::Limit;
use countersign::ledger::Decider;
use countersign::policy::Mode;
use countersign::ui::composer::plain;
use countersign::ui::local::{Focus, Overlay};
use countersign::ui::update::{UiEffect, hear, paste};
use proptest::prelude::*;
use ratatui::crossterm::event::{KeyCode, KeyModifiers};

const NONE: KeyModifiers = KeyModifiers::NONE;

fn waiting() -> ScreenHarness {
    let mut harness = ScreenHarness::new(scenes::waiting_command());
    harness.frame(80, 24);
    harness
}

fn decided(acts: &[UiEffect]) -> (u64, u64, Answer) {
    match acts {
        [UiEffect::Send(Intent::Decide { request, call, answer })] => (request.0, call.0, answer.clone()),
        other => panic!("not one decision: {other:?}"),
    }
}

#[test]
fn what_is_out_of_sight_cannot_be_answered() {
    let mut harness = ScreenHarness::new(scenes::waiting_diff());
    harness.size = (60, 12);
    harness.turns();
    harness.key(KeyCode::Home, KeyModifiers::CONTROL);
    let away = harness.frame(60, 12);
    assert!(away.contains("a call waits for you") && !away.contains("y once"), "{away}");
    harness.waits(1_000);
    assert!(harness.press("y").is_empty(), "it only comes into sight");
    assert!(harness.frame(60, 12).contains("y once"));
    harness.waits(1_000);
    assert!(harness.press("y").is_empty(), "its end comes into sight");
    assert!(harness.frame(60, 12).contains("now shown: press again"));
    harness.waits(1_000);
    assert_eq!(decided(&harness.press("y")).1, 1);
}

#[test]
fn even_the_smallest_screen_can_answer() {
    for (width, height) in [(40, 10), (41, 11), (60, 12), (200, 50)] {
        for scene in [scenes::waiting_command, scenes::waiting_diff] {
            let mut harness = ScreenHarness::new(scene());
            paste(&mut harness.local, &harness.view, "a\nb\nc\nd\ne");
            harness.size = (width, height);
            assert_eq!(decided(&harness.answers("n")).1, 1, "{width}x{height}");
        }
    }
}

#[test]
fn tab_and_arrows_go_through_the_waiting_calls() {
    let mut harness = waiting();
    harness.key(KeyCode::Down, NONE);
    assert!(harness.frame(80, 24).contains("keys go to call 1 of 3"), "down from an empty composer");
    harness.key(KeyCode::Down, NONE);
    assert!(harness.frame(80, 24).contains("keys go to call 2 of 3"));
    assert_eq!(decided(&harness.answers("y")).1, 2, "the second is answered, its siblings are not");
    assert_eq!(harness.local.focused(&harness.view), Focus::Composer, "and the keys are the composer's");
    for at in [0, 2] {
        harness.key(KeyCode::Tab, NONE);
        harness.frame(80, 24);
        assert_eq!(harness.local.focused(&harness.view), Focus::Approval(harness.view.waiting()[at].1.call));
    }
    harness.key(KeyCode::Tab, NONE);
    assert_eq!(harness.local.focused(&harness.view), Focus::Composer);
}

#[test]
fn a_reason_is_written_in_the_panel_and_dies_with_its_request() {
    let mut harness = waiting();
    harness.answers("r");
    harness.press("not  y");
    harness.key(KeyCode::Backspace, NONE);
    let (_, call, answer) = decided(&harness.key(KeyCode::Enter, NONE));
    assert_eq!((call, answer), (1, Answer::Deny("not".into())));
    harness.frame(80, 24);
    harness.answers("r");
    harness.press("no");
    assert!(harness.key(KeyCode::Esc, NONE).is_empty(), "Esc closes the line, it does not interrupt");
    assert!(harness.local.reason.is_none());
    harness.frame(80, 24);
    harness.answers("r");
    harness.press("x");
    let call = harness.view.waiting()[1].1.call;
    harness.builder.decide(call, false, Decider::User);
    harness.catch_up();
    harness.press("z");
    assert!(harness.local.reason.is_none(), "somebody else answered it");
}

#[test]
fn a_refused_answer_can_be_given_again() {
    let mut harness = waiting();
    harness.answers("y");
    hear(&mut harness.local, &harness.view, &Live::Refused("that request is gone".into()));
    assert!(harness.frame(80, 24).contains("that request is gone"));
    assert_eq!(decided(&harness.answers("n")).1, 1);
}

#[test]
fn esc_interrupts_when_busy_and_never_clears_the_composer() {
    let mut harness = ScreenHarness::new(scenes::running());
    harness.press("draft");
    assert_eq!(harness.key(KeyCode::Esc, NONE), [UiEffect::Abort]);
    assert_eq!(harness.local.composer.text(), "draft");
    harness.ctrl('o');
    assert!(harness.key(KeyCode::Esc, NONE).is_empty(), "an overlay is closed first");
    assert!(harness.local.overlay.is_none());
    let mut idle = ScreenHarness::new(scenes::conversation());
    idle.press("draft");
    assert!(idle.key(KeyCode::Esc, NONE).is_empty());
    assert_eq!(idle.local.composer.text(), "draft");
    let mut asked = waiting();
    assert_eq!(asked.key(KeyCode::Esc, NONE), [UiEffect::Abort]);
}

#[test]
fn ctrl_c_clears_then_asks_then_quits() {
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    harness.press("text");
    assert!(harness.ctrl('c').is_empty());
    assert!(harness.local.composer.is_empty());
    assert!(harness.ctrl('c').is_empty());
    assert!(harness.frame(80, 24).contains("ctrl-c again"));
    assert_eq!(harness.ctrl('c'), [UiEffect::Quit]);
    let mut other = ScreenHarness::new(SessionBuilder::new());
    other.ctrl('c');
    other.press("x");
    other.key(KeyCode::Backspace, NONE);
    assert!(other.ctrl('c').is_empty(), "another key in between starts over");
}

#[test]
fn ctrl_d_quits_only_when_empty_and_ctrl_u_empties() {
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    harness.press("text");
    assert!(harness.ctrl('d').is_empty());
    harness.ctrl('u');
    assert!(harness.local.composer.is_empty());
    assert_eq!(harness.ctrl('d'), [UiEffect::Quit]);
    assert_eq!(harness.ctrl('z'), [UiEffect::Suspend]);
}

#[test]
fn enter_sends() {
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    harness.press("one");
    harness.ctrl('j');
    harness.press("two");
    let sent = harness.key(KeyCode::Enter, NONE);
    assert_eq!(sent, [UiEffect::Send(Intent::Submit("one\ntwo".into()))]);
    assert!(harness.key(KeyCode::Enter, NONE).is_empty(), "nothing is not sent");
}

#[test]
fn shift_tab_goes_through_the_modes() {
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    for mode in [Mode::Edit, Mode::Auto, Mode::Plan, Mode::Ask] {
        assert_eq!(
            harness.key(KeyCode::BackTab, KeyModifiers::SHIFT),
            [UiEffect::Send(Intent::SetMode(mode))]
        );
        harness.view.fold(&Event::Live(Live::ModeChanged(mode)));
        assert!(harness.frame(80, 24).contains(&format!("· {mode}\n")));
    }
    harness.view.fold(&Event::Live(Live::ModeChanged(Mode::Unrestricted)));
    let next = harness.key(KeyCode::BackTab, KeyModifiers::SHIFT);
    assert_eq!(next, [UiEffect::Send(Intent::SetMode(Mode::Plan))], "out of it, never into it");
}

#[test]
fn after_a_budget_stop_g_raises_by_the_original_size() {
    let mut harness = ScreenHarness::new(scenes::budget_stop());
    assert_eq!(harness.answers("g"), [UiEffect::Send(Intent::Raise { limit: Limit::Turns, to: 100 })]);
    assert!(harness.answers("g").is_empty(), "once");
    let mut typing = ScreenHarness::new(scenes::budget_stop());
    typing.frame(80, 24);
    assert!(typing.press("go on").is_empty());
    assert_eq!(typing.local.composer.text(), "go on");
    let mut other = ScreenHarness::new(scenes::conversation());
    assert!(other.press("g").is_empty());
    assert_eq!(other.local.composer.text(), "g");
}

#[test]
fn big_pastes_fold_and_are_sent_whole() {
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    let big = "x".repeat(216 * 1024);
    harness.press("see ");
    paste(&mut harness.local, &harness.view, &big);
    assert_eq!(plain(&harness.local.composer.shown()), "see [Pasted 216 KB]");
    paste(&mut harness.local, &harness.view, &"line\r\n".repeat(30));
    assert!(plain(&harness.local.composer.shown()).ends_with("[Pasted 30 lines]"));
    harness.key(KeyCode::Backspace, NONE);
    assert_eq!(
        plain(&harness.local.composer.shown()),
        "see [Pasted 216 KB]",
        "one key takes a folded paste whole"
    );
    let sent = harness.key(KeyCode::Enter, NONE);
    let [UiEffect::Send(Intent::Submit(sent))] = sent.as_slice() else { panic!("{} acts", sent.len()) };
    assert_eq!(sent.content, format!("see {big}"));
}

#[test]
fn the_cursor_moves_by_what_people_see() {
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    for cluster in ["👨‍👩‍👧‍👦", "e\u{301}", "🇩🇪"] {
        paste(&mut harness.local, &harness.view, &format!("a{cluster}b"));
        harness.key(KeyCode::Left, NONE);
        harness.key(KeyCode::Backspace, NONE);
        assert_eq!(harness.local.composer.text(), "ab", "{cluster}");
        harness.ctrl('u');
    }
}

#[test]
fn an_earlier_message_that_is_too_long_to_edit_comes_back_as_a_paste() {
    let long = "a line of it\n".repeat(20_000);
    let mut builder = SessionBuilder::new();
    builder.user(&long);
    builder.user("short");
    let mut harness = ScreenHarness::new(builder);
    harness.key(KeyCode::Up, NONE);
    harness.key(KeyCode::Up, NONE);
    assert!(harness.frame(80, 24).contains("[Pasted 20,000 lines]"), "{}", harness.frame(80, 24));
    harness.key(KeyCode::Down, NONE);
    assert_eq!(harness.local.composer.shown(), "short");
    harness.key(KeyCode::Up, NONE);
    let acts = harness.key(KeyCode::Enter, NONE);
    let sent = |act: &UiEffect| matches!(act, UiEffect::Send(Intent::Submit(said)) if said.content.trim_end() == long.trim_end());
    assert!(acts.iter().any(sent), "the whole message is sent");
}

#[test]
fn earlier_messages_come_back() {
    let mut harness = ScreenHarness::new(scenes::conversation());
    harness.key(KeyCode::Up, NONE);
    assert_eq!(harness.local.composer.text(), "Why does the parser reject empty input?");
    harness.key(KeyCode::Down, NONE);
    assert!(harness.local.composer.is_empty());
}

#[test]
fn the_transcript_is_held_where_it_was_scrolled_to() {
    let mut harness = ScreenHarness::new(scenes::conversation());
    let end = harness.frame(60, 18);
    harness.key(KeyCode::PageUp, NONE);
    let held = harness.frame(60, 18);
    assert!(held.contains("Why does the parser") && held.contains("more below"), "{held}");
    harness.builder.user("And now?");
    harness.catch_up();
    let more = harness.frame(60, 18);
    assert!(more.contains("Why does the parser") && more.contains("1 new below"), "{more}");
    harness.key(KeyCode::End, NONE);
    let followed = harness.frame(60, 18);
    assert!(followed.contains("And now?") && !followed.contains("below") && followed != end);
}

#[test]
fn o_opens_the_call_that_has_the_focus() {
    let mut harness = ScreenHarness::new(scenes::conversation());
    harness.key(KeyCode::Tab, NONE);
    // Past the answer with code.
    harness.key(KeyCode::Up, NONE);
    harness.key(KeyCode::Up, NONE);
    harness.press("o");
    assert!(matches!(harness.local.overlay, Some(Overlay::Output(call, _)) if call.0 == 1));
    assert!(harness.frame(80, 24).contains("todo()"));
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
        let builder = [scenes::conversation, scenes::running, scenes::waiting_command, scenes::waiting_diff,
            scenes::interrupted, scenes::budget_stop, scenes::growing, scenes::queued, scenes::steered,
            scenes::retrying, scenes::compacting, scenes::compacted][scene]();
        let mut harness = ScreenHarness::new(builder);
        for ((code, held), width, height, draws) in steps {
            harness.key(code, held);
            if draws {
                harness.frame(width, height);
            }
        }
        harness.frame(80, 24);
    }
}

#[test]
fn the_copy_key_gives_away_code_as_it_was_written() {
    let mut builder = SessionBuilder::new();
    builder.user("Show me.");
    let long = "x".repeat(200);
    let text = format!("One:\n\n```rust\nfn a() {{\n\tb(\"{long}\");\n}}\n```\n\nTwo:\n\n```sh\nls\n```");
    builder.say(None, "", &text, vec![]);
    builder.end(countersign::ledger::Ending::Completed);
    let mut harness = ScreenHarness::new(builder);
    harness.frame(40, 10);
    harness.key(KeyCode::Tab, NONE);
    let first = UiEffect::Copy(format!("fn a() {{\n\tb(\"{long}\");\n}}"));
    assert_eq!(harness.press("c"), std::slice::from_ref(&first));
    assert_eq!(harness.press("c"), [UiEffect::Copy("ls".into())]);
    assert_eq!(harness.press("c"), [first], "round again");
    assert_eq!(harness.press("o"), [], "code does not open");
    assert_eq!(harness.local.overlay, None);
    harness.key(KeyCode::Tab, NONE);
    assert_eq!(harness.press("c"), [], "in the composer it is a letter");

    let mut harness = ScreenHarness::new(scenes::budget_stop());
    harness.frame(80, 24);
    harness.key(KeyCode::Tab, NONE);
    harness.frame(80, 24);
    harness.key(KeyCode::Tab, NONE);
    assert_eq!(harness.press("c"), [UiEffect::Copy("rm -rf /".into())], "of a call, its command");
}
