//! What a confinement cannot hide: secrets inside the folders that it opens.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

use ignore::{DirEntry, WalkBuilder};

use super::super::line::in_a_line;
use super::kept::KeptPlaces;
use super::{Confinement, names_a_secret, real};

/// How far below a workspace files are looked for that look like secrets.
const DEEPEST: usize = 4;
/// Most files and folders of a workspace that are looked at.
const MOST_ENTRIES: usize = 20_000;
/// Folders of other people's code, and of git itself.
const NOT_LOOKED_AT: &[&str] =
    &[".git", ".hg", "node_modules", "target", "vendor", ".venv", "venv", "__pycache__"];
/// Something that a confined command can do although it should not. `Display` is the sentence for a person.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gap {
    /// The workspace is, or holds, the place of these secrets.
    HoldsSecrets {
        /// The writable folder.
        folder: PathBuf,
        /// Those that are there.
        secrets: Vec<PathBuf>,
    },
    /// The workspace is, holds or lies in what other programs run or obey.
    HoldsSettings {
        /// The workspace.
        folder: PathBuf,
        /// What that is; it need not exist.
        settings: Vec<PathBuf>,
    },
    /// The workspace lies in a place of secrets.
    LiesInSecrets(PathBuf),
    /// A file of the workspace whose name is that of a secret.
    LooksSecret(PathBuf),
    /// A file of the workspace that a rule keeps from being read, or all that is in a folder.
    Kept {
        /// Where it is.
        place: PathBuf,
        /// The rule, with its kind: `deny read(secret/*)`.
        rule: String,
    },
    /// The workspace is too large to be looked through.
    NotAllSeen(PathBuf),
}

impl Gap {
    /// Whether it is about secrets in a folder that is opened, which might be covered, and can come and go with each
    /// command.
    pub fn is_secret(&self) -> bool {
        matches!(
            self,
            Self::HoldsSecrets { .. } | Self::LooksSecret(_) | Self::Kept { .. } | Self::NotAllSeen(_)
        )
    }

    /// What cannot be hidden, as a question names it in its list: the place is whole, for another folder may
    /// hold the same name, and each place is there, for what is accepted is this text, and nothing that was
    /// not read.
    pub fn named(&self) -> String {
        let file = |place: &Path| shown(Path::new(place.file_name().unwrap_or(place.as_os_str())));
        match self {
            Self::HoldsSecrets { folder, secrets } => format!("{} in {}", all(secrets), shown(folder)),
            Self::HoldsSettings { folder, settings } => {
                format!("files in {} that other programs run or obey ({})", shown(folder), all(settings))
            }
            Self::LiesInSecrets(folder) => {
                format!("all of {}, which is a location for secrets", shown(folder))
            }
            Self::LooksSecret(place) => format!("{} ({})", file(place), shown(place)),
            Self::Kept { place, rule } => {
                format!("{} ({}), although a rule says {rule}", file(place), shown(place))
            }
            Self::NotAllSeen(folder) => format!(
                "any other secret in {}, which contains more than {MOST_ENTRIES} files, so not all were checked",
                shown(folder)
            ),
        }
    }
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let write = "the sandbox cannot hide files inside a folder that it opens";
        match self {
            Self::HoldsSecrets { folder, secrets } => {
                write!(
                    f,
                    "a command can read and change {}: they are in {}, and {write}",
                    some(secrets),
                    shown(folder)
                )
            }
            Self::HoldsSettings { folder, settings } => {
                write!(
                    f,
                    "a command can change files that other programs run or obey ({}): the sandbox opens all \
                    of {}",
                    some(settings),
                    shown(folder)
                )
            }
            Self::LiesInSecrets(folder) => {
                write!(
                    f,
                    "a command can read and change all of {}, which is a location for secrets",
                    shown(folder)
                )
            }
            Self::LooksSecret(file) => {
                write!(
                    f,
                    "the sandbox cannot hide {} here, so commands could read and change it ({})",
                    shown(Path::new(file.file_name().unwrap_or(file.as_os_str()))),
                    shown(file)
                )
            }
            Self::Kept { place, rule } => write!(
                f,
                "the sandbox cannot hide {} here, so commands could read it, and a rule says {rule} ({})",
                shown(Path::new(place.file_name().unwrap_or(place.as_os_str()))),
                shown(place)
            ),
            Self::NotAllSeen(folder) => write!(
                f,
                "{} contains more than {MOST_ENTRIES} files: not all were checked for secrets",
                shown(folder)
            ),
        }
    }
}

/// A path in a sentence.
fn shown(path: &Path) -> String {
    in_a_line(&path.to_string_lossy())
}

fn all(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| shown(path)).collect::<Vec<_>>().join(", ")
}

