//! Attestations that say something else than the session file beside them.

use std::fs;
use std::path::Path;
use std::process::Command;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::foreign::{claude, import};
use crate::forged::rechained;
use crate::sealed::{allowed, key, seal, verify};
use crate::world::World;

/// The envelope around a payload, signed as `ssh-keygen` does.
fn signed(key: &Path, payload: &str) -> String {
    let kind = "application/vnd.in-toto+json";
    let text = key.with_extension("text");
    fs::write(&text, format!("DSSEv1 {} {kind} {} {payload}", kind.len(), payload.len())).unwrap();
    let mut sign = Command::new("ssh-keygen");
    let ran =
        sign.args(["-q", "-Y", "sign", "-n", "countersign", "-f"]).arg(key).arg(&text).output().unwrap();
    assert!(ran.status.success(), "{ran:?}");
    let armoured = fs::read_to_string(key.with_extension("text.sig")).unwrap();
    fs::remove_file(key.with_extension("text.sig")).unwrap();
    let blob: String = armoured.lines().filter(|line| !line.starts_with("-----")).collect();
    json!({ "payloadType": kind, "payload": STANDARD.encode(payload), "signatures": [{ "keyid": "", "sig": blob }] })
        .to_string()
}

/// A session with a call that failed.
fn fails(world: &World) {
    let script = r#"[{"tool_calls":[{"name":"shell","arguments":{"command":"exit 3"}}]},"It failed."]"#;
    assert_eq!(world.json(&["--mode", "unrestricted", "--script", script, "try it"]).code, 0);
}

/// What is attested of the last session, and what is said beside it.
fn attestation(key: &Path, world: &World) -> (Value, String) {
    let words = ["export", "--last", "--format", "attestation", "--key", key.to_str().unwrap()];
    let ran = world.sessions_cli(&words);
    assert_eq!(ran.code, 0, "{ran:?}");
    let envelope: Value = serde_json::from_str(&ran.out).unwrap();
    let payload = STANDARD.decode(envelope["payload"].as_str().unwrap()).unwrap();
    (serde_json::from_slice(&payload).unwrap(), ran.err)
}

fn attested(key: &Path, world: &World) -> Value {
    fails(world);
    attestation(key, world).0
}

#[test]
fn an_attestation_that_contradicts_the_session_is_not_verified() {
    let world = World::new();
    let Some(mine) = key(&world.place(), "key", "") else { return };
    let statement = attested(&mine, &world);
    let (signers, file) = (allowed(&mine), world.session_file().with_file_name("attestation.json"));
    let told = |payload: &str| {
        fs::write(&file, signed(&mine, payload)).unwrap();
        verify(&world, &file, &signers)
    };
    let good = told(&statement.to_string());
    assert!(good.code == 0 && good.out.ends_with("and says the same\nverified\n"), "{good:?}");
    for (place, value, why) in [
        (
            "/calls/0/decisions/0/by",
            json!("user"),
            "calls[0].decisions[0].by: the attestation says \"user\", the session \"policy\"",
        ),
        (
            "/calls/0/outcome",
            json!("denied"),
            "calls[0].outcome: the attestation says \"denied\", the session \"failed\"",
        ),
        ("/calls", json!([]), "calls: the attestation says 0 items, the session 1 item"),
        ("/chain/head", json!("0".repeat(64)), "chain.head: the attestation says \"0000"),
        ("/session", json!("another"), "session: the attestation says \"another\""),
        ("/models", json!([]), "models: the attestation says 0 items"),
        (
            "/endings/0/completed",
            json!(false),
            "endings[0].completed: the attestation says false, the session true",
        ),
        ("/chain/unchained", Value::Null, "chain.unchained: the attestation says nothing, the session 0"),
    ] {
        let mut other = statement.clone();
        *other.pointer_mut(&format!("/predicate{place}")).unwrap() = value;
        let told = told(&other.to_string());
        assert!(
            told.code == 1 && told.out.contains(why) && !told.out.ends_with("\nverified\n"),
            "{place}: {told:?}"
        );
    }
    // What nobody derives from a session, and a member that a reader may take instead of the other.
    let mut more = statement.clone();
    more["predicate"]["approved"] = json!("by all");
    let told_more = told(&more.to_string());
    assert!(
        told_more.code == 1
            && told_more.out.contains("approved: the attestation says \"by all\", the session nothing"),
        "{told_more:?}"
    );
    let twice = statement.to_string().replacen("\"by\":", "\"by\":\"user\",\"by\":", 1);
    assert_eq!(told(&twice).code, 1);
    // Without the session, nothing is compared.
    fs::rename(world.session_file(), file.with_file_name("elsewhere")).unwrap();
    let alone = told(&statement.to_string());
    assert!(alone.code == 1 && alone.out.contains("was not compared with the session"), "{alone:?}");
}

