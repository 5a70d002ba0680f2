//! What the file of a custom command or of a skill says, with places for words, variables, and commands that run first.

use crate::ledger::Pastes;
use crate::policy::shell::shell_word;

use super::piece::{Piece, Variable, has, has_places, highest, pieces, written};
use super::shell_words::{Quoting, TypedWord, joined, texts, words};

/// What a file says, taken apart once: what is put in is never read again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    pieces: Vec<Piece>,
    /// The highest place takes all the words that are left.
    takes_rest: bool,
    /// What stands for `${CLAUDE_SKILL_DIR}`; without it, that stays as it is written.
    folder: Option<String>,
    /// What stands for `${CLAUDE_SESSION_ID}`, in the same way.
    session: Option<String>,
}

impl Template {
    /// Takes a text apart: `$ARGUMENTS`, `$1` to `$9`, variables, and commands as ``!`command` ``. Where `$0` occurs, places count from 0.
    pub fn read(text: &str, takes_rest: bool) -> Self {
        let from_zero = text.contains("$0");
        Self { pieces: pieces(text, from_zero, true), takes_rest, folder: None, session: None }
    }

    /// The same of a file in this folder.
    #[must_use]
    pub fn in_folder(self, folder: String) -> Self {
        Self { folder: Some(folder), ..self }
    }

    /// The same, called in the session with this id.
    #[must_use]
    pub fn in_session(self, id: Option<&str>) -> Self {
        Self { session: id.map(str::to_owned), ..self }
    }

    /// Whether it says the id of the session.
    pub(super) fn names_session(&self) -> bool {
        has(&self.pieces, |piece| matches!(piece, Piece::Known(Variable::Session)))
    }

    fn value(&self, variable: Variable) -> Option<&str> {
        match variable {
            Variable::Session => self.session.as_deref(),
            Variable::Folder => self.folder.as_deref(),
        }
    }

    /// The commands that it runs, with their places as they are written.
    pub fn commands(&self) -> Vec<String> {
        let of = |piece: &Piece| match piece {
            Piece::Command(inner) => Some(inner.iter().map(written).collect()),
            Piece::Text(_) | Piece::All | Piece::Word(_) | Piece::Known(_) => None,
        };
        self.pieces.iter().filter_map(of).collect()
    }

    /// The message with these words, what of it was pasted, and what has to run before it.
    pub(super) fn filled(&self, typed: &str, pasted: &Pastes) -> (String, Pastes, Option<String>) {
        let words = words(typed);
        let last = if self.takes_rest { highest(&self.pieces) } else { 0 };
        let fill = Fill { template: self, typed, pasted, words: &words, last };
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
    template: &'w Template,
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
            Piece::Known(variable) => {
                let value = self.template.value(*variable).map(str::to_owned);
                (value.unwrap_or_else(|| variable.written()), Pastes::default())
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
                Piece::Known(variable) => match self.template.value(*variable) {
                    Some(value) => line.push_str(&quoting.put(&[value.to_owned()])),
                    None => return self.beside(inner),
                },
                Piece::Command(_) => {}
            }
        }
        line
    }

    /// The same as parameters and variables of the shell: what it puts in, it does not read again.
    fn beside(&self, inner: &[Piece]) -> String {
        let parameters = (1..=self.words.len()).map(|place| shell_word(&joined(self.at(place))));
        let line: String = inner
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) => text.clone(),
                Piece::All => "$@".to_owned(),
                Piece::Word(place) => format!("${place}"),
                Piece::Known(variable) => variable.written(),
                Piece::Command(_) => String::new(),
            })
            .collect();
        let used = Variable::ALL.into_iter().filter(|one| inner.contains(&Piece::Known(*one)));
        let values = used.filter_map(|one| Some((one.name(), self.template.value(one)?)));
        let line =
            values.map(|(name, value)| format!("{name}={}\n", shell_word(value))).collect::<String>() + &line;
        if !has_places(inner) {
            return line;
        }
        format!("set -- {}\n{line}", parameters.collect::<Vec<_>>().join(" "))
    }
}

/// One call for all of them: each output behind the first has its command above it. A row of the call shows how it begins, and that
/// is to be what the file says, so no heading of ours stands before the first.
fn script(commands: &[String]) -> Option<String> {
    let (first, others) = commands.split_first()?;
    let headed = |command: &String| format!("\necho {}\n{command}", shell_word(&format!("## {command}")));
    Some(first.clone() + &others.iter().map(headed).collect::<String>())
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
            ("$ARGUMENTS[ $ARGUMENTS[x] $ARGUMENTS[999]", "a", "a[ a[x] a[999]"),
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
            Some("ls 'it;s' -l\necho '## date'\ndate"),
            "it begins with what the file names"
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
    fn what_is_known_stands_for_its_variable_and_is_no_word_of_the_user() {
        let template = |text: &str| {
            Template::read(text, false).in_folder("/a b/it's".to_owned()).in_session(Some("0192-ab"))
        };
        for (text, words, expected) in [
            ("in ${CLAUDE_SKILL_DIR}/x, ${CLAUDE_SESSION_ID}", "", "in /a b/it's/x, 0192-ab"),
            ("${CLAUDE_SESSION_ID}", "a", "0192-ab\n\nARGUMENTS: a"),
            (
                "$1 ${CLAUDE_PLUGIN_ROOT} ${CLAUDE_SKILL_DIRS}",
                "a",
                "a ${CLAUDE_PLUGIN_ROOT} ${CLAUDE_SKILL_DIRS}",
            ),
            // What is put in is not read again.
            ("$1", "${CLAUDE_SESSION_ID}", "${CLAUDE_SESSION_ID}"),
        ] {
            assert_eq!(template(text).filled(words, &Pastes::default()).0, expected, "{text}");
        }
        for (text, words, expected) in [
            ("!`ls ${CLAUDE_SKILL_DIR}/x $1`", "a;b", "ls '/a b/it'\\''s'/x 'a;b'"),
            ("!`ls \"${CLAUDE_SKILL_DIR}/$1\"`", "a", "ls \"\"'/a b/it'\\''s'\"/a\""),
            (
                "!`log ${HOME} ${CLAUDE_SESSION_ID}`",
                "",
                "CLAUDE_SESSION_ID=0192-ab\nlog ${HOME} ${CLAUDE_SESSION_ID}",
            ),
            (
                "!`cat <<E\n${CLAUDE_SKILL_DIR} $1\nE`",
                "$(id)",
                "set -- '$(id)'\nCLAUDE_SKILL_DIR='/a b/it'\\''s'\ncat <<E\n${CLAUDE_SKILL_DIR} $1\nE",
            ),
        ] {
            assert_eq!(
                template(text).filled(words, &Pastes::default()).2.as_deref(),
                Some(expected),
                "{text}"
            );
        }
        for text in ["${CLAUDE_SKILL_DIR}", "${CLAUDE_SESSION_ID}"] {
            assert_eq!(said(text, ""), text, "nothing is known of it");
        }
        assert_eq!(template("!`ls ${CLAUDE_SKILL_DIR}`").commands(), ["ls ${CLAUDE_SKILL_DIR}"]);
    }
}
