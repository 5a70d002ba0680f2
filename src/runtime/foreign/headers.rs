//! Headers as they are configured, for requests to servers of others.

use std::collections::BTreeMap;

use reqwest::header::{HeaderName, HeaderValue};

/// Headers that are sent with each request, marked as keys.
///
/// # Errors
/// What is wrong with a name or a value; no value stands in it.
pub(in crate::runtime) fn headers<All: FromIterator<(HeaderName, HeaderValue)>>(
    configured: &BTreeMap<String, String>,
) -> Result<All, String> {
    configured.iter().map(|(name, value)| header(name, value)).collect()
}

fn header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), String> {
    let parsed = HeaderName::try_from(name).map_err(|_why| format!("`{name}` is no name of a header"))?;
    let mut value = HeaderValue::try_from(value)
        .map_err(|_why| format!("the value of the header `{name}` cannot be sent"))?;
    value.set_sensitive(true);
    Ok((parsed, value))
}
