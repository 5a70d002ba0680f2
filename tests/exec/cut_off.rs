//! A sub-agent whose process died while its model was asked: what that cost counts once, in its own ledger and in the one above.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::books;
use crate::world::{Ran, World, of_type, script};

fn entries(file: &PathBuf) -> Vec<Value> {
    fs::read_to_string(file).unwrap().lines().map(books::unchained).collect()
}

/// The session of the sub-agent, and the one above.
fn both(world: &World) -> (PathBuf, PathBuf) {
    let is_one = |path: &PathBuf| path.file_stem().unwrap().len() > 36;
    let (mut below, mut above): (Vec<_>, Vec<_>) = world.sessions().into_iter().partition(is_one);
    (below.pop().unwrap(), above.pop().unwrap())
}

fn id(file: &std::path::Path) -> String {
    file.file_stem().unwrap().to_str().unwrap().to_owned()
}

fn killed(world: &World, limits: &[&str]) {
    killed_of(world, "general", limits);
}

fn delegated(agent: &str, answer: Value) -> String {
    let task = json!({ "task": "Wait for the model." });
    let name = format!("delegate_to_{agent}");
    script(json!([{ "tool_calls": [{ "name": name, "arguments": task }] }, answer, "I see."]))
}

/// The process dies while the model of a sub-agent is asked.
fn killed_of(world: &World, agent: &str, limits: &[&str]) {
    let replies = delegated(agent, json!({ "text": "Never.", "delay_ms": 600_000 }));
    let run =
        world.begin(&[&["--json", "--mode", "unrestricted", "--script", &replies], limits, &["go"]].concat());
    // Nobody outside hears of it.
    let is_asked =
        |file: &PathBuf| fs::read_to_string(file).is_ok_and(|text| text.contains("\"type\":\"transition\""));
    while !world.sessions().iter().any(|file| file.file_stem().unwrap().len() > 36 && is_asked(file)) {
        std::thread::yield_now();
    }
    run.kill();
}

fn resumed(world: &World, session: &str) -> Ran {
    resumed_within(world, session, &[])
}

