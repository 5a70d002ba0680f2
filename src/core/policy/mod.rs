//! May it happen: modes, rules and what the session has already granted.

mod copied;
mod cover;
mod decide;
mod effect;
mod elsewhere;
mod explain;
mod git_names;
mod guarded;
mod guessed;
mod held;
mod kept;
mod line;
mod line_part;
mod line_starts;
mod mention;
mod named;
mod options;
mod origin;
mod page;
mod part;
mod path;
mod place;
mod receipt;
mod registry;
mod rule;
mod secret_read;
mod sed_calls;
pub mod shell;
mod signs;
mod started;
mod suggest;
mod web;
mod wildcard;

use std::collections::BTreeSet;

use strum::{IntoStaticStr, VariantNames};

pub use copied::in_copy;
pub use effect::{UNKNOWN_EFFECT, is_known_to_send, of_line as effect_of_line};
pub use explain::{ExplainedPart, Explanation};
pub use guarded::{is_guarded, leaves_work_tree};
pub use held::{HeldReceipts, audit, audit_chained};
pub use kept::{KeptFiles, KeptPlace, in_words};
pub use line::opened;
pub use line_part::{LinePart, line_parts};
pub use origin::{Origin, Tier};
pub use page::{Page, page, server};
pub use path::one_reading;
pub use receipt::{Receipt, digest};
pub use registry::{Listed, Past, listing};
pub use rule::{BadRule, Rule, RuleKind};
pub use secret_read::{READS_SECRET, told_effects};
pub use suggest::{NoRule, Suggestion, suggest, why_none};
pub(crate) use wildcard::wildcard;

pub use crate::ledger::Mode;
use crate::ledger::{ApprovalRequest, Arguments};
use crate::tool::{Preparation, SideEffect, ToolSpec};

/// The decision about a call; each says why, in words.
#[derive(Debug, Clone, PartialEq, Eq, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum Verdict {
    /// It may run; says by what.
    Allow(String),
    /// It may run in the sandbox; says by what.
    Sandbox(String),
    /// A person must decide; says why.
    Ask(String),
    /// It may not run; says why.
    Deny(String),
}

impl Verdict {
    /// All of them in a word each, the loosest first.
    pub const WORDS: &'static [&'static str] = Self::VARIANTS;

    /// In one word: "allow", "sandbox", "ask", "deny".
    pub fn as_str(&self) -> &'static str {
        self.into()
    }

    /// Why, in words.
    pub fn why(&self) -> &str {
        match self {
            Self::Allow(why) | Self::Sandbox(why) | Self::Ask(why) | Self::Deny(why) => why,
        }
    }
}

/// A verdict with what receipts and lists of rules need.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decided {
    /// May it run?
    pub verdict: Verdict,
    /// The rule that decided, if one did.
    pub rule: Option<Rule>,
    /// What the call does to the world.
    pub effect: SideEffect,
    /// Whether it asks for no other reason than that no rule covers it.
    pub is_usual: bool,
}

/// What the policy knows.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    /// The mode.
    pub mode: Mode,
    /// The rules, in no particular order; `decide.rs` says which wins.
    pub rules: Vec<Rule>,
    /// Exact actions granted for the session, as [`fingerprint`]s.
    pub granted: BTreeSet<String>,
    /// The same for what runs in the sandbox alone, whatever that cannot hide.
    pub granted_in_sandbox: BTreeSet<String>,
    /// Whether commands can be confined here.
    pub has_sandbox: bool,
    /// Whether a shell line that only looks, and only into the workspace, runs in the sandbox without a rule.
    pub looking_is_free: bool,
}

impl Policy {
    /// Whether commands may come to run in the sandbox.
    pub fn confines(&self) -> bool {
        let by_rule = || self.rules.iter().any(|rule| rule.kind == RuleKind::Sandbox);
        self.has_sandbox && (self.mode == Mode::Auto || self.looking_is_free || by_rule())
    }

    /// Whether this call can be confined when a person wants it.
    pub fn can_confine(&self, tool: &ToolSpec, arguments: &Arguments) -> bool {
        self.has_sandbox && line::command(tool, arguments).is_some()
    }
}

/// One spelling for one exact action: what a grant for the session is bound to.
pub fn fingerprint(tool: &str, arguments: &Arguments) -> String {
    format!("{tool} {}", arguments.canonical())
}

/// What a grant for the session is bound to: the exact action, and where its path leads, when that is not what is written.
/// A link that leads elsewhere later makes it another action.
pub fn grant(tool: &ToolSpec, arguments: &Arguments, found: &Preparation) -> String {
    let action = fingerprint(&tool.name, arguments);
    let is_as_written = found.leads_to.is_empty()
        || tool.paths.is_empty()
        || found.leads_to == Preparation::as_written(tool, arguments).leads_to;
    if is_as_written { action } else { format!("{action} -> {}", found.leads_to.join(" ")) }
}

/// The same as it is kept in the ledger: the request says where the path led. `None` where the action named several paths, of
/// which a request keeps the first: nobody knows where the others led, and it is asked about again.
pub fn grant_on_record(tool: Option<&ToolSpec>, request: &ApprovalRequest) -> Option<String> {
    let arguments = Arguments::from_value(request.arguments.clone());
    match (tool, &request.leads_to) {
        (Some(tool), Some(_)) if tool.paths.len() > 1 => None,
        (Some(tool), Some(to)) => {
            let found = Preparation { leads_to: vec![to.clone()], ..Preparation::default() };
            Some(grant(tool, &arguments, &found))
        }
        _ => Some(fingerprint(&request.name, &arguments)),
    }
}

/// What a call does to the world: for a shell line the worst of its parts, else what its tool does.
pub fn effect_of_call(tool: &ToolSpec, arguments: &Arguments) -> SideEffect {
    match line::command(tool, arguments) {
        Some(command) => effect::of_line(&shell::read(command)),
        None => tool.effect,
    }
}

/// All that a call does to the world, the worst first: for a shell line what each of its parts does, else what its tool does.
pub fn effects_of_call(tool: &ToolSpec, arguments: &Arguments) -> Vec<SideEffect> {
    match line::command(tool, arguments) {
        Some(command) => effect::all_of_line(&shell::read(command)),
        None => vec![tool.effect],
    }
}
