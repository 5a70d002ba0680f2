//! Whether a pattern for paths speaks of a file, whichever of its names a call uses: from the workspace, from the root, or from a folder above.

use super::guarded::is_guarded;
use super::signs::{Sign, meets, path, signs, text};
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
    let is_absolute = match name.first() {
        None | Some(Sign::Any) => return Vec::new(),
        Some(first) => *first == Sign::Char('/'),
    };
    if pattern.starts_with('/') {
        let from_here = folders.iter().filter(|_| !is_absolute);
        return from_here.map(|folder| path(&signs(folder), name)).collect();
    }
    let mut others = from_workspace(name, folders);
    if !is_absolute && pattern.trim_start_matches('*').starts_with('/') {
        others.push([&[Sign::Char('/')], name].concat());
    }
    others
}

/// The names from the workspace of what may lie in it, although the name says it from the root or from a folder above.
fn from_workspace(name: &[Sign], folders: &[String]) -> Vec<Vec<Sign>> {
    let is_absolute = name.first() == Some(&Sign::Char('/'));
    if !is_absolute && !name.starts_with(&[Sign::Char('.'), Sign::Char('.')]) {
        return Vec::new();
    }
    let rest = |folder: &String| {
        if is_absolute { within(folder, name) } else { within(folder, &path(&signs(folder), name)) }
    };
    folders.iter().filter_map(rest).collect()
}

/// The rest of an absolute name behind a folder, if it may lead into it.
fn within(folder: &str, name: &[Sign]) -> Option<Vec<Sign>> {
    if name.first() == Some(&Sign::Any) {
        return Some(vec![Sign::Any]);
    }
    let mut rest = name.strip_prefix(&[Sign::Char('/')])?;
    for part in folder.split('/').filter(|part| !part.is_empty()) {
        let end = rest.iter().position(|sign| *sign == Sign::Char('/')).unwrap_or(rest.len());
        let (here, after) = rest.split_at_checked(end)?;
        // Any text may be the rest of the folder, too.
        if let Some(at) = here.iter().position(|sign| *sign == Sign::Any) {
            return meets(part, here.get(..=at)?).then(|| vec![Sign::Any]);
        }
        let is_it = text(here).map_or_else(|| meets(part, here), |known| known == part);
        rest = after.strip_prefix(&[Sign::Char('/')]).filter(|_| is_it)?;
    }
    Some(rest.to_vec())
}

/// Whether a name that ends in any text may lead to any file of the workspace.
pub(super) fn may_be_any(name: &[Sign], folders: &[String]) -> bool {
    from_workspace(name, folders).iter().any(|rest| rest.first() == Some(&Sign::Any))
}

/// The path from a folder: any, where it leads through the folder or the root of a process, which may be the workspace.
pub(super) fn reached(folder: &[Sign], name: &[Sign]) -> Vec<Sign> {
    let is_from_folder = !folder.is_empty() && name.first() != Some(&Sign::Char('/'));
    let leads = match is_from_folder {
        true => leads_through_process(&[folder, &[Sign::Char('/')], name].concat()),
        false => leads_through_process(name),
    };
    if leads { vec![Sign::Any] } else { path(folder, name) }
}

/// Whether a path goes through `/proc/…/cwd` or `/proc/…/root`.
fn leads_through_process(path: &[Sign]) -> bool {
    let mut is_rooted = path.first() == Some(&Sign::Char('/'));
    let (mut depth, mut is_in_proc) = (0_usize, false);
    for part in path.split(|sign| *sign == Sign::Char('/')) {
        match text(part).as_deref() {
            Some("" | ".") => {}
            // Above the workspace may be the root.
            Some("..") => {
                is_rooted |= depth == 0;
                depth = depth.saturating_sub(1);
                is_in_proc &= depth > 0;
            }
            _ => {
                if is_in_proc && depth > 1 && (meets("cwd", part) || meets("root", part)) {
                    return true;
                }
                is_in_proc |= is_rooted && depth == 0 && meets("proc", part);
                depth += 1;
            }
        }
    }
    false
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

#[cfg(test)]
mod tests {
    use super::*;

    /// `~` stands for any text, `?` and `*` for what they are in a shell.
    fn of(text: &str) -> Vec<Sign> {
        let sign = |c| match c {
            '~' => Sign::Any,
            '?' => Sign::One,
            '*' => Sign::Name,
            c => Sign::Char(c),
        };
        text.chars().map(sign).collect()
    }

    #[test]
    fn a_name_from_elsewhere_is_one_from_the_workspace() {
        let folders = ["/u/proj".to_owned()];
        for (name, is) in [
            ("/u/proj/.e*", ".e*"),
            ("/u/*/a/.env", "a/.env"),
            ("/?/pro*/x", "x"),
            ("../proj/.e*", ".e*"),
            ("../../u/proj/x", "x"),
            ("../*/x", "x"),
            ("/u/proj/~", "~"),
            ("/u/p~/x", "~"),
            ("/~", "~"),
            ("../~", "~"),
            ("../~x/..", "~"),
        ] {
            assert_eq!(other_names(".env", &of(name), &folders), [of(is)], "{name}");
        }
        for name in ["/u/proj", "/u", "/u/project/x", "/v/*/x", "/u/q~", "../other/x", ".e*"] {
            assert_eq!(other_names(".env", &of(name), &folders), [] as [Vec<Sign>; 0], "{name}");
        }
        assert_eq!(other_names(".env", &of("/x"), &["/".to_owned()]), [of("x")]);
    }

    #[test]
    fn the_folder_of_a_process_may_be_any() {
        for (folder, name) in [
            ("", "/proc/self/cwd/.e*"),
            ("", "/proc/*/cwd"),
            ("", "/p*/self/c?d/x"),
            ("", "/proc/self/root/x"),
            ("", "/proc/self/task/1/cwd/x"),
            ("", "/tmp/../proc/./self//cwd/../x"),
            ("", "../../proc/self/cwd/x"),
            ("", "a/../../proc/self/cwd/x"),
            ("/proc", "self/cwd/x"),
            ("/proc/self/cwd", ".e*"),
        ] {
            assert_eq!(reached(&of(folder), &of(name)), of("~"), "{folder} {name}");
        }
        for (folder, name, is) in [
            ("", "proc/self/cwd/x", "proc/self/cwd/x"),
            ("", "/proc/cpuinfo", "/proc/cpuinfo"),
            ("", "/proc/self/status", "/proc/self/status"),
            ("", "/srv/proc/self/cwd", "/srv/proc/self/cwd"),
            ("", "/proc/../usr/self/cwd", "/usr/self/cwd"),
            ("/proc/self/cwd", "/etc/x", "/etc/x"),
            ("a", "../b", "b"),
        ] {
            assert_eq!(reached(&of(folder), &of(name)), of(is), "{folder} {name}");
        }
    }
}
