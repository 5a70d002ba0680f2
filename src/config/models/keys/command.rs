//! The command that prints a key: run once, within a time limit, and never quoted.

use std::collections::BTreeMap;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};

use super::file::one_line;
use crate::config::connection::Secret;
use crate::config::environment::Environment;

/// Whoever unlocks a store of passwords needs a moment for it.
const PATIENCE: Duration = Duration::from_secs(30);
/// More is no key.
const MOST_BYTES: u64 = 64 * 1024;

/// What the commands of this process printed, by command.
static PRINTED: Mutex<BTreeMap<String, Result<Secret, String>>> = Mutex::new(BTreeMap::new());

/// The key that `command` prints; the same for the rest of the process.
///
/// # Errors
/// The end of a sentence that begins with the command's name. It says nothing of what was printed.
pub(super) fn output(command: &Secret, environment: &Environment) -> Result<Secret, String> {
    let mut printed = PRINTED.lock().unwrap_or_else(PoisonError::into_inner);
    let run = || run(command, environment, PATIENCE);
    printed.entry(command.expose().to_owned()).or_insert_with(run).clone()
}

fn run(command: &Secret, environment: &Environment, patience: Duration) -> Result<Secret, String> {
    let mut sh = Command::new("sh");
    sh.arg("-c").arg(command.expose()).env_clear().envs(environment.all());
    // What it complains about may quote what it holds. A group of its own, so that all of it can be ended.
    sh.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).process_group(0);
    let mut child = sh.spawn().map_err(|error| format!("could not be started: {error}"))?;
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let (tell, told) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = child.stdout.take().map(|stdout| stdout.take(MOST_BYTES).read_to_end(&mut bytes));
        let ended = read.transpose().and_then(|_bytes_read| child.wait());
        // Nobody listens any more once the time is over.
        tell.send(ended.map(|status| (status, bytes))).unwrap_or_default();
    });
    match told.recv_timeout(patience) {
        Ok(Ok((status, bytes))) => judge(status, &bytes),
        Ok(Err(error)) => Err(format!("could not be read: {error}")),
        Err(_elapsed) => {
            if let Some(group) = group {
                // It may have ended just now.
                kill_process_group(group, Signal::KILL).unwrap_or_default();
            }
            Err(format!("did not finish within {} s", patience.as_secs_f32()))
        }
    }
}

fn judge(status: ExitStatus, bytes: &[u8]) -> Result<Secret, String> {
    if !status.success() {
        return Err(status.code().map_or_else(
            || "was killed by a signal".to_owned(),
            |code| format!("failed with exit code {code}"),
        ));
    }
    let text = String::from_utf8_lossy(bytes);
    if text.trim().is_empty() {
        return Err("printed nothing".to_owned());
    }
    one_line(&text).ok_or_else(|| "did not print exactly one line with a key".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment() -> Environment {
        Environment::of([("PATH", std::env::var_os("PATH").unwrap())])
    }

    fn printed(command: &str) -> Result<Secret, String> {
        run(&Secret::new(command), &environment(), PATIENCE)
    }

    #[test]
    fn the_key_is_what_it_prints_and_nothing_of_that_is_told() {
        assert_eq!(printed("echo '  sk-1  '; echo noise >&2").unwrap().expose(), "sk-1");
        for (command, wanted) in [
            ("echo sk-secret; exit 3", "failed with exit code 3"),
            ("echo sk-secret >&2; kill -9 $$", "was killed by a signal"),
            ("true", "printed nothing"),
            ("printf 'sk-secret\\nsk-other'", "did not print exactly one line with a key"),
        ] {
            assert_eq!(printed(command), Err(wanted.to_owned()), "{command}");
        }
    }

    #[test]
    fn one_that_does_not_end_is_ended() {
        let command = Secret::new("sleep 600 | cat");
        let said = run(&command, &environment(), Duration::from_millis(50)).unwrap_err();
        assert!(said.starts_with("did not finish within"), "{said}");
    }

    #[test]
    fn it_is_asked_once() {
        let place = tempfile::tempdir().unwrap();
        let count = place.path().join("count");
        let command = Secret::new(format!("echo x >> {}; echo key", count.display()));
        for _ in 0..3 {
            assert_eq!(output(&command, &environment()).unwrap().expose(), "key");
        }
        assert_eq!(std::fs::read_to_string(count).unwrap(), "x\n");
    }
}
