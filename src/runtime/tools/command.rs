//! One command of `shell` in a process group of its own, watched to its end.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::pin::Pin;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::{Either, select};
use tempfile::TempDir;
use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe;
use tokio::process::{Child, Command};
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::ledger::{CommandState, Facts, Outcome};
use crate::runtime::process::{GRACE, Group, Groups, private_folder};
use crate::runtime::sandbox::{Gap, Proxy, Refusals, Sandbox, SandboxWords, Surroundings};
use crate::tool::{Invocation, Shown, ToolReport};

use super::arguments::{number, required};
use super::live::Live;
use super::printed::Printed;
use super::stop::off_thread;
use super::trailers::Signing;
use super::words::describe;
use super::workspace::Workspace;

/// How long a command may run at most, whatever a call names.
pub(super) const MOST_SECONDS: u64 = 600;
/// How long children that outlive the command may still say something.
const LAST_WORDS: Duration = Duration::from_millis(200);
pub(super) const CHUNK_BYTES: usize = 64 << 10;
/// The variables that say where temporary files go.
pub(in crate::runtime) const TEMPORARY: [&str; 3] = ["TMPDIR", "TMP", "TEMP"];

/// Where commands run.
#[derive(Debug)]
pub(super) struct Shell {
    /// All of it; nothing is inherited.
    pub(super) environment: Vec<(OsString, OsString)>,
    /// Where running groups are entered.
    pub(super) groups: Groups,
    /// How a command is confined; `None` where nobody said, and then no call that must be confined is run.
    pub(super) sandbox: Option<Arc<Sandbox>>,
    /// How commits say which call made them, if they do.
    pub(super) signing: Option<Arc<Signing>>,
    /// What it could not hide at the looks of this session: somebody could decide about these.
    pub(super) gaps: Mutex<BTreeSet<Gap>>,
}

/// The variable that names the action of a command: the same over retries and resumption, so that what it does
/// elsewhere can be done once.
const ACTION: &str = "COUNTERSIGN_IDEMPOTENCY_KEY";

/// How it went.
pub(super) enum End {
    Exited(io::Result<ExitStatus>),
    TimedOut,
    /// Its end was asked for.
    Killed,
}

/// A command that was started: its leader, what guards its group, and what it prints.
pub(super) type Started = (Child, Group, pipe::Receiver);

impl Shell {
    /// One like it that has looked at nothing yet.
    pub(super) fn again(&self) -> Self {
        let Self { environment, groups, sandbox, signing, .. } = self;
        let (environment, groups, sandbox) = (environment.clone(), groups.clone(), sandbox.clone());
        Self { environment, groups, sandbox, signing: signing.clone(), gaps: Mutex::default() }
    }

    /// Runs the command of the call. Dropping the future ends the whole group.
    pub(super) async fn run(
        &self,
        workspace: &Workspace,
        invocation: &Invocation,
        output: mpsc::Sender<Shown>,
    ) -> ToolReport {
        let limit = limit(invocation);
        let around = self.surroundings(invocation).await;
        let started = around.and_then(|around| {
            let command = required(&invocation.arguments, "command")?;
            Ok((self.start(workspace, command, invocation, &around)?, around))
        });
        let ((mut child, group, reader), around) = match started {
            Ok(started) => started,
            Err(why) => return ToolReport::failed(why),
        };
        let mut printed = Printed::new(invocation.max_chars);
        let mut live = Live::new(output);
        let mut refusals = invocation.sandboxed.then(|| Refusals::of(around, workspace.root()));
        let end = {
            let pump = std::pin::pin!(pump(reader, &mut printed, &mut live, refusals.as_mut()));
            attend(&mut child, &group, pump, after(limit)).await
        };
        live.send(true);
        drop(group);
        report(&end, limit, printed, self.said_by_the_sandbox(refusals.as_ref()))
    }

    /// What the sandbox cannot hide here now, each named as a question about all of it names it.
    pub(super) fn gaps(&self) -> Vec<String> {
        let gaps = self.sandbox.as_ref().map(|sandbox| sandbox.exposure().gaps).unwrap_or_default();
        let named = gaps.iter().map(Gap::named).collect();
        self.gaps.lock().unwrap_or_else(PoisonError::into_inner).extend(gaps);
        named
    }

