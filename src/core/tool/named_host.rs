//! The hosts that a confined command may reach, as they are written: `packages.example`, `*.example.org`, `localhost:8080`.

use std::fmt;

use url::{Host, Url};

/// Ports of a host that is named without one.
const USUAL_PORTS: [u16; 2] = [80, 443];
/// Most characters of a name.
const MOST_CHARS: usize = 260;

/// A host, or every host below a name; on one port, or on the two of the web.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct NamedHost {
    /// As a URL has it: lower case, an IPv6 address in brackets.
    host: String,
    /// Whether it stands for the hosts below it, and not for itself.
    below: bool,
    port: Option<u16>,
}

impl NamedHost {
    /// Reads `packages.example`, `*.example.org`, `127.0.0.1:8080` or `[::1]:8080`.
    ///
    /// # Errors
    /// A sentence: it is not a host.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong =
            || format!("must be hosts, as in \"packages.example\" or \"*.example.org\", not {text:?}");
        let (below, rest) = match text.strip_prefix("*.") {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let HostPort { host, port } = HostPort::written(rest).ok_or_else(wrong)?;
        // Nothing lies below an address, and `*.org` is everybody.
        if below && (!host.contains('.') || is_address(&host)) {
            return Err(wrong());
        }
        Ok(Self { host, below, port: (port != 0).then_some(port) })
    }

    /// Whether it speaks of this server.
    pub fn covers(&self, server: &HostPort) -> bool {
        let is_port = match self.port {
            Some(port) => server.port == port,
            None => USUAL_PORTS.contains(&server.port),
        };
        let is_host = match self.below {
            true => {
                server.host.strip_suffix(&self.host).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'))
            }
            false => server.host == self.host,
        };
        is_port && is_host
    }

    /// Whether it names this machine or an address, so that it leads where it says and nobody else decides where.
    pub fn is_literal(&self) -> bool {
        !self.below && (self.host == "localhost" || is_address(&self.host))
    }

    /// Whether it names one host.
    pub fn is_exact(&self) -> bool {
        !self.below
    }

    /// Whether it names this host, on whatever port.
    pub fn names(&self, host: &str) -> bool {
        !self.below && self.host == host
    }

    /// Whether everything that this covers is covered by the other.
    pub fn lies_in(&self, other: &Self) -> bool {
        let is_host = match (self.below, other.below) {
            (true, false) => false,
            (false, false) => self.host == other.host,
            (true, true) => self.host == other.host || self.host.ends_with(&format!(".{}", other.host)),
            (false, true) => self.host.ends_with(&format!(".{}", other.host)),
        };
        let is_port = match (self.port, other.port) {
            (Some(port), None) => USUAL_PORTS.contains(&port),
            (one, another) => one == another,
        };
        is_host && is_port
    }
}

impl fmt::Display for NamedHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.below { "*." } else { "" }, self.host)?;
        self.port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

/// A server that somebody wants to reach. It is written as the [`NamedHost`] that covers it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct HostPort {
    /// As a URL has it: lower case, without a dot at the end, an IPv6 address in brackets.
    pub host: String,
    /// Its port.
    pub port: u16,
}

impl HostPort {
    /// Reads a host and a port, which is `usual` when none is written. `None`: it is not a host.
    pub fn parse(text: &str, usual: u16) -> Option<Self> {
        let Self { host, port } = Self::written(text)?;
        Some(Self { host, port: if port == 0 { usual } else { port } })
    }

    /// The same with port 0 when none is written.
    fn written(text: &str) -> Option<Self> {
        if text.len() > MOST_CHARS || text.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return None;
        }
        // The port of a URL's own scheme is not kept in it, so it is read with a scheme that has none. 127.1 is an
        // address only in a URL of the web.
        let url = Url::parse(&format!("x://{text}")).ok()?;
        let is_bare = url.path().is_empty() && url.query().is_none() && url.fragment().is_none();
        let is_bare = is_bare && url.username().is_empty() && url.password().is_none() && !text.contains('@');
        let web = Url::parse(&format!("http://{text}")).ok().filter(|_| is_bare)?;
        let host = web.host_str()?.trim_end_matches('.');
        let is_name = !host.is_empty() && !host.contains('*');
        is_name.then(|| Self { host: host.to_owned(), port: url.port().unwrap_or_default() })
    }
}

