//! `docs/SECURITY.md` is held to the tests: what it names is there.

#[path = "../support/page.rs"]
mod table;

use std::collections::BTreeSet;

const PAGE: &str = include_str!("../../docs/SECURITY.md");

#[test]
fn what_the_page_promises_is_tried_by_a_test() {
    let rows = table::rows(PAGE, "promise");
    assert!(rows.len() > 20, "{} promises", rows.len());
    let promises: BTreeSet<&str> = rows.iter().map(|row| row.clause).collect();
    assert_eq!(promises.len(), rows.len(), "two rows promise the same");
    table::hold_proofs(rows, &["later:"]);
    table::hold_places(table::rows(PAGE, "promise"));
}
