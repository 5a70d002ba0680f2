//! Claude Code's permission rules in our words. What cannot be said exactly is narrower, or is not said: a rule never becomes
//! looser.

use crate::policy::{Rule, RuleKind};
use crate::tool::name::{EDIT, FETCH, GLOB, LIST, READ, SEARCH, SHELL, WRITE};

/// The rules that mean the same.
///
/// # Errors
/// Why there are none.
pub(super) fn translate(kind: RuleKind, written: &str) -> Result<Vec<String>, String> {
    let (tool, pattern) = match written.split_once('(') {
        None => (written, None),
        Some((tool, rest)) => (tool, Some(rest.strip_suffix(')').ok_or("its closing `)` is missing")?)),
    };
    let pattern = pattern.map(str::trim).filter(|pattern| !matches!(*pattern, "" | "*" | "**"));
    let rules = match tool {
        "Bash" => commands(pattern)?,
        "Read" => files(kind, &[READ], pattern)?,
        // Their rules for edits are about every tool that changes files.
        "Edit" | "MultiEdit" | "Write" | "NotebookEdit" => files(kind, &[EDIT, WRITE], pattern)?,
        "Glob" | "Grep" | "LS" if pattern.is_some() => {
            return Err("rules for these tools take no pattern here; a rule for read covers them".to_owned());
        }
        "Grep" => vec![SEARCH.to_owned()],
        "LS" => vec![LIST.to_owned()],
        "Glob" => vec![GLOB.to_owned()],
        "WebFetch" => match pattern {
            None => vec![FETCH.to_owned()],
            Some(pattern) => {
                let host =
                    pattern.strip_prefix("domain:").ok_or("only domain:HOST has a counterpart here")?;
                vec![format!("{FETCH}({})", host.trim())]
            }
        },
        tool if tool.starts_with("mcp__") && pattern.is_none() => {
            // The name of a server alone means all of its tools.
            let is_server = tool.matches("__").count() == 1;
            vec![if is_server { format!("{tool}__*") } else { tool.to_owned() }]
        }
        _ => return Err("there is no such tool here".to_owned()),
    };
    for rule in &rules {
        Rule::parse(kind, rule).map_err(|why| why.to_string())?;
    }
    Ok(rules)
}

/// `git log:*` is a command with anything behind it, or nothing.
fn commands(pattern: Option<&str>) -> Result<Vec<String>, String> {
    let Some(pattern) = pattern else { return Ok(vec![SHELL.to_owned()]) };
    let begin = pattern.strip_suffix(":*");
    if begin.unwrap_or(pattern).contains(":*") {
        return Err("`:*` stands for something only at the end".to_owned());
    }
    Ok(match begin {
        Some(begin) => vec![format!("{SHELL}({begin})"), format!("{SHELL}({begin} *)")],
        None => vec![format!("{SHELL}({pattern})")],
    })
}

/// Their patterns of paths are those of `.gitignore`; in ours `*` crosses folders.
fn files(kind: RuleKind, tools: &[&str], pattern: Option<&str>) -> Result<Vec<String>, String> {
    let Some(pattern) = pattern else { return Ok(tools.iter().map(|tool| (*tool).to_owned()).collect()) };
    let paths = paths(kind == RuleKind::Allow, pattern)?;
    Ok(tools.iter().flat_map(|tool| paths.iter().map(move |path| format!("{tool}({path})"))).collect())
}

fn paths(allows: bool, pattern: &str) -> Result<Vec<String>, String> {
    if pattern.contains(['?', '[', '!', '\\', '{']) {
        return Err("`?`, `[`, `!`, `{` and `\\` have no counterpart in patterns of paths here".to_owned());
    }
    let is_absolute = pattern.starts_with("//") || pattern.starts_with("~/");
    if pattern.starts_with('/') && !is_absolute {
        return Err(
            "it is meant from the folder of that settings file; write it from the workspace".to_owned()
        );
    }
    let path = pattern.strip_prefix("./").unwrap_or(pattern);
    let path = path.strip_prefix('/').unwrap_or(path);
    let ours = path.replace("**", "*");
    if !allows {
        // Wider than theirs where `*` was meant for one folder: for what forbids, that is safe.
        let is_anywhere = !is_absolute && !pattern.trim_end_matches('/').contains('/');
        let below = |path: &str| if path.ends_with('/') { format!("{path}*") } else { path.to_owned() };
        let mut all = vec![below(&ours)];
        if is_anywhere && !ours.starts_with('*') {
            all.push(below(&format!("*/{ours}")));
        }
        return Ok(all);
    }
    if path.replace("**", "").contains('*') {
        return Err(
            "`*` is one folder's names there and crosses folders here, so it would allow more".to_owned()
        );
    }
    Ok(vec![if ours.ends_with('/') { format!("{ours}*") } else { ours }])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(kind: RuleKind, written: &str) -> String {
        translate(kind, written).map_or_else(|why| format!("- {why}"), |rules| rules.join(", "))
    }

    #[test]
    fn a_rule_means_the_same_or_less() {
        use RuleKind::{Allow, Ask, Deny};
        for (kind, written, expected) in [
            (Allow, "Bash(npm run test:*)", "shell(npm run test), shell(npm run test *)"),
            (Allow, "Bash(git log *)", "shell(git log *)"),
            (Allow, "Bash(npm run build)", "shell(npm run build)"),
            (Allow, "Bash", "shell"),
            (Deny, "Bash(*)", "shell"),
            (Deny, "Read(./.env)", "read(.env)"),
            (Deny, "Read(.env)", "read(.env), read(*/.env)"),
            (Deny, "Read(secrets/**)", "read(secrets/*)"),
            (Deny, "Read(~/.ssh/**)", "read(~/.ssh/*)"),
            (Deny, "Read(//etc/passwd)", "read(/etc/passwd)"),
            (Ask, "Edit(src/*.rs)", "edit(src/*.rs), write(src/*.rs)"),
            (Allow, "Edit(src/**)", "edit(src/*), write(src/*)"),
            (Allow, "Edit(docs/a.md)", "edit(docs/a.md), write(docs/a.md)"),
            (Allow, "WebFetch(domain:docs.rs)", "fetch(docs.rs)"),
            (Allow, "mcp__github", "mcp__github__*"),
            (Allow, "mcp__github__list_issues", "mcp__github__list_issues"),
        ] {
            assert_eq!(said(kind, written), expected, "{written}");
        }
    }

    #[test]
    fn what_would_be_looser_or_means_nothing_here_is_not_said() {
        for (written, why) in [
            ("Edit(src/*.rs)", "would allow more"),
            ("Edit(src/[ab].rs)", "no counterpart"),
            ("Read(/src/a)", "settings file"),
            ("WebSearch", "no such tool"),
            ("Task", "no such tool"),
            ("Bash(git:* push)", "only at the end"),
            ("Bash(git push", "missing"),
            ("WebFetch(url:x)", "domain:HOST"),
            ("Grep(src/**)", "take no pattern"),
            ("mcp__a__b(x)", "no such tool"),
            ("", "no such tool"),
        ] {
            let said = said(RuleKind::Allow, written);
            assert!(said.starts_with("- ") && said.contains(why), "{written}: {said}");
        }
    }
}
