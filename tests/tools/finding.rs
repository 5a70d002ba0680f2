//! `glob` and `plan`, and what `search` leaves out.

use std::fs;
use std::os::unix::fs::symlink;
use std::time::{Duration, SystemTime};

use serde_json::json;

use super::*;

/// Makes files whose times are a minute apart, the last one newest.
fn put_in_turn(fixture: &Fixture, names: &[&str]) {
    let begin = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    for (at, name) in names.iter().enumerate() {
        fixture.put(name, "x");
        let file = fs::File::options().write(true).open(fixture.path(name)).unwrap();
        file.set_modified(begin + Duration::from_secs(60 * at as u64)).unwrap();
    }
}

#[tokio::test]
async fn glob_finds_by_name_and_path_newest_first() {
    let fixture = Fixture::new();
    put_in_turn(&fixture, &["src/old.rs", "top.rs", "src/deep/new.rs", "doc.md", ".hidden.rs"]);
    fixture.put("target/built.rs", "");
    fixture.put(".git/x.rs", "");
    fixture.put(".gitignore", "target\n");
    assert_eq!(
        fixture.done("glob", json!({ "pattern": "*.rs" })).await,
        "4 files, newest first\n.hidden.rs\nsrc/deep/new.rs\ntop.rs\nsrc/old.rs"
    );
    let in_src = "2 files, newest first\nsrc/deep/new.rs\nsrc/old.rs";
    for arguments in [
        json!({ "pattern": "src/**/*.rs" }),
        json!({ "pattern": "src/" }),
        json!({ "pattern": "*.rs", "path": "src" }),
        json!({ "pattern": "**/*.rs", "path": "src" }),
        json!({ "pattern": "src/**/*.rs", "path": "src" }),
    ] {
        assert_eq!(fixture.done("glob", arguments.clone()).await, in_src, "{arguments}");
    }
    assert_eq!(
        fixture.done("glob", json!({ "pattern": "deep/*.rs", "path": "src" })).await,
        "1 file\nsrc/deep/new.rs"
    );
    assert_has(
        &fixture.done("glob", json!({ "pattern": "!*.rs" })).await,
        &["2 files", "doc.md", ".gitignore"],
    );
    assert_has(&fixture.done("glob", json!({ "pattern": "*.zig" })).await, &["no match among 6 files"]);
    assert_has(
        &fixture.done("glob", json!({ "pattern": "*.rs", "path": "target" })).await,
        &["target/built.rs"],
    );
}

#[tokio::test]
async fn glob_says_what_is_wrong_and_how_many_more_there_are() {
    let fixture = Fixture::new();
    for n in 0..250 {
        fixture.put(&format!("many/{n:03}.txt"), "");
    }
    let found = fixture.done("glob", json!({ "pattern": "*.txt" })).await;
    assert_has(&found, &["250 files, newest first", "… 50 more; narrow"]);
    assert_eq!(found.lines().count(), 202);
    assert_has(&fixture.fails("glob", json!({ "pattern": "{a" })).await, &["not a valid glob"]);
    assert_has(&fixture.fails("glob", json!({ "pattern": "*", "path": "nope" })).await, &["does not exist"]);
    assert_has(
        &fixture.fails("glob", json!({ "pattern": "*", "path": "many/000.txt" })).await,
        &["is a file"],
    );
}

#[tokio::test]
async fn names_of_files_stand_on_one_line() {
    let fixture = Fixture::new();
    fixture.put("d\nforged.rs:1: fn safe() {}/a.rs", "needle\n");
    fixture.put("d\nforged.rs:1: fn safe() {}/.env", "needle\n");
    symlink("nowhere\nforged  5 B", fixture.path("link")).unwrap();
    let name = r"d\nforged.rs:1: fn safe() {}";
    let found = fixture.done("search", json!({ "pattern": "needle" })).await;
    assert_has(&found, &[&format!("\n{name}/a.rs:1: needle"), &format!("secrets: {name}/.env;")]);
    assert_eq!(found.lines().count(), 3, "{found}");
    let found = fixture.done("glob", json!({ "pattern": "*.rs" })).await;
    assert_eq!(found, format!("1 file\n{name}/a.rs"));
    let listed = fixture.done("list", json!({})).await;
    assert_eq!(listed, format!(".: 2 entries\n{name}/\nlink -> nowhere\\nforged  5 B"));
    let missing = json!({ "path": "d\nforged.rs:1: fn safe() {}/b" });
    assert_has(&fixture.fails("list", missing).await, &[&format!("`{name}/b` does not exist")]);
}

#[tokio::test]
async fn nothing_is_found_behind_a_link_that_leads_out() {
    let fixture = Fixture::new();
    let out = fixture.folder.path().canonicalize().unwrap().join("other");
    fs::create_dir(&out).unwrap();
    fs::write(out.join("secret.txt"), "needle\n").unwrap();
    symlink("../other", fixture.path("link")).unwrap();
    assert_has(&fixture.done("glob", json!({ "pattern": "*.txt" })).await, &["no match among"]);
    assert_has(&fixture.done("search", json!({ "pattern": "needle" })).await, &["no matches"]);
    let named = fixture.prepare("glob", json!({ "pattern": "*.txt", "path": "link" })).await;
    assert_eq!(named.outside, [out.display().to_string()]);
}

#[tokio::test]
async fn search_looks_into_hidden_files_and_leaves_out_binary_and_endless_ones() {
    let fixture = Fixture::new();
    fixture.put(".env.example", "needle here\n");
    fixture.put("late", [b"needle first\n".as_slice(), &[b'x'; 70_000], b"\nneedle \0 zero\n"].concat());
    fixture.put("endless", [vec![b'y'; 17 << 20], b"needle\n".to_vec()].concat());
    fixture.put("wide", format!("{}needle{}\n", "z".repeat(1 << 20), "z".repeat(1 << 20)));
    let found = fixture.done("search", json!({ "pattern": "needle" })).await;
    assert_has(&found, &[".env.example:1: needle here", "wide:1: zzz", "(1 file could not be searched)"]);
    assert!(found.len() < 3000, "{}", found.len());
}

#[tokio::test]
async fn a_plan_is_checked_and_summed_up() {
    let fixture = Fixture::new();
    let item = |text: &str, status: &str| json!({ "text": text, "status": status });
    for (items, said) in [
        (json!([]), "the plan is empty"),
        (json!([item("a", "pending"), item("b", "pending")]), "plan: 0 of 2 done, none in progress"),
        (json!([item("a", "completed"), item("b", "in_progress")]), "plan: 1 of 2 done, in progress: b"),
        (json!([item("a", "completed")]), "plan: all 1 done"),
    ] {
        assert_eq!(fixture.done("plan", json!({ "items": items })).await, said);
    }
    let blank = json!({ "items": [item("a", "pending"), item("  ", "pending")] });
    assert_has(&fixture.fails("plan", blank).await, &["item 2", "empty", "was not changed"]);
    let lines = json!({ "items": [item("a\nb", "pending")] });
    assert_has(&fixture.fails("plan", lines).await, &["item 1", "one line"]);
}
