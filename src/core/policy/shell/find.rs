//! The words of `find`: where it looks, what it starts, and what else it does.
//!
//! A test that is not in the tables may take the next word for its value, so that nobody knows which of the words after it
//! are actions. Such a line is not read if one of them would start a program.

use super::HOLE;
use super::parts::{HoleSource, Word, WordPiece};

/// What the words of a `find` say.
#[derive(Default)]
pub(in crate::policy) struct Walk {
    /// The folders it begins in, and the files it is told to compare with.
    pub(in crate::policy) places: Vec<Word>,
    /// What it starts, each with `{}` as a hole.
    pub(super) commands: Vec<Vec<Word>>,
    /// Whether it deletes what it finds.
    pub(in crate::policy) deletes: bool,
    /// Whether it writes files of its own.
    pub(in crate::policy) writes: bool,
    /// Whether there are words that are not in the tables, or that lead out of the folders.
    pub(in crate::policy) is_unknown: bool,
}

/// Tests and operators without a value.
const ALONE: &[&str] = &[
    "(",
    ")",
    "!",
    ",",
    "-a",
    "-and",
    "-o",
    "-or",
    "-not",
    "-print",
    "-print0",
    "-ls",
    "-prune",
    "-quit",
    "-empty",
    "-true",
    "-false",
    "-mount",
    "-xdev",
    "-depth",
    "-daystart",
    "-nouser",
    "-nogroup",
    "-readable",
    "-writable",
    "-executable",
    "-warn",
    "-nowarn",
    "-noleaf",
];
/// Tests with one value that is no file.
const VALUED: &[&str] = &[
    "-name",
    "-iname",
    "-path",
    "-ipath",
    "-wholename",
    "-iwholename",
    "-lname",
    "-ilname",
    "-regex",
    "-iregex",
    "-regextype",
    "-type",
    "-xtype",
    "-maxdepth",
    "-mindepth",
    "-size",
    "-mtime",
    "-atime",
    "-ctime",
    "-mmin",
    "-amin",
    "-cmin",
    "-perm",
    "-user",
    "-group",
    "-uid",
    "-gid",
    "-links",
    "-inum",
    "-fstype",
    "-printf",
    "-used",
];
/// Tests whose value is a file.
const COMPARING: &[&str] = &["-newer", "-anewer", "-cnewer", "-samefile"];
/// Actions that write a file, and how many words they take.
const WRITING: &[(&str, usize)] = &[("-fprint", 1), ("-fprint0", 1), ("-fls", 1), ("-fprintf", 2)];

const ACTIONS: &str = "find is given words that may be actions";
const ENDS: &str = "find's implementations differ in where this command ends";

/// Reads the words after the name.
pub(in crate::policy) fn walk(arguments: &[Word]) -> Result<Walk, &'static str> {
    let mut walk = Walk::default();
    let mut words = arguments.iter().peekable();
    let mut is_expression = false;
    while let Some(word) = words.next() {
        let text = word.with_holes();
        if word.may_split() || text.starts_with(HOLE) || (word.literal().is_none() && text.starts_with('-')) {
            return Err(ACTIONS);
        }
        let begins = text.starts_with('-') || matches!(text.as_str(), "(" | ")" | "!" | ",");
        if !is_expression && text == "-P" {
            continue;
        }
        if !begins {
            // A folder after a test is an error in some implementations, and a folder in others.
            walk.is_unknown |= is_expression;
            walk.places.push(word.clone());
            continue;
        }
        is_expression = true;
        match text.as_str() {
            "-exec" | "-execdir" => walk.commands.extend(started(&mut words, true)?),
            "-ok" | "-okdir" => walk.commands.extend(started(&mut words, false)?),
            "-delete" => walk.deletes = true,
            name if ALONE.contains(&name) => {}
            name if VALUED.contains(&name) => {
                value(&mut words)?;
            }
            name if COMPARING.contains(&name) => walk.places.extend(value(&mut words)?),
            name => match WRITING.iter().find(|(action, _)| *action == name) {
                Some((_, count)) => {
                    walk.writes = true;
                    for _ in 0..*count {
                        walk.places.extend(value(&mut words)?);
                    }
                }
                None => walk.is_unknown = true,
            },
        }
    }
    // What an unknown test takes for its value may be the word that begins a command, or the one that ends it.
    if walk.is_unknown && !walk.commands.is_empty() { Err(ACTIONS) } else { Ok(walk) }
}

/// The value of a test: one word, whatever it is, if the shell makes exactly one of it.
fn value<'w>(words: &mut impl Iterator<Item = &'w Word>) -> Result<Option<Word>, &'static str> {
    match words.next() {
        Some(word) if word.may_split() => Err(ACTIONS),
        word => Ok(word.cloned()),
    }
}

/// The command after `-exec`, which ends at `;`, and at a `+` only where `{}` stands right before it.
fn started<'w>(
    words: &mut impl Iterator<Item = &'w Word>,
    gathers: bool,
) -> Result<Option<Vec<Word>>, &'static str> {
    let mut command: Vec<Word> = Vec::new();
    let mut after_place = false;
    for word in words {
        let text = word.with_holes();
        // A value that only the shell will know may be the `;`.
        if word.may_split() || (!text.is_empty() && text.chars().all(|c| c == HOLE)) {
            return Err(ACTIONS);
        }
        let is_plus = text == "+" && after_place;
        if is_plus && !gathers {
            return Err(ENDS);
        }
        if text == ";" || is_plus {
            let command: Vec<Word> = command.iter().map(|word| filled(word, "{}")).collect();
            return Ok(Some(command).filter(|command| !command.is_empty()));
        }
        after_place = text == "{}";
        command.push(word.clone());
    }
    Err("a command that find starts has no end")
}

/// The word with a hole where the place-holder stands.
pub(super) fn filled(word: &Word, place: &str) -> Word {
    let mut pieces = Vec::new();
    for piece in &word.pieces {
        let WordPiece::Text(text) = piece else {
            pieces.push(piece.clone());
            continue;
        };
        for (at, part) in text.split(place).enumerate() {
            if at > 0 {
                pieces.push(WordPiece::Hole { splits: false, of: HoleSource::Given });
            }
            if !part.is_empty() {
                pieces.push(WordPiece::Text(part.to_owned()));
            }
        }
    }
    Word { raw: word.raw.clone(), pieces }
}
