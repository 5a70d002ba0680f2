//! Folders as `list` and `search` see them: ignore files respected, links not followed, `.git` left out.

use std::path::Path;

use ignore::WalkBuilder;

use super::borders::LeftOut;

/// A walk from `from`, in the order of names. What is named outright is walked even if it is ignored; what is hidden is
/// left out.
pub(super) fn walk(from: &Path, left_out: LeftOut) -> WalkBuilder {
    let mut walk = WalkBuilder::new(from);
    walk.hidden(false)
        .require_git(false)
        .follow_links(false)
        .sort_by_file_name(std::ffi::OsStr::cmp)
        .filter_entry(move |entry| {
            entry.depth() == 0 || entry.file_name() != ".git" && !left_out.hides(entry.path())
        });
    walk
}
