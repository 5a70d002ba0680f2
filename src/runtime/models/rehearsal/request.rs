//! What the rehearsal understands: a few phrases, read without any guessing.
//!
//! `read FILE` · `list DIR` or `list` · `search TEXT [in DIR]` · `run COMMAND` · `change A to B in FILE` ·
//! `write FILE: CONTENT`, joined by `and`, `then`, commas or new lines; `tour`, `explain yourself`, `help`.
//! "…", '…' and `…` hold what has spaces or joining words in it. Without quotes `run` takes its line up to the next request
//! and `write` the rest of the message.

use super::scan::{Joint, argument, is_over, joint, skip_words, split_at_joint, split_names, until, word};
use super::verb::{POLITE, RehearsedVerb, verb};

/// What a message asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RehearsalRequest {
    /// Actions: those of one batch go into one message, the batches one after the other.
    Do(Vec<Vec<RehearsedAction>>),
    /// The guided tour.
    Tour,
    /// Who is this and what can it do?
    Help,
    /// A long answer.
    Explain,
    /// Something else.
    Unclear,
}

/// One thing to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RehearsedAction {
    Read { path: String },
    List { path: Option<String> },
    Search { text: String, path: Option<String> },
    Run { command: String },
    Change { from: String, to: String, path: String },
    Write { path: String, content: String },
}

/// Reads a message.
pub(super) fn understand(message: &str) -> RehearsalRequest {
    let text = skip_words(message, POLITE).trim_end();
    let plain: String =
        text.chars().filter(|c| c.is_alphanumeric() || c.is_whitespace()).collect::<String>().to_lowercase();
    let words: Vec<&str> = plain.split_whitespace().collect();
    match words.as_slice() {
        ["tour"]
        | ["the" | "a", "tour"]
        | ["start" | "take" | "begin", "tour"]
        | [_, "the" | "a", "tour"]
        | ["show", "me", "around"] => return RehearsalRequest::Tour,
        [] | ["help"] | ["hi" | "hello" | "hey", ..] => return RehearsalRequest::Help,
        ["explain", "yourself"] | ["who", "are", "you"] | ["what", "are", "you"] => {
            return RehearsalRequest::Explain;
        }
        _ => {}
    }
    actions(text).map_or(RehearsalRequest::Unclear, RehearsalRequest::Do)
}

/// The actions of a message; `None` when any part of it is not understood: half a wish is not carried out.
fn actions(text: &str) -> Option<Vec<Vec<RehearsedAction>>> {
    let mut batches = Vec::new();
    let mut batch = Vec::new();
    let mut rest = text;
    loop {
        let (first, after) = word(skip_words(rest, POLITE));
        let after = match verb(first)? {
            RehearsedVerb::Read => read(after, &mut batch)?,
            RehearsedVerb::List => list(after, &mut batch)?,
            RehearsedVerb::Search => search(after, &mut batch)?,
            RehearsedVerb::Run => run(after, &mut batch)?,
            RehearsedVerb::Change => change(after, &mut batch)?,
            RehearsedVerb::Write => write(after, &mut batch)?,
        };
        if is_over(after) {
            batches.push(batch);
            return Some(batches);
        }
        let (kind, next) = joint(after)?;
        if kind == Joint::Then {
            batches.push(std::mem::take(&mut batch));
        }
        rest = next;
    }
}

fn read<'a>(text: &'a str, batch: &mut Vec<RehearsedAction>) -> Option<&'a str> {
    let (paths, rest) = paths(skip_words(text, &["me", "the", "contents", "of", "file", "files"]))?;
    if paths.is_empty() {
        return None;
    }
    batch.extend(paths.into_iter().map(|path| RehearsedAction::Read { path }));
    Some(rest)
}

fn list<'a>(text: &'a str, batch: &mut Vec<RehearsedAction>) -> Option<&'a str> {
    const FILLERS: &[&str] = &[
        "me",
        "all",
        "the",
        "files",
        "everything",
        "contents",
        "in",
        "of",
        "folder",
        "directory",
        "this",
        "here",
    ];
    let (paths, rest) = paths(skip_words(text, FILLERS))?;
    if paths.is_empty() {
        batch.push(RehearsedAction::List { path: None });
    }
    batch.extend(paths.into_iter().map(|path| RehearsedAction::List { path: Some(path) }));
    Some(rest)
}

/// Names up to the next joint: one in quotes, or several joined by commas and `and`.
fn paths(text: &str) -> Option<(Vec<String>, &str)> {
    if let Some((path, rest)) = argument(text) {
        return Some((vec![path], rest));
    }
    let (names, rest) = split_at_joint(text);
    Some((split_names(names), rest))
}

