//! The keys of `[budget]`: the limits and bounds by their rows ([`Limit::row`], [`Bound::row`]), and the token budget.

use super::{KeyRow, KeyValue, Owner, Tightens};
use crate::budget::{Bound, Limit};
use crate::config::value::MOST_COUNT;

pub(super) static ROWS: &[KeyRow] = &[
    limit(Limit::Turns),
    limit(Limit::ToolCalls),
    bound(Bound::ParallelCalls),
    limit(Limit::WallTime),
    limit(Limit::InputTokens),
    limit(Limit::OutputTokens),
    limit(Limit::Cost),
    bound(Bound::ResultChars),
    bound(Bound::ModelRetries),
    bound(Bound::ToolRetries),
    KeyRow::new(
        "budget.ask_above",
        KeyValue::Dollars {
            get: |config| config.ask_above,
            set: |config, most| config.ask_above = Some(most),
        },
        Tightens::Lower,
        Owner::Trusted,
    ),
    KeyRow::new(
        Limit::Tokens.row().key,
        KeyValue::count(
            0,
            MOST_COUNT,
            |config| config.token_budget,
            |config, tokens| config.token_budget = Some(tokens),
        ),
        // It makes a run go on that would have ended, so a project can lower one and not begin one.
        Tightens::If(|before, after| {
            let both = after.token_budget.zip(before.token_budget);
            both.is_some_and(|(after, before)| after <= before)
        }),
        Owner::Trusted,
    ),
    KeyRow::new(
        "budget.token_budget_enough_percent",
        KeyValue::count(
            1,
            100,
            |config| Some(config.enough_percent),
            |config, percent| config.enough_percent = percent,
        ),
        Tightens::Lower,
        Owner::Trusted,
    ),
    KeyRow::new(
        "budget.token_budget_little_tokens",
        KeyValue::count(
            0,
            MOST_COUNT,
            |config| Some(config.little_tokens),
            |config, tokens| config.little_tokens = tokens,
        ),
        Tightens::Higher,
        Owner::Trusted,
    ),
    KeyRow::new(
        "budget.token_budget_patience",
        KeyValue::count(
            0,
            1000,
            |config| Some(config.patience),
            |config, continuations| config.patience = continuations,
        ),
        Tightens::Lower,
        Owner::Trusted,
    ),
];

/// A limit that forbids calls.
const fn limit(limit: Limit) -> KeyRow {
    let row = limit.row();
    KeyRow::new(row.key, KeyValue::Limit(limit), Tightens::Lower, Owner::Trusted).also(row.aliases)
}

const fn bound(bound: Bound) -> KeyRow {
    KeyRow::new(bound.row().key, KeyValue::Bound(bound), Tightens::Lower, Owner::Trusted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_and_each_bound_is_a_key() {
        let keys = Limit::ALL.iter().map(|limit| limit.row().key);
        for key in keys.chain(Bound::ALL.iter().map(|bound| bound.row().key)) {
            assert!(ROWS.iter().any(|row| row.path == key), "{key}");
        }
    }
}
