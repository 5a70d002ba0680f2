//! A home, a folder to work in and an environment of its own for each run of the program.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::books;

/// One person's machine, as far as the program sees it.
pub(crate) struct World {
    place: tempfile::TempDir,
    variables: Vec<(String, String)>,
}

/// What a run left behind.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl World {
    /// A workspace like a project: two files and a folder for git.
    pub(crate) fn new() -> Self {
        let place = tempfile::tempdir().unwrap();
        let world = Self { place, variables: Vec::new() };
        fs::create_dir_all(world.work().join(".git")).unwrap();
        fs::write(world.work().join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::write(world.work().join("one.txt"), "first line\nsecond line\n").unwrap();
        fs::write(world.work().join("two.txt"), "another file\n").unwrap();
        world
    }

    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// A configuration of the user's.
    pub(crate) fn configured(self, text: &str) -> Self {
        let file = self.config_file();
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
        self
    }

    pub(crate) fn config_file(&self) -> PathBuf {
        self.place().join("config/countersign/config.toml")
    }

    /// Everything that is this world's own.
    pub(crate) fn place(&self) -> PathBuf {
        self.place.path().canonicalize().unwrap()
    }

    pub(crate) fn work(&self) -> PathBuf {
        self.place().join("work")
    }

    /// A text file of the workspace.
    pub(crate) fn file(&self, name: &str) -> String {
        fs::read_to_string(self.work().join(name)).unwrap()
    }

    /// The program in the workspace, with nothing of our own environment but the way to `sh`.
    pub(crate) fn program(&self) -> Command {
        let mut program = Command::new(env!("CARGO_BIN_EXE_countersign"));
        program
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.place())
            .env("XDG_CONFIG_HOME", self.place().join("config"))
            .env("XDG_STATE_HOME", self.place().join("state"))
            .env("RUST_BACKTRACE", "1")
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .current_dir(self.work())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        program
    }

    /// `exec` with these words, to its end.
    pub(crate) fn exec(&self, words: &[&str]) -> Ran {
        let output = self.program().arg("exec").args(words).output().unwrap();
        Ran::of(output.status, output.stdout, output.stderr)
    }

    /// `sessions` with these words.
    pub(crate) fn sessions_cli(&self, words: &[&str]) -> Ran {
        let output = self.program().arg("sessions").args(words).output().unwrap();
        Ran::of(output.status, output.stdout, output.stderr)
    }

    /// `exec` with something on stdin.
    pub(crate) fn exec_fed(&self, words: &[&str], input: &[u8]) -> Ran {
        let mut child = self.program().arg("exec").args(words).stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        let output = child.wait_with_output().unwrap();
        Ran::of(output.status, output.stdout, output.stderr)
    }

    /// `exec --json` with these words. Whatever it was about, its lines keep the rules and are the file's.
    pub(crate) fn json(&self, words: &[&str]) -> Ran {
        let ran = self.exec(&[&["--json"], words].concat());
        books::check_run(&ran, &self.session_text());
        ran
    }

    /// `exec` that must be refused: exit 2, one line on stderr, nothing on stdout. Returns the line.
    pub(crate) fn refused(&self, words: &[&str]) -> String {
        let ran = self.exec(words);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{words:?}: {}", ran.err);
        ran.complaint()
    }

    /// The session files, oldest first.
    pub(crate) fn sessions(&self) -> Vec<PathBuf> {
        let mut found: Vec<PathBuf> = all_files(&self.place().join("state"));
        found.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
        found.sort();
        found
    }

    /// The newest session file.
    pub(crate) fn session_file(&self) -> PathBuf {
        self.sessions().pop().expect("no session was kept")
    }

    /// Looks through all that is kept, sessions and logs, of which there must be some.
    pub(crate) fn keeps_nothing_of(&self, secret: &str) {
        let kept = all_files(&self.place().join("state"));
        assert!(kept.iter().any(|file| file.extension().is_some_and(|end| end == "jsonl")));
        assert!(kept.iter().any(|file| file.display().to_string().contains("/logs/")));
        for file in kept {
            let held = String::from_utf8_lossy(&fs::read(&file).unwrap()).into_owned();
            assert!(!held.contains(secret), "{}: {held}", file.display());
        }
    }

    pub(crate) fn session_text(&self) -> String {
        fs::read_to_string(self.session_file()).unwrap()
    }

    /// The entries of the newest session, as they stand in the file but for the hash chain.
    pub(crate) fn entries(&self) -> Vec<Value> {
        self.session_text().lines().map(crate::books::unchained).collect()
    }
}

impl Ran {
    pub(crate) fn of(status: std::process::ExitStatus, out: Vec<u8>, err: Vec<u8>) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self { code: status.code().expect("ended by a signal"), out: text(out), err: text(err) }
    }

    /// The lines of `--json`.
    pub(crate) fn events(&self) -> Vec<Value> {
        parse(&self.out)
    }

    /// The events of one type.
    pub(crate) fn all(&self, kind: &str) -> Vec<Value> {
        of_type(&self.events(), kind)
    }

    /// The one event of a type.
    pub(crate) fn one(&self, kind: &str) -> Value {
        let mut all = self.all(kind);
        assert_eq!(all.len(), 1, "{kind} in {}", self.out);
        all.remove(0)
    }

    /// Outcomes of the calls, in order.
    pub(crate) fn outcomes(&self) -> Vec<String> {
        self.all("tool_result").iter().map(|result| text(result, "outcome")).collect()
    }

    /// The last line; a session that goes on may first tell how the run before it ended.
    pub(crate) fn ended(&self) -> Value {
        let last = self.events().pop().expect("no events");
        assert_eq!(last["type"], "turn_ended", "{last}");
        last
    }

    /// How the run ended.
    pub(crate) fn reason(&self) -> String {
        text(&self.ended(), "reason")
    }

    /// The one line on stderr: what happened, then what to do next.
    pub(crate) fn complaint(&self) -> String {
        let err = &self.err;
        assert_eq!(err.lines().count(), 1, "{err}");
        assert!(err.starts_with("error: ") && err.contains("; "), "{err}");
        assert!(!err.contains("panicked") && !err.contains("RUST_BACKTRACE"), "{err}");
        err.clone()
    }
}

pub(crate) fn parse(lines: &str) -> Vec<Value> {
    lines.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

pub(crate) fn of_type(events: &[Value], kind: &str) -> Vec<Value> {
    events.iter().filter(|event| event["type"] == kind).cloned().collect()
}

/// A text member.
pub(crate) fn text(event: &Value, member: &str) -> String {
    event[member].as_str().unwrap_or_else(|| panic!("no text `{member}` in {event}")).to_owned()
}

/// All files below a folder.
pub(crate) fn all_files(folder: &Path) -> Vec<PathBuf> {
    let Ok(children) = fs::read_dir(folder) else { return Vec::new() };
    let paths = children.map(|child| child.unwrap().path());
    paths.flat_map(|path| if path.is_dir() { all_files(&path) } else { vec![path] }).collect()
}

/// A script of these replies.
pub(crate) fn script(replies: Value) -> String {
    assert!(replies.is_array());
    replies.to_string()
}
