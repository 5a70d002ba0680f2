//! Words put into a command line of a custom command's file: each stays one word of the shell, also between the quotes that the
//! file has around its place.

use crate::policy::shell::shell_word;

/// Where a command line stands at the end of what was read of it.
#[derive(Debug, Clone, Default)]
pub(super) struct Quoting {
    /// The quotes and brackets that are open, the innermost last.
    open: Vec<Open>,
    /// It has something in which quotes mean something else: a here-document, a comment, `${`, `$'`, a backquote.
    is_odd: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    Single,
    Double,
    Bracket,
}

impl Quoting {
    /// Reads on. Says whether it is still known where it stands.
    pub(super) fn read(&mut self, text: &str) -> bool {
        let (mut before, mut rest) = (' ', text.chars());
        while let Some(c) = rest.next() {
            let next = rest.clone().next();
            match (self.open.last(), c) {
                (Some(Open::Single), '\'') | (Some(Open::Double), '"') => drop(self.open.pop()),
                (Some(Open::Single), _) => {}
                (_, '\\') => drop(rest.next()),
                (_, '`') => self.is_odd = true,
                (_, '$') if matches!(next, Some('{' | '\'')) => self.is_odd = true,
                (Some(Open::Double), '$') if next == Some('(') => {
                    rest.next();
                    self.open.push(Open::Bracket);
                }
                (Some(Open::Double), _) => {}
                (_, '<') if next == Some('<') => self.is_odd = true,
                (_, '#') if before.is_whitespace() => self.is_odd = true,
                (_, '\'') => self.open.push(Open::Single),
                (_, '"') => self.open.push(Open::Double),
                (_, '(') => self.open.push(Open::Bracket),
                (Some(Open::Bracket), ')') => drop(self.open.pop()),
                _ => {}
            }
            before = c;
        }
        !self.is_odd
    }

    /// These words, put in here: outside of quotes each is a word of its own, between quotes they are a part of that one.
    pub(super) fn put(&self, words: &[String]) -> String {
        let between = |quote: char| {
            let all = words.join(" ");
            match shell_word(&all) {
                plain if plain == all || all.is_empty() => all,
                quoted => format!("{quote}{quoted}{quote}"),
            }
        };
        match self.open.last() {
            Some(Open::Single) => between('\''),
            Some(Open::Double) => between('"'),
            Some(Open::Bracket) | None => {
                words.iter().map(|word| shell_word(word)).collect::<Vec<_>>().join(" ")
            }
        }
    }
}

/// A word that was typed, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TypedWord {
    pub(super) text: String,
    /// Its bytes in what was typed, quotes with them.
    pub(super) begins: usize,
    pub(super) ends: usize,
}

/// What words say.
pub(super) fn texts(words: &[TypedWord]) -> Vec<String> {
    words.iter().map(|word| word.text.clone()).collect()
}

/// The same as one text.
pub(super) fn joined(words: &[TypedWord]) -> String {
    texts(words).join(" ")
}

/// Words as they are typed: quotes keep blanks together. Where a quote is never closed, as in `don't`, quotes are letters.
pub(super) fn words(typed: &str) -> Vec<TypedWord> {
    quoted_words(typed).unwrap_or_else(|| plain_words(typed))
}

/// Words between blanks, whatever they hold.
fn plain_words(typed: &str) -> Vec<TypedWord> {
    let (mut words, mut word) = (Vec::new(), None::<TypedWord>);
    for (at, c) in typed.char_indices() {
        if c.is_whitespace() {
            words.extend(word.take());
            continue;
        }
        let word = word.get_or_insert_with(|| TypedWord { text: String::new(), begins: at, ends: at });
        word.ends = at + c.len_utf8();
        word.text.push(c);
    }
    words.extend(word);
    words
}

/// Words of which quotes keep blanks together; `None` where a quote is never closed.
fn quoted_words(typed: &str) -> Option<Vec<TypedWord>> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<TypedWord>, None);
    for (at, c) in typed.char_indices() {
        if quote.is_none() && c.is_whitespace() {
            words.extend(word.take());
            continue;
        }
        let word = word.get_or_insert_with(|| TypedWord { text: String::new(), begins: at, ends: at });
        word.ends = at + c.len_utf8();
        match quote {
            Some(open) if c == open => quote = None,
            None if c == '"' || c == '\'' => quote = Some(c),
            Some(_) | None => word.text.push(c),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_that_is_never_closed_is_a_letter() {
        for (typed, expected) in [
            ("don't stop now", &["don't", "stop", "now"][..]),
            ("one 'two three' four", &["one", "two three", "four"]),
            ("'a b' it's", &["'a", "b'", "it's"]),
            ("say \"hi", &["say", "\"hi"]),
            ("a ''", &["a", ""]),
        ] {
            assert_eq!(texts(&words(typed)), expected, "{typed}");
        }
        let [first, second] = words("don't  stop").try_into().unwrap();
        assert_eq!((first.begins, first.ends, second.begins, second.ends), (0, 5, 7, 11));
    }
}
