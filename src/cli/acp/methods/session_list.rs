//! `session/list`: the sessions of a folder, or of all, newest first, a page at a time.

use std::path::Path;

use chrono::{DateTime, SecondsFormat, Utc};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::cli::acp::rpc::{self, RpcError};
use crate::runtime::store::{Summary, list};
use crate::session::other_sessions::first_words;

/// The method.
pub(in crate::cli::acp) const METHOD: &str = "session/list";
/// Sessions of a page.
const PAGE: usize = 100;
/// Characters of a title.
pub(in crate::cli::acp) const TITLE: usize = 120;

/// What is asked for.
#[derive(Debug, Deserialize)]
pub(in crate::cli::acp) struct ListParams {
    #[serde(default)]
    cwd: Option<String>,
    #[serde(default)]
    cursor: Option<String>,
}

/// What is asked for.
///
/// # Errors
/// -32602, in words.
pub(in crate::cli::acp) fn read(params: Value) -> Result<ListParams, RpcError> {
    let wanted: ListParams = rpc::params(params)?;
    if wanted.cwd.as_ref().is_some_and(|cwd| !Path::new(cwd).is_absolute()) {
        return Err(RpcError::params("cwd is not absolute"));
    }
    Ok(wanted)
}

impl ListParams {
    /// The page, and the ids of its sessions.
    ///
    /// # Errors
    /// A cursor that is none.
    pub(in crate::cli::acp) fn page(&self, state: &Path) -> Result<(Value, Vec<String>), RpcError> {
        let from = match &self.cursor {
            None => 0,
            Some(cursor) => {
                let at = cursor.parse::<usize>();
                at.map_err(|_no_number| RpcError::params("the cursor is not one that was handed out"))?
            }
        };
        // A folder that cannot be found has no sessions.
        let folder =
            self.cwd.as_ref().map(|cwd| Path::new(cwd).canonicalize().unwrap_or_else(|_| cwd.into()));
        let all = list(state).sessions.into_iter();
        let is_meant = |one: &Summary| {
            let is_here = folder.as_ref().is_none_or(|folder| Path::new(&one.cwd) == folder);
            is_here && Path::new(&one.cwd).is_absolute() && !one.first_message.is_empty()
        };
        let mut meant = all.filter(is_meant).skip(from);
        let page: Vec<Summary> = meant.by_ref().take(PAGE).collect();
        let ids = page.iter().map(|one| one.id.clone()).collect();
        let sessions: Vec<Value> = page.iter().map(described).collect();
        let mut result = json!({ "sessions": sessions });
        if let (Some(_), Some(members)) = (meant.next(), result.as_object_mut()) {
            members.insert("nextCursor".to_owned(), (from + PAGE).to_string().into());
        }
        Ok((result, ids))
    }
}

fn described(one: &Summary) -> Value {
    let changed = std::fs::metadata(&one.path).and_then(|found| found.modified()).ok();
    let changed = changed.map(|at| DateTime::<Utc>::from(at).to_rfc3339_opts(SecondsFormat::Secs, true));
    json!({
        "sessionId": one.id,
        "cwd": one.cwd,
        "title": first_words(one.title(), TITLE),
        "updatedAt": changed,
        "_meta": { "countersign/ending": one.ending },
    })
}
