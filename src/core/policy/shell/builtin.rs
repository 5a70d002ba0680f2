//! Builtins that change what later words mean, or that run what they find in a text.

use super::names;
use super::parser::{Read, Unsure};
use super::parts::Word;

const CHANGES: Unsure = Unsure("it changes what later commands mean");
const EVALUATES: Unsure = Unsure("bash runs what it finds in the name of an array's element");

/// Builtins after which a word may mean something else, or which run text that is not in the line.
const UNREAD: &[&str] = &[
    "alias",
    "unalias",
    "source",
    ".",
    "enable",
    "hash",
    "shopt",
    "trap",
    "let",
    "bind",
    "complete",
    "compgen",
    "compopt",
    "mapfile",
    "readarray",
    "fc",
    "history",
    "coproc",
    "caller",
    "noglob",
    "nocorrect",
    "emulate",
    "autoload",
    "zmodload",
    "function",
    "select",
    "repeat",
    "foreach",
];
/// Builtins that take names of variables.
const NAMING: &[&str] =
    &["read", "getopts", "unset", "declare", "typeset", "local", "export", "readonly", "wait"];

/// Whether the line can still be read after this command.
pub(super) fn check(name: &str, arguments: &[Word]) -> Read<()> {
    if UNREAD.contains(&name) {
        return Err(CHANGES);
    }
    match name {
        "set" => options(arguments),
        "test" | "[" => test(arguments),
        "printf" => printf(arguments),
        _ if NAMING.contains(&name) => arguments.iter().try_for_each(names_a_variable),
        _ => Ok(()),
    }
}

/// The variables that a builtin gives values, which are not looked into.
pub(super) fn named(name: &str, arguments: &[Word]) -> Vec<(String, Option<String>)> {
    let names = arguments.iter().filter(|_| NAMING.contains(&name)).map(Word::with_holes);
    let names = names.map(|text| text.split(['=', '+']).next().unwrap_or_default().to_owned());
    let mut all: Vec<_> = names.filter(|name| names::is_name(name)).map(|name| (name, None)).collect();
    // Without a name it reads into this one.
    all.extend((name == "read").then(|| ("REPLY".to_owned(), None)));
    all
}

/// `set -euxo pipefail` and its parts.
fn options(arguments: &[Word]) -> Read<()> {
    const NAMED: &[&str] = &["pipefail", "errexit", "nounset", "xtrace", "noglob"];
    let is_known = |word: &Word| {
        let Some(text) = word.literal() else { return false };
        let letters = text.strip_prefix(['-', '+']);
        letters.is_some_and(|l| !l.is_empty() && l.chars().all(|c| "euxfo".contains(c)))
            || NAMED.contains(&text.as_str())
    };
    if arguments.iter().all(is_known) { Ok(()) } else { Err(CHANGES) }
}

/// `printf`: `-v` and the directive `%n` give a variable a value, in bash.
fn printf(arguments: &[Word]) -> Read<()> {
    const ASSIGNS: Unsure = Unsure("the format of printf may give a variable a value");
    let format = match arguments {
        [first, rest @ ..] if first.literal().as_deref() == Some("--") => rest.first(),
        [first, ..] if first.with_holes().starts_with('-') && first.raw != "-" => return Err(ASSIGNS),
        _ => arguments.first(),
    };
    let Some(format) = format else { return Ok(()) };
    match format.literal() {
        Some(text) if !has_count(&text) => Ok(()),
        _ => Err(ASSIGNS),
    }
}

/// Whether a format has a directive that stores how much was printed.
fn has_count(format: &str) -> bool {
    let mut rest = format.chars().peekable();
    while let Some(c) = rest.next() {
        if c != '%' {
            continue;
        }
        while rest.next_if(|c| c.is_ascii_digit() || "#-+ '.*$hlLjztq".contains(*c)).is_some() {}
        if rest.next() == Some('n') {
            return true;
        }
    }
    false
}

/// The name may be followed by `=` and any value.
fn names_a_variable(word: &Word) -> Read<()> {
    let text = word.with_holes();
    let (name, value) =
        text.split_once('=').map_or((text.as_str(), None), |(name, value)| (name, Some(value)));
    if value.is_none() && word.literal().is_none() || name.contains(super::HOLE) || word_splits_name(word) {
        return Err(CHANGES);
    }
    if name.contains('[') {
        return Err(EVALUATES);
    }
    if name.starts_with('-') {
        // Integers and references give a value's text a meaning; the others only say how to read.
        return if name.chars().skip(1).all(|c| "rxpgsnfdtuN0123456789".contains(c) && c != 'n') {
            Ok(())
        } else {
            Err(CHANGES)
        };
    }
    let changes = names::changes_meaning(name.trim_end_matches('+'));
    let is_known = value.is_some() && names::keeps_meaning(name, value);
    if changes && !is_known { Err(CHANGES) } else { Ok(()) }
}

/// Whether an unquoted value could bring in further names.
fn word_splits_name(word: &Word) -> bool {
    word.may_split()
}

/// `test`: with two arguments, or with words that may split, a value could be taken for `-v`.
fn test(arguments: &[Word]) -> Read<()> {
    let mut rest: Vec<&Word> = arguments.iter().filter(|word| word.raw != "]").collect();
    if rest.iter().all(|word| word.literal().is_some()) {
        let evaluates = rest.iter().any(|word| matches!(word.literal().as_deref(), Some("-v" | "-R")));
        return if evaluates { Err(EVALUATES) } else { Ok(()) };
    }
    if rest.first().is_some_and(|word| word.raw == "!") {
        rest.remove(0);
    }
    let is_operator = |word: &Word, unary: bool| {
        word.literal().is_some_and(|text| match unary {
            true => text.len() == 2 && text.starts_with('-') && text != "-v" && text != "-R",
            false => text.contains('=') || (text.len() == 3 && text.starts_with('-')),
        })
    };
    let is_plain = !rest.iter().any(|word| word.may_split())
        && match rest.as_slice() {
            [_] => true,
            [operator, _] => is_operator(operator, true),
            [_, operator, _] => is_operator(operator, false),
            _ => false,
        };
    if is_plain { Ok(()) } else { Err(EVALUATES) }
}
