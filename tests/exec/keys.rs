//! Keys from commands and files: used, never shown, and not passed on.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::json;

use crate::model_server::{ModelServer, Part, Reply};
use crate::world::{Ran, World};

/// Nothing else in a run has these letters.
const PLANTED: &str = "sk-planted-9f8e7d6c5b4a";

/// A server that takes this key alone, and a world whose provider `mine` is that server.
fn served(replies: Vec<Reply>, key_from: &str) -> (ModelServer, World) {
    let server = ModelServer::start_with_key(replies, Some(PLANTED));
    let text = format!("log = 'trace'\n[providers.mine]\nbase_url = '{}'\n{key_from}\n", server.base_url());
    (server, World::new().configured(&text))
}

fn keep(path: &Path, text: &str, mode: u32) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// Nothing that the run left or said holds the key.
fn assert_unseen(world: &World, ran: &Ran) {
    assert!(!ran.out.contains(PLANTED) && !ran.err.contains(PLANTED), "{}{}", ran.out, ran.err);
    let files = crate::world::all_files(&world.place().join("state"));
    assert!(files.iter().any(|file| file.extension().is_some_and(|e| e == "jsonl")), "nothing was written");
    for file in files {
        let text = String::from_utf8_lossy(&fs::read(&file).unwrap()).into_owned();
        assert!(!text.contains(PLANTED), "{}", file.display());
    }
}

#[test]
fn a_key_is_found_in_each_of_its_places() {
    let command = format!("api_key_command = 'echo {PLANTED}; echo {PLANTED} >&2'");
    let (_by_command, by_command) = served(vec![Reply::text("Hello.")], &command);
    let (_by_file, by_file) = served(vec![Reply::text("Hello.")], "api_key_file = '~/mine.key'");
    keep(&by_file.place().join("mine.key"), &format!("{PLANTED}\n"), 0o600);
    let (_by_ours, by_ours) = served(vec![Reply::text("Hello.")], "");
    let ours = by_ours.place().join("config/countersign/keys.toml");
    keep(&ours, &format!("other = 'x'\nmine = '{PLANTED}'\n"), 0o600);
    let (_by_variable, by_variable) = served(vec![Reply::text("Hello.")], "api_key_env = 'MINE'");
    let by_variable = by_variable.with("MINE", PLANTED);
    for world in [by_command, by_file, by_ours, by_variable] {
        let ran = world.exec(&["-m", "mine/x", "hi"]);
        assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (0, "Hello.\n", ""));
        assert_unseen(&world, &ran);
    }
}

#[test]
fn a_file_that_others_can_read_is_refused_with_the_mend() {
    let (_server, world) = served(Vec::new(), "");
    let ours = world.place().join("config/countersign/keys.toml");
    for mode in [0o640, 0o604, 0o660] {
        keep(&ours, &format!("mine = '{PLANTED}'\n"), mode);
        let line = world.refused(&["-m", "mine/x", "hi"]);
        assert!(line.contains(&format!("is readable or writable by others (mode {mode:o})")), "{line}");
        assert!(line.ends_with(&format!("run `chmod 600 {}`\n", ours.display())), "{line}");
    }
    keep(&ours, &format!("mine = {PLANTED}\n"), 0o600);
    let line = world.refused(&["-m", "mine/x", "hi"]);
    assert!(line.contains("is not TOML") && !line.contains(PLANTED), "{line}");
}

#[test]
fn a_command_that_fails_is_named_without_its_output() {
    for (command, why) in [
        (format!("echo {PLANTED}; exit 7"), "failed with exit code 7"),
        (format!("printf '{PLANTED}\\nx'"), "did not print exactly one line"),
        ("true".to_owned(), "printed nothing"),
    ] {
        let (_server, world) =
            served(Vec::new(), &format!("api_key_command = \"\"\"{}\"\"\"", command.replace('\\', "\\\\")));
        let line = world.refused(&["-m", "mine/x", "hi"]);
        assert!(line.contains("the api_key_command of mine") && line.contains(why), "{line}");
        assert!(!line.contains(PLANTED), "{line}");
    }
}

#[test]
fn programs_that_tools_and_hooks_start_do_not_get_the_key() {
    let look = "env; tr '\\0' ' ' < /proc/$PPID/cmdline";
    let call = Part::call("a", "shell", &json!({ "command": look }));
    let (server, world) =
        served(vec![Reply::Stream(vec![call]), Reply::text("Looked.")], "api_key_env = 'MINE'");
    let seen = world.place().join("state/seen-by-a-hook");
    fs::create_dir_all(seen.parent().unwrap()).unwrap();
    let hook = format!(
        "[tools]\npass_env = ['NPM_TOKEN']\n[[hooks.pre_tool]]\ncommand = 'env > {}'\n",
        seen.display()
    );
    let config = fs::read_to_string(world.config_file()).unwrap() + &hook;
    let world = world.configured(&config).with("MINE", PLANTED).with("COLOUR", "is passed on");
    let world = world.with("NPM_TOKEN", "is named").with("OTHER_TOKEN", "is not named");
    let ran = world.json(&["-m", "mine/x", "--mode", "unrestricted", "look"]);
    assert_eq!((ran.code, ran.outcomes()), (0, vec!["ok".to_owned()]), "{}{}", ran.out, ran.err);
    let told = server.requests()[1].body.to_string();
    assert!(told.contains("COLOUR=is passed on") && told.contains("countersign"), "{told}");
    assert!(!told.contains(PLANTED), "{told}");
    for told in [told, fs::read_to_string(seen).unwrap()] {
        assert!(told.contains("COLOUR") && told.contains("NPM_TOKEN=is named"), "{told}");
        assert!(!told.contains("OTHER_TOKEN"), "{told}");
    }
    assert_unseen(&world, &ran);
}

#[test]
fn a_refusal_that_quotes_the_key_does_not_bring_it_into_the_books() {
    let refusal =
        Reply::error(401, "authentication_error", &format!("Incorrect API key provided: {PLANTED}"));
    let (_server, world) = served(vec![refusal], &format!("api_key_command = 'echo {PLANTED}'"));
    let ran = world.json(&["-m", "mine/x", "hi"]);
    assert_eq!(ran.code, 1);
    assert!(ran.complaint().contains("the api_key_command of mine"), "{}", ran.err);
    assert_unseen(&world, &ran);
}

#[test]
fn a_project_cannot_say_where_a_key_comes_from_or_goes() {
    let world = World::new().with("GROQ_API_KEY", PLANTED);
    let project = world.work().join(".countersign/config.toml");
    let ran_by_project = world.work().join("ran");
    let lines = format!(
        "[providers.groq]\nbase_url = 'http://127.0.0.1:9'\napi_key_command = 'touch {}'\napi_key_file = '/etc/passwd'\nquirks.bearer = true\nheaders.x = 'y'\n",
        ran_by_project.display()
    );
    keep(&project, &lines, 0o644);
    let output = world.program().args(["models", "--json", "groq"]).output().unwrap();
    let listed: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(listed["providers"][0]["how"], "GROQ_API_KEY");
    let output = world.program().args(["config", "show"]).output().unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    assert_eq!(shown.matches("# ignored: ").count(), 5, "{shown}");
    assert!(!shown.contains("providers.groq.base_url =") && !shown.contains(PLANTED), "{shown}");
    assert!(!ran_by_project.exists());
}
