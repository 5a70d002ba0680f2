//! Which paths leave the workspace: decided on where they really lead.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;

use super::*;

async fn outside(fixture: &Fixture, path: &str) -> Vec<String> {
    let read = fixture.prepare("read", json!({ "path": path })).await;
    let write = fixture.prepare("write", json!({ "path": path, "content": "x" })).await;
    assert_eq!(read.outside, write.outside);
    read.outside
}

#[tokio::test]
async fn what_is_in_the_workspace_is_inside_however_it_is_written() {
    let fixture = Fixture::new();
    fixture.put("real/file", "");
    symlink("real", fixture.path("link")).unwrap();
    symlink(fixture.path("real"), fixture.path("absolute")).unwrap();
    let full = fixture.path("real/file").display().to_string();
    let twice = format!("../work/{}", "real/../real/file");
    for path in ["real/file", "link/file", "absolute/new", "link/../new", "./a//b", ".", "", &full, &twice] {
        assert_eq!(outside(&fixture, path).await, Vec::<String>::new(), "{path}");
    }
}

#[tokio::test]
async fn what_leads_out_is_outside_however_it_is_written() {
    let fixture = Fixture::new();
    let base = fixture.folder.path().canonicalize().unwrap();
    fs::create_dir_all(base.join("other/deep")).unwrap();
    symlink(base.join("other/deep"), fixture.path("link")).unwrap();
    symlink("../other", fixture.path("relative")).unwrap();
    symlink(base.join("not-there-yet"), fixture.path("dangling")).unwrap();
    symlink("link", fixture.path("chain")).unwrap();
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
        assert_eq!(outside(&fixture, path).await, [expected.trim_end_matches('/')], "{path}");
    }
    assert_eq!(outside(&fixture, "/etc/passwd").await, ["/etc/passwd"]);
    symlink("round", fixture.path("round")).unwrap();
    let found = fixture.prepare("read", json!({ "path": "round/x" })).await;
    assert_has(&found.invalid.unwrap(), &["`round/x` goes through too many symlinks, or a loop of them"]);
    assert_eq!((found.outside, found.leads_to), (vec![], vec![]), "nobody is asked about what leads nowhere");
    assert_has(&fixture.fails("read", json!({ "path": "round" })).await, &["too many symlinks"]);
}

#[tokio::test]
async fn a_write_lands_where_the_preparation_said() {
    let fixture = Fixture::new();
    let base = fixture.folder.path().canonicalize().unwrap();
    fs::create_dir(base.join("other")).unwrap();
    symlink("../other", fixture.path("link")).unwrap();
    symlink("../other/target", fixture.path("dangling")).unwrap();
    let through = json!({ "path": "link/sub/new", "content": "a" });
    let at = base.join("other/sub/new");
    assert_eq!(fixture.prepare("write", through.clone()).await.outside, [at.display().to_string()]);
    assert_has(&fixture.done("write", through).await, &[&format!("created {}", at.display())]);
    assert_eq!(fs::read_to_string(at).unwrap(), "a");
    fixture.looked_at("write", json!({ "path": "dangling", "content": "b" })).await;
    assert_eq!(fs::read_to_string(base.join("other/target")).unwrap(), "b");
    assert!(fs::symlink_metadata(fixture.path("dangling")).unwrap().is_symlink());
}

#[tokio::test]
async fn a_search_does_not_follow_links_out() {
    let fixture = Fixture::new();
    let base = fixture.folder.path().canonicalize().unwrap();
    fs::create_dir(base.join("other")).unwrap();
    fs::write(base.join("other/secret"), "needle\n").unwrap();
    symlink("../other", fixture.path("folder")).unwrap();
    symlink("../other/secret", fixture.path("file")).unwrap();
    assert_has(&fixture.done("search", json!({ "pattern": "needle" })).await, &["no matches"]);
    let named = fixture.prepare("search", json!({ "pattern": "needle", "path": "folder" })).await;
    assert_eq!(named.outside, [base.join("other").display().to_string()]);
}

#[tokio::test]
async fn a_command_is_shown_byte_for_byte_and_its_words_are_looked_at_as_paths() {
    let fixture = Fixture::new();
    let command = "echo  'a\tb' ;\n rm -rf /";
    let found = fixture.prepare("shell", json!({ "command": command })).await;
    assert_eq!(found.preview, Preview::Command(command.to_owned()));
    assert_eq!(found.outside, ["/"]);
}
