//! Past calls, decided again with the rules that are tried.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::args::RuleFlags;
use super::bench::PolicyBench;
use crate::config::fault::Fault;
use crate::ledger::Mode;
use crate::policy::{Decided, Policy};
use crate::runtime::{PastPlaces, tool_specs};
use crate::session::past_calls::PastCall;
use crate::tool::{ToolKind, ToolSpec};

/// A policy for past calls: each is decided in the mode of its time, unless one is given.
pub(super) struct PastPolicy {
    given: Mode,
    has_mode: bool,
    by_mode: BTreeMap<Mode, Policy>,
}

impl PastPolicy {
    pub(super) fn new(bench: &PolicyBench<'_>, rules: &RuleFlags) -> Result<Self, Fault> {
        let (given, has_mode) = (bench.policy(rules)?, rules.mode.is_some());
        let in_mode = |mode: &Mode| (*mode, Policy { mode: *mode, ..given.clone() });
        Ok(Self { given: given.mode, has_mode, by_mode: Mode::ALL.iter().map(in_mode).collect() })
    }

    /// The one for a call. Of calls of earlier programs no mode is known: they are decided in that of the configuration.
    pub(super) fn of(&self, call: &PastCall) -> Option<&Policy> {
        self.by_mode.get(&call.mode.filter(|_| !self.has_mode).unwrap_or(self.given))
    }

    /// The modes in which these calls are decided, in words.
    pub(super) fn modes(&self, calls: &[PastCall]) -> String {
        let modes: BTreeSet<Mode> = calls.iter().filter_map(|call| Some(self.of(call)?.mode)).collect();
        let names: Vec<&str> = modes.iter().map(|mode| mode.as_str()).collect();
        let word = if names.len() == 1 { "mode" } else { "modes" };
        format!("{word} {}", names.join(", "))
    }
}

/// Decides about past calls; what is the same for all of them is made once.
pub(super) struct Redecider<'a> {
    bench: &'a PolicyBench<'a>,
    specs: Vec<ToolSpec>,
    places: BTreeMap<String, PastPlaces>,
}

impl<'a> Redecider<'a> {
    pub(super) fn new(bench: &'a PolicyBench<'a>) -> Self {
        Self { bench, specs: tool_specs(), places: BTreeMap::new() }
    }

    /// The tool as it is now; `None`: a person answers it, so there is nothing to decide.
    pub(super) fn tool(&self, name: &str) -> Option<Cow<'_, ToolSpec>> {
        let known = self.specs.iter().find(|spec| spec.name == name);
        let spec = known.map_or_else(|| Cow::Owned(ToolSpec::from_elsewhere(name)), Cow::Borrowed);
        (spec.kind != ToolKind::Question).then_some(spec)
    }

    pub(super) fn decided(&mut self, policy: &Policy, call: &PastCall) -> Option<Decided> {
        self.each_decides([policy], call).map(|[decided]| decided)
    }

    /// What each of these policies decides.
    pub(super) fn each_decides<const N: usize>(
        &mut self,
        policies: [&Policy; N],
        call: &PastCall,
    ) -> Option<[Decided; N]> {
        let found = self.found(call);
        let tool = self.tool(&call.tool)?;
        Some(policies.map(|policy| policy.decide(&tool, &call.arguments, &found)))
    }

    pub(super) fn found(&mut self, call: &PastCall) -> crate::tool::Preparation {
        let bench = self.bench;
        let places =
            self.places.entry(call.cwd.clone()).or_insert_with(|| bench.places(Path::new(&call.cwd)));
        places.look(&call.tool, &call.arguments, call.leads_to.as_deref())
    }
}
