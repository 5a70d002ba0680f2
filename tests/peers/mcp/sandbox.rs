//! Servers in the sandbox: each attack is tried without it first.

use std::net::TcpListener;
use std::path::Path;

use countersign::ledger::Outcome;
use countersign::runtime::mcp::{McpServer, McpWay};
use countersign::runtime::sandbox::{Confinement, Sandbox, Support, support};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::mcp::fixture::{Fixture, becomes_true, stub};

/// A stub in the sandbox, with the network or without.
fn confined(network: bool) -> McpServer {
    let server = stub("stub", &[]);
    let McpWay::Command { program, args, env, .. } = server.way else { unreachable!() };
    McpServer { way: McpWay::Command { program, args, env, sandboxed: true, network }, ..server }
}

/// The sandbox of the program itself, from which this folder is hidden.
fn sandbox(workspace: &Path, hidden: &Path) -> Sandbox {
    let mut confinement = Confinement::of_workspace(workspace, vec![hidden.to_owned()]);
    confinement.may_be_weaker = true;
    Sandbox::new(env!("CARGO_BIN_EXE_countersign").into(), confinement)
}

/// Whether there is a sandbox at all; where there is none, nothing pretends to be, and that is said.
fn is_held() -> bool {
    let Support::None(why) = support() else { return true };
    eprintln!("the sandbox was not tried on this machine: {why}");
    false
}

#[tokio::test]
async fn a_confined_server_writes_reads_and_connects_no_further_than_it_may() {
    let outside = TempDir::new().unwrap();
    let secrets = outside.path().join("secrets");
    std::fs::create_dir(&secrets).unwrap();
    std::fs::write(secrets.join("key"), "planted").unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let attack = |workspace: &Path| {
        json!({
            "write": outside.path().join("written"), "read": secrets.join("key"),
            "inside": workspace.join("inside"), "connect": listener.local_addr().unwrap().to_string(),
        })
    };
    let free = Fixture::with(&[]);
    let went: Value = serde_json::from_str(&free.done("try", attack(&free.workspace())).await).unwrap();
    let all = json!({ "write": "written", "inside": "written", "read": "planted", "connect": "connected" });
    assert_eq!(went, all, "an attack that fails anyway proves nothing");
    if !is_held() {
        return;
    }
    std::fs::remove_file(outside.path().join("written")).unwrap();
    for network in [false, true] {
        let fixture =
            Fixture::confined(vec![confined(network)], |workspace| Some(sandbox(workspace, &secrets)));
        let went: Value =
            serde_json::from_str(&fixture.done("try", attack(&fixture.workspace())).await).unwrap();
        assert_eq!(went["inside"], "written", "work goes on");
        for held in ["write", "read"] {
            assert_eq!(went[held], "refused: PermissionDenied", "{held}");
        }
        assert_eq!(went["connect"], if network { "connected" } else { "refused: PermissionDenied" });
        assert!(!outside.path().join("written").exists());
    }
}

#[tokio::test]
async fn a_confined_server_has_a_private_folder_that_goes_with_it() {
    if !is_held() {
        return;
    }
    let fixture =
        Fixture::confined(vec![confined(false)], |workspace| Some(sandbox(workspace, Path::new("/nowhere"))));
    let who: Value = serde_json::from_str(&fixture.done("who", json!({})).await).unwrap();
    let folder = who["environment"]["TMPDIR"].as_str().unwrap().to_owned();
    assert!(Path::new(&folder).is_dir(), "{folder}");
    drop(fixture);
    becomes_true("the end of its folder", || !Path::new(&folder).exists()).await;
}

#[tokio::test]
async fn a_server_that_cannot_be_confined_is_not_started() {
    let fixture = Fixture::new(vec![confined(false)]);
    let report = fixture.call("who", json!({})).await;
    assert_eq!(report.outcome, Outcome::Failed);
    assert_eq!(
        report.content,
        "the MCP server `stub` could not be started: it must run in the sandbox, but none is set up; \
        nothing was done"
    );
    assert_eq!(fixture.groups.count(), 0);
}
