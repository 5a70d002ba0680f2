//! What reads the files of messages: from where, with which rules and hooks, and pictures by their bytes.

use std::io::Read as _;
use std::path::PathBuf;

use tokio::sync::watch;

use super::clipboard::Clipboard;
use super::doubts::Warned;
use super::file_hooks::FileHooks;
use super::text_file::TextFiles;
use crate::config::Invocation;
use crate::config::reading::Reading;
use crate::ledger::UserMessage;
use crate::runtime::{Groups, open_named};
use crate::session::instructions::nested::NestedInstructions;
use crate::session::ports::command_hooks;
use crate::ui::FileList;
use crate::wire::recognize;

/// Bytes in which a picture shows what it is.
const FIRST_BYTES: u64 = 12;

/// Reads what messages name.
#[derive(Debug, Clone)]
pub(crate) struct Attach {
    pub(super) cwd: PathBuf,
    pub(super) home: Option<PathBuf>,
    pub(super) text_files: TextFiles,
    /// The last message that was not sent because of a warning. Clones share it.
    pub(super) warned: watch::Sender<Option<Warned>>,
    pub(super) clipboard: Clipboard,
}

impl Attach {
    /// Paths are meant from the folder of the session; `~` is the user's home.
    ///
    /// Hooks are told of what is named as hooks of the session of this id; they are in these groups.
    pub(crate) fn new(invocation: &Invocation, session: &str, groups: &Groups) -> Self {
        Self::with(invocation, FileHooks::new(command_hooks(invocation, session, groups)))
    }

    /// The same before there is a session, of which hooks could be told: what is refused here is refused with them, too.
    pub(crate) fn without_hooks(invocation: &Invocation) -> Self {
        Self::with(invocation, FileHooks::default())
    }

    fn with(invocation: &Invocation, hooks: FileHooks) -> Self {
        Self {
            cwd: invocation.cwd.clone(),
            home: invocation.environment.home(),
            text_files: TextFiles::new(invocation, hooks),
            warned: watch::Sender::new(None),
            clipboard: Clipboard::new(invocation.environment_of_programs(), invocation.pasted.clone()),
        }
    }

    /// The same with paths that are meant from another folder.
    pub(crate) fn seen_from(self, folder: PathBuf) -> Self {
        Self { cwd: folder, ..self }
    }

    /// The same, whose files bring these instructions of their folders.
    pub(crate) fn telling(self, nested: NestedInstructions) -> Self {
        Self { text_files: self.text_files.telling(nested), ..self }
    }

    /// The message with the instructions of the folders of its files, each of which is told once: for a message that is sent.
    pub(crate) fn instructed(&self, said: UserMessage) -> UserMessage {
        let files = said.files.into_iter().map(|file| self.text_files.instructed(file)).collect();
        UserMessage { files, ..said }
    }

    /// The files to choose from: for a thread of its own.
    pub(crate) fn list(&self) -> FileList {
        self.text_files.list()
    }

    pub(super) fn begins_as_picture(&self, name: &str) -> bool {
        let start = self.bytes(name, FIRST_BYTES);
        matches!(start, Reading::Text { text, .. } if recognize(&text) != Err(crate::wire::NoPicture::OtherFormat))
    }

    /// The first bytes of what a path names. Its links are followed once: what they led to is what is read.
    pub(super) fn bytes(&self, name: &str, most: u64) -> Reading<Vec<u8>> {
        let file = match open_named(&self.cwd, self.home.as_deref(), name) {
            Ok(None) => return Reading::Absent,
            Err(why) => return Reading::Refused(why),
            Ok(Some(file)) => file,
        };
        let mut text = Vec::new();
        if let Err(failure) = file.take(most + 1).read_to_end(&mut text) {
            return Reading::Refused(failure.to_string());
        }
        let cut = text.len() as u64 > most;
        text.truncate(usize::try_from(most).unwrap_or(usize::MAX));
        Reading::Text { text, cut }
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        match (name.strip_prefix("~/"), &self.home) {
            (Some(below), Some(home)) => home.join(below),
            (Some(_) | None, _) => self.cwd.join(name),
        }
    }
}
