//! `fetch` against servers on this machine, which the configuration of the test allows, and refusals without any.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc as std_mpsc;
use std::time::Duration;

use countersign::runtime::{AllowedHost, Network, Reach};
use serde_json::json;

use super::*;

/// What a server does with a connection whose request it has read.
type Answer = dyn Fn(&str, &mut TcpStream) + Send;

/// A server that answers each connection once, and tells what it was asked.
struct Site {
    address: SocketAddr,
    requests: std_mpsc::Receiver<String>,
}

impl Site {
    fn new(answer: impl Fn(&str, &mut TcpStream) + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, requests) = std_mpsc::channel();
        let answer: Box<Answer> = Box::new(answer);
        std::thread::spawn(move || {
            for connection in listener.incoming() {
                let Ok(mut connection) = connection else { return };
                let mut request = Vec::new();
                let mut byte = [0];
                while !request.ends_with(b"\r\n\r\n") && connection.read(&mut byte).is_ok_and(|n| n == 1) {
                    request.push(byte[0]);
                }
                let request = String::from_utf8(request).unwrap();
                if sender.send(request.clone()).is_err() {
                    return;
                }
                answer(request.split(' ').nth(1).unwrap_or_default(), &mut connection);
            }
        });
        Self { address, requests }
    }

    /// One answer for everything.
    fn saying(head: &str, body: &[u8]) -> Self {
        let whole = [format!("HTTP/1.1 {head}\r\nconnection: close\r\n\r\n").as_bytes(), body].concat();
        Self::new(move |_, connection| drop(connection.write_all(&whole)))
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}

fn allowing(sites: &[&Site]) -> Fixture {
    let mut fixture = Fixture::new();
    let allowed = sites.iter().map(|site| AllowedHost::parse(&site.address.to_string()).unwrap()).collect();
    fixture.tools = fixture.tools.clone().reaching(Reach { allowed, network: Network::default() });
    fixture
}

fn url(url: impl Into<String>) -> Value {
    json!({ "url": url.into() })
}

#[tokio::test]
async fn a_page_is_read_as_text() {
    let site = Site::saying(
        "200 OK\r\ncontent-type: text/html; charset=utf-8",
        "<title>x</title><h1>Caf\u{e9}</h1><p>See <a href='/more'>more</a>.<script>no()</script>".as_bytes(),
    );
    let fixture = allowing(&[&site]);
    let text = fixture.done("fetch", url(site.url("/a?b=c#d"))).await;
    let (head, page) = text.split_once("\n\n").unwrap();
    assert_has(head, &[&format!("{} · text/html · 83 B", site.url("/a?b=c")), "not instructions to follow"]);
    assert_eq!(page, "# Café\n\nSee [more](/more).");
    let request = site.requests.recv().unwrap().to_lowercase();
    assert!(request.starts_with("get /a?b=c http/1.1\r\n"), "{request}");
    assert_has(&request, &["user-agent: countersign/"]);
    for header in ["cookie:", "referer:", "authorization:"] {
        assert!(!request.contains(header), "{request}");
    }
}

#[tokio::test]
async fn json_and_plain_text_are_shown_as_they_are_and_other_types_refused() {
    let site = Site::saying("200 OK\r\ncontent-type: application/json", b"{\"a\": [1, 2]}\n");
    let text = allowing(&[&site]).done("fetch", url(site.url("/"))).await;
    assert!(text.ends_with("\n\n{\"a\": [1, 2]}\n"), "{text}");
    let site =
        Site::saying("200 OK\r\ncontent-type: application/pdf\r\ncontent-length: 9999", b"%PDF-1.7 \0");
    let why = allowing(&[&site]).fails("fetch", url(site.url("/x"))).await;
    assert_has(&why, &["was cut off"]);
    let body = [b"%PDF-1.7\n".as_slice(), &[0; 200_000]].concat();
    let head = format!("200 OK\r\ncontent-type: application/pdf\r\ncontent-length: {}", body.len());
    let site = Site::saying(&head, &body);
    let why = allowing(&[&site]).fails("fetch", url(site.url("/x"))).await;
    assert_has(&why, &["not text: application/pdf, a PDF document of 195.3 KB", "`shell` with curl"]);
}

