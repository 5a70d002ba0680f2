//! The inspector: every page at three sizes, its keys, and what its folds say.

use crate::scenes;
use crate::screen_harness::{ScreenHarness, snapshot};
use crate::session_builder;
use countersign::ledger::{Decider, Decision, EntryId, Message, Remark, Scope};
use countersign::ui::local::Overlay;
use countersign::ui::update::UiEffect;
use countersign::view::{CardId, Fate, ModelSees, Timeline, model_sees};
use ratatui::crossterm::event::{KeyCode, KeyModifiers};

const NONE: KeyModifiers = KeyModifiers::NONE;
const PAGES: [&str; 5] = ["ledger", "sees", "timeline", "budgets", "approvals"];

/// Before the inspector of the eventful session, on a page.
fn at_page(page: usize) -> ScreenHarness {
    let mut harness = ScreenHarness::new(scenes::eventful());
    harness.ctrl('o');
    for _ in 0..page {
        harness.key(KeyCode::Tab, NONE);
    }
    harness
}

fn entry_named(harness: &mut ScreenHarness, id: &str) {
    harness.press("/");
    harness.press(id);
    harness.key(KeyCode::Enter, NONE);
}

fn sees(harness: &ScreenHarness) -> ModelSees {
    model_sees(harness.view.rows(), "anthropic/claude-test")
}

#[test]
fn every_page_at_three_sizes() {
    for (page, name) in PAGES.into_iter().enumerate() {
        for (width, height) in [(80, 24), (120, 40), (40, 10)] {
            snapshot(&format!("inspector_{name}_{width}x{height}"), &at_page(page).frame(width, height));
        }
    }
}

#[test]
fn every_page_of_an_import_says_that_it_is_one() {
    for (page, name) in PAGES.into_iter().enumerate() {
        let mut harness = at_page(page);
        assert!(!harness.frame(120, 40).contains("imported"), "{name}");
        harness.view.settings.imported_to = Some(EntryId(6));
        assert!(harness.frame(120, 40).contains(" imported up to e6"), "{name}");
        assert!(harness.frame(40, 10).contains(" imported"), "{name}");
    }
    let mut harness = at_page(0);
    harness.view.settings.imported_to = Some(EntryId(6));
    entry_named(&mut harness, "parser reject empty");
    assert!(harness.frame(120, 40).contains("imported: nobody here"));
    let mut harness = at_page(4);
    harness.view.settings.imported_to = Some(EntryId(u64::MAX));
    let frame = harness.frame(120, 40);
    assert!(frame.contains("no: it came with an import") && !frame.contains("up to e"), "{frame}");
}

#[test]
fn an_entry_on_the_whole_screen() {
    for (width, height) in [(80, 24), (40, 10)] {
        let mut harness = at_page(0);
        entry_named(&mut harness, "synthetic");
        harness.key(KeyCode::Enter, NONE);
        snapshot(&format!("inspector_entry_{width}x{height}"), &harness.frame(width, height));
    }
}

#[test]
fn f_goes_through_the_kinds_and_escape_comes_back() {
    let mut harness = at_page(0);
    let all = harness.view.rows().len();
    let mut shown = 0;
    for words in ["messages", "calls and results", "approvals", "steps of the loop", "corrections and notes"]
    {
        harness.press("f");
        let frame = harness.frame(120, 40);
        let line = frame.lines().nth(2).unwrap();
        assert!(line.contains(words), "{words}: {line}");
        shown += line.trim().split(' ').next().unwrap().parse::<usize>().unwrap();
    }
    assert_eq!(shown, all, "each entry is of one group");
    harness.key(KeyCode::Esc, NONE);
    assert!(harness.frame(120, 40).contains(&format!("{all} entries")));
    harness.key(KeyCode::Esc, NONE);
    assert!(harness.local.overlay.is_none());
}

