//! Tables of documentation that name files, items and tests: what is named must be there.

use std::fs;
use std::path::Path;

/// One line of a table.
pub struct Row {
    pub clause: &'static str,
    pub place: &'static str,
    pub proof: &'static str,
}

/// The lines of all tables of a page, but for their heads, which begin with `head`.
pub fn rows(page: &'static str, head: &str) -> Vec<Row> {
    let head = format!("| {head}");
    let lines = page.lines().filter(|line| line.starts_with("| ") && !line.starts_with(&head));
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

/// Fails on a row whose file or item is not there.
pub fn hold_places(rows: Vec<Row>) {
    for Row { clause, place, .. } in rows {
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

/// Fails on a row that names a test that is not there, or none without one of these words before its reason.
pub fn hold_proofs(rows: Vec<Row>, excuses: &[&str]) {
    let mut wrong = Vec::new();
    for Row { clause, proof, .. } in rows {
        if excuses.iter().any(|excuse| proof.starts_with(excuse)) {
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
