//! `glob`: files by their names and paths.

use std::path::Path;

use rustix::fs::FileType;
use serde_json::json;
use tokio::sync::mpsc;

use crate::ledger::Arguments;
use crate::tool::{Shown, SideEffect, ToolSpec};

use super::super::line::in_a_line;
use super::arguments::required;
use super::filter::Filter;
use super::ignored::Excludes;
use super::stop::StopFlag;
use super::target::Target;
use super::tool::{Running, RunningCall, Tool, ToolOutput, spec};
use super::walk::Walk;
use super::words::{counted, explain};
use super::workspace::Workspace;

const MOST_SHOWN: usize = 200;
/// Beyond this even counting is no use.
const MOST_COUNTED: usize = 100_000;

/// When a file was changed: seconds, and billionths of one.
type Changed = (i128, i128);

/// The tool.
#[derive(Debug)]
pub(super) struct GlobTool;

impl Tool for GlobTool {
    fn spec(&self) -> ToolSpec {
        spec(
            "glob",
            "Finds files by name or path. Returns their paths, newest first. `*.rs` matches names in any \
            folder, `src/**/*.rs` matches paths. Files hidden by ignore files (.gitignore) are left out. \
            Prefer it to find in the shell; for contents use \
             search.",
            json!({
                "pattern": { "type": "string", "minLength": 1, "description": "The glob: `*`, `**`, `?`, `[a-z]`, `{ts,tsx}`; `!` in front for all but these." },
                "path": { "type": "string", "description": "The folder to look in. Default: the workspace." },
            }),
            &["pattern"],
            SideEffect::Reads,
        )
    }

    fn run(&self, call: RunningCall, _output: mpsc::Sender<Shown>) -> Running {
        call.off_thread(|call, stop| {
            run(&call.tools.workspace, &*call.target()?, call.excludes(), call.arguments(), stop)
                .map(ToolOutput::from)
        })
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
    arguments: &Arguments,
    stop: &StopFlag,
) -> Result<String, String> {
    let pattern = required(arguments, "pattern")?;
    let kind = target.anchor().and_then(|anchor| anchor.kind());
    if kind.map_err(|failure| explain(&target.shown, &failure))? != FileType::Directory {
        return Err(format!("`{}` is a file; `path` is the folder to look in", target.shown));
    }
    let filter = Filter::new(pattern)?;
    let left_out = workspace.left_out_below(target, true);
    let mut walk = Walk::through(target, left_out, excludes, stop)
        .map_err(|failure| explain(&target.shown, &failure))?;
    let mut found: Vec<(Changed, String)> = Vec::new();
    let mut looked_at = 0;
    while let Some(entry) = walk.next() {
        if found.len() >= MOST_COUNTED {
            break;
        }
        if entry.kind == FileType::Directory {
            continue;
        }
        looked_at += 1;
        let path = walk.path(&entry);
        if is_wanted(&filter, &target.path, workspace, &path) {
            let changed =
                walk.stat(&entry).map(|stat| (i128::from(stat.st_mtime), i128::from(stat.st_mtime_nsec)));
            found.push((changed.unwrap_or_default(), workspace.show(&path)));
        }
    }
    // What was changed last is most likely what is meant; equal times in the order of names.
    found.sort_by(|(one, one_name), (other, other_name)| {
        other.cmp(one).then_with(|| one_name.cmp(other_name))
    });
    let mut text = describe(&found, looked_at, walk.unreadable);
    text.extend(walk.remark().map(|remark| format!("\n{remark}")));
    Ok(text)
}

/// A path is held against the pattern as seen from the folder, and as seen from the workspace: models write both.
fn is_wanted(filter: &Filter, folder: &Path, workspace: &Workspace, path: &Path) -> bool {
    filter.takes(folder, path) || (filter.is_positive() && filter.takes(workspace.root(), path))
}

fn describe(found: &[(Changed, String)], looked_at: usize, unreadable: usize) -> String {
    let mut text = match found.len() {
        0 => format!(
            "no match among {} (files hidden by ignore files are not \
            counted)",
            counted(looked_at, "file")
        ),
        MOST_COUNTED => format!("at least {}, newest first", counted(MOST_COUNTED, "file")),
        1 => "1 file".to_owned(),
        count => format!("{count} files, newest first"),
    };
    for (_, path) in found.iter().take(MOST_SHOWN) {
        text.push('\n');
        text.push_str(&in_a_line(path));
    }
    if found.len() > MOST_SHOWN {
        text.push_str(&format!("\n… {} more; narrow the pattern or the path", found.len() - MOST_SHOWN));
    }
    if unreadable > 0 {
        text.push_str(&format!("\n({} could not be read)", counted(unreadable, "folder")));
    }
    text
}
