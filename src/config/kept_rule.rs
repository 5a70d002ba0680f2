//! A rule that a person wants kept: the one line of a configuration that changes for it, shown before and written after.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tempfile::NamedTempFile;
use toml_edit::{Array, DocumentMut, Item, RawString, Value};

use super::demands::{Demands, demands};
use super::environment::Environment;
use super::fault::Fault;
use super::reading::{self, Reading};
use super::trusted::{Book, CONFIG, Content};
use super::user_file;
use crate::policy::{Rule, RuleKind};
use crate::runtime::staged;
use crate::tool::name::{FETCH, SHELL};

/// Most bytes of a configuration that is added to.
const MOST_BYTES: u64 = 1024 * 1024;
/// The key of the rules that allow.
const KEY: &str = "allow";
/// Most lines that are shown of what changes.
const MOST_LINES: usize = 3;

/// Two rules that are kept at the same time must not lose one another.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Where a rule is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RuleHome {
    /// In the configuration of the folder that is worked in.
    Project,
    /// In the user's own configuration.
    Everywhere,
}

/// What keeping a rule changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RuleChange {
    /// The file.
    pub file: PathBuf,
    /// The lines as they will be.
    pub lines: String,
}

/// A file as it is, and as it will be.
#[derive(Debug)]
struct Planned {
    change: RuleChange,
    before: String,
    after: String,
    /// What the project's folder holds, if it is the project's file.
    content: Option<Content>,
    /// Whether it was trusted for that, when it was read.
    was_trusted: bool,
}

/// What would be written, and where.
///
/// # Errors
/// A sentence: why it cannot be kept there.
pub(crate) fn plan(
    home: RuleHome,
    rule: &str,
    cwd: &Path,
    environment: &Environment,
) -> Result<RuleChange, String> {
    planned(home, rule, cwd, environment).map(|planned| planned.change)
}

/// Writes it, if that is still the change that was shown.
///
/// # Errors
/// A sentence; then the file is as it was.
pub(crate) fn keep(
    home: RuleHome,
    rule: &str,
    shown: &str,
    cwd: &Path,
    environment: &Environment,
) -> Result<RuleChange, String> {
    let _one = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let planned = planned(home, rule, cwd, environment)?;
    if planned.change.lines != shown {
        let file = planned.change.file.display();
        return Err(format!("{file} has changed since the line was shown, so nothing was written"));
    }
    written(planned, home == RuleHome::Project, cwd, environment)
}

/// Writes what is planned, and trusts it where that is needed.
fn written(
    planned: Planned,
    is_project: bool,
    cwd: &Path,
    environment: &Environment,
) -> Result<RuleChange, String> {
    let Planned { change, before, after, content, was_trusted } = planned;
    let file = change.file.display();
    replace(&change.file, &before, &after, is_project)
        .map_err(|why| format!("nothing was written to {file}: {why}"))?;
    if is_project {
        let hash = Content::hash_with_config(content.as_ref(), after.as_bytes());
        trust(cwd, hash, content.filter(|_| was_trusted).as_ref(), environment).map_err(|why| {
            format!("{file} has the rule, but run `countersign trust` for it to count: {why}")
        })?;
    }
    Ok(change)
}

fn planned(home: RuleHome, rule: &str, cwd: &Path, environment: &Environment) -> Result<Planned, String> {
    let (file, bytes, (content, was_trusted)) = match home {
        RuleHome::Project => {
            let (content, was_trusted) = trusted(cwd, environment)?;
            // Never read again: another file could stand there by now, and all of it would be trusted.
            let bytes = content.as_ref().and_then(|content| content.bytes(CONFIG)).unwrap_or_default();
            (cwd.join(CONFIG), bytes.to_vec(), (content, was_trusted))
        }
        RuleHome::Everywhere if names_a_place(rule) => {
            return Err(
                "its path is relative, so it would match in every folder: choose this project".to_owned()
            );
        }
        RuleHome::Everywhere => {
            let file = users(environment)?;
            let bytes = match reading::bytes(&file, MOST_BYTES) {
                Reading::Absent => Vec::new(),
                Reading::Text { text, cut: false } => text,
                Reading::Text { .. } => return Err(named(&file, "the file is larger than a megabyte")),
                Reading::Refused(why) => {
                    return Err(named(&file, &format!("cannot read the file: {why}")));
                }
            };
            (file, bytes, (None, false))
        }
    };
    // Replaced letters would be written back.
    let before = String::from_utf8(bytes)
        .map_err(|why| named(&file, &format!("the file is not UTF-8: {}", why.utf8_error())))?;
    let after = with_rule(&before, rule).map_err(|why| named(&file, &why))?;
    let after = with_lines_of(&before, &after);
    let lines = changed(&before, &after);
    Ok(Planned { change: RuleChange { file, lines }, before, after, content, was_trusted })
}

/// Why nothing can be written, and then the file: on a narrow screen only the beginning is read.
fn named(file: &Path, why: &str) -> String {
    format!("{why} ({})", file.display())
}

