//! Where rules are tried: a folder, its configuration, and the calls of the past.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value};

use super::args::RuleFlags;
use crate::config::environment::Environment;
use crate::config::fault::Fault;
use crate::config::{self, Config, Invocation};
use crate::ledger::{Arguments, Millis};
use crate::policy::Policy;
use crate::runtime::sandbox::{Sandbox, support};
use crate::runtime::{PastPlaces, tool_specs};
use crate::session::compose::state_of;
use crate::session::past_calls::{PastCall, past_calls};
use crate::session::sandbox::sandbox;
use crate::tool::{ToolKind, ToolSpec};

/// Milliseconds of a day.
const DAY: u64 = 86_400_000;

/// Where rules are tried.
pub(super) struct PolicyBench<'a> {
    pub(super) cwd: PathBuf,
    pub(super) environment: &'a Environment,
}

impl PolicyBench<'_> {
    /// The policy of the configuration in this folder, with these rules over it.
    pub(super) fn policy(&self, rules: &RuleFlags) -> Result<Policy, Fault> {
        let config = config::load(&self.cwd, self.environment, &rules.flags().given())?;
        Ok(policy_of(&config))
    }

    /// The sandbox of sessions in this folder.
    pub(super) fn sandbox(&self) -> Result<Sandbox, Fault> {
        let config = config::load(&self.cwd, self.environment, &[])?;
        Ok(sandbox(&Invocation::new(self.cwd.clone(), self.environment.clone(), config)))
    }

    /// The calls of the last days.
    pub(super) fn past(&self, over: Option<u32>) -> Result<(Vec<PastCall>, usize, Vec<String>), Fault> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        let now = u64::try_from(now).unwrap_or(u64::MAX);
        let since = over.map(|days| Millis(now.saturating_sub(u64::from(days) * DAY)));
        Ok(past_calls(&state_of(self.environment)?, since))
    }

    /// Where paths in a folder lead as they are written.
    pub(super) fn places(&self, folder: &Path) -> PastPlaces {
        PastPlaces::of(folder, self.environment.home())
    }
}

fn policy_of(config: &Config) -> Policy {
    Policy {
        mode: config.mode,
        rules: config.rules(),
        looking_is_free: config.sandbox.reads,
        has_sandbox: support().refuses(false).is_none(),
        ..Policy::default()
    }
}

/// A tool, and arguments in which its main member says `on`.
pub(super) fn call_on(name: &str, on: &str) -> Result<(ToolSpec, Arguments), Fault> {
    let specs = tool_specs();
    let tool = specs.into_iter().find(|spec| spec.name == name).ok_or_else(|| {
        Fault::usage(
            format!("there is no tool `{name}`"),
            "name a built-in tool, such as shell, write or fetch",
        )
    })?;
    let member = match tool.kind {
        ToolKind::Shell => "command",
        ToolKind::Fetch => "url",
        _ => "path",
    };
    let arguments = Map::from_iter([(member.to_owned(), Value::from(on))]);
    Ok((tool, Arguments::Object(arguments)))
}
