//! `list`: what is in a folder, folders first.

use std::fs;

use ignore::DirEntry;

use crate::ledger::Arguments;

use super::stop::Stop;
use super::walk::walk;
use super::words::{explain, size};
use super::workspace::Workspace;

const MOST_ENTRIES: usize = 500;

/// Does it.
///
/// # Errors
/// A sentence that says what to do instead.
pub(super) fn run(workspace: &Workspace, arguments: &Arguments, stop: &Stop) -> Result<String, String> {
    let place = workspace.resolve(arguments.text("path").unwrap_or_default())?;
    let shown = &place.shown;
    let there = fs::read_dir(&place.path).map_err(|failure| {
        if place.path.is_file() {
            return format!("`{shown}` is a file; use `read` to see it");
        }
        explain(shown, &failure)
    })?;
    let left_out = workspace.left_out_below(&place.path);
    let there = there.take_while(|_| !stop.is_set()).filter_map(Result::ok);
    let there = there.filter(|entry| !left_out.hides(&entry.path())).count();
    let mut entries: Vec<DirEntry> = walk(&place.path, left_out)
        .max_depth(Some(1))
        .build()
        .take_while(|_| !stop.is_set())
        .filter_map(Result::ok)
        .filter(|entry| entry.depth() > 0)
        .collect();
    entries.sort_by_key(|entry| !is_folder(entry));
    let mut text = format!("{shown}: {}\n", counted_entries(entries.len()));
    for entry in entries.iter().take(MOST_ENTRIES) {
        text.push_str(&describe(entry));
        text.push('\n');
    }
    if entries.len() > MOST_ENTRIES {
        text.push_str(&format!("… {} more entries\n", entries.len() - MOST_ENTRIES));
    }
    match there.saturating_sub(entries.len()) {
        0 => {}
        hidden => text.push_str(&format!("({} hidden by ignore files)\n", counted_entries(hidden))),
    }
    Ok(text.trim_end().to_owned())
}

fn counted_entries(count: usize) -> String {
    if count == 1 { "1 entry".to_owned() } else { format!("{count} entries") }
}

fn is_folder(entry: &DirEntry) -> bool {
    entry.file_type().is_some_and(|kind| kind.is_dir())
}

fn describe(entry: &DirEntry) -> String {
    let name = entry.file_name().to_string_lossy();
    if is_folder(entry) {
        return format!("{name}/");
    }
    if entry.path_is_symlink() {
        let target = entry.path().read_link().map(|target| target.display().to_string());
        return format!("{name} -> {}", target.unwrap_or_default());
    }
    match entry.metadata() {
        Ok(meta) if meta.is_file() => format!("{name}  {}", size(meta.len())),
        _ => name.into_owned(),
    }
}