/// Whether a rule has a path that is meant from the folder that is worked in.
fn names_a_place(rule: &str) -> bool {
    let pattern = |rule: Rule| rule.pattern.filter(|_| ![SHELL, FETCH].contains(&rule.tool.as_str()));
    let pattern = Rule::parse(RuleKind::Allow, rule).ok().and_then(pattern);
    pattern.is_some_and(|path| !path.starts_with(['/', '~', '*']))
}

/// The user's file; where it is a link, what it leads to, as people keep such files.
fn users(environment: &Environment) -> Result<PathBuf, String> {
    let file = user_file(environment).ok_or("there is no folder for your configuration: set HOME")?;
    Ok(file.canonicalize().unwrap_or(file))
}

/// What the folder holds, and whether it is trusted for that. In one that is not, a rule would not count, unless nothing that it holds needs
/// trust: that is as one without files.
fn trusted(cwd: &Path, environment: &Environment) -> Result<(Option<Content>, bool), String> {
    for part in [".countersign", CONFIG] {
        if cwd.join(part).is_symlink() {
            return Err(format!("{part} is a symbolic link: what it leads to is not this project's"));
        }
    }
    let content = Content::of(cwd).map_err(|fault| fault.message)?;
    let Some(content) = content else { return Ok((None, false)) };
    let book = Book::read(environment).map_err(|fault| fault.message)?;
    if book.trusts(&content) {
        return Ok((Some(content), true));
    }
    if needs_trust(&content, cwd, environment) {
        return Err(
            "this folder's configuration is not trusted, so a rule in it would not count: run `countersign \
                    trust` first"
                .to_owned(),
        );
    }
    if !has_rules_alone(&content) {
        return Err(
            "this folder's configuration sets more than deny and ask rules, and all of it would be trusted with the new rule: keep the \
             rule for this session or everywhere"
                .to_owned(),
        );
    }
    Ok((Some(content), false))
}

/// Whether the folder's file can only tighten, whatever the user's own configuration comes to say: it has rules that deny or ask, and nothing
/// else.
fn has_rules_alone(content: &Content) -> bool {
    let Some(text) = content.text(CONFIG) else { return true };
    let parsed = text.parse::<DocumentMut>();
    let tightens = |key: &str| [RuleKind::Deny, RuleKind::Ask].iter().any(|kind| kind.as_str() == key);
    parsed.is_ok_and(|parsed| parsed.iter().all(|(key, _)| tightens(key)))
}

/// Whether these files do anything that needs trust. What cannot be weighed does.
fn needs_trust(content: &Content, cwd: &Path, environment: &Environment) -> bool {
    let found = demands(cwd, environment).unwrap_or_default();
    // Files that were changed meanwhile were not weighed.
    found.iter().find(|demands| demands.content == *content).is_none_or(Demands::need_trust)
}

/// Trusts the folder for contents of this hash, if it still is trusted for what it was.
fn trust(
    cwd: &Path,
    hash: String,
    before: Option<&Content>,
    environment: &Environment,
) -> Result<(), String> {
    let real = cwd.canonicalize().map_err(|why| why.to_string())?;
    let real = real.to_str().ok_or("its path is not text")?;
    let updated = Book::update(environment, |book| {
        if before.is_some_and(|content| !book.trusts(content)) {
            return Err(Fault::failed("the trust in this folder was taken away meanwhile", ""));
        }
        book.trust(real, hash);
        Ok(())
    });
    updated.map(drop).map_err(|fault| fault.message)
}

/// A configuration with a rule more; comments and order stay.
fn with_rule(text: &str, rule: &str) -> Result<String, String> {
    let mut document: DocumentMut = text
        .parse()
        .map_err(|why: toml_edit::TomlError| format!("the file cannot be read as TOML: {}", why.message()))?;
    let item = document.entry(KEY).or_insert(Item::Value(Value::Array(Array::new())));
    let array = item.as_array_mut().ok_or(format!("`{KEY}` is not a list"))?;
    if array.iter().any(|known| known.as_str() == Some(rule)) {
        return Err("this rule is in the file already".to_owned());
    }
    add_to_list(array, rule);
    Ok(document.to_string())
}

/// Adds it as the other elements are written: on a line of its own where they have lines of their own.
pub(crate) fn add_to_list(array: &mut Array, rule: &str) {
    let has_comma = array.trailing_comma();
    let Some(last) = array.iter_mut().last() else { return array.push(rule) };
    let text = |raw: Option<&RawString>| raw.and_then(RawString::as_str).unwrap_or_default().to_owned();
    let (before, behind) = (text(last.decor().prefix()), text(last.decor().suffix()));
    // Without a comma, what stands behind the last element goes behind the new one.
    if !has_comma {
        last.decor_mut().set_suffix("");
    }
    let Some((_, indent)) = before.rsplit_once('\n') else {
        let (space, end) = if has_comma { (" ", String::new()) } else { (" ", behind) };
        return array.push_formatted(Value::from(rule).decorated(space, end));
    };
    let behind = if has_comma { text(Some(array.trailing())) } else { behind };
    // A comment behind the last element stays with it; the bracket stays where it is.
    let (comments, end) = behind.rsplit_once('\n').unwrap_or(("", ""));
    let value = Value::from(rule).decorated(format!("{comments}\n{indent}"), "");
    let end = format!("\n{end}");
    array.push_formatted(value);
    array.set_trailing_comma(true);
    array.set_trailing(end);
}

