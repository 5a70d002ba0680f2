//! Secrets in the workspace itself, covered by empty files in a mount namespace. Everything is tried as a user other
//! than root: from root nothing is covered.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use countersign::ledger::Outcome;
use countersign::policy::{KeptFiles, Rule, RuleKind};
use countersign::runtime::ToolPort as _;
use countersign::runtime::sandbox::{Confinement, Gap, Sandbox};
use rustix::process::{getegid, geteuid};

use super::executable::executable;
use super::fixture::{Fixture, PLANTED, gives_namespaces, quoted, shell, there_is_one};

/// Whom root becomes for these: `nobody`.
const NOBODY: u32 = 65_534;
/// Secrets in the workspace, relative to it.
const SECRETS: [&str; 4] = [".env", "deep/server.pem", "private/note", "twice.key"];

/// The program, or one that becomes `nobody` before it is the program.
fn unprivileged(root: &Path) -> PathBuf {
    let program = Path::new(env!("CARGO_BIN_EXE_countersign"));
    if !geteuid().is_root() {
        return program.to_owned();
    }
    let script = root.join("as-nobody");
    let words = "exec setpriv --reuid=65534 --regid=65534 --clear-groups";
    executable(&script, &format!("#!/bin/sh\n{words} {} \"$@\"\n", quoted(program)));
    script
}

/// A workspace with secrets in it that belongs to somebody other than root.
fn planted() -> Fixture {
    let fixture = Fixture::entered_through(unprivileged, |confinement| {
        let work = confinement.writable[0].clone();
        for folder in ["deep", "private", "plain"] {
            fs::create_dir_all(work.join(folder)).unwrap();
        }
        SECRETS.iter().for_each(|name| fs::write(work.join(name), PLANTED).unwrap());
        fs::write(work.join(".env.example"), "KEY=\n").unwrap();
        fs::hard_link(work.join("twice.key"), work.join("plain/innocent")).unwrap();
        symlink(".env", work.join("leads")).unwrap();
        confinement.hidden.push(work.join("private"));
        if geteuid().is_root() {
            let all = ["", "deep", "private", "plain", ".env.example", "plain/innocent"];
            all.iter()
                .chain(&SECRETS)
                .for_each(|name| chown(work.join(name), Some(NOBODY), Some(NOBODY)).unwrap());
            fs::set_permissions(work.parent().unwrap(), fs::Permissions::from_mode(0o755)).unwrap();
        }
    });
    assert!(
        fixture.sandbox().exposure().gaps.iter().all(|gap| matches!(gap, Gap::HoldsSettings { .. }))
            || !can(&fixture)
    );
    fixture
}

/// Whether this machine can cover files; says so where it cannot.
fn can(fixture: &Fixture) -> bool {
    let why = fixture.sandbox().cannot_cover();
    if let Some(why) = why {
        assert!(!gives_namespaces("-Um"), "this machine gives mounts of its own, and yet: {why}");
        eprintln!("no file was covered here: {why}");
    }
    why.is_none()
}

/// A process outside of the sandbox, of the same user, that sees everything.
struct Outside(Child);

impl Outside {
    fn new() -> Self {
        let mut command = Command::new("setpriv");
        if geteuid().is_root() {
            command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
        }
        Self(command.args(["sleep", "60"]).stdin(Stdio::null()).spawn().unwrap())
    }
}

