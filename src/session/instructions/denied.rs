//! Files that rules deny to the model, or the sandbox hides: instructions do not bring them either.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::config::Invocation;
use crate::ledger::Arguments;
use crate::policy::{Mode, Policy, Rule, RuleKind, Verdict};
use crate::runtime::{names_of, tool_specs};
use crate::tool::name::READ;
use crate::tool::{Preparation, Territory};

/// What the deny rules of a session say of reading, and what the configuration hides.
#[derive(Debug, Clone)]
pub(crate) struct DeniedFiles {
    /// The session's folder, from which rules name paths; its links are resolved.
    top: PathBuf,
    /// Its absolute names.
    folders: Vec<String>,
    policy: Policy,
    /// Hidden places; links are resolved.
    hidden: Vec<PathBuf>,
}

impl DeniedFiles {
    /// Of a session that is started so.
    pub(crate) fn of_session(invocation: &Invocation) -> Self {
        let Invocation { cwd, environment, config, .. } = invocation;
        let home = environment.home();
        let place = |text: &String| {
            let place = match (text.strip_prefix("~/"), &home) {
                (Some(below), Some(home)) => home.join(below),
                _ => PathBuf::from(text),
            };
            place.canonicalize().unwrap_or(place)
        };
        Self { hidden: config.sandbox.hidden.iter().map(place).collect(), ..Self::of(cwd, &config.rules()) }
    }

    /// By the deny rules among these.
    pub(crate) fn of(cwd: &Path, rules: &[Rule]) -> Self {
        let top = cwd.canonicalize().unwrap_or_else(|_| cwd.to_owned());
        let rules = rules.iter().filter(|rule| rule.kind == RuleKind::Deny).cloned().collect();
        let policy = Policy { mode: Mode::Ask, rules, ..Policy::default() };
        Self { top, folders: names_of(cwd), policy, hidden: Vec::new() }
    }

    #[cfg(test)]
    pub(super) fn none(cwd: &Path) -> Self {
        Self::of(cwd, &[])
    }

    #[cfg(test)]
    pub(super) fn hiding(self, place: PathBuf) -> Self {
        Self { hidden: vec![place], ..self }
    }

    /// Whether one of them denies reading this file, or it is hidden.
    pub(super) fn denies(&self, file: &Path) -> bool {
        if self.policy.rules.is_empty() && self.hidden.is_empty() {
            return false;
        }
        // What the path leads to is what is read.
        let Ok(real) = file.canonicalize() else { return true };
        if self.hidden.iter().any(|place| real.starts_with(place)) {
            return true;
        }
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
