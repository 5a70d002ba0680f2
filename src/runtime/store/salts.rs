//! Salts of the content fields of a session's lines: whoever reads a redacted document cannot guess what was left out.

use std::fmt;

use ring::digest::{Context, SHA256};
use ring::rand::{SecureRandom as _, SystemRandom};

use crate::wire::record::Salt;

/// Gives salts, each another one. They come from one random secret, which is not kept.
pub struct Salts {
    secret: [u8; 32],
    given: u64,
}

impl Salts {
    /// With a secret of the system.
    ///
    /// # Errors
    /// A sentence: the system gives no random bytes.
    pub fn new() -> Result<Self, String> {
        let mut secret = [0; 32];
        let filled = SystemRandom::new().fill(&mut secret);
        filled.map_err(|_unspecified| "the system gives no random bytes, which sessions need".to_owned())?;
        Ok(Self { secret, given: 0 })
    }

    /// The next one.
    pub fn salt(&mut self) -> Salt {
        self.given += 1;
        let mut hash = Context::new(&SHA256);
        hash.update(&self.secret);
        hash.update(&self.given.to_le_bytes());
        let (hash, mut salt) = (hash.finish(), Salt::default());
        salt.iter_mut().zip(hash.as_ref()).for_each(|(to, from)| *to = *from);
        salt
    }
}

impl fmt::Debug for Salts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Salts").field("given", &self.given).finish_non_exhaustive()
    }
}
