//! What must not be cut without a sign, also where the screen is small.

use countersign::budget::Limits;
use countersign::ledger::{
    Abort, AbortPath, Change, CutBy, Decider, Ending, Limit, Outcome, Preview, Remark, aborted_after,
    aborted_text,
};
use countersign::ui::local::Overlay;
use countersign::ui::picker::Picker;
use countersign::view::{View, ViewSettings};
use ratatui::crossterm::event::{KeyCode, KeyModifiers};
use serde_json::json;

use crate::scenes;
use crate::screen_harness::{ScreenHarness, page};
use crate::session_builder::{SessionBuilder, settings};

const LONG: &str = "cargo test --workspace --all-targets --all-features -- --nocapture && rm -rf target/old";

#[test]
fn a_command_of_which_one_row_is_in_sight_says_how_many_there_are() {
    let mut builder = SessionBuilder::new();
    builder.user("Test it.");
    let calls: Vec<_> =
        [LONG, "ls", "pwd"].map(|command| builder.tool_use("shell", json!({ "command": command }))).into();
    let open = builder.say(None, "", "", calls);
    for (call, command) in open.iter().zip([LONG, "ls", "pwd"]) {
        builder.ask(call.id(), "shell", Preview::Command(command.into()));
    }
    std::mem::forget(open);
    let mut harness = ScreenHarness::new(builder);
    // What is typed takes rows from the call.
    for _ in 0..6 {
        harness.press("a line");
        harness.ctrl('j');
    }
    let row = |harness: &mut ScreenHarness| {
        let frame = harness.frame(40, 10);
        let row = frame.lines().find(|row| row.contains(" rows")).map(str::to_owned);
        row.unwrap_or_else(|| panic!("{frame}"))
    };
    let first = row(&mut harness);
    assert!(first.contains("$ cargo test") && first.contains('…'), "{first}");
    let all: usize = first.split(" of ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!(first.contains(&format!("1 of {all} rows")), "{first}");
    harness.turns();
    let mut seen = row(&mut harness);
    for line in 2..=all {
        harness.key(KeyCode::PageDown, KeyModifiers::NONE);
        let now = row(&mut harness);
        assert!(now.contains(&format!("{line} of {all} rows")), "{now}");
        seen.push_str(&now);
    }
    assert!(!row(&mut harness).contains('…'), "nothing is below the last one");
    for word in LONG.split(' ') {
        assert!(seen.contains(word), "{word} was never in sight: {seen}");
    }
}

#[test]
fn what_was_granted_is_not_cut() {
    let mut builder = SessionBuilder::new();
    builder.user("Fetch it.");
    let host = "a-rather-long-name-of-a-host.in-some-zone.example.org";
    let call = builder.tool_use("shell", json!({ "command": "curl x" }));
    let open = builder.say(None, "", "", vec![call]).remove(0);
    let call = open.id();
    builder.decide(call, true, Decider::User);
    builder.settle(open, Outcome::Ok, "fine", 1);
    builder.remark(Remark::Change(Change::HostOpened { host: host.to_owned() }));
    let mut harness = ScreenHarness::new(builder);
    for (width, height) in [(40, 20), (80, 24)] {
        let frame: String = harness.frame(width, height).split_whitespace().collect();
        assert!(frame.contains(host), "{frame}");
    }
}

#[test]
fn the_chosen_line_of_a_list_is_told_whole() {
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    harness.local.overlay = Some(Overlay::Picker(Picker::modes(&harness.view)));
    for mode in [countersign::policy::Mode::Plan, countersign::policy::Mode::Auto] {
        let Some(Overlay::Picker(picker)) = &mut harness.local.overlay else { panic!("no list") };
        picker.chosen = picker.items.iter().position(|item| item.words.starts_with(mode.as_str())).unwrap();
        let frame = harness.frame(40, 10).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(frame.contains(mode.allows()), "{frame}");
    }
    harness.local.overlay = Some(page("/help", &harness.view));
    let frame = harness.frame(40, 30);
    assert!(!frame.contains('…') && frame.contains("send; while it works"), "{frame}");
}

#[test]
fn numbers_near_a_limit_say_of_what_and_a_page_offers_no_key_that_does_nothing() {
    let mut builder = SessionBuilder::new();
    builder.user("Look.");
    for _ in 0..3 {
        let call = builder.tool_use("shell", json!({ "command": "ls" }));
        let open = builder.say(None, "", "", vec![call]).remove(0);
        builder.decide(open.id(), true, Decider::User);
        builder.settle(open, Outcome::Ok, "fine", 1);
    }
    let limits = Limits::default().with(Limit::ToolCalls, 4);
    let mut view = View::new(ViewSettings { limits, ..settings() });
    builder.events.iter().for_each(|event| view.fold(event));
    let mut harness = ScreenHarness { view, ..ScreenHarness::new(builder) };
    let frame = harness.frame(120, 24);
    assert!(frame.contains("tool calls 3 of 4, near the limit"), "{frame}");
    assert!(harness.frame(40, 10).contains("tool calls 3 of 4!"), "{}", harness.frame(40, 10));
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    harness.local.overlay = Some(page("/shells", &harness.view));
    let frame = harness.frame(80, 24);
    assert!(frame.contains("No background commands.") && !frame.contains("stop one"), "{frame}");
}

/// A command that had printed something when the person stopped the run, and one behind it.
fn cut_short() -> SessionBuilder {
    let mut builder = SessionBuilder::new();
    builder.user("Build it.");
    let uses = ["for i in $(seq 1 200); do echo building module $i; done", "cat docs/long.txt"];
    let uses = uses.map(|command| builder.tool_use("shell", json!({ "command": command })));
    let mut open = builder.say(None, "", "", uses.to_vec());
    let (queued, ran) = (open.pop().unwrap(), open.pop().unwrap());
    let cut = |ran_ms| Abort { path: AbortPath::C, ran_ms, by: CutBy::User, within: None };
    let printed: String = (1..=9).map(|n| format!("building module {n}\n")).collect();
    let said = aborted_after(cut(Some(4_200)), &printed);
    builder.settle(ran, Outcome::Aborted(cut(Some(4_200))), &said, 4_200);
    builder.settle(queued, Outcome::Aborted(cut(None)), &aborted_text(cut(None)), 0);
    builder.end(Ending::AbortedTools);
    builder
}

/// The words about what to do next pushed both rows that say it out of sight.
#[test]
fn that_effects_may_be_partial_stays_in_sight() {
    for scene in [scenes::interrupted(), cut_short()] {
        let mut harness = ScreenHarness::new(scene);
        let high = harness.frame(40, 24);
        assert!(high.contains("interrupted · effects may be"), "{high}");
        let low = harness.frame(40, 10);
        let call = low.lines().find(|row| row.contains("■ shell")).unwrap_or_else(|| panic!("{low}"));
        assert!(call.ends_with("  partial"), "{low}");
        assert!(low.contains("■ stopped · effects may be partial\n   Check what the calls did."), "{low}");
        assert_eq!(harness.frame(40, 24), high, "more words where there is room");
    }
    let low = ScreenHarness::new(cut_short()).frame(40, 10);
    assert!(low.contains("building module 9") && !low.contains("building module 8"), "{low}");
}

#[test]
fn a_new_file_says_how_long_it_is_beside_its_path() {
    let added: String = (1..=400).map(|line| format!("+line {line}\n")).collect();
    let diff = format!("--- /dev/null\n+++ b/new\n@@ -0,0 +1,400 @@\n{added}");
    for path in ["a.rs", "src/parser.rs", "src/parser/lex.rs", "src/parser/parser.rs"] {
        let mut builder = SessionBuilder::new();
        builder.user("Write it.");
        let call = builder.tool_use("write", json!({ "path": path, "content": "" }));
        let open = builder.say(None, "", "", vec![call]);
        builder.ask(open[0].id(), "write", Preview::Diff(diff.clone()));
        std::mem::forget(open);
        let mut harness = ScreenHarness::new(builder);
        for width in [40, 80] {
            let frame = harness.frame(width, 10);
            assert!(frame.contains("+400") && frame.contains(path), "{frame}");
        }
        assert!(harness.frame(80, 24).contains("waits for you"), "where there is room for both");
    }
}
