//! Which session is meant, and where its entries go.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use crate::agent::{Answer, Settings};
use crate::config::fault::{Fault, one_line};
use crate::ledger::{Body, CallId, Entry};
use crate::policy::shell::shell_word;
use crate::runtime::undo::Snapshots;
use crate::runtime::{LocalTools, NoStore, SessionStore, StorePort};
use crate::wire::record::SessionFile;

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
    /// The same, for what a person does in it: no model is asked.
    Unasked(&'c SessionChoice),
    /// The same, of a branch in which a person has decided beforehand about a call.
    Branch(&'c SessionChoice, CallId, &'c Answer),
}

impl Keeping<'_> {
    /// The session that goes on, if one does.
    pub(crate) fn earlier(&self) -> Option<&SessionChoice> {
        match self {
            Self::Earlier(which) | Self::Unasked(which) | Self::Branch(which, ..) => Some(which),
            Self::New | Self::Ephemeral => None,
        }
    }

    /// Whether a model is asked at all.
    pub(crate) fn asks_a_model(&self) -> bool {
        !matches!(self, Self::Unasked(_))
    }

    /// These settings, with what a person has decided beforehand, and whether a model is asked at all.
    pub(crate) fn narrowing(&self, settings: Settings) -> Settings {
        Settings { overruled: self.overruled(), asks_no_model: !self.asks_a_model(), ..settings }
    }

    /// What a person has decided beforehand.
    fn overruled(&self) -> BTreeMap<CallId, Answer> {
        match self {
            Self::Branch(_, call, answer) => BTreeMap::from([(*call, (*answer).clone())]),
            Self::New | Self::Ephemeral | Self::Earlier(_) | Self::Unasked(_) => BTreeMap::new(),
        }
    }

    /// The store of a session that begins.
    ///
    /// # Errors
    /// The id cannot be the name of a file.
    pub(crate) fn new_store(self, state: &Path, id: &str) -> Result<Box<dyn StorePort>, Fault> {
        match self {
            Self::Ephemeral => Ok(Box::new(NoStore)),
            Self::New | Self::Earlier(_) | Self::Unasked(_) | Self::Branch(..) => {
                let store = SessionStore::create(state, id).map_err(|why| Fault::failed(why, ""))?;
                Ok(Box::new(store))
            }
        }
    }

    /// The tools, with what undo needs kept beside the session. What belongs to no session cannot be undone.
    pub(crate) fn with_undo(self, tools: LocalTools, state: &Path, id: &str) -> LocalTools {
        match self {
            Self::Ephemeral => tools,
            Self::New | Self::Earlier(_) | Self::Unasked(_) | Self::Branch(..) => {
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

/// Whether the session in this file is the one of its name, and belongs to the folder `cwd`.
pub(super) fn check_place(cwd: &Path, path: &Path, file: &SessionFile) -> Result<(), Fault> {
    let id = session_id(&file.entries);
    if path.file_stem().is_none_or(|name| name != id.as_str()) {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        return Err(Fault::failed(
            format!("the file of session {name} says that it is session {}", one_line(&id)),
            format!("nothing was changed; `countersign sessions check {}` says more", shell_word(&name)),
        ));
    }
    let folder = match file.entries.first().map(|first| &first.body) {
        Some(Body::SessionStarted(started)) if Path::new(&started.cwd) != cwd => &started.cwd,
        _ => return Ok(()),
    };
    if !Path::new(folder).is_dir() {
        // As the worktree of a lane that is over.
        return Err(Fault::usage(
            format!("session {id} belongs to {folder}, which is not there any more"),
            format!("view it with `countersign inspect {}`", shell_word(&id)),
        ));
    }
    Err(Fault::usage(
        format!("session {id} belongs to {folder}"),
        format!("continue with `countersign -C {} resume {}`", shell_word(folder), shell_word(&id)),
    ))
}

/// The id of the session that has these entries.
pub(super) fn session_id(entries: &[Arc<Entry>]) -> String {
    entries
        .iter()
        .find_map(|e| if let Body::SessionStarted(s) = &e.body { Some(s.session.clone()) } else { None })
        .unwrap_or_default()
}
