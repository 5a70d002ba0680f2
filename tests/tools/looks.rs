//! `read`, `list` and `search`: what they show, and how they say that there is nothing to show.

use std::fs;

use countersign::tool::{Absence, Absent, Absentee};
use serde_json::json;

use super::*;

#[tokio::test]
async fn read_numbers_lines_and_pages() {
    let fixture = Fixture::new();
    let text: String = (1..=50).map(|n| format!("line {n}\n")).collect();
    fixture.put("a.txt", text);
    let page = fixture.done("read", json!({ "path": "a.txt", "offset": 41, "limit": 2 })).await;
    assert_eq!(page, "   41\tline 41\n   42\tline 42\n(lines 41-42 of 50; continue with offset 43)");
    assert_has(&fixture.done("read", json!({ "path": "a.txt" })).await, &["    1\tline 1\n", "(50 lines)"]);
    assert_has(
        &fixture.done("read", json!({ "path": "a.txt", "offset": 50 })).await,
        &["   50\tline 50\n(lines 50-50 of 50)"],
    );
    assert_has(
        &fixture.fails("read", json!({ "path": "a.txt", "offset": 51 })).await,
        &["past the end", "50 lines"],
    );
    fixture.put("empty", "");
    assert_eq!(fixture.done("read", json!({ "path": "empty" })).await, "`empty` is empty");
}

#[tokio::test]
async fn read_says_what_else_to_do_with_what_is_no_text() {
    let fixture = Fixture::new();
    fixture.put("folder/x", "");
    fixture.put("binary", b"\x7fELF\0\0");
    fixture.put("latin", b"caf\xe9\n");
    // No zero byte in it, and no text either.
    let odd: Vec<u8> = (1..=255).cycle().take(4_000).collect();
    fixture.put("odd", &odd);
    assert_has(&fixture.fails("read", json!({ "path": "odd" })).await, &["is not text", "`shell`"]);
    let cyrillic: Vec<u8> = (0xc0..=0xff).chain(*b"\x1b[1m \n").cycle().take(4_000).collect();
    fixture.put("cyrillic", &cyrillic);
    fixture.done("read", json!({ "path": "cyrillic" })).await;
    let status = std::process::Command::new("mkfifo").arg(fixture.path("pipe")).status().unwrap();
    assert!(status.success());
    assert_has(&fixture.fails("read", json!({ "path": "folder" })).await, &["is a folder", "`list`"]);
    assert_has(
        &fixture.fails("read", json!({ "path": "missing" })).await,
        &["does not exist", "`list` or `search`"],
    );
    assert_has(&fixture.fails("read", json!({ "path": "binary" })).await, &["is not text", "`shell`"]);
    assert_has(&fixture.fails("read", json!({ "path": "pipe" })).await, &["neither a file nor a folder"]);
    assert_has(&fixture.fails("read", json!({ "path": "binary/x" })).await, &["is a file, not a folder"]);
    let latin = fixture.done("read", json!({ "path": "latin" })).await;
    assert_has(&latin, &["1\tcaf\u{fffd}", "Not all of it is valid UTF-8"]);
}

#[tokio::test]
async fn read_takes_pages_of_a_huge_file_without_reading_the_rest() {
    let fixture = Fixture::new();
    fixture.put("huge", "0123456789\n".repeat(1000));
    // A terabyte of nothing: whoever reads on to count its lines is not back today.
    fs::File::options().append(true).open(fixture.path("huge")).unwrap().set_len(1 << 40).unwrap();
    let page = fixture.done("read", json!({ "path": "huge", "offset": 999, "limit": 2 })).await;
    assert_has(
        &page,
        &["  999\t0123456789\n", "(lines 999-1000 of a file of 1024.0 GB; continue with offset 1001)"],
    );
    let edit = json!({ "path": "huge", "edits": [{ "old_text": "a", "new_text": "b" }] });
    assert_has(&fixture.fails("edit", edit).await, &["too large"]);
}

#[tokio::test]
async fn results_are_bounded() {
    let fixture = Fixture::new();
    fixture.put("long", "0123456789\n".repeat(10_000));
    let report = fixture.run("read", json!({ "path": "long", "limit": 10_000 })).await;
    assert!(report.content.chars().count() < 30_100 && report.cut_chars > 100_000, "{}", report.cut_chars);
    assert_has(
        &report.content,
        &["    1\t0123456789\n", "characters cut …]", "10000\t0123456789\n(10000 lines)"],
    );
}

