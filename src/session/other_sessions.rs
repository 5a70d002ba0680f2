//! The other sessions of a folder: which there are, what was said in them, and how each ended.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::{DateTime, Datelike as _, Local, Timelike as _};

use crate::agent::OwnCommand;
use crate::config::Invocation;
use crate::config::fault::one_line;
use crate::ledger::{Body, Ending, Entry, EntryId, Injector, Millis, UserMessage};
use crate::runtime::SessionStore;
use crate::runtime::store::{Summary, find, first_line_of, held, list};
use crate::ui::{EarlierSession, PreviewPart, ago};
use crate::view::ending_words;

/// Sessions whose messages are called back.
const MOST_SESSIONS: usize = 50;
/// Messages that are called back.
const MOST_PROMPTS: usize = 1_000;
/// Characters of a session's first message.
const FIRST_WORDS: usize = 200;
/// Characters of an id that tell a session from others.
const FIRST_OF_ID: usize = 13;
/// Entries at the end of a session that its preview shows.
const LAST_ENTRIES: usize = 40;

/// Lines of a message of the user in a preview.
const FIRST_LINES: usize = 6;
/// Characters of one message in a preview.
const MOST_CHARS: usize = 4_000;

/// A folder, and the session that belongs to it now.
#[derive(Debug, Clone)]
pub(crate) struct EarlierSessions {
    state: PathBuf,
    folder: PathBuf,
    /// The user's own folder, where this one is a branch's.
    came_from: Option<PathBuf>,
    own: String,
}

impl EarlierSessions {
    /// Those of the folder that is worked in, and of the user's own, except the session of this id.
    pub(crate) fn new(state: PathBuf, invocation: &Invocation, own: String) -> Self {
        Self { state, folder: invocation.cwd.clone(), came_from: invocation.came_from.clone(), own }
    }

    /// Those that one can go on with, newest first, as of now.
    pub(crate) fn list(&self, now: Millis) -> Vec<EarlierSession> {
        let sessions = self.sessions();
        let origins = origins(&sessions, |session| first_line_of(&session.path)?.forked_from);
        let both = sessions.iter().zip(origins);
        both.map(|(summary, origin)| {
            let is_open = held(&summary.path).is_some();
            described(summary, is_open, origin.as_deref(), now)
        })
        .collect()
    }

    /// The other sessions in which something was said, newest first.
    fn sessions(&self) -> Vec<Summary> {
        let is_here = |cwd: &Path| cwd == self.folder || self.came_from.as_deref() == Some(cwd);
        let ours = |s: &Summary| is_here(Path::new(&s.cwd)) && s.id != self.own;
        list(&self.state).sessions.into_iter().filter(|s| ours(s) && !s.first_message.is_empty()).collect()
    }

    /// What was sent in them, oldest first, each once where it was sent last. Only what the user ran here
    /// begins with `!`; a blank stands before that of a message.
    pub(crate) fn prompts(&self) -> Vec<UserMessage> {
        let (mut seen, mut newest_first) = (BTreeSet::new(), Vec::new());
        for summary in self.sessions().into_iter().take(MOST_SESSIONS) {
            let Ok(file) = SessionStore::read(&summary.path) else { continue };
            for at in (0..file.entries.len()).rev() {
                let said = said(&file.entries, at, file.imported_to);
                newest_first.extend(said.filter(|said| seen.insert(said.content.clone())));
            }
            if newest_first.len() >= MOST_PROMPTS {
                break;
            }
        }
        newest_first.truncate(MOST_PROMPTS);
        newest_first.reverse();
        newest_first
    }

    /// What was said and done last in one of them; why it cannot be read, if it cannot.
    pub(crate) fn preview(&self, id: &str) -> Vec<PreviewPart> {
        let read = find(&self.state, id).and_then(|path| SessionStore::read(&path));
        match read {
            Ok(file) => {
                let last = file.entries.len().saturating_sub(LAST_ENTRIES);
                let last = file.entries.get(last..).unwrap_or_default();
                last.iter().filter_map(|entry| part(&entry.body)).collect()
            }
            Err(why) => vec![PreviewPart::Noted(why)],
        }
    }
}

