//! `write`: a whole file, new or over what was there.

use std::sync::Arc;

use serde_json::json;
use tokio::sync::mpsc;

use crate::ledger::{Arguments, Summary};
use crate::tool::name::WRITE;
use crate::tool::{Preparation, Shown, SideEffect, ToolSpec};

use super::arguments::required;
use super::change::{FileChange, Making, refuse_changed};
use super::editor::Editor;
use super::encoding::Encoding;
use super::file::load;
use super::seen::Seen;
use super::target::Target;
use super::tool::{LookedAt, Running, RunningCall, Tool, ToolOutput, spec};
use super::words::counted;

/// The tool.
#[derive(Debug)]
pub(super) struct WriteTool;

impl Tool for WriteTool {
    fn spec(&self) -> ToolSpec {
        spec(
            WRITE,
            "Writes a whole file: creates it (with missing folders) or replaces the existing one. To change \
            part of a file use edit.",
            json!({
                "path": { "type": "string", "description": "The file." },
                "content": { "type": "string", "description": "Its complete new content." },
            }),
            &["path", "content"],
            SideEffect::Writes,
        )
    }

    fn look(&self, look: LookedAt<'_>, found: &mut Preparation) {
        let LookedAt { tools, invocation, target, stop } = look;
        let planned =
            target.and_then(|target| plan(&target, &tools.seen, &tools.editor, &invocation.arguments));
        found.replaces = planned.as_ref().is_ok_and(|change| change.now.content().is_some());
        if stop.is_set() {
            return;
        }
        FileChange::preview(planned, invocation.call, &tools.seen, found);
    }

    fn run(&self, call: RunningCall, _output: mpsc::Sender<Shown>) -> Running {
        call.off_thread(|call, stop| run(&call.target()?, call.arguments(), &call.making(stop)))
    }
}

/// What the call would change.
///
/// # Errors
/// Why it cannot be done.
fn plan(
    target: &Arc<Target>,
    seen: &Seen,
    editor: &Editor,
    arguments: &Arguments,
) -> Result<FileChange, String> {
    let after = required(arguments, "content")?.to_owned();
    let now = editor.current(target, load(target)?)?;
    if let Some(before) = now.content() {
        refuse_changed(target, before, seen)?;
    }
    Ok(FileChange { target: Arc::clone(target), now, after, encoding: Encoding::Utf8 })
}

/// Does it.
///
/// # Errors
/// Why it was not done.
fn run(target: &Arc<Target>, arguments: &Arguments, making: &Making<'_>) -> Result<ToolOutput, String> {
    let change = plan(target, making.seen, making.editor, arguments)?;
    let remark = change.make(making)?;
    let size =
        format!("{}, {}", counted(change.after.len(), "byte"), counted(change.after.lines().count(), "line"));
    let shown = &change.target.shown;
    let (text, summary) = match change.now.content() {
        None => {
            let lines = counted(change.after.lines().count(), "line");
            (format!("created {shown}: {size}{remark}"), Summary::Words(format!("created, {lines}")))
        }
        Some(_) => {
            let difference = change.difference();
            let (added, removed) = (difference.added, difference.removed);
            let text = format!("wrote {shown}: {size} (+{added} -{removed} lines){remark}");
            (text, difference.summary())
        }
    };
    let facts = change.facts(summary, arguments.text("path").unwrap_or_default());
    Ok(ToolOutput { text, images: Vec::new(), facts })
}
