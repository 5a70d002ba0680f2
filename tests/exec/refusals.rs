//! Servers that say no, or nothing: one clear line, the right exit code, and no key anywhere.

use std::net::TcpListener;

use serde_json::json;

use crate::model_server::{ModelServer, Part, Reply};
use crate::servers::{ALL, KEY, Speech};
use crate::world::{World, all_files, text};

const NO_RETRIES: [&str; 2] = ["-c", "budget.max_retries_per_model_call=0"];

/// A run in both output forms that fails with exit 1; gives the line.
fn fails(world: &World, words: &[&str]) -> String {
    let ran = world.json(&[&NO_RETRIES[..], words, &["hi"]].concat());
    assert_eq!((ran.code, ran.reason().as_str()), (1, "model_error"), "{}", ran.err);
    let line = ran.complaint();
    let error = ran.one("error");
    assert!(line.contains(text(&error, "message").trim()), "{line} {error}");
    let plain = world.exec(&[&NO_RETRIES[..], words, &["hi"]].concat());
    assert_eq!((plain.code, plain.out.as_str(), plain.complaint()), (1, "", line.clone()));
    no_key(world, &(ran.out + &ran.err + &plain.err));
    line
}

/// The key is nowhere: not in what was said, and not in a file.
fn no_key(world: &World, said: &str) {
    assert!(!said.contains(KEY), "the key was said: {said}");
    let files = all_files(&world.place());
    assert!(files.iter().any(|path| path.starts_with(world.place().join("state"))));
    for path in files {
        let bytes = std::fs::read(&path).unwrap();
        assert!(
            !bytes.windows(KEY.len()).any(|window| window == KEY.as_bytes()),
            "{} holds the key",
            path.display()
        );
    }
}

/// A server that gives the same answer twice, once for each output form.
fn twice(speech: Speech, reply: impl Fn() -> Reply) -> (ModelServer, World) {
    speech.serve(vec![reply(), reply()])
}

#[test]
fn a_wrong_key() {
    for speech in ALL {
        let server = ModelServer::start_with_key(Vec::new(), Some("another"));
        let world = World::new().with(speech.key, KEY).with(speech.url, &server.base_url());
        let line = fails(&world, &["-m", speech.model, "-c", "log=trace"]);
        assert!(line.contains("invalid x-api-key") && line.contains(speech.key), "{line}");
        assert_eq!(server.requests()[0].status, 401);
    }
}

#[test]
fn a_server_that_quotes_the_key() {
    for speech in ALL {
        let quote =
            || Reply::error(401, "authentication_error", &format!("Incorrect API key provided: {KEY}."));
        let (_server, world) = twice(speech, quote);
        let line = fails(&world, &["-c", "log=trace"]);
        assert!(line.contains("Incorrect API key") && line.contains(speech.key), "{line}");
    }
}

#[test]
fn an_unknown_model() {
    for speech in ALL {
        let (_server, world) = twice(speech, || Reply::error(404, "not_found_error", "model: tested"));
        let line = fails(&world, &[]);
        assert!(line.contains("model: tested") && line.contains("-m PROVIDER/MODEL"), "{line}");
    }
}

#[test]
fn an_address_that_is_not_a_model_server() {
    for speech in ALL {
        let (_server, world) = twice(speech, || Reply::raw(404, "text/html", "<html>Nothing here</html>"));
        let line = fails(&world, &[]);
        assert!(line.contains("404") && line.contains("base URL"), "{line}");
        let page = "<!doctype html><html><head><title>Welcome</title></head><body>Hi</body></html>";
        let (_server, world) = twice(speech, || Reply::raw(200, "text/html", page));
        let line = fails(&world, &[]);
        assert!(line.contains("base URL"), "{line}");
    }
}

#[test]
fn nobody_listens() {
    for speech in ALL {
        let closed = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap();
        let address = format!("http://{closed}");
        let world = World::new().with(speech.key, KEY).with(speech.url, &address);
        let line = fails(&world, &["-m", speech.model, "-c", "log=trace"]);
        assert!(line.contains(&address) && line.contains("Is the server running"), "{line}");
    }
}

#[test]
fn a_refused_request_and_an_empty_purse() {
    for speech in ALL {
        let (_server, world) =
            twice(speech, || Reply::error(400, "invalid_request_error", "temperature: out of range"));
        assert!(fails(&world, &[]).contains("temperature: out of range"));
        let (_server, world) =
            twice(speech, || Reply::error(402, "billing_error", "Your credit balance is too low"));
        assert!(fails(&world, &[]).contains("balance"));
    }
}

#[test]
fn commands_do_not_get_the_key() {
    for speech in ALL {
        let (_server, world) = speech.serve(vec![
            Reply::Stream(vec![
                Part::text("I look around."),
                Part::call(
                    "a",
                    "shell",
                    &json!({ "command": "env; echo \"[$ANTHROPIC_API_KEY$OPENAI_API_KEY]\"" }),
                ),
            ]),
            Reply::text("Done."),
        ]);
        let ran = world.json(&["--mode", "unrestricted", "-c", "log=trace", "hi"]);
        assert_eq!((ran.code, ran.outcomes()), (0, vec!["ok".to_owned()]));
        let content = text(&ran.one("tool_result"), "content");
        assert!(content.contains("PATH=") && content.contains("[]"), "{content}");
        no_key(&world, &(ran.out + &ran.err));
    }
}

#[test]
fn a_missing_key_is_named_before_anything_is_written() {
    for speech in ALL {
        let world = World::new();
        let line = world.refused(&["-m", speech.model, "hi"]);
        assert!(line.contains(speech.key), "{line}");
        assert!(world.sessions().is_empty());
    }
    let local = ModelServer::start(vec![Reply::text("No key needed.")]);
    let world = World::new().with("OPENAI_BASE_URL", &local.base_url());
    assert_eq!(world.exec(&["-m", "openai-chat/tested", "hi"]).code, 0);
    assert!(local.requests()[0].header("authorization").is_none());
}
