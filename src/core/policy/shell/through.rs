//! From words to commands: what a wrapper starts is a command too.

use super::parser::{Parser, Read, Unsure};
use super::parts::{Word, WordPiece};
use super::wrapper::{self, Wrapped};
use super::{Command, builtin, names};

impl Parser<'_> {
    /// Takes in a simple command, and whatever it starts in turn.
    pub(super) fn settle(&mut self, environment: Vec<Word>, words: Vec<Word>) -> Read<()> {
        self.assigned.extend(environment.iter().map(value));
        let environment = notable(environment, words.is_empty())?;
        let Some(first) = words.first() else {
            if !environment.is_empty() {
                self.commands.push(Command { environment, words, is_wrapper: false });
            }
            return Ok(());
        };
        let Some(name) = first.literal() else {
            self.commands.push(Command { environment, words, is_wrapper: false });
            return Ok(());
        };
        if !name.is_ascii() {
            self.commands.push(Command { environment, words, is_wrapper: false });
            return Err(Unsure("the name of a command has letters that may look like others"));
        }
        self.assigned.extend(builtin::named(&name, words.get(1..).unwrap_or_default()));
        // A bash without programs of these names has them built in; with a slash they are files.
        let checked = builtin::check(&name, words.get(1..).unwrap_or_default());
        let inner = wrapper::inner(&name, words.get(1..).unwrap_or_default());
        let starts = !matches!(inner, Ok(Wrapped::None | Wrapped::Within(_)) | Err(_));
        let is_wrapper = starts && names::is_of_system(&name) && !wrapper::is_privileged(names::base(&name));
        self.commands.push(Command { environment, words, is_wrapper });
        checked?;
        match inner? {
            Wrapped::None => Ok(()),
            Wrapped::Words(environment, words) => self.deeper(|parser| parser.started(environment, words)),
            Wrapped::Within(all) => {
                for words in all {
                    self.deeper(|parser| parser.started(Vec::new(), words))?;
                }
                Ok(())
            }
            Wrapped::Line(line) => self.inside(&line, false, |parser| parser.whole()),
        }
    }

    /// A variable that a loop sets, which programs may be given if it is one of the environment's.
    pub(super) fn sets(&mut self, name: &str) {
        if !names::is_harmless(name) && !names::is_local(name) {
            let environment = vec![Word::assigned(name)];
            self.commands.push(Command { environment, words: Vec::new(), is_wrapper: false });
        }
    }

    /// The words that a loop goes over. The shell itself lists the files that patterns in them stand for: as a command that
    /// does nothing else.
    pub(super) fn lists(&mut self, name: &str, words: Vec<Word>) {
        self.assigned.extend(words.iter().map(|word| (name.to_owned(), word.literal())));
        if words.iter().any(Word::may_split) {
            let does_nothing = Word { raw: "for".to_owned(), pieces: vec![WordPiece::Text(":".to_owned())] };
            let words = std::iter::once(does_nothing).chain(words).collect();
            self.commands.push(Command { environment: Vec::new(), words, is_wrapper: false });
        }
    }

    /// What a wrapper starts. It is given words, so reserved ones and assignments have no meaning there.
    fn started(&mut self, environment: Vec<Word>, words: Vec<Word>) -> Read<()> {
        let name = words.first().and_then(Word::literal).unwrap_or_default();
        if names::RESERVED.contains(&name.as_str()) || name.contains('=') {
            return Err(Unsure("shells differ in what this starts"));
        }
        self.settle(environment, words)
    }
}

/// The variable that an assignment sets, and its value if the text tells it.
fn value(word: &Word) -> (String, Option<String>) {
    let name = word.raw.split('=').next().unwrap_or_default().to_owned();
    let value = word.literal().and_then(|text| text.split_once('=').map(|(_, value)| value.to_owned()));
    (name, value)
}

/// The assignments that need a rule; those that change what commands mean are not read.
fn notable(assignments: Vec<Word>, stands_alone: bool) -> Read<Vec<Word>> {
    let mut kept = Vec::new();
    for word in assignments {
        let (name, text) = value(&word);
        if names::changes_meaning(&name) && !names::keeps_meaning(&name, text.as_deref()) {
            return Err(Unsure("it changes a variable that changes what commands mean"));
        }
        let needs_none = names::is_harmless(&name)
            || names::is_plain(&name, text.as_deref())
            || (stands_alone && names::is_local(&name));
        if !needs_none {
            kept.push(word);
        }
    }
    Ok(kept)
}
