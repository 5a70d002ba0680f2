//! Going on after an interruption, against a strict server: every history that comes back is accepted.

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::books;
use crate::model_server::{ModelServer, Part, Reply, gate};
use crate::servers::{ALL, ANTHROPIC, KEY, OPENAI, Speech, accepted};
use crate::world::World;

/// Asks the session to go on twice, once with a tool; gives the bodies that were sent. The last of the results
/// that the first run tells is its own; those before it are of calls that a crash left open.
fn goes_on(world: World, speech: Speech) -> (World, Vec<Value>) {
    let server = ModelServer::start(vec![
        Reply::call("again_1", "read", &json!({ "path": "two.txt" })),
        Reply::text("Gone on."),
        Reply::text("And on."),
    ]);
    let world = world.with(speech.url, &server.base_url()).with(speech.key, KEY);
    let words = ["-m", speech.model, "--last"];
    let first = world.json(&[&words[..], &["go on"]].concat());
    assert_eq!((first.code, first.outcomes().pop().as_deref()), (0, Some("ok")), "{speech:?}: {}", first.err);
    let second = world.json(&[&words[..], &["and on"]].concat());
    assert_eq!((second.code, second.reason().as_str()), (0, "completed"));
    assert!(books::open_calls(&world.session_file()).is_empty());
    let sent = accepted(&server);
    (world, sent)
}

#[test]
fn after_path_a() {
    for speech in ALL {
        let (wait, _never) = gate();
        let parts = vec![Part::Thinking("Hm.".to_owned()), Part::text("Partly said"), wait];
        let (server, world) = speech.serve(vec![Reply::Stream(parts)]);
        let mut run = world.begin(&["--json", "hi"]);
        run.until(|event| event["type"] == "text_delta");
        run.signal(Signal::INT);
        let ran = run.finish();
        assert_eq!((ran.code, ran.reason().as_str()), (130, "aborted_streaming"));
        accepted(&server);
        let (_, sent) = goes_on(world, speech);
        assert!(sent[0].to_string().contains("Partly said"), "what was said is remembered: {}", sent[0]);
    }
}

#[test]
fn after_an_interruption_in_thinking() {
    for speech in ALL {
        let (wait, _never) = gate();
        let (server, world) = speech.serve(vec![Reply::Stream(vec![Part::Thinking("Hm.".to_owned()), wait])]);
        let mut run = world.begin(&["--json", "hi"]);
        run.until(|event| event["type"] == "thinking_delta");
        run.signal(Signal::INT);
        assert_eq!(run.finish().code, 130);
        accepted(&server);
        goes_on(world, speech);
    }
}

#[test]
fn after_path_b() {
    for speech in ALL {
        let (wait, _never) = gate();
        let (server, world) = speech.serve(vec![Reply::Stream(vec![
            Part::call("a", "read", &json!({ "path": "one.txt" })),
            Part::call("b", "read", &json!({ "path": "two.txt" })),
            Part::text("And more"),
            wait,
        ])]);
        let mut run = world.begin(&["--json", "hi"]);
        run.until(|event| event["type"] == "text_delta");
        run.signal(Signal::INT);
        let ran = run.finish();
        books::check_run(&ran, &world.session_text());
        assert_eq!((ran.code, ran.outcomes()), (130, vec!["aborted".to_owned(); 2]), "{speech:?}");
        for result in ran.all("tool_result") {
            assert_eq!(result["content"], "Interrupted by user; was not started");
            assert_eq!(result["abort"]["path"], "B");
        }
        accepted(&server);
        goes_on(world, speech);
    }
}

#[test]
fn after_path_c() {
    for speech in ALL {
        let (world, mut run, mut beacon, server) = command_that_stays(speech);
        run.until(|event| event["type"] == "progress" && event["target"] == "shell");
        beacon.lit();
        run.signal(Signal::INT);
        let ran = run.finish();
        beacon.gone();
        books::check_run(&ran, &world.session_text());
        assert_eq!(
            (ran.code, ran.outcomes()),
            (130, vec!["ok".to_owned(), "aborted".into(), "aborted".into()])
        );
        accepted(&server);
        let (_, sent) = goes_on(world, speech);
        let history = sent[0].to_string();
        for words in ["first line", "effects may be partial", "was not started", "go on"] {
            assert!(history.contains(words), "{speech:?}: {words}");
        }
    }
}

#[test]
fn after_a_crash() {
    for speech in ALL {
        let (world, run, mut beacon, server) = command_that_stays(speech);
        beacon.lit();
        run.kill();
        beacon.put_out();
        accepted(&server);
        assert!(!books::open_calls(&world.session_file()).is_empty());
        let (world, sent) = goes_on(world, speech);
        let outcomes: Vec<Value> = world
            .entries()
            .iter()
            .filter(|e| e["type"] == "tool_result")
            .map(|e| e["outcome"].clone())
            .collect();
        assert_eq!(outcomes, ["ok", "lost", "lost", "ok"]);
        let history = sent[0].to_string();
        assert!(
            history.contains("effects may be partial") && history.contains("was not started"),
            "{history}"
        );
    }
}

