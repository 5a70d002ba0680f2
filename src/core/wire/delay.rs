//! How long a provider asks to wait, wherever it says so. Milliseconds.

use chrono::DateTime;

/// The told delay: `retry-after-ms`, `retry-after`, the error's own field, then the words of its message.
pub(super) fn told_delay(headers: &[(String, String)], field: Option<&str>, message: &str) -> Option<u64> {
    let header = |wanted: &str| {
        headers.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted)).map(|(_, value)| value.trim())
    };
    header("retry-after-ms")
        .and_then(|text| millis(text, 1.0))
        .or_else(|| {
            header("retry-after")
                .and_then(|text| millis(text, 1000.0).or_else(|| until(text, header("date")?)))
        })
        .or_else(|| field.and_then(spelled))
        .or_else(|| in_words(message))
}

/// The time between two HTTP dates. The answer's own `date` is the present: no clock is needed, and a wrong one is harmless.
fn until(then: &str, now: &str) -> Option<u64> {
    let then = DateTime::parse_from_rfc2822(then).ok()?;
    let now = DateTime::parse_from_rfc2822(now).ok()?;
    u64::try_from((then - now).num_milliseconds().max(0)).ok()
}

/// "Please try again in 2.154s", "350ms", "1m30s".
fn in_words(message: &str) -> Option<u64> {
    let lower = message.to_ascii_lowercase();
    let (_, after) = lower.split_once("try again in ")?;
    let spelling = after.split_whitespace().next()?.trim_end_matches(['.', ',', ';', ')']);
    spelled(spelling)
}

/// A duration as `22s`, `350ms`, `1m30s`, `2h`.
fn spelled(text: &str) -> Option<u64> {
    let mut rest = text.trim();
    let mut total: u64 = 0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, tail) = rest.split_at(digits);
        let unit_end = tail.find(|c: char| c.is_ascii_digit()).unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(unit_end);
        let factor = match unit {
            "ms" => 1.0,
            "s" => 1000.0,
            "m" => 60_000.0,
            "h" => 3_600_000.0,
            _ => return None,
        };
        total = total.saturating_add(millis(number, factor)?);
        rest = tail;
    }
    (total > 0).then_some(total)
}

fn millis(number: &str, factor: f64) -> Option<u64> {
    let value = number.parse::<f64>().ok().filter(|n| n.is_finite() && *n >= 0.0)? * factor;
    // A float to integer cast saturates; nobody waits for 2^53 milliseconds.
    Some(value.ceil() as u64)
}

#[cfg(test)]
mod tests {
    use super::told_delay;

    fn told(headers: &[(&str, &str)], field: Option<&str>, message: &str) -> Option<u64> {
        let headers: Vec<_> = headers.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
        told_delay(&headers, field, message)
    }

    #[test]
    fn reads_every_place_in_order() {
        assert_eq!(told(&[("Retry-After-Ms", "11054"), ("retry-after", "23")], None, ""), Some(11_054));
        assert_eq!(told(&[("retry-after", "23")], Some("9s"), "try again in 1s"), Some(23_000));
        assert_eq!(told(&[("retry-after", "0.5")], None, ""), Some(500));
        let dates =
            [("date", "Fri, 20 Nov 2026 15:01:00 GMT"), ("retry-after", "Fri, 20 Nov 2026 15:01:23 GMT")];
        assert_eq!(told(&dates, None, ""), Some(23_000));
        assert_eq!(told(&[], Some("22s"), ""), Some(22_000));
        assert_eq!(told(&[], None, "Please try again in 2.154s."), Some(2154));
        assert_eq!(told(&[], None, "Try again in 1m30s, please"), Some(90_000));
        assert_eq!(told(&[], None, "try again in 350ms"), Some(350));
    }

    #[test]
    fn a_delay_without_an_end_is_the_longest_there_is() {
        let long = format!("{}h", "9".repeat(40));
        assert_eq!(told(&[], Some(&long.repeat(2)), ""), Some(u64::MAX));
        assert_eq!(told(&[], None, &format!("try again in {long}1ms")), Some(u64::MAX));
    }

    #[test]
    fn makes_nothing_of_nonsense() {
        assert_eq!(told(&[("retry-after", "soon")], Some("-1s"), "try again in a while"), None);
        assert_eq!(told(&[("retry-after", "-5")], None, "NaN"), None);
    }
}
