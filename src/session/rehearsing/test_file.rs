//! A recorded test as a file: what a session got from outside, and what the loop made of it.

use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::ledger::{Body, Entry};
use crate::runtime::store::open_plain;
use crate::wire::record;

/// Most bytes of such a file.
const MOST_BYTES: u64 = 64 * 1024 * 1024;
/// The version of the file that is written.
const VERSION: u64 = 1;
const KIND: &str = "recorded_test";
/// The members that hold rules, in the order of [`RecordedTest::rules`].
const RULES: [&str; 3] = ["allow", "deny", "confirm"];
const EXPECTED: &str = "expected";
/// The members of a first line that say nothing about how it is played.
const OTHERS: [&str; 3] = ["type", "version", NORMALISES];
const NORMALISES: &str = "normalised";
/// What differs between two plays of the same session and is no difference.
const NORMALISED: [&str; 4] =
    ["the session's id", "the session's folder", "the home folder", "the current folder"];

/// A recorded test.
#[derive(Debug, Clone)]
pub(crate) struct RecordedTest {
    /// The mode in which it is played.
    pub(crate) mode: String,
    /// The `-c KEY=VALUE` with which it is played.
    pub(crate) config: Vec<String>,
    /// The rules with which it is played: those that allow, deny and ask.
    pub(crate) rules: [Vec<String>; 3],
    /// Whether there is a sandbox.
    pub(crate) sandbox: bool,
    /// The session.
    pub(crate) entries: Vec<Arc<Entry>>,
    /// What the play was, in lines.
    pub(crate) expected: Vec<String>,
    /// The lines of the session, as they stand in the file.
    lines: Vec<String>,
}

/// Why a file is no recorded test.
pub(crate) type TestFault = String;

impl RecordedTest {
    /// A test of a session; what it expects is not known yet. `clean` takes out what must not be in a file for others.
    ///
    /// # Errors
    /// The session cannot be read once it is cleaned.
    pub(crate) fn of(
        bytes: &[u8],
        sandbox: bool,
        clean: impl Fn(String) -> String,
    ) -> Result<Self, TestFault> {
        let lines: Vec<String> = record::plain_lines(bytes).into_iter().map(clean).collect();
        let entries = entries_of(&lines)?;
        let (mode, config, rules) = (String::new(), Vec::new(), RULES.map(|_| Vec::new()));
        Ok(Self { mode, config, rules, sandbox, entries, expected: Vec::new(), lines })
    }

    /// # Errors
    /// It cannot be read, is too large, or is something else.
    pub(crate) fn read(path: &Path) -> Result<Self, TestFault> {
        let shown = path.display();
        let mut text = String::new();
        let read = open_plain(path).and_then(|file| file.take(MOST_BYTES + 1).read_to_string(&mut text));
        let bytes = read.map_err(|why| format!("{shown} cannot be read: {why}"))?;
        if bytes as u64 > MOST_BYTES {
            return Err(format!("{shown} is larger than {} MB", MOST_BYTES / 1024 / 1024));
        }
        Self::parse(&text).map_err(|why| format!("{shown}: {why}"))
    }

    fn parse(text: &str) -> Result<Self, TestFault> {
        let mut all = text.lines();
        let head: Value = all
            .next()
            .and_then(|line| serde_json::from_str(line).ok())
            .filter(|head: &Value| head.get("type").and_then(Value::as_str) == Some(KIND))
            .ok_or("its first line is not that of a recorded test; `countersign test record` writes one")?;
        if head.get("version").and_then(Value::as_u64) != Some(VERSION) {
            return Err(
                "another version of countersign wrote it, with a format that this one does not know".into()
            );
        }
        let terms = Terms::of(head.as_object().cloned().unwrap_or_default())?;
        let (mut lines, mut expected) = (Vec::new(), Vec::new());
        for (number, line) in all.enumerate() {
            let value: Value =
                serde_json::from_str(line).map_err(|why| format!("line {}: {why}", number + 2))?;
            match (value.get("type").and_then(Value::as_str), value.get("line").and_then(Value::as_str)) {
                (Some(EXPECTED), Some(line)) => expected.push(line.to_owned()),
                (Some(EXPECTED), None) => return Err(format!("line {}: it is empty", number + 2)),
                _ => lines.push(line.to_owned()),
            }
        }
        let entries = entries_of(&lines)?;
        let Terms { mode, config, rules, sandbox } = terms;
        Ok(Self { mode, config, rules, sandbox, entries, expected, lines })
    }

