//! Background commands: they go on after the call that started them, and are heard and ended by their ids.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use futures_util::future::{Either, select};
use serde_json::{Value, json};
use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};

use crate::ledger::{Arguments, BackgroundStatus, CallId, CommandState, Facts, Outcome};
use crate::runtime::ports::LateNews;
use crate::runtime::process::GRACE;
use crate::runtime::sandbox::{Refusals, SandboxWords, Surroundings};
use crate::tool::{Invocation, ToolReport, bound};

use super::arguments::{is_set, number, required};
use super::command::{CHUNK_BYTES, End, MOST_SECONDS, Shell, Started, attend};
use super::heard::{Ended, UnreadOutput};
use super::words::describe;
use super::workspace::Workspace;

/// As many run at once.
const MOST_RUNNING: usize = 8;
/// As many are known, those that have ended included; the oldest of these are forgotten first.
const MOST_KNOWN: usize = 32;
/// How long a call waits for something to say.
const PATIENCE: Duration = Duration::from_secs(1);
/// How long it listens on once there is something.
const MOMENT: Duration = Duration::from_millis(200);

/// All background commands of this program. Clones share them; when the last is dropped they end.
#[derive(Debug, Clone, Default)]
pub(super) struct Background(Arc<Mutex<Known>>, Arc<OnceLock<LateNews>>);

#[derive(Debug, Default)]
struct Known {
    /// Numbers up to this one were given by an earlier process.
    earlier: u64,
    /// Up to this one they were given in the session that this one was forked from.
    elsewhere: u64,
    latest: u64,
    jobs: BTreeMap<u64, (Arc<Job>, JoinHandle<()>)>,
}

/// What background commands print, for who looks on.
#[derive(Debug, Clone)]
pub struct BackgroundOutput(Background);

impl BackgroundOutput {
    /// The last rows that the command of this id has printed, as a terminal shows them; not yet safe for a screen.
    pub fn recent(&self, id: &str) -> Vec<String> {
        self.0.recent(id)
    }
}

/// The argument by which a call names one.
pub(super) fn background_id() -> Value {
    json!({ "id": { "type": "string", "pattern": "^b[0-9]+$", "description": "Its id, as in `b1`." } })
}

/// One command.
#[derive(Debug)]
struct Job {
    number: u64,
    /// The call that began it.
    call: CallId,
    /// What the sandbox hid from it: said once, by that call.
    hidden: Option<String>,
    started: Instant,
    heard: Mutex<UnreadOutput>,
    /// Something was heard, or it ended.
    news: Notify,
    /// It is to end.
    kill: Notify,
    /// Whether a person wants that.
    by_user: AtomicBool,
}

/// Ends a command whose call was cut short before anybody was told of its id.
struct Unannounced<'a>(&'a Background, Option<u64>);

impl Background {
    /// Numbers go on after these, which an earlier process of the session has given, and before it, those up to `elsewhere`,
    /// the session that it was forked from.
    pub(super) fn after(&self, earlier: u64, elsewhere: u64) {
        let mut known = self.known();
        (known.earlier, known.elsewhere, known.latest) = (earlier, elsewhere, earlier);
    }

    /// Whoever is to hear of ends that nobody asks about.
    pub(super) fn tell(&self, late: LateNews) {
        self.1.set(late).ok();
    }

    /// `shell` with `background`: returns when there is something to say, or after a moment.
    pub(super) async fn start(
        &self,
        shell: &Arc<Shell>,
        workspace: &Workspace,
        invocation: &Invocation,
    ) -> ToolReport {
        let around = shell.surroundings(invocation).await;
        match around.and_then(|around| self.begin(shell, workspace, invocation, around)) {
            Ok(job) => {
                let mut announced = Unannounced(self, Some(job.number));
                job.wait_for_news().await;
                announced.1 = None;
                job.report(invocation.max_chars, true)
            }
            Err(why) => ToolReport::failed(why),
        }
    }

    /// `shell_output`: what is new, or that there is nothing after a moment's wait.
    pub(super) async fn output(&self, invocation: &Invocation) -> ToolReport {
        match self.find(&invocation.arguments) {
            Ok(job) => {
                job.wait_for_news().await;
                job.report(invocation.max_chars, false)
            }
            Err(why) => ToolReport::failed(why),
        }
    }

    /// `shell_kill`: asks it to end, and sees that it does.
    pub(super) async fn kill(&self, invocation: &Invocation) -> ToolReport {
        match self.find(&invocation.arguments) {
            Ok(job) => {
                job.kill.notify_one();
                // Its own task kills it after the same time, and waits a little then.
                timeout(GRACE + PATIENCE, job.has_ended()).await.ok();
                job.report(invocation.max_chars, false)
            }
            Err(why) => ToolReport::failed(why),
        }
    }

