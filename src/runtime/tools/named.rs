//! Files that a person names in a message: the path is resolved once, and what it led to is opened.

use std::fs::File;
use std::io;
use std::path::Path;

use super::target::Target;
use super::workspace::Workspace;

/// Opens the regular file that a person has named from `folder`, an absolute path; `~` is `home`. `None` when there is
/// none. Never waits.
///
/// What is named outside of the folder is opened there. What is written as a path in the folder must lie in it: a link of
/// it that leads out was not named by anybody.
///
/// # Errors
/// Why it is not opened, as in "it leads to /x, out of the folder".
pub fn open_named(folder: &Path, home: Option<&Path>, name: &str) -> Result<Option<File>, String> {
    let workspace = Workspace::new(folder.to_owned(), home.map(Path::to_owned));
    let target = Target::of(&workspace, name)?;
    let root = workspace.root();
    if workspace.as_written(name).starts_with(root) && !target.path.starts_with(root) {
        return Err(format!(
            "it leads to {}, outside the folder; use that path if you mean it",
            target.path.display()
        ));
    }
    let anchor = match target.anchor() {
        Err(failure) if failure.kind() == io::ErrorKind::NotFound => return Ok(None),
        anchor => anchor.map_err(|failure| failure.to_string())?,
    };
    let no_file = || Err("it is not a regular file".to_owned());
    match anchor.kind() {
        Err(failure) if failure.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(failure) => return Err(failure.to_string()),
        Ok(kind) if !kind.is_file() => return no_file(),
        Ok(_) => {}
    }
    let file = anchor.open().map_err(|failure| failure.to_string())?;
    match file.metadata() {
        Ok(meta) if meta.is_file() => Ok(Some(file)),
        Ok(_) => no_file(),
        Err(failure) => Err(failure.to_string()),
    }
}
