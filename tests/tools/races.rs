//! Between the look and the act: what was swapped or changed meanwhile is refused, and nothing is written.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, symlink};

use serde_json::json;

use super::*;

#[tokio::test]
async fn a_link_that_leads_elsewhere_by_now_is_not_followed() {
    let bench = Bench::new();
    let out = bench.folder.path().canonicalize().unwrap().join("other");
    fs::create_dir(&out).unwrap();
    fs::write(out.join("file"), "theirs").unwrap();
    bench.put("real/file", "ours");
    symlink("real", bench.path("link")).unwrap();
    let calls = [
        ("read", json!({ "path": "link/file" }), "ours"),
        ("list", json!({ "path": "link" }), "real: 1 entry"),
        ("glob", json!({ "pattern": "*", "path": "link" }), "real/file"),
        ("search", json!({ "pattern": "s", "path": "link" }), "real/file:1: ours"),
        ("edit", edit("link/file", "s", "t"), "edited real/file"),
        ("write", json!({ "path": "link/new", "content": "mine" }), "created real/new"),
    ];
    for (tool, arguments, _) in &calls {
        assert_eq!(bench.prepare(tool, arguments.clone()).await.outside, Vec::<String>::new(), "{tool}");
    }
    fs::remove_file(bench.path("link")).unwrap();
    symlink(&out, bench.path("link")).unwrap();
    for (tool, arguments, says) in calls {
        assert_has(&bench.done(tool, arguments).await, &[says]);
    }
    assert_eq!((bench.get("real/file").as_str(), bench.get("real/new").as_str()), ("ourt", "mine"));
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
        let bench = Bench::new();
        bench.put("d/file", "ours");
        bench.put("e/file", "ours, too");
        for (tool, arguments) in in_d() {
            bench.prepare(tool, arguments).await;
        }
        fs::rename(bench.path("d"), bench.path("moved")).unwrap();
        if replaced {
            fs::rename(bench.path("e"), bench.path("d")).unwrap();
        }
        let what = if replaced { "another folder has taken its place" } else { "it is gone" };
        for (tool, arguments) in in_d() {
            let why = bench.fails(tool, arguments).await;
            assert_has(&why, &["the folder `d` has moved since this was decided", what, "nothing was done"]);
        }
        assert_eq!((bench.get("moved/file").as_str(), bench.path("moved/new").exists()), ("ours", false));
    }
}

#[tokio::test]
async fn a_folder_that_was_removed_and_made_anew_is_used_and_a_link_in_its_place_is_not() {
    for link in [false, true] {
        let bench = Bench::new();
        let out = bench.folder.path().canonicalize().unwrap().join("other");
        fs::create_dir(&out).unwrap();
        fs::write(out.join("file"), "ours").unwrap();
        bench.put("d/file", "ours");
        for (tool, arguments) in in_d() {
            bench.prepare(tool, arguments).await;
        }
        fs::remove_dir_all(bench.path("d")).unwrap();
        match link {
            true => symlink(&out, bench.path("d")).unwrap(),
            false => bench.put("d/file", "ours"),
        }
        for (tool, arguments) in in_d() {
            match link {
                true => assert_has(&bench.fails(tool, arguments).await, &["`d` has just become a symlink"]),
                false => drop(bench.done(tool, arguments).await),
            }
        }
        assert_eq!(fs::read_to_string(out.join("file")).unwrap(), "ours");
        assert_eq!(fs::read_dir(&out).unwrap().count(), 1);
    }
}

#[tokio::test]
async fn a_call_that_nobody_has_looked_at_goes_through_no_link() {
    let bench = Bench::new();
    bench.put("real/file", "ours");
    symlink("real", bench.path("link")).unwrap();
    assert_has(&bench.done("read", json!({ "path": "./real/../real/file" })).await, &["ours"]);
    for (tool, arguments) in [
        ("read", json!({ "path": "link/file" })),
        ("list", json!({ "path": "link" })),
        ("write", json!({ "path": "link/file", "content": "mine" })),
    ] {
        let why = bench.fails(tool, arguments.clone()).await;
        assert_has(&why, &["leads to `real", "has not been checked", "make the call again"]);
        bench.looked_at(tool, arguments.clone()).await;
        // Once it is over, nothing is kept of it.
        bench.tools.over(CallId(1));
        bench.fails(tool, arguments).await;
    }
}

#[tokio::test]
async fn calls_beyond_those_whose_folders_are_held_find_the_same_place_without_following_links() {
    let bench = Bench::new();
    let out = bench.folder.path().canonicalize().unwrap().join("other");
    fs::create_dir(&out).unwrap();
    fs::write(out.join("file"), "theirs").unwrap();
    bench.put("real/file", "ours");
    symlink("real", bench.path("link")).unwrap();
    let call = |number: u64| Invocation {
        call: CallId(number),
        ..invocation("read", json!({ "path": "link/file" }), 30_000)
    };
    let open = || fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
    let before = open();
    for number in 0..600 {
        bench.tools.prepare(call(number)).await;
    }
    assert!(open() < before + 300, "{} files are open", open());
    fs::remove_file(bench.path("link")).unwrap();
    symlink(&out, bench.path("link")).unwrap();
    for number in 0..600 {
        let (output, _listener) = mpsc::channel(1);
        assert_has(&bench.tools.run(call(number), output).await.content, &["ours"]);
    }
}

