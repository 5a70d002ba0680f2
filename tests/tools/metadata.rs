//! What a file keeps when its content is replaced, beside its name: labels stay, the rights of a program do not.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use countersign::runtime::undo::{Snapshots, UndoScope};
use rustix::fs::{XattrFlags, getxattr, setxattr};
use rustix::io::Errno;
use serde_json::json;

use super::*;

fn attribute(path: &Path, name: &str) -> Option<Vec<u8>> {
    let mut value = vec![0; 1000];
    let length = getxattr(path, name, value.as_mut_slice()).ok()?;
    value.truncate(length);
    Some(value)
}

/// Whether the file system of the test keeps attributes at all.
#[allow(clippy::print_stdout, reason = "says what was not tried")]
fn label(path: &Path, name: &str, value: &[u8]) -> bool {
    match setxattr(path, name, value, XattrFlags::empty()) {
        Err(Errno::NOTSUP | Errno::PERM) => {
            println!("not tried: {name} cannot be set here");
            false
        }
        set => set.map(|()| true).unwrap(),
    }
}

#[tokio::test]
async fn what_replaces_a_file_keeps_its_attributes_and_no_rights_of_a_program() {
    let fixture = Fixture::new();
    let snapshots = Snapshots::beside(&fixture.folder.path().join("ID.jsonl"));
    let fixture = Fixture { tools: fixture.tools.clone().keeping(snapshots.clone()), ..fixture };
    let path = fixture.path("run");
    fixture.put("run", "one\n");
    let is_labelled = label(&path, "user.origin", b"https://example.com/");
    // A list of rights: the owner, user 12345 and everybody else may read.
    let rights = [
        &2_u32.to_le_bytes()[..],
        &entry(1, 6, u32::MAX),
        &entry(2, 4, 12_345),
        &entry(4, 4, u32::MAX),
        &entry(16, 4, u32::MAX),
        &entry(32, 4, u32::MAX),
    ]
    .concat();
    let has_rights = label(&path, "system.posix_acl_access", &rights);
    // CAP_NET_RAW, permitted and effective.
    let capable = [0x0200_0001_u32, 1 << 13, 0, 0, 0].map(u32::to_le_bytes).concat();
    let may_more = label(&path, "security.capability", &capable);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o6755)).unwrap();
    let kept = |content: &str, calls: &str| {
        assert_eq!((fixture.get("run").as_str(), mode(&path)), (content, 0o755), "{calls}");
        let attributes = ["user.origin", "system.posix_acl_access", "security.capability"];
        let [origin, list, capability] = attributes.map(|name| attribute(&path, name));
        assert_eq!(origin.is_some_and(|value| value == b"https://example.com/"), is_labelled, "{calls}");
        assert_eq!(list.is_some(), has_rights, "{calls}");
        assert_eq!(capability, None, "{calls}");
    };
    assert!(!may_more || attribute(&path, "security.capability").is_some());
    fixture.done("edit", json!({ "path": "run", "edits": [{ "old_text": "one", "new_text": "two" }] })).await;
    kept("two\n", "edit");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o6755)).unwrap();
    fixture.done("write", json!({ "path": "run", "content": "three\n" })).await;
    kept("three\n", "write");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o6755)).unwrap();
    let plan = snapshots.plan(&UndoScope::Since(CallId(1)), &undoing::told(&snapshots)).unwrap();
    snapshots.restore(&plan, 0).unwrap();
    kept("one\n", "undo");
}

fn entry(tag: u16, rights: u16, whose: u32) -> [u8; 8] {
    let [t, u] = tag.to_le_bytes();
    let [r, s] = rights.to_le_bytes();
    let [a, b, c, d] = whose.to_le_bytes();
    [t, u, r, s, a, b, c, d]
}

#[tokio::test]
async fn a_file_that_undo_makes_anew_gets_no_rights_of_a_program() {
    let fixture = Fixture::new();
    let snapshots = Snapshots::beside(&fixture.folder.path().join("ID.jsonl"));
    let fixture = Fixture { tools: fixture.tools.clone().keeping(snapshots.clone()), ..fixture };
    fixture.put("run", "one\n");
    fs::set_permissions(fixture.path("run"), fs::Permissions::from_mode(0o4755)).unwrap();
    fixture.done("write", json!({ "path": "run", "content": "two\n" })).await;
    let changes = snapshots.changes().unwrap();
    // As if the agent had removed it: the record alone says what it was.
    let gone = countersign::runtime::undo::Content::Absent;
    let record = fixture.folder.path().join("ID.files/changes");
    let line = fs::read_to_string(&record).unwrap();
    let after = countersign::runtime::undo::Hash::of(b"two\n");
    fs::write(&record, line.replace(&format!("\"{after}\""), "null")).unwrap();
    assert_eq!(snapshots.changes().unwrap()[0].after, gone);
    assert_eq!(changes[0].mode, Some(0o4755));
    fs::remove_file(fixture.path("run")).unwrap();
    let plan = snapshots.plan(&UndoScope::Since(CallId(1)), &undoing::told(&snapshots)).unwrap();
    snapshots.restore(&plan, 0).unwrap();
    assert_eq!((fixture.get("run").as_str(), mode(&fixture.path("run"))), ("one\n", 0o755));
}
