//! What a command may start, as lists of words: its own, and what stands behind a launcher. All that a denying or
//! asking rule compares with words comes from here and from `guessed.rs`, so that no other way to write a command
//! is known in one place and not in another.

use std::collections::BTreeSet;

use super::effect;
use super::git_names;
use super::shell::{Command, HOLE, Word, innermost, is_of_system, is_read_through, read_elsewhere};
use crate::tool::SideEffect;

/// A program and its arguments, as they may be run.
pub(super) type CommandWords = Vec<String>;

/// Most lists that are tried of those that one list ends in.
pub(super) const MOST_TAILS: usize = 64;
/// Most lists without options before a subcommand that are tried of one command.
const MOST_SHORTER: usize = 256;

/// What one command surely may start, as far as no rule is needed to tell.
pub(super) struct CommandStarts {
    own: CommandWords,
    launched: Vec<LaunchedWords>,
}

/// The words behind a launcher.
struct LaunchedWords {
    words: CommandWords,
    /// Which of them may be the program that is started.
    may_run: Vec<bool>,
    /// Which of them only name something.
    names: BTreeSet<usize>,
    fed: Option<FedWords>,
    /// Lines in them.
    lines: Vec<CommandWords>,
}

impl CommandStarts {
    /// What this command may start.
    pub(super) fn of(command: &Command) -> Self {
        let own: CommandWords = command.words.iter().map(Word::with_holes).collect();
        let program = command.program().unwrap_or_default().to_lowercase();
        let mut launched = effect::started(&program, own.get(1..).unwrap_or_default());
        let is_read = is_read_through(command);
        // A shell behind a launcher, such as that of another host, resolves the quotes that are left.
        let quoted = launched.iter().filter(|words| !is_read && words.iter().any(|word| has_quotes(word)));
        let resolved: Vec<CommandWords> =
            quoted.map(|words| words.iter().map(|word| unquoted(word)).collect()).collect();
        launched.extend(resolved);
        // What a launcher starts has the launcher's own words, at the same places.
        let is_launcher = effect::is_launcher(&program);
        let read = if is_launcher { of_readers(command) } else { BTreeSet::new() };
        let of_words = |words| LaunchedWords::of(&program, words, is_read, &read);
        let launched = launched.into_iter().map(of_words).collect();
        Self { own, launched }
    }

    /// The words of the command, and those of what it may start: any tail of the words behind a launcher, and
    /// lines in them. Those that cannot begin as the pattern does are left out.
    pub(super) fn started(&self, pattern: &str) -> Vec<CommandWords> {
        let own = Some(&self.own).filter(|words| may_begin(pattern, words)).cloned();
        own.into_iter().chain(self.launched.iter().flat_map(|launched| launched.started(pattern))).collect()
    }
}

impl LaunchedWords {
    /// `read`: the places of words for a program that only looks.
    fn of(program: &str, words: CommandWords, is_read: bool, read: &BTreeSet<usize>) -> Self {
        let mut names = only_names(program, &words, is_read);
        names.extend(read);
        let may_run = if is_read { Vec::new() } else { effect::program_places(program, &words) };
        let fed = if is_read { None } else { FedWords::of(program, &words) };
        let texts = words.iter().enumerate().filter(|(at, _)| !names.contains(at));
        let lines = texts.flat_map(|(_, text)| lines_in(text)).flat_map(rough_words).collect();
        Self { words, may_run, names, fed, lines }
    }

    fn started(&self, pattern: &str) -> Vec<CommandWords> {
        let may_run = |at: usize| self.may_run.get(at).copied().unwrap_or_default();
        let may_start =
            |at: usize| !self.names.contains(&at) && (may_run(at) || !only_runs(pattern, &self.words, at));
        let mut all = tails_where(pattern, &self.words, may_start);
        all.extend(self.fed.iter().flat_map(|fed| fed.started(pattern)));
        all.extend(self.lines.iter().filter(|words| may_begin(pattern, words)).cloned());
        all
    }
}

/// The lists, and each as it could be written otherwise: what git also calls it, and without the options
/// before a subcommand.
pub(super) fn spelled(pattern: &str, lists: Vec<CommandWords>) -> Vec<CommandWords> {
    let mut all: Vec<CommandWords> = lists.iter().flat_map(|words| git_names::known_as(words)).collect();
    all.extend(lists);
    let shorter = bounded(pattern, all.iter().flat_map(|words| behind_options(words)), MOST_SHORTER);
    all.extend(shorter);
    all
}

