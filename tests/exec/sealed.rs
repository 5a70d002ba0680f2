//! Seals: whoever has the file and a public key can tell what was said, and that nothing of it was changed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use countersign::runtime::undo::Hash;
use serde_json::Value;

use crate::blames::undo_of;
use crate::forged::rechained;
use crate::world::{Ran, World};

/// A key without a passphrase, or with one; `None` where there is no `ssh-keygen`.
pub(crate) fn key(folder: &Path, name: &str, passphrase: &str) -> Option<PathBuf> {
    let key = folder.join(name);
    let made = Command::new("ssh-keygen")
        .args(["-q", "-t", "ed25519", "-C", "you@example.org", "-N", passphrase, "-f"])
        .arg(&key)
        .status();
    match made {
        Ok(status) => assert!(status.success(), "ssh-keygen made no key: {status}"),
        Err(why) => {
            assert!(std::env::var_os("CI").is_none(), "there is no ssh-keygen: {why}");
            eprintln!("not tried, there is no ssh-keygen: {why}");
            return None;
        }
    }
    Some(key)
}

pub(crate) fn allowed(key: &Path) -> PathBuf {
    let public = fs::read_to_string(key.with_extension("pub")).unwrap();
    let file = key.with_extension("allowed");
    fs::write(&file, format!("you@example.org {public}")).unwrap();
    file
}

pub(crate) fn verify(world: &World, file: &Path, allowed: &Path) -> Ran {
    let mut program = world.program();
    let ran = program.arg("verify").arg(file).arg("--allowed-signers").arg(allowed).output().unwrap();
    Ran::of(ran.status, ran.stdout, ran.stderr)
}

pub(crate) fn seal(world: &World, key: &Path) -> Ran {
    world.sessions_cli(&["seal", "--last", "--key", key.to_str().unwrap()])
}

