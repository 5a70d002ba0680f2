//! What a confined command may do, as plain data.

use std::path::{Path, PathBuf};

use crate::policy::KeptFiles;

use super::resolver::{PlaceNames, Resolver};
use super::{Settings, real};

/// The rights of a confined command. What is not named here is refused, but for reading what is not hidden.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Confinement {
    /// Folders in which everything may be read, changed and started; whatever else is said about what they hold.
    pub writable: Vec<PathBuf>,
    /// Files and folders that can be neither read nor listed. They need not exist.
    pub hidden: Vec<PathBuf>,
    /// Folders that are not opened, in which files that look like secrets are hidden as well; they are looked for before each
    /// command.
    pub beside: Vec<PathBuf>,
    /// Files that rules keep from being read; they are looked for before each command.
    pub kept: KeptFiles,
    /// Files and folders in those that are opened, over which empty ones are laid that cannot be read or changed. Real
    /// paths; they are looked for before each command.
    pub covered: Vec<PathBuf>,
    /// What other programs run or obey. In a folder that is opened the kernel cannot keep it, so that is a gap; what is
    /// confined already knows nothing of it.
    pub settings: Settings,
    /// Whether it may use the internet protocols, loopback included.
    pub network: bool,
    /// Where it hands over the way out of a network of its own, if it has one.
    pub proxy: Option<PathBuf>,
    /// Whether it may start where the kernel can hold only a part of this ([`super::Support::Partial`]).
    pub may_be_weaker: bool,
}

impl Confinement {
    /// Writes in `workspace`, reads but for `hidden`, no network. Symlinks are followed now.
    pub fn of_workspace(workspace: &Path, hidden: Vec<PathBuf>) -> Self {
        Self { writable: vec![real(workspace)], hidden, ..Self::default() }
    }

    /// Lets it write in a folder too. Symlinks are followed now.
    pub fn opens(&mut self, folder: &Path) {
        self.writable.push(real(folder));
    }

    /// Every hidden path by each of its names: where it stands and where it leads. What links in a hidden folder
    /// lead to is hidden too, as of `~/.ssh/config` into a folder of settings; of its first level, files alone.
    pub(in crate::runtime) fn hidden_places(&self) -> Vec<PathBuf> {
        let mut places = Vec::new();
        let mut resolver = Resolver::default();
        for path in &self.hidden {
            let PlaceNames { stands, leads, may_be_folder } = resolver.names(path);
            if may_be_folder && leads.is_dir() {
                let entries = leads.read_dir().into_iter().flatten().flatten();
                let links = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_symlink()));
                let files = links.filter_map(|link| link.path().canonicalize().ok());
                places.extend(files.filter(|path| path.is_file()));
            }
            places.extend([stands, leads]);
        }
        // By their bytes: paths compare part by part, which is slow.
        places.sort_unstable_by(|one, other| one.as_os_str().cmp(other.as_os_str()));
        places.dedup_by(|one, other| one.as_os_str() == other.as_os_str());
        places
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn what_is_hidden_is_hidden_by_every_name() {
        let folder = tempfile::TempDir::new().unwrap();
        let home = folder.path().canonicalize().unwrap();
        fs::create_dir_all(home.join("settings/ssh")).unwrap();
        fs::write(home.join("settings/known"), "").unwrap();
        symlink(home.join("settings/ssh"), home.join(".ssh")).unwrap();
        symlink(home.join("settings/known"), home.join("settings/ssh/config")).unwrap();
        symlink("/usr", home.join("settings/ssh/programs")).unwrap();
        let hidden = vec![home.join(".ssh"), home.join(".absent")];
        let places = Confinement { hidden, ..Confinement::default() }.hidden_places();
        let names = [".absent", ".ssh", "settings/known", "settings/ssh"];
        assert_eq!(places, names.map(|name| home.join(name)));
    }
}
