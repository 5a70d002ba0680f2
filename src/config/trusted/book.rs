//! `trust.json`: the folders that are trusted, each with the hash of what it held then.

use std::collections::BTreeMap;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::Content;
use crate::config::environment::Environment;
use crate::config::fault::Fault;
use crate::config::reading;
use crate::config::reading::Reading;
use crate::policy::shell::shell_word;
use crate::runtime::replace_private;

const NAME: &str = "trust.json";
/// Who changes the file holds this one, which is never replaced.
const LOCK: &str = "trust.lock";
const VERSION: u64 = 1;
/// Most bytes of the file.
const MOST_BYTES: u64 = 4 * 1024 * 1024;

/// Real paths of folders, and the hashes that they are trusted for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Book {
    folders: BTreeMap<String, String>,
}

impl Book {
    /// Reads the file; without one, or without a home to have it in, nothing is trusted.
    ///
    /// # Errors
    /// A file that is broken, or that others can write; says how it is mended; exit 2.
    pub(crate) fn read(environment: &Environment) -> Result<Self, Fault> {
        let Some(file) = environment.state_dir().map(|folder| folder.join(NAME)) else {
            return Ok(Self::default());
        };
        let broken = |why: &str| broken(&file, why);
        let (read, found) = reading::read_and_found(&file, MOST_BYTES);
        let text = match read {
            Reading::Absent => return Ok(Self::default()),
            Reading::Refused(why) => return Err(broken(&why)),
            Reading::Text { cut: true, .. } => return Err(broken("it is larger than four megabytes")),
            Reading::Text { text, .. } => text,
        };
        if found.is_some_and(|found| found.mode() & 0o022 != 0) {
            return Err(Fault::usage(
                format!("others can write {}, so it is not used", file.display()),
                format!(
                    "check its contents, then run: chmod 600 {}",
                    shell_word(&file.display().to_string())
                ),
            ));
        }
        let value: Value = serde_json::from_str(&text).map_err(|why| broken(&why.to_string()))?;
        if value.get("version").and_then(Value::as_u64) != Some(VERSION) {
            return Err(broken("its version is not 1"));
        }
        let folders = value.get("folders").and_then(Value::as_object);
        let folders = folders.ok_or_else(|| broken("it has no `folders`"))?;
        let pair = |(folder, hash): (&String, &Value)| Some((folder.clone(), hash.as_str()?.to_owned()));
        let folders: Option<BTreeMap<String, String>> = folders.iter().map(pair).collect();
        folders.map(|folders| Self { folders }).ok_or_else(|| broken("a hash in it is not a text"))
    }

    /// Whether the folder is trusted for exactly these contents.
    pub(crate) fn trusts(&self, content: &Content) -> bool {
        content.real().and_then(|folder| self.folders.get(folder)).is_some_and(|hash| *hash == content.hash())
    }

    /// Trusts a folder, by its real path, for contents of this hash.
    pub(crate) fn trust(&mut self, folder: &str, hash: String) {
        self.folders.insert(folder.to_owned(), hash);
    }

    /// Takes the trust of a folder away, if there is any.
    pub(crate) fn forget(&mut self, folder: &str) {
        self.folders.remove(folder);
    }

    /// The folders that trust was given to, whatever they hold now.
    pub(crate) fn folders(&self) -> impl Iterator<Item = &str> {
        self.folders.keys().map(String::as_str)
    }

    /// Reads the file, changes what was read, and writes it, with nobody else between: a question can stand for hours, and what was
    /// decided elsewhere meanwhile stays decided. Returns its path.
    ///
    /// # Errors
    /// A file that cannot be used or written; what `change` refuses, and then nothing is written.
    pub(crate) fn update(
        environment: &Environment,
        change: impl FnOnce(&mut Self) -> Result<(), Fault>,
    ) -> Result<PathBuf, Fault> {
        let folder = folder(environment)?;
        let _held = held(&folder).map_err(|why| {
            Fault::failed(
                format!("cannot lock {}: {why}", folder.join(LOCK).display()),
                "free disk space, or fix the permissions of its folder; nothing was changed",
            )
        })?;
        let mut book = Self::read(environment)?;
        change(&mut book)?;
        book.write(environment)
    }

    /// Writes the file at once, for nobody but the user, and returns its path.
    ///
    /// # Errors
    /// Without a home, or where it cannot be written.
    pub(in crate::config) fn write(&self, environment: &Environment) -> Result<PathBuf, Fault> {
        let folder = folder(environment)?;
        let text = format!("{:#}\n", json!({ "version": VERSION, "folders": self.folders }));
        replace_private(&folder, NAME, text.as_bytes()).map_err(|why| {
            Fault::failed(
                format!("cannot write {}: {why}", folder.join(NAME).display()),
                // Where only its folder could not be synced, the file is the new one.
                "free disk space, or fix the permissions of its folder; `countersign trust --list` says what holds now",
            )
        })?;
        Ok(folder.join(NAME))
    }
}

fn folder(environment: &Environment) -> Result<PathBuf, Fault> {
    let folder = environment.state_dir();
    folder.ok_or_else(|| Fault::usage("there is no folder for trust.json", "set HOME or XDG_STATE_HOME"))
}

/// The lock, which the system releases when it is closed.
fn held(folder: &Path) -> io::Result<File> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false).mode(0o600);
    let file = options.open(folder.join(LOCK))?;
    file.lock()?;
    Ok(file)
}

fn broken(file: &Path, why: &str) -> Fault {
    let file = file.display().to_string();
    let word = shell_word(&file);
    Fault::usage(
        format!("{file}, which lists the folders you trust, cannot be used: {why}"),
        format!(
            "move it away (mv {word} {word}.broken), then run `countersign trust` in the folders that you \
            trust"
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> (tempfile::TempDir, Environment) {
        let place = tempfile::tempdir().unwrap();
        let environment = Environment::of([("XDG_STATE_HOME", place.path())]);
        (place, environment)
    }

    #[test]
    fn one_change_waits_for_another_and_loses_nothing_of_it() {
        let (_place, environment) = place();
        let lock = || File::options().write(true).open(folder(&environment).unwrap().join(LOCK)).unwrap();
        for name in ["/first", "/second"] {
            let changed = Book::update(&environment, |book| {
                assert!(lock().try_lock().is_err(), "whoever else changes it waits until this is written");
                book.trust(name, "1".to_owned());
                Ok(())
            });
            changed.unwrap();
            assert!(lock().try_lock().is_ok());
        }
        assert!(Book::read(&environment).unwrap().folders().eq(["/first", "/second"]));
    }

    #[test]
    fn a_change_that_is_refused_writes_nothing() {
        let (_place, environment) = place();
        let refused = Book::update(&environment, |book| {
            book.trust("/first", "1".to_owned());
            Err(Fault::failed("no", ""))
        });
        assert_eq!(refused.unwrap_err().message, "no");
        assert_eq!(Book::read(&environment).unwrap(), Book::default());
    }
}