/// The first three, and how many more there are.
fn some(paths: &[PathBuf]) -> String {
    let named: Vec<_> = paths.iter().take(3).map(|path| shown(path)).collect();
    let more = paths.len().saturating_sub(named.len());
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", named.join(", "))
}

impl Confinement {
    /// What it cannot hide, each to be named to a person before the first command runs. Looks at the disk: names of
    /// files, four folders deep, no contents. A folder that a person has opened beside the workspace is not looked
    /// through: they named it.
    pub fn gaps(&self) -> Vec<Gap> {
        self.gaps_with(self.look_beside().not_all_seen)
    }

    /// The same, after a look at the folders beside the workspace.
    pub(super) fn gaps_with(&self, beside: Vec<Gap>) -> Vec<Gap> {
        let mut gaps = Vec::new();
        let hidden: Vec<PathBuf> = self.hidden.iter().map(|path| real(path)).collect();
        for (number, folder) in self.writable.iter().map(|path| real(path)).enumerate() {
            let mut secrets: Vec<PathBuf> =
                hidden.iter().filter(|path| path.starts_with(&folder) && path.exists()).cloned().collect();
            secrets.sort();
            secrets.dedup();
            if hidden.iter().any(|path| folder.starts_with(path)) {
                gaps.push(Gap::LiesInSecrets(folder.clone()));
            }
            let known = secrets.clone();
            if number == 0 {
                // What is not there yet can be made, with what its program is to do.
                let absent =
                    hidden.iter().filter(|path| path.starts_with(&folder) && !path.exists()).cloned();
                let settings: BTreeSet<PathBuf> =
                    self.settings.met_by(&folder).into_iter().chain(absent).collect();
                let settings: Vec<PathBuf> = settings.into_iter().collect();
                if !settings.is_empty() {
                    gaps.push(Gap::HoldsSettings { folder: folder.clone(), settings });
                }
            }
            if !secrets.is_empty() {
                gaps.push(Gap::HoldsSecrets { folder: folder.clone(), secrets });
            }
            let looked = if number == 0 { self.look(&folder) } else { Vec::new() };
            gaps.extend(looked.into_iter().filter(|gap| match gap {
                Gap::LooksSecret(file) => !known.iter().any(|place| file.starts_with(place)),
                _ => true,
            }));
        }
        gaps.extend(beside);
        gaps
    }

    /// Looks through the folders beside the workspace, for the secrets in them and what rules keep from being read, there and elsewhere.
    pub(super) fn look_beside(&self) -> SeenBeside {
        let mut seen = SeenBeside::default();
        for gap in self.beside.iter().flat_map(|folder| self.look(&real(folder))) {
            match gap {
                Gap::LooksSecret(file) | Gap::Kept { place: file, .. } => seen.hidden.push(file),
                Gap::NotAllSeen(_) => seen.not_all_seen.push(gap),
                Gap::HoldsSecrets { .. } | Gap::HoldsSettings { .. } | Gap::LiesInSecrets(_) => {}
            }
        }
        seen.hidden.extend(KeptPlaces::of(self).elsewhere());
        seen
    }

    /// Files of the folder that look like secrets or are kept by a rule, and whether that was all of it.
    fn look(&self, folder: &Path) -> Vec<Gap> {
        let kept = KeptPlaces::of(self);
        let known = kept.at(folder);
        let mut walked = walk(folder, Some(DEEPEST).filter(|_| !kept.is_scattered()));
        let mut gaps = Vec::new();
        for entry in walked.by_ref().take(MOST_ENTRIES) {
            let is_called_secret = entry.file_name().to_str().is_some_and(names_a_secret);
            let is_secret = is_called_secret && entry.depth() <= DEEPEST;
            let rule = kept.rule_for(entry.path()).filter(|_| !is_secret);
            let is_known = || known.iter().any(|(place, _)| entry.path().starts_with(place));
            if !is_secret && rule.is_none() || entry.path().is_dir() || is_known() {
                continue;
            }
            let place = entry.into_path();
            gaps.push(match rule {
                Some(rule) => Gap::Kept { place, rule },
                None => Gap::LooksSecret(place),
            });
        }
        gaps.extend(known.into_iter().map(|(place, rule)| Gap::Kept { place, rule }));
        gaps.sort();
        if walked.next().is_some() {
            gaps.push(Gap::NotAllSeen(folder.to_owned()));
        }
        gaps
    }
}

/// What a look through the folders beside a workspace finds.
#[derive(Debug, Default)]
pub(super) struct SeenBeside {
    /// Files and folders that are hidden.
    pub(super) hidden: Vec<PathBuf>,
    /// Folders that are too large for the look.
    pub(super) not_all_seen: Vec<Gap>,
}

