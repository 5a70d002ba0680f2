//! The models that can be chosen, in words: each with its window and its price.

use super::list::{Listed, State};
use crate::model::ModelSpec;

/// The models that can be chosen now by their names, each with its window and its price.
pub(crate) fn choices(listed: &[Listed]) -> Vec<(String, String)> {
    let usable = listed.iter().filter(|one| matches!(one.state, State::Usable(_)));
    let named = usable.flat_map(|one| &one.models).map(|spec| (spec.model.to_string(), spec));
    // A server names its models as it likes: one that cannot be typed cannot be chosen.
    let typed = named.filter(|(name, _)| !name.contains(|c: char| c.is_control() || c.is_whitespace()));
    typed.map(|(name, spec)| (name, note(spec))).collect()
}

/// In columns that line up where notes end at one edge: the window, and what a million tokens cost.
fn note(spec: &ModelSpec) -> String {
    let cost = |micro| format!("${}", dollars(micro));
    let price = spec.price.map_or_else(
        || "price unknown".to_owned(),
        |price| format!("{:>7} in {:>7} out", cost(price.rates.input), cost(price.rates.output)),
    );
    format!("{:>6} {price:>22}", short(spec.window))
}

/// `200k`, `1M`, `1.05M`: a window, as people name it.
fn short(tokens: u64) -> String {
    match tokens {
        1_000_000.. => {
            let hundredths = tokens.saturating_add(5_000) / 10_000;
            let number = format!("{}.{:02}", hundredths / 100, hundredths % 100);
            format!("{}M", number.trim_end_matches('0').trim_end_matches('.'))
        }
        1_000.. => format!("{}k", tokens / 1_000),
        few => few.to_string(),
    }
}

/// Micro-dollars as dollars, with as many digits as they have and at least two.
pub(crate) fn dollars(micro: u64) -> String {
    let part = format!("{:06}", micro % 1_000_000);
    let part = part.trim_end_matches('0');
    format!("{}.{part:0<2}", micro / 1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::ModelRef;

    #[test]
    fn notes_line_up_at_their_right_edge() {
        let unknown = ModelSpec { window: 1_048_576, ..ModelSpec::unknown(ModelRef::parse("a/b")) };
        assert_eq!(note(&unknown), " 1.05M          price unknown");
        let windows = [128_000, 200_000, 1_000_000, 1_050_000, 1_500_000, 10_000_000, 512].map(short);
        assert_eq!(windows, ["128k", "200k", "1M", "1.05M", "1.5M", "10M", "512"]);
    }
}