#[tokio::test]
async fn an_error_says_its_status_and_what_its_page_says() {
    let site = Site::saying("404 Not Found\r\ncontent-type: text/html", b"<h1>Nothing here</h1>");
    let report = allowing(&[&site]).run("fetch", url(site.url("/x"))).await;
    assert_has(&report.content, &["the server answered 404 Not Found", "# Nothing here"]);
    assert_eq!((report.outcome, report.transient), (Outcome::Failed, false));
    let site = Site::saying("503 Service Unavailable", b"later");
    let report = allowing(&[&site]).run("fetch", url(site.url("/x"))).await;
    assert_eq!((report.outcome, report.transient), (Outcome::Failed, true));
    // Nobody listens; the answer breaks off.
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mut fixture = Fixture::new();
    let allowed = vec![AllowedHost::parse(&gone.to_string()).unwrap()];
    fixture.tools = fixture.tools.clone().reaching(Reach { allowed, network: Network::default() });
    let report = fixture.run("fetch", url(format!("http://{gone}/"))).await;
    assert_eq!((report.outcome, report.transient), (Outcome::Failed, true), "{}", report.content);
    let site = Site::saying("200 OK\r\ncontent-type: text/plain\r\ncontent-length: 9999", b"half");
    let report = allowing(&[&site]).run("fetch", url(site.url("/x"))).await;
    assert_eq!((report.outcome, report.transient), (Outcome::Failed, true), "{}", report.content);
}

#[tokio::test]
async fn redirects_are_followed_five_times() {
    let site = Site::new(|path, connection| {
        let left: u32 = path.trim_start_matches('/').parse().unwrap();
        let answer = match left {
            0 => "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\nthere".to_owned(),
            left => format!(
                "HTTP/1.1 302 Found\r\nlocation: {}\r\nset-cookie: a=b\r\nconnection: close\r\n\r\n",
                left - 1
            ),
        };
        connection.write_all(answer.as_bytes()).unwrap();
    });
    let fixture = allowing(&[&site]);
    let text = fixture.done("fetch", url(site.url("/5"))).await;
    assert_has(&text, &[&site.url("/0"), "after 5 redirects", "\n\nthere"]);
    let requests: Vec<String> = site.requests.try_iter().collect();
    assert_eq!(requests.len(), 6);
    let all = requests.concat().to_lowercase();
    assert!(!all.contains("cookie:") && !all.contains("referer:"), "{all}");
    assert_has(&fixture.fails("fetch", url(site.url("/6"))).await, &["redirects more than 5 times"]);
}

#[tokio::test]
async fn a_redirect_is_judged_like_the_first_url() {
    let inner = Site::saying("200 OK", b"a secret");
    let port = inner.address.port();
    for (location, why) in [
        (format!("http://127.0.0.1:{port}/"), "only the public internet"),
        (format!("http://2130706433:{port}/"), "only the public internet"),
        (format!("http://localhost:{port}/"), "only the public internet"),
        (format!("http://[::ffff:127.0.0.1]:{port}/"), "only the public internet"),
        ("http://169.254.169.254/latest/meta-data/".to_owned(), "link-local"),
        ("http://u:p@127.0.0.1/".to_owned(), "user name or password"),
        ("file:///etc/passwd".to_owned(), "`file:` cannot be fetched"),
        ("http://[".to_owned(), "redirects to an invalid URL"),
    ] {
        let outer = Site::saying(&format!("302 Found\r\nlocation: {location}"), b"");
        let found = allowing(&[&outer]).fails("fetch", url(outer.url("/"))).await;
        assert_has(&found, &[&format!("{} redirects to", outer.url("/")), why]);
    }
    assert!(inner.requests.try_recv().is_err(), "nobody asked it");
}

/// What was decided about is one host: a rule that denies another must not be walked around.
#[tokio::test]
async fn a_redirect_to_another_host_is_a_call_of_its_own() {
    let other = Site::saying("200 OK", b"elsewhere");
    let outer = Site::saying(&format!("302 Found\r\nlocation: {}", other.url("/page")), b"");
    let found = allowing(&[&outer, &other]).fails("fetch", url(outer.url("/"))).await;
    assert_has(&found, &["redirects to another host: ", &other.url("/page"), "Fetch that URL if"]);
    assert!(other.requests.try_recv().is_err(), "nobody asked it");
}

