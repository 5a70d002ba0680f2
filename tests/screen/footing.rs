//! The last line, and other places with little room: what matters now stays, and hints give way.

use countersign::agent::{Event, Live};
use countersign::ledger::{Block, Ending, Limit, MicroDollars, Outcome, Usage};
use countersign::policy::Mode;
use countersign::ui::local::Focus;
use countersign::view::View;
use ratatui::crossterm::event::KeyCode;
use ratatui::crossterm::event::KeyModifiers;
use serde_json::json;

use crate::screen_harness::ScreenHarness;
use crate::session_builder::{SessionBuilder, settings};

/// A session that has read a file three times, and has cost something.
fn worked() -> SessionBuilder {
    let mut builder = SessionBuilder::new();
    builder.user("Read it.");
    for _ in 0..3 {
        let call = builder.tool_use("read", json!({ "path": "a.rs" }));
        let open = builder.say(None, "", "", vec![call]).remove(0);
        builder.settle(open, Outcome::Ok, "fine", 10);
    }
    let usage = Usage { input: 12_000, output: 310, cost: Some(MicroDollars(120_000)), ..Usage::default() };
    let id = builder.ledger.reserve();
    builder.write(id, vec![Block::Text("Read.".into())], usage, false);
    builder.end(Ending::Completed);
    builder.live(Live::ModeChanged(Mode::Auto));
    builder
}

/// The same where so many percent of these limits are used.
fn pressed(limits: &[(Limit, u64)]) -> ScreenHarness {
    let builder = worked();
    let mut harness = ScreenHarness::new(builder);
    let mut shown = settings();
    let gauges = harness.view.gauges(harness.builder.at());
    for (limit, percent) in limits {
        let used = gauges.iter().find(|gauge| gauge.name == limit.name()).unwrap().used;
        assert!(used > 0, "{limit:?}");
        shown.limits.set(*limit, used * 100 / percent);
    }
    let mut view = View::new(shown);
    harness.builder.events.iter().for_each(|event: &Event| view.fold(event));
    harness.view = view;
    harness
}

fn foot(harness: &mut ScreenHarness, (width, height): (u16, u16)) -> String {
    harness.frame(width, height).lines().last().unwrap().trim().to_owned()
}

#[test]
fn budgets_above_half_stay_in_the_foot_and_keys_give_way() {
    let all =
        [(Limit::ToolCalls, 75), (Limit::InputTokens, 60), (Limit::OutputTokens, 55), (Limit::Cost, 95)];
    let names = ["calls ", "in ", "out "];
    for number in 1..=all.len() {
        for size in [(40, 10), (80, 24), (120, 40), (200, 50)] {
            for typed in ["", "a message"] {
                let mut harness = pressed(&all[..number]);
                harness.press(typed);
                let foot = foot(&mut harness, size);
                let is_wide = size.0 > 40;
                let money = if number == 4 && !is_wide { "cost 9" } else { "$0.12" };
                // Not even the shortest words of five fit in 38 cells: the two that are nearest to their limits stay.
                if number < 4 || is_wide {
                    assert!(
                        foot.starts_with("ctx ") || foot.starts_with("context "),
                        "{number}, {size:?}: {foot}"
                    );
                    assert!(
                        names.iter().take(number).all(|name| foot.contains(name)),
                        "{number}, {size:?}: {foot}"
                    );
                }
                assert!(foot.contains(money), "{number}, {size:?}: {foot}");
                assert!(foot.contains("calls"), "{number}, {size:?}: {foot}");
                assert!(foot.chars().count() <= usize::from(size.0) - 2, "{foot}");
            }
        }
    }
    let two = foot(&mut pressed(&all[..2]), (40, 10));
    assert_eq!(two, "ctx 6%  $0.12  calls 75%!  in 60%");
    let five = foot(&mut pressed(&all), (40, 10));
    assert!(five.starts_with("cost 95%! calls 75%!  ") && five.ends_with("  ctrl-o ledger"), "{five}");
    // The first key has no room beside two that are used up; a short one has.
    let used_up = [(Limit::Turns, 100), (Limit::ToolCalls, 100), (Limit::Cost, 60)];
    let two = foot(&mut pressed(&used_up), (40, 10));
    assert!(two.contains("turns 100%!") && two.contains("calls 100%!") && two.ends_with("  ? keys"), "{two}");
}

#[test]
fn where_nothing_is_above_half_the_key_stays() {
    let mut harness = pressed(&[(Limit::ToolCalls, 40)]);
    let foot = foot(&mut harness, (40, 10));
    assert!(foot.contains("ctrl-o ledger") && !foot.contains("calls"), "{foot}");
}

