//! The card in which an agent says what it is and where it takes tasks.

use std::fmt;

use serde::Deserialize;

use super::Version;

/// The only binding of the protocol that is spoken here.
const JSON_RPC: &str = "JSONRPC";

/// The word by which a card of KAOS says that its agent takes tasks.
const KAOS_JSON_RPC: &str = "jsonrpc";

/// What an agent says of itself, as it said it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Card {
    /// What it calls itself.
    pub name: String,
    /// What it does.
    pub description: String,
    /// Its own version.
    pub version: String,
    /// Whether it reports its progress while it works.
    pub streams: bool,
    /// What it can do.
    pub skills: Vec<Skill>,
    /// Where it takes tasks, in its own order of preference.
    pub interfaces: Vec<Interface>,
}

/// One of the things that an agent can do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Skill {
    /// Its name.
    pub name: String,
    /// What it is.
    pub description: String,
}

/// One of the addresses at which an agent takes tasks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interface {
    /// The address.
    pub url: String,
    /// How it is spoken to: `JSONRPC`, `GRPC`, `HTTP+JSON` or something else.
    pub binding: String,
    /// The version of the protocol, in the agent's words.
    pub protocol: String,
    /// What must stand in each request, if it names that.
    pub tenant: Option<String>,
}

/// None of an agent's addresses can be used; what it offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoInterface(pub Vec<String>);

impl fmt::Display for NoInterface {
    /// After the agent's name, as in "names no address for tasks".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("its card has no address for tasks");
        }
        write!(f, "it offers only {}; countersign supports JSON-RPC in 1.0 or 0.3", self.0.join(", "))
    }
}

impl Card {
    /// Reads a card of either version. `None`: it is no card.
    pub fn read(body: &[u8]) -> Option<Self> {
        let raw: RawCard = serde_json::from_slice(body).ok()?;
        raw.name.is_some().then(|| raw.into())
    }

    /// The address to use: the first that is spoken here, 1.0 before all others.
    ///
    /// # Errors
    /// [`NoInterface`] with what the agent offers instead.
    pub fn choose(&self) -> Result<(&Interface, Version), NoInterface> {
        let usable: Vec<(&Interface, Version)> = self
            .interfaces
            .iter()
            .filter(|interface| interface.binding.eq_ignore_ascii_case(JSON_RPC))
            .filter_map(|interface| Some((interface, Version::parse(&interface.protocol)?)))
            .collect();
        let newest = usable.iter().find(|(_, version)| *version == Version::V1);
        newest.or(usable.first()).copied().ok_or_else(|| {
            let offers = self.interfaces.iter().map(|one| format!("{} {}", one.binding, one.protocol));
            NoInterface(offers.collect())
        })
    }
}

/// Members of both versions; `null` is as good as nothing, and snake case as camel case.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawCard {
    name: Option<String>,
    description: Option<String>,
    version: Option<String>,
    capabilities: Option<RawCapabilities>,
    skills: Option<Vec<RawSkill>>,
    #[serde(alias = "supported_interfaces")]
    supported_interfaces: Option<Vec<RawInterface>>,
    // What follows is 0.3.
    url: Option<String>,
    #[serde(alias = "preferred_transport")]
    preferred_transport: Option<String>,
    #[serde(alias = "additional_interfaces")]
    additional_interfaces: Option<Vec<RawInterface>>,
    #[serde(alias = "protocol_version")]
    protocol_version: Option<String>,
    // What follows is KAOS: its cards say 0.3, and its agents do not speak it.
    #[serde(alias = "supported_protocols")]
    supported_protocols: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct RawCapabilities {
    streaming: Option<bool>,
}

