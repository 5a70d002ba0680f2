//! docs/SEEDS.md names what is there: every file, every item, every test.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    missing_docs,
    reason = "tests"
)]

use std::fs;
use std::path::Path;

const PAGE: &str = include_str!("../docs/SEEDS.md");

struct Row {
    clause: &'static str,
    place: &'static str,
    proof: &'static str,
}

fn rows() -> Vec<Row> {
    let lines = PAGE.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| seed"));
    lines
        .map(|line| {
            let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
            let [clause, _, place, proof] = cells.as_slice() else { panic!("not four cells: {line}") };
            Row { clause, place, proof }
        })
        .collect()
}

/// What stands between backticks, as a path and the item in it.
fn names(cell: &str) -> Vec<(&str, Option<&str>)> {
    let quoted = cell.split('`').skip(1).step_by(2);
    quoted.map(|name| name.split_once("::").map_or((name, None), |(path, item)| (path, Some(item)))).collect()
}

fn is_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.split(|c| !is_part(c)).any(|found| found == word)
}

/// A function that the test harness runs: its attribute stands above it, or a macro of `proptest` around it.
fn is_test(text: &str, function: &str) -> bool {
    let opens = format!("fn {function}(");
    let lines: Vec<&str> = text.lines().collect();
    lines.iter().enumerate().any(|(at, line)| {
        line.contains(&opens)
            && lines[at.saturating_sub(4)..at].iter().any(|above| {
                let above = above.trim();
                above.starts_with("#[test]") || above.starts_with("#[tokio::test")
            })
    })
}

/// Why this test is not there; `None` when it is.
fn missing_test(path: &str, function: Option<&str>) -> Option<String> {
    let Ok(text) = fs::read_to_string(path) else { return Some(format!("there is no file {path}")) };
    let function = function?;
    (!is_test(&text, function)).then(|| format!("there is no test {function} in {path}"))
}

#[test]
fn every_place_is_there() {
    for Row { clause, place, .. } in rows() {
        let places = names(place);
        assert!(!places.is_empty(), "{clause} says where it lives");
        for (path, item) in places {
            assert!(Path::new(path).exists(), "{clause}: there is no {path}");
            if let Some(item) = item {
                assert!(is_word(&fs::read_to_string(path).unwrap(), item), "{clause}: no {item} in {path}");
            }
        }
    }
}

#[test]
fn every_clause_is_held_by_tests_that_are_there() {
    let mut wrong = Vec::new();
    for Row { clause, proof, .. } in rows() {
        if proof.starts_with("later: issue ") || proof.starts_with("none: ") {
            continue;
        }
        if names(proof).is_empty() {
            wrong.push(format!("{clause}: nothing holds it, and no reason is given"));
        }
        let missing = names(proof).into_iter().filter_map(|(path, test)| missing_test(path, test));
        wrong.extend(missing.map(|why| format!("{clause}: {why}")));
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn all_five_seeds_are_on_the_page() {
    let of = |seed: usize| rows().iter().filter(|row| row.clause.starts_with(&format!("{seed}."))).count();
    let counts: Vec<usize> = (1..=5).map(of).collect();
    assert!(counts.iter().all(|count| *count > 15), "{counts:?}");
    assert_eq!(counts.iter().sum::<usize>(), rows().len());
}
