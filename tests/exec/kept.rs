//! `sessions` to keep house with: `import`, `fork`, `remove`.

use std::fs;

use countersign::runtime::SessionStore;
use serde_json::{Value, json};

use crate::books::{open_calls, unchained};
use crate::forged::{forge, rechained};
use crate::steered::{Steered, answer};
use crate::world::{World, of_type, parse, script, text};

/// A session with a call in its midst.
fn looked(world: &World) -> String {
    let replies = json!([
        { "text": "I look.", "tool_calls": [{ "name": "read", "arguments": { "path": "one.txt" } }] },
        "Two lines.",
    ]);
    assert_eq!(world.json(&["--script", &script(replies), "what is in one?"]).code, 0);
    text(&world.entries()[0], "session")
}

#[test]
fn what_was_changed_is_not_washed_by_an_export_and_an_import() {
    let (here, there) = (World::new(), World::new());
    let session = looked(&here);
    let lines = here.sessions_cli(&["export", "--last", "--json"]).out;
    let forged = here.session_text().replace("Two lines.", "Six lines.");
    fs::write(here.session_file(), &forged).unwrap();
    // Whatever tells of it says so.
    for words in [&["show", "--last"][..], &["export", "--last"], &["export", "--last", "--format", "html"]] {
        let told = here.sessions_cli(words);
        assert!(
            told.err.contains(&format!("session {session} is not well-formed (line ")),
            "{words:?}: {}",
            told.err
        );
    }
    let fork = here.sessions_cli(&["fork", "--last"]);
    assert!(
        fork.code == 1 && fork.err.contains("is not well-formed") && fork.err.contains("--at e"),
        "{}",
        fork.err
    );
    let refused = here.sessions_cli(&["export", "--last", "--json"]);
    assert!(refused.code == 1 && refused.out.is_empty() && refused.err.contains("is not well-formed"));
    for format in ["markdown", "html", "json"] {
        let document = here.sessions_cli(&["export", "--last", "--format", format]).out;
        assert!(document.contains("is not well-formed"), "the document says so, too: {document}");
    }
    // Without hashes anything can be changed, and nothing says that it was not.
    fs::write(there.work().join("talk.jsonl"), lines.replace("Two lines.", "Six lines.")).unwrap();
    let kept = there.sessions_cli(&["import", "talk.jsonl"]);
    assert!(kept.code == 0 && kept.err.contains("have no hashes"), "{}", kept.err);
    let folder = here.work();
    let on = there.exec(&[
        "--resume",
        &session,
        "-C",
        folder.to_str().unwrap(),
        "--script",
        r#"["Fine."]"#,
        "go on",
    ]);
    assert_eq!(on.code, 0, "{}", on.err);
    let checked = there.sessions_cli(&["check", &session]);
    assert!(checked.out.contains("the lines before it have no hashes"), "{}", checked.out);
    // A fork of that proves no more.
    let forked = first_word(&there.sessions_cli(&["fork", &session]).out);
    let checked = there.sessions_cli(&["check", &forked]);
    assert!(
        checked.code == 0 && checked.out.contains("the lines before it have no hashes"),
        "{}",
        checked.out
    );
}

/// The first word of what was said.
fn first_word(out: &str) -> String {
    out.split_whitespace().next().unwrap().to_owned()
}

#[test]
fn an_export_is_imported_elsewhere_and_goes_on() {
    let (here, there) = (World::new(), World::new());
    let session = looked(&here);
    let lines = here.sessions_cli(&["export", "--last", "--json"]).out;
    fs::write(there.work().join("talk.jsonl"), &lines).unwrap();
    let kept = there.sessions_cli(&["import", "talk.jsonl"]);
    assert_eq!(kept.code, 0);
    assert!(kept.err.contains("the lines of the file have no hashes"), "{}", kept.err);
    assert_eq!(first_word(&kept.out), session, "its id was free");
    assert!(kept.out.contains(&format!("resume {session}")), "{}", kept.out);
    // The same entries. What had no hashes gets none: they would claim that nothing was changed before.
    let told = parse(&lines);
    assert_eq!(there.entries()[1..], told[1..]);
    let checked = there.sessions_cli(&["check", &session]);
    assert!(checked.code == 0 && checked.out.contains("hash chain: none"), "{}", checked.out);

    // Its id is taken now.
    let again = there.sessions_cli(&["import", "talk.jsonl"]);
    let new = first_word(&again.out);
    assert!(again.code == 0 && new != session && again.out.contains("is taken"), "{}", again.out);
    assert_eq!(there.sessions().len(), 2);
    let copy: Vec<Value> = there.sessions_cli(&["show", &new, "--json"]).out.lines().map(unchained).collect();
    assert_eq!((text(&copy[0], "session"), text(&copy[0], "imported_from")), (new, session.clone()));
    assert_eq!(copy[1..], parse(&lines)[1..]);
    let first: Vec<Value> =
        there.sessions_cli(&["show", &session, "--json"]).out.lines().map(unchained).collect();
    assert_eq!(first[1..], told[1..], "the first is as it was");
    let last = text(told.last().unwrap(), "entry");
    assert_eq!((text(&first[0], "imported_to"), text(&copy[0], "imported_to")), (last.clone(), last));
}

