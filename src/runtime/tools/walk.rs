//! Folders as `list` and `search` see them: ignore files respected, links not followed, `.git` left out.

use std::path::Path;

use ignore::WalkBuilder;

/// A walk from `from`, in the order of names. What is named outright is walked even if it is ignored.
pub(super) fn walk(from: &Path) -> WalkBuilder {
    let mut walk = WalkBuilder::new(from);
    walk.hidden(false)
        .require_git(false)
        .follow_links(false)
        .sort_by_file_name(std::ffi::OsStr::cmp)
        .filter_entry(|entry| entry.depth() == 0 || entry.file_name() != ".git");
    walk
}
