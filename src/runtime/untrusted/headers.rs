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
    let parsed = HeaderName::try_from(name).map_err(|_why| format!("`{name}` is not a valid header name"))?;
    let mut value = HeaderValue::try_from(value)
        .map_err(|_why| format!("the value of the header `{name}` cannot be sent"))?;
    value.set_sensitive(true);
    Ok((parsed, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_marked_as_keys_and_stand_in_no_fault() {
        let configured = [("authorization", "Bearer key-1"), ("x-team", "red")];
        let configured = configured.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let all: Vec<(HeaderName, HeaderValue)> = headers(&configured).unwrap_or_default();
        assert_eq!(all.len(), 2);
        assert!(all.iter().all(|(_, value)| value.is_sensitive()), "{all:?}");
        assert!(!format!("{all:?}").contains("key-1"));
        let broken = BTreeMap::from([("x-key".to_owned(), "key-1\n".to_owned())]);
        let why = headers::<Vec<_>>(&broken).unwrap_err();
        assert!(why.contains("`x-key`") && !why.contains("key-1"), "{why}");
    }
}
