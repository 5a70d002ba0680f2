//! Several sub-agents at once: what waits for a decision is found first, no key is left in half, and the numbers of budgets add up.

use std::collections::BTreeMap;

use countersign::agent::{Event, Intent};
use countersign::ledger::{CallId, Ending, Escrow, Limit, Outcome, Preview, Settlement};
use countersign::ui::local::Overlay;
use countersign::ui::picker::{Choice, Picker};
use countersign::ui::update::UiEffect;
use ratatui::crossterm::event::{KeyCode, KeyModifiers};
use serde_json::json;

use crate::linear_harness::LinearHarness;
use crate::scenes::{below, child};
use crate::screen_harness::{ScreenHarness, page};
use crate::session_builder::SessionBuilder;
use crate::subagents::handed;

const SIZES: [(u16, u16); 4] = [(40, 10), (80, 24), (120, 40), (200, 50)];

/// The first of three is done, the second works, and the command of the third waits.
fn three() -> SessionBuilder {
    let (mut builder, open) = handed(&["Look.", "Search.", "Make it."], false);
    for call in &open {
        builder.run(call.id(), "delegate_to_general");
    }
    let mut done = SessionBuilder::new();
    done.user("Look.");
    done.say(None, "", "I looked.", Vec::new());
    done.end(Ending::Completed);
    let mut works = SessionBuilder::new();
    works.user("Search.");
    for (call, events) in open.iter().zip([done.events, works.events, child().events]) {
        below(&mut builder, call.id(), events);
    }
    std::mem::forget(open);
    builder
}

#[test]
fn the_page_of_what_is_at_work_begins_with_what_waits() {
    for (width, height) in SIZES {
        let mut harness = ScreenHarness::new(three());
        harness.local.overlay = Some(page("/fleet", &harness.view));
        let frame = harness.frame(width, height);
        let place = |name: &str| frame.find(name).unwrap_or_else(|| panic!("{name}\n{frame}"));
        let places = ["? c3 → general", "● c2 → general", "✓ c1 → general"].map(place);
        assert!(places.is_sorted(), "{frame}");
    }
    let mut linear = LinearHarness::new(three());
    linear.said.clear();
    linear.types("/fleet");
    let places =
        ["c3 to general: ", "c2 to general: ", "c1 to general: "].map(|name| linear.said.find(name).unwrap());
    assert!(places.is_sorted() && !linear.said.contains('→'), "{}", linear.said);
}

#[test]
fn what_waits_for_the_person_is_named_also_where_the_screen_is_small() {
    let mut harness = ScreenHarness::new(three());
    harness.local.overlay = Some(page("/fleet", &harness.view));
    let frame = harness.frame(40, 10);
    assert!(frame.contains("waits for you: shell"), "{frame}");
}

#[test]
fn what_is_to_be_decided_is_read_whole_where_the_screen_is_small_and_its_ends_are_where_it_is_long() {
    let asking = |command: &str| {
        let (mut builder, open) = handed(&["Make it."], false);
        builder.run(open[0].id(), "delegate_to_general");
        let call = open[0].id();
        std::mem::forget(open);
        let mut child = SessionBuilder::new();
        child.user("Make it.");
        let wanted = child.tool_use("shell", json!({ "command": command }));
        let asked = child.say(None, "", "I make it.", vec![wanted]);
        child.ask(asked[0].id(), "shell", Preview::Command(command.into()));
        std::mem::forget(asked);
        below(&mut builder, call, child.events);
        let mut harness = ScreenHarness::new(builder);
        harness.local.overlay = Some(page("/fleet", &harness.view));
        harness.frame(40, 10)
    };
    let words = |frame: &str| frame.split_whitespace().collect::<Vec<_>>().join(" ");
    let command = "cargo test --workspace --all-targets --test screen approvals";
    let frame = asking(command);
    assert!(words(&frame).contains(&format!("waits for you: shell $ {command}")), "{frame}");
    let frame = asking(&format!("first {} last", "in/between ".repeat(30)));
    assert!(words(&frame).contains("waits for you: shell $ first"), "{frame}");
    assert!(words(&frame).contains("between last"), "{frame}");
    // Of one that is longer than a row may ever say, the end is not taken for that of the command.
    let frame = asking(&format!("first {} last", "in/between ".repeat(90)));
    assert!(frame.lines().any(|row| row.trim_end().ends_with('…')), "{frame}");
}