/// With the name as it is, without its folders, and as a file system that ignores case would find it.
pub(super) fn named(words: &[String]) -> Vec<String> {
    let Some((name, rest)) = words.split_first() else { return Vec::new() };
    names(name).into_iter().map(|name| [&[name], rest].concat().join(" ")).collect()
}

/// A line cut wherever a command might begin, each part as it is and without quotes.
pub(super) fn rough_parts(line: &str) -> Vec<String> {
    rough_words(line).iter().flat_map(|words| named(words)).collect()
}

/// What in a launcher's word may be a line: the word, what follows its `=`, and what is joined to an option
/// (`-c'rm x'`).
pub(super) fn lines_in(text: &str) -> Vec<&str> {
    let joined = text.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
    let joined = joined.and_then(|rest| rest.char_indices().nth(1)).and_then(|(at, _)| text.get(at + 1..));
    let value = text.split_once('=').map(|(_, value)| value);
    let is_line = text.contains(char::is_whitespace);
    [Some(text).filter(|_| is_line), value, joined].into_iter().flatten().collect()
}

/// The words of a program that adds what it reads to them: `parallel git`, `docker exec c xargs git`.
pub(super) struct FedWords {
    words: CommandWords,
    /// How many of them are what the program starts, if it is the one that adds.
    whole: Option<usize>,
}

impl FedWords {
    /// `None`: nothing adds words here.
    pub(super) fn of(program: &str, words: &[String]) -> Option<Self> {
        let adds =
            |name: &str| effect::adds_words(&name.rsplit('/').next().unwrap_or_default().to_lowercase());
        if !adds(program) && !words.iter().any(|word| adds(word)) {
            return None;
        }
        let before = std::iter::once("").chain(words.iter().map(String::as_str));
        // Behind `-I` stands what is replaced.
        let all = words.iter().zip(before);
        let all = all.map(|(word, before)| if before == "-I" { word.clone() } else { filled(word) });
        let all: CommandWords = all.chain(std::iter::once(HOLE.to_string())).collect();
        let whole = all.iter().skip_while(|word| word.starts_with('-')).count();
        Some(Self { words: all, whole: Some(whole).filter(|_| adds(program)) })
    }

    /// What of them may be started and can begin as the pattern does.
    pub(super) fn started(&self, pattern: &str) -> Vec<CommandWords> {
        let may_start = |at: usize| !only_runs(pattern, &self.words, at);
        let is_command = |tail: &CommandWords| {
            let is_whole = self.whole == Some(tail.len());
            tail.len() > 1 && (is_whole || !tail.first().is_some_and(|name| name.contains(HOLE)))
        };
        tails_where(pattern, &self.words, may_start).into_iter().filter(is_command).collect()
    }
}

/// A word with a hole for the braces that what is read takes the place of.
fn filled(word: &str) -> String {
    match (word.split_once('{'), word.rsplit_once('}')) {
        (Some((before, _)), Some((_, after))) => format!("{before}{HOLE}{after}"),
        _ => word.to_owned(),
    }
}

/// What these words end in, where a pattern may speak of it and `may_start` says that a program may begin.
pub(super) fn tails_where(
    pattern: &str,
    words: &[String],
    may_start: impl Fn(usize) -> bool,
) -> Vec<CommandWords> {
    let starts = (0..words.len()).filter(|at| may_start(*at));
    let ends = starts.filter_map(|start| words.get(start..));
    bounded(pattern, ends.filter(|end| may_begin(pattern, end)).map(<[String]>::to_vec), MOST_TAILS)
}

/// Whether a word speaks of the pattern only as a program: `git-push`.
pub(super) fn only_runs(pattern: &str, words: &[String], at: usize) -> bool {
    words.get(at).is_some_and(|name| git_names::is_only_a_program(pattern, name))
}

/// Which words behind a launcher only name something. Those behind another launcher count where that starts
/// what is read as a command of its own.
pub(super) fn only_names(program: &str, words: &[String], is_read: bool) -> BTreeSet<usize> {
    let is_tool = |word: &String| effect::is_container_tool(word.rsplit('/').next().unwrap_or_default());
    let first = match words.iter().position(is_tool) {
        _ if effect::is_container_tool(program) => 0,
        Some(at) if is_read => at + 1,
        _ => return BTreeSet::new(),
    };
    let places = effect::name_places(words.get(first..).unwrap_or_default());
    places.into_iter().map(|at| at + first).collect()
}

