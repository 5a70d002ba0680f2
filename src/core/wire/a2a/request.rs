//! What an agent is asked: a message, how its task stands, that it is cancelled.

use serde_json::{Map, Value, json};

use super::Version;

/// How requests to one agent are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dialect {
    /// The version.
    pub version: Version,
    /// What stands in each request of 1.0, when the agent names it.
    pub tenant: Option<String>,
    /// Whether the agent is asked to tell of a task in a stream of events.
    pub streams: bool,
}

/// A message with a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outgoing {
    /// Names the message, the same whenever the same is sent.
    pub id: String,
    /// The task, in words.
    pub text: String,
    /// The task that it goes on with, by the agent's name for it.
    pub task: Option<String>,
}

/// Messages of a task's history that are asked for: the answer may be the last of them.
const HISTORY: u32 = 10;

impl Dialect {
    /// What may be tried when the agent does not know the method of [`Self::send`]: then it has taken nothing.
    pub fn instead(&self) -> Option<Self> {
        let version = match (self.version, self.streams) {
            (version, true) => version,
            // Agents of KAOS say 0.3 in their cards.
            (Version::V0_3, false) => Version::Kaos,
            (Version::V1 | Version::Kaos, false) => return None,
        };
        Some(Self { version, tenant: self.tenant.clone(), streams: false })
    }

    /// Whether a task can be given a second message.
    pub fn goes_on(&self) -> bool {
        self.version != Version::Kaos
    }

    /// Asks for the task to be done: told of in a stream of events, or named at once and then to be asked about. An agent
    /// of KAOS answers when it is over.
    pub fn send(&self, message: &Outgoing) -> String {
        let Outgoing { id, text, task } = message;
        let (method, mut written) = match (self.version, self.streams) {
            (Version::Kaos, _) => ("SendMessage", kaos(id, text)),
            (Version::V1, true) => ("SendStreamingMessage", v1(id, text)),
            (Version::V1, false) => ("SendMessage", v1(id, text)),
            (Version::V0_3, true) => ("message/stream", v0_3(id, text)),
            (Version::V0_3, false) => ("message/send", v0_3(id, text)),
        };
        if let Some(task) = task {
            written.insert("taskId".to_owned(), json!(task));
        }
        let mut params = Map::from_iter([("message".to_owned(), Value::Object(written))]);
        let alone = |member: &str, value| Some((member.to_owned(), value));
        params.extend(match (self.version, self.streams) {
            // The only mark of ours that its list of tasks shows.
            (Version::Kaos, _) => alone("contextId", json!(id)),
            (Version::V1 | Version::V0_3, true) => None,
            (Version::V1, false) => alone("configuration", json!({ "returnImmediately": true })),
            (Version::V0_3, false) => alone("configuration", json!({ "blocking": false })),
        });
        self.request(method, params)
    }

    /// Asks how a task stands.
    pub fn get(&self, task: &str) -> String {
        let method = match self.version {
            Version::V1 | Version::Kaos => "GetTask",
            Version::V0_3 => "tasks/get",
        };
        let params = [("id".to_owned(), json!(task)), ("historyLength".to_owned(), json!(HISTORY))];
        self.request(method, Map::from_iter(params))
    }

    /// Asks for the list in which a task is looked for that has no name yet; `None`: it would not be found there.
    pub fn list(&self) -> Option<String> {
        (self.version == Version::Kaos).then(|| self.request("ListTasks", Map::new()))
    }

    /// Asks for a task to be cancelled.
    pub fn cancel(&self, task: &str) -> String {
        let method = match self.version {
            Version::V1 | Version::Kaos => "CancelTask",
            Version::V0_3 => "tasks/cancel",
        };
        self.request(method, Map::from_iter([("id".to_owned(), json!(task))]))
    }

    fn request(&self, method: &str, mut params: Map<String, Value>) -> String {
        if let (Version::V1, Some(tenant)) = (self.version, &self.tenant) {
            params.insert("tenant".to_owned(), json!(tenant));
        }
        // Each request has an HTTP exchange of its own: the id need not tell answers apart.
        json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string()
    }
}

