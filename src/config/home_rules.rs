//! Rules about files as people write them: below the home folder (`read(~/.ssh/*)`), or by a path that goes through a link.

use std::path::Path;

use crate::policy::Rule;
use crate::tool::name::{FETCH, SHELL};

use super::SourcedRule;

/// Adds to each rule whose path begins with `~/` the same rule with the home folder's path: a call may name the file in either way, and a
/// rule is about the file.
pub(super) fn expand(rules: &mut Vec<SourcedRule>, home: &Path) {
    let home = home.display().to_string();
    let expanded = |sourced: &SourcedRule| {
        let below = sourced.rule.pattern.as_deref()?.strip_prefix("~/")?;
        // What a command or an address begins with is not a path.
        let is_of_files = ![SHELL, FETCH].contains(&sourced.rule.tool.as_str());
        let pattern = Some(format!("{}/{below}", home.trim_end_matches('/')));
        is_of_files.then(|| with_pattern(sourced, pattern))
    };
    *rules = rules.iter().flat_map(|sourced| [Some(sourced.clone()), expanded(sourced)]).flatten().collect();
}

/// Adds to each rule that denies or asks, and names files by an absolute path through a link, the same rule with the path that the link leads
/// to: what a call names is compared without links.
pub(super) fn follow_links(rules: &mut Vec<SourcedRule>) {
    let followed = |sourced: &SourcedRule| {
        let Rule { kind, tool, pattern, .. } = &sourced.rule;
        let is_of_files = !kind.permits() && ![SHELL, FETCH].contains(&tool.as_str());
        let pattern = pattern.as_deref().filter(|pattern| is_of_files && pattern.starts_with('/'))?;
        let real = without_links(pattern)?;
        (real != pattern).then(|| with_pattern(sourced, Some(real)))
    };
    *rules = rules.iter().flat_map(|sourced| [Some(sourced.clone()), followed(sourced)]).flatten().collect();
}

/// The pattern with the folder before its first `*` as it really is, as far as it exists.
fn without_links(pattern: &str) -> Option<String> {
    let fixed = pattern.split('*').next()?;
    let (folder, _) = fixed.rsplit_once('/')?;
    let existing = Path::new(folder).ancestors().find(|one| one.exists())?;
    let rest = pattern.strip_prefix(existing.to_str()?)?;
    let real = existing.canonicalize().ok()?;
    Some(format!("{}/{}", real.to_str()?.trim_end_matches('/'), rest.trim_start_matches('/')))
}

fn with_pattern(sourced: &SourcedRule, pattern: Option<String>) -> SourcedRule {
    SourcedRule { rule: Rule { pattern, ..sourced.rule.clone() }, ..sourced.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Source;
    use crate::policy::RuleKind;

    #[test]
    fn a_rule_by_a_link_holds_for_what_the_link_leads_to() {
        let folder = tempfile::TempDir::new().unwrap();
        let top = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(top.join("real/proj")).unwrap();
        std::os::unix::fs::symlink(top.join("real"), top.join("link")).unwrap();
        let top = top.display();
        let said = |kind, text: String| {
            let rule = Rule::parse(kind, &text).unwrap();
            let mut rules = vec![SourcedRule { rule, source: Source::Default }];
            follow_links(&mut rules);
            rules.iter().skip(1).map(|sourced| sourced.rule.to_string()).collect::<Vec<_>>()
        };
        for rest in ["proj/secret/**", "proj/absent/key", "*", "proj/s*"] {
            let real = format!("read({top}/real/{rest})");
            assert_eq!(said(RuleKind::Deny, format!("read({top}/link/{rest})")), std::slice::from_ref(&real));
            assert_eq!(said(RuleKind::Deny, real), Vec::<String>::new());
        }
        assert_eq!(said(RuleKind::Allow, format!("read({top}/link/*)")), Vec::<String>::new());
        assert_eq!(said(RuleKind::Deny, "read(/*)".to_owned()), Vec::<String>::new());
    }

    #[test]
    fn a_path_below_the_home_folder_is_meant_in_both_forms() {
        let texts = ["read(~/.ssh/*)", "shell(~/bin/x *)", "read(/etc/*)", "write(~)"];
        let rule = |text| Rule::parse(RuleKind::Deny, text).unwrap();
        let mut rules: Vec<SourcedRule> =
            texts.iter().map(|text| SourcedRule { rule: rule(text), source: Source::Default }).collect();
        expand(&mut rules, Path::new("/home/me"));
        let said: Vec<String> = rules.iter().map(|sourced| sourced.rule.to_string()).collect();
        assert_eq!(
            said,
            ["read(~/.ssh/*)", "read(/home/me/.ssh/*)", "shell(~/bin/x *)", "read(/etc/*)", "write(~)"]
        );
    }
}
