//! Which pages a pattern of `fetch` speaks of. Patterns and URLs go through the parser that the tool itself uses, so that no
//! spelling of one host passes for another.

use percent_encoding::percent_decode_str;
use url::{Host, Url};

use super::cover::Fit;
use super::wildcard::wildcard;
use crate::ledger::Arguments;
use crate::tool::{ToolKind, ToolSpec};

/// What a pattern of `fetch` looks like, for errors.
pub(super) const EXAMPLES: &str = "fetch(docs.rs), fetch(*.rust-lang.org) or fetch(https://docs.rs/*)";

/// Most times that a path is decoded again; no server does it as often.
const MOST_DECODINGS: usize = 8;

/// The URL that a call would fetch, as it is written, if it would fetch one.
pub(super) fn address<'a>(tool: &ToolSpec, arguments: &'a Arguments) -> Option<&'a str> {
    arguments.text("url").filter(|_| tool.kind == ToolKind::Fetch)
}

/// Whether an allowing pattern covers the URL: surely, and as it will be fetched.
pub(super) fn allows(pattern: &str, written: &str) -> bool {
    match (Pattern::read(pattern, true), read(written)) {
        (Ok(pattern), Some(url)) => pattern.covers(&url),
        _ => false,
    }
}

/// Whether a denying or asking pattern speaks of the URL: as it is written, as it is read, or of what a server may take it for.
/// Of what is no URL it cannot be told.
pub(super) fn speaks_of(pattern: &str, written: &str) -> Fit {
    let url = read(written);
    let texts = [Some(written.trim()), url.as_ref().map(Url::as_str)];
    let by_text = texts.into_iter().flatten().any(|text| wildcard(pattern, text));
    let by_parts = |url: &Url| Pattern::read(pattern, false).is_ok_and(|pattern| pattern.touches(url));
    match url {
        _ if by_text => Fit::Yes,
        None => Fit::Maybe,
        Some(url) if by_parts(&url) => Fit::Yes,
        Some(_) => Fit::No,
    }
}

/// What is wrong with a pattern, if anything is.
///
/// # Errors
/// Words that go into a sentence.
pub(super) fn check(pattern: &str, permits: bool) -> Result<(), &'static str> {
    Pattern::read(pattern, permits).map(|_| ())
}

/// The pattern for all pages of the URL's server, and of no other.
pub(super) fn server_of(written: &str) -> Option<String> {
    let url = read(written)?;
    let host = url.host_str().filter(|host| !host.contains('*') && !host.ends_with('.'))?;
    let server = url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
    match url.scheme() {
        "https" => Some(server),
        "http" => Some(format!("http://{server}/*")),
        _ => None,
    }
}

/// The URL as the tool reads it.
fn read(written: &str) -> Option<Url> {
    Url::parse(written.trim()).ok()
}

/// `docs.rs`, `*.rust-lang.org`, `docs.rs:8443/a/*`, `https://docs.rs/*`.
struct Pattern {
    scheme: Scheme,
    hosts: Hosts,
    ports: PortRange,
    /// `None`: every page.
    pages: Option<Pages>,
}

