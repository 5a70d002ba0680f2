//! Goals through the real program: evidence by a real command, refusals, and what is left when one stops.

use std::fs;

use serde_json::{Value, json};

use crate::races::repository;
use crate::world::{Ran, World, script, text};

/// A world with this goal in a file beside it, and the words that pursue it.
fn pursue(goal: &str, words: &[&str], replies: Value) -> (World, Ran) {
    let world = World::new();
    let ran = run(&world, goal, words, replies);
    (world, ran)
}

fn run(world: &World, goal: &str, words: &[&str], replies: Value) -> Ran {
    let file = world.place().join("goal");
    fs::write(&file, goal).unwrap();
    let file = file.display().to_string();
    world.json(&[words, &["--goal", &file, "--script", &script(replies)]].concat())
}

fn write(path: &str) -> Value {
    json!({ "tool_calls": [{ "name": "write", "arguments": { "path": path, "content": "x" } }] })
}

#[test]
fn the_rehearsal_does_what_an_objective_asks_in_its_phrases() {
    let world = World::new();
    let file = world.place().join("goal");
    fs::write(&file, "objective = \"write made.txt: hi\"\ncheck = \"test -f made.txt\"\n").unwrap();
    let file = file.display().to_string();
    let ran = world.json(&["--mode", "unrestricted", "-m", "rehearsal", "--goal", &file]);
    assert_eq!((ran.code, ran.reason().as_str()), (0, "goal_reached"), "{}", ran.err);
    let world = repository();
    let check = ["--check", "test -f made.txt", "--allow", "shell(test *)", "--lanes", "2"];
    let ran =
        world.race(&[&check[..], &["--mode", "edit", "-m", "rehearsal", "write made.txt: hi"]].concat());
    assert_eq!(ran.code, 0, "{} {}", ran.out, ran.err);
}

const GOAL: &str = "objective = \"Make made.txt\"\ncheck = \"test -f made.txt\"\ncheckpoints = 3\n";

#[test]
fn the_command_proves_it() {
    let replies = json!(["It is there.", write("made.txt"), "Now it is."]);
    let (world, ran) = pursue(GOAL, &["--mode", "unrestricted"], replies);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(world.work().join("made.txt").exists());
    let goal = ran.one("goal");
    let parts = [
        "objective",
        "done_condition",
        "budget",
        "checkpoints",
        "current_plan",
        "progress_log",
        "validation_method",
        "stop_rules",
    ];
    assert!(parts.iter().all(|part| goal.get(part).is_some()), "{goal}");
    let checks = ran.all("goal_checkpoint");
    let done: Vec<&Value> = checks.iter().map(|check| &check["questions"][3]).collect();
    assert_eq!((&done[0]["answer"], &done[1]["answer"]), (&json!("no"), &json!("yes")));
    assert!(done.iter().all(|done| done["by"] == "validation_command"));
    for check in &checks {
        let asked: Vec<String> =
            check["questions"].as_array().unwrap().iter().map(|q| text(q, "question")).collect();
        assert_eq!(
            asked,
            [
                "Is the objective still valid?",
                "What evidence proves progress?",
                "Are we within budget?",
                "Is the done condition met?",
                "Is human approval needed before the next step?",
                "Should compaction or handoff happen now?",
            ]
        );
    }
    let ours: Vec<Value> = ran.all("tool_call").into_iter().filter(|c| c["by"] == "goal_check").collect();
    assert_eq!(ours.len(), 2, "each validation is a call of its own");
    assert_eq!(ran.ended()["reason"], "goal_reached");
    assert_eq!(ran.ended()["completed"], true);
    assert!(ran.all("handoff").is_empty());
}

#[test]
fn a_goal_approves_nothing() {
    // A check that does more than look.
    let goal = GOAL.replace("test -f made.txt", "awk 'END {}' made.txt");
    let (_, ran) = pursue(&goal, &[], json!(["Done."]));
    assert_eq!((ran.code, &ran.ended()["reason"]), (4, &json!("approval_required")));
    let allowed =
        pursue(&goal, &["--allow", "shell(awk *)", "--allow", "write"], json!([write("made.txt"), "Done."]))
            .1;
    assert_eq!((allowed.code, &allowed.ended()["reason"]), (0, &json!("goal_reached")), "{}", allowed.err);
}

