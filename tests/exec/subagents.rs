//! Sub-agents: each has a session of its own and a part of the budget, and nothing of it is lost or done twice.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::books;
use crate::steered::Steered;
use crate::world::{World, of_type, script, text};

/// A call that starts a sub-agent.
pub(crate) fn delegate(agent: &str, task: &str) -> Value {
    json!({ "name": format!("delegate_to_{agent}"), "arguments": { "task": task } })
}

pub(crate) fn shell(command: &str) -> Value {
    json!({ "name": "shell", "arguments": { "command": command } })
}

/// The session files of sub-agents, and of the others.
pub(crate) fn sessions(world: &World) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let is_one = |path: &PathBuf| path.file_stem().unwrap().len() > 36;
    world.sessions().into_iter().partition(is_one)
}

pub(crate) fn entries(file: &PathBuf) -> Vec<Value> {
    fs::read_to_string(file).unwrap().lines().map(books::unchained).collect()
}

/// Its first request would read more than was set aside, and what it passes the session above passes, too.
#[test]
fn a_subagent_makes_no_request_that_reads_more_than_was_set_aside() {
    let world = World::new();
    let replies = script(json!([{ "tool_calls": [delegate("explore", "look")] }, { "text": "Done." }]));
    let ran = world.json(&["--script", &replies, "--max-input-tokens", "5000", "go"]);
    let (reserved, settled) = (ran.one("escrow_reserved"), ran.one("escrow_settled"));
    let most = reserved["limits"]["max_input_tokens"].as_u64().unwrap();
    assert!(most < 1_500, "otherwise its request fits: {reserved}");
    assert_eq!(settled["spent"]["usage"]["input"], 0, "{settled}");
    assert_eq!(ran.outcomes(), ["failed"], "{}", ran.out);
    assert!(text(&ran.one("tool_result"), "content").contains("input token limit"), "{}", ran.out);
    let ran = World::new().exec(&["--script", &replies, "--max-input-tokens", "5000", "go"]);
    let note = "note: sub-agent explore c1 stopped before its end: input token limit";
    assert!(ran.err.contains(note), "{}", ran.err);
}

/// What a sub-agent has called counts for the session above, also within one answer.
#[test]
fn the_limit_of_calls_holds_over_the_sum() {
    let world = World::new();
    let calls = |who: &str, count: usize| -> Value {
        let call = |number| shell(&format!("echo {who}{number} >> ran"));
        json!({ "tool_calls": (0..count).map(call).collect::<Vec<_>>() })
    };
    let asks = json!({ "tool_calls": [delegate("general", "look")] });
    let replies = script(json!([asks, calls("child", 4), "I did.", calls("parent", 9), "Done."]));
    world.json(&["--mode", "unrestricted", "--max-tool-calls", "10", "--script", &replies, "go"]);
    let ran = fs::read_to_string(world.work().join("ran")).unwrap();
    assert_eq!(ran.lines().filter(|line| line.starts_with("child")).count(), 4, "{ran}");
    assert_eq!(ran.lines().count(), 9, "with the delegation, ten: {ran}");
}

#[test]
fn a_subagent_has_a_ledger_of_its_own_and_a_part_of_the_budget() {
    let world = World::new();
    let replies = script(json!([
        { "text": "I ask.", "tool_calls": [delegate("explore", "What does one.txt say?")] },
        { "tool_calls": [{ "name": "read", "arguments": { "path": "one.txt" } }] },
        { "text": "It says first line." },
        { "text": "Done: it says first line." },
    ]));
    let ran = world.json(&["--script", &replies, "--max-turns", "9", "go"]);
    assert_eq!((ran.code, ran.outcomes()), (0, vec!["ok".to_owned()]), "{}", ran.out);
    assert_eq!(text(&ran.one("tool_result"), "content"), "It says first line.");
    let (reserved, settled) = (ran.one("escrow_reserved"), ran.one("escrow_settled"));
    // One turn is used; the sub-agent gets half of the other eight.
    assert_eq!(reserved["limits"]["max_model_turns"], 4);
    assert_eq!((&settled["spent"]["turns"], &settled["spent"]["tool_calls"]), (&json!(2), &json!(1)));
    assert_eq!(settled["is_assumed"], false);

    let (below, above) = sessions(&world);
    assert_eq!((below.len(), above.len()), (1, 1));
    assert_eq!(below[0].file_stem().unwrap().to_string_lossy(), text(&reserved, "session"));
    let own = entries(&below[0]);
    assert_eq!(text(&of_type(&own, "user_message")[0], "content"), "What does one.txt say?");
    assert!(text(&own[0], "system").contains("You are the sub-agent explore"));
    for file in below.iter().chain(&above) {
        let checked = world.sessions_cli(&["check", &file.file_stem().unwrap().to_string_lossy()]);
        assert_eq!(checked.code, 0, "{}", checked.out);
    }
    let listed = world.sessions_cli(&["list"]).out;
    assert!(!listed.contains("-c1"), "it is the session's own: {listed}");
}