/// What the user said in an entry, if anything: what they did not run here begins with no `!`.
fn said(entries: &[Arc<Entry>], at: usize, imported_to: Option<EntryId>) -> Option<UserMessage> {
    let (entry, behind) = entries.get(at..)?.split_first()?;
    let (content, pastes) = match &entry.body {
        Body::User(message) => (&message.content, message.pastes.clone()),
        Body::Injected(said) if said.by == Injector::Steering => (&said.text, said.pastes.clone()),
        _ => return None,
    };
    if content.trim().is_empty() {
        return None;
    }
    let behind = behind.iter().map(|entry| &entry.body);
    let is_from_here = Some(entry.id) > imported_to;
    // The message that follows comes back as the call of the command, and nothing would tell this one from
    // words that look like it.
    if is_from_here && OwnCommand::ran_first(content, behind.clone()) {
        return None;
    }
    let was_run = is_from_here && OwnCommand::was_run(content, behind);
    // Which file a name stands for that comes from elsewhere is to be seen before it is sent from here.
    let pastes = if is_from_here { pastes } else { pastes.without_images() };
    let said = UserMessage { pastes, ..UserMessage::text(content.as_str()) };
    Some(if was_run { said } else { said.as_words() })
}

/// What a preview has of an entry, if anything.
fn part(body: &Body) -> Option<PreviewPart> {
    let cut = |text: &str| text.chars().take(MOST_CHARS).collect::<String>();
    let beginning = |text: &str| {
        let more = if text.lines().count() > FIRST_LINES { "\n…" } else { "" };
        cut(&text.lines().take(FIRST_LINES).collect::<Vec<_>>().join("\n")) + more
    };
    match body {
        Body::User(said) => Some(PreviewPart::Said(beginning(&said.pastes.titled(&said.content)))),
        Body::Injected(said) if said.by == Injector::Steering => {
            Some(PreviewPart::Said(beginning(&said.pastes.titled(&said.text))))
        }
        Body::Assistant(said) => Some(said.text())
            .filter(|text| !text.trim().is_empty())
            .map(|text| PreviewPart::Answered(cut(&text))),
        Body::ToolCall(made) => {
            let about =
                ["command", "path", "pattern", "url"].into_iter().find_map(|name| made.arguments.text(name));
            Some(PreviewPart::Noted(first_words(
                &format!("{} {}", made.name, about.unwrap_or_default()),
                FIRST_WORDS,
            )))
        }
        Body::TurnEnded(end) if !end.reason.completed() => {
            Some(PreviewPart::Noted(ending_words(end.reason).to_owned()))
        }
        _ => None,
    }
}

/// Of which session each is a fork, where another one of the list has its title: only there it matters, and the first line of
/// a file must be read for it.
fn origins(sessions: &[Summary], origin: impl Fn(&Summary) -> Option<String>) -> Vec<Option<String>> {
    let mut titles: BTreeMap<&str, usize> = BTreeMap::new();
    sessions.iter().for_each(|session| *titles.entry(session.title()).or_default() += 1);
    let is_alike = |session: &Summary| titles.get(session.title()).is_some_and(|count| *count > 1);
    let of = |session: &Summary| Some(origin(session)?.rsplit_once('@')?.0.to_owned());
    sessions.iter().map(|session| if is_alike(session) { of(session) } else { None }).collect()
}

/// One of them in words; `is_open`: another process has it open, so that this one cannot go on with it, whatever its last run came to.
fn described(summary: &Summary, is_open: bool, origin: Option<&str>, now: Millis) -> EarlierSession {
    // The record has names for programs.
    let ending = match summary.ending.as_deref() {
        _ if is_open => "open elsewhere",
        None => "unfinished",
        Some(name) => match Ending::parse(name) {
            Some(ending) => ending_words(ending),
            None => name,
        },
    };
    let fork = origin.map(|from| format!(" · fork of {}", first_words(from, FIRST_OF_ID)));
    let fork = fork.unwrap_or_default();
    EarlierSession {
        id: summary.id.clone(),
        words: first_words(summary.title(), FIRST_WORDS),
        aside: format!("{} · {ending}{fork}", ago(now.since(summary.started))),
    }
}

