//! The files, folders and sub-agents that a message can name, and those of them that a few letters mean.
//!
//! Each key asks a hundred thousand paths: so they are kept in lower case in one text, which is read from front to back, with the
//! letters of each as bits, and nothing is allocated for a path.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Range;
use std::sync::Arc;

use memchr::memrchr;

/// Paths that are ranked: nobody looks at more.
pub(super) const MOST_SHOWN: usize = 100;
/// Where the bits of a rank stand that say how long a path is.
const LENGTH_BITS: u32 = 12;
/// The deepest level that is told apart where nothing is typed.
const DEEPEST: u32 = 15;
/// Where the bit stands that puts hidden and ignored files behind all others.
const LAST_BIT: u32 = 31;

/// All of them. Clones share it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileList(Arc<Names>);

#[derive(Debug, Default, PartialEq, Eq)]
struct Names {
    names: Vec<Name>,
    /// All paths, one behind the other.
    paths: String,
    /// The same in lower case.
    lower: String,
    /// Hashes of the paths, in order, and which paths they are of: a frame looks words up in them.
    hashes: Vec<(u64, usize)>,
    is_cut: bool,
}

#[derive(Debug, PartialEq, Eq)]
struct Name {
    /// Where it stands in all paths.
    path: Range<usize>,
    /// The same in lower case.
    lower: Range<usize>,
    /// Where its last part begins, in lower case.
    base: usize,
    letters: u64,
    /// Which letters stand side by side, as bits.
    pairs: u64,
    depth: u32,
    comes_last: bool,
    is_subagent: bool,
}

/// The paths that fit what is typed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fitting {
    /// The best of them, by their places in the list.
    pub best: Vec<usize>,
    /// How many there are.
    pub count: usize,
}

/// Of a path, with or without the `/` of a folder.
fn hash(path: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    path.strip_suffix('/').unwrap_or(path).hash(&mut hasher);
    hasher.finish()
}

impl FileList {
    /// Of these paths, each with whether it comes behind all others. Those of folders end with `/`.
    pub fn new(paths: impl Iterator<Item = (String, bool)>, is_cut: bool) -> Self {
        Self::with_subagents(std::iter::empty(), paths, is_cut)
    }

    /// The same with the names of these sub-agents.
    pub fn with_subagents(
        subagents: impl Iterator<Item = String>,
        paths: impl Iterator<Item = (String, bool)>,
        is_cut: bool,
    ) -> Self {
        let mut names = Names { is_cut, ..Names::default() };
        subagents.for_each(|name| names.push(&name, false, true));
        for (path, comes_last) in paths {
            names.hashes.push((hash(&path), names.names.len()));
            names.push(&path, comes_last, false);
        }
        names.hashes.sort_unstable();
        Self(Arc::new(names))
    }

    /// Whether the name in this place is that of a sub-agent.
    pub fn is_subagent(&self, at: usize) -> bool {
        self.0.names.get(at).is_some_and(|name| name.is_subagent)
    }

    /// Whether there are files that are not listed.
    pub fn is_cut(&self) -> bool {
        self.0.is_cut
    }

    /// The path in this place.
    pub fn path(&self, at: usize) -> Option<&str> {
        self.0.names.get(at).map(|name| self.0.path(name))
    }

    /// Whether the path in this place is hidden or ignored.
    pub fn comes_last(&self, at: usize) -> bool {
        self.0.names.get(at).is_some_and(|name| name.comes_last)
    }

    /// Whether this path is listed; a folder is without its `/`, too.
    pub fn has(&self, path: &str) -> bool {
        let wanted = hash(path);
        let from = self.0.hashes.partition_point(|(hash, _)| *hash < wanted);
        let alike = self.0.hashes.iter().skip(from).take_while(|(hash, _)| *hash == wanted);
        let mut paths = alike.filter_map(|(_, at)| self.path(*at));
        paths.any(|listed| listed.strip_suffix('/').unwrap_or(listed) == path)
    }

