//! All peers of one kind: how each is reached and held, and where it stands; nothing is started or reached.

use crate::cli::outcome::say;
use crate::config::Invocation;
use crate::config::exit::Exit;
use crate::config::fault::{Fault, one_line};
use crate::config::peers::Peer;

/// Says what there is; `none` where there is nothing.
pub(in crate::cli) fn list<P: Peer>(invocation: &Invocation, none: &str) -> Result<Exit, Fault> {
    let config = &invocation.config;
    let untrusted = format!("not trusted, so nothing {} it: `countersign trust`", P::WORDS.does);
    let in_force = P::known(config).iter().map(|(name, peer)| block(name, peer, &standing(peer)));
    let waiting = P::untrusted(config).iter().map(|(name, peer)| block(name, peer, &untrusted));
    let text: String = in_force.chain(waiting).collect();
    say(if text.is_empty() { none } else { &text })
}

fn standing<P: Peer>(peer: &P) -> String {
    let whose = if peer.is_of_a_project() { "trusted" } else { "yours" };
    if peer.is_enabled() { whose.to_owned() } else { format!("{whose}, switched off") }
}

/// The name, and below it a line each for the way, the terms and the place.
fn block<P: Peer>(name: &str, peer: &P, standing: &str) -> String {
    let way = match peer.way() {
        Some((verb, way)) => format!("{verb} {way}"),
        None => "nothing else is configured for it".to_owned(),
    };
    let terms = peer.terms().into_iter().filter(|_| peer.is_enabled());
    let place = format!("{}: {standing}", peer.source().place());
    let lines = [way].into_iter().chain(terms).chain([place]);
    let lines: String = lines.map(|line| format!("  {}\n", one_line(&line))).collect();
    format!("{}\n{lines}", one_line(name))
}