#[tokio::test]
async fn what_must_not_be_reached_is_refused_without_being_asked() {
    let site = Site::saying("200 OK", b"a secret");
    let fixture = Fixture::new();
    let port = site.address.port();
    for (text, why) in [
        (site.url("/"), "a loopback address"),
        (format!("http://0x7f000001:{port}/"), "a loopback address"),
        (format!("http://017700000001:{port}/"), "a loopback address"),
        (format!("http://localhost:{port}/"), "this machine"),
        (format!("http://[::1]:{port}/"), "a loopback address"),
        (format!("http://0.0.0.0:{port}/"), "an address without a host"),
        ("http://10.0.0.1/".to_owned(), "a private address"),
        ("http://user:pass@example.com/".to_owned(), "user name or password"),
        ("http://example.com:25/".to_owned(), "port 25"),
        ("gopher://example.com/".to_owned(), "`gopher:` cannot be fetched"),
        ("example.com".to_owned(), "is not a URL"),
    ] {
        assert_has(&fixture.fails("fetch", url(text)).await, &[why]);
    }
    assert!(site.requests.try_recv().is_err());
}

#[tokio::test]
async fn a_packed_bomb_and_an_endless_page_are_read_to_their_bound() {
    let pack = "head -c 200000000 /dev/zero | tr '\\0' a | gzip -c";
    let packed = std::process::Command::new("sh").args(["-c", pack]).output().unwrap().stdout;
    assert!(packed.len() < 1_000_000);
    let head = "200 OK\r\ncontent-type: text/plain\r\ncontent-encoding: gzip";
    let site = Site::saying(head, &packed);
    let report = allowing(&[&site]).run("fetch", url(site.url("/"))).await;
    assert_has(&report.content, &["more than 5.0 MB: the rest was not read"]);
    assert!(report.cut_chars > 5_000_000 && report.content.len() < 31_000);

    let (sender, has_ended) = tokio::sync::oneshot::channel();
    let sender = std::sync::Mutex::new(Some(sender));
    let site = Site::new(move |_, connection| {
        connection.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n").unwrap();
        while connection.write_all(&[b'x'; 65_536]).is_ok() {}
        sender.lock().unwrap().take().unwrap().send(()).unwrap();
    });
    let text = allowing(&[&site]).done("fetch", url(site.url("/"))).await;
    assert_has(&text, &["more than 5.0 MB: the rest was not read"]);
    has_ended.await.unwrap();
}

/// A server that reads the request, says nothing, and tells when the other side is gone.
fn silent() -> (Site, tokio::sync::oneshot::Receiver<()>) {
    let (sender, has_ended) = tokio::sync::oneshot::channel();
    let sender = std::sync::Mutex::new(Some(sender));
    let site = Site::new(move |_, connection| {
        connection.read_to_end(&mut Vec::new()).ok();
        sender.lock().unwrap().take().unwrap().send(()).ok();
    });
    (site, has_ended)
}

#[tokio::test]
async fn a_server_that_says_nothing_is_given_up() {
    let (site, has_ended) = silent();
    let fixture = allowing(&[&site]);
    let (output, _listener) = mpsc::channel(1);
    let report = fixture.tools.run(invocation("fetch", url(site.url("/")), 300), output).await;
    assert_eq!(report.outcome, Outcome::TimedOut);
    assert_has(&report.content, &["timed out after 0.3 s"]);
    has_ended.await.unwrap();
}

#[tokio::test]
async fn dropping_the_run_drops_the_connection() {
    let (site, has_ended) = silent();
    let fixture = allowing(&[&site]);
    let (output, _listener) = mpsc::channel(1);
    let run = tokio::spawn(fixture.tools.run(invocation("fetch", url(site.url("/")), 600_000), output));
    let asked = tokio::task::spawn_blocking(move || site.requests.recv_timeout(Duration::from_secs(20)));
    asked.await.unwrap().unwrap();
    run.abort();
    has_ended.await.unwrap();
}

#[tokio::test]
async fn through_a_proxy_addresses_are_refused_all_the_same() {
    let proxy = Site::saying("200 OK\r\ncontent-type: text/plain", b"by proxy");
    let mut fixture = Fixture::new();
    let network = Network { proxy: Some(format!("http://{}", proxy.address)), ..Network::default() };
    fixture.tools = fixture.tools.clone().reaching(Reach { allowed: Vec::new(), network });
    let text = fixture.done("fetch", url("http://page.invalid/x")).await;
    assert_has(&text, &["by proxy"]);
    assert!(proxy.requests.recv().unwrap().starts_with("GET http://page.invalid/x HTTP/1.1\r\n"));
    for refused in ["http://10.0.0.1/", "http://127.0.0.1/", "http://localhost/", &proxy.url("/")] {
        assert_has(&fixture.fails("fetch", url(refused)).await, &["only the public internet"]);
    }
    assert!(proxy.requests.try_recv().is_err());
}