    /// The paths that these letters can mean, the likeliest first.
    pub fn fitting(&self, typed: &str) -> Fitting {
        let typed = typed.to_lowercase();
        let (wanted, side_by_side) = (letters(&typed), pairs(&typed));
        // Of equal ones the shorter path, then the order of names.
        let mut found: Vec<(u32, usize)> = Vec::with_capacity(2 * MOST_SHOWN);
        // The worst that can still be shown: most paths fit a letter or two, and few are worth keeping.
        let mut worst = (u32::MAX, usize::MAX);
        let mut count = 0;
        let lower = self.0.lower.as_bytes();
        for (at, name) in self.0.names.iter().enumerate() {
            if wanted & !name.letters == 0
                && let Some(path) = lower.get(name.lower.clone())
                && let Some(rank) = name.rank(path, typed.as_bytes(), side_by_side)
            {
                count += 1;
                if (rank, at) < worst {
                    found.push((rank, at));
                }
                if found.len() == 2 * MOST_SHOWN {
                    found.select_nth_unstable(MOST_SHOWN - 1);
                    found.truncate(MOST_SHOWN);
                    worst = found.last().copied().unwrap_or(worst);
                }
            }
        }
        found.sort_unstable();
        found.truncate(MOST_SHOWN);
        Fitting { best: found.into_iter().map(|(_, at)| at).collect(), count }
    }
}

impl Names {
    fn path(&self, name: &Name) -> &str {
        self.paths.get(name.path.clone()).unwrap_or_default()
    }

    fn push(&mut self, path: &str, comes_last: bool, is_subagent: bool) {
        let (path_at, lower_at) = (self.paths.len(), self.lower.len());
        self.paths.push_str(path);
        if path.is_ascii() {
            self.lower.extend(path.chars().map(|letter| letter.to_ascii_lowercase()));
        } else {
            self.lower.push_str(&path.to_lowercase());
        }
        let lower = self.lower.get(lower_at..).unwrap_or_default();
        let name = lower.strip_suffix('/').unwrap_or(lower);
        let base = name.rfind('/').map_or(0, |at| at + 1);
        let depth = u32::try_from(name.matches('/').count()).unwrap_or(u32::MAX);
        let (letters, pairs) = (letters(lower), pairs(lower));
        let (path, lower) = (path_at..self.paths.len(), lower_at..self.lower.len());
        self.names.push(Name { path, lower, base, letters, pairs, depth, comes_last, is_subagent });
    }
}

impl Name {
    /// How far from what is meant it is, lower is better; `None` when the letters are not in it. `path`: in lower case.
    fn rank(&self, path: &[u8], typed: &[u8], side_by_side: u64) -> Option<u32> {
        let name = path.get(self.base..).unwrap_or_default();
        let may_hold = side_by_side & !self.pairs == 0;
        let level = if typed.is_empty() {
            // Sub-agents stand behind the files, however few those are.
            if self.is_subagent { DEEPEST + 1 } else { self.depth.min(DEEPEST) }
        } else if may_hold && (name == typed || path == typed) {
            0
        } else if may_hold && path.starts_with(typed) {
            1
        } else if may_hold && name.starts_with(typed) {
            2
        } else if may_hold && holds(name, typed) {
            3
        } else if may_hold && holds(path.get(..self.base + typed.len() - 1).unwrap_or(path), typed) {
            4
        } else if last_in_order(path, typed)? >= self.base {
            5
        } else {
            6
        };
        let length = u32::try_from(path.len()).unwrap_or(u32::MAX).min((1 << LENGTH_BITS) - 1);
        Some(u32::from(self.comes_last) << LAST_BIT | level << LENGTH_BITS | length)
    }
}

/// The letters of a text as bits: what has not all of those that are typed cannot be meant.
fn letters(text: &str) -> u64 {
    text.bytes().fold(0, |bits, byte| bits | 1 << (byte & 63))
}

/// The same of each two that stand side by side: what has not all of those that are typed holds them at most scattered.
fn pairs(text: &str) -> u64 {
    let both = text.bytes().zip(text.bytes().skip(1));
    both.fold(0, |bits, (one, two)| bits | 1 << (one.wrapping_mul(7).wrapping_add(two) & 63))
}

fn holds(text: &[u8], typed: &[u8]) -> bool {
    let Some(first) = typed.first() else { return true };
    let begins = text.iter().enumerate().filter(|(_, byte)| *byte == first);
    begins.into_iter().any(|(at, _)| text.get(at..).is_some_and(|rest| rest.starts_with(typed)))
}

