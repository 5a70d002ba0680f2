//! Branches: what could go otherwise at an entry is offered, the tree is a page of the inspector, and two sessions stand side by side.

use crate::linear_harness::LinearHarness;
use crate::scenes;
use crate::screen_harness::{ScreenHarness, snapshot};
use countersign::ledger::{Body, EntryId};
use countersign::ui::local::Overlay;
use countersign::ui::picker_source::Source;
use countersign::ui::replies::reply;
use countersign::ui::update::UiEffect;
use countersign::ui::{BranchRow, BranchWish, Otherwise, Reply, Request, SideBySide};
use ratatui::crossterm::event::{KeyCode, KeyModifiers};

const NONE: KeyModifiers = KeyModifiers::NONE;

/// Before the inspector, with the first entry chosen of which this is so.
fn at(is_it: fn(&Body) -> bool) -> (ScreenHarness, EntryId) {
    let mut harness = ScreenHarness::new(scenes::eventful());
    let entry = harness.view.rows().iter().find(|row| is_it(&row.entry.body)).unwrap().entry.id;
    harness.ctrl('o');
    harness.key(KeyCode::Home, NONE);
    let before = harness.view.rows().iter().position(|row| row.entry.id == entry).unwrap();
    (0..before).for_each(|_| drop(harness.key(KeyCode::Down, NONE)));
    (harness, entry)
}

fn is_decision(body: &Body) -> bool {
    matches!(body, Body::ApprovalDecided(_))
}

fn source(harness: &ScreenHarness) -> Option<Source> {
    if let Some(Overlay::Picker(picker)) = &harness.local.overlay { Some(picker.source) } else { None }
}

fn tree() -> Vec<BranchRow> {
    let row = |id: &str, depth, at: &str, words: &str, is_own| {
        let [id, at, words] = [id, at, words].map(str::to_owned);
        BranchRow { id, depth, at, words, is_own }
    };
    vec![
        row("0199aaaa-1111-7000", 0, "", "2026-11-25 09:00  completed  Mend the parser", true),
        row("0199bbbb-2222-7000", 1, "e9", "2026-11-25 09:10  completed  Mend the parser", false),
        row("0199cccc-3333-7000", 2, "e14", "2026-11-25 09:12  max_cost  \u{1b}[31mMend\u{7} it", false),
    ]
}

fn beside() -> SideBySide {
    let some = |text: &str| Some(text.to_owned());
    let rows = vec![
        (some("message Mend it."), some("message Mend it.")),
        (some("allowed c2 by user, once"), some("denied c2 by user, once: no")),
        (some("result of c2: ok"), some("result of c2: denied")),
        (None, some("an answer is \u{1b}[31mwithdrawn")),
        (some("ends: completed; turns 2"), some("ends: completed; turns 2")),
    ];
    SideBySide { id: "0199bbbb-2222-7000".to_owned(), rows }
}

#[test]
fn what_could_go_otherwise_is_offered_at_a_decision_and_at_a_message() {
    let (mut harness, entry) = at(is_decision);
    harness.press("w");
    assert_eq!(source(&harness), Some(Source::Otherwise));
    snapshot("whatif_decision_80x24", &harness.frame(80, 24));
    snapshot("whatif_decision_40x10", &harness.frame(40, 10));
    harness.key(KeyCode::Down, NONE);
    assert_eq!(harness.key(KeyCode::Enter, NONE), [], "no call runs by a line that is taken");
    assert_eq!(harness.local.composer.shown(), format!("/whatif {entry} allow"));
    let acts = harness.key(KeyCode::Enter, NONE);
    let wish = BranchWish { entry, otherwise: Otherwise::Allow };
    assert!(acts.contains(&UiEffect::Ask(Request::WhatIf(wish))), "{acts:?}");

    let (mut harness, entry) = at(is_decision);
    harness.press("w");
    harness.key(KeyCode::Enter, NONE);
    assert_eq!(harness.local.composer.shown(), format!("/whatif {entry} deny "));
    harness.press("use the API");
    let acts = harness.key(KeyCode::Enter, NONE);
    let wish = BranchWish { entry, otherwise: Otherwise::Deny("use the API".to_owned()) };
    assert!(acts.contains(&UiEffect::Ask(Request::WhatIf(wish))), "{acts:?}");

    let (mut harness, entry) = at(|body| matches!(body, Body::User(_)));
    harness.press("w");
    harness.key(KeyCode::Enter, NONE);
    let text = harness.local.composer.text().clone();
    assert_eq!(text, format!("/whatif {entry} edit Why does the parser reject empty input?"));
}