#[test]
fn what_is_looked_for_is_found_around_the_end() {
    let mut harness = at_page(0);
    entry_named(&mut harness, "TOOL_RESULT");
    let chosen = |harness: &mut ScreenHarness| {
        let frame = harness.frame(120, 40);
        assert!(frame.contains("4 matches") && frame.contains("user_message"), "{frame}");
        frame.lines().find(|line| line.contains('›')).unwrap().trim().chars().take(8).collect::<String>()
    };
    let first = chosen(&mut harness);
    let mut seen = vec![first.clone()];
    for _ in 0..4 {
        harness.press("n");
        seen.push(chosen(&mut harness));
    }
    assert_eq!(seen[4], first);
    seen.dedup();
    assert_eq!(seen.len(), 5, "{seen:?}");
    harness.press("N");
    assert_eq!(chosen(&mut harness), seen[3]);
    harness.key(KeyCode::Esc, NONE);
    assert!(!harness.frame(120, 40).contains("matches"));
    harness.press("/nothing of the kind");
    assert!(harness.frame(120, 40).contains("no match"));
}

#[test]
fn the_request_is_told_entry_by_entry() {
    let harness = at_page(1);
    let sees = sees(&harness);
    let projected = harness.builder.ledger.project().unwrap();
    assert_eq!((sees.messages, sees.open, sees.fault.as_deref()), (projected.len(), 0, None));
    // Results of one answer are one message, and the system prompt is none.
    let parts: usize = projected.iter().map(|m| if let Message::Results(r) = m { r.len() } else { 1 }).sum();
    assert_eq!(sees.sent.len(), parts + 1);
    let mut total = 0;
    for sight in &sees.all {
        total += sight.tokens;
        assert_eq!(sight.total, total);
        let sent = matches!(sight.fate, Fate::Sent | Fate::Changed(_));
        assert_eq!(sees.sent.contains(&sight.row), sent);
        assert!(sent || sight.tokens == 0, "{sight:?}");
    }
    let fates: Vec<String> = sees
        .differing
        .iter()
        .map(|at| match &sees.all[*at].fate {
            Fate::Left(why) | Fate::Changed(why) => format!("{} {why}", sees.all[*at].entry),
            other => panic!("{other:?}"),
        })
        .collect();
    for says in [
        "withdrawn: the model call failed: the stream was cut",
        "compacted by e",
        "synthetic · Esc, path C: was running for 3.2 s; effects may be partial",
        "synthetic · Esc, path C: was not started",
        "synthetic · denied by user; was not started",
    ] {
        assert!(fates.iter().any(|fate| fate.contains(says)), "{says}: {fates:#?}");
    }
}

#[test]
fn reasoning_of_another_model_is_said_to_be_dropped() {
    let harness = at_page(1);
    let other = model_sees(harness.view.rows(), "openai/other");
    let told = |sees: &ModelSees| {
        sees.all.iter().filter(|s| format!("{:?}", s.fate).contains("reasoning of another model")).count()
    };
    assert_eq!((told(&other), told(&sees(&harness))), (1, 0));
    assert!(other.tokens < sees(&harness).tokens);
}

#[test]
fn cut_results_and_open_calls_are_told() {
    let mut harness = ScreenHarness::new(scenes::running());
    let sees = sees(&harness);
    assert_eq!((sees.open, sees.fault.as_deref()), (2, None));
    harness.ctrl('o');
    harness.key(KeyCode::Tab, NONE);
    assert!(harness.frame(120, 40).contains("2 calls open"));
    let mut builder = session_builder::SessionBuilder::new();
    builder.user("Read.");
    let read = builder.tool_use("read", serde_json::json!({"path": "a"}));
    for call in builder.say(None, "", "", vec![read]) {
        builder.settle_cut(call, "x", 48_213);
    }
    let sees = model_sees(ScreenHarness::new(builder).view.rows(), "anthropic/claude-test");
    let last = &sees.all.last().unwrap().fate;
    assert_eq!(*last, Fate::Changed("cut: 48213 characters left out".into()));
}

#[test]
fn folds_read_each_entry_once() {
    let harness = at_page(0);
    let rows = harness.view.rows();
    let (mut whole, mut parts) = (Timeline::default(), Timeline::default());
    whole.read(rows);
    for end in 0..=rows.len() {
        parts.read(&rows[..end]);
    }
    assert_eq!(whole.moments(), parts.moments());
    assert_eq!(whole.moments().len(), 9);
}