fn resumed_within(world: &World, session: &str, limits: &[&str]) -> Ran {
    let script = ["--json", "--mode", "unrestricted", "--script", r#"["I see."]"#];
    let ran = world.exec(&[&["--resume", session], &script[..], limits, &["go on"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    ran
}

fn sum(entries: &[Value]) -> [u64; 2] {
    let said = of_type(entries, "agent_response");
    ["input", "output"].map(|part| said.iter().map(|one| one["usage"][part].as_u64().unwrap()).sum())
}

fn total(world: &World) -> [u64; 2] {
    let output = world.program().args(["usage", "--json"]).output().unwrap();
    let all: Value = serde_json::from_slice(&output.stdout).unwrap();
    ["input", "output"].map(|part| all["total"][part].as_u64().unwrap())
}

fn charged(above: &PathBuf) -> [u64; 2] {
    let settled = of_type(&entries(above), "escrow_settled");
    assert_eq!(settled.len(), 1);
    ["input", "output"].map(|part| settled[0]["spent"]["usage"][part].as_u64().unwrap())
}

#[test]
fn what_is_charged_above_is_what_its_own_ledger_and_the_sum_of_all_say() {
    let world = World::new();
    killed(&world, &[]);
    let (below, above) = both(&world);
    resumed(&world, &id(&above));
    let charged = charged(&above);
    assert!(charged[0] > 0 && charged[1] > 0, "{charged:?}");
    assert_eq!(sum(&entries(&below)), charged);
    let own = sum(&entries(&above));
    assert_eq!(total(&world), [own[0] + charged[0], own[1] + charged[1]]);
    for file in [&below, &above] {
        let checked = world.sessions_cli(&["check", &id(file)]);
        assert_eq!(checked.code, 0, "{}", checked.out);
    }
}

#[test]
fn a_message_whose_files_are_refused_takes_up_nothing() {
    let world = World::new();
    killed(&world, &[]);
    let (below, above) = both(&world);
    let held = || [&below, &above].map(|file| fs::read(file).unwrap());
    let (before, sessions) = (held(), world.sessions());
    let ran = world.exec(&["--resume", &id(&above), "--script", r#"["I see."]"#, "see @gone.rs"]);
    assert!(ran.code == 2 && ran.err.contains("there is no file at gone.rs"), "{}", ran.err);
    assert_eq!((held(), world.sessions()), (before.clone(), sessions));
    resumed(&world, &id(&above));
    assert_ne!(held(), before, "a message that is sent ends what was cut off");
}

#[test]
fn a_ledger_that_was_made_ahead_and_never_begun_is_no_damage() {
    let world = World::new();
    world.exec(&["--script", r#"["I see."]"#, "go"]);
    let own = world.session_file();
    let name = format!("{}-c1", id(&own));
    let ahead = own.with_file_name(format!("{name}.jsonl"));
    fs::write(&ahead, "").unwrap();
    for words in [&["usage"][..], &["doctor"], &["sessions", "search", "see"], &["exposure", "see"]] {
        let output = world.program().args(words).output().unwrap();
        let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
        assert!(!said.contains(&name) && !said.contains("could not be searched"), "{words:?}: {said}");
    }
    let removed = world.sessions_cli(&["remove", &id(&own)]);
    assert!(!ahead.exists(), "it goes with its session: {removed:?}");
}

#[test]
fn one_to_whose_ledger_nothing_was_written_has_cost_nothing() {
    let world = World::new();
    killed(&world, &[]);
    let (below, above) = both(&world);
    // As if the process had died before its first entry.
    fs::write(&below, "").unwrap();
    let head = below.with_extension("head");
    assert!(!head.exists() || fs::remove_file(head).is_ok());
    let ran = resumed(&world, &id(&above));
    let lines = entries(&above);
    let settled = of_type(&lines, "escrow_settled")[0].clone();
    assert_eq!(
        (&settled["is_assumed"], &settled["spent"]["turns"], &settled["state"]),
        (&json!(false), &json!(0), &json!("rejected")),
        "{settled}"
    );
    let told = of_type(&lines, "tool_result")[0].to_string();
    assert!(told.contains("It was not started: the process ended before it began."), "{told}");
    assert!(!told.contains("partial") && !ran.err.contains("partial"), "{told} {}", ran.err);
    let checked = world.sessions_cli(&["check", &id(&above)]);
    assert_eq!(checked.code, 0, "{}", checked.out);
}

#[test]
fn who_goes_on_with_it_first_is_told_whose_limits_hold_and_charges_nothing_more_above() {
    let world = World::new();
    killed(&world, &["--max-output-tokens", "1000"]);
    let (below, above) = both(&world);
    let ran = resumed(&world, &id(&below));
    let said = format!(
        "From here on it is a session of its own: the limits of the configuration hold for it, and what it spends is not counted for {}.",
        id(&above)
    );
    assert!(ran.err.contains(&said), "{}", ran.err);
    let reserved = of_type(&entries(&above), "escrow_reserved")[0].clone();
    let most =
        reserved["limits"]["output_tokens"].as_u64().or(reserved["limits"]["max_output_tokens"].as_u64());
    resumed(&world, &id(&above));
    let charged = charged(&above);
    assert!(charged[1] > 0 && Some(charged[1]) <= most, "{charged:?} of {reserved}");
    // Nobody stopped it.
    let lines = entries(&above);
    assert_eq!(of_type(&lines, "escrow_settled")[0]["state"], "failed");
    let told = of_type(&lines, "tool_result")[0].to_string();
    assert!(told.contains("work ended with the process") && !told.contains("by the user"), "{told}");
    let before: Vec<Value> =
        entries(&below).into_iter().take_while(|entry| entry["type"] != "turn_ended").collect();
    assert_eq!(sum(&before), charged);
    assert!(sum(&entries(&below)) > charged, "what it did afterwards is its own");
}

#[test]
fn a_killed_request_counts_within_what_was_set_aside_and_with_the_tools_that_the_sub_agent_had() {
    let limits = ["--max-cost", "0.95", "-c", "models.script.usd_in=100", "-c", "models.script.usd_out=100"];
    let answered = World::new();
    let replies = delegated("explore", json!("Done."));
    let begins = ["--json", "--mode", "unrestricted", "--script", &replies];
    assert_eq!(answered.exec(&[&begins[..], &limits, &["go"]].concat()).code, 0);
    let really = charged(&both(&answered).1)[0];

    let world = World::new();
    killed_of(&world, "explore", &limits);
    let (below, above) = both(&world);
    resumed_within(&world, &id(&above), &limits);
    let charged = charged(&above);
    assert!(charged[0].abs_diff(really) < 20, "{charged:?}, and its prompt has {really}");
    assert_eq!(sum(&entries(&below)), charged);
    let lines = entries(&above);
    let most = of_type(&lines, "escrow_reserved")[0]["limits"]["max_total_cost"].as_u64().unwrap();
    let cost = of_type(&lines, "escrow_settled")[0]["spent"]["usage"]["cost_usd"].as_f64().unwrap();
    assert!(charged[1] > 0 && cost * 1e6 <= most as f64 + 0.5, "{cost} of {most}");
}
