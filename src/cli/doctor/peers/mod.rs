//! Peers: MCP servers and A2A agents, as far as can be seen without starting or reaching one.

mod agents;
mod mcp;

use std::collections::BTreeMap;

use url::{Host, Url};

use super::finding::{Finding, Subject};
use crate::config::Invocation;
use crate::config::fault::Fault;
use crate::config::peers::{Peer, Words};

const SUBJECT: Subject = Subject::Peers;

pub(super) fn look(invocation: &Invocation) -> Vec<Finding> {
    [of_kind(invocation, mcp::look), of_kind(invocation, agents::look)].concat()
}

/// All of one kind; of those that are switched off or not trusted no more than that.
fn of_kind<P: Peer>(
    invocation: &Invocation,
    look: impl Fn(&Invocation, &str, &P) -> Result<(), Finding>,
) -> Vec<Finding> {
    let config = &invocation.config;
    let in_force = P::known(config).iter().map(|(name, peer)| {
        if !peer.is_enabled() {
            return switched_off(name, peer);
        }
        look(invocation, name, peer).err().unwrap_or_else(|| well(name, peer))
    });
    let waiting = P::untrusted(config).iter().map(|(name, peer)| untrusted(name, peer));
    let mut findings: Vec<Finding> = in_force.chain(waiting).collect();
    if findings.is_empty() {
        findings.push(Finding::ok(SUBJECT, format!("no {} is configured", P::WORDS.kind)));
    }
    findings
}

fn switched_off<P: Peer>(name: &str, peer: &P) -> Finding {
    let what = format!("{} {name}: is switched off", P::WORDS.kind);
    Finding::skipped(
        SUBJECT,
        what,
        format!(
            "set enabled = true in {} to switch it \
        on",
            peer.source().place()
        ),
    )
}

fn untrusted<P: Peer>(name: &str, peer: &P) -> Finding {
    let Words { kind, verb, .. } = P::WORDS;
    let place = peer.source().place();
    Finding::warning(
        SUBJECT,
        format!("{kind} {name}: is not {verb}ed, since the folder of {place} is not trusted"),
        format!("run `countersign trust` to see what it would {verb} and decide"),
    )
}

fn well<P: Peer>(name: &str, peer: &P) -> Finding {
    let Words { kind, command, does, .. } = P::WORDS;
    let (verb, way) = peer.way().unwrap_or((does, String::new()));
    Finding::ok(SUBJECT, format!("{kind} {name}: {verb} {way}; `countersign {command} test {name}` tries it"))
}

/// What keeps one from being started or reached.
fn problem<P: Peer>(name: &str, what: &str, mend: String) -> Finding {
    Finding::problem(SUBJECT, format!("{} {name}: {what}", P::WORDS.kind), mend)
}

fn of_fault<P: Peer>(name: &str, fault: Fault) -> Finding {
    problem::<P>(name, &fault.message, fault.next)
}

/// A warning where headers go to an address that is neither secured nor on this machine.
fn check_headers<P: Peer>(
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
        SUBJECT,
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
