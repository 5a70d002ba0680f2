//! A folder is exchanged with a link that leads out, as fast as the system can, while tools work in it: what was decided
//! about stays what is used, and nothing outside is read, listed or written without a question.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread::JoinHandle;

use countersign::runtime::undo::{Snapshots, UndoScope};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::json;

use super::*;

/// Stands in every file outside, and in none of the workspace.
const SECRET: &str = "OUTSIDE-SECRET";
/// A name that only the folder outside has.
const ONLY_OUTSIDE: &str = "only-outside";
/// How often each kind of call is made while folder and link change places: those that write wait for the disk.
const LOOKS: u64 = 1000;
const WRITES: u64 = 300;

/// A workspace in which `d` is now a folder and now a link to one outside, and `f` now a file and now a link to one.
struct Swapped {
    fixture: Fixture,
    outside: PathBuf,
    is_over: Arc<AtomicBool>,
    times: Arc<AtomicU64>,
    thread: Option<JoinHandle<()>>,
}

impl Swapped {
    fn new() -> Self {
        let fixture = Fixture::new();
        let outside = fixture.folder.path().canonicalize().unwrap().join("outside");
        fs::create_dir_all(outside.join("sub")).unwrap();
        for name in ["id", "changed", "sub/deep", ONLY_OUTSIDE] {
            fs::write(outside.join(name), format!("{SECRET}\n")).unwrap();
        }
        for name in ["d/id", "d/changed", "d/sub/deep", "f"] {
            fixture.put(name, "ours\n");
        }
        symlink(&outside, fixture.path("away")).unwrap();
        symlink(outside.join("id"), fixture.path("g")).unwrap();
        Self { fixture, outside, is_over: Arc::default(), times: Arc::default(), thread: None }
    }

    /// Begins to exchange them.
    fn begin(&mut self) {
        let (is_over, times) = (Arc::clone(&self.is_over), Arc::clone(&self.times));
        let pairs = [["d", "away"], ["f", "g"]].map(|pair| pair.map(|name| self.fixture.path(name)));
        self.thread = Some(std::thread::spawn(move || {
            while !is_over.load(Relaxed) {
                for [one, other] in &pairs {
                    renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).unwrap();
                }
                times.fetch_add(1, Relaxed);
            }
        }));
    }

    /// Stops, and says what is outside by now.
    fn end(&mut self) -> BTreeSet<(PathBuf, Vec<u8>)> {
        self.is_over.store(true, Relaxed);
        self.thread.take().unwrap().join().unwrap();
        assert!(self.times.load(Relaxed) > 50, "they were exchanged {} times", self.times.load(Relaxed));
        contents(&self.outside)
    }
}

fn contents(folder: &Path) -> BTreeSet<(PathBuf, Vec<u8>)> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        match entry.file_type().unwrap().is_dir() {
            true => found.extend(contents(&entry.path())),
            false => drop(found.insert((entry.path(), fs::read(entry.path()).unwrap()))),
        }
    }
    found
}

impl Fixture {
    /// The call as the loop makes it in a mode that asks about nothing inside: looked at, and run unless it leads out.
    async fn unasked(&self, number: u64, name: &str, arguments: Value) -> Option<ToolReport> {
        let call = Invocation { call: CallId(number), ..invocation(name, arguments, 30_000) };
        let found = self.tools.prepare(call.clone()).await;
        if let Preview::Diff(diff) = &found.preview
            && found.outside.is_empty()
        {
            assert!(!diff.contains(SECRET), "{diff}");
        }
        if !found.outside.is_empty() {
            return None;
        }
        let (output, _listener) = mpsc::channel(1);
        Some(self.tools.run(call, output).await)
    }
}

