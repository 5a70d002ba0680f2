//! Answers of many thousands of rows: what a frame costs depends on the window, and nothing else works otherwise.

use crate::mouse::Mouse;
use crate::screen_harness::ScreenHarness;
use crate::session_builder::SessionBuilder;
use countersign::agent::Live;
use countersign::ledger::{Ending, Preview};
use ratatui::crossterm::event::{KeyCode, KeyModifiers};
use serde_json::json;

const NONE: KeyModifiers = KeyModifiers::NONE;

/// What answers are long of: its beginning, what is repeated, its end.
const KINDS: [(&str, &str, &str); 6] = [
    ("", "Some words of a paragraph.\n\n", ""),
    ("", "- an item of a list\n", ""),
    ("```rust\n", "let x = 1; // one\n", "```\n"),
    ("", "words without an end ", "\n"),
    ("", "#\n\n", ""),
    ("| a | b |\n|---|---|\n", "| one | two |\n", "\n"),
];

fn answer((begins, unit, ends): (&str, &str, &str), units: usize) -> String {
    let rest = units / 2;
    format!(
        "alpha begins\n\n{begins}{}{ends}\nthe middle\n\n{begins}{}{ends}\nomega ends",
        unit.repeat(units - rest),
        unit.repeat(rest)
    )
}

fn finished(text: &str) -> SessionBuilder {
    let mut builder = SessionBuilder::new();
    builder.user("Tell me all.");
    builder.say(None, "I think.", text, Vec::new());
    builder.end(Ending::Completed);
    builder
}

/// What the frames cost that this leads to, and what the last of them shows.
fn cost(
    harness: &mut ScreenHarness,
    size: (u16, u16),
    act: impl FnOnce(&mut ScreenHarness),
) -> (usize, String) {
    let before = harness.layouts.work();
    act(harness);
    let frame = harness.frame(size.0, size.1);
    (harness.layouts.work() - before, frame)
}

/// What each step costs in pieces that are laid out.
fn steps(text: &str) -> Vec<usize> {
    let mut harness = ScreenHarness::new(finished(text));
    let mut costs = Vec::new();
    let mut step = |harness: &mut ScreenHarness, size, shows: &str, act: fn(&mut ScreenHarness)| {
        let (cost, frame) = cost(harness, size, act);
        assert!(frame.contains(shows), "{shows:?} is not in\n{frame}");
        costs.push(cost);
    };
    step(&mut harness, (80, 24), "omega ends", |_| {});
    step(&mut harness, (60, 24), "omega ends", |_| {});
    step(&mut harness, (60, 24), "", |harness| drop(harness.key(KeyCode::PageUp, NONE)));
    step(&mut harness, (100, 40), "", |_| {});
    step(&mut harness, (100, 40), "omega ends", |harness| {
        drop(harness.key(KeyCode::End, KeyModifiers::CONTROL))
    });
    step(&mut harness, (100, 40), "alpha begins", |harness| {
        drop(harness.key(KeyCode::Home, KeyModifiers::CONTROL))
    });
    step(&mut harness, (50, 20), "alpha begins", |_| {});
    step(&mut harness, (50, 20), "the middle", |harness| {
        harness.ctrl('f');
        harness.press("the middle");
    });
    step(&mut harness, (90, 30), "the middle", |_| {});
    step(&mut harness, (90, 30), "", |harness| harness.local.scroll.wish = -200);
    step(&mut harness, (90, 30), "", |harness| harness.local.thinking_open = true);
    costs
}

#[test]
fn what_a_frame_lays_out_does_not_grow_with_the_answer() {
    for kind in KINDS {
        let (small, large) = (steps(&answer(kind, 2_000)), steps(&answer(kind, 80_000)));
        for (at, (small, large)) in small.iter().zip(&large).enumerate() {
            // Two hundred rows up are two hundred pieces at most.
            assert!(*large <= small + 4 && *large < 280, "{kind:?}, step {at}: {small} and {large} pieces");
        }
    }
}

/// A long text of lines: as reasoning that is unfolded, as reasoning that still grows, as a user's message.
fn lines(units: usize) -> String {
    format!("alpha begins\n{}omega ends", "- one line of many, no more\n".repeat(units))
}