#[test]
fn what_is_not_sound_is_not_imported() {
    let world = World::new();
    looked(&world);
    let lines = world.session_text();
    let without_result: String =
        lines.lines().filter(|l| !l.contains("\"tool_result\"")).map(|l| format!("{l}\n")).collect();
    fs::write(world.work().join("bad.jsonl"), &without_result).unwrap();
    let refused = world.sessions_cli(&["import", "bad.jsonl"]);
    assert_eq!((refused.code, refused.out.as_str()), (1, ""));
    let why = refused.complaint();
    assert!(why.contains("line 9 (e10)") && why.contains("before the result of call c1"), "{why}");
    assert!(why.contains("nothing was imported; `countersign sessions check bad.jsonl`"), "{why}");
    assert_eq!(world.sessions().len(), 1);
    let missing = world.sessions_cli(&["import", "nowhere.jsonl"]);
    assert!(missing.code == 2 && missing.complaint().contains("nowhere.jsonl"), "{}", missing.err);
    let folder = world.sessions_cli(&["import", "."]);
    assert!(folder.code == 2 && folder.complaint().contains("not a regular file"), "{}", folder.err);
}

#[test]
fn nobody_brings_a_yes_for_the_whole_session_along() {
    let world = World::new();
    let replies = json!([{ "tool_calls": [{ "name": "shell", "arguments": { "command": "make" } }] }, "ok"]);
    let mut run = Steered::start(&world, &["--mode", "ask", "--script", &script(replies), "make it"]);
    let asked = run.until("approval_request");
    run.say(&answer(&asked, "allow"));
    run.until("turn_ended");
    run.end();
    let session = text(&world.entries()[0], "session");
    let granted = rechained(&world.session_text().replace("\"scope\":\"once\"", "\"scope\":\"session\""));
    assert!(granted.contains("\"scope\":\"session\""));
    fs::write(world.work().join("talk.jsonl"), &granted).unwrap();
    let id = first_word(&world.sessions_cli(&["import", "talk.jsonl"]).out);
    assert_ne!(id, session);
    let decisions = of_type(&parse(&world.sessions_cli(&["show", &id, "--json"]).out), "approval");
    let scopes: Vec<&Value> = decisions.iter().map(|decision| &decision["scope"]).collect();
    assert_eq!(scopes, [&json!("once")]);
    assert_eq!(decisions[0]["scope_before_import"], "session");
    // Whoever forks a file from elsewhere takes no yes along either.
    let id = first_word(&world.sessions_cli(&["fork", "talk.jsonl"]).out);
    assert!(!world.sessions_cli(&["show", &id, "--json"]).out.contains("\"scope\":\"session\""));
}

#[test]
fn an_imported_id_cannot_lead_out_of_the_store() {
    let world = World::new();
    let session = looked(&world);
    let strange = rechained(&world.session_text().replace(&session, "../../out"));
    fs::write(world.work().join("talk.jsonl"), strange).unwrap();
    let kept = world.sessions_cli(&["import", "talk.jsonl"]);
    assert_eq!(kept.code, 0, "{}", kept.err);
    assert_eq!(world.sessions().len(), 2);
    assert_ne!(first_word(&kept.out), session);
}

/// An id that is the beginning of another one, or that of a sub-agent, would have other sessions as its own.
#[test]
fn an_import_keeps_only_an_id_as_ours_are() {
    let world = World::new();
    let session = looked(&world);
    let lines = world.session_text();
    for own in [session[..23].to_owned(), format!("{session}-c1"), session.to_uppercase()] {
        fs::write(world.work().join("talk.jsonl"), rechained(&lines.replace(&session, &own))).unwrap();
        let kept = world.sessions_cli(&["import", "talk.jsonl"]);
        assert_eq!(kept.code, 0, "{}", kept.err);
        assert!(kept.out.contains(&format!("(its own id, {own}, cannot be one here)")), "{}", kept.out);
        let new = first_word(&kept.out);
        assert!(new.len() == session.len() && new != own && new != session, "{new}");
        let is_own = |path: &std::path::PathBuf| path.file_stem().is_some_and(|stem| stem == own.as_str());
        assert!(!world.sessions().iter().any(is_own), "{:?}", world.sessions());
    }
}

