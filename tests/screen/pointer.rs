//! The mouse before the screen: what a click hits, what a drag selects, and the text that comes of it.

use crate::frames::{scrolled, snapshot};
use crate::hand::{Hand, LEFT};
use crate::scenes;
use crate::stage::Stage;
use countersign::ledger::Ending;
use countersign::ui::local::{Focus, Inspector, Overlay};
use countersign::ui::picker::Picker;
use countersign::ui::update::Act;
use proptest::prelude::*;
use ratatui::crossterm::event::{KeyCode, KeyModifiers, MouseEventKind};
use unicode_segmentation::UnicodeSegmentation;

const ANSWER: &str = "The first paragraph goes on for so long that it must be broken over several rows here.\n\n\
    > A quote that is long enough to be broken as well, with a bar before each of its rows.\n\n\
    - an item that is broken, with a hanging indent below its sign on the further rows\n  - an inner one\n\n\
    ```rust\nfn main() {\n    let answer = \"a line of code that is longer than the screen is wide, so cut\";\n\n    done();\n}\n```\n\nThe end.";

#[test]
fn what_was_broken_to_fit_is_copied_whole() {
    let mut hand = Hand::before(ANSWER, 50, 60);
    let from = hand.find("The first");
    let (x, y) = hand.find("The end.");
    let copied = hand.drags(from, (x + 7, y));
    assert_eq!(
        copied,
        "The first paragraph goes on for so long that it must be broken over several rows here.\n\n\
         A quote that is long enough to be broken as well, with a bar before each of its rows.\n\n\
         • an item that is broken, with a hanging indent below its sign on the further rows\n◦ an inner one\n\n\
         rust\nfn main() {\n    let answer = \"a line of code that is longer than the screen is wide, so cut\";\n\n    done();\n}\n\nThe end."
    );
}

#[test]
fn a_selection_looks_like_one_and_leaves_gutters_out() {
    let mut hand = Hand::before(ANSWER, 50, 60);
    let from = hand.find("goes on");
    let to = hand.find("answer =");
    hand.drags(from, to);
    snapshot("selection_50x60", &hand.marked());
}

#[test]
fn boxes_are_no_part_of_what_is_in_them() {
    let mut hand = Hand::at(scenes::waiting_command(), 60, 24);
    let (_, top) = hand.find("╭ ");
    let (_, bottom) = hand.find("╰");
    let copied = hand.drags((0, top), (59, bottom));
    assert!(!copied.contains(['│', '─', '╭', '╰', '$']), "{copied}");
    assert!(copied.starts_with("shell waits for you · 1 of 3\n"), "{copied}");
    snapshot("selection_box_60x24", &hand.marked());
}

#[test]
fn two_clicks_take_a_word_and_three_a_paragraph() {
    let text = "See `src/ui/text.rs`, and (https://example.org/a/rather/long/address/that/is/broken/over/rows?x=1) too.\n\nOther.";
    let mut hand = Hand::before(text, 44, 30);
    let at = hand.find("rc/ui");
    assert_eq!(hand.clicks_often(2, at), "src/ui/text.rs");
    let at = hand.find("example");
    assert_eq!(
        hand.clicks_often(2, at),
        "https://example.org/a/rather/long/address/that/is/broken/over/rows?x=1"
    );
    assert_eq!(hand.clicks_often(3, at), text.split("\n\n").next().unwrap().replace('`', ""));
    let at = hand.find("too.");
    assert_eq!(hand.clicks_often(2, at), "too");
    assert_eq!(hand.clicks_often(1, at), "", "one click selects nothing");
    assert_eq!(hand.clicks_often(4, at), "", "the fourth click begins anew");
}

#[test]
fn a_drag_goes_on_beyond_the_edges_and_with_the_wheel() {
    let lines: Vec<String> = (1..=60).map(|n| format!("line {n}.")).collect();
    let mut hand = Hand::before(&lines.join("\n"), 60, 24);
    let from = hand.find("line 60.");
    hand.later();
    hand.does(MouseEventKind::Down(LEFT), (from.0 + 7, from.1));
    for _ in 0..200 {
        hand.does(MouseEventKind::Drag(LEFT), (4, 0));
        countersign::ui::pointer::pull(&mut hand.seat.local);
        hand.look();
    }
    let at = hand.find("line 2.");
    hand.does(MouseEventKind::Drag(LEFT), at);
    hand.does(MouseEventKind::Up(LEFT), at);
    assert_eq!(hand.copied(), lines[1..].join("\n"));
    assert_eq!(hand.seat.local.pointer.pull, 0);

    // The wheel while the button is held.
    hand.later();
    hand.does(MouseEventKind::Down(LEFT), at);
    let below = (at.0 + 40, at.1 + 3);
    hand.does(MouseEventKind::Drag(LEFT), below);
    hand.does(MouseEventKind::ScrollDown, below);
    hand.look();
    hand.does(MouseEventKind::Up(LEFT), below);
    assert_eq!(hand.copied(), lines[1..8].join("\n"));
}