#[test]
fn the_foot_offers_to_complete_only_what_an_earlier_command_begins_with() {
    let mut builder = SessionBuilder::new();
    builder.own_command("!zebra --stripes", "fine");
    for (typed, completes) in [("!zeb", true), ("!zzz", false), ("!!zzz", false)] {
        let mut harness = ScreenHarness::new(builder);
        harness.press(typed);
        let foot = foot(&mut harness, (80, 24));
        assert!(foot.contains("enter runs it as you"), "{typed}: {foot}");
        assert_eq!(foot.contains("tab completes"), completes, "{typed}: {foot}");
        builder = SessionBuilder::new();
        builder.own_command("!zebra --stripes", "fine");
    }
}

#[test]
fn before_the_first_message_what_there_is_to_know_takes_two_rows_of_a_low_screen() {
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    let said = "No key was found, so the rehearsal model is used: it understands a few requests (try \"tour\") and runs \
        real tools. To connect a real model, set ANTHROPIC_API_KEY or OPENAI_API_KEY, or start with -m ollama/NAME.";
    harness.local.found(said);
    harness.local.found("Another thing.");
    let low = harness.frame(40, 10);
    let rows: Vec<&str> = low.lines().collect();
    let first =
        rows.iter().position(|row| row.contains("No key was found")).unwrap_or_else(|| panic!("{low}"));
    assert!(rows[first + 1].trim_end().ends_with("· /status"), "{low}");
    assert!(!low.contains("To connect") && low.contains("It proposes, you countersign."), "{low}");
    let high = harness.frame(80, 24);
    assert!(high.contains("ollama/NAME") && high.contains("Another thing."), "{high}");
}

#[test]
fn why_a_write_failed_is_read_to_its_end_behind_a_long_path() {
    let path = format!("{}/file.rs", ["a_long_name_of_a_folder"; 8].join("/"));
    let why = format!("`{path}` cannot be written: the disk is full (os error 28)");
    for size in [(40, 10), (80, 24)] {
        let mut builder = SessionBuilder::new();
        builder.user("Write it.");
        let call = builder.tool_use("write", json!({ "path": path, "content": "x" }));
        let open = builder.say(None, "", "", vec![call]).remove(0);
        builder.settle(open, Outcome::Failed, &why, 10);
        let frame = ScreenHarness::new(builder).frame(size.0, size.1);
        let words: Vec<&str> = frame.split_whitespace().collect();
        assert!(words.join(" ").contains("the disk is full (os error 28)"), "{frame}");
    }
}

#[test]
fn the_row_of_a_denied_fetch_names_the_address() {
    let mut builder = SessionBuilder::new();
    builder.user("Fetch it.");
    let call = builder.tool_use("fetch", json!({ "url": "https://docs.example/a" }));
    let open = builder.say(None, "", "", vec![call]).remove(0);
    builder.settle(open, Outcome::Denied(countersign::ledger::Decider::Policy), "Denied: no.", 0);
    let mut harness = ScreenHarness::new(builder);
    let frame = harness.frame(80, 24);
    assert!(frame.contains("https://docs.example/a") && !frame.contains("url="), "{frame}");
    harness.key(KeyCode::Tab, KeyModifiers::NONE);
}

#[test]
fn the_foot_of_a_card_says_where_tab_goes() {
    let mut harness = ScreenHarness::new(worked());
    harness.key(KeyCode::Tab, KeyModifiers::NONE);
    assert!(matches!(harness.local.focused(&harness.view), Focus::Card(_)));
    assert!(foot(&mut harness, (80, 24)).contains("o open"), "{}", harness.frame(80, 24));
    assert!(foot(&mut harness, (80, 24)).contains("tab back"), "{}", harness.frame(80, 24));
    harness.key(KeyCode::Tab, KeyModifiers::NONE);
    assert_eq!(harness.local.focused(&harness.view), Focus::Composer);
}

#[test]
fn the_page_of_a_call_breaks_words_of_a_tool_between_them_and_keeps_the_columns_of_a_program() {
    let words = "The parser reads the whole file before it looks at the first token of it.";
    let page = |name: &str, arguments: serde_json::Value| {
        let mut builder = SessionBuilder::new();
        builder.user("Look.");
        let call = builder.tool_use(name, arguments);
        let open = builder.say(None, "", "", vec![call]).remove(0);
        builder.settle(open, Outcome::Ok, words, 10);
        builder.end(Ending::Completed);
        let mut harness = ScreenHarness::new(builder);
        harness.key(KeyCode::Tab, KeyModifiers::NONE);
        harness.press("o");
        harness.frame(40, 24)
    };
    let read = page("search", json!({ "pattern": "token" }));
    assert!(read.lines().any(|row| row.trim() == "The parser reads the whole file"), "{read}");
    let ran = page("shell", json!({ "command": "cat notes" }));
    assert!(ran.lines().any(|row| row.trim() == "The parser reads the whole file be"), "{ran}");
}
