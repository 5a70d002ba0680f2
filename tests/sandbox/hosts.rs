//! A list of hosts: the way to them, and every way around it.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::UnixStream;
use std::process::Command;
use std::thread;
use std::time::Duration;

use countersign::ledger::Outcome;
use countersign::runtime::ToolPort as _;
use countersign::tool::{Invocation, NamedHost, ToolReport};
use rustix::process::geteuid;
use tokio::sync::mpsc;

use super::fixture::{Fixture, gives_namespaces, quoted, shell, there_is_one};

const ATTACK: &str = "ATTACK";
/// The port of the way out, in a command's own network.
const WAY_OUT: u16 = 3128;

/// Run by hand of the tests below, as a confined command: with `ATTACK` set it tries one thing and prints what it got.
#[test]
fn what_a_command_tries() {
    let Ok(attack) = std::env::var(ATTACK) else { return };
    let target = std::env::var("TARGET").unwrap_or_default();
    match attempt(&attack, &target) {
        Ok(got) => println!("GOT {got}"),
        Err(why) => {
            eprintln!("{attack}: {why:?}");
            std::process::exit(1);
        }
    }
}

fn attempt(attack: &str, target: &str) -> std::io::Result<String> {
    let port = || target.rsplit(':').next().unwrap().parse::<u16>().unwrap();
    let ask = |request: &str| asks(request.as_bytes());
    match attack {
        "tunnel" => ask(&format!("CONNECT {target} HTTP/1.1\r\n\r\nGET / HTTP/1.0\r\n\r\n")),
        "page" => ask(&format!("GET http://{target}/x HTTP/1.1\r\nHost: elsewhere.test\r\n\r\n")),
        "nonsense" => ask("\x16\x03\x01\r\n\r\n"),
        "endless head" => ask(&format!("GET http://{target}/ HTTP/1.1\r\nA: {}", "x".repeat(20_000))),
        "beside a silent one" => {
            let _silent: Vec<_> =
                (0..8).map(|_| TcpStream::connect((Ipv4Addr::LOCALHOST, WAY_OUT)).unwrap()).collect();
            ask(&format!("CONNECT {target} HTTP/1.1\r\n\r\nGET / HTTP/1.0\r\n\r\n"))
        }
        "own server" => {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
            TcpStream::connect(listener.local_addr()?).map(|_| "own".to_owned())
        }
        "directly" => read(TcpStream::connect((Ipv4Addr::LOCALHOST, port()))?),
        "directly to another address" => {
            // Of the machine outside, not of the command's own loopback.
            let to = SocketAddr::from((Ipv4Addr::new(192, 0, 2, 1), 443));
            TcpStream::connect_timeout(&to, Duration::from_secs(1)).map(|_| "connected".to_owned())
        }
        "datagram" => {
            let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
            socket.send_to(b"x", ("192.0.2.1", 53)).map(|_| "sent".to_owned())
        }
        "IPv6" => {
            let to = SocketAddr::from((Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1), 443));
            TcpStream::connect_timeout(&to, Duration::from_secs(1)).map(|_| "connected".to_owned())
        }
        "raw" => {
            use rustix::net::{AddressFamily, SocketType, ipproto, socket};
            socket(AddressFamily::INET, SocketType::RAW, Some(ipproto::ICMP))?;
            Ok("opened".to_owned())
        }
        "packets" => {
            use rustix::net::{AddressFamily, SocketType, socket};
            socket(AddressFamily::PACKET, SocketType::RAW, None)?;
            Ok("opened".to_owned())
        }
        "abstract" => {
            let address = std::os::unix::net::SocketAddr::from_abstract_name(target)?;
            UnixStream::connect_addr(&address).map(|_| "connected".to_owned())
        }
        "named" => UnixStream::connect(target).map(|_| "connected".to_owned()),
        other => panic!("no attack {other}"),
    }
}

fn asks(request: &[u8]) -> std::io::Result<String> {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, WAY_OUT))?;
    stream.write_all(request)?;
    read(stream)
}

fn read(mut stream: TcpStream) -> std::io::Result<String> {
    let mut said = Vec::new();
    let end = stream.read_to_end(&mut said);
    if said.is_empty() {
        end?;
    }
    Ok(String::from_utf8_lossy(&said).replace(['\r', '\n'], " "))
}

/// A server of this machine, which answers each connection with what it was asked, and counts them.
struct Server(TcpListener);

impl Server {
    fn new() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let ours = listener.try_clone().unwrap();
        thread::spawn(move || {
            for stream in ours.incoming() {
                let Ok(mut stream) = stream else { return };
                let mut head = [0; 1024];
                let length = stream.read(&mut head).unwrap_or(0);
                let head = String::from_utf8_lossy(&head[..length]).replace("\r\n", "|");
                let answer = format!("HTTP/1.0 200 OK\r\n\r\nheard {head}");
                stream.write_all(answer.as_bytes()).ok();
            }
        });
        Self(listener)
    }

    fn address(&self) -> String {
        self.0.local_addr().unwrap().to_string()
    }
}

/// Whether this machine can hold commands to a list; says so where it cannot.
async fn can(fixture: &Fixture) -> bool {
    if !there_is_one().await {
        return false;
    }
    let why = fixture.sandbox().cannot_filter();
    if let Some(why) = why {
        let flags = if geteuid().is_root() { "-n" } else { "-Un" };
        assert!(!gives_namespaces(flags), "this machine gives a network of its own, and yet: {why}");
        eprintln!("no list of hosts was tried here: {why}");
        let report = fixture.run("true", true).await;
        assert_eq!(report.outcome, Outcome::Ok, "it runs without a network: {}", report.content);
    }
    why.is_none()
}