    /// What is to be hidden in the workspace from the command of a call, and its way to some hosts. Looked for anew before
    /// each: an earlier one may have made such a file.
    ///
    /// # Errors
    /// There is a secret that cannot be hidden, and there was none when it was decided.
    pub(super) async fn surroundings(&self, invocation: &Invocation) -> Result<Surroundings, String> {
        let Some(sandbox) = self.sandbox.clone().filter(|_| invocation.sandboxed) else {
            return Ok(Surroundings::default());
        };
        let hosts = invocation.hosts.clone();
        let (exposure, sandbox) = off_thread(move |_stop| {
            // Tried here the first time, where waiting for a process holds up nobody.
            if sandbox.names_hosts() || !hosts.is_empty() {
                sandbox.cannot_filter();
            }
            (sandbox.exposure(), sandbox)
        })
        .await?;
        let proxy = sandbox.way_out(&invocation.hosts)?;
        let known = self.gaps.lock().unwrap_or_else(PoisonError::into_inner);
        match exposure.gaps.iter().find(|gap| gap.is_secret() && !known.contains(gap)) {
            Some(new) => Err(format!(
                "the command was not started, as the workspace has changed: {new}; request it again"
            )),
            None => {
                let (covered, hidden) = (exposure.covered.into_iter().collect(), Some(exposure.hidden));
                Ok(Surroundings { covered, hidden, proxy })
            }
        }
    }

    /// What the sandbox hid from a command, and whether it may be why it failed.
    pub(super) fn said_by_the_sandbox(&self, heard: Option<&Refusals>) -> SandboxWords {
        let has_network = self.sandbox.as_ref().is_some_and(|sandbox| sandbox.confinement().network);
        heard.map(|heard| heard.words(has_network)).unwrap_or_default()
    }

    /// Starts the command of a call in a group of its own.
    ///
    /// # Errors
    /// A sentence that says why not.
    pub(super) fn start(
        &self,
        workspace: &Workspace,
        command: &str,
        invocation: &Invocation,
        around: &Surroundings,
    ) -> Result<Started, String> {
        self.spawn(workspace, command, invocation, around)
            .map_err(|failure| format!("the command could not be started: {failure}"))
    }

    fn spawn(
        &self,
        workspace: &Workspace,
        command: &str,
        invocation: &Invocation,
        around: &Surroundings,
    ) -> io::Result<Started> {
        let (reader, writer) = io::pipe()?;
        let reader = pipe::Receiver::from_owned_fd(reader.into())?;
        let (mut sh, private) = self.prepare(workspace, command, invocation, around)?;
        if let Some(line) = self.signing.as_ref().and_then(|signing| signing.unsaid()) {
            (&writer).write_all(line.as_bytes())?;
        }
        sh.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer);
        let (child, mut group) = Group::spawn(&self.groups, &mut sh)?;
        group.hold(private);
        // `sh` goes out of scope here, and with it our own ends for writing: the pipe ends when the group has ended.
        Ok((child, group, reader))
    }

    /// The command with all it is given but for its streams, and the folder that it has for itself.
    pub(super) fn prepare(
        &self,
        workspace: &Workspace,
        command: &str,
        invocation: &Invocation,
        around: &Surroundings,
    ) -> io::Result<(Command, Option<TempDir>)> {
        let (mut sh, private) =
            if invocation.sandboxed { self.confined(around)? } else { (Command::new("sh"), None) };
        let theirs = |name: &OsString| private.is_none() || !TEMPORARY.iter().any(|one| name == one);
        sh.arg("-c")
            .arg(command)
            .current_dir(workspace.root())
            .env_clear()
            .envs(self.environment.iter().filter(|(name, _)| theirs(name)).map(|(name, value)| (name, value)))
            .envs(private.iter().flat_map(|folder| TEMPORARY.map(|name| (name, folder.path()))))
            .envs(around.proxy.iter().flat_map(Proxy::variables))
            .env(ACTION, &invocation.key);
        if let Some(signing) = &self.signing {
            signing.sign(&mut sh, &self.open_folders(workspace), &self.environment, invocation);
        }
        Ok((sh, private))
    }

    /// Folders in which commands in the sandbox and tools may write, those of the sessions above too.
    pub(super) fn open_folders(&self, workspace: &Workspace) -> Vec<PathBuf> {
        let confinement = self.sandbox.as_ref().map(|sandbox| sandbox.confinement());
        let folders = confinement.into_iter().flat_map(|held| held.writable.iter().chain(&held.beside));
        folders.cloned().chain([workspace.root().to_owned()]).collect()
    }

    /// A shell in the sandbox, and the folder that it has for itself.
    fn confined(&self, around: &Surroundings) -> io::Result<(Command, Option<TempDir>)> {
        let Some(sandbox) = &self.sandbox else {
            return Err(io::Error::other("it must run in the sandbox, but none is set up"));
        };
        let private = private_folder()?;
        let sh = sandbox.command(private.path(), around, "sh").map_err(io::Error::other)?;
        Ok((sh, Some(private)))
    }
}