/// Which schemes. One that is not said is https for what allows, and any for what asks or denies.
#[derive(PartialEq, Eq)]
enum Scheme {
    Unsaid,
    Any,
    One(&'static str),
}

/// Which hosts.
enum Hosts {
    All,
    /// Those whose names end with a dot and this; for what asks or denies the name itself, too.
    Below(String),
    One(Host),
    /// Any text for each `*`; only for what asks or denies.
    Like(String),
}

/// Which ports. One that is not said is the scheme's own; for what asks or denies without a scheme it is any.
enum PortRange {
    Unsaid,
    Any,
    One(u16),
}

/// Which pages of a server.
struct Pages {
    path: String,
    query: Option<String>,
}

impl Pattern {
    fn read(text: &str, permits: bool) -> Result<Self, &'static str> {
        if text.contains(|c: char| c.is_whitespace() || c.is_control()) {
            return Err("a URL cannot contain blanks");
        }
        let whole = text.split_once("://").filter(|(scheme, _)| !scheme.contains(['/', '?', '#']));
        let (scheme, rest) = match whole {
            None => (Scheme::Unsaid, text),
            Some((scheme, rest)) => (Scheme::read(scheme)?, rest),
        };
        let end = rest.find(['/', '\\', '?', '#']).unwrap_or(rest.len());
        let (mut server, pages) = rest.split_at(end);
        if server.contains('@') {
            return Err("a URL with a user name is not fetched");
        }
        // `https://docs.rs*`: what follows the host is free, and the host must not go on.
        if permits && pages.is_empty() {
            let whole =
                server.strip_suffix('*').filter(|it| !it.is_empty() && !it.ends_with([':', '.', '*']));
            server = whole.unwrap_or(server);
        }
        let (host, port) = match server.rsplit_once(':') {
            Some((host, port)) if !port.contains(']') => (host, Some(port)),
            _ => (server, None),
        };
        let ports = port.map_or(Ok(PortRange::Unsaid), |port| PortRange::read(port, permits))?;
        let pages = if pages.is_empty() { None } else { Some(Pages::read(pages)?) };
        Ok(Self { scheme, hosts: Hosts::read(host, permits)?, ports, pages })
    }

    /// Whether it surely covers the URL.
    fn covers(&self, url: &Url) -> bool {
        let scheme = match self.scheme {
            Scheme::Unsaid => url.scheme() == "https",
            Scheme::Any => matches!(url.scheme(), "http" | "https"),
            Scheme::One(scheme) => url.scheme() == scheme,
        };
        let port = match self.ports {
            PortRange::Unsaid => url.port().is_none(),
            PortRange::Any => true,
            PortRange::One(port) => url.port_or_known_default() == Some(port),
        };
        let is_nobodys = url.username().is_empty() && url.password().is_none();
        scheme
            && port
            && is_nobodys
            && self.hosts.cover(url)
            && self.pages.as_ref().is_none_or(|p| p.cover(url))
    }

    /// Whether it speaks of the URL, or of what that may come to.
    fn touches(&self, url: &Url) -> bool {
        let scheme = match self.scheme {
            Scheme::Unsaid | Scheme::Any => true,
            Scheme::One(scheme) => url.scheme() == scheme,
        };
        let port = match self.ports {
            PortRange::Unsaid => self.scheme == Scheme::Unsaid || url.port().is_none(),
            PortRange::Any => true,
            PortRange::One(port) => url.port_or_known_default() == Some(port),
        };
        scheme && port && self.hosts.touch(url) && self.pages.as_ref().is_none_or(|pages| pages.touch(url))
    }
}

impl Scheme {
    fn read(text: &str) -> Result<Self, &'static str> {
        match text.to_ascii_lowercase().as_str() {
            "https" => Ok(Self::One("https")),
            "http" => Ok(Self::One("http")),
            "*" => Ok(Self::Any),
            _ => Err("only http and https are fetched"),
        }
    }
}

impl PortRange {
    fn read(text: &str, permits: bool) -> Result<Self, &'static str> {
        match text.strip_suffix('*') {
            Some("") => Ok(Self::Any),
            // `host:80*` may mean 8080.
            Some(_) if !permits => Ok(Self::Any),
            _ => text.parse().map(Self::One).map_err(|_no_number| "that is not a port"),
        }
    }
}

