//! What ignore files leave out: `.ignore`, `.gitignore`, `.git/info/exclude`, and what git's settings name for all folders.
//!
//! A repository can carry any of them as a link, a pipe or a file of any size. They are opened here, regular files alone
//! and without following links, and read up to a bound; what is beyond that is not used, and is counted.

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;

use super::beneath;

/// A larger ignore file is not used.
const MOST_BYTES: u64 = 1 << 20;
/// Nor is one that would make it more patterns than this together with those of the folders above.
const MOST_PATTERNS: usize = 10_000;
/// Nor is a line longer than this.
const LONGEST_LINE: usize = 4096;
/// `.git` as a file, and what it leads to, are a line each.
const MOST_LINK_BYTES: u64 = 1 << 13;

/// The patterns of a folder, and those of the folders above it.
#[derive(Debug)]
pub(super) struct Rules {
    /// In the order in which they count: `.ignore`, `.gitignore`, `.git/info/exclude`.
    here: [Gitignore; 3],
    above: Option<Arc<Self>>,
    /// How many patterns there are, with those above.
    count: usize,
}

impl Rules {
    fn none() -> Arc<Self> {
        Arc::new(Self {
            here: [Gitignore::empty(), Gitignore::empty(), Gitignore::empty()],
            above: None,
            count: 0,
        })
    }

    /// What the nearest patterns of a kind say of a path.
    fn say(&self, kind: usize, path: &Path, is_folder: bool) -> Match<()> {
        let mut next = Some(self);
        while let Some(rules) = next {
            let said = rules.here.get(kind).map_or(Match::None, |patterns| patterns.matched(path, is_folder));
            if !said.is_none() {
                return said.map(drop);
            }
            next = rules.above.as_deref();
        }
        Match::None
    }
}

/// Which ignore files a folder has.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct IgnoreFiles {
    ignore: bool,
    git_ignore: bool,
    git: bool,
}

impl IgnoreFiles {
    const PERHAPS: Self = Self { ignore: true, git_ignore: true, git: true };

    /// Takes in a name of the folder.
    pub(super) fn see(&mut self, name: &OsStr) {
        match name.as_bytes() {
            b".ignore" => self.ignore = true,
            b".gitignore" => self.git_ignore = true,
            b".git" => self.git = true,
            _ => {}
        }
    }
}

/// Where git's settings for all folders are looked for.
#[derive(Debug, Clone, Default)]
pub(super) struct GitSettings {
    home: Option<PathBuf>,
    config_home: Option<PathBuf>,
    global: Option<PathBuf>,
    system: Option<PathBuf>,
}

impl GitSettings {
    /// As the environment of the program says.
    pub(super) fn of(environment: &[(OsString, OsString)]) -> Self {
        let of = |name: &str| {
            let found = environment.iter().find(|(key, value)| key == name && !value.is_empty());
            found.map(|(_, value)| PathBuf::from(value))
        };
        let home = of("HOME");
        let config_home = of("XDG_CONFIG_HOME").or_else(|| home.as_ref().map(|home| home.join(".config")));
        Self { home, config_home, global: of("GIT_CONFIG_GLOBAL"), system: of("GIT_CONFIG_SYSTEM") }
    }

    /// The file of patterns that they name.
    fn excludes_file(&self) -> Option<PathBuf> {
        let below = |folder: &Option<PathBuf>, name: &str| folder.as_ref().map(|folder| folder.join(name));
        let settings = [
            self.global.clone(),
            below(&self.home, ".gitconfig"),
            below(&self.config_home, "git/config"),
            Some(self.system.clone().unwrap_or_else(|| "/etc/gitconfig".into())),
        ];
        let named = settings.into_iter().flatten().find_map(|file| {
            let text = of_the_user(&file)?;
            String::from_utf8_lossy(&text).lines().find_map(excludes_file).map(str::to_owned)
        });
        match (named, &self.home) {
            (Some(named), Some(home)) => {
                Some(named.strip_prefix("~/").map_or(named.clone().into(), |rest| home.join(rest)))
            }
            (Some(named), None) => Some(named.into()),
            (None, _) => below(&self.config_home, "git/ignore"),
        }
    }
}

/// What a line of git's settings gives as `core.excludesFile`.
fn excludes_file(line: &str) -> Option<&str> {
    let (name, value) = line.split_once('=')?;
    let value = value.trim().trim_matches('"').trim();
    let is_it = name.trim().eq_ignore_ascii_case("excludesfile") && !value.is_empty();
    (is_it && !value.contains(char::is_whitespace)).then_some(value)
}

/// A file of the user's own settings, which may be a link to where they keep them.
fn of_the_user(file: &Path) -> Option<Vec<u8>> {
    let how = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = rustix::fs::openat(CWD, file, how, Mode::empty()).ok()?;
    beneath::whole(file.into(), MOST_BYTES).ok()?
}

/// Reads ignore files for one walk.
#[derive(Debug)]
pub(super) struct Excludes {
    /// The patterns for all folders.
    all: Gitignore,
    unused: usize,
}

