//! The mouse before the screen: what a click hits, what a drag selects, and the text that comes of it.

use crate::mouse::{LEFT, Mouse};
use crate::scenes;
use crate::screen_harness::{scrolled, snapshot};
use crate::session_builder::SessionBuilder;
use countersign::ledger::Ending;
use countersign::ui::local::{Focus, Inspector, Overlay};
use countersign::ui::update::UiEffect;
use proptest::prelude::*;
use ratatui::crossterm::event::{KeyCode, KeyModifiers, MouseEventKind};
use unicode_segmentation::UnicodeSegmentation;

const ANSWER: &str = "The first paragraph goes on for so long that it must be broken over several rows here.\n\n\
    > A quote that is long enough to be broken as well, with a bar before each of its rows.\n\n\
    - an item that is broken, with a hanging indent below its sign on the further rows\n  - an inner one\n\n\
    ```rust\nfn main() {\n    let answer = \"a line of code that is longer than the screen is wide, so cut\";\n\n    done();\n}\n```\n\nThe end.";

#[test]
fn what_was_broken_to_fit_is_copied_whole() {
    let mut pointer = Mouse::before(ANSWER, 50, 60);
    let from = pointer.find("The first");
    let (x, y) = pointer.find("The end.");
    let copied = pointer.drags(from, (x + 7, y));
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
    let mut pointer = Mouse::before(ANSWER, 50, 60);
    let from = pointer.find("goes on");
    let to = pointer.find("answer =");
    pointer.drags(from, to);
    snapshot("selection_50x60", &pointer.marked());
}

#[test]
fn boxes_are_no_part_of_what_is_in_them() {
    let mut pointer = Mouse::at(scenes::waiting_command(), 66, 24);
    let (_, top) = pointer.find("╭ ");
    let (_, bottom) = pointer.find("╰");
    let copied = pointer.drags((0, top), (65, bottom));
    assert!(!copied.contains(['│', '─', '╭', '╰', '$']), "{copied}");
    assert!(copied.starts_with("deletes · shell waits for you · 1 of 3\n"), "{copied}");
    snapshot("selection_box_66x24", &pointer.marked());
}

#[test]
fn two_clicks_take_a_word_and_three_a_paragraph() {
    let text = "See `src/ui/text.rs`, and (https://example.org/a/rather/long/address/that/is/broken/over/rows?x=1) too.\n\nOther.";
    let mut pointer = Mouse::before(text, 44, 30);
    let at = pointer.find("rc/ui");
    assert_eq!(pointer.clicks_often(2, at), "src/ui/text.rs");
    let at = pointer.find("example");
    assert_eq!(
        pointer.clicks_often(2, at),
        "https://example.org/a/rather/long/address/that/is/broken/over/rows?x=1"
    );
    assert_eq!(pointer.clicks_often(3, at), text.split("\n\n").next().unwrap().replace('`', ""));
    let at = pointer.find("too.");
    assert_eq!(pointer.clicks_often(2, at), "too");
    assert_eq!(pointer.clicks_often(1, at), "", "one click selects nothing");
    assert_eq!(pointer.clicks_often(4, at), "", "the fourth click begins anew");
}

#[test]
fn a_drag_goes_on_beyond_the_edges_and_with_the_wheel() {
    let lines: Vec<String> = (1..=60).map(|n| format!("line {n}.")).collect();
    let mut pointer = Mouse::before(&lines.join("\n"), 60, 24);
    let from = pointer.find("line 60.");
    pointer.later();
    pointer.does(MouseEventKind::Down(LEFT), (from.0 + 7, from.1));
    for _ in 0..200 {
        pointer.does(MouseEventKind::Drag(LEFT), (4, 0));
        countersign::ui::pointer::pull(&mut pointer.harness.local);
        pointer.look();
    }
    let at = pointer.find("line 2.");
    pointer.does(MouseEventKind::Drag(LEFT), at);
    pointer.does(MouseEventKind::Up(LEFT), at);
    assert_eq!(pointer.copied(), lines[1..].join("\n"));
    assert_eq!(pointer.harness.local.pointer.pull, 0);

    // The wheel while the button is held.
    pointer.later();
    pointer.does(MouseEventKind::Down(LEFT), at);
    let below = (at.0 + 40, at.1 + 3);
    pointer.does(MouseEventKind::Drag(LEFT), below);
    pointer.does(MouseEventKind::ScrollDown, below);
    pointer.look();
    pointer.does(MouseEventKind::Up(LEFT), below);
    assert_eq!(pointer.copied(), lines[1..8].join("\n"));
}

#[test]
fn new_text_and_the_wheel_leave_the_selection_and_a_key_drops_it() {
    let mut pointer = Mouse::before("Some words to keep.", 60, 24);
    let at = pointer.find("words");
    assert_eq!(pointer.clicks_often(2, at), "words");
    pointer.harness.builder.user("more");
    pointer.harness.builder.say(None, "", &"another line\n".repeat(50), vec![]);
    pointer.harness.catch_up();
    pointer.look();
    assert!(pointer.harness.local.pointer.selection.is_some());
    assert_eq!(pointer.copied(), "words");
    pointer.does(MouseEventKind::ScrollUp, (5, 5));
    pointer.look();
    assert_eq!(pointer.copied(), "words");
    pointer.harness.key(KeyCode::Esc, KeyModifiers::NONE);
    assert_eq!((pointer.copied().as_str(), pointer.harness.local.pointer.selection.is_some()), ("", false));
}