fn tries(attack: &str, target: &str) -> String {
    let program = std::env::current_exe().unwrap();
    format!(
        "TARGET='{target}' ATTACK='{attack}' {} --exact hosts::what_a_command_tries --nocapture",
        quoted(&program)
    )
}

async fn run(fixture: &Fixture, attack: &str, target: &str) -> ToolReport {
    fixture.run(&tries(attack, target), true).await
}

#[tokio::test]
async fn a_named_host_is_reached_and_hears_its_own_name() {
    let server = Server::new();
    let fixture = Fixture::new().reaching(&[&server.address()]);
    if !can(&fixture).await {
        return;
    }
    for attack in ["tunnel", "beside a silent one"] {
        let report = run(&fixture, attack, &server.address()).await;
        let said = &report.content;
        assert!(
            said.contains("200 Connection established") && said.contains("heard GET / HTTP/1.0"),
            "{said}"
        );
        assert_eq!(report.facts.blocked_hosts, Vec::<String>::new());
    }
    let report = run(&fixture, "page", &server.address()).await;
    let heard = format!("heard GET /x HTTP/1.1|Host: {}|Connection: close|", server.address());
    assert!(report.content.contains(&heard), "{}", report.content);
    // What it starts itself is reached without a detour.
    assert_eq!(run(&fixture, "own server", "").await.outcome, Outcome::Ok);
    let told = fixture.works("echo $https_proxy $HTTP_PROXY $no_proxy").await;
    assert!(told.starts_with("http://127.0.0.1:3128 http://127.0.0.1:3128 localhost,"), "{told}");
}

#[tokio::test]
async fn every_other_host_is_refused_and_named() {
    let (named, other) = (Server::new(), Server::new());
    let fixture = Fixture::new().reaching(&[&named.address(), "*.a.example"]);
    if !can(&fixture).await {
        return;
    }
    for attack in ["tunnel", "page"] {
        let report = run(&fixture, attack, &other.address()).await;
        let said = &report.content;
        assert!(said.contains("403 Forbidden") && !said.contains("heard"), "{said}");
        assert_eq!(report.facts.blocked_hosts, [other.address()], "{said}");
        assert!(said.contains(&format!("the sandbox did not let it reach {}", other.address())), "{said}");
    }
    // The same port by another name is another host.
    let report = run(&fixture, "tunnel", &named.address().replace("127.0.0.1", "localhost")).await;
    assert!(report.content.contains("403 Forbidden"), "{}", report.content);
    for attack in ["nonsense", "endless head"] {
        let report = run(&fixture, attack, &named.address()).await;
        assert!(report.content.contains("400 Bad Request"), "{attack}: {}", report.content);
    }
}

#[tokio::test]
async fn there_is_no_way_around() {
    let (server, unwanted) = (Server::new(), TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap());
    let folder = tempfile::TempDir::new().unwrap();
    let name = format!("countersign-hosts-{}", folder.path().display());
    let abstract_one = std::os::unix::net::SocketAddr::from_abstract_name(&name).unwrap();
    let _abstract = std::os::unix::net::UnixListener::bind_addr(&abstract_one).unwrap();
    let path = folder.path().join("agent");
    let _named = std::os::unix::net::UnixListener::bind(&path).unwrap();
    let fixture = Fixture::new().reaching(&[&server.address()]);
    if !can(&fixture).await {
        return;
    }
    let unwanted_at = unwanted.local_addr().unwrap().to_string();
    for (attack, target) in [
        ("directly", server.address()),
        ("directly", unwanted_at),
        ("directly to another address", String::new()),
        ("datagram", String::new()),
        ("IPv6", String::new()),
        ("raw", String::new()),
        ("packets", String::new()),
        ("abstract", name),
        ("named", path.display().to_string()),
    ] {
        let report = run(&fixture, attack, &target).await;
        assert_eq!(report.outcome, Outcome::Failed, "{attack} got through: {}", report.content);
        assert!(report.content.contains(&format!("{attack}: Os {{")), "{attack}: {}", report.content);
    }
    unwanted.set_nonblocking(true).unwrap();
    assert!(unwanted.accept().is_err(), "somebody knocked");
}

#[tokio::test]
async fn a_person_opens_a_host_to_the_calls_that_follow() {
    let server = Server::new();
    let fixture = Fixture::new().reaching(&[]);
    if !can(&fixture).await {
        return;
    }
    let command = tries("tunnel", &server.address());
    let closed = fixture.run(&command, true).await;
    assert_eq!(closed.facts.blocked_hosts, [server.address()]);
    let hosts = closed.facts.blocked_hosts.iter().map(|host| NamedHost::parse(host).unwrap()).collect();
    let opened = Invocation { hosts, ..shell(&command, true) };
    let report = fixture.tools().run(opened, mpsc::channel(1).0).await;
    assert!(report.content.contains("heard GET"), "{}", report.content);
    assert_eq!(
        fixture.run(&command, true).await.facts.blocked_hosts,
        [server.address()],
        "for that call only"
    );
}

/// The same for a user without powers, to whom a user namespace gives the network of their own.
#[test]
fn all_of_it_holds_for_an_unprivileged_user() {
    if !geteuid().is_root() {
        return;
    }
    for test in [
        "a_named_host_is_reached_and_hears_its_own_name",
        "every_other_host_is_refused_and_named",
        "there_is_no_way_around",
    ] {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
        command.arg(std::env::current_exe().unwrap()).args([
            "--exact",
            &format!("hosts::{test}"),
            "--nocapture",
        ]);
        let ran = command.current_dir("/").output().unwrap();
        assert!(ran.status.success(), "{test}: {}", String::from_utf8_lossy(&ran.stderr));
    }
}