#[test]
fn where_nothing_could_go_otherwise_it_says_so() {
    let (mut harness, entry) = at(|body| matches!(body, Body::TurnEnded(_)));
    assert!(harness.press("w").is_empty());
    assert!(matches!(harness.local.overlay, Some(Overlay::Ledger(_))));
    let frame = harness.frame(80, 24);
    assert!(frame.contains(&format!("{entry} is neither a message nor a decision")), "{frame}");
}

#[test]
fn the_tree_is_a_page_and_a_branch_stands_beside_the_session() {
    let mut harness = ScreenHarness::new(scenes::eventful());
    harness.ctrl('o');
    let acts = harness.key(KeyCode::BackTab, NONE);
    assert_eq!(acts, [UiEffect::Ask(Request::ListBranches)]);
    assert!(harness.frame(80, 24).contains("reading…"));
    reply(&mut harness.local, &harness.view, Reply::Branches(tree()));
    for (width, height) in [(80, 24), (120, 40), (40, 10)] {
        snapshot(&format!("inspector_branches_{width}x{height}"), &harness.frame(width, height));
    }
    harness.key(KeyCode::Home, NONE);
    assert!(harness.key(KeyCode::Enter, NONE).is_empty());
    assert!(harness.frame(80, 24).contains("this is the session that is open"), "it has no other side");
    harness.key(KeyCode::Down, NONE);
    let acts = harness.key(KeyCode::Enter, NONE);
    assert_eq!(acts, [UiEffect::Ask(Request::Beside("0199bbbb-2222-7000".to_owned()))]);
    assert!(harness.frame(80, 24).contains("reading…"));
    reply(&mut harness.local, &harness.view, Reply::Beside(beside()));
    for (width, height) in [(80, 24), (120, 40), (40, 10)] {
        snapshot(&format!("inspector_beside_{width}x{height}"), &harness.frame(width, height));
    }
    harness.key(KeyCode::Esc, NONE);
    assert!(harness.frame(80, 24).contains("0199cccc"), "back at the tree");
}

#[test]
fn an_answer_about_another_branch_is_not_shown_as_this_one() {
    let mut harness = ScreenHarness::new(scenes::eventful());
    harness.ctrl('o');
    harness.key(KeyCode::BackTab, NONE);
    reply(&mut harness.local, &harness.view, Reply::Branches(tree()));
    harness.key(KeyCode::End, NONE);
    harness.key(KeyCode::Enter, NONE);
    reply(&mut harness.local, &harness.view, Reply::Beside(beside()));
    let frame = harness.frame(80, 24);
    assert!(!frame.contains("denied c2"), "{frame}");
}

#[test]
fn lines_make_branches_and_compare_them() {
    let mut linear = LinearHarness::new(scenes::eventful());
    let acts = linear.types("/whatif e9 deny not that");
    let wish = BranchWish { entry: EntryId(9), otherwise: Otherwise::Deny("not that".to_owned()) };
    assert!(format!("{acts:?}").contains(&format!("{:?}", Request::WhatIf(wish))), "{acts:?}");
    assert!(linear.types("/whatif 9 deny").is_empty());
    assert!(linear.said.contains("/whatif takes an entry"), "{}", linear.said);
    let acts = linear.types("/compare 0199bbbb");
    assert!(format!("{acts:?}").contains("Beside(\"0199bbbb\")"), "{acts:?}");
    linear.talk.reply(Reply::Beside(beside()));
    let said = linear.writes();
    assert!(said.contains("only here: allowed c2 by user, once"), "{said}");
    let safe = said.contains("only there: an answer is ^[[31mwithdrawn") && !said.contains('\u{1b}');
    assert!(safe, "nothing reaches the terminal: {said}");
}