/// `ssh-keygen` as it is where a key asks for a PIN and there is no terminal: it takes what is on stdin for the PIN, and signs what is
/// left of it.
#[cfg(unix)]
fn a_pin_is_read(world: &World) -> PathBuf {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = world.place().join("bin");
    fs::create_dir(&folder).unwrap();
    let file = folder.join("ssh-keygen");
    let script = "#!/bin/sh\nPATH=/usr/bin:/bin\ncat > \"$0.pin\"\nfor last; do :; done\n[ \"$2\" = sign ] && [ -s \"$0.pin\" ] && exit 9\n\
                  [ \"$2\" = sign ] && [ -n \"$SIGNS_NOTHING\" ] && : > \"$last\"\nexec ssh-keygen \"$@\" < \"$0.pin\"\n";
    fs::write(&file, script).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

#[test]
fn what_is_no_key_is_said() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::new();
    let Some(open) = key(&world.place(), "open", "") else { return };
    world.json(&["--script", r#"["One."]"#, "first"]);
    fs::set_permissions(&open, fs::Permissions::from_mode(0o644)).unwrap();
    let text = world.place().join("text");
    fs::write(&text, "no key\n").unwrap();
    // A public key by another name: the agent is asked, and there is none.
    let public = world.place().join("public");
    fs::copy(open.with_extension("pub"), &public).unwrap();
    let written = fs::read_to_string(&open).unwrap();
    let damaged = |name: &str, text: String| {
        let file = world.place().join(name);
        fs::write(&file, text).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        file
    };
    let short = damaged("short", written.lines().take(3).collect::<Vec<_>>().join("\n"));
    let garbled = damaged("garbled", written.replacen("b3BlbnNzaC1rZXkt", "!!!!!!!!!!!!!!!!", 1));
    let locked = key(&world.place(), "closed", "a passphrase").unwrap();
    let cut = damaged("cut", fs::read_to_string(locked).unwrap().chars().take(300).collect());
    for (file, why) in [
        (cut, "cut: it is a damaged SSH key;"),
        (short, "short: it is a damaged SSH key;"),
        (garbled, "garbled: it is a damaged SSH key;"),
        (world.place().join("nowhere"), "nowhere: there is no such file;"),
        (world.place(), ": it is a folder, not a key;"),
        (text, "text: it is not an SSH key;"),
        (
            open,
            "open: others may read it, and ssh-keygen refuses such a key; make it yours only with `chmod 600`;",
        ),
        (public, "agent"),
    ] {
        let ran = seal(&world, &file);
        assert!(ran.code != 0 && ran.err.contains(why), "{why}: {}", ran.err);
        assert!(!ran.err.contains("passphrase"), "{}", ran.err);
    }
}

#[test]
fn a_signature_of_something_else_is_no_seal() {
    let world = World::new();
    let Some(key) = key(&world.place(), "key", "") else { return };
    world.json(&["--script", r#"["One."]"#, "first"]);
    let before = world.session_text();
    let folder = a_pin_is_read(&world);
    let sealed = |signs: &str| {
        let mut program = world.program();
        program.env("PATH", format!("{}:/usr/bin:/bin", folder.display())).env("SIGNS_NOTHING", signs);
        let ran = program.args(["sessions", "seal", "--last", "--key"]).arg(&key).output().unwrap();
        Ran::of(ran.status, ran.stdout, ran.stderr)
    };
    let bad = sealed("1");
    assert!(bad.code == 1 && bad.err.contains("is not a signature of this"), "{bad:?}");
    assert_eq!(world.session_text(), before);
    assert_eq!(sealed("").code, 0);
    assert_eq!(verify(&world, &world.session_file(), &allowed(&key)).code, 0);
}

#[test]
fn a_seal_says_where_nobody_knew_the_end() {
    let world = World::new();
    let Some(key) = key(&world.place(), "key", "") else { return };
    world.json(&["--script", r#"["One."]"#, "first"]);
    let file = world.session_file();
    fs::remove_file(file.with_extension("head")).unwrap();
    let sealed = seal(&world, &key);
    let unknown = "The file that counts the lines of the session is gone";
    assert!(sealed.code == 0 && sealed.err.contains(unknown), "{sealed:?}");
    // Whoever has only the file reads it there.
    assert!(world.session_text().contains(unknown));
    assert_eq!(verify(&world, &file, &allowed(&key)).code, 0);
    let again = seal(&world, &key);
    assert_eq!((again.code, again.err.as_str()), (0, ""));
    // A fork is counted from its first line on.
    assert_eq!(world.sessions_cli(&["fork", "--last"]).code, 0);
    assert_eq!(seal(&world, &key).err, "");
    assert_eq!(world.session_text().matches(unknown).count(), 1);
}

#[test]
fn a_sealed_session_is_verified_with_the_file_and_a_public_key() {
    let world = World::new();
    let Some(key) = key(&world.place(), "key", "") else { return };
    let signers = allowed(&key);
    world.json(&["--script", r#"["One."]"#, "first"]);
    let file = world.session_file();
    let none = verify(&world, &file, &signers);
    assert!(none.code == 1 && none.out.contains("nobody has sealed it"), "{none:?}");
    let sealed = seal(&world, &key);
    assert_eq!((sealed.code, sealed.err.as_str()), (0, ""));
    let good = verify(&world, &file, &signers);
    assert!(good.code == 0 && good.out.contains("you@example.org sealed lines 1 to"), "{good:?}");
    assert!(good.out.ends_with("verified: all lines are sealed\n"), "{good:?}");

    // Of a key that stands for several, nobody knows who it was.
    let line = fs::read_to_string(&signers).unwrap();
    let others = world.place().join("others");
    for names in ["*@example.org", "!them@example.org,you@example.org"] {
        fs::write(&others, line.replacen("you@example.org", names, 1)).unwrap();
        let ran = verify(&world, &file, &others);
        assert!(ran.out.contains(&format!("the key of {names} sealed lines 1 to")), "{ran:?}");
    }

    // It goes on, and is sealed again.
    let ran = world.json(&["--last", "--script", r#"["Two."]"#, "second"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let more = verify(&world, &file, &signers);
    assert!(more.code == 0 && more.out.contains("verified, except the last"), "{more:?}");
    assert_eq!(seal(&world, &key).code, 0);
    let twice = verify(&world, &file, &signers);
    assert!(twice.code == 0 && twice.out.matches("sealed lines 1 to").count() == 2, "{twice:?}");
    assert_eq!(world.sessions_cli(&["check", "--last"]).code, 0);
    // Nothing but the file is needed.
    let copy = world.place().join("copy.jsonl");
    fs::copy(&file, &copy).unwrap();
    assert_eq!(verify(&world, &copy, &signers).code, 0);
}

#[test]
fn a_forged_session_is_not_verified() {
    let world = World::new();
    let (Some(mine), Some(other)) = (key(&world.place(), "mine", ""), key(&world.place(), "other", ""))
    else {
        return;
    };
    world.json(&["--script", r#"["One."]"#, "first"]);
    assert_eq!(seal(&world, &mine).code, 0);
    let (file, signers) = (world.place().join("forged.jsonl"), allowed(&mine));
    let whole = world.session_text();
    let changed = whole.replace("\"One.\"", "\"Two.\"");
    let mut seal: Value = serde_json::from_str(whole.lines().last().unwrap()).unwrap();
    (seal["entry"], seal["id"]) = ("e999".into(), "e999".into());
    let twice = rechained(&format!("{whole}{seal}\n"));
    for (forged, why) in [
        (changed.clone(), "was changed after it was written"),
        (rechained(&changed), "for another hash than that of the line before"),
        (rechained(&changed).replace("\"head\":", "\"head \":"), "was changed after it was written"),
        (twice, "for another hash than that of the line before"),
        (whole.replace("BEGIN SSH", "BEGIN XSH"), "was changed after it was written"),
    ] {
        fs::write(&file, forged).unwrap();
        let ran = verify(&world, &file, &signers);
        assert!(ran.code == 1 && ran.out.contains(why) && ran.out.contains("not verified"), "{why}: {ran:?}");
        assert!(!ran.out.contains("sealed lines"), "{why}: {ran:?}");
    }
    // Somebody else's signature under the right hash, and somebody whom nobody allows.
    fs::write(&file, &whole).unwrap();
    let stranger = verify(&world, &file, &allowed(&other));
    assert!(stranger.code == 1 && stranger.out.contains("no key of the allowed signers"), "{stranger:?}");
    let missing = verify(&world, &file, &world.place().join("nobody"));
    assert!(missing.code == 2 && missing.err.contains("is not a file"), "{missing:?}");
}

#[test]
fn a_key_that_cannot_sign_leaves_the_session_as_it_was() {
    let world = World::new();
    let Some(locked) = key(&world.place(), "locked", "a passphrase") else { return };
    world.json(&["--script", r#"["One."]"#, "first"]);
    let before = world.session_text();
    let mut program = world.program();
    program.env("SSH_ASKPASS", "/bin/false").env("SSH_ASKPASS_REQUIRE", "force");
    let ran = program.args(["sessions", "seal", "--last", "--key"]).arg(&locked).output().unwrap();
    let ran = Ran::of(ran.status, ran.stdout, ran.stderr);
    assert!(ran.code == 1 && ran.err.contains("cannot be signed with"), "{ran:?}");
    assert!(!ran.err.contains("damaged"), "{ran:?}");
    let none = world.sessions_cli(&["seal", "--last"]);
    assert!(none.code == 2 && none.err.contains("there is no SSH key in"), "{none:?}");
    assert_eq!(world.session_text(), before);
}

#[test]
fn what_is_kept_for_an_undo_is_checked_too() {
    let world = World::new();
    let write = r#"[{"tool_calls":[{"name":"write","arguments":{"path":"one.txt","content":"new"}}]},"ok"]"#;
    let words = ["--mode", "unrestricted", "--script", write, "write it"];
    let read = r#"[{"tool_calls":[{"name":"read","arguments":{"path":"one.txt"}}]},"ok"]"#;
    assert_eq!(world.json(&["--script", read, "read it"]).code, 0);
    let mut again = vec!["--last"];
    again.extend(words);
    assert_eq!(world.json(&again).code, 0);
    assert_eq!(world.sessions_cli(&["check", "--last"]).code, 0);
    let folder = world.session_file().with_extension("files");
    let kept = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let blob = kept.into_iter().find(|path| path.file_name().unwrap().len() == 64).expect("nothing is kept");
    let content = fs::read(&blob).unwrap();
    fs::write(&blob, "something else").unwrap();
    let told = world.sessions_cli(&["check", "--last"]);
    assert!(told.code == 1 && told.out.contains("is damaged"), "{told:?}");
    fs::write(&blob, content).unwrap();
    let record = folder.join("changes");
    let changes = fs::read_to_string(&record).unwrap();
    fs::write(&record, changes.replace("one.txt", "two.txt")).unwrap();
    let told = world.sessions_cli(&["check", "--last"]);
    assert!(told.code == 1 && told.out.contains("no call that was allowed changed"), "{told:?}");
    // Another content, kept under the hash that is its own: the session says what the file was, and what it became.
    let planted = "planted";
    let hash = Hash::of(planted.as_bytes());
    fs::write(folder.join(hash.as_str()), planted).unwrap();
    let change: Value = serde_json::from_str(changes.lines().next().unwrap()).unwrap();
    for side in ["before", "after"] {
        let mut forged = change.clone();
        forged[side] = hash.as_str().into();
        fs::write(&record, format!("{forged}\n")).unwrap();
        let told = world.sessions_cli(&["check", "--last"]);
        let said = "was something else before or after this change";
        assert!(told.code == 1 && told.out.contains(said), "{side}: {told:?}");
        let blame = world.program().args(["blame", "one.txt:1"]).output().unwrap();
        assert!(!String::from_utf8_lossy(&blame.stdout).contains(planted), "{side}: {blame:?}");
    }
    fs::write(&record, changes).unwrap();
    assert_eq!(world.sessions_cli(&["check", "--last"]).code, 0);
}

#[test]
fn what_is_kept_for_an_undo_has_an_order() {
    let world = World::new();
    let write = |content: &str| {
        format!(
            r#"[{{"tool_calls":[{{"name":"write","arguments":{{"path":"made.txt","content":"{content}"}}}}]}},"ok"]"#
        )
    };
    for (number, content) in ["first", "second"].into_iter().enumerate() {
        let script = write(content);
        let mut words = if number == 0 { Vec::new() } else { vec!["--last"] };
        words.extend(["--mode", "unrestricted", "--script", &script, "write it"]);
        assert_eq!(world.json(&words).code, 0);
    }
    let record = world.session_file().with_extension("files").join("changes");
    let changes = fs::read_to_string(&record).unwrap();
    let turned: String = changes.lines().rev().map(|line| format!("{line}\n")).collect();
    assert_ne!(turned, changes);
    fs::write(&record, turned).unwrap();
    let told = world.sessions_cli(&["check", "--last"]);
    assert!(
        told.code == 1 && told.out.contains("c1 is said to have changed") && told.out.contains("after c2"),
        "{told:?}"
    );
    fs::write(&record, &changes).unwrap();
    let undo = undo_of(changes.lines().last().unwrap());
    fs::write(record.with_file_name(Hash::of(b"second").as_str()), "second").unwrap();
    fs::write(&record, changes.clone() + &undo).unwrap();
    let whole = world.sessions_cli(&["check", "--last"]);
    assert!(whole.code == 0, "{whole:?}");
    fs::write(&record, undo + &changes).unwrap();
    let told = world.sessions_cli(&["check", "--last"]);
    assert!(told.code == 1 && told.out.contains("before anything changed it"), "{told:?}");
}

#[test]
fn nothing_that_is_added_hides_that_the_end_is_missing() {
    let world = World::new();
    let Some(key) = key(&world.place(), "key", "") else { return };
    world.json(&["--script", r#"["One."]"#, "first"]);
    let file = world.session_file();
    let whole = world.session_text();
    let cut = whole.trim_end().rsplit_once('\n').unwrap().0.to_owned() + "\n";
    fs::write(&file, &cut).unwrap();
    let key_word = key.to_str().unwrap();
    for words in [
        vec!["seal", "--last", "--key", key_word],
        vec!["tag", "--last", "+kept"],
        vec!["export", "--last", "--format", "attestation", "--key", key_word],
    ] {
        let ran = world.sessions_cli(&words);
        assert!(ran.code == 1 && ran.err.contains("missing"), "{words:?}: {ran:?}");
        assert_eq!(world.session_text(), cut, "{words:?}");
        assert_eq!(world.sessions_cli(&["check", "--last"]).code, 1, "{words:?}");
    }
    // Whoever goes on writes it down.
    let ran = world.json(&["--last", "--script", r#"["Two."]"#, "second"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let said = "Lines that were saved are missing at the end of the session file: 1.";
    let notes = crate::world::of_type(&world.entries(), "note");
    assert!(notes.iter().any(|note| note["text"] == said), "{notes:?}");
}
