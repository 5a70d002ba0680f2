//! Programs that start others, by their arguments or by a text in them.

use super::interpreters::{has_language, is_filter, is_shell, is_shell_by_words, plain};

/// Programs that start what their arguments say, in a way of their own.
const LAUNCHERS: &[&str] = &[
    "chroot",
    "unshare",
    "nsenter",
    "strace",
    "ltrace",
    "flock",
    "watch",
    "parallel",
    "script",
    "sudo",
    "doas",
    "su",
    "runuser",
    "pkexec",
    "gdb",
    "valgrind",
    "perf",
    "taskset",
    "chrt",
    "numactl",
    "prlimit",
    "setpriv",
    "capsh",
    "firejail",
    "bwrap",
    "systemd-run",
    "entr",
    "xvfb-run",
    "caffeinate",
    "arch",
    "setarch",
    "linux32",
    "linux64",
    "uname26",
    "i386",
    "i486",
    "i586",
    "i686",
    "x86_64",
    "ppc",
    "ppc32",
    "ppc64",
    "s390",
    "s390x",
    "sparc",
    "sparc64",
    "mips",
    "mips64",
    "armv7l",
    "armv8l",
    "aarch64",
    "sg",
    "chpst",
    "setuidgid",
    "softlimit",
    "setlock",
    "envdir",
    "daemon",
    "mosh",
    "lxc-attach",
    "runc",
    "crun",
    "nerdctl",
    "flatpak-spawn",
    "distrobox",
    "toolbox",
    "uclampset",
    "schedtool",
    "lldb",
    "pidproxy",
    "rlwrap",
    "unbuffer",
    "expect",
    "tmux",
    "screen",
    "ssh",
    "slogin",
    "rsh",
    "autossh",
    "dbclient",
    "docker",
    "podman",
    "kubectl",
    "npx",
    "bunx",
    "uvx",
    "time",
    "env",
    "xargs",
    "timeout",
    "stdbuf",
    "setsid",
    "nice",
    "ionice",
    "exec",
    "noglob",
    "coproc",
    "fakeroot",
    "proot",
    "dbus-run-session",
    "uv",
    "poetry",
    "trap",
    "hyperfine",
    "su-exec",
    "gosu",
    "tini",
    "dumb-init",
    "at",
    "batch",
    "cgexec",
    "faketime",
    "torsocks",
    "choom",
    "runcon",
    "run0",
    "start-stop-daemon",
    "daemonize",
    "chronic",
    "ifne",
    "retry",
    "catchsegv",
    "cpulimit",
    "eatmydata",
    "sshpass",
    "ssh-agent",
    "dbus-launch",
    "direnv",
    "mise",
    "asdf",
    "pipenv",
    "conda",
    "hatch",
    "pdm",
    "nix",
    "nix-shell",
    "machinectl",
    "lxc",
    "incus",
    "vagrant",
    "watchexec",
    "nodemon",
    "corepack",
    "gtimeout",
    "genv",
    "gnice",
    "gnohup",
    "gxargs",
    "gstdbuf",
    "gtime",
    "gchroot",
    "sem",
    "proxychains",
    "proxychains4",
    "cross-env",
    "cross-env-shell",
    "concurrently",
    "dotenv",
    "dotenvx",
    "onchange",
    "chokidar",
    "ansible",
    "pdsh",
    "pssh",
    "parallel-ssh",
    "clush",
    "lima",
    "limactl",
    "wsl",
    "cmd",
    "distrobox",
    "toolbox",
    "schroot",
    "guix",
    "rush",
    "xe",
    "rargs",
];