#[test]
fn new_text_and_the_wheel_leave_the_selection_and_a_key_drops_it() {
    let mut hand = Hand::before("Some words to keep.", 60, 24);
    let at = hand.find("words");
    assert_eq!(hand.clicks_often(2, at), "words");
    hand.seat.stage.user("more");
    hand.seat.stage.say(None, "", &"another line\n".repeat(50), vec![]);
    hand.seat.catch_up();
    hand.look();
    assert!(hand.seat.local.pointer.selection.is_some());
    assert_eq!(hand.copied(), "words");
    hand.does(MouseEventKind::ScrollUp, (5, 5));
    hand.look();
    assert_eq!(hand.copied(), "words");
    hand.seat.key(KeyCode::Esc, KeyModifiers::NONE);
    assert_eq!((hand.copied().as_str(), hand.seat.local.pointer.selection.is_some()), ("", false));
}

#[test]
fn another_width_drops_the_selection() {
    let mut hand = Hand::before(ANSWER, 60, 24);
    let at = hand.find("done");
    hand.clicks_often(2, at);
    hand.terminal = hand.seat.terminal(70, 24);
    hand.look();
    assert!(hand.seat.local.pointer.selection.is_none());
}

#[test]
fn nothing_is_cut_in_half() {
    let text = "ab漢字👨‍👩‍👧‍👦e\u{301}cd";
    let mut hand = Hand::before(text, 60, 24);
    let (x, y) = hand.find("ab");
    let clusters: Vec<&str> = text.graphemes(true).collect();
    for from in 0..10 {
        for to in from..10 {
            if from == to {
                continue;
            }
            let copied = hand.drags((x + from, y), (x + to, y));
            let taken: Vec<&str> = copied.graphemes(true).collect();
            assert!(
                text.contains(&copied) && taken.iter().all(|one| clusters.contains(one)),
                "{from}..{to}: {copied:?}"
            );
        }
    }
    // Either half of a wide one takes all of it.
    assert_eq!(hand.drags((x + 3, y), (x + 4, y)), "漢字");
    assert_eq!(hand.drags((x + 7, y), (x + 8, y)), "👨‍👩‍👧‍👦e\u{301}");
}

#[test]
fn a_click_gives_the_focus_and_another_one_opens() {
    let mut hand = Hand::at(scenes::interrupted(), 80, 24);
    let y = (0..24).find(|y| hand.row(*y).contains("interrupted after")).unwrap();
    assert_eq!(hand.clicks((20, y)), []);
    let focus = hand.seat.local.focused(&hand.seat.view);
    assert!(matches!(focus, Focus::Card(_)), "{focus:?}");
    // On its first row also when it comes quickly.
    assert_eq!(hand.clicks((20, y)), []);
    assert!(matches!(hand.seat.local.overlay, Some(Overlay::Output(..))), "{}", hand.screen());
}

#[test]
fn no_click_decides() {
    for (width, height) in [(80, 24), (40, 10), (120, 40)] {
        let mut hand = Hand::at(scenes::waiting_command(), width, height);
        for y in 0..height {
            for x in 0..width {
                for _ in 0..3 {
                    let acts = hand.does(MouseEventKind::Down(LEFT), (x, y));
                    assert!(acts.is_empty(), "{acts:?}");
                    let acts = hand.does(MouseEventKind::Up(LEFT), (x, y));
                    assert!(acts.iter().all(|act| *act == Act::CopySelected), "{acts:?}");
                }
            }
        }
        assert!(hand.seat.local.answered.is_empty() && hand.seat.local.overlay.is_none());
        let (x, y) = hand.find("waits for you");
        hand.seat.local.focus = Focus::Card(hand.seat.view.focusable().next().unwrap());
        hand.later();
        hand.clicks((x, y));
        assert!(matches!(hand.seat.local.focus, Focus::Approval(_)), "a click gives it the focus");
    }
}

