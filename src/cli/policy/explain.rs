//! `policy explain`: one call, each of its parts, and why.

use serde_json::{Value, json};

use super::args::RuleFlags;
use super::bench::{PolicyBench, call_on};
use crate::cli::outcome::say;
use crate::config::exit::Exit;
use crate::config::fault::{Fault, one_line};
use crate::policy::{Explanation, RuleKind, Verdict};
use crate::runtime::PastPlaces;
use crate::ui::text::{sanitize, width};
use crate::wire::record;

/// Widest column of the parts.
const WIDEST: usize = 48;

pub(super) fn run(
    bench: &PolicyBench<'_>,
    line: &str,
    tool: &str,
    rules: &RuleFlags,
    json: bool,
) -> Result<Exit, Fault> {
    let policy = bench.policy(rules)?;
    let (spec, arguments) = call_on(tool, line)?;
    let sandbox = bench.sandbox()?;
    let places = PastPlaces::now(&bench.cwd, bench.environment.home(), &sandbox);
    let found = places.look(tool, &arguments, None);
    let explained = policy.explain(&spec, &arguments, &found);
    if json {
        return say(&format!("{}\n", record::line(&as_json(&explained))));
    }
    let mut told = vec![format!("{} (mode {})", headline(&explained.decided.verdict), policy.mode)];
    if let Some(why) = &explained.unreadable {
        told.push(format!("The line cannot be read with certainty: {why}"));
    }
    if matches!(explained.decided.verdict, Verdict::Sandbox(_)) {
        let gaps = sandbox.exposure().gaps;
        told.extend(gaps.iter().map(|gap| {
            format!("It asks you first, unless you have accepted that the sandbox cannot hide this: {gap}")
        }));
    }
    let only_looks = !explained.parts.is_empty() && explained.parts.iter().all(|part| part.is_covered);
    if only_looks && !policy.looking_is_free && matches!(explained.decided.verdict, Verdict::Ask(_)) {
        told.push(
            "Lines that only look run in the sandbox unasked with tools.sandbox.reads = true".to_owned(),
        );
    }
    let shown: Vec<String> = explained.parts.iter().map(|part| clean(&part.part.text)).collect();
    let widest = shown.iter().map(|text| width(text)).max().unwrap_or(0).min(WIDEST);
    for (part, text) in explained.parts.iter().zip(shown) {
        let space = " ".repeat(widest.saturating_sub(width(&text)));
        // Where a rule may deny, a person is asked.
        let is_denied = part.rule.as_ref().is_some_and(|rule| rule.kind == RuleKind::Deny)
            && matches!(explained.decided.verdict, Verdict::Deny(_));
        let sign = if part.is_covered {
            "\u{2713}"
        } else if is_denied {
            "\u{2717}"
        } else {
            "?"
        };
        let effect = part.part.does();
        told.push(format!("  {sign} {text}{space}  {effect:<19}  {}", clean(&part.why)));
    }
    say(&told.iter().map(|line| format!("{line}\n")).collect::<String>())
}

fn clean(text: &str) -> String {
    sanitize(&one_line(text)).into_owned()
}

fn headline(verdict: &Verdict) -> String {
    let why = clean(verdict.why());
    match verdict {
        Verdict::Allow(_) => format!("Runs: {why}"),
        Verdict::Sandbox(_) => format!("Runs in the sandbox: {why}"),
        Verdict::Ask(_) => format!("Asks you: {why}"),
        Verdict::Deny(_) => format!("Refused: {why}"),
    }
}

fn as_json(explained: &Explanation) -> Value {
    let decided = &explained.decided;
    let parts: Vec<Value> = explained
        .parts
        .iter()
        .map(|part| {
            json!({
                "text": part.part.text,
                "effect": part.part.effect.as_str(),
                "covered": part.is_covered,
                "why": part.why,
                "rule": part.rule.as_ref().map(ToString::to_string),
                "origin": part.rule.as_ref().map(|rule| rule.origin.to_string()),
            })
        })
        .collect();
    json!({
        "decision": decided.verdict.as_str(),
        "why": decided.verdict.why(),
        "rule": decided.rule.as_ref().map(ToString::to_string),
        "origin": decided.rule.as_ref().map(|rule| rule.origin.to_string()),
        "effect": decided.effect.as_str(),
        "parts": parts,
        "unreadable": explained.unreadable,
    })
}
