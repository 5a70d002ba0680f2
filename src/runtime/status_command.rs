//! A command of the user's that writes one line: fed, bounded in time and output, in a process group of its own.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use tokio::time::timeout;

use super::hooks::{attend_into, started};
use super::process::Groups;
use super::tools::{for_commands, with_given};
use crate::wire::hook::{HookEnd, MOST_BYTES};

/// How long it may take.
const MOST_TIME: Duration = Duration::from_secs(2);
/// Characters of its line, with its colours.
const MOST_CHARS: usize = 4_096;
/// Characters of what it complains about.
const MOST_OF_A_COMPLAINT: usize = 120;

/// The command, and where it runs. Dropping a run ends all that it has started.
#[derive(Debug, Clone)]
pub struct UserCommand {
    command: String,
    cwd: PathBuf,
    environment: Vec<(OsString, OsString)>,
    groups: Groups,
}

impl UserCommand {
    /// A command that gets this environment without what looks like a key, and these variables that a person has named.
    pub fn new(
        command: String,
        cwd: PathBuf,
        environment: Vec<(OsString, OsString)>,
        named: Vec<(OsString, OsString)>,
        groups: Groups,
    ) -> Self {
        let environment = with_given(&for_commands(environment), named);
        Self { command, cwd, environment, groups }
    }

    /// Runs it on this input; the first line that it writes.
    ///
    /// # Errors
    /// It cannot be started, fails, takes too long or writes too much: completes the sentence "the command …".
    pub async fn line(&self, input: &str) -> Result<String, String> {
        // The group is dropped last, and ends whatever the command has left behind.
        let (child, _group) = started(&self.command, &self.cwd, &self.environment, &self.groups)
            .map_err(|why| format!("cannot be started: {why}"))?;
        let mut ended = HookEnd::default();
        match timeout(MOST_TIME, attend_into(child, input, &mut ended)).await {
            Ok(Ok(())) => {}
            Ok(Err(why)) => return Err(format!("ended, and its exit status is unknown: {why}")),
            // Whatever writes without an end is not slow.
            Err(_) if ended.stdout.len().max(ended.stderr.len()) > MOST_BYTES => {
                return Err(format!("wrote more than {} KiB and was stopped", MOST_BYTES >> 10));
            }
            Err(_) => return Err(format!("took longer than {} s and was stopped", MOST_TIME.as_secs())),
        };
        if ended.stdout.len() > MOST_BYTES {
            return Err(format!("wrote more than {} KiB", MOST_BYTES >> 10));
        }
        let first = |bytes: &[u8], most: usize| -> String {
            let text = String::from_utf8_lossy(bytes);
            text.lines().next().unwrap_or_default().chars().take(most).collect()
        };
        match ended.code {
            Some(0) => Ok(first(&ended.stdout, MOST_CHARS)),
            code => {
                let how = code.map_or_else(
                    || "was ended by a signal".to_owned(),
                    |code| format!("ended with exit code {code}"),
                );
                let why = first(ended.stderr.trim_ascii(), MOST_OF_A_COMPLAINT);
                Err(if why.is_empty() { how } else { format!("{how}: {why}") })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn line(command: &str) -> Result<String, String> {
        let path = std::env::var_os("PATH").map(|path| ("PATH".into(), path));
        let key = ("SOME_API_KEY".into(), "sk-secret".into());
        let environment = path.into_iter().chain([key]).collect();
        let groups = Groups::default();
        UserCommand::new(command.to_owned(), "/".into(), environment, Vec::new(), groups)
            .line("{\"a\":1}\n")
            .await
    }

    #[tokio::test]
    async fn the_first_line_counts_and_keys_stay_here() {
        assert_eq!(line("cat; echo second").await, Ok("{\"a\":1}".to_owned()));
        assert_eq!(line("echo \"[$SOME_API_KEY]\"").await, Ok("[]".to_owned()));
        assert_eq!(line("true").await, Ok(String::new()));
    }

    #[tokio::test]
    async fn what_fails_or_floods_is_refused() {
        assert_eq!(line("echo oh no >&2; exit 3").await, Err("ended with exit code 3: oh no".to_owned()));
        assert_eq!(line("kill -9 $$").await, Err("was ended by a signal".to_owned()));
        assert_eq!(line("head -c 3000000 /dev/zero").await, Err("wrote more than 64 KiB".to_owned()));
        for endless in ["yes", "yes >&2"] {
            assert_eq!(line(endless).await, Err("wrote more than 64 KiB and was stopped".to_owned()));
        }
        assert!(line("no-such-program-here").await.unwrap_err().starts_with("ended with exit code 127"));
    }
}
