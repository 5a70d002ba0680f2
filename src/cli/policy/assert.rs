//! `policy assert`: the decisions that a team expects, as a test.

use std::io::Read as _;
use std::path::Path;

use serde::Deserialize;

use super::args::RuleFlags;
use super::bench::{PolicyBench, call_on};
use crate::cli::outcome::say;
use crate::config::exit::Exit;
use crate::config::fault::{Fault, one_line};
use crate::policy::{Mode, Policy, Verdict};
use crate::runtime::store::open_plain;
use crate::tool::name::SHELL;

/// Most bytes of a file of cases.
const MOST_BYTES: u64 = 1024 * 1024;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cases {
    #[serde(default = "yes")]
    sandbox: bool,
    #[serde(default)]
    case: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    line: Option<String>,
    tool: Option<String>,
    on: Option<String>,
    mode: Option<String>,
    expect: String,
}

fn yes() -> bool {
    true
}

pub(super) fn run(bench: &PolicyBench<'_>, file: &Path, rules: &RuleFlags) -> Result<Exit, Fault> {
    let path = bench.cwd.join(file);
    let shown = file.display();
    let mut text = String::new();
    open_plain(&path)
        .and_then(|open| open.take(MOST_BYTES).read_to_string(&mut text))
        .map_err(|why| Fault::usage(format!("{shown} cannot be read: {why}"), "name a TOML file of cases"))?;
    let cases: Cases = toml::from_str(&text).map_err(|why| {
        Fault::usage(
            format!("{shown}: {}", one_line(why.message())),
            "see `countersign policy assert --help`",
        )
    })?;
    let policy = Policy { has_sandbox: cases.sandbox, ..bench.policy(rules)? };
    let mut told = Vec::new();
    for (number, case) in cases.case.iter().enumerate() {
        told.extend(differs(bench, &policy, case).map_err(|fault| Fault {
            message: format!("{shown}: case {}: {}", number + 1, fault.message),
            ..fault
        })?);
    }
    let (count, wrong) = (cases.case.len(), told.len());
    if count == 0 {
        return Err(Fault::usage(format!("{shown} has no cases"), "see `countersign policy assert --help`"));
    }
    told.push(match wrong {
        0 => format!("all {count} decisions are as expected"),
        _ => format!("{wrong} of {count} decisions are not as expected"),
    });
    say(&told.iter().map(|line| one_line(line) + "\n").collect::<String>())?;
    Ok(if wrong == 0 { Exit::Completed } else { Exit::Failed })
}

/// What is not as expected, if it is not.
fn differs(bench: &PolicyBench<'_>, policy: &Policy, case: &Case) -> Result<Option<String>, Fault> {
    let see = "see `countersign policy assert --help`";
    let (tool, on) = match (&case.line, &case.tool, &case.on) {
        (Some(line), None, None) => (SHELL, line.as_str()),
        (None, Some(tool), Some(on)) => (tool.as_str(), on.as_str()),
        _ => return Err(Fault::usage("it needs either `line`, or `tool` and `on`", see)),
    };
    if !Verdict::WORDS.contains(&case.expect.as_str()) {
        return Err(Fault::usage(format!("`{}` is not a decision", case.expect), see));
    }
    let mode = match &case.mode {
        Some(mode) => Mode::parse(mode).map_err(|why| Fault::usage(why, see))?,
        None => policy.mode,
    };
    let policy = Policy { mode, ..policy.clone() };
    let (spec, arguments) = call_on(tool, on)?;
    let found = bench.places(&bench.cwd).look(tool, &arguments, None);
    let decided = policy.decide(&spec, &arguments, &found);
    let came = decided.verdict.as_str();
    Ok((came != case.expect).then(|| {
        format!("{tool} {on} (mode {mode}): expected {}, is {came}: {}", case.expect, decided.verdict.why())
    }))
}
