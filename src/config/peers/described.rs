//! Peers as lists describe them: how each is reached and held, where it is configured, and whether it is in force.

use super::{Peer, named};
use crate::config::Config;
use crate::config::fault::one_line;

/// All of one kind: the name of each, and the lines below it; nothing is started or reached.
pub(crate) fn described<P: Peer>(config: &Config) -> Vec<(String, Vec<String>)> {
    let untrusted = format!("not trusted, so nothing {} it: `countersign trust`", P::WORDS.does);
    let in_force = P::known(config).iter().map(|(name, peer)| (name, peer, standing(peer)));
    let waiting = P::untrusted(config).iter().map(|(name, peer)| (name, peer, untrusted.clone()));
    let all = in_force.chain(waiting);
    all.map(|(name, peer, standing)| (one_line(name), lines(peer, &standing))).collect()
}

fn standing<P: Peer>(peer: &P) -> String {
    let whose = if peer.is_of_a_project() { "trusted" } else { "yours" };
    if peer.is_enabled() { whose.to_owned() } else { format!("{whose}, switched off") }
}

/// A line each for the way, the terms and the place.
fn lines<P: Peer>(peer: &P, standing: &str) -> Vec<String> {
    let way = match peer.way() {
        Some((verb, way)) => format!("{verb} {way}"),
        None => "nothing else is configured for it".to_owned(),
    };
    let terms = peer.terms(named).into_iter().filter(|_| peer.is_enabled());
    let place = format!("{}: {standing}", peer.source().place());
    [way].into_iter().chain(terms).chain([place]).map(|line| one_line(&line)).collect()
}