impl Excludes {
    /// With the patterns that git's settings name, meant from `root`.
    pub(super) fn new(settings: &GitSettings, root: &Path) -> Self {
        let mut excludes = Self { all: Gitignore::empty(), unused: 0 };
        if let Some(text) = settings.excludes_file().and_then(|file| of_the_user(&file)) {
            excludes.all = excludes.patterns(&text, root, 0);
        }
        excludes
    }

    /// How many ignore files were not used.
    pub(super) fn unused(&self) -> usize {
        self.unused
    }

    /// The patterns of the folders above this one.
    pub(super) fn above(&mut self, base: &Path) -> Arc<Rules> {
        let mut rules = Rules::none();
        let Ok(top) = beneath::top() else { return rules };
        let mut above: Vec<&Path> = base.ancestors().skip(1).collect();
        above.reverse();
        for path in above {
            if let Ok(folder) = beneath::folder(&top, path.strip_prefix("/").unwrap_or(path)) {
                rules = self.of(folder.as_fd(), path, IgnoreFiles::PERHAPS, &rules);
            }
        }
        rules
    }

    /// The patterns of a folder, with those above it.
    pub(super) fn of(
        &mut self,
        folder: BorrowedFd<'_>,
        path: &Path,
        found: IgnoreFiles,
        above: &Arc<Rules>,
    ) -> Arc<Rules> {
        let mut count = above.count;
        let mut here = [Gitignore::empty(), Gitignore::empty(), Gitignore::empty()];
        for (kind, (place, is_there)) in
            here.iter_mut().zip([found.ignore, found.git_ignore, found.git]).enumerate()
        {
            if !is_there {
                continue;
            }
            let text = match kind {
                0 => self.text(folder, ".ignore"),
                1 => self.text(folder, ".gitignore"),
                _ => self.exclude(folder),
            };
            if let Some(text) = text {
                *place = self.patterns(&text, path, count);
                count += place.len();
            }
        }
        if here.iter().all(Gitignore::is_empty) {
            return Arc::clone(above);
        }
        Arc::new(Rules { here, above: Some(Arc::clone(above)), count })
    }

    /// Whether a path is left out.
    pub(super) fn hide(&self, rules: &Rules, path: &Path, is_folder: bool) -> bool {
        let said = (0..3).map(|kind| rules.say(kind, path, is_folder)).find(|said| !said.is_none());
        match said {
            Some(said) => said.is_ignore(),
            None => self.all.matched(path, is_folder).is_ignore(),
        }
    }

    fn text(&mut self, folder: BorrowedFd<'_>, name: &str) -> Option<Vec<u8>> {
        match beneath::small(folder, Path::new(name), MOST_BYTES) {
            Ok(Some(text)) => Some(text),
            Err(failure) if matches!(failure.kind(), std::io::ErrorKind::NotFound) => None,
            Ok(None) | Err(_) => {
                self.unused += 1;
                None
            }
        }
    }

    /// `info/exclude` of the repository that a folder is: `.git` is a folder, or a file that names one.
    fn exclude(&mut self, folder: BorrowedFd<'_>) -> Option<Vec<u8>> {
        let through = beneath::THROUGH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        // A folder of git may be linked, as people do, or stand elsewhere: only its file of patterns is opened.
        let git = match rustix::fs::openat(folder, ".git", through, Mode::empty()) {
            Err(Errno::NOTDIR) => {
                let line = first_line(folder, ".git")?;
                let named = OsStr::from_bytes(line.strip_prefix(b"gitdir: ")?);
                let git = rustix::fs::openat(folder, named, through, Mode::empty()).ok()?;
                // A worktree has the patterns of the repository that it belongs to.
                match first_line(git.as_fd(), "commondir") {
                    Some(common) => {
                        rustix::fs::openat(&git, OsStr::from_bytes(&common), through, Mode::empty()).ok()?
                    }
                    None => git,
                }
            }
            git => git.ok()?,
        };
        self.text(git.as_fd(), "info/exclude")
    }

    fn patterns(&mut self, text: &[u8], root: &Path, so_far: usize) -> Gitignore {
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        let mut builder = GitignoreBuilder::new(root);
        let mut count = so_far;
        for line in text.split(|byte| *byte == b'\n') {
            // What is no text fits no name that the pattern could be meant for.
            let Ok(line) = std::str::from_utf8(line) else { continue };
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            count += 1;
            if count > MOST_PATTERNS {
                self.unused += 1;
                return Gitignore::empty();
            }
            if line.len() <= LONGEST_LINE {
                // A line that is no pattern is left out, as git does.
                builder.add_line(None, line).map(drop).unwrap_or_default();
            }
        }
        builder.build().unwrap_or_else(|_| {
            self.unused += 1;
            Gitignore::empty()
        })
    }
}

/// The first line of a small file.
fn first_line(folder: BorrowedFd<'_>, name: &str) -> Option<Vec<u8>> {
    let text = beneath::small(folder, Path::new(name), MOST_LINK_BYTES).ok()??;
    text.split(|byte| *byte == b'\n').next().map(|line| line.trim_ascii_end().to_owned())
}
