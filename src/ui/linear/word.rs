//! Lines that are written like an answer: a letter, and at most the number of a call.

use crate::ledger::Scope;

/// A line that answers, as it was typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) letter: char,
    pub(super) number: Option<usize>,
    /// How long a rule shall hold, where that is said.
    pub(super) scope: Option<Scope>,
}

impl Word {
    /// Whether nothing but an answer to a call is written like this.
    pub(super) fn names_a_call(self) -> bool {
        self.number.is_some() || self.scope.is_some()
    }
}

/// Reads a line that is exactly an answer: a letter, and at most a number; after an a, how long the rule shall hold.
pub(super) fn read(line: &str) -> Option<Word> {
    let mut words = line.split_whitespace();
    let mut letters = words.next()?.chars();
    let letter = letters.next().filter(|letter| "ysabgnre".contains(*letter))?;
    let mut words: Vec<&str> = words.collect();
    let named = words.last().copied().filter(|_| letter == 'a');
    let scope = named.and_then(|word| {
        [Scope::Session, Scope::Project, Scope::Everywhere].into_iter().find(|scope| scope.as_str() == word)
    });
    words.truncate(words.len() - usize::from(scope.is_some()));
    let number = words.first().map(|number| number.parse().ok());
    let is_all = letters.next().is_none() && words.len() < 2 && number != Some(None);
    is_all.then_some(Word { letter, number: number.flatten(), scope })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_letter_and_a_number_answer() {
        for (line, is) in [
            ("y", true),
            (" n ", true),
            ("y 2", true),
            ("e", true),
            ("a", true),
            ("a 2", true),
            ("g 2", true),
            ("", false),
            ("yes", false),
            ("Y", false),
            ("y two", false),
            ("y 2 3", false),
            ("y, please", false),
            ("x", false),
        ] {
            assert_eq!(read(line).is_some(), is, "{line:?}");
        }
    }
}
