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

/// Longer words are no letters of options with a path behind them.
const LONGEST_GROUP: usize = 128;

const READERS: &[Reader] = &[
    (":", Takes::Words, "", &[]),
    ("[", Takes::Words, "", &[]),
    ("[[", Takes::Words, "", &[]),
    ("b2sum", Takes::Files, "c", &["check"]),
    ("basename", Takes::Words, "", &[]),
    ("break", Takes::Words, "", &[]),
    ("cat", Takes::Files, "", &[]),
    ("cd", Takes::Files, "", &[]),
    ("cksum", Takes::Files, "c", &["check", "files0-from"]),
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
    ("jq", Takes::PatternAndFiles, "Lf", &["library-path", "from-file"]),
    ("ls", Takes::Files, "LH", &["dereference"]),
    ("md5sum", Takes::Files, "c", &["check"]),
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
    ("sha1sum", Takes::Files, "c", &["check"]),
    ("sha256sum", Takes::Files, "c", &["check"]),
    ("sha512sum", Takes::Files, "c", &["check"]),
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
    if *takes == Takes::OneFile && !is_one_file(arguments) || reaches_further(program, arguments) {
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

/// Whether at most one file is named: `-` is one, and after `--` so is what begins with a dash.
fn is_one_file(arguments: &[Word]) -> bool {
    let names = |word: &&Word| !word.raw.starts_with('-') || word.raw == "-";
    arguments.iter().all(|word| word.literal().is_some() && word.raw != "--")
        && arguments.iter().filter(names).count() <= 1
}

/// Whether a word makes a reading program open files that it does not name, or do more than read.
fn reaches_further(program: &str, arguments: &[Word]) -> bool {
    let literal = |word: &Word| word.literal();
    let any = |is: fn(&str) -> bool| arguments.iter().any(|word| literal(word).is_none_or(|text| is(&text)));
    match program {
        // Of two folders it compares what links in them lead to.
        "diff" => !arguments.iter().any(|word| word.raw == "--no-dereference"),
        // Its programs can bring in files from any folder.
        "jq" => any(|text| text.contains("import") || text.contains("include")),
        // `@FILE` stands for the words in the file, which its complaints show.
        "strings" => any(|text| text.starts_with('@')),
        // `MMDDhhmm` sets the clock.
        "date" => any(|text| text.chars().all(|c| c.is_ascii_digit() || c == '.')),
        _ => false,
    }
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
    // `cd`, `cd -P` and `cd --` go home, `cd -` to where somebody was before.
    let goes_elsewhere = |words: &[Word]| !matches!(words, [folder] if !folder.with_holes().starts_with('-'));
    if program == "cd" && goes_elsewhere(command.arguments()) {
        return None;
    }
    let words: Option<Vec<String>> = command.arguments().iter().map(Word::literal).collect();
    let words = words?;
    // Letters may be joined: `-ne`.
    let brings_pattern =
        |word: &String| word.starts_with("--") || (word.starts_with('-') && word.contains(['e', 'f']));
    let mut skips = takes == Takes::PatternAndFiles && !words.iter().any(brings_pattern);
    let mut files = Vec::new();
    let mut are_options_over = false;
    for word in words {
        if !are_options_over && word == "--" {
            are_options_over = true;
        } else if !are_options_over && word.starts_with('-') && word.len() > 1 {
            files.extend(values(&word)?);
        } else if skips {
            skips = false;
        } else if word != "-" {
            files.push(word);
        }
    }
    Some(files)
}

/// What an option may hold that is a path: what follows its `=`, or any of its letters, since they may be joined
/// (`-vf/etc/passwd`). `None` for one that is too long to be any.
fn values(option: &str) -> Option<Vec<String>> {
    if option.starts_with("--") {
        return Some(option.split_once('=').map(|(_, value)| value.to_owned()).into_iter().collect());
    }
    let letters = option.char_indices().skip(2).map(|(at, _)| at);
    let values = letters.filter_map(|at| option.get(at..)).map(str::to_owned);
    (option.len() <= LONGEST_GROUP).then(|| values.collect())
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
