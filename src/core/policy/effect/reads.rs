//! Commands that only look, and the files that they open.

use super::super::shell::{Command, HOLE, HoleSource, Reading, Word, WordPiece, is_of_system, walk};
use super::arguments::{ReadOnlyProgram, Taken, Takes};
use super::git;
use super::readers::{brings_pattern, opens_operands, reader};
use crate::tool::SideEffect;

/// Whether the program is one that usually only looks.
pub(in crate::policy) fn is_known(program: &str) -> bool {
    reader(program).is_some()
}

/// Whether the command looks and does nothing else.
pub(super) fn only_reads(program: &str, arguments: &[Word]) -> bool {
    let Some(taken) = reader(program).and_then(|reader| reader.take(arguments)) else { return false };
    !reaches_further(program, arguments, &taken)
}

/// Whether a word makes a reading program open files that it does not name, or do more than read.
fn reaches_further(program: &str, arguments: &[Word], taken: &Taken<'_>) -> bool {
    let any = |is: fn(&str) -> bool| arguments.iter().any(|word| word.literal().is_none_or(|text| is(&text)));
    match program {
        // Of two folders it compares what links in them lead to.
        "diff" => !taken.options.iter().any(|option| option == "--no-dereference"),
        // Its programs can bring in files from any folder.
        "jq" => any(|text| text.contains("import") || text.contains("include")),
        // `@FILE` stands for the words in the file, which its complaints show.
        "strings" => any(|text| text.starts_with('@')),
        // Whatever is no format sets the clock.
        "date" => taken.operands.iter().any(|word| !word.with_holes().starts_with('+')),
        _ => false,
    }
}

/// Whether a reading command opens what its operands name.
pub(in crate::policy) fn opens(command: &Command) -> bool {
    let reader = command.program().and_then(|program| reader(&program));
    reader.is_none_or(|reader| opens_operands(reader.takes))
}

/// Programs that make, mark or signal what their words name. None has an option with which it reads what is in a file.
const NEVER_READ: &[&str] = &["chmod", "kill", "mkdir", "rmdir", "touch"];

/// Whether a command reads no file, whatever its words are.
pub(in crate::policy) fn reads_nothing(command: &Command) -> bool {
    let name = command.name().filter(|name| is_of_system(name) && command.environment.is_empty());
    let program = name.as_deref().and_then(|name| name.rsplit('/').next());
    program.is_some_and(|program| NEVER_READ.contains(&program))
}

/// The files that a reading command opens, and the folders in which the shell looks for what its patterns stand for;
/// `None` if that cannot be told.
pub(in crate::policy) fn operands(command: &Command, reading: &Reading) -> Option<Vec<String>> {
    if command.is_wrapper {
        return Some(Vec::new());
    }
    let program = command.program()?;
    let words = command.arguments();
    match program.as_str() {
        "git" => {
            let (subcommand, rest) = git::subcommand(words)?;
            match git::reader(&subcommand) {
                Some(reader) => opened(&reader, "git", rest),
                None => literals(rest.iter()),
            }
        }
        "find" => literals(walk(words).ok()?.places.iter()),
        "sed" => literals(words.iter().skip_while(|word| word.raw.starts_with('-')).skip(1)),
        // `cd`, `cd -P` and `cd --` go home, `cd -` to where somebody was before.
        "cd" => match words {
            [folder] if !folder.with_holes().starts_with('-') => literals(words.iter()),
            _ => None,
        },
        name => {
            let reader = reader(name)?;
            if opens_operands(reader.takes) {
                opened(reader, name, words)
            } else {
                let listed: Option<Vec<_>> = words.iter().map(|word| listed(word, reading)).collect();
                Some(listed?.into_iter().flatten().collect())
            }
        }
    }
}

fn literals<'w>(words: impl Iterator<Item = &'w Word>) -> Option<Vec<String>> {
    words.map(Word::literal).collect()
}

fn opened(reader: &ReadOnlyProgram, program: &str, words: &[Word]) -> Option<Vec<String>> {
    let taken = reader.take(words).filter(|taken| !taken.is_vague)?;
    let has_pattern = taken.options.iter().any(|option| brings_pattern(program, option));
    let skipped = usize::from(reader.takes == Takes::PatternAndFiles && !has_pattern);
    // A pattern that the shell may make several words of is not the only one that it makes.
    if taken.operands.iter().take(skipped).any(|word| word.may_split()) {
        return None;
    }
    let operands = literals(taken.operands.into_iter().skip(skipped))?;
    Some(taken.named.into_iter().chain(operands.into_iter().filter(|path| path != "-")).collect())
}

/// The folder that the shell lists for the patterns in a word, if there are any; `None` if it cannot be told.
fn listed(word: &Word, reading: &Reading) -> Option<Option<String>> {
    let mut before = Some(String::new());
    let mut is_listed = false;
    for piece in &word.pieces {
        match piece {
            WordPiece::Text(text) if is_listed && text.contains('/') => return None,
            WordPiece::Text(text) => {
                if let Some(before) = before.as_mut().filter(|_| !is_listed) {
                    before.push_str(text);
                }
            }
            WordPiece::Glob(_) => is_listed = true,
            WordPiece::Hole { splits, of } => {
                if is_listed || (*splits && may_be_pattern(of, reading)) {
                    return None;
                }
                before = None;
            }
        }
    }
    if !is_listed {
        return Some(None);
    }
    let before = before?;
    let folder = before.rfind('/').and_then(|at| before.get(..=at)).unwrap_or(".");
    Some(Some(folder.to_owned()))
}

/// Whether a value can have signs that the shell takes for a pattern. What is in the environment was put there by the user.
fn may_be_pattern(of: &HoleSource, reading: &Reading) -> bool {
    match of {
        HoleSource::Number | HoleSource::Given | HoleSource::Home => false,
        HoleSource::Unknown => true,
        HoleSource::Variable(name) => reading
            .assigned
            .iter()
            .filter(|(assigned, _)| assigned == name)
            .any(|(_, value)| value.as_ref().is_none_or(|text| text.contains(['*', '?', '[', HOLE]))),
    }
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
