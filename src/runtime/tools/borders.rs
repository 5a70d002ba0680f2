//! What of a workspace counts as outside of it: what the sandbox hides, what looks like a secret, and what other programs
//! run or obey.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::policy::{KeptFiles, is_guarded};
use crate::runtime::sandbox::{Confinement, Settings, lies_in, names_a_secret};
use crate::tool::Territory;

/// The borders of a workspace.
#[derive(Debug)]
pub(super) struct Borders {
    root: PathBuf,
    confinement: Option<Confinement>,
    /// What that hides, by every name: where it stands and where it leads. Looked up at the first look of a process, which
    /// comes before the first tool, and not on the way to the first frame: there are hundreds.
    hidden: OnceLock<Vec<PathBuf>>,
    settings: Settings,
    /// Whether all of it is obeyed by other programs, as a folder of hooks.
    is_guarded: bool,
}

impl Borders {
    /// Those of a workspace at `root`, a real path, before anybody has said what is hidden.
    pub(super) fn new(root: &Path, home: Option<&Path>) -> Self {
        let home = home.map(|home| home.canonicalize().unwrap_or_else(|_| home.to_owned()));
        // A checkout of its own is judged by what it holds, wherever somebody keeps their checkouts.
        let is_guarded = is_guarded(&root.to_string_lossy()) && !root.join(".git").exists();
        let settings = Settings::of(root, home.as_deref());
        Self { root: root.to_owned(), confinement: None, hidden: OnceLock::new(), settings, is_guarded }
    }

    /// With what a sandbox hides and keeps.
    pub(super) fn hiding(self, confinement: &Confinement) -> Self {
        Self { confinement: Some(confinement.clone()), hidden: OnceLock::new(), ..self }
    }

    /// Where a resolved path lies. `is_folder`: whether it was one when it was resolved; nobody looks at the path again.
    pub(super) fn territory(&self, path: &Path, is_folder: bool) -> Territory {
        if !path.starts_with(&self.root) {
            Territory::Outside
        } else if self.is_hidden(path) || is_called_secret(path) && !is_folder {
            Territory::Secret
        } else if self.is_guarded || self.settings.hold(path) {
            Territory::Protected
        } else {
            Territory::Inside
        }
    }

    /// What the sandbox hides, looked up now if nobody has.
    pub(super) fn hidden(&self) -> &[PathBuf] {
        let look = || self.confinement.as_ref().map(Confinement::hidden_places).unwrap_or_default();
        self.hidden.get_or_init(look)
    }

    fn is_hidden(&self, path: &Path) -> bool {
        self.hidden().iter().any(|place| lies_in(path, place))
    }

    /// What a walk from `start`, a resolved path that somebody may look at, leaves out. `is_folder`: whether it was one when
    /// it was resolved, or is one now. Whoever names a file that looks like a secret was asked about that file; nobody was asked about what
    /// lies in a folder whose name only looks like one.
    pub(super) fn left_out_below(&self, start: &Path, is_folder: bool) -> LeftOut {
        let below = self.hidden().iter().filter(|place| lies_in(place, start) && !lies_in(start, place));
        let is_named = self.is_hidden(start) || is_called_secret(start) && !is_folder;
        LeftOut { places: below.cloned().collect(), by_name: !is_named }
    }

    /// The rules that keep files from being read, without those that speak of `start` itself: they have been heard.
    pub(super) fn kept_below(&self, start: &str, folders: &[String]) -> KeptFiles {
        let kept = self.confinement.as_ref().map(|confinement| confinement.kept.besides(start, folders));
        kept.unwrap_or_default()
    }
}

/// What a walk leaves out.
#[derive(Debug, Clone)]
pub(super) struct LeftOut {
    places: Vec<PathBuf>,
    by_name: bool,
}

impl LeftOut {
    /// Whether the path lies in a hidden place: not even its name is told.
    pub(super) fn hides(&self, path: &Path) -> bool {
        self.places.iter().any(|place| lies_in(path, place))
    }

    /// Whether a file looks like a secret by its name: what it holds is not told.
    pub(super) fn keeps(&self, file: &Path) -> bool {
        self.by_name && is_called_secret(file)
    }
}

fn is_called_secret(path: &Path) -> bool {
    path.file_name().and_then(|name| name.to_str()).is_some_and(names_a_secret)
}
