//! Commands that only look, with the options that would make them do more.

use super::super::shell::{Command, Word};
use crate::tool::SideEffect;

/// What the arguments of a reading command are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    /// Words that are never opened.
    Words,
    /// Files.
    Files,
    /// Files, but for the first argument that is no option: a pattern.
    PatternAndFiles,
    /// At most one file: a second one would be written.
    OneFile,
}

/// Name, what it takes, letters and long options that it must not be given.
type Reader = (&'static str, Takes, &'static str, &'static [&'static str]);

const READERS: &[Reader] = &[
    (":", Takes::Words, "", &[]),
    ("[", Takes::Words, "", &[]),
    ("[[", Takes::Words, "", &[]),
    ("b2sum", Takes::Files, "", &[]),
    ("basename", Takes::Words, "", &[]),
    ("break", Takes::Words, "", &[]),
    ("cat", Takes::Files, "", &[]),
    ("cd", Takes::Files, "", &[]),
    ("cksum", Takes::Files, "", &["files0-from"]),
    ("cmp", Takes::Files, "", &[]),
    ("column", Takes::Files, "", &[]),
    ("comm", Takes::Files, "", &[]),
    ("command", Takes::Words, "", &[]),
    ("continue", Takes::Words, "", &[]),
    ("cut", Takes::Files, "", &[]),
    ("date", Takes::Words, "sfr", &["set", "file", "reference"]),
    ("df", Takes::Files, "", &[]),
    ("diff", Takes::Files, "l", &["paginate"]),
    ("dirname", Takes::Words, "", &[]),
    ("du", Takes::Files, "LDX", &["dereference", "dereference-args", "exclude-from", "files0-from"]),
    ("echo", Takes::Words, "", &[]),
    ("egrep", Takes::PatternAndFiles, "R", &["dereference-recursive"]),
    ("exit", Takes::Words, "", &[]),
    ("expr", Takes::Words, "", &[]),
    ("false", Takes::Words, "", &[]),
    ("fgrep", Takes::PatternAndFiles, "R", &["dereference-recursive"]),
    ("file", Takes::Files, "CmfzZ", &["compile", "magic-file", "files-from", "uncompress"]),
    ("fold", Takes::Files, "", &[]),
    ("grep", Takes::PatternAndFiles, "R", &["dereference-recursive"]),
    ("head", Takes::Files, "", &[]),
    ("hexdump", Takes::Files, "", &[]),
    ("id", Takes::Words, "", &[]),
    ("jq", Takes::PatternAndFiles, "L", &["library-path"]),
    ("ls", Takes::Files, "LH", &["dereference"]),
    ("md5sum", Takes::Files, "", &[]),
    ("nl", Takes::Files, "", &[]),
    ("nproc", Takes::Words, "", &[]),
    ("od", Takes::Files, "", &[]),
    ("paste", Takes::Files, "", &[]),
    ("printf", Takes::Words, "", &[]),
    ("pwd", Takes::Words, "", &[]),
    ("readlink", Takes::Files, "", &[]),
    ("realpath", Takes::Files, "", &[]),
    ("return", Takes::Words, "", &[]),
    ("rev", Takes::Files, "", &[]),
    (
        "rg",
        Takes::PatternAndFiles,
        "LzP",
        &["pre", "pre-glob", "follow", "search-zip", "hostname-bin", "ignore-file"],
    ),
    ("seq", Takes::Words, "", &[]),
    ("set", Takes::Words, "", &[]),
    ("sha1sum", Takes::Files, "", &[]),
    ("sha256sum", Takes::Files, "", &[]),
    ("sha512sum", Takes::Files, "", &[]),
    ("shift", Takes::Words, "", &[]),
    ("sleep", Takes::Words, "", &[]),
    ("sort", Takes::Files, "oT", &["output", "compress-program", "temporary-directory", "files0-from"]),
    ("stat", Takes::Files, "", &[]),
    ("strings", Takes::Files, "", &[]),
    ("tac", Takes::Files, "", &[]),
    ("tail", Takes::Files, "", &[]),
    ("test", Takes::Words, "", &[]),
    ("tr", Takes::Words, "", &[]),
    ("tree", Takes::Files, "olR", &["output", "fromfile"]),
    ("true", Takes::Words, "", &[]),
    ("type", Takes::Words, "", &[]),
    ("uname", Takes::Words, "", &[]),
    ("uniq", Takes::OneFile, "", &[]),
    ("wait", Takes::Words, "", &[]),
    ("wc", Takes::Files, "", &["files0-from"]),
    ("which", Takes::Words, "", &[]),
    ("whoami", Takes::Words, "", &[]),
    ("xxd", Takes::OneFile, "r", &[]),
];

fn reader(program: &str) -> Option<&'static Reader> {
    READERS.iter().find(|(name, ..)| *name == program)
}

/// Whether the program is one that usually only looks.
pub(super) fn is_known(program: &str) -> bool {
    reader(program).is_some()
}