#[test]
fn an_attestation_is_about_few_files_and_none_is_read_where_nobody_signed() {
    let world = World::new();
    let (Some(mine), Some(other)) = (key(&world.place(), "key", ""), key(&world.place(), "other", "")) else {
        return;
    };
    let statement = attested(&mine, &world);
    let file = world.session_file().with_file_name("attestation.json");
    fs::write(&file, signed(&mine, &statement.to_string())).unwrap();
    let stranger = verify(&world, &file, &allowed(&other));
    assert!(stranger.code == 1 && stranger.out.contains("not verified: nobody whom"), "{stranger:?}");
    assert!(!stranger.out.contains("is the file that it is about"), "{stranger:?}");
    let mut many = statement.clone();
    many["subject"] = Value::Array(vec![statement["subject"][0].clone(); 50]);
    fs::write(&file, signed(&mine, &many.to_string())).unwrap();
    let ran = verify(&world, &file, &allowed(&mine));
    assert!(ran.code == 1 && ran.out.contains("not checked: the session files after the first 5"), "{ran:?}");
    assert_eq!(ran.out.matches("is the file that it is about").count(), 5, "{ran:?}");
}

#[test]
fn an_attestation_of_a_file_that_is_no_sound_session_is_not_verified() {
    let world = World::new();
    let Some(mine) = key(&world.place(), "key", "") else { return };
    let statement = attested(&mine, &world);
    let (signers, session) = (allowed(&mine), world.session_file());
    let file = session.with_file_name("attestation.json");
    let whole = world.session_text();
    // Its chain holds, and the call has two results.
    let result = whole.lines().find(|line| line.contains("\"type\":\"tool_result\"")).unwrap();
    let doubled = rechained(&whole.replace(result, &format!("{result}\n{result}")));
    for text in ["words\n".to_owned(), doubled] {
        fs::write(&session, &text).unwrap();
        let mut other = statement.clone();
        let digest: String = Sha256::digest(&text).iter().map(|byte| format!("{byte:02x}")).collect();
        other["subject"][0]["digest"]["sha256"] = json!(digest);
        fs::write(&file, signed(&mine, &other.to_string())).unwrap();
        let told = verify(&world, &file, &signers);
        assert!(told.code == 1 && told.out.contains("but it is not well-formed: line "), "{told:?}");
    }
}

