//! The built-in tools, on the files and programs of this machine.

mod adopt;
pub(super) mod anchor;
mod arguments;
mod ask;
mod attach;
mod attributes;
mod background;
mod beneath;
mod borders;
mod change;
pub(super) mod command;
mod credentials;
mod diff;
mod echo;
mod edit;
mod editor;
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
mod past;
pub(super) mod picture;
mod plan;
mod printed;
mod read;
mod repeat;
mod replace;
mod search;
mod seen;
mod shell;
mod shell_kill;
mod shell_output;
mod stop;
mod strings;
mod target;
mod terminal;
mod tool;
mod trailers;
mod walk;
mod way;
pub(super) mod words;
pub(super) mod workspace;
mod write;

use std::ffi::OsString;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, Mutex};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tokio::sync::mpsc;

use crate::ledger::CallId;
use crate::policy::one_reading;
use crate::tool::{
    Absent, Discovered, Invocation, Preparation, Shown, SideEffect, Territory, ToolKind, ToolReport,
    ToolSpec, Typed,
};

use super::ports::{LateNews, ToolPort};
use super::process::Groups;
use super::sandbox::Sandbox;
use super::undo::Snapshots;
use background::Background;
use command::Shell;
use editor::Editor;
use fetch::Fetch;
use ignored::GitSettings;
use keyboard::Keyboards;
use seen::Seen;
use stop::{StopFlag, off_thread};
use target::{Target, Targets};
use tool::{LookedAt, RunningCall, Tool};
use workspace::Workspace;

pub use attach::{FileNames, ListedFile, MentionedFile, NotAttached, WorkspaceFiles};
pub use background::BackgroundOutput;
pub use credentials::looks_secret;
pub(crate) use credentials::{holds_secret, is_secret_header};
pub(super) use diff::compare;
pub use editor::{EditorFailure, EditorFiles};
pub use environment::for_programs;
pub(super) use environment::{for_commands, with_given};
pub use fetch::{AllowedHost, Reach};
pub use named::open_named;
pub use past::PastPlaces;
pub(super) use repeat::repeat;
pub use workspace::names_of;

/// The built-in tools, in the order in which a model sees them.
static TOOLS: &[&dyn Tool] = &[
    &read::ReadTool,
    &list::ListTool,
    &glob::GlobTool,
    &search::SearchTool,
    &edit::EditTool,
    &write::WriteTool,
    &shell::ShellTool,
    &shell_output::ShellOutputTool,
    &shell_kill::ShellKillTool,
    &fetch::FetchTool,
    &plan::PlanTool,
    &ask::AskTool,
];

/// The tool of tests and demonstrations, which is no part of the built-in ones.
static ECHO: &dyn Tool = &echo::EchoTool;
/// The tool that only a person can call.
static ADOPT: &dyn Tool = &adopt::AdoptTool;

/// All of them: those that models are told of first.
fn all() -> impl Iterator<Item = &'static dyn Tool> {
    TOOLS.iter().copied().chain([ECHO, ADOPT])
}

/// What is told of each: made once.
static SPECS: LazyLock<Vec<ToolSpec>> = LazyLock::new(|| all().map(Tool::spec).collect());

/// The tool of this name, and what is told of it.
fn tool_named(name: &str) -> Option<(&'static dyn Tool, &'static ToolSpec)> {
    all().zip(SPECS.iter()).find(|(_, spec)| spec.name == name)
}

/// What is told of the built-in tools, in the order in which a model sees them.
pub fn tool_specs() -> Vec<ToolSpec> {
    SPECS.iter().take(TOOLS.len()).cloned().collect()
}

/// The same of the tool of tests and demonstrations.
pub fn echo_spec() -> ToolSpec {
    ECHO.spec()
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
    editor: Editor,
    absent: Vec<Absent>,
    /// Why commits do not say which call made them.
    unsigned: Option<String>,
}