    /// A person ends it; one that is over, or is not known, is left alone.
    pub(super) fn stop(&self, id: &str) {
        let number = BackgroundStatus::number_of(id).unwrap_or_default();
        let job = self.known().jobs.get(&number).map(|(job, _)| Arc::clone(job));
        match job {
            Some(job) => {
                job.by_user.store(true, Ordering::Relaxed);
                job.kill.notify_one();
            }
            None => tracing::debug!("{id} was to be stopped and is not known"),
        }
    }

    /// The last rows that one has printed, whoever has asked for them; none of one that is not known.
    pub(super) fn recent(&self, id: &str) -> Vec<String> {
        let number = BackgroundStatus::number_of(id).unwrap_or_default();
        let job = self.known().jobs.get(&number).map(|(job, _)| Arc::clone(job));
        job.map(|job| job.heard().recent()).unwrap_or_default()
    }

    fn begin(
        &self,
        shell: &Arc<Shell>,
        workspace: &Workspace,
        invocation: &Invocation,
        around: Surroundings,
    ) -> Result<Arc<Job>, String> {
        let command = required(&invocation.arguments, "command")?;
        if is_set(&invocation.arguments, "pty") {
            return Err("a background command has no terminal: leave out `pty` or `background`".to_owned());
        }
        let limit = number(&invocation.arguments, "timeout_seconds")
            .map(|seconds| Duration::from_secs(seconds.clamp(1, MOST_SECONDS)));
        let mut known = self.known();
        known.make_room()?;
        let started = shell.start(workspace, command, invocation, &around)?;
        let refusals = invocation.sandboxed.then(|| Refusals::of(around, workspace.root()));
        known.latest += 1;
        let job = Arc::new(Job {
            number: known.latest,
            call: invocation.call,
            hidden: refusals.as_ref().and_then(Refusals::hidden),
            started: Instant::now(),
            heard: Mutex::default(),
            news: Notify::new(),
            kill: Notify::new(),
            by_user: AtomicBool::new(false),
        });
        let (shell, late) = (Arc::clone(shell), Arc::clone(&self.1));
        let task = tokio::spawn(Arc::clone(&job).run(shell, started, limit, refusals, late));
        known.jobs.insert(job.number, (Arc::clone(&job), task));
        Ok(job)
    }

    fn find(&self, arguments: &Arguments) -> Result<Arc<Job>, String> {
        let id = required(arguments, "id")?;
        let known = self.known();
        let number = BackgroundStatus::number_of(id).unwrap_or_default();
        if let Some((job, _)) = known.jobs.get(&number) {
            return Ok(Arc::clone(job));
        }
        if (1..=known.elsewhere).contains(&number) {
            return Err(format!(
                "{id} was started in the session that this one was forked from, and this session cannot \
                control it; start another if it is needed"
            ));
        }
        if (1..=known.earlier).contains(&number) {
            return Err(format!(
                "{id} was started by an earlier process of this session and ended with it; start it again if it is \
                 still needed"
            ));
        }
        let ids: Vec<String> = known.jobs.keys().map(|number| BackgroundStatus::id_of(*number)).collect();
        let there = if ids.is_empty() {
            "there are none".to_owned()
        } else {
            format!("there are {}", ids.join(", "))
        };
        Err(format!("there is no background command `{id}`: {there}"))
    }

    /// For who looks on.
    pub(super) fn output_of_all(&self) -> BackgroundOutput {
        BackgroundOutput(self.clone())
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    /// Room for one more.
    fn make_room(&mut self) -> Result<(), String> {
        let running: Vec<String> = self
            .jobs
            .values()
            .filter(|(job, _)| job.heard().end.is_none())
            .map(|(job, _)| BackgroundStatus::id_of(job.number))
            .collect();
        if running.len() >= MOST_RUNNING {
            return Err(format!(
                "{} commands already run in the background ({}), which is the maximum; end one with \
                shell_kill",
                running.len(),
                running.join(", ")
            ));
        }
        while self.jobs.len() >= MOST_KNOWN {
            let ended = self.jobs.values().find(|(job, _)| job.heard().end.is_some());
            let Some(number) = ended.map(|(job, _)| job.number) else { break };
            self.jobs.remove(&number);
        }
        Ok(())
    }
}

impl Drop for Known {
    fn drop(&mut self) {
        // Each task holds the guard of its group.
        self.jobs.values().for_each(|(_, task)| task.abort());
    }
}

impl Drop for Unannounced<'_> {
    fn drop(&mut self) {
        if let Some(number) = self.1
            && let Some((_, task)) = self.0.known().jobs.remove(&number)
        {
            task.abort();
        }
    }
}