/// Makes each of the calls so many times while folder and link change places; how many worked.
async fn race(attempts: u64, calls: impl Fn(u64) -> Vec<(&'static str, Value)>) -> u64 {
    let mut swapped = Swapped::new();
    let before = contents(&swapped.outside);
    swapped.begin();
    let (mut number, mut worked, mut leaks) = (0, 0, Vec::new());
    for attempt in 0..attempts {
        for (name, arguments) in calls(attempt) {
            number += 1;
            let Some(report) = swapped.fixture.unasked(number, name, arguments).await else { continue };
            worked += u64::from(report.outcome == Outcome::Ok);
            if report.content.contains(SECRET) || report.content.contains(ONLY_OUTSIDE) {
                leaks.push(format!("{name}: {}", report.content));
            }
        }
    }
    let after = swapped.end();
    assert!(leaks.is_empty(), "{} of {number} calls left, the first: {}", leaks.len(), leaks[0]);
    assert_eq!(after, before, "something was written outside");
    worked
}

#[tokio::test]
async fn nothing_outside_is_read() {
    let worked = race(LOOKS, |_| {
        vec![
            ("read", json!({ "path": "d/id" })),
            ("read", json!({ "path": "d/sub/deep" })),
            ("read", json!({ "path": "f" })),
        ]
    })
    .await;
    assert!(worked > 0, "no call worked at all");
}

#[tokio::test]
async fn nothing_outside_is_written() {
    let worked = race(WRITES, |attempt| {
        vec![
            ("write", json!({ "path": format!("d/new-{attempt}"), "content": "mine" })),
            ("write", json!({ "path": "d/changed", "content": format!("mine {attempt}") })),
            ("write", json!({ "path": format!("d/made-{attempt}/x"), "content": "mine" })),
        ]
    })
    .await;
    assert!(worked > 0, "no call worked at all");
}

#[tokio::test]
async fn nothing_outside_is_edited() {
    let edit = |path: &str, old: &str| json!({ "path": path, "edits": [{ "old_text": old, "new_text": format!("{old}!") }] });
    let worked = race(WRITES, |_| {
        vec![
            ("edit", edit("d/changed", "ours")),
            ("edit", edit("d/changed", SECRET)),
            ("edit", edit("f", SECRET)),
        ]
    })
    .await;
    assert!(worked > 0, "no call worked at all");
}

#[tokio::test]
async fn nothing_outside_is_listed_or_found() {
    let worked = race(LOOKS, |_| {
        vec![
            ("list", json!({ "path": "d" })),
            ("list", json!({ "path": "d/sub/.." })),
            ("glob", json!({ "pattern": "*" })),
            ("glob", json!({ "pattern": "*", "path": "d" })),
            ("search", json!({ "pattern": "." })),
            ("search", json!({ "pattern": ".", "path": "d" })),
            ("search", json!({ "pattern": ".", "path": "f" })),
        ]
    })
    .await;
    assert!(worked > 0, "no call worked at all");
}

#[tokio::test]
async fn nothing_outside_is_put_back() {
    let mut swapped = Swapped::new();
    let before = contents(&swapped.outside);
    let kept = swapped.fixture.folder.path().join("kept.jsonl");
    swapped.fixture.tools = swapped.fixture.tools.clone().keeping(Snapshots::beside(&kept));
    let snapshots = Snapshots::beside(&kept);
    for (number, path) in [(1, "d/changed"), (2, "d/fresh"), (3, "d/made/fresh")] {
        let report =
            swapped.fixture.unasked(number, "write", json!({ "path": path, "content": "mine" })).await;
        assert_eq!(report.unwrap().outcome, Outcome::Ok);
    }
    // What the agent left stands outside too: an undo that goes astray would find there what it looks for.
    for name in ["changed", "fresh", "made/fresh"] {
        let path = swapped.outside.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "mine").unwrap();
    }
    let before: BTreeSet<_> = contents(&swapped.outside).union(&before).cloned().collect();
    let before: BTreeSet<_> =
        before.into_iter().filter(|(path, content)| fs::read(path).unwrap() == *content).collect();
    swapped.begin();
    let calls = (1..=3).chain((0..WRITES).map(|attempt| 100 + attempt));
    let files = ["d/changed", "d/fresh", "d/made/fresh"].map(|path| swapped.fixture.path(path));
    let calls = calls.flat_map(|call| files.iter().map(move |file| (CallId(call), file.clone())));
    let books = undoing::books(&calls.collect::<Vec<_>>());
    let mut done = 0;
    for attempt in 0..WRITES {
        let Ok(plan) = snapshots.plan(&UndoScope::Since(CallId(1)), &books) else { continue };
        if plan.refused.is_empty() && snapshots.restore(&plan, attempt).is_ok() {
            done += 1;
            // Once it is undone there is nothing left to do: the agent changes the files again.
            for path in ["d/changed", "d/fresh", "d/made/fresh"] {
                swapped
                    .fixture
                    .unasked(100 + attempt, "write", json!({ "path": path, "content": "mine" }))
                    .await;
            }
        }
    }
    let after = swapped.end();
    assert_eq!(after, before, "something outside was put back ({done} undone)");
}
