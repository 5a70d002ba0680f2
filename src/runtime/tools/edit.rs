//! `edit`: texts replaced in one file, all of them or none.

use std::sync::Arc;

use serde_json::json;
use tokio::sync::mpsc;

use crate::ledger::Arguments;
use crate::tool::name::EDIT;
use crate::tool::{Preparation, Shown, SideEffect, ToolSpec};

use super::change::{FileChange, Making, refuse_changed};
use super::editor::Editor;
use super::encoding::Encoding;
use super::file::load;
use super::replace::{Replaced, apply, edits};
use super::seen::Seen;
use super::stop::StopFlag;
use super::target::Target;
use super::tool::{LookedAt, Running, RunningCall, Tool, ToolOutput, spec};
use super::words::counted;

/// The tool.
#[derive(Debug)]
pub(super) struct EditTool;

impl Tool for EditTool {
    fn spec(&self) -> ToolSpec {
        spec(
            EDIT,
            "Changes a file by replacing exact texts. Each old_text must occur exactly once (give enough of the lines \
             around it), or set all to replace every occurrence. The edits are applied in order, each to the result of \
             the one before; if one does not fit, none is made. White space matters. Fails if the file \
             changed since you \
             read it.",
            json!({
                "path": { "type": "string", "description": "The file." },
                "edits": {
                    "type": "array",
                    "minItems": 1,
                    "items": {
                        "type": "object",
                        "properties": {
                            "old_text": { "type": "string", "minLength": 1, "description": "The text exactly as in the file, without line numbers." },
                            "new_text": { "type": "string", "description": "What replaces it; empty to delete it." },
                            "all": { "type": "boolean", "description": "Replace every occurrence. Default false." },
                        },
                        "required": ["old_text", "new_text"],
                        "additionalProperties": false,
                    },
                },
            }),
            &["path", "edits"],
            SideEffect::Writes,
        )
    }

    fn look(&self, look: LookedAt<'_>, found: &mut Preparation) {
        let LookedAt { tools, invocation, target, stop } = look;
        let planned = target
            .and_then(|target| planned(&target, &tools.seen, &tools.editor, &invocation.arguments, stop))
            .map(|(change, _)| change);
        // What nobody waits for any more says nothing of the call.
        if stop.is_set() {
            return;
        }
        FileChange::preview(planned, invocation.call, &tools.seen, found);
    }

    fn run(&self, call: RunningCall, _output: mpsc::Sender<Shown>) -> Running {
        call.off_thread(|call, stop| run(&call.target()?, call.arguments(), &call.making(stop)))
    }
}

/// Does it.
///
/// # Errors
/// Why it was not done.
fn run(target: &Arc<Target>, arguments: &Arguments, making: &Making<'_>) -> Result<ToolOutput, String> {
    let (change, replaced) = planned(target, making.seen, making.editor, arguments, making.stop)?;
    let remark = change.make(making)?;
    let difference = change.difference();
    let places: Vec<String> = replaced.lines.iter().map(usize::to_string).collect();
    let more = if replaced.count > places.len() { ", …" } else { "" };
    let text = format!(
        "edited {}: {} at line {}{more} (+{} -{} lines){remark}",
        change.target.shown,
        counted(replaced.count, "replacement"),
        places.join(", "),
        difference.added,
        difference.removed,
    );
    let facts = change.facts(difference.summary(), arguments.text("path").unwrap_or_default());
    Ok(ToolOutput { text, images: Vec::new(), facts })
}

/// What the call would change, and where.
///
/// # Errors
/// Why it cannot be done.
fn planned(
    target: &Arc<Target>,
    seen: &Seen,
    editor: &Editor,
    arguments: &Arguments,
    stop: &StopFlag,
) -> Result<(FileChange, Replaced), String> {
    let shown = &target.shown;
    let edits = edits(arguments)?;
    let now = editor.current(target, load(target)?)?;
    let before = now.content().ok_or_else(|| {
        format!("`{shown}` does not exist; use `write` to create it, or `search` to find it")
    })?;
    refuse_changed(target, before, seen)?;
    let encoding = Encoding::of(before);
    let text = encoding.decode(before).map_err(|line| {
        format!(
            "`{shown}` is not valid {} (line {line}); perhaps it is Latin-1: an edit could damage it; use `shell` with \
             sed, or with iconv first",
            encoding.name()
        )
    })?;
    let (after, replaced) =
        apply(&text, &edits, stop).map_err(|why| format!("{why}\n`{shown}` was not changed."))?;
    Ok((FileChange { target: Arc::clone(target), now, after, encoding }, replaced))
}