impl Hosts {
    fn read(text: &str, permits: bool) -> Result<Self, &'static str> {
        if text == "*" {
            return Ok(Self::All);
        }
        let host = |text: &str| {
            if text.contains(':') && !text.starts_with('[') {
                return Err("that is not a host");
            }
            let url = Url::parse(&format!("http://{text}/")).map_err(|_unreadable| "that is not a host")?;
            url.host().map(|host| host.to_owned()).ok_or("that is not a host")
        };
        match text.strip_prefix("*.") {
            Some(name) if !name.contains('*') => match host(name)? {
                Host::Domain(name) => Ok(Self::Below(name.trim_end_matches('.').to_owned())),
                Host::Ipv4(_) | Host::Ipv6(_) => Err("an address has no subdomains"),
            },
            None if !text.contains('*') => Ok(Self::One(host(text)?)),
            _ if permits => Err("in an allowed host, `*` can only be the first part, as in *.example.org"),
            _ if text.is_ascii() => Ok(Self::Like(text.to_ascii_lowercase())),
            _ => Err("a host with `*` must be ASCII"),
        }
    }

    fn cover(&self, url: &Url) -> bool {
        let Some(host) = url.host() else { return false };
        match (self, host) {
            (Self::All, _) => true,
            (Self::Below(name), Host::Domain(host)) => is_below(host, name),
            (Self::One(one), host) => *one == host.to_owned(),
            (Self::Below(_) | Self::Like(_), _) => false,
        }
    }

    fn touch(&self, url: &Url) -> bool {
        let Some(host) = url.host() else { return false };
        let host = settled(&host.to_owned());
        match self {
            Self::All => true,
            Self::Below(name) => host == *name || is_below(&host, name),
            Self::One(one) => settled(one) == host,
            Self::Like(like) => wildcard(like, &host),
        }
    }
}

fn is_below(host: &str, name: &str) -> bool {
    let before = host.strip_suffix(name).and_then(|before| before.strip_suffix('.'));
    before.is_some_and(|before| !before.is_empty())
}

/// One spelling for all that lead to the same host: without the dot of the root, and no IPv4 address inside of an IPv6 one.
fn settled(host: &Host) -> String {
    match host {
        Host::Domain(name) => name.trim_end_matches('.').to_lowercase(),
        Host::Ipv6(address) => {
            address.to_ipv4_mapped().map_or_else(|| host.to_string(), |address| address.to_string())
        }
        Host::Ipv4(_) => host.to_string(),
    }
}

impl Pages {
    fn read(text: &str) -> Result<Self, &'static str> {
        let url = Url::parse(&format!("http://host{text}")).map_err(|_unreadable| "that is not a path")?;
        Ok(Self { path: url.path().to_owned(), query: url.query().map(str::to_owned) })
    }

    fn cover(&self, url: &Url) -> bool {
        let is_all = self.path == "/*" && self.query.is_none();
        let query = match (&self.query, url.query()) {
            (Some(pattern), query) => wildcard(pattern, query.unwrap_or_default()),
            (None, Some(_)) => self.path.ends_with('*'),
            (None, None) => true,
        };
        is_all || (query && wildcard(&self.path, url.path()) && !climbs(url.path()))
    }

    fn touch(&self, url: &Url) -> bool {
        let paths = [url.path().to_owned(), walked(url.path())];
        let fits = |pattern: &str| {
            let bare = pattern.strip_suffix("/*");
            paths.iter().any(|path| wildcard(pattern, path) || bare == Some(path.as_str()))
        };
        let query = self.query.as_deref().is_none_or(|pattern| {
            let query = url.query().unwrap_or_default();
            wildcard(pattern, query) || wildcard(&decoded(pattern), &decoded(query))
        });
        query && (fits(&self.path) || fits(&decoded(&self.path)))
    }
}

/// Decoded until nothing is left to decode: a server may do it more than once.
fn decoded(text: &str) -> String {
    let mut text = text.to_owned();
    for _ in 0..MOST_DECODINGS {
        let next = percent_decode_str(&text).decode_utf8_lossy().into_owned();
        if next == text {
            break;
        }
        text = next;
    }
    text
}

/// Whether a server could find a way up in the path that the parser did not see: `..%2f`, `%252e%252e`, `..;`.
fn climbs(path: &str) -> bool {
    let path = decoded(path);
    path.split(['/', '\\']).any(|part| part.split(';').next() == Some(".."))
}

/// The path as a server may walk it: decoded, steps up taken, without empty steps and the parameters of steps.
fn walked(path: &str) -> String {
    let path = decoded(path);
    let mut steps: Vec<&str> = Vec::new();
    for part in path.split(['/', '\\']) {
        match part.split(';').next().unwrap_or_default() {
            "" | "." => {}
            ".." => {
                steps.pop();
            }
            step => steps.push(step),
        }
    }
    let end = if path.ends_with(['/', '\\']) && !steps.is_empty() { "/" } else { "" };
    format!("/{}{end}", steps.join("/"))
}
