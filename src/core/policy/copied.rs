//! Rules about files for a session that works in a copy of another one's folder.

use std::collections::BTreeSet;

use super::Rule;
use super::place::plain;
use super::signs::{path, signs, text};
use crate::tool::name::{FETCH, SHELL};

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
