//! The other sessions of a folder: which there are, what was said in them, and how each ended.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Local};

use crate::config::fault::one_line;
use crate::ledger::{Body, Injector, Millis};
use crate::runtime::SessionStore;
use crate::runtime::store::{Summary, find, list};
use crate::ui::EarlierSession;
use crate::ui::text::sanitize;
use crate::view::{Style, transcript};

/// Sessions whose messages are called back.
const MOST_SESSIONS: usize = 50;
/// Messages that are called back.
const MOST_PROMPTS: usize = 1_000;
/// Characters of a session's first message.
const FIRST_WORDS: usize = 200;
/// Entries at the end of a session that its preview shows.
const LAST_ENTRIES: usize = 40;

/// A folder, and the session that belongs to it now.
#[derive(Debug, Clone)]
pub(crate) struct EarlierSessions {
    state: PathBuf,
    folder: PathBuf,
    own: String,
}

impl EarlierSessions {
    /// Those of a folder, except the session of this id.
    pub(crate) fn new(state: PathBuf, folder: PathBuf, own: String) -> Self {
        Self { state, folder, own }
    }

    /// Those that one can go on with, newest first.
    pub(crate) fn list(&self) -> Vec<EarlierSession> {
        self.sessions().iter().map(described).collect()
    }

    /// The other sessions of this folder in which something was said, newest first.
    fn sessions(&self) -> Vec<Summary> {
        let ours = |s: &Summary| Path::new(&s.cwd) == self.folder && s.id != self.own;
        list(&self.state).sessions.into_iter().filter(|s| ours(s) && !s.first_message.is_empty()).collect()
    }

    /// What was sent in them, oldest first, each once where it was sent last.
    pub(crate) fn prompts(&self) -> Vec<String> {
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
    pub(crate) fn preview(&self, id: &str) -> Vec<String> {
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

fn described(summary: &Summary) -> EarlierSession {
    let ending = summary.ending.as_deref().unwrap_or("cut off");
    EarlierSession {
        id: summary.id.clone(),
        words: first_words(summary.title(), FIRST_WORDS),
        aside: format!("{} · {ending}", when(summary.started)),
    }
}

/// `2026-11-20 22:54`, by the clock of this place.
pub(crate) fn when(at: Millis) -> String {
    let moment = i64::try_from(at.0).ok().and_then(DateTime::from_timestamp_millis).unwrap_or_default();
    moment.with_timezone(&Local).format("%Y-%m-%d %H:%M").to_string()
}

/// The beginning of a text on one line, safe to show.
pub(crate) fn first_words(text: &str, most: usize) -> String {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        // Most texts are: there is nothing to make safe, and a byte is a character.
        let line = text.trim();
        return match line.split_at_checked(most) {
            Some((cut, rest)) if !rest.is_empty() => format!("{}\u{2026}", cut.trim_end()),
            _ => line.to_owned(),
        };
    }
    let line = sanitize(&one_line(text)).into_owned();
    let cut: String = line.chars().take(most).collect();
    if cut.len() < line.len() { format!("{}\u{2026}", cut.trim_end()) } else { cut }
}
