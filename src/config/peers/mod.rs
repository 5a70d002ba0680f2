//! Peers: what is started or reached elsewhere, a table of the configuration for each kind (`[mcp_servers.NAME]`,
//! `[agents.NAME]`), and what holds for all of them.

mod asked;
mod described;
mod entry;
mod read;
mod show;
pub(crate) mod template;
#[cfg(test)]
pub(super) mod world;

use std::collections::BTreeMap;

use super::{Config, source::Source, spelling::spelled};
use crate::tool::Absentee;
use crate::wire::Secret;
pub(super) use asked::{PeerSettings, Weighed, asked, set_all};
pub(crate) use described::described;
pub(super) use entry::{Entry, check, check_name, set};
pub(crate) use read::check_url;
pub(super) use read::{address, insert_header, templated};
pub(super) use show::{address_without_query, as_word, hidden, named, with_values};

/// How long a peer may take until what it brings is known, in seconds, unless it says otherwise.
pub(super) const START_SECONDS: u64 = 20;
pub(super) const MOST_START_SECONDS: u64 = 600;
pub(super) const MOST_CALL_SECONDS: u64 = 86_400;

/// How values of variables or headers are told, by name.
pub(crate) type ValueTeller = fn(&BTreeMap<String, Secret>) -> String;

/// What the peers of one kind are called, by people and in files.
#[derive(Debug)]
pub(crate) struct Words {
    /// As in "MCP server".
    pub(crate) kind: &'static str,
    /// The same in short, where it is clear.
    pub(crate) noun: &'static str,
    /// The short word with its article, in the genitive: "a server's".
    pub(crate) possessive: &'static str,
    /// What is done with it: "start".
    pub(crate) verb: &'static str,
    /// The same in the third person.
    pub(crate) does: &'static str,
    /// The table of the configuration.
    pub(crate) table: &'static str,
    /// What other programs call that table in the file that is shared with them, if there is one.
    pub(crate) shared_table: Option<&'static str>,
    /// The subcommand that is about them.
    pub(crate) command: &'static str,
    /// What a name is made of, and why.
    pub(crate) letters: &'static str,
    /// How one is held tighter, as it is written.
    pub(crate) tighter: &'static str,
}

/// A peer as it is written: what stands in `${…}` is put in when it is started or reached.
pub(crate) trait Peer: Sized {
    /// What it is called.
    const WORDS: Words;

    /// The one of this name, as somebody who is not there.
    fn absentee(name: &str) -> Absentee;

    /// Those in force, switched off ones too.
    fn known(config: &Config) -> &BTreeMap<String, Self>;

    /// Those of projects that are not trusted with them: nobody starts or reaches them.
    fn untrusted(config: &Config) -> &BTreeMap<String, Self>;

    /// Where it was first spoken of: whose it is.
    fn source(&self) -> &Source;

    /// Whether it is used.
    fn is_enabled(&self) -> bool;

    /// The program that is started, with its arguments as they are written; `None` where there is none.
    fn program(&self) -> Option<String> {
        None
    }

    /// The address that is reached, if one was given and no program.
    fn url(&self) -> Option<&str>;

    /// What it gets, how it is held, and what is believed of it: a part each.
    fn terms(&self, tell: ValueTeller) -> Vec<String>;

    /// Whether it stands in a file of a project.
    fn is_of_a_project(&self) -> bool {
        matches!(self.source(), Source::Project(..) | Source::Trusted(..))
    }

    /// What is done, and with what: `starts` a command, `reaches` an address without its query; `None` if neither is said.
    fn way(&self) -> Option<(&'static str, String)> {
        let reached = || Some(("reaches", address_without_query(self.url()?)));
        self.program().map(|program| ("starts", program)).or_else(reached)
    }

    /// What trusting the folder that it stands in would do: a verb, and to what. The values of its file are shown: a project's file
    /// is no place for secrets, and what is not shown is not agreed to.
    fn demand(&self, name: &str) -> (&'static str, String) {
        let (verb, way) = match (self.program(), self.url()) {
            // Whole: where a key goes to is part of what is asked.
            (None, Some(url)) => ("reaches", as_word(url)),
            (program, _) => (Self::WORDS.does, program.unwrap_or_default()),
        };
        let terms: String = self.terms(with_values).iter().map(|term| format!("; {term}")).collect();
        (verb, format!("{} {name}: {way}{terms}", Self::WORDS.kind))
    }
}

/// A place in the configuration: of one peer, of a key of it.
pub(crate) fn path<P: Peer>(name: &str, key: &[&str]) -> String {
    let whole = [P::WORDS.table, name].into_iter().chain(key.iter().copied()).map(str::to_owned);
    spelled(&whole.collect::<Vec<_>>())
}
