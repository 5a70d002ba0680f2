//! Cards: what is taken of them, where they send tasks, and agents that cannot be had.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use countersign::ledger::{CallId, Outcome, Preview};
use countersign::runtime::ToolPort as _;
use countersign::runtime::a2a::A2aAgent;
use countersign::tool::{Preparation, SideEffect, Typed};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::a2a::agent::Agent;
use crate::a2a::site::Site;
use crate::a2a::way::Way;
use crate::agents::fixture::{Fixture, KEY, at, invocation, said};

#[tokio::test]
async fn an_agent_is_what_its_card_says() {
    for way in Way::ALL {
        let agent = Agent::new(way);
        let found = agent.fixture().found().await;
        assert_eq!((found.title.as_str(), found.version.as_str()), ("The writer", "2.1"));
        assert_eq!(
            (found.protocol.as_str(), found.streams),
            (if way.is_new { "1.0" } else { "0.3" }, way.streams)
        );
        assert_eq!(found.address, format!("{}/rpc", agent.site.url()));
        assert_eq!((found.skills, found.tool.effect), (vec!["Letters".to_owned()], SideEffect::Sends));
        assert_eq!((found.tool.name.as_str(), found.tool.timeout_ms), ("delegate_to_writer", Some(60_000)));
        assert!(found.tool.description.ends_with("Writes things.\n- Letters: Writes letters."));
        assert!(agent.site.methods().is_empty());
    }
}

#[tokio::test]
async fn a_card_is_read_once_and_calls_of_others_go_to_the_tools_behind() {
    let agent = Agent::new(Way::NEWEST);
    let fixture = agent.fixture();
    let found = fixture.tools.discover().await;
    assert_eq!((found.tools.len(), found.missing), (1, vec!["inner".to_owned()]));
    fixture.hand("echo x").await;
    fixture.hand("echo y").await;
    assert_eq!(agent.site.asked().iter().filter(|one| one.method == "get").count(), 1);

    let look = fixture.tools.prepare(invocation(json!({ "task": "x" }))).await;
    let preview = Preview::Recipient(format!("{}/rpc", agent.site.url()));
    assert_eq!(look, Preparation { preview, ..Preparation::default() });
    let mut other = invocation(json!({}));
    other.name = "read".to_owned();
    assert_eq!(fixture.tools.prepare(other.clone()).await.outside, ["inner read"]);
    let (output, _shown) = mpsc::channel(1);
    assert_eq!(fixture.tools.run(other, output.clone()).await.content, "inner read");
    let mut nobody = invocation(json!({ "task": "x" }));
    nobody.name = "delegate_to_nobody".to_owned();
    let report = fixture.tools.run(nobody, output).await;
    assert_eq!(said(&report), (Outcome::Failed, "inner delegate_to_nobody"));
    fixture.tools.type_into(CallId(3), Typed(b"x".to_vec()));
    assert_eq!(*fixture.typed.lock().unwrap(), [CallId(3)]);
}

#[tokio::test]
async fn one_that_is_dead_does_not_keep_the_others_away() {
    let agent = Agent::new(Way::NEWEST);
    let silent = Site::new(|_, reply| reply.hold());
    let dead = A2aAgent { name: "dead".to_owned(), start_ms: 200, ..at(&silent.url()) };
    let fixture = Fixture::new(vec![dead, agent.configured()]);
    let found = fixture.tools.discover().await;
    assert_eq!(found.tools.len(), 1);
    let why =
        "The agent `dead` could not be reached: it did not answer within 0.2 s; no task can be sent to it.";
    assert_eq!(found.missing, ["inner", why]);
    assert_eq!(said(&fixture.hand("echo x").await), (Outcome::Ok, "x"));
}

#[tokio::test]
async fn an_agent_that_comes_up_later_is_found_then() {
    let is_up = Arc::new(AtomicBool::new(false));
    let agent = Agent::new(Way::NEWEST);
    let (up, card) = (is_up.clone(), agent.site.url());
    let site = Site::new(move |asked, reply| {
        let url = format!("http://{}/rpc", asked.header("host").unwrap());
        match (asked.method.as_str(), up.load(Relaxed)) {
            ("get", true) => reply.json(&json!({ "name": card, "url": url })),
            ("get", false) => reply.whole("503 Service Unavailable", b""),
            _ => reply.json(
                &json!({ "result": { "kind": "message", "role": "agent", "parts": [{ "text": "up" }] } }),
            ),
        }
    });
    let fixture = Fixture::new(vec![at(&site.url())]);
    let down = "could not be reached: HTTP 503 Service Unavailable; ";
    assert_eq!(fixture.missing().await, format!("The agent `writer` {down}no task can be sent to it."));
    let report = fixture.hand("x").await;
    let words = format!("the agent writer {down}nothing was sent");
    assert_eq!((said(&report), report.remote.clone()), ((Outcome::Failed, words.as_str()), None));
    is_up.store(true, Relaxed);
    assert_eq!(said(&fixture.hand("x").await), (Outcome::Ok, "up"));
    assert_eq!(fixture.found().await.protocol, "0.3");
}

