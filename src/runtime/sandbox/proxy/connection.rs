//! One connection of a confined command: its head is read, its host decided about, and the rest carried to and fro.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpStream, lookup_host};
use tokio::time::timeout;

use crate::runtime::address::{describes_machines, not_public};
use crate::tool::HostPort;

use super::gate::Gate;
use super::head::{ProxyRequest, read};

/// Most bytes of a head.
const MOST_HEAD: usize = 16 << 10;
/// How long a client has for its head, and a server to be reached.
const PATIENCE: Duration = Duration::from_secs(10);
const END: &[u8] = b"\r\n\r\n";

/// Serves it to its end. What goes wrong is told to the client; there is nobody else to hear it.
pub(super) async fn serve(mut client: TcpStream, gate: &Gate) {
    match admitted(&mut client, gate).await {
        Ok((mut server, first)) => {
            let begins = match &first {
                First::Established(rest) => {
                    let said = client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await;
                    match said {
                        Ok(()) => server.write_all(rest).await,
                        failed => failed,
                    }
                }
                First::Request(bytes) => server.write_all(bytes).await,
            };
            if begins.is_ok() {
                copy_bidirectional(&mut client, &mut server).await.ok();
            }
        }
        Err(Rejection { status, why }) => {
            let length = why.len() + 1;
            let answer = format!(
                "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {length}\r\n\
                 Connection: close\r\n\r\n{why}\n"
            );
            client.write_all(answer.as_bytes()).await.ok();
            client.shutdown().await.ok();
        }
    }
}

/// What the two are told first.
enum First {
    /// The client: that the tunnel stands. The server: what came behind the head.
    Established(Vec<u8>),
    /// The server: the request, and what came behind its head.
    Request(Vec<u8>),
}

/// Why a client does not get through.
struct Rejection {
    status: &'static str,
    why: String,
}

impl Rejection {
    fn forbidden(why: String) -> Self {
        Self { status: "403 Forbidden", why }
    }
}

async fn admitted(client: &mut TcpStream, gate: &Gate) -> Result<(TcpStream, First), Rejection> {
    let unfit =
        |why: &str| Rejection { status: "400 Bad Request", why: format!("not a request to a proxy: {why}") };
    let (head, rest) = match timeout(PATIENCE, head(client)).await {
        Ok(Ok(read)) => read,
        Ok(Err(why)) => return Err(unfit(&why.to_string())),
        Err(_) => return Err(Rejection { status: "408 Request Timeout", why: "no request came".to_owned() }),
    };
    let (server, first) = match read(&head).map_err(unfit)? {
        ProxyRequest::Tunnel(server) => (server, First::Established(rest)),
        ProxyRequest::Answer(server, told) => (server, First::Request([told, rest].concat())),
    };
    Ok((reach(&server, gate).await?, first))
}

/// A connection to a server. Why there is none is told to the client, most of which say only the number, and remembered.
async fn reach(server: &HostPort, gate: &Gate) -> Result<TcpStream, Rejection> {
    if !gate.hosts.iter().any(|host| host.covers(server)) {
        gate.block(server);
        return Err(Rejection::forbidden(format!("the sandbox does not let commands reach {server}")));
    }
    let reached = connected(server, gate).await;
    match &reached {
        Ok(_) => gate.reached(server),
        Err(rejection) => gate.miss(server, &rejection.why),
    }
    reached
}

async fn connected(server: &HostPort, gate: &Gate) -> Result<TcpStream, Rejection> {
    let addresses = allowed(server, gate).await?;
    let unreachable = |why: &str| Rejection {
        status: "502 Bad Gateway",
        why: format!("{server} could not be reached: {why}"),
    };
    match timeout(PATIENCE, TcpStream::connect(&*addresses)).await {
        Ok(Ok(stream)) => Ok(stream),
        Ok(Err(why)) => Err(unreachable(&why.to_string())),
        Err(_) => Err(unreachable("no answer in 10 s")),
    }
}

/// The head with its empty line, and what came behind it.
async fn head(client: &mut TcpStream) -> io::Result<(Vec<u8>, Vec<u8>)> {
    let mut bytes = Vec::new();
    loop {
        if let Some(end) = bytes.windows(END.len()).position(|four| four == END) {
            let rest = bytes.split_off(end + END.len());
            return Ok((bytes, rest));
        }
        if bytes.len() >= MOST_HEAD {
            return Err(io::Error::other("its head is longer than 16 KiB"));
        }
        if client.read_buf(&mut bytes).await? == 0 {
            return Err(io::Error::other("it ends in its head"));
        }
    }
}

