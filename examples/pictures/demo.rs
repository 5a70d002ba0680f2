//! What is played for the pictures, and which screens become one.

use std::fs;

use countersign::wire::record::Chain;
use serde_json::{Value, json};

use crate::app::{App, Home, Program};
use crate::settle::{SESSION, abroad, settled};
use crate::svg::{Ground, draw};

/// Most screens have this size.
const USUAL: (u16, u16) = (104, 34);
const DARK: &str = "countersign-dark";

/// What it may cost, and the prices that this needs.
const LIMITS: &[&str] =
    &["--max-cost", "2", "-c", "models.\"script\".usd_in=3", "-c", "models.\"script\".usd_out=15"];

/// A picture and its file name.
pub struct Picture {
    pub name: &'static str,
    pub svg: String,
}

/// The project of the demonstration.
const FILES: &[(&str, &str)] = &[
    (".git/HEAD", "ref: refs/heads/main\n"),
    (
        "src/parser.rs",
        "//! A small parser.\npub fn parse(input: &str) -> Result<u32, String> {\n    if input.is_empty() {\n        \
         return Err(\"empty input\".into());\n    }\n    input.trim().parse().map_err(|e| format!(\"not a number: {e}\"))\n}\n",
    ),
    ("tests/parser.rs", "#[test]\nfn empty_input_is_an_error() {}\n"),
    // Writes as a test run would, tells that it has, and then stays until it is ended.
    (
        "run-tests.sh",
        "for i in 1 2 3 4 5 6; do echo \"test $1::case_$i ... ok\"; done\ntouch ../ran\nsleep 600\n",
    ),
];

fn script() -> Value {
    let usage =
        |input: u64, output: u64, cost: f64| json!({ "input": input, "output": output, "cost_usd": cost });
    let explains = "The check on line 3 returns before `trim`, so **empty** input and *blank* input are told apart:\n\n\
                    ```rust\nif input.is_empty() {\n    return Err(\"empty input\".into());\n}\n```\n\n\
                    I'll let blank input take the same way, and run the tests.";
    let edit = json!({ "path": "src/parser.rs", "edits": [
        { "old_text": "if input.is_empty()", "new_text": "if input.trim().is_empty()" },
    ]});
    json!([
        { "thinking": "Look before the change.", "text": "I'll read the parser and look for its tests.", "tool_calls": [
            { "name": "read", "arguments": { "path": "src/parser.rs" } },
            { "name": "search", "arguments": { "pattern": "empty", "path": "tests" } },
        ], "usage": usage(2_140, 118, 0.0082) },
        { "text": "One test names it; I'll see how it is called.", "tool_calls": [
            { "name": "read", "arguments": { "path": "tests/parser.rs" } },
        ], "usage": usage(2_610, 64, 0.0088) },
        { "text": explains, "tool_calls": [
            { "name": "edit", "arguments": edit },
            { "name": "shell", "arguments": { "command": "sh run-tests.sh parser" } },
        ], "usage": usage(3_180, 236, 0.0131) },
    ])
}

const QUESTION: &str = "Why does the parser treat blank input as a number? Fix it.";

/// Plays until two calls wait.
fn waiting(program: &Program) -> (Home, App) {
    let home = Home::new(FILES);
    let script = script().to_string();
    let mut app = App::start(program, &home, USUAL, &[&["--script", &script], LIMITS].concat());
    app.sees("ask anything");
    app.keys(&format!("{QUESTION}\r"));
    app.sees("1 of 2");
    (home, app)
}

/// The session of a home, as it is the same every time.
fn settle(home: &Home) {
    rewrite(home, settled);
}

fn rewrite(home: &Home, how: fn(&str, &str) -> String) {
    let path = home.session();
    // Receipts name their session, too.
    let id = path.file_stem().unwrap().to_str().unwrap();
    let lines = fs::read_to_string(&path).unwrap().replace(id, SESSION);
    fs::remove_file(&path).unwrap();
    let settled = how(&lines, &home.root().display().to_string());
    let mut chain = Chain::default();
    let line = |line: &str| chain.line(serde_json::from_str(line).unwrap(), &mut || [0; 16]) + "\n";
    let settled: String = settled.lines().map(line).collect();
    fs::remove_file(path.with_extension("head")).ok();
    let path = path.with_file_name(format!("{SESSION}.jsonl"));
    fs::write(&path, settled).unwrap();
    fs::write(path.with_extension("head"), format!("{} {}\n", chain.lines(), chain.head())).unwrap();
}

/// A home whose session waits for two decisions.
pub fn undecided(program: &Program) -> Home {
    let (home, app) = waiting(program);
    app.quits();
    settle(&home);
    home
}

/// Allows the first call that waits.
fn allow(app: &mut App) {
    app.sees("tab to decide");
    app.rests();
    app.types("\t", "keys go to ");
    app.rests();
    app.keys("y");
}

/// A home whose session was interrupted while a command ran.
fn interrupted(program: &Program) -> Home {
    let (home, mut app) = waiting(program);
    allow(&mut app);
    app.sees("+1 −1");
    allow(&mut app);
    app.waits_for(&home.root().join("ran"));
    app.sees("case_6");
    app.types("\x1b", "interrupted");
    app.sees("ask anything");
    app.quits();
    settle(&home);
    home
}

