//! Between the look and the act: what was swapped or changed meanwhile is refused, and nothing is written.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, symlink};

use serde_json::json;

use super::*;
use crate::own_process::is_alone;

#[tokio::test]
async fn a_link_that_leads_elsewhere_by_now_is_not_followed() {
    let fixture = Fixture::new();
    let out = fixture.folder.path().canonicalize().unwrap().join("other");
    fs::create_dir(&out).unwrap();
    fs::write(out.join("file"), "theirs").unwrap();
    fixture.put("real/file", "ours");
    symlink("real", fixture.path("link")).unwrap();
    let calls = [
        ("read", json!({ "path": "link/file" }), "ours"),
        ("list", json!({ "path": "link" }), "real: 1 entry"),
        ("glob", json!({ "pattern": "*", "path": "link" }), "real/file"),
        ("search", json!({ "pattern": "s", "path": "link" }), "real/file:1: ours"),
        ("edit", edit("link/file", "s", "t"), "edited real/file"),
        ("write", json!({ "path": "link/new", "content": "mine" }), "created real/new"),
    ];
    for (tool, arguments, _) in &calls {
        assert_eq!(fixture.prepare(tool, arguments.clone()).await.outside, Vec::<String>::new(), "{tool}");
    }
    fs::remove_file(fixture.path("link")).unwrap();
    symlink(&out, fixture.path("link")).unwrap();
    for (tool, arguments, says) in calls {
        assert_has(&fixture.done(tool, arguments).await, &[says]);
    }
    assert_eq!((fixture.get("real/file").as_str(), fixture.get("real/new").as_str()), ("ourt", "mine"));
    assert_eq!(fs::read_to_string(out.join("file")).unwrap(), "theirs");
    assert_eq!(fs::read_dir(&out).unwrap().count(), 1);
}

fn edit(path: &str, old: &str, new: &str) -> Value {
    json!({ "path": path, "edits": [{ "old_text": old, "new_text": new }] })
}

