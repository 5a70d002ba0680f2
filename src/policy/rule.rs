//! One rule: `tool` or `tool(pattern)`, where `*` stands for any text.

use std::fmt;

use crate::ledger::Arguments;
use crate::tool::ToolSpec;

/// What a rule says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleKind {
    /// It may run.
    Allow,
    /// A person decides.
    Ask,
    /// It may not run.
    Deny,
}

/// A rule of the configuration or the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// What it says.
    pub kind: RuleKind,
    /// Name of the tool; `*` for all.
    pub tool: String,
    /// Matched against the command of `shell`, and against the path of the tools that take one.
    pub pattern: Option<String>,
}

/// A rule that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadRule(pub String);

impl fmt::Display for BadRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Rule {
    /// Reads `shell(cargo test *)` or `read`.
    ///
    /// # Errors
    /// [`BadRule`] says what is wrong and how a rule looks.
    pub fn parse(kind: RuleKind, text: &str) -> Result<Self, BadRule> {
        let text = text.trim();
        let bad = |what: &str| {
            BadRule(format!(
                "`{text}` is not a rule: {what}; write TOOL or TOOL(PATTERN), as in shell(cargo test *)"
            ))
        };
        let (tool, pattern) = match text.split_once('(') {
            None => (text, None),
            Some((tool, rest)) => {
                let pattern = rest.strip_suffix(')').ok_or_else(|| bad("the closing `)` is missing"))?;
                (tool, Some(pattern.to_owned()))
            }
        };
        if tool.is_empty() || !tool.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '*')) {
            return Err(bad("the tool's name is missing or has characters that no tool has"));
        }
        Ok(Self { kind, tool: tool.to_owned(), pattern })
    }

    /// Whether the rule speaks of this call.
    ///
    /// An allowing pattern for `shell` covers only a plain command: with `;`, `|`, `&`, `$`, redirections and the
    /// like, more may run than the pattern says. A denying or asking pattern is also tried on each part of such
    /// a line, so that `true; rm -rf x` does not slip past `shell(rm *)`.
    pub fn matches(&self, tool: &ToolSpec, arguments: &Arguments) -> bool {
        if !wildcard(&self.tool, &tool.name) {
            return false;
        }
        let Some(pattern) = &self.pattern else { return true };
        if let Some(command) = arguments.text("command") {
            return match self.kind {
                RuleKind::Allow => is_plain(command) && wildcard(pattern, command.trim()),
                RuleKind::Ask | RuleKind::Deny => {
                    wildcard(pattern, command.trim()) || parts(command).any(|part| wildcard(pattern, part))
                }
            };
        }
        tool.paths.iter().filter_map(|member| arguments.text(member)).any(|path| wildcard(pattern, path))
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.pattern {
            None => f.write_str(&self.tool),
            Some(pattern) => write!(f, "{}({pattern})", self.tool),
        }
    }
}

const SHELL_SYNTAX: &[char] =
    &[';', '|', '&', '$', '`', '<', '>', '(', ')', '{', '}', '\n', '\r', '\\', '!', '#'];

fn is_plain(command: &str) -> bool {
    !command.contains(SHELL_SYNTAX)
}

fn parts(command: &str) -> impl Iterator<Item = &str> {
    command.split(SHELL_SYNTAX).map(str::trim).filter(|part| !part.is_empty())
}

/// Whether `text` fits `pattern`, in which `*` stands for any text, the empty one too.
pub(crate) fn wildcard(pattern: &str, text: &str) -> bool {
    let mut pieces = pattern.split('*');
    let Some(mut rest) = pieces.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let mut pieces: Vec<&str> = pieces.collect();
    let Some(last) = pieces.pop() else { return rest.is_empty() };
    for piece in pieces {
        match rest.split_once(piece) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::SideEffect;

    fn shell(command: &str) -> (ToolSpec, Arguments) {
        let tool = ToolSpec {
            name: "shell".into(),
            description: String::new(),
            schema: serde_json::json!({}),
            effect: SideEffect::Runs,
            paths: vec![],
            timeout_ms: None,
        };
        (tool, Arguments::from_value(serde_json::json!({ "command": command })))
    }

    fn covers(kind: RuleKind, rule: &str, command: &str) -> bool {
        let (tool, arguments) = shell(command);
        Rule::parse(kind, rule).unwrap().matches(&tool, &arguments)
    }

    #[test]
    fn an_allowing_pattern_covers_plain_commands_alone() {
        assert!(covers(RuleKind::Allow, "shell(cargo test *)", "cargo test parser"));
        assert!(!covers(RuleKind::Allow, "shell(cargo test *)", "cargo test"));
        for trick in [
            "cargo test x; rm -rf y",
            "cargo test $(rm x)",
            "cargo test `rm x`",
            "cargo test x\nrm y",
            "cargo test x > y",
        ] {
            assert!(!covers(RuleKind::Allow, "shell(cargo test *)", trick), "{trick}");
        }
    }

    #[test]
    fn a_denying_pattern_is_tried_on_every_part() {
        for trick in ["rm -rf x", "true; rm -rf x", "true && rm x", "{ rm x; }", "(rm x)", "echo $(rm x)"] {
            assert!(covers(RuleKind::Deny, "shell(rm *)", trick), "{trick}");
        }
        assert!(!covers(RuleKind::Deny, "shell(rm *)", "cargo rm x"));
    }

    #[test]
    fn wildcards() {
        assert!(wildcard("a*c*e", "abcde") && wildcard("*", "") && wildcard("abc", "abc"));
        assert!(!wildcard("a*c", "abd") && !wildcard("abc", "abcd") && !wildcard("a*a", "a"));
    }
}