#[test]
fn a_fork_ends_at_its_entry_and_goes_its_own_way() {
    let world = World::new();
    let session = looked(&world);
    let before = world.session_text();
    let entries = world.entries();
    let result = text(&of_type(&entries, "tool_result")[0], "entry");
    let forked = world.sessions_cli(&["fork", "--last", "--at", &result]);
    assert_eq!((forked.code, forked.err.as_str()), (0, ""));
    let id = first_word(&forked.out);
    assert!(forked.out.contains(&format!("resume {id}")));
    let copy = world.entries();
    assert_eq!(text(&copy[0], "session"), id, "the fork is the newest");
    assert_eq!(text(&copy[0], "forked_from"), format!("{session}@{result}"));
    assert_eq!(text(copy.last().unwrap(), "entry"), result);
    assert_eq!(copy[1..], entries[1..copy.len()]);
    assert!(open_calls(&world.session_file()).is_empty());

    let ran = world.json(&["--last", "--script", r#"["Another way."]"#, "and now?"]);
    assert_eq!((ran.code, ran.ended()["text"].clone()), (0, json!("Another way.")));
    assert_eq!(world.sessions_cli(&["check", &id]).code, 0);
    assert_eq!(world.sessions_cli(&["show", &session, "--json"]).out, before, "the other is as it was");
}

#[test]
fn a_fork_makes_no_result_up() {
    let world = World::new();
    looked(&world);
    let entries = world.entries();
    let at = |kind: &str| text(&of_type(&entries, kind)[0], "entry");
    let (call, result) = (at("tool_call"), at("tool_result"));
    for place in [text(&of_type(&entries, "agent_response")[0], "entry"), call, at("approval")] {
        let refused = world.sessions_cli(&["fork", "--last", "--at", &place]);
        assert_eq!(refused.code, 2, "{place}");
        let why = refused.complaint();
        assert!(why.contains("wait for their results") && why.contains(&format!("or {result}")), "{why}");
    }
    assert_eq!(world.sessions().len(), 1);
    // A session that died in the midst of a call is forked at the last place without one.
    let file = world.session_file();
    let whole = world.session_text();
    let cut =
        whole.split_inclusive('\n').take_while(|line| !line.contains("\"tool_result\"")).collect::<String>();
    fs::write(&file, cut + "{\"type\":\"tool_res").unwrap();
    // What counts its lines is written after them.
    fs::remove_file(file.with_extension("head")).unwrap();
    let forked = world.sessions_cli(&["fork", "--last"]);
    assert_eq!(forked.code, 0, "{}", forked.err);
    assert_eq!(text(world.entries().last().unwrap(), "type"), "transition");
}

#[test]
fn a_fork_does_not_bring_back_what_was_withdrawn() {
    let world = World::new();
    let replies =
        json!([{ "text": "Half", "error": { "class": "transient", "message": "reset" } }, "Whole."]);
    world.json(&["--script", &script(replies), "hi"]);
    let tombstone = of_type(&world.entries(), "tombstone").remove(0);
    let refused = world.sessions_cli(&["fork", "--last", "--at", &text(&tombstone, "target")]);
    assert!(
        refused.complaint().trim_end().ends_with(&format!(" or {}", text(&tombstone, "entry"))),
        "{}",
        refused.err
    );
    let forked = world.sessions_cli(&["fork", "--last", "--at", &text(&tombstone, "entry")]);
    assert_eq!(forked.code, 0, "{}", forked.err);
}

#[test]
fn a_session_is_removed_by_name_unless_somebody_writes_it() {
    let world = World::new();
    let session = looked(&world);
    let file = world.session_file();
    let (writer, _) = SessionStore::open(&file).unwrap();
    let refused = world.sessions_cli(&["remove", &session]);
    assert_eq!((refused.code, refused.out.as_str()), (1, ""));
    assert!(refused.complaint().contains("is open in another countersign"), "{}", refused.err);
    assert!(file.exists());
    // To look, nobody needs the lock.
    assert_eq!(world.sessions_cli(&["check", "--last"]).code, 0);
    assert_eq!(world.sessions_cli(&["fork", "--last"]).code, 0);
    drop(writer);

    fs::write(world.work().join("mine.jsonl"), world.session_text()).unwrap();
    let foreign = world.sessions_cli(&["remove", "mine.jsonl"]);
    assert!(
        foreign.code == 2 && foreign.complaint().contains("not one of the stored sessions"),
        "{}",
        foreign.err
    );
    assert!(world.work().join("mine.jsonl").exists());

    let removed = world.sessions_cli(&["remove", &session]);
    assert_eq!((removed.code, removed.err.as_str()), (0, ""));
    assert!(removed.out.starts_with(&format!("removed {session} (")), "{}", removed.out);
    assert!(removed.out.contains("what is in one?") && !file.exists(), "{}", removed.out);
    assert_eq!(world.sessions_cli(&["remove", &session]).code, 2);
    assert_eq!(world.sessions().len(), 1, "the fork stays");
}

#[test]
fn a_fork_keeps_no_grant_that_was_taken_back_later() {
    let world = World::new();
    looked(&world);
    let path = world.sessions().remove(0);
    // As if a person had been asked, had allowed it for the session, and had taken that back at the end.
    let mut lines = Vec::new();
    for mut entry in world.entries() {
        if entry["type"] == "approval" {
            let (id, at) = (entry["id"].clone(), entry["at"].clone());
            lines.push(
                json!({ "type": "approval_request", "entry": "e9000", "id": id, "at": at, "name": "read",
                "arguments": { "path": "one.txt" }, "why": "no rule covers it", "risk": "reads" }),
            );
            (entry["by"], entry["scope"]) = (json!("user"), json!("session"));
            entry.as_object_mut().unwrap().remove("rule");
        }
        lines.push(entry);
    }
    let end = text(lines.last().unwrap(), "entry");
    let at = lines.last().unwrap()["at"].clone();
    lines.push(json!({ "type": "grant_revoked", "entry": "e9001", "id": "e9001", "at": at, "call": "c1" }));
    let written: String = lines.iter().map(|line| format!("{line}\n")).collect();
    forge(&path, &written);
    assert_eq!(
        world.sessions_cli(&["check", "--last"]).code,
        0,
        "{}",
        world.sessions_cli(&["check", "--last"]).err
    );
    let session = text(&lines[0], "session");
    for (at, scope, revoked) in [(Some(end.clone()), "once", false), (None, "session", true)] {
        let mut words = vec!["fork", session.as_str()];
        words.extend(at.as_deref().into_iter().flat_map(|at| ["--at", at]));
        let forked = world.sessions_cli(&words);
        assert_eq!((forked.code, forked.err.as_str()), (0, ""));
        let copy = parse(&world.sessions_cli(&["show", &first_word(&forked.out), "--json"]).out);
        assert_eq!(of_type(&copy, "approval")[0]["scope"], scope);
        assert_eq!(of_type(&copy, "grant_revoked").is_empty(), !revoked);
    }
    // Where the line that took it back is damaged, nobody knows: the fork keeps none.
    lines.pop();
    let written: String = lines.iter().map(|line| format!("{line}\n")).collect();
    fs::write(&path, format!("{}not JSON\n{{}}\n", rechained(&written))).unwrap();
    let forked = world.sessions_cli(&["fork", &session, "--at", &end]);
    assert_eq!(forked.code, 0, "{}", forked.err);
    assert!(forked.err.contains("keeps nothing of what was allowed for the whole session"), "{}", forked.err);
    let copy = parse(&world.sessions_cli(&["show", &first_word(&forked.out), "--json"]).out);
    assert_eq!(of_type(&copy, "approval")[0]["scope"], "once");
}

/// What `check` finds wrong, an import does not believe, whatever the chain says.
#[test]
fn what_contradicts_itself_is_not_imported() {
    let world = World::new();
    looked(&world);
    let ended = of_type(&world.entries(), "turn_ended").remove(0);
    let forged = world.session_text().replace(&format!("\"turns\":{}", ended["turns"]), "\"turns\":77");
    fs::write(world.work().join("bad.jsonl"), rechained(&forged)).unwrap();
    assert_eq!(world.sessions_cli(&["check", "bad.jsonl"]).code, 1);
    let refused = world.sessions_cli(&["import", "bad.jsonl"]);
    assert!(refused.code == 1 && refused.err.contains("is not a well-formed session"), "{refused:?}");
    assert_eq!(world.sessions().len(), 1);
}
