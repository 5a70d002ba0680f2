//! A file in which an audit finds nothing wrong is not read again: what it holds is then what reading it would have said.

use countersign::agent::{Agent, Effect, Input, Intent, Settings};
use countersign::ledger::{Entry, Millis, ModelRef};
use countersign::model::{ModelEvent, ModelNews, ModelSpec};
use countersign::wire::record::{
    Chain, Links, Salt, SessionFile, audit_entries, encode, read_session, sound_file, without,
};
use serde_json::{Value, json};

/// The entries of two runs.
fn entries() -> Vec<Entry> {
    let mut agent = Agent::new(Settings::new(ModelSpec::unknown(ModelRef::parse("script"))));
    for words in ["How large is it?", "And why?"] {
        let effects = agent.step(Millis(1), Input::Intent(Intent::Submit(words.into())));
        let asked = effects.into_iter().find_map(|effect| match effect {
            Effect::CallModel(message, _) => Some(message),
            _ => None,
        });
        let text = ModelEvent::Text("As large as it must be.".to_owned());
        agent.step(Millis(2), Input::Model(asked.unwrap(), ModelNews::Event(text)));
        agent.step(Millis(3), Input::Model(asked.unwrap(), ModelNews::Finished));
    }
    agent.ledger().entries().iter().map(|entry| Entry::clone(entry)).collect()
}

/// A file of these records, each changed first.
fn file(change: impl Fn(&mut Value)) -> Vec<u8> {
    let (mut chain, mut salt) = (Chain::default(), || -> Salt { [7; 16] });
    let lines = entries().into_iter().map(|entry| {
        let mut record = encode(&entry);
        change(&mut record);
        chain.line(record, &mut salt) + "\n"
    });
    lines.collect::<String>().into_bytes()
}

fn of_sound(bytes: &[u8]) -> Option<SessionFile> {
    let (audit, entries) = audit_entries(bytes, Links::default());
    sound_file(bytes, &audit, entries)
}

/// Adds members to the first line.
fn begins_with(members: &Value) -> Vec<u8> {
    file(|record| {
        if record["type"] == "session_started" {
            let more = members.as_object().unwrap().clone();
            record.as_object_mut().unwrap().extend(more);
        }
    })
}

#[test]
fn it_holds_what_reading_it_says_wherever_it_is_cut() {
    let bytes = file(|_| {});
    let first = bytes.iter().position(|byte| *byte == b'\n').unwrap();
    for cut in first..=bytes.len() {
        let found = of_sound(&bytes[..cut]).unwrap_or_else(|| panic!("cut at {cut}"));
        assert_eq!(found, read_session(&bytes[..cut]).unwrap(), "cut at {cut}");
    }
    assert_eq!(of_sound(&bytes[..first - 1]), None);
}

#[test]
fn it_knows_what_the_first_line_says_of_another_session() {
    for members in [
        json!({ "imported_from": "claude", "imported_to": "e3" }),
        json!({ "imported_from": "claude" }),
        json!({ "forked_from": "0198@e2" }),
    ] {
        let bytes = begins_with(&members);
        let found = of_sound(&bytes);
        assert_eq!(found, read_session(&bytes).ok(), "{members}");
        let imported = members.get("imported_from").is_some();
        assert!(
            found.is_some_and(|file| file.is_copy && file.imported_to.is_some() == imported),
            "{members}"
        );
    }
}

#[test]
fn anything_else_has_to_be_read() {
    let bytes = file(|_| {});
    let copy = without(&bytes, &mut |field| field.value == "And why?").unwrap();
    assert!(
        read_session(copy.text.as_bytes()).is_err() && of_sound(copy.text.as_bytes()).is_none(),
        "something was left out"
    );
    let plain: String = entries().iter().map(|entry| format!("{}\n", encode(entry))).collect();
    let older = plain.replace("\"version\":3", "\"version\":2");
    let mut unknown = older.clone().into_bytes();
    assert_eq!(of_sound(&unknown), read_session(&unknown).ok(), "an older file has no hashes");
    unknown.extend(br#"{"type":"of_tomorrow","entry":"e99"}"#);
    assert!(of_sound(&unknown).is_none(), "a line is not known");
    let mut changed = bytes;
    let at = changed.len() / 2;
    changed[at] ^= 1;
    assert!(of_sound(&changed).is_none(), "a byte was changed");
}
