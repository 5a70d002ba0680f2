//! A session as a document for others: without what was withdrawn and without the keys of this environment.

pub(crate) mod attestation;
mod comparison;
pub(crate) mod html;
pub(crate) mod selection;
mod shown_call;
mod told_results;
mod unchecked;

pub(crate) use unchecked::unchecked;

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use crate::config::environment::Environment;
use crate::config::fault::one_line;
use crate::ledger::{Body, Change, Entry, EntryId, Millis};
use crate::runtime::store::find;
use crate::runtime::{SessionStore, new_private};
use crate::ui::text::sanitize;
use crate::view::{Style, code, transcript};
use crate::wire::record::{SessionFile, moment};
use crate::wire::without_key;

/// How far a time may be ahead of the clock of this machine: whose zone is set wrongly, is less.
const MOST_AHEAD_MS: u64 = 24 * 60 * 60 * 1_000;

/// How many transcripts of one session can lie beside each other without a name of their own.
const MOST_NUMBERED: usize = 999;

/// Writes the transcript of one session.
#[derive(Debug, Clone)]
pub(crate) struct Exporter {
    /// Where sessions are kept.
    pub state: PathBuf,
    /// The session.
    pub id: String,
    /// The folder of the session.
    pub cwd: PathBuf,
    /// For its keys and its home.
    pub environment: Environment,
}

impl Exporter {
    /// Writes it into a file that is not there yet, and says which: the named one, else one named after the session.
    ///
    /// # Errors
    /// Why not, in one line.
    pub(crate) fn write(&self, named: Option<&str>) -> Result<String, String> {
        let path =
            find(&self.state, &self.id).map_err(|_none| "there are no messages to export yet".to_owned())?;
        let (file, damage) = SessionStore::audited(&path)?;
        let text = without_keys(&self.environment, markdown(&file, damage.as_deref()));
        let (to, opened) = self.opened(named);
        let shown = self.environment.shown(&to);
        let failed = |why: std::io::Error| match why.kind() {
            std::io::ErrorKind::AlreadyExists => {
                format!("{shown} exists already: name another file, as in /export notes.md")
            }
            _ => format!("{shown} cannot be written: {why}"),
        };
        let mut out = opened.map_err(failed)?;
        out.write_all(text.as_bytes()).map_err(failed)?;
        Ok(format!("the transcript was written to {shown}"))
    }

    /// The new file: the named one, else the first name after the session that nothing has, `…-2.md` behind `….md`.
    fn opened(&self, named: Option<&str>) -> (PathBuf, std::io::Result<std::fs::File>) {
        if let Some(named) = named {
            let wanted = PathBuf::from(named);
            let to = match (wanted.strip_prefix("~"), self.environment.home()) {
                (Ok(below), Some(home)) => home.join(below),
                _ => self.cwd.join(&wanted),
            };
            let opened = new_private(&to);
            return (to, opened);
        }
        let stem = format!("countersign-{}", short(&self.id));
        let mut to = self.cwd.join(format!("{stem}.md"));
        let mut opened = new_private(&to);
        for number in 2..=MOST_NUMBERED {
            match &opened {
                Err(why) if why.kind() == std::io::ErrorKind::AlreadyExists => {}
                Ok(_) | Err(_) => break,
            }
            to = self.cwd.join(format!("{stem}-{number}.md"));
            opened = new_private(&to);
        }
        (to, opened)
    }
}

/// The end of an id, which differs most between two.
fn short(id: &str) -> &str {
    id.rsplit('-').next().unwrap_or(id)
}

/// The transcript with its head, in Markdown. What is wrong with the session stands in it, for whoever gets only the document.
pub(crate) fn markdown(file: &SessionFile, damage: Option<&str>) -> String {
    let name = name(&file.entries);
    let title = file.entries.first().map(|first| title(first, name)).unwrap_or_default();
    let damage =
        damage.map(|why| format!("- **Warning:** {}\n", sanitize(&one_line(why)))).unwrap_or_default();
    let excerpt = excerpt(file).map(|words| format!("- Left out: {words}\n")).unwrap_or_default();
    let import = came_along(file.came_to()).map(|words| format!("- Imported: {words}\n")).unwrap_or_default();
    document(&format!("{title}{damage}{import}{excerpt}\n{}", transcript(&file.entries, Style::Markdown)))
}

/// What is missing in a copy, if something is.
fn excerpt(file: &SessionFile) -> Option<String> {
    match file.left_out {
        0 => None,
        1 => Some("the content of one field; this is not all of the session".to_owned()),
        fields => Some(format!("the contents of {fields} fields; this is not all of the session")),
    }
}

