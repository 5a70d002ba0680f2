//! Peers: MCP servers and A2A agents, as far as can be seen without starting or reaching one.

mod agents;
mod mcp;
mod obstacle;

use super::finding::{Finding, Subject};
use crate::config::Invocation;
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
