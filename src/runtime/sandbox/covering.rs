//! Which gaps can be closed: secrets inside the folders that are opened, over which an empty file or folder can be laid.

use std::collections::BTreeSet;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::gaps::{SeenBeside, entries};
use super::mounts::Mounts;
use super::{Confined, Confinement, Gap, Sandbox, real};

/// Most files and folders that are covered: each is a mount.
const MOST: usize = 256;
/// Succeeds if `$0` is there and empty.
const IS_EMPTY: &str = "test -e \"$0\" && ! test -s \"$0\"";

/// Secrets inside the folders that are opened: what is covered for a command that starts now, and what it can do
/// although it should not.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Exposure {
    /// What is covered.
    pub covered: BTreeSet<PathBuf>,
    /// What cannot be.
    pub gaps: Vec<Gap>,
    /// What is hidden beside the workspace.
    pub hidden: Vec<PathBuf>,
}

impl Sandbox {
    /// Looks at the disk, as [`Confinement::gaps`].
    pub fn exposure(&self) -> Exposure {
        let SeenBeside { hidden, not_all_seen } = self.confinement.look_beside();
        let gaps = self.confinement.gaps_with(not_all_seen);
        let sorted = self.confinement.sort(gaps.clone());
        if sorted.covered.is_empty() || self.cannot_cover().is_none() {
            return Exposure { hidden, ..sorted };
        }
        Exposure { gaps, hidden, ..Exposure::default() }
    }

    /// Why nothing can be covered on this machine, in a sentence; found out by really doing it, once.
    pub fn cannot_cover(&self) -> Option<&str> {
        self.covering.get_or_init(|| self.try_to_cover()).as_ref().err().map(String::as_str)
    }

    fn try_to_cover(&self) -> Result<(), String> {
        let failed = |why: std::io::Error| format!("it could not be tested: {why}");
        if cfg!(not(target_os = "linux")) {
            return Err(
                "the sandbox of this system cannot hide files inside a folder that it opens".to_owned()
            );
        }
        let folder = tempfile::Builder::new().prefix("countersign-").tempdir().map_err(failed)?;
        let file = real(folder.path()).join("file");
        std::fs::write(&file, "not empty").map_err(failed)?;
        let confinement = Confinement {
            covered: vec![file.clone()],
            may_be_weaker: self.confinement.may_be_weaker,
            ..Confinement::of_workspace(folder.path(), Vec::new())
        };
        let command = vec!["sh".into(), "-c".into(), IS_EMPTY.into(), file.into_os_string()];
        let mut child = Command::new(&self.ourselves);
        child.args(Confined { confinement, command }.words()).stdin(Stdio::null());
        let ended = child.output().map_err(failed)?;
        if ended.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&ended.stderr);
        let said = said.lines().next().unwrap_or("it was not covered");
        Err(said.trim_start_matches("countersign: the command was not started: ").to_owned())
    }
}

impl Confinement {
    /// Puts each gap where it belongs. A file with a name that is not known is not covered under that one, so it stays
    /// a gap.
    fn sort(&self, gaps: Vec<Gap>) -> Exposure {
        let mut names = Names::new(self.writable.first().map(|folder| real(folder)).unwrap_or_default());
        let writable: Vec<PathBuf> = self.writable.iter().map(|path| real(path)).collect();
        let mut sorted = Exposure::default();
        for gap in gaps {
            let places = match &gap {
                Gap::LooksSecret(file) => std::slice::from_ref(file),
                Gap::Kept { place, .. } if !writable.iter().any(|open| open.starts_with(place)) => {
                    std::slice::from_ref(place)
                }
                // What a person has opened in it stays open.
                Gap::HoldsSecrets { secrets, .. }
                    if !secrets.iter().any(|secret| writable.iter().any(|open| open.starts_with(secret))) =>
                {
                    secrets.as_slice()
                }
                _ => &[],
            };
            let known: Option<Vec<PathBuf>> = places
                .iter()
                .map(|place| names.of(place))
                .collect::<Option<Vec<_>>>()
                .map(|all| all.concat());
            match known {
                Some(known) if !places.is_empty() && sorted.covered.len() + known.len() <= MOST => {
                    sorted.covered.extend(known);
                }
                _ => sorted.gaps.push(gap),
            }
        }
        // What lies in a folder that is covered is not there any more.
        let all = sorted.covered.clone();
        sorted.covered.retain(|place| !place.ancestors().skip(1).any(|folder| all.contains(folder)));
        sorted
    }
}

