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
        assert!(footer(&frame).trim_start().starts_with('c'), "and how full the context is: {frame}");
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
fn on_a_low_screen_the_hosts_stand_above_what_was_written() {
    for (size, is_low) in [((40, 10), true), ((80, 24), false)] {
        let frame = focused(blocked(), size).frame(size.0, size.1);
        let place = |words: &str| frame.lines().position(|line| line.contains(words));
        let (host, written) = (place("blocked registry.example"), place("npm error"));
        assert!(host.is_some() && written.is_some(), "{frame}");
        assert_eq!(host < written, is_low, "{frame}");
    }
}

#[test]
fn a_key_behind_a_search_allows_no_host() {
    let size = (80, 24);
    let mut harness = focused(blocked(), size);
    harness.ctrl('f');
    harness.press("npm");
    harness.key(KeyCode::Enter, NONE);
    looks(&mut harness, size);
    assert!(harness.key(KeyCode::Char('h'), NONE).is_empty() && harness.local.search.is_none());
    looks(&mut harness, size);
    assert_eq!(opened(&harness.key(KeyCode::Char('h'), NONE)), Some("registry.example"));
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

/// As long as the name of a host can be, nearly.
fn longest() -> String {
    (0..30).map(|n| format!("{n:07}.")).collect::<String>() + "example.org"
}

#[test]
fn a_host_with_more_rows_than_the_window_is_read_row_by_row_and_then_allowed() {
    let long = longest();
    let size = (40, 10);
    let mut harness = focused(blocked_from(&[&long]), size);
    let mut seen = String::new();
    for _ in 0..12 {
        let frame = looks(&mut harness, size);
        let rows: Vec<&str> = frame.lines().map(str::trim).collect();
        seen.push_str(&rows.concat());
        let acts = harness.key(KeyCode::Char('h'), NONE);
        if let Some(host) = opened(&acts) {
            assert_eq!(host, long);
            let parts: Vec<&str> = long.split('.').collect();
            let missing: Vec<&&str> = parts.iter().filter(|part| !seen.contains(**part)).collect();
            // A part can stand on two rows.
            assert!(missing.len() < 10, "{missing:?}\n{seen}");
            assert!(seen.contains(parts[0]) && seen.contains("example"), "{seen}");
            return;
        }
        assert!(harness.frame(size.0, size.1).contains("press again"), "{}", harness.frame(size.0, size.1));
    }
    panic!("it can never be allowed: {}", harness.frame(size.0, size.1));
}

#[test]
fn whoever_scrolls_to_its_end_has_read_a_long_host_and_whoever_jumps_has_not() {
    let long = longest();
    let size = (40, 10);
    let mut jumps = focused(blocked_from(&[&long]), size);
    jumps.key(KeyCode::End, KeyModifiers::CONTROL);
    looks(&mut jumps, size);
    assert!(jumps.key(KeyCode::Char('h'), NONE).is_empty(), "its beginning was never in sight");
    let mut scrolls = focused(blocked_from(&[&long]), size);
    for _ in 0..4 {
        looks(&mut scrolls, size);
        scrolls.key(KeyCode::PageDown, NONE);
    }
    // From its first row on.
    for _ in 0..6 {
        looks(&mut scrolls, size);
        scrolls.key(KeyCode::PageUp, NONE);
    }
    for _ in 0..6 {
        looks(&mut scrolls, size);
        if scrolls.local.host_reading.is_some_and(|reading| reading.is_read()) {
            assert_eq!(opened(&scrolls.key(KeyCode::Char('h'), NONE)), Some(long.as_str()));
            return;
        }
        scrolls.key(KeyCode::PageDown, NONE);
    }
    panic!("{}", scrolls.frame(size.0, size.1));
}

#[test]
fn that_a_long_host_was_allowed_since_is_told_on_a_narrow_screen() {
    let long = "a-rather-long-name-of-a-host.in-some-zone.example.org";
    for (size, words) in [
        ((40, 20), "example.org · allowed"),
        ((80, 24), "example.org · allowed"),
        ((120, 40), "example.org · allowed since then"),
    ] {
        let mut builder = blocked_from(&[long, "b.example"]);
        builder.remark(allow(long));
        let frame = focused(builder, size).frame(size.0, size.1);
        assert!(frame.contains(words), "{frame}");
    }
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