/// The addresses at which a command may reach a server that it may reach.
async fn allowed(server: &HostPort, gate: &Gate) -> Result<Vec<SocketAddr>, Rejection> {
    let (mut is_literal, mut is_exact) = (false, false);
    for host in gate.hosts.iter().filter(|host| host.covers(server)) {
        is_literal |= host.is_literal();
        is_exact |= host.is_exact();
    }
    let found = addresses(server).await?;
    let may = |address: &SocketAddr| is_literal || may_be_led_to(address.ip(), is_exact);
    let open: Vec<SocketAddr> = found.iter().copied().filter(may).collect();
    if open.is_empty() {
        let what = found.first().and_then(|first| not_public(first.ip())).unwrap_or("no address");
        return Err(Rejection::forbidden(format!(
            "{server} leads to {what}, which the sandbox does not let commands reach"
        )));
    }
    Ok(open)
}

async fn addresses(server: &HostPort) -> Result<Vec<SocketAddr>, Rejection> {
    let host = server.host.trim_matches(['[', ']']);
    if let Ok(address) = host.parse::<IpAddr>() {
        return Ok(vec![SocketAddr::new(address, server.port)]);
    }
    let failed = |why: &str| Rejection {
        status: "502 Bad Gateway",
        why: format!("the name {host} was not found: {why}"),
    };
    match timeout(PATIENCE, lookup_host((host, server.port))).await {
        Ok(Ok(found)) => Ok(found.collect()),
        Ok(Err(why)) => Err(failed(&why.to_string())),
        Err(_) => Err(failed("no answer in 10 s")),
    }
}

/// Whether a name may lead there. A host that is named by itself may be one of a company's or a house's own network. No name
/// leads to this machine, or to what answers machines about themselves.
fn may_be_led_to(address: IpAddr, is_named_by_itself: bool) -> bool {
    let is_inner = match address {
        IpAddr::V4(address) => address.is_private(),
        IpAddr::V6(address) => address.is_unique_local(),
    };
    not_public(address).is_none() || (is_named_by_itself && is_inner && !describes_machines(address))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::NamedHost;

    #[tokio::test]
    async fn why_a_server_was_not_reached_is_remembered_until_it_is() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let server = HostPort { host: "127.0.0.1".to_owned(), port: address.port() };
        let hosts = vec![NamedHost::parse(&address.to_string()).unwrap()];
        let gate = Gate { hosts, ..Gate::default() };
        let missed = || gate.missed.lock().unwrap().values().cloned().collect::<Vec<_>>();
        drop(listener);
        assert!(reach(&server, &gate).await.is_err());
        let said = format!("{server} could not be reached: ");
        assert!(missed().len() == 1 && missed().iter().all(|why| why.starts_with(&said)), "{:?}", missed());
        let _listener = tokio::net::TcpListener::bind(address).await.unwrap();
        assert!(reach(&server, &gate).await.is_ok());
        assert_eq!(missed(), [""; 0], "it was reached after all");
        let other = HostPort { host: "blocked.test".to_owned(), port: 443 };
        assert!(reach(&other, &gate).await.is_err());
        assert_eq!(missed(), [""; 0], "what is blocked is told as that");
        assert!(gate.blocked.lock().unwrap().contains(&other));
    }

    #[test]
    fn a_name_never_leads_to_this_machine() {
        for (address, by_itself, below) in [
            ("8.8.8.8", true, true),
            ("2606:4700:4700::1111", true, true),
            ("10.1.2.3", true, false),
            ("fd12::1", true, false),
            ("127.0.0.1", false, false),
            ("::1", false, false),
            ("::ffff:127.0.0.1", false, false),
            ("::ffff:10.0.0.1", false, false),
            ("169.254.169.254", false, false),
            ("168.63.129.16", false, false),
            ("fd00:ec2::254", false, false),
            ("fd20:ce::254", false, false),
            ("fe80::1", false, false),
            ("0.0.0.0", false, false),
        ] {
            let ip = address.parse().unwrap();
            assert_eq!((may_be_led_to(ip, true), may_be_led_to(ip, false)), (by_itself, below), "{address}");
        }
    }
}