/// What an import brought, if a session is one: what its file says of decisions is what others have written.
pub(crate) fn came_along(imported_to: Option<EntryId>) -> Option<String> {
    let which = match imported_to? {
        // An import of an earlier version does not say where it ends.
        EntryId(u64::MAX) => "an unknown number of entries".to_owned(),
        last => format!("entries up to {last}"),
    };
    Some(format!("{which} came with an import; nobody here saw them decided"))
}

/// The end that was written here for a run that came with an import, if there is one. Its reason reads like that of a run of ours, and says
/// nothing of how the other one ended.
pub(crate) fn ended_here(entries: &[Arc<Entry>], imported_to: Option<EntryId>) -> Option<String> {
    let last = imported_to?;
    let is_told = |entry: &&Arc<Entry>| {
        let is_of_runs =
            matches!(entry.body, Body::Transition { .. } | Body::Command(_) | Body::TurnEnded(_));
        entry.id > last && is_of_runs
    };
    let first = entries.iter().find(is_told)?;
    let Body::TurnEnded(ended) = &first.body else { return None };
    Some(format!(
        "the end {} ({}) was written here, when the session went on after the import; how the run that came \
         with it ended is not known",
        first.id,
        ended.reason.words()
    ))
}

/// That times go back in a session, if they do: nobody can tell whether a clock was set back or somebody
/// changed a time.
pub(crate) fn went_back(earlier: Option<usize>) -> Option<String> {
    let line = earlier?;
    Some(format!(
        "line {line}: its time is earlier than that of the line before; a clock was set back, or \
         somebody changed a time"
    ))
}

/// That a session has a time that is more than a day away from now, if it has: nobody can tell whether a clock is wrong, here or there,
/// or somebody changed a time.
pub(crate) fn is_ahead(latest: Option<(usize, Millis)>, now: Millis) -> Option<String> {
    let (line, at) = latest.filter(|(_, at)| at.since(now) > MOST_AHEAD_MS)?;
    let at = moment(at);
    let at = at.as_str().map_or_else(|| at.to_string(), str::to_owned);
    Some(format!(
        "line {line}: its time, {at}, is still to come by the clock of this machine; one of the clocks is wrong, or \
         somebody changed a time"
    ))
}

/// The text without the values of keys in the environment: a tool may have printed one.
pub(crate) fn without_keys(environment: &Environment, text: String) -> String {
    without(environment.keys().into_iter(), text)
}

/// The text without these keys.
pub(crate) fn without<'k>(keys: impl Iterator<Item = &'k str>, text: String) -> String {
    keys.fold(text, |text, key| without_key(&text, key))
}

/// A document that somebody will look at: made safe, but for its tabs, which mean something in what it quotes.
pub(crate) fn document(text: &str) -> String {
    text.split('\t').map(sanitize).collect::<Vec<_>>().join("\t")
}

/// What a person has called a session, at last.
fn name(entries: &[Arc<Entry>]) -> Option<&str> {
    entries.iter().rev().find_map(|entry| match &entry.body {
        Body::Change(Change::Renamed { name }) => Some(name.as_str()),
        _ => None,
    })
}

fn title(first: &Entry, name: Option<&str>) -> String {
    let Body::SessionStarted(started) = &first.body else { return String::new() };
    let at = moment(first.at);
    let name = name.map(|name| format!("- Name: {}\n", code(name))).unwrap_or_default();
    format!(
        "# Session {}\n\n{name}- Began: {}\n- Folder: {}\n- Model: {}\n",
        code(&started.session).trim_matches('`'),
        at.as_str().unwrap_or_default(),
        code(&started.cwd),
        code(&started.model.to_string())
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transcript_without_a_name_stands_beside_the_earlier_ones() {
        let folder = tempfile::tempdir().unwrap();
        let cwd = folder.path().to_path_buf();
        let (state, environment) = (cwd.clone(), Environment::default());
        let exporter = Exporter { state, id: "0199-ab".to_owned(), cwd, environment };
        let opened = |named: Option<&str>| {
            let (to, opened) = exporter.opened(named);
            opened.map(|_| to.file_name().unwrap().to_string_lossy().into_owned()).map_err(|why| why.kind())
        };
        for expected in ["countersign-ab.md", "countersign-ab-2.md", "countersign-ab-3.md"] {
            assert_eq!(opened(None).unwrap(), expected);
        }
        assert_eq!(opened(Some("notes.md")).unwrap(), "notes.md");
        assert_eq!(opened(Some("notes.md")), Err(std::io::ErrorKind::AlreadyExists), "the name was chosen");
    }
}