#[tokio::test]
async fn a_file_that_is_not_what_the_diff_showed_is_not_written() {
    let bench = Bench::new();
    let edit = json!({ "path": "a", "edits": [{ "old_text": "one", "new_text": "two" }] });
    let write = json!({ "path": "b", "content": "whole\n" });
    for (tool, path, arguments) in [("edit", "a", edit), ("write", "b", write)] {
        bench.put(path, "one\n");
        bench.prepare(tool, arguments.clone()).await;
        bench.put(path, "one\nand theirs\n");
        let why = bench.fails(tool, arguments.clone()).await;
        assert_has(
            &why,
            &[&format!("`{path}` has changed since the approved diff was made"), "nothing was written"],
        );
        assert_eq!(bench.get(path), "one\nand theirs\n");
        // Looked at again, it is another diff.
        bench.prepare(tool, arguments.clone()).await;
        bench.done(tool, arguments).await;
    }
    let new = json!({ "path": "new", "content": "mine" });
    bench.prepare("write", new.clone()).await;
    bench.put("new", "theirs");
    assert_has(&bench.fails("write", new).await, &["has changed since the approved diff was made"]);
    assert_eq!(bench.get("new"), "theirs");
}

#[tokio::test]
async fn a_hard_link_is_cut_and_that_is_said() {
    let bench = Bench::new();
    let out = bench.folder.path().canonicalize().unwrap().join("theirs");
    fs::write(&out, "one\n").unwrap();
    fs::hard_link(&out, bench.path("a")).unwrap();
    let edit = json!({ "path": "a", "edits": [{ "old_text": "one", "new_text": "two" }] });
    let said = bench.done("edit", edit).await;
    assert_has(&said, &["edited a", "the file had 1 other hard link", "now a separate file"]);
    assert_eq!(bench.get("a"), "two\n");
    assert_eq!(fs::read_to_string(&out).unwrap(), "one\n", "what lies outside is as it was");
    assert_eq!(fs::metadata(bench.path("a")).unwrap().nlink(), 1);
}

#[tokio::test]
async fn encodings_marks_and_endings_stay_as_they_are() {
    let bench = Bench::new();
    let edit = |path: &str| json!({ "path": path, "edits": [{ "old_text": "two", "new_text": "2\n€" }] });
    bench.put("marked", "\u{feff}one\r\ntwo\nthree");
    assert_has(
        &bench.done("read", json!({ "path": "marked" })).await,
        &["    1\tone\n", "byte order mark", "mixed: 1 CRLF and 1 LF"],
    );
    bench.done("edit", edit("marked")).await;
    assert_eq!(bench.get("marked"), "\u{feff}one\r\n2\n€\nthree", "no newline at the end, as before");
    let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    bench.put("wide", wide("\u{feff}one\r\ntwo\r\n"));
    assert_has(
        &bench.done("read", json!({ "path": "wide" })).await,
        &["    1\tone\n    2\ttwo\n", "UTF-16 (little-endian)", "Lines end with CRLF"],
    );
    assert_has(&bench.diff("edit", edit("wide")).await, &["-two", "+2", "+€"]);
    bench.done("edit", edit("wide")).await;
    assert_eq!(fs::read(bench.path("wide")).unwrap(), wide("\u{feff}one\r\n2\r\n€\r\n"));
    bench.put("torn", [wide("\u{feff}one"), vec![0]].concat());
    assert_has(&bench.fails("edit", edit("torn")).await, &["not valid UTF-16", "line 1"]);
    bench.put("latin", b"two\ncaf\xe9\n");
    assert_has(
        &bench.fails("edit", edit("latin")).await,
        &["not valid UTF-8 (line 2); perhaps it is Latin-1"],
    );
    assert_eq!(fs::read(bench.path("latin")).unwrap(), b"two\ncaf\xe9\n");
}

#[tokio::test]
async fn read_says_what_a_binary_file_is() {
    let bench = Bench::new();
    bench.put("program", b"\x7fELF\x02\x01\x01\0\0\0");
    bench.put("page.pdf", b"%PDF-1.7\n\0\0");
    for (path, what) in [
        ("program", "`program` is not text: an ELF program or library (10 B)"),
        ("page.pdf", "a PDF document (11 B)"),
    ] {
        assert_has(&bench.fails("read", json!({ "path": path })).await, &[what, "binary file", "`shell`"]);
    }
}
