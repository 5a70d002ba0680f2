//! Where an agent's card is, and where its tasks go.

use reqwest::Url;

use crate::runtime::untrusted::{one_line, shown};

/// Where a card is, below the address of its agent: in 1.0, in 0.3 and KAOS, in an older KAOS.
const WELL_KNOWN: [&str; 3] =
    ["/.well-known/agent-card.json", "/.well-known/agent.json", "/.well-known/agent"];

/// Where the card of an agent of this address may be, the likeliest place first.
pub(super) fn places_of_card(configured: &str) -> Result<Vec<Url>, String> {
    let url = Url::parse(configured).map_err(|_why| "its address cannot be read".to_owned())?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err("its address begins neither with https:// nor with http://".to_owned());
    }
    let is_a_place =
        |path: &str| path.ends_with(".json") || WELL_KNOWN.iter().any(|place| path.ends_with(place));
    if is_a_place(url.path()) {
        return Ok(vec![url]);
    }
    let base = url.path().trim_end_matches('/').to_owned();
    let place = |place: &&str| {
        let mut url = url.clone();
        url.set_path(&format!("{base}{place}"));
        url
    };
    Ok(WELL_KNOWN.iter().map(place).collect())
}

/// Where tasks go.
pub(super) struct TaskEndpoint {
    pub(super) url: Url,
    /// The address that the card names, if that is at another server.
    pub(super) named: Option<Url>,
}

/// The address that a card names, at the server that somebody configured: tasks and keys go nowhere else. Cards are often
/// written where the agent runs, and name a host that is known only there.
pub(super) fn own_address(card: &Url, named: &str) -> Result<TaskEndpoint, String> {
    let Ok(named) = card.join(named) else {
        return Err("its card names an address for tasks that cannot be read".to_owned());
    };
    if named.origin() == card.origin() {
        return Ok(TaskEndpoint { url: named, named: None });
    }
    if !matches!(named.scheme(), "http" | "https") {
        return Err(format!(
            "its card sends tasks to {}, which is not a web address",
            one_line(&shown(&named), 150)
        ));
    }
    // What stands before its own paths at the configured server, as a gateway has it, is not known to the agent.
    let base = WELL_KNOWN.iter().find_map(|place| card.path().strip_suffix(place)).unwrap_or_default();
    let is_below =
        named.path().strip_prefix(base).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    let path = if is_below { named.path().to_owned() } else { format!("{base}{}", named.path()) };
    let mut url = card.clone();
    url.set_path(&path);
    if named.query().is_some() {
        url.set_query(named.query());
    }
    Ok(TaskEndpoint { url, named: Some(named) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_is_where_the_address_says_or_at_the_known_place_below_it() {
        for (configured, place) in [
            ("http://a.test", "http://a.test/.well-known/agent-card.json"),
            ("http://a.test/", "http://a.test/.well-known/agent-card.json"),
            ("https://a.test/x/?k=1", "https://a.test/x/.well-known/agent-card.json?k=1"),
            ("http://a.test/cards/w.json", "http://a.test/cards/w.json"),
        ] {
            assert_eq!(places_of_card(configured).unwrap()[0].as_str(), place);
        }
        let places = |configured: &str| {
            places_of_card(configured).unwrap().iter().map(Url::to_string).collect::<Vec<_>>()
        };
        let below = |file: &str| format!("http://a.test/x/.well-known/{file}");
        assert_eq!(places("http://a.test/x/"), ["agent-card.json", "agent.json", "agent"].map(below));
        assert_eq!(places(&below("agent.json")), [below("agent.json")]);
        assert_eq!(places(&below("agent")), [below("agent")]);
        assert!(places_of_card("a.test").is_err() && places_of_card("file:///card.json").is_err());
    }

    #[test]
    fn only_addresses_of_the_same_server_are_its_own() {
        let card = Url::parse("https://a.test/x/card.json?k=1").unwrap();
        for (named, url) in [
            ("https://a.test/rpc", "https://a.test/rpc"),
            ("https://a.test:443/", "https://a.test/"),
            ("/rpc", "https://a.test/rpc"),
        ] {
            let target = own_address(&card, named).unwrap();
            assert_eq!((target.url.as_str(), target.named), (url, None));
        }
        for (named, path) in [
            ("http://a.test/", "/?k=1"),
            ("https://b.test/rpc?k=2", "/rpc?k=2"),
            ("https://a.test:444/", "/?k=1"),
            ("https://a.test@b.test/", "/?k=1"),
            ("//b.test/x/../y", "/y?k=1"),
            ("https:\\\\b.test//c.test/", "//c.test/?k=1"),
            ("https://a.test.b.test/", "/?k=1"),
            ("https://me:word@b.test/rpc", "/rpc?k=1"),
        ] {
            let target = own_address(&card, named).unwrap();
            assert_eq!(target.url.as_str(), format!("https://a.test{path}"), "{named}");
            assert_ne!(target.named.unwrap().origin(), card.origin());
        }
        for named in ["file:///etc/passwd", "data:,x", "http://"] {
            assert!(own_address(&card, named).is_err(), "{named}");
        }
    }

    #[test]
    fn what_stands_before_an_agent_at_a_gateway_stays_there() {
        let card = Url::parse("https://gate.test/ns/agent/worker/.well-known/agent.json").unwrap();
        for (named, path) in [
            ("http://localhost:8000", "/ns/agent/worker/"),
            ("http://localhost:8000/rpc", "/ns/agent/worker/rpc"),
            ("http://worker.svc/ns/agent/worker/rpc", "/ns/agent/worker/rpc"),
            ("http://worker.svc/ns/agent/workers", "/ns/agent/worker/ns/agent/workers"),
        ] {
            let target = own_address(&card, named).unwrap();
            assert_eq!(target.url.as_str(), format!("https://gate.test{path}"), "{named}");
        }
    }
}
