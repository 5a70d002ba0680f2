//! `usage`: what all sessions have spent, the answers that errors cut off and the retries included.

use std::fs;

use chrono::{Days, Local, SecondsFormat, Utc};
use serde_json::{Value, json};

use crate::world::{Ran, World, script};

impl World {
    fn usage(&self, words: &[&str]) -> Ran {
        let output = self.program().arg("usage").args(words).output().unwrap();
        Ran::of(output.status, output.stdout, output.stderr)
    }

    fn usage_json(&self, words: &[&str]) -> Value {
        let ran = self.usage(&[&["--json"], words].concat());
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", ran.out);
        serde_json::from_str(&ran.out).unwrap()
    }

    /// A session of these lines in a project, each of them so many days old.
    fn session_of(&self, id: &str, cwd: &str, forked_from: Option<&str>, lines: &[(u64, Value)]) {
        let at = |days: u64| {
            let moment = Utc::now().checked_sub_days(Days::new(days)).unwrap();
            moment.to_rfc3339_opts(SecondsFormat::Millis, true)
        };
        let mut text = json!({ "type": "session_started", "entry": "e1", "at": at(9), "id": "e1",
            "session": id, "cwd": cwd, "model": "a/first", "forked_from": forked_from })
        .to_string();
        for (number, (days, line)) in lines.iter().enumerate() {
            let mut line = line.clone();
            line["entry"] = format!("e{}", number + 2).into();
            line["at"] = at(*days).into();
            text += &format!("\n{line}");
        }
        let folder = self.place().join("state/countersign/sessions/2026/11");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(format!("{id}.jsonl")), text + "\n").unwrap();
    }
}

fn answer(model: &str, cost: Option<f64>) -> Value {
    json!({ "type": "agent_response", "model": model, "text": "x",
        "usage": { "input": 100, "output": 10, "cache_read": 40, "cost_usd": cost } })
}

fn tool(name: &str, is_error: bool) -> Value {
    json!({ "type": "tool_result", "name": name, "content": "agent_response", "is_error": is_error })
}

/// Two sessions; the second is a fork of the first, which has its first two answers.
fn spent() -> World {
    let world = World::new();
    let of_first = [
        (8, answer("a/first", Some(1.0))),
        (8, tool("read", false)),
        (0, answer("a/second", Some(0.25))),
        (0, json!({ "type": "tombstone", "target": "e4", "reason": "the stream broke" })),
        (0, json!({ "type": "transition", "turn": 2, "reason": "transient_retry" })),
        (0, answer("a/second", Some(0.5))),
        (0, tool("read", true)),
        (
            0,
            json!({ "type": "compaction", "model": "a/third", "usage": { "input": 5, "output": 5, "cost_usd": null } }),
        ),
        (0, json!({ "type": "error", "message": "it broke", "next": "try again" })),
    ];
    world.session_of("one", "/project/one", None, &of_first);
    let of_fork = [&of_first[..3], &[(0, answer("a/first", Some(2.0)))]].concat();
    world.session_of("two", "/project/two", Some("one@e4"), &of_fork);
    world
}

