//! Does a pattern speak of a command: surely for what allows, possibly for what asks or denies.

use super::effect;
use super::git_names;
use super::options;
use super::shell::{Command, GivenText, HOLE, Reading, Word};
use super::wildcard::{could_fit, wildcard};
use crate::tool::SideEffect;

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
pub(super) fn speaks_of(pattern: &str, line: &str, reading: &Reading) -> Fit {
    if wildcard(pattern, line.trim()) {
        return Fit::Yes;
    }
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
    let parts = reading.commands.iter().flat_map(spellings);
    let mut found = parts.map(|text| fit(&text)).max().unwrap_or(Fit::No);
    // What a text in another language starts, or a program whose name only the shell will know, can only be guessed at.
    let guessed = || reading.commands.iter().flat_map(embedded).any(|text| fit(&text) != Fit::No);
    let is_input = || in_input(reading).iter().any(|text| fit(text) == Fit::Yes);
    let is_renamed = || {
        git_names::is_about_git(pattern)
            && reading.commands.iter().flat_map(started).any(|words| git_names::may_be_another(&words))
    };
    let is_reordered = || {
        options::are_named(pattern) && reading.commands.iter().any(|command| has_options(pattern, command))
    };
    let is_unnamed = || reading.commands.iter().any(is_unnamed);
    if found == Fit::No && (is_unnamed() || guessed() || is_input() || is_renamed() || is_reordered()) {
        found = Fit::Maybe;
    }
    if reading.unreadable.is_none() || found == Fit::Yes {
        return found;
    }
    let rough = rough_parts(line);
    if rough.iter().any(|part| fit(part) == Fit::Yes) { Fit::Yes } else { Fit::Maybe }
}

/// Whether a part of the program's own name is not known: `eva$x 'rm y'` may start any other.
fn is_unnamed(command: &Command) -> bool {
    command
        .words
        .first()
        .is_some_and(|name| name.with_holes().rsplit('/').next().is_some_and(|base| base.contains(HOLE)))
}

/// Whether a command, or one that it may start, has the options of a pattern in another order or spelling.
fn has_options(pattern: &str, command: &Command) -> bool {
    let own: Vec<String> = command.words.iter().map(Word::with_holes).collect();
    let all = [started(command), behind_options(&own)].concat();
    all.iter().any(|words| options::has_all(pattern, words))
}

/// Most tails of a launcher's words that are tried; what is longer is told by the first.
const MOST_TAILS: usize = 64;

/// The ways to write what a command runs.
fn spellings(command: &Command) -> Vec<String> {
    let raw: Vec<&str> = command.words.iter().map(|word| word.raw.as_str()).collect();
    let environment: Vec<&str> = command.environment.iter().map(|word| word.raw.as_str()).collect();
    let mut all: Vec<String> = started(command).iter().flat_map(|words| named(words)).collect();
    let own: Vec<String> = command.words.iter().map(Word::with_holes).collect();
    for words in std::iter::once(own.clone()).chain(git_names::known_as(&own)) {
        all.extend(named(&words));
        all.extend(behind_options(&words).iter().flat_map(|words| named(words)));
    }
    all.push(raw.join(" "));
    if !environment.is_empty() {
        all.push([environment.join(" "), raw.join(" ")].join(" ").trim().to_owned());
    }
    all
}

/// The words of the command, and those of what it may start: any tail of the words behind a launcher, and lines in them.
fn started(command: &Command) -> Vec<Vec<String>> {
    let texts: Vec<String> = command.words.iter().map(Word::with_holes).collect();
    let program = command.program().unwrap_or_default().to_lowercase();
    let mut all = vec![texts.clone()];
    for words in effect::started(&program, texts.get(1..).unwrap_or_default()) {
        let starts = 0..words.len().min(MOST_TAILS);
        all.extend(starts.filter_map(|start| words.get(start..)).map(<[String]>::to_vec));
        all.extend(words.iter().flat_map(|text| lines_in(text)).flat_map(rough_words));
    }
    all
}

