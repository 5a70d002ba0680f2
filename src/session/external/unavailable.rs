//! Peers of one kind that are configured and not there, each with what keeps it away and what can be done.

use crate::config::Invocation;
use crate::config::Source;
use crate::config::fault::Fault;
use crate::config::peers::{Peer, Words, path};
use crate::tool::{Absence, Absent};

/// Those with faults, those that are switched off, and those that nobody trusts.
pub(crate) fn absent<P: Peer>(invocation: &Invocation, faults: &[(String, Fault)]) -> Vec<Absent> {
    let Words { kind, verb, .. } = P::WORDS;
    let config = &invocation.config;
    let one = |name: &str, why, sentence| Absent { who: P::absentee(name), why, sentence };
    let unusable = faults.iter().map(|(name, fault)| {
        let sentence = format!("The {kind} {name} is not {verb}ed: {}; {}.", fault.message, fault.next);
        one(name, Absence::Unusable, sentence)
    });
    let off = P::known(config).iter().filter(|(_, peer)| !peer.is_enabled()).map(|(name, peer)| {
        let place = switched_off_in(invocation, name, peer);
        let sentence = format!(
            "The {kind} {name} is configured but switched off (`enabled = false` in {place}); it is \
            available after the user removes that and restarts countersign."
        );
        one(name, Absence::SwitchedOff, sentence)
    });
    let untrusted = P::untrusted(config).iter().map(|(name, peer)| {
        let sentence = format!(
            "The {kind} {name} is configured in {}, a file of a project that is not trusted, so it is not \
            {verb}ed; the user can review it with `countersign trust`.",
            peer.source().place()
        );
        one(name, Absence::Untrusted, sentence)
    });
    unusable.chain(off).chain(untrusted).collect()
}

/// Where it is said that a peer is not used.
pub(crate) fn switched_off_in<P: Peer>(invocation: &Invocation, name: &str, peer: &P) -> String {
    match invocation.config.source(&path::<P>(name, &["enabled"])) {
        Source::Default => peer.source().place(),
        known => known.place(),
    }
}