#[test]
fn an_entry_is_copied_forked_exported_and_jumped_to() {
    let mut harness = at_page(0);
    entry_named(&mut harness, "rule for nothing");
    let copied = |acts: Vec<UiEffect>| match acts.as_slice() {
        [UiEffect::Copy(text)] => text.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(copied(harness.press("y")), "It returns before the rule for nothing.");
    assert!(matches!(harness.press("Y").as_slice(), [UiEffect::CopyRecord(_)]));
    assert!(copied(harness.press("F")).starts_with("countersign sessions fork 0192-test --at e"));
    assert_eq!(copied(harness.press("x")), "countersign sessions export 0192-test --json");
    assert!(harness.frame(120, 40).contains("copied: countersign sessions export 0192-test"));
    assert!(harness.press("g").is_empty() && harness.local.overlay.is_none());
    assert!(matches!(harness.local.scroll.reveal, Some(CardId::Entry(_))));
    assert!(harness.frame(120, 40).contains("It returns before the rule for nothing."));
}

#[test]
fn a_fork_ends_only_where_no_call_is_open() {
    let mut harness = at_page(0);
    entry_named(&mut harness, "allow once by user");
    let Some(UiEffect::Copy(command)) = harness.press("F").into_iter().next() else { panic!() };
    let at = command.rsplit('e').next().unwrap().parse::<u64>().unwrap();
    let lint = harness.view.rows().iter().rev().find(|r| r.entry.body.kind() == "tool_result").unwrap();
    assert_eq!(at, lint.entry.id.0);
    assert!(harness.frame(120, 40).contains("is the nearest entry without"));
}

#[test]
fn what_looks_like_base64_is_told_by_its_length() {
    let mut harness = at_page(0);
    harness.local.overlay = Some(Overlay::Ledger(Default::default()));
    let mut terminal = harness.terminal(120, 40);
    fn coded(_: &countersign::ledger::Entry) -> String {
        format!("{{\n  \"signature\": \"{}\",\n  \"text\": \"plain\"\n}}", "QUJD".repeat(60))
    }
    harness.draw_with(&mut terminal, coded);
    let text: String = terminal.backend().buffer().content.iter().map(|c| c.symbol()).collect();
    assert!(text.contains("240 characters of base64 left out") && !text.contains("QUJDQUJD"));
    assert!(text.contains("\"text\": \"plain\""));
}

#[test]
fn a_receipt_tells_the_rule_by_which_it_was_decided_from_one_that_a_person_took() {
    let rule = || Some("shell(cargo\u{1b} test *)".to_owned());
    let of = |allow, sandboxed, by| {
        let mut builder = session_builder::SessionBuilder::new();
        builder.user("Test it.");
        let call = builder.tool_use("shell", serde_json::json!({ "command": "cargo test a" }));
        let open = builder.say(None, "", "", vec![call]).remove(0);
        let scope = if by == Decider::User { Scope::Session } else { Scope::Once };
        let denial = Decision::denial(open.id(), by, "");
        builder.remark(Remark::ApprovalDecided(Decision { allow, sandboxed, scope, rule: rule(), ..denial }));
        std::mem::forget(open);
        let mut harness = ScreenHarness::new(builder);
        harness.ctrl('o');
        for _ in 0..4 {
            harness.key(KeyCode::Tab, NONE);
        }
        harness.frame(120, 40)
    };
    for (allow, sandboxed, by, told) in [
        (true, false, Decider::Policy, ["allowed once by policy", "rule        allow shell(cargo^[ test *)"]),
        (
            true,
            true,
            Decider::Policy,
            ["allowed once by policy", "rule        sandbox shell(cargo^[ test *)"],
        ),
        (false, false, Decider::Policy, ["denied by policy", "rule        deny shell(cargo^[ test *)"]),
        (true, false, Decider::User, ["allowed session by user", "rule taken  shell(cargo^[ test *)"]),
    ] {
        let frame = of(allow, sandboxed, by);
        assert!(told.iter().all(|words| frame.contains(words)), "{told:?} in {frame}");
    }
}

#[test]
fn a_session_that_has_not_begun() {
    for (page, name) in PAGES.into_iter().enumerate() {
        for (width, height) in [(80, 24), (120, 40), (40, 10)] {
            let mut harness = ScreenHarness::new(session_builder::SessionBuilder::new());
            harness.ctrl('o');
            (0..page).for_each(|_| drop(harness.key(KeyCode::Tab, NONE)));
            snapshot(&format!("inspector_empty_{name}_{width}x{height}"), &harness.frame(width, height));
        }
    }
}
