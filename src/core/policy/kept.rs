//! Files that rules keep from being read, for what reads many files at once: a search, and a command in the sandbox.

use super::place::{forbids_path, plain};
use super::{Rule, RuleKind};

/// The rules that deny or ask about reading some files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeptFiles {
    rules: Vec<Rule>,
}

/// What a rule names without a `*` before it: a file, or all that is in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptPlace<'r> {
    /// Its path, as the rule has it: from the workspace, or absolute; empty for the workspace itself.
    pub path: &'r str,
    /// Whether all that is in it is meant, so that it is a folder.
    pub is_folder: bool,
    /// The rule.
    pub rule: &'r Rule,
}

impl KeptFiles {
    /// Those among all rules. A rule about `read` without a pattern is a word about the tool.
    pub fn of<'r>(rules: impl IntoIterator<Item = &'r Rule>) -> Self {
        Self { rules: rules.into_iter().filter(|rule| rule.keeps_files()).cloned().collect() }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// The strictest rule that speaks of a file; `name` from the workspace, or absolute, and `folders` the workspace's absolute names.
    pub fn rule_for(&self, name: &str, folders: &[String]) -> Option<&Rule> {
        let speaks = |rule: &&Rule| rule.pattern.as_deref().is_some_and(|it| forbids_path(it, name, folders));
        self.rules.iter().filter(speaks).max_by_key(|rule| rule.kind)
    }

    /// Those that say nothing of this path: whoever names it is decided about by the others.
    #[must_use]
    pub fn besides(&self, name: &str, folders: &[String]) -> Self {
        let says_nothing =
            |rule: &&Rule| rule.pattern.as_deref().is_none_or(|it| !forbids_path(it, name, folders));
        Self { rules: self.rules.iter().filter(says_nothing).cloned().collect() }
    }

    /// What can be found without a walk.
    pub fn places(&self) -> impl Iterator<Item = KeptPlace<'_>> {
        self.rules.iter().filter_map(place)
    }

    /// The rules of which only a walk finds the files.
    #[must_use]
    pub fn scattered(&self) -> Self {
        Self { rules: self.rules.iter().filter(|rule| place(rule).is_none()).cloned().collect() }
    }
}

fn place(rule: &Rule) -> Option<KeptPlace<'_>> {
    let pattern = plain(rule.pattern.as_deref()?);
    let folder = pattern.strip_suffix("/**").or_else(|| pattern.strip_suffix("/*"));
    let path = folder.unwrap_or(match pattern {
        "*" | "**" => "",
        file => file,
    });
    let is_folder = folder.is_some() || path.is_empty();
    (!path.contains('*')).then_some(KeptPlace { path, is_folder, rule })
}

/// The kind of a rule and the rule, as people read it: `deny read(secret/*)`.
pub fn in_words(rule: &Rule) -> String {
    debug_assert!(
        matches!(rule.kind, RuleKind::Deny | RuleKind::Ask),
        "nothing is kept by a rule that permits"
    );
    format!("{} {rule}", rule.kind.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(rules: &[(RuleKind, &str)]) -> KeptFiles {
        let rules: Vec<Rule> = rules.iter().map(|(kind, text)| Rule::parse(*kind, text).unwrap()).collect();
        KeptFiles::of(&rules)
    }

    #[test]
    fn rules_that_deny_or_ask_about_some_files_keep_them() {
        let kept = kept(&[
            (RuleKind::Deny, "read(secret/**)"),
            (RuleKind::Ask, "read(*.env)"),
            (RuleKind::Deny, "*(/u/proj/a.txt)"),
            (RuleKind::Deny, "read"),
            (RuleKind::Allow, "read(b.txt)"),
            (RuleKind::Deny, "write(b.txt)"),
            (RuleKind::Deny, "shell(cat b.txt)"),
        ]);
        let folders = ["/u/proj".to_owned()];
        for name in ["secret/key", "secret/deep/key", "x/.env", "a.txt", "/u/proj/a.txt"] {
            assert!(kept.rule_for(name, &folders).is_some(), "{name}");
        }
        for name in ["b.txt", "secrets/key", "a.txt.bak", "/u/a.txt"] {
            assert_eq!(kept.rule_for(name, &folders), None, "{name}");
        }
        let places: Vec<_> = kept.places().map(|place| (place.path, place.is_folder)).collect();
        assert_eq!(places, [("secret", true), ("/u/proj/a.txt", false)]);
        let scattered = kept.scattered();
        assert!(scattered.rule_for(".env", &folders).is_some());
        assert_eq!(scattered.rule_for("secret/key", &folders), None);
        assert_eq!(kept.besides("x.env", &folders).rule_for("y.env", &folders), None);
    }

    #[test]
    fn a_rule_for_all_files_names_the_workspace() {
        for pattern in ["read(*)", "read(**)", "read(./*)"] {
            let kept = kept(&[(RuleKind::Deny, pattern)]);
            let places: Vec<_> = kept.places().map(|place| (place.path, place.is_folder)).collect();
            assert_eq!(places, [("", true)], "{pattern}");
        }
    }
}
