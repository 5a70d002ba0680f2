//! Arguments as the tools need them; the schema has vouched for their kinds already.

use serde_json::Value;

use crate::ledger::Arguments;

/// A text that must be there.
///
/// # Errors
/// A sentence that names it.
pub(super) fn required<'a>(arguments: &'a Arguments, member: &str) -> Result<&'a str, String> {
    arguments.text(member).ok_or_else(|| format!("`{member}` is missing; give it as a string"))
}

/// Any member.
pub(super) fn member<'a>(arguments: &'a Arguments, name: &str) -> Option<&'a Value> {
    match arguments {
        Arguments::Object(members) => members.get(name),
        Arguments::Unusable(_) => None,
    }
}

/// A whole number from 1 on; schemas count `5.0` as one.
pub(super) fn number(arguments: &Arguments, name: &str) -> Option<u64> {
    let value = member(arguments, name)?;
    value.as_u64().or_else(|| value.as_f64().filter(|n| *n >= 1.0).map(|n| n as u64))
}

/// Whether a switch is on.
pub(super) fn is_set(arguments: &Arguments, name: &str) -> bool {
    member(arguments, name).and_then(Value::as_bool).unwrap_or_default()
}
