//! The lines of a session for another place: an export, a fork, an import. What a line holds beyond what is
//! understood here goes with it.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::ledger::{Body, CHAINED_VERSION, CallId, Entry, EntryId, Millis, standing};

use super::chain::unchained;
use super::file::numbered;
use super::{Chain, Salt, line, time};

/// Every whole line, each safe to print; a torn one is left out.
pub fn durable_lines(bytes: &[u8]) -> Vec<String> {
    values(bytes).map(|value| line(&value)).collect()
}

/// The lines that stand: without what was withdrawn, and without its tombstones.
pub fn exported_lines(bytes: &[u8], entries: &[Arc<Entry>]) -> Vec<String> {
    let standing: BTreeSet<EntryId> =
        standing(entries).filter(|e| !matches!(e.body, Body::Tombstone(_))).map(|e| e.id).collect();
    let all: BTreeSet<EntryId> = entries.iter().map(|e| e.id).collect();
    let stands =
        |value: &Value| entry_of(value).is_none_or(|id| standing.contains(&id) || !all.contains(&id));
    // Without some of its lines it is no chain any more, and it does not claim to be one.
    let plain = |mut value: Value| {
        if value.get("version").is_some_and(|version| version.as_u64() >= Some(CHAINED_VERSION.into()))
            && let Value::Object(members) = &mut value
        {
            members.insert("version".to_owned(), (CHAINED_VERSION - 1).into());
        }
        line(&unchained(value))
    };
    values(bytes).filter(stands).map(plain).collect()
}

/// The beginning of a file, the line of this entry included; `None` when no line has it.
pub fn up_to(bytes: &[u8], last: EntryId) -> Option<&[u8]> {
    let mut length = 0;
    for (_, line, _) in numbered(bytes) {
        length += line.len();
        let value: Option<Value> = serde_json::from_slice(line).ok();
        if value.as_ref().and_then(entry_of) == Some(last) {
            return bytes.get(..length);
        }
    }
    None
}

/// How a copy of a session differs from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copy<'a> {
    /// Its id.
    pub session: &'a str,
    /// When it begins; `None`: when the other did.
    pub at: Option<Millis>,
    /// Where it comes from, as a member of its first line.
    pub origin: Option<(&'a str, &'a str)>,
    /// Whether it keeps what a person allowed for the whole session. Nobody here has allowed what a file brings.
    pub keeps_grants: bool,
    /// The calls whose grants it does not keep in any case: they were taken back after the place at which a fork ends.
    pub revoked: BTreeSet<CallId>,
}

impl Copy<'_> {
    /// The text of the copy's file. It has a chain of its own from its first line on.
    pub fn of(&self, bytes: &[u8], salt: &mut dyn FnMut() -> Salt) -> String {
        let (mut text, mut chain) = (String::new(), Chain::default());
        for (number, mut value) in values(bytes).enumerate() {
            if let Value::Object(members) = &mut value {
                if number == 0 {
                    self.begin(members);
                }
                if !self.keeps_grants || self.is_revoked(members) {
                    take_back(members);
                }
            }
            text.push_str(&chain.line(value, salt));
            text.push('\n');
        }
        text
    }

    fn is_revoked(&self, members: &Map<String, Value>) -> bool {
        let call = members.get("id").and_then(Value::as_str).and_then(CallId::parse);
        call.is_some_and(|call| self.revoked.contains(&call))
    }

    fn begin(&self, members: &mut Map<String, Value>) {
        members.insert("session".to_owned(), self.session.into());
        if let Some(at) = self.at {
            members.insert("at".to_owned(), time::to_value(at));
        }
        if let Some((how, from)) = self.origin {
            members.insert(how.to_owned(), from.into());
        }
    }
}

/// A decision for the whole session becomes one for its call alone, and says what it was.
fn take_back(members: &mut Map<String, Value>) {
    let is_decision = members.get("type").and_then(Value::as_str) == Some("approval");
    let scope = members.get("scope").and_then(Value::as_str).unwrap_or_default().to_owned();
    if is_decision && scope != "once" {
        members.insert("scope".to_owned(), "once".into());
        members.insert("scope_before_import".to_owned(), scope.into());
    }
}

fn values(bytes: &[u8]) -> impl Iterator<Item = Value> {
    numbered(bytes).filter_map(|(_, line, _)| serde_json::from_slice(line).ok())
}

fn entry_of(value: &Value) -> Option<EntryId> {
    EntryId::parse(value.get("entry")?.as_str()?)
}
