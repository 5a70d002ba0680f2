//! `glob`: files by their names and paths.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use crate::ledger::Arguments;

use super::arguments::required;
use super::filter::Filter;
use super::stop::Stop;
use super::walk::walk;
use super::words::{counted, explain};
use super::workspace::Workspace;

const MOST_SHOWN: usize = 200;
/// Beyond this even counting is no use.
const MOST_COUNTED: usize = 100_000;

/// Does it.
///
/// # Errors
/// A sentence that says what to do instead.
pub(super) fn run(workspace: &Workspace, arguments: &Arguments, stop: &Stop) -> Result<String, String> {
    let pattern = required(arguments, "pattern")?;
    let place = workspace.resolve(arguments.text("path").unwrap_or_default())?;
    let meta = fs::metadata(&place.path).map_err(|failure| explain(&place.shown, &failure))?;
    if !meta.is_dir() {
        return Err(format!("`{}` is a file; `path` is the folder to look in", place.shown));
    }
    let filter = Filter::new(pattern)?;
    let mut found: Vec<(SystemTime, String)> = Vec::new();
    let (mut looked_at, mut unreadable) = (0, 0);
    for entry in walk(&place.path, workspace.left_out_below(&place.path)).build() {
        if stop.is_set() || found.len() >= MOST_COUNTED {
            break;
        }
        let Ok(entry) = entry else {
            unreadable += 1;
            continue;
        };
        if entry.depth() == 0 || entry.file_type().is_none_or(|kind| kind.is_dir()) {
            continue;
        }
        looked_at += 1;
        if is_wanted(&filter, &place.path, workspace, entry.path()) {
            let changed = entry.metadata().ok().and_then(|meta| meta.modified().ok());
            found.push((changed.unwrap_or(SystemTime::UNIX_EPOCH), workspace.show(entry.path())));
        }
    }
    // What was changed last is most likely what is meant; equal times in the order of names.
    found.sort_by(|(one, one_name), (other, other_name)| {
        other.cmp(one).then_with(|| one_name.cmp(other_name))
    });
    Ok(describe(&found, looked_at, unreadable))
}

/// A path is held against the pattern as seen from the folder, and as seen from the workspace: models write both.
fn is_wanted(filter: &Filter, folder: &Path, workspace: &Workspace, path: &Path) -> bool {
    filter.takes(folder, path) || (filter.is_positive() && filter.takes(workspace.root(), path))
}

fn describe(found: &[(SystemTime, String)], looked_at: usize, unreadable: usize) -> String {
    let mut text = match found.len() {
        0 => format!("no file fits, of {} (hidden by ignore files: not counted)", counted(looked_at, "file")),
        MOST_COUNTED => format!("at least {}, newest first", counted(MOST_COUNTED, "file")),
        1 => "1 file".to_owned(),
        count => format!("{count} files, newest first"),
    };
    for (_, path) in found.iter().take(MOST_SHOWN) {
        text.push('\n');
        text.push_str(path);
    }
    if found.len() > MOST_SHOWN {
        text.push_str(&format!("\n… {} more; narrow the pattern or the path", found.len() - MOST_SHOWN));
    }
    if unreadable > 0 {
        text.push_str(&format!("\n({} could not be looked into)", counted(unreadable, "folder")));
    }
    text
}
