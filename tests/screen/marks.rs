//! The margin is ours: whatever models, tools, agents and people write, only our signs stand in it, as many as we set. And a
//! command's output has its colours, on any ground, and no way out of its place.

use countersign::agent::Live;
use countersign::ledger::{CompactionTrigger, Decider, Ending, Outcome, Preview, Settlement};
use countersign::ui::theme::Theme;
use proptest::prelude::*;
use ratatui::crossterm::event::{KeyCode, KeyModifiers};
use ratatui::style::{Color, Modifier};
use serde_json::json;

use crate::screen_harness::{ScreenHarness, snapshot};
use crate::session_builder::SessionBuilder;

/// The columns in which nothing stands that others wrote.
const MARGIN: u16 = 3;

/// Lines that copy ours, open what they do not close, and characters that have left their cells somewhere.
const LINES: &[&str] = &[
    "✓ shell   cargo test                                   12 lines · 3 ms",
    " › yes, do it",
    "› ",
    " ✓ done · 2 turns · 2 tool calls · 12.3 s",
    "■ interrupted · no tool was started",
    "· a note",
    "▸ thinking · 3 words · ctrl-t unfolds",
    " ╭ shell ─────────────── waits for you ╮",
    " │ y once  s session  n deny            │",
    " ╰──────────────────────────────────────╯",
    " ┏ shell ━━━━━━━━━━━━━━━ waits for you ┓",
    " ┃ y once  s session  n deny            ┃",
    " ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛",
    "tab to decide  y once  s session  n deny",
    "```rust",
    "~~~",
    "> quoted",
    "- listed",
    "1. counted",
    "| a | b |\n|---|---|\n| › | ✓ |",
    "# heading",
    "\ttab",
    "\u{301}\u{302}marks first",
    "**\u{301}**marks",
    "\u{200b}\u{202e}✓ turned round",
    "שלום ✓ עולם",
    "漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字",
    "\r✓ returned",
    "\u{8}\u{8}\u{8}✓ back",
    "\u{1b}[1;1H✓ moved\u{1b}[2K\u{1b}[1G",
    "\u{1b}]0;title",
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "",
];

fn hostile() -> impl Strategy<Value = String> {
    let lines = proptest::collection::vec(proptest::sample::select(LINES), 1..7);
    // What is blank has no card.
    lines.prop_map(|lines| format!("words\n{}", lines.join("\n")))
}

/// Every card in which something of others stands, saying this.
fn everything(said: &str, growing: bool) -> SessionBuilder {
    let mut builder = SessionBuilder::new();
    builder.user(said);
    let call = builder.tool_use("shell", json!({ "command": said }));
    let other = builder.tool_use("read", json!({ "path": said }));
    let mut open = builder.say(None, said, said, vec![call, other]).into_iter();
    let call = open.next().unwrap();
    builder.run(call.id(), "shell");
    let ending = Settlement::synthetic(Outcome::Failed, format!("{said}\nexit code 1"));
    builder.finish(call, Settlement { written: Some(format!("\u{1b}[7m{said}\nexit code 1")), ..ending });
    builder.settle(open.next().unwrap(), Outcome::Failed, said, 3);
    builder.steer(said);
    builder.note("c1", said);
    builder.say(None, "", said, Vec::new());
    builder.end(Ending::Completed);
    builder.compact(CompactionTrigger::Auto, said);
    if growing {
        builder.user(said);
        let message = builder.ledger.reserve();
        builder.live(Live::Thinking { message, text: said.into() });
        builder.live(Live::Text { message, text: said.into() });
    }
    builder
}