/// Programs of which nothing else is known here, and whose words name no command: what they look for, install,
/// show or send, and their own subcommands, may be called like one.
const OF_NAMES: &[&str] = &[
    "fd",
    "fdfind",
    "ag",
    "ack",
    "ugrep",
    "bat",
    "batcat",
    "ldd",
    "tldr",
    "whatis",
    "apropos",
    "whereis",
    "svn",
    "hg",
    "zypper",
    "microdnf",
    "emerge",
    "port",
    "pkg",
    "yay",
    "paru",
    "nix-env",
    "choco",
    "scoop",
    "winget",
    "pgrep",
    "pidof",
    "killall",
    "locate",
    "logger",
    "notify-send",
    "say",
    "gsutil",
    "dvc",
    "ipfs",
    "mc",
    "etcdctl",
    "fossil",
    "nats",
    "mosquitto_pub",
];

/// Programs of which only an argument may be such a text.
const BY_ARGUMENT: &[&str] = &[
    "less", "man", "tar", "gtar", "bsdtar", "rsync", "scp", "git", "hg", "zip", "cpio", "tcpdump", "cmake",
    "tmux", "screen", "nc", "ncat", "netcat",
];

/// Programs beside shells that start what their standard input says. Their arguments are looked at in other ways.
const BY_INPUT: &[&str] = &[
    "ssh", "slogin", "rsh", "autossh", "dbclient", "su", "sudo", "chroot", "nsenter", "unshare", "script",
    "parallel", "at", "batch", "crontab", "uv",
];

/// Programs that add what they read to the words of what they start.
const ADDING: &[&str] = &["xargs", "gxargs", "parallel", "sem", "rush", "xe", "rargs"];

/// Subcommands of git whose texts are messages.
const MESSAGES: &[&str] =
    &["commit", "tag", "notes", "stash", "merge", "log", "branch", "checkout", "switch", "add"];

/// Whether it starts what its arguments say, so that a denying rule is tried on each tail of them.
pub(in crate::policy) fn is_launcher(program: &str) -> bool {
    let is_box = ["busybox", "toybox"].iter().any(|name| program.starts_with(name));
    // `ld.so`, `ld-linux-x86-64.so.2`, `ld-2.36.so`, `ld64.so.1`, `ld-musl-x86_64.so.1`
    LAUNCHERS.contains(&plain(program))
        || is_box
        || is_shell_by_words(program)
        || (program.starts_with("ld") && program.contains(".so"))
}

/// Whether what it reads becomes words of what it starts: `parallel git`.
pub(in crate::policy) fn adds_words(program: &str) -> bool {
    ADDING.contains(&program)
}

/// Whether its words are known to name no command.
pub(in crate::policy) fn is_about_names(program: &str) -> bool {
    OF_NAMES.contains(&program)
}

/// Whether a text among its arguments may start a program.
pub(in crate::policy) fn is_interpreter(program: &str, first: Option<&str>) -> bool {
    let is_message = program == "git" && first.is_some_and(|first| MESSAGES.contains(&first));
    let is_known = has_language(program) || is_filter(program) || BY_ARGUMENT.contains(&program);
    is_launcher(program) || (is_known && !is_message)
}

/// Whether a word alone among its arguments names a target or a page. `before`: the word before it.
pub(in crate::policy) fn names_its_word(program: &str, before: Option<&str>) -> bool {
    match program {
        "make" | "gmake" => true,
        // `-P` and `-H` name a pager and a browser.
        "man" => !before.is_some_and(|word| word.starts_with('-') && word.contains(['P', 'H', 'p', 'h'])),
        "cmake" => matches!(before, Some("--target" | "-t")),
        _ => false,
    }
}

/// Whether a text on its standard input may be a program for it, or for what its words start.
pub(in crate::policy) fn runs_its_input(program: &str, words: &[String]) -> bool {
    // `awk -f -`, `sed -nf /dev/stdin`
    let names_program =
        |word: &String| word.starts_with("--file") || (word.starts_with('-') && word.contains('f'));
    BY_INPUT.contains(&program)
        || is_shell(program)
        || has_language(program)
        || (is_filter(program) && words.iter().any(names_program))
}