/// The calls that use the folder `d` in one way or another.
fn in_d() -> [(&'static str, Value); 6] {
    [
        ("read", json!({ "path": "d/file" })),
        ("list", json!({ "path": "d" })),
        ("glob", json!({ "pattern": "*", "path": "d" })),
        ("search", json!({ "pattern": ".", "path": "d" })),
        ("edit", edit("d/file", "ours", "mine")),
        ("write", json!({ "path": "d/new", "content": "mine" })),
    ]
}

#[tokio::test]
async fn a_folder_that_stands_elsewhere_by_now_is_not_used() {
    for replaced in [false, true] {
        let fixture = Fixture::new();
        fixture.put("d/file", "ours");
        fixture.put("e/file", "ours, too");
        for (tool, arguments) in in_d() {
            fixture.prepare(tool, arguments).await;
        }
        fs::rename(fixture.path("d"), fixture.path("moved")).unwrap();
        if replaced {
            fs::rename(fixture.path("e"), fixture.path("d")).unwrap();
        }
        let what = if replaced { "another folder has taken its place" } else { "it is gone" };
        for (tool, arguments) in in_d() {
            let why = fixture.fails(tool, arguments).await;
            assert_has(&why, &["the folder `d` has moved since this was decided", what, "nothing was done"]);
        }
        assert_eq!((fixture.get("moved/file").as_str(), fixture.path("moved/new").exists()), ("ours", false));
    }
}

#[tokio::test]
async fn a_folder_that_was_removed_and_made_anew_is_used_and_a_link_in_its_place_is_not() {
    for link in [false, true] {
        let fixture = Fixture::new();
        let out = fixture.folder.path().canonicalize().unwrap().join("other");
        fs::create_dir(&out).unwrap();
        fs::write(out.join("file"), "ours").unwrap();
        fixture.put("d/file", "ours");
        for (tool, arguments) in in_d() {
            fixture.prepare(tool, arguments).await;
        }
        fs::remove_dir_all(fixture.path("d")).unwrap();
        match link {
            true => symlink(&out, fixture.path("d")).unwrap(),
            false => fixture.put("d/file", "ours"),
        }
        for (tool, arguments) in in_d() {
            match link {
                true => assert_has(&fixture.fails(tool, arguments).await, &["`d` has just become a symlink"]),
                false => drop(fixture.done(tool, arguments).await),
            }
        }
        assert_eq!(fs::read_to_string(out.join("file")).unwrap(), "ours");
        assert_eq!(fs::read_dir(&out).unwrap().count(), 1);
    }
}

#[tokio::test]
async fn a_call_that_nobody_has_looked_at_goes_through_no_link() {
    let fixture = Fixture::new();
    fixture.put("real/file", "ours");
    symlink("real", fixture.path("link")).unwrap();
    assert_has(&fixture.done("read", json!({ "path": "./real/../real/file" })).await, &["ours"]);
    for (tool, arguments) in [
        ("read", json!({ "path": "link/file" })),
        ("list", json!({ "path": "link" })),
        ("write", json!({ "path": "link/file", "content": "mine" })),
    ] {
        let why = fixture.fails(tool, arguments.clone()).await;
        assert_has(&why, &["leads to `real", "has not been checked", "make the call again"]);
        fixture.looked_at(tool, arguments.clone()).await;
        // Once it is over, nothing is kept of it.
        fixture.tools.over(CallId(1));
        fixture.fails(tool, arguments).await;
    }
}

#[tokio::test]
async fn calls_beyond_those_whose_folders_are_held_find_the_same_place_without_following_links() {
    let name = "races::calls_beyond_those_whose_folders_are_held_find_the_same_place_without_following_links";
    if !is_alone(name) {
        return;
    }
    let fixture = Fixture::new();
    let out = fixture.folder.path().canonicalize().unwrap().join("other");
    fs::create_dir(&out).unwrap();
    fs::write(out.join("file"), "theirs").unwrap();
    fixture.put("real/file", "ours");
    symlink("real", fixture.path("link")).unwrap();
    let call = |number: u64| Invocation {
        call: CallId(number),
        ..invocation("read", json!({ "path": "link/file" }), 30_000)
    };
    let open = || fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
    let before = open();
    for number in 0..600 {
        fixture.tools.prepare(call(number)).await;
    }
    assert!(open() < before + 300, "{} files are open", open());
    fs::remove_file(fixture.path("link")).unwrap();
    symlink(&out, fixture.path("link")).unwrap();
    for number in 0..600 {
        let (output, _listener) = mpsc::channel(1);
        assert_has(&fixture.tools.run(call(number), output).await.content, &["ours"]);
    }
}

/// A call that a person was shown, and allowed.
fn shown(number: u64, name: &str, arguments: Value) -> Invocation {
    Invocation { call: CallId(number), is_shown: true, ..invocation(name, arguments, 30_000) }
}

fn replacing(path: &str, old: &str, new: &str) -> Value {
    json!({ "path": path, "edits": [{ "old_text": old, "new_text": new }] })
}

impl Fixture {
    async fn made(&self, call: Invocation) -> (Outcome, String) {
        let (output, _listener) = mpsc::channel(1);
        let report = self.tools.run(call, output).await;
        (report.outcome, report.content)
    }
}

const CHANGED: &str = "has changed since the approved diff was made; nothing was written";

#[tokio::test]
async fn a_file_that_is_not_what_the_diff_showed_is_not_written() {
    let fixture = Fixture::new();
    let write = json!({ "path": "b", "content": "whole\n" });
    for (tool, path, arguments) in [("edit", "a", replacing("a", "one", "two")), ("write", "b", write)] {
        fixture.put(path, "one\n");
        let call = || shown(1, tool, arguments.clone());
        fixture.tools.prepare(call()).await;
        fixture.put(path, "one\nand theirs\n");
        let (outcome, why) = fixture.made(call()).await;
        assert_eq!(outcome, Outcome::Failed);
        assert_has(&why, &[&format!("`{path}` {CHANGED}")]);
        assert_eq!(fixture.get(path), "one\nand theirs\n");
        // Looked at again, it is another diff.
        fixture.tools.prepare(call()).await;
        assert_eq!(fixture.made(call()).await.0, Outcome::Ok);
    }
    let new = || shown(1, "write", json!({ "path": "new", "content": "mine" }));
    fixture.tools.prepare(new()).await;
    fixture.put("new", "theirs");
    assert_has(&fixture.made(new()).await.1, &[CHANGED]);
    assert_eq!(fixture.get("new"), "theirs");
}

#[tokio::test]
async fn calls_of_one_answer_change_the_same_file_one_after_another() {
    let fixture = Fixture::new();
    let lines: String = (1..=20).map(|number| format!("line {number}\n")).collect();
    fixture.put("a", &lines);
    let first = || shown(1, "edit", replacing("a", "line 2\n", "2\nand more\n"));
    let far = || shown(2, "edit", replacing("a", "line 18\n", "18\n"));
    // Its diff showed a line that the first one takes away.
    let near = || shown(3, "edit", replacing("a", "line 3\n", "3\n"));
    for call in [first(), far(), near()] {
        fixture.tools.prepare(call).await;
    }
    assert_eq!(fixture.made(first()).await.0, Outcome::Ok);
    let (outcome, text) = fixture.made(far()).await;
    assert_eq!(outcome, Outcome::Ok, "the same lines as shown, one further down: {text}");
    assert_has(&fixture.made(near()).await.1, &[CHANGED]);
    let now = lines.replace("line 2\n", "2\nand more\n").replace("line 18\n", "18\n");
    assert_eq!(fixture.get("a"), now);
    // Somebody else's change is not covered, wherever it is.
    let last = || shown(4, "edit", replacing("a", "line 10\n", "10\n"));
    fixture.tools.prepare(last()).await;
    fixture.put("a", format!("{now}theirs\n"));
    assert_eq!(fixture.made(last()).await.0, Outcome::Failed);
    assert_eq!(fixture.get("a"), format!("{now}theirs\n"));
}

#[tokio::test]
async fn what_was_allowed_of_a_call_whose_look_is_forgotten_is_not_made() {
    let fixture = Fixture::new();
    fixture.put("a", "one\n");
    let call = |number: u64| shown(number, "write", json!({ "path": "a", "content": "mine\n" }));
    let forgotten = "it is not known any more what was approved of `a`; nothing was written";
    assert_has(&fixture.made(call(1)).await.1, &[forgotten]);
    for number in 1..=1_001 {
        fixture.tools.prepare(call(number)).await;
    }
    for content in ["one\n", "theirs\n"] {
        fixture.put("a", content);
        let (outcome, why) = fixture.made(call(1)).await;
        assert_eq!(outcome, Outcome::Failed);
        assert_has(&why, &[forgotten]);
        assert_eq!(fixture.get("a"), content);
    }
    assert_has(&fixture.made(call(2)).await.1, &[CHANGED]);
    fixture.put("a", "one\n");
    assert_eq!(fixture.made(call(2)).await.0, Outcome::Ok);
}

#[tokio::test]
async fn a_call_that_was_shown_whole_is_made_and_a_later_diff_counts_instead() {
    let fixture = Fixture::new();
    let edit = |number: u64, path: &str| shown(number, "edit", replacing(path, "one", "two"));
    for (number, path) in [(1, "a"), (2, "b")] {
        fixture.tools.prepare(edit(number, path)).await;
        fixture.put(path, "one\n");
    }
    let (outcome, text) = fixture.made(edit(1, "a")).await;
    assert_eq!(outcome, Outcome::Ok, "the person saw both texts, and why there was no diff: {text}");
    fixture.tools.prepare(edit(2, "b")).await;
    fixture.put("b", "one\ntheirs\n");
    assert_has(&fixture.made(edit(2, "b")).await.1, &[CHANGED]);
    assert_eq!(fixture.get("b"), "one\ntheirs\n");
}

#[tokio::test]
async fn what_rules_allow_is_made_on_the_file_as_it_is_then() {
    let fixture = Fixture::new();
    fixture.put("a", "one\ntwo\n");
    let ruled = |call| Invocation { is_shown: false, ..call };
    let first = || ruled(shown(1, "edit", replacing("a", "one", "1")));
    let second = || ruled(shown(2, "edit", replacing("a", "two", "2")));
    let whole = || ruled(shown(3, "write", json!({ "path": "a", "content": "whole\n" })));
    for call in [first(), second(), whole()] {
        fixture.tools.prepare(call).await;
    }
    assert_eq!(fixture.made(first()).await.0, Outcome::Ok);
    assert_eq!(fixture.made(second()).await.0, Outcome::Ok);
    assert_eq!(fixture.get("a"), "1\n2\n");
    assert_eq!(fixture.made(whole()).await.0, Outcome::Ok);
    assert_eq!(fixture.get("a"), "whole\n");
    // What the model did not see stays, as ever.
    fixture.put("a", "one\n");
    let (outcome, why) = fixture.made(ruled(shown(4, "edit", replacing("a", "one", "1")))).await;
    assert_eq!(outcome, Outcome::Failed);
    assert_has(&why, &["has changed since it was read"]);
}

#[tokio::test]
async fn a_hard_link_is_cut_and_that_is_said() {
    let fixture = Fixture::new();
    let out = fixture.folder.path().canonicalize().unwrap().join("theirs");
    fs::write(&out, "one\n").unwrap();
    fs::hard_link(&out, fixture.path("a")).unwrap();
    let edit = json!({ "path": "a", "edits": [{ "old_text": "one", "new_text": "two" }] });
    let said = fixture.done("edit", edit).await;
    assert_has(&said, &["edited a", "the file had 1 other hard link", "now a separate file"]);
    assert_eq!(fixture.get("a"), "two\n");
    assert_eq!(fs::read_to_string(&out).unwrap(), "one\n", "what lies outside is as it was");
    assert_eq!(fs::metadata(fixture.path("a")).unwrap().nlink(), 1);
}

#[tokio::test]
async fn encodings_marks_and_endings_stay_as_they_are() {
    let fixture = Fixture::new();
    let edit = |path: &str| json!({ "path": path, "edits": [{ "old_text": "two", "new_text": "2\n€" }] });
    fixture.put("marked", "\u{feff}one\r\ntwo\nthree");
    assert_has(
        &fixture.done("read", json!({ "path": "marked" })).await,
        &["    1\tone\n", "byte order mark", "mixed: 1 CRLF and 1 LF"],
    );
    fixture.done("edit", edit("marked")).await;
    assert_eq!(fixture.get("marked"), "\u{feff}one\r\n2\n€\nthree", "no newline at the end, as before");
    let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    fixture.put("wide", wide("\u{feff}one\r\ntwo\r\n"));
    assert_has(
        &fixture.done("read", json!({ "path": "wide" })).await,
        &["    1\tone\n    2\ttwo\n", "UTF-16 (little-endian)", "Lines end with CRLF"],
    );
    assert_has(&fixture.diff("edit", edit("wide")).await, &["-two", "+2", "+€"]);
    fixture.done("edit", edit("wide")).await;
    assert_eq!(fs::read(fixture.path("wide")).unwrap(), wide("\u{feff}one\r\n2\r\n€\r\n"));
    fixture.put("torn", [wide("\u{feff}one"), vec![0]].concat());
    assert_has(&fixture.fails("edit", edit("torn")).await, &["not valid UTF-16", "line 1"]);
    fixture.put("latin", b"two\ncaf\xe9\n");
    assert_has(
        &fixture.fails("edit", edit("latin")).await,
        &["not valid UTF-8 (line 2); perhaps it is Latin-1"],
    );
    assert_eq!(fs::read(fixture.path("latin")).unwrap(), b"two\ncaf\xe9\n");
}

#[tokio::test]
async fn read_says_what_a_binary_file_is() {
    let fixture = Fixture::new();
    fixture.put("program", b"\x7fELF\x02\x01\x01\0\0\0");
    fixture.put("page.pdf", b"%PDF-1.7\n\0\0");
    for (path, what) in [
        ("program", "`program` is not text: an ELF program or library (10 B)"),
        ("page.pdf", "a PDF document (11 B)"),
    ] {
        assert_has(&fixture.fails("read", json!({ "path": path })).await, &[what, "is not text", "`shell`"]);
    }
}
