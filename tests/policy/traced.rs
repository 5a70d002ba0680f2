//! What lines that are taken for looks ask of the system, as `strace` tells it: a file that was put back as it was, or a call
//! that failed on this machine, leaves nothing in the folder for [`super::reads`] to see.

use std::collections::BTreeMap;
use std::fs;

use super::reads::{TOGETHER, Yard, lines_that_look};

/// Calls that change something, start something, or reach another process. One with `?` is not on every system.
const TRACED: &str = "?open,openat,?openat2,?creat,execve,?execveat,connect,bind,?unlink,unlinkat,?rename,?renameat,renameat2,\
    ?chmod,fchmod,fchmodat,?chown,fchown,?lchown,fchownat,?mkdir,mkdirat,?rmdir,?link,linkat,?symlink,symlinkat,?mknod,mknodat,\
    truncate,ftruncate,utimensat,?utime,?utimes,?futimesat,setxattr,lsetxattr,fsetxattr,removexattr,settimeofday,\
    clock_settime,adjtimex,clock_adjtime,sethostname,mount,umount2,?kill,?tkill,pidfd_send_signal";
/// What may be opened for writing: it keeps nothing, and it is the shell's own.
const SINKS: &[&str] = &["/dev/null", "/dev/tty"];
/// Git notes the times of files anew, with the same contents, when it has compared them.
const INDEX: &str = "/.git/index.lock";
/// Where the C library asks for the names of users.
const NAMES: &[&str] =
    &["/var/run/nscd/", "/run/nscd/", "/run/systemd/userdb/", "/var/lib/sss/", "/run/dbus/"];

/// What these lines asked for that a look does not need, by the line; `None` where nothing can be traced.
fn asked(yard: &Yard, lines: &[&String]) -> Option<BTreeMap<String, Vec<String>>> {
    let told = yard.at("told");
    fs::remove_file(&told).unwrap_or_default();
    let (trace, to) = (format!("trace={TRACED}"), told.to_string_lossy().into_owned());
    let begin = |at: usize| format!("true < /line-{at}-begins\n");
    let script: String =
        lines.iter().enumerate().map(|(at, line)| format!("{}( {line}\n)\n", begin(at))).collect();
    let words =
        ["strace", "-f", "-qq", "-s", "4096", "-e", "signal=none", "-e", &trace, "-o", &to, "bash", "-c"];
    yard.run(&[&words[..], &[&script]].concat(), true);
    let told = fs::read_to_string(told).ok().filter(|told| told.contains("/line-0-begins"))?;
    let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut now = None;
    for event in told.lines().map(|event| event.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start())
    {
        if let Some((_, rest)) = event.split_once("\"/line-") {
            now = rest.split('-').next().and_then(|at| lines.get(at.parse::<usize>().ok()?));
        } else if let Some(line) = now.filter(|line| is_more_than_a_look(line, event)) {
            all.entry((*line).clone()).or_default().push(event.to_owned());
        }
    }
    Some(all)
}

/// Whether a call is more than this line needs to look. What failed counts: elsewhere it may not fail.
fn is_more_than_a_look(line: &str, event: &str) -> bool {
    let Some((call, rest)) = event.split_once('(').filter(|(call, _)| !call.contains(' ')) else {
        return false;
    };
    let path = rest.split('"').nth(1).unwrap_or_default();
    match call {
        _ if path.ends_with(INDEX) && line.contains("git ") => false,
        "open" | "openat" | "openat2" | "creat" => {
            let writes = ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC"].iter().any(|flag| rest.contains(flag));
            (writes || call == "creat") && !SINKS.contains(&path)
        }
        "execve" | "execveat" => !starts(line).any(|program| path.rsplit('/').next() == Some(program)),
        "connect" => !NAMES.iter().any(|place| path.starts_with(place)),
        // To ask whether a process is there is no signal.
        "kill" | "tkill" => !rest.contains(", 0)"),
        _ => true,
    }
}

/// The programs that the text of a line starts.
fn starts(line: &str) -> impl Iterator<Item = &str> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let begins = |at: &usize| *at == 0 || matches!(words.get(at - 1), Some(&("-exec" | "xargs" | "|")));
    let places: Vec<usize> = (0..words.len()).filter(begins).collect();
    places.into_iter().filter_map(move |at| words.get(at).copied())
}

#[test]
fn a_look_asks_the_system_for_nothing_else() {
    let yard = Yard::new();
    let lines = lines_that_look(&yard);
    let all: Vec<&String> = lines.iter().collect();
    let mut wrong = BTreeMap::new();
    for some in all.chunks(TOGETHER) {
        let Some(found) = asked(&yard, some) else {
            return println!("not tried: strace is not there, or may not trace here");
        };
        wrong.extend(found);
    }
    println!("{} lines were traced", all.len());
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_trace_tells_what_is_more_than_a_look() {
    for line in [
        "sort a -o out",
        "cat a > c",
        "./evil",
        "evil x",
        "rm b",
        "rm missing",
        "mv a c",
        "ln -s a c",
        "chmod 600 a",
        "touch a",
        "mkdir c",
        "xargs -a a ./evil",
        "cat a; exec 3<>/dev/tcp/127.0.0.1/9",
        "date -s 2020-01-01",
    ] {
        let Some(found) = asked(&Yard::new(), &[&line.to_owned()]) else { return };
        assert_eq!(found.len(), 1, "{line}");
    }
    let yard = Yard::new();
    for line in ["cat a", "ls -la", "find . -name a -exec cat {} +", "echo a | xargs cat", "id", "git log -1"]
    {
        let Some(found) = asked(&yard, &[&line.to_owned()]) else { return };
        assert!(found.is_empty(), "{line}: {found:?}");
    }
}
