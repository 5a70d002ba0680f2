//! Which session is meant, and where its entries go.

use std::collections::BTreeMap;
use std::path::Path;

use crate::agent::Answer;
use crate::config::fault::Fault;
use crate::ledger::CallId;
use crate::runtime::undo::Snapshots;
use crate::runtime::{LocalTools, NoStore, SessionStore, StorePort};

/// Names a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionChoice {
    /// The newest of this folder.
    Last,
    /// The one of this id.
    Session(String),
}

impl SessionChoice {
    /// The session that was named, if one was.
    pub fn named(session: Option<String>, last: bool) -> Option<Self> {
        if last { Some(Self::Last) } else { session.map(Self::Session) }
    }
}

/// Where the entries of a session go.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Keeping<'c> {
    /// Into the file of a new session.
    New,
    /// Nowhere: the session ends with the process.
    Ephemeral,
    /// Into the file of an earlier session, which goes on.
    Earlier(&'c SessionChoice),
    /// The same, of a branch in which a person has decided beforehand about a call.
    Branch(&'c SessionChoice, CallId, &'c Answer),
}

impl Keeping<'_> {
    /// The session that goes on, if one does.
    pub(crate) fn earlier(&self) -> Option<&SessionChoice> {
        match self {
            Self::Earlier(which) | Self::Branch(which, ..) => Some(which),
            Self::New | Self::Ephemeral => None,
        }
    }

    /// What a person has decided beforehand.
    pub(crate) fn overruled(&self) -> BTreeMap<CallId, Answer> {
        match self {
            Self::Branch(_, call, answer) => BTreeMap::from([(*call, (*answer).clone())]),
            Self::New | Self::Ephemeral | Self::Earlier(_) => BTreeMap::new(),
        }
    }

    /// The store of a session that begins.
    ///
    /// # Errors
    /// The id cannot be the name of a file.
    pub(crate) fn new_store(self, state: &Path, id: &str) -> Result<Box<dyn StorePort>, Fault> {
        match self {
            Self::Ephemeral => Ok(Box::new(NoStore)),
            Self::New | Self::Earlier(_) | Self::Branch(..) => {
                let store = SessionStore::create(state, id).map_err(|why| Fault::failed(why, ""))?;
                Ok(Box::new(store))
            }
        }
    }

    /// The tools, with what undo needs kept beside the session. What belongs to no session cannot be undone.
    pub(crate) fn with_undo(self, tools: LocalTools, state: &Path, id: &str) -> LocalTools {
        match self {
            Self::Ephemeral => tools,
            Self::New | Self::Earlier(_) | Self::Branch(..) => {
                tools.keeping(Snapshots::of_session(state.to_owned(), id.to_owned()))
            }
        }
    }
}

impl<'c> From<Option<&'c SessionChoice>> for Keeping<'c> {
    fn from(which: Option<&'c SessionChoice>) -> Self {
        which.map_or(Self::New, Self::Earlier)
    }
}
