//! The built-in tools on real files, folders and processes.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, reason = "tests")]
#![allow(clippy::disallowed_methods, reason = "tests look at the world themselves")]

mod background;
mod borders;
mod changes;
mod commands;
mod finding;
mod forged_records;
mod ignoring;
#[path = "../support/legacy_facts.rs"]
mod legacy_facts;
mod looks;
mod metadata;
#[path = "../support/own_process.rs"]
mod own_process;
mod paths;
#[path = "../support/pictures.rs"]
mod pictures;
mod races;
mod showing;
mod swaps;
mod terminals;
mod undoing;
mod unfinished_undo;
mod web;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use countersign::ledger::{Arguments, CallId, Outcome, Preview};
use countersign::runtime::{Groups, LocalTools, ToolPort, tool_specs};
use countersign::tool::{Invocation, Preparation, Registry, Shown, ToolReport};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::mpsc;

/// Two folders side by side: the workspace, and what lies outside of it.
struct Fixture {
    folder: TempDir,
    tools: LocalTools,
    groups: Groups,
}

impl Fixture {
    fn new() -> Self {
        Self::with_environment(&[])
    }

    fn with_environment(more: &[(&str, &str)]) -> Self {
        let folder = TempDir::new().unwrap();
        fs::create_dir(folder.path().join("work")).unwrap();
        fs::create_dir(folder.path().join("home")).unwrap();
        let groups = Groups::default();
        let mut environment: Vec<(OsString, OsString)> =
            vec![("PATH".into(), std::env::var_os("PATH").unwrap())];
        environment.push(("HOME".into(), folder.path().join("home").into()));
        environment.extend(more.iter().map(|(name, value)| (name.into(), value.into())));
        let tools = LocalTools::new(folder.path().join("work"), environment, groups.clone());
        Self { folder, tools, groups }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("work").join(name)
    }

    fn put(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn get(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    async fn run(&self, name: &str, arguments: Value) -> ToolReport {
        let (output, _listener) = mpsc::channel(1);
        self.tools.run(invocation(name, arguments, 30_000), output).await
    }

    /// The content of a call that must succeed.
    async fn done(&self, name: &str, arguments: Value) -> String {
        let report = self.run(name, arguments).await;
        assert_eq!(report.outcome, Outcome::Ok, "{}", report.content);
        report.content
    }

    /// The same of a call that is looked at first, as the loop does it.
    async fn looked_at(&self, name: &str, arguments: Value) -> String {
        self.prepare(name, arguments.clone()).await;
        self.done(name, arguments).await
    }

    /// The content of a call that must fail.
    async fn fails(&self, name: &str, arguments: Value) -> String {
        let report = self.run(name, arguments).await;
        assert_eq!(report.outcome, Outcome::Failed, "{}", report.content);
        report.content
    }

    async fn prepare(&self, name: &str, arguments: Value) -> Preparation {
        self.tools.prepare(invocation(name, arguments, 1000)).await
    }

    /// The text of the diff that an approval would show.
    async fn diff(&self, name: &str, arguments: Value) -> String {
        let Preview::Diff(text) = self.prepare(name, arguments).await.preview else {
            unreachable!("{name} shows a diff")
        };
        text
    }
}

/// A call, with its arguments held to the schema as the loop would.
fn invocation(name: &str, arguments: Value, timeout_ms: u64) -> Invocation {
    let arguments = Arguments::from_value(arguments);
    Registry::new(tool_specs()).validate(name, &arguments).unwrap();
    Invocation {
        call: CallId(1),
        key: "s-c1".to_owned(),
        name: name.to_owned(),
        arguments,
        timeout_ms,
        max_chars: 30_000,
        sandboxed: false,
        hosts: Vec::new(),
        is_shown: false,
        allowed_in: None,
    }
}

/// Text that must be in another.
fn assert_has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is missing in:\n{text}");
    }
}

fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

#[test]
fn the_schemas_take_what_is_documented_and_nothing_else() {
    let mut registry = Registry::new(tool_specs());
    let mut takes = |name: &str, value: Value| registry.validate(name, &Arguments::from_value(value)).is_ok();
    assert!(takes("read", json!({ "path": "a", "offset": 1, "limit": 5 })));
    assert!(takes("list", json!({})));
    assert!(takes("search", json!({ "pattern": "a", "path": "b", "glob": "*.rs" })));
    assert!(takes(
        "edit",
        json!({ "path": "a", "edits": [{ "old_text": "a", "new_text": "", "all": true }] })
    ));
    assert!(takes("write", json!({ "path": "a", "content": "" })));
    assert!(takes("glob", json!({ "pattern": "*.rs", "path": "src" })));
    assert!(takes("fetch", json!({ "url": "https://example.com/" })));
    assert!(takes("plan", json!({ "items": [] })));
    assert!(takes("plan", json!({ "items": [{ "text": "a", "status": "in_progress" }] })));
    assert!(takes("shell", json!({ "command": "true", "timeout_seconds": 600 })));
    assert!(takes("shell", json!({ "command": "true", "background": true })));
    assert!(takes("shell", json!({ "command": "true", "pty": true })));
    assert!(takes("shell_output", json!({ "id": "b12" })));
    assert!(takes("shell_kill", json!({ "id": "b1" })));
    for (name, wrong) in [
        ("read", json!({})),
        ("read", json!({ "path": "a", "offset": 0 })),
        ("list", json!({ "folder": "a" })),
        ("search", json!({ "pattern": "" })),
        ("edit", json!({ "path": "a", "edits": [] })),
        ("edit", json!({ "path": "a", "edits": [{ "old_text": "", "new_text": "b" }] })),
        ("edit", json!({ "path": "a", "edits": [{ "old_text": "a", "new_text": "b", "count": 1 }] })),
        ("write", json!({ "path": "a" })),
        ("glob", json!({ "path": "src" })),
        ("glob", json!({ "pattern": "" })),
        ("fetch", json!({ "url": "https://example.com/", "method": "POST" })),
        ("shell_output", json!({})),
        ("shell_kill", json!({ "id": "1" })),
        ("plan", json!({})),
        ("plan", json!({ "items": ["a"] })),
        ("plan", json!({ "items": [{ "text": "a", "status": "done" }] })),
        ("plan", json!({ "items": vec![json!({ "text": "a", "status": "pending" }); 51] })),
        ("shell", json!({ "command": "true", "timeout_seconds": 601 })),
        ("shell", json!({ "command": "true", "background": "yes" })),
    ] {
        assert!(!takes(name, wrong.clone()), "{name} {wrong}");
    }
}
