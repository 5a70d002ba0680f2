//! Claude Code's permission rules in our words. What cannot be said exactly is narrower, or is not said: a rule never becomes
//! looser.

use crate::policy::{Rule, RuleKind};
use crate::tool::name::{
    ASK, DELEGATE_TO, EDIT, FETCH, GLOB, LIST, PLAN, READ, SEARCH, SHELL, SHELL_KILL, SHELL_OUTPUT, WRITE,
};

/// How often a pattern may stand for any folders: each doubles its rules.
const MOST_GAPS: usize = 3;

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
    // What forbids is about all that change files; what permits stays with the tool that it names.
    let changes = |one: &'static [&'static str]| -> &'static [&'static str] {
        if kind.permits() { one } else { &[EDIT, WRITE] }
    };
    let rules = match tool {
        "Bash" => commands(pattern)?,
        "Read" => files(kind, &[READ], pattern)?,
        // Their rules for `Edit` are about every tool that changes files.
        "Edit" => files(kind, &[EDIT, WRITE], pattern)?,
        "MultiEdit" => files(kind, changes(&[EDIT]), pattern)?,
        "Write" => files(kind, changes(&[WRITE]), pattern)?,
        "NotebookEdit" | "NotebookRead" if kind.permits() => {
            return Err(format!(
                "it is about notebooks alone, and tools are about all files here: write {EDIT}(*.ipynb) or {READ}(*.ipynb) yourself"
            ));
        }
        "NotebookEdit" if pattern.is_none() => vec![format!("{EDIT}(*.ipynb)"), format!("{WRITE}(*.ipynb)")],
        "NotebookEdit" => files(kind, &[EDIT, WRITE], pattern)?,
        "NotebookRead" if pattern.is_none() => vec![format!("{READ}(*.ipynb)")],
        "NotebookRead" => files(kind, &[READ], pattern)?,
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
        "Task" | "Agent" => subagents(kind, pattern)?,
        "BashOutput" if pattern.is_none() => vec![SHELL_OUTPUT.to_owned()],
        "KillShell" | "KillBash" if pattern.is_none() => vec![SHELL_KILL.to_owned()],
        "TodoWrite" if pattern.is_none() => vec![PLAN.to_owned()],
        "AskUserQuestion" if pattern.is_none() => vec![ASK.to_owned()],
        other => return Err(counterpart(other).to_owned()),
    };
    for rule in &rules {
        Rule::parse(kind, rule).map_err(|why| why.to_string())?;
    }
    Ok(rules)
}

/// Each sub-agent is a tool here. What forbids all of them covers agents elsewhere, too.
fn subagents(kind: RuleKind, agent: Option<&str>) -> Result<Vec<String>, String> {
    if kind.permits() {
        return Err(format!(
            "each agent is a tool here, those on other machines too: write {DELEGATE_TO}NAME yourself"
        ));
    }
    let ours = match agent {
        None => "*",
        Some("Explore") => "explore",
        Some("general-purpose") => "general",
        Some(named) => named,
    };
    Ok(vec![format!("{DELEGATE_TO}{ours}")])
}

/// What there is here in the place of a tool that no rule can be about.
fn counterpart(tool: &str) -> &'static str {
    match tool {
        "WebSearch" => {
            "providers search the web here: hosted_tools switches that on, and no rule is about it"
        }
        "Skill" | "SlashCommand" => {
            "a skill is a file that the model reads, and only you call a command: write a rule for read"
        }
        "EnterPlanMode" | "ExitPlanMode" => "only you change the mode here: see /mode",
        _ => "there is no such tool here",
    }
}

