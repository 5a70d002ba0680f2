//! What a line may start, as lists of words: a command's own, what stands behind a launcher, and what texts
//! for other programs name. All that a denying or asking rule compares with words comes from here, so that no
//! other way to write a command is known in one place and not in another.

use std::collections::BTreeSet;

use super::effect;
use super::git_names;
use super::shell::{Command, GivenText, HOLE, Reading, Word, is_of_system, is_read_through};
use crate::tool::SideEffect;

/// A program and its arguments, as they may be run.
pub(super) type CommandWords = Vec<String>;

/// Most lists that are tried of those that one list ends in.
const MOST_TAILS: usize = 64;
/// Most lists without options before a subcommand that are tried of one command.
const MOST_SHORTER: usize = 256;

/// The words of the command, and those of what it surely may start: any tail of the words behind a launcher,
/// and lines in them. Those that cannot begin as the pattern does are left out.
pub(super) fn started(pattern: &str, command: &Command) -> Vec<CommandWords> {
    let own: CommandWords = command.words.iter().map(Word::with_holes).collect();
    let program = command.program().unwrap_or_default().to_lowercase();
    let launched = effect::started(&program, own.get(1..).unwrap_or_default());
    let mut all: Vec<CommandWords> =
        Some(own).filter(|words| may_begin(pattern, words)).into_iter().collect();
    let is_read = is_read_through(command);
    for words in launched {
        let places = effect::program_places(&program, &words);
        let names = only_names(&program, &words, is_read);
        let may_run = |at: usize| !is_read && places.get(at).copied().unwrap_or_default();
        let may_start = |at: usize| !names.contains(&at) && (may_run(at) || !only_runs(pattern, &words, at));
        all.extend(tails_where(pattern, &words, may_start));
        if !is_read {
            all.extend(fed(pattern, &program, &words));
        }
        let texts = words.iter().enumerate().filter(|(at, _)| !names.contains(at));
        let lines = texts.flat_map(|(_, text)| lines_in(text)).flat_map(rough_words);
        all.extend(lines.filter(|words| may_begin(pattern, words)));
    }
    all
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

/// What a line may start besides, as far as words tell: a text in another language, or a program that nobody
/// knows.
pub(super) fn guessed(pattern: &str, reading: &Reading) -> Vec<CommandWords> {
    let texts = reading.commands.iter().flat_map(|command| embedded(pattern, command));
    let unknown = reading.commands.iter().flat_map(|command| behind_unknown(pattern, command));
    texts.chain(unknown).chain(in_input(pattern, reading)).collect()
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

/// What the arguments of an interpreter may start, by the words that stand in them.
fn embedded(pattern: &str, command: &Command) -> Vec<CommandWords> {
    let program = command.program().unwrap_or_default().to_lowercase();
    let first = command.arguments().first().and_then(Word::literal);
    if command.is_wrapper
        || !effect::is_interpreter(&program, first.as_deref())
        || effect::of_command(command) == Some(SideEffect::Reads)
    {
        return Vec::new();
    }
    let texts: Vec<String> = command.arguments().iter().map(Word::with_holes).collect();
    let before = std::iter::once(None).chain(texts.iter().map(|text| Some(text.as_str())));
    // Of a launcher's words those that may be programs are in other lists.
    let is_listed =
        |before: Option<&str>| effect::is_launcher(&program) || effect::names_its_word(&program, before);
    let names = only_names(&program, &texts, is_read_through(command));
    let may_start = texts.iter().zip(before).enumerate().filter(|(at, (text, before))| {
        !names.contains(at) && !(git_names::is_only_a_program(pattern, text) && is_listed(*before))
    });
    may_start.flat_map(|(_, (text, _))| in_text(pattern, text)).collect()
}

/// What stands behind a program that nobody knows: it may be one that starts what its words say. A word that
/// stands alone is most often no command, and a name that only the shell will know is not guessed at.
fn behind_unknown(pattern: &str, command: &Command) -> Vec<CommandWords> {
    let is_about_names = |name: &String| {
        is_of_system(name) && effect::is_about_names(name.rsplit('/').next().unwrap_or_default())
    };
    if effect::of_command(command).is_some() || command.name().as_ref().is_some_and(is_about_names) {
        return Vec::new();
    }
    let words: CommandWords = command.arguments().iter().map(Word::with_holes).collect();
    let is_command =
        |words: &CommandWords| words.len() > 1 && words.first().is_some_and(|name| !name.contains(HOLE));
    let may_start = |at: usize| !only_runs(pattern, &words, at);
    tails_where(pattern, &words, may_start).into_iter().filter(is_command).collect()
}

/// What a text that a program is given on its standard input may start, where it may be a program too. Where it
/// is one for sure, so may what only the shell will know of it; what a script says is not guessed at.
fn in_input(pattern: &str, reading: &Reading) -> Vec<CommandWords> {
    let runs = |name: &str, words: &[String]| {
        effect::runs_its_input(&name.rsplit('/').next().unwrap_or_default().to_lowercase(), words)
    };
    let is_runner = |command: &Command| {
        let words: CommandWords = command.words.iter().map(Word::with_holes).collect();
        command.name().is_some_and(|name| runs(&name, &words)) || effect::reads_program(&words)
    };
    let is_any = || reading.commands.iter().any(is_runner);
    // Without such a text nobody asks.
    let commands = reading.commands.iter().filter(|command| !command.is_wrapper && !reading.given.is_empty());
    let written =
        commands.map(|command| command.words.iter().map(Word::with_holes).collect::<CommandWords>());
    let readers: Vec<CommandWords> = written.filter(|words| effect::reads_program(words)).collect();
    // What comes to the end of a pipe is read by one of the other commands.
    let is_program = |given: &&GivenText| {
        given.to.iter().any(|word| runs(word, &given.to))
            || readers.iter().any(|words| given.to.ends_with(words))
            || ((given.to.is_empty() || given.is_piped) && is_any())
    };
    let known = |text: &String| if readers.is_empty() { text.replace(HOLE, " ") } else { text.clone() };
    let texts = reading.given.iter().filter(is_program).map(|given| known(&given.text));
    // What a pipe or a file brings may be all that comes: what the line does not tell of it stays a hole.
    let piped = reading.piped.iter().filter(|piped| effect::reads_program(&piped.words));
    let piped: BTreeSet<&str> = piped.map(|piped| &*piped.text).collect();
    texts.chain(piped.into_iter().map(str::to_owned)).flat_map(|text| in_text(pattern, &text)).collect()
}

/// What a program starts that adds what it reads to the words: `parallel git`, `docker exec c xargs git`.
fn fed(pattern: &str, program: &str, words: &[String]) -> Vec<CommandWords> {
    let adds = |name: &str| effect::adds_words(&name.rsplit('/').next().unwrap_or_default().to_lowercase());
    if !adds(program) && !words.iter().any(|word| adds(word)) {
        return Vec::new();
    }
    let before = std::iter::once("").chain(words.iter().map(String::as_str));
    // Behind `-I` stands what is replaced.
    let filled = words
        .iter()
        .zip(before)
        .map(|(word, before)| if before == "-I" { word.clone() } else { filled(word) });
    let all: CommandWords = filled.chain(std::iter::once(HOLE.to_string())).collect();
    let own = all.iter().take_while(|word| word.starts_with('-')).count();
    let is_command = |tail: &CommandWords| {
        let is_whole = adds(program) && tail.len() + own == all.len();
        tail.len() > 1 && (is_whole || !tail.first().is_some_and(|name| name.contains(HOLE)))
    };
    let may_start = |at: usize| !only_runs(pattern, &all, at);
    tails_where(pattern, &all, may_start).into_iter().filter(is_command).collect()
}

/// A word with a hole for the braces that what is read takes the place of.
fn filled(word: &str) -> String {
    match (word.split_once('{'), word.rsplit_once('}')) {
        (Some((before, _)), Some((_, after))) => format!("{before}{HOLE}{after}"),
        _ => word.to_owned(),
    }
}

/// What a text in another language may start: each of its words may be the name of a program. A letter is
/// most often the name of a value.
fn in_text(pattern: &str, text: &str) -> Vec<CommandWords> {
    let mut all = Vec::new();
    for part in rough_words(text) {
        let words = part.iter().flat_map(|word| word.split([',', '=', '[', ']']));
        let words: CommandWords = words.filter(|word| !word.is_empty()).map(str::to_owned).collect();
        let is_letter = |words: &CommandWords| words.iter().map(String::len).sum::<usize>() == 1;
        all.extend(fed(pattern, "", &words));
        all.extend(tails(pattern, &words).into_iter().filter(|words| !is_letter(words)));
    }
    all
}

/// What these words end in, where a pattern may speak of it.
fn tails(pattern: &str, words: &[String]) -> Vec<CommandWords> {
    tails_where(pattern, words, |_| true)
}

/// The same of those that begin where `may_start` says so.
fn tails_where(pattern: &str, words: &[String], may_start: impl Fn(usize) -> bool) -> Vec<CommandWords> {
    let starts = (0..words.len()).filter(|at| may_start(*at));
    let ends = starts.filter_map(|start| words.get(start..));
    bounded(pattern, ends.filter(|end| may_begin(pattern, end)).map(<[String]>::to_vec), MOST_TAILS)
}

/// Whether a word speaks of the pattern only as a program: `git-push`.
fn only_runs(pattern: &str, words: &[String], at: usize) -> bool {
    words.get(at).is_some_and(|name| git_names::is_only_a_program(pattern, name))
}

/// Which words behind a launcher only name something. Those behind another launcher count where that starts
/// what is read as a command of its own.
fn only_names(program: &str, words: &[String], is_read: bool) -> BTreeSet<usize> {
    let is_tool = |word: &String| effect::is_container_tool(word.rsplit('/').next().unwrap_or_default());
    let first = match words.iter().position(is_tool) {
        _ if effect::is_container_tool(program) => 0,
        Some(at) if is_read => at + 1,
        _ => return BTreeSet::new(),
    };
    let places = effect::name_places(words.get(first..).unwrap_or_default());
    places.into_iter().map(|at| at + first).collect()
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

/// A line cut wherever a command might begin, each part as it is and without quotes.
fn rough_words(line: &str) -> Vec<CommandWords> {
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
