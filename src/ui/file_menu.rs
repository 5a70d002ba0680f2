//! What the screen knows of the files that an `@` offers.

use super::file_list::{FileList, Fitting};
use super::mention::is_called_a_file;

/// What the screen knows of the files.
#[derive(Debug, Clone, Default)]
pub struct FileMenu {
    pub(super) list: FileList,
    /// Whether the files were asked for since the `@` was typed.
    pub(super) was_asked: bool,
    /// Whether the list was closed: until another `@` is typed.
    pub(super) is_shut: bool,
    pub(super) open: Option<OpenMenu>,
    /// Whether the last key put a path and a space into the composer.
    pub(super) was_picked: bool,
}

/// What is offered.
#[derive(Debug, Clone)]
pub(super) struct OpenMenu {
    /// What stands between the `@` and the cursor.
    pub(super) typed: String,
    pub(super) found: Fitting,
    pub(super) chosen: usize,
    /// Whether the arrows have chosen.
    pub(super) was_moved: bool,
}

/// What is offered, as it is drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferedFiles<'a> {
    /// The best, best first.
    pub files: Vec<OfferedFile<'a>>,
    /// The place of the chosen one.
    pub chosen: usize,
    /// Whether Enter takes it; else what is typed is sent as it is.
    pub is_taken: bool,
    /// How many fit in all.
    pub count: usize,
    /// Whether there are files that are not listed, because there are too many.
    pub is_cut: bool,
}

/// One of what is offered, as it is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OfferedFile<'a> {
    /// Its path; that of a folder ends with `/`.
    pub path: &'a str,
    /// Whether it is hidden or ignored.
    pub comes_last: bool,
    /// Whether it is no path, but the name of a sub-agent.
    pub is_subagent: bool,
}

impl FileMenu {
    /// What is offered; `None` when the list is closed.
    pub fn offered(&self) -> Option<OfferedFiles<'_>> {
        let open = self.open.as_ref().filter(|open| !self.is_shut && !open.found.best.is_empty())?;
        let one = |at: &usize| {
            let (comes_last, is_subagent) = (self.list.comes_last(*at), self.list.is_subagent(*at));
            Some(OfferedFile { path: self.list.path(*at)?, comes_last, is_subagent })
        };
        let files = open.found.best.iter().filter_map(one).collect();
        let (chosen, count) = (open.chosen, open.found.count);
        let is_taken = open.path(&self.list).is_some_and(|path| open.is_taken_by_enter(path));
        Some(OfferedFiles { files, chosen, is_taken, count, is_cut: self.list.is_cut() })
    }

    /// Whether Enter puts the chosen path in. Behind a path that is typed whole it sends the message: there is nothing to pick.
    pub(super) fn enter_picks(&self) -> bool {
        let Some((open, path)) = self.open.as_ref().and_then(|open| Some((open, open.path(&self.list)?)))
        else {
            return false;
        };
        let bare = |path: &str| path.strip_suffix('/').unwrap_or(path).to_owned();
        let is_whole = open.path_at(0, &self.list).is_some_and(|first| bare(first) == bare(&open.typed));
        (open.was_moved || !is_whole) && open.is_taken_by_enter(path)
    }

    /// Whether taking the chosen path goes on into a folder. One that is typed whole, and has nothing in it, is meant itself.
    pub(super) fn opens_a_folder(&self) -> bool {
        let open = self.open.as_ref();
        let chosen = open.and_then(|open| Some((open, open.path(&self.list)?)));
        chosen.is_some_and(|(open, path)| path.ends_with('/') && path != open.typed)
    }

    /// The files have been listed.
    pub(super) fn heard(&mut self, list: FileList) {
        self.list = list;
        if let Some(open) = self.open.take() {
            self.open = Some(OpenMenu::new(&self.list, open.typed));
        }
    }

    /// Whether a word of the composer names a file or a folder that is listed, or lines of one: `@src/a.rs#L10-12,`.
    pub fn is_named_by(&self, word: &str) -> bool {
        let Some(path) = word.trim_start_matches(['(', '[', '{', '<']).strip_prefix('@') else {
            return false;
        };
        let path = path.trim_end_matches(|c: char| ".,;:!?)]}>".contains(c));
        let path = path.split_once("#L").map_or(path, |(path, _)| path);
        let path = path.strip_suffix('/').unwrap_or(path);
        !path.is_empty() && self.list.has(path)
    }

    /// Whether there is something to choose.
    pub(super) fn is_offering(&self) -> bool {
        !self.is_shut && self.open.as_ref().is_some_and(|open| !open.found.best.is_empty())
    }
}

impl OpenMenu {
    pub(super) fn new(list: &FileList, typed: String) -> Self {
        let found = list.fitting(&typed);
        let open = Self { typed, found, chosen: 0, was_moved: false };
        // Whoever has gone into a folder looks for what is in it: its own name stands there already.
        let is_inside = open.typed.ends_with('/') && open.path_at(0, list) == Some(open.typed.as_str());
        let first = open.path_at(1, list).filter(|path| is_inside && path.starts_with(&open.typed));
        Self { chosen: usize::from(first.is_some()), ..open }
    }

    /// The chosen path.
    pub(super) fn path<'a>(&self, list: &'a FileList) -> Option<&'a str> {
        self.path_at(self.chosen, list)
    }

    /// The path in this row.
    fn path_at<'a>(&self, row: usize, list: &'a FileList) -> Option<&'a str> {
        self.found.best.get(row).and_then(|at| list.path(*at))
    }

    /// Whether Enter means this path. Behind what can only be the name of a file it does not, if no path has it in it: letters that stand
    /// scattered in another name do not mean that, and a file that is not there is told of before anything is sent.
    pub(super) fn is_taken_by_enter(&self, path: &str) -> bool {
        let is_in_it = || path.to_lowercase().contains(&self.typed.to_lowercase());
        self.was_moved || !is_called_a_file(&self.typed) || is_in_it()
    }
}