#[test]
fn a_click_unfolds_reasoning_and_folds_it_again() {
    let mut stage = Stage::new();
    stage.user("go");
    stage.say(None, "first this, then that", "Said.", vec![]);
    stage.end(Ending::Completed);
    let mut hand = Hand::at(stage, 60, 24);
    let at = hand.find("▸ thinking");
    hand.clicks(at);
    let at = hand.find("▾ thinking");
    hand.find("first this");
    hand.later();
    hand.clicks(at);
    hand.find("▸ thinking");
}

#[test]
fn a_click_puts_the_cursor_there() {
    let mut hand = Hand::at(Stage::new(), 60, 24);
    hand.seat.press("one 漢字 e\u{301}nd");
    hand.look();
    for (text, offset, typed) in [
        ("字", 1, "one 漢|字 e\u{301}nd"),
        ("nd", 0, "one 漢字 e\u{301}|nd"),
        ("one", 0, "|one 漢字 e\u{301}nd"),
    ] {
        let (x, y) = hand.find(text);
        hand.later();
        hand.clicks((x + offset, y));
        hand.seat.press("|");
        assert_eq!(hand.seat.local.composer.shown(), typed);
        hand.seat.key(KeyCode::Backspace, KeyModifiers::NONE);
        hand.look();
    }
    let (_, y) = hand.find("one");
    hand.clicks((58, y));
    hand.seat.press("|");
    assert_eq!(hand.seat.local.composer.shown(), "one 漢字 e\u{301}nd|");
}

#[test]
fn lists_are_chosen_from_by_clicks() {
    let mut hand = Hand::at(scenes::interrupted(), 120, 24);
    hand.seat.local.overlay = Some(Overlay::Ledger(Inspector::default()));
    hand.look();
    let at = hand.find("e3");
    hand.clicks(at);
    let Some(Overlay::Ledger(inspector)) = &hand.seat.local.overlay else { panic!("closed") };
    assert_eq!(inspector.entry(&hand.seat.view).unwrap().to_string(), "e3");
    assert!(!inspector.open);
    hand.later();
    hand.does(MouseEventKind::ScrollDown, at);
    hand.look();
    let Some(Overlay::Ledger(inspector)) = &hand.seat.local.overlay else { panic!("closed") };
    assert_eq!(inspector.entry(&hand.seat.view).unwrap().to_string(), "e4", "the wheel over the list");
    let at = hand.find("› e4");
    hand.clicks(at);
    let Some(Overlay::Ledger(inspector)) = &hand.seat.local.overlay else { panic!("closed") };
    assert!(inspector.open, "a click on the chosen one");
    let tab = hand.find("Timeline");
    hand.clicks(tab);
    let Some(Overlay::Ledger(inspector)) = &hand.seat.local.overlay else { panic!("closed") };
    assert_eq!((inspector.tab.name().0, inspector.open), ("Timeline", false));

    hand.seat.local.overlay = Some(Overlay::Picker(Picker::palette()));
    hand.look();
    let at = hand.find("the budgets");
    hand.later();
    hand.clicks(at);
    assert!(hand.row(at.1).contains("› "), "{}", hand.screen());
    let at = hand.find("the budgets");
    hand.later();
    hand.clicks(at);
    assert!(scrolled(hand.seat.local.overlay.as_ref(), "budgets").is_some(), "{}", hand.screen());
}

#[test]
fn a_page_is_selected_from_as_the_transcript_is() {
    let mut hand = Hand::at(scenes::waiting_diff(), 60, 24);
    hand.seat.answers("o");
    hand.look();
    let at = hand.find("arguments");
    assert_eq!(hand.clicks_often(2, at), "arguments");
    let y = at.1;
    let copied = hand.drags((0, y), (59, y + 6));
    let rows: Vec<String> = (y..y + 7).map(|y| hand.row(y).trim().to_owned()).collect();
    let squeezed = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    assert_eq!(squeezed(&copied), squeezed(&rows.join("")));
    snapshot("selection_page_60x24", &hand.marked());
}