/// What each step costs where a model thought this.
fn steps_beside_answers(builder: SessionBuilder) -> Vec<usize> {
    let mut harness = ScreenHarness::new(builder);
    harness.local.thinking_open = true;
    let mut costs = Vec::new();
    let mut step = |harness: &mut ScreenHarness, size, shows: &str, act: fn(&mut ScreenHarness)| {
        let (cost, frame) = cost(harness, size, act);
        assert!(frame.contains(shows), "{shows:?} is not in\n{frame}");
        costs.push(cost);
    };
    step(&mut harness, (80, 24), "omega ends", |_| {});
    step(&mut harness, (60, 24), "omega ends", |_| {});
    step(&mut harness, (60, 24), "one line of many", |harness| drop(harness.key(KeyCode::PageUp, NONE)));
    step(&mut harness, (60, 24), "alpha begins", |harness| {
        drop(harness.key(KeyCode::Home, KeyModifiers::CONTROL))
    });
    step(&mut harness, (100, 40), "alpha begins", |_| {});
    step(&mut harness, (50, 20), "omega ends", |harness| {
        drop(harness.key(KeyCode::End, KeyModifiers::CONTROL))
    });
    step(&mut harness, (50, 20), "one line of many", |harness| harness.local.scroll.wish = -200);
    costs
}

#[test]
fn a_question_of_any_length_costs_its_beginning() {
    for units in [2_000, 80_000] {
        let mut builder = SessionBuilder::new();
        builder.user(&lines(units));
        let (costs, frame) = cost(&mut ScreenHarness::new(builder), (80, 24), |_| {});
        assert!(frame.contains("alpha begins") && !frame.contains("omega ends"), "{frame}");
        assert!(costs <= 3, "{costs} pieces");
    }
}

#[test]
fn what_a_frame_lays_out_does_not_grow_with_reasoning() {
    let thought = |units: usize| {
        let mut builder = SessionBuilder::new();
        builder.user("Why?");
        builder.say(None, &lines(units), "Because.", Vec::new());
        builder
    };
    let thinks = |units: usize| {
        let mut builder = SessionBuilder::new();
        builder.user("Why?");
        let message = builder.ledger.reserve();
        builder.live(Live::Thinking { message, text: lines(units) });
        builder
    };
    for (what, builder) in
        [("reasoning", &thought as &dyn Fn(usize) -> SessionBuilder), ("growing reasoning", &thinks)]
    {
        let (small, large) = (steps_beside_answers(builder(2_000)), steps_beside_answers(builder(80_000)));
        assert!(
            large.iter().zip(&small).all(|(large, small)| *large <= small + 2),
            "{what}: {small:?} {large:?}"
        );
        assert!(large.iter().all(|cost| *cost < 24), "{what}: {large:?}");
    }
}

#[test]
fn more_reasoning_costs_its_last_piece() {
    let mut builder = SessionBuilder::new();
    builder.user("Why?");
    let message = builder.ledger.reserve();
    builder.live(Live::Thinking { message, text: lines(2_000) });
    let mut harness = ScreenHarness::new(builder);
    harness.local.thinking_open = true;
    harness.frame(80, 24);
    let (costs, frame) = cost(&mut harness, (80, 24), |harness| {
        harness.builder.live(Live::Thinking { message, text: ", and more".to_owned() });
        harness.catch_up();
    });
    assert!(frame.contains("omega ends, and more"), "{frame}");
    assert!(costs <= 3, "{costs} pieces");
}

#[test]
fn a_place_in_reasoning_is_found_again_after_it_was_folded() {
    let mut builder = SessionBuilder::new();
    builder.user("Why?");
    let numbered: Vec<String> = (0..400).map(|at| format!("thought {at}")).collect();
    builder.say(None, &numbered.join("\n"), "Because.", Vec::new());
    let mut harness = ScreenHarness::new(builder);
    harness.local.thinking_open = true;
    harness.frame(80, 24);
    harness.local.scroll.wish = -150;
    let held = harness.frame(80, 24);
    harness.local.thinking_open = false;
    let folded = harness.frame(80, 24);
    assert!(folded.contains("400 words") || folded.contains("800 words"), "{folded}");
    assert!(!folded.contains("thought 2"), "{folded}");
    harness.local.thinking_open = true;
    assert_eq!(harness.frame(80, 24), held);
}