#[test]
fn after_every_other_ending() {
    let list = || Reply::call("a", "list", &json!({}));
    let cut =
        |speech: Speech| Reply::Stream(vec![Part::text("half an ans"), Part::Stop(speech.length.to_owned())]);
    for speech in ALL {
        let endings: [(&str, &[&str], Vec<Reply>); 8] = [
            ("model_error", &[], vec![Reply::error(400, "invalid_request_error", "no")]),
            ("model_error", &[], vec![list(), Reply::error(401, "authentication_error", "no")]),
            ("max_turns", &["--max-turns", "0"], vec![]),
            ("max_turns", &["--max-turns", "1"], vec![list()]),
            ("max_tool_calls", &["--max-tool-calls", "0"], vec![list()]),
            ("no_final_answer_or_tool_call", &[], vec![Reply::text(""), Reply::text("")]),
            ("output_cut_off", &[], vec![cut(speech), cut(speech), cut(speech), cut(speech)]),
            (
                "approval_required",
                &["--on-approval", "stop"],
                vec![Reply::Stream(vec![
                    Part::call("a", "shell", &json!({ "command": "touch never" })),
                    Part::call("b", "read", &json!({ "path": "one.txt" })),
                ])],
            ),
        ];
        for (ending, words, replies) in endings {
            let (server, world) = speech.serve(replies);
            let ran = world.json(&[words, &["hi"]].concat());
            assert_eq!(ran.reason(), ending, "{speech:?} {words:?}: {}", ran.err);
            drop(server);
            goes_on(world, speech);
        }
    }
}

type ResumedWorld = (World, crate::running::Running, crate::running::Beacon, ModelServer);

/// A run in the middle of its second call of three.
fn command_that_stays(speech: Speech) -> ResumedWorld {
    let signed = Part::Thinking("A signed thought.".to_owned());
    let (server, world) = speech.serve(Vec::new());
    drop(server);
    let (command, beacon) = world.beacon();
    let server = ModelServer::start(vec![Reply::Stream(vec![
        signed,
        Part::text("I begin."),
        Part::call("a", "read", &json!({ "path": "one.txt" })),
        Part::call("b", "shell", &json!({ "command": command })),
        Part::call("b", "shell", &json!({ "command": "touch never" })),
    ])]);
    let world = world.with(speech.url, &server.base_url());
    let run = world.begin(&["--json", "--mode", "unrestricted", "hi"]);
    (world, run, beacon, server)
}

#[test]
fn from_one_provider_to_the_other_and_back() {
    let (server, world) = ANTHROPIC.serve(vec![
        Reply::Stream(vec![
            Part::Thinking("Signed by the first.".to_owned()),
            Part::call("toolu_1", "read", &json!({ "path": "one.txt" })),
        ]),
        Reply::Stream(vec![Part::Thinking("More.".to_owned()), Part::text("Read.")]),
    ]);
    assert_eq!(world.json(&["read it"]).code, 0);
    accepted(&server);
    let (world, _) = goes_on(world, OPENAI);
    let (world, _) = goes_on(world, ANTHROPIC);
    let (_, sent) = goes_on(world, OPENAI);
    assert!(
        sent[0].to_string().contains("first line") && !sent[0].to_string().contains("Signed by the first")
    );
}

#[test]
fn a_session_keeps_its_model() {
    for speech in ALL {
        let (server, world) = speech.serve(vec![Reply::text("One.")]);
        assert_eq!(world.json(&["hi"]).code, 0);
        accepted(&server);
        let more = ModelServer::start(vec![Reply::text("Two.")]);
        // The variables speak for another model now: the session's own counts, unless one is named.
        let world = world.with("COUNTERSIGN_MODEL", "").with(speech.url, &more.base_url());
        let ran = world.json(&["--last", "again"]);
        assert_eq!(
            (ran.code, ran.one("agent_response")["model"].clone()),
            (0, json!(speech.model)),
            "{}",
            ran.err
        );
        accepted(&more);
    }
}

#[test]
fn a_result_in_colours_is_sent_without_them_and_alike_after_a_resume() {
    let command = "printf '\\033[32mgreen\\033[0m 10 %%\\r\\033[Kdone \\033]0;title\\007\\n'";
    for speech in ALL {
        let server = ModelServer::start(vec![
            Reply::call("first_1", "shell", &json!({ "command": command })),
            Reply::text("Done."),
            Reply::text("And on."),
        ]);
        let world = World::new().with(speech.url, &server.base_url()).with(speech.key, KEY);
        let words = ["-m", speech.model, "--mode", "unrestricted"];
        assert_eq!(world.json(&[&words[..], &["run it"]].concat()).code, 0, "{speech:?}");
        assert_eq!(world.json(&[&words[..], &["--last", "go on"]].concat()).code, 0, "{speech:?}");
        let results: Vec<String> =
            accepted(&server).iter().skip(1).map(|body| result_of(body, "done")).collect();
        assert_eq!(results, ["done", "done"], "{speech:?}");
        let books = world.session_text();
        assert!(books.contains(r"green\u001b[0m 10 %\r\u001b[Kdone") && !books.contains('\u{1b}'), "{books}");
    }
}

/// The text in a request that is or holds these words; in none is there a character that controls a terminal.
fn result_of(body: &Value, words: &str) -> String {
    fn texts<'v>(value: &'v Value, all: &mut Vec<&'v str>) {
        match value {
            Value::String(text) => all.push(text),
            Value::Array(values) => values.iter().for_each(|value| texts(value, all)),
            Value::Object(members) => members.values().for_each(|value| texts(value, all)),
            _ => {}
        }
    }
    let mut all = Vec::new();
    texts(body, &mut all);
    assert!(all.iter().all(|text| !text.contains(['\u{1b}', '\r'])), "{all:?}");
    all.iter().find(|text| text.trim() == words).unwrap_or_else(|| panic!("{all:?}")).trim().to_owned()
}