#[test]
fn beside_the_word_that_something_waits_no_key_is_left_in_half() {
    let whole = ["d decide", "o open one", "x stop one", "esc back", "pgup pgdn scroll", "? keys"];
    for width in 40..=130 {
        let mut harness = ScreenHarness::new(three());
        harness.local.overlay = Some(page("/fleet", &harness.view));
        let frame = harness.frame(width, 24);
        let last = frame.lines().last().unwrap().trim_end();
        let keys = last.strip_suffix("1 call waits for you").unwrap_or_else(|| panic!("{frame}"));
        assert!(keys.trim_start().starts_with("d decide"), "{width} {last}");
        for key in keys.split("  ").map(str::trim).filter(|key| !key.is_empty()) {
            assert!(whole.contains(&key), "{width} {key:?} {last}");
        }
    }
}

#[test]
fn the_foot_offers_only_what_can_be_done_now() {
    for (is_over, stops) in [(true, false), (false, true)] {
        let (mut builder, open) = handed(&["Look."], false);
        let call = open[0].id();
        builder.run(call, "delegate_to_general");
        std::mem::forget(open);
        let mut child = SessionBuilder::new();
        child.user("Look.");
        if is_over {
            child.say(None, "", "I looked.", Vec::new());
            child.end(Ending::Completed);
        }
        below(&mut builder, call, child.events);
        for (width, height) in SIZES {
            let mut harness = ScreenHarness::new(SessionBuilder::new());
            harness.view = crate::session_builder::view(&builder.events);
            harness.local.overlay = Some(page("/fleet", &harness.view));
            let frame = harness.frame(width, height);
            let foot = frame.lines().last().unwrap();
            assert!(foot.contains("o open one") && !foot.contains("d decide"), "{frame}");
            assert_eq!(foot.contains("x stop one"), stops, "{frame}");
        }
    }
}

#[test]
fn what_is_set_aside_is_named_for_each_limit_where_the_numbers_need_it() {
    let mut builder = SessionBuilder::new();
    builder.user("Have it made.");
    let call = builder.tool_use("delegate_to_general", json!({ "task": "Make it." }));
    let open = builder.say(None, "", "", vec![call]);
    let limits = BTreeMap::from([(Limit::Turns, 30), (Limit::ToolCalls, 117)]);
    let session = "0192-test-c1".to_owned();
    let (call, in_background, waits) = (open[0].id(), false, false);
    builder
        .ledger
        .set_aside(builder.at(), Escrow { call, session, limits, parallel: 1, in_background, waits });
    builder.tell();
    std::mem::forget(open);
    for (width, height) in SIZES {
        let mut harness = ScreenHarness::new(SessionBuilder::new());
        harness.view = crate::session_builder::view(&builder.events);
        harness.local.overlay = Some(page("/budgets", &harness.view));
        let frame = whole_page(&mut harness, (width, height));
        for (name, held) in [("  turns", "30 "), ("  tool calls", "117 ")] {
            let row = frame.lines().find(|row| row.contains(name)).unwrap();
            assert!(row.contains(held) && row.contains("aside"), "{width} {row}");
        }
    }
}

/// A page and, on a low screen, what is below.
fn whole_page(harness: &mut ScreenHarness, (width, height): (u16, u16)) -> String {
    let mut frame = harness.frame(width, height);
    if height < 24 {
        harness.key(KeyCode::PageDown, KeyModifiers::NONE);
        frame += &harness.frame(width, height);
    }
    frame
}

#[test]
fn a_figure_that_has_no_room_is_left_out_and_not_cut() {
    let (mut builder, mut open) = handed(&["Make it."], false);
    let call = open.remove(0);
    builder.run(call.id(), "delegate_to_general");
    let lines = "a line\n".repeat(1_234);
    builder.finish(call, Settlement { duration_ms: 61_234, ..Settlement::synthetic(Outcome::Ok, &lines) });
    let frame = ScreenHarness::new(builder).frame(40, 10);
    let row = frame.lines().find(|row| row.contains("→ general")).unwrap();
    assert!(row.contains("1234 lines") && !row.contains('…'), "{row}");
}

#[test]
fn a_page_with_nothing_at_work_says_so_whole() {
    for (width, height) in SIZES {
        let mut harness = ScreenHarness::new(SessionBuilder::new());
        harness.local.overlay = Some(page("/fleet", &harness.view));
        let frame = harness.frame(width, height);
        let words = frame.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("no command in the background."), "{width}\n{frame}");
        // No key is offered that would do nothing.
        assert!(words.contains("esc back") && !words.contains("stop one"), "{width}\n{frame}");
    }
}

