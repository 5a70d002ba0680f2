//! The rules in force, the calls of the session that they speak of, and the exact actions that were allowed for it.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::ledger::{ApprovalRequest, Arguments, Body, CallId, Change, Decider, Decision, Scope, grants};
use crate::policy::{
    Listed, NoRule, Origin, Past, Policy, Rule, RuleKind, Tier, Verdict, digest, listing, why_none,
};
use crate::tool::{Preparation, ToolSpec, delegate, mcp};

use super::{Panel, View, summary};

/// Most calls that a rule is tried on, the latest: a long session has thousands, and somebody waits for the list.
const MOST_PAST: usize = 500;

/// A call with its tool and what can be said of its path.
type Looked<'v> = (CallId, &'v Arguments, Cow<'v, ToolSpec>, Preparation);

/// An exact action that a person allowed for the rest of the session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Granted {
    /// The call with which it was allowed.
    pub call: CallId,
    /// Its tool: not yet safe for a screen.
    pub name: String,
    /// What it is called with: the whole command, else the line that tells its arguments ([`summary`]). Not yet safe for a
    /// screen.
    pub about: String,
    /// The last of the later calls that were this action and were allowed.
    pub last: Option<CallId>,
}

/// What is in force, as it stood when somebody asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Permissions {
    /// The rules, strictest first.
    pub rules: Vec<Listed>,
    /// The rules among them that were taken in this session, and the calls with which they were.
    pub taken: Vec<(CallId, String)>,
    /// Rules that were revoked for this session and were written to a file, each with how long it was to hold.
    pub kept_elsewhere: Vec<(String, Scope)>,
    /// The exact actions, in the order in which they were allowed.
    pub granted: Vec<Granted>,
    /// Hosts that the configuration opens to commands in the sandbox.
    pub configured_hosts: Vec<String>,
    /// Hosts that were opened to commands in the sandbox, in the order in which they were.
    pub hosts: Vec<String>,
    /// What the sandbox cannot hide and the user accepted.
    pub gaps: Vec<String>,
}

impl Permissions {
    /// What can be taken back, each with the call with which it was granted: the rules, then the exact actions. Not yet safe
    /// for a screen.
    pub fn revocable(&self) -> Vec<(CallId, String)> {
        let rules = self.taken.iter().map(|(call, rule)| (*call, format!("allow {rule}")));
        let actions = self.granted.iter().map(|one| (one.call, format!("{} {}", one.name, one.about)));
        rules.chain(actions).collect()
    }

    /// The call with which a rule of the session was taken.
    pub fn taken_with(&self, rule: &str) -> Option<CallId> {
        self.taken.iter().find(|(_, text)| text == rule).map(|(call, _)| *call)
    }
}

impl View {
    /// All rules, and the exact actions that were allowed for this session.
    pub fn permissions(&self) -> Permissions {
        let hosts = self.session.hosts.clone();
        let gaps = self.session.gaps.clone();
        let configured_hosts = self.settings.hosts.clone();
        let (rules, taken, granted) = (self.rules(), self.taken(), self.granted());
        let kept_elsewhere = self.kept_elsewhere(&taken);
        Permissions { rules, taken, kept_elsewhere, granted, configured_hosts, hosts, gaps }
    }

    /// The rules that a person had written to a file and then took back here: the file still has them, for other sessions.
    fn kept_elsewhere(&self, taken: &[(CallId, String)]) -> Vec<(String, Scope)> {
        let decisions = self.rows.iter().filter_map(|row| match &row.entry.body {
            Body::ApprovalDecided(decision) => Some(decision),
            _ => None,
        });
        let mut kept: Vec<(String, Scope)> = Vec::new();
        for decision in decisions.filter(|decision| decision.scope.is_kept()) {
            let Some(rule) = decision.taken() else { continue };
            let stands = taken.iter().any(|(_, text)| text == rule)
                || self
                    .settings
                    .rules
                    .iter()
                    .any(|read| read.kind == RuleKind::Allow && read.to_string() == rule);
            let one = (rule.to_owned(), decision.scope);
            if !stands && !kept.contains(&one) {
                kept.push(one);
            }
        }
        kept
    }

