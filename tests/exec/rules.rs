//! Rules of the real binary: pages that may be fetched.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::mpsc;

use serde_json::{Value, json};

use crate::stage::{Ran, World, script, text};

/// A server on this machine that says hello to everybody, and tells which paths were asked for.
fn site() -> (SocketAddr, mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (sender, asked) = mpsc::channel();
    std::thread::spawn(move || {
        for connection in listener.incoming() {
            let mut connection = connection.unwrap();
            let (mut request, mut byte) = (Vec::new(), [0]);
            while !request.ends_with(b"\r\n\r\n") && connection.read(&mut byte).is_ok_and(|n| n == 1) {
                request.push(byte[0]);
            }
            let request = String::from_utf8(request).unwrap();
            sender.send(request.split(' ').nth(1).unwrap_or_default().to_owned()).unwrap();
            let page = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\nhello";
            connection.write_all(page.as_bytes()).unwrap();
        }
    });
    (address, asked)
}

/// One message with these calls, `c1`, `c2` and so on.
fn calls(world: &World, words: &[&str], calls: &[(&str, Value)]) -> Ran {
    let calls: Vec<Value> = (1..)
        .zip(calls)
        .map(
            |(number, (name, arguments))| json!({ "id": format!("p{number}"), "name": name, "arguments": arguments }),
        )
        .collect();
    let script = script(json!([{ "tool_calls": calls }, "Done."]));
    world.json(&[&["--script", script.as_str()], words, &["go"]].concat())
}

/// What was decided about a call.
fn decision(ran: &Ran, call: &str) -> Value {
    ran.all("approval").into_iter().find(|decision| decision["id"] == call).unwrap()
}

#[test]
fn a_page_is_fetched_where_a_rule_allows_it_and_nowhere_else() {
    let (address, asked) = site();
    let config = format!(
        "allow = ['fetch(http://{address}/docs/*)', 'fetch(localhost)']\ndeny = ['fetch({address}/docs/secret)']\n\
         [tools.fetch]\nallow_hosts = ['{address}']\n"
    );
    let world = World::new().configured(&config);
    let pages = [
        format!("http://{address}/docs/a?b#c"),
        format!("http://{address}/docs/../diary"),
        format!("http://{address}/docs/..%2fdiary"),
        format!("http://{address}/docs/%73ecret"),
        format!("http://localhost@{address}/docs/a"),
        format!("http://{address}\\docs\\b"),
    ];
    let fetches: Vec<(&str, Value)> = pages.iter().map(|url| ("fetch", json!({ "url": url }))).collect();
    let ran = calls(&world, &[], &fetches);
    assert_eq!(ran.outcomes(), ["ok", "denied", "denied", "denied", "denied", "ok"], "{}", ran.err);
    assert_eq!(text(&decision(&ran, "c1"), "reason"), format!("rule fetch(http://{address}/docs/*)"));
    assert_eq!(text(&decision(&ran, "c4"), "reason"), format!("rule fetch({address}/docs/secret) denies it"));
    assert_eq!(asked.try_iter().collect::<Vec<_>>(), ["/docs/a?b", "/docs/b"]);
    let refused = world.refused(&["--allow", "fetch(docs*.rs)", "go"]);
    assert!(refused.contains("fetch(docs*.rs)") && refused.contains("write fetch(docs.rs)"), "{refused}");
}
