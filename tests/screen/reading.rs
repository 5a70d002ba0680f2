//! What is being read stays where it is: through other sizes, an answer that grows, reasoning that unfolds.

use crate::deliberate::{before, look};
use crate::screen_harness::ScreenHarness;
use crate::session_builder::SessionBuilder;
use countersign::agent::{Event, Live};
use countersign::ledger::{Decider, Ending, EntryId, Outcome, Preview};
use countersign::ui::theme::Theme;
use proptest::prelude::*;
use ratatui::crossterm::event::{KeyCode, KeyModifiers};
use ratatui::style::Modifier;
use serde_json::json;

/// So many words that occur once.
fn words(from: usize, count: usize) -> String {
    (from..from + count).map(|n| format!("w{n}x")).collect::<Vec<_>>().join(" ")
}

/// Long prose, lists, code and calls, each word once.
fn long() -> ScreenHarness {
    let mut builder = SessionBuilder::new();
    for part in 0..4 {
        let at = part * 1_000;
        builder.user(&words(at, 60));
        let read = builder.tool_use("read", json!({"path": format!("w{}x.rs", at + 100)}));
        let text = format!(
            "{}\n\n- {}\n- {}\n\n```\n{}\n```\n\n> {}\n\n{}",
            words(at + 200, 90),
            words(at + 300, 40),
            words(at + 350, 40),
            words(at + 400, 30).replace(' ', "\n"),
            words(at + 500, 50),
            words(at + 600, 90),
        );
        for call in builder.say(None, &words(at + 700, 120), &text, vec![read]) {
            builder.decide(call.id(), true, Decider::Policy);
            builder.settle(call, Outcome::Ok, "one\n", 3);
        }
        builder.end(Ending::Completed);
    }
    ScreenHarness::new(builder)
}

/// The rows of the transcript: below the header, above the gauges.
fn transcript(frame: &str, height: u16) -> Vec<String> {
    let (above, below) = if height >= 20 {
        (2, 6)
    } else if height >= 16 {
        (1, 5)
    } else {
        (1, 3)
    };
    let rows: Vec<&str> = frame.lines().collect();
    rows[above..rows.len() - below].iter().map(|row| (*row).to_owned()).collect()
}

/// The first word of the transcript that occurs once.
fn first(rows: &[String]) -> Option<String> {
    let words = rows.iter().flat_map(|row| row.split_whitespace());
    words.map(str::to_owned).find(|word| word.starts_with('w') && word.ends_with('x'))
}

fn sizes() -> impl Strategy<Value = (u16, u16)> {
    (40_u16..150, 10_u16..60)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn resizes_come_back_to_the_line_that_was_read(
        start in sizes(),
        between in prop::collection::vec(sizes(), 1..6),
        up in 1_i32..120,
        unfolds in any::<bool>(),
    ) {
        let mut harness = long();
        if unfolds {
            harness.ctrl('t');
        }
        harness.frame(start.0, start.1);
        harness.local.scroll.wish = -up;
        let before = harness.frame(start.0, start.1);
        let read = first(&transcript(&before, start.1));
        for (width, height) in between {
            let frame = harness.frame(width, height);
            let rows = transcript(&frame, height);
            if let (Some(read), Some(_)) = (&read, harness.local.scroll.top) {
                // In the first row that says anything: lines are broken elsewhere, but not so far away.
                let head: String = rows.iter().take_while(|row| first(std::slice::from_ref(row)).is_none()).cloned().collect();
                let row = rows.iter().find(|row| first(std::slice::from_ref(row)).is_some()).cloned().unwrap_or(head);
                prop_assert!(row.contains(read.as_str()), "{read} at {width}x{height}:\n{frame}");
            }
        }
        let after = harness.frame(start.0, start.1);
        prop_assert_eq!(before, after);
    }
}