/// A home whose session has many answers.
fn long(program: &Program) -> Home {
    let home = Home::new(FILES);
    let answer = |n: u64| {
        let (read, written) = (2_100 + n * n * 140, 90 + n * 97 % 240);
        let cost = (read * 3 + written * 15) as f64 / 1e6;
        let usage = json!({ "input": read, "output": written, "cost_usd": cost });
        let calls = json!([{ "name": "read", "arguments": { "path": "src/parser.rs" } }]);
        match n {
            8 | 21 => json!({ "text": "That is all of it.", "usage": usage }),
            _ => json!({ "text": "I'll look again.", "tool_calls": calls, "usage": usage }),
        }
    };
    let script = Value::from((1..=21).map(answer).collect::<Vec<_>>()).to_string();
    let mut app = App::start(program, &home, USUAL, &[&["--script", &script], LIMITS].concat());
    app.sees("ask anything");
    for (question, turns) in [("Explain the parser.", "8 turns"), ("And its errors?", "13 turns")] {
        app.keys(&format!("{question}\r"));
        app.sees(&format!("done · {turns}"));
        app.sees("ask anything");
    }
    app.quits();
    settle(&home);
    home
}

/// One sub-agent has answered, and another waits for a decision. This is the running program: who resumes a session finds its
/// sub-agents ended. Only how long they took is settled.
fn subagents(program: &Program) -> String {
    let usage =
        |input: u64, output: u64, cost: f64| json!({ "input": input, "output": output, "cost_usd": cost });
    let says =
        |text: &str, call: Value, used: Value| json!({ "text": text, "tool_calls": [call], "usage": used });
    let task = |agent: &str, task: &str| json!({ "name": format!("delegate_to_{agent}"), "arguments": { "task": task } });
    let read = json!({ "name": "read", "arguments": { "path": "src/parser.rs" } });
    let edit = json!({ "name": "edit", "arguments": { "path": "src/parser.rs", "edits": [
        { "old_text": "if input.is_empty()", "new_text": "if input.trim().is_empty()" },
    ]}});
    let script = json!([
        says("I'll have the callers looked up first.", task("explore", "Who calls `parse`, and what becomes of its errors?"), usage(2_140, 118, 0.0082)),
        says("", read.clone(), usage(1_320, 44, 0.0046)),
        { "text": "Only tests/parser.rs calls it, and it expects an error for empty input.", "usage": usage(1_700, 61, 0.006) },
        says("Nothing else depends on it, so the change can be made.", task("general", "Let blank input be an error, as empty input is."), usage(2_460, 97, 0.0088)),
        says("", read, usage(1_340, 40, 0.0046)),
        says("", edit, usage(1_780, 120, 0.0071)),
    ]);
    let home = Home::new(FILES);
    let mut app =
        App::start(program, &home, (104, 34), &[&["--script", &script.to_string()], LIMITS].concat());
    app.sees("ask anything");
    app.keys("Treat blank input as an error. Have sub-agents do it.\r");
    app.sees("asked by general");
    app.still();
    let lasted = |text: &str| text.find("1 line · ").map(|from| from..text.trim_end().len());
    app.puts_over(lasted, "1 line · 412 ms");
    draw(app.screen(), &Ground::of(DARK))
}

/// A screen of a settled session.
pub struct Shot<'a> {
    pub size: (u16, u16),
    pub theme: &'a str,
    /// The verb.
    pub verb: &'a str,
    /// Keys, each with what is to be seen after it.
    pub keys: &'a [(&'a str, &'a str)],
}

pub fn shot(program: &Program, home: &Home, shot: &Shot<'_>) -> String {
    let script = json!(["Nothing is left to say."]).to_string();
    let mut arguments = vec![shot.verb, SESSION, "--theme", shot.theme];
    arguments.extend(LIMITS);
    if shot.verb == "resume" {
        arguments.extend(["--script", &script]);
    } else {
        rewrite(home, abroad);
    }
    let mut app = App::start(program, home, shot.size, &arguments);
    for (keys, seen) in shot.keys {
        app.types(keys, seen);
    }
    draw(app.still(), &Ground::of(shot.theme))
}

/// Two calls wait on the least screen.
pub fn small(program: &Program, home: &Home) -> String {
    shot(program, home, &Shot { size: (40, 10), theme: DARK, verb: "resume", keys: &[("", "1 of 2")] })
}

/// All pictures.
pub fn all(program: &Program) -> Vec<Picture> {
    let (undecided, interrupted, long) = (undecided(program), interrupted(program), long(program));
    let usual = |verb, keys| Shot { size: USUAL, theme: DARK, verb, keys };
    let both = [("", "1 of 2"), ("", "y once")];
    let palette = [("", "ask anything"), ("\x10", "everything"), ("mod", "/model")];
    let of_ledger = [("", "turn_ended"), ("/synthetic\r", "mid-execution")];
    [
        ("approval.svg", &undecided, usual("resume", &both)),
        ("light.svg", &undecided, Shot { theme: "countersign-light", ..usual("resume", &both) }),
        ("interrupted.svg", &interrupted, usual("resume", &[("", "interrupted"), ("", "ask anything")])),
        ("palette.svg", &interrupted, usual("resume", &palette)),
        ("ledger.svg", &interrupted, usual("inspect", &of_ledger)),
        ("sees.svg", &interrupted, usual("inspect", &[("", "turn_ended"), ("\t", "request")])),
        ("budgets.svg", &long, usual("inspect", &[("", "turn_ended"), ("\t\t\t", "cost")])),
    ]
    .into_iter()
    .map(|(name, home, wanted)| Picture { name, svg: shot(program, home, &wanted) })
    .chain([
        Picture { name: "small.svg", svg: small(program, &undecided) },
        Picture { name: "subagents.svg", svg: subagents(program) },
    ])
    .collect()
}
