//! Files that rules deny to the model: instructions do not bring them either.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::ledger::Arguments;
use crate::policy::{Mode, Policy, Rule, RuleKind, Verdict};
use crate::runtime::{names_of, tool_specs};
use crate::tool::name::READ;
use crate::tool::{Preparation, Territory};

/// What the deny rules of a session say of reading.
#[derive(Debug, Clone)]
pub(crate) struct DeniedFiles {
    /// The session's folder, from which rules name paths; its links are resolved.
    top: PathBuf,
    /// Its absolute names.
    folders: Vec<String>,
    policy: Policy,
}

impl DeniedFiles {
    /// By the deny rules among these.
    pub(crate) fn of(cwd: &Path, rules: &[Rule]) -> Self {
        let top = cwd.canonicalize().unwrap_or_else(|_| cwd.to_owned());
        let rules = rules.iter().filter(|rule| rule.kind == RuleKind::Deny).cloned().collect();
        Self { top, folders: names_of(cwd), policy: Policy { mode: Mode::Ask, rules, ..Policy::default() } }
    }

    #[cfg(test)]
    pub(super) fn none(cwd: &Path) -> Self {
        Self::of(cwd, &[])
    }

    /// Whether one of them denies reading this file.
    pub(super) fn denies(&self, file: &Path) -> bool {
        if self.policy.rules.is_empty() {
            return false;
        }
        // What the path leads to is what is read.
        let Ok(real) = file.canonicalize() else { return true };
        let (path, territory) = match real.strip_prefix(&self.top) {
            Ok(below) => (below.display().to_string(), Territory::Inside),
            Err(_) => (real.display().to_string(), Territory::Outside),
        };
        let specs = tool_specs();
        let Some(spec) = specs.iter().find(|spec| spec.name == READ) else { return true };
        let mut found = Preparation { folders: self.folders.clone(), ..Preparation::default() };
        found.leads(path.clone(), territory);
        let arguments = Map::from_iter([("path".to_owned(), Value::from(path))]);
        let decided = self.policy.decide(spec, &Arguments::Object(arguments), &found);
        matches!(decided.verdict, Verdict::Deny(_))
    }
}
