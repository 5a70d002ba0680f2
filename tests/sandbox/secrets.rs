//! Reading what was planted: files, environments, and what other processes hold.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};

use crate::fixture::{Fixture, PLANTED, own_attack, there_is_one};

/// What is tried, and how. Exit code 0 when it worked.
const READS: &[(&str, &str)] = &[
    ("a key of ssh", "cat ~/.ssh/id_ed25519"),
    ("the keys of a cloud", "cat ~/.aws/credentials"),
    ("passwords of servers", "cat ~/.netrc"),
    ("our own keys", "cat ~/.config/countersign/key"),
    ("the names of keys", "ls ~/.ssh"),
    ("by a pattern", "cat ~/.ssh/*"),
    ("through a symlink", "ln -s ~/.ssh/id_ed25519 a && cat a"),
    ("through a hard link", "ln ~/.ssh/id_ed25519 a && cat a"),
    ("by moving the file in", "mv -T ~/.ssh/id_ed25519 a && cat a"),
    ("by moving the folder in", "mv -T ~/.ssh a && cat a/id_ed25519"),
    ("through /proc/self/root", "cat /proc/self/root$HOME/.ssh/id_ed25519"),
    ("by a search", "grep -r planted-secret ~"),
    ("by an archive", "tar -cf a.tar ~/.ssh 2> /dev/null && grep -q planted-secret a.tar"),
    ("by a child", "sh -c 'cat ~/.ssh/id_ed25519'"),
    ("the environment of another process", "cat /proc/$PPID/environ | grep -q PATH"),
    ("the files of another process", "readlink /proc/$PPID/fd/0"),
    ("the program of another process", "readlink /proc/$PPID/exe"),
    ("the memory map of another process", "cat /proc/$PPID/maps | grep -q ."),
];

#[tokio::test]
async fn no_secret_is_read() {
    if !there_is_one().await {
        return;
    }
    for (name, command) in READS {
        Fixture::holds_against(name, command).await;
    }
}

#[tokio::test]
async fn the_disk_itself_is_not_read() {
    if !there_is_one().await {
        return;
    }
    let fixture = Fixture::new();
    let disks: Vec<String> = fs::read_dir("/sys/block")
        .map(|disks| disks.filter_map(|disk| disk.ok()?.file_name().into_string().ok()).collect())
        .unwrap_or_default();
    let disk = disks.iter().map(|disk| format!("/dev/{disk}")).find(|disk| fs::File::open(disk).is_ok());
    let Some(disk) = disk else {
        eprintln!("reading a disk was not tried: this user can open none");
        let report = fixture.run("cat /dev/mem", true).await;
        assert_eq!(report.outcome, countersign::ledger::Outcome::Failed);
        return;
    };
    let report = fixture.run(&format!("head -c 1 {disk}"), true).await;
    assert!(report.content.contains("Permission denied"), "{}", report.content);
}

#[tokio::test]
async fn a_secret_that_is_linked_elsewhere_is_hidden_there_too() {
    if !there_is_one().await {
        return;
    }
    let fixture = Fixture::new();
    fs::create_dir(fixture.path("home/dots")).unwrap();
    fs::write(fixture.path("home/dots/kube"), PLANTED).unwrap();
    fs::write(fixture.path("home/dots/config"), PLANTED).unwrap();
    symlink(fixture.path("home/dots/kube"), fixture.path("home/.kube")).unwrap();
    symlink(fixture.path("home/dots/config"), fixture.path("home/.ssh/config")).unwrap();
    for file in ["~/.kube", "~/dots/kube", "~/.ssh/config", "~/dots/config"] {
        let report = fixture.run(&format!("cat {file}"), true).await;
        assert!(report.content.contains("Permission denied"), "{file}: {}", report.content);
    }
}

#[tokio::test]
async fn variables_with_keys_are_not_given() {
    let fixture = Fixture::new();
    for sandboxed in [false, there_is_one().await] {
        let report = fixture.run("env", sandboxed).await;
        assert!(report.content.contains("ROOT="), "{}", report.content);
        assert!(
            !report.content.contains("SOME_API_KEY") && !report.content.contains(PLANTED),
            "{}",
            report.content
        );
        assert!(!report.content.contains("PLAIN=") && !report.content.contains("ghp_"), "{}", report.content);
    }
}

/// The program itself, run by a user who is not root: what it starts reads neither its environment nor its memory,
/// with no sandbox at all. Root reads everything, and docs/SECURITY.md says so.
#[test]
fn the_program_s_own_environment_is_closed_to_what_it_starts() {
    let folder = tempfile::TempDir::new().unwrap();
    let program = folder.path().join("countersign");
    // A child copies it, since a program that this process has open for writing may be busy for other tests' children.
    assert!(
        Command::new("cp").arg(env!("CARGO_BIN_EXE_countersign")).arg(&program).status().unwrap().success()
    );
    for path in [folder.path(), &program] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let home = folder.path().join("home");
    fs::create_dir(&home).unwrap();
    fs::set_permissions(&home, fs::Permissions::from_mode(0o777)).unwrap();
    let command = "tr '\\0' '\\n' < /proc/$PPID/environ; head -c 1 /proc/$PPID/mem; ls /proc/$PPID/fd; echo tried $PPID";
    let script = serde_json::json!([{ "tool_calls": [{ "name": "shell", "arguments": { "command": command } }] }, "done"]);
    let run = |program: &std::path::Path, arguments: &[&str]| {
        let mut run = Command::new(program);
        run.args(arguments).env_clear().env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", &home);
        run.env("UNGUARDED_WORD", PLANTED).current_dir(&home).stdin(Stdio::null());
        if rustix::process::geteuid().is_root() {
            run.uid(65534).gid(65534);
        }
        let output = run.output().unwrap();
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
    };
    // A program that does nothing for itself is read by its child: here `sh` runs the same line.
    let control =
        run("/bin/sh".as_ref(), &["-c", &format!("sh -c \"{}\"; true", command.replace('$', "\\$"))]);
    assert!(control.contains(PLANTED), "the attack fails anyway: {control}");
    let script = script.to_string();
    let said = run(&program, &["exec", "--json", "--mode", "unrestricted", "--script", &script, "go"]);
    assert!(said.contains("tried ") && said.contains("Permission denied"), "{said}");
    assert!(!said.contains(PLANTED), "{said}");
}

/// A watch on a folder that cannot be read tells the names of what is used in it.
#[tokio::test]
async fn hidden_folders_and_terminals_are_not_watched() {
    if !there_is_one().await {
        return;
    }
    for watched in ["$HOME/.ssh", "/dev", "$ROOT/outside"] {
        let attack = format!("TARGET=\"{watched}\" {}", own_attack("watch"));
        Fixture::holds_against(watched, &attack).await;
    }
}
