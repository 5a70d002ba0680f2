//! What is known of a session's file beside it, in `ID.head`: how many lines were on disk, and the hash of the last. Lines
//! that vanish at the end break no chain; this tells that they were there.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use crate::policy::shell::shell_word;
use crate::wire::record::{Audit, Chain, Links, follow, lacks_contents};

use super::super::regular::opened_own;
use super::checking::checked;
use super::plain;

/// How the file ends.
const HEAD: &str = "head";
/// Most bytes of it.
const MOST: u64 = 1024;

/// Where it is.
pub(super) fn path(session: &Path) -> PathBuf {
    session.with_extension(HEAD)
}

/// The chain of a session's file, knowing what stands beside it. A file that cannot be read says nothing: it is written
/// after the session, and a power failure may take it.
pub fn known(session: &Path) -> Option<Links> {
    lines_on_disk(session).map(|(lines, hash)| Links::knowing(lines, hash))
}

/// How many lines were on disk, and the hash of the last.
pub(super) fn lines_on_disk(session: &Path) -> Option<(u64, String)> {
    let text = plain::read(&path(session), MOST).ok()?;
    let (lines, hash) = std::str::from_utf8(&text).ok()?.trim_end().split_once(' ')?;
    Some((lines.parse().ok()?, hash.to_owned()))
}

/// What is wrong first with a session of these bytes, in a sentence, for whoever goes on to tell what the session says. What is known of it
/// was read before the bytes: a session that is being written has more lines then than are known, and never fewer.
pub fn damage(session: &Path, known: Option<Links>, bytes: &[u8]) -> Option<String> {
    damage_of(session, &checked(bytes, known.unwrap_or_default()).0)
}

/// The same, where all that is wrong is known.
pub(super) fn damage_of(session: &Path, audit: &Audit) -> Option<String> {
    audit.faults.first().map(|fault| not_well_formed(session, &fault.to_string()))
}

/// What the hashes of a session say that is wrong with it, in a sentence: much less work than [`damage`], for whoever tells nothing of what
/// the session says.
pub fn broken_chain(session: &Path, known: Option<Links>, bytes: &[u8]) -> Option<String> {
    let fault = match follow(bytes, known.unwrap_or_default()) {
        Err((line, fault)) => format!("line {line}: {fault}"),
        Ok(links) => links.missing_in_words()?,
    };
    Some(not_well_formed(session, &fault))
}

/// That something was left out of a session, which nothing in it can tell, in a sentence.
pub fn incomplete(session: &Path, bytes: &[u8]) -> Option<String> {
    let name = name(session);
    lacks_contents(bytes).then(|| {
        format!(
            "session {name} is incomplete, and what was left out of it is not searched; \
             `countersign sessions check {}` says more",
            shell_word(&name)
        )
    })
}

/// That a session has this fault, and what to do.
pub(super) fn not_well_formed(session: &Path, fault: &str) -> String {
    let name = name(session);
    format!(
        "session {name} is not well-formed ({fault}), so what it says may not be what was recorded; \
         `countersign sessions check {}` lists what is wrong",
        shell_word(&name)
    )
}

/// What `sessions check` is told to check: an id for a file that is kept with the others, else the file.
fn name(session: &Path) -> String {
    let is_kept = session.ancestors().nth(3).is_some_and(|folder| folder.ends_with("sessions"));
    if is_kept {
        session.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    } else {
        session.display().to_string()
    }
}

/// Writes it, and never waits for the disk: the session's own file is what counts.
#[derive(Debug, Default)]
pub(super) struct HeadFile(Option<File>);

impl HeadFile {
    /// The session is on disk up to here.
    pub(super) fn write(&mut self, session: &Path, chain: &Chain) {
        let known = format!("{} {}\n", chain.lines(), chain.head());
        if let Err(fault) = self.written(session, &known) {
            tracing::warn!(session = %session.display(), %fault, "the head of the session cannot be written");
        }
    }

    fn written(&mut self, session: &Path, known: &str) -> std::io::Result<()> {
        let file = match self.0.take() {
            Some(file) => file,
            None => {
                let mut options = OpenOptions::new();
                options.write(true).create(true).truncate(true).mode(0o600);
                // Nothing is waited for, whatever stands in its place: the loop would wait, too.
                opened_own(&mut options, &path(session))?.0
            }
        };
        // The count of lines only grows, so nothing is left behind the new text.
        file.write_all_at(known.as_bytes(), 0)?;
        self.0 = Some(file);
        Ok(())
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::*;

    #[test]
    fn a_pipe_in_the_place_of_the_head_is_not_waited_for_and_a_link_is_not_followed() {
        let place = tempfile::tempdir().unwrap();
        let (session, other) = (place.path().join("s1.jsonl"), place.path().join("other"));
        mknodat(CWD, path(&session), FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
        HeadFile::default().written(&session, "1 x\n").unwrap_err();
        assert_eq!(lines_on_disk(&session), None);
        fs::remove_file(path(&session)).unwrap();
        fs::write(&other, "theirs").unwrap();
        symlink(&other, path(&session)).unwrap();
        HeadFile::default().written(&session, "1 x\n").unwrap_err();
        assert_eq!(fs::read(&other).unwrap(), b"theirs");
        fs::remove_file(path(&session)).unwrap();
        HeadFile::default().written(&session, "1 x\n").unwrap();
        assert_eq!(lines_on_disk(&session), Some((1, "x".to_owned())));
    }
}
