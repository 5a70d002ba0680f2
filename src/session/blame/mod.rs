//! Who wrote the lines of a file: the calls of all sessions that did, with the message that asked for them and who allowed them.

mod lines;

use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(crate) use lines::Origin;

use crate::ledger::{
    AssistantMessage, Body, CallId, Entry, EntryId, Injector, MicroDollars, Millis, Preview,
};
use crate::runtime::store::{each, files};
use crate::runtime::undo::difference_of;
use crate::session::decided::Decided;
use crate::session::file_history::{ChangingSession, Contents, FileStep};
use crate::view::summary;

/// Who wrote the lines of one file.
#[derive(Debug)]
pub(crate) struct Blame {
    path: PathBuf,
    now: String,
    sources: Vec<ChangingSession>,
    /// The recorded changes of the file, oldest first.
    steps: Vec<FileStep>,
    /// Sessions whose records cannot be read, and why.
    pub(crate) unreadable: Vec<String>,
    /// Where each line comes from.
    pub(crate) origins: Vec<Origin>,
}

/// A recorded change, with all that is known of it.
#[derive(Debug, Clone)]
pub(crate) struct WrittenBy {
    pub(crate) session: String,
    /// The entry of the call, or of the undo.
    pub(crate) entry: EntryId,
    pub(crate) at: Millis,
    /// `None`: an undo put the file back.
    pub(crate) call: Option<CallId>,
    pub(crate) tool: String,
    /// The call in a line. Not yet safe for a screen.
    pub(crate) action: String,
    pub(crate) decided: Option<Decided>,
    /// The message that asked for it, and its entry. Not yet safe for a screen.
    pub(crate) message: Option<(EntryId, String)>,
    /// The answer with the call.
    pub(crate) answer: Option<Arc<AssistantMessage>>,
}

impl WrittenBy {
    /// What the answer with the call cost, if its price is known.
    pub(crate) fn cost(&self) -> Option<MicroDollars> {
        self.answer.as_ref()?.usage.cost
    }
}

impl Blame {
    /// Follows the lines of a file back. `path` is absolute, without links; `now` is what it holds.
    pub(crate) fn of(state: &Path, path: PathBuf, now: String, home: Option<&PathBuf>) -> Self {
        let read =
            each(&files(state), |_: &mut (), file| ChangingSession::read(file, |change| change.path == path));
        let (mut found, mut unreadable) = (Vec::new(), Vec::new());
        for source in read {
            match source {
                Ok(source) => found.extend(source),
                Err(why) => unreadable.push(why),
            }
        }
        // A fork is younger than the session whose changes it repeats.
        found.sort_by_key(|source| source.entries.first().map(|first| first.at));
        let (mut sources, mut steps): (Vec<ChangingSession>, Vec<FileStep>) = (Vec::new(), Vec::new());
        for source in found {
            match source.steps(sources.len(), home.cloned()) {
                Ok(mut made) => {
                    made.retain(|step| {
                        step.change.path == path && !steps.iter().any(|known| known.is_same(step))
                    });
                    steps.extend(made);
                    sources.push(source);
                }
                Err(why) => unreadable.push(why),
            }
        }
        // Of two changes at the same time, the record of their session knows the order.
        steps.sort_by_key(|step| step.at);
        let contents = Contents::of(&sources, Some(now.clone().into_bytes()));
        let origins = lines::origins(&now, &steps, &contents);
        Self { path, now, sources, steps, unreadable, origins }
    }

    /// The lines, as text.
    pub(crate) fn lines(&self) -> Vec<String> {
        lines::lines(&self.now).iter().map(|line| line.trim_end_matches(['\n', '\r']).to_owned()).collect()
    }

    /// What is wrong with the sessions that changed the file.
    pub(crate) fn damaged(&self) -> impl Iterator<Item = &str> {
        self.sources.iter().filter_map(|source| source.damage.as_deref())
    }

    /// Whether any session has changed the file.
    pub(crate) fn has_steps(&self) -> bool {
        !self.steps.is_empty()
    }

    /// All that is known of a recorded change.
    pub(crate) fn written_by(&self, place: usize) -> Option<WrittenBy> {
        let step = self.steps.get(place)?;
        let source = self.sources.get(step.source)?;
        Some(written_by(source, step))
    }

    /// The diff that somebody was shown before the change; else what it changed, and false. `None`: that is not known any more.
    pub(crate) fn diff(&self, place: usize) -> Option<(String, bool)> {
        let step = self.steps.get(place)?;
        let source = self.sources.get(step.source)?;
        let shown = source.entries.iter().rev().find_map(|entry| match &entry.body {
            Body::ApprovalRequested(request) if Some(request.call) == step.change.call => {
                match &request.preview {
                    Preview::Diff(diff) => Some(diff.clone()),
                    _ => None,
                }
            }
            _ => None,
        });
        if let Some(shown) = shown {
            return Some((shown, true));
        }
        let contents = Contents::of(&self.sources, Some(self.now.clone().into_bytes()));
        let name = self.path.strip_prefix(&source.folder).unwrap_or(&self.path).display().to_string();
        let (before, after) = (contents.before(step).ok()?, contents.after(step).ok()?);
        Some((difference_of(&name, before.as_deref(), &after.unwrap_or_default())?.0, false))
    }
}

/// All that a session knows of one of its changes.
pub(crate) fn written_by(source: &ChangingSession, step: &FileStep) -> WrittenBy {
    let call = step.change.call;
    let asked = call.and_then(|call| source.call(call));
    let before = source.entries.iter().take_while(|entry| entry.id != step.entry);
    let message = before.filter_map(said).last();
    let answer = source.entries.iter().find_map(|entry| match &entry.body {
        Body::Assistant(said) if said.calls().any(|made| Some(made.id) == call) => Some(Arc::clone(said)),
        _ => None,
    });
    WrittenBy {
        session: source.id.clone(),
        entry: step.entry,
        at: step.at,
        call,
        tool: asked.as_ref().map_or_else(|| "undo".to_owned(), |asked| asked.name.clone()),
        action: asked.as_ref().map(|asked| summary(&asked.arguments)).unwrap_or_default(),
        decided: call.and_then(|call| Decided::about(&source.entries, call)),
        message,
        answer,
    }
}

/// What a person said.
fn said(entry: &Arc<Entry>) -> Option<(EntryId, String)> {
    match &entry.body {
        Body::User(message) => Some((entry.id, message.content.clone())),
        Body::Injected(said) if said.by == Injector::Steering => Some((entry.id, said.text.clone())),
        _ => None,
    }
}
