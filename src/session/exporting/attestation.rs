//! A session as an attestation: an in-toto statement about who decided what, in a signed DSSE envelope. It has digests of actions, and
//! no contents.
//!
//! Formats: in-toto Statement v1 and DSSE v1.0.2 (`secure-systems-lab/dsse`). The signature is one of SSH (`PROTOCOL.sshsig`), made for
//! the namespace `countersign` over the pre-authentication encoding.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::came_along;
use crate::config::fault::one_line;
use crate::ledger::{Body, CallId, Entry, EntryId};
use crate::ui::text::counted;
use crate::wire::record::{Audit, line, moment};

/// Of the payload.
pub(crate) const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";
const STATEMENT: &str = "https://in-toto.io/Statement/v1";
/// What the predicate is; `docs/SESSION-FORMAT.md` says what it holds.
const PREDICATE: &str = "urn:countersign:session:v1";
/// The only member of the predicate that does not follow from the session.
const MADE_BY: &str = "made_by";
/// Members of the predicate about where lines come from.
const FORKED_FROM: &str = "forked_from";
const IMPORTED_TO: &str = "imported_to";
const IMPORTED_FROM: &str = "imported_from";
/// All of these. Attestations before November 27, 2026 have none.
const ORIGINS: [&str; 3] = [FORKED_FROM, IMPORTED_TO, IMPORTED_FROM];
/// A member of a call: another program ran it. Those without origins have none of this either.
const ELSEWHERE: &str = "elsewhere";
/// Members of the predicate about a copy that is not whole: how many fields it lacks, and the calls whose
/// receipts cannot be checked.
const LEFT_OUT: &str = "left_out";
const NOT_CHECKED: &str = "not_checked";
/// Where an import ends that does not say it.
const UNKNOWN: EntryId = EntryId(u64::MAX);
const ARMOUR: (&str, &str) = ("-----BEGIN SSH SIGNATURE-----", "-----END SSH SIGNATURE-----");
/// Characters in a line of an armoured signature.
const ARMOUR_WIDTH: usize = 70;

/// The statement about a session file, as JSON.
pub(crate) fn statement(name: &str, bytes: &[u8], entries: &[Arc<Entry>], audit: &Audit) -> Value {
    let mut about = Map::new();
    let mut calls: BTreeMap<CallId, Map<String, Value>> = BTreeMap::new();
    let (mut models, mut endings) = (Vec::new(), Vec::new());
    for entry in entries {
        let id = entry.id.to_string();
        match &entry.body {
            Body::SessionStarted(started) => {
                about.insert("session".to_owned(), started.session.as_str().into());
                about.insert("began".to_owned(), moment(entry.at));
                let origin = started.forked_from.as_deref();
                about.extend(origin.map(|origin| (FORKED_FROM.to_owned(), Value::from(origin))));
            }
            Body::Assistant(said) if !models.contains(&said.model.to_string()) => {
                models.push(said.model.to_string());
            }
            Body::ToolCall(call) | Body::Command(call) | Body::Validation(call) => {
                let known = calls.entry(call.id).or_default();
                known.insert("entry".to_owned(), id.into());
                known.insert("tool".to_owned(), call.name.as_str().into());
            }
            Body::ApprovalDecided(decision) => {
                let made = json!({
                    "entry": id,
                    "at": moment(entry.at),
                    "decision": if decision.allow { "allow" } else { "deny" },
                    "by": decision.by.as_str(),
                    "scope": decision.scope.as_str(),
                    "sandboxed": decision.sandboxed,
                    "digest": decision.digest,
                });
                let known = calls.entry(decision.call).or_default();
                if let Some(list) = known.entry("decisions").or_insert_with(|| json!([])).as_array_mut() {
                    list.push(made);
                }
            }
            Body::ToolResult(result) => {
                let known = calls.entry(result.call).or_default();
                known.insert("outcome".to_owned(), result.outcome.as_str().into());
                // Another program ran it: nothing here decided about it.
                if result.facts.is_elsewhere {
                    known.insert(ELSEWHERE.to_owned(), true.into());
                }
            }
            Body::TurnEnded(ended) => endings.push(json!({
                "entry": id, "at": moment(entry.at), "reason": ended.reason.as_str(), "completed": ended.reason.completed(),
            })),
            _ => {}
        }
    }
    describe(&mut about, calls, models, endings);
    prove(&mut about, audit);
    about.insert(MADE_BY.to_owned(), format!("countersign {}", env!("CARGO_PKG_VERSION")).into());
    json!({
        "_type": STATEMENT,
        "subject": [{ "name": name, "digest": { "sha256": sha256(bytes) } }],
        "predicateType": PREDICATE,
        "predicate": about,
    })
}