fn v1(id: &str, text: &str) -> Map<String, Value> {
    Map::from_iter([
        ("messageId".to_owned(), json!(id)),
        ("role".to_owned(), json!("ROLE_USER")),
        ("parts".to_owned(), json!([{ "text": text }])),
    ])
}

fn v0_3(id: &str, text: &str) -> Map<String, Value> {
    Map::from_iter([
        ("kind".to_owned(), json!("message")),
        ("messageId".to_owned(), json!(id)),
        ("role".to_owned(), json!("user")),
        ("parts".to_owned(), json!([{ "kind": "text", "text": text }])),
    ])
}

fn kaos(id: &str, text: &str) -> Map<String, Value> {
    Map::from_iter([
        ("messageId".to_owned(), json!(id)),
        ("role".to_owned(), json!("user")),
        ("parts".to_owned(), json!([{ "type": "text", "text": text }])),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(request: &str) -> Value {
        serde_json::from_str(request).unwrap()
    }

    #[test]
    fn each_version_has_its_own_words() {
        let outgoing = Outgoing { id: "s-c7".into(), text: "write".into(), task: Some("t-1".into()) };
        let with = |version, streams| Dialect { version, tenant: Some("us".into()), streams };
        let (newer, older) = (with(Version::V1, false), with(Version::V0_3, false));
        assert_eq!(
            parsed(&newer.send(&outgoing)),
            json!({ "jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {
                "message": { "messageId": "s-c7", "role": "ROLE_USER", "parts": [{ "text": "write" }], "taskId": "t-1" },
                "configuration": { "returnImmediately": true }, "tenant": "us",
            } })
        );
        assert_eq!(
            parsed(&older.send(&outgoing)),
            json!({ "jsonrpc": "2.0", "id": 1, "method": "message/send", "params": {
                "message": { "kind": "message", "messageId": "s-c7", "role": "user",
                    "parts": [{ "kind": "text", "text": "write" }], "taskId": "t-1" },
                "configuration": { "blocking": false },
            } })
        );
        let first = Outgoing { task: None, ..outgoing };
        for (dialect, stream, get, cancel) in [
            (&newer, "SendStreamingMessage", "GetTask", "CancelTask"),
            (&older, "message/stream", "tasks/get", "tasks/cancel"),
        ] {
            let sent = parsed(&with(dialect.version, true).send(&first));
            assert_eq!((&sent["method"], sent["params"].get("configuration")), (&json!(stream), None));
            assert_eq!(sent["params"]["message"].get("taskId"), None);
            let asked = parsed(&dialect.get("t-1"));
            assert_eq!((&asked["method"], &asked["params"]["id"]), (&json!(get), &json!("t-1")));
            let cancelled = parsed(&dialect.cancel("t-1"));
            assert_eq!((&cancelled["method"], &cancelled["params"]["id"]), (&json!(cancel), &json!("t-1")));
            let tenant = (dialect.version == Version::V1).then(|| json!("us"));
            for one in [sent, asked, cancelled] {
                assert_eq!(one["params"].get("tenant"), tenant.as_ref());
            }
        }
    }

    #[test]
    fn kaos_is_a_dialect_of_its_own_and_the_last_that_is_tried() {
        let outgoing = Outgoing { id: "s-c7".into(), text: "write".into(), task: None };
        let first = Dialect { version: Version::V0_3, tenant: None, streams: true };
        let ways: Vec<Dialect> = std::iter::successors(Some(first), Dialect::instead).collect();
        let tried: Vec<(Version, bool)> = ways.iter().map(|way| (way.version, way.streams)).collect();
        assert_eq!(tried, [(Version::V0_3, true), (Version::V0_3, false), (Version::Kaos, false)]);
        let kaos = ways.last().unwrap();
        assert_eq!(
            parsed(&kaos.send(&outgoing)),
            json!({ "jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {
                "message": { "messageId": "s-c7", "role": "user", "parts": [{ "type": "text", "text": "write" }] },
                "contextId": "s-c7",
            } })
        );
        assert_eq!(parsed(&kaos.list().unwrap())["method"], "ListTasks");
        let newest = Dialect { version: Version::V1, tenant: None, streams: true };
        assert_eq!(std::iter::successors(Some(newest), Dialect::instead).count(), 2);
    }
}
