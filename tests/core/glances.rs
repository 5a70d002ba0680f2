//! What a line says at a glance is what it says when all of it is read.

use countersign::ledger::{Entry, EntryId, Millis};
use countersign::wire::record::{Chain, Salt, encode, glance};
use proptest::prelude::*;

use crate::entries::body;

/// The line of this entry in a session file, with its hashes.
fn line(body: countersign::ledger::Body) -> String {
    let entry = Entry { id: EntryId(7), at: Millis(1_763_679_241_120), body };
    let mut salt = || -> Salt { [7; 16] };
    Chain::default().line(encode(&entry), &mut salt) + "\n"
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn the_words_are_the_same_wherever_they_are_taken_from(body in body()) {
        let line = line(body);
        // Only a line that ends as we write it is not read whole.
        let whole = glance(line.trim_end().as_bytes());
        prop_assert_eq!(glance(line.as_bytes()), whole, "{}", line);
    }

    #[test]
    fn a_line_that_is_torn_says_nothing(body in body(), at in any::<prop::sample::Index>()) {
        let line = line(body);
        let torn = &line.as_bytes()[..at.index(line.len() - 2)];
        prop_assert_eq!(glance(torn), None);
    }
}