/// `git log:*` is a command with anything behind it, or nothing.
fn commands(pattern: Option<&str>) -> Result<Vec<String>, String> {
    let Some(pattern) = pattern else { return Ok(vec![SHELL.to_owned()]) };
    if pattern.contains("\\*") {
        return Err("`\\*` is the character itself there, and any text here".to_owned());
    }
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

pub(super) fn paths(allows: bool, pattern: &str) -> Result<Vec<String>, String> {
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
        let is_anywhere = !is_absolute && !pattern.trim_end_matches('/').contains('/');
        return forbidden(path, is_anywhere);
    }
    // `**` stands for folders only between two `/`: in `**.rs` it is no more than `*`.
    if path.split('/').any(|part| part != "**" && part.contains('*')) {
        return Err(
            "`*` is one folder's names there and crosses folders here, so it would allow more".to_owned()
        );
    }
    if path.starts_with("**") {
        return Err("it begins with `**`, which is meant from the workspace there and from anywhere here, so it would allow more"
            .to_owned());
    }
    Ok(vec![if ours.ends_with('/') { format!("{ours}*") } else { ours }])
}

/// The patterns that cover at least what this one forbids. They are wider where `*` was meant for one folder: that is safe.
fn forbidden(path: &str, is_anywhere: bool) -> Result<Vec<String>, String> {
    let path = if is_anywhere { format!("**/{path}") } else { path.to_owned() };
    let parts: Vec<&str> = path.split("**/").collect();
    if parts.len() > MOST_GAPS + 1 {
        return Err(format!("it has more than {MOST_GAPS} times `**/`; write the rules yourself"));
    }
    // `**/` stands for folders there, or for none; `*/` stands for one at least here.
    let mut all = vec![String::new()];
    for (at, part) in parts.iter().enumerate() {
        let gaps: &[&str] = if at == 0 { &[""] } else { &["", "*/"] };
        let longer = all.iter().flat_map(|begin| gaps.iter().map(move |gap| format!("{begin}{gap}{part}")));
        all = longer.collect();
    }
    let mut covered = Vec::new();
    for path in all.iter().map(|path| path.replace("**", "*")).filter(|path| !path.is_empty()) {
        let folder = path.trim_end_matches('/');
        // What is forbidden there can be a folder, with all that is in it.
        if !path.ends_with('/') {
            covered.push(path.clone());
        }
        if !path.ends_with('*') {
            covered.push(format!("{folder}/*"));
        }
    }
    covered.dedup();
    Ok(covered)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::Arguments;
    use crate::tool::{Preparation, SideEffect, ToolKind, ToolSpec};

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
            (Deny, "Read(./.env)", "read(.env), read(.env/*)"),
            (Deny, "Read(.env)", "read(.env), read(.env/*), read(*/.env), read(*/.env/*)"),
            (Deny, "Read(**/.env)", "read(.env), read(.env/*), read(*/.env), read(*/.env/*)"),
            (Deny, "Read(**/secret/**)", "read(secret/*), read(*/secret/*)"),
            (Deny, "Read(secret/)", "read(secret/*), read(*/secret/*)"),
            (Ask, "Read(./**/*.key)", "read(*.key), read(*.key/*), read(*/*.key), read(*/*.key/*)"),
            (Deny, "Read(a/**/b/*)", "read(a/b/*), read(a/*/b/*)"),
            (Deny, "Read(~/**/id)", "read(~/id), read(~/id/*), read(~/*/id), read(~/*/id/*)"),
            (Deny, "Read(secrets/**)", "read(secrets/*)"),
            (Deny, "Read(~/.ssh/**)", "read(~/.ssh/*)"),
            (Deny, "Read(//etc/passwd)", "read(/etc/passwd), read(/etc/passwd/*)"),
            (Ask, "Edit(src/*)", "edit(src/*), write(src/*)"),
            (Allow, "Edit(src/**)", "edit(src/*), write(src/*)"),
            (Allow, "Read(a/**/b.rs)", "read(a/*/b.rs)"),
            (Allow, "Read(~/**/b.rs)", "read(~/*/b.rs)"),
            (Deny, "Read(src/**.rs)", "read(src/*.rs), read(src/*.rs/*)"),
            (Ask, "Read(src/a**)", "read(src/a*)"),
            (Allow, "Edit(docs/a.md)", "edit(docs/a.md), write(docs/a.md)"),
            (Allow, "Edit", "edit, write"),
            // A rule for one tool permits no other.
            (Allow, "Write", "write"),
            (Allow, "Write(docs/**)", "write(docs/*)"),
            (Allow, "MultiEdit(docs/**)", "edit(docs/*)"),
            (Deny, "Write(docs/**)", "edit(docs/*), write(docs/*)"),
            (Deny, "NotebookEdit", "edit(*.ipynb), write(*.ipynb)"),
            (Ask, "NotebookRead", "read(*.ipynb)"),
            (Deny, "Task", "delegate_to_*"),
            (Deny, "Agent(Explore)", "delegate_to_explore"),
            (Ask, "Task(general-purpose)", "delegate_to_general"),
            (Deny, "Agent(reviewer)", "delegate_to_reviewer"),
            (Deny, "KillShell", "shell_kill"),
            (Allow, "WebFetch(domain:docs.rs)", "fetch(docs.rs)"),
            (Allow, "mcp__github", "mcp__github__*"),
            (Allow, "mcp__github__list_issues", "mcp__github__list_issues"),
        ] {
            assert_eq!(said(kind, written), expected, "{written}");
        }
    }

    /// What a pattern of `.gitignore` covers, our rules cover: each is held against files by the policy itself.
    #[test]
    fn what_is_forbidden_there_is_forbidden_here() {
        use crate::policy::RuleKind::Deny;
        for (pattern, files) in [
            ("**/secret/**", &["secret/x", "a/secret/x", "a/b/secret/c/x"][..]),
            ("**/.env", &[".env", "a/.env", "a/b/.env", ".env/x"]),
            ("**/*.lock", &["Cargo.lock", "a/Cargo.lock"]),
            ("secrets", &["secrets", "secrets/x", "a/secrets/b/x"]),
            ("secrets/", &["secrets/x", "a/secrets/x"]),
            ("a/**/b", &["a/b", "a/x/b", "a/x/y/b", "a/b/c"]),
            ("./**/*.key", &["x.key", "a/x.key"]),
        ] {
            let rules = translate(Deny, &format!("Read({pattern})")).unwrap();
            for file in files {
                let is_covered = rules.iter().any(|rule| covers(rule, file));
                assert!(is_covered, "{pattern} forbids {file}, and {rules:?} do not");
            }
        }
    }

    /// Whether the rule is about reading this file of the workspace.
    fn covers(rule: &str, file: &str) -> bool {
        let rule = Rule::parse(RuleKind::Deny, rule).unwrap();
        let tool = ToolSpec {
            name: READ.into(),
            description: String::new(),
            schema: serde_json::json!({}),
            effect: SideEffect::Reads,
            paths: vec!["path".into()],
            timeout_ms: None,
            kind: ToolKind::Plain,
            retrieves: false,
        };
        let arguments = Arguments::from_value(serde_json::json!({ "path": file }));
        rule.matches(&tool, &arguments, &Preparation::default())
    }

    #[test]
    fn what_would_be_looser_or_means_nothing_here_is_not_said() {
        for (written, why) in [
            ("Edit(src/*.rs)", "would allow more"),
            ("Read(src/**.rs)", "would allow more"),
            ("Read(src/a**)", "would allow more"),
            ("Read(src**/a.rs)", "would allow more"),
            ("Edit(**/a.rs)", "from anywhere here, so it would allow more"),
            ("Edit(./**/src/**)", "from anywhere here, so it would allow more"),
            ("Edit(src/[ab].rs)", "no counterpart"),
            ("Read(/src/a)", "settings file"),
            ("WebSearch", "hosted_tools"),
            ("Task", "write delegate_to_NAME yourself"),
            ("Agent(Explore)", "write delegate_to_NAME yourself"),
            ("NotebookEdit", "about notebooks alone"),
            ("NotebookEdit(a/b.ipynb)", "about notebooks alone"),
            ("Skill(x)", "a skill is a file"),
            ("Bash(ls \\*)", "any text here"),
            ("Monitor", "no such tool"),
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
