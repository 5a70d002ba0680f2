//! One agent over the time of a process: its card is read when it is first needed, again while it cannot be had, and then
//! never more.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;

use reqwest::Url;
use reqwest::header::ACCEPT;
use tokio::sync::Mutex;
use tokio::time::timeout;

use super::agent::A2aAgent;
use super::described::describe;
use super::link::{Link, body, client, no_success};
use super::standing::{A2aFound, A2aStanding};
use crate::ledger::seconds;
use crate::runtime::foreign::{Secrets, address_and_headers, one_line, shown};
use crate::runtime::network::{self, Network};
use crate::wire::a2a::{Card, Dialect, Version};

/// Most bytes of a card.
const MOST_CARD: usize = 1 << 20;
/// Where a card is, below the address of its agent.
const WELL_KNOWN: &str = "/.well-known/agent-card.json";

/// An agent and, when its card is known, the way to it.
pub(super) struct Kept {
    pub(super) agent: A2aAgent,
    pub(super) secrets: Secrets,
    network: Network,
    state: Mutex<State>,
    /// Attempts that came to nothing; whoever waited for one does not make the next.
    failures: AtomicU32,
}

#[derive(Default)]
struct State {
    ready: Option<Arc<Ready>>,
    why_not: String,
}

/// An agent that can be given a task.
pub(super) struct Ready {
    pub(super) link: Link,
    pub(super) found: A2aFound,
}

impl Kept {
    pub(super) fn new(agent: A2aAgent, network: Network) -> Self {
        Self {
            secrets: Secrets::new(address_and_headers(&agent.url, &agent.headers)),
            agent,
            network,
            state: Mutex::default(),
            failures: AtomicU32::new(0),
        }
    }

    /// What it is, for people.
    pub(super) async fn standing(&self) -> A2aStanding {
        let name = self.agent.name.clone();
        let found = match self.ready().await {
            Ok(ready) => Ok(ready.found.clone()),
            Err(why) => Err(format!("The agent `{name}` {why}; no task can be handed to it.")),
        };
        A2aStanding { name, found }
    }

    /// Where tasks go, without what may be a key; as far as its card is not known, where that is.
    pub(super) fn recipient(&self) -> String {
        let known =
            self.state.try_lock().ok().and_then(|state| Some(state.ready.as_ref()?.found.address.clone()));
        known.unwrap_or_else(|| Url::parse(&self.agent.url).map(|url| shown(&url)).unwrap_or_default())
    }

    /// The way to it; its card is read now if it is not known, within the time that the agent has for that.
    ///
    /// # Errors
    /// Why there is none, after the name of the agent; safe to be shown.
    pub(super) async fn ready(&self) -> Result<Arc<Ready>, String> {
        let failures = self.failures.load(Relaxed);
        let mut state = self.state.lock().await;
        if let Some(ready) = &state.ready {
            return Ok(ready.clone());
        }
        if self.failures.load(Relaxed) != failures {
            return Err(state.why_not.clone());
        }
        let opened = match timeout(Duration::from_millis(self.agent.start_ms), self.open()).await {
            Ok(opened) => opened,
            Err(_elapsed) => {
                Err(NotReady::Unreached(format!("it did not answer within {}", seconds(self.agent.start_ms))))
            }
        };
        match opened {
            Ok(ready) => Ok(state.ready.insert(Arc::new(ready)).clone()),
            Err(why) => {
                self.failures.fetch_add(1, Relaxed);
                state.why_not = match why {
                    NotReady::Unreached(why) => format!("could not be reached: {}", self.secrets.hide(&why)),
                    NotReady::Unfit(why) => format!("cannot be used: {}", self.secrets.hide(&why)),
                };
                Err(state.why_not.clone())
            }
        }
    }

    async fn open(&self) -> Result<Ready, NotReady> {
        let url = place_of_card(&self.agent.url).map_err(NotReady::Unfit)?;
        let (client, headers) = client(&self.agent, &url, &self.network).map_err(NotReady::Unfit)?;
        let request = client
            .get(url.clone())
            .headers(headers.clone())
            .header(ACCEPT, "application/json")
            .header("A2A-Version", Version::V1.as_str());
        let response = request.send().await.map_err(|error| NotReady::Unreached(network::cause(&error)))?;
        if let Some(why) = no_success(response.status()) {
            return Err(NotReady::Unreached(why));
        }
        let card = body(response, MOST_CARD).await.map_err(NotReady::Unreached)?;
        let none = || NotReady::Unfit(format!("at {} is no card of an agent", shown(&url)));
        let card = Card::read(&card).ok_or_else(none)?;
        let (interface, version) = card.choose().map_err(|none| NotReady::Unfit(none.to_string()))?;
        let target = own_address(&url, &interface.url).map_err(NotReady::Unfit)?;
        let found = describe(&self.agent, &card, version, &target);
        let dialect = Dialect { version, tenant: interface.tenant.clone() };
        Ok(Ready { link: Link { client, headers, url: target, dialect }, found })
    }
}

/// Why an agent cannot be given anything; raw words of it may be in it.
enum NotReady {
    /// Its card could not be had.
    Unreached(String),
    /// Nothing can be done with what the card says, or with what is configured.
    Unfit(String),
}

/// Where the card of an agent of this address is.
fn place_of_card(configured: &str) -> Result<Url, String> {
    let mut url = Url::parse(configured).map_err(|_why| "its address cannot be read".to_owned())?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err("its address begins neither with https:// nor with http://".to_owned());
    }
    if !url.path().ends_with(".json") {
        let path = format!("{}{WELL_KNOWN}", url.path().trim_end_matches('/'));
        url.set_path(&path);
    }
    Ok(url)
}

/// The address that a card names, if it leads to the server that somebody configured: tasks and keys go nowhere else.
fn own_address(card: &Url, named: &str) -> Result<Url, String> {
    let Ok(url) = card.join(named) else {
        return Err("its card names an address for tasks that cannot be read".to_owned());
    };
    if url.origin() != card.origin() {
        return Err(format!(
            "its card sends tasks to {}, which is another server than the one configured; point `url` to it, if it is right",
            one_line(&shown(&url), 150)
        ));
    }
    Ok(url)
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
            assert_eq!(place_of_card(configured).unwrap().as_str(), place);
        }
        assert!(place_of_card("a.test").is_err() && place_of_card("file:///card.json").is_err());
    }

    #[test]
    fn only_addresses_of_the_same_server_are_its_own() {
        let card = Url::parse("https://a.test/x/card.json?k=1").unwrap();
        for (named, url) in [
            ("https://a.test/rpc", "https://a.test/rpc"),
            ("https://a.test:443/", "https://a.test/"),
            ("/rpc", "https://a.test/rpc"),
        ] {
            assert_eq!(own_address(&card, named).unwrap().as_str(), url);
        }
        for named in [
            "http://a.test/",
            "https://b.test/",
            "https://a.test:444/",
            "https://a.test@b.test/",
            "//b.test/",
            "https:\\\\b.test/",
            "https://a.test.b.test/",
            "file:///etc/passwd",
            "data:,x",
            "http://",
        ] {
            assert!(own_address(&card, named).is_err(), "{named}");
        }
        let why = own_address(&card, "https://me:word@b.test/rpc?k=2").unwrap_err();
        assert!(
            why.starts_with("its card sends tasks to https://b.test/rpc, which is another server"),
            "{why}"
        );
    }
}
