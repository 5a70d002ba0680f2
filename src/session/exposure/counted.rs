//! Which requests count, and how many of any that follow each other went where: each span is answered without looking at all of it.

use std::collections::BTreeMap;
use std::ops::Range;

use super::reach::{Destination, Sending};
use super::reached::Reached;

/// Requests in their order, those that count told apart.
#[derive(Debug)]
pub(super) struct Counted<'s> {
    /// Whether each counts.
    pub(super) is_in: Vec<bool>,
    /// How many before each do not.
    others_before: Vec<usize>,
    /// Those that count, by where they went.
    by: BTreeMap<&'s Destination, Positions>,
}

#[derive(Debug, Default)]
struct Positions {
    at: Vec<usize>,
    /// How many of those before each had no answer.
    unanswered_before: Vec<u64>,
}

impl<'s> Counted<'s> {
    /// Of these, those that `counts` says.
    pub(super) fn of(sendings: &'s [Sending], mut counts: impl FnMut(&Sending) -> bool) -> Self {
        let mut counted = Self { is_in: Vec::new(), others_before: vec![0], by: BTreeMap::new() };
        let mut others = 0;
        for (at, sending) in sendings.iter().enumerate() {
            let is_in = counts(sending);
            counted.is_in.push(is_in);
            others += usize::from(!is_in);
            counted.others_before.push(others);
            if is_in {
                let there = counted.by.entry(&sending.to).or_default();
                let before = there.unanswered_before.last().copied().unwrap_or_default();
                if there.at.is_empty() {
                    there.unanswered_before.push(0);
                }
                there.at.push(at);
                there.unanswered_before.push(before + u64::from(!sending.is_answered));
            }
        }
        counted
    }

    /// Whether some of a span do not count.
    pub(super) fn has_others(&self, span: &Range<usize>) -> bool {
        self.others_before.get(span.start) != self.others_before.get(span.end)
    }

    /// Where those of a span went that count.
    pub(super) fn reached<'c>(
        &'c self,
        sendings: &'c [Sending],
        span: &'c Range<usize>,
    ) -> impl Iterator<Item = (&'s Destination, Reached)> + 'c {
        self.by.iter().filter_map(move |(to, there)| {
            let from = there.at.partition_point(|at| *at < span.start);
            let to_end = there.at.partition_point(|at| *at < span.end);
            let time = |position: usize| Some(sendings.get(*there.at.get(position)?)?.at);
            let (one, other) = (time(from)?, time(to_end.checked_sub(1).filter(|last| *last >= from)?)?);
            let unanswered =
                |position: usize| there.unanswered_before.get(position).copied().unwrap_or_default();
            let reached = Reached {
                first: one.min(other),
                last: one.max(other),
                count: (to_end - from) as u64,
                unanswered: unanswered(to_end) - unanswered(from),
                // A request has what its entries have.
                uncertain: 0,
            };
            Some((*to, reached))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::{EntryId, Millis, ModelRef};

    #[test]
    fn a_span_counts_as_its_requests_one_by_one_do() {
        let models = ["a/one", "b/two"].map(|name| Destination::Model(Some(ModelRef::parse(name))));
        let sending = |number: usize| Sending {
            to: models[usize::from(number.is_multiple_of(3))].clone(),
            entry: EntryId(number as u64),
            at: Millis(number as u64 * 10),
            is_answered: number % 4 != 1,
            is_certain: true,
        };
        let sendings: Vec<Sending> = (0..20).map(sending).collect();
        let counts = |sending: &Sending| sending.entry.0 % 5 != 2;
        let counted = Counted::of(&sendings, counts);
        for from in 0..20 {
            for to in from..=20 {
                let mut expected: BTreeMap<Destination, Reached> = BTreeMap::new();
                for one in sendings[from..to].iter().filter(|one| counts(one)) {
                    super::super::count(&mut expected, &one.to, &Reached::once(one));
                }
                let span = from..to;
                let found: BTreeMap<Destination, Reached> =
                    counted.reached(&sendings, &span).map(|(to, reached)| (to.clone(), reached)).collect();
                assert_eq!(found, expected, "{span:?}");
                assert_eq!(counted.has_others(&span), !sendings[from..to].iter().all(counts), "{span:?}");
            }
        }
    }
}
