//! Custom commands: Markdown files that become a message, with the words behind the name put in. What such a file runs first
//! is a call that is decided about like any other.

use crate::ledger::Pastes;
use crate::policy::shell::shell_word;

use super::shell_words::{Quoting, TypedWord, joined, texts, words};

/// A custom command: `/NAME` with words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedCommand {
    /// Its name.
    pub name: String,
    /// What it does, in one line.
    pub description: String,
    /// What can follow the name, as its file says it.
    pub hint: String,
    /// Its file, for people.
    pub file: String,
    /// The SHA-256 of the file, in hexadecimal.
    pub sha256: String,
    /// What it says.
    pub template: Template,
}

/// What a file says, taken apart once: what is put in is never read again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    pieces: Vec<Piece>,
    /// The highest place takes all the words that are left.
    takes_rest: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    /// All words, as they were typed.
    All,
    /// One of them, from 1.
    Word(usize),
    /// A command whose output is wanted.
    Command(Vec<Self>),
}

/// A call of a custom command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CustomCall {
    /// As it was typed.
    pub typed: String,
    /// The message.
    pub message: String,
    /// What of the message was pasted.
    pub pastes: Pastes,
    /// What has to run before it, if anything has.
    pub command: Option<String>,
}

impl NamedCommand {
    /// The call that a text is, if it is one of these.
    pub fn called(commands: &[Self], text: &str) -> Option<CustomCall> {
        Self::called_with(commands, text.trim(), &Pastes::default())
    }

    /// The same of a text without blank ends, of which this was pasted.
    pub fn called_with(commands: &[Self], text: &str, pastes: &Pastes) -> Option<CustomCall> {
        let (name, words) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let name = name.strip_prefix('/')?;
        let command = commands.iter().find(|command| command.name == name)?;
        let words = words.trim();
        let pasted_words = pastes.within(text.len() - words.len(), text.len());
        let (said, pasted, runs) = command.template.filled(words, &pasted_words);
        let before = format!("{text}{}", command.mark());
        let begins = said.len() - said.trim_start().len();
        let pasted = pasted.within(begins, begins + said.trim().len()).behind(before.len());
        let message = format!("{before}{}", said.trim());
        Some(CustomCall {
            typed: text.to_owned(),
            message,
            pastes: pastes.clone().and(&pasted),
            command: runs,
        })
    }

    /// What was typed for a message, if it is exactly what a call of one of these says today.
    pub fn typed(commands: &[Self], message: &str) -> Option<String> {
        let calls = commands.iter().filter_map(|command| {
            let (typed, _) = message.split_once(&command.mark())?;
            Self::called(std::slice::from_ref(command), typed)
        });
        calls.into_iter().find(|call| call.message == message).map(|call| call.typed)
    }

    /// What stands between that which was typed and that which the file says.
    fn mark(&self) -> String {
        format!("\n\n[from {}, SHA-256 {}]\n\n", self.file, self.sha256)
    }
}

impl Template {
    /// Takes a text apart: `$ARGUMENTS`, `$1` to `$9`, and commands as ``!`command` ``. Where `$0` occurs, places count from 0.
    pub fn read(text: &str, takes_rest: bool) -> Self {
        let from_zero = text.contains("$0");
        Self { pieces: pieces(text, from_zero, true), takes_rest }
    }

    /// The commands that it runs, with their places as they are written.
    pub fn commands(&self) -> Vec<String> {
        let of = |piece: &Piece| match piece {
            Piece::Command(inner) => Some(inner.iter().map(written).collect()),
            Piece::Text(_) | Piece::All | Piece::Word(_) => None,
        };
        self.pieces.iter().filter_map(of).collect()
    }

