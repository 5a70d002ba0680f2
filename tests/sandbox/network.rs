//! Sockets: the internet's, loopback's, and those of programs that would act with the user's rights.

use std::net::{Ipv4Addr, Ipv6Addr, TcpListener, TcpStream, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener, UnixStream};

use countersign::ledger::Outcome;

use crate::fixture::{Fixture, own_attack, there_is_one};

const ATTACK: &str = "ATTACK";
/// Each is a try of this program itself; the number of a port or a path comes in `TARGET`.
const ATTACKS: &[&str] =
    &["tcp", "listen", "udp", "dns", "ipv6", "abstract", "named", "named-datagram", "pair-of-datagrams"];

/// Run by hand of the tests below: with `ATTACK` set it is an attacker and ends with 0 when it got through. Without,
/// it is the proof that each attack gets through where nothing holds it.
#[test]
fn the_attacks_of_this_program() {
    if let Ok(attack) = std::env::var(ATTACK) {
        let target = std::env::var("TARGET").unwrap_or_default();
        let went = attempt(&attack, &target);
        eprintln!("{attack}: {went:?}");
        std::process::exit(if went.is_ok() { 0 } else { 1 });
    }
    let world = World::new();
    for attack in ATTACKS {
        if let Err(why) = attempt(attack, &world.target(attack)) {
            assert!(*attack == "ipv6", "{attack} is no attack, it fails anyway: {why}");
            eprintln!("IPv6 was not tried, this machine has none: {why}");
        }
    }
}

fn attempt(attack: &str, target: &str) -> std::io::Result<()> {
    let port = || target.parse::<u16>().unwrap();
    match attack {
        "tcp" => drop(TcpStream::connect((Ipv4Addr::LOCALHOST, port()))?),
        "listen" => drop(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?),
        "udp" | "dns" => {
            let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
            socket.send_to(
                b"\x12\x34\x01\0\0\x01\0\0\0\0\0\0\x01a\x04test\0\0\x01\0\x01",
                ("127.0.0.1", port()),
            )?;
        }
        "ipv6" => drop(UdpSocket::bind((Ipv6Addr::LOCALHOST, 0))?),
        "abstract" => drop(UnixStream::connect_addr(&SocketAddr::from_abstract_name(target)?)?),
        "named" => drop(UnixStream::connect(target)?),
        "named-datagram" => {
            UnixDatagram::unbound()?.send_to(b"x", target)?;
        }
        "pair-of-datagrams" => {
            let (one, _other) = UnixDatagram::pair()?;
            one.send_to(b"x", target)?;
        }
        // No socket; it needs a program that asks the kernel by itself, as this one does.
        "watch" => {
            use rustix::fs::inotify::{CreateFlags, WatchFlags, add_watch, init};
            add_watch(init(CreateFlags::empty())?, target, WatchFlags::ALL_EVENTS)?;
        }
        other => panic!("no attack {other}"),
    }
    Ok(())
}

/// Somebody to speak to behind every kind of socket, on this machine alone.
struct World {
    folder: tempfile::TempDir,
    tcp: TcpListener,
    udp: UdpSocket,
    name: String,
    _abstract_one: UnixListener,
    _named: UnixListener,
    _datagrams: UnixDatagram,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::TempDir::new().unwrap();
        let name = format!("countersign-test-{}", folder.path().display());
        Self {
            tcp: TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap(),
            udp: UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap(),
            _abstract_one: UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap(),
            _named: UnixListener::bind(folder.path().join("agent")).unwrap(),
            _datagrams: UnixDatagram::bind(folder.path().join("log")).unwrap(),
            name,
            folder,
        }
    }

    fn target(&self, attack: &str) -> String {
        match attack {
            "tcp" => self.tcp.local_addr().unwrap().port().to_string(),
            "udp" | "dns" => self.udp.local_addr().unwrap().port().to_string(),
            "abstract" => self.name.clone(),
            "named" => self.folder.path().join("agent").display().to_string(),
            _ => self.folder.path().join("log").display().to_string(),
        }
    }
}

#[tokio::test]
async fn nobody_is_spoken_to() {
    if !there_is_one().await {
        return;
    }
    let (world, fixture) = (World::new(), Fixture::new());
    for attack in ATTACKS {
        let command = format!("TARGET='{}' {}", world.target(attack), own_attack(attack));
        let report = fixture.run(&command, true).await;
        assert_eq!(report.outcome, Outcome::Failed, "{attack} got through: {}", report.content);
        let tried = format!("{attack}: Err(Os {{ code: 1,");
        assert!(
            report.content.contains(&tried),
            "{attack} was refused by something else: {}",
            report.content
        );
    }
    assert!(world.tcp.set_nonblocking(true).is_ok() && world.tcp.accept().is_err(), "somebody knocked");
}

#[tokio::test]
async fn with_a_network_there_is_the_internet_and_still_no_agent() {
    if !there_is_one().await {
        return;
    }
    let (world, fixture) = (World::new(), Fixture::with(|rights| rights.network = true));
    for (attack, expected) in [
        ("tcp", Outcome::Ok),
        ("listen", Outcome::Ok),
        ("udp", Outcome::Ok),
        ("abstract", Outcome::Failed),
        ("named", Outcome::Failed),
        ("named-datagram", Outcome::Failed),
        ("pair-of-datagrams", Outcome::Failed),
    ] {
        let command = format!("TARGET='{}' {}", world.target(attack), own_attack(attack));
        let report = fixture.run(&command, true).await;
        assert_eq!(report.outcome, expected, "{attack}: {}", report.content);
    }
}

#[tokio::test]
async fn a_refusal_is_said_in_a_sentence() {
    if !there_is_one().await {
        return;
    }
    let fixture = Fixture::new();
    let written = fixture.run("echo x > $ROOT/outside/new", true).await;
    assert!(written.content.contains("the sandbox may have blocked this: a command in it writes only"));
    let command = format!("TARGET=1 {}", own_attack("tcp"));
    let spoken = fixture.run(&command, true).await;
    assert!(spoken.content.contains("the sandbox may have blocked this"), "{}", spoken.content);
    let wrong = fixture.run("echo no such luck; exit 3", true).await;
    assert!(!wrong.content.contains("the sandbox may"), "{}", wrong.content);
    let free = fixture.run("echo Permission denied; exit 3", false).await;
    assert!(!free.content.contains("the sandbox may"), "{}", free.content);
}
