//! The command line client `acpx` drives the real binary: a client that reads and writes files itself, and starts us anew for a load.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::json;

use super::KEY;
use crate::model_server::{ModelServer, Opener, Part, Reply, gate};

const MODEL: &str = "anthropic/claude-sonnet-5-5";

/// A person who uses it.
struct Person {
    place: tempfile::TempDir,
    server: ModelServer,
}

impl Person {
    fn new(replies: Vec<Reply>) -> Self {
        let server = ModelServer::start_with_key(replies, Some(KEY));
        let person = Self { place: tempfile::tempdir().unwrap(), server };
        std::fs::create_dir(person.work()).unwrap();
        std::fs::write(person.work().join("a.txt"), "one\ntwo\n").unwrap();
        person
    }

    fn work(&self) -> PathBuf {
        self.place.path().canonicalize().unwrap().join("work")
    }

    fn acpx(&self, words: &[&str]) -> Command {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/peers/acpx");
        let client = root.join("node_modules/acpx/dist/cli.js");
        assert!(client.is_file(), "{} is not there; .ci/run installs it", client.display());
        let agent = format!("{} acp -m {MODEL} --mode ask", env!("CARGO_BIN_EXE_countersign"));
        let mut command = Command::new("node");
        command
            .arg(client)
            .args(["--agent", &agent, "--ttl", "60", "--cwd"])
            .arg(self.work())
            .args(words)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.place.path())
            .env("ANTHROPIC_API_KEY", KEY)
            .env("ANTHROPIC_BASE_URL", self.server.base_url())
            .current_dir(self.work())
            .stdin(Stdio::null());
        command
    }

    /// What it says, to its end.
    fn says(&self, words: &[&str]) -> String {
        let output = self.acpx(words).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        assert!(output.status.success(), "{words:?}: {out}\n{err}");
        out
    }

    /// A prompt that is cancelled when this has been told.
    fn cancels(&self, sign: &str) {
        let mut prompt = self.acpx(&["--approve-all", "--format", "json", "prompt", "go"]);
        let mut prompt = prompt.stdout(Stdio::piped()).spawn().unwrap();
        let mut told = BufReader::new(prompt.stdout.take().unwrap()).lines().map(Result::unwrap);
        assert!(
            told.any(|line| line.contains("session/update") && line.contains(sign)),
            "{sign} was not told"
        );
        self.says(&["cancel"]);
        assert!(
            told.any(|line| line.contains("\"stopReason\":\"cancelled\"")),
            "{sign}: it was not cancelled"
        );
        prompt.wait().unwrap();
    }

    fn has(&self, name: &str) -> bool {
        self.work().join(name).exists()
    }
}

fn replies() -> (Vec<Reply>, Opener) {
    let (wait, never) = gate();
    let shell = |id: &str, command: &str| {
        Reply::call(id, "shell", &json!({ "command": command, "timeout_seconds": 500 }))
    };
    let edit = json!({ "path": "a.txt", "edits": [{ "old_text": "two", "new_text": "2" }] });
    let replies = vec![
        Reply::call("r", "read", &json!({ "path": "a.txt" })),
        Reply::call("e", "edit", &edit),
        shell("a", "touch allowed"),
        Reply::text("It is there."),
        shell("b", "touch refused"),
        Reply::text("It is not."),
        Reply::Stream(vec![Part::text("Partly said"), wait]),
        Reply::text("After A."),
        shell("d", "echo begun; exec sleep 400"),
        Reply::text("After C."),
        Reply::text("Loaded."),
    ];
    (replies, never)
}

#[test]
#[ignore = "needs acpx, which .ci/run installs"]
fn acpx_drives_a_session() {
    let (replies, _never) = replies();
    let person = Person::new(replies);
    person.says(&["sessions", "new"]);
    let quiet = |flag: &str, words: &str| person.says(&[flag, "--format", "quiet", "prompt", words]);
    assert_eq!(quiet("--approve-all", "make it").trim(), "It is there.");
    let changed = std::fs::read_to_string(person.work().join("a.txt")).unwrap();
    assert_eq!((changed.as_str(), person.has("allowed")), ("one\n2\n", true));
    assert_eq!(quiet("--deny-all", "make the other").trim(), "It is not.");
    assert!(!person.has("refused"));

    person.cancels("Partly said");
    assert_eq!(quiet("--approve-all", "go on").trim(), "After A.");
    person.cancels("begun");
    assert_eq!(quiet("--approve-all", "go on").trim(), "After C.");

    assert!(person.says(&["set-mode", "plan"]).contains("plan"));
    assert!(person.says(&["set", "mode", "ask"]).contains("mode=ask"));
    assert!(person.says(&["set", "model", MODEL]).contains(MODEL));
    let listed = person.says(&["sessions", "list"]);
    let session = listed.split_whitespace().next().unwrap().to_owned();
    assert!(listed.contains("make it"), "{listed}");

    // The client ends us, and starts another one, which loads what the first has written.
    person.says(&["sessions", "close"]);
    assert!(person.says(&["sessions", "new", "--resume-session", &session]).contains(&session));
    assert_eq!(quiet("--approve-all", "and on").trim(), "Loaded.");
    person.says(&["sessions", "close"]);
    for request in person.server.requests() {
        assert_ne!(request.status, 400, "refused: {:#}", request.body);
    }
    let last = person.server.requests().pop().unwrap().body.to_string();
    assert!(last.contains("make the other") && last.contains("Partly said"), "the whole session went along");
    assert_eq!(person.server.left(), 0);
}