/// What in a launcher's word may be a line: the word, what follows its `=`, and what is joined to an option (`-c'rm x'`).
pub(super) fn lines_in(text: &str) -> Vec<&str> {
    let joined = text.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
    let joined = joined.and_then(|rest| rest.char_indices().nth(1)).and_then(|(at, _)| text.get(at + 1..));
    let value = text.split_once('=').map(|(_, value)| value);
    let is_line = text.contains(char::is_whitespace);
    [Some(text).filter(|_| is_line), value, joined].into_iter().flatten().collect()
}

/// Most parts of one text that are looked at.
const MOST_PARTS: usize = 256;

/// What the arguments of an interpreter may start, by the words that stand in them.
fn embedded(command: &Command) -> Vec<String> {
    let program = command.program().unwrap_or_default().to_lowercase();
    let first = command.arguments().first().and_then(Word::literal);
    if command.is_wrapper
        || !effect::is_interpreter(&program, first.as_deref())
        || effect::of_command(command) == Some(SideEffect::Reads)
    {
        return Vec::new();
    }
    let texts: Vec<String> = command.arguments().iter().map(Word::with_holes).collect();
    in_texts(&texts)
}

/// What a text that a program is given on its standard input may start, where it may be a program too. What only the shell will
/// know of it is not guessed at: neither is what a script says.
fn in_input(reading: &Reading) -> Vec<String> {
    let runs = |program: &str| {
        effect::runs_its_input(&program.rsplit('/').next().unwrap_or_default().to_lowercase())
    };
    let is_any = || reading.commands.iter().any(|command| command.name().is_some_and(|name| runs(&name)));
    let is_program = |given: &&GivenText| {
        if given.to.is_empty() { is_any() } else { given.to.iter().any(|word| runs(word)) }
    };
    let texts: Vec<String> =
        reading.given.iter().filter(is_program).map(|given| given.text.clone()).collect();
    in_texts(&texts)
}

/// What texts in other languages may start: each of their words may be the name of a program.
fn in_texts(texts: &[String]) -> Vec<String> {
    let mut all = Vec::new();
    for part in texts.iter().flat_map(|text| rough_parts(text)).take(MOST_PARTS) {
        let words: Vec<String> = part.split([' ', ',', '=', '[', ']']).map(str::to_owned).collect();
        let starts = 0..words.len().min(MOST_TAILS);
        all.extend(
            starts.flat_map(|at| named(words.get(at..).unwrap_or_default())).filter(|text| text.len() > 1),
        );
    }
    all
}

/// The same without the options before a subcommand: `git push` of `git -C x --no-pager push`. A word after an option may be
/// its value or the subcommand.
fn behind_options(words: &[String]) -> Vec<Vec<String>> {
    let is_option = |at: usize| words.get(at).is_some_and(|word| word.starts_with(['-', '+']));
    let passed = (1..words.len().min(MOST_TAILS)).take_while(|at| is_option(*at) || is_option(at - 1));
    let rest = passed.filter_map(|at| words.get(at + 1..).filter(|rest| !rest.is_empty()));
    rest.map(|rest| words.iter().take(1).chain(rest).cloned().collect()).collect()
}

/// With the name as it is, without its folders, and as a file system that ignores case would find it.
fn named(words: &[String]) -> Vec<String> {
    let Some((name, rest)) = words.split_first() else { return Vec::new() };
    let base = name.rsplit('/').next().unwrap_or_default();
    let mut names = vec![name.clone(), base.to_owned(), base.to_lowercase()];
    names.dedup();
    names.into_iter().map(|name| [&[name], rest].concat().join(" ")).collect()
}

/// A line cut wherever a command might begin, each part as it is and without quotes.
fn rough_parts(line: &str) -> Vec<String> {
    rough_words(line).iter().flat_map(|words| named(words)).collect()
}

/// The same as words.
fn rough_words(line: &str) -> Vec<Vec<String>> {
    const CUTS: &[char] =
        &[';', '|', '&', '$', '`', '<', '>', '(', ')', '{', '}', '\n', '\r', '!', '#', '\'', '"'];
    let unquoted: String = line.chars().filter(|c| !matches!(c, '\'' | '"' | '\\')).collect();
    let mut parts = Vec::new();
    for text in [line, &unquoted] {
        let of_text = text.split(CUTS).map(str::trim).filter(|part| !part.is_empty());
        parts.extend(of_text.map(|part| part.split_whitespace().map(str::to_owned).collect()));
    }
    parts
}
