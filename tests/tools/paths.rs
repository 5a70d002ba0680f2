//! Which paths leave the workspace: decided on where they really lead.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;

use super::*;

async fn outside(bench: &Bench, path: &str) -> Vec<String> {
    let read = bench.prepare("read", json!({ "path": path })).await;
    let write = bench.prepare("write", json!({ "path": path, "content": "x" })).await;
    assert_eq!(read.outside, write.outside);
    read.outside
}

#[tokio::test]
async fn what_is_in_the_workspace_is_inside_however_it_is_written() {
    let bench = Bench::new();
    bench.put("real/file", "");
    symlink("real", bench.path("link")).unwrap();
    symlink(bench.path("real"), bench.path("absolute")).unwrap();
    let full = bench.path("real/file").display().to_string();
    let twice = format!("../work/{}", "real/../real/file");
    for path in ["real/file", "link/file", "absolute/new", "link/../new", "./a//b", ".", "", &full, &twice] {
        assert_eq!(outside(&bench, path).await, Vec::<String>::new(), "{path}");
    }
}

#[tokio::test]
async fn what_leads_out_is_outside_however_it_is_written() {
    let bench = Bench::new();
    let base = bench.folder.path().canonicalize().unwrap();
    fs::create_dir_all(base.join("other/deep")).unwrap();
    symlink(base.join("other/deep"), bench.path("link")).unwrap();
    symlink("../other", bench.path("relative")).unwrap();
    symlink(base.join("not-there-yet"), bench.path("dangling")).unwrap();
    symlink("link", bench.path("chain")).unwrap();
    for (path, leads_to) in [
        ("..", ""),
        ("../other/x", "other/x"),
        ("a/../../other", "other"),
        ("link/../../etc", "etc"),
        ("link/new/file", "other/deep/new/file"),
        ("relative/x", "other/x"),
        ("dangling", "not-there-yet"),
        ("chain/x", "other/deep/x"),
        ("~/notes", "home/notes"),
        ("~", "home"),
        ("../workshop", "workshop"),
    ] {
        let expected = base.join(leads_to).display().to_string();
        assert_eq!(outside(&bench, path).await, [expected.trim_end_matches('/')], "{path}");
    }
    assert_eq!(outside(&bench, "/etc/passwd").await, ["/etc/passwd"]);
    symlink("round", bench.path("round")).unwrap();
    assert_eq!(outside(&bench, "round/x").await, ["round/x"], "what cannot be resolved is not inside");
    assert_has(&bench.fails("read", json!({ "path": "round" })).await, &["too many symlinks"]);
}

#[tokio::test]
async fn a_write_lands_where_the_preparation_said() {
    let bench = Bench::new();
    let base = bench.folder.path().canonicalize().unwrap();
    fs::create_dir(base.join("other")).unwrap();
    symlink("../other", bench.path("link")).unwrap();
    symlink("../other/target", bench.path("dangling")).unwrap();
    let through = json!({ "path": "link/sub/new", "content": "a" });
    let at = base.join("other/sub/new");
    assert_eq!(bench.prepare("write", through.clone()).await.outside, [at.display().to_string()]);
    assert_has(&bench.done("write", through).await, &[&format!("created {}", at.display())]);
    assert_eq!(fs::read_to_string(at).unwrap(), "a");
    bench.looked_at("write", json!({ "path": "dangling", "content": "b" })).await;
    assert_eq!(fs::read_to_string(base.join("other/target")).unwrap(), "b");
    assert!(fs::symlink_metadata(bench.path("dangling")).unwrap().is_symlink());
}

#[tokio::test]
async fn a_search_does_not_follow_links_out() {
    let bench = Bench::new();
    let base = bench.folder.path().canonicalize().unwrap();
    fs::create_dir(base.join("other")).unwrap();
    fs::write(base.join("other/secret"), "needle\n").unwrap();
    symlink("../other", bench.path("folder")).unwrap();
    symlink("../other/secret", bench.path("file")).unwrap();
    assert_has(&bench.done("search", json!({ "pattern": "needle" })).await, &["no matches"]);
    let named = bench.prepare("search", json!({ "pattern": "needle", "path": "folder" })).await;
    assert_eq!(named.outside, [base.join("other").display().to_string()]);
}

#[tokio::test]
async fn a_command_is_shown_byte_for_byte_and_its_words_are_looked_at_as_paths() {
    let bench = Bench::new();
    let command = "echo  'a\tb' ;\n rm -rf /";
    let found = bench.prepare("shell", json!({ "command": command })).await;
    assert_eq!(found.preview, Preview::Command(command.to_owned()));
    assert_eq!(found.outside, ["/"]);
}
