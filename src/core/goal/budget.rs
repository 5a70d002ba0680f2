//! A goal's budget in words: `20 turns, 100 calls, 30 minutes, $2`, or the configuration's own names.

use crate::budget::{Limit, Unit};

/// Reads limits; empty text is none.
///
/// # Errors
/// The part that cannot be read, with an example.
pub(super) fn read(text: &str) -> Result<Vec<(Limit, u64)>, String> {
    text.split([',', '\n'])
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .map(|part| {
            let limit = named(part).or_else(|| spoken(part));
            limit.ok_or_else(|| {
                format!(
                    "the budget `{part}` cannot be read; write for example `20 turns, 100 calls, 30 minutes, $2`"
                )
            })
        })
        .collect()
}

/// `max_model_turns = 20`, in the unit of the configuration.
fn named(part: &str) -> Option<(Limit, u64)> {
    let (name, value) = part.split_once(['=', ':'])?;
    let limit = Limit::parse(name.trim())?;
    let value = value.trim();
    let value =
        if limit.unit() == Unit::MicroDollars { micro_dollars(value)? } else { value.parse().ok()? };
    Some((limit, value))
}

/// `20 turns`, `$2.50`.
fn spoken(part: &str) -> Option<(Limit, u64)> {
    if let Some(dollars) = part.strip_prefix('$') {
        return Some((Limit::Cost, micro_dollars(dollars)?));
    }
    let (number, unit) = part.split_once(char::is_whitespace)?;
    let unit = unit.trim().to_lowercase();
    let is_meant = |limit: Limit, word: &str| match limit.unit() {
        Unit::MicroDollars => unit == word,
        Unit::Things(_) | Unit::Tokens | Unit::Seconds => unit.trim_end_matches('s') == word,
    };
    let (limit, many) = Limit::ALL.iter().find_map(|limit| {
        let (_, many) = limit.row().words.iter().find(|(word, _)| is_meant(*limit, word))?;
        Some((*limit, *many))
    })?;
    if limit.unit() == Unit::MicroDollars {
        return Some((limit, micro_dollars(number)?));
    }
    let number: u64 = number.replace('_', "").parse().ok()?;
    Some((limit, number.checked_mul(many)?))
}

/// Money as an exact number: `2`, `2.5`, `0.000001`.
fn micro_dollars(text: &str) -> Option<u64> {
    let (whole, rest) = text.trim().split_once('.').unwrap_or((text.trim(), ""));
    if rest.len() > 6 || !rest.chars().all(|c| c.is_ascii_digit()) {
        return None;
    }
    let micros: u64 = format!("{rest:0<6}").parse().ok()?;
    whole.parse::<u64>().ok()?.checked_mul(1_000_000)?.checked_add(micros)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_names_are_read() {
        let read = read("20 turns, 100 tool calls, 30 minutes, $2.50, max_output_tokens = 9").unwrap();
        let expected = [
            ("max_model_turns", 20),
            ("max_tool_calls", 100),
            ("max_wall_time_seconds", 1800),
            ("max_total_cost", 2_500_000),
            ("max_output_tokens", 9),
        ];
        assert_eq!(read, expected.map(|(name, value)| (Limit::parse(name).unwrap(), value)));
        assert_eq!(super::read("").unwrap(), []);
    }

    #[test]
    fn nonsense_is_named() {
        for bad in
            ["20", "-3 turns", "many turns", "$x", "max_turns = x", "$1.1234567", "99999999999999999 hours"]
        {
            assert!(read(bad).unwrap_err().contains(bad), "{bad}");
        }
    }
}
