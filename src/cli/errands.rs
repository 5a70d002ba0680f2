//! What the screen asks: the other sessions of this folder, what was said in them, and themes by name.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use tokio::sync::watch;

use super::editor::edit;
use super::sessions::place::{first_words, when};
use super::themes::{fitting, theme_called, themes_folder};
use crate::config::Invocation;
use crate::ledger::{Body, Injector};
use crate::runtime::SessionStore;
use crate::runtime::store::{Summary, find, list};
use crate::session::undo::Undoing;
use crate::ui::errands::{Elsewhere, Errands};
use crate::ui::theme::Theme;
use crate::view::{Style, transcript};

/// Sessions whose messages are called back.
const MOST_SESSIONS: usize = 50;
/// Messages that are called back.
const MOST_PROMPTS: usize = 1_000;
/// Characters of a session's first message.
const FIRST_WORDS: usize = 200;
/// Entries at the end of a session that its preview shows.
const LAST_ENTRIES: usize = 40;

/// Answers for a session of this id. What was said in others is read beside the screen, which does not wait for it.
pub(super) fn errands(invocation: &Invocation, state: &Path, id: &str) -> Errands {
    let (tell, prompts) = watch::channel(Vec::new());
    let (folder, own) = (invocation.cwd.clone(), id.to_owned());
    let here = Here { state: state.to_owned(), folder, own };
    let reader = here.clone();
    drop(tokio::task::spawn_blocking(move || tell.send(reader.prompts())));
    let (of_sessions, of_preview) = (here.clone(), here);
    let (environment, themes) = (invocation.environment.clone(), themes_folder(invocation));
    let set =
        |name: &str| invocation.environment.text(name).filter(|v| !v.trim().is_empty()).map(str::to_owned);
    let editor = set("VISUAL").or_else(|| set("EDITOR")).unwrap_or_else(|| "vi".to_owned());
    let workspace = invocation.cwd.clone();
    let undo = Undoing::new(state.to_owned(), id.to_owned(), invocation);
    Errands {
        undo: Box::new(move |message| undo.offer(message)),
        editor: Box::new(move |text| Box::pin(edit(editor.clone(), workspace.clone(), text))),
        prompts,
        sessions: Box::new(move || of_sessions.sessions().iter().map(elsewhere).collect()),
        preview: Box::new(move |id| of_preview.preview(id)),
        theme_names: theme_names(themes.as_deref()),
        theme: Box::new(move |name| match environment.no_color() {
            true => Some(Theme::plain()),
            false => Some(fitting(theme_called(name, themes.as_deref()).ok()?, &environment)),
        }),
    }
}

/// A folder, and the session that works in it now.
#[derive(Clone)]
struct Here {
    state: PathBuf,
    folder: PathBuf,
    own: String,
}

impl Here {
    /// The other sessions of this folder in which something was said, newest first.
    fn sessions(&self) -> Vec<Summary> {
        let ours = |s: &Summary| Path::new(&s.cwd) == self.folder && s.id != self.own;
        list(&self.state).sessions.into_iter().filter(|s| ours(s) && !s.first_message.is_empty()).collect()
    }

    /// What was sent in them, oldest first, each once where it was sent last.
    fn prompts(&self) -> Vec<String> {
        let (mut seen, mut newest_first) = (BTreeSet::new(), Vec::new());
        for summary in self.sessions().into_iter().take(MOST_SESSIONS) {
            let Ok(file) = SessionStore::read(&summary.path) else { continue };
            for entry in file.entries.iter().rev() {
                let said = match &entry.body {
                    Body::User(message) => &message.content,
                    Body::Injected(said) if said.by == Injector::Steering => &said.text,
                    _ => continue,
                };
                if !said.trim().is_empty() && seen.insert(said.clone()) {
                    newest_first.push(said.clone());
                }
            }
            if newest_first.len() >= MOST_PROMPTS {
                break;
            }
        }
        newest_first.truncate(MOST_PROMPTS);
        newest_first.reverse();
        newest_first
    }

    /// The last lines of one of them; why they cannot be read, if they cannot.
    fn preview(&self, id: &str) -> Vec<String> {
        let read = find(&self.state, id).and_then(|path| SessionStore::read(&path));
        match read {
            Ok(file) => {
                let last = file.entries.len().saturating_sub(LAST_ENTRIES);
                let last = file.entries.get(last..).unwrap_or_default();
                transcript(last, Style::Plain).lines().map(str::to_owned).collect()
            }
            Err(why) => vec![why],
        }
    }
}

fn elsewhere(summary: &Summary) -> Elsewhere {
    let ending = summary.ending.as_deref().unwrap_or("cut off");
    Elsewhere {
        id: summary.id.clone(),
        words: first_words(&summary.first_message, FIRST_WORDS),
        aside: format!("{} · {ending}", when(summary.started)),
    }
}

/// The themes that come with the program, and the user's own.
fn theme_names(folder: Option<&Path>) -> Vec<String> {
    let mut names: Vec<String> = Theme::names().iter().map(|name| (*name).to_owned()).collect();
    let files = folder.and_then(|folder| std::fs::read_dir(folder).ok()).into_iter().flatten().flatten();
    let mut own: Vec<String> = files
        .filter_map(|file| file.file_name().to_str()?.strip_suffix(".toml").map(str::to_owned))
        .collect();
    own.sort();
    own.retain(|name| !names.contains(name));
    names.append(&mut own);
    names
}
