//! An address as it may be shown.

use reqwest::Url;

/// The address as it may be shown: without what may be a key.
pub(in crate::runtime) fn shown(url: &Url) -> String {
    let mut shown = url.clone();
    shown.set_query(None);
    shown.set_fragment(None);
    // Refused only where there is no host, and then there is none of either.
    shown.set_username("").and_then(|()| shown.set_password(None)).unwrap_or_default();
    shown.to_string()
}
