//! What is read alike of all peers: addresses, headers, texts with `${…}` in them.

use std::collections::BTreeMap;

use url::Url;

use super::super::value::Written;
use super::template;
use crate::wire::Secret;

/// A text that may be a key: no message repeats it.
pub(in crate::config) fn templated(value: &Written) -> Result<&str, String> {
    let text = value.letters()?;
    template::pieces(text)?;
    Ok(text)
}

/// The address of a peer, as it is written.
pub(in crate::config) fn address(value: &Written) -> Result<String, String> {
    let text = templated(value)?.trim();
    // What comes from the environment is looked at when it is there.
    if !text.contains("${") {
        check_url(text)?;
    }
    Ok(text.to_owned())
}

/// Puts a header among the others; `below` is its name.
pub(in crate::config) fn insert_header(
    headers: &mut BTreeMap<String, Secret>,
    below: &[String],
    value: &Written,
) -> Result<(), String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    let header = below.first().filter(|name| !name.is_empty() && name.chars().all(is_part));
    let header = header.ok_or("is not a valid header name")?;
    headers.insert(header.clone(), Secret::new(templated(value)?));
    Ok(())
}

/// Checks the address of a peer.
///
/// # Errors
/// A sentence that does not repeat what may hold a key.
pub(crate) fn check_url(text: &str) -> Result<(), String> {
    let wanted = "must be an address that begins with https:// or http://, as in https://tools.example/a";
    let url = Url::parse(text).map_err(|_may_repeat_it| wanted)?;
    if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
        return Err(wanted.to_owned());
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(
            "must be an address without a user name and password: put credentials into headers".to_owned()
        );
    }
    Ok(())
}