fn search<'a>(text: &'a str, batch: &mut Vec<RehearsedAction>) -> Option<&'a str> {
    let text = skip_words(text, &["for", "the", "text"]);
    if let Some((wanted, rest)) = argument(text) {
        let (first, after) = word(rest.trim_start());
        let (path, rest) = if first == "in" {
            let (mut names, rest) = paths(skip_words(after, &["the", "folder", "file"]))?;
            (Some(names.pop().filter(|_| names.is_empty())?), rest)
        } else {
            (None, rest)
        };
        batch.push(RehearsedAction::Search { text: wanted, path });
        return Some(rest);
    }
    let (phrase, rest) = split_at_joint(text);
    let phrase = phrase.trim().trim_end_matches(['?', '!']);
    let (wanted, path) = match phrase.rsplit_once(" in ") {
        Some((wanted, path)) => {
            let path = argument(path.trim()).map_or_else(|| path.trim().to_owned(), |(path, _)| path);
            (wanted.trim(), Some(path))
        }
        None => (phrase, None),
    };
    if wanted.is_empty() {
        return None;
    }
    batch.push(RehearsedAction::Search { text: wanted.to_owned(), path });
    Some(rest)
}

/// A command is the rest of its line, up to an `and` or `then` after which another request begins. In quotes it
/// may hold such words.
fn run<'a>(text: &'a str, batch: &mut Vec<RehearsedAction>) -> Option<&'a str> {
    if let Some((command, rest)) = argument(text)
        && (is_over(rest) || joint(rest).is_some())
    {
        batch.push(RehearsedAction::Run { command });
        return Some(rest);
    }
    let text = text.trim_start();
    let (line, _) = text.split_once('\n').unwrap_or((text, ""));
    let command = before_another_request(line);
    if command.trim().is_empty() {
        return None;
    }
    batch.push(RehearsedAction::Run { command: command.trim().to_owned() });
    text.strip_prefix(command)
}

/// What of a command line stands before a joint with a whole request behind it.
fn before_another_request(line: &str) -> &str {
    let ends = line.char_indices().filter(|(_, c)| c.is_whitespace() || *c == ',');
    let mut parts = ends.filter_map(|(at, _)| line.split_at_checked(at));
    let found = parts.find(|(_, after)| joint(after).is_some_and(|(_, next)| actions(next).is_some()));
    found.map_or(line, |(command, _)| command)
}

fn change<'a>(text: &'a str, batch: &mut Vec<RehearsedAction>) -> Option<&'a str> {
    let (from, rest) = match argument(text) {
        Some((from, rest)) => {
            let (joining, rest) = word(rest.trim_start());
            (from, ["to", "with", "by"].contains(&joining).then_some(rest)?)
        }
        None => until(text, &[" to ", " with "])?,
    };
    let (to, rest) = match argument(rest) {
        Some((to, rest)) => {
            let (joining, rest) = word(rest.trim_start());
            (to, (joining == "in").then_some(rest)?)
        }
        None => {
            let (phrase, _) = split_at_joint(rest);
            let (to, _) = phrase.rsplit_once(" in ")?;
            (
                to.trim().to_owned(),
                rest.trim_start().strip_prefix(to.trim_start())?.trim_start().strip_prefix("in ")?,
            )
        }
    };
    let (mut names, rest) = paths(skip_words(rest, &["the", "file"]))?;
    let path = names.pop().filter(|_| names.is_empty())?;
    batch.push(RehearsedAction::Change { from, to, path });
    Some(rest)
}

/// The content is the rest of the message, and ends with a newline as texts do; in quotes it is exact.
fn write<'a>(text: &'a str, batch: &mut Vec<RehearsedAction>) -> Option<&'a str> {
    let text = skip_words(text, &["the", "a", "file", "called"]);
    let (path, rest) = match argument(text) {
        Some((path, rest)) => (path, rest.trim_start().strip_prefix(':')?),
        None => until(text, &[":"])?,
    };
    if path.is_empty() || path.contains(char::is_whitespace) && argument(text).is_none() {
        return None;
    }
    if let Some((content, rest)) = argument(rest)
        && (is_over(rest) || joint(rest).is_some())
    {
        batch.push(RehearsedAction::Write { path, content });
        return Some(rest);
    }
    let content = rest.trim_matches([' ', '\t']).trim_matches('\n');
    batch.push(RehearsedAction::Write { path, content: format!("{content}\n") });
    Some("")
}

#[cfg(test)]
#[path = "request_tests.rs"]
mod tests;
