//! A workspace, a home with planted secrets, and commands run in it with the sandbox and without.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use countersign::ledger::{Arguments, CallId, Outcome};
use countersign::runtime::sandbox::{Confinement, Sandbox, Support, secret_places, support};
use countersign::runtime::{Groups, LocalTools, ToolPort};
use countersign::tool::{Invocation, NamedHost, ToolReport};
use serde_json::json;
use tempfile::TempDir;
use tokio::sync::mpsc;

/// What is planted in every file that must not be read.
pub const PLANTED: &str = "planted-secret-7f3a";

/// A folder that is removed with it: `work`, `home`, `outside`.
pub struct Fixture {
    _folder: TempDir,
    pub root: PathBuf,
    environment: Vec<(OsString, OsString)>,
    tools: LocalTools,
    groups: Groups,
    sandbox: Sandbox,
}

impl Fixture {
    pub fn new() -> Self {
        Self::with(|_| {})
    }

    /// With other rights than a session's.
    pub fn with(change: impl FnOnce(&mut Confinement)) -> Self {
        Self::entered_through(|_| env!("CARGO_BIN_EXE_countersign").into(), change)
    }

    /// With a program of its own that enters the sandbox, made in this folder.
    pub fn entered_through(
        program: impl FnOnce(&Path) -> PathBuf,
        change: impl FnOnce(&mut Confinement),
    ) -> Self {
        let folder = TempDir::new().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for name in ["work", "home/.ssh", "home/.aws", "home/.config/countersign", "home/src", "outside"] {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        for name in
            ["home/.ssh/id_ed25519", "home/.aws/credentials", "home/.netrc", "home/.config/countersign/key"]
        {
            fs::write(root.join(name), PLANTED).unwrap();
        }
        fs::write(root.join("outside/kept"), "kept").unwrap();
        fs::write(root.join("home/src/readme"), "readable").unwrap();
        let home = root.join("home");
        let mut confinement =
            Confinement::of_workspace(&root.join("work"), secret_places(Some(&home), |_| None));
        confinement.may_be_weaker = true;
        change(&mut confinement);
        let mut environment: Vec<(OsString, OsString)> =
            vec![("PATH".into(), std::env::var_os("PATH").unwrap())];
        environment.extend([("HOME".into(), home.into()), ("ROOT".into(), root.clone().into())]);
        environment.push(("SOME_API_KEY".into(), PLANTED.into()));
        environment.push(("PLAIN".into(), "ghp_0123456789abcdefghijklmnopqrstuvwxyz".into()));
        let groups = Groups::default();
        let sandbox = Sandbox::new(program(&root), confinement);
        let tools = LocalTools::new(root.join("work"), environment.clone(), groups.clone());
        let tools = tools.within(sandbox.clone());
        Self { _folder: folder, root, environment, tools, groups, sandbox }
    }

    /// The same in which commands may reach these hosts.
    pub fn reaching(mut self, hosts: &[&str]) -> Self {
        let hosts = hosts.iter().map(|host| NamedHost::parse(host).unwrap()).collect();
        self.sandbox = self.sandbox.clone().reaching(Some(hosts));
        let tools = LocalTools::new(self.root.join("work"), self.environment.clone(), self.groups.clone());
        self.tools = tools.within(self.sandbox.clone());
        self
    }

    pub fn sandbox(&self) -> &Sandbox {
        &self.sandbox
    }

    pub fn tools(&self) -> &LocalTools {
        &self.tools
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// Runs a command with the rights of this process, or in the sandbox.
    pub async fn run(&self, command: &str, sandboxed: bool) -> ToolReport {
        let (output, _listener) = mpsc::channel(1);
        self.tools.run(shell(command, sandboxed), output).await
    }

    /// Runs a command in the sandbox that must be able to do what it does.
    pub async fn works(&self, command: &str) -> String {
        let report = self.run(command, true).await;
        assert_eq!(report.outcome, Outcome::Ok, "{command}: {}", report.content);
        report.content
    }

    /// Tries an attack, first without the sandbox, where it must succeed: exit code 0. Then in it, where it must not.
    /// Each attempt gets folders of its own.
    pub async fn holds_against(name: &str, command: &str) {
        let control = Self::new();
        let report = control.run(command, false).await;
        assert_eq!(report.outcome, Outcome::Ok, "{name} is no attack, it fails anyway: {}", report.content);
        Self::refuses(name, command).await;
    }

    /// Tries what this machine may refuse anyway, and says so when it does.
    pub async fn holds_if_there_is_such(name: &str, command: &str) {
        let report = Self::new().run(command, false).await;
        if report.outcome != Outcome::Ok {
            eprintln!("{name} says nothing here, it fails without the sandbox too: {}", report.content);
        }
        Self::refuses(name, command).await;
    }

    async fn refuses(name: &str, command: &str) {
        let fixture = Self::new();
        let report = fixture.run(command, true).await;
        assert_eq!(report.outcome, Outcome::Failed, "{name} got through: {}", report.content);
        assert!(
            !report.content.contains("the command was not started"),
            "{name} was not tried: {}",
            report.content
        );
        assert!(!report.content.contains(PLANTED), "{name} read a secret: {}", report.content);
        fixture.is_untouched(name);
    }

    /// Nothing outside of the workspace was changed.
    pub fn is_untouched(&self, name: &str) {
        let outside: Vec<_> =
            fs::read_dir(self.path("outside")).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(outside, ["kept"], "{name}");
        assert_eq!(fs::read_to_string(self.path("outside/kept")).unwrap(), "kept", "{name}");
        let ssh: Vec<_> =
            fs::read_dir(self.path("home/.ssh")).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(ssh, ["id_ed25519"], "{name}");
        assert_eq!(fs::read_to_string(self.path("home/.ssh/id_ed25519")).unwrap(), PLANTED, "{name}");
    }
}

impl Drop for Fixture {
    /// As the program ends: what is still being ended and cleared up gets its time.
    fn drop(&mut self) {
        self.groups.end_all(Duration::from_secs(2));
    }
}

/// A call of the shell.
pub fn shell(command: &str, sandboxed: bool) -> Invocation {
    let arguments = Arguments::parse(&json!({ "command": command }).to_string());
    Invocation {
        call: CallId(1),
        key: "s-c1".to_owned(),
        name: "shell".to_owned(),
        arguments,
        timeout_ms: 120_000,
        max_chars: 30_000,
        sandboxed,
        hosts: Vec::new(),
        is_shown: false,
        allowed_in: None,
    }
}

/// Whether there is a sandbox to attack; where there is none, what must be confined is refused, and said so.
pub async fn there_is_one() -> bool {
    let Support::None(why) = support() else { return true };
    eprintln!("no attack was tried: {why}");
    let report = Fixture::new().run("true", true).await;
    assert_eq!(report.outcome, Outcome::Failed, "it pretends: {}", report.content);
    assert!(report.content.contains(&why), "{}", report.content);
    false
}

/// Whether another program gets such namespaces here; of a user, as `nobody` does. Then the sandbox must get them too.
pub fn gives_namespaces(flags: &str) -> bool {
    let of_user = flags.contains('U');
    let mut command = if of_user && rustix::process::geteuid().is_root() {
        let mut command = std::process::Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "unshare"]);
        command
    } else {
        std::process::Command::new("unshare")
    };
    command.args([flags, "true"]).current_dir("/").output().is_ok_and(|ran| ran.status.success())
}

/// A script with the names of this process's own attacks: a line of the shell that runs one of them.
pub fn own_attack(name: &str) -> String {
    let program = std::env::current_exe().unwrap();
    format!("ATTACK={name} {} --exact network::the_attacks_of_this_program --nocapture", quoted(&program))
}

pub fn quoted(path: &Path) -> String {
    format!("'{}'", path.display())
}
