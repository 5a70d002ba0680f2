//! The head of a request to a proxy: which server it is for, and what that server is told.

use url::Url;

use crate::tool::HostPort;

/// What a client wants.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ProxyRequest {
    /// Bytes to and fro, which nobody looks into.
    Tunnel(HostPort),
    /// An answer to a request, whose head as the server reads it is here.
    Answer(HostPort, Vec<u8>),
}

/// Reads a head up to its empty line, which is included.
///
/// # Errors
/// What is wrong with it.
pub(super) fn read(head: &[u8]) -> Result<ProxyRequest, &'static str> {
    let text = std::str::from_utf8(head).map_err(|_other| "it is not text")?;
    let mut lines = text.strip_suffix("\r\n\r\n").ok_or("it has no end")?.split("\r\n");
    let mut words = lines.next().unwrap_or_default().split(' ');
    let (Some(method), Some(target), Some(version), None) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        return Err("it does not begin with a method, a target and a version");
    };
    let is_method = !method.is_empty() && method.bytes().all(|byte| byte.is_ascii_alphabetic());
    if !is_method || !version.starts_with("HTTP/1.") {
        return Err("it is not HTTP/1");
    }
    if method == "CONNECT" {
        return HostPort::parse(target, 443)
            .map(ProxyRequest::Tunnel)
            .ok_or("its target is not a host and a port");
    }
    let url = Url::parse(target).map_err(|_other| "its target is not a URL")?;
    let authority = &url[url::Position::BeforeHost..url::Position::AfterPort];
    let is_bare = url.scheme() == "http" && url.username().is_empty() && url.password().is_none();
    let server = HostPort::parse(authority, 80).filter(|_| is_bare);
    let server = server.ok_or("its target is not an http: URL")?;
    let path = &url[url::Position::BeforePath..url::Position::AfterQuery];
    // The server hears the name that was decided about, and of one request: the next may be for another.
    let mut told = format!("{method} {path} HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\n");
    for line in lines {
        let (name, _) = line.split_once(':').ok_or("a line of it is not a header")?;
        if name.is_empty() || name.contains(|c: char| c.is_whitespace() || c.is_control()) {
            return Err("the name of a header is not a name");
        }
        if line.contains(['\r', '\n', '\0']) {
            return Err("a header is longer than its line");
        }
        if !is_ours(name) {
            told.push_str(line);
            told.push_str("\r\n");
        }
    }
    told.push_str("\r\n");
    Ok(ProxyRequest::Answer(server, told.into_bytes()))
}

/// Headers that are between the client and its proxy, or that are written anew.
fn is_ours(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    matches!(&*name, "host" | "connection" | "keep-alive" | "upgrade") || name.starts_with("proxy-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_goes_to_the_host_of_its_target_whatever_it_says_besides() {
        let head = "GET http://A.example:8080/x?y=1#z HTTP/1.1\r\nHost: evil.test\r\nProxy-Authorization: x\r\n\
                    Connection: keep-alive\r\nAccept: */*\r\n\r\n";
        let ProxyRequest::Answer(server, told) = read(head.as_bytes()).unwrap() else { panic!() };
        assert_eq!(server.to_string(), "a.example:8080");
        let told = String::from_utf8(told).unwrap();
        assert_eq!(
            told,
            "GET /x?y=1 HTTP/1.1\r\nHost: a.example:8080\r\nConnection: close\r\nAccept: */*\r\n\r\n"
        );
    }

    #[test]
    fn a_tunnel_has_a_host_and_a_port() {
        let tunnel = |target: &str| read(format!("CONNECT {target} HTTP/1.1\r\n\r\n").as_bytes());
        let to = |host: &str, port| Ok(ProxyRequest::Tunnel(HostPort { host: host.to_owned(), port }));
        assert_eq!(tunnel("a.example:443"), to("a.example", 443));
        assert_eq!(tunnel("[::1]:22"), to("[::1]", 22));
        assert_eq!(tunnel("0x7f.1:80"), to("127.0.0.1", 80));
        for target in ["a.example:443/x", "u:p@a.example:443", "", ":443", "a:b:c"] {
            assert!(tunnel(target).is_err(), "{target}");
        }
    }

    #[test]
    fn what_is_not_a_request_is_refused() {
        for head in [
            "",
            "\r\n\r\n",
            "GET / HTTP/1.1\r\n\r\n",
            "GET https://a.example/ HTTP/1.1\r\n\r\n",
            "GET ftp://a.example/ HTTP/1.1\r\n\r\n",
            "GET http://u@a.example/ HTTP/1.1\r\n\r\n",
            "GET http://a.example/ HTTP/2\r\n\r\n",
            "GET http://a.example/ x HTTP/1.1\r\n\r\n",
            "GET http://a.example/ HTTP/1.1\r\n folded\r\n\r\n",
            "GET http://a.example/ HTTP/1.1\r\nA: b\nHost: evil.test\r\n\r\n",
            "GET http://a.example/ HTTP/1.1\r\nA : b\r\n\r\n",
            "GET http://a.example/ HTTP/1.1\r\n",
        ] {
            assert!(read(head.as_bytes()).is_err(), "{head:?}");
        }
        assert!(read(b"GET http://a.example/\xff HTTP/1.1\r\n\r\n").is_err());
    }
}
