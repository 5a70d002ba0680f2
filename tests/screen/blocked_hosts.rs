//! A host that the sandbox blocked: the call shows it, and one key, pressed for it, allows it for the session.

use crate::screen_harness::{ScreenHarness, snapshot};
use crate::session_builder::{SessionBuilder, settings};
use countersign::agent::Intent;
use countersign::ledger::{Change, Ending, Facts, Outcome, Remark, Settlement};
use countersign::ui::linear::LinearSession;
use countersign::ui::update::UiEffect;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use serde_json::json;

const NONE: KeyModifiers = KeyModifiers::NONE;

/// A command asked for two hosts.
fn blocked() -> SessionBuilder {
    let mut builder = SessionBuilder::new();
    builder.user("install it");
    let call = builder.tool_use("shell", json!({ "command": "npm install" }));
    let open = builder.say(None, "", "", vec![call]).remove(0);
    builder.run(open.id(), "shell");
    let hosts = ["registry.example", "cdn.example:8443"].map(str::to_owned).to_vec();
    let facts = Facts { blocked_hosts: hosts, ..Facts::default() };
    let ending = Settlement::synthetic(Outcome::Failed, "npm error code E403\nexit code 1");
    builder.finish(open, Settlement { facts, ..ending });
    builder.end(Ending::Completed);
    builder
}

fn opened(acts: &[UiEffect]) -> Option<&str> {
    if let [UiEffect::Send(Intent::OpenHost(host))] = acts { Some(host) } else { None }
}

fn allow(host: &str) -> Remark {
    Remark::Change(Change::HostOpened { host: host.to_owned() })
}

#[test]
fn the_call_names_the_hosts_and_a_key_allows_one_after_the_other() {
    for (width, height) in [(80, 24), (40, 10)] {
        snapshot(
            &format!("blocked_hosts_{width}x{height}"),
            &ScreenHarness::new(blocked()).frame(width, height),
        );
    }
    let mut harness = ScreenHarness::new(blocked());
    harness.key(KeyCode::Tab, NONE);
    for size in [(80, 24), (40, 10)] {
        let frame = harness.frame(size.0, size.1);
        let last = frame.lines().last().unwrap_or_default();
        assert!(last.contains("h allow"), "the last line names the key: {frame}");
    }
    assert_eq!(opened(&harness.key(KeyCode::Char('h'), NONE)), Some("registry.example"));
    let mut builder = blocked();
    builder.remark(allow("registry.example"));
    let mut harness = ScreenHarness::new(builder);
    harness.key(KeyCode::Tab, NONE);
    assert_eq!(opened(&harness.key(KeyCode::Char('h'), NONE)), Some("cdn.example:8443"));
    assert!(harness.frame(80, 24).contains("commands in the sandbox may reach registry.example"));
    let frame = harness.frame(80, 24);
    assert!(frame.contains("blocked registry.example · allowed since then"), "{frame}");
    assert!(frame.contains("blocked cdn.example:8443 · tab, h"), "{frame}");
    let mut builder = blocked();
    for host in ["registry.example", "cdn.example:8443"] {
        builder.remark(allow(host));
    }
    let mut harness = ScreenHarness::new(builder);
    harness.key(KeyCode::Tab, NONE);
    assert!(harness.key(KeyCode::Char('h'), NONE).is_empty());
}

#[test]
fn only_a_key_that_was_pressed_for_it_allows_a_host() {
    // Typed text is text.
    let mut harness = ScreenHarness::new(blocked());
    assert!(harness.press("hhh").is_empty());
    // A burst, and a key that is held down, are not.
    let h = KeyEvent::new(KeyCode::Char('h'), NONE);
    let mut harness = ScreenHarness::new(blocked());
    harness.key(KeyCode::Tab, NONE);
    harness.waits(700);
    assert!(harness.reads(&[h, h]).is_empty());
    let mut harness = ScreenHarness::new(blocked());
    harness.key(KeyCode::Tab, NONE);
    assert!(opened(&harness.key(KeyCode::Char('h'), NONE)).is_some());
    harness.waits(100);
    assert!(harness.reads(&[h]).is_empty(), "the next host needs a key of its own");
}

#[test]
fn what_was_allowed_is_listed_and_taken_back() {
    let mut builder = blocked();
    builder.remark(allow("registry.example"));
    let mut harness = ScreenHarness::new(builder);
    harness.press("/permissions");
    harness.key(KeyCode::Enter, NONE);
    assert!(harness.frame(80, 40).contains("registry.example"));
    harness.key(KeyCode::Char('x'), NONE);
    assert!(harness.frame(80, 24).contains("reach registry.example from the sandbox"));
    let acts = harness.key(KeyCode::Enter, NONE);
    assert!(matches!(&acts[..], [UiEffect::Send(Intent::CloseHost(host))] if host == "registry.example"));
    let mut builder = blocked();
    builder.remark(allow("registry.example"));
    builder.remark(Remark::Change(Change::HostClosed { host: "registry.example".to_owned() }));
    assert!(ScreenHarness::new(builder).view.session.hosts.is_empty());
}

#[test]
fn lines_say_it_and_take_it_too() {
    let builder = blocked();
    let mut talk = LinearSession::new(settings(), |_| String::new());
    talk.begin(&builder.events, None);
    let said = talk.words();
    let how = "the sandbox blocked registry.example: /permissions host registry.example allows it";
    assert!(said.contains(how), "{said}");
    let acts = talk.line(&crate::linear_harness::typed("/permissions host registry.example", 0));
    assert!(format!("{acts:?}").contains("OpenHost(\"registry.example\")"), "{acts:?}");
}
