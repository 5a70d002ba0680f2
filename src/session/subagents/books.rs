//! The books of a sub-agent, whose file is made before its first entry.

use std::path::Path;

use crate::runtime::{NoStore, SessionStore, StorePort};
use crate::session::moment::now;

/// None: they are not kept.
pub(super) struct Books(Option<SessionStore>);

impl Books {
    /// Those of this session.
    ///
    /// # Errors
    /// A sentence, when the session's id could not be the name of a file.
    pub(super) fn of(state: &Path, session: &str, is_kept: bool) -> Result<Self, String> {
        let kept = is_kept.then(|| SessionStore::create(state, session)).transpose()?;
        Ok(Self(kept.map(|store| store.made_ahead(now()))))
    }

    /// Where the driver keeps them. May wait for the disk.
    pub(super) fn port(self) -> Box<dyn StorePort> {
        match self.0 {
            Some(store) => Box::new(store.named_ahead()),
            None => Box::new(NoStore),
        }
    }
}
