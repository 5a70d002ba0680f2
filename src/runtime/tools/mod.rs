//! The built-in tools, on the files and programs of this machine.

pub(super) mod anchor;
mod arguments;
mod attributes;
mod background;
mod beneath;
mod borders;
mod change;
mod credentials;
mod diff;
mod echo;
mod edit;
mod encoding;
mod environment;
mod fetch;
mod file;
mod filter;
mod gather;
mod glob;
mod heard;
mod ignored;
mod keyboard;
mod kind;
mod list;
pub(super) mod live;
mod named;
mod pages;
pub(super) mod picture;
mod plan;
mod printed;
mod read;
mod replace;
mod search;
mod seen;
pub(super) mod shell;
mod specs;
mod stop;
mod strings;
mod target;
mod terminal;
mod walk;
mod way;
mod words;
pub(super) mod workspace;
mod write;

use std::ffi::OsString;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tokio::sync::mpsc;

use crate::ledger::{CallId, Facts, Image, Outcome, Preview, Summary, seconds};
use crate::policy::{one_reading, opened, page};
use crate::tool::{
    Absent, Discovered, Invocation, Preparation, Shown, SideEffect, Territory, ToolReport, Typed, bound,
    has_terminal, not_there,
};

use super::ports::{LateNews, ToolPort};
use super::process::Groups;
use super::sandbox::Sandbox;
use super::undo::Snapshots;
use arguments::is_set;
use background::Background;
use change::{Change, Making};
use fetch::Fetch;
use ignored::{Excludes, GitSettings};
use keyboard::Keyboards;
use seen::Seen;
use shell::Shell;
use stop::{Stop, off_thread};
use target::{Target, Targets};
use workspace::Workspace;

pub use credentials::looks_secret;
pub use environment::for_programs;
pub(super) use environment::{for_commands, with_given};
pub use fetch::{AllowedHost, Reach};
pub use named::open_named;
pub use specs::{echo_spec, tool_specs};

/// What a tool gives when it went well.
struct Given {
    text: String,
    images: Vec<Image>,
    facts: Facts,
}

impl Given {
    /// This text, and what it says in a few words.
    fn summed_up(text: String, summary: Summary) -> Self {
        Self { text, images: Vec::new(), facts: Facts { summary: Some(summary), ..Facts::default() } }
    }
}

impl From<String> for Given {
    fn from(text: String) -> Self {
        Self { text, images: Vec::new(), facts: Facts::default() }
    }
}

/// Runs the built-in tools. Clones share what the model has seen of files.
#[derive(Debug, Clone)]
pub struct LocalTools {
    workspace: Arc<Workspace>,
    seen: Seen,
    targets: Targets,
    git: Arc<GitSettings>,
    shell: Arc<Shell>,
    background: Background,
    fetch: Arc<Fetch>,
    snapshots: Option<Snapshots>,
    keyboards: Keyboards,
    absent: Vec<Absent>,
}

impl LocalTools {
    /// Tools that work in `workspace`, an absolute path.
    ///
    /// `environment` is that of the program: commands get it without what looks like a key, and `HOME` in it is what
    /// `~` stands for. Whoever keeps a clone of `groups` can end all that runs.
    pub fn new(workspace: PathBuf, environment: Vec<(OsString, OsString)>, groups: Groups) -> Self {
        let home = environment.iter().find(|(name, _)| name == "HOME").map(|(_, home)| PathBuf::from(home));
        let fetch = Arc::new(Fetch::new(&environment));
        Self {
            workspace: Arc::new(Workspace::new(workspace, home)),
            seen: Seen::default(),
            targets: Targets::default(),
            git: Arc::new(GitSettings::of(&environment)),
            fetch,
            snapshots: None,
            keyboards: Keyboards::default(),
            background: Background::default(),
            absent: Vec::new(),
            shell: Arc::new(Shell {
                environment: for_commands(environment),
                groups,
                sandbox: None,
                gaps: OnceLock::new(),
            }),
        }
    }

    /// Calls that must be confined run in this sandbox. Without one they fail.
    #[must_use]
    pub fn within(self, sandbox: Sandbox) -> Self {
        let Shell { environment, groups, .. } = &*self.shell;
        let (environment, groups) = (environment.clone(), groups.clone());
        Self {
            workspace: Arc::new(self.workspace.hiding(sandbox.confinement())),
            shell: Arc::new(Shell { environment, groups, sandbox: Some(sandbox), gaps: OnceLock::new() }),
            ..self
        }
    }

