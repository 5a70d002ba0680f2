//! Hooks as commands: each in a process group of its own, fed, heard and watched to its end.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt as _, join3, ready};
use futures_util::stream::{self, StreamExt as _};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, ChildStdin, Command};
use tokio::time::timeout;

use crate::hooks::{HookAnswer, HookCall, HookPoint, HookSpec, Payload};
use crate::ledger::{Arguments, seconds};
use crate::tool::{delegate, mcp};
use crate::wire::hook::{self, HookEnd, MOST_BYTES};

use super::ports::HookPort;
use super::process::{Group, Groups};
use super::tools::{for_commands, with_given};

/// How long children that outlive a hook may still say something.
const LAST_WORDS: Duration = Duration::from_millis(200);
const CHUNK_BYTES: usize = 16 << 10;
/// Most hooks of one point that run at once; the others wait for their turn, and their time does not run yet.
const AT_ONCE: usize = 16;
/// The variable that names the session's folder, which in a copy is not the one that the hook stands in.
const CWD: &str = "COUNTERSIGN_CWD";

/// No hooks at all.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoHooks;

impl HookPort for NoHooks {
    fn run(&self, _call: HookCall) -> BoxFuture<'static, Vec<HookAnswer>> {
        ready(Vec::new()).boxed()
    }
}

/// Runs the hooks of the configuration by `sh -c` in the session's folder.
#[derive(Debug, Clone)]
pub struct CommandHooks {
    specs: Arc<[HookSpec]>,
    place: Arc<HookContext>,
}

/// Where all hooks of a session run.
#[derive(Debug, Clone)]
struct HookContext {
    session: String,
    cwd: PathBuf,
    /// Where they stand.
    runs_in: PathBuf,
    environment: Vec<(OsString, OsString)>,
    groups: Groups,
}

impl CommandHooks {
    /// Hooks in the order of the configuration. `cwd` is the session's folder, `environment` that of the program:
    /// hooks get it as the shell's commands do, without what looks like a key. Whoever keeps a clone of `groups` can
    /// end all that runs.
    pub fn new(
        specs: Vec<HookSpec>,
        session: String,
        cwd: PathBuf,
        environment: Vec<(OsString, OsString)>,
        groups: Groups,
    ) -> Self {
        let named = vec![(CWD.into(), cwd.clone().into_os_string())];
        let environment = with_given(&for_commands(environment), named);
        let runs_in = cwd.clone();
        Self {
            specs: specs.into(),
            place: Arc::new(HookContext { session, cwd, runs_in, environment, groups }),
        }
    }

    /// Of a session that works in a copy of this folder: they run here. Whoever works in the copy can change
    /// every script there, and no reading of a command finds all words that some program may run as one. What
    /// they are told of stays in the copy.
    #[must_use]
    pub fn standing_in(self, folder: PathBuf) -> Self {
        let place = HookContext { runs_in: folder, ..HookContext::clone(&self.place) };
        Self { place: Arc::new(place), ..self }
    }

    /// They get these variables too, whatever they look like: a person has named them.
    #[must_use]
    pub fn giving(self, variables: Vec<(OsString, OsString)>) -> Self {
        let environment = with_given(&self.place.environment, variables);
        let place = HookContext { environment, ..HookContext::clone(&self.place) };
        Self { place: Arc::new(place), ..self }
    }
}

impl CommandHooks {
    /// Whether any of them wants to hear of this.
    pub fn listen(&self, payload: &Payload) -> bool {
        self.specs.iter().any(|spec| spec.listens(payload))
    }
}

impl HookPort for CommandHooks {
    fn run(&self, mut call: HookCall) -> BoxFuture<'static, Vec<HookAnswer>> {
        let listening: Vec<_> =
            self.specs.iter().filter(|spec| spec.listens(&call.payload)).cloned().collect();
        if listening.is_empty() {
            return ready(Vec::new()).boxed();
        }
        let (place, point) = (Arc::clone(&self.place), call.point());
        place.name_from_the_root(&mut call);
        let input: Arc<str> = hook::encode(&call, &place.session, &place.cwd.to_string_lossy()).into();
        let runs =
            listening.into_iter().map(move |spec| run(Arc::clone(&place), spec, point, Arc::clone(&input)));
        stream::iter(runs).buffered(AT_ONCE).collect().boxed()
    }
}

