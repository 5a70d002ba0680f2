//! The models that can be chosen, in words: each with its window and its price.

use super::list::{Listed, State};
use crate::model::ModelSpec;

/// The models that can be chosen now by their names, each with its window and its price. Of one line of models the newest comes
/// first, as a few letters of its name fit all of them.
pub(crate) fn choices(listed: &[Listed]) -> Vec<(String, String)> {
    let usable = listed.iter().filter(|one| matches!(one.state, State::Usable(_)));
    let named = usable.flat_map(newest_first).map(|spec| (spec.model.to_string(), spec));
    // A server names its models as it likes: one that cannot be typed cannot be chosen.
    let typed = named.filter(|(name, _)| !name.contains(|c: char| c.is_control() || c.is_whitespace()));
    typed.map(|(name, spec)| (name, note(spec))).collect()
}

fn newest_first(listed: &Listed) -> Vec<&ModelSpec> {
    let mut all: Vec<&ModelSpec> = listed.models.iter().collect();
    all.sort_by_cached_key(|spec| rank(&spec.model.name));
    all
}

/// What a name is sorted by: the higher of two numbers comes first, a number before the name that ends there, and a date last.
fn rank(name: &str) -> String {
    let mut rank = String::new();
    let mut rest = name.chars().peekable();
    while let Some(c) = rest.next() {
        if !c.is_ascii_digit() {
            let is_before_number = "-.".contains(c) && rest.peek().is_some_and(char::is_ascii_digit);
            rank.push(if is_before_number { '\u{1}' } else { c });
            continue;
        }
        let mut digits = String::from(c);
        while let Some(digit) = rest.next_if(char::is_ascii_digit) {
            digits.push(digit);
        }
        let number = digits.parse::<u32>().ok().filter(|_| digits.len() < 6);
        match number {
            Some(number) => rank.push_str(&format!("{:06}", 999_999_u32.saturating_sub(number))),
            None => rank.push_str("9999999"),
        }
    }
    rank.push('\u{2}');
    rank
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
    fn the_newest_of_a_line_comes_first() {
        let mut names = [
            "claude-sonnet-4",
            "gpt-5-mini",
            "claude-sonnet-4-20250514",
            "claude-sonnet-4-5",
            "gpt-5",
            "claude-sonnet-5-5",
            "gpt-5.2",
        ];
        names.sort_by_cached_key(|name| rank(name));
        let wanted = [
            "claude-sonnet-5-5",
            "claude-sonnet-4-5",
            "claude-sonnet-4-20250514",
            "claude-sonnet-4",
            "gpt-5.2",
            "gpt-5",
            "gpt-5-mini",
        ];
        assert_eq!(names, wanted);
    }

    #[test]
    fn notes_line_up_at_their_right_edge() {
        let unknown = ModelSpec { window: 1_048_576, ..ModelSpec::unknown(ModelRef::parse("a/b")) };
        assert_eq!(note(&unknown), " 1.05M          price unknown");
        let windows = [128_000, 200_000, 1_000_000, 1_050_000, 1_500_000, 10_000_000, 512].map(short);
        assert_eq!(windows, ["128k", "200k", "1M", "1.05M", "1.5M", "10M", "512"]);
    }
}