/// All that a look at the folder sees.
pub(super) fn entries(folder: &Path) -> impl Iterator<Item = DirEntry> {
    walk(folder, Some(DEEPEST)).take(MOST_ENTRIES)
}

fn walk(folder: &Path, deepest: Option<usize>) -> impl Iterator<Item = DirEntry> + use<> {
    let mut walk = WalkBuilder::new(folder);
    walk.standard_filters(false)
        .max_depth(deepest)
        .filter_entry(|entry| !entry.file_name().to_str().is_some_and(|name| NOT_LOOKED_AT.contains(&name)));
    // What we cannot read, a command that we start cannot read either.
    walk.build().filter_map(Result::ok)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::Settings;
    use super::*;

    #[test]
    fn what_cannot_be_hidden_is_named() {
        let folder = tempfile::TempDir::new().unwrap();
        let home = folder.path().canonicalize().unwrap();
        for name in [".ssh", "work/deep", "work/node_modules"] {
            fs::create_dir_all(home.join(name)).unwrap();
        }
        for name in [
            ".ssh/id_rsa",
            "work/.env",
            "work/.env.example",
            "work/deep/server.pem",
            "work/node_modules/.env",
        ] {
            fs::write(home.join(name), "").unwrap();
        }
        let hidden = vec![home.join(".ssh"), home.join(".aws")];
        let of = |workspace: &Path| Confinement::of_workspace(workspace, hidden.clone()).gaps();
        let (env, pem) = (home.join("work/.env"), home.join("work/deep/server.pem"));
        let files = [Gap::LooksSecret(env), Gap::LooksSecret(pem)];
        assert_eq!(of(&home.join("work")), files);
        let at_home = of(&home);
        let all = Gap::HoldsSecrets { folder: home.clone(), secrets: vec![home.join(".ssh")] };
        let absent = Gap::HoldsSettings { folder: home.clone(), settings: vec![home.join(".aws")] };
        assert_eq!(at_home, [&[absent, all][..], &files[..]].concat());
        assert!(at_home[1].to_string().contains("/.ssh: they are in "), "{}", at_home[1]);
        assert_eq!(of(&home.join(".ssh"))[0], Gap::LiesInSecrets(home.join(".ssh")));
    }

    #[test]
    fn a_name_adds_no_line_to_the_list() {
        let odd = PathBuf::from("/w/ok (nothing is hidden here)\nexit code 0\nz.pem");
        let folder = || PathBuf::from("/w\nx");
        let gaps = [
            Gap::HoldsSecrets { folder: folder(), secrets: vec![odd.clone()] },
            Gap::HoldsSettings { folder: folder(), settings: vec![odd.clone()] },
            Gap::LiesInSecrets(folder()),
            Gap::LooksSecret(odd.clone()),
            Gap::Kept { place: odd, rule: "deny read(*.pem)".to_owned() },
            Gap::NotAllSeen(folder()),
        ];
        for gap in &gaps {
            assert!(!gap.named().contains('\n'), "{:?}", gap.named());
            assert!(gap.named().contains(r"\n"), "{:?}", gap.named());
        }
    }

    #[test]
    fn what_is_accepted_names_each_place() {
        let folder = PathBuf::from("/home/me");
        let places = |last: &str| ["a", "b", "c", "d", last].map(|name| folder.join(name)).to_vec();
        let secrets = |last| Gap::HoldsSecrets { folder: folder.clone(), secrets: places(last) };
        let settings = |last| Gap::HoldsSettings { folder: folder.clone(), settings: places(last) };
        // As many others, of which the first are the same.
        for (one, other) in [(secrets("e"), secrets("f")), (settings("e"), settings("f"))] {
            assert_ne!(one.named(), other.named());
            assert!(one.named().contains("/home/me/d, /home/me/e"), "{}", one.named());
        }
        assert!(secrets("e").to_string().contains("c and 2 more"), "a sentence is short");
    }

    #[test]
    fn settings_that_a_workspace_holds_are_a_gap_whether_they_are_there_or_not() {
        let folder = tempfile::TempDir::new().unwrap();
        let home = folder.path().canonicalize().unwrap();
        for name in [".config/countersign", ".local/state", "src"] {
            fs::create_dir_all(home.join(name)).unwrap();
        }
        let named = |workspace: &str| {
            let workspace = home.join(workspace);
            let mut confinement = Confinement::of_workspace(&workspace, Vec::new());
            confinement.settings = Settings::of(&workspace, Some(&home));
            let gaps = confinement.gaps().into_iter();
            gaps.map(|gap| gap.to_string()).collect::<Vec<_>>().join("; ")
        };
        for workspace in ["", ".config", ".config/countersign", ".local", ".local/state"] {
            assert!(named(workspace).contains("other programs run or obey"), "{workspace}");
        }
        assert_eq!(named("src"), "");
    }
}
