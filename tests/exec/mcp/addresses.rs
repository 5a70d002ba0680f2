//! MCP servers that are addresses, in the real binary: their sessions are ended there, however the program ends.

use std::process::Stdio;
use std::sync::Mutex;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use super::run;
use crate::mcp_site::{Asked, Site};
use crate::steered::{Steered, answer};
use crate::world::{World, script};

fn world(site: &Site) -> World {
    World::new().configured(&format!("[mcp_servers.far]\nurl = '{}'\n", site.url()))
}

fn call() -> String {
    script(json!([{ "tool_calls": [{ "id": "a", "name": "mcp__far__get", "arguments": {} }] }, "Done."]))
}

/// What the site heard at the end: of a call that was taken back, and of its session.
fn ends(site: &Site) -> Vec<String> {
    let is_end = |one: &&Asked| one.method == "delete" || one.rpc() == "notifications/cancelled";
    site.asked().iter().filter(is_end).map(|one| format!("{} {}", one.method, one.rpc())).collect()
}

#[test]
fn a_session_at_an_address_ends_with_the_program() {
    for words in [
        &["exec", "--script", &call(), "--allow", "mcp__far__*", "go"][..],
        &["mcp", "test"],
        &["mcp", "call", "far", "get"],
    ] {
        let site = Site::good();
        let ran = run(&world(&site), words);
        assert_eq!(ran.code, 0, "{words:?}: {}", ran.err);
        assert_eq!(ends(&site), ["delete "], "{words:?}");
    }
}

#[test]
fn a_key_in_the_path_of_an_address_is_neither_shown_nor_recorded() {
    const KEY: &str = "planted-in-the-path-42";
    let site = Site::good();
    let text = format!("[mcp_servers.far]\nurl = 'http://{}/s/${{MYKEY}}/mcp'\n", site.address);
    let world = World::new().with("MYKEY", KEY).configured(&text);
    let mut run = Steered::start(&world, &["--mode", "ask", "--script", &call(), "go"]);
    let asked = run.until("approval_request");
    let shown = format!("http://{}/s/[hidden]/mcp", site.address);
    assert!(asked.to_string().contains(&shown), "{asked}");
    run.say(&answer(&asked, "allow"));
    let done = run.until("tool_result");
    assert_eq!(done["outcome"], "ok", "{done}");
    run.until("turn_ended");
    let ran = run.end();
    assert!(site.asked().iter().all(|one| one.head.contains(KEY)), "{:?}", site.asked());
    assert!(!ran.out.contains(KEY) && !ran.err.contains(KEY), "{}{}", ran.out, ran.err);
    assert!(!world.session_text().contains(KEY), "{}", world.session_text());
}

#[test]
fn a_signal_takes_the_call_back_and_ends_the_session() {
    for (signal, words) in [
        (Signal::TERM, &["exec", "--script", &call(), "--allow", "mcp__far__*", "go"][..]),
        (Signal::INT, &["exec", "--script", &call(), "--allow", "mcp__far__*", "go"]),
        (Signal::TERM, &["mcp", "call", "far", "get"]),
    ] {
        let (let_go, held) = std::sync::mpsc::channel::<()>();
        let held = Mutex::new(held);
        let site = Site::new(move |asked| {
            if asked.rpc() == "tools/call" {
                held.lock().unwrap().recv().unwrap_err();
            }
            None
        });
        let world = world(&site);
        let mut child =
            world.program().args(words).stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
        while site.count("tools/call") == 0 && child.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        kill_process(Pid::from_child(&child), signal).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130), "{words:?}");
        assert_eq!(ends(&site), ["post notifications/cancelled", "delete "], "{signal:?} {words:?}");
        drop(let_go);
    }
}