#[test]
fn one_that_starts_when_another_is_over_waits_for_its_turn() {
    let mut builder = SessionBuilder::new();
    builder.user("Have both made.");
    let task = |builder: &mut SessionBuilder, task: &str| {
        builder.tool_use("delegate_to_general", json!({ "task": task }))
    };
    let mut all = vec![task(&mut builder, "Make one."), task(&mut builder, "Make two.")];
    all.push(builder.tool_use("shell", json!({ "command": "make" })));
    let mut open = builder.say(None, "", "I ask.", all);
    let call = open[0].id();
    builder.ledger.delegate(builder.at(), &mut open[0], "general", "Make one.");
    let session = format!("0192-test-{call}");
    let (limits, in_background, waits) = (BTreeMap::new(), false, false);
    let escrow = Escrow { call, session, limits, parallel: 1, in_background, waits };
    builder.ledger.set_aside(builder.at(), escrow);
    builder.tell();
    builder.run(call, "delegate_to_general");
    // What is asked for behind it can be at work.
    builder.run(open[2].id(), "shell");
    std::mem::forget(open);
    let mut works = SessionBuilder::new();
    works.user("Make one.");
    below(&mut builder, call, works.events);
    let mut harness = ScreenHarness::new(builder);
    let frame = harness.frame(120, 40);
    assert!(frame.contains("waits for its turn") && !frame.contains("preparing"), "{frame}");
    harness.local.overlay = Some(page("/fleet", &harness.view));
    let frame = harness.frame(120, 40);
    assert!(frame.contains("● c1 → general") && frame.contains("◌ c2 → general"), "{frame}");
    assert!(frame.contains("waits for its turn"), "{frame}");
    // It cannot be opened yet, and what is typed next is not for it.
    let picker = Picker::fleet(&harness.view);
    assert_eq!(picker.items[1].choice, Choice::RevealWaiting(CallId(2)));
    harness.local.overlay = Some(Overlay::Picker(picker));
    harness.key(KeyCode::Down, KeyModifiers::NONE);
    assert!(harness.key(KeyCode::Enter, KeyModifiers::NONE).is_empty());
    assert_eq!(harness.local.overlay, None);
    let frame = harness.frame(120, 40);
    assert!(frame.contains("it waits for its turn and has no session yet"), "{frame}");
}

#[test]
fn what_agents_have_spent_of_what_is_set_aside_is_said_so_far() {
    let (mut builder, open) = handed(&["Make it."], false);
    let call = open[0].id();
    builder.run(call, "delegate_to_general");
    let limits = BTreeMap::from([(Limit::Turns, 30)]);
    let (session, in_background, waits) = ("0192-test-c1".to_owned(), false, false);
    std::mem::forget(open);
    let escrow = Escrow { call, session, limits, parallel: 1, in_background, waits };
    builder.ledger.set_aside(builder.at(), escrow);
    builder.tell();
    let mut works = SessionBuilder::new();
    works.user("Make it.");
    works.say(None, "", "I look.", Vec::new());
    below(&mut builder, call, works.events);
    let mut harness = ScreenHarness::new(builder);
    harness.local.overlay = Some(page("/budgets", &harness.view));
    let frame = harness.frame(160, 40);
    let row = frame.lines().find(|row| row.contains("  turns ")).unwrap();
    assert!(row.contains("30 set aside") && row.contains("1 of it spent so far"), "{row}");
    let frame = harness.frame(160, 40);
    let after = |name: &str| frame.lines().skip_while(|row| !row.contains(name)).nth(1).unwrap();
    assert!(after("input tokens").contains("output tokens"), "{frame}");
    assert!(frame.lines().find(|row| row.contains("input tokens")).unwrap().contains("agents have spent"));
    let narrow = harness.frame(40, 40);
    assert!(narrow.contains("input tokens  agents "), "{narrow}");
    for (width, height) in SIZES {
        let frame = whole_page(&mut harness, (width, height));
        let rows = frame.lines().skip_while(|row| !row.contains("  turns"));
        let two: Vec<&str> = rows.take(2).collect();
        assert!(
            two.concat().contains("1 of it spent") || two.concat().contains("1 spent"),
            "{width} {frame}"
        );
    }
    let mut linear = LinearHarness::new(harness.builder);
    linear.types("/cost");
    let said = linear.said.lines().find(|line| line.starts_with("budget max_model_turns")).unwrap();
    assert!(said.contains("agents have spent 1 turn of what is set aside so far"), "{said}");
}

