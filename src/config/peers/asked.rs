//! What a project's files say of peers: what tightens the user's own holds always, what starts or reaches one of the
//! project's holds with trust.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use super::super::{Config, apply, setting::Setting, setting::Wrong, source::Source, spelling::spelled};
use super::{Entry, Words};

/// All that a folder's files say of one peer: in a shared file first, then in the project's own.
#[derive(Debug)]
pub(in crate::config) struct PeerSettings<'s, P> {
    name: &'s str,
    settings: Vec<&'s Setting>,
    kind: PhantomData<P>,
}

/// What that comes to.
#[derive(Debug)]
pub(in crate::config) enum Weighed<'s> {
    /// A peer of the project's own, and the configuration with it.
    Defines(Box<Config>),
    /// The peer is somebody else's: the configuration with what tightens it, what that is, and what does not.
    Tightens { after: Box<Config>, taken: Vec<&'s Setting>, refused: Vec<&'s Setting> },
    /// There is no such peer, so there is nothing to tighten.
    Nothing,
}

/// The settings of one folder that are about peers of a kind, by peer.
pub(in crate::config) fn asked<P: Entry>(settings: &[Setting]) -> Vec<PeerSettings<'_, P>> {
    let mut by_name: BTreeMap<&str, Vec<&Setting>> = BTreeMap::new();
    for setting in settings.iter().filter(|setting| P::member(setting.row).is_some()) {
        by_name.entry(setting.names.first().map_or("", String::as_str)).or_default().push(setting);
    }
    by_name.into_iter().map(|(name, settings)| PeerSettings { name, settings, kind: PhantomData }).collect()
}

/// Puts in force what may be; says of the rest why it is not. Returns what is wrong.
pub(in crate::config) fn set_all<P: Entry>(config: &mut Config, settings: &[Setting]) -> Vec<Wrong> {
    let (mut wrongs, mut waiting) = (Vec::new(), Vec::new());
    for asked in asked::<P>(settings) {
        match asked.weigh(config) {
            // The file is shared with programs that may understand it: it stops nobody.
            Err(wrong) if asked.is_shared() => {
                config.warnings.push(format!("{wrong}; the {} is ignored", P::WORDS.noun));
            }
            Err(wrong) => wrongs.push(wrong),
            Ok(Weighed::Nothing) => {}
            Ok(Weighed::Defines(after)) if asked.is_trusted() => *config = *after,
            Ok(Weighed::Defines(after)) => {
                let peer = P::known(&after).get(asked.name).cloned();
                P::untrusted_mut(config).extend(peer.map(|peer| (asked.name.to_owned(), peer)));
                waiting.push(asked);
            }
            Ok(Weighed::Tightens { after, refused, .. }) => {
                let warning = not_yours(P::known(config).get(asked.name), &refused);
                *config = *after;
                config.warnings.extend(warning);
            }
        }
    }
    config.warnings.extend(untrusted(&waiting));
    wrongs
}

/// One sentence for all peers of a kind in a folder that is not trusted.
fn untrusted<P: Entry>(waiting: &[PeerSettings<'_, P>]) -> Option<String> {
    let place = waiting.first()?.settings.first()?.source.place();
    let names: Vec<String> = waiting.iter().map(|asked| format!("`{}`", asked.path())).collect();
    let are = if names.len() == 1 { "is" } else { "are" };
    Some(format!(
        "{place}: {} {are} ignored: a project's file can only tighten unless its folder is trusted; run \
        `countersign trust` there to see what would be {}ed and to decide",
        names.join(", "),
        P::WORDS.verb
    ))
}

/// What a project says about a peer of somebody else's; nothing is said where that is switched off anyway.
fn not_yours<P: Entry>(known: Option<&P>, refused: &[&Setting]) -> Option<String> {
    let Words { noun, tighter, .. } = P::WORDS;
    let (known, place) = (known.filter(|known| known.is_enabled())?, refused.first()?.source.place());
    let paths: Vec<String> = refused.iter().map(|setting| format!("`{}`", setting.path)).collect();
    let are = if paths.len() == 1 { "is" } else { "are" };
    let owner = if known.is_of_a_project() { "another folder's" } else { "yours" };
    Some(format!(
        "{place}: {} {are} ignored: the {noun} is {owner} ({}), and a project's file can only tighten it, \
        trusted or not: {tighter}; give another {noun} another name",
        paths.join(", "),
        known.source().place()
    ))
}

impl<'s, P: Entry> PeerSettings<'s, P> {
    /// What it would do to the configuration.
    ///
    /// # Errors
    /// The first wrong value, with its place; what does not go together.
    pub(in crate::config) fn weigh(&self, config: &Config) -> Result<Weighed<'s>, Wrong> {
        if P::known(config).contains_key(self.name) {
            return self.tightened(config);
        }
        let mut after = config.clone();
        for setting in &self.settings {
            apply::set(&mut after, setting)?;
        }
        let Some(peer) = P::known(&after).get(self.name) else { return Ok(Weighed::Nothing) };
        if peer.tightens(&P::new(peer.source().clone())) {
            return Ok(Weighed::Nothing);
        }
        peer.check(self.name, &after)?;
        Ok(Weighed::Defines(Box::new(after)))
    }

    fn tightened(&self, config: &Config) -> Result<Weighed<'s>, Wrong> {
        let mut after = Box::new(config.clone());
        let (mut taken, mut refused) = (Vec::new(), Vec::new());
        for setting in &self.settings {
            let mut next = after.clone();
            apply::set(&mut next, setting)?;
            let known = (P::known(&after).get(self.name), P::known(&next).get(self.name));
            let (Some(before), Some(peer)) = known else { continue };
            match (peer == before, peer.tightens(before)) {
                // It is so already.
                (true, _) => {}
                (false, true) => {
                    after = next;
                    taken.push(*setting);
                }
                (false, false) => refused.push(*setting),
            }
        }
        Ok(Weighed::Tightens { after, taken, refused })
    }

    /// The peer's name, as it was written.
    pub(in crate::config) fn name(&self) -> &'s str {
        self.name
    }

    /// Where it is first spoken of.
    pub(in crate::config) fn place(&self) -> String {
        self.settings.first().map_or_else(String::new, |setting| setting.source.place())
    }

    /// Whether a part of it stands in the file that is shared with other programs.
    pub(in crate::config) fn is_shared(&self) -> bool {
        P::WORDS
            .shared_table
            .is_some_and(|table| self.settings.iter().any(|setting| setting.path.starts_with(table)))
    }

    fn is_trusted(&self) -> bool {
        self.settings.iter().all(|setting| matches!(setting.source, Source::Trusted(..)))
    }

    fn path(&self) -> String {
        let table = P::WORDS.shared_table.filter(|_| self.is_shared()).unwrap_or(P::WORDS.table);
        spelled(&[table, self.name].map(str::to_owned))
    }
}
