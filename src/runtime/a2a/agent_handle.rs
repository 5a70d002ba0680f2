//! One agent over the time of a process: its card is read when it is first needed, again while it cannot be had, and then
//! never more.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;

use reqwest::header::{ACCEPT, HeaderMap};
use reqwest::{Client, StatusCode, Url};
use tokio::sync::Mutex;
use tokio::time::timeout;

use super::agent::A2aAgent;
use super::card_address::{own_address, places_of_card};
use super::described::describe;
use super::link::{AgentLink, body, client, no_success};
use super::status::{A2aFound, A2aStanding};
use crate::ledger::seconds;
use crate::runtime::network::{self, Network};
use crate::runtime::untrusted::{Secrets, address_and_headers, in_path, shown};
use crate::wire::Bulk;
use crate::wire::a2a::{Card, Dialect, Version};

/// Most bytes of a card.
const MOST_CARD: usize = 1 << 20;
/// An agent and, when its card is known, the way to it.
pub(super) struct AgentHandle {
    pub(super) agent: A2aAgent,
    pub(super) secrets: Secrets,
    network: Network,
    state: Mutex<AgentState>,
    /// Attempts that came to nothing; whoever waited for one does not make the next.
    failures: AtomicU32,
}

#[derive(Default)]
struct AgentState {
    ready: Option<Arc<ReadyAgent>>,
    why_not: String,
}

/// An agent that can be given a task.
pub(super) struct ReadyAgent {
    pub(super) link: AgentLink,
    pub(super) found: A2aFound,
}

impl AgentHandle {
    pub(super) fn new(agent: A2aAgent, network: Network) -> Self {
        Self {
            secrets: Secrets::new(
                address_and_headers(&agent.url, &agent.headers).chain(in_path(&agent.secrets)),
            ),
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
            Err(why) => Err(format!("The agent `{name}` {why}; no task can be sent to it.")),
        };
        A2aStanding { name, found }
    }

    /// Where tasks go, without what may be a key; as far as its card is not known, where that is.
    pub(super) fn recipient(&self) -> String {
        let known =
            self.state.try_lock().ok().and_then(|state| Some(state.ready.as_ref()?.found.address.clone()));
        let address =
            known.or_else(|| Url::parse(&self.agent.url).map(|url| shown(&url)).ok()).unwrap_or_default();
        self.secrets.strike(&address)
    }

    /// The way to it; its card is read now if it is not known, within the time that the agent has for that.
    ///
    /// # Errors
    /// Why there is none, after the name of the agent; safe to be shown.
    pub(super) async fn ready(&self) -> Result<Arc<ReadyAgent>, String> {
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

    async fn open(&self) -> Result<ReadyAgent, NotReady> {
        let mut places = places_of_card(&self.agent.url).map_err(NotReady::Unfit)?.into_iter();
        let Some(mut url) = places.next() else {
            return Err(NotReady::Unfit("its address cannot be read".to_owned()));
        };
        let (client, headers) = client(&self.agent, &url, &self.network).map_err(NotReady::Unfit)?;
        let mut first = None;
        let card = loop {
            match self.card(&client, &headers, &url).await {
                Ok(card) => break card,
                Err(NoCard::Other(why)) => return Err(why),
                Err(NoCard::NotThere(why)) => {
                    let why = first.get_or_insert(why);
                    let Some(next) = places.next() else {
                        return Err(std::mem::replace(why, NotReady::Unfit(String::new())));
                    };
                    url = next;
                }
            }
        };
        let (interface, version) = card.choose().map_err(|none| NotReady::Unfit(none.to_string()))?;
        let target = own_address(&url, &interface.url).map_err(NotReady::Unfit)?;
        let found = describe((&self.agent, &self.secrets), &card, version, &target);
        let streams = card.streams && version != Version::Kaos;
        let dialect = Dialect { version, tenant: interface.tenant.clone(), streams }.into();
        Ok(ReadyAgent { link: AgentLink { client, headers, url: target.url, dialect }, found })
    }

    async fn card(&self, client: &Client, headers: &HeaderMap, url: &Url) -> Result<Card, NoCard> {
        let request = client
            .get(url.clone())
            .headers(headers.clone())
            .header(ACCEPT, "application/json")
            .header("A2A-Version", Version::V1.as_str());
        let unreached = |why| NoCard::Other(NotReady::Unreached(why));
        let response = request.send().await.map_err(|error| unreached(network::cause(&error)))?;
        if let Some(why) = no_success(response.status()) {
            return Err(match response.status() {
                StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED | StatusCode::GONE => {
                    NoCard::NotThere(NotReady::Unreached(why))
                }
                _ => unreached(why),
            });
        }
        let card = body(response, MOST_CARD).await.map_err(unreached)?;
        let none = || NoCard::NotThere(NotReady::Unfit(format!("at {} is not an agent card", shown(url))));
        if Bulk::fits(&card) { Card::read(&card).ok_or_else(none) } else { Err(none()) }
    }
}

/// Why there is no card at one of the places where it may be.
enum NoCard {
    /// It may be at another.
    NotThere(NotReady),
    Other(NotReady),
}

/// Why an agent cannot be given anything; raw words of it may be in it.
enum NotReady {
    /// Its card could not be had.
    Unreached(String),
    /// Nothing can be done with what the card says, or with what is configured.
    Unfit(String),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Secret;

    #[test]
    fn a_key_in_the_path_of_its_address_is_not_shown() {
        let agent = A2aAgent {
            name: "writer".to_owned(),
            url: "http://a.test/s/key%20of%20the-path/agent?k=1".to_owned(),
            headers: [].into(),
            secrets: vec![Secret::new("key of the-path")],
            description: None,
            start_ms: 1,
            call_ms: 1,
        };
        let handle = AgentHandle::new(agent, Network::default());
        assert_eq!(handle.recipient(), "http://a.test/s/[hidden]/agent");
    }
}
