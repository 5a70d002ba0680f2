//! The tables of docs/ENDINGS.md, held to the code: names, codes, sentences, turns and files.

use std::fs;

use countersign::budget::{Bound, Limit};
use countersign::config::exit::Exit;
use countersign::ledger::{Ending, Transition};

const PAGE: &str = include_str!("../../docs/ENDINGS.md");
/// Names of the design that nothing writes so far.
const NONE: &str = "none yet";

/// The cells of the table under a heading, without its head.
fn table(heading: &str) -> Vec<Vec<&'static str>> {
    let begin = format!("## {heading}\n");
    let section = PAGE.split_once(&begin).unwrap().1;
    let section = section.split("\n## ").next().unwrap();
    let lines = section.lines().filter(|line| line.starts_with('|')).skip(2);
    lines.map(|line| line.trim_matches('|').split('|').map(str::trim).collect()).collect()
}

fn name(cell: &str) -> &str {
    cell.trim_matches('`')
}

/// The source without comments, without its own tests.
fn code(path: &str) -> String {
    let text = fs::read_to_string(path).unwrap_or_else(|why| panic!("{path}: {why}"));
    let code = text.split("#[cfg(test)]").next().unwrap();
    code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// All of the loop but the fold that only reads what was written.
fn the_loop() -> Vec<(String, String)> {
    let files =
        fs::read_dir("src/core/agent").unwrap().map(|file| file.unwrap().path().display().to_string());
    files.filter(|path| !path.ends_with("guards.rs")).map(|path| (path.clone(), code(&path))).collect()
}

/// Each file that the cell names speaks of the variant; of what no file writes, none does.
fn check_files(cell: &str, variant: &str) {
    if cell == NONE {
        let speak: Vec<String> =
            the_loop().into_iter().filter(|(_, code)| code.contains(variant)).map(|(path, _)| path).collect();
        assert!(speak.is_empty(), "{variant} is written now, in {speak:?}: say when in docs/ENDINGS.md");
        return;
    }
    for path in cell.split_whitespace().map(name) {
        assert!(code(path).contains(variant), "{path} does not write {variant}");
    }
}

#[test]
fn every_ending_has_its_row_and_the_row_is_true() {
    let rows = table("Endings");
    let names: Vec<&str> = rows.iter().map(|row| name(row[0])).collect();
    assert_eq!(
        names,
        Ending::ALL.iter().map(|one| one.as_str()).collect::<Vec<_>>(),
        "one row for each ending, in the order of the code"
    );
    for (ending, row) in Ending::ALL.iter().copied().zip(rows) {
        let [_, trigger, status, completed, code, next, files] = row.as_slice() else {
            panic!("{ending:?} has {} cells", row.len())
        };
        assert!(trigger.ends_with('.'), "{ending:?} says when");
        assert_eq!(*status, if ending.completed() { "completed" } else { "stopped" }, "{ending:?}");
        assert_eq!(*completed, ending.completed().to_string(), "{ending:?}");
        assert_eq!(*code, Exit::from(ending).code().to_string(), "{ending:?}");
        assert_eq!(*next, ending.next_safe_action(), "{ending:?}");
        check_files(files, &format!("Ending::{ending:?}"));
    }
}

#[test]
fn every_transition_has_its_row_and_the_row_is_true() {
    let rows = table("Transitions");
    let names: Vec<&str> = rows.iter().map(|row| name(row[0])).collect();
    assert_eq!(
        names,
        Transition::ALL.iter().map(|one| one.as_str()).collect::<Vec<_>>(),
        "one row for each, in the order of the code"
    );
    for (transition, row) in Transition::ALL.iter().copied().zip(rows) {
        let [_, when, turn, bound, files] = row.as_slice() else {
            panic!("{transition:?} has {} cells", row.len())
        };
        assert!(when.ends_with('.') && !bound.is_empty(), "{transition:?} says when, and what bounds it");
        assert_eq!(*turn, if transition.is_a_turn() { "yes" } else { "no" }, "{transition:?}");
        assert_eq!(*files == NONE, *bound == NONE, "{transition:?} has a bound as soon as it is written");
        check_files(files, &format!("Transition::{transition:?}"));
    }
}

/// The numbers of the page are those of the code and the configuration.
#[test]
fn the_bounds_on_the_page_are_the_defaults() {
    let settings = countersign::config::Config::default();
    let bounds: String =
        table("Transitions").iter().map(|row| row[3].to_owned() + "; " + row[1] + "\n").collect();
    for wanted in [
        format!("`max_model_turns` ({})", settings.limits.get(Limit::Turns).unwrap()),
        format!("`max_tool_calls` ({})", settings.limits.get(Limit::ToolCalls).unwrap()),
        format!("`max_consecutive_failures` ({})", settings.max_consecutive_failures),
        format!("`max_retries_per_model_call` ({})", settings.limits.bound(Bound::ModelRetries)),
        format!("`token_budget_enough_percent` ({})", settings.enough_percent),
        format!("`compact_at_percent` ({})", settings.compact_at_percent),
    ] {
        assert!(bounds.contains(&wanted), "{wanted}");
    }
    for (path, constant) in [
        ("src/core/agent/answer.rs", "MOST_CONTINUATIONS: u32 = 3;"),
        ("src/core/agent/answer.rs", "MOST_PAUSES: u32 = 8;"),
        ("src/core/agent/goal.rs", "MOST_IDLE_CHECKS: u32 = 3;"),
        ("src/core/agent/hooking.rs", "MOST_REENTRIES: u32 = 8;"),
        ("src/core/agent/recovery.rs", "LONGEST_ASKED_MS: u64 = 120_000;"),
    ] {
        assert!(code(path).contains(constant), "{path}: {constant}");
    }
}
