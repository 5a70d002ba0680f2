//! The user's own editor for what is being typed, on a file that nobody else can read.

use std::io;
use std::path::Path;

use tokio::process::Command;

/// Opens the editor on a text and returns what was left in the file; empty when it was emptied.
///
/// # Errors
/// Why there is no new text, in one line: the old one stands.
pub(super) async fn edit(editor: String, folder: std::path::PathBuf, text: String) -> Result<String, String> {
    let failed = |why: io::Error| format!("the editor could not be used: {why}; the text is as it was");
    let private = private_folder().map_err(failed)?;
    let file = private.path().join("message.md");
    write(&file, &text).map_err(failed)?;
    // The variable may hold arguments, as `code --wait` does: a shell takes it apart, as git has it done. Keys that the terminal makes
    // signals of are the editor's: the shell waits for its end, whatever it makes of them.
    let ended = Command::new("sh")
        .args(["-c", &format!("trap : INT QUIT; {editor} \"$1\""), "sh"])
        .arg(&file)
        .current_dir(folder)
        .kill_on_drop(true)
        .status()
        .await
        .map_err(failed)?;
    if !ended.success() {
        return Err(format!("{editor} ended with {ended}; the text is as it was"));
    }
    let edited = std::fs::read_to_string(&file).map_err(failed)?;
    Ok(edited.trim_end().to_owned())
}

#[cfg(unix)]
fn private_folder() -> io::Result<tempfile::TempDir> {
    use std::os::unix::fs::PermissionsExt as _;
    let only_us = std::fs::Permissions::from_mode(0o700);
    tempfile::Builder::new().prefix("countersign-").permissions(only_us).tempdir()
}

#[cfg(not(unix))]
fn private_folder() -> io::Result<tempfile::TempDir> {
    tempfile::Builder::new().prefix("countersign-").tempdir()
}

fn write(file: &Path, text: &str) -> io::Result<()> {
    use std::io::Write as _;
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(file)?.write_all(text.as_bytes())
}
