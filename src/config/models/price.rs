//! What a model costs, of what the user says and what the table says.

use crate::config::{Facts, LongFacts};
use crate::ledger::MicroDollars;
use crate::model::{LongPrompt, Price, Rates};

/// The user's prices, else the table's. A price is known when both its halves are; tokens of a cache cost what plain
/// ones do unless something else is known.
pub(super) fn price(said: &Facts, known: &Facts) -> Option<Price> {
    let (input, output) = (said.usd_in.or(known.usd_in)?, said.usd_out.or(known.usd_out)?);
    let rates = Rates {
        input: input.0,
        output: output.0,
        cache_read: said.usd_cache_read.or(known.usd_cache_read).unwrap_or(input).0,
        cache_write: said.usd_cache_write.or(known.usd_cache_write).unwrap_or(input).0,
    };
    // Whoever sets prices of their own does not pay the vendor's for long prompts.
    let is_theirs = said.usd_in.is_some() || said.usd_out.is_some();
    let known = if is_theirs { LongFacts::default() } else { known.long };
    Some(Price { rates, long: long(&said.long, &known, rates) })
}

/// The rates of long prompts, if it is known where they begin and what they are.
fn long(said: &LongFacts, known: &LongFacts, plain: Rates) -> Option<LongPrompt> {
    let above = said.above.or(known.above)?;
    let (input, output) = (said.usd_in.or(known.usd_in)?.0, said.usd_out.or(known.usd_out)?.0);
    // Vendors price a cache by the price of the prompt: where nothing is said, it grows as that does.
    let grown = |rate: u64| {
        let grown = u128::from(rate) * u128::from(input) / u128::from(plain.input.max(1));
        u64::try_from(grown).unwrap_or(u64::MAX)
    };
    let stated = |said: Option<MicroDollars>, known: Option<MicroDollars>, rate: u64| {
        said.or(known).map_or_else(|| grown(rate), |price| price.0)
    };
    let rates = Rates {
        input,
        output,
        cache_read: stated(said.usd_cache_read, known.usd_cache_read, plain.cache_read),
        cache_write: stated(said.usd_cache_write, known.usd_cache_write, plain.cache_write),
    };
    Some(LongPrompt { above, rates })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::models::Table;

    fn usd(amount: u64) -> Option<MicroDollars> {
        Some(MicroDollars(amount))
    }

    #[test]
    fn long_prompts_cost_what_the_vendor_says() {
        let known = Table::embedded().get("openai", "gpt-6.1-sol").unwrap();
        let price = price(&Facts::default(), &known).unwrap();
        assert_eq!(price.rates_for(272_000).input, 2_000_000);
        let rates =
            Rates { input: 4_000_000, output: 15_000_000, cache_read: 200_000, cache_write: 5_000_000 };
        assert_eq!(price.rates_for(272_001), rates, "writing to the cache grows as the prompt does");
    }

    #[test]
    fn own_prices_are_the_same_for_every_prompt_unless_one_says_so() {
        let known = Table::embedded().get("openai", "gpt-6.1-sol").unwrap();
        let own = Facts { usd_in: usd(1), usd_out: usd(2), ..Facts::default() };
        assert_eq!(price(&own, &known).unwrap().long, None);
        let long = LongFacts { above: Some(10), usd_in: usd(3), usd_out: usd(4), ..LongFacts::default() };
        assert_eq!(price(&Facts { long, ..own.clone() }, &known).unwrap().rates_for(11).input, 3);
        let moved = Facts { long: LongFacts { above: Some(10), ..LongFacts::default() }, ..Facts::default() };
        assert_eq!(price(&moved, &known).unwrap().rates_for(11).input, 4_000_000);
        let half = Facts { usd_in: usd(1), ..Facts::default() };
        assert_eq!(price(&half, &Facts::default()), None);
    }
}