#[test]
fn a_cost_that_nobody_knows_is_not_none() {
    let mut builder = SessionBuilder::new();
    builder.user("Go on.");
    builder.say(None, "", "Done.", Vec::new());
    let mut linear = LinearHarness::new(builder);
    linear.types("/cost");
    let cost = linear.said.lines().find(|line| line.starts_with("budget max_total_cost")).unwrap();
    let paid = linear.said.lines().find(|line| line.starts_with("paid this session")).unwrap();
    assert_eq!(paid.contains("unknown"), cost.contains("unknown"), "{cost}; {paid}");
    assert!(cost.contains("unknown"), "{cost}");
}

#[test]
fn the_lists_of_what_is_at_work_name_each_by_its_calls_and_those_that_are_done_last() {
    let names = |picker: &Picker| {
        let name = |words: &str| words.split_whitespace().next().unwrap_or_default().to_owned();
        picker.items.iter().map(|item| name(&item.words)).collect::<Vec<_>>()
    };
    let view = crate::session_builder::view(&three().events);
    assert_eq!(names(&Picker::fleet(&view)), ["c3", "c2", "c1"]);
    // One below another one, both at work.
    let leads = |task: &str, events: Vec<Event>| {
        let (mut builder, open) = handed(&[task], false);
        builder.run(open[0].id(), "delegate_to_general");
        below(&mut builder, open[0].id(), events);
        std::mem::forget(open);
        builder
    };
    let mut works = SessionBuilder::new();
    works.user("Search.");
    let mut harness = ScreenHarness::new(leads("Lead.", leads("Search.", works.events).events));
    for picker in [Picker::fleet(&harness.view), Picker::fleet_to_stop(&harness.view)] {
        assert_eq!(names(&picker), ["c1", "c1/c1"]);
        harness.local.overlay = Some(Overlay::Picker(picker));
        let frame = harness.frame(80, 24);
        assert!(frame.contains("c1/c1 → general"), "{frame}");
    }
}

#[test]
fn the_list_of_what_can_be_stopped_counts_each_that_can_and_no_line_twice() {
    let (mut builder, open) = handed(&["Look.", "Search.", "Lead."], false);
    for call in &open {
        builder.run(call.id(), "delegate_to_general");
    }
    let at_work = |words: &str| {
        let mut works = SessionBuilder::new();
        works.user(words);
        works
    };
    let mut done = at_work("Look.");
    done.say(None, "", "I looked.", Vec::new());
    done.end(Ending::Completed);
    let (mut leads, its_own) = handed(&["Make it."], false);
    leads.run(its_own[0].id(), "delegate_to_general");
    below(&mut leads, its_own[0].id(), at_work("Make it.").events);
    for (call, events) in open.iter().zip([done.events, at_work("Search.").events, leads.events]) {
        below(&mut builder, call.id(), events);
    }
    std::mem::forget((open, its_own));
    let mut harness = ScreenHarness::new(builder);
    let picker = Picker::fleet_to_stop(&harness.view);
    let lines: Vec<&str> = picker.items.iter().map(|item| item.words.as_str()).collect();
    // The first one is done. What works for another one is stopped with it.
    assert_eq!(lines.len(), 4, "{lines:?}");
    assert_eq!(lines[3], "all 3 sub-agents");
    assert_eq!(picker.items[3].choice, Choice::StopSubagents(vec![vec![CallId(2)], vec![CallId(3)]]));
    let head = |harness: &mut ScreenHarness| {
        let frame = harness.frame(80, 24);
        let row = frame.lines().find(|row| row.contains("stop one that is at work")).map(str::to_owned);
        row.unwrap_or_else(|| panic!("{frame}")).trim_end().to_owned()
    };
    harness.local.overlay = Some(Overlay::Picker(picker));
    let all = head(&mut harness);
    assert!(all.ends_with(" 3"), "{all}");
    harness.key(KeyCode::Char('c'), KeyModifiers::NONE);
    harness.key(KeyCode::Char('2'), KeyModifiers::NONE);
    let narrowed = head(&mut harness);
    assert!(narrowed.ends_with(" 1 of 3"), "{narrowed}");
    harness.local.overlay = Some(Overlay::Picker(Picker::fleet_to_stop(&harness.view)));
    for _ in 0..3 {
        harness.key(KeyCode::Down, KeyModifiers::NONE);
    }
    let stops = |call| UiEffect::Send(Intent::Abort.within(&[CallId(call)]));
    // One that waits for its turn would start otherwise.
    assert_eq!(harness.key(KeyCode::Enter, KeyModifiers::NONE), [stops(3), stops(2)], "the last first");
}