/// The text with the lines that it shares with the one before as they were there, byte for byte: whoever writes TOML writes one
/// kind of line ends. New lines end as the first line did.
fn with_lines_of(before: &str, after: &str) -> String {
    let bare = |line: &str| {
        line.trim_end_matches('\n').trim_end_matches('\r').trim_start_matches('\u{feff}').to_owned()
    };
    let (old, new): (Vec<&str>, Vec<&str>) =
        (before.split_inclusive('\n').collect(), after.split_inclusive('\n').collect());
    let (old_words, new_words): (Vec<String>, Vec<String>) =
        (old.iter().map(|line| bare(line)).collect(), new.iter().map(|line| bare(line)).collect());
    let end = if old.first().is_some_and(|line| line.ends_with("\r\n")) { "\r\n" } else { "\n" };
    let mut text = String::new();
    for op in similar::capture_diff_slices(similar::Algorithm::Myers, &old_words, &new_words) {
        let (tag, olds, news) = op.as_tag_tuple();
        let mut kept = old.get(olds).unwrap_or_default().iter().filter(|_| tag == similar::DiffTag::Equal);
        for (line, words) in
            new.get(news.clone()).unwrap_or_default().iter().zip(new_words.get(news).unwrap_or_default())
        {
            text.push_str(kept.next().copied().unwrap_or(words));
            // The last line may have had no end.
            if line.ends_with('\n') && !text.ends_with('\n') {
                text.push_str(end);
            }
        }
    }
    text
}

/// The lines of the text that are not in the one before.
fn changed(before: &str, after: &str) -> String {
    let (before, after): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let same = before.iter().zip(&after).take_while(|(one, other)| one == other).count();
    let (rest, changed) = (before.get(same..).unwrap_or_default(), after.get(same..).unwrap_or_default());
    let end = rest.iter().rev().zip(changed.iter().rev()).take_while(|(one, other)| one == other).count();
    let changed = changed.get(..changed.len() - end).unwrap_or_default();
    let shown: Vec<&str> = changed.iter().map(|line| line.trim()).take(MOST_LINES).collect();
    shown.join("\n")
}

/// Writes a configuration that was read as `before`, if it still is that.
///
/// # Errors
/// A sentence; then the file is as it was.
pub(crate) fn write_config(file: &Path, before: &str, text: &str, is_project: bool) -> Result<(), String> {
    let _one = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let file =
        &if is_project { file.to_owned() } else { file.canonicalize().unwrap_or_else(|_| file.to_owned()) };
    replace(file, before, &with_lines_of(before, text), is_project)
}

/// Writes a file at once, with the permissions that it had, if it still holds what was read of it.
fn replace(file: &Path, before: &str, text: &str, is_project: bool) -> Result<(), String> {
    is_as_it_was(file, before, is_project)?;
    let fresh = beside(file, text, is_project).map_err(|why| format!("it cannot be written: {why}"))?;
    // Again, as late as can be: whoever changes it meanwhile loses nothing.
    is_as_it_was(file, before, is_project)?;
    fresh.persist(file).map(drop).map_err(|failure| format!("it cannot be written: {}", failure.error))
}

/// Why a file cannot be replaced that was read as `before`.
fn is_as_it_was(file: &Path, before: &str, is_project: bool) -> Result<(), String> {
    if is_project && file.ancestors().take(2).any(Path::is_symlink) {
        return Err("it is a symbolic link: what it leads to is not this project's".to_owned());
    }
    let now = match reading::bytes(file, MOST_BYTES) {
        Reading::Absent => Vec::new(),
        Reading::Text { text, cut: false } => text,
        Reading::Text { .. } | Reading::Refused(_) => return Err("it was changed meanwhile".to_owned()),
    };
    match std::str::from_utf8(&now) {
        Ok(now) if now == before => Ok(()),
        Ok(_) => Err("it was changed meanwhile".to_owned()),
        Err(why) => Err(format!("it is not UTF-8: {why}")),
    }
}

/// The new text in a file beside the old one, with its permissions.
fn beside(file: &Path, text: &str, is_project: bool) -> io::Result<NamedTempFile> {
    let folder = file.parent().ok_or(io::ErrorKind::InvalidInput)?;
    DirBuilder::new().recursive(true).mode(if is_project { 0o755 } else { 0o700 }).create(folder)?;
    let fresh = if is_project { 0o644 } else { 0o600 };
    let mode = file.metadata().map_or(fresh, |found| found.permissions().mode() & 0o7777);
    staged(folder, text.as_bytes(), mode)
}

#[cfg(test)]
#[path = "kept_rule_tests.rs"]
mod tests;
