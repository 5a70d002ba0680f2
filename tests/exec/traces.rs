//! Sessions as traces: printed, sent to a collector afterwards, and sent while they run.

use std::fs;

use serde_json::Value;

use crate::collector::{Answer, Collector, spans};
use crate::foreign::{claude, import};
use crate::world::{Ran, World};

const KEY: &str = "sk-test-000111222333";

fn script(command: &str) -> String {
    serde_json::json!([
        { "text": "I look.", "tool_calls": [{ "name": "shell", "arguments": { "command": command } }] },
        "Done."
    ])
    .to_string()
}

/// One run with a command.
fn run(world: &World, command: &str) -> Ran {
    world.exec(&["--mode", "unrestricted", "--script", &script(command), "what is the launch code?"])
}

fn otlp(world: &World, words: &[&str]) -> Ran {
    world.sessions_cli(&[&["otlp", "--last"], words].concat())
}

fn names(spans: &[Value]) -> Vec<&str> {
    spans.iter().map(|span| span["name"].as_str().unwrap()).collect()
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_session_is_printed_as_traces_the_same_each_time() {
    let world = World::new().with("SOME_API_KEY", KEY);
    assert_eq!(run(&world, &format!("echo {KEY}")).code, 0);
    let printed = otlp(&world, &[]);
    assert_eq!(printed.code, 0, "{}", printed.err);
    assert_eq!(printed.out, otlp(&world, &[]).out);
    let told = spans(&lines(&printed.out)[0]);
    assert_eq!(
        names(&told),
        ["chat script", "execute_tool shell", "chat script", "invoke_agent countersign"]
    );
    let session = world.entries()[0]["session"].as_str().unwrap().replace('-', "");
    assert!(told.iter().all(|span| span["traceId"] == session.as_str()), "{}", printed.out);
    assert!(!printed.out.contains("launch code") && !printed.out.contains("echo"), "{}", printed.out);
    let whole = otlp(&world, &["--contents"]);
    assert!(whole.out.contains("launch code") && whole.out.contains("echo (key hidden)"), "{}", whole.out);
    assert!(!whole.out.contains(KEY), "{}", whole.out);
}

#[test]
fn the_spans_of_an_import_say_that_they_are() {
    let world = World::new();
    assert_eq!(import(&world, &claude(&world), &[]).code, 0);
    assert_eq!(world.exec(&["--last", "--script", r#"["Gone on."]"#, "and on"]).code, 0);
    let printed = otlp(&world, &[]);
    assert!(printed.err.contains("came with an import; nobody here saw them decided"), "{}", printed.err);
    let told = spans(&lines(&printed.out)[0]);
    let is_marked = |span: &Value| {
        let mut attributes = span["attributes"].as_array().unwrap().iter();
        attributes.any(|one| one["key"] == "countersign.imported" && one["value"]["boolValue"] == true)
    };
    let (theirs, ours): (Vec<Value>, Vec<Value>) = told.into_iter().partition(is_marked);
    assert_eq!(theirs.iter().filter(|span| span["name"] == "invoke_agent countersign").count(), 1);
    assert_eq!(theirs.iter().filter(|span| span["name"] != "invoke_agent countersign").count(), 3);
    assert_eq!(names(&ours), ["chat script", "invoke_agent countersign"]);
}

#[test]
fn a_failed_call_of_a_model_says_how_it_failed() {
    let world = World::new();
    let script = r#"[{"error":{"status":529,"message":"overloaded","retry_after_ms":1}},{"error":{"status":401,"message":"no"}}]"#;
    assert_eq!(world.exec(&["--script", script, "hello"]).code, 1);
    let printed = otlp(&world, &[]);
    let told = spans(&lines(&printed.out)[0]);
    let errors: Vec<String> = told
        .iter()
        .filter(|span| span["name"] == "chat script")
        .map(|span| {
            let attributes = span["attributes"].as_array().unwrap().iter();
            let kind = attributes.clone().find(|one| one["key"] == "error.type").unwrap();
            kind["value"]["stringValue"].as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(errors, ["transient", "auth"], "{}", printed.out);
}

#[test]
fn a_session_is_sent_to_a_collector() {
    let world = World::new().with("COLLECTOR_TOKEN", "token-0001");
    assert_eq!(run(&world, "true").code, 0);
    let printed = lines(&otlp(&world, &[]).out);
    let collector = Collector::takes_all();
    let header = "authorization: Bearer ${COLLECTOR_TOKEN}";
    let sent = otlp(&world, &["--to", &collector.address, "--header", header, "--header", "x-team: red"]);
    assert_eq!(sent.code, 0, "{}", sent.err);
    assert!(sent.out.contains("4 spans were sent to") && sent.err.is_empty(), "{sent:?}");
    let [seen] = collector.seen().try_into().unwrap();
    assert_eq!((seen.path.as_str(), &seen.body), ("/v1/traces", &printed[0]));
    for header in ["content-type: application/json\r", "authorization: bearer token-0001\r", "x-team: red\r"]
    {
        assert!(seen.headers.contains(header), "{header}: {}", seen.headers);
    }
    let elsewhere = format!("{}/api/otlp?team=red", collector.address);
    let sent = otlp(&world, &["--to", &elsewhere]);
    assert!(sent.code == 0 && !sent.out.contains("team=red"), "{sent:?}");
    assert_eq!(collector.seen()[1].path, "/api/otlp?team=red");
}

#[test]
fn what_a_collector_answers_is_bounded_and_told() {
    let world = World::new();
    assert_eq!(run(&world, "true").code, 0);
    let partial = r#"{"partialSuccess":{"rejectedSpans":"3","errorMessage":"too\u001b[31m old"}}"#.to_owned();
    let cases = [
        (
            Answer::Whole(401, "", "{\"message\":\"who is token-0001?\"}".to_owned()),
            1,
            "answered 401 Unauthorized: {\"message\":\"who is [hidden]?\"}; next: check the headers",
        ),
        (Answer::Whole(500, "", "x".repeat(3_000_000)), 1, "try again later"),
        (
            Answer::Whole(302, "location: http://127.0.0.1:9/\r\n", String::new()),
            1,
            "redirects are not followed",
        ),
        (Answer::Whole(200, "", partial), 1, "the collector refused 3 spans: too[31m old"),
        (Answer::Whole(200, "", "y".repeat(3_000_000)), 0, ""),
        (Answer::Whole(200, "", String::new()), 0, ""),
    ];
    for (answer, code, said) in cases {
        let what = format!("{answer:?}").chars().take(60).collect::<String>();
        let collector = Collector::answering(answer);
        let sent = otlp(&world, &["--to", &collector.address, "--header", "x-key: token-0001"]);
        assert_eq!(sent.code, code, "{what}: {sent:?}");
        assert!(sent.err.contains(said) && sent.err.len() < 1_000, "{what}: {}", sent.err);
        assert_eq!(collector.seen().len(), 1, "{what}");
    }
    let nobody = otlp(&world, &["--to", "http://127.0.0.1:1"]);
    assert!(nobody.code == 1 && nobody.complaint().contains("cannot be reached"), "{nobody:?}");
    for (words, said) in [
        (&["--to", "ftp://x"][..], "the address of the collector"),
        (&["--to", "http://me:secret-word@x"], "without a name and a password"),
        (&["--to", "http://127.0.0.1:1", "--header", "x-y"], "NAME: VALUE"),
        (&["--to", "http://127.0.0.1:1", "--header", "x-y: ${NOT_SET}"], "NOT_SET is not set"),
    ] {
        let ran = otlp(&world, words);
        assert!(ran.code == 2 && ran.complaint().contains(said), "{words:?}: {ran:?}");
        assert!(!ran.err.contains("secret-word"), "{ran:?}");
    }
}

#[test]
fn while_a_session_runs_its_spans_are_those_of_its_file() {
    let collector = Collector::takes_all();
    let config = format!("telemetry.otlp = '{}'\ntelemetry.headers_env = 'MY_HEADERS'\n", collector.address);
    let world = World::new().configured(&config).with("MY_HEADERS", "authorization=Bearer%20token-0001");
    let ran = run(&world, "echo here: $MY_HEADERS");
    assert!(ran.code == 0 && ran.err.is_empty(), "{ran:?}");
    assert!(!world.session_text().contains("token-0001"), "commands do not get the headers");
    assert_eq!(collector.spans(), spans(&lines(&otlp(&world, &[]).out)[0]));
    assert!(collector.seen()[0].headers.contains("authorization: bearer token-0001\r"));
    let before = collector.spans().len();
    let again = world.exec(&["--last", "--mode", "unrestricted", "--script", &script("false"), "again"]);
    assert!(again.code == 0 && again.err.is_empty(), "{again:?}");
    let whole = spans(&lines(&otlp(&world, &[]).out)[0]);
    assert_eq!(collector.spans()[before..], whole[before..], "only what is new");
    let text = serde_json::to_string(&collector.spans()).unwrap();
    assert!(!text.contains("launch code") && !text.contains("echo"), "{text}");
}

#[test]
fn a_collector_that_is_slow_gone_or_hostile_harms_no_run() {
    for answer in [
        Answer::Never,
        Answer::Whole(500, "", "no".to_owned()),
        Answer::Whole(200, "", "z".repeat(5_000_000)),
    ] {
        let fails = !matches!(answer, Answer::Whole(200, ..));
        let what = format!("{answer:?}").chars().take(40).collect::<String>();
        let collector = Collector::answering(answer);
        let world = World::new().configured(&format!("telemetry.otlp = '{}'\n", collector.address));
        let ran = run(&world, "true");
        assert_eq!((ran.code, ran.out.as_str()), (0, "Done.\n"), "{what}: {ran:?}");
        assert_eq!(ran.err.lines().count(), usize::from(fails), "{what}: told once: {}", ran.err);
        let advice = format!("--to {}` sends it again", collector.address);
        assert!(!fails || (ran.err.contains("not sent") && ran.err.contains(&advice)), "{what}: {}", ran.err);
    }
    let world = World::new().configured("telemetry.otlp = 'http://127.0.0.1:1'\n");
    let ran = run(&world, "true");
    assert!(ran.code == 0 && ran.err.contains("cannot be reached"), "{ran:?}");
}

#[test]
fn nothing_is_sent_unless_the_user_says_where() {
    let collector = Collector::takes_all();
    let world = World::new().with("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.address);
    fs::create_dir_all(world.work().join(".countersign")).unwrap();
    let config = format!("telemetry.otlp = '{}'\n", collector.address);
    fs::write(world.work().join(".countersign/config.toml"), config).unwrap();
    let ran = run(&world, "true");
    assert!(ran.code == 0 && ran.err.contains("`telemetry.otlp` is ignored"), "{ran:?}");
    assert!(collector.seen().is_empty());
}

#[test]
fn commands_and_hooks_get_no_variables_of_telemetry_unless_one_is_named() {
    let variables = ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_SERVICE_NAME", "TRACEPARENT"];
    let look = "env | grep -E '^(OTEL_|TRACE)' | sort | tr '\\n' ' '";
    for (config, expected) in [("", ""), ("tools.pass_env = ['OTEL_SERVICE_NAME']\n", "OTEL_SERVICE_NAME=x ")]
    {
        let hook = format!("{config}[[hooks.user_prompt]]\ncommand = \"({look}) > hook.txt\"\n");
        let world = World::new().configured(&hook.replace('\\', "\\\\"));
        let world = variables.iter().fold(world, |world, name| world.with(name, "x"));
        let ran = run(&world, &format!("({look}) > shell.txt"));
        assert_eq!(ran.code, 0, "{ran:?}");
        assert_eq!(world.file("shell.txt"), expected);
        assert_eq!(world.file("hook.txt"), expected);
    }
}
