//! Branches of a session, as front ends ask for them and are told of them: what is to go otherwise, where that goes on, the tree of
//! branches, and two sessions side by side.

use std::path::PathBuf;

use crate::agent::{Answer, Intent};
use crate::ledger::{CallId, EntryId};

/// What is to go otherwise, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BranchWish {
    /// A message, or an entry about a call that was decided about.
    pub entry: EntryId,
    /// What is otherwise there.
    pub otherwise: Otherwise,
}

/// What is otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Otherwise {
    /// The call is denied, with a reason for the model.
    Deny(String),
    /// The call is allowed.
    Allow,
    /// The call has these arguments, or the message these words.
    Edit(String),
    /// The message goes to this model.
    Model(String),
}

/// How `/whatif` is used.
const WHATIF: &str = "/whatif takes an entry and what to change: deny REASON, allow, edit TEXT or model NAME, as in /whatif e41 deny use the API";

impl BranchWish {
    /// Reads what stands behind `/whatif`.
    ///
    /// # Errors
    /// How it is used.
    pub fn read(words: &str) -> Result<Self, String> {
        let mut parts = words.splitn(3, char::is_whitespace);
        let entry = parts.next().and_then(EntryId::parse);
        let (verb, rest) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default().trim());
        let otherwise = match (verb, rest) {
            ("deny", reason) => Otherwise::Deny(reason.to_owned()),
            ("allow", "") => Otherwise::Allow,
            ("edit", text) if !text.is_empty() => Otherwise::Edit(text.to_owned()),
            ("model", name) if !name.is_empty() && !name.contains(char::is_whitespace) => {
                Otherwise::Model(name.to_owned())
            }
            _ => return Err(WHATIF.to_owned()),
        };
        entry.map(|entry| Self { entry, otherwise }).ok_or_else(|| WHATIF.to_owned())
    }
}

/// A branch that was made, and how it goes on.
#[derive(Debug, Clone, PartialEq)]
pub struct BranchStart {
    /// Its session.
    pub id: String,
    /// Its folder.
    pub folder: PathBuf,
    /// What is wanted first.
    pub first: Option<Intent>,
    /// What was decided about a call that nobody had been asked about.
    pub decided: Option<(CallId, Answer)>,
    /// The model that answers, if another one does.
    pub model: Option<String>,
    /// What to know beside it.
    pub remarks: Vec<String>,
}

/// A session in the tree of branches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BranchRow {
    /// Its id.
    pub id: String,
    /// How far below the first session it stands.
    pub depth: usize,
    /// The last entry that it has of the session above it; empty: it is the first.
    pub at: String,
    /// When it began, how it ended, what it is called.
    pub words: String,
    /// Whether it is the session that is open.
    pub is_own: bool,
}

/// This session beside another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SideBySide {
    /// The other one.
    pub id: String,
    /// What each of them has, in order; what only one has stands alone.
    pub rows: Vec<(Option<String>, Option<String>)>,
}

impl SideBySide {
    /// Rows that are not the same on both sides.
    pub fn differing(&self) -> usize {
        self.rows.iter().filter(|(one, other)| one != other).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_says_what_is_otherwise() {
        let read = |words: &str| BranchWish::read(words).map(|wish| (wish.entry.to_string(), wish.otherwise));
        assert_eq!(read("e4 deny use the API"), Ok(("e4".into(), Otherwise::Deny("use the API".into()))));
        assert_eq!(read("e4 deny"), Ok(("e4".into(), Otherwise::Deny(String::new()))));
        assert_eq!(read("e4 allow"), Ok(("e4".into(), Otherwise::Allow)));
        assert_eq!(read("e2 edit one\ntwo"), Ok(("e2".into(), Otherwise::Edit("one\ntwo".into()))));
        assert_eq!(read("e2 model a/b"), Ok(("e2".into(), Otherwise::Model("a/b".into()))));
        for wrong in ["", "e4", "4 allow", "e4 allow it", "e4 edit", "e4 model", "e4 model a b", "deny e4"] {
            assert_eq!(read(wrong), Err(WHATIF.to_owned()), "{wrong}");
        }
    }
}