#[test]
fn another_width_drops_the_selection() {
    let mut pointer = Mouse::before(ANSWER, 60, 24);
    let at = pointer.find("done");
    pointer.clicks_often(2, at);
    pointer.terminal = pointer.harness.terminal(70, 24);
    pointer.look();
    assert!(pointer.harness.local.pointer.selection.is_none());
}

#[test]
fn nothing_is_cut_in_half() {
    let text = "ab漢字👨‍👩‍👧‍👦e\u{301}cd";
    let mut pointer = Mouse::before(text, 60, 24);
    let (x, y) = pointer.find("ab");
    let clusters: Vec<&str> = text.graphemes(true).collect();
    for from in 0..10 {
        for to in from..10 {
            if from == to {
                continue;
            }
            let copied = pointer.drags((x + from, y), (x + to, y));
            let taken: Vec<&str> = copied.graphemes(true).collect();
            assert!(
                text.contains(&copied) && taken.iter().all(|one| clusters.contains(one)),
                "{from}..{to}: {copied:?}"
            );
        }
    }
    // Either half of a wide one takes all of it.
    assert_eq!(pointer.drags((x + 3, y), (x + 4, y)), "漢字");
    assert_eq!(pointer.drags((x + 7, y), (x + 8, y)), "👨‍👩‍👧‍👦e\u{301}");
}

#[test]
fn a_click_gives_the_focus_and_another_one_opens() {
    let mut pointer = Mouse::at(scenes::interrupted(), 80, 24);
    let y = (0..24).find(|y| pointer.row(*y).contains("■ shell")).unwrap();
    assert_eq!(pointer.clicks((20, y)), []);
    let focus = pointer.harness.local.focused(&pointer.harness.view);
    assert!(matches!(focus, Focus::Card(_)), "{focus:?}");
    // On its first row also when it comes quickly.
    assert_eq!(pointer.clicks((20, y)), []);
    assert!(matches!(pointer.harness.local.overlay, Some(Overlay::Output(..))), "{}", pointer.screen());
}

#[test]
fn no_click_decides() {
    for (width, height) in [(80, 24), (40, 10), (120, 40)] {
        let mut pointer = Mouse::at(scenes::waiting_command(), width, height);
        for y in 0..height {
            for x in 0..width {
                for _ in 0..3 {
                    let acts = pointer.does(MouseEventKind::Down(LEFT), (x, y));
                    assert!(acts.is_empty(), "{acts:?}");
                    let acts = pointer.does(MouseEventKind::Up(LEFT), (x, y));
                    assert!(acts.iter().all(|act| *act == UiEffect::CopySelected), "{acts:?}");
                }
            }
        }
        assert!(pointer.harness.local.answered.is_empty() && pointer.harness.local.overlay.is_none());
        let (x, y) = pointer.find("1 of 3");
        pointer.harness.local.focus = Focus::Card(pointer.harness.view.focusable().next().unwrap());
        pointer.later();
        pointer.clicks((x, y));
        assert!(matches!(pointer.harness.local.focus, Focus::Approval(_)), "a click gives it the focus");
    }
}

#[test]
fn a_click_unfolds_reasoning_and_folds_it_again() {
    let mut builder = SessionBuilder::new();
    builder.user("go");
    builder.say(None, "first this, then that", "Said.", vec![]);
    builder.end(Ending::Completed);
    let mut pointer = Mouse::at(builder, 60, 24);
    let at = pointer.find("▸ thinking");
    pointer.clicks(at);
    let at = pointer.find("▾ thinking");
    pointer.find("first this");
    pointer.later();
    pointer.clicks(at);
    pointer.find("▸ thinking");
}

#[test]
fn a_click_puts_the_cursor_there() {
    let mut pointer = Mouse::at(SessionBuilder::new(), 60, 24);
    pointer.harness.press("one 漢字 e\u{301}nd");
    pointer.look();
    for (text, offset, typed) in [
        ("字", 1, "one 漢|字 e\u{301}nd"),
        ("e\u{301}nd", 1, "one 漢字 e\u{301}|nd"),
        ("one", 0, "|one 漢字 e\u{301}nd"),
    ] {
        let (x, y) = pointer.find(text);
        pointer.later();
        pointer.clicks((x + offset, y));
        pointer.harness.press("|");
        assert_eq!(pointer.harness.local.composer.shown(), typed);
        pointer.harness.key(KeyCode::Backspace, KeyModifiers::NONE);
        pointer.look();
    }
    let (_, y) = pointer.find("one");
    pointer.clicks((58, y));
    pointer.harness.press("|");
    assert_eq!(pointer.harness.local.composer.shown(), "one 漢字 e\u{301}nd|");
}

