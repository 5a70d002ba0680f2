//! `edit` and `write`: what they change, and when they change nothing.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use serde_json::json;

use super::*;

fn edit(path: &str, old: &str, new: &str) -> Value {
    json!({ "path": path, "edits": [{ "old_text": old, "new_text": new }] })
}

#[tokio::test]
async fn an_edit_changes_its_place_and_says_so() {
    let fixture = Fixture::new();
    fixture.put("a.rs", "one\ntwo\nthree\n");
    assert_eq!(
        fixture.diff("edit", edit("a.rs", "two", "2\n2.5")).await,
        "--- a/a.rs\n+++ b/a.rs\n@@ -1,3 +1,4 @@\n one\n-two\n+2\n+2.5\n three\n"
    );
    assert_eq!(fixture.get("a.rs"), "one\ntwo\nthree\n", "a preview changes nothing");
    assert_eq!(
        fixture.done("edit", edit("a.rs", "two", "2\n2.5")).await,
        "edited a.rs: 1 replacement at line 2 (+2 -1 lines)"
    );
    assert_eq!(fixture.get("a.rs"), "one\n2\n2.5\nthree\n");
    let all = json!({ "path": "a.rs", "edits": [{ "old_text": "2", "new_text": "two", "all": true }] });
    assert_has(&fixture.done("edit", all).await, &["2 replacements at line 2, 3"]);
}

#[tokio::test]
async fn what_does_not_fit_changes_nothing_and_says_why() {
    let fixture = Fixture::new();
    fixture.put("a", "x = 1\ny = 1\n");
    let both = json!({ "path": "a", "edits": [
        { "old_text": "x = 1", "new_text": "x = 2" },
        { "old_text": "z = 1", "new_text": "z = 2" },
    ] });
    assert_has(
        &fixture.fails("edit", both.clone()).await,
        &["edit 2 of 2: old_text was not found", "`a` was not changed"],
    );
    assert_has(&fixture.diff("edit", both).await, &["! edit 2 of 2"]);
    assert_has(
        &fixture.fails("edit", edit("a", "= 1", "= 2")).await,
        &["2 times, at lines 1, 2", "all: true"],
    );
    assert_has(&fixture.fails("edit", edit("b", "x", "y")).await, &["does not exist", "`write`"]);
    fixture.put("latin", b"good\ncaf\xe9\n");
    assert_has(&fixture.fails("edit", edit("latin", "good", "bad")).await, &["not valid UTF-8 (line 2)"]);
    fs::create_dir(fixture.path("folder")).unwrap();
    assert_has(&fixture.fails("edit", edit("folder", "x", "y")).await, &["is a folder"]);
    assert_eq!(fixture.get("a"), "x = 1\ny = 1\n");
}

#[tokio::test]
async fn a_file_that_changed_since_it_was_read_is_left_alone() {
    let fixture = Fixture::new();
    fixture.put("a", "one\n");
    fixture.done("read", json!({ "path": "a" })).await;
    fixture.done("edit", edit("a", "one", "two")).await;
    fixture.done("edit", edit("a", "two", "three")).await;
    fixture.put("a", "three\nby somebody else\n");
    let again = json!({ "path": "a", "content": "mine" });
    for (tool, arguments) in [("edit", edit("a", "three", "four")), ("write", again.clone())] {
        let why = "`a` has changed since it was read; read it again";
        assert_has(&fixture.diff(tool, arguments.clone()).await, &["! ", why]);
        assert_has(&fixture.fails(tool, arguments).await, &[why]);
    }
    assert_eq!(fixture.get("a"), "three\nby somebody else\n");
    fixture.done("read", json!({ "path": "a", "limit": 1 })).await;
    fixture.done("write", again).await;
    assert_eq!(fixture.get("a"), "mine");
}

#[tokio::test]
async fn line_endings_mode_and_links_stay() {
    let fixture = Fixture::new();
    fixture.put("run.sh", "one\r\ntwo\r\n");
    fs::set_permissions(fixture.path("run.sh"), fs::Permissions::from_mode(0o751)).unwrap();
    symlink("run.sh", fixture.path("link")).unwrap();
    fixture.looked_at("edit", edit("link", "one\ntwo", "1\n2\n3")).await;
    assert_eq!(fixture.get("run.sh"), "1\r\n2\r\n3\r\n");
    assert_eq!(mode(&fixture.path("run.sh")), 0o751);
    assert!(fs::symlink_metadata(fixture.path("link")).unwrap().is_symlink());
    fixture.looked_at("write", json!({ "path": "link", "content": "new\n" })).await;
    assert_eq!((fixture.get("run.sh").as_str(), mode(&fixture.path("run.sh"))), ("new\n", 0o751));
    let left: Vec<_> = fs::read_dir(fixture.path("")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "no temporary file stays: {left:?}");
}

#[tokio::test]
async fn write_makes_folders_and_a_file_as_others_make_theirs() {
    let fixture = Fixture::new();
    let new = json!({ "path": "a/b/c.txt", "content": "é\nx" });
    assert_eq!(
        fixture.diff("write", new.clone()).await,
        "--- /dev/null\n+++ b/a/b/c.txt\n@@ -0,0 +1,2 @@\n+é\n+x\n\\ No newline at end of file\n"
    );
    assert!(!fixture.path("a").exists(), "a preview makes no folder");
    assert_eq!(fixture.done("write", new.clone()).await, "created a/b/c.txt: 4 bytes, 2 lines");
    fixture.put("ordinary", "");
    assert_eq!(mode(&fixture.path("a/b/c.txt")), mode(&fixture.path("ordinary")));
    assert!(!fixture.prepare("write", json!({ "path": "other", "content": "" })).await.replaces);
    assert!(fixture.prepare("write", json!({ "path": "ordinary", "content": "x" })).await.replaces);
    assert_has(&fixture.diff("write", new.clone()).await, &["! the file has this content already"]);
    let over = json!({ "path": "a/b/c.txt", "content": "é\n" });
    assert_eq!(fixture.done("write", over).await, "wrote a/b/c.txt: 3 bytes, 1 line (+0 -1 lines)");
    assert_has(&fixture.fails("write", json!({ "path": "a/b", "content": "" })).await, &["is a folder"]);
    let through = json!({ "path": "ordinary/x", "content": "" });
    assert_has(&fixture.fails("write", through).await, &["is a file, not a folder"]);
}

#[tokio::test]
async fn a_preview_is_bounded_and_says_what_is_missing() {
    let fixture = Fixture::new();
    let content = format!("{}\n{}", "w".repeat(5000), "line\n".repeat(1000));
    let diff = fixture.diff("write", json!({ "path": "long", "content": content })).await;
    assert_has(&diff, &["… (3001 more characters)", "… 604 more lines"]);
    assert_eq!(diff.lines().count(), 401);
}