    /// All rules in force: those of the configuration, of the command line, and those that a person took in this
    /// session; strictest first.
    fn rules(&self) -> Vec<Listed> {
        let rules: Vec<Rule> = self.settings.rules.iter().cloned().chain(self.session_rules()).collect();
        let looked = self.looked(None);
        listing(&rules, &past(&looked))
    }

    /// The rule for which a call waits, if one asks: decided anew by the rules in force.
    pub fn asks_by(&self, request: &ApprovalRequest) -> Option<Rule> {
        let arguments = Arguments::from_value(request.arguments.clone());
        let tool = self.tool(&request.name)?;
        let mut found = self.as_written(&tool, &arguments);
        found.leads_to.extend(request.leads_to.clone());
        let rules = self.settings.rules.iter().cloned().chain(self.session_rules()).collect();
        let policy = Policy { mode: self.session.mode, rules, ..Policy::default() };
        let decided = policy.decide(&tool, &arguments, &found);
        decided.rule.filter(|_| matches!(decided.verdict, Verdict::Ask(_)))
    }

    /// Why no rule is offered for a call of this session that waits.
    pub fn why_no_rule(&self, request: &ApprovalRequest) -> NoRule {
        if let Some(rule) = self.asks_by(request) {
            return NoRule::Decided(rule.to_string());
        }
        let Some(tool) = self.tool(&request.name) else { return NoRule::Other };
        let arguments = Arguments::from_value(request.arguments.clone());
        let mut found = self.as_written(&tool, &arguments);
        found.leads_to.extend(request.leads_to.clone());
        why_none(&tool, &arguments, &found)
    }

    /// The earlier calls that a rule would have covered, oldest first; `before`: those before this call.
    pub fn covered(&self, rule: &str, before: CallId) -> Vec<CallId> {
        let Ok(rule) = Rule::parse(RuleKind::Allow, rule) else { return Vec::new() };
        let looked = self.looked(Some(before));
        let covered =
            past(&looked).into_iter().filter(|was| rule.matches(was.tool, was.arguments, was.found));
        covered.map(|was| was.call).collect()
    }

    /// The rules that a person took in this session and did not take back, each once.
    fn taken(&self) -> Vec<(CallId, String)> {
        self.taken_for().into_iter().map(|(call, rule, _)| (call, rule)).collect()
    }

    /// The same, each with how long it holds.
    fn taken_for(&self) -> Vec<(CallId, String, Scope)> {
        let mut taken: Vec<(CallId, String, Scope)> = Vec::new();
        for grant in grants(self.rows.iter().map(|row| row.entry.as_ref())) {
            if let Some(rule) = grant.rule.filter(|rule| !taken.iter().any(|(_, known, _)| known == rule)) {
                taken.push((grant.call, rule.to_owned(), grant.scope));
            }
        }
        taken
    }

    /// Those that a person took, each as a rule of the file that it was kept in. What was read from there by now is listed
    /// with its line.
    fn session_rules(&self) -> Vec<Rule> {
        let is_read = |rule: &Rule| {
            let mut read = self.settings.rules.iter();
            read.any(|known| known.kind == rule.kind && known.to_string() == rule.to_string())
        };
        let rules = self.taken_for().into_iter().filter_map(|(_, text, scope)| {
            let rule = Rule::parse(RuleKind::Allow, &text).ok()?;
            let tier = match scope {
                Scope::Everywhere => Tier::User,
                Scope::Project => Tier::Trusted,
                Scope::Once | Scope::Session => Tier::Session,
            };
            (tier == Tier::Session || !is_read(&rule)).then(|| rule.from(Origin::of(tier)))
        });
        rules.collect()
    }