#[derive(Deserialize)]
struct RawSkill {
    id: Option<String>,
    name: Option<String>,
    description: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawInterface {
    url: Option<String>,
    #[serde(alias = "protocol_binding", alias = "transport")]
    protocol_binding: Option<String>,
    #[serde(alias = "protocol_version")]
    protocol_version: Option<String>,
    tenant: Option<String>,
}

impl RawInterface {
    fn with_version(self, assumed: &str) -> Option<Interface> {
        Some(Interface {
            url: self.url.filter(|url| !url.is_empty())?,
            binding: self.protocol_binding.unwrap_or_else(|| JSON_RPC.to_owned()),
            protocol: self.protocol_version.unwrap_or_else(|| assumed.to_owned()),
            tenant: self.tenant.filter(|tenant| !tenant.is_empty()),
        })
    }
}

impl From<RawCard> for Card {
    fn from(raw: RawCard) -> Self {
        let older = raw.protocol_version.unwrap_or_else(|| Version::V0_3.as_str().to_owned());
        let is_kaos = raw.supported_protocols.is_some_and(|all| all.iter().any(|one| one == KAOS_JSON_RPC));
        let main = RawInterface {
            url: raw.url,
            protocol_binding: raw.preferred_transport,
            protocol_version: is_kaos.then(|| Version::Kaos.as_str().to_owned()),
            tenant: None,
        };
        let newer = raw.supported_interfaces.unwrap_or_default().into_iter();
        let others = std::iter::once(main).chain(raw.additional_interfaces.unwrap_or_default());
        let interfaces = newer
            .filter_map(|one| one.with_version(Version::V1.as_str()))
            .chain(others.filter_map(|one| one.with_version(&older)));
        let skill = |skill: RawSkill| Skill {
            name: skill.name.or(skill.id).unwrap_or_default(),
            description: skill.description.unwrap_or_default(),
        };
        Self {
            name: raw.name.unwrap_or_default(),
            description: raw.description.unwrap_or_default(),
            version: raw.version.unwrap_or_default(),
            streams: raw.capabilities.and_then(|can| can.streaming).unwrap_or_default(),
            skills: raw.skills.unwrap_or_default().into_iter().map(skill).collect(),
            interfaces: interfaces.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn card(members: Value) -> Card {
        let mut card = json!({ "name": "writer" });
        card.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        Card::read(card.to_string().as_bytes()).unwrap()
    }

    /// The address, version and tenant that are chosen; or why none.
    fn chosen(members: Value) -> Result<(String, Version, Option<String>), String> {
        let card = card(members);
        let chosen = card.choose().map_err(|why| why.to_string())?;
        Ok((chosen.0.url.clone(), chosen.1, chosen.0.tenant.clone()))
    }

    #[test]
    fn both_versions_are_read() {
        let newer = json!({
            "name": "Writer", "description": "writes", "version": "3", "unknown": { "a": [1] },
            "supportedInterfaces": [
                { "url": "http://a/grpc", "protocolBinding": "GRPC", "protocolVersion": "1.0" },
                { "url": "http://a/rpc", "protocol_binding": "JSONRPC", "protocolVersion": "1.0.2", "tenant": "t" },
            ],
            "capabilities": { "streaming": true, "pushNotifications": null },
            "skills": [{ "id": "w", "name": "Write", "description": "letters", "tags": [] }, { "id": "only" }],
        });
        let card = Card::read(newer.to_string().as_bytes()).unwrap();
        assert_eq!((card.name.as_str(), card.version.as_str(), card.streams), ("Writer", "3", true));
        let skills: Vec<&str> = card.skills.iter().map(|skill| skill.name.as_str()).collect();
        assert_eq!(skills, ["Write", "only"]);
        let (interface, version) = card.choose().unwrap();
        assert_eq!((interface.url.as_str(), version), ("http://a/rpc", Version::V1));
        assert_eq!(interface.tenant.as_deref(), Some("t"));

        let older =
            json!({ "url": "http://a/", "protocolVersion": "0.3.0", "capabilities": {}, "skills": null });
        assert_eq!(chosen(older), Ok(("http://a/".into(), Version::V0_3, None)));
        assert_eq!(chosen(json!({ "url": "http://a/" })), Ok(("http://a/".into(), Version::V0_3, None)));
    }

    #[test]
    fn the_first_that_is_spoken_is_taken_and_the_newer_version_before_the_older() {
        let both = json!({ "url": "http://old/", "protocolVersion": "0.3.0", "supportedInterfaces": [
            { "url": "http://three/", "protocolBinding": "JSONRPC", "protocolVersion": "0.3" },
            { "url": "http://one/", "protocolBinding": "JSONRPC", "protocolVersion": "1.0" },
            { "url": "http://two/", "protocolBinding": "JSONRPC", "protocolVersion": "1.0" },
        ] });
        assert_eq!(chosen(both).unwrap().0, "http://one/");
        let older = json!({ "url": "http://g/", "preferredTransport": "GRPC", "additionalInterfaces": [
            { "url": "http://r/", "transport": "HTTP+JSON" }, { "url": "http://j/", "transport": "JSONRPC" },
            { "url": "http://k/", "transport": "JSONRPC" },
        ] });
        assert_eq!(chosen(older).unwrap().0, "http://j/");
    }

    #[test]
    fn what_is_not_spoken_is_named() {
        let others = json!({ "supportedInterfaces": [
            { "url": "http://a/", "protocolBinding": "GRPC", "protocolVersion": "1.0" },
            { "url": "http://a/", "protocolBinding": "JSONRPC", "protocolVersion": "2.0" },
        ] });
        let why = "it offers only GRPC 1.0, JSONRPC 2.0; countersign supports JSON-RPC in 1.0 or 0.3";
        assert_eq!(chosen(others), Err(why.to_owned()));
        assert_eq!(chosen(json!({ "url": "" })), Err("its card has no address for tasks".to_owned()));
    }

    #[test]
    fn what_is_no_card_is_none() {
        for body in ["", "[]", "{}", "<html>", "null", r#"{"name": 3}"#, r#"{"name": "a", "skills": "none"}"#]
        {
            assert_eq!(Card::read(body.as_bytes()), None, "{body}");
        }
    }
}
