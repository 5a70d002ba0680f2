//! The first message of a run: its words are read before there is a session, the files that it names when there is one, as hooks are asked about
//! them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::called::CallableNames;
use super::prompt::{self, Words};
use crate::agent::Intent;
use crate::cli::args::ExecArgs;
use crate::cli::outcome::complain;
use crate::cli::signals;
use crate::config::Invocation;
use crate::config::fault::{Fault, one_line};
use crate::ledger::{Goal, Pastes, UserMessage};
use crate::runtime::Groups;
use crate::session::attachments::{Attach, AttachmentRefusal};

/// How long hooks may take to go after TERM when the program is told to end.
const GRACE: Duration = Duration::from_millis(500);

/// How a run begins.
pub(super) struct FirstMessage {
    words: Words,
    /// What can be called by its name.
    names: CallableNames,
    /// The prompt as it was given.
    given: String,
    images: Vec<String>,
    /// From where images are named.
    here: PathBuf,
    goal: Option<Goal>,
}

impl FirstMessage {
    /// Reads the words. A goal needs no message, so stdin is left alone unless it is asked for. With `--input`, stdin is
    /// lines, of which the first message may be one; then there is none.
    ///
    /// # Errors
    /// There is nothing to say, or too much at once.
    pub(super) fn of(invocation: &Invocation, exec: &ExecArgs) -> Result<Option<Self>, Fault> {
        if invocation.answer_schema.is_some() && invocation.goal.is_some() {
            let next =
                "leave one of them out: a goal ends when its check passes, whatever the model says last";
            return Err(Fault::usage("--output-schema cannot be combined with --goal", next));
        }
        let prompt = exec.prompt.as_deref();
        let words = match (exec.input, prompt) {
            (Some(_), Some("-")) => {
                return Err(Fault::usage(
                    "`-` and --input both read stdin",
                    "give the PROMPT as an argument, or as a line",
                ));
            }
            (Some(_), None) if invocation.goal.is_none() => {
                let alone =
                    Fault::usage("--image needs a PROMPT", "give one, or name the image as @FILE in a line");
                return if exec.image.is_empty() { Ok(None) } else { Err(alone) };
            }
            (Some(_), Some(prompt)) => Words { prompt: prompt.to_owned(), block: None },
            (_, None) if invocation.goal.is_some() => Words::default(),
            (None, prompt) => prompt::words(prompt)?,
            (Some(_), None) => Words::default(),
        };
        // What stands on the command line is meant from where it was typed, whatever -C says.
        let here = Path::new(".").canonicalize().unwrap_or_else(|_gone| invocation.cwd.clone());
        let given = words.prompt.clone();
        let names = CallableNames::of(invocation, None);
        let prompt = names.said(words.prompt).map_err(refused)?;
        let words = Words { prompt, ..words };
        Ok(Some(Self {
            words,
            names,
            given,
            images: exec.image.clone(),
            here,
            goal: invocation.goal.clone(),
        }))
    }

    /// The same as it is said in the session with this id.
    ///
    /// # Errors
    /// None that [`FirstMessage::of`] does not have.
    pub(super) fn in_session(self, invocation: &Invocation, id: &str) -> Result<Self, Fault> {
        let names = CallableNames::of(invocation, Some(id));
        let prompt = names.said(self.given.clone()).map_err(refused)?;
        Ok(Self { words: Words { prompt, ..self.words }, names, ..self })
    }

    /// Refuses a file that no hook is needed to refuse, before there is a session: taking one up changes it, and what else is kept.
    ///
    /// # Errors
    /// A file cannot be attached.
    pub(super) fn check(&self, invocation: &Invocation) -> Result<(), Fault> {
        if !self.words.prompt.contains('@') && self.images.is_empty() {
            return Ok(());
        }
        let attach = Attach::without_hooks(invocation);
        let (mut said, _note) = message(&attach, &self.names, &self.words.prompt)?;
        attach.seen_from(self.here.clone()).add(&mut said, &self.images).map_err(refused)
    }

    /// What it asks for, with the files that it names; `None`: the program was told to end while hooks were asked about these. They are ended
    /// then.
    ///
    /// # Errors
    /// A file cannot be attached.
    pub(super) async fn attached(self, attach: Attach, groups: &Groups) -> Result<Option<Intent>, Fault> {
        let mut told = signals::told_to_end()?;
        // Hooks are waited for on a thread that runs no tasks.
        let reading = tokio::task::spawn_blocking(move || self.read(attach));
        tokio::select! {
            read = reading => {
                let broken = |_panicked| Fault::failed("internal error while reading attached files", "please report this");
                read.map_err(broken)?.map(Some)
            }
            _ = told.wait_for(|is_over| *is_over) => {
                groups.end_all(GRACE);
                Ok(None)
            }
        }
    }

    fn read(self, attach: Attach) -> Result<Intent, Fault> {
        let Self { words: Words { prompt, block }, names, given: _, images, here, goal } = self;
        let (mut said, note) = message(&attach, &names, &prompt)?;
        if !note.is_empty() {
            complain(&format!("note: {}", one_line(&note)));
        }
        attach.seen_from(here).add(&mut said, &images).map_err(refused)?;
        if let Some(block) = block {
            said = said.followed_by(UserMessage { pastes: Pastes::all(&block), ..block.into() });
        }
        Ok(match goal {
            Some(goal) => Intent::Pursue(Box::new(goal), said),
            None => Intent::Submit(said),
        })
    }
}

/// A prompt with the files that it names, and what to know of it.
fn message(attach: &Attach, names: &CallableNames, prompt: &str) -> Result<(UserMessage, String), Fault> {
    let read = attach.message(prompt.to_owned());
    read.map_err(|refusal| refused(names.placed(prompt, refusal)))
}

fn refused(AttachmentRefusal { what, next }: AttachmentRefusal) -> Fault {
    Fault::usage(what, next)
}