fn describe(
    about: &mut Map<String, Value>,
    calls: BTreeMap<CallId, Map<String, Value>>,
    models: Vec<String>,
    endings: Vec<Value>,
) {
    let calls = calls.into_iter().map(|(call, mut known)| {
        known.insert("call".to_owned(), call.to_string().into());
        Value::Object(known)
    });
    about.insert("calls".to_owned(), calls.collect());
    about.insert("models".to_owned(), models.into());
    about.insert("endings".to_owned(), endings.into());
}

/// What the lines prove, and where those come from that nobody here has seen written.
fn prove(about: &mut Map<String, Value>, audit: &Audit) {
    let lines = audit.chained + audit.unchained;
    about.insert(
        "chain".to_owned(),
        json!({ "lines": lines, "unchained": audit.unchained, "head": audit.head }),
    );
    let last = audit.imported_to.filter(|last| *last != UNKNOWN);
    about.extend(last.map(|last| (IMPORTED_TO.to_owned(), Value::from(last.to_string()))));
    let from = audit.imported_from.as_deref();
    about.extend(from.map(|from| (IMPORTED_FROM.to_owned(), Value::from(from))));
    if audit.redacted > 0 {
        about.insert(LEFT_OUT.to_owned(), audit.redacted.into());
    }
    if !audit.unheld.is_empty() {
        let calls = audit.unheld.iter().map(|call| Value::from(call.to_string()));
        about.insert(NOT_CHECKED.to_owned(), calls.collect());
    }
}

/// The SHA-256 of a file, in hexadecimal.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What is signed: the pre-authentication encoding of DSSE.
pub(crate) fn signed_text(kind: &str, payload: &str) -> String {
    format!("DSSEv1 {} {kind} {} {payload}", kind.len(), payload.len())
}

/// The envelope around a payload and its armoured signature.
pub(crate) fn envelope(payload: &str, signature: &str) -> Value {
    let blob: String = signature.lines().filter(|line| !line.starts_with("-----")).map(str::trim).collect();
    json!({
        "payloadType": PAYLOAD_TYPE,
        "payload": STANDARD.encode(payload),
        "signatures": [{ "keyid": "", "sig": blob }],
    })
}

/// An envelope that was read: what it says, and its signatures, armoured.
pub(crate) struct Envelope {
    /// What kind of payload it has.
    pub kind: String,
    /// The payload.
    pub payload: String,
    /// Its signatures.
    pub signatures: Vec<String>,
}

/// Reads an envelope; `None`: it is none.
pub(crate) fn read(bytes: &[u8]) -> Option<Envelope> {
    let value: Value = serde_json::from_slice(bytes).ok()?;
    let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    let payload = STANDARD.decode(text(&value, "payload")?).ok()?;
    let signatures = value.get("signatures")?.as_array()?;
    Some(Envelope {
        kind: text(&value, "payloadType")?,
        payload: String::from_utf8(payload).ok()?,
        signatures: signatures
            .iter()
            .filter_map(|one| text(one, "sig"))
            .map(|blob| armoured(&blob))
            .collect(),
    })
}

fn armoured(blob: &str) -> String {
    let signs: Vec<char> = blob.chars().filter(|sign| !sign.is_whitespace()).collect();
    let lines: Vec<String> = signs.chunks(ARMOUR_WIDTH).map(|line| line.iter().collect()).collect();
    format!("{}\n{}\n{}\n", ARMOUR.0, lines.join("\n"), ARMOUR.1)
}

/// What an attestation says.
pub(crate) struct Attested {
    /// All of it.
    statement: Value,
    /// The files that it is about, with their SHA-256.
    pub subjects: Vec<(String, String)>,
    /// How many calls it lists.
    pub calls: usize,
    /// The last entry that came with an import.
    pub imported_to: Option<EntryId>,
}

/// Reads a payload; `None`: it is of another kind, or about nothing.
pub(crate) fn attested(payload: &str) -> Option<Attested> {
    let statement: Value = serde_json::from_str(payload).ok()?;
    if statement.get("predicateType")?.as_str()? != PREDICATE {
        return None;
    }
    let subjects = statement.get("subject")?.as_array()?.iter().map(|subject| {
        let digest = subject.get("digest")?.get("sha256")?.as_str()?;
        Some((subject.get("name")?.as_str()?.to_owned(), digest.to_owned()))
    });
    let subjects: Vec<_> = subjects.collect::<Option<_>>()?;
    let predicate = statement.get("predicate")?;
    let calls = predicate.get("calls")?.as_array()?.len();
    let imported_to = predicate.get(IMPORTED_TO).and_then(|last| EntryId::parse(last.as_str()?));
    let imported_to = imported_to.or_else(|| predicate.get(IMPORTED_FROM).map(|_| UNKNOWN));
    // Of two members with one name, a reader may take either.
    let is_plain = !subjects.is_empty() && line(&statement) == payload;
    is_plain.then_some(Attested { statement, subjects, calls, imported_to })
}

