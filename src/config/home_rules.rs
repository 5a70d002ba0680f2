//! Rules about files below the home folder, as people write them: `read(~/.ssh/*)`.

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
        is_of_files.then(|| SourcedRule { rule: Rule { pattern, ..sourced.rule.clone() }, ..sourced.clone() })
    };
    *rules = rules.iter().flat_map(|sourced| [Some(sourced.clone()), expanded(sourced)]).flatten().collect();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Source;
    use crate::policy::RuleKind;

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
