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

fn note(spec: &ModelSpec) -> String {
    let price = spec.price.map_or_else(
        || "price unknown".to_owned(),
        |price| format!("{} in, {} out", dollars(price.rates.input), dollars(price.rates.output)),
    );
    format!("{} tokens · {price}", spec.window)
}

/// Micro-dollars as dollars, with as many digits as they have and at least two.
pub(crate) fn dollars(micro: u64) -> String {
    let part = format!("{:06}", micro % 1_000_000);
    let part = part.trim_end_matches('0');
    format!("{}.{part:0<2}", micro / 1_000_000)
}
