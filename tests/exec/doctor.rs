//! `doctor`: what it finds in worlds that are whole, broken and hostile, and what it never shows.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::model_server::ModelServer;
use crate::world::{Ran, World};

const KEY: &str = "sk-planted-0123456789-key";

fn doctor(world: &World, words: &[&str]) -> Ran {
    let output = world.program().arg("doctor").args(words).output().unwrap();
    let ran = Ran::of(output.status, output.stdout, output.stderr);
    for piece in [KEY, "sk-planted", "9-key"] {
        assert!(!ran.out.contains(piece) && !ran.err.contains(piece), "{piece} in {} {}", ran.out, ran.err);
    }
    ran
}

/// The findings of `--json`, whose last line counts them, and the exit code goes by that.
fn findings(world: &World, words: &[&str]) -> Vec<Value> {
    let ran = doctor(world, &[&["--json"], words].concat());
    assert_eq!(ran.err, "");
    let mut lines = ran.events();
    let summary = lines.pop().unwrap();
    assert_eq!(summary["type"], "doctor_summary");
    for (status, member) in
        [("ok", "ok"), ("warning", "warnings"), ("problem", "problems"), ("skipped", "skipped")]
    {
        let count = lines.iter().filter(|line| line["status"] == status).count();
        assert_eq!(summary[member], count, "{status}");
    }
    assert_eq!(summary["healthy"], ran.code == 0);
    assert_eq!(ran.code, i32::from(summary["problems"] != 0));
    for line in &lines {
        assert_eq!(line["type"], "doctor_finding", "{line}");
        assert_eq!(line["mend"] == "", line["status"] == "ok", "each that is not ok has its mend: {line}");
    }
    lines
}

/// The one finding of a subject that has these words; its status and its mend.
fn told(findings: &[Value], subject: &str, words: &str) -> (String, String) {
    let has = |one: &&Value| one["subject"] == subject && one["message"].as_str().unwrap().contains(words);
    let found: Vec<&Value> = findings.iter().filter(has).collect();
    assert_eq!(found.len(), 1, "`{words}` in {findings:#?}");
    (found[0]["status"].as_str().unwrap().to_owned(), found[0]["mend"].as_str().unwrap().to_owned())
}

fn status(findings: &[Value], subject: &str, words: &str) -> String {
    told(findings, subject, words).0
}