/// Whether the command looks and does nothing else.
pub(super) fn only_reads(program: &str, arguments: &[Word]) -> bool {
    let Some((_, takes, letters, long)) = reader(program) else { return false };
    let operands = arguments.iter().filter(|word| !word.raw.starts_with('-')).count();
    if *takes == Takes::OneFile && (operands > 1 || arguments.iter().any(|w| w.literal().is_none())) {
        return false;
    }
    if letters.is_empty() && long.is_empty() {
        return true;
    }
    let is_harmless = |word: &Word| match word.literal() {
        Some(text) => !has_option(&text, letters, long),
        None => !may_be_option(word),
    };
    arguments.iter().all(is_harmless)
}

/// Whether the word is one of these options. Long ones may be shortened, letters may be joined.
pub(super) fn has_option(text: &str, letters: &str, long: &[&str]) -> bool {
    if let Some(option) = text.strip_prefix("--") {
        let name = option.split('=').next().unwrap_or_default();
        return !name.is_empty()
            && long.iter().any(|refused| refused.starts_with(name) || name.starts_with(refused));
    }
    text.strip_prefix('-').is_some_and(|group| group.chars().any(|c| letters.contains(c)))
}

/// Whether a word that is not known could be an option.
pub(super) fn may_be_option(word: &Word) -> bool {
    let text = word.with_holes();
    word.may_split() || text.starts_with('-') || text.starts_with(super::super::shell::HOLE)
}

/// The files that a reading command opens; `None` if that cannot be told.
pub(in crate::policy) fn operands(command: &Command) -> Option<Vec<String>> {
    if command.is_wrapper {
        return Some(Vec::new());
    }
    let program = command.program()?;
    let takes = match program.as_str() {
        "git" | "find" => Takes::Files,
        "sed" => Takes::PatternAndFiles,
        _ => reader(&program)?.1,
    };
    if takes == Takes::Words {
        return Some(Vec::new());
    }
    if program == "cd" && command.arguments().len() != 1 {
        return None;
    }
    let words: Option<Vec<String>> = command.arguments().iter().map(Word::literal).collect();
    let words = words?;
    let brings_pattern =
        |word: &String| word.starts_with("-e") || word.starts_with("-f") || word.starts_with("--");
    let mut skips = takes == Takes::PatternAndFiles && !words.iter().any(brings_pattern);
    let mut files = Vec::new();
    let mut are_options_over = false;
    for word in words {
        if !are_options_over && word == "--" {
            are_options_over = true;
        } else if !are_options_over && word.starts_with('-') && word.len() > 1 {
            files.extend(value(&word));
        } else if skips {
            skips = false;
        } else if word != "-" || program == "cd" {
            files.push(word);
        }
    }
    Some(files)
}

/// What an option may hold that is a path: after its `=`, or after its letter.
fn value(option: &str) -> Option<String> {
    let value = match option.split_once('=') {
        Some((_, value)) => value,
        None if option.starts_with("--") => return None,
        None => option.get(2..).unwrap_or_default(),
    };
    (value.contains('/') || value.contains('~') || value == "..").then(|| value.to_owned())
}

/// `sed`: prints lines, edits files in place, or runs what its script says.
pub(super) fn sed(arguments: &[Word]) -> SideEffect {
    let words: Option<Vec<String>> = arguments.iter().map(Word::literal).collect();
    let Some(words) = words else { return SideEffect::Runs };
    let known = |word: &&String| matches!(word.as_str(), "-n" | "-E" | "-r" | "-i" | "-ni" | "-ri" | "-Ei");
    let options = words.iter().take_while(known).count();
    let edits = words.iter().take(options).any(|word| word.contains('i'));
    let mut rest = words.iter().skip(options);
    let is_plain = rest.next().is_some_and(|script| prints(script) || replaces(script));
    match (is_plain && rest.all(|file| !file.starts_with('-')), edits) {
        (false, _) => SideEffect::Runs,
        (true, true) => SideEffect::Writes,
        (true, false) => SideEffect::Reads,
    }
}

/// `1,5p`
fn prints(script: &str) -> bool {
    let lines = script.strip_suffix(['p', 'd']).unwrap_or_default();
    !lines.is_empty() && lines.chars().all(|c| c.is_ascii_digit() || matches!(c, ',' | '$'))
}

/// `s/a/b/g`, without the flags that run or write.
fn replaces(script: &str) -> bool {
    let Some(rest) = script.strip_prefix('s') else { return false };
    let Some(delimiter) = rest.chars().next().filter(|c| c.is_ascii_punctuation() && *c != '\\') else {
        return false;
    };
    let parts: Vec<&str> = rest.split(delimiter).collect();
    match parts.as_slice() {
        [_, pattern, with, flags] => {
            let is_plain = |text: &str| !text.contains(['\n', '\\', '[']);
            is_plain(pattern)
                && is_plain(with)
                && flags.chars().all(|c| c == 'g' || c == 'I' || c.is_ascii_digit())
        }
        _ => false,
    }
}