    /// The message with these words, what of it was pasted, and what has to run before it.
    fn filled(&self, typed: &str, pasted: &Pastes) -> (String, Pastes, Option<String>) {
        let words = words(typed);
        let last = if self.takes_rest { highest(&self.pieces) } else { 0 };
        let fill = Fill { typed, pasted, words: &words, last };
        let (mut said, mut commands, mut pastes) = (String::new(), Vec::new(), Pastes::default());
        for piece in &self.pieces {
            if let Piece::Command(inner) = piece {
                let command = fill.in_shell(inner);
                said.push_str(&format!("(the output of `{command}` is above)"));
                commands.push(command);
            } else {
                let (text, pasted) = fill.in_text(piece);
                pastes = pastes.and(&pasted.behind(said.len()));
                said.push_str(&text);
            }
        }
        if !typed.is_empty() && !has_places(&self.pieces) {
            said.push_str("\n\nARGUMENTS: ");
            pastes = pastes.and(&pasted.behind(said.len()));
            said.push_str(typed);
        }
        (said, pastes, script(&commands))
    }
}

/// Words to be put in.
struct Fill<'w> {
    typed: &'w str,
    pasted: &'w Pastes,
    words: &'w [TypedWord],
    /// The place that takes the rest; 0: none does.
    last: usize,
}

impl Fill<'_> {
    fn at(&self, place: usize) -> &[TypedWord] {
        let from = self.words.get(place.saturating_sub(1)..).unwrap_or_default();
        if place == self.last { from } else { from.get(..1).unwrap_or_default() }
    }

    /// A piece that runs nothing, and what of it was pasted. Words of which a part was pasted count as pasted.
    fn in_text(&self, piece: &Piece) -> (String, Pastes) {
        match piece {
            Piece::Text(text) => (text.clone(), Pastes::default()),
            Piece::All => (self.typed.to_owned(), self.pasted.clone()),
            Piece::Word(place) => {
                let words = self.at(*place);
                let text = joined(words);
                let is_pasted =
                    words.iter().any(|word| self.pasted.within(word.begins, word.ends).has_text());
                let pastes = if is_pasted { Pastes::all(&text) } else { Pastes::default() };
                (text, pastes)
            }
            Piece::Command(_) => Default::default(),
        }
    }

    /// A command line with the words in their places, each one word for the shell, whatever it holds. Where quotes cannot be
    /// followed, the shell is given the words apart from the line.
    fn in_shell(&self, inner: &[Piece]) -> String {
        let (mut line, mut quoting) = (String::new(), Quoting::default());
        for piece in inner {
            match piece {
                Piece::Text(text) if quoting.read(text) => line.push_str(text),
                Piece::Text(_) => return self.beside(inner),
                Piece::All => line.push_str(&quoting.put(&texts(self.words))),
                Piece::Word(place) => line.push_str(&quoting.put(&texts(self.at(*place)))),
                Piece::Command(_) => {}
            }
        }
        line
    }

    /// The same as parameters of the shell: what it puts in, it does not read again.
    fn beside(&self, inner: &[Piece]) -> String {
        let parameters = (1..=self.words.len()).map(|place| shell_word(&joined(self.at(place))));
        let line: String = inner
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) => text.clone(),
                Piece::All => "$@".to_owned(),
                Piece::Word(place) => format!("${place}"),
                Piece::Command(_) => String::new(),
            })
            .collect();
        if !has_places(inner) {
            return line;
        }
        format!("set -- {}\n{line}", parameters.collect::<Vec<_>>().join(" "))
    }
}

/// One call for all of them: with several, each output has its command above it.
fn script(commands: &[String]) -> Option<String> {
    match commands {
        [] => None,
        [one] => Some(one.clone()),
        several => {
            let lines = several
                .iter()
                .map(|command| format!("echo {}\n{command}", shell_word(&format!("## {command}"))));
            Some(lines.collect::<Vec<_>>().join("\n"))
        }
    }
}

fn pieces(text: &str, from_zero: bool, may_run: bool) -> Vec<Piece> {
    let (mut all, mut plain, mut rest) = (Vec::new(), String::new(), text);
    while let Some(next) = rest.chars().next() {
        match special(rest, from_zero, may_run) {
            Some((piece, after)) => {
                if !plain.is_empty() {
                    all.push(Piece::Text(std::mem::take(&mut plain)));
                }
                all.push(piece);
                rest = after;
            }
            None => {
                plain.push(next);
                rest = rest.strip_prefix(next).unwrap_or_default();
            }
        }
    }
    if !plain.is_empty() {
        all.push(Piece::Text(plain));
    }
    all
}

