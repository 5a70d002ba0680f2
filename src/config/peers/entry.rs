//! Peers as they are read from the configuration and written again.

use std::collections::BTreeMap;

use super::super::key::{KeyRow, Member};
use super::super::setting::{Setting, Wrong};
use super::{Config, Peer, Source, Words};

/// A name is a part of the names of tools, of which models take 64 characters.
const LONGEST_NAME: usize = 32;

/// A peer as an entry of its table.
pub(in crate::config) trait Entry: Peer + Clone + PartialEq + 'static {
    /// One of which nothing is said yet, first spoken of there.
    fn new(source: Source) -> Self;

    /// All that were written and are in force.
    fn shown(config: &Config) -> impl Iterator<Item = (&String, &Self)> {
        Self::known(config).iter()
    }

    /// Those in force, to be changed.
    fn known_mut(config: &mut Config) -> &mut BTreeMap<String, Self>;

    /// Those that nobody trusts, to be changed.
    fn untrusted_mut(config: &mut Config) -> &mut BTreeMap<String, Self>;

    /// Whether its name may be this, beyond what holds for all.
    fn takes_name(_name: &str) -> bool {
        true
    }

    /// What a key of the configuration says of one, if it is about this kind.
    fn member(row: &KeyRow) -> Option<&Member<Self>>;

    /// Whether what was said of one goes together.
    ///
    /// # Errors
    /// The sentence with its place.
    fn check(&self, name: &str, config: &Config) -> Result<(), Wrong>;

    /// Whether it does no more than it did before: the same peer, held tighter.
    fn tightens(&self, before: &Self) -> bool;
}

/// Sets one key of one peer.
pub(in crate::config) fn set<P: Entry>(
    config: &mut Config,
    setting: &Setting,
    member: &Member<P>,
) -> Result<(), String> {
    let [name, below @ ..] = setting.names.as_slice() else {
        return Err("has no name".to_owned());
    };
    check_name::<P>(name)?;
    let known = P::known(config).get(name).cloned();
    let mut peer = known.unwrap_or_else(|| P::new(setting.source.clone()));
    member.set(&mut peer, below, &setting.value)?;
    P::known_mut(config).insert(name.clone(), peer);
    Ok(())
}

pub(in crate::config) fn check_name<P: Entry>(name: &str) -> Result<(), String> {
    let Words { possessive, letters, .. } = P::WORDS;
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if name.is_empty() || !name.chars().all(fits) || !P::takes_name(name) {
        return Err(format!("{possessive} name has {letters}"));
    }
    if name.len() > LONGEST_NAME {
        return Err(format!("{possessive} name has at most {LONGEST_NAME} characters"));
    }
    Ok(())
}

/// When all layers are read: whether each can be one.
pub(in crate::config) fn check<P: Entry>(config: &Config) -> Result<(), Wrong> {
    P::known(config).iter().try_for_each(|(name, peer)| peer.check(name, config))
}