#[test]
fn the_limits_hold_over_the_sum_whatever_subagents_do() {
    let world = World::new();
    let read = || json!({ "tool_calls": [{ "name": "read", "arguments": { "path": "one.txt" } }] });
    let greedy = [json!({ "tool_calls": [delegate("general", "Go on for ever.")] })];
    let replies = script(Value::Array(greedy.into_iter().chain((0..30).map(|_| read())).collect()));
    let ran = world.json(&["--script", &replies, "--max-turns", "9", "go"]);
    assert_eq!(ran.reason(), "max_turns");
    let calls = ran.events().iter().filter(|event| text(event, "type") == "transition").count();
    let below = entries(&sessions(&world).0[0]);
    let of_subagent = of_type(&below, "transition").len();
    assert_eq!((of_subagent, calls + of_subagent), (4, 9), "no turn beyond the nine");
    let result = &ran.all("tool_result")[0];
    assert_eq!(text(result, "outcome"), "failed");
    assert!(text(result, "content").contains("turn limit"), "{result}");

    let ran = World::new().json(&[
        "--script",
        &script(json!([
            { "tool_calls": [delegate("general", "One more.")] }, "I do it myself.",
        ])),
        "--max-turns",
        "2",
        "go",
    ]);
    assert!(text(&ran.one("tool_result"), "content").contains("max_model_turns"), "{}", ran.out);
    assert!(ran.all("escrow_reserved").is_empty() && ran.reason() == "completed");
}

#[test]
fn a_subagent_in_the_background_is_told_of_when_it_is_done() {
    let world = World::new();
    let mut call = delegate("explore", "Look.");
    call["arguments"]["background"] = json!(true);
    // Whoever asks second is the slow one: the session ends its run first.
    let replies = script(json!([{ "tool_calls": [call] }, "Done.", { "text": "Late.", "delay_ms": 300 }]));
    let mut run = Steered::start(&world, &["--script", &replies, "go"]);
    assert_eq!(run.until("escrow_reserved")["in_background"], true);
    assert_eq!(text(&run.until("delegation_response"), "state"), "working");
    // The end of stdin is not the end of it.
    let ran = run.end();
    assert_eq!(ran.code, 0, "{}", ran.err);
    let settled = ran.one("escrow_settled");
    assert!(!text(&settled, "answer").is_empty(), "{settled}");
    assert!(ran.err.contains("sub-agent explore (c1) is completed"), "{}", ran.err);
}