/// The piece that a text begins with, if it is more than text, and what stands behind it.
fn special(text: &str, from_zero: bool, may_run: bool) -> Option<(Piece, &str)> {
    if may_run && let Some(rest) = text.strip_prefix("!`") {
        let (command, after) = rest.split_once('`')?;
        let command = command.trim();
        return (!command.is_empty()).then(|| (Piece::Command(pieces(command, from_zero, false)), after));
    }
    let rest = text.strip_prefix('$')?;
    if let Some(rest) = rest.strip_prefix("ARGUMENTS") {
        let at = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'));
        let at = at.and_then(|(number, after)| Some((number.parse::<u8>().ok()?, after)));
        return Some(
            at.map_or((Piece::All, rest), |(number, after)| (Piece::Word(usize::from(number) + 1), after)),
        );
    }
    let digit = rest.chars().next().filter(char::is_ascii_digit)?;
    let place = digit.to_digit(10)? as usize + usize::from(from_zero);
    let after = rest.strip_prefix(digit)?;
    // An amount of money is none.
    let mut next = after.chars();
    let is_number = match next.next() {
        Some('.') => next.next().is_some_and(|c| c.is_ascii_digit()),
        other => other.is_some_and(|c| c.is_ascii_digit()),
    };
    (place > 0 && !is_number).then_some((Piece::Word(place), after))
}

fn has_places(pieces: &[Piece]) -> bool {
    pieces.iter().any(|piece| match piece {
        Piece::All | Piece::Word(_) => true,
        Piece::Command(inner) => has_places(inner),
        Piece::Text(_) => false,
    })
}

fn highest(pieces: &[Piece]) -> usize {
    let of = |piece: &Piece| match piece {
        Piece::Word(place) => *place,
        Piece::Command(inner) => highest(inner),
        Piece::All | Piece::Text(_) => 0,
    };
    pieces.iter().map(of).max().unwrap_or(0)
}