/// Decisions that came with a file are what its maker wrote: whoever signs a copy of it has not seen them.
#[test]
fn what_came_with_an_import_is_attested_as_that_and_whatever_checks_it_says_so() {
    for how in ["import", "fork"] {
        let world = World::new();
        let Some(mine) = key(&world.place(), "key", "") else { return };
        fails(&world);
        let last = world.entries().pop().unwrap()["entry"].as_str().unwrap().to_owned();
        let told = format!("entries up to {last} came with an import; nobody here saw them decided");
        // Its id is taken, so the copy is a session beside it, and the last one.
        fs::write(world.work().join("talk.jsonl"), world.session_text()).unwrap();
        assert_eq!(world.sessions_cli(&[how, "talk.jsonl"]).code, 0);
        let (statement, beside) = attestation(&mine, &world);
        assert_eq!(statement["predicate"]["imported_to"], last.as_str(), "{how}: {statement}");
        let is_named = |origin: &str| statement["predicate"][origin].is_string();
        assert_eq!((is_named("imported_from"), is_named("forked_from")), (how == "import", how == "fork"));
        assert!(beside.contains(&told), "{how}: {beside}");
        assert!(world.sessions_cli(&["check", "--last"]).out.contains(&told), "{how}");
        assert!(world.sessions_cli(&["export", "--last"]).out.contains(&told), "{how}");
        let (signers, file) = (allowed(&mine), world.session_file().with_file_name("attestation.json"));
        fs::write(&file, signed(&mine, &statement.to_string())).unwrap();
        let whole = verify(&world, &file, &signers);
        assert!(whole.code == 0 && whole.out.contains(&told), "{how}: {whole:?}");
        // Without it, it says something else than the session.
        let mut other = statement.clone();
        other["predicate"].as_object_mut().unwrap().shift_remove("imported_to");
        fs::write(&file, signed(&mine, &other.to_string())).unwrap();
        let without = verify(&world, &file, &signers);
        assert!(
            without.code == 1 && without.out.contains("imported_to: the attestation says nothing"),
            "{how}: {without:?}"
        );
        fs::remove_file(&file).unwrap();
        let sealed = seal(&world, &mine);
        assert!(sealed.code == 0 && sealed.err.contains(&told), "{how}: {sealed:?}");
        assert!(verify(&world, &world.session_file(), &signers).out.contains(&told), "{how}");
    }
}