/// The call's own wish first, then what the loop allows.
pub(super) fn limit(invocation: &Invocation) -> Duration {
    number(&invocation.arguments, "timeout_seconds").map_or_else(
        || Duration::from_millis(invocation.timeout_ms),
        |seconds| Duration::from_secs(seconds.clamp(1, MOST_SECONDS)),
    )
}

/// Reads until every writer is gone.
async fn pump(
    mut reader: pipe::Receiver,
    printed: &mut Printed,
    live: &mut Live,
    mut refusals: Option<&mut Refusals>,
) {
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        let read = match live.due_in() {
            None => reader.read(&mut chunk).await,
            Some(wait) => match timeout(wait, reader.read(&mut chunk)).await {
                Ok(read) => read,
                Err(_) => {
                    live.send(false);
                    continue;
                }
            },
        };
        match read {
            Ok(0) | Err(_) => return,
            Ok(size) => {
                let bytes = chunk.get(..size).unwrap_or_default();
                printed.push(bytes);
                if let Some(refusals) = &mut refusals {
                    refusals.push(bytes);
                }
                live.push(bytes);
            }
        }
        if live.due_in() == Some(Duration::ZERO) {
            live.send(false);
        }
    }
}

/// The end of the time that a command has.
pub(super) async fn after(limit: Duration) -> End {
    tokio::time::sleep(limit).await;
    End::TimedOut
}

/// Waits for the command while its output is read, until `stop` says how it must end. When it has ended, children that
/// still hold the pipe get a moment for their last words; what then remains of the group is ended by its guard.
pub(super) async fn attend(
    child: &mut Child,
    group: &Group,
    mut pump: Pin<&mut impl Future<Output = ()>>,
    stop: impl Future<Output = End>,
) -> End {
    let mut stop = std::pin::pin!(stop);
    let (ended, is_silent) = {
        let waiting = std::pin::pin!(child.wait());
        match select(stop.as_mut(), select(waiting, pump.as_mut())).await {
            Either::Left((end, _)) => (Err(end), false),
            Either::Right((Either::Left((status, _)), _)) => (Ok(status), false),
            Either::Right((Either::Right(((), waiting)), _)) => match select(stop, waiting).await {
                Either::Left((end, _)) => (Err(end), true),
                Either::Right((status, _)) => (Ok(status), true),
            },
        }
    };
    let end = match ended {
        Ok(status) => {
            if !is_silent {
                timeout(LAST_WORDS, pump).await.ok();
            }
            return End::Exited(status);
        }
        Err(end) => end,
    };
    group.terminate();
    let gone = async {
        if !is_silent {
            pump.as_mut().await;
        }
        child.wait().await.ok();
    };
    if timeout(GRACE, gone).await.is_err() {
        group.kill();
        timeout(LAST_WORDS, child.wait()).await.ok();
    }
    end
}

pub(super) fn report(end: &End, limit: Duration, printed: Printed, said: SandboxWords) -> ToolReport {
    let command = match end {
        End::Exited(Ok(status)) => Some(CommandState::Ended(describe(*status))),
        End::Exited(Err(_)) | End::Killed | End::TimedOut => None,
    };
    let (outcome, mut ending) = match end {
        End::Exited(Ok(status)) if status.success() => (Outcome::Ok, String::new()),
        End::Exited(Ok(status)) => (Outcome::Failed, describe(*status)),
        End::Exited(Err(failure)) => (Outcome::Failed, format!("its exit status is unknown: {failure}")),
        // Nobody asks for the end of a command that a call waits for.
        End::Killed => (Outcome::Failed, "ended".to_owned()),
        End::TimedOut => (
            Outcome::TimedOut,
            format!(
                "timed out after {} s and was stopped; effects may be partial; check before repeating \
                 (timeout_seconds may be up to {MOST_SECONDS})",
                limit.as_secs_f64()
            ),
        ),
    };
    let has_failed = outcome == Outcome::Failed;
    let SandboxWords { hidden, refused, blocked, unreached } = said.after(!has_failed);
    let hidden = hidden.unwrap_or_default();
    for line in refused.iter().chain(&unreached).chain([&hidden]).filter(|line| !line.is_empty()) {
        ending.push_str(if ending.is_empty() { "" } else { "\n" });
        ending.push_str(line);
    }
    let (bounded, written) = printed.finish(&ending);
    let is_silent = bounded.text == hidden;
    let content = match is_silent {
        true => format!("(no output; exit code 0)\n{hidden}").trim_end().to_owned(),
        false => bounded.text,
    };
    ToolReport {
        outcome,
        content,
        written,
        cut_chars: bounded.cut_chars,
        facts: Facts { command, is_silent, blocked_hosts: blocked, ..Facts::default() },
        images: Vec::new(),
        transient: false,
        refused: has_failed && refused.is_some(),
        remote: None,
        is_unsent: false,
    }
}
