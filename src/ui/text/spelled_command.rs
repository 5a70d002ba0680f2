//! A command that waits for a decision, with all of its white space to be seen or heard: a blank too many can make another command of it,
//! and many of them can move its end out of sight.

use std::ops::Range;

use ratatui::style::Style;
use ratatui::text::Span;

use super::sanitize::{SAID_CHARACTER, Safe, Spelled, WRITTEN_OUT, said, sanitize_in_words};

/// Stands for a blank at the end of a line.
const END_SIGN: &str = "·";
/// What is said for a tab.
const SAID_TAB: &str = "[tab]";
/// How what is said for many blanks ends.
const SAID_BLANKS: &str = " blanks]";
/// So many blanks may stand behind each other without being counted: more at the beginning of a line, which may be an indent.
const MOST: usize = 8;
const MOST_OF_INDENT: usize = 24;

/// A piece of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CommandPart {
    Blanks(usize),
    /// Blanks with nothing behind them.
    End(usize),
    /// More blanks than anybody counts; whether nothing is behind them.
    Many(usize, bool),
    Tab,
    /// White space that looks like a blank.
    Other(char),
    /// Any other character, and the one behind it.
    Letter(char, Option<char>),
}

/// The command made safe, with signs for white space that could deceive. They are told from its text by their look.
pub(in crate::ui) fn spelled_command(command: &str, style: Style) -> Vec<Span<'static>> {
    let mut text = Safe::with_tabs();
    for (at, line) in command.split('\n').enumerate() {
        if at > 0 {
            text.push('\n', None);
        }
        for piece in pieces(line) {
            match piece {
                CommandPart::Blanks(blanks) => (0..blanks).for_each(|_| text.push(' ', None)),
                CommandPart::End(blanks) => text.push_sign(&END_SIGN.repeat(blanks)),
                CommandPart::Many(blanks, _) => {
                    text.push(' ', None);
                    text.push_sign(&counted(blanks));
                    text.push(' ', None);
                }
                CommandPart::Tab => text.push_tab(),
                CommandPart::Other(character) => text.write_out(character),
                CommandPart::Letter(character, next) => text.push(character, next),
            }
        }
    }
    spans(&text.spelled(), style)
}

/// The same on one row, where signs have no look of their own.
pub(in crate::ui) fn command_in_a_row(command: &str) -> String {
    let spans = spelled_command(command, Style::new());
    spans.iter().map(|span| &*span.content).collect::<String>().replace('\n', " ")
}