fn written(piece: &Piece) -> String {
    match piece {
        Piece::Text(text) => text.clone(),
        Piece::All => "$ARGUMENTS".to_owned(),
        Piece::Word(place) => format!("${place}"),
        Piece::Command(_) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(text: &str, words: &str) -> (String, Option<String>) {
        let (said, _, runs) = Template::read(text, false).filled(words, &Pastes::default());
        (said, runs)
    }

    fn said(text: &str, words: &str) -> String {
        filled(text, words).0
    }

    #[test]
    fn words_stand_where_the_file_wants_them() {
        for (text, words, expected) in [
            ("fix $ARGUMENTS now", "a  b", "fix a  b now"),
            ("$1 then $2, not $3.", "one 'two three'", "one then two three, not ."),
            ("$0 and $1", "one two", "one and two"),
            ("$ARGUMENTS[1] of $ARGUMENTS[0]", "one two", "two of one"),
            ("costs $15 or $1.50 or $x$", "one", "costs $15 or $1.50 or $x$\n\nARGUMENTS: one"),
            ("no place", "", "no place"),
            // What is put in is not read again.
            ("$1", "'$ARGUMENTS !`rm x`'", "$ARGUMENTS !`rm x`"),
        ] {
            assert_eq!(said(text, words), expected, "{text}");
        }
        assert_eq!(Template::read("$1: $2", true).filled("a b c", &Pastes::default()).0, "a: b c");
    }

    #[test]
    fn commands_run_before_and_words_in_them_are_words() {
        let (said, runs) = filled("diff:\n!`git diff $1`\n", "a;rm");
        assert_eq!(
            (said.as_str(), runs.as_deref()),
            ("diff:\n(the output of `git diff 'a;rm'` is above)\n", Some("git diff 'a;rm'"))
        );
        for (text, words, expected) in [
            ("!`echo \"$1\"`", "$(rm${IFS}x)", "echo \"\"'$(rm${IFS}x)'\"\""),
            ("!`echo \"a $1 b\"`", "plain", "echo \"a plain b\""),
            ("!`echo '$1'`", "a;b", "echo '''a;b'''"),
            ("!`echo \"$(cat \"$1\") $2\"`", "a;b c;d", "echo \"$(cat \"\"'a;b'\"\") \"'c;d'\"\""),
            ("!`echo \\\"$1`", "a;b", "echo \\\"'a;b'"),
            ("!`cat <<END\n$1\nEND`", "$(id)", "set -- '$(id)'\ncat <<END\n$1\nEND"),
            ("!`date # it's now\necho $1`", "a;b", "set -- 'a;b'\ndate # it's now\necho $1"),
            ("!`echo ${HOME} $ARGUMENTS`", "a;b c", "set -- 'a;b' c\necho ${HOME} $@"),
            ("!`echo ${HOME}`", "a", "echo ${HOME}"),
        ] {
            assert_eq!(filled(text, words).1.as_deref(), Some(expected), "{text}");
        }
        let (_, runs) = filled("!`ls $ARGUMENTS` !`date`", "it;s -l");
        assert_eq!(
            runs.as_deref(),
            Some("echo '## ls '\\''it;s'\\'' -l'\nls 'it;s' -l\necho '## date'\ndate")
        );
        for text in ["use `code` and !bang", "!``", "!`never closed"] {
            assert_eq!(filled(text, ""), (text.to_owned(), None));
        }
        assert_eq!(Template::read("!`git log $1`", false).commands(), ["git log $1"]);
    }

    #[test]
    fn what_was_pasted_behind_a_name_is_pasted_wherever_it_stands() {
        let pasted_in = |template: &str, text: &str, spans: &[(usize, usize)]| {
            let (name, words) = text.split_once(' ').unwrap();
            let pastes = Pastes::of(text, spans.to_vec()).within(name.len() + 1, text.len());
            let (said, pasted, _) = Template::read(template, false).filled(words, &pastes);
            pasted
                .spans()
                .iter()
                .map(|(from, to)| said.get(*from..*to).unwrap().to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(pasted_in("do $ARGUMENTS.", "/x a PASTE b", &[(5, 10)]), ["PASTE"]);
        assert_eq!(pasted_in("no place", "/x a PASTE b", &[(5, 10)]), ["PASTE"]);
        assert_eq!(pasted_in("$2, then $1", "/x a 'PASTE'", &[(6, 11)]), ["PASTE"]);
        assert_eq!(pasted_in("$1", "/x a PASTE", &[(5, 10)]), [""; 0]);
    }

    #[test]
    fn a_call_names_its_file_and_hash() {
        let command = NamedCommand {
            name: "tidy".to_owned(),
            description: String::new(),
            hint: String::new(),
            file: ".claude/commands/tidy.md".to_owned(),
            sha256: "ab".to_owned(),
            template: Template::read("Tidy $1.\n", false),
        };
        let call = NamedCommand::called(std::slice::from_ref(&command), " /tidy src ").unwrap();
        assert_eq!(call.message, "/tidy src\n\n[from .claude/commands/tidy.md, SHA-256 ab]\n\nTidy src.");
        assert_eq!((call.typed.as_str(), call.command), ("/tidy src", None));
        let typed = |message: &str| NamedCommand::typed(std::slice::from_ref(&command), message);
        assert_eq!(typed(&call.message).as_deref(), Some("/tidy src"));
        let of_another_file = call.message.replace("SHA-256 ab", "SHA-256 cd");
        for other in [of_another_file, call.message.replace("Tidy src", "Tidy all"), "/tidy src".to_owned()] {
            assert_eq!(typed(&other), None, "{other}");
        }
        for text in ["tidy", "/tidyup", "//tidy", "see /tidy"] {
            assert_eq!(NamedCommand::called(std::slice::from_ref(&command), text), None, "{text}");
        }
    }
}
