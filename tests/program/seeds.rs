//! docs/SEEDS.md names what is there: every file, every item, every test.

use crate::page::{Row, hold_places, hold_proofs};

const PAGE: &str = include_str!("../../docs/SEEDS.md");

fn rows() -> Vec<Row> {
    crate::page::rows(PAGE, "seed")
}

#[test]
fn every_place_is_there() {
    hold_places(rows());
}

#[test]
fn every_clause_is_held_by_tests_that_are_there() {
    hold_proofs(rows(), &["later: issue ", "none: "]);
}

#[test]
fn all_five_seeds_are_on_the_page() {
    let of = |seed: usize| rows().iter().filter(|row| row.clause.starts_with(&format!("{seed}."))).count();
    let counts: Vec<usize> = (1..=5).map(of).collect();
    assert!(counts.iter().all(|count| *count > 15), "{counts:?}");
    assert_eq!(counts.iter().sum::<usize>(), rows().len());
}
