//! What an undo did to files, for the books.

use super::CallId;

/// Files are again what they were before a call of the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilesRestored {
    /// The first call that was taken back: with it all later ones that stood.
    pub since: CallId,
    /// The files that have their earlier content again; relative to the session's folder where they lie in it.
    pub restored: Vec<String>,
    /// The files that were not there before, and are gone again.
    pub deleted: Vec<String>,
    /// The files that somebody else changed while a crash had cut the undo off: left alone.
    pub left: Vec<String>,
}

impl FilesRestored {
    /// What was done, in one line: `restored: a.txt, b.txt; deleted: c.txt`.
    pub fn words(&self) -> String {
        let parts = [
            ("restored", &self.restored),
            ("deleted", &self.deleted),
            ("not restored, changed by someone else", &self.left),
        ];
        let said = parts.into_iter().filter(|(_, files)| !files.is_empty());
        let said: Vec<String> = said.map(|(what, files)| format!("{what}: {}", files.join(", "))).collect();
        if said.is_empty() { "nothing had to be changed".to_owned() } else { said.join("; ") }
    }
}
