//! Copies that leave something out: what is still checked of them, what is said not to be, and that no
//! session that is kept is one.

use std::fs;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use countersign::wire::record::without;
use serde_json::Value;

use crate::forged::rechained;
use crate::sealed::{allowed, key, verify};
use crate::world::World;

/// A session with two commands.
fn world() -> World {
    let world = World::new();
    let script = r#"[{"tool_calls":[{"name":"shell","arguments":{"command":"echo one"}},{"name":"shell","arguments":{"command":"echo two"}}]},"Done."]"#;
    assert_eq!(world.json(&["--mode", "unrestricted", "--script", script, "go"]).code, 0);
    world
}

/// A session file without what the line of the first call is called with.
fn copy(text: &str) -> String {
    let mut is_first = true;
    let copy = without(text.as_bytes(), &mut |content| {
        let is_it = content.kind == "tool_call" && content.name == "arguments";
        is_it && std::mem::take(&mut is_first)
    });
    copy.unwrap().text
}

#[test]
fn a_field_that_is_left_out_hides_no_forged_receipt_of_another_call() {
    let world = world();
    let whole = world.session_text();
    let file = world.place().join("copy.jsonl");
    let check = |text: &str| {
        fs::write(&file, text).unwrap();
        world.sessions_cli(&["check", file.to_str().unwrap()])
    };
    let honest = check(&copy(&whole));
    assert!(honest.code == 0 && honest.out.contains("2 calls, each with one result"), "{honest:?}");
    assert!(
        honest.out.contains("receipts: not checked for c1, of which something is left out"),
        "{honest:?}"
    );
    // Another receipt for the second call, in a chain that is made anew.
    let forged = |change: &dyn Fn(&mut Value)| {
        let records = whole.lines().map(|line| {
            let mut record: Value = serde_json::from_str(line).unwrap();
            if record["type"] == "approval" && record["id"] == "c2" {
                change(&mut record);
            }
            record.to_string() + "\n"
        });
        check(&copy(&rechained(&records.collect::<String>())))
    };
    let another = forged(&|record| record["digest"] = "0".repeat(64).into());
    assert!(
        another.code == 1 && another.out.contains("the receipt of call c2 is for another action"),
        "{another:?}"
    );
    let denied = forged(&|record| record["decision"] = "deny".into());
    assert!(denied.code == 1 && denied.out.contains("call c2 ran, but nobody allowed it"), "{denied:?}");
}

#[test]
fn where_a_member_is_not_known_nothing_is_left_out() {
    let world = world();
    let whole = world.session_text();
    let file = world.place().join("later.jsonl");
    let later = whole.replacen("\"outcome\":\"ok\",", "\"outcome\":\"ok\",\"foo\":\"SECRETWORD\",", 1);
    fs::write(&file, rechained(&later)).unwrap();
    let path = file.to_str().unwrap();
    let checked = world.sessions_cli(&["check", path]);
    assert!(checked.code == 0 && checked.out.contains("`foo of tool_result` is not known"), "{checked:?}");
    for rules in [["--redact", "results"], ["--redact", "all"], ["--only", "e2"]] {
        let ran = world.sessions_cli(&["export", path, "--format", "jsonl", rules[0], rules[1]]);
        assert!(ran.code == 1 && ran.out.is_empty() && ran.err.contains("has a member `foo`"), "{ran:?}");
    }
    let all = world.sessions_cli(&["export", path, "--format", "jsonl"]);
    assert!(all.code == 0 && all.out.contains("SECRETWORD"), "{all:?}");
}

#[test]
fn a_session_that_is_kept_lacks_nothing_and_an_attestation_says_what_a_copy_lacks() {
    let world = world();
    let Some(mine) = key(&world.place(), "key", "") else { return };
    let path = mine.to_str().unwrap();
    let (file, text) = (world.place().join("copy.jsonl"), copy(&world.session_text()));
    fs::write(&file, &text).unwrap();
    let words = ["export", file.to_str().unwrap(), "--format", "attestation", "--key", path];
    let ran = world.sessions_cli(&words);
    let untold = "receipts: not checked for c1, of which something is left out";
    assert!(ran.code == 0 && ran.err.contains(untold), "{ran:?}");
    let envelope: Value = serde_json::from_str(&ran.out).unwrap();
    let payload = STANDARD.decode(envelope["payload"].as_str().unwrap()).unwrap();
    let statement: Value = serde_json::from_slice(&payload).unwrap();
    assert_eq!(statement["predicate"]["left_out"], 1, "{statement}");
    assert_eq!(statement["predicate"]["not_checked"], serde_json::json!(["c1"]), "{statement}");
    let attestation = file.with_file_name("attestation.json");
    fs::write(&attestation, &ran.out).unwrap();
    let proved = verify(&world, &attestation, &allowed(&mine));
    assert!(proved.code == 0 && proved.out.contains(untold), "{proved:?}");
    // The hashes and the count of the lines are the same, so nothing else tells it.
    fs::write(world.session_file(), &text).unwrap();
    let checked = world.sessions_cli(&["check", "--last"]);
    assert!(
        checked.code == 1 && checked.out.contains("`arguments` was left out, and nothing of"),
        "{checked:?}"
    );
    let refused = world.sessions_cli(&["export", "--last", "--format", "attestation", "--key", path]);
    assert!(refused.code == 1 && refused.err.contains("nothing was attested"), "{refused:?}");
}
