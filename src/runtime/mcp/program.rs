//! A server that is a program of this machine: started like every other, heard on its three streams, ended with all that
//! it started.

use std::ffi::OsString;
use std::io;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::transport::async_rw::AsyncRwTransport;
use tempfile::TempDir;
use tokio::io::AsyncReadExt as _;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::watch;
use tokio::time::timeout;

use super::launch_context::McpMeans;
use super::line_limit::{Break, Lines, MOST_BYTES};
use super::server::McpWay;
use super::tasks::Tasks;
use crate::runtime::process::{Group, private_folder};
use crate::runtime::sandbox::Surroundings;
use crate::runtime::tools::command::TEMPORARY;
use crate::runtime::tools::words::describe;

/// How long a program that has ended may still be heard.
const LAST_WORDS: Duration = Duration::from_millis(300);
/// How much of what it says on its standard error is kept: the end of it.
const TAIL_BYTES: usize = 2 << 10;
const CHUNK_BYTES: usize = 8 << 10;

/// The two streams on which messages go.
pub(super) type Streams = AsyncRwTransport<RoleClient, Lines<ChildStdout>, ChildStdin>;

/// A running program. Dropping it ends its group, and what left it.
pub(super) struct Program {
    group: Group,
    tail: Arc<Mutex<Vec<u8>>>,
    /// Closed when its standard error is.
    is_heard: watch::Receiver<()>,
    /// How it ended, once it has.
    ended: watch::Receiver<Option<String>>,
    broke_off: Arc<Break>,
}

impl Program {
    /// Starts the program of a server, as its configuration says.
    ///
    /// # Errors
    /// Why it could not be started. [`io::ErrorKind::NotFound`] when there is no such program.
    pub(super) fn start(way: &McpWay, means: &McpMeans, tasks: Arc<Tasks>) -> io::Result<(Self, Streams)> {
        let (mut command, private) = prepare(way, means)?;
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let (mut child, mut group) = Group::spawn(&means.groups, &mut command)?;
        group.hold(private);
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(io::Error::other("it has no streams"));
        };
        let broke_off = Arc::new(Break::default());
        let streams = AsyncRwTransport::new(Lines::new(stdout, MOST_BYTES, broke_off.clone(), tasks), stdin);
        let tail = Arc::default();
        let program =
            Self { group, is_heard: hear(stderr, Arc::clone(&tail)), tail, ended: watch(child), broke_off };
        Ok((program, streams))
    }

    /// Whether it has ended.
    pub(super) fn is_over(&self) -> bool {
        self.broke_off.words().is_some() || self.group.leader_has_ended()
    }

    /// Returns when it has ended and nothing of it is to be expected any more.
    pub(super) async fn ending(&self) {
        // Gone is who would tell, and then it is over, too.
        self.ended.clone().wait_for(Option::is_some).await.ok();
        tokio::time::sleep(LAST_WORDS).await;
    }

    /// What became of a program that says nothing more, as in "it ended (exit code 3) and said: …"; raw words of its
    /// own are in it.
    pub(super) async fn epitaph(&self) -> String {
        if let Some(words) = self.broke_off.words() {
            return format!("it {words}");
        }
        let mut ended = self.ended.clone();
        let how = match timeout(LAST_WORDS, ended.wait_for(Option::is_some)).await {
            Ok(Ok(how)) => format!("it ended ({})", how.as_deref().unwrap_or("for an unknown reason")),
            Ok(Err(_)) | Err(_) => "it closed its output".to_owned(),
        };
        timeout(LAST_WORDS, self.is_heard.clone().changed()).await.ok();
        self.with_tail(how)
    }

    /// These words, and the last that it said on its standard error.
    pub(super) fn with_tail(&self, words: String) -> String {
        let tail = self.tail.lock().unwrap_or_else(PoisonError::into_inner);
        let said = String::from_utf8_lossy(&tail);
        let lines: Vec<&str> = said.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        match lines.as_slice() {
            [] => words,
            [.., before, last] => format!("{words} and said: {before} {last}"),
            [last] => format!("{words} and said: {last}"),
        }
    }
}

/// The command with all it is given but for its streams, and the folder that it has for itself.
fn prepare(way: &McpWay, means: &McpMeans) -> io::Result<(Command, Option<TempDir>)> {
    let McpWay::Command { program, args, env, sandboxed, network } = way else {
        return Err(io::Error::other("it is not an executable"));
    };
    let (mut command, private) = if *sandboxed {
        let Some(sandbox) = &means.sandbox else {
            return Err(io::Error::other("it must run in the sandbox, but none is set up"));
        };
        let private = private_folder()?;
        let command =
            sandbox.with_network(*network).command(private.path(), &Surroundings::default(), program);
        (command.map_err(io::Error::other)?, Some(private))
    } else {
        (Command::new(program), None)
    };
    let theirs = |name: &OsString| private.is_none() || !TEMPORARY.iter().any(|one| name == one);
    command
        .args(args)
        .current_dir(&means.workspace)
        .env_clear()
        .envs(means.environment.iter().filter(|(name, _)| theirs(name)).map(|(name, value)| (name, value)))
        .envs(private.iter().flat_map(|folder| TEMPORARY.map(|name| (name, folder.path()))))
        .envs(env);
    Ok((command, private))
}

/// Keeps the end of what it says on its standard error, which goes nowhere else.
fn hear(mut stderr: ChildStderr, tail: Arc<Mutex<Vec<u8>>>) -> watch::Receiver<()> {
    let (hearing, is_heard) = watch::channel(());
    tokio::spawn(async move {
        let mut chunk = vec![0; CHUNK_BYTES];
        while let Ok(size @ 1..) = stderr.read(&mut chunk).await {
            let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
            tail.extend_from_slice(chunk.get(..size).unwrap_or_default());
            let too_much = tail.len().saturating_sub(TAIL_BYTES);
            tail.drain(..too_much);
        }
        drop(hearing);
    });
    is_heard
}

/// Waits for the program in a task of its own.
fn watch(mut child: Child) -> watch::Receiver<Option<String>> {
    let (teller, ended) = watch::channel(None);
    tokio::spawn(async move {
        let how = match child.wait().await {
            Ok(status) => describe(status),
            // Somebody else waited for it: it was asked to end.
            Err(_) => "it was ended".to_owned(),
        };
        teller.send(Some(how)).ok();
    });
    ended
}