    /// The exact actions that a person allowed for this session, each once. What was allowed is what was asked about, not
    /// what the model wrote: between the two a call can be changed.
    fn granted(&self) -> Vec<Granted> {
        let mut asked: BTreeMap<CallId, &ApprovalRequest> = BTreeMap::new();
        let mut granted: Vec<(String, Granted)> = Vec::new();
        // Of these a revocation takes the rule back, and no action.
        let mut rules: BTreeSet<CallId> = BTreeSet::new();
        let exactly = |request: &ApprovalRequest| {
            let arguments = Arguments::from_value(request.arguments.clone());
            (digest(&request.name, &arguments), arguments)
        };
        for row in &self.rows {
            match &row.entry.body {
                Body::ApprovalRequested(request) => {
                    asked.insert(request.call, request);
                }
                Body::ApprovalDecided(decision) if decision.taken().is_some() => {
                    rules.insert(decision.call);
                }
                Body::ApprovalDecided(decision) if decision.allow => {
                    let action = self.action(decision);
                    if let Some((_, known)) = granted.iter_mut().find(|(known, _)| *known == action) {
                        known.last = Some(decision.call);
                    } else if is_grant(decision)
                        && let Some(request) = asked.get(&decision.call)
                    {
                        let (digest, arguments) = exactly(request);
                        let (call, name, about) = (decision.call, request.name.clone(), about(&arguments));
                        granted.push((digest, Granted { call, name, about, last: None }));
                    }
                }
                Body::Change(Change::GrantRevoked { call }) if !rules.contains(call) => {
                    let revoked = asked.get(call).map(|request| exactly(request).0);
                    granted.retain(|(action, _)| Some(action) != revoked.as_ref());
                }
                Body::Change(Change::GrantRevoked { .. }) => {}
                _ => {}
            }
        }
        granted.into_iter().map(|(_, granted)| granted).collect()
    }

    /// The digest of what was decided about; decisions of older sessions do not carry it.
    fn action(&self, decision: &Decision) -> String {
        let written = || {
            let panel = self.panel(decision.call)?;
            Some(digest(panel.name(), panel.arguments()?))
        };
        if decision.digest.is_empty() { written().unwrap_or_default() } else { decision.digest.clone() }
    }

    /// What is known of a tool: of one from elsewhere, which may be gone since, its name.
    fn tool(&self, name: &str) -> Option<Cow<'_, ToolSpec>> {
        let ours = self.settings.tools.iter().find(|tool| tool.name == name).map(Cow::Borrowed);
        let is_from_elsewhere = mcp(name).is_some() || delegate(name).is_some();
        ours.or_else(|| is_from_elsewhere.then(|| Cow::Owned(ToolSpec::from_elsewhere(name))))
    }

    fn as_written(&self, tool: &ToolSpec, arguments: &Arguments) -> Preparation {
        let begun = self.rows.iter().find_map(|row| match &row.entry.body {
            Body::SessionStarted(began) => Some(began.cwd.clone()),
            _ => None,
        });
        Preparation { folders: begun.into_iter().collect(), ..Preparation::as_written(tool, arguments) }
    }

    /// The latest calls, in their order, as they were changed last.
    fn looked(&self, before: Option<CallId>) -> Vec<Looked<'_>> {
        let mut looked: Vec<Looked<'_>> = Vec::new();
        for row in self.rows.iter().rev() {
            let (Body::ToolCall(call) | Body::Validation(call)) = &row.entry.body else {
                // A command of the user's own was nobody's to allow.
                continue;
            };
            let is_late = before.is_some_and(|before| call.id >= before);
            if let Some(tool) = self.tool(&call.name).filter(|_| !is_late) {
                let changed = self.panel(call.id).and_then(Panel::arguments);
                let arguments = changed.unwrap_or(&call.arguments);
                let found = self.as_written(&tool, arguments);
                looked.push((call.id, arguments, tool, found));
            }
            if looked.len() == MOST_PAST {
                break;
            }
        }
        looked.reverse();
        looked
    }
}

/// A command is told whole, for two of them may differ in their second line alone.
fn about(arguments: &Arguments) -> String {
    arguments.text("command").map_or_else(|| summary(arguments), |command| format!("$ {command}"))
}

/// Whether a person allowed the exact action, and no rule, for the session.
fn is_grant(decision: &Decision) -> bool {
    decision.scope == Scope::Session && decision.by == Decider::User && decision.rule.is_none()
}

fn past<'a>(looked: &'a [Looked<'_>]) -> Vec<Past<'a>> {
    let past =
        looked.iter().map(|(call, arguments, tool, found)| Past { call: *call, tool, arguments, found });
    past.collect()
}