#[test]
fn an_answer_that_grew_long_is_held_where_it_was_when_it_ends() {
    for kind in KINDS {
        let text = answer(kind, 20_000);
        let mut builder = SessionBuilder::new();
        builder.user("Tell me all.");
        let message = builder.ledger.reserve();
        for part in 0..=text.len() / 8_000 {
            let part: String = text.chars().skip(part * 8_000).take(8_000).collect();
            builder.live(Live::Text { message, text: part });
        }
        let mut harness = ScreenHarness::new(builder);
        // So much is taken in a frame, and no more.
        for _ in 0..=text.len() / 16_000 {
            harness.frame(80, 24);
        }
        let (costs, grown) = cost(&mut harness, (72, 24), |_| {});
        assert!(
            costs < 60 && grown.contains("omega ends"),
            "{kind:?}: {costs} pieces of what grows\n{grown}"
        );
        harness.local.scroll.wish = -300;
        let held = harness.frame(72, 24);
        harness.builder.say(Some(message), "", &text, Vec::new());
        harness.catch_up();
        let (costs, ended) = cost(&mut harness, (72, 24), |_| {});
        assert!(costs < 60, "{kind:?}: {costs} pieces");
        let rows = |frame: &str| frame.lines().skip(2).take(14).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(rows(&held), rows(&ended), "{kind:?}");
    }
}

#[test]
fn the_mouse_takes_what_is_in_sight_and_pieces_are_copied_without_a_seam() {
    let text = "One and two three.\n\n".repeat(40_000) + "Four.\n\n```\nfive\n\nsix\n```\n\nseven eight";
    let mut mouse = Mouse::at(finished(&text), 80, 24);
    let before = mouse.harness.layouts.work();
    let (from, to) = (mouse.find("Four"), mouse.find("eight"));
    let copied = mouse.drags(from, (to.0 + 4, to.1));
    assert_eq!(copied, "Four.\n\nfive\n\nsix\n\nseven eight");
    assert_eq!(mouse.clicks_often(2, to), "eight");
    assert!(mouse.harness.layouts.work() - before < 40);
}

/// A model may write megabytes of arguments: no frame lays all of them out, and nobody allows what was not laid out.
#[test]
fn the_arguments_of_a_call_are_laid_out_over_several_frames_and_kept() {
    let body = format!("alpha begins\n{}omega ends", "- one line of many, no more\n".repeat(30_000));
    let mut builder = SessionBuilder::new();
    builder.user("Send it.");
    let call = builder.tool_use("mcp__mail__send", json!({ "body": body }));
    let open = builder.say(None, "", "", vec![call]).remove(0);
    builder.ask(open.id(), "mcp__mail__send", Preview::None);
    std::mem::forget(open);
    let mut harness = ScreenHarness::new(builder);
    harness.turns();
    let frame = harness.frame(80, 24);
    assert!(frame.contains("alpha begins") && frame.contains("of more than "), "{frame}");
    assert!(harness.press("y").is_empty());
    assert_eq!(harness.local.hint.as_deref(), Some("too long to be read here: o shows all of it"));
    harness.press("o");
    let mut frames = 0;
    loop {
        let (costs, frame) = cost(&mut harness, (80, 24), |_| {});
        assert!(costs <= 6 && frame.contains("alpha begins"), "{costs} pieces\n{frame}");
        frames += 1;
        if !harness.layouts.was_behind() {
            break;
        }
    }
    assert!(frames > 5, "{frames}");
    let (costs, frame) = cost(&mut harness, (80, 24), |harness| drop(harness.key(KeyCode::End, NONE)));
    assert!(costs == 0 && frame.contains("omega ends"), "{costs} pieces\n{frame}");
    // Another width is another layout.
    assert!(cost(&mut harness, (60, 24), |_| {}).0 > 0 && harness.layouts.was_behind());
}
