//! How files are called that are written beside their places: by whose they are, so that what a killed process left there is told from
//! what another one is writing just now.

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt as _;

use ring::digest::{Context, SHA256};

use crate::ledger::CallId;

/// How the name of such a file begins; 32 hexadecimal digits follow.
pub(crate) const STAGED: &str = ".countersign-";
/// Bytes of a hash that stand in a name: as many as a random name has.
const BYTES: usize = 16;

/// Whose a file is that is written beside its place.
#[derive(Debug, Clone, Copy)]
pub(in crate::runtime) struct StagedBy<'a> {
    /// The session.
    pub(in crate::runtime) session: &'a str,
    /// Its call; `None`: an undo of it.
    pub(in crate::runtime) call: Option<CallId>,
}

impl StagedBy<'_> {
    /// What it is called beside the file of this name, which lies in the same folder.
    pub(in crate::runtime) fn beside(&self, name: &OsStr) -> OsString {
        let call = self.call.map(|call| call.to_string()).unwrap_or_default();
        let mut hash = Context::new(&SHA256);
        for part in [self.session.as_bytes(), call.as_bytes(), name.as_bytes()] {
            hash.update(part);
            // None of them has this byte, so no two are the same in a row.
            hash.update(&[0]);
        }
        let mut staged = STAGED.to_owned();
        for byte in hash.finish().as_ref().iter().take(BYTES) {
            // Writing into a String cannot fail.
            write!(staged, "{byte:02x}").unwrap_or_default();
        }
        staged.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_other_session_call_or_file_has_the_same_name() {
        let name = |session, call, file: &str| StagedBy { session, call }.beside(OsStr::new(file));
        let one = name("s1", Some(CallId(1)), "a");
        assert_eq!(one.len(), STAGED.len() + 32);
        assert_eq!(one, name("s1", Some(CallId(1)), "a"));
        let others = [
            name("s2", Some(CallId(1)), "a"),
            name("s1", Some(CallId(2)), "a"),
            name("s1", None, "a"),
            name("s1", Some(CallId(1)), "b"),
        ];
        assert!(!others.contains(&one));
    }
}
