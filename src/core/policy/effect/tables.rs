//! Commands by what they do, where no closer look is needed.

use super::super::shell::Word;
use crate::tool::SideEffect;

const WRITES: &[&str] = &["cp", "mv", "mkdir", "touch", "tee", "ln", "install", "patch", "mktemp", "mkfifo"];
const DELETES: &[&str] = &["rm", "rmdir", "unlink", "shred", "truncate", "dd", "wipefs", "srm", "trash"];
const PERMISSIONS: &[&str] = &[
    "chmod",
    "chown",
    "chgrp",
    "setfacl",
    "chattr",
    "setcap",
    "sudo",
    "doas",
    "su",
    "pkexec",
    "runuser",
    "passwd",
    "chpasswd",
    "useradd",
    "userdel",
    "usermod",
    "groupadd",
    "visudo",
    "mount",
    "umount",
    "umask",
    "setenforce",
    "xattr",
    "systemctl",
    "sysctl",
    "modprobe",
    "insmod",
    "crontab",
    "at",
    "ulimit",
];
const SENDS: &[&str] = &[
    "curl",
    "wget",
    "ssh",
    "slogin",
    "rsh",
    "autossh",
    "dbclient",
    "scp",
    "sftp",
    "rsync",
    "nc",
    "ncat",
    "netcat",
    "socat",
    "telnet",
    "ftp",
    "ping",
    "dig",
    "nslookup",
    "host",
    "mail",
    "sendmail",
    "gh",
    "glab",
    "aws",
    "gcloud",
    "az",
    "kubectl",
    "helm",
    "terraform",
    "docker",
    "podman",
    "npx",
    "bunx",
    "uvx",
    "pipx",
    "uv",
    "pip",
    "pip3",
    "twine",
    "gem",
    "brew",
    "apt",
    "apt-get",
    "yum",
    "dnf",
    "apk",
    "pacman",
    "snap",
    "rustup",
    "http",
    "https",
    "openssl",
    "rclone",
    "vercel",
    "netlify",
    "flyctl",
];
const RUNS: &[&str] = &[
    "cargo",
    "rustc",
    "rustfmt",
    "rustdoc",
    "make",
    "gmake",
    "cmake",
    "ctest",
    "ninja",
    "meson",
    "gcc",
    "g++",
    "cc",
    "c++",
    "clang",
    "clang++",
    "clang-format",
    "go",
    "gofmt",
    "node",
    "deno",
    "bun",
    "npm",
    "pnpm",
    "yarn",
    "tsc",
    "eslint",
    "prettier",
    "jest",
    "vitest",
    "mocha",
    "webpack",
    "vite",
    "python",
    "python3",
    "pytest",
    "ruff",
    "mypy",
    "black",
    "isort",
    "flake8",
    "tox",
    "poetry",
    "perl",
    "ruby",
    "bundle",
    "rake",
    "rspec",
    "php",
    "composer",
    "java",
    "javac",
    "mvn",
    "gradle",
    "kotlinc",
    "scala",
    "sbt",
    "dotnet",
    "swift",
    "zig",
    "ghc",
    "cabal",
    "stack",
    "mix",
    "elixir",
    "lua",
    "awk",
    "gawk",
    "mawk",
    "sh",
    "bash",
    "dash",
    "zsh",
    "just",
    "tar",
    "zip",
    "unzip",
    "gzip",
    "gunzip",
    "xz",
    "zstd",
    "env",
    "printenv",
    "export",
    "unset",
    "local",
    "readonly",
    "declare",
    "typeset",
    "read",
    "getopts",
    "kill",
    "pkill",
    "ps",
    "jobs",
    "bg",
    "fg",
    "strip",
    "ld",
    "ar",
    "nm",
    "objdump",
    "shellcheck",
    "shfmt",
    "sqlite3",
    "exec",
    "eval",
    "builtin",
    "xargs",
    "time",
    "timeout",
    "nice",
    "ionice",
    "nohup",
    "setsid",
    "stdbuf",
    "times",
];
/// Subcommands of local tools that fetch or publish.
const SENDING: &[(&str, &[&str])] = &[
    (
        "cargo",
        &["publish", "login", "logout", "owner", "yank", "search", "install", "update", "fetch", "add"],
    ),
    ("go", &["get", "install", "mod", "telemetry"]),
    ("bundle", &["install", "update", "add"]),
    ("composer", &["install", "update", "require", "global"]),
    ("poetry", &["publish", "install", "add", "update"]),
    ("dotnet", &["nuget", "restore", "add", "tool"]),
    ("mvn", &["deploy"]),
    ("gradle", &["publish"]),
    ("mix", &["hex.publish", "deps.get"]),
    ("deno", &["install", "add", "publish", "deploy"]),
];
/// Package managers of node: everything sends but these.
const OF_NODE: &[&str] = &["npm", "pnpm", "yarn", "bun"];
const LOCAL_OF_NODE: &[&str] = &["test", "t", "run", "run-script", "start", "build", "lint", "ls", "list"];
/// What a program does; `None`: not known.
pub(super) fn effect(program: &str, arguments: &[Word]) -> Option<SideEffect> {
    // Where an option comes first, any word may be the subcommand; of some tools several are.
    let is_subcommand =
        arguments.first().and_then(Word::literal).is_some_and(|first| !first.starts_with(['-', '+']));
    let looked_at = if is_subcommand && !matches!(program, "mvn" | "gradle") { 1 } else { arguments.len() };
    let has = |subcommands: &[&str]| {
        let mut words = arguments.iter().take(looked_at);
        words.any(|word| word.literal().is_none_or(|text| subcommands.contains(&text.as_str())))
    };
    if PERMISSIONS.contains(&program) {
        return Some(SideEffect::ChangesPermissions);
    }
    if SENDS.contains(&program) {
        return Some(SideEffect::Sends);
    }
    if DELETES.contains(&program) || program.starts_with("mkfs") {
        return Some(SideEffect::Deletes);
    }
    if WRITES.contains(&program) {
        return Some(SideEffect::Writes);
    }
    let sends = if OF_NODE.contains(&program) {
        let subcommand = arguments.first().and_then(Word::literal);
        !subcommand.is_some_and(|first| LOCAL_OF_NODE.contains(&first.as_str()))
    } else {
        SENDING.iter().any(|(name, subcommands)| *name == program && has(subcommands))
    };
    if sends {
        return Some(SideEffect::Sends);
    }
    // What the reading commands do when they are given more than reading options.
    let reads_otherwise = super::reads::is_known(program);
    (RUNS.contains(&program) || reads_otherwise).then_some(SideEffect::Runs)
}
