//! `policy suggest`: the fewest narrow rules for what people always allowed. Writes nothing.

use std::collections::{BTreeMap, BTreeSet};

use super::args::RuleFlags;
use super::bench::PolicyBench;
use super::redecider::Redecider;
use crate::cli::outcome::{complain, say};
use crate::config::exit::Exit;
use crate::config::fault::{Fault, one_line};
use crate::policy::{Policy, Rule, Verdict, suggest};
use crate::session::other_sessions::first_words;
use crate::session::past_calls::{PastCall, WasDecided};
use crate::ui::text::counted;
use crate::view::summary;

/// Calls that are shown as evidence for a rule.
const MOST_SHOWN: usize = 3;
const MOST_WORDS: usize = 60;

/// A rule, and the calls that it would have answered.
struct Candidate {
    rule: Rule,
    covers: Vec<usize>,
}

pub(super) fn run(bench: &PolicyBench<'_>, over: Option<u32>, least: usize) -> Result<Exit, Fault> {
    let policy = bench.policy(&RuleFlags::default())?;
    let (calls, _, notes) = bench.past(over)?;
    for note in &notes {
        complain(&format!("note: {}", one_line(note)));
    }
    let calls = without_imported(calls);
    let mut redecider = Redecider::new(bench);
    let asked: Vec<usize> = (0..calls.len())
        .filter(|at| calls.get(*at).is_some_and(|call| call.was == WasDecided::AllowedByPerson))
        .filter(|at| {
            let decided = calls.get(*at).and_then(|call| redecider.decided(&policy, call));
            decided.is_some_and(|decided| matches!(decided.verdict, Verdict::Ask(_)))
        })
        .collect();
    let denied: Vec<&PastCall> = calls.iter().filter(|call| call.was == WasDecided::DeniedByPerson).collect();
    let mut candidates = candidates(&mut redecider, &policy, &calls, &asked);
    candidates.retain(|candidate| !allows_one(&mut redecider, &with(&policy, [&candidate.rule]), &denied));
    let mut chosen: Vec<Candidate> = Vec::new();
    for candidate in fewest(candidates, least) {
        // Each for itself may be harmless, and both together cover a line that was denied.
        let rules = chosen.iter().chain([&candidate]).map(|one| &one.rule);
        if !allows_one(&mut redecider, &with(&policy, rules), &denied) {
            chosen.push(candidate);
        }
    }
    if chosen.is_empty() {
        complain("note: no rule would have answered enough of the questions that you never denied");
        return Ok(Exit::Completed);
    }
    let was = |count: usize| if count == 1 { "was" } else { "were" };
    let mut told = vec![format!(
        "{} {} allowed by a person and would be asked about again; {} {} denied",
        counted(asked.len() as u64, "call"),
        was(asked.len()),
        denied.len(),
        was(denied.len())
    )];
    for candidate in &chosen {
        told.push(format!("{}  answers {} of them:", candidate.rule, candidate.covers.len()));
        for call in candidate.covers.iter().take(MOST_SHOWN).filter_map(|at| calls.get(*at)) {
            let shown = first_words(&summary(&call.arguments), MOST_WORDS);
            told.push(format!("    {shown}  {}/{}", call.session, call.entry));
        }
    }
    let rules: Vec<String> =
        chosen.iter().map(|candidate| serde_json::json!(candidate.rule.to_string()).to_string()).collect();
    told.push("To take them, add to your configuration (`countersign config path`):".to_owned());
    told.push(format!("allow = [{}]", rules.join(", ")));
    say(&told.iter().map(|line| format!("{line}\n")).collect::<String>())
}

/// The calls that were decided here. What a file from elsewhere says of a person is no word of the user.
fn without_imported(calls: Vec<PastCall>) -> Vec<PastCall> {
    let is_decided = |call: &&PastCall| {
        call.is_imported && matches!(call.was, WasDecided::AllowedByPerson | WasDecided::DeniedByPerson)
    };
    let sessions: BTreeSet<&str> =
        calls.iter().filter(is_decided).map(|call| call.session.as_str()).collect();
    if !sessions.is_empty() {
        complain(&format!(
            "note: the decisions that came with {} are not counted: nobody made them here",
            counted(sessions.len() as u64, "imported session")
        ));
    }
    calls.into_iter().filter(|call| !call.is_imported).collect()
}

/// The rule that would be offered at each of these calls, and which of them would not ask any more with it.
fn candidates(
    redecider: &mut Redecider<'_>,
    policy: &Policy,
    calls: &[PastCall],
    asked: &[usize],
) -> Vec<Candidate> {
    let mut by_text: BTreeMap<String, Rule> = BTreeMap::new();
    for call in asked.iter().filter_map(|at| calls.get(*at)) {
        let found = redecider.found(call);
        let offered =
            redecider.tool(&call.tool).and_then(|tool| suggest(&tool, &call.arguments, &found, &[]));
        if let Some(offered) = offered {
            by_text.insert(offered.rule.to_string(), offered.rule);
        }
    }
    let covered = |rule: Rule| {
        let with = with(policy, [&rule]);
        let is_covered = |at: &&usize| {
            let call = calls.get(**at);
            call.is_some_and(|call| matches(redecider, &rule, call) && allows(redecider, &with, call))
        };
        let covers = asked.iter().filter(is_covered).copied().collect();
        Candidate { rule, covers }
    };
    by_text.into_values().map(covered).collect()
}

fn with<'r>(policy: &Policy, rules: impl IntoIterator<Item = &'r Rule>) -> Policy {
    let mut with = policy.clone();
    with.rules.extend(rules.into_iter().cloned());
    with
}

fn allows(redecider: &mut Redecider<'_>, policy: &Policy, call: &PastCall) -> bool {
    let decided = redecider.decided(policy, call);
    decided.is_some_and(|decided| matches!(decided.verdict, Verdict::Allow(_) | Verdict::Sandbox(_)))
}

/// Whether a call that a person denied would run with this policy.
fn allows_one(redecider: &mut Redecider<'_>, policy: &Policy, denied: &[&PastCall]) -> bool {
    denied.iter().any(|call| allows(redecider, policy, call))
}

/// Whether the rule speaks of the call: asked first, as it costs less than a decision.
fn matches(redecider: &mut Redecider<'_>, rule: &Rule, call: &PastCall) -> bool {
    let found = redecider.found(call);
    redecider.tool(&call.tool).is_some_and(|tool| rule.matches(&tool, &call.arguments, &found))
}

/// Those that cover most come first; one that adds too little is left out.
fn fewest(mut candidates: Vec<Candidate>, least: usize) -> Vec<Candidate> {
    let mut chosen: Vec<Candidate> = Vec::new();
    loop {
        let is_new = |at: &usize| !chosen.iter().any(|one| one.covers.contains(at));
        candidates.iter_mut().for_each(|candidate| candidate.covers.retain(is_new));
        let best =
            (0..candidates.len()).max_by_key(|at| candidates.get(*at).map_or(0, |one| one.covers.len()));
        let Some(best) = best else { return chosen };
        let candidate = candidates.swap_remove(best);
        if candidate.covers.len() < least.max(1) {
            return chosen;
        }
        chosen.push(candidate);
    }
}
