//! A2A agents in the real binary, as people meet them: listed, tested, trusted, with keys that nobody sees.

mod cards;
mod delegated;
mod reserved;
mod trusted;

use std::fs;

use serde_json::json;

use crate::mcp;
use crate::world::{Ran, World, script, text};
use cards::Cards;

pub(super) const KEY: &str = "planted-0123456789-key";

pub(super) fn run(world: &World, words: &[&str]) -> Ran {
    let output = world.program().args(words).output().unwrap();
    Ran::of(output.status, output.stdout, output.stderr)
}

/// One task for an agent, and an answer.
pub(super) fn task(agent: &str) -> String {
    let call = json!({ "id": "a", "name": format!("delegate_to_{agent}"), "arguments": { "task": "Look." } });
    script(json!([{ "tool_calls": [call] }, "Done."]))
}

/// The project's own configuration.
pub(super) fn of_project(world: &World, text: &str) {
    let file = world.work().join(".countersign/config.toml");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

#[test]
fn agents_are_listed_and_nobody_is_reached() {
    let world = World::new();
    assert!(run(&world, &["agents", "list"]).out.starts_with("No agent elsewhere is configured."));
    assert_eq!(run(&world, &["agents", "test"]).code, 0);
    let cards = Cards::new("Reviewer");
    let world = world.configured(&format!(
        "[agents.reviewer]\nurl = '{}/?k=planted'\nheaders.X-Key = '${{TEAM_KEY:-planted}}'\n\
         description = 'Reviews.'\n[agents.off]\nurl = 'https://h.example/'\nenabled = false\n",
        cards.address()
    ));
    of_project(&world, "[agents.theirs]\nurl = 'https://evil.example/'\n");
    let ran = run(&world, &["agents", "list"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    for shown in [
        &format!("reviewer\n  reaches {}/?…\n", cards.address()),
        "  is sent the headers X-Key with TEAM_KEY of your environment\n",
        "  the model is told: Reviews.\n",
        "config/countersign/config.toml:2: yours\n",
        "off\n  reaches https://h.example/\n",
        "config.toml:6: yours, switched off\n",
        "theirs\n  reaches https://evil.example/\n",
        ".countersign/config.toml:2: not trusted, so nothing reaches it: `countersign trust`\n",
    ] {
        assert!(ran.out.contains(shown), "{shown} in {}", ran.out);
    }
    assert!(!ran.out.contains("planted"), "{}", ran.out);
    assert_eq!(cards.asked(), 0);
}

#[test]
fn agents_are_tested_by_their_cards() {
    let cards = Cards::new("Reviewer \u{1b}[2J");
    let world = World::new().with("TEAM_KEY", KEY).configured(&format!(
        "[agents.reviewer]\nurl = '{}'\nheaders.X-Key = '${{TEAM_KEY}}'\n",
        cards.address()
    ));
    for words in [&["agents", "test"][..], &["agents", "test", "reviewer"]] {
        let ran = run(&world, words);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", ran.out);
        assert!(ran.out.starts_with("reviewer: answers as Reviewer "), "{}", ran.out);
        for shown in [
            " 2.3.4, protocol 1.0\n",
            &format!("  tasks go to {}", cards.address()),
            "; it reports its progress\n",
            "  skills: Reading diffs\n",
            "  tool: delegate_to_reviewer, sends\n",
        ] {
            assert!(ran.out.contains(shown), "{shown} in {}", ran.out);
        }
        assert!(!ran.out.contains('\u{1b}'), "{:?}", ran.out);
    }
    let heads = cards.heads();
    assert!(heads.iter().all(|head| head.starts_with("GET ")), "no task is sent: {heads:?}");
    assert!(heads.iter().any(|head| head.to_lowercase().contains(&format!("x-key: {KEY}"))), "{heads:?}");
    let ran = run(&world, &["-c", &format!("agents.gone.url={}/gone/", cards.address()), "agents", "test"]);
    assert_eq!(ran.code, 1, "{}", ran.out);
    assert!(
        ran.out.contains("gone: does not answer\n  ") && ran.out.contains("reviewer: answers as "),
        "{}",
        ran.out
    );
}

#[test]
fn what_cannot_be_tested_says_why() {
    let world = World::new().with("TEAM_KEY", "line one\nplanted").with("ADDRESS", "planted").configured(
        "[agents.reviewer]\nurl = 'https://h.example/'\nheaders.A = '${NOT_SET}'\n\
         [agents.lines]\nurl = 'https://h.example/'\nheaders.A = '${TEAM_KEY}'\n[agents.nowhere]\nurl = '${ADDRESS}'\n\
         [agents.no]\nenabled = false\n",
    );
    of_project(&world, "[agents.theirs]\nurl = 'https://evil.example/'\n");
    for (name, wanted) in [
        (
            "reviewer",
            "config.toml:3: agents.reviewer.headers.A: the variable NOT_SET is not set; next: set NOT_SET, or write \
             ${NOT_SET:-DEFAULT} there",
        ),
        ("lines", "config.toml:6: agents.lines.headers.A: must be plain ASCII on one line"),
        ("nowhere", "config.toml:8: agents.nowhere.url: must be an address that begins with"),
        ("reviewr", "there is no agent reviewr; next: did you mean reviewer? `countersign agents list`"),
        ("no", "agent no is switched off ("),
        (
            "no",
            "config.toml:10), and nothing else is configured for it; next: configure there how it is reached",
        ),
        ("theirs", "agent theirs is configured in "),
        (
            "theirs",
            "whose folder is not trusted; next: run `countersign trust` to see what it would reach and \
            decide",
        ),
    ] {
        let ran = run(&world, &["agents", "test", name]);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{name}");
        assert!(ran.complaint().contains(wanted), "{}", ran.err);
        assert!(!ran.err.contains("planted"), "{}", ran.err);
    }
    let ran = run(&world, &["agents", "test"]);
    assert_eq!((ran.code, ran.err.as_str()), (1, ""), "{}", ran.out);
    assert_eq!(ran.out.matches(": does not answer\n  ").count(), 3, "{}", ran.out);
    assert!(!ran.out.contains("planted") && !ran.out.contains("theirs"), "{}", ran.out);
}

#[test]
fn what_a_session_does_without_is_told_to_people_and_to_the_model() {
    let world = World::new().configured(
        "[agents.unset]\nurl = 'https://h.example/'\nheaders.A = '${NOT_SET}'\n\
         [mcp_servers.lacking]\ncommand = 'x'\nenv.A = '${NOR_THIS}'\n",
    );
    let agent = "The agent unset is not reached: ";
    let server = "The MCP server lacking is not started: ";
    let ran = world.json(&["--script", &task("unset"), "go"]);
    assert_eq!((ran.code, ran.outcomes()), (0, vec!["unknown_tool".to_owned()]), "{}", ran.err);
    let told: Vec<String> = ran.all("injected").iter().map(|one| text(one, "text")).collect();
    for (begin, variable) in [(agent, "NOT_SET"), (server, "NOR_THIS")] {
        let is_it =
            |words: &str| words.starts_with(begin) && words.contains(&format!("; set {variable}, or write"));
        assert_eq!(told.iter().filter(|words| is_it(words)).count(), 1, "{told:?}");
        let notes: Vec<&str> = ran.err.lines().filter_map(|line| line.strip_prefix("note: ")).collect();
        assert_eq!(notes.iter().filter(|words| is_it(words)).count(), 1, "{notes:?}");
    }
}

#[test]
fn a_task_for_an_agent_that_is_not_there_says_what_keeps_it_away() {
    let world = World::new().configured(
        "[agents.off]\nurl = 'https://h.example/'\nenabled = false\n[agents.unset]\nurl = '${NOT_SET}'\n\
         [agents.silent]\nurl = 'http://127.0.0.1:9/'\n",
    );
    of_project(&world, "[agents.theirs]\nurl = 'https://evil.example/'\n");
    for (name, wanted) in [
        ("off", "The agent off is configured but switched off (`enabled = false` in "),
        ("off", "config.toml:3); it is available after the user removes that and restarts countersign."),
        ("unset", "The agent unset is not reached: "),
        ("unset", "the variable NOT_SET is not set; set NOT_SET"),
        ("silent", "The agent `silent` could not be reached: "),
        (
            "theirs",
            ".countersign/config.toml:2, a file of a project that is not trusted, so it is not reached; the user",
        ),
        ("other", "There is no agent other: [agents.other] is not configured, so nothing was delegated."),
    ] {
        let ran = world.json(&["--script", &task(name), "go"]);
        assert_eq!((ran.code, ran.outcomes()), (0, vec!["unknown_tool".to_owned()]), "{name}: {}", ran.err);
        let said = text(&ran.one("tool_result"), "content");
        assert!(said.contains(wanted), "{name}: {said}");
        assert_eq!(said.contains("is not configured, so nothing"), name == "other", "{said}");
        let told: Vec<String> = ran.all("injected").iter().map(|one| text(one, "text")).collect();
        assert!(!told.iter().any(|one| one.contains("switched off") || one.contains("trusted")), "{told:?}");
    }
}

#[test]
fn doctor_says_what_an_agent_needs_and_reaches_none() {
    let cards = Cards::new("Reviewer");
    let world = World::new().configured(&format!(
        "[agents.well]\nurl = '{}'\nheaders.A = 'planted'\n[agents.unset]\nurl = '${{NOT_SET}}'\n\
         [agents.open]\nurl = 'http://agents.example/'\nheaders.X = 'planted'\n[agents.plain]\nurl = 'http://agents.example/'\n\
         [agents.off]\nurl = 'https://h.example'\nenabled = false\n",
        cards.address()
    ));
    of_project(&world, "[agents.theirs]\nurl = 'https://evil.example/'\n");
    let ran = run(&world, &["doctor", "--json"]);
    let found = |name: &str| {
        let all = ran.events();
        let said = |one: &&serde_json::Value| one["message"].as_str().is_some_and(|said| said.contains(name));
        let one = all.iter().find(said).unwrap_or_else(|| panic!("{name} in {}", ran.out));
        (text(one, "status"), text(one, "message") + " | " + &text(one, "mend"))
    };
    for (name, status, words) in [
        ("agent well: ", "ok", "`countersign agents test well` tries it"),
        ("agents.unset.url: ", "problem", "the variable NOT_SET is not set | set NOT_SET"),
        ("agent open: ", "warning", "its headers are sent unencrypted"),
        ("agent plain: ", "ok", "reaches http://agents.example/"),
        ("agent off: ", "skipped", "is switched off | set enabled = true in "),
        ("agent theirs: ", "warning", "is not trusted | run `countersign trust` to see what it would reach"),
    ] {
        let (was, said) = found(name);
        assert!(was == status && said.contains(words), "{name}: {was} {said}");
    }
    assert!(!ran.out.contains("planted"), "{}", ran.out);
    assert_eq!(cards.asked(), 0);
}

#[test]
fn an_agent_s_key_is_in_no_output_log_or_ledger() {
    let cards = Cards::hostile();
    let world = World::new().with("TEAM_KEY", KEY).with("RUST_LOG", "trace");
    // A server that is spoken with: there is something to log.
    let text = format!(
        "[agents.reviewer]\nurl = '{}/?k={KEY}'\nheaders = {{ Authorization = 'Bearer {KEY}', X-Key = '${{TEAM_KEY}}' }}\n{}",
        cards.address(),
        mcp::server(&world, "")
    );
    let world = world.configured(&text);
    let task = task("reviewer");
    let all = [
        &[
            "exec",
            "--json",
            "-c",
            "log=trace,rmcp=trace",
            "--script",
            &task,
            "--allow",
            "delegate_to_reviewer",
            "go",
        ][..],
        &["exec", "--script", &task, "go"],
        &["config", "show"],
        &["agents", "list"],
        &["agents", "test"],
        &["agents", "test", "reviewer"],
        &["doctor"],
        &["doctor", "--json"],
    ];
    for words in all {
        let ran = run(&world, words);
        for key in ["planted", "0123456789"] {
            assert!(!ran.out.contains(key) && !ran.err.contains(key), "{words:?}: {}{}", ran.out, ran.err);
        }
    }
    world.keeps_nothing_of("planted");
}
