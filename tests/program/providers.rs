//! docs/PROVIDERS.md names what is there: every file, every item, every test.

use crate::page::{Row, hold_places, hold_proofs};

const PAGE: &str = include_str!("../../docs/PROVIDERS.md");

fn rows() -> Vec<Row> {
    crate::page::rows(PAGE, "rule")
}

#[test]
fn every_place_is_there() {
    hold_places(rows());
}

#[test]
fn every_rule_is_held_by_tests_that_are_there() {
    hold_proofs(rows(), &["later: ", "none: "]);
}

#[test]
fn every_section_is_on_the_page() {
    let has = |part: &str| rows().iter().any(|row| row.clause.starts_with(part));
    for part in [
        "0.", "A1", "A2", "A3", "A4", "B1", "B2", "B3", "C1", "C2", "C3", "D", "E1", "E2", "E3", "F1", "F2",
        "F3", "G",
    ] {
        assert!(has(part), "{part}");
    }
    for point in ["1.", "2.", "3.", "4.", "5.", "6.", "8.", "9.", "M.", "I."] {
        assert!(has(point), "{point}");
    }
}