#[test]
fn an_import_of_a_session_that_is_here_is_not_counted_again() {
    let world = World::new();
    world.exec(&["--script", r#"["a"]"#, "x"]);
    let exported = world.place().join("own.jsonl");
    fs::write(&exported, world.sessions_cli(&["export", "--last", "--json"]).out).unwrap();
    let before = world.usage_json(&[]);
    let imported = world.sessions_cli(&["import", exported.to_str().unwrap()]);
    assert_eq!((imported.code, world.sessions().len()), (0, 2), "{imported:?}");
    assert_eq!(world.usage_json(&[])["total"], before["total"]);
    // What it goes on with is its own; and without the other one, all of it counts.
    let id = imported.out.split_whitespace().next().unwrap().to_owned();
    world.exec(&["--resume", &id, "--script", r#"["b"]"#, "y"]);
    assert_eq!(world.usage_json(&[])["total"]["answers"], 2);
    let first = world.sessions().into_iter().find(|path| !path.to_string_lossy().contains(&id)).unwrap();
    fs::remove_file(first).unwrap();
    assert_eq!(world.usage_json(&[])["total"]["answers"], 2);
}

#[test]
fn an_estimate_of_the_cost_is_for_answers_that_have_one() {
    let world = World::new();
    for _ in 0..2 {
        world.exec(&["--script", r#"["a"]"#, "x"]);
    }
    let price = ["-c", "models.script.usd_in=100", "-c", "models.script.usd_out=100"];
    world.exec(&[&price[..], &["--script", r#"["hello"]"#, "hello"]].concat());
    let said = world.usage(&[]).out;
    assert!(said.contains("of it is an estimate for 1 answer without"), "{said}");
    assert!(said.contains("2 requests without a known price"), "{said}");
}

#[test]
fn what_errors_and_retries_cost_is_in_the_sum_and_what_a_fork_inherited_is_not() {
    let world = spent();
    let all = world.usage_json(&[]);
    let total = &all["total"];
    let expected = [
        ("answers", json!(5)),
        ("cost_usd", json!(3.75)),
        ("input", json!(405)),
        ("cache_read", json!(160)),
        ("answers_without_price", json!(1)),
        ("withdrawn_answers", json!(1)),
        ("withdrawn_cost_usd", json!(0.25)),
        ("retries", json!(1)),
        ("errors", json!(1)),
        ("tool_calls", json!(2)),
        ("failed_tool_calls", json!(1)),
    ];
    for (name, value) in expected {
        assert_eq!(total[name], value, "{name} in {all}");
    }
    for by in ["model", "project", "tool", "day"] {
        let all = world.usage_json(&["--by", by]);
        let nulls = all["rows"].as_array().unwrap().iter().any(|row| row.to_string().contains("null"));
        assert!(!nulls, "an unknown price has no member: {all}");
    }
    let costs = |by: &str| -> Vec<(String, Value)> {
        let rows = world.usage_json(&["--by", by])["rows"].clone();
        let rows = rows.as_array().unwrap().iter();
        rows.map(|row| (row[by].as_str().unwrap().to_owned(), row["cost_usd"].clone())).collect()
    };
    let named = |rows: &[(&str, Value)]| -> Vec<(String, Value)> {
        rows.iter().map(|(name, cost)| ((*name).to_owned(), cost.clone())).collect()
    };
    let by_model = [("a/first", json!(3.0)), ("a/second", json!(0.75)), ("a/third", Value::Null)];
    assert_eq!(costs("model"), named(&by_model));
    assert_eq!(costs("project"), named(&[("/project/one", json!(1.75)), ("/project/two", json!(2.0))]));
    assert_eq!(costs("tool"), named(&[("read", Value::Null)]));
    assert_eq!(costs("day").len(), 2);
}

#[test]
fn days_count_back_from_today() {
    let world = spent();
    assert_eq!(world.usage_json(&["--days", "2"])["total"]["cost_usd"], 2.75);
    assert_eq!(world.usage_json(&["--days", "10"])["total"]["cost_usd"], 3.75);
    let since = Local::now().date_naive().format("%Y-%m-%d").to_string();
    assert_eq!(world.usage_json(&["--days", "1"])["since"], since);
    for wrong in ["0", "-1", "x"] {
        assert_eq!(world.usage(&["--days", wrong]).code, 2, "{wrong}");
    }
    assert_eq!(world.usage(&["--by", "moon"]).code, 2);
}

#[test]
fn the_table_is_for_people() {
    let world = spent();
    let ran = world.usage(&[]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let lines: Vec<Vec<&str>> = ran.out.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines[0], ["model", "answers", "input", "output", "cached", "cost", "retries", "errors"]);
    assert_eq!(lines[2], ["a/second", "2", "200", "20", "80", "$0.75", "1", "0"]);
    assert_eq!(lines[4][..2], ["total", "5"]);
    assert!(ran.out.contains("$0.25 of it is for 1 answer that errors cut off.\n"), "{}", ran.out);
    assert!(
        ran.out.ends_with("1 request without a known price: their cost is not in the sums.\n"),
        "{}",
        ran.out
    );
    let by_tool = world.usage(&["--by", "tool"]).out;
    assert!(by_tool.contains("read") && !by_tool.contains('$') && !by_tool.contains("price"), "{by_tool}");
    let world = World::new();
    let ran = world.usage(&[]);
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (0, "", "note: nothing has been spent yet\n"));
    let none = world.usage_json(&[]);
    assert_eq!((&none["total"]["cost_usd"], &none["rows"]), (&json!(0.0), &json!([])), "{none}");
}

#[test]
fn answers_without_a_count_of_tokens_are_named_as_estimates() {
    let world = World::new();
    world.json(&["--script", r#"["Done."]"#, "go"]);
    let said = world.usage(&[]).out;
    let wanted = "The tokens of 1 answer are estimates, as no count came with them: cut short, or of a model that reports no counts, \
                  as a scripted one.\n";
    assert!(said.contains(wanted), "{said}");
}

#[test]
fn a_file_that_is_no_session_is_named_and_the_others_count() {
    let world = spent();
    let folder = world.place().join("state/countersign/sessions/2026/11");
    fs::write(folder.join("bad.jsonl"), "not a session\n").unwrap();
    let pipe = folder.join("pipe.jsonl");
    assert!(std::process::Command::new("mkfifo").arg(pipe).status().unwrap().success());
    let ran = world.usage(&[]);
    assert_eq!(ran.code, 0);
    assert!(ran.err.contains("bad.jsonl: its first line is not session_started; not counted"), "{}", ran.err);
    assert!(ran.err.contains("pipe.jsonl: it is not a regular file; not counted"), "{}", ran.err);
    assert!(ran.err.contains("note: 2 sessions were not counted, or only in part"), "{}", ran.err);
    assert!(ran.out.contains("$3.75"), "{}", ran.out);
    // A line that is none of a session may have been one that says what was spent.
    let path =
        world.sessions().into_iter().find(|path| !path.ends_with("bad.jsonl") && path.is_file()).unwrap();
    fs::write(&path, fs::read_to_string(&path).unwrap() + "garbage\n").unwrap();
    let told = world.usage(&[]).err;
    assert!(
        told.contains("is not well-formed (line ") && told.contains(": it is not a JSON object)"),
        "{told}"
    );
    assert!(told.contains("note: 3 sessions were not counted, or only in part"), "{told}");
    let all: Value = serde_json::from_str(&world.usage(&["--json"]).out).unwrap();
    let left_out = (&all["sessions_not_counted"], &all["sessions_counted_in_part"]);
    assert_eq!(left_out, (&json!(2), &json!(1)), "{all}");
    let written = fs::read_to_string(&path).unwrap().replace("garbage\n", "");
    fs::write(&path, &written).unwrap();
    fs::write(path.with_extension("head"), format!("{} {:064}\n", written.lines().count() + 1, 0)).unwrap();
    let told = world.usage(&[]).err;
    assert!(told.contains("(one more line was on disk and is missing here)"), "{told}");
}

#[test]
fn real_sessions_are_counted() {
    let world = World::new();
    let call = json!({ "tool_calls": [{ "name": "read", "arguments": { "path": "one.txt" } }] });
    assert_eq!(world.exec(&["--script", &script(json!([call, "Done."])), "go"]).code, 0);
    let all = world.usage_json(&["--by", "project"]);
    let row = &all["rows"][0];
    assert_eq!((&row["answers"], &row["tool_calls"]), (&json!(2), &json!(1)), "{all}");
    assert_eq!(row["project"], world.work().to_string_lossy().as_ref());
}

/// A sub-agent, or a lane of a race, works in a worktree that was made from the folder of the session above it.
#[test]
fn a_sub_agent_counts_to_the_project_of_the_session_above_it() {
    let world = World::new();
    let above = "01a212db-4b20-75c8-900c-a85deed01609";
    world.session_of(above, "/project/one", None, &[(0, answer("a/first", Some(1.0)))]);
    for (id, folder) in [(format!("{above}-c2"), "/state/a-2"), (format!("{above}-c2-c1"), "/state/a-2-1")] {
        world.session_of(&id, folder, None, &[(0, answer("a/first", Some(0.5)))]);
    }
    let gone = "01a212db-4b20-75c8-900c-a85deed0160a-c1";
    world.session_of(gone, "/state/gone", None, &[(0, answer("a/first", Some(0.25)))]);
    let all = world.usage_json(&["--by", "project"]);
    let rows = all["rows"].as_array().unwrap();
    let mut costs: Vec<_> =
        rows.iter().map(|row| (row["project"].as_str().unwrap(), &row["cost_usd"])).collect();
    costs.sort_by_key(|(project, _)| *project);
    assert_eq!(costs, [("/project/one", &json!(2.0)), ("/state/gone", &json!(0.25))], "{all}");
}

/// The same as the ledger: all that was set aside, of which the sub-agent's own session may have recorded a part.
#[test]
fn what_was_set_aside_for_a_task_of_which_nothing_is_known_is_in_the_sum() {
    let settled = |call: &str, cost: f64, is_assumed: bool| {
        json!({ "type": "escrow_settled", "call": call, "is_assumed": is_assumed, "state": "unknown",
            "spent": { "turns": 1, "tool_calls": 0, "wall_ms": 1,
                "usage": { "input": 500, "output": 50, "cost_usd": cost } } })
    };
    let world = World::new();
    let above = "01a212db-4b20-75c8-900c-a85deed01609";
    let own = [
        (0, answer("a/first", Some(1.0))),
        (0, settled("c1", 4.0, true)),
        (0, settled("c2", 2.0, true)),
        (0, settled("c3", 8.0, false)),
    ];
    world.session_of(above, "/project/one", None, &own);
    world.session_of(&format!("{above}-c1"), "/project/one", None, &[(1, answer("a/second", Some(0.5)))]);
    world.session_of(
        &format!("{above}-c1-c9"),
        "/project/one",
        None,
        &[(1, answer("a/second", Some(0.25))), (1, settled("c1", 0.25, true))],
    );
    let all = world.usage_json(&[]);
    assert_eq!((all["total"]["cost_usd"].as_f64(), all["total"]["input"].as_u64()), (Some(7.0), Some(1_300)));
    assert_eq!(
        (all["total"]["answers"].as_u64(), all["total"]["assumed_tasks"].as_u64()),
        (Some(3), Some(3))
    );
    let set_aside = all["rows"].as_array().unwrap().iter().find(|row| row["model"] == "(set aside)").unwrap();
    assert_eq!(set_aside["cost_usd"].as_f64(), Some(5.25));
    assert_eq!(all["total"]["assumed_cost_usd"].as_f64(), Some(5.25));
    let table = world.usage(&[]).out;
    assert!(table.contains("$5.25 of it was set aside for 3 tasks"), "{table}");
    let by_project = world.usage_json(&["--by", "project"]);
    assert_eq!(by_project["rows"][0]["cost_usd"].as_f64(), Some(7.0));
}