/// Finds every name of a file, as far as it can be found.
struct Names {
    root: PathBuf,
    mounts: Option<Mounts>,
    /// Every file of the workspace with its name; looked up for the first file that has several.
    files: Option<Vec<(FileId, PathBuf)>>,
}

/// What a file is, whatever it is called: its device and its number there.
type FileId = (u64, u64);

fn id(found: &Metadata) -> FileId {
    (found.dev(), found.ino())
}

impl Names {
    fn new(root: PathBuf) -> Self {
        Self { root, mounts: None, files: None }
    }

    /// All names under which a command would reach it, none where nothing is there. `None` when there is one more than
    /// are known.
    fn of(&mut self, place: &Path) -> Option<Vec<PathBuf>> {
        let Ok(leads) = place.canonicalize() else { return Some(Vec::new()) };
        let found = leads.symlink_metadata().ok()?;
        let mut names = BTreeSet::from([leads]);
        if !found.is_dir() && found.nlink() > 1 {
            names.extend(self.links(id(&found)));
            if u64::try_from(names.len()) != Ok(found.nlink()) {
                return None;
            }
        }
        let mounts = self.mounts.get_or_insert_with(Mounts::now);
        let elsewhere: Vec<PathBuf> = names.iter().flat_map(|name| mounts.other_names(name)).collect();
        let is_it = |path: &PathBuf| path.symlink_metadata().is_ok_and(|other| id(&other) == id(&found));
        names.extend(elsewhere.into_iter().filter(is_it));
        Some(names.into_iter().collect())
    }

    fn links(&mut self, file: FileId) -> Vec<PathBuf> {
        let root = &self.root;
        let files = self.files.get_or_insert_with(|| {
            let found = entries(root)
                .filter_map(|entry| Some((id(&entry.path().symlink_metadata().ok()?), entry.into_path())));
            found.collect()
        });
        files.iter().filter(|(one, _)| *one == file).map(|(_, path)| path.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn what_can_be_covered_is_covered_by_every_name_and_the_rest_stays_a_gap() {
        let folder = tempfile::TempDir::new().unwrap();
        let root = real(folder.path());
        for name in ["work/deep", "work/private", "outside"] {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        for name in ["work/.env", "work/twice.pem", "work/elsewhere.key", "outside/leads"] {
            fs::write(root.join(name), "").unwrap();
        }
        fs::hard_link(root.join("work/twice.pem"), root.join("work/deep/again")).unwrap();
        fs::hard_link(root.join("work/elsewhere.key"), root.join("outside/unknown")).unwrap();
        symlink(root.join("outside/leads"), root.join("work/linked.pem")).unwrap();
        symlink(root.join("absent"), root.join("work/broken.pem")).unwrap();
        let confinement = Confinement::of_workspace(&root.join("work"), vec![root.join("work/private")]);
        let sorted = confinement.sort(confinement.gaps());
        let covered = ["outside/leads", "work/.env", "work/deep/again", "work/private", "work/twice.pem"]
            .map(|name| root.join(name));
        assert_eq!(sorted.covered.into_iter().collect::<Vec<_>>(), covered);
        assert_eq!(sorted.gaps, [Gap::LooksSecret(root.join("work/elsewhere.key"))]);
    }

    #[test]
    fn a_folder_that_holds_what_a_person_opened_is_not_covered() {
        let folder = tempfile::TempDir::new().unwrap();
        let root = real(folder.path());
        fs::create_dir_all(root.join("private/open")).unwrap();
        let mut confinement = Confinement::of_workspace(&root, vec![root.join("private")]);
        confinement.opens(&root.join("private/open"));
        let sorted = confinement.sort(confinement.gaps());
        assert_eq!(sorted.covered, BTreeSet::new());
        assert!(sorted.gaps.iter().any(|gap| matches!(gap, Gap::HoldsSecrets { .. })), "{:?}", sorted.gaps);
    }

    #[test]
    fn there_are_only_so_many_covers() {
        let folder = tempfile::TempDir::new().unwrap();
        for number in 0..=MOST {
            fs::write(folder.path().join(format!("{number}.pem")), "").unwrap();
        }
        let confinement = Confinement::of_workspace(folder.path(), Vec::new());
        let sorted = confinement.sort(confinement.gaps());
        assert_eq!((sorted.covered.len(), sorted.gaps.len()), (MOST, 1));
    }
}
