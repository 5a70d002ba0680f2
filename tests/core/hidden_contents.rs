//! Forgeries that put words where no copy can leave them out: a content field that is not sealed, and a
//! member that nobody knows.

use countersign::ledger::*;
use countersign::wire::record::{Chain, Links, Redacted, Salt, audit, audit_entries, encode, without};
use proptest::prelude::*;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::entries::entry;
use crate::one_of_all::{begun, bodies, entries};

fn sha256(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A session with this line at its end.
fn ends_with(record: Value) -> String {
    let (mut chain, mut salt) = (Chain::default(), || -> Salt { [7; 16] });
    let first = Entry { id: EntryId(1), at: Millis(1), body: begun(None) };
    [encode(&first), record].map(|record| chain.line(record, &mut salt) + "\n").concat()
}

/// The same, with these members of the last line among those that its hash covers, unsealed.
fn bare(mut record: Value, members: Value) -> String {
    let members = members.as_object().unwrap();
    members.keys().for_each(|name| drop(record.as_object_mut().unwrap().remove(name)));
    let text = ends_with(record);
    let (before, last) = text.trim_end().rsplit_once('\n').unwrap();
    let (head, rest) = last.split_once(",\"hash\":\"").unwrap();
    let more: String = members.iter().map(|(name, value)| format!("\"{name}\":{value},")).collect();
    let head = head.replacen("\"prev\":", &format!("{more}\"prev\":"), 1);
    format!("{before}\n{head},\"hash\":\"{}{}\n", sha256(&head), &rest[64..])
}

fn line(body: Body) -> Value {
    encode(&Entry { id: EntryId(2), at: Millis(2), body })
}

fn nothing_of(text: &str) -> Result<Redacted, String> {
    without(text.as_bytes(), &mut |_| false).map_err(|(line, why)| format!("line {line}: {why}"))
}

#[test]
fn a_content_field_that_is_not_sealed_is_found_and_nothing_is_left_out_around_it() {
    let said = |words: &str| line(Body::Handoff { text: words.into() });
    let forged = bare(said("x"), json!({ "text": "SECRETWORD" }));
    let found = audit(forged.as_bytes()).faults;
    let what = "a content field stands where it cannot be left out";
    assert!(found.len() == 1 && found[0].line == 2 && found[0].what.contains(what), "{found:?}");
    assert!(nothing_of(&forged).unwrap_err().contains(what));
    assert_eq!(audit(ends_with(said("SECRETWORD")).as_bytes()).faults, []);
    // What was none yet when earlier programs wrote it stands there in their lines.
    let denied = Decision {
        key: "0199-c1".into(),
        digest: "0".repeat(64),
        ..Decision::denial(CallId(1), Decider::User, "")
    };
    let host = "a.example".to_owned();
    for (body, members) in [
        (Body::ApprovalDecided(denied), json!({ "digest": "0".repeat(64), "key": "0199-c1" })),
        (Body::Error { message: "m".into(), next: "n".into() }, json!({ "next": "n" })),
        (Body::Change(Change::HostOpened { host }), json!({ "host": "a.example" })),
    ] {
        let text = bare(line(body), members);
        let faults = audit(text.as_bytes()).faults;
        assert!(!faults.iter().any(|fault| fault.what.contains("canonical")), "{faults:?}");
        assert_eq!(nothing_of(&text).unwrap().unknown, None);
    }
}

#[test]
fn a_member_that_nobody_knows_is_named() {
    let handoff = line(Body::Handoff { text: "x".into() });
    for (record, kind, name) in [
        (handoff.clone(), "handoff", "foo"),
        // That of another type says as little here.
        (handoff, "handoff", "cwd"),
        (line(Body::Error { message: "m".into(), next: "n".into() }), "error", "reason"),
    ] {
        let text = bare(record, json!({ name: "SECRETWORD" }));
        let (found, _) = audit_entries(text.as_bytes(), Links::default());
        let skipped: Vec<_> = found.skipped.iter().map(|one| (one.line, one.kind.clone())).collect();
        assert_eq!((found.faults, skipped), (vec![], vec![(2, format!("{name} of {kind}"))]));
        assert_eq!(nothing_of(&text).unwrap().unknown, Some((2, name.to_owned())));
    }
    // Of a line of another type nothing is known.
    let text = ends_with(json!({ "type": "constellation", "entry": "e2", "stars": 7 }));
    assert_eq!(nothing_of(&text).unwrap().unknown, Some((2, "stars".to_owned())));
}

#[test]
fn all_that_a_session_of_ours_has_is_known() {
    let mut chain = Chain::default();
    let lines =
        entries(bodies()).into_iter().map(|entry| chain.line(encode(&entry), &mut Default::default) + "\n");
    let (found, _) = audit_entries(lines.collect::<String>().as_bytes(), Links::default());
    assert_eq!((found.skipped, found.faults), (vec![], vec![]));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn all_that_any_entry_has_is_known(entry in entry()) {
        let is_later = matches!(&entry.body, Body::Note(note) if matches!(note.kind, NoteKind::Unknown { .. }));
        let unknown = nothing_of(&ends_with(encode(&entry))).unwrap().unknown;
        prop_assert!(unknown.is_none() || is_later, "{:?} of {:?}", unknown, entry.body.kind());
    }
}
