//! Editors as their own SDK makes them: a client on the official Python SDK of the Agent Client Protocol drives the real binary.

mod acpx;

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

use crate::model_server::{ModelServer, Part, Reply, gate};

const KEY: &str = "sk-very-secret-1234567890";

/// Python with the SDK, where `.ci/run` puts it.
fn python() -> Command {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let packages = root.join("target/peers/acp");
    assert!(packages.is_dir(), "{} is not there; .ci/run installs it", packages.display());
    let own = packages.join("bin/python");
    let mut python = if own.is_file() { Command::new(own) } else { Command::new("python3") };
    python.env("PYTHONPATH", &packages).arg(root.join("tests/peers/editors/client.py"));
    python
}

/// What the model answers, in the order in which the client asks.
fn answers() -> (Vec<Reply>, crate::model_server::Opener) {
    let (wait, never) = gate();
    let shell = |id: &str, command: &str| {
        Reply::call(id, "shell", &json!({ "command": command, "timeout_seconds": 500 }))
    };
    let replies = vec![
        shell("a", "touch allowed"),
        Reply::text("It is there."),
        shell("b", "touch refused"),
        Reply::text("It is not."),
        Reply::Stream(vec![Part::text("Partly said"), wait]),
        Reply::text("After A."),
        shell("c", "touch waiting"),
        Reply::text("After B."),
        shell("d", "echo begun; exec sleep 400"),
        Reply::text("After C."),
        Reply::text("Loaded."),
    ];
    (replies, never)
}

#[test]
#[ignore = "needs the official SDK of the Agent Client Protocol, which .ci/run installs"]
fn the_official_sdk_drives_a_session() {
    let (replies, _never) = answers();
    let server = ModelServer::start_with_key(replies, Some(KEY));
    let place = tempfile::tempdir().unwrap();
    let work = place.path().canonicalize().unwrap().join("work");
    std::fs::create_dir(&work).unwrap();
    let output = python()
        .args([Path::new(env!("CARGO_BIN_EXE_countersign")), &work])
        .env("HOME", place.path())
        .env_remove("XDG_CONFIG_HOME")
        .env_remove("XDG_STATE_HOME")
        .env("ANTHROPIC_API_KEY", KEY)
        .env("ANTHROPIC_BASE_URL", server.base_url())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.ends_with("all is well\n"), "{said}\n{err}");
    for request in server.requests() {
        assert_ne!(request.status, 400, "refused: {:#}", request.body);
    }
    assert_eq!(server.left(), 0, "{said}");
    let there = |name: &str| work.join(name).exists();
    assert_eq!((there("allowed"), there("refused"), there("waiting")), (true, false, false));
}
