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

/// The reverse of [`to_value`]; other offsets than UTC are understood.
pub(in crate::wire) fn from_value(value: &Value) -> Option<Millis> {
    if let Some(number) = value.as_u64() {
        return Some(Millis(number));
    }
    let moment = DateTime::parse_from_rfc3339(value.as_str()?).ok()?;
    u64::try_from(moment.timestamp_millis()).ok().map(Millis)
}