/// Nothing here decided about the calls of another program, and whoever seals or attests its session must not
/// seem to say so.
#[test]
fn an_import_of_another_program_is_one_wherever_it_is_proved() {
    let world = World::new();
    let Some(mine) = key(&world.place(), "key", "") else { return };
    assert_eq!(import(&world, &claude(&world), &[]).code, 0);
    let last = world.entries().pop().unwrap()["entry"].as_str().unwrap().to_owned();
    let told = format!("entries up to {last} came with an import; nobody here saw them decided");
    assert!(world.sessions_cli(&["check", "--last"]).out.contains(&told));
    assert!(world.sessions_cli(&["export", "--last"]).out.contains(&told));
    // What is said here afterwards is no part of the import.
    assert_eq!(world.json(&["--last", "--script", r#"["Gone on."]"#, "and on"]).code, 0);
    let (statement, beside) = attestation(&mine, &world);
    assert!(beside.contains(&told), "{beside}");
    let predicate = &statement["predicate"];
    assert_eq!(predicate["imported_to"], last.as_str(), "{statement}");
    let calls = predicate["calls"].as_array().unwrap();
    assert!(calls.len() == 3 && calls.iter().all(|call| call["elsewhere"] == true), "{statement}");
    let (signers, file) = (allowed(&mine), world.session_file().with_file_name("attestation.json"));
    fs::write(&file, signed(&mine, &statement.to_string())).unwrap();
    let whole = verify(&world, &file, &signers);
    assert!(whole.code == 0 && whole.out.contains(&told), "{whole:?}");
    fs::remove_file(&file).unwrap();
    let sealed = seal(&world, &mine);
    assert!(sealed.code == 0 && sealed.err.contains(&told), "{sealed:?}");
    assert!(verify(&world, &world.session_file(), &signers).out.contains(&told));
}

/// The end of a run elsewhere is not known; what is written in its place when the session goes on is ours.
#[test]
fn the_end_that_closes_an_imported_run_is_told_in_words_as_one_of_ours() {
    let world = World::new();
    let Some(mine) = key(&world.place(), "key", "") else { return };
    let mut lines = claude(&world);
    lines.pop();
    assert_eq!(import(&world, &lines, &[]).code, 0);
    assert!(!attestation(&mine, &world).1.contains("was written here"), "it did not go on");
    assert_eq!(world.json(&["--last", "--script", r#"["Gone on."]"#, "and on"]).code, 0);
    let (statement, beside) = attestation(&mine, &world);
    let ours = &statement["predicate"]["endings"][0];
    assert!(ours["reason"].as_str().unwrap().starts_with("aborted_"), "{statement}");
    let told = format!("the end {} (interrupted) was written here", ours["entry"].as_str().unwrap());
    assert!(beside.contains(&told), "{beside}");
    let file = world.session_file().with_file_name("attestation.json");
    fs::write(&file, signed(&mine, &statement.to_string())).unwrap();
    let whole = verify(&world, &file, &allowed(&mine));
    assert!(whole.code == 0 && whole.out.contains(&told), "{whole:?}");
}

/// Decisions that came with a file look like those that were made here.
#[test]
fn whoever_looks_at_an_import_or_goes_on_in_it_is_told() {
    let there = World::new();
    fails(&there);
    for own in [true, false] {
        let world = World::new();
        let ran = if own {
            fs::write(world.work().join("talk.jsonl"), there.session_text()).unwrap();
            world.sessions_cli(&["import", "talk.jsonl"])
        } else {
            import(&world, &claude(&world), &[])
        };
        assert_eq!(ran.code, 0, "{own}: {ran:?}");
        let id = ran.out.split_whitespace().next().unwrap();
        let folder = if own { there.work() } else { world.work() };
        let shown = world.sessions_cli(&["show", id]).out;
        assert!(shown.contains("came with an import; nobody here saw them decided"), "{shown}");
        assert!(!shown.contains("0 turns"), "nothing of it was counted here: {shown}");
        let on = ["-C", folder.to_str().unwrap(), "--resume", id, "--script", r#"["Gone on."]"#, "and on"];
        let resumed = world.exec(&on);
        let told = "This session came with an import: nobody here saw the decisions that it brought.";
        assert!(resumed.code == 0 && resumed.err.contains(told), "{own}: {resumed:?}");
        let page = world.sessions_cli(&["export", id, "--format", "html"]).out;
        assert_eq!(page.matches("model calls: 0").count(), 0, "{own}");
    }
}

/// Before November 27, 2026, attestations said nothing of forks and imports. A true one has not become false.
#[test]
fn an_older_attestation_of_a_fork_or_an_import_holds_and_what_it_leaves_out_is_told() {
    for how in ["import", "fork", "fork of ours", "another program"] {
        let world = World::new();
        let Some(mine) = key(&world.place(), "key", "") else { return };
        if how == "another program" {
            assert_eq!(import(&world, &claude(&world), &[]).code, 0);
        } else {
            fails(&world);
            fs::write(world.work().join("talk.jsonl"), world.session_text()).unwrap();
            let words = if how == "fork of ours" { ["fork", "--last"] } else { [how, "talk.jsonl"] };
            assert_eq!(world.sessions_cli(&words).code, 0, "{how}");
        }
        let (mut statement, _) = attestation(&mine, &world);
        for name in ["forked_from", "imported_to", "imported_from"] {
            statement["predicate"].as_object_mut().unwrap().shift_remove(name);
        }
        for call in statement["predicate"]["calls"].as_array_mut().unwrap() {
            call.as_object_mut().unwrap().shift_remove("elsewhere");
        }
        let (signers, file) = (allowed(&mine), world.session_file().with_file_name("attestation.json"));
        fs::write(&file, signed(&mine, &statement.to_string())).unwrap();
        let told = verify(&world, &file, &signers);
        assert!(told.code == 0 && told.out.ends_with("and says the same\nverified\n"), "{how}: {told:?}");
        let is_import = how == "import" || how == "another program";
        let origin = if is_import { "its file says that it is an import" } else { "it is a fork of " };
        assert!(told.out.contains(origin), "{how}: {told:?}");
        assert_eq!(told.out.contains("nobody here saw them decided"), how != "fork of ours", "{told:?}");
        // What it does say is compared.
        statement["predicate"]["calls"][0]["outcome"] = json!("denied");
        fs::write(&file, signed(&mine, &statement.to_string())).unwrap();
        let wrong = verify(&world, &file, &signers);
        assert!(wrong.code == 1 && wrong.out.contains("calls[0].outcome"), "{how}: {wrong:?}");
    }
}
