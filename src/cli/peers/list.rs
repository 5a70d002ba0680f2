//! All peers of one kind: how each is reached and held, and where it stands; nothing is started or reached.

use crate::cli::outcome::say;
use crate::config::Invocation;
use crate::config::exit::Exit;
use crate::config::fault::Fault;
use crate::config::peers::{Peer, described};

/// Says what there is; `none` where there is nothing.
pub(in crate::cli) fn list<P: Peer>(invocation: &Invocation, none: &str) -> Result<Exit, Fault> {
    let all = described::<P>(&invocation.config);
    let block = |(name, lines): (String, Vec<String>)| {
        let lines: String = lines.iter().map(|line| format!("  {line}\n")).collect();
        format!("{name}\n{lines}")
    };
    let text: String = all.into_iter().map(block).collect();
    say(if text.is_empty() { none } else { &text })
}