/// The same in words. Blanks at the ends of lines are as they are; a command that has such words itself has a backslash before them.
pub(in crate::ui) fn command_in_words(command: &str) -> String {
    let line = |line: &str| {
        let mut words = String::with_capacity(line.len());
        for piece in pieces(&escaped(line)) {
            match piece {
                CommandPart::Blanks(blanks) | CommandPart::End(blanks) => words.push_str(&" ".repeat(blanks)),
                CommandPart::Many(blanks, is_end) => {
                    words.push(' ');
                    words.push_str(&counted(blanks));
                    words.push_str(if is_end { "" } else { " " });
                }
                CommandPart::Tab => words.push_str(SAID_TAB),
                CommandPart::Other(character) => words.push_str(&said(character)),
                CommandPart::Letter(character, _) => words.push(character),
            }
        }
        sanitize_in_words(&words)
    };
    command.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

fn counted(blanks: usize) -> String {
    format!("[{blanks}{SAID_BLANKS}")
}

fn pieces(line: &str) -> Vec<CommandPart> {
    let mut pieces = Vec::new();
    let mut rest = line.chars().peekable();
    while let Some(character) = rest.next() {
        pieces.push(match character {
            ' ' => {
                let mut blanks = 1;
                while rest.next_if_eq(&' ').is_some() {
                    blanks += 1;
                }
                let is_end = rest.peek().is_none();
                let most = if pieces.is_empty() && !is_end { MOST_OF_INDENT } else { MOST };
                match is_end {
                    _ if blanks > most => CommandPart::Many(blanks, is_end),
                    true => CommandPart::End(blanks),
                    false => CommandPart::Blanks(blanks),
                }
            }
            '\t' => CommandPart::Tab,
            // The last one is a letter of braille without a dot.
            _ if character.is_whitespace() && !character.is_control() || character == '\u{2800}' => {
                CommandPart::Other(character)
            }
            _ => CommandPart::Letter(character, rest.peek().copied()),
        });
    }
    pieces
}

/// A line in which no words of its own are taken for ours.
fn escaped(line: &str) -> String {
    let mut escaped = String::with_capacity(line.len());
    for (at, part) in line.split('[').enumerate() {
        if at > 0 {
            escaped.push_str(if is_ours(part) { "\\[" } else { "[" });
        }
        escaped.push_str(part);
    }
    escaped
}

/// Whether something of ours goes on like this behind its bracket.
fn is_ours(rest: &str) -> bool {
    let begins = |said: &str| said.strip_prefix('[').is_some_and(|said| rest.starts_with(said));
    let behind = rest.trim_start_matches(|digit: char| digit.is_ascii_digit());
    let counts = behind.len() < rest.len() && behind.starts_with(SAID_BLANKS);
    begins(SAID_TAB) || begins(SAID_CHARACTER) || counts
}

fn spans(spelled: &Spelled, style: Style) -> Vec<Span<'static>> {
    let Spelled { text, written } = spelled;
    let mut spans = Vec::new();
    let mut push = |range: Range<usize>, style: Style| {
        if let Some(part) = text.get(range).filter(|part| !part.is_empty()) {
            spans.push(Span::styled(part.to_owned(), style));
        }
    };
    let mut at = 0;
    for part in written {
        push(at..part.start, style);
        push(part.clone(), style.patch(WRITTEN_OUT));
        at = part.end;
    }
    push(at..text.len(), style);
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text, with what has another look in braces.
    fn shown(command: &str) -> String {
        let mark = |span: &Span<'_>| match span.style == Style::new() {
            true => span.content.to_string(),
            false => format!("{{{}}}", span.content),
        };
        spelled_command(command, Style::new()).iter().map(mark).collect()
    }

    #[test]
    fn white_space_that_could_deceive_is_seen() {
        let (many, indent) = (" ".repeat(40), " ".repeat(12));
        for (command, seen) in [
            ("ls -a", "ls -a".to_owned()),
            ("echo a\tb", "echo a{⇥} b".to_owned()),
            ("rm \u{a0}x", "rm {\\u{a0}}x".to_owned()),
            ("rm\u{3000}x\u{2800}", "rm{\\u{3000}}x{\\u{2800}}".to_owned()),
            ("echo \\  ", "echo \\{··}".to_owned()),
            ("a \nb", "a{·}\nb".to_owned()),
            ("a\r\nb", "a{^M}\nb".to_owned()),
            (format!("echo a{many}; rm -r x").as_str(), "echo a {[40 blanks]} ; rm -r x".to_owned()),
            (format!("python3 - <<E\n{indent}f()\nE").as_str(), format!("python3 - <<E\n{indent}f()\nE")),
            (format!("{many}ls{many}").as_str(), " {[40 blanks]} ls {[40 blanks]} ".to_owned()),
            ("echo '⇥ · \\u{a0}'", "echo '⇥ · \\u{a0}'".to_owned()),
        ] {
            assert_eq!(shown(command), seen, "{command:?}");
        }
    }

    #[test]
    fn it_is_heard_and_nothing_else_sounds_the_same() {
        let many = " ".repeat(40);
        for (command, heard) in [
            ("ls  -a ", "ls  -a "),
            ("a\tb\t", "a[tab]b[tab]"),
            ("rm \u{a0}x\u{200b}", "rm [character U+00A0]x[character U+200B]"),
            (format!("a{many}b{many}").as_str(), "a [40 blanks] b [40 blanks]"),
            ("[tab] [4 blanks] [character U+1] [x", "\\[tab] \\[4 blanks] \\[character U+1] [x"),
            ("one\n\ntwo", "one\n\ntwo"),
        ] {
            assert_eq!(command_in_words(command), heard);
        }
    }
}