/// Which arguments of a launcher are words for programs that only look, and no commands: those behind `grep` in
/// `timeout 5 grep rm x`, and the line in `ssh host 'grep rm x'`.
pub(super) fn of_readers(command: &Command) -> BTreeSet<usize> {
    let words: CommandWords = command.arguments().iter().map(Word::with_holes).collect();
    if let Some(inner) = innermost(command) {
        let name = inner.first().and_then(Word::literal).unwrap_or_default();
        let only_looks = is_of_system(&name) && effect::is_reader(base(&name));
        let first = words.len().saturating_sub(inner.len().saturating_sub(1));
        return (first..words.len()).filter(|_| only_looks).collect();
    }
    let program = command.program().unwrap_or_default().to_lowercase();
    let Some(sent) = effect::sent(&program, &words) else { return BTreeSet::new() };
    let line = sent.join(" ");
    let first = words.len().saturating_sub(sent.len());
    // An option that is not known may have the first word for its value: `watch --shots grep rm x`.
    let is_value = words.iter().take(first).next_back().is_some_and(|word| word.starts_with("--"));
    // What only this shell knows may be more commands there.
    let reading = read_elsewhere(&line);
    let only_looks = !is_value
        && !line.contains(HOLE)
        && reading.unreadable.is_none()
        && reading.commands.iter().all(|command| effect::of_command(command) == Some(SideEffect::Reads));
    (first..words.len()).filter(|_| only_looks).collect()
}

fn base(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or_default()
}

/// As many of the lists as are tried. Of more than that only the shell knows; but what a pattern says that
/// begins with any text is told by the first.
fn bounded(pattern: &str, lists: impl Iterator<Item = CommandWords>, most: usize) -> Vec<CommandWords> {
    let mut all: Vec<CommandWords> = lists.take(most.saturating_add(1)).collect();
    if all.len() > most {
        all.truncate(most);
        let is_any = beginning(pattern).is_empty();
        all.extend(Some(vec![HOLE.to_string()]).filter(|_| !is_any));
    }
    all
}

/// Whether words can begin as a pattern does. It keeps what is compared with one rule short.
fn may_begin(pattern: &str, words: &[String]) -> bool {
    let beginning = beginning(pattern);
    let begins =
        |name: &String| name.contains(HOLE) || names(name).iter().any(|name| name.starts_with(beginning));
    words.first().is_some_and(begins)
}

/// What the name of a program begins with, if a pattern speaks of it.
fn beginning(pattern: &str) -> &str {
    pattern.split([' ', '*']).next().unwrap_or_default()
}

/// A name as it is, without its folders, and as a file system that ignores case would find it.
fn names(name: &str) -> Vec<String> {
    let base = name.rsplit('/').next().unwrap_or_default();
    let mut names = vec![name.to_owned(), base.to_owned(), base.to_lowercase()];
    names.dedup();
    names
}

/// The same without the options before a subcommand: `git push` of `git -C x --no-pager push`. A word after
/// an option may be its value or the subcommand.
fn behind_options(words: &[String]) -> Vec<CommandWords> {
    let is_option = |at: usize| words.get(at).is_some_and(|word| word.starts_with(['-', '+']));
    let passed = (1..words.len().min(MOST_TAILS)).take_while(|at| is_option(*at) || is_option(at - 1));
    let rest = passed.filter_map(|at| words.get(at + 1..).filter(|rest| !rest.is_empty()));
    rest.map(|rest| words.iter().take(1).chain(rest).cloned().collect()).collect()
}

/// Whether a part of the program's own name is not known: `eva$x 'rm y'` may start any other.
pub(super) fn is_unnamed(command: &Command) -> bool {
    command
        .words
        .first()
        .is_some_and(|name| name.with_holes().rsplit('/').next().is_some_and(|base| base.contains(HOLE)))
}

fn has_quotes(text: &str) -> bool {
    text.contains(is_quote)
}

/// The text without what quotes in it.
fn unquoted(text: &str) -> String {
    text.chars().filter(|c| !is_quote(*c)).collect()
}

fn is_quote(c: char) -> bool {
    matches!(c, '\'' | '"' | '\\')
}

/// A line cut wherever a command might begin, each part as it is and without quotes.
pub(super) fn rough_words(line: &str) -> Vec<CommandWords> {
    const CUTS: &[char] =
        &[';', '|', '&', '$', '`', '<', '>', '(', ')', '{', '}', '\n', '\r', '!', '#', '\'', '"'];
    let bare = unquoted(line);
    let mut parts = Vec::new();
    for text in [line, &bare] {
        let of_text = text.split(CUTS).map(str::trim).filter(|part| !part.is_empty());
        parts.extend(of_text.map(|part| part.split_whitespace().map(str::to_owned).collect()));
    }
    parts
}
