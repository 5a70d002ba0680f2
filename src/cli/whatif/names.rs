//! What folders and sessions are called where two histories are compared.

use std::sync::Arc;

use crate::config::Invocation;
use crate::ledger::{Body, Entry};

/// The folder and the home as words, for what is compared.
pub(super) fn names(invocation: &Invocation, file: &[Arc<Entry>]) -> Vec<(String, &'static str)> {
    let mut names = vec![(invocation.cwd.to_string_lossy().into_owned(), "FOLDER")];
    if let Some(Body::SessionStarted(started)) = file.first().map(|entry| &entry.body) {
        names.extend([(started.session.clone(), "SESSION"), (started.cwd.clone(), "FOLDER")]);
    }
    names
}
