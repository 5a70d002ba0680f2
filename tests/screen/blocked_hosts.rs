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

/// A command asked for these hosts.
fn blocked_from(hosts: &[&str]) -> SessionBuilder {
    let mut builder = SessionBuilder::new();
    builder.user("install it");
    let call = builder.tool_use("shell", json!({ "command": "npm install" }));
    let open = builder.say(None, "", "", vec![call]).remove(0);
    builder.run(open.id(), "shell");
    let facts =
        Facts { blocked_hosts: hosts.iter().map(|host| (*host).to_owned()).collect(), ..Facts::default() };
    let ending = Settlement::synthetic(Outcome::Failed, "npm error code E403\nexit code 1");
    builder.finish(open, Settlement { facts, ..ending });
    builder.end(Ending::Completed);
    builder
}

/// A command asked for two hosts.
fn blocked() -> SessionBuilder {
    blocked_from(&["registry.example", "cdn.example:8443"])
}

/// The call has the focus, and a frame of this size has stood there for long enough.
fn focused(builder: SessionBuilder, size: (u16, u16)) -> ScreenHarness {
    let mut harness = ScreenHarness::new(builder);
    harness.frame(size.0, size.1);
    harness.key(KeyCode::Tab, NONE);
    looks(&mut harness, size);
    harness
}

/// A frame, and time to read it.
fn looks(harness: &mut ScreenHarness, size: (u16, u16)) -> String {
    harness.frame(size.0, size.1);
    harness.waits(1_000);
    harness.frame(size.0, size.1)
}

/// The last line of a frame.
fn footer(frame: &str) -> &str {
    frame.lines().last().unwrap_or_default()
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
    for size in [(80, 24), (40, 10)] {
        let frame = focused(blocked(), size).frame(size.0, size.1);
        assert!(footer(&frame).contains("h allow registry.example"), "the last line names the host: {frame}");
    }
    let size = (80, 24);
    let mut harness = focused(blocked(), size);
    assert_eq!(opened(&harness.key(KeyCode::Char('h'), NONE)), Some("registry.example"));
    let mut builder = blocked();
    builder.remark(allow("registry.example"));
    let mut harness = focused(builder, size);
    let frame = harness.frame(size.0, size.1);
    assert!(frame.contains("commands in the sandbox may reach registry.example"), "{frame}");
    assert!(frame.contains("blocked registry.example · allowed since then"), "{frame}");
    assert!(frame.contains("blocked cdn.example:8443 · tab, h"), "{frame}");
    assert!(footer(&frame).contains("h allow cdn.example:8443"), "{frame}");
    assert_eq!(opened(&harness.key(KeyCode::Char('h'), NONE)), Some("cdn.example:8443"));
    let mut builder = blocked();
    for host in ["registry.example", "cdn.example:8443"] {
        builder.remark(allow(host));
    }
    let mut harness = focused(builder, size);
    assert!(harness.key(KeyCode::Char('h'), NONE).is_empty());
}

#[test]
fn only_the_host_that_the_key_takes_offers_it() {
    let hosts = ["a.example", "b.example", "c.example", "d.example", "e.example"];
    let mut builder = blocked_from(&hosts);
    for (at, host) in hosts.iter().enumerate() {
        let frame = focused(builder, (80, 24)).frame(80, 24);
        let offered: Vec<&str> = frame.lines().filter(|line| line.contains("tab, h")).collect();
        assert_eq!(offered.len(), 1, "{frame}");
        assert!(
            offered[0].contains(&format!("blocked {host} · tab, h: allow it for this session")),
            "{frame}"
        );
        assert!(footer(&frame).contains(&format!("h allow {host}")), "{frame}");
        builder = blocked_from(&hosts);
        for open in &hosts[..=at] {
            builder.remark(allow(open));
        }
    }
}

#[test]
fn a_host_is_allowed_only_when_its_whole_name_has_been_in_sight() {
    let long = format!("{}.registry.of.packages.example.org:8443", "deep".repeat(8));
    let size = (40, 10);
    let mut builder = blocked_from(&["a.example", "b.example", &long]);
    for open in ["a.example", "b.example"] {
        builder.remark(allow(open));
    }
    let mut harness = focused(builder, size);
    let frame = harness.frame(size.0, size.1);
    let sight = |frame: &str| {
        let rows: Vec<&str> = frame.lines().map(str::trim).collect();
        rows.concat().contains(&long)
    };
    // The footer has no room for all of it.
    assert!(!sight(&frame) && footer(&frame).contains("h allow deepdeep"), "{frame}");
    assert!(footer(&frame).ends_with(".org:8443"), "{frame}");
    assert!(harness.key(KeyCode::Char('h'), NONE).is_empty(), "nobody has read it");
    let frame = harness.frame(size.0, size.1);
    assert!(sight(&frame) && frame.contains("press again"), "{frame}");
    snapshot("blocked_hosts_brought_in_sight_40x10", &frame);
    harness.waits(200);
    assert!(harness.key(KeyCode::Char('h'), NONE).is_empty(), "too soon");
    looks(&mut harness, size);
    assert_eq!(opened(&harness.key(KeyCode::Char('h'), NONE)), Some(long.as_str()));
}

#[test]
fn only_a_key_that_was_pressed_for_it_allows_a_host() {
    // Typed text is text.
    let mut harness = ScreenHarness::new(blocked());
    assert!(harness.press("hhh").is_empty());
    // A burst, and a key that is held down, are not.
    let h = KeyEvent::new(KeyCode::Char('h'), NONE);
    let mut harness = focused(blocked(), (80, 24));
    assert!(harness.reads(&[h, h]).is_empty());
    let mut harness = focused(blocked(), (80, 24));
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
