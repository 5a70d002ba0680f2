//! The image on the system's clipboard, as a helper program prints it: within a time and a size.

use std::ffi::OsString;
use std::io::{ErrorKind, Read as _};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};

use crate::config::fault::one_line;
use crate::config::kept_files::KeptFiles;
use crate::ledger::Image;

/// A helper hands over what is there already.
const PATIENCE: Duration = Duration::from_secs(5);

/// What is read of a helper's complaint at most, in bytes; and shown of its first line, in characters.
const MOST_COMPLAINT: u64 = 4_096;
const MOST_SHOWN: usize = 200;
/// A helper that has ended has complained before.
const PATIENCE_FOR_COMPLAINT: Duration = Duration::from_millis(500);

/// Programs that print the clipboard's image, each with the variable without which it cannot work.
const HELPERS: [(&str, &str, &[&str]); 3] = [
    ("WAYLAND_DISPLAY", "wl-paste", &["--no-newline", "--type", "image/png"]),
    ("DISPLAY", "xclip", &["-selection", "clipboard", "-target", "image/png", "-out"]),
    ("PATH", "pngpaste", &["-"]),
];

/// Takes images from the clipboard.
#[derive(Debug, Clone, Default)]
pub(super) struct Clipboard {
    /// What the helpers get.
    environment: Arc<Vec<(OsString, OsString)>>,
    /// Where the images are until the program ends.
    pub(super) folder: KeptFiles,
}

impl Clipboard {
    /// Its helpers get this environment, and its images come into this folder.
    pub(super) fn new(environment: Vec<(OsString, OsString)>, folder: KeptFiles) -> Self {
        Self { environment: Arc::new(environment), folder }
    }

    /// Puts the clipboard's image into a file of its own.
    ///
    /// # Errors
    /// A sentence: why there is none.
    pub(super) fn image(&self) -> Result<PathBuf, String> {
        let bytes = printed(&self.environment, PATIENCE)?;
        self.folder
            .keep(&bytes, Image::CLIPBOARD_FOLDER, ("pasted-", ".png"))
            .map_err(|why| format!("the image on the clipboard cannot be written to a file: {why}"))
    }
}

/// What the first helper prints that this system has.
fn printed(environment: &[(OsString, OsString)], patience: Duration) -> Result<Vec<u8>, String> {
    let is_set = |wanted: &str| environment.iter().any(|(name, value)| name == wanted && !value.is_empty());
    for (needs, program, arguments) in HELPERS {
        if !is_set(needs) {
            continue;
        }
        let mut command = Command::new(program);
        command.args(arguments).env_clear().envs(environment.iter().cloned());
        // A group of its own, so that all of it can be ended.
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        match command.spawn() {
            Ok(child) => return heard(program, child, patience),
            Err(why) if why.kind() == ErrorKind::NotFound => {}
            Err(why) => return Err(format!("{program} could not be started: {why}")),
        }
    }
    Err(none_found(HELPERS.iter().any(|(needs, ..)| *needs != "PATH" && is_set(needs))))
}

/// Why no helper printed anything. Over a plain terminal connection no program could, whatever is installed.
fn none_found(is_graphical: bool) -> String {
    let install = "no program here prints the clipboard's image: install wl-clipboard (Wayland), xclip (X11) or pngpaste (macOS)";
    if is_graphical || cfg!(target_os = "macos") {
        return install.to_owned();
    }
    "there is no graphical session here (neither WAYLAND_DISPLAY nor DISPLAY is set), so no clipboard with images: copy the \
     image into a file and name it with @"
        .to_owned()
}

/// Reads what a helper prints until it ends.
fn heard(program: &str, mut child: Child, patience: Duration) -> Result<Vec<u8>, String> {
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let end = || {
        if let Some(group) = group {
            // It may have ended just now.
            kill_process_group(group, Signal::KILL).unwrap_or_default();
        }
    };
    let (complain, complained) = mpsc::channel();
    let errors = child.stderr.take();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(errors) = errors {
            drop(errors.take(MOST_COMPLAINT).read_to_end(&mut bytes));
        }
        complain.send(bytes).unwrap_or_default();
    });
    let (tell, told) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // A byte more than is taken shows that there is more.
        let read = child.stdout.take().map(|out| out.take(Image::MOST_BYTES + 1).read_to_end(&mut bytes));
        let is_over = bytes.len() as u64 > Image::MOST_BYTES;
        // One that prints on is ended by whoever hears of it. How another one ends says whether it has printed all.
        let ended = if is_over { None } else { child.wait().ok() };
        tell.send(read.transpose().map(|_count| (is_over, bytes, ended))).unwrap_or_default();
        drop(child.wait());
    });
    let heard = told.recv_timeout(patience);
    // Nothing that it started is needed any more, however it went.
    end();
    let why = || {
        let bytes = complained.recv_timeout(PATIENCE_FOR_COMPLAINT).unwrap_or_default();
        complaint(&String::from_utf8_lossy(&bytes))
    };
    match heard {
        Ok(Ok((true, ..))) => {
            let most = Image::MOST_BYTES / 100_000;
            Err(format!(
                "the image on the clipboard is larger than {}.{} MB: copy a part of it",
                most / 10,
                most % 10
            ))
        }
        // One says so that it found none, another that it could not look.
        Ok(Ok((false, bytes, _))) if bytes.is_empty() => Err(match why() {
            Some(why) => format!("{program} printed no image: {why}"),
            None => "there is no image on the clipboard".to_owned(),
        }),
        Ok(Ok((false, _, Some(ended)))) if !ended.success() => {
            let why = why().map_or_else(String::new, |why| format!(" ({why})"));
            Err(format!("{program} failed before it had printed all of the image{why}: nothing was pasted"))
        }
        Ok(Ok((false, bytes, _))) => Ok(bytes),
        Ok(Err(why)) => Err(format!("what {program} prints could not be read: {why}")),
        Err(_elapsed) => {
            Err(format!("{program} did not finish within {} s: nothing was pasted", patience.as_secs()))
        }
    }
}

