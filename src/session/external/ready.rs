//! The external services of one kind (MCP servers, agents) that a session has, or the one that a person names.

use super::unavailable::switched_off_in;
use crate::config::fault::Fault;
use crate::config::peers::{Peer, Words};
use crate::config::{Invocation, nearest};

/// The peers of one kind that a session has.
#[derive(Debug)]
pub(crate) struct ReadyPeers<T> {
    /// Those that can be started or reached.
    pub(crate) peers: Vec<T>,
    /// Those that cannot, by name, and why.
    pub(crate) faults: Vec<(String, Fault)>,
}

/// All that are not switched off, by name, each as `filled` makes it of what is written.
pub(crate) fn all<P: Peer, T>(
    invocation: &Invocation,
    filled: impl Fn(&Invocation, &str, &P) -> Result<T, Fault>,
) -> ReadyPeers<T> {
    let mut ready = ReadyPeers { peers: Vec::new(), faults: Vec::new() };
    for (name, peer) in P::known(&invocation.config).iter().filter(|(_, peer)| peer.is_enabled()) {
        match filled(invocation, name, peer) {
            Ok(peer) => ready.peers.push(peer),
            Err(fault) => ready.faults.push((name.clone(), fault)),
        }
    }
    ready
}

/// Those that a person means who tries them: the one of this name, switched off or not, or all that are not.
///
/// # Errors
/// With a name: none of this name; one that nobody trusts; what it lacks.
pub(crate) fn meant<P: Peer, T>(
    invocation: &Invocation,
    name: Option<&str>,
    filled: impl Fn(&Invocation, &str, &P) -> Result<T, Fault>,
) -> Result<ReadyPeers<T>, Fault> {
    match name {
        None => Ok(all(invocation, filled)),
        Some(name) => {
            let peer = filled(invocation, name, named::<P>(invocation, name)?)?;
            Ok(ReadyPeers { peers: vec![peer], faults: Vec::new() })
        }
    }
}

/// The peer of this name.
///
/// # Errors
/// None of this name; one that nobody trusts; one of which nothing is said but that it is switched off.
pub(crate) fn named<'c, P: Peer>(invocation: &'c Invocation, name: &str) -> Result<&'c P, Fault> {
    let Words { kind, verb, command, .. } = P::WORDS;
    let (config, known) = (&invocation.config, P::known(&invocation.config));
    if let Some(peer) = known.get(name) {
        if peer.way().is_some() {
            return Ok(peer);
        }
        let place = switched_off_in(invocation, name, peer);
        return Err(Fault::usage(
            format!("{kind} {name} is switched off ({place}), and nothing else is configured for it"),
            format!("configure there how it is {verb}ed, and remove `enabled = false`"),
        ));
    }
    if let Some(peer) = P::untrusted(config).get(name) {
        return Err(Fault::usage(
            format!("{kind} {name} is configured in {}, whose folder is not trusted", peer.source().place()),
            format!("run `countersign trust` to see what it would {verb} and decide"),
        ));
    }
    let next = match nearest(name, known.keys().map(String::as_str)) {
        Some(meant) => format!("did you mean {meant}? `countersign {command} list` lists all"),
        None => format!("`countersign {command} list` lists all"),
    };
    Err(Fault::usage(format!("there is no {kind} {name}"), next))
}
