//! Commands that another tool keeps among its settings: a file each here, which is written where there is none.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use super::found::FoundCommand;
use crate::config::fault::one_line;
use crate::config::reading::{self, Reading};
use crate::runtime::staged;

/// Most bytes of a file that is compared.
const MOST_BYTES: u64 = 1024 * 1024;

/// What is printed of a command: remarks, as all of it is a configuration.
pub(super) fn shown(command: &FoundCommand, folder: &str) -> String {
    let lines =
        command.text.lines().map(|line| format!("#   {}", one_line(line)).trim_end().to_owned() + "\n");
    format!("\n# A file of its own, {folder}/{}:\n{}", command.below.display(), lines.collect::<String>())
}

/// Writes them into the folder of commands: what was written, what stays, and what could not be written, a line each.
pub(super) fn write(commands: &[FoundCommand], folder: &Path, is_project: bool) -> WrittenCommands {
    let mut written = WrittenCommands::default();
    for command in commands {
        let file = folder.join(&command.below);
        let place = one_line(&file.display().to_string());
        match write_one(&command.text, &file, folder, is_project) {
            Ok(true) => written.new.push(format!("/{}: {place}", command.name)),
            Ok(false) => {}
            Err(why) if why.kind() == io::ErrorKind::AlreadyExists => {
                written.kept.push(format!("command {}: {place} stays as it is", command.name));
            }
            Err(why) => written.failed.push(format!("{place}: {why}")),
        }
    }
    written
}

/// What became of the files.
#[derive(Debug, Default)]
pub(super) struct WrittenCommands {
    pub(super) new: Vec<String>,
    pub(super) kept: Vec<String>,
    pub(super) failed: Vec<String>,
}

/// Writes a file where there is none; false: it says this already.
fn write_one(text: &str, file: &Path, folder: &Path, is_project: bool) -> io::Result<bool> {
    let within = file.parent().ok_or(io::ErrorKind::InvalidInput)?;
    // Of a project, a link leads to what is not the project's.
    let mut parts = within.ancestors().take_while(|part| Some(*part) != folder.ancestors().nth(2));
    if is_project && parts.any(Path::is_symlink) {
        return Err(io::Error::other(
            "its folder is a symbolic link: what that leads to is not this project's",
        ));
    }
    if let Reading::Text { text: now, cut: false } = reading::read(file, MOST_BYTES)
        && now == text
    {
        return Ok(false);
    }
    DirBuilder::new().recursive(true).mode(if is_project { 0o755 } else { 0o700 }).create(within)?;
    let fresh = staged(within, text.as_bytes(), if is_project { 0o644 } else { 0o600 })?;
    fresh.persist_noclobber(file).map_err(|failure| failure.error)?;
    Ok(true)
}
