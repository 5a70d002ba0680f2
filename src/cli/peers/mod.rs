//! Peers (MCP servers, agents) on the command line: those of a session, one by its name, and what is alike in listing and
//! trying them.

mod absent;
mod filling;
mod list;
mod tried;

use super::Invocation;
use super::config::nearest;
use super::config::peers::{Peer, Words};
use super::fault::Fault;
pub(super) use absent::{absent, switched_off_in};
pub(super) use filling::Filling;
pub(super) use list::list;
pub(super) use tried::{conversed, told};

/// The peers of one kind that a session has.
#[derive(Debug)]
pub(super) struct Ready<T> {
    /// Those that can be started or reached.
    pub(super) peers: Vec<T>,
    /// Those that cannot, by name, and why.
    pub(super) faults: Vec<(String, Fault)>,
}

/// All that are not switched off, by name, each as `filled` makes it of what is written.
pub(super) fn all<P: Peer, T>(
    invocation: &Invocation,
    filled: impl Fn(&Invocation, &str, &P) -> Result<T, Fault>,
) -> Ready<T> {
    let mut ready = Ready { peers: Vec::new(), faults: Vec::new() };
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
pub(super) fn meant<P: Peer, T>(
    invocation: &Invocation,
    name: Option<&str>,
    filled: impl Fn(&Invocation, &str, &P) -> Result<T, Fault>,
) -> Result<Ready<T>, Fault> {
    match name {
        None => Ok(all(invocation, filled)),
        Some(name) => {
            let peer = filled(invocation, name, named::<P>(invocation, name)?)?;
            Ok(Ready { peers: vec![peer], faults: Vec::new() })
        }
    }
}

/// The peer of this name.
///
/// # Errors
/// None of this name; one that nobody trusts; one of which nothing is said but that it is switched off.
pub(super) fn named<'c, P: Peer>(invocation: &'c Invocation, name: &str) -> Result<&'c P, Fault> {
    let Words { kind, verb, command, .. } = P::WORDS;
    let (config, known) = (&invocation.config, P::known(&invocation.config));
    if let Some(peer) = known.get(name) {
        if peer.way().is_some() {
            return Ok(peer);
        }
        let place = switched_off_in(invocation, name, peer);
        return Err(Fault::usage(
            format!("{kind} {name} is switched off ({place}), and nothing else is said of it"),
            format!("say there how it is {verb}ed, and take `enabled = false` out"),
        ));
    }
    if let Some(peer) = P::untrusted(config).get(name) {
        return Err(Fault::usage(
            format!("{kind} {name} stands in {}, whose folder is not trusted", peer.source().place()),
            format!("see what it would {verb}, and decide, with `countersign trust`"),
        ));
    }
    let next = match nearest(name, known.keys().map(String::as_str)) {
        Some(meant) => format!("did you mean {meant}? `countersign {command} list` has all"),
        None => format!("`countersign {command} list` has those that there are"),
    };
    Err(Fault::usage(format!("there is no {kind} called {name}"), next))
}
