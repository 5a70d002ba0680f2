//! What the built-in tools of one session work with.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use super::background::{Background, BackgroundOutput};
use super::command::Shell;
use super::editor::{Editor, EditorFiles};
use super::environment::{for_commands, with_given};
use super::fetch::{Fetch, Reach};
use super::ignored::GitSettings;
use super::keyboard::Keyboards;
use super::seen::Seen;
use super::target::Targets;
use super::trailers;
use super::workspace::Workspace;
use crate::runtime::process::Groups;
use crate::runtime::sandbox::Sandbox;
use crate::runtime::undo::Snapshots;
use crate::tool::Absent;

/// Runs the built-in tools. Clones share what the model has seen of files.
#[derive(Debug, Clone)]
pub struct LocalTools {
    pub(super) workspace: Arc<Workspace>,
    pub(super) seen: Seen,
    pub(super) targets: Targets,
    pub(super) git: Arc<GitSettings>,
    pub(super) shell: Arc<Shell>,
    pub(super) background: Background,
    pub(super) fetch: Arc<Fetch>,
    pub(super) snapshots: Option<Snapshots>,
    pub(super) keyboards: Keyboards,
    pub(super) editor: Editor,
    pub(super) absent: Vec<Absent>,
    /// Why commits do not say which call made them.
    pub(super) unsigned: Option<String>,
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
}
