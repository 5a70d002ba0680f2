//! Moments as RFC 3339 text in UTC with milliseconds.

use chrono::{DateTime, Datelike, SecondsFormat};
use serde_json::Value;

use crate::ledger::Millis;

/// `2026-11-20T22:54:01.120Z`. A moment that this notation cannot hold (after the year 9999) is written as its
/// number of milliseconds.
pub fn to_value(at: Millis) -> Value {
    let moment = i64::try_from(at.0).ok().and_then(DateTime::from_timestamp_millis);
    match moment.filter(|m| m.year() <= 9999) {
        Some(moment) => Value::String(moment.to_rfc3339_opts(SecondsFormat::Millis, true)),
        None => Value::from(at.0),
    }
}

/// Whether a value is one of [`to_value`], by the text that a line has for it: of each moment, lines have one
/// form.
pub(super) fn is_written(raw: &str) -> bool {
    const SHAPE: &[u8] = b"\"0000-00-00T00:00:00.000Z\"";
    let is_like = |(byte, shape): (u8, &u8)| byte == *shape || *shape == b'0' && byte.is_ascii_digit();
    let is_text = raw.len() == SHAPE.len() && raw.bytes().zip(SHAPE).all(is_like);
    is_text || raw.parse::<u64>().is_ok_and(|number| to_value(Millis(number)).is_number())
}

/// The reverse of [`to_value`]; other offsets than UTC are understood.
pub(in crate::wire) fn from_value(value: &Value) -> Option<Millis> {
    if let Some(number) = value.as_u64() {
        return Some(Millis(number));
    }
    let moment = DateTime::parse_from_rfc3339(value.as_str()?).ok()?;
    u64::try_from(moment.timestamp_millis()).ok().map(Millis)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_has_one_form() {
        for at in [0, 1_763_679_241_120, 253_402_300_799_999, 253_402_300_800_000, u64::MAX] {
            let value = to_value(Millis(at));
            assert!(is_written(&value.to_string()), "{value}");
            assert_eq!(from_value(&value), Some(Millis(at)));
        }
        for other in [
            "\"2026-11-27T23:19:01.831+01:00\"",
            "\"2026-11-27T22:19:01Z\"",
            "\"2026-11-27T22:19:01.8310Z\"",
            "1763679241120",
        ] {
            assert!(from_value(&serde_json::from_str(other).unwrap()).is_some(), "{other} is a time");
            assert!(!is_written(other), "{other}");
        }
    }
}