/// `2026-11-20 22:54`, by the clock of this place.
pub(crate) fn when(at: Millis) -> String {
    let moment = i64::try_from(at.0).ok().and_then(DateTime::from_timestamp_millis).unwrap_or_default();
    let local = moment.with_timezone(&Local);
    let (year, month, day) = (local.year(), local.month(), local.day());
    // Lists have thousands of them, and a pattern would be read for each.
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02}", local.hour(), local.minute())
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
    let line = one_line(text);
    let cut: String = line.chars().take(most).collect();
    if cut.len() < line.len() { format!("{}\u{2026}", cut.trim_end()) } else { cut }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::{Arguments, CallId, ToolUse};

    #[test]
    fn what_begins_with_the_sign_of_a_command_was_run_here_or_has_a_blank_before_it() {
        let words = |text: &str| Body::User(Arc::new(UserMessage::text(text)));
        let command = ("command".to_owned(), serde_json::Value::from("ls"));
        let arguments = Arguments::Object([command].into_iter().collect());
        let made = ToolUse { id: CallId(1), wire_id: String::new(), name: "shell".to_owned(), arguments };
        let bodies = [words("!touch x"), words("hello"), words("!ls"), Body::Command(made)];
        let entry = |(id, body)| Arc::new(Entry { id: EntryId(id), at: Millis(0), body });
        let entries: Vec<Arc<Entry>> = (1_u64..).zip(bodies.clone()).map(entry).collect();
        let all = |imported_to| -> Vec<String> {
            let said = (0..entries.len()).filter_map(|at| said(&entries, at, imported_to));
            said.map(|said| said.content).collect()
        };
        assert_eq!(all(None), [" !touch x", "hello", "!ls"]);
        assert_eq!(all(Some(EntryId(2))), [" !touch x", "hello", "!ls"]);
        assert_eq!(all(Some(EntryId(4))), [" !touch x", "hello", " !ls"], "nobody here has typed it");
        // The message of a custom command stands for both, and follows what that ran first.
        let [.., made] = bodies;
        let bodies = [words("/fix this"), words("/fix it"), made, words("/fix it\n\nFix it.")];
        let entries: Vec<Arc<Entry>> = (1_u64..).zip(bodies).map(entry).collect();
        let said = (0..entries.len()).filter_map(|at| said(&entries, at, None));
        let said: Vec<String> = said.map(|said| said.content).collect();
        assert_eq!(said, ["/fix this", "/fix it\n\nFix it."]);
    }

    #[test]
    fn a_fork_is_told_from_the_session_whose_title_it_has() {
        let session = |id: &str, words: &str| Summary {
            id: id.to_owned(),
            cwd: String::new(),
            started: Millis(0),
            model: String::new(),
            first_message: words.to_owned(),
            name: None,
            tags: Vec::new(),
            is_sealed: false,
            ending: None,
            entries: 1,
            bytes: 1,
            path: PathBuf::new(),
        };
        let all = [session("c", "other"), session("b", "hello"), session("a", "hello")];
        let origin = |one: &Summary| (one.id != "a").then(|| "a@e2".to_owned());
        assert_eq!(origins(&all, origin), [None, Some("a".to_owned()), None], "the title of c is its own");
        assert!(described(&all[1], false, Some("a"), Millis(0)).aside.ends_with(" · unfinished · fork of a"));
        assert!(described(&all[2], false, None, Millis(0)).aside.ends_with(" · unfinished"));
        assert!(described(&all[2], true, None, Millis(0)).aside.ends_with(" · open elsewhere"));
    }
}
