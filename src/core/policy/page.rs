//! What a URL asks for, as it is requested: a text that people and programs read differently is refused.

use url::Url;

/// The page of a URL, as it will be asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Host and port, in ASCII: other scripts as they go over the wire (`xn--…`).
    pub server: String,
    /// The whole URL, normalised.
    pub whole: String,
}

/// The server that would be asked, whatever the text looks like; `None`: it is no URL.
pub fn server(written: &str) -> Option<String> {
    let url = Url::parse(written.trim()).ok()?;
    let host = url.host_str()?;
    Some(url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")))
}

/// Reads a URL that can be read in one way only.
///
/// # Errors
/// A sentence: it is no URL, or its server is not the one that a person would read in it.
pub fn page(written: &str) -> Result<Page, String> {
    let written = written.trim();
    if written.contains(|c: char| c.is_control() || c.is_whitespace() || c == '\\') {
        return Err("the URL contains a space, a control character or a backslash; percent-encode \
            it"
        .to_owned());
    }
    let url = Url::parse(written).map_err(|failure| {
        format!("this is not a URL ({failure}); write it in full, as in https://example.com/page")
    })?;
    let scheme = format!("{}://", url.scheme());
    let begins = written.get(..scheme.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(&scheme));
    let rest = written.get(scheme.len()..).filter(|rest| begins && !rest.starts_with('/'));
    let Some(rest) = rest else {
        return Err(format!("write the URL in full, with exactly two slashes: {url}"));
    };
    let named = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if named.contains('@') {
        return Err("the URL contains a user name or password, which would be sent: remove them".to_owned());
    }
    let host = url.host_str().unwrap_or_default();
    let server = server(written).unwrap_or_default();
    let port = url.port_or_known_default().unwrap_or_default();
    let spellings = [server.clone(), format!("{host}:{port}"), format!("{host}:")];
    if named.is_ascii() && !spellings.iter().any(|spelling| spelling.eq_ignore_ascii_case(named)) {
        return Err(format!("the server of this URL is {server}; write it that way: {url}"));
    }
    Ok(Page { server, whole: url.into() })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_can_be_read_in_two_ways_is_refused() {
        for odd in [
            "http:/127.0.0.1:80/://example.com/login",
            "http:127.0.0.1?://example.com",
            "http:\\\\127.0.0.1\\://example.com",
            "ht\ttp://127.0.0.1/://example.com",
            "http:///127.0.0.1/",
            "https://example.com\\@127.0.0.1/",
            "https://example.com@127.0.0.1/",
            "http://2130706433/",
            "http://0x7f.1/",
            "http://127.1/",
            "http://%31%32%37.0.0.1/",
            "https://example.com /x",
            "example.com",
        ] {
            assert!(page(odd).is_err(), "{odd}");
        }
    }

    #[test]
    fn what_must_be_encoded_is_said_where_it_stands() {
        for odd in [
            "https://docs.rs/a b",
            "https://docs.rs/a\tb",
            "https://docs.rs/a\\b",
            "https://docs.rs/a\u{a0}b",
        ] {
            let why = page(odd).err().unwrap_or_default();
            assert!(why.starts_with("the URL contains a space"), "{odd:?}: {why}");
        }
        assert!(page("https://docs.rs/a%20b").is_ok());
    }

    #[test]
    fn a_usual_one_names_its_server_in_ascii() {
        for (written, server, whole) in [
            ("https://Docs.rs/a/../b?q=1#x", "docs.rs", "https://docs.rs/b?q=1#x"),
            (" http://127.0.0.1:8080 ", "127.0.0.1:8080", "http://127.0.0.1:8080/"),
            ("https://example.com:443/", "example.com", "https://example.com/"),
            ("http://[::1]:80/", "[::1]", "http://[::1]/"),
            ("https://ex\u{430}mple.com/", "xn--exmple-4nf.com", "https://xn--exmple-4nf.com/"),
        ] {
            let read = page(written).unwrap_or_else(|why| panic!("{written}: {why}"));
            assert_eq!((read.server.as_str(), read.whole.as_str()), (server, whole), "{written}");
        }
        // A character that looks like a slash does not end the host: it is shown as it goes over the wire, or refused.
        let odd = page("https://example.com\u{2044}login.evil.org/");
        assert!(odd.as_ref().map_or(true, |page| !page.server.starts_with("example.com/")), "{odd:?}");
    }

    proptest! {
        /// What is shown is what is asked for, and a plain text means to everybody the server that is shown.
        #[test]
        fn what_is_shown_is_what_is_asked(text in "(http|https|HTTP)[:/\\\\]{1,4}[a-z0-9.:@%/?#\\\\\t\u{2044}\u{430}-]{1,24}") {
            if let Ok(read) = page(&text) {
                let asked = Url::parse(text.trim()).unwrap();
                prop_assert_eq!(&read.whole, asked.as_str());
                let after = text.trim().split_once("://").unwrap().1;
                let seen = after.split(['/', '?', '#']).next().unwrap().to_ascii_lowercase();
                let host = asked.host_str().unwrap();
                prop_assert!(!seen.is_ascii() || seen == host || seen.starts_with(&format!("{host}:")), "{} {}", seen, host);
            }
        }
    }
}