impl Attested {
    /// Whether it says nothing of where the lines come from.
    fn has_no_origin(&self) -> bool {
        let predicate = self.statement.get("predicate");
        ORIGINS.iter().all(|name| predicate.and_then(|members| members.get(*name)).is_none())
    }

    /// Where that session says that its lines come from, in sentences, if this says nothing of it. An older
    /// attestation that is true has not become false by that; whoever verifies it is told what it does not
    /// say.
    pub(crate) fn unsaid_origin(&self, entries: &[Arc<Entry>], audit: &Audit) -> Vec<String> {
        if !self.has_no_origin() {
            return Vec::new();
        }
        let derived = statement("", &[], entries, audit);
        let said = |name: &str| derived.get("predicate")?.get(name)?.as_str().map(one_line);
        let forked = said(FORKED_FROM).map(|from| format!("a fork of {from}"));
        let imported = audit.imported_to.map(|_| "an import".to_owned());
        let imported = said(IMPORTED_FROM).map(|from| format!("an import of {from}")).or(imported);
        let origins: Vec<String> = forked.into_iter().chain(imported).collect();
        if origins.is_empty() {
            return Vec::new();
        }
        let told = format!(
            "the attestation does not say where the session comes from, as none did before November 27, 2026; \
             its file says that it is {}",
            origins.join(" and ")
        );
        [Some(told), came_along(audit.imported_to)].into_iter().flatten().collect()
    }

    /// Where it first says something else than what is exported from that session. One that says nothing of
    /// where the lines come from is compared without that.
    pub(crate) fn difference(&self, entries: &[Arc<Entry>], audit: &Audit) -> Option<String> {
        // The subject is compared by its digest.
        let mut derived = statement("", &[], entries, audit);
        if self.has_no_origin() {
            let calls = derived.pointer_mut("/predicate/calls").and_then(Value::as_array_mut);
            for call in calls.into_iter().flatten().filter_map(Value::as_object_mut) {
                call.remove(ELSEWHERE);
            }
        }
        let of = |statement: &Value, name: &str| statement.get(name).cloned().unwrap_or_default();
        let origins = ORIGINS.into_iter().filter(|_| self.has_no_origin());
        let left_out: Vec<&str> = origins.chain([MADE_BY]).collect();
        let compared = |statement: &Value| {
            let mut predicate = of(statement, "predicate");
            if let Some(members) = predicate.as_object_mut() {
                members.retain(|name, _| !left_out.contains(&name.as_str()));
            }
            predicate
        };
        let kind = difference("_type", &of(&self.statement, "_type"), &of(&derived, "_type"));
        kind.or_else(|| difference("", &compared(&self.statement), &compared(&derived)))
    }
}

/// The first place at which two values differ, with both.
fn difference(place: &str, said: &Value, is: &Value) -> Option<String> {
    match (said, is) {
        (Value::Object(said), Value::Object(is)) => {
            let names: BTreeSet<&String> = said.keys().chain(is.keys()).collect();
            names.into_iter().find_map(|name| {
                let place = if place.is_empty() { name.clone() } else { format!("{place}.{name}") };
                let none = Value::Null;
                difference(&place, said.get(name).unwrap_or(&none), is.get(name).unwrap_or(&none))
            })
        }
        (Value::Array(said_items), Value::Array(items)) => {
            let pairs = said_items.iter().zip(items).enumerate();
            let differing = pairs
                .into_iter()
                .find_map(|(at, (said, is))| difference(&format!("{place}[{at}]"), said, is));
            let is_same_length = said_items.len() == items.len();
            differing.or_else(|| (!is_same_length).then(|| both(place, said, is)))
        }
        _ => (said != is).then(|| both(place, said, is)),
    }
}

fn both(place: &str, said: &Value, is: &Value) -> String {
    format!("{place}: the attestation says {}, the session {}", in_short(said), in_short(is))
}

fn in_short(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::Object(_) => "something".to_owned(),
        Value::Array(items) => counted(items.len() as u64, "item"),
        other => one_line(&other.to_string()),
    }
}
