//! Does a pattern speak of a command: surely for what allows, possibly for what asks or denies.

use super::git_names;
use super::line_starts::LineStarts;
use super::options;
use super::shell::{Command, HOLE, Word};
use super::started::{CommandWords, is_unnamed, named, rough_parts, spelled};
use super::wildcard::{could_fit, wildcard};

/// Whether a denying or asking pattern speaks of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    /// Of no part of it.
    No,
    /// Of a file in a folder that the line reads as a whole: the sandbox hides it.
    Below,
    /// It depends on what only the shell will know.
    Maybe,
    /// Of the line or of a part.
    Yes,
}

/// Whether an allowing pattern covers this one command.
///
/// The name must be in the text. What is quoted, and what only the shell will know, fits a `*` alone, so that no
/// blank inside of a word is taken for the end of one.
pub(super) fn allows(pattern: &str, command: &Command) -> bool {
    if !command.words.is_empty() && command.name().is_none() {
        return false;
    }
    let words = command.environment.iter().chain(&command.words);
    let sealed: Vec<String> = words.clone().map(sealed).collect();
    if wildcard(pattern, &sealed.join(" ")) {
        return true;
    }
    let raw: Vec<&str> = words.map(|word| word.raw.as_str()).collect();
    pattern.contains(['\'', '"', '\\', '$']) && wildcard(pattern, &raw.join(" "))
}

/// The word with holes for blanks too.
fn sealed(word: &Word) -> String {
    let text = word.with_holes();
    if text.is_empty() {
        return HOLE.to_string();
    }
    text.chars().map(|c| if c.is_whitespace() || c == '*' { HOLE } else { c }).collect()
}

/// Whether a denying or asking pattern speaks of the line: of the whole text, of a part as it is written, or of a
/// part as it will be run. `x *` speaks of a bare `x` here, too.
pub(super) fn speaks_of(pattern: &str, line: &str, starts: &LineStarts<'_>) -> Fit {
    if wildcard(pattern, line.trim()) {
        return Fit::Yes;
    }
    let reading = starts.reading;
    let bare = pattern.strip_suffix(" *");
    let fit = |text: &str| {
        if wildcard(pattern, text) || bare.is_some_and(|bare| wildcard(bare, text)) {
            Fit::Yes
        } else if text.contains(HOLE) && could_fit(pattern, text) {
            Fit::Maybe
        } else {
            Fit::No
        }
    };
    // These lists still have the options before a subcommand: the value of one is no subcommand.
    let started: Vec<Vec<CommandWords>> =
        starts.commands().iter().map(|command| command.started(pattern)).collect();
    let is_renamed = git_names::is_about_git(pattern)
        && started.iter().flatten().any(|words| git_names::may_be_another(words));
    let surely: Vec<CommandWords> = started.into_iter().flat_map(|lists| spelled(pattern, lists)).collect();
    let texts = surely.iter().flat_map(|words| named(words));
    let texts = texts.chain(reading.commands.iter().flat_map(as_written));
    let mut found = texts.map(|text| fit(&text)).max().unwrap_or(Fit::No);
    let has_options = |words: &[String]| options::are_named(pattern) && options::has_all(pattern, words);
    // What a text in another language starts, or a program whose name only the shell will know, can only be guessed at.
    let is_guessed = || {
        let mut lists = spelled(pattern, starts.guesses().started(pattern)).into_iter();
        lists.any(|words| has_options(&words) || named(&words).iter().any(|text| fit(text) != Fit::No))
    };
    let is_reordered = || surely.iter().any(|words| has_options(words));
    let is_unnamed = || reading.commands.iter().any(is_unnamed);
    if found == Fit::No && (is_unnamed() || is_renamed || is_reordered() || is_guessed()) {
        found = Fit::Maybe;
    }
    if reading.unreadable.is_none() || found == Fit::Yes {
        return found;
    }
    let rough = rough_parts(line);
    if rough.iter().any(|part| fit(part) == Fit::Yes) { Fit::Yes } else { Fit::Maybe }
}

/// The command as it is written: without what is set for it, and with that.
fn as_written(command: &Command) -> Vec<String> {
    let raw = |words: &[Word]| words.iter().map(|word| word.raw.as_str()).collect::<Vec<_>>().join(" ");
    let mut all = vec![raw(&command.words)];
    if !command.environment.is_empty() {
        all.push([raw(&command.environment), raw(&command.words)].join(" ").trim().to_owned());
    }
    all
}