#[test]
fn lists_are_chosen_from_by_clicks() {
    let mut pointer = Mouse::at(scenes::interrupted(), 120, 24);
    pointer.harness.local.overlay = Some(Overlay::Ledger(Inspector::default()));
    pointer.look();
    let at = pointer.find("e3");
    pointer.clicks(at);
    let Some(Overlay::Ledger(inspector)) = &pointer.harness.local.overlay else { panic!("closed") };
    assert_eq!(inspector.entry(&pointer.harness.view).unwrap().to_string(), "e3");
    assert!(!inspector.open);
    pointer.later();
    pointer.does(MouseEventKind::ScrollDown, at);
    pointer.look();
    let Some(Overlay::Ledger(inspector)) = &pointer.harness.local.overlay else { panic!("closed") };
    assert_eq!(inspector.entry(&pointer.harness.view).unwrap().to_string(), "e4", "the wheel over the list");
    let at = pointer.find("› e4");
    pointer.clicks(at);
    let Some(Overlay::Ledger(inspector)) = &pointer.harness.local.overlay else { panic!("closed") };
    assert!(inspector.open, "a click on the chosen one");
    let tab = pointer.find("Timeline");
    pointer.clicks(tab);
    let Some(Overlay::Ledger(inspector)) = &pointer.harness.local.overlay else { panic!("closed") };
    assert_eq!((inspector.tab.name().0, inspector.open), ("Timeline", false));

    let palette = countersign::ui::palette::palette(&pointer.harness.local, &pointer.harness.view);
    pointer.harness.local.overlay = Some(Overlay::Picker(palette));
    pointer.look();
    let at = pointer.find("the budgets");
    pointer.later();
    pointer.clicks(at);
    assert!(pointer.row(at.1).contains("› "), "{}", pointer.screen());
    let at = pointer.find("the budgets");
    pointer.later();
    pointer.clicks(at);
    assert!(scrolled(pointer.harness.local.overlay.as_ref(), "budgets").is_some(), "{}", pointer.screen());
}

#[test]
fn a_page_is_selected_from_as_the_transcript_is() {
    let mut pointer = Mouse::at(scenes::waiting_diff(), 60, 24);
    pointer.harness.answers("o");
    pointer.look();
    let at = pointer.find("arguments");
    assert_eq!(pointer.clicks_often(2, at), "arguments");
    let y = at.1;
    let copied = pointer.drags((0, y), (59, y + 6));
    let rows: Vec<String> = (y..y + 7).map(|y| pointer.row(y).trim().to_owned()).collect();
    let squeezed = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    assert_eq!(squeezed(&copied), squeezed(&rows.join("")));
    snapshot("selection_page_60x24", &pointer.marked());
}

#[test]
fn links_are_the_cells_of_their_text() {
    let text = "Read [the guide to everything that there is to know](https://example.org/guide) and https://bare.org/x.";
    let pointer = Mouse::before(text, 44, 30);
    let buffer = pointer.terminal.backend().buffer();
    let links = pointer.harness.layouts.links();
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
    let mut pointer = Mouse::before(&text, 60, 30);
    let before = pointer.harness.layouts.links();
    pointer.does(MouseEventKind::ScrollUp, (5, 5));
    pointer.look();
    assert_eq!(pointer.harness.layouts.links(), before);
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
        let mut pointer = Mouse::before(&format!("{before}{text}"), width, 60);
        let at = pointer.find("Begin");
        let copied = pointer.clicks_often(3, at);
        let sign = if shape >= 2 { "• " } else { "" };
        prop_assert_eq!(copied, format!("{sign}Begin {}", plain(&words)));
    }

    #[test]
    fn code_is_the_same_whatever_the_width(lines in prop::collection::vec("[ ]{0,8}[a-z(){};= 漢]{0,90}[a-z;]", 1..8), width in 40_u16..140) {
        let code = lines.join("\n");
        let mut pointer = Mouse::before(&format!("First.\n\n```\n{code}\n```\n\nLast."), width, 60);
        let from = pointer.find("First.");
        let (x, y) = pointer.find("Last.");
        prop_assert_eq!(pointer.drags(from, (x + 4, y)), format!("First.\n\n{code}\n\nLast."));
    }

    #[test]
    fn a_storm_leaves_the_screen_usable(events in prop::collection::vec((0..10, 0_u16..90, 0_u16..30, 0_u64..600), 1..120)) {
        let mut pointer = Mouse::at(scenes::conversation(), 80, 24);
        for (kind, x, y, later) in events {
            let kind = match kind {
                0..=2 => MouseEventKind::Down(LEFT),
                3 | 4 => MouseEventKind::Up(LEFT),
                5 | 6 => MouseEventKind::Drag(LEFT),
                7 => MouseEventKind::ScrollUp,
                8 => MouseEventKind::ScrollDown,
                _ => MouseEventKind::Moved,
            };
            pointer.now += later;
            let acts = pointer.does(kind, (x, y));
            let harmless = acts.iter().all(|act| matches!(act, UiEffect::CopySelected));
            prop_assert!(harmless, "{:?}", acts);
            pointer.look();
            pointer.copied();
        }
    }
}