/// One hook to its end. Dropping the future ends its whole group.
async fn run(place: Arc<HookContext>, spec: HookSpec, point: HookPoint, input: Arc<str>) -> HookAnswer {
    // The group is dropped last of all that the run holds, and ends whatever the command left behind.
    let (child, _group) = match started(&spec.command, &place.runs_in, &place.environment, &place.groups) {
        Ok(started) => started,
        Err(failure) => return HookAnswer::not_started(spec.label(), point, &failure.to_string()),
    };
    match timeout(Duration::from_millis(spec.timeout_ms), attend(child, &input)).await {
        Ok(Ok(ended)) => hook::parse(point, spec.label(), &ended),
        Ok(Err(failure)) => HookAnswer::cut_short(
            spec.label(),
            point,
            &format!("ended in an unknown way: {failure}"),
            "try again, or correct it or remove it from the configuration",
        ),
        Err(_) => HookAnswer::cut_short(
            spec.label(),
            point,
            &format!("did not answer within {} and was stopped", seconds(spec.timeout_ms)),
            "try again, set a larger timeout_seconds, or correct it",
        ),
    }
}

impl HookContext {
    /// Where hooks do not stand in the session's folder, the path of a call that was made names its file from
    /// the root: as it was written, a formatter would change the file of that name in the folder that it
    /// stands in. What decides about a call sees it as it was written, like the rules. Other programs know
    /// best what their own paths mean.
    fn name_from_the_root(&self, call: &mut HookCall) {
        let Payload::PostTool { tool_name, tool_input: Arguments::Object(members), .. } = &mut call.payload
        else {
            return;
        };
        if self.runs_in == self.cwd || mcp(tool_name).is_some() || delegate(tool_name).is_some() {
            return;
        }
        let Some(Value::String(path)) = members.get_mut("path") else { return };
        if path.as_str() != "~" && !path.starts_with("~/") {
            *path = self.cwd.join(path.as_str()).to_string_lossy().into_owned();
        }
    }
}

/// Starts a command of the user's in a group of its own, with all three pipes.
pub(super) fn started(
    command: &str,
    cwd: &Path,
    environment: &[(OsString, OsString)],
    groups: &Groups,
) -> io::Result<(Child, Group)> {
    let mut sh = Command::new("sh");
    sh.arg("-c")
        .arg(command)
        .current_dir(cwd)
        .env_clear()
        .envs(environment.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    Group::spawn(groups, &mut sh)
}

/// Feeds the hook and hears it until it has ended. It need not read: then the rest of the input is not delivered.
pub(super) async fn attend(child: Child, input: &str) -> io::Result<HookEnd> {
    let mut ended = HookEnd::default();
    attend_into(child, input, &mut ended).await?;
    Ok(ended)
}

/// The same; what it has written so far is there, too, if it is not waited for to the end.
pub(super) async fn attend_into(mut child: Child, input: &str, ended: &mut HookEnd) -> io::Result<()> {
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let status = {
        let hearing = join3(
            feed(stdin, input.as_bytes()),
            hear(stdout, &mut ended.stdout),
            hear(stderr, &mut ended.stderr),
        );
        let mut hearing = pin!(hearing);
        tokio::select! {
            biased;
            status = child.wait() => {
                timeout(LAST_WORDS, hearing).await.ok();
                status
            }
            _ = hearing.as_mut() => child.wait().await,
        }
    };
    ended.code = status?.code();
    Ok(())
}

/// Writes all of it and closes the pipe. A hook that does not want it is no failure.
async fn feed(stdin: Option<ChildStdin>, input: &[u8]) {
    if let Some(mut stdin) = stdin {
        stdin.write_all(input).await.ok();
    }
}

/// Reads to the end, so that nobody who writes is held up, and keeps no more than what will be looked at.
async fn hear(pipe: Option<impl AsyncRead + Unpin>, kept: &mut Vec<u8>) {
    let Some(mut pipe) = pipe else { return };
    let mut chunk = vec![0; CHUNK_BYTES];
    while let Ok(size @ 1..) = pipe.read(&mut chunk).await {
        let room = (MOST_BYTES + 1).saturating_sub(kept.len());
        kept.extend(chunk.iter().take(size.min(room)));
    }
}
