//! What a shell line would run: its commands and redirections, or that it cannot be read with certainty.
//!
//! The line is read as `sh -c` would, be `sh` a dash or a bash. Where the two differ in what they run, or where the
//! text alone does not tell, the reading says so instead of guessing. No crate of ours to take does that: the ones
//! there are recover from errors, leave words unread, or carry a licence that is not ours.

mod builtin;
mod command;
mod expansion;
mod find;
mod grammar;
mod hidden;
mod names;
mod parser;
mod parts;
mod pipes;
mod quoting;
mod redirect;
mod simple;
mod through;
mod word;
mod wrapper;

pub use command::Command;
pub(super) use find::walk;
pub use hidden::{MOST_CHARS, conceals};
pub(super) use names::{is_local, is_of_system};
pub(in crate::policy) use parts::HOLE;
pub use parts::{Access, GivenText, HoleSource, PipedInto, Redirection, Word, WordPiece};
pub use quoting::shell_word;

use parser::Parser;

/// Most programs that are followed from one that starts another to what is started.
const MOST_WRAPPERS: usize = 8;

/// Everything a line would run and open, wherever in the line it stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reading {
    /// Every command, those inside of substitutions, functions, loops and wrappers too.
    pub commands: Vec<Command>,
    /// Every file that is opened by the shell itself.
    pub redirections: Vec<Redirection>,
    /// Each variable that gets a value, wherever in the line, and the value if the text tells it.
    pub assigned: Vec<(String, Option<String>)>,
    /// Texts in the line that commands are given on their standard input.
    pub given: Vec<GivenText>,
    /// Commands that a pipe or a redirection leads to, and what comes in that way.
    pub piped: Vec<PipedInto>,
    /// Whether a part may run more than once: in a loop or a function.
    pub repeats: bool,
    /// Why the line cannot be read with certainty; what was found before that place is above.
    pub unreadable: Option<String>,
}

/// Whether what a command starts by its words is read as a command of its own.
pub(super) fn is_read_through(command: &Command) -> bool {
    let inner = command.name().map(|name| wrapper::inner(&name, command.arguments()));
    matches!(inner, Some(Ok(wrapper::Wrapped::Words(..) | wrapper::Wrapped::Line(_))))
}

/// The program that a command starts in the end, with its arguments, where its words alone say so and each program before it is
/// one of the system's: `timeout 5 nice grep x`. All of them are commands of their own in the reading.
pub(super) fn innermost(command: &Command) -> Option<Vec<Word>> {
    let mut words = command.words.clone();
    for started in 0..=MOST_WRAPPERS {
        let name = words.first().and_then(Word::literal).filter(|name| is_of_system(name))?;
        match wrapper::inner(&name, words.get(1..).unwrap_or_default()) {
            Ok(wrapper::Wrapped::Words(_, inner)) => words = inner,
            Ok(wrapper::Wrapped::None) if started > 0 => return Some(words),
            _ => return None,
        }
    }
    None
}

/// Reads a line.
pub fn read(line: &str) -> Reading {
    read_checked(line, hidden::check(line))
}

/// Reads a line that a word of another line is: what only the shell of that one will know is a hole in it.
pub(super) fn read_elsewhere(line: &str) -> Reading {
    let known: String = line.chars().filter(|c| *c != HOLE).collect();
    read_checked(line, hidden::check(&known))
}

fn read_checked(line: &str, checked: Result<(), &'static str>) -> Reading {
    if let Err(why) = checked {
        return Reading { unreadable: Some(why.to_owned()), ..Reading::default() };
    }
    let text: Vec<char> = line.chars().collect();
    let mut parser = Parser::new(&text);
    let unreadable = parser.whole().err().map(|unsure| unsure.0.to_owned());
    if parser.is_refilled {
        parser.fill(0);
    }
    parser.pass_on();
    let Parser { commands, redirections, assigned, given, piped, repeats, .. } = parser;
    Reading { commands, redirections, assigned, given, piped, repeats, unreadable }
}