    /// As a file.
    pub(crate) fn text(&self) -> String {
        let mut head = json!({
            "type": KIND,
            "version": VERSION,
            "mode": self.mode,
            "sandbox": self.sandbox,
            "config": self.config,
        });
        if let Value::Object(members) = &mut head {
            members.insert(NORMALISES.to_owned(), json!(NORMALISED));
            let rules = RULES.iter().zip(&self.rules);
            members.extend(rules.map(|(kind, rules)| ((*kind).to_owned(), json!(rules))));
        }
        let expected =
            self.expected.iter().map(|line| record::line(&json!({ "type": EXPECTED, "line": line })));
        let lines = self.lines.iter().cloned();
        [record::line(&head)].into_iter().chain(lines).chain(expected).map(|line| line + "\n").collect()
    }

    /// Its session's id and folder.
    pub(crate) fn session(&self) -> (&str, &str) {
        match self.entries.first().map(|entry| &entry.body) {
            Some(Body::SessionStarted(started)) => (&started.session, &started.cwd),
            _ => ("", ""),
        }
    }
}

/// How a test is played, as its first line says.
struct Terms {
    mode: String,
    config: Vec<String>,
    rules: [Vec<String>; 3],
    sandbox: bool,
}

impl Terms {
    /// Whoever wrote a rule there believes that it is tested, so what is not understood is refused.
    ///
    /// # Errors
    /// The first member that is not known, or is of another type.
    fn of(mut head: Map<String, Value>) -> Result<Self, TestFault> {
        for known in OTHERS {
            head.remove(known);
        }
        let mode = match head.remove("mode") {
            None => String::new(),
            Some(Value::String(mode)) => mode,
            Some(_) => return Err(is_no("mode", "text")),
        };
        let sandbox = match head.remove("sandbox") {
            None => true,
            Some(Value::Bool(there)) => there,
            Some(_) => return Err(is_no("sandbox", "`true` or `false`")),
        };
        let config = texts(&mut head, "config")?;
        let [allow, deny, confirm] = RULES;
        let rules = [texts(&mut head, allow)?, texts(&mut head, deny)?, texts(&mut head, confirm)?];
        match head.keys().next() {
            None => Ok(Self { mode, config, rules, sandbox }),
            Some(unknown) => Err(format!("its first line has `{unknown}`, which no test has")),
        }
    }
}

fn is_no(member: &str, kind: &str) -> TestFault {
    format!("`{member}` in its first line is not {kind}")
}

fn texts(head: &mut Map<String, Value>, member: &str) -> Result<Vec<String>, TestFault> {
    let wrong = || is_no(member, "a list of texts");
    match head.remove(member) {
        None => Ok(Vec::new()),
        Some(Value::Array(all)) => all
            .into_iter()
            .map(|one| if let Value::String(text) = one { Ok(text) } else { Err(wrong()) })
            .collect(),
        Some(_) => Err(wrong()),
    }
}

fn entries_of(lines: &[String]) -> Result<Vec<Arc<Entry>>, TestFault> {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let file = record::read_session(text.as_bytes()).map_err(|why| why.to_string())?;
    if let Some(skipped) = file.skipped.first() {
        return Err(format!("an entry of the type {} is not understood", skipped.kind));
    }
    if file.entries.is_empty() { Err("it holds no session".to_owned()) } else { Ok(file.entries) }
}
