//! What was granted for the session, taken back: on the page, by a command, in lines of words.

use crate::permissions::{RULE, allow, granted, harness, told, waits};
use crate::screen_harness::{ScreenHarness, snapshot};
use crate::session_builder::SessionBuilder;
use countersign::agent::Intent;
use countersign::ledger::{CallId, Change, Decider, Decision, Preview, Remark, Scope};
use countersign::ui::linear::LinearSession;
use countersign::ui::local::Overlay;
use countersign::ui::update::UiEffect;
use ratatui::crossterm::event::{KeyCode, KeyModifiers};
use serde_json::json;

const NONE: KeyModifiers = KeyModifiers::NONE;

fn revokes(acts: &[UiEffect]) -> Option<CallId> {
    if let [UiEffect::Send(Intent::Revoke(call))] = acts { Some(*call) } else { None }
}

#[test]
fn what_was_granted_is_picked_on_the_page_and_taken_back() {
    for (width, height) in [(80, 24), (40, 10)] {
        let mut harness = harness(granted());
        harness.press("/permissions");
        harness.key(KeyCode::Enter, NONE);
        assert!(height < 16 || harness.frame(width, height).contains("x revoke one"));
        harness.key(KeyCode::Char('x'), NONE);
        snapshot(&format!("permissions_revoke_{width}x{height}"), &harness.frame(width, height));
        // The rule stands first; then the actions, in the order in which they were allowed.
        harness.key(KeyCode::Down, NONE);
        assert_eq!(revokes(&harness.key(KeyCode::Enter, NONE)), Some(CallId(2)));
        // The page stays, without the row, and the next one is taken back from there.
        harness.builder.remark(Remark::Change(Change::GrantRevoked { call: CallId(2) }));
        harness.view.fold(harness.builder.events.last().unwrap());
        assert!(matches!(harness.local.overlay, Some(Overlay::Page(_))));
        let frame = harness.frame(width, 80);
        assert!(frame.contains("by you with c1") && !frame.contains("by you with c2"), "{frame}");
        harness.key(KeyCode::Char('x'), NONE);
        assert_eq!(revokes(&harness.key(KeyCode::Enter, NONE)), Some(CallId(4)));
        assert!(harness.local.composer.is_empty());
    }
    let mut harness = harness(granted());
    harness.press("/permissions revoke c4");
    assert_eq!(revokes(&harness.key(KeyCode::Enter, NONE)), Some(CallId(4)));
    harness.press("/permissions revoke");
    assert!(harness.key(KeyCode::Enter, NONE).is_empty());
    assert_eq!(revokes(&harness.key(KeyCode::Enter, NONE)), Some(CallId(4)));
    let mut nothing = ScreenHarness::new(SessionBuilder::new());
    nothing.press("/permissions revoke");
    nothing.key(KeyCode::Enter, NONE);
    assert!(nothing.frame(80, 24).contains("nothing is granted for this session"));
    assert!(nothing.key(KeyCode::Enter, NONE).is_empty());
}

#[test]
fn what_was_taken_back_is_not_listed_any_more() {
    let mut builder = granted();
    builder.remark(Remark::Change(Change::GrantRevoked { call: CallId(1) }));
    builder.remark(Remark::Change(Change::GrantRevoked { call: CallId(4) }));
    let mut harness = harness(builder);
    let all = harness.view.permissions();
    assert!(all.taken.is_empty() && !all.rules.iter().any(|rule| rule.text == RULE));
    let left: Vec<CallId> = all.granted.iter().map(|granted| granted.call).collect();
    assert_eq!(left, [CallId(2)]);
    assert!(harness.frame(80, 24).contains("revoked: what you granted with c4 needs approval again"));
    // Granted again it stands again.
    let mut builder = granted();
    builder.remark(Remark::Change(Change::GrantRevoked { call: CallId(1) }));
    let again = builder.tool_use("shell", json!({ "command": "make build\nmake check" }));
    let open = builder.say(None, "", "", vec![again]).remove(0);
    builder.offer(open.id(), "shell", Preview::Command("make build\nmake check".into()), None);
    allow(&mut builder, open.id(), Scope::Session);
    let calls: Vec<CallId> =
        ScreenHarness::new(builder).view.permissions().granted.iter().map(|granted| granted.call).collect();
    assert_eq!(calls, [CallId(2), open.id()]);
    std::mem::forget(open);
}

#[test]
fn a_rule_that_was_kept_and_taken_back_is_said_to_stay_in_its_file() {
    for (scope, file) in [
        (Scope::Everywhere, Some("in your configuration")),
        (Scope::Project, Some("in .countersign/config.toml")),
        (Scope::Session, None),
    ] {
        let mut builder = waits(Some(RULE));
        let once = Decision::permission(CallId(4), Decider::User, "");
        builder.remark(Remark::ApprovalDecided(Decision { scope, rule: Some(RULE.to_owned()), ..once }));
        builder.remark(Remark::Change(Change::GrantRevoked { call: CallId(4) }));
        let mut harness = harness(builder);
        harness.press("/permissions");
        harness.key(KeyCode::Enter, NONE);
        let frame = harness.frame(120, 40);
        assert_eq!(frame.contains("Revoked for this session"), file.is_some(), "{frame}");
        assert!(file.is_none_or(|file| frame.contains(file)), "{frame}");
        assert_eq!(frame.contains("those that run now keep it"), file.is_some(), "{frame}");
    }
}

#[test]
fn lines_take_a_grant_back_too() {
    let mut builder = granted();
    let mut talk = LinearSession::new(told(), |_| String::new());
    talk.begin(&builder.events, None);
    talk.words();
    talk.line(&crate::linear_harness::typed("/permissions", 0));
    let said = talk.words();
    assert!(said.contains("added for this session by you with c4: shell(cargo test *)\n"), "{said}");
    assert!(said.contains("as in /permissions revoke c4\n"), "{said}");
    talk.line(&crate::linear_harness::typed("/permissions revoke", 0));
    let said = talk.words();
    assert!(said.contains("granted for this session with c1: shell $ make build\n  make check\n"), "{said}");
    let acts = talk.line(&crate::linear_harness::typed("/permissions revoke c1", 0));
    let sent = format!("{acts:?}");
    assert!(sent.contains("Revoke(CallId(1))"), "{sent}");
    builder.remark(Remark::Change(Change::GrantRevoked { call: CallId(1) }));
    talk.hear(builder.events.last().unwrap());
    talk.settle();
    assert!(talk.words().contains("revoked: what you granted with c1 needs approval again"));
}
