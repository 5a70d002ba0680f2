//! `policy test`: past calls, decided again.

use std::collections::BTreeMap;

use serde_json::json;

use super::args::RuleFlags;
use super::bench::PolicyBench;
use super::redecider::{PastPolicy, Redecider};
use crate::cli::outcome::{complain, say};
use crate::config::exit::Exit;
use crate::config::fault::{Fault, one_line};
use crate::policy::{Decided, Verdict};
use crate::runtime::store::each;
use crate::session::other_sessions::first_words;
use crate::session::past_calls::{PastCall, WasDecided};
use crate::ui::text::counted;
use crate::view::summary;
use crate::wire::record;

/// Changed calls that a person is shown; the rest is counted.
const MOST_CHANGES: usize = 40;
/// Characters of a call that are shown.
const MOST_WORDS: usize = 60;

/// A call about which the two policies disagree.
struct Redecided<'c> {
    call: &'c PastCall,
    now: &'static str,
    then: Verdict,
}

pub(super) fn run(
    bench: &PolicyBench<'_>,
    over: Option<u32>,
    rules: &RuleFlags,
    json: bool,
) -> Result<Exit, Fault> {
    let as_it_is = PastPolicy::new(bench, &RuleFlags::default())?;
    let tried = PastPolicy::new(bench, rules)?;
    let (calls, sessions, notes) = bench.past(over)?;
    for note in &notes {
        complain(&format!("note: {}", one_line(note)));
    }
    let both = |redecider: &mut Option<_>, call: &PastCall| {
        let redecider = redecider.get_or_insert_with(|| Redecider::new(bench));
        redecider.each_decides([as_it_is.of(call)?, tried.of(call)?], call)
    };
    let all = each(&calls, both);
    let mut sums: BTreeMap<&str, (usize, usize)> =
        Verdict::WORDS.iter().map(|word| (*word, (0, 0))).collect();
    let (mut changes, mut against) = (Vec::new(), Vec::new());
    let (mut decided, mut imported) = (0, 0);
    for (call, [now, then]) in calls.iter().zip(all).filter_map(|(call, both)| Some((call, both?))) {
        decided += 1;
        imported += usize::from(call.is_imported);
        let (now, then_word) = (now.verdict.as_str(), then.verdict.as_str());
        if let Some(sum) = sums.get_mut(now) {
            sum.0 += 1;
        }
        if let Some(sum) = sums.get_mut(then_word) {
            sum.1 += 1;
        }
        if contradicts_a_person(call, &then) {
            against.push(Redecided { call, now, then: then.verdict.clone() });
        }
        if now != then_word {
            changes.push(Redecided { call, now, then: then.verdict });
        }
    }
    if json {
        let lines = changes.iter().map(|change| record::line(&as_json(change)));
        let sums = sums.iter().map(|(word, (now, then))| (*word, json!({ "now": now, "then": then })));
        let all = json!({
            "calls": decided,
            "imported": imported,
            "sessions": sessions,
            "decisions": sums.collect::<BTreeMap<_, _>>(),
            "changed": changes.len(),
            "against_people": against.len(),
        });
        return say(&lines.chain([record::line(&all)]).map(|line| line + "\n").collect::<String>());
    }
    if decided == 0 {
        complain("note: there are no past calls to decide about");
        return Ok(Exit::Completed);
    }
    let mut told = vec![format!("{}, {}", past(decided, imported, sessions), tried.modes(&calls))];
    told.push(format!("{:<8} {:>8} {:>8}", "", "now", "then"));
    told.extend(Verdict::WORDS.iter().filter_map(|word| {
        let (now, then) = sums.get(word)?;
        Some(format!("{word:<8} {now:>8} {then:>8}"))
    }));
    told.extend(listed("changed", &changes));
    told.extend(listed("against what a person decided", &against));
    say(&told.iter().map(|line| format!("{line}\n")).collect::<String>())
}

/// Whether this is not what a person decided.
fn contradicts_a_person(call: &PastCall, then: &Decided) -> bool {
    match call.was {
        _ if call.is_imported => false,
        WasDecided::DeniedByPerson => matches!(then.verdict, Verdict::Allow(_) | Verdict::Sandbox(_)),
        WasDecided::AllowedByPerson => matches!(then.verdict, Verdict::Deny(_)),
        _ => false,
    }
}

/// So many calls of so many sessions, and how many of the calls were made elsewhere: nobody here has decided about them.
fn past(calls: usize, imported: usize, sessions: usize) -> String {
    let made_elsewhere = match imported {
        0 => String::new(),
        _ => format!(" ({imported} of the calls imported)"),
    };
    let (calls, sessions) = (counted(calls as u64, "call"), counted(sessions as u64, "session"));
    format!("{calls} of {sessions}{made_elsewhere}")
}

fn listed(heading: &str, changes: &[Redecided<'_>]) -> Vec<String> {
    if changes.is_empty() {
        return Vec::new();
    }
    let mut told = vec![format!("{heading}: {}", changes.len())];
    told.extend(changes.iter().take(MOST_CHANGES).map(|change| {
        let Redecided { call, now, then } = change;
        let shown = first_words(&summary(&call.arguments), MOST_WORDS);
        format!(
            "  {now} \u{2192} {}  {} {shown}  {}/{}  {}",
            then.as_str(),
            call.tool,
            call.session,
            call.entry,
            one_line(then.why())
        )
    }));
    if let Some(more) = changes.len().checked_sub(MOST_CHANGES).filter(|more| *more > 0) {
        told.push(format!("  \u{2026} and {more} more; --json lists all"));
    }
    told
}

fn as_json(change: &Redecided<'_>) -> serde_json::Value {
    let Redecided { call, now, then } = change;
    json!({
        "session": call.session,
        "entry": call.entry.to_string(),
        "tool": call.tool,
        "arguments": call.arguments.to_value(),
        "was": was(call.was),
        "now": now,
        "then": then.as_str(),
        "why": then.why(),
    })
}

fn was(was: WasDecided) -> Option<&'static str> {
    match was {
        WasDecided::Open => None,
        WasDecided::Ran => Some("allowed by the rules"),
        WasDecided::RanConfined => Some("confined by the rules"),
        WasDecided::Refused => Some("refused by the rules"),
        WasDecided::AllowedByPerson => Some("allowed by a person"),
        WasDecided::DeniedByPerson => Some("denied by a person"),
    }
}