    /// Commands get these variables too, whatever they look like: a person has named them.
    #[must_use]
    pub fn giving(self, variables: Vec<(OsString, OsString)>) -> Self {
        let Shell { environment, groups, sandbox, .. } = &*self.shell;
        let environment = with_given(environment, variables);
        let (groups, sandbox) = (groups.clone(), sandbox.clone());
        Self { shell: Arc::new(Shell { environment, groups, sandbox, gaps: OnceLock::new() }), ..self }
    }

    /// With `fetch` going where the configuration says; without this it goes to the public internet alone.
    pub fn reaching(self, reach: Reach) -> Self {
        Self { fetch: Arc::new(self.fetch.reaching(reach)), ..self }
    }

    /// With what files were before `write` and `edit` changed them kept there, so that it can be undone. A change whose
    /// earlier content cannot be kept is not made.
    pub fn keeping(self, snapshots: Snapshots) -> Self {
        Self { snapshots: Some(snapshots), ..self }
    }

    /// With a person who can type into the terminals of commands: without one, what a command reads has ended.
    pub fn attended(self) -> Self {
        Self { keyboards: self.keyboards.attended(), ..self }
    }

    /// With the ids of background commands going on after this many, which earlier processes of the session started; the
    /// first `elsewhere` of them in the session that it was forked from.
    pub fn after(self, earlier: u64, elsewhere: u64) -> Self {
        self.background.after(earlier, elsewhere);
        self
    }

    /// With these known to be configured elsewhere and not there.
    pub fn lacking(self, absent: Vec<Absent>) -> Self {
        Self { absent, ..self }
    }

    fn look(&self, invocation: &Invocation, stop: &Stop) -> Preparation {
        let arguments = &invocation.arguments;
        let mut found = Preparation::default();
        let mut target = Err("`path` is missing; give it as a string".to_owned());
        let spec =
            tool_specs().into_iter().find(|tool| tool.name == invocation.name && !tool.paths.is_empty());
        let writes = spec.as_ref().is_some_and(|tool| tool.effect != SideEffect::Reads);
        if let Some(path) = arguments.text("path").filter(|_| spec.is_some()) {
            target = Target::of(&self.workspace, path).map(Arc::new);
            match &target {
                Ok(target) => {
                    if !stop.is_set() {
                        self.targets.keep(invocation.call, path, target);
                    }
                    found.leads(target.shown.clone(), target.territory);
                    if writes || target.territory != Territory::Inside {
                        found.invalid = one_reading(path).and_then(|()| one_reading(&target.shown)).err();
                    }
                }
                Err(_) => found.outside.push(path.to_owned()),
            }
        }
        if let Some(command) = arguments.text("command").filter(|_| invocation.name == "shell") {
            for path in opened(command) {
                let place = self.workspace.resolve(&path);
                let (shown, territory) =
                    place.map_or((path, Territory::Outside), |place| (place.shown, place.territory));
                found.leads(shown, territory);
            }
        }
        if let Some(url) = arguments.text("url").filter(|_| invocation.name == "fetch") {
            found.invalid = page(url).err();
        }
        let (preview, is_partial) = match invocation.name.as_str() {
            "edit" => {
                let planned = target.and_then(|target| edit::plan(&target, &self.seen, arguments));
                Change::preview(planned, invocation.call, &self.seen)
            }
            "write" => {
                let planned = target.and_then(|target| write::plan(&target, &self.seen, arguments));
                Change::preview(planned, invocation.call, &self.seen)
            }
            "shell" => {
                let command = arguments.text("command");
                (command.map_or(Preview::None, |text| Preview::Command(text.to_owned())), false)
            }
            _ => (Preview::None, false),
        };
        let gaps = if invocation.sandboxed { self.shell.gaps().to_vec() } else { Vec::new() };
        Preparation { gaps, preview, is_partial, ..found }
    }

    fn work(&self, invocation: &Invocation, stop: &Stop) -> Result<Given, String> {
        let (workspace, seen, arguments) = (&self.workspace, &self.seen, &invocation.arguments);
        let making = Making { call: invocation.call, seen, snapshots: self.snapshots.as_ref(), stop };
        let target = || self.target(invocation);
        let excludes = || Excludes::new(&self.git, workspace.root());
        match invocation.name.as_str() {
            "read" => read::run(&*target()?, seen, arguments, stop),
            "list" => list::run(workspace, &*target()?, excludes(), stop),
            "search" => search::run(workspace, &*target()?, excludes(), arguments, stop),
            "echo" => echo::run(arguments).map(Given::from),
            "glob" => glob::run(workspace, &*target()?, excludes(), arguments, stop).map(Given::from),
            "plan" => plan::run(arguments),
            "edit" => edit::run(&target()?, arguments, &making),
            "write" => write::run(&target()?, arguments, &making),
            other => Err(format!("{} Nothing was done.", not_there(other, &self.absent))),
        }
    }

