//! Many sessions: lists that are never wrong, searches that miss nothing, tags, and how long sessions are kept.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::world::{World, all_files, parse, text};

const DAY: u64 = 86_400;

/// A session that says this, in a file of this number, last changed so many days ago.
fn session(world: &World, number: u32, words: &str, days: u64) -> PathBuf {
    let id = format!("0199{number:04x}-0000-7000-8000-000000000000");
    let folder = world.place().join("state/countersign/sessions/2026/01");
    fs::create_dir_all(&folder).unwrap();
    let at = "2026-01-01T10:00:00.000Z";
    let first = json!({ "type": "session_started", "entry": "e1", "at": at, "id": "e1", "session": id, "cwd": world.work(),
        "model": "script", "version": 2, "app": "0.1.0", "system": "" });
    let said = json!({ "type": "user_message", "entry": "e2", "at": at, "id": "e2", "content": words });
    let path = folder.join(format!("{id}.jsonl"));
    fs::write(&path, format!("{first}\n{said}\n")).unwrap();
    changed(&path, days);
    path
}

fn changed(path: &Path, days: u64) {
    let when = SystemTime::now() - Duration::from_secs(days * DAY + 60);
    fs::File::options().append(true).open(path).unwrap().set_modified(when).unwrap();
}

fn listed(world: &World) -> Vec<Value> {
    let ran = world.sessions_cli(&["list", "--json"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    parse(&ran.out)
}

fn first_messages(world: &World) -> Vec<String> {
    listed(world).iter().map(|one| text(one, "first_message")).collect()
}

fn cache(world: &World) -> PathBuf {
    world.place().join("state/countersign/sessions.cache")
}

/// A cache is made of sessions that have not changed for a moment. The test does not wait for that: it says what is in the cache.
fn forge(world: &World, change: impl Fn(&str) -> String) {
    use sha2::{Digest, Sha256};
    let bytes = fs::read(cache(world)).unwrap();
    let (text, hash) = bytes.split_at(bytes.len() - 32);
    assert_eq!(Sha256::digest(text).as_slice(), hash);
    let text = change(std::str::from_utf8(text).unwrap());
    fs::write(cache(world), [text.as_bytes(), Sha256::digest(text.as_bytes()).as_slice()].concat()).unwrap();
}

/// A world in whose list every session was read from the cache once.
fn cached() -> World {
    let world = World::new();
    for number in 0..40 {
        session(&world, number, &format!("message {number}\tof\nmany"), 1);
    }
    // The files have to be older than their clock is coarse.
    let began = SystemTime::now();
    while !cache(&world).exists() {
        assert!(began.elapsed().unwrap() < Duration::from_secs(60), "no cache was made");
        listed(&world);
    }
    world
}

#[test]
fn a_list_from_the_cache_is_the_list_of_the_files() {
    let world = cached();
    let warm = listed(&world);
    assert_eq!(warm.len(), 40);
    assert_eq!(warm[0]["first_message"], "message 39\tof\nmany");
    // It is read: what it says of a file that has not changed is shown.
    forge(&world, |text| text.replace("message 7\\tof", "massage 7\\tof"));
    assert!(first_messages(&world).contains(&"massage 7\tof\nmany".to_owned()));
    forge(&world, |text| text.replace("massage 7\\tof", "message 7\\tof"));
    // A file that was changed, with the same size and the same time of its content.
    let path = session(&world, 8, "massage 8\tof\nmany", 1);
    let found = fs::metadata(&path).unwrap();
    assert_eq!(found.len(), fs::metadata(session(&world, 9, "message 9\tof\nmany", 1)).unwrap().len());
    assert_eq!(first_messages(&world)[31], "massage 8\tof\nmany");
    session(&world, 8, "message 8\tof\nmany", 1);
    assert_eq!(listed(&world), warm);
    // One that is damaged is no cache.
    let whole = fs::read(cache(&world)).unwrap();
    for damaged in [&whole[..0], &whole[..whole.len() / 2], &whole[1..], b"\0\xff", &[b'x'; 40][..]] {
        fs::write(cache(&world), damaged).unwrap();
        assert_eq!(listed(&world), warm);
    }
    let mut flipped = whole.clone();
    let at = whole.windows(9).position(|window| window == b"message 3").unwrap();
    flipped[at] = b'M';
    fs::write(cache(&world), flipped).unwrap();
    assert_eq!(listed(&world), warm);
}

#[test]
fn of_a_session_that_was_removed_nothing_is_kept() {
    let world = cached();
    let path = session(&world, 40, "the planted secret", 1);
    forge(&world, |text| text.replace("message 7\\tof", "the planted secret"));
    let id = path.file_stem().unwrap().to_str().unwrap();
    assert_eq!(world.sessions_cli(&["remove", id]).code, 0);
    let removed = "01990007-0000-7000-8000-000000000000";
    assert_eq!(world.sessions_cli(&["remove", removed]).code, 0);
    assert_eq!(listed(&world).len(), 39);
    // One whose file was deleted by hand.
    let world = cached();
    forge(&world, |text| text.replace("message 7\\tof", "the planted secret"));
    fs::remove_file(world.sessions().remove(7)).unwrap();
    assert_eq!(listed(&world).len(), 39);
    for file in all_files(&world.place().join("state")) {
        let held = String::from_utf8_lossy(&fs::read(&file).unwrap()).into_owned();
        assert!(!held.contains("planted"), "{}", file.display());
    }
}

#[test]
fn a_search_tells_of_many_sessions_in_their_order() {
    let world = World::new();
    for number in 0..100 {
        session(
            &world,
            number,
            &format!("needle {number} says \"Hi\" C:\\dir \u{212a}elvin \u{7f}\u{1b}end"),
            1,
        );
    }
    session(&world, 100, "nothing", 1);
    let damaged = session(&world, 101, "needle", 1);
    fs::write(&damaged, "{\"type\":\"session_started\"\nneedle\n").unwrap();
    fs::write(session(&world, 102, "", 1), "needle\n").unwrap();
    for word in ["NEEDLE", "says \"hi\"", "c:\\dir", "kelvin", "\u{7f}\u{1b}end"] {
        let found = world.sessions_cli(&["search", "--json", word]);
        let hits = parse(&found.out);
        assert_eq!(hits.len(), 100, "{word}: {}", found.err);
        let order: Vec<String> = hits.iter().map(|hit| text(hit, "session")).collect();
        assert!(order.windows(2).all(|pair| pair[0] > pair[1]), "{word}: newest first");
        // One that does not begin like a session is named always, a damaged one where it can have the words.
        let named = usize::from(word == "NEEDLE") + 1;
        assert_eq!(found.err.matches("not searched").count(), named, "{word}: {}", found.err);
    }
    let told = world.sessions_cli(&["search", "needle 7", "nothing"]).err;
    assert!(
        told.contains(
            "no other session contains these words; 2 sessions could not be searched, or only in part"
        ),
        "{told}"
    );
}

#[test]
fn a_search_names_the_sessions_that_were_changed() {
    let world = World::new();
    let path = session(&world, 1, "needle", 1);
    session(&world, 2, "thread", 1);
    let before = fs::read_to_string(&path).unwrap();
    // What a dead process has not written to its end is no damage.
    fs::write(&path, format!("{before}{{\"type\":\"no")).unwrap();
    assert_eq!(world.sessions_cli(&["search", "thread"]).err, "");
    fs::write(&path, format!("{before}garbage\n")).unwrap();
    for word in ["needle", "thread"] {
        let found = world.sessions_cli(&["search", "--json", word]);
        assert_eq!(parse(&found.out).len(), 1, "{word}: {}", found.err);
        let named = "session 01990001-0000-7000-8000-000000000000 is not well-formed (line ";
        assert!(
            found.err.contains(named) && found.err.contains(": it is not a JSON object)"),
            "{}",
            found.err
        );
        assert!(
            found.err.contains("note: 1 session could not be searched, or only in part"),
            "{}",
            found.err
        );
    }
    let (first, _) = before.split_once('\n').unwrap();
    fs::write(&path, first.get(..first.len() / 2).unwrap()).unwrap();
    let found = world.sessions_cli(&["search", "thread"]);
    assert!(found.err.contains("its first line is not session_started; not searched"), "{}", found.err);
}

#[test]
fn a_search_names_lines_that_are_not_of_the_chain_and_those_that_are_gone() {
    let world = World::new();
    world.json(&["--script", r#"["One."]"#, "needle"]);
    let path = world.session_file();
    let before = fs::read_to_string(&path).unwrap();
    let told = |text: &str| {
        fs::write(&path, text).unwrap();
        world.sessions_cli(&["search", "needle"]).err
    };
    let changed = told(&format!("{before}{{\"type\":\"note\",\"entry\":\"e9\"}}\n"));
    assert!(changed.contains(": this line has no hash, so it was not written by countersign"), "{changed}");
    let mut lines: Vec<&str> = before.lines().collect();
    lines.truncate(lines.len() - 2);
    let short = told(&(lines.join("\n") + "\n"));
    assert!(short.contains("(2 more lines were on disk and are missing here)"), "{short}");
    assert!(short.contains("note: 1 session could not be searched, or only in part"), "{short}");
    assert_eq!(told(&before), "");
}

#[test]
fn tags_are_given_and_taken_away_and_the_chain_goes_on() {
    let world = World::new();
    world.json(&["--script", r#"["One."]"#, "the first"]);
    world.json(&["--script", r#"["Two."]"#, "the second"]);
    let ids: Vec<String> = listed(&world).iter().map(|one| text(one, "session")).collect();
    let told = world.sessions_cli(&["tag", &ids[1], "+work", "+old", "-none"]);
    assert_eq!((told.code, told.out), (0, format!("{}: #old #work\n", ids[1])), "{}", told.err);
    assert_eq!(world.sessions_cli(&["tag", &ids[1], "-old"]).out, format!("{}: #work\n", ids[1]));
    let lines = fs::read_to_string(&world.sessions()[0]).unwrap();
    assert_eq!(world.sessions_cli(&["tag", &ids[1], "+work"]).out, format!("{}: #work\n", ids[1]));
    assert_eq!(fs::read_to_string(&world.sessions()[0]).unwrap(), lines, "nothing new, nothing written");
    assert_eq!(world.sessions_cli(&["check", &ids[1]]).code, 0);
    let tagged = parse(&world.sessions_cli(&["list", "--json", "--tag", "work"]).out);
    assert_eq!((tagged.len(), &tagged[0]["tags"]), (1, &json!(["work"])));
    assert!(world.sessions_cli(&["list"]).out.contains("the first #work\n"));
    let none = world.sessions_cli(&["list", "--tag", "old"]);
    assert!(none.out.is_empty() && none.err.contains("no session has the tag `old`"), "{}", none.err);
    for (words, why) in [
        (&["tag", "--last"][..], "required"),
        (&["tag", ids[0].as_str()], "no tag is named"),
        (&["tag", "--last", "work"], "does not say whether"),
        (&["tag", "--last", "+a b"], "cannot be a tag"),
        (&["tag", "--last", "+"], "cannot be a tag"),
    ] {
        let ran = world.sessions_cli(words);
        assert!(ran.code == 2 && ran.err.contains(why), "{words:?}: {}", ran.err);
    }
    // What is resumed goes on after it.
    let again = world.exec(&["--resume", &ids[1], "--script", r#"["More."]"#, "go on"]);
    assert_eq!(again.code, 0, "{}", again.err);
    assert_eq!(world.sessions_cli(&["check", &ids[1]]).code, 0);
}

#[test]
fn nobody_tags_or_removes_what_another_process_writes() {
    let world = World::new();
    let path = session(&world, 1, "mine", 500);
    let held = fs::File::open(&path).unwrap();
    held.lock().unwrap();
    let before = fs::read(&path).unwrap();
    let id = path.file_stem().unwrap().to_str().unwrap();
    let tagged = world.sessions_cli(&["tag", id, "+work"]);
    assert!(tagged.code == 1 && tagged.err.contains("open in another countersign"), "{}", tagged.err);
    let removed = world.sessions_cli(&["remove", "--older-than", "90d", "--yes"]);
    assert!(removed.err.contains("open in another countersign"), "{}", removed.err);
    assert_eq!(fs::read(&path).unwrap(), before);
}

/// Old, new, tagged, sealed, unreadable and future sessions.
fn aged(world: &World) -> [PathBuf; 6] {
    let old = session(world, 1, "old", 100);
    fs::create_dir(old.with_extension("files")).unwrap();
    fs::write(old.with_extension("head"), "2 x\n").unwrap();
    let new = session(world, 2, "new", 80);
    let tagged = session(world, 3, "tagged", 100);
    assert_eq!(world.sessions_cli(&["tag", tagged.file_stem().unwrap().to_str().unwrap(), "+keep"]).code, 0);
    changed(&tagged, 100);
    let sealed = session(world, 4, "sealed", 100);
    let seal = json!({ "type": "sealed", "entry": "e3", "at": "2026-01-01T10:00:00.000Z", "id": "e3", "head": "", "signature": "" });
    fs::write(&sealed, format!("{}{seal}\n", fs::read_to_string(&sealed).unwrap())).unwrap();
    changed(&sealed, 100);
    let unreadable = session(world, 5, "unreadable", 100);
    fs::write(&unreadable, "nonsense\n").unwrap();
    changed(&unreadable, 100);
    let future = session(world, 6, "future", 0);
    let when = SystemTime::now() + Duration::from_secs(100 * DAY);
    fs::File::options().append(true).open(&future).unwrap().set_modified(when).unwrap();
    [old, new, tagged, sealed, unreadable, future]
}

#[test]
fn what_would_go_is_listed_and_goes_when_it_is_wished() {
    let world = World::new();
    let [old, others @ ..] = aged(&world);
    let listed = world.sessions_cli(&["remove", "--older-than", "90d"]);
    assert_eq!(listed.code, 0, "{}", listed.err);
    assert!(listed.out.starts_with("01990001-") && listed.out.lines().count() == 1, "{}", listed.out);
    assert!(
        listed.out.contains("unchanged for 100 days") && listed.err.contains("add --yes"),
        "{}",
        listed.err
    );
    assert!(old.exists());
    let gone = world.sessions_cli(&["remove", "--older-than", "90d", "--yes"]);
    assert!(gone.out.starts_with("removed 01990001-"), "{} {}", gone.out, gone.err);
    assert!(!old.exists() && !old.with_extension("files").exists() && !old.with_extension("head").exists());
    assert!(others.iter().all(|path| path.exists()));
    for (words, why) in [
        (&["--older-than", "soon"][..], "not a number of days"),
        (&["--yes"], "--older-than"),
        (&["0199", "--older-than", "3"], "cannot be used"),
    ] {
        let ran = world.sessions_cli(&[&["remove"], words].concat());
        assert!(ran.code == 2 && ran.err.contains(why), "{words:?}: {}", ran.err);
    }
}

/// The ledger of a sub-agent of this session, last changed so many days ago.
fn below(session: &Path, calls: &str, days: u64) -> PathBuf {
    let above = session.file_stem().unwrap().to_str().unwrap();
    let id = format!("{above}-{calls}");
    let path = session.with_file_name(format!("{id}.jsonl"));
    fs::write(&path, fs::read_to_string(session).unwrap().replace(above, &id)).unwrap();
    changed(&path, days);
    path
}

#[test]
fn what_a_sub_agent_wrote_goes_with_its_session_and_not_before() {
    let world = World::new();
    let [old, _, tagged, ..] = aged(&world);
    let held = session(&world, 7, "held", 100);
    let lock = fs::File::open(&held).unwrap();
    lock.lock().unwrap();
    let parents = [&tagged, &held];
    let stay = parents.map(|session| [below(session, "c1", 200), below(session, "c1-c2", 200)]).concat();
    // One has its session above it, two have none any more.
    let mut gone = vec![below(&old, "c1", 100)];
    let removed = session(&world, 8, "removed", 100);
    gone.extend([below(&removed, "c3", 100), below(&removed, "c3-c4", 100)]);
    fs::remove_file(&removed).unwrap();
    let listed = world.sessions_cli(&["remove", "--older-than", "90d"]);
    assert_eq!(listed.out.lines().count(), 3, "the old one, the open one, the first without any: {listed:?}");
    let ran = world.sessions_cli(&["remove", "--older-than", "90d", "--yes"]);
    assert!(ran.err.contains("open in another countersign"), "{}", ran.err);
    assert!(stay.iter().all(|path| path.exists()), "{stay:?}");
    assert!(gone.iter().all(|path| !path.exists()), "{gone:?}");
    drop(lock);
}

#[test]
fn sessions_are_kept_for_ever_unless_the_user_says_otherwise() {
    let world = World::new();
    let [old, others @ ..] = aged(&world);
    world.json(&["--script", r#"["One."]"#, "hi"]);
    assert!(old.exists(), "by default nothing is removed");
    let project = world.work().join(".countersign/config.toml");
    fs::create_dir_all(project.parent().unwrap()).unwrap();
    fs::write(&project, "[sessions]\nkeep_days = 1\n").unwrap();
    world.exec(&["--script", r#"["One."]"#, "hi"]);
    assert!(old.exists(), "a project does not decide about it");
    fs::remove_file(&project).unwrap();
    let world = world.configured("[sessions]\nkeep_days = 90\n");
    world.json(&["--script", r#"["One."]"#, "hi"]);
    assert!(!old.exists() && !old.with_extension("files").exists());
    assert!(others.iter().all(|path| path.exists()), "new, tagged, sealed, unreadable, future");
}
