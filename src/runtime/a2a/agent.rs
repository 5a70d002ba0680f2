//! What is known of an A2A agent before anybody has spoken to it.

use std::collections::BTreeMap;

use crate::wire::Secret;

/// An agent as it was configured.
#[derive(Clone, PartialEq, Eq)]
pub struct A2aAgent {
    /// Its name here: letters, digits, `-` and `_`; the end of its tool's name (`delegate_to_NAME`).
    pub name: String,
    /// Where it is: the address of its card, which then ends in `.json`, or what `/.well-known/agent-card.json` stands below.
    pub url: String,
    /// Headers that are sent with each request. Values may be keys: they are never shown or logged.
    pub headers: BTreeMap<String, String>,
    /// What variables gave to the path of its address: may be keys, which are struck out of what is said of it.
    pub secrets: Vec<Secret>,
    /// What the model is told of it, in the place of what its card says.
    pub description: Option<String>,
    /// How long it may take until its card is known, in milliseconds.
    pub start_ms: u64,
    /// How long one task may take, in milliseconds.
    pub call_ms: u64,
}

impl std::fmt::Debug for A2aAgent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let address = self.url.split(['?', '#']).next().unwrap_or_default();
        // A name and a password before the host are as good as a key.
        let address = address.rsplit_once('@').map_or(address, |(_, host)| host);
        f.debug_struct("A2aAgent")
            .field("name", &self.name)
            .field("url", &address)
            .field("headers", &self.headers.keys())
            .field("start_ms", &self.start_ms)
            .field("call_ms", &self.call_ms)
            .finish_non_exhaustive()
    }
}