/// Why an agent with such a card cannot be asked; nothing is sent to it.
async fn refused(card: impl Fn(&str) -> Value + Send + Sync + 'static) -> String {
    let site = Site::new(move |asked, reply| reply.json(&card(asked.header("host").unwrap())));
    let fixture = Fixture::new(vec![at(&site.url())]);
    let why = fixture.missing().await;
    let report = fixture.hand("x").await;
    assert_eq!((report.outcome, report.remote), (Outcome::Failed, None));
    assert!(site.methods().is_empty());
    why
}

#[tokio::test]
async fn a_card_sends_no_task_and_no_key_to_another_server() {
    let elsewhere = Agent::new(Way::NEWEST);
    let target = format!("{}/rpc?k=1", elsewhere.site.url());
    let shown = format!("{}/rpc", elsewhere.site.url());
    let interface = json!({ "url": target, "protocolBinding": "JSONRPC", "protocolVersion": "1.0" });
    let newer = json!({ "name": "x", "supportedInterfaces": [interface] });
    for card in [newer, json!({ "name": "x", "url": target })] {
        let site = Site::new(move |asked, reply| match (asked.method.as_str(), asked.path.as_str()) {
            ("get", _) => reply.json(&card),
            ("post", "/rpc?k=1") => {
                reply.json(&json!({ "result": { "role": "agent", "parts": [{ "text": "here" }] } }));
            }
            _ => reply.whole("404 Not Found", b""),
        });
        let fixture = Fixture::new(vec![at(&site.url())]);
        let found = fixture.found().await;
        assert_eq!((found.address, found.named), (format!("{}/rpc", site.url()), Some(shown.clone())));
        assert_eq!(said(&fixture.hand("x").await), (Outcome::Ok, "here"));
    }
    let file = refused(|_| json!({ "name": "x", "url": "file:///etc/passwd" })).await;
    assert!(
        file.contains("its card sends tasks to file:///etc/passwd, which is not a web address"),
        "{file}"
    );
    assert!(elsewhere.site.asked().is_empty(), "{:?}", elsewhere.site.asked());
}

#[tokio::test]
async fn what_is_not_spoken_and_what_is_no_card_is_said() {
    let others = refused(|host| {
        let url = format!("http://{host}/");
        json!({ "name": "x", "supportedInterfaces": [
            { "url": url, "protocolBinding": "GRPC", "protocolVersion": "1.0" },
            { "url": url, "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0" },
        ] })
    });
    assert!(others.await.contains(
        "cannot be used: it offers only GRPC 1.0, HTTP+JSON 1.0; countersign supports JSON-RPC in"
    ));
    let none = refused(|_| json!([1])).await;
    assert!(none.contains("/.well-known/agent-card.json is not an agent card"), "{none}");
    let hostile = refused(|_| {
        let binding = format!("\u{1b}[2J\u{202e}{KEY}{}", "x".repeat(2_000));
        json!({ "name": "x", "url": "/", "preferredTransport": binding })
    });
    let hostile = hostile.await;
    assert!(hostile.contains("it offers only [2J[hidden]xxx") && hostile.chars().count() < 400, "{hostile}");
    assert!(!hostile.contains(['\u{1b}', '\u{202e}']), "{hostile}");
}

#[tokio::test]
async fn doors_that_are_closed_say_what_is_missing() {
    for (head, why) in [
        ("401 Unauthorized", "it asks for a login (HTTP 401); a key for it belongs in its headers"),
        ("403 Forbidden", "it asks for a login (HTTP 403); a key for it belongs in its headers"),
        (
            "302 Found\r\nlocation: http://127.0.0.1:1/",
            "it redirects to an address that is not configured (HTTP 302)",
        ),
        (
            "307 Temporary Redirect\r\nlocation: http://127.0.0.1:1/",
            "it redirects to an address that is not configured (HTTP 307)",
        ),
        ("500 Internal Server Error", "HTTP 500 Internal Server Error"),
    ] {
        let site = Site::new(move |asked, reply| {
            let head = format!("{head}\r\nwww-authenticate: Bearer realm=\"{KEY}\"");
            reply.whole(&head, asked.head.as_bytes());
        });
        let said = Fixture::new(vec![at(&site.url())]).missing().await;
        assert_eq!(
            said,
            format!("The agent `writer` could not be reached: {why}; no task can be sent to it.")
        );
    }
    let mut wrong = at("http://127.0.0.1:1");
    wrong.headers.insert("X-Other".to_owned(), format!("{KEY}\n"));
    let said = Fixture::new(vec![wrong]).missing().await;
    assert!(
        said.contains("the value of the header `X-Other` cannot be sent") && !said.contains(KEY),
        "{said}"
    );
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let said = Fixture::new(vec![at(&format!("http://{nobody}"))]).missing().await;
    assert!(said.contains("could not be reached: Connection refused"), "{said}");
    let endless = Site::new(|_, reply| reply.whole("200 OK", &vec![b' '; (1 << 20) + 1]));
    let said = Fixture::new(vec![at(&endless.url())]).missing().await;
    assert!(said.contains("its answer is larger than 1 MB"), "{said}");
}

#[tokio::test]
async fn what_is_configured_is_not_in_debug_output() {
    let shown = format!("{:?}", at("http://me:password@x.test/a?token=in-the-address"));
    let hidden = [KEY, "in-the-address", "password"].iter().all(|word| !shown.contains(word));
    assert!(hidden && shown.contains("X-Key") && shown.contains("x.test/a"), "{shown}");
}
