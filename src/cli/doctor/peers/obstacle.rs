//! What keeps a peer from being started or reached, or should be known before it is, as a finding.

use std::collections::BTreeMap;

use url::{Host, Url};

use crate::cli::doctor::finding::{Finding, Subject};
use crate::config::fault::Fault;
use crate::config::peers::Peer;

/// What keeps one from being started or reached.
pub(super) fn problem<P: Peer>(name: &str, what: &str, mend: String) -> Finding {
    Finding::problem(Subject::Peers, format!("{} {name}: {what}", P::WORDS.kind), mend)
}

pub(super) fn of_fault<P: Peer>(name: &str, fault: Fault) -> Finding {
    problem::<P>(name, &fault.message, fault.next)
}

/// A warning where headers go to an address that is neither secured nor on this machine.
pub(super) fn check_headers<P: Peer>(
    name: &str,
    peer: &P,
    url: &str,
    headers: &BTreeMap<String, String>,
) -> Result<(), Finding> {
    if headers.is_empty() || !is_readable_on_the_way(url) {
        return Ok(());
    }
    let kind = P::WORDS.kind;
    Err(Finding::warning(
        Subject::Peers,
        format!(
            "{kind} {name}: its headers are sent unencrypted, since the address does not begin with \
            https://"
        ),
        format!("correct the url ({})", peer.source().place()),
    ))
}

/// Whether an address is neither secured nor on this machine.
fn is_readable_on_the_way(url: &str) -> bool {
    let Ok(url) = Url::parse(url) else { return true };
    let is_here = match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    url.scheme() != "https" && !is_here
}
