//! docs/REQUIREMENTS.md names what is there: every clause, every file, every item, every test.

use std::collections::BTreeSet;

use crate::page::{Row, hold_places, hold_proofs};

const PAGE: &str = include_str!("../../docs/REQUIREMENTS.md");
/// How many clauses each of the five documents has.
const CLAUSES: [usize; 5] = [22, 39, 82, 69, 24];

fn rows() -> Vec<Row> {
    crate::page::rows(PAGE, "source")
}

#[test]
fn every_place_is_there() {
    hold_places(rows());
}

#[test]
fn every_clause_is_held_by_tests_that_are_there() {
    hold_proofs(rows(), &["none: "]);
}

#[test]
fn every_clause_of_the_five_documents_is_there_once() {
    let named: Vec<String> = rows().iter().map(|row| row.clause.to_owned()).collect();
    let expected = CLAUSES
        .into_iter()
        .zip(1..)
        .flat_map(|(clauses, document)| (1..=clauses).map(move |clause| format!("{document}.{clause}")));
    let expected: BTreeSet<String> = expected.collect();
    assert_eq!(named.iter().cloned().collect::<BTreeSet<_>>(), expected);
    assert_eq!(named.len(), expected.len(), "a clause stands twice");
}
