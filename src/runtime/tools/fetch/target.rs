//! Where a fetch may go: decided on the URL, for the first one and for each redirect anew.

use std::net::IpAddr;

use reqwest::Url;

use crate::runtime::address::not_public;

/// Ports of other protocols, which browsers refuse as well (the Fetch standard's list): a request there could be
/// understood as something else.
const BAD_PORTS: &[u16] = &[
    0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103,
    104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514,
    515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723,
    2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
];
const MOST_URL_CHARS: usize = 8000;

/// A host that may be reached wherever it is: of any port, or of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowedHost {
    /// As a URL has it: lower case, an IPv6 address in brackets.
    host: String,
    port: Option<u16>,
}

impl AllowedHost {
    /// Reads `localhost`, `127.0.0.1:8080`, `wiki.example` or `[::1]`.
    ///
    /// # Errors
    /// A sentence: it is no host.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = || format!("must be hosts, as in \"localhost:8080\" or \"wiki.example\", not {text:?}");
        // The port of a URL's scheme is not kept in it, so it is read with a scheme that has none of its own.
        let url = Url::parse(&format!("x://{text}")).map_err(|_unreadable| wrong())?;
        let port = url.port();
        let is_bare = url.path().is_empty() && url.query().is_none() && url.fragment().is_none();
        let is_bare = is_bare && url.username().is_empty() && url.password().is_none();
        // The host is spelled as in URLs that are fetched: 127.1 is 127.0.0.1.
        let host = Url::parse(&format!("http://{text}")).ok().filter(|_| is_bare);
        let host = host.as_ref().and_then(Url::host_str).filter(|host| !host.contains('*'));
        Ok(Self { host: host.ok_or_else(wrong)?.to_owned(), port })
    }

    fn covers(&self, host: &str, port: u16) -> bool {
        self.host == host && self.port.is_none_or(|allowed| allowed == port)
    }
}

impl std::fmt::Display for AllowedHost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.host)?;
        self.port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

/// A URL that may be fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FetchTarget {
    /// The URL, without its fragment.
    pub(super) url: Url,
    /// The configuration names its host: it may be anywhere but where machines are told about themselves.
    pub(super) is_allowed: bool,
}

/// Decides about a URL as far as it can be decided without asking for the addresses of a name.
///
/// # Errors
/// A sentence that says why it is refused.
pub(super) fn check(mut url: Url, allowed: &[AllowedHost]) -> Result<FetchTarget, String> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(format!("`{}:` cannot be fetched; only http: and https: can", url.scheme()));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("the URL contains a user name or password, which would be sent: remove them".to_owned());
    }
    if url.as_str().len() > MOST_URL_CHARS {
        return Err(format!("the URL is longer than {MOST_URL_CHARS} characters"));
    }
    url.set_fragment(None);
    let host = url.host_str().unwrap_or_default();
    if host.trim_end_matches('.').is_empty() {
        return Err("the URL has no host; write it as in https://example.com/page".to_owned());
    }
    let port = url.port_or_known_default().unwrap_or_default();
    let is_allowed = allowed.iter().any(|entry| entry.covers(host, port));
    if BAD_PORTS.contains(&port) && !is_allowed {
        return Err(format!("port {port} belongs to a protocol other than HTTP; it is refused"));
    }
    if !is_allowed {
        let address = host.trim_matches(['[', ']']).parse::<IpAddr>().ok();
        if let Some(what) = address.and_then(not_public) {
            return Err(refusal(host, what));
        }
        let name = host.trim_end_matches('.');
        if name == "localhost" || name.ends_with(".localhost") {
            return Err(refusal(host, "this machine"));
        }
    }
    Ok(FetchTarget { url, is_allowed })
}

/// Why a host is not reached, and what can be done.
pub(super) fn refusal(host: &str, what: &str) -> String {
    format!(
        "{host} is {what}; only the public internet can be fetched. To allow it, the user can add the host \
        to tools.fetch.allow_hosts in their configuration; or use `shell` with curl"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(text: &str, allowed: &[&str]) -> Result<FetchTarget, String> {
        let allowed: Vec<_> = allowed.iter().map(|host| AllowedHost::parse(host).unwrap()).collect();
        check(Url::parse(text).unwrap(), &allowed)
    }

    #[test]
    fn an_address_is_refused_however_it_is_written() {
        for text in [
            "http://127.0.0.1/",
            "http://127.1/",
            "http://0177.0.0.1/",
            "http://0x7f.0.0.1/",
            "http://0x7f000001/",
            "http://2130706433/",
            "http://017700000001/",
            "http://127.0.0.1./",
            "http://%31%32%37.0.0.1/",
            "http://１２７.0.0.1/",
            "http://[::1]/",
            "http://[::ffff:127.0.0.1]/",
            "http://[::ffff:7f00:1]/",
            "http://[64:ff9b::7f00:1]/",
            "http://localhost/",
            "http://LOCALHOST./",
            "http://a.localhost/",
            "http://0/",
            "http://169.254.169.254/latest/meta-data/",
            "http://[fd00::1]/",
            "https://10.0.0.1/",
        ] {
            let why = checked(text, &[]).expect_err(text);
            assert!(why.contains("only the public internet") && why.contains("allow_hosts"), "{text}: {why}");
        }
    }

    #[test]
    fn what_else_is_refused() {
        for (text, why) in [
            ("ftp://example.com/", "`ftp:` cannot be fetched"),
            ("file:///etc/passwd", "`file:` cannot be fetched"),
            ("data:text/plain,x", "`data:` cannot be fetched"),
            ("http://user:pass@example.com/", "user name or password"),
            ("http://user@example.com/", "user name or password"),
            ("http://example.com:22/", "port 22"),
            ("http://example.com:6667/", "port 6667"),
            ("http://./", "has no host"),
        ] {
            let found = checked(text, &[]).expect_err(text);
            assert!(found.contains(why), "{text}: {found}");
        }
        let long = format!("https://example.com/{}", "x".repeat(MOST_URL_CHARS));
        assert!(checked(&long, &[]).unwrap_err().contains("longer than"));
    }

    #[test]
    fn the_configuration_names_exceptions_and_no_more() {
        assert!(checked("http://127.0.0.1:8080/x", &["127.0.0.1:8080"]).unwrap().is_allowed);
        assert!(checked("http://127.0.0.1:8080/x", &["127.0.0.1"]).unwrap().is_allowed);
        assert!(checked("http://127.1:8080/x", &["127.0.0.1"]).unwrap().is_allowed);
        assert!(checked("http://localhost/", &["localhost:80"]).unwrap().is_allowed);
        assert!(checked("http://[::1]:3000/", &["[::1]:3000"]).unwrap().is_allowed);
        assert!(checked("http://127.0.0.1:8081/", &["127.0.0.1:8080"]).is_err());
        assert!(checked("http://127.0.0.2/", &["127.0.0.1"]).is_err());
        assert!(checked("http://u:p@localhost/", &["localhost"]).is_err());
        let public = checked("https://example.com/a#b", &["localhost"]).unwrap();
        assert_eq!((public.url.as_str(), public.is_allowed), ("https://example.com/a", false));
        for text in ["", "*.example", "http://x", "a/b", "u@h", "a b", "h:99999", "h?x"] {
            assert!(AllowedHost::parse(text).is_err(), "{text}");
        }
        assert_eq!(AllowedHost::parse("LOCALHOST:80").unwrap().to_string(), "localhost:80");
    }
}
