//! Whether a pattern for paths speaks of a file, whichever of its names a call uses: from the workspace, or from the root.

use std::collections::BTreeSet;

use super::Rule;
use super::guarded::is_guarded;
use super::signs::{Sign, path, signs, text};
use super::wildcard::wildcard;
use crate::tool::name::{FETCH, SHELL};
use crate::tool::{Preparation, Territory};

/// The pattern as paths are written: without `./`.
fn plain(pattern: &str) -> &str {
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

/// What a denying or asking rule says besides, for a session that works in a copy of another one's folder: it holds for the files in
/// that folder as before, and where it names some below `top`, for the same ones of the copy. All are absolute paths.
pub fn in_copy(rule: &Rule, folder: &str, top: &str, copy: &str) -> Vec<Rule> {
    let is_of_files = !rule.kind.permits() && ![SHELL, FETCH].contains(&rule.tool.as_str());
    let Some(pattern) = rule.pattern.as_deref().filter(|_| is_of_files).map(plain) else { return Vec::new() };
    let patterns: Vec<String> = if pattern.starts_with('/') {
        let copy = copy.trim_end_matches('/');
        rests(pattern, &format!("{}/", top.trim_end_matches('/')))
            .map(|rest| format!("{copy}/{rest}"))
            .collect()
    } else if pattern == "~" || pattern.starts_with("~/") {
        // Said once more with the path of the home folder.
        Vec::new()
    } else {
        text(&path(&signs(folder), &signs(pattern))).into_iter().collect()
    };
    patterns.into_iter().map(|pattern| Rule { pattern: Some(pattern), ..rule.clone() }).collect()
}

/// What a pattern says of the rest of texts that begin so; several, as a `*` may end in different places.
fn rests<'p>(pattern: &'p str, begin: &str) -> impl Iterator<Item = &'p str> {
    let star = |rest: &&str| rest.starts_with('*');
    let skipped = |rest: &'p str| rest.trim_start_matches('*');
    let mut rests: BTreeSet<&str> = BTreeSet::from([pattern]);
    for c in begin.chars() {
        let mut next = BTreeSet::new();
        for rest in rests {
            next.extend(Some(rest).filter(star));
            next.extend(skipped(rest).strip_prefix(c));
        }
        rests = next;
    }
    rests.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::RuleKind;

    #[test]
    fn a_rule_holds_in_the_folder_that_was_copied_and_in_the_copy() {
        let said = |kind, text: &str| {
            let rule = Rule::parse(kind, text).unwrap();
            let more = in_copy(&rule, "/u/proj/sub", "/u/proj", "/u/proj-1");
            more.iter().map(|rule| rule.to_string()).collect::<Vec<_>>()
        };
        for (text, more) in [
            ("read(secret/*)", &["read(/u/proj/sub/secret/*)"][..]),
            ("read(./*.env)", &["read(/u/proj/sub/*.env)"]),
            ("*(../a)", &["*(/u/proj/a)"]),
            ("read(/u/proj/sub/secret/**)", &["read(/u/proj-1/sub/secret/**)"]),
            ("read(/u/*/secret)", &["read(/u/proj-1/*/secret)", "read(/u/proj-1/secret)"]),
            ("read(/u/*)", &["read(/u/proj-1/*)"]),
            ("read(/etc/*)", &[]),
            ("read(/u/proj)", &[]),
            ("read(/u/project/x)", &[]),
            ("read(~/secret/*)", &[]),
            ("shell(cat secret/*)", &[]),
            ("fetch(docs.rs)", &[]),
            ("read", &[]),
        ] {
            assert_eq!(said(RuleKind::Deny, text), more, "{text}");
            assert_eq!(said(RuleKind::Ask, text), more, "{text}");
            assert_eq!(said(RuleKind::Allow, text), Vec::<String>::new(), "{text}");
        }
    }
}