/// Where these letters begin in a text that has them in this order, as far behind as they can; `None` where it has not.
fn last_in_order(text: &[u8], typed: &[u8]) -> Option<usize> {
    let mut before = text;
    for letter in typed.iter().rev() {
        before = before.get(..memrchr(*letter, before)?)?;
    }
    Some(before.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(paths: &[&str]) -> FileList {
        let late = |path: &str| path.starts_with('.') || path.starts_with("target");
        FileList::new(paths.iter().map(|path| ((*path).to_owned(), late(path))), false)
    }

    fn order(list: &FileList, typed: &str) -> Vec<String> {
        list.fitting(typed).best.into_iter().map(|at| list.path(at).unwrap().to_owned()).collect()
    }

    #[test]
    fn names_come_before_folders_and_whole_letters_before_scattered_ones() {
        let list = list(&[
            "docs/main/guide.md",
            "src/domain.rs",
            "src/main.rs",
            "src/ui/mad_in.rs",
            "main",
            "other.rs",
        ]);
        assert_eq!(
            order(&list, "main"),
            ["main", "src/main.rs", "src/domain.rs", "docs/main/guide.md", "src/ui/mad_in.rs"]
        );
        assert_eq!(order(&list, "SRC/UI"), ["src/ui/mad_in.rs"], "case does not matter");
        assert_eq!(order(&list, "sdom"), ["src/domain.rs"]);
        assert!(order(&list, "xyz").is_empty());
        let list = FileList::new(
            ["mx/an/i_n.rs", "x/m_a_i_n.rs"].iter().map(|path| ((*path).to_owned(), false)),
            false,
        );
        assert_eq!(
            order(&list, "main"),
            ["x/m_a_i_n.rs", "mx/an/i_n.rs"],
            "all of them in the name come first"
        );
    }

    #[test]
    fn names_of_other_alphabets_keep_their_letters() {
        // In lower case the first one is longer than as it is written.
        let list = list(&["İİ/Über.md", "Ärger.rs", "src/main.rs"]);
        assert_eq!(order(&list, "über"), ["İİ/Über.md"]);
        assert_eq!(order(&list, "ÄRG"), ["Ärger.rs"]);
        assert_eq!(order(&list, "main"), ["src/main.rs"]);
        assert!(list.has("İİ/Über.md"));
    }

    #[test]
    fn hidden_and_ignored_files_come_last() {
        let list = list(&[".config", "deep/down/config.rs", "target/", "src/target.rs"]);
        assert_eq!(order(&list, "config"), ["deep/down/config.rs", ".config"]);
        assert_eq!(order(&list, "target"), ["src/target.rs", "target/"]);
    }

    #[test]
    fn with_nothing_typed_the_top_comes_first() {
        let list = list(&["a/b/c.rs", "a/b/", "a/", "z.rs", ".git.d"]);
        assert_eq!(order(&list, ""), ["a/", "z.rs", "a/b/", "a/b/c.rs", ".git.d"]);
        assert!(list.has("a/b") && list.has("z.rs") && !list.has("z"));
    }

    #[test]
    fn subagents_are_offered_and_are_no_files() {
        let files = ["explored.rs", "z.rs"].map(|path| (path.to_owned(), false));
        let list = FileList::with_subagents(["explore".to_owned()].into_iter(), files.into_iter(), false);
        assert_eq!(order(&list, "expl"), ["explore", "explored.rs"]);
        assert_eq!(order(&list, ""), ["z.rs", "explored.rs", "explore"], "files come first");
        assert!(list.is_subagent(0) && !list.is_subagent(1) && !list.has("explore"));
    }

    #[test]
    fn the_best_are_shown_wherever_they_stand() {
        // Each one is better than those before it.
        let paths: Vec<String> =
            (0..1_000).map(|n| format!("{}file{n:04}.rs", "a/".repeat(1_000 - n))).collect();
        let list = FileList::new(paths.into_iter().map(|path| (path, false)), false);
        let found = list.fitting("file");
        assert_eq!(found.best, (900..1_000).rev().collect::<Vec<_>>());
        assert_eq!(found.count, 1_000);
    }

    #[test]
    fn all_are_counted_and_only_the_best_are_ranked() {
        let paths: Vec<String> = (0..1_000).map(|n| format!("src/file{n:04}.rs")).collect();
        let list = FileList::new(paths.into_iter().map(|path| (path, false)), true);
        let found = list.fitting("file");
        assert_eq!((found.best.len(), found.count, list.is_cut()), (MOST_SHOWN, 1_000, true));
        assert_eq!(found.best, (0..MOST_SHOWN).collect::<Vec<_>>());
    }
}