/// The first line of what a helper complained of.
fn complaint(said: &str) -> Option<String> {
    let line = said.lines().map(str::trim).find(|line| !line.is_empty())?;
    let shown: String = line.chars().take(MOST_SHOWN).collect();
    let rest = if shown.len() < line.len() { "…" } else { "" };
    Some(format!("{}{rest}", one_line(&shown)))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use tempfile::TempDir;

    use super::*;

    /// A system with these helpers, and the variables of a graphical session.
    fn system(helpers: &[(&str, &str)], display: &str) -> (TempDir, Vec<(OsString, OsString)>) {
        let folder = TempDir::new().unwrap();
        for (name, script) in helpers {
            let path = folder.path().join(name);
            // A child writes it, since a file that this process has open may be busy for another test's children.
            let text = format!("#!/bin/sh\nPATH=/bin:/usr/bin\n{script}\n");
            let mut writes = std::process::Command::new("/bin/sh");
            writes.args(["-c", "printf %s \"$2\" > \"$1\" && chmod 755 \"$1\"", "sh"]).arg(&path).arg(text);
            assert!(writes.status().unwrap().success());
        }
        let environment = vec![("PATH".into(), folder.path().into()), (display.into(), "0".into())];
        (folder, environment)
    }

    #[test]
    fn the_helper_of_the_session_is_asked_for_an_image() {
        let helpers =
            [("wl-paste", "echo wayland $*"), ("xclip", "echo x11 $*"), ("pngpaste", "echo mac $*")];
        for (display, says) in [
            ("WAYLAND_DISPLAY", "wayland --no-newline --type image/png\n"),
            ("DISPLAY", "x11 -selection clipboard -target image/png -out\n"),
            ("OTHER", "mac -\n"),
        ] {
            let (_held, environment) = system(&helpers, display);
            assert_eq!(printed(&environment, PATIENCE).unwrap(), says.as_bytes(), "{display}");
        }
        let (_held, environment) = system(&[("pngpaste", "echo mac")], "DISPLAY");
        assert_eq!(printed(&environment, PATIENCE).unwrap(), b"mac\n", "the next one, where one is missing");
    }

    #[test]
    fn a_helper_that_is_missing_fails_floods_or_hangs_is_said() {
        for (script, says) in [
            ("exit 1", "there is no image on the clipboard"),
            (
                "echo >&2; echo 'No \u{1b}[2Jserver' >&2; echo more >&2; exit 1",
                "wl-paste printed no image: No \\u{1b}[2Jserver",
            ),
            (
                "printf half; echo gone >&2; exit 1",
                "wl-paste failed before it had printed all of the image (gone)",
            ),
            ("printf half; exit 1", "wl-paste failed before it had printed all of the image"),
            ("cat /dev/zero", "the image on the clipboard is larger than 3.9 MB"),
            ("sleep 600 & wait", "wl-paste did not finish within"),
        ] {
            let (_held, environment) = system(&[("wl-paste", script)], "WAYLAND_DISPLAY");
            let patience = if script.starts_with("sleep") { Duration::from_millis(100) } else { PATIENCE };
            let why = printed(&environment, patience).unwrap_err();
            assert!(why.starts_with(says), "{script}: {why}");
        }
        assert_eq!(complaint(&"x".repeat(300)), Some(format!("{}…", "x".repeat(MOST_SHOWN))));
        let (_held, environment) = system(&[], "WAYLAND_DISPLAY");
        assert!(printed(&environment, PATIENCE).unwrap_err().contains("install wl-clipboard"));
        let (_held, environment) = system(&[], "OTHER");
        let why = printed(&environment, PATIENCE).unwrap_err();
        let expected =
            if cfg!(target_os = "macos") { "install" } else { "there is no graphical session here" };
        assert!(why.contains(expected), "{why}");
    }

    #[test]
    fn images_are_files_of_their_own_until_the_program_ends() {
        let (_held, environment) = system(&[("wl-paste", "echo picture")], "WAYLAND_DISPLAY");
        let folder = KeptFiles::default();
        let clipboard = Clipboard::new(environment.clone(), folder.clone());
        let first = clipboard.image().unwrap();
        drop(clipboard);
        let second = Clipboard::new(environment, folder.clone()).image().unwrap();
        assert!(first.exists(), "another session has begun");
        assert_ne!(first, second);
        assert!(Image::is_of_clipboard(first.to_str().unwrap()), "{}", first.display());
        assert_eq!(fs::read_to_string(&second).unwrap(), "picture\n");
        let mut both = [first.clone(), second.clone()];
        both.sort();
        assert_eq!(folder.there(), both);
        assert!(KeptFiles::default().there().is_empty());
        assert_eq!(fs::metadata(&first).unwrap().permissions().mode() & 0o077, 0, "nobody else reads it");
        drop(folder);
        assert!(!first.exists() && !second.exists());
    }
}