impl fmt::Display for HostPort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.host)?;
        if USUAL_PORTS.contains(&self.port) { Ok(()) } else { write!(f, ":{}", self.port) }
    }
}

fn is_address(host: &str) -> bool {
    matches!(Host::parse(host), Ok(Host::Ipv4(_) | Host::Ipv6(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covers(pattern: &str, server: &str) -> bool {
        NamedHost::parse(pattern).unwrap().covers(&HostPort::parse(server, 443).unwrap())
    }

    #[test]
    fn a_host_is_covered_by_its_name_and_by_nothing_that_looks_like_it() {
        for (pattern, server) in [
            ("packages.example", "packages.example"),
            ("packages.example", "PACKAGES.example:443"),
            ("packages.example", "packages.example.:80"),
            ("*.example.org", "a.example.org"),
            ("*.example.org", "a.b.example.org:80"),
            ("a.example:8443", "a.example:8443"),
            ("127.0.0.1:8080", "127.1:8080"),
            ("[::1]:8080", "[0:0::1]:8080"),
            ("bücher.example", "xn--bcher-kva.example"),
        ] {
            assert!(covers(pattern, server), "{pattern} {server}");
        }
        for (pattern, server) in [
            ("packages.example", "packages.example:22"),
            ("packages.example", "packages.example.evil.test"),
            ("packages.example", "evilpackages.example"),
            ("*.example.org", "example.org"),
            ("*.example.org", "evilexample.org"),
            ("*.example.org", ".example.org"),
            ("a.example:8443", "a.example"),
            ("localhost", "127.0.0.1"),
        ] {
            let server = HostPort::parse(server, 443);
            let pattern = NamedHost::parse(pattern).unwrap();
            assert!(!server.is_some_and(|server| pattern.covers(&server)), "{pattern}");
        }
    }

    #[test]
    fn what_is_not_a_host_is_refused() {
        for text in [
            "",
            "*",
            "*.",
            "*.org",
            "*.127.0.0.1",
            "a b",
            "http://a.example",
            "a.example/x",
            "u@a.example",
            "a.*.org",
            "a\n.org",
        ] {
            assert!(NamedHost::parse(text).is_err(), "{text:?}");
        }
        assert!(NamedHost::parse(&"a".repeat(300)).is_err());
    }

    #[test]
    fn a_server_is_written_as_the_pattern_that_covers_it() {
        for text in ["a.example", "a.example:8443", "127.0.0.1", "[::1]:99"] {
            let server = HostPort::parse(text, 443).unwrap();
            assert!(NamedHost::parse(&server.to_string()).unwrap().covers(&server), "{text}");
            assert_eq!(NamedHost::parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn one_pattern_lies_in_another_when_it_opens_nothing_more() {
        for (one, other, expected) in [
            ("a.example", "a.example", true),
            ("a.example:443", "a.example", true),
            ("a.example:22", "a.example", false),
            ("a.example", "a.example:443", false),
            ("a.b.example", "*.b.example", true),
            ("*.a.b.example", "*.b.example", true),
            ("b.example", "*.b.example", false),
            ("*.b.example", "a.b.example", false),
            ("*.b.example", "*.a.b.example", false),
        ] {
            let [one, other] = [one, other].map(|text| NamedHost::parse(text).unwrap());
            assert_eq!(one.lies_in(&other), expected, "{one} {other}");
        }
    }

    #[test]
    fn only_an_address_or_this_machine_is_literal() {
        for (text, expected) in [
            ("localhost:80", true),
            ("10.0.0.1", true),
            ("[::1]", true),
            ("a.localhost", false),
            ("a.example", false),
        ] {
            assert_eq!(NamedHost::parse(text).unwrap().is_literal(), expected, "{text}");
        }
    }
}