#[test]
fn a_healthy_world_is_told_by_subject_and_nothing_is_left_behind() {
    let world = World::new().with("ANTHROPIC_API_KEY", KEY).with("LANG", "C.UTF-8").with("TERM", "xterm");
    let ran = doctor(&world, &[]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", ran.out);
    for wanted in [
        "configuration\n  ✓ ok ",
        "anthropic: the key comes from ANTHROPIC_API_KEY; not tested; doctor --test-keys asks the provider\n",
        "\nsandbox\n  ",
        "  ✓ ok       no MCP server is configured\n",
        "  ✓ ok       no agent is configured\n",
        "there are no sessions yet",
        "\n0 problems, ",
    ] {
        assert!(ran.out.contains(wanted), "{wanted} in {}", ran.out);
    }
    assert!(!ran.out.contains('\u{1b}'), "no colour but on a terminal");
    assert!(!world.place().join("state").exists() && !world.place().join("config").exists());
    let found = findings(&world, &[]);
    let subjects: Vec<&str> = found.iter().map(|one| one["subject"].as_str().unwrap()).collect();
    let mut once = subjects.clone();
    once.dedup();
    assert_eq!(
        once,
        ["configuration", "keys", "servers", "terminal", "sandbox", "peers", "sessions"],
        "grouped"
    );
    assert_eq!(status(&found, "configuration", "anthropic/claude"), "ok");
}

#[test]
fn the_sandbox_is_tried() {
    use countersign::runtime::sandbox::{Support, support};
    let world = World::new();
    fs::write(world.work().join(".env"), "KEY=1").unwrap();
    let found = findings(&world, &[]);
    let (words, expected) = match support() {
        Support::Full => ("the sandbox was tested and works", "ok"),
        Support::Partial(_) => ("but for this: ", "warning"),
        Support::None(_) => ("there is no sandbox on this machine: ", "warning"),
    };
    assert_eq!(status(&found, "sandbox", words), expected);
    // Hidden, where a command can have namespaces of its own; named as a gap elsewhere, as for root.
    let is_hidden =
        found.iter().any(|one| one["message"].as_str().unwrap().contains("are hidden from commands"));
    if !is_hidden {
        let (gap, mend) = told(&found, "sandbox", ".env here, so commands could read");
        assert!(gap == "warning" && mend.contains("out of the folders"), "{mend}");
    }
}

#[test]
fn a_broken_configuration_does_not_stop_it() {
    let world = World::new().configured("mode = 'bold'\n\n[budget]\nmax_tool_calls = -3\n");
    fs::create_dir_all(world.work().join(".countersign")).unwrap();
    fs::write(
        world.work().join(".countersign/config.toml"),
        "mode = 'plan'\nmodel = 'openai/x'\nthem = 'x'\n",
    )
    .unwrap();
    let found = findings(&world, &[]);
    for place in ["config.toml:1: mode", "config.toml:4: budget.max_tool_calls"] {
        assert_eq!(status(&found, "configuration", place), "problem");
    }
    let (unknown, mend) = told(&found, "configuration", "unknown key `them`; did you mean `theme`?");
    assert!(unknown == "problem" && mend.contains("correct the file"), "{mend}");
    assert!(!mend.contains("doctor"), "nobody is sent where they are: {mend}");
    assert!(world.refused(&["hello"]).contains("`countersign doctor` lists all problems"));
    assert_eq!(status(&found, "sessions", "there are no sessions yet"), "ok", "the rest is looked at");
}

#[test]
fn what_a_project_may_not_say_is_told() {
    let world = World::new().with("DEBUG_MOCK_RESPONSES", "[]").with("XDG_STATE_HOME", "relative");
    fs::create_dir_all(world.work().join(".countersign")).unwrap();
    fs::write(world.work().join(".countersign/config.toml"), "mode = 'plan'\nmodel = 'openai/x'\n").unwrap();
    let found = findings(&world, &[]);
    let (ignored, mend) = told(&found, "configuration", "config.toml:2: `model` is ignored");
    assert!(ignored == "warning" && mend.contains("in your own configuration"), "{mend}");
    assert_eq!(status(&found, "configuration", "DEBUG_MOCK_RESPONSES is set"), "warning");
    assert_eq!(status(&found, "configuration", "XDG_STATE_HOME is \"relative\""), "warning");
}

#[test]
fn keys_in_files_that_others_can_read_and_keys_that_are_not_used() {
    let world = World::new()
        .configured("[providers.anthropic]\napi_key_command = 'echo $MINE; touch ran'\n[providers.groq]\napi_key_file = '/nowhere/key'\n")
        .with("ANTHROPIC_API_KEY", KEY)
        .with("MINE", KEY);
    let keys = world.config_file().with_file_name("keys.toml");
    fs::write(&keys, format!("mistral = \"{KEY}\"\n")).unwrap();
    fs::set_permissions(&keys, fs::Permissions::from_mode(0o640)).unwrap();
    fs::set_permissions(world.config_file(), fs::Permissions::from_mode(0o644)).unwrap();
    let found = findings(&world, &[]);
    let (open, mend) = told(&found, "keys", "is readable or writable by others (mode 640)");
    assert!(open == "problem" && mend.contains("chmod 600"), "{mend}");
    assert_eq!(status(&found, "keys", "/nowhere/key does not exist"), "problem");
    let (unused, mend) = told(&found, "keys", "ANTHROPIC_API_KEY is set but not used");
    assert!(unused == "warning" && mend.starts_with("unset ANTHROPIC_API_KEY"), "{mend}");
    assert_eq!(status(&found, "configuration", "others can read it (mode 644)"), "warning");
    assert!(!world.work().join("ran").exists(), "no command is run unless asked to");
    fs::set_permissions(&keys, fs::Permissions::from_mode(0o600)).unwrap();
    let found = findings(&world, &[]);
    assert_eq!(status(&found, "keys", "mistral: the key comes from"), "ok");
}

#[test]
fn a_key_is_tested_when_asked_to_in_each_protocol() {
    let models =
        || ModelServer::start_with_key(Vec::new(), Some(KEY)).page("/v1/models", json!({ "data": [] }));
    let (one, other) = (models(), models());
    let configured = format!(
        "[providers.mine]\nbase_url = '{}'\napi_key_env = 'MINE'\n[providers.open]\nbase_url = '{}/v2'\n",
        other.base_url(),
        other.base_url()
    );
    let world = World::new()
        .configured(&configured)
        .with("ANTHROPIC_API_KEY", KEY)
        .with("ANTHROPIC_BASE_URL", &one.base_url())
        .with("MINE", KEY);
    assert_eq!(status(&findings(&world, &[]), "keys", "mine: the key comes from MINE; not tested"), "ok");
    assert_eq!(status(&findings(&world, &[]), "servers", "/v2 was not asked"), "skipped");
    assert!(one.visits().is_empty() && other.visits().is_empty(), "nothing is asked unless told to");
    for flag in ["--test-keys", "--online"] {
        let found = findings(&world, &[flag]);
        assert_eq!(status(&found, "keys", "anthropic: the provider accepts the key"), "ok");
        assert_eq!(status(&found, "keys", "mine: the provider accepts the key from MINE"), "ok");
        let (wants, mend) = told(&found, "servers", "requires a key (HTTP 401)");
        assert!(wants == "problem" && mend.contains("api_key_env in [providers.open]"), "{mend}");
    }
    assert!(one.requests().is_empty(), "no model is asked");
    assert_eq!(one.visits().len(), 2);
    assert_eq!(one.visits()[0].header("x-api-key"), Some(KEY));
    assert!(one.visits()[0].header("anthropic-version").is_some());
}

#[test]
fn a_refused_key_and_an_unreachable_server_are_problems() {
    let strict = ModelServer::start_with_key(Vec::new(), Some("another"));
    let gone = ModelServer::start(Vec::new());
    let configured = format!(
        "[providers.mine]\nbase_url = '{}'\napi_key_command = 'printenv MINE; touch ran'\n[providers.gone]\nbase_url = '{}'\napi_key_env = 'MINE'\n",
        strict.base_url(),
        gone.base_url()
    );
    drop(gone);
    let world = World::new().configured(&configured).with("MINE", KEY);
    fs::set_permissions(world.config_file(), fs::Permissions::from_mode(0o600)).unwrap();
    let found = findings(&world, &["--test-keys"]);
    assert!(world.work().join("ran").exists(), "its key was read");
    let (refused, mend) = told(&found, "keys", "refuses the key from the api_key_command of mine (HTTP 401)");
    assert!(refused == "problem" && mend.contains("valid key"), "{mend}");
    let (unreachable, mend) = told(&found, "keys", "gone: Cannot connect to http://127.0.0.1");
    assert!(unreachable == "problem" && mend.contains("base URL"), "{mend}");
}

#[test]
fn what_names_a_key_is_told_without_it() {
    let gone = ModelServer::start(Vec::new());
    let address = format!("{}/{}", gone.base_url(), KEY.to_uppercase());
    drop(gone);
    let configured = format!("[providers.gone]\nbase_url = '{address}'\napi_key_env = 'MY_API_KEY'\n");
    let world = World::new().configured(&configured).with("MY_API_KEY", KEY);
    let ran = doctor(&world, &["--test-keys"]);
    let said = ran.out.clone() + &ran.err;
    assert!(said.contains("[key]") && !said.to_lowercase().contains(&KEY.to_lowercase()), "{said}");
}

#[test]
fn damaged_sessions_are_named_with_their_check() {
    let world = World::new().with("DEBUG_MOCK_RESPONSES", r#"["One.", "Two."]"#);
    assert_eq!(world.exec(&["hello"]).code, 0);
    let file = world.session_file();
    let sound = fs::read_to_string(&file).unwrap();
    assert_eq!(status(&findings(&world, &[]), "sessions", "1 of the newest are well-formed"), "ok");
    // A torn last line was never acknowledged.
    fs::write(&file, format!("{sound}{{\"type\":")).unwrap();
    assert_eq!(status(&findings(&world, &[]), "sessions", "1 of the newest are well-formed"), "ok");
    let third = sound.lines().nth(2).unwrap();
    fs::write(&file, sound.replacen(third, "nonsense", 1)).unwrap();
    let id = file.file_stem().unwrap().to_str().unwrap().to_owned();
    let (damaged, mend) = told(&findings(&world, &[]), "sessions", &format!("{id}: not well-formed: line 3"));
    assert_eq!((damaged.as_str(), mend), ("problem", format!("countersign sessions check {id}")));
    fs::set_permissions(world.place().join("state/countersign/sessions"), fs::Permissions::from_mode(0o755))
        .unwrap();
    assert_eq!(status(&findings(&world, &[]), "sessions", "others can read it (mode 755)"), "warning");
}

#[test]
fn a_session_that_is_being_written_is_told() {
    let world = World::new().with("DEBUG_MOCK_RESPONSES", r#"["One."]"#);
    assert_eq!(world.exec(&["hello"]).code, 0);
    let file = fs::File::open(world.session_file()).unwrap();
    file.lock().unwrap();
    let found = findings(&world, &[]);
    let is_lock = |one: &&Value| {
        let message = one["message"].as_str().unwrap();
        message.contains("is locked by process") || message.contains("is being written by another process")
    };
    assert_eq!(found.iter().filter(is_lock).count(), 1, "{found:#?}");
    file.unlock().unwrap();
    assert_eq!(findings(&world, &[]).iter().filter(is_lock).count(), 0);
}

#[test]
fn a_file_in_the_place_of_the_state_folder_and_no_home() {
    let world = World::new();
    fs::write(world.place().join("state"), "a file").unwrap();
    let (broken, mend) = told(&findings(&world, &[]), "sessions", "is not a folder");
    assert!(broken == "problem" && mend.contains("XDG_STATE_HOME"), "{mend}");
    let mut homeless = World::new().program();
    homeless.env_remove("HOME").env_remove("XDG_CONFIG_HOME").env_remove("XDG_STATE_HOME");
    // The folder went with its world: any will do.
    let output = homeless.current_dir("/").arg("doctor").output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 1)), "{output:?}");
    assert!(String::from_utf8(output.stdout).unwrap().contains("\nsessions\n"));
}

#[test]
fn words_that_it_does_not_know_are_usage() {
    let world = World::new();
    let ran = doctor(&world, &["--heal"]);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    let help = doctor(&world, &["--help"]);
    assert!(help.code == 0 && help.out.contains("countersign doctor --test-keys"), "{}", help.out);
}

#[test]
fn a_proxy_is_told_without_its_password() {
    let world = World::new()
        .with("HTTPS_PROXY", &format!("http://me:{KEY}@proxy.example:3128"))
        .with("NO_PROXY", "localhost,.example")
        .with("SSL_CERT_FILE", "/nowhere.pem");
    let found = findings(&world, &[]);
    assert_eq!(
        status(
            &found,
            "servers",
            "http://proxy.example:3128 (HTTPS_PROXY), except for NO_PROXY (localhost,.example)"
        ),
        "ok"
    );
    assert_eq!(status(&found, "servers", "SSL_CERT_FILE: there is no /nowhere.pem"), "problem");
}
