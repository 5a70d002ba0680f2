//! Rules that a person wants kept beyond the session: what would be written, and the writing.

use std::path::PathBuf;

use crate::config::Invocation;
use crate::config::environment::Environment;
use crate::config::kept_rule::{RuleHome, keep, plan};
use crate::ledger::Scope;
use crate::ui::{Reply, RuleLines, RulePlan};

/// Writes rules into the configurations of a session.
#[derive(Debug, Clone)]
pub(crate) struct RuleKeeper {
    cwd: PathBuf,
    environment: Environment,
}

impl RuleKeeper {
    pub(super) fn new(invocation: &Invocation) -> Self {
        Self { cwd: invocation.cwd.clone(), environment: invocation.environment.clone() }
    }

    /// What would be written, in either place.
    pub(crate) fn plan(&self, rule: String) -> RulePlan {
        let lines = |home| {
            let change = plan(home, &rule, &self.cwd, &self.environment)?;
            Ok(RuleLines { file: self.environment.shown(&change.file), lines: change.lines })
        };
        RulePlan { project: lines(RuleHome::Project), everywhere: lines(RuleHome::Everywhere), rule }
    }

    /// Writes what was shown.
    pub(super) fn keep(&self, rule: &str, scope: Scope, shown: &str) -> Reply {
        let home = match scope {
            Scope::Project => RuleHome::Project,
            Scope::Everywhere => RuleHome::Everywhere,
            Scope::Once | Scope::Session => {
                debug_assert!(false, "{scope:?} is kept nowhere");
                tracing::error!("a rule for {} was to be kept", scope.as_str());
                return Reply::Refused(format!("{rule} holds for this session only"));
            }
        };
        match keep(home, rule, shown, &self.cwd, &self.environment) {
            Ok(change) => Reply::Done(format!("added {rule} to {}", self.environment.shown(&change.file))),
            Err(why) => Reply::Refused(format!("{rule} holds for this session only: {why}")),
        }
    }
}