    /// What was decided about: found when the call was looked at, in this process also where it had waited since an earlier one.
    /// Of a call whose look is forgotten the path must lead where it says.
    fn target(&self, invocation: &Invocation) -> Result<Arc<Target>, String> {
        let path = invocation.arguments.text("path").unwrap_or_default();
        match self.targets.get(invocation.call, path) {
            Some(target) => Ok(target),
            None => Target::as_written(&self.workspace, path).map(Arc::new),
        }
    }

    async fn run_within_time(self, invocation: Invocation) -> ToolReport {
        let (limit, max_chars) = (invocation.timeout_ms, invocation.max_chars);
        let work = off_thread(move |stop| self.work(&invocation, stop));
        let (outcome, given) = match tokio::time::timeout(Duration::from_millis(limit), work).await {
            Ok(Ok(Ok(given))) => (Outcome::Ok, given),
            Ok(Ok(Err(text)) | Err(text)) => (Outcome::Failed, text.into()),
            Err(_) => (
                Outcome::TimedOut,
                format!("timed out after {}; ask for less at once, or check what was done", seconds(limit))
                    .into(),
            ),
        };
        let bounded = bound(&given.text, max_chars);
        // Which reads may be tried again is the loop's decision; a slow disk or network may be faster next time.
        let transient = outcome == Outcome::TimedOut;
        let (content, cut_chars) = (bounded.text, bounded.cut_chars);
        ToolReport {
            outcome,
            content,
            written: None,
            cut_chars,
            facts: given.facts,
            images: given.images,
            transient,
            refused: false,
            remote: None,
        }
    }
}

impl ToolPort for LocalTools {
    fn discover(&self) -> BoxFuture<'static, Discovered> {
        let told = self.absent.iter().filter(|one| one.why.is_told());
        let missing = told.map(|one| one.sentence.clone()).collect();
        Box::pin(std::future::ready(Discovered { missing, ..Discovered::default() }))
    }

    fn tell_late(&self, to: LateNews) {
        self.background.tell(to);
    }

    fn prepare(&self, invocation: Invocation) -> BoxFuture<'static, Preparation> {
        let tools = self.clone();
        Box::pin(async move {
            // What could not be looked at is not called inside: a person decides.
            off_thread(move |stop| tools.look(&invocation, stop))
                .await
                .unwrap_or_else(|failure| Preparation { outside: vec![failure], ..Preparation::default() })
        })
    }

    fn run(&self, invocation: Invocation, output: mpsc::Sender<Shown>) -> BoxFuture<'static, ToolReport> {
        let tools = self.clone();
        Box::pin(survive(async move {
            match invocation.name.as_str() {
                "shell" if is_set(&invocation.arguments, "background") => {
                    tools.background.start(&tools.shell, &tools.workspace, &invocation).await
                }
                name if has_terminal(name, &invocation.arguments) => {
                    let keyboard = tools.keyboards.plug_in(invocation.call);
                    tools.shell.run_on_terminal(&tools.workspace, &invocation, keyboard, output).await
                }
                "shell" => tools.shell.run(&tools.workspace, &invocation, output).await,
                "shell_output" => tools.background.output(&invocation).await,
                "shell_kill" => tools.background.kill(&invocation).await,
                "fetch" => tools.fetch.run(&invocation).await,
                _ => tools.run_within_time(invocation).await,
            }
        }))
    }

    fn type_into(&self, call: CallId, typed: Typed) {
        self.keyboards.type_into(call, typed);
    }

    fn warm_up(&self) {
        self.workspace.warm_up();
    }

    fn over(&self, call: CallId) {
        self.targets.over(call);
        self.seen.over(call);
    }
}

/// A tool that panics has failed; the loop goes on.
async fn survive(run: impl Future<Output = ToolReport>) -> ToolReport {
    let broke = "the tool itself broke down; its effects may be partial; check, then try another way";
    AssertUnwindSafe(run).catch_unwind().await.unwrap_or_else(|_| ToolReport::failed(broke))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_is_a_failure_wherever_it_happens() {
        let report = survive(async { panic!("planted") }).await;
        assert_eq!(report.outcome, Outcome::Failed);
        let work = off_thread(|_| -> String { panic!("planted") }).await;
        assert!(work.unwrap_err().contains("planted"));
    }
}