/// What stands in the margin of each row, from the first to the last in which anything does.
fn margins(harness: &mut ScreenHarness, width: u16) -> Vec<String> {
    let buffer = harness.buffer(width, 500);
    let rows = (0..500).map(|y| (0..MARGIN).map(|x| buffer[(x, y)].symbol()).collect::<String>());
    rows.filter(|margin| !margin.trim().is_empty()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn only_our_signs_stand_in_the_margin(said in hostile(), growing: bool) {
        for width in [40, 57, 80, 133, 200] {
            let ours = margins(&mut ScreenHarness::new(everything("words", growing)), width);
            let shown = margins(&mut ScreenHarness::new(everything(&said, growing)), width);
            prop_assert_eq!(shown, ours, "at {}", width);
        }
    }

    #[test]
    fn our_boxes_have_our_edges_and_our_lines(said in hostile()) {
        for width in [40, 80, 133] {
            for kind in ["shell", "delegate_to_b", "other", "ask", "running"] {
                let mut builder = SessionBuilder::new();
                builder.user("go");
                let arguments = match kind {
                    "shell" | "running" => json!({ "command": said }),
                    "ask" => json!({ "question": said, "choices": [said] }),
                    "other" => json!({ "tab to decide": said, "y once": 3 }),
                    _ => json!({ "task": said }),
                };
                let name = if kind == "running" { "shell" } else { kind };
                let call = builder.tool_use(name, arguments);
                let call = builder.say(None, "", "", vec![call]).into_iter().next().unwrap();
                if kind == "running" {
                    builder.run(call.id(), "shell");
                    builder.output(call.id(), &said);
                } else {
                    let preview = if kind == "shell" { Preview::Command(said.clone()) } else { Preview::None };
                    builder.ask(call.id(), name, preview);
                }
                let mut harness = ScreenHarness::new(builder);
                let frame = harness.frame(width, 60);
                let rows: Vec<&str> = frame.lines().collect();
                let begins = rows.iter().position(|row| row.starts_with(" ╭ ")).unwrap();
                let length = rows[begins..].iter().position(|row| row.starts_with(" ╰─")).unwrap();
                let inside = &rows[begins + 1..begins + length];
                prop_assert!(inside.iter().all(|row| row.starts_with(" │ ") && row.ends_with(" │")), "{}", frame);
                if kind == "running" {
                    continue;
                }
                // The line with the keys begins at the edge of the box, and only that one says so there.
                let keys = inside.iter().filter(|row| row.starts_with(" │ tab to decide")).count();
                prop_assert_eq!(keys, 1, "{}: {}", kind, frame);
            }
        }
    }
}

/// What `cargo test` and a progress bar write.
const WRITTEN: &str = "\x1b[1m\x1b[92m   Compiling\x1b[0m parser v0.1.0\r\n\
    Downloading  10 %\rDownloading  60 %\r\x1b[KDownloaded 3 crates\n\
    test a ... \x1b[32mok\x1b[0m\x1b]8;;https://evil.example\x07 link\x1b]8;;\x07\n\
    test b ... \x1b[38;5;196mFAILED\x1b[0m \x1b[30mblack\x1b[97mwhite\x1b[0m \x1b[2;3Hmoved\x1b]52;c;eA==\x07\n";

fn running() -> SessionBuilder {
    let mut builder = SessionBuilder::new();
    builder.user("Run the tests.");
    let call = builder.tool_use("shell", json!({ "command": "cargo test" }));
    let call = builder.say(None, "", "", vec![call]).into_iter().next().unwrap();
    builder.run(call.id(), "shell");
    // However it comes in pieces.
    WRITTEN.split_inclusive(|_| true).for_each(|piece| builder.output(call.id(), piece));
    builder
}

fn finished() -> SessionBuilder {
    let mut builder = SessionBuilder::new();
    builder.user("Run the tests.");
    let call = builder.tool_use("shell", json!({ "command": "cargo test" }));
    let call = builder.say(None, "", "", vec![call]).into_iter().next().unwrap();
    let shown = "   Compiling parser v0.1.0\nDownloaded 3 crates\ntest a ... ok link\ntest b ... FAILED blackwhite moved";
    let ending = Settlement::synthetic(Outcome::Failed, format!("{shown}\nexit code 101"));
    let written = Some(format!("{WRITTEN}exit code 101"));
    builder.finish(call, Settlement { written, duration_ms: 3_200, ..ending });
    builder.end(Ending::Completed);
    builder
}

#[test]
fn output_looks_as_on_a_terminal_while_it_comes_and_after() {
    for (width, height) in [(40, 10), (80, 24), (120, 40)] {
        snapshot(
            &format!("coloured_running_{width}x{height}"),
            &ScreenHarness::new(running()).frame(width, height),
        );
        snapshot(&format!("coloured_{width}x{height}"), &ScreenHarness::new(finished()).frame(width, height));
    }
    let mut harness = ScreenHarness::new(finished());
    harness.frame(80, 24);
    harness.key(KeyCode::Tab, KeyModifiers::NONE);
    harness.press("o");
    snapshot("coloured_page_80x24", &harness.frame(80, 24));
}

#[test]
fn its_colours_are_read_on_every_ground_and_none_is_shown_without_colours() {
    for theme in ["countersign-dark", "countersign-light", "sixteen", "plain"] {
        for builder in [running(), finished()] {
            let mut harness = ScreenHarness::new(builder);
            harness.theme = Theme::builtin(theme).unwrap();
            let buffer = harness.buffer(80, 24);
            let at = |word: &str| {
                let (cells, y) = (0..24)
                    .map(|y| ((0..80).map(|x| buffer[(x, y)].symbol()).collect::<Vec<_>>(), y))
                    .find(|(cells, _)| cells.concat().contains(word))
                    .unwrap();
                let x = (0..80).find(|x| cells[*x..].concat().starts_with(word)).unwrap();
                buffer[(u16::try_from(x).unwrap(), y)].clone()
            };
            let (ok, failed, black, white) = (at("ok"), at("FAILED"), at("black"), at("white"));
            let ink = harness.theme.text.fg.unwrap_or(Color::Reset);
            if theme == "plain" {
                assert!([&ok, &failed, &black, &white].iter().all(|cell| cell.fg == Color::Reset));
                continue;
            }
            assert_eq!(ok.fg, Color::Indexed(2), "{theme}");
            assert_eq!(failed.fg, if theme == "sixteen" { Color::Indexed(9) } else { Color::Indexed(196) });
            // What would not be seen on this ground, or may not be, is shown as text.
            assert!(black.fg == ink || theme == "countersign-light", "{theme}: {:?}", black.fg);
            assert!(white.fg == ink || theme == "countersign-dark", "{theme}: {:?}", white.fg);
            assert!(!ok.modifier.contains(Modifier::REVERSED));
        }
    }
}

#[test]
fn a_denied_call_says_why_beside_its_sign() {
    let mut builder = SessionBuilder::new();
    builder.user("go");
    let call = builder.tool_use("shell", json!({ "command": "x" }));
    let call = builder.say(None, "", "", vec![call]).into_iter().next().unwrap();
    builder.decide(call.id(), false, Decider::User);
    builder.settle(call, Outcome::Denied(Decider::User), "denied", 0);
    let frame = ScreenHarness::new(builder).frame(80, 24);
    assert!(frame.contains("\n ⊘ shell ") && frame.contains("\n     test\n"), "{frame}");
}
