//! The hash chain: every change of a file is found and named by its line, whatever it leaves of the JSON.

use std::sync::Arc;

use countersign::ledger::*;
use countersign::policy::digest;
use countersign::wire::record::{
    Audit, Chain, Links, Salt, audit, audit_with, encode, first_line, follow, read_session, without,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::one_of_all::begun;

fn shell(command: &str) -> ToolUse {
    let (wire_id, name) = ("call_1".to_owned(), "shell".to_owned());
    ToolUse { id: CallId(1), wire_id, name, arguments: Arguments::from_value(json!({ "command": command })) }
}

fn bodies() -> Vec<Body> {
    let call = shell("ls é");
    let said = |id, blocks, stop| {
        Body::Assistant(Arc::new(AssistantMessage {
            id: EntryId(id),
            model: ModelRef::parse("script"),
            blocks,
            stop,
            usage: Usage { input: 10, output: 4, cost: Some(MicroDollars(123_456)), ..Usage::default() },
            interrupted: false,
        }))
    };
    let allowed = Decision::permission(CallId(1), Decider::Policy, "");
    let digest = digest(&call.name, &call.arguments);
    vec![
        begun(None),
        Body::User(Arc::new(UserMessage::text("list → \"ls\",\"hash\":\"x\""))),
        Body::Transition { turn: 1, reason: Transition::Submitted },
        said(4, vec![Block::Text("I look.\u{2028}".into()), Block::ToolUse(call.clone())], Stop::ToolUse),
        Body::ToolCall(call.clone()),
        Body::ApprovalDecided(Decision { digest, cwd: "/w".into(), key: "0199-c1".into(), ..allowed }),
        Body::ToolResult(Arc::new(ToolResult {
            call: CallId(1),
            name: "shell".into(),
            outcome: Outcome::Ok,
            content: "日本\u{1b}[0m".into(),
            duration_ms: 3,
            written: None,
            cut_chars: 0,
            facts: Facts::default(),
            images: vec![],
        })),
        said(8, vec![Block::Text("Done.".into())], Stop::End),
    ]
}

fn entries(bodies: Vec<Body>) -> Vec<Entry> {
    let entry = |(id, body)| Entry { id: EntryId(id), at: Millis(1_763_679_241_120 + id), body };
    (1..).zip(bodies).map(entry).collect()
}

fn salts() -> impl FnMut() -> Salt {
    let mut given = 0_u8;
    move || {
        given += 1;
        [given; 16]
    }
}

fn chained(entries: &[Entry]) -> (Vec<String>, Chain) {
    let (mut chain, mut salt) = (Chain::default(), salts());
    let lines = entries.iter().map(|entry| chain.line(encode(entry), &mut salt) + "\n").collect();
    (lines, chain)
}

fn file() -> (Vec<String>, Chain) {
    chained(&entries(bodies()))
}

/// The file as `sessions check` reads it where it is kept.
fn check(lines: &[String], chain: &Chain) -> Audit {
    check_bytes(lines.concat().as_bytes(), chain)
}

fn check_bytes(bytes: &[u8], chain: &Chain) -> Audit {
    audit_with(bytes, Links::knowing(chain.lines(), chain.head().to_owned()))
}

fn first(audit: &Audit) -> (usize, &str) {
    audit.faults.first().map_or((0, ""), |fault| (fault.line, fault.what.as_str()))
}

#[test]
fn an_intact_file_is_sound_and_reads_as_before() {
    let (lines, chain) = file();
    let found = check(&lines, &chain);
    assert_eq!(found.faults, []);
    assert_eq!((found.chained, found.unchained, found.redacted), (8, 0, 0));
    assert_eq!(found.head.as_deref(), Some(chain.head()));
    let read = read_session(lines.concat().as_bytes()).unwrap();
    let same: Vec<Entry> = read.entries.iter().map(|entry| Entry::clone(entry)).collect();
    assert_eq!(same, entries(bodies()));
    assert_eq!(
        follow(lines.concat().as_bytes(), Links::default()).unwrap().chain(false),
        chain,
        "a writer goes on from there"
    );
    // Without salts, the same words would have the same hash.
    let sealed = |line: &String| serde_json::from_str::<Value>(line).unwrap()["sealed"]["text"].clone();
    let (again, _) = chained(&entries(vec![bodies().remove(7), bodies().remove(7)]));
    assert_ne!(sealed(&again[0]), sealed(&again[1]));
}

#[test]
fn every_flipped_byte_is_found_at_its_line() {
    let (lines, chain) = file();
    let bytes = lines.concat().into_bytes();
    let mut line = 1;
    for at in 0..bytes.len() {
        for flipped in [bytes[at] ^ 1, bytes[at] ^ 0x20, b' ', b'\n', b'"', b'0'] {
            if flipped == bytes[at] {
                continue;
            }
            let mut other = bytes.clone();
            other[at] = flipped;
            let found = check_bytes(&other, &chain);
            assert_eq!(first(&found).0, line, "byte {at} as {flipped}: {:?}", found.faults);
            // Elsewhere nothing tells that the last line was on disk, but a crash leaves only the beginning of one.
            let copied = audit(&other);
            assert_eq!(first(&copied).0, line, "byte {at} as {flipped}: {:?}", copied.faults);
        }
        line += usize::from(bytes[at] == b'\n');
    }
}

#[test]
fn every_line_dropped_doubled_swapped_or_inserted_is_found() {
    let (lines, chain) = file();
    for at in 0..lines.len() {
        let mut dropped = lines.clone();
        dropped.remove(at);
        assert_eq!(first(&check(&dropped, &chain)).0, at + 1, "dropped");
        let mut doubled = lines.clone();
        doubled.insert(at, lines[at].clone());
        assert_eq!(first(&check(&doubled, &chain)).0, at + 2, "doubled");
        let mut blank = lines.clone();
        blank.insert(at + 1, "\n".to_owned());
        assert_eq!(first(&check(&blank, &chain)).0, at + 2, "an empty line");
        if at + 1 < lines.len() {
            let mut swapped = lines.clone();
            swapped.swap(at, at + 1);
            assert_eq!(first(&check(&swapped, &chain)).0, at + 1, "swapped");
        }
    }
}

#[test]
fn a_file_that_was_made_anew_is_not_the_one_that_was_on_disk() {
    let (_, chain) = file();
    let mut other = bodies();
    other[1] = Body::User(Arc::new(UserMessage::text("something else")));
    let (forged, _) = chained(&entries(other));
    assert_eq!(audit(forged.concat().as_bytes()).faults, [], "the forger computes a chain as well as we do");
    assert_eq!(
        first(&check(&forged, &chain)),
        (8, "another line than this was written here: the file was made anew")
    );
}

#[test]
fn forged_calls_and_receipts_are_found_though_the_chain_holds() {
    let forged = |change: &dyn Fn(&mut Vec<Body>)| {
        let mut bodies = bodies();
        change(&mut bodies);
        let (lines, chain) = chained(&entries(bodies));
        let found = check(&lines, &chain);
        (first(&found).0, first(&found).1.to_owned())
    };
    let decided = |bodies: &mut Vec<Body>, change: &dyn Fn(&mut Decision)| {
        let Body::ApprovalDecided(decision) = &mut bodies[5] else { panic!("not the decision") };
        change(decision);
    };
    assert_eq!(
        forged(&|bodies| bodies[4] = Body::ToolCall(shell("rm -rf /"))),
        (5, "call c1 is recorded as another action than its message made".to_owned())
    );
    assert_eq!(
        forged(&|bodies| decided(bodies, &|decision| decision.digest = "0".repeat(64))),
        (6, "the receipt of call c1 is for another action".to_owned())
    );
    assert_eq!(
        forged(&|bodies| decided(bodies, &|decision| decision.digest.clear())),
        (6, "call c1 is allowed without a receipt".to_owned())
    );
    assert_eq!(
        forged(&|bodies| decided(bodies, &|decision| decision.allow = false)),
        (7, "call c1 ran, but nobody allowed it before".to_owned())
    );
    assert_eq!(
        forged(&|bodies| bodies.insert(5, Body::CallEdited(shell("rm -rf /")))).1,
        "call c1 is edited, but does not wait for a decision"
    );
}

#[test]
fn what_a_hook_changed_is_what_the_receipt_is_for() {
    let mut bodies = bodies();
    let changed = json!({ "command": "ls -a" });
    bodies.insert(5, Body::Note(Note::of_hook(CallId(1), changed.clone(), "changed")));
    let (lines, chain) = chained(&entries(bodies.clone()));
    assert_eq!(first(&check(&lines, &chain)), (7, "the receipt of call c1 is for another action"));
    let Body::ApprovalDecided(decision) = &mut bodies[6] else { panic!("not the decision") };
    decision.digest = digest("shell", &Arguments::from_value(changed));
    let (lines, chain) = chained(&entries(bodies));
    assert_eq!(check(&lines, &chain).faults, []);
}

#[test]
fn a_file_of_an_older_version_goes_on_with_hashes_that_cover_it() {
    let mut old = bodies();
    let Body::SessionStarted(started) = &mut old[0] else { panic!("not the first") };
    started.version = 2;
    let entries = entries(old);
    let (old, new) = entries.split_at(3);
    let before: String = old.iter().map(|entry| encode(entry).to_string() + "\n").collect();
    for lacks_newline in [false, true] {
        let there = if lacks_newline { before.trim_end() } else { &before };
        let (mut chain, mut salt) =
            (follow(there.as_bytes(), Links::default()).unwrap().chain(lacks_newline), salts());
        let after: String = new.iter().map(|entry| chain.line(encode(entry), &mut salt) + "\n").collect();
        let whole = before.clone() + &after;
        let found = check_bytes(whole.as_bytes(), &chain);
        assert_eq!((&*found.faults, found.unchained, found.chained), (&[][..], 3, 5));
        let changed = whole.replacen("list", "drop", 1);
        assert_eq!(first(&audit(changed.as_bytes())).0, 4, "the first hash covers all lines before it");
        let unhashed = before.clone() + &after + before.lines().last().unwrap() + "\n";
        assert_eq!(first(&audit(unhashed.as_bytes())).0, 9, "no line without a hash comes after one with");
    }
}

#[test]
fn a_content_field_may_be_left_out_with_its_salt_and_nothing_else_may() {
    let (lines, chain) = file();
    let value: Value = serde_json::from_str(&lines[1]).unwrap();
    let salt = format!(r#","salts":{{"content":{}}}"#, value["salts"]["content"]);
    let content = lines[1].rsplit_once(&salt).unwrap().1.trim_end().trim_end_matches('}').to_owned();
    let with = |line: String| {
        let mut lines = lines.clone();
        lines[1] = line;
        lines
    };
    let redacted = with(lines[1].replacen(&salt, "", 1).replacen(&content, "", 1));
    let links = follow(redacted.concat().as_bytes(), Links::default()).unwrap();
    assert_eq!((links.redacted(), links.chained()), (1, 8));
    assert_eq!(links.head(), Some(chain.head()));
    for other in [lines[1].replacen(&salt, "", 1), lines[1].replacen(&content, "", 1)] {
        assert_eq!(follow(with(other).concat().as_bytes(), Links::default()).unwrap_err().0, 2);
    }
}

proptest! {
    /// A member of any line is changed, added or taken away, and the JSON stays well-formed.
    #[test]
    fn forgeries_that_stay_well_formed_are_found(line in 0_usize..8, member in 0_usize..20, how in 0..3, text in ".{0,12}") {
        let (lines, chain) = file();
        let mut value: Value = serde_json::from_str(&lines[line]).unwrap();
        let members = value.as_object_mut().unwrap();
        let name = members.keys().nth(member % members.len()).unwrap().clone();
        match how {
            0 => drop(members.insert(name, text.into())),
            1 => drop(members.shift_remove(&name)),
            _ => drop(members.insert(format!("x{text}"), name.into())),
        }
        let mut forged = lines.clone();
        forged[line] = countersign::wire::record::line(&value) + "\n";
        prop_assume!(forged != lines);
        prop_assert_eq!(first(&check(&forged, &chain)).0, line + 1);
    }
}

#[test]
fn the_head_of_a_first_line_is_read_without_its_prompt_and_says_the_same() {
    for (cwd, forked_from) in [("/w", None), ("/a \",\"prev\":\"b", Some("0198@e14")), ("/ü\\", None)] {
        let Some(Body::SessionStarted(began)) = bodies().into_iter().next() else { unreachable!() };
        let began = SessionStarted { cwd: cwd.into(), forked_from: forked_from.map(str::to_owned), ..began };
        let entry = entries(vec![Body::SessionStarted(began)]).remove(0);
        let plain = encode(&entry).to_string();
        let line = Chain::default().line(encode(&entry), &mut salts());
        let head = first_line(line.as_bytes()).unwrap();
        assert_eq!(Some(&head), first_line(plain.as_bytes()).as_ref());
        assert_eq!((head.cwd.as_str(), head.forked_from.as_deref()), (cwd, forked_from));
        // Nothing is known of one that was cut off.
        assert_eq!(first_line(&line.as_bytes()[..line.len() - 1]), None);
    }
}

/// The file with another last line, whose hash and chain are computed anew.
fn forged_last(change: impl Fn(&str) -> String) -> (Vec<String>, Chain) {
    let (mut lines, chain) = file();
    let last = lines.pop().unwrap();
    let (head, rest) = last.split_once(",\"hash\":\"").unwrap();
    let head = change(head);
    let hash = sha256(head.as_bytes());
    lines.push(format!("{head},\"hash\":\"{hash}{}", &rest[64..]));
    (lines, chain)
}

/// The file with this member of the last line among what can be left out, and the hashes made anew.
fn sealed_too(name: &str) -> String {
    let (mut lines, _) = file();
    let last: Value = serde_json::from_str(&lines.pop().unwrap()).unwrap();
    let salt = "0".repeat(32);
    let (mut head, mut tail, mut salts) = (String::new(), String::new(), last["salts"].clone());
    for (member, value) in last.as_object().unwrap() {
        let mut value = value.clone();
        if member == "sealed" {
            value[name] = sha256(format!("{salt}{}", last[name]).as_bytes()).into();
        }
        if ["hash", "salts", name].contains(&member.as_str()) {
            continue;
        }
        let is_content = last["sealed"].get(member).is_some();
        let part = if is_content { &mut tail } else { &mut head };
        part.push_str(&format!(",\"{member}\":{value}"));
    }
    salts[name] = salt.into();
    let head = format!("{{{}", &head[1..]);
    let hash = sha256(head.as_bytes());
    let line = format!("{head},\"hash\":\"{hash}\",\"salts\":{salts}{tail},\"{name}\":{}}}\n", last[name]);
    lines.push(line);
    lines.concat()
}

fn sha256(bytes: &[u8]) -> String {
    use sha2::{Digest, Sha256};
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn a_line_that_can_be_read_in_two_ways_is_found_though_the_chain_was_made_anew() {
    let audited = |change: &dyn Fn(&str) -> String| audit(forged_last(change).0.concat().as_bytes());
    assert_eq!(audited(&str::to_owned).faults, [], "the same line again");
    let twice = "two members of the same name";
    for (from, to, says) in [
        // The content that it has says `Done.`; a copy without it would say this.
        ("\"interrupted\":", "\"text\":\"Not done.\",\"interrupted\":", twice),
        ("\"interrupted\":false", "\"interrupted\":false,\"interrupted\":true", twice),
        ("\"type\":", "\"type\":\"user_message\",\"type\":", twice),
        ("\"input\":10", "\"input\":99,\"input\":10", twice),
        ("\"script\"", "\"scr\\u0069pt\"", "escapes"),
        ("\"input\":10", "\"input\":1e1", "numbers"),
        ("\"input\":10", "\"input\": 10", "spaces"),
    ] {
        let found = audited(&|head: &str| head.replacen(from, to, 1));
        let (line, what) = first(&found);
        assert!(line == 8 && what.contains(says), "{from} -> {to}: {line} {what}");
    }
    // What a line is cannot be left out, and nothing else that is no content.
    for (name, says) in [("type", "`type` is not the first member"), ("model", "is no content")] {
        let found = audit(sealed_too(name).as_bytes());
        let (line, what) = first(&found);
        assert!(line == 8 && what.contains(says), "{name}: {line} {what}");
    }
    // The words are left out, and what would take their place is still refused.
    let (mut lines, _) =
        forged_last(|head| head.replacen("\"interrupted\":", "\"text\":\"x\",\"interrupted\":", 1));
    let last = lines.pop().unwrap();
    let hash = last.find(",\"salts\":").unwrap();
    lines.push(format!("{}}}\n", &last[..hash]));
    assert!(first(&audit(lines.concat().as_bytes())).1.contains(twice));
}

#[test]
fn names_that_others_give_can_be_left_out() {
    let secret = || "quite-private".to_owned();
    let mut bodies = bodies();
    bodies.push(Body::Error { message: secret(), next: secret() });
    bodies.push(Body::Change(Change::HostOpened { host: secret() }));
    let kind = NoteKind::TaskAccepted { task_id: secret() };
    bodies.push(Body::Note(Note::new(CallId(1), kind, "It works on it.")));
    let whole = chained(&entries(bodies)).0.concat();
    let copy = without(whole.as_bytes(), &mut |field| field.value == "quite-private").unwrap();
    assert_eq!((copy.fields, copy.text.contains("quite-private")), (4, false));
    assert_eq!(audit(copy.text.as_bytes()).faults, []);
}