impl LocalTools {
    /// What its background commands print.
    #[must_use]
    pub fn background_output(&self) -> BackgroundOutput {
        self.background.output_of_all()
    }

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
            editor: Editor::default(),
            background: Background::default(),
            absent: Vec::new(),
            unsigned: None,
            shell: Arc::new(Shell {
                environment: for_commands(environment),
                groups,
                sandbox: None,
                signing: None,
                gaps: Mutex::default(),
            }),
        }
    }

    /// Calls that must be confined run in this sandbox. Without one they fail.
    #[must_use]
    pub fn within(self, sandbox: Sandbox) -> Self {
        let workspace = Arc::new(self.workspace.hiding(sandbox.confinement()));
        let shell = Shell { sandbox: Some(Arc::new(sandbox)), ..self.shell.again() };
        Self { workspace, shell: Arc::new(shell), ..self }
    }

    /// Commands get these variables too, whatever they look like: a person has named them.
    #[must_use]
    pub fn giving(self, variables: Vec<(OsString, OsString)>) -> Self {
        let environment = with_given(&self.shell.environment, variables);
        let shell = Shell { environment, ..self.shell.again() };
        Self { shell: Arc::new(shell), ..self }
    }

    /// Commits say which call made them, by a program that is kept in this folder for what can be made anew; `None`: they do not. To be
    /// said when it is known where commands may write.
    #[must_use]
    pub fn signing_commits(self, cache: Option<PathBuf>) -> Self {
        let open = self.shell.open_folders(&self.workspace);
        let (signing, unsigned) = match cache.map(|cache| (trailers::place(&cache, &open), cache)) {
            Some((Ok(_), cache)) => (Some(Arc::new(trailers::Signing::new(cache))), None),
            Some((Err(why), _)) => (None, Some(why)),
            None => (None, None),
        };
        Self { shell: Arc::new(Shell { signing, ..self.shell.again() }), unsigned, ..self }
    }

    /// Why commits do not say which call made them, although they should.
    pub fn unsigned(&self) -> Option<&str> {
        self.unsigned.as_deref()
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

    /// What a person attaches to messages, by the same rules as `read`.
    pub fn files(&self) -> WorkspaceFiles {
        WorkspaceFiles::new(Arc::clone(&self.workspace), Arc::clone(&self.git))
    }

    /// With a person who can type into the terminals of commands: without one, what a command reads has ended.
    pub fn attended(self) -> Self {
        Self { keyboards: self.keyboards.attended(), ..self }
    }

    /// With an editor whose texts of files count: `read` gives them, and changes begin with them and go through it.
    pub fn beside(self, editor: Arc<dyn EditorFiles>) -> Self {
        Self { editor: Editor::new(editor), ..self }
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

    fn look(&self, invocation: &Invocation, stop: &StopFlag) -> Preparation {
        let mut found = self.workspace.unlooked();
        let mut target = Err("`path` is missing; give it as a string".to_owned());
        let known = tool_named(&invocation.name);
        let spec = known.map(|(_, spec)| spec).filter(|spec| !spec.paths.is_empty());
        let writes = spec.is_some_and(|spec| spec.effect != SideEffect::Reads);
        if let Some(path) = invocation.arguments.text("path").filter(|_| spec.is_some()) {
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
                Err(why) => self.workspace.unresolved(path, why, &mut found),
            }
        }
        if let Some((tool, _)) = known {
            tool.look(LookedAt { tools: self, invocation, target, stop }, &mut found);
        }
        if known.is_some_and(|(_, spec)| spec.kind == ToolKind::Shell) {
            // At each of them: a person may confine a command that nobody else would.
            let gaps = self.shell.gaps();
            found.gaps = if invocation.sandboxed { gaps } else { Vec::new() };
        }
        found
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
        // At a call of another tool there is nothing to look at: no thread is needed for that.
        if tool_named(&invocation.name).is_none() {
            return Box::pin(std::future::ready(self.workspace.unlooked()));
        }
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
            let known = tool_named(&invocation.name);
            let call = RunningCall { tools, invocation };
            match known {
                Some((tool, _)) => tool.run(call, output).await,
                None => call.off_thread(|call, _stop| Err(call.unknown())).await,
            }
        }))
    }

    fn type_into(&self, call: CallId, typed: Typed) {
        self.keyboards.type_into(call, typed);
    }

    fn stop_background(&self, id: &str) {
        self.background.stop(id);
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
    let broke = "the tool crashed; its effects may be partial; check, then try another way";
    AssertUnwindSafe(run).catch_unwind().await.unwrap_or_else(|_| ToolReport::failed(broke))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::ledger::Outcome;

    #[test]
    fn each_tool_has_its_own_name_and_few_are_more_than_a_name_and_an_effect() {
        let names: BTreeSet<&str> = SPECS.iter().map(|spec| spec.name.as_str()).collect();
        assert_eq!(
            names.len(),
            TOOLS.len() + 2,
            "with the one for tests, and the one that only a person calls"
        );
        let kinds: Vec<(&str, ToolKind)> = SPECS
            .iter()
            .filter(|spec| spec.kind != ToolKind::Plain)
            .map(|spec| (spec.name.as_str(), spec.kind))
            .collect();
        let expected = [("shell", ToolKind::Shell), ("fetch", ToolKind::Fetch), ("ask", ToolKind::Question)];
        assert_eq!(kinds, expected);
        assert!(!tool_specs().contains(&echo_spec()));
    }

    #[tokio::test]
    async fn a_panic_is_a_failure_wherever_it_happens() {
        let report = survive(async { panic!("planted") }).await;
        assert_eq!(report.outcome, Outcome::Failed);
        let work = off_thread(|_| -> String { panic!("planted") }).await;
        assert!(work.unwrap_err().contains("planted"));
    }
}
