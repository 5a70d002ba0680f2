//! May it happen: modes, rules and what the session has already granted.

mod rule;

use std::{collections::BTreeSet, fmt};

pub(crate) use rule::wildcard;
pub use rule::{BadRule, Rule, RuleKind};

use crate::ledger::Arguments;
use crate::tool::{Preparation, SideEffect, ToolSpec};

/// How much the agent may do without a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Mode {
    /// Reads only; everything else is refused.
    Plan,
    /// Reads in the workspace; asks for the rest.
    #[default]
    Ask,
    /// Reads and edits in the workspace; asks for the rest.
    Edit,
    /// No questions. Deny rules still hold.
    Unrestricted,
}

impl Mode {
    /// As written in flags, configuration and the status line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Plan => "plan",
            Self::Ask => "ask",
            Self::Edit => "edit",
            Self::Unrestricted => "unrestricted",
        }
    }

    /// Reads a mode's name.
    ///
    /// # Errors
    /// A sentence that names the modes there are.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text {
            "plan" => Ok(Self::Plan),
            "ask" => Ok(Self::Ask),
            "edit" => Ok(Self::Edit),
            "unrestricted" => Ok(Self::Unrestricted),
            "auto" => Err("mode `auto` runs commands in a sandbox, which this version does not have; \
                           use plan, ask, edit or unrestricted"
                .to_owned()),
            other => Err(format!("`{other}` is not a mode; use plan, ask, edit or unrestricted")),
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The decision about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It may run; says by what.
    Allow(String),
    /// A person must decide; says why.
    Ask(String),
    /// It may not run; says why.
    Deny(String),
}

/// What the policy knows.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    /// The mode.
    pub mode: Mode,
    /// The rules, in no particular order: deny wins over ask, ask over allow.
    pub rules: Vec<Rule>,
    /// Exact actions granted for the session, as [`fingerprint`]s.
    pub granted: BTreeSet<String>,
}

/// One spelling for one exact action: what a grant for the session is bound to.
pub fn fingerprint(tool: &str, arguments: &Arguments) -> String {
    format!("{tool} {}", arguments.canonical())
}

impl Policy {
    /// Decides about a validated call.
    ///
    /// Deny rules come first and always hold. `plan` then refuses whatever does not only read. What was granted
    /// for the session, or is allowed by a rule, runs. A path outside the workspace needs a rule that names it.
    pub fn evaluate(&self, tool: &ToolSpec, arguments: &Arguments, found: &Preparation) -> Verdict {
        let matching =
            |kind: RuleKind| self.rules.iter().find(|r| r.kind == kind && r.matches(tool, arguments));
        if let Some(rule) = matching(RuleKind::Deny) {
            return Verdict::Deny(format!("rule {rule} denies it"));
        }
        if self.mode == Mode::Plan && tool.effect != SideEffect::Reads {
            return Verdict::Deny("plan mode only reads; switch the mode to change or run things".to_owned());
        }
        if self.granted.contains(&fingerprint(&tool.name, arguments)) {
            return Verdict::Allow("allowed for this session".to_owned());
        }
        if self.mode == Mode::Unrestricted {
            return Verdict::Allow("unrestricted mode".to_owned());
        }
        if let Some(rule) = matching(RuleKind::Ask) {
            return Verdict::Ask(format!("rule {rule} asks"));
        }
        let allowing = matching(RuleKind::Allow);
        if let Some(path) = found.outside.first() {
            return match allowing.filter(|r| r.pattern.is_some()) {
                Some(rule) => Verdict::Allow(format!("rule {rule}")),
                None => Verdict::Ask(format!("leaves the workspace: {path}")),
            };
        }
        match (allowing, tool.effect, self.mode) {
            (Some(rule), _, _) => Verdict::Allow(format!("rule {rule}")),
            (None, SideEffect::Reads, _) => Verdict::Allow("reads in the workspace".to_owned()),
            (None, SideEffect::Writes, Mode::Edit) => Verdict::Allow("edit mode".to_owned()),
            (None, SideEffect::Writes | SideEffect::Runs, _) => Verdict::Ask("no rule covers it".to_owned()),
        }
    }
}
