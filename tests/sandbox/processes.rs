//! What a command leaves behind: daemons, storms, floods, folders.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use countersign::ledger::Outcome;
use countersign::runtime::ToolPort;
use serde_json::json;
use tokio::sync::mpsc;

use crate::fixture::{Fixture, shell, there_is_one};

/// A time to sleep that no other process of this machine sleeps, so that it can be counted.
fn unique() -> String {
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    static COUNT: AtomicU64 = AtomicU64::new(0);
    format!("3599.{}{:03}", std::process::id(), COUNT.fetch_add(1, Relaxed))
}

/// How many processes have this word in their command line.
fn count(word: &str) -> usize {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let lines = processes.filter_map(|process| fs::read_to_string(process.path().join("cmdline")).ok());
    lines.filter(|line| line.split('\0').any(|argument| argument == word)).count()
}

/// Waits until as many are there; fails when that does not come about.
async fn becomes(word: &str, expected: usize) {
    let patience = Instant::now() + Duration::from_secs(60);
    while count(word) != expected {
        assert!(Instant::now() < patience, "{} processes instead of {expected}", count(word));
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_daemon_ends_with_its_call() {
    let there_is_one = there_is_one().await;
    for sandboxed in [false, true] {
        if sandboxed && !there_is_one {
            continue;
        }
        let (fixture, word) = (Fixture::new(), unique());
        // Two forks, a session of its own, no pipe to anybody; the call is over before the daemon is.
        let command = format!(
            "setsid -f sh -c 'setsid sleep {word} & echo $! > id; wait' > /dev/null 2>&1; \
                               while ! test -s id; do :; done"
        );
        let report = fixture.run(&command, sandboxed).await;
        assert_eq!(report.outcome, Outcome::Ok, "{}", report.content);
        assert!(!fs::read_to_string(fixture.path("work/id")).unwrap().is_empty());
        becomes(&word, 0).await;
    }
}

#[tokio::test]
async fn a_daemon_that_ignores_the_request_to_end_is_ended() {
    let (fixture, word) = (Fixture::new(), unique());
    let command = format!(
        "setsid -f sh -c 'trap \"\" TERM; echo x > ready; exec sleep {word}' > /dev/null 2>&1; \
                           while ! test -s ready; do :; done"
    );
    let report = fixture.run(&command, there_is_one().await).await;
    assert_eq!(report.outcome, Outcome::Ok, "{}", report.content);
    becomes(&word, 0).await;
}

/// Three hundred and no more: these tests run as root, whom no limit of processes holds.
#[tokio::test]
async fn after_esc_nothing_is_left_of_a_storm() {
    let (fixture, word) = (Fixture::new(), unique());
    let command = format!(
        "i=0; while [ $i -lt 100 ]; do sleep {word} & setsid sleep {word} & setsid -f sh -c 'trap \"\" TERM; \
         exec sleep {word}' & i=$((i + 1)); done; wait"
    );
    let (output, _listener) = mpsc::channel(1);
    let run = fixture.tools().run(shell(&command, there_is_one().await), output);
    let run = tokio::spawn(run);
    becomes(&word, 300).await;
    // As the driver does it on Esc: the task is aborted, and what it holds is dropped.
    run.abort();
    assert!(run.await.unwrap_err().is_cancelled());
    becomes(&word, 0).await;
}

#[tokio::test]
async fn a_gigabyte_of_output_needs_little_memory() {
    let fixture = Fixture::new();
    let before = peak_kib();
    let command = "head -c 1000000000 /dev/zero | tr '\\0' x";
    let report = fixture.run(command, there_is_one().await).await;
    assert_eq!(report.outcome, Outcome::Ok, "{}", report.content);
    assert_eq!(report.cut_chars + report.content.chars().filter(|c| *c == 'x').count() as u64, 1_000_000_000);
    assert!(report.content.len() < 40_000);
    assert!(peak_kib() < before + 64 * 1024, "{before} KiB before, {} KiB after", peak_kib());
}

/// The most memory that this process ever had.
fn peak_kib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[tokio::test]
async fn the_private_folder_is_there_and_then_gone() {
    if !there_is_one().await {
        return;
    }
    let fixture = Fixture::new();
    let folder = fixture.works("echo x > $TMPDIR/left && stat -c %a $TMPDIR && echo $TMPDIR").await;
    let (mode, folder) = folder.trim().split_once('\n').unwrap();
    assert_eq!(mode, "700");
    let patience = Instant::now() + Duration::from_secs(60);
    while fs::exists(folder).unwrap() {
        assert!(Instant::now() < patience, "{folder} is still there");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn nobody_outside_is_ended() {
    if !there_is_one().await {
        return;
    }
    let mut victim = Command::new("sleep").arg(unique()).stdin(Stdio::null()).spawn().unwrap();
    let fixture = Fixture::new();
    let report = fixture.run(&format!("kill -9 {}", victim.id()), true).await;
    assert_eq!(report.outcome, Outcome::Failed, "{}", report.content);
    assert!(victim.try_wait().unwrap().is_none());
    victim.kill().unwrap();
    victim.wait().unwrap();
}

/// A limit of processor time is a signal that the kernel sends, and needs no permission of Landlock's.
#[tokio::test]
async fn nobody_outside_is_limited() {
    if !there_is_one().await {
        return;
    }
    for sandboxed in [false, true] {
        let mut victim = Command::new("sleep").arg(unique()).stdin(Stdio::null()).spawn().unwrap();
        let fixture = Fixture::new();
        let own = fixture.run("ulimit -n 50 && ulimit -n", sandboxed).await;
        assert_eq!(own.content.trim(), "50");
        let attack = format!("prlimit --pid {} --nofile=64:64", victim.id());
        let report = fixture.run(&attack, sandboxed).await;
        let limits = fs::read_to_string(format!("/proc/{}/limits", victim.id())).unwrap();
        victim.kill().unwrap();
        victim.wait().unwrap();
        let line = limits.lines().find(|line| line.starts_with("Max open files")).unwrap();
        assert_eq!(line.split_whitespace().nth(3) == Some("64"), !sandboxed, "{}", report.content);
    }
}

/// How nice it is, on which processors and in which class it runs: of one's own processes only.
#[tokio::test]
async fn nobody_outside_gets_less_of_the_machine() {
    if !there_is_one().await {
        return;
    }
    let fixture = Fixture::new();
    for own in ["nice -n 5 true", "taskset 1 true", "chrt -b 0 true", "ionice -c 3 true", "flock lock true"] {
        fixture.works(own).await;
    }
    for attack in [
        "renice -n 7 -p VICTIM",
        "renice -n 7 -u 4294967294",
        "taskset -p 1 VICTIM",
        "chrt -b -p 0 VICTIM",
        "ionice -c 3 -p VICTIM",
    ] {
        let mut victim = Command::new("sleep").arg(unique()).stdin(Stdio::null()).spawn().unwrap();
        let attack = attack.replace("VICTIM", &victim.id().to_string());
        let by_user = attack.contains(" -u ");
        let (free, held) = (fixture.run(&attack, false).await, fixture.run(&attack, true).await);
        victim.kill().unwrap();
        victim.wait().unwrap();
        assert!(free.outcome == Outcome::Ok || by_user, "{attack} is no attack: {}", free.content);
        assert_eq!(held.outcome, Outcome::Failed, "{attack} got through: {}", held.content);
    }
}

#[tokio::test]
async fn nothing_is_shared_by_numbers_that_are_no_files() {
    if !there_is_one().await {
        return;
    }
    for (kind, letter) in [("-M 4096", 'm'), ("-Q", 'q'), ("-S 1", 's')] {
        let attack = format!("made=$(ipcmk {kind}) && ipcrm -{letter} ${{made##* }}");
        Fixture::holds_if_there_is_such(kind, &attack).await;
    }
}

/// Each process starts the next and is gone, in a session and with an environment of its own. All hold a lock, so that its
/// end is seen, whoever ended it.
#[test]
fn a_chain_of_processes_that_are_gone_at_once_is_ended() {
    let home = tempfile::TempDir::new().unwrap();
    // Neither a shell nor Perl makes one that is fast enough. What linked this test compiles C.
    let next = "#include <stdio.h>\n#include <unistd.h>\nint main(void) { for (int n = 0; n < 60000; n++) { if (fork()) _exit(0); \
                setsid(); } fclose(fopen(\"survived\", \"w\")); }";
    fs::write(home.path().join("next.c"), next).unwrap();
    let compiled = Command::new("cc").args(["-O1", "-o", "next", "next.c"]).current_dir(home.path()).status();
    if !compiled.is_ok_and(|status| status.success()) {
        eprintln!("not tried, there is no compiler of C");
        return;
    }
    let chain = "exec 9> lock; flock 9; env -i setsid -f ./next > /dev/null 2>&1";
    let script = json!([{ "tool_calls": [{ "name": "shell", "arguments": { "command": chain } }] }, "done"]);
    let output = Command::new(env!("CARGO_BIN_EXE_countersign"))
        .args(["exec", "--mode", "unrestricted", "--script", &script.to_string(), "go"])
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("HOME", home.path())
        .current_dir(home.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lock = fs::File::open(home.path().join("lock")).unwrap();
    lock.lock().unwrap();
    assert!(!home.path().join("survived").exists());
}

#[tokio::test]
async fn open_files_are_not_inherited() {
    if !there_is_one().await {
        return;
    }
    let fixture = Fixture::new();
    let open = fixture.works("ls /proc/$$/fd").await;
    let open: Vec<&str> = open.split_whitespace().collect();
    // The shell's own may go on at ten.
    assert!(open.iter().all(|number| number.parse::<u32>().is_ok_and(|n| !(3..10).contains(&n))), "{open:?}");
    // This program confines itself whatever is open when it begins.
    let entry = env!("CARGO_BIN_EXE_countersign");
    let secret = fixture.path("home/.ssh/id_ed25519");
    let line = format!("exec 7< '{}'; exec {entry} __confine --weaker -- sh -c 'cat <&7'", secret.display());
    let output = Command::new("sh").args(["-c", &line]).output().unwrap();
    assert!(!output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    let line = format!("exec 7< '{}'; exec sh -c 'cat <&7'", secret.display());
    assert!(Command::new("sh").args(["-c", &line]).output().unwrap().status.success(), "no attack");
}

/// With the whole program: a subreaper. What has left its group and its session and shed its environment is its child
/// when it loses its own parent.
#[test]
fn the_program_finds_a_daemon_without_a_mark_and_leaves_no_zombies() {
    let home = tempfile::TempDir::new().unwrap();
    let word = unique();
    let daemon = format!(
        "env -i setsid -f sh -c 'setsid sleep {word} > /dev/null 2>&1 & echo x > ready'; \
                          while ! test -s ready; do :; done"
    );
    let orphans = "i=0; while [ $i -lt 50 ]; do setsid -f true; i=$((i + 1)); done";
    // A child of the program that has ended and that nobody waits for, or that sleeps on.
    let look = "n=1; while [ $n -gt 0 ]; do n=0; for p in $(cat /proc/$PPID/task/*/children); do \
                case \"$(cat /proc/$p/stat)\" in *') Z '*|*'(sleep)'*) n=$((n + 1));; esac; \
                done; done 2> /dev/null; echo nobo''dy is left";
    let calls = [daemon.as_str(), orphans, look]
        .map(|command| json!({ "tool_calls": [{ "name": "shell", "arguments": { "command": command } }] }));
    let script = json!([calls[0], calls[1], calls[2], "done"]).to_string();
    let output = Command::new(env!("CARGO_BIN_EXE_countersign"))
        .args(["exec", "--json", "--mode", "unrestricted", "--script", &script, "go"])
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("HOME", home.path())
        .current_dir(home.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("nobody is left"), "{said}");
    assert_eq!(count(&word), 0);
}

#[tokio::test]
async fn a_command_in_the_background_is_confined_as_its_call_says() {
    let there_is_one = there_is_one().await;
    for sandboxed in [false, true] {
        if sandboxed && !there_is_one {
            continue;
        }
        let fixture = Fixture::new();
        let (output, _listener) = mpsc::channel(1);
        let mut call = shell("", sandboxed);
        let line = "echo over > \"$ROOT/outside/kept\" && echo got through; cat \"$HOME/.ssh/id_ed25519\"";
        call.arguments =
            countersign::ledger::Arguments::from_value(json!({ "command": line, "background": true }));
        let mut told = fixture.tools().run(call, output).await.content;
        while !told.contains("[b1: exit code ") {
            assert!(told.contains("[b1: "), "{told}");
            let mut call = shell("", sandboxed);
            call.name = "shell_output".to_owned();
            call.arguments = countersign::ledger::Arguments::from_value(json!({ "id": "b1" }));
            let (output, _listener) = mpsc::channel(1);
            told.push_str(&fixture.tools().run(call, output).await.content);
        }
        assert_eq!(told.contains("got through"), !sandboxed, "{told}");
        assert_eq!(told.contains(crate::fixture::PLANTED), !sandboxed, "{told}");
        if sandboxed {
            fixture.is_untouched("a background command");
        }
    }
}
