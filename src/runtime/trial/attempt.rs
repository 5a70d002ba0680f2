//! A command tried in a folder, in a process group of its own: whether it succeeds in time.

use std::ffi::OsString;
use std::io::stderr;
use std::os::fd::AsFd as _;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::process::{Child, Command};
use tokio::sync::watch;
use tokio::time::timeout;

use crate::runtime::process::{GRACE, Group, Groups};

/// What became of one attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attempt {
    /// Exit code 0.
    Succeeded,
    /// Another exit code; `None`: a signal ended it.
    Failed(Option<i32>),
    /// It did not end in time.
    TimedOut,
    /// The user, or a signal, stopped it.
    Stopped,
}

/// A command to be tried.
#[derive(Debug)]
pub struct Trial {
    /// The program and its arguments.
    pub command: Vec<OsString>,
    /// All of its environment.
    pub environment: Vec<(OsString, OsString)>,
    /// How long an attempt may take.
    pub most_time: Duration,
    /// Whether its output goes to stderr; otherwise to nobody.
    pub is_heard: bool,
    /// Where running groups are known.
    pub groups: Groups,
}

impl Trial {
    /// Runs it in this folder with an empty stdin. Becomes true with `quit`, it is stopped. Nobody of its group is left.
    ///
    /// # Errors
    /// A sentence: it cannot be started.
    pub async fn attempt(&self, folder: &Path, quit: &mut watch::Receiver<bool>) -> Result<Attempt, String> {
        if *quit.borrow() {
            return Ok(Attempt::Stopped);
        }
        let (mut child, group) = self.start(folder)?;
        let attempt = tokio::select! {
            biased;
            ended = timeout(self.most_time, child.wait()) => match ended {
                Ok(status) => of_status(status.map_err(|why| format!("its exit status is unknown: {why}"))?),
                Err(_) => Attempt::TimedOut,
            },
            _ = quit.wait_for(|quit| *quit) => Attempt::Stopped,
        };
        end(&mut child, &group).await;
        Ok(attempt)
    }

    fn start(&self, folder: &Path) -> Result<(Child, Group), String> {
        let Some((program, arguments)) = self.command.split_first() else {
            return Err("there is no command".to_owned());
        };
        let output = || {
            let heard = self.is_heard.then(|| stderr().as_fd().try_clone_to_owned().ok()).flatten();
            heard.map_or_else(Stdio::null, Stdio::from)
        };
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(folder)
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(output())
            .stderr(output());
        Group::spawn(&self.groups, &mut command)
            .map_err(|why| format!("`{}` cannot be started: {why}", program.display()))
    }
}

fn of_status(status: ExitStatus) -> Attempt {
    if status.success() { Attempt::Succeeded } else { Attempt::Failed(status.code()) }
}

/// Ends all of the group, what the command has left behind included: it could still write to the folder.
async fn end(child: &mut Child, group: &Group) {
    if group.is_alive() {
        group.terminate();
    }
    if timeout(GRACE, child.wait()).await.is_err() || group.is_alive() {
        group.kill();
        child.wait().await.ok();
    }
}