#[tokio::test]
async fn list_puts_folders_first_and_leaves_out_what_is_ignored() {
    let fixture = Fixture::new();
    fixture.put("b.txt", "12345");
    fixture.put("src/main.rs", "");
    fixture.put("target/out", "");
    fixture.put(".git/config", "");
    fixture.put(".gitignore", "target\n*.log\n");
    fixture.put("x.log", "");
    std::os::unix::fs::symlink("b.txt", fixture.path("link")).unwrap();
    assert_eq!(
        fixture.done("list", json!({})).await,
        ".: 4 entries\nsrc/\n.gitignore  13 B\nb.txt  5 B\nlink -> b.txt\n(3 entries hidden by ignore files)"
    );
    assert_eq!(fixture.done("list", json!({ "path": "target" })).await, "target: 1 entry\nout  0 B");
    assert_has(&fixture.fails("list", json!({ "path": "b.txt" })).await, &["is a file", "`read`"]);
    assert_has(&fixture.fails("list", json!({ "path": "nowhere" })).await, &["does not exist"]);
    for n in 0..600 {
        fixture.put(&format!("many/{n:03}"), "");
    }
    assert_has(
        &fixture.done("list", json!({ "path": "many" })).await,
        &["600 entries", "… 100 more entries"],
    );
}

#[tokio::test]
async fn search_finds_lines_and_says_when_there_are_none() {
    let fixture = Fixture::new();
    fixture.put("src/a.rs", "fn one() {}\nfn two() {}\n");
    fixture.put("docs/b.md", "fn three\n");
    fixture.put("target/c.rs", "fn hidden() {}\n");
    fixture.put("binary.rs", b"fn\0binary\n");
    fixture.put("latin.rs", b"fn caf\xe9\n");
    fixture.put(".gitignore", "target\n");
    assert_eq!(
        fixture.done("search", json!({ "pattern": r"fn \w+\(", "glob": "*.rs" })).await,
        "2 matches in 1 file\nsrc/a.rs:1: fn one() {}\nsrc/a.rs:2: fn two() {}"
    );
    let in_docs = json!({ "pattern": "^fn", "path": "docs" });
    assert_eq!(fixture.done("search", in_docs).await, "1 match in 1 file\ndocs/b.md:1: fn three");
    let one_file = json!({ "pattern": "two", "path": "src/a.rs" });
    assert_eq!(fixture.done("search", one_file).await, "1 match in 1 file\nsrc/a.rs:2: fn two() {}");
    let by_path = json!({ "pattern": "fn", "glob": "src/**/*.rs" });
    assert_has(&fixture.done("search", by_path).await, &["2 matches in 1 file"]);
    assert_has(&fixture.done("search", json!({ "pattern": "caf" })).await, &["latin.rs:1: fn caf\u{fffd}"]);
    assert_has(
        &fixture.done("search", json!({ "pattern": "fn", "glob": "!*.rs" })).await,
        &["1 match in 1 file"],
    );
    assert_has(&fixture.done("search", json!({ "pattern": "zebra" })).await, &["no matches in"]);
    assert_has(&fixture.fails("search", json!({ "pattern": "foo(" })).await, &["unclosed group", "escape"]);
    assert_has(
        &fixture.fails("search", json!({ "pattern": "a", "glob": "{a" })).await,
        &["not a valid glob"],
    );
    assert_has(
        &fixture.fails("search", json!({ "pattern": "a", "path": "nope" })).await,
        &["does not exist"],
    );
}

#[tokio::test]
async fn search_counts_what_it_does_not_show() {
    let fixture = Fixture::new();
    fixture.put("many", "needle\n".repeat(1000));
    fixture.put("wide", format!("{}pin\n", "x".repeat(5000)));
    let found = fixture.done("search", json!({ "pattern": "needle" })).await;
    assert_has(&found, &["1000 matches in 1 file", "many:300: needle", "… 700 more"]);
    assert!(!found.contains("many:301"));
    assert_has(&fixture.done("search", json!({ "pattern": "pin" })).await, &["… (4703 more characters)"]);
}

/// A call that waited over a restart, of somebody who is not there any more.
#[tokio::test]
async fn a_call_of_whoever_is_not_there_says_so_and_does_nothing() {
    let fixture = Fixture::new();
    let sentence = "The MCP server off is switched off.".to_owned();
    let absent = Absent { who: Absentee::Server("off".to_owned()), why: Absence::SwitchedOff, sentence };
    let tools = LocalTools::new(fixture.path(""), Vec::new(), fixture.groups.clone()).lacking(vec![absent]);
    let missing = tools.discover().await.missing;
    assert!(missing.is_empty(), "what a person switched off is no news: {missing:?}");
    for (name, wanted) in [
        (
            "mcp__off__say",
            "mcp__off__say is not available: The MCP server off is switched off. Nothing was done.",
        ),
        (
            "delegate_to_x",
            "There is no agent x: [agents.x] is not configured, so nothing was delegated. Nothing was done.",
        ),
    ] {
        let call = Invocation { name: name.to_owned(), ..invocation("list", json!({}), 10_000) };
        let (output, _shown) = tokio::sync::mpsc::channel(1);
        let report = tools.run(call, output).await;
        assert_eq!((report.outcome, report.content.as_str()), (Outcome::Failed, wanted));
    }
}