#[test]
fn links_are_the_cells_of_their_text() {
    let text = "Read [the guide to everything that there is to know](https://example.org/guide) and https://bare.org/x.";
    let hand = Hand::before(text, 44, 30);
    let buffer = hand.terminal.backend().buffer();
    let links = hand.seat.layouts.links();
    let mut said: std::collections::BTreeMap<&str, String> = Default::default();
    for y in 0..30 {
        for x in 0..44 {
            let cell = &buffer[(x, y)];
            if let Some(number) = countersign::ui::text::tag::link_of(cell.underline_color) {
                said.entry(&links[&number]).or_default().push_str(cell.symbol());
            }
        }
    }
    let expected = [
        // Once as the text of the link, once where the address stands beside it.
        ("https://bare.org/x", "https://bare.org/x"),
        (
            "https://example.org/guide",
            "the guide to everything thatthere is to knowhttps://example.org/guide",
        ),
    ];
    assert_eq!(said.into_iter().collect::<Vec<_>>(), expected.map(|(to, text)| (to, text.to_owned())));
    assert_eq!(links.len(), 2);
}

#[test]
fn links_keep_their_numbers_while_they_are_in_sight() {
    let mut text = "[one](https://a.org/1)\n\n".to_owned();
    text.push_str(&"filler\n\n".repeat(8));
    text.push_str("[two](https://a.org/2)");
    let mut hand = Hand::before(&text, 60, 30);
    let before = hand.seat.layouts.links();
    hand.does(MouseEventKind::ScrollUp, (5, 5));
    hand.look();
    assert_eq!(hand.seat.layouts.links(), before);
    assert!(before.len() >= 2);
}

fn words() -> impl Strategy<Value = Vec<String>> {
    let word = prop_oneof![
        8 => "[a-zA-Z0-9]{1,12}",
        1 => "[a-z]{30,70}",
        1 => Just("漢字漢字".to_owned()),
        1 => Just("👨‍👩‍👧‍👦".to_owned()),
        1 => Just("e\u{301}tude".to_owned()),
        1 => Just("**bold**".to_owned()),
        1 => Just("`code`".to_owned()),
        1 => Just("https://example.org/a/b?c=d".to_owned()),
    ];
    prop::collection::vec(word, 1..40)
}

/// What markdown leaves of the words.
fn plain(words: &[String]) -> String {
    words.join(" ").replace("**", "").replace('`', "")
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn a_paragraph_is_the_same_whatever_the_width(words in words(), width in 40_u16..140, shape in 0_usize..4) {
        let before = ["", "> ", "- ", "- > "][shape];
        let text = format!("Begin {}", words.join(" "));
        let mut hand = Hand::before(&format!("{before}{text}"), width, 60);
        let at = hand.find("Begin");
        let copied = hand.clicks_often(3, at);
        let sign = if shape >= 2 { "• " } else { "" };
        prop_assert_eq!(copied, format!("{sign}Begin {}", plain(&words)));
    }

    #[test]
    fn code_is_the_same_whatever_the_width(lines in prop::collection::vec("[ ]{0,8}[a-z(){};= 漢]{0,90}[a-z;]", 1..8), width in 40_u16..140) {
        let code = lines.join("\n");
        let mut hand = Hand::before(&format!("First.\n\n```\n{code}\n```\n\nLast."), width, 60);
        let from = hand.find("First.");
        let (x, y) = hand.find("Last.");
        prop_assert_eq!(hand.drags(from, (x + 4, y)), format!("First.\n\n{code}\n\nLast."));
    }

    #[test]
    fn a_storm_leaves_the_screen_usable(events in prop::collection::vec((0..10, 0_u16..90, 0_u16..30, 0_u64..600), 1..120)) {
        let mut hand = Hand::at(scenes::conversation(), 80, 24);
        for (kind, x, y, later) in events {
            let kind = match kind {
                0..=2 => MouseEventKind::Down(LEFT),
                3 | 4 => MouseEventKind::Up(LEFT),
                5 | 6 => MouseEventKind::Drag(LEFT),
                7 => MouseEventKind::ScrollUp,
                8 => MouseEventKind::ScrollDown,
                _ => MouseEventKind::Moved,
            };
            hand.now += later;
            let acts = hand.does(kind, (x, y));
            let harmless = acts.iter().all(|act| matches!(act, Act::CopySelected));
            prop_assert!(harmless, "{:?}", acts);
            hand.look();
            hand.copied();
        }
    }
}
