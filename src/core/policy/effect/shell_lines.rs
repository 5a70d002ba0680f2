//! Lines that shells are given by words of a launcher, and whether a command in one runs what comes in: `zsh -c '. /dev/stdin'`.

use super::input_files::{is_input, is_letters};
use super::interpreters::is_shell;

/// Programs beside shells that hand a line on to one.
const HANDING_ON: &[&str] = &["su", "runuser", "script", "sg", "nix-shell"];
/// The same, of which only the lines are looked at.
const WITH_LINES: &[&str] = &["flock", "npm", "npx", "pnpm"];
/// Programs that hand a word with a blank in it to a shell, whichever of their words it is.
const BY_TEXT: &[&str] = &["tmux", "hyperfine", "concurrently", "watchexec", "parallel", "sem"];
/// Words that may stand before the name of a command.
const BEFORE: &[&str] = &[
    "if",
    "then",
    "elif",
    "else",
    "while",
    "until",
    "do",
    "!",
    "{",
    "time",
    "command",
    "builtin",
    "noglob",
    "nocorrect",
    "exec",
    "-",
];

/// The words that may be lines for a shell, where one of them is a shell: what is joined to an option such as `-c`, and all
/// behind one.
pub(super) fn lines(program: &str, words: &[String]) -> Vec<String> {
    let is_a_shell = |word: &String| is_shell(word.rsplit('/').next().unwrap_or_default());
    let has_shell = is_shell(program) || HANDING_ON.contains(&program) || words.iter().any(is_a_shell);
    let is_code = |word: &String| {
        matches!(word.as_str(), "--command" | "--run") || (is_letters(word) && word.contains('c'))
    };
    let joined = words.iter().filter_map(|word| joined_line(word)).map(str::to_owned);
    let behind = words.iter().skip_while(|word| !is_code(word)).skip(1).cloned();
    joined.chain(behind).filter(|_| has_shell).collect()
}

/// The words that a shell is given as lines: what follows an option such as `-c` behind the name of one or of a program that
/// hands it on, what is joined to that option, and all texts of some programs.
pub(super) fn handed(program: &str, words: &[String]) -> Vec<String> {
    let hands_on = |name: &str| is_shell(name) || HANDING_ON.contains(&name) || WITH_LINES.contains(&name);
    let is_first = |word: &String| hands_on(word.rsplit('/').next().unwrap_or_default());
    let first = if hands_on(program) { Some(0) } else { words.iter().position(is_first).map(|at| at + 1) };
    let behind = first.and_then(|first| words.get(first..)).unwrap_or_default();
    let is_code =
        |word: &str| matches!(word, "--command" | "--run") || (is_letters(word) && word.contains('c'));
    let codes = behind.iter().enumerate().filter(|(_, word)| is_code(word));
    let next = |(at, _): (usize, &String)| {
        let mut rest = behind.get(at + 1..).unwrap_or_default().iter();
        rest.find(|word| !word.starts_with(['-', '+'])).cloned()
    };
    let mut lines: Vec<String> = codes.filter_map(next).collect();
    lines.extend(behind.iter().filter_map(|word| joined_line(word)).map(str::to_owned));
    let texts = words.iter().filter(|word| BY_TEXT.contains(&program) && word.contains(char::is_whitespace));
    lines.extend(texts.cloned());
    lines
}

/// What may be a line that is joined to its option: `--command=LINE`, `-cLINE`.
fn joined_line(word: &str) -> Option<&str> {
    let long = ["--command=", "--run="].into_iter().find_map(|option| word.strip_prefix(option));
    let short = || word.split_once('c').filter(|_| is_letters(word)).map(|(_, line)| line);
    long.or_else(short).filter(|line| !line.is_empty())
}

/// The commands of a line, without quotes and without what stands before their names.
pub(super) fn commands(line: &str) -> Vec<Vec<String>> {
    let bare: String = line.chars().filter(|c| !matches!(c, '\'' | '"' | '\\')).collect();
    let is_before = |word: &&str| BEFORE.contains(word) || is_assignment(word);
    let command = |part: &str| part.split_whitespace().skip_while(is_before).map(str::to_owned).collect();
    bare.split([';', '|', '&', '\n', '(', ')']).map(command).collect()
}

fn is_assignment(word: &str) -> bool {
    let is_name =
        |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    word.split_once('=').is_some_and(|(name, _)| is_name(name))
}

/// Whether a line starts a program whose name only the shell will know: `x=git; $x push`.
pub(super) fn hides_name(line: &str) -> bool {
    let hides = |command: &Vec<String>| match command.split_first() {
        Some((name, rest)) if name == "eval" => rest.iter().any(|word| expands(word)),
        Some((name, _)) => is_hidden(name),
        None => false,
    };
    commands(line).iter().any(hides)
}

fn expands(word: &str) -> bool {
    word.contains(['$', '`'])
}

/// Whether only the shell will know the name of a program. That of `$HOME/bin/deploy` is known; those of `/usr/bin/$x`, of
/// `` `/bin/echo git` `` and of `${x#/}git` are not.
fn is_hidden(name: &str) -> bool {
    let is_place = |part: &str| part.chars().all(|c| c.is_alphanumeric() || "_-.~$+{}".contains(c));
    let (folder, base) = name.rsplit_once('/').unwrap_or(("", name));
    expands(base) || (expands(folder) && !folder.split('/').all(is_place))
}

/// The words of a command before its first redirection, of which what it reads may be known to nobody: `zsh < /dev/stdin`, `zsh <(cat)`.
pub(super) fn before_redirections(words: &[String]) -> &[String] {
    words.split(|word| word.contains(['<', '>'])).next().unwrap_or_default()
}

/// Whether a command of a line runs what comes in: it reads a script from there, or what it runs is the outcome of an expansion.
pub(super) fn runs_input(command: &[String]) -> bool {
    let Some((name, rest)) = command.split_first() else { return false };
    let file = rest.first().map(String::as_str);
    // What a substitution prints follows in another part: `source <(cat)`, `. =(cat)`.
    let is_substituted = || rest.len() == 1 && matches!(file, Some("<" | "="));
    match name.as_str() {
        "." => file.is_some_and(|file| file != "-" && is_input(file)) || is_substituted(),
        // In fish, without a file.
        "source" => file.is_none_or(is_input) || is_substituted(),
        "eval" => rest.is_empty() || rest.iter().any(|word| expands(word)),
        name => name.starts_with(['$', '`']) && name.split_whitespace().next().is_some_and(is_hidden),
    }
}
