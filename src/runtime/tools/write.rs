//! `write`: a whole file, new or over what was there.

use std::sync::Arc;

use crate::ledger::{Arguments, Summary};

use super::Given;
use super::arguments::required;
use super::change::{Change, Making, refuse_changed};
use super::encoding::Encoding;
use super::file::load;
use super::seen::Seen;
use super::target::Target;
use super::words::counted;

/// What the call would change.
///
/// # Errors
/// Why it cannot be done.
pub(super) fn plan(target: &Arc<Target>, seen: &Seen, arguments: &Arguments) -> Result<Change, String> {
    let after = required(arguments, "content")?.to_owned();
    let before = load(target)?;
    if let Some(before) = &before {
        refuse_changed(target, before, seen)?;
    }
    Ok(Change { target: Arc::clone(target), before, after, encoding: Encoding::Utf8 })
}

/// Does it.
///
/// # Errors
/// Why it was not done.
pub(super) fn run(target: &Arc<Target>, arguments: &Arguments, making: &Making<'_>) -> Result<Given, String> {
    let change = plan(target, making.seen, arguments)?;
    let remark = change.make(making)?.map(|remark| format!("\n{remark}")).unwrap_or_default();
    let size =
        format!("{}, {}", counted(change.after.len(), "byte"), counted(change.after.lines().count(), "line"));
    let shown = &change.target.shown;
    Ok(match change.before {
        None => {
            let lines = counted(change.after.lines().count(), "line");
            Given::summed_up(format!("created {shown}: {size}"), Summary::Words(format!("created, {lines}")))
        }
        Some(_) => {
            let difference = change.difference();
            let (added, removed) = (difference.added, difference.removed);
            let text = format!("wrote {shown}: {size} (+{added} -{removed} lines){remark}");
            Given::summed_up(text, difference.summary())
        }
    })
}