impl Drop for Outside {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

#[tokio::test]
async fn no_secret_of_the_workspace_is_read_or_changed() {
    if !there_is_one().await || !can(&planted()) {
        return;
    }
    let outside = Outside::new();
    let of_outside = format!("cat /proc/{}/root\"$PWD\"/.env", outside.0.id());
    for (name, command) in [
        ("read", "cat .env"),
        ("read by a link", "cat leads"),
        ("read by another name", "cat plain/innocent"),
        ("read what a folder hides", "cat private/note"),
        ("list a folder", "ls private | grep ."),
        ("copy", "cp deep/server.pem copy && cat copy"),
        ("archive", "tar cf all.tar deep && tar xOf all.tar"),
        ("another mode", "chmod 644 .env && cat .env"),
        ("a new link", "ln .env linked && cat linked"),
        ("another name", "mv .env moved && cat moved"),
        ("its folder's other name", "mv deep moved && cat moved/server.pem"),
        ("its folder, where nobody looks", "mkdir -p node_modules && mv deep node_modules/deep"),
        ("another file in its place", "echo x > new && mv new .env"),
        ("exchange", "mv --exchange .env .env.example && cat .env.example"),
        ("delete", "rm -f .env"),
        ("write", "echo x >> .env"),
        ("by descriptor", "exec 3<.env && cat /proc/self/fd/3"),
        ("of a process outside", of_outside.as_str()),
    ] {
        let control = planted();
        let report = control.run(command, false).await;
        let known = report.outcome == Outcome::Ok || name == "exchange";
        assert!(known, "{name} is no attack, it fails anyway: {}", report.content);
        refuses(name, command).await;
    }
    // What root could do, and an unprivileged user in a namespace of their own.
    for (name, command) in [
        ("uncover", "umount .env && cat .env"),
        ("uncover lazily", "umount -l .env && cat .env"),
        ("uncover in a namespace", "unshare -Urm sh -c 'umount .env; cat .env' | grep ."),
        ("a namespace of another", "nsenter -U -m -t \"$PPID\" cat .env | grep ."),
        ("mount it elsewhere", "mkdir m && mount --bind . m && cat m/.env"),
    ] {
        refuses(name, command).await;
    }
}

async fn refuses(name: &str, command: &str) {
    let fixture = planted();
    let report = fixture.run(command, true).await;
    assert_eq!(report.outcome, Outcome::Failed, "{name} got through: {}", report.content);
    assert!(!report.content.contains("was not started"), "{name} was not tried: {}", report.content);
    assert!(!report.content.contains(PLANTED), "{name} read a secret: {}", report.content);
    for secret in SECRETS {
        let place = fixture.path("work").join(secret);
        assert_eq!(fs::read_to_string(place).unwrap(), PLANTED, "{name} changed {secret}");
    }
}

#[tokio::test]
async fn work_goes_on_beside_them_and_the_result_says_what_was_hidden() {
    let fixture = planted();
    if !there_is_one().await || !can(&fixture) {
        return;
    }
    let said = fixture.works("cat .env.example && echo made > plain/made && ls -a").await;
    assert!(said.contains("KEY=") && said.contains(".env\n"), "{said}");
    let hidden = "the sandbox hid .env, deep/server.pem, plain/innocent, private, twice.key: no reading or writing there";
    assert!(said.ends_with(hidden), "{said}");
    let made = fixture.path("work/plain/made").metadata().unwrap();
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    let owner = if user == 0 { (NOBODY, NOBODY) } else { (user, group) };
    assert_eq!((made.uid(), made.gid()), owner, "what is made belongs to the user");
    let silent = fixture.works("true").await;
    assert_eq!(silent, format!("(no output; exit code 0)\n{hidden}"));
    let failed = fixture.run("echo KEY=1 > .env", true).await;
    assert!(
        failed.refused && failed.content.contains("blocked this: .env is hidden in it"),
        "{}",
        failed.content
    );
    // What a command makes it may read; from the next one it is hidden.
    assert!(fixture.works("echo new > plain/late.pem; cat plain/late.pem").await.starts_with("new\n"));
    assert_eq!(fixture.run("cat plain/late.pem", true).await.outcome, Outcome::Failed);
    let inside = fixture
        .works("grep -E '^Cap(Inh|Prm|Eff|Amb)' /proc/self/status | grep -vc 0000000000000000 || true")
        .await;
    assert!(inside.starts_with("0\n"), "powers are left: {inside}");
}

#[tokio::test]
async fn what_a_rule_keeps_from_being_read_is_hidden_too() {
    let kept = || {
        let rules = [
            (RuleKind::Deny, "read(kept/**)"),
            (RuleKind::Ask, "read(*.asked)"),
            (RuleKind::Deny, "read(one.txt)"),
            (RuleKind::Deny, "read(absent/**)"),
        ];
        Fixture::entered_through(unprivileged, |confinement| {
            let work = confinement.writable[0].clone();
            fs::create_dir_all(work.join("kept/deep")).unwrap();
            fs::create_dir_all(work.join("a/b/c/d/e")).unwrap();
            let files = ["kept/key", "kept/deep/.env", "a/b/c/d/e/x.asked", "one.txt"];
            files.iter().for_each(|name| fs::write(work.join(name), PLANTED).unwrap());
            let parsed = rules.map(|(kind, text)| Rule::parse(kind, text).unwrap());
            confinement.kept = KeptFiles::of(&parsed);
            if geteuid().is_root() {
                let folders = ["", "kept", "kept/deep", "a", "a/b", "a/b/c", "a/b/c/d", "a/b/c/d/e"];
                folders
                    .iter()
                    .chain(&files)
                    .for_each(|name| chown(work.join(name), Some(NOBODY), Some(NOBODY)).unwrap());
                fs::set_permissions(work.parent().unwrap(), fs::Permissions::from_mode(0o755)).unwrap();
            }
        })
    };
    let fixture = kept();
    if !there_is_one().await || !can(&fixture) {
        return;
    }
    let is_told = |gap: &Gap| !matches!(gap, Gap::HoldsSettings { .. });
    assert!(!fixture.sandbox().exposure().gaps.iter().any(is_told), "{:?}", fixture.sandbox().exposure());
    let said =
        fixture.works("cat kept/key kept/deep/.env one.txt a/b/c/d/e/x.asked; grep -r . .; true").await;
    assert!(!said.contains(PLANTED), "{said}");
    assert!(said.contains("the sandbox hid a/b/c/d/e/x.asked, kept, one.txt"), "{said}");
}

/// A command that hides a secret from the search makes the next one wait for a decision.
#[tokio::test]
async fn what_cannot_be_hidden_any_more_is_not_read_unasked() {
    let fixture = planted();
    if !there_is_one().await || !can(&fixture) {
        return;
    }
    let work = fixture.path("work");
    fs::hard_link(work.join(".env"), fixture.path("outside/second")).unwrap();
    let report = fixture.run("cat .env", true).await;
    assert_eq!(report.outcome, Outcome::Failed);
    assert!(
        report.content.contains("was not started") && report.content.contains(".env here"),
        "{}",
        report.content
    );
    // A person confines one that the policy would not: nothing is asked about the gap, and it starts.
    assert!(fixture.tools().prepare(shell("cat .env", false)).await.gaps.is_empty());
    assert!(fixture.works("cat .env").await.starts_with(PLANTED), "somebody has decided");
    let found = fixture.tools().prepare(shell("cat .env", true)).await;
    assert_eq!(found.gaps.len(), 1, "it is asked about: {:?}", found.gaps);
}

#[test]
fn where_nothing_can_be_covered_the_gap_stays() {
    let folder = tempfile::TempDir::new().unwrap();
    fs::write(folder.path().join(".env"), PLANTED).unwrap();
    let confinement = Confinement::of_workspace(folder.path(), Vec::new());
    // As on a machine that refuses the namespace: the program says so and starts nothing.
    let refusing = folder.path().join("refusing");
    executable(
        &refusing,
        "#!/bin/sh\necho 'countersign: the command was not started: no namespaces' >&2\nexit 125\n",
    );
    let sandbox = Sandbox::new(refusing, confinement.clone());
    assert_eq!(
        (sandbox.exposure().gaps, sandbox.cannot_cover()),
        (confinement.gaps(), Some("no namespaces"))
    );
}
