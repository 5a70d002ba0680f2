//! `list`: what is in a folder, folders first.

use rustix::fs::FileType;
use serde_json::json;
use tokio::sync::mpsc;

use crate::ledger::Summary;
use crate::tool::name::LIST;
use crate::tool::{Shown, SideEffect, ToolSpec};

use super::super::line::in_a_line;
use super::ignored::Excludes;
use super::stop::StopFlag;
use super::target::Target;
use super::tool::{Running, RunningCall, Tool, ToolOutput, spec};
use super::walk::{Walk, WalkEntry};
use super::words::{explain, size};
use super::workspace::Workspace;

pub(super) const MOST_ENTRIES: usize = 500;

/// The tool.
#[derive(Debug)]
pub(super) struct ListTool;

impl Tool for ListTool {
    fn spec(&self) -> ToolSpec {
        spec(
            LIST,
            "Lists one folder: subfolders first, marked with a trailing /, then files with their sizes. \
            Entries hidden by ignore files (.gitignore) are left out unless you list an ignored folder \
            itself.",
            json!({ "path": { "type": "string", "description": "The folder. Default: the workspace." } }),
            &[],
            SideEffect::Reads,
        )
    }

    fn run(&self, call: RunningCall, _output: mpsc::Sender<Shown>) -> Running {
        call.off_thread(|call, stop| run(&call.tools.workspace, &*call.target()?, call.excludes(), stop))
    }
}

/// Does it.
///
/// # Errors
/// A sentence that says what to do instead.
fn run(
    workspace: &Workspace,
    target: &Target,
    excludes: Excludes,
    stop: &StopFlag,
) -> Result<ToolOutput, String> {
    let (text, count) = listing(workspace, target, excludes, stop)?;
    Ok(ToolOutput::summed_up(text, Summary::Words(counted_entries(count))))
}

/// What is in a folder, in words, and how many entries.
///
/// # Errors
/// A sentence that says what to do instead.
pub(super) fn listing(
    workspace: &Workspace,
    target: &Target,
    excludes: Excludes,
    stop: &StopFlag,
) -> Result<(String, usize), String> {
    let shown = &target.shown;
    let left_out = workspace.left_out_below(target, true);
    let mut walk = Walk::of_one(target, left_out, excludes, stop).map_err(|failure| {
        let is_file = target.anchor().and_then(|anchor| anchor.kind()).is_ok_and(|kind| kind.is_file());
        if is_file { format!("`{shown}` is a file; use `read` to see it") } else { explain(shown, &failure) }
    })?;
    let mut entries: Vec<WalkEntry> = walk.by_ref().collect();
    entries.sort_by_key(|entry| entry.kind != FileType::Directory);
    let mut text = format!("{}: {}\n", in_a_line(shown), counted_entries(entries.len()));
    for entry in entries.iter().take(MOST_ENTRIES) {
        text.push_str(&describe(&walk, entry));
        text.push('\n');
    }
    if entries.len() > MOST_ENTRIES {
        let more = entries.len() - MOST_ENTRIES;
        text.push_str(&format!("… {more} more {}\n", if more == 1 { "entry" } else { "entries" }));
    }
    match walk.left_out {
        0 => {}
        hidden => text.push_str(&format!("({} hidden by ignore files)\n", counted_entries(hidden))),
    }
    text.extend(walk.remark());
    Ok((text.trim_end().to_owned(), entries.len()))
}

fn counted_entries(count: usize) -> String {
    if count == 1 { "1 entry".to_owned() } else { format!("{count} entries") }
}

fn describe(walk: &Walk<'_>, entry: &WalkEntry) -> String {
    // A name is one line, whatever is in it.
    let name = in_a_line(&entry.name().to_string_lossy());
    match entry.kind {
        FileType::Directory => format!("{name}/"),
        FileType::Symlink => {
            let leads = walk.link(entry).unwrap_or_default();
            format!("{name} -> {}", in_a_line(&leads.to_string_lossy()))
        }
        FileType::RegularFile => match walk.stat(entry) {
            Ok(stat) => format!("{name}  {}", size(u64::try_from(stat.st_size).unwrap_or_default())),
            Err(_) => name,
        },
        _ => name,
    }
}