#[test]
fn a_handoff_cannot_steer_the_terminal() {
    let world = World::new();
    let file = world.place().join("goal");
    fs::write(&file, "Tidy up\ndone: Is it tidy?").unwrap();
    let replies = script(json!(["blocked: which \u{1b}[2J\u{202e}folder?"]));
    let ran = world.exec(&["--goal", &file.display().to_string(), "--script", &replies]);
    assert_eq!(ran.code, 4, "{}", ran.err);
    assert!(ran.err.contains("Stopped: ") && ran.err.contains("folder?"), "{:?}", ran.err);
    assert!(!ran.err.contains(['\u{1b}', '\u{202e}']), "{:?}", ran.err);
}

#[test]
fn each_stop_leaves_a_handoff() {
    let replies = json!(["blocked: which folder?"]);
    let (_, ran) = pursue("Tidy up\ndone: Is it tidy?", &[], replies);
    assert_eq!((ran.code, &ran.ended()["reason"]), (4, &json!("blocked_on_user")));
    let note = text(&ran.one("handoff"), "text");
    assert!(note.contains("Tidy up") && note.contains("Blocked: which folder?"), "{note}");

    let (_, ran) = pursue("Tidy up\ndone: Is it tidy?\nbudget: 2 turns", &[], json!(["a", "no", "b"]));
    assert_eq!((ran.code, &ran.ended()["reason"]), (3, &json!("max_turns")));
    assert!(text(&ran.one("handoff"), "text").contains("Stopped: turn limit"));

    let idle = json!(["a", "b", "c", "d", "e"]);
    let (_, ran) = pursue("Tidy up\ndone: Is it tidy?", &[], idle);
    assert_eq!((ran.code, &ran.ended()["reason"]), (1, &json!("repeated_failures")));
    assert_eq!(ran.all("goal_checkpoint").len(), 3);
}

#[test]
fn without_json_the_handoff_is_told() {
    let world = World::new();
    fs::write(world.place().join("goal"), "Tidy up\ndone: Is it tidy?").unwrap();
    let ran = world.exec(&["--goal", "../goal", "--script", r#"["blocked: which folder?"]"#]);
    assert_eq!(ran.code, 4);
    assert!(ran.err.contains("Goal: Tidy up") && ran.err.contains("Next: "), "{}", ran.err);
    assert!(ran.err.trim_end().lines().last().unwrap().starts_with("stopped: blocked_on_user; next: "));
}

#[test]
fn what_is_no_goal_is_refused_before_anything_runs() {
    let cases = [
        ("Improve the parser", "done condition"),
        ("- mend the parser\n- write the docs\ncheck: true", "list of 2 tasks"),
        ("Work through the backlog\ncheck: true", "backlog"),
        ("check: true", "objective"),
        ("objective = \"x\"\ncheck = \"true\"\ncolour = 1", "colour"),
        ("Tidy up\ncheck: true\nbudget: much", "much"),
    ];
    for (goal, named) in cases {
        let world = World::new();
        fs::write(world.place().join("goal"), goal).unwrap();
        let line = world.refused(&["--goal", "../goal", "--script", "[\"hi\"]"]);
        assert!(line.contains(named), "{goal}: {line}");
        assert!(world.sessions().is_empty(), "nothing was written");
    }
    let missing = World::new().exec(&["--goal", "nowhere.toml"]);
    assert_eq!(missing.code, 2);
    assert!(missing.complaint().contains("nowhere.toml") && missing.complaint().contains("no such file"));
}

#[test]
fn words_beside_a_goal_are_added_to_it() {
    let (_, ran) = pursue("Tidy up\ndone: Is it tidy?", &["begin with src"], json!(["a", "done: yes"]));
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(text(&ran.one("user_message"), "content"), "Tidy up\n\nbegin with src");
}