#[test]
fn a_run_without_a_screen_waits_for_what_would_work_in_the_background() {
    let world = World::new();
    let mut call = delegate("general", "Look.");
    call["arguments"]["background"] = json!(true);
    let replies = script(
        json!([{ "tool_calls": [call] }, { "tool_calls": [touch_call("made")] }, "It is made.", "Done."]),
    );
    let ran = world.json(&["--mode", "unrestricted", "--script", &replies, "go"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(ran.all("escrow_reserved")[0]["in_background"], false);
    assert_eq!(text(&ran.one("tool_result"), "content"), "It is made.");
    assert!(world.work().join("made").exists());
}

fn touch_call(path: &str) -> Value {
    json!({ "name": "shell", "arguments": { "command": format!("touch {path}") } })
}

/// Runs git in the workspace, as somebody.
fn git(world: &World, words: &[&str]) {
    let who = ["-c", "user.name=a", "-c", "user.email=a@b"];
    let ran =
        std::process::Command::new("git").current_dir(world.work()).args(who).args(words).output().unwrap();
    assert!(ran.status.success(), "{words:?}: {ran:?}");
}

#[test]
fn a_subagent_with_a_worktree_changes_nothing_here_and_says_where_its_changes_are() {
    let world = World::new();
    let file = "---\ndescription: Writes\nisolation: worktree\n---\nWrite what is asked for.\n";
    let folder = world.place().join("config/countersign/agents");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("writer.md"), file).unwrap();
    let replies = |path: &str| {
        script(json!([
            { "tool_calls": [delegate("writer", "Write it.")] },
            { "tool_calls": [{ "name": "write", "arguments": { "path": path, "content": "x" } }] },
            "It is written.",
            "Done.",
        ]))
    };
    let ran = world.json(&["--script", &replies("other.txt"), "--mode", "edit", "go"]);
    let said = text(&ran.all("tool_result")[0], "content");
    assert!(said.contains("its worktree cannot be made: git: "), "no repository: {said}");
    fs::remove_dir_all(world.work().join(".git")).unwrap();
    git(&world, &["init", "-q"]);
    git(&world, &["add", "-A"]);
    git(&world, &["commit", "-qm", "one"]);
    let ran = world.json(&["--script", &replies("new.txt"), "--mode", "edit", "go"]);
    let said = text(&ran.one("tool_result"), "content");
    let place =
        said.split("of its own: ").nth(1).and_then(|rest| rest.split(". Nothing").next()).expect(&said);
    assert_eq!(fs::read_to_string(format!("{place}/new.txt")).unwrap(), "x");
    assert!(!world.work().join("new.txt").exists());
}

#[test]
fn agent_files_of_a_project_count_when_it_is_trusted_and_are_never_looser() {
    let world = World::new();
    let folder = world.work().join(".claude/agents");
    fs::create_dir_all(&folder).unwrap();
    let file = "---\nname: writer\ndescription: Writes\ntools: Read, Write\npermissionMode: bypassPermissions\n\
                maxTurns: 2\n---\nWrite what is asked for.\n";
    fs::write(folder.join("writer.md"), file).unwrap();
    let replies = script(json!([
        { "tool_calls": [delegate("writer", "Write it.")] },
        { "tool_calls": [{ "name": "write", "arguments": { "path": "new.txt", "content": "x" } }] },
        "I may not.",
        "It may not.",
    ]));
    let untrusted = world.json(&["--script", &replies, "go"]);
    assert_eq!(untrusted.outcomes()[0], "unknown_tool");
    let trusted = world.program().args(["trust", "--yes"]).output().unwrap();
    assert!(String::from_utf8_lossy(&trusted.stdout).contains("sub-agent writer"), "{trusted:?}");
    let ran = world.json(&["--script", &replies, "--mode", "plan", "go"]);
    assert_eq!(ran.one("escrow_reserved")["limits"]["max_model_turns"], 2);
    let (below, _) = sessions(&world);
    let own = entries(below.last().unwrap());
    assert_eq!(text(&of_type(&own, "tool_result")[0], "outcome"), "denied", "plan stays plan");
    assert!(!world.work().join("new.txt").exists());
    let begun = of_type(&own, "session_started");
    assert!(text(&begun[0], "system").contains("Write what is asked for."));
}

#[test]
fn what_an_agent_file_of_opencode_restricts_holds_and_what_it_does_not_offer_is_not_offered() {
    let world = World::new();
    let agents = world.config_file().parent().unwrap().join("agents");
    fs::create_dir_all(&agents).unwrap();
    for (name, head) in [
        ("denied", "permission:\n  bash: deny\n  webfetch: deny"),
        ("partly", "permission:\n  bash:\n    \"*\": deny\n    \"git log*\": allow"),
        ("asked", "permission: {bash: ask}"),
        ("disabled", "disable: true"),
        ("primary", "mode: primary"),
        ("unkept", "permission: {external_directory: deny}"),
        ("general", "disable: true"),
    ] {
        let file = format!("---\ndescription: One.\n{head}\n---\nDo it.\n");
        fs::write(agents.join(format!("{name}.md")), file).unwrap();
    }
    let ran = |name: &str| {
        let replies = script(json!([
            { "tool_calls": [delegate(name, "Run it.")] }, { "tool_calls": [shell("touch ran")] }, "No.", "Done.",
        ]));
        let ran = world.json(&["--script", &replies, "--mode", "unrestricted", "go"]);
        assert!(!world.work().join("ran").exists(), "{name}");
        ran
    };
    for (name, outcome) in [("denied", "unknown_tool"), ("partly", "unknown_tool"), ("asked", "denied")] {
        let ran = ran(name);
        let session = text(&ran.all("escrow_reserved")[0], "session");
        let (below, _) = sessions(&world);
        let file = below.iter().find(|file| file.file_stem().unwrap().to_string_lossy() == session).unwrap();
        assert_eq!(text(&of_type(&entries(file), "tool_result")[0], "outcome"), outcome, "{name}");
    }
    for name in ["disabled", "primary", "unkept", "general"] {
        let replies = script(json!([{ "tool_calls": [delegate(name, "Run it.")] }, "Done."]));
        let ran = world.json(&["--script", &replies, "--mode", "unrestricted", "go"]);
        assert_eq!(ran.outcomes(), ["unknown_tool"], "{name}");
    }
    let said = ran("denied").err;
    assert!(said.contains("partly.md: `bash`: rules for single commands or paths cannot be kept"), "{said}");
    assert!(said.contains("unkept.md: its `permission` restricts `external_directory`"), "{said}");
    assert!(!said.contains("disabled.md") && !said.contains("primary.md"), "{said}");
}

#[test]
fn a_sub_agent_of_the_configuration_has_its_instructions_its_tools_and_its_mode() {
    let world = World::new();
    let folder = world.place().join("config/countersign");
    fs::create_dir_all(&folder).unwrap();
    let defined = "[agents.writer]\ndescription = 'Writes'\ninstructions = 'Write what is asked for.'\n\
                   tools = ['Write']\nmode = 'plan'\nmax_turns = 2\n";
    fs::write(folder.join("config.toml"), defined).unwrap();
    let replies = script(json!([
        { "tool_calls": [delegate("writer", "Write it.")] },
        { "tool_calls": [
            { "name": "write", "arguments": { "path": "new.txt", "content": "x" } }, shell("touch new.txt"),
        ] },
        "I may not.",
        "It may not.",
    ]));
    let ran = world.json(&["--script", &replies, "--mode", "unrestricted", "go"]);
    assert_eq!(ran.one("escrow_reserved")["limits"]["max_model_turns"], 2);
    let own = entries(&sessions(&world).0[0]);
    assert!(text(&own[0], "system").contains("Write what is asked for."));
    let outcomes: Vec<String> =
        of_type(&own, "tool_result").iter().map(|result| text(result, "outcome")).collect();
    assert_eq!(outcomes, ["denied", "unknown_tool"], "plan only reads, and it has no shell");
    assert!(!world.work().join("new.txt").exists());
    let shown = world.program().args(["config", "show"]).output().unwrap();
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(shown.contains("agents.writer.instructions = \"Write what is asked for.\""), "{shown}");
}

#[test]
fn an_answer_that_was_given_before_a_kill_is_delivered_and_what_works_below_is_charged_as_it_was() {
    let world = World::new();
    let (command, mut beacon) = world.beacon();
    // The first waits; the second is done, and has its result after it.
    let replies = script(json!([
        { "tool_calls": [delegate("general", "Wait."), delegate("general", "Answer.")] },
        { "text": "An answer." , "delay_ms": 1 },
        { "tool_calls": [shell(&command)] },
        { "tool_calls": [shell(&command)] },
    ]));
    let mut run = world.begin(&["--json", "--mode", "unrestricted", "--script", &replies, "go"]);
    beacon.lit();
    run.until(|event| event["type"] == "escrow_settled");
    run.kill();
    beacon.put_out();
    let ran =
        world.exec(&["--last", "--json", "--mode", "unrestricted", "--script", r#"["I see."]"#, "go on"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let results = of_type(&world_entries(&world), "tool_result");
    let outcomes: Vec<String> = results.iter().map(|result| text(result, "outcome")).collect();
    assert!(outcomes.contains(&"ok".to_owned()) && outcomes.contains(&"lost".to_owned()), "{results:?}");
    assert!(results.iter().any(|result| text(result, "content") == "An answer."), "{results:?}");
    let checked = world.sessions_cli(&["check", "--last"]);
    assert_eq!(checked.code, 0, "{}", checked.out);
}

fn world_entries(world: &World) -> Vec<Value> {
    entries(&sessions(world).1[0])
}

#[test]
fn what_worked_below_a_killed_subagent_is_charged_as_its_own_ledger_says() {
    let world = World::new();
    let (command, mut beacon) = world.beacon();
    let agents = world.config_file().parent().unwrap().join("agents");
    fs::create_dir_all(&agents).unwrap();
    for name in ["outer", "inner"] {
        let file = format!("---\nname: {name}\ndescription: One.\n---\nDo it.\n");
        fs::write(agents.join(format!("{name}.md")), file).unwrap();
    }
    let replies = script(json!([
        { "tool_calls": [delegate("outer", "Have it done.")] },
        { "tool_calls": [delegate("inner", "Do it.")] },
        { "tool_calls": [shell(&command)] },
    ]));
    let run = world.begin(&["--json", "--mode", "unrestricted", "--script", &replies, "go"]);
    beacon.lit();
    run.kill();
    beacon.put_out();
    let ran =
        world.exec(&["--last", "--json", "--mode", "unrestricted", "--script", r#"["I see."]"#, "go on"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let settled = of_type(&world_entries(&world), "escrow_settled")[0].clone();
    let spent = (&settled["spent"]["turns"], &settled["spent"]["tool_calls"]);
    assert_eq!((spent, &settled["is_assumed"]), ((&json!(2), &json!(2)), &json!(false)), "{settled}");
}

#[test]
fn a_sub_agent_that_cannot_be_started_is_refused_with_the_real_reason() {
    let world = World::new();
    let agents = world.config_file().parent().unwrap().join("agents");
    fs::create_dir_all(&agents).unwrap();
    for name in ["aa", "bb"] {
        fs::write(agents.join(format!("{name}.md")), "---\ndescription: One.\n---\nDo it.\n").unwrap();
    }
    let refused = |calls: &[&str], flags: &[&str]| {
        let calls = calls.iter().map(|name| json!({ "tool_calls": [delegate(name, "Go on.")] }));
        let replies = script(Value::Array(calls.chain((0..4).map(|_| json!("Done."))).collect()));
        let ran = world.json(&[flags, &["--script", &replies, "go"]].concat());
        let entries: Vec<Value> = world.sessions().iter().flat_map(entries).collect();
        let refused = |entry: &&Value| entry["type"] == "tool_result" && entry["outcome"] == "unknown_tool";
        let said = entries.iter().rfind(refused).map(|entry| text(entry, "content"));
        (said.unwrap_or_default(), ran)
    };
    for (calls, flags, why) in [
        (&["aa", "bb", "aa"][..], &[][..], "a task cannot come back to where it came from"),
        (&["general", "general"], &[], "a task cannot come back to where it came from"),
        (&["aa", "bb", "explore"], &[], "sub-agents start others one level deep"),
        (&["explore", "general"], &[], "is not one that this sub-agent may start"),
        (&["general"], &["-c", "agents.max_parallel=0"], "agents.max_parallel is 0"),
    ] {
        for file in world.sessions() {
            fs::remove_file(file).unwrap();
        }
        let (said, ran) = refused(calls, flags);
        assert!(said.contains(why) && !said.contains("is not configured"), "{calls:?}: {said}\n{}", ran.out);
    }
}