impl Job {
    /// Watches it to its end.
    async fn run(
        self: Arc<Self>,
        shell: Arc<Shell>,
        started: Started,
        limit: Option<Duration>,
        mut refusals: Option<Refusals>,
        late: Arc<OnceLock<LateNews>>,
    ) {
        let (mut child, group, reader) = started;
        let end = {
            let pump = std::pin::pin!(self.pump(reader, refusals.as_mut()));
            attend(&mut child, &group, pump, self.stop(limit)).await
        };
        drop(group);
        let (how, is_ok) = match end {
            End::Exited(Ok(status)) => (describe(status), status.success()),
            End::Exited(Err(failure)) => (format!("its exit status is unknown ({failure})"), false),
            End::TimedOut => ("timed out and stopped".to_owned(), false),
            End::Killed if self.by_user.load(Ordering::Relaxed) => ("ended by the user".to_owned(), true),
            End::Killed => ("ended by shell_kill".to_owned(), true),
        };
        let said = shell.said_by_the_sandbox(refusals.as_ref()).after(is_ok);
        let ended = BackgroundStatus::ended(self.number, &how, self.started.elapsed().as_secs());
        let standing = if is_ok { ended } else { ended.failed() };
        self.heard().end = Some(Ended { standing: standing.clone(), is_ok, said });
        self.news.notify_waiters();
        if let Some(late) = late.get() {
            late.ended(self.call, standing).await;
        }
    }

    /// Comes when it must end.
    async fn stop(&self, limit: Option<Duration>) -> End {
        let killed = std::pin::pin!(self.kill.notified());
        let Some(limit) = limit else {
            killed.await;
            return End::Killed;
        };
        match select(killed, std::pin::pin!(tokio::time::sleep(limit))).await {
            Either::Left(_) => End::Killed,
            Either::Right(_) => End::TimedOut,
        }
    }

    async fn pump(&self, mut reader: pipe::Receiver, mut refusals: Option<&mut Refusals>) {
        let mut chunk = vec![0; CHUNK_BYTES];
        while let Ok(size @ 1..) = reader.read(&mut chunk).await {
            let bytes = chunk.get(..size).unwrap_or_default();
            if let Some(refusals) = &mut refusals {
                refusals.push(bytes);
            }
            self.heard().push(bytes);
            self.news.notify_waiters();
        }
    }

    /// Until something is heard and a moment more, or it has ended, or patience has.
    async fn wait_for_news(&self) {
        let heard = async {
            loop {
                // Asked for before the look, so that nothing is missed in between.
                let news = self.news.notified();
                if self.heard().has_news() {
                    return;
                }
                news.await;
            }
        };
        if timeout(PATIENCE, heard).await.is_ok() {
            timeout(MOMENT, self.has_ended()).await.ok();
        }
    }

    async fn has_ended(&self) {
        loop {
            let news = self.news.notified();
            if self.heard().end.is_some() {
                return;
            }
            news.await;
        }
    }

    /// What is new, and how it stands as the last line. A start that has failed already is a failed call; who asks
    /// later asks only how it stands.
    fn report(&self, max_chars: usize, is_start: bool) -> ToolReport {
        let (written, shown, end) = self.heard().news();
        let seconds = self.started.elapsed().as_secs();
        let (standing, said, is_ok) = match end {
            Some(end) => (end.standing, end.said, end.is_ok || !is_start),
            None => (BackgroundStatus::running(self.number, seconds), SandboxWords::default(), true),
        };
        let (written, shown) = (written.trim_end(), shown.trim_end());
        let is_silent = shown.is_empty();
        let new = if is_silent { "(nothing new)" } else { shown };
        let told = self.hidden.iter().filter(|_| is_start).chain(&said.refused).chain(&said.unreached);
        let ending = told.map(|line| format!("{line}\n")).collect::<String>() + &standing.line();
        let room = max_chars.saturating_sub(ending.chars().count() + 1);
        let bounded = bound(new, room);
        let written = (written != shown).then(|| format!("{}\n{ending}", bound(written, room).text));
        let refused = said.refused.is_some() && !is_ok;
        let command = Some(CommandState::Background(standing));
        ToolReport {
            outcome: if is_ok { Outcome::Ok } else { Outcome::Failed },
            content: format!("{}\n{ending}", bounded.text),
            written,
            cut_chars: bounded.cut_chars,
            facts: Facts { command, is_silent, blocked_hosts: said.blocked, ..Facts::default() },
            images: Vec::new(),
            transient: false,
            refused,
            remote: None,
            is_unsent: false,
        }
    }

    fn heard(&self) -> MutexGuard<'_, UnreadOutput> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
