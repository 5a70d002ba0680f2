//! `policy`: what the rules would do with a line, with past calls, or with the cases of a file. Nothing is run or written.

pub mod args;
mod assert;
mod explain;
mod suggest;
mod test;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value};

use crate::config::environment::Environment;
use crate::config::exit::Exit;
use crate::config::fault::Fault;
use crate::config::{self, Config, Invocation};
use crate::ledger::{Arguments, Millis, Mode};
use crate::policy::{Decided, Policy};
use crate::runtime::sandbox::{Sandbox, support};
use crate::runtime::{PastPlaces, tool_specs};
use crate::session::compose::state_of;
use crate::session::past_calls::{PastCall, past_calls};
use crate::session::sandbox::sandbox;
use crate::tool::{ToolKind, ToolSpec};
use args::{PolicyArgs, PolicyVerb, RuleFlags};

/// Milliseconds of a day.
const DAY: u64 = 86_400_000;

/// Does what was asked for.
///
/// # Errors
/// A configuration, a rule or a file that cannot be read.
pub(super) fn run(words: &PolicyArgs, cd: Option<&Path>, environment: &Environment) -> Result<Exit, Fault> {
    let cwd = super::folder(words.cd.as_deref().or(cd))?;
    let bench = PolicyBench { cwd, environment };
    match &words.verb {
        PolicyVerb::Explain { line, tool, rules, json } => explain::run(&bench, line, tool, rules, *json),
        PolicyVerb::Test { over, rules, json } => test::run(&bench, *over, rules, *json),
        PolicyVerb::Suggest { over, least } => suggest::run(&bench, *over, *least),
        PolicyVerb::Assert { file, rules } => assert::run(&bench, file, rules),
    }
}

/// Where rules are tried.
struct PolicyBench<'a> {
    cwd: PathBuf,
    environment: &'a Environment,
}

impl PolicyBench<'_> {
    /// The policy of the configuration in this folder, with these rules over it.
    fn policy(&self, rules: &RuleFlags) -> Result<Policy, Fault> {
        let config = config::load(&self.cwd, self.environment, &rules.flags().given())?;
        Ok(policy_of(&config))
    }

    /// The sandbox of sessions in this folder.
    fn sandbox(&self) -> Result<Sandbox, Fault> {
        let config = config::load(&self.cwd, self.environment, &[])?;
        Ok(sandbox(&Invocation::new(self.cwd.clone(), self.environment.clone(), config)))
    }

    /// The calls of the last days.
    fn past(&self, over: Option<u32>) -> Result<(Vec<PastCall>, usize, Vec<String>), Fault> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        let now = u64::try_from(now).unwrap_or(u64::MAX);
        let since = over.map(|days| Millis(now.saturating_sub(u64::from(days) * DAY)));
        Ok(past_calls(&state_of(self.environment)?, since))
    }

    /// Where paths in a folder lead as they are written.
    fn places(&self, folder: &Path) -> PastPlaces {
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

/// A policy for past calls: each is decided in the mode of its time, unless one is given.
struct PastPolicy {
    given: Mode,
    has_mode: bool,
    by_mode: BTreeMap<Mode, Policy>,
}

impl PastPolicy {
    fn new(bench: &PolicyBench<'_>, rules: &RuleFlags) -> Result<Self, Fault> {
        let (given, has_mode) = (bench.policy(rules)?, rules.mode.is_some());
        let in_mode = |mode: &Mode| (*mode, Policy { mode: *mode, ..given.clone() });
        Ok(Self { given: given.mode, has_mode, by_mode: Mode::ALL.iter().map(in_mode).collect() })
    }

    /// The one for a call. Of calls of earlier programs no mode is known: they are decided in that of the configuration.
    fn of(&self, call: &PastCall) -> Option<&Policy> {
        self.by_mode.get(&call.mode.filter(|_| !self.has_mode).unwrap_or(self.given))
    }

    /// The modes in which these calls are decided, in words.
    fn modes(&self, calls: &[PastCall]) -> String {
        let modes: BTreeSet<Mode> = calls.iter().filter_map(|call| Some(self.of(call)?.mode)).collect();
        let names: Vec<&str> = modes.iter().map(|mode| mode.as_str()).collect();
        let word = if names.len() == 1 { "mode" } else { "modes" };
        format!("{word} {}", names.join(", "))
    }
}

/// Decides about past calls; what is the same for all of them is made once.
struct Redecider<'a> {
    bench: &'a PolicyBench<'a>,
    specs: Vec<ToolSpec>,
    places: BTreeMap<String, PastPlaces>,
}

impl<'a> Redecider<'a> {
    fn new(bench: &'a PolicyBench<'a>) -> Self {
        Self { bench, specs: tool_specs(), places: BTreeMap::new() }
    }

    /// The tool as it is now; `None`: a person answers it, so there is nothing to decide.
    fn tool(&self, name: &str) -> Option<Cow<'_, ToolSpec>> {
        let known = self.specs.iter().find(|spec| spec.name == name);
        let spec = known.map_or_else(|| Cow::Owned(ToolSpec::from_elsewhere(name)), Cow::Borrowed);
        (spec.kind != ToolKind::Question).then_some(spec)
    }

    fn decided(&mut self, policy: &Policy, call: &PastCall) -> Option<Decided> {
        self.each_decides([policy], call).map(|[decided]| decided)
    }

    /// What each of these policies decides.
    fn each_decides<const N: usize>(
        &mut self,
        policies: [&Policy; N],
        call: &PastCall,
    ) -> Option<[Decided; N]> {
        let found = self.found(call);
        let tool = self.tool(&call.tool)?;
        Some(policies.map(|policy| policy.decide(&tool, &call.arguments, &found)))
    }

    fn found(&mut self, call: &PastCall) -> crate::tool::Preparation {
        let bench = self.bench;
        let places =
            self.places.entry(call.cwd.clone()).or_insert_with(|| bench.places(Path::new(&call.cwd)));
        places.look(&call.tool, &call.arguments, call.leads_to.as_deref())
    }
}

/// A tool, and arguments in which its main member says `on`.
fn call_on(name: &str, on: &str) -> Result<(ToolSpec, Arguments), Fault> {
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
