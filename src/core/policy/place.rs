//! Whether a pattern for paths speaks of a file, whichever of its names a call uses: from the workspace, or from the root.

use super::guarded::is_guarded;
use super::signs::{Sign, path, signs, text};
use super::wildcard::wildcard;
use crate::tool::{Preparation, Territory};

/// The pattern as paths are written: without `./`.
pub(super) fn plain(pattern: &str) -> &str {
    pattern.strip_prefix("./").unwrap_or(pattern)
}

/// A denying or asking pattern, in each way in which it names its files: one that begins with `../` has an absolute form.
pub(super) fn forms(pattern: &str, folders: &[String]) -> Vec<String> {
    let pattern = plain(pattern);
    let above = folders.iter().filter(|_| pattern.starts_with("../"));
    let absolute = above.filter_map(|folder| text(&path(&signs(folder), &signs(pattern))));
    std::iter::once(pattern.to_owned()).chain(absolute).collect()
}

/// The other names of a file that such a pattern may mean. Of `*/x`, only the folders of the workspace count: what the
/// workspace itself is called says nothing of a file in it.
pub(super) fn other_names(pattern: &str, name: &[Sign], folders: &[String]) -> Vec<Vec<Sign>> {
    if matches!(name.first(), None | Some(Sign::Char('/') | Sign::Any)) {
        return Vec::new();
    }
    if pattern.starts_with('/') {
        return folders.iter().map(|folder| path(&signs(folder), name)).collect();
    }
    if pattern.trim_start_matches('*').starts_with('/') {
        return vec![[&[Sign::Char('/')], name].concat()];
    }
    Vec::new()
}

/// Whether a denying or asking pattern speaks of a path that is known.
pub(super) fn forbids_path(pattern: &str, name: &str, folders: &[String]) -> bool {
    forms(pattern, folders).iter().any(|pattern| form_forbids(pattern, name, folders))
}

/// The same for one of its forms.
pub(super) fn form_forbids(pattern: &str, name: &str, folders: &[String]) -> bool {
    let others = || other_names(pattern, &signs(name), folders);
    wildcard(pattern, name) || others().iter().filter_map(|other| text(other)).any(|o| wildcard(pattern, &o))
}

/// Whether a permitting pattern covers a resolved path. An absolute pattern that names the workspace covers what it says; a
/// wider one was written for other places too, so that it opens nothing of the workspace that is protected or secret.
pub(super) fn permits_path(pattern: &str, name: &str, found: &Preparation) -> bool {
    let pattern = plain(pattern);
    if wildcard(pattern, name) || !pattern.starts_with('/') || name.starts_with('/') {
        return wildcard(pattern, name);
    }
    let is_open = found.territory(name) == Territory::Inside && !is_guarded(name);
    found.folders.iter().any(|folder| {
        let is_meant = || pattern.strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/'));
        let absolute = text(&path(&signs(folder), &signs(name)));
        absolute.is_some_and(|absolute| wildcard(pattern, &absolute)) && (is_open || is_meant())
    })
}