#[test]
fn a_growing_answer_moves_nothing_and_is_told() {
    let mut builder = SessionBuilder::new();
    builder.user("Explain.");
    let message = builder.ledger.reserve();
    builder.live(Live::Text { message, text: words(0, 600) });
    let mut harness = ScreenHarness::new(builder);
    harness.frame(80, 24);
    harness.key(KeyCode::PageUp, KeyModifiers::NONE);
    let held = harness.frame(80, 24);
    assert!(held.contains("more below"), "{held}");
    grow(&mut harness, message, &words(600, 300));
    let grown = harness.frame(80, 24);
    let mark = |frame: &str| frame.lines().position(|row| row.contains("below"));
    let without = |frame: &str| {
        let at = mark(frame).unwrap();
        frame.lines().take(at).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(without(&held)[2..], without(&grown)[2..]);
    assert!(grown.contains("1 new below"), "{grown}");

    harness.frame(100, 30);
    grow(&mut harness, message, &words(900, 300));
    let back = harness.frame(80, 24);
    assert_eq!(without(&held)[2..], without(&back)[2..], "while it grows, too");

    harness.key(KeyCode::End, KeyModifiers::CONTROL);
    let end = harness.frame(80, 24);
    assert!(end.contains("w1199x") && !end.contains("below"), "{end}");
    grow(&mut harness, message, &words(1200, 300));
    assert!(harness.frame(80, 24).contains("w1499x"), "the end is followed again");
}

#[test]
fn who_sees_the_end_after_a_resize_follows_it() {
    let mut harness = long();
    harness.frame(80, 20);
    harness.key(KeyCode::PageUp, KeyModifiers::NONE);
    let held = harness.frame(80, 20);
    harness.frame(150, 100);
    assert_eq!(harness.local.scroll.top, None, "all of the rest is in sight");
    assert_eq!(harness.frame(80, 20), held);
    harness.frame(150, 100);
    harness.builder.user("news");
    harness.catch_up();
    harness.frame(150, 100);
    let followed = harness.frame(80, 20);
    assert!(followed.contains("news"), "{followed}");
}

#[test]
fn unfolding_reasoning_keeps_the_answer_in_place() {
    let mut harness = long();
    harness.frame(80, 24);
    harness.key(KeyCode::PageUp, KeyModifiers::NONE);
    let folded = harness.frame(80, 24);
    harness.ctrl('t');
    let open = harness.frame(80, 24);
    let read = first(&transcript(&folded, 24));
    assert_eq!(first(&transcript(&open, 24)), read);
    harness.ctrl('t');
    assert_eq!(harness.frame(80, 24), folded);
}

fn grow(harness: &mut ScreenHarness, message: EntryId, text: &str) {
    harness.view.fold(&Event::Live(Live::Text { message, text: format!(" {text}") }));
}

#[test]
fn the_page_of_a_call_breaks_its_command_between_words_as_the_card_does() {
    let mut builder = SessionBuilder::new();
    builder.user("Make them.");
    let command: Vec<String> = (1..40).map(|number| format!("w{number:03}")).collect();
    let command = format!("touch {}", command.join(" "));
    let call = builder.tool_use("shell", json!({ "command": command }));
    let open = builder.say(None, "", "I make them.", vec![call]);
    builder.ask(open[0].id(), "shell", Preview::Command(command.clone()));
    std::mem::forget(open);
    let mut harness = before(builder, (40, 24));
    harness.turns();
    harness.key(KeyCode::Enter, KeyModifiers::NONE);
    let frame = look(&mut harness);
    assert!(frame.contains("arguments"), "{frame}");
    for word in command.split(' ').take(20) {
        assert!(frame.contains(word), "{word} is broken: {frame}");
    }
}

#[test]
fn no_line_of_an_argument_is_taken_for_another_one() {
    let spread = format!("echo {} background: false", "x".repeat(60));
    let lines =
        "curl -d @notes.txt https://example.org/\nbackground: false\ntimeout_seconds: 5\n\nwhy it asks";
    for (command, width) in [(lines, 40), (lines, 80), (lines, 120), (spread.as_str(), 80)] {
        let mut builder = SessionBuilder::new();
        builder.user("Go.");
        let arguments = json!({ "command": command, "background": true, " timeout_seconds": 5 });
        let call = builder.tool_use("shell", arguments);
        let open = builder.say(None, "", "At once.", vec![call]);
        builder.ask(open[0].id(), "shell", Preview::Command(command.to_owned()));
        std::mem::forget(open);
        let mut harness = before(builder, (width, 40));
        let frame = look(&mut harness);
        assert!(frame.contains("│ with ") && !frame.contains("│ background"), "{frame}");
        harness.turns();
        harness.key(KeyCode::Enter, KeyModifiers::NONE);
        let page = look(&mut harness);
        // Our headings stand before the margin, names behind it, and what a value goes on with further in.
        let rows = page.lines().skip_while(|row| *row != "  arguments").skip(1);
        let rows: Vec<&str> = rows.take_while(|row| *row != "  why it asks").collect();
        assert!(rows.iter().all(|row| row.is_empty() || row.starts_with("    ")), "{page}");
        let mut names: Vec<&str> = rows.iter().filter_map(|row| row.strip_prefix("    ")).collect();
        names.retain(|row| !row.starts_with(' ') && !row.is_empty());
        names.sort_unstable();
        let [timeout, background, made] = names[..] else { panic!("{page}") };
        assert_eq!((timeout, background), ("\" timeout_seconds\": 5", "background: true"), "{page}");
        assert!(made.starts_with("command: "), "{page}");
    }
}

#[test]
fn words_that_go_on_under_the_mark_are_cut_with_a_sign_and_leave_no_look_in_it() {
    for (letter, width) in [("w", 40), ("−", 80)] {
        let mut builder = SessionBuilder::new();
        builder.user("Explain.");
        builder.say(None, "", &format!("**{}**", letter.repeat(3_000)), vec![]);
        let mut harness = ScreenHarness::new(builder);
        harness.theme = Theme::builtin("countersign-dark").unwrap();
        harness.frame(width, 10);
        harness.key(KeyCode::PageUp, KeyModifiers::NONE);
        let drawn = harness.buffer(width, 10);
        let is_mark = |x: u16, y: u16| drawn[(x, y)].symbol() == "↓";
        let (x, y) =
            (0..10).flat_map(|y| (0..width).map(move |x| (x, y))).find(|(x, y)| is_mark(*x, *y)).unwrap();
        assert!(
            drawn[(2, y)].symbol() == " " && drawn[(3, y)].modifier.contains(Modifier::BOLD),
            "bold before it"
        );
        assert_eq!(drawn[(x - 2, y)].symbol(), "…");
        for x in x - 1..width {
            assert!(!drawn[(x, y)].modifier.contains(Modifier::BOLD), "column {x}");
        }
    }
}
