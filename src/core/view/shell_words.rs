//! Words put into a command line of a custom command's file: each stays one word of the shell, also between the quotes that the
//! file has around its place.

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
            match quoted(&all) {
                plain if plain == all || all.is_empty() => all,
                quoted => format!("{quote}{quoted}{quote}"),
            }
        };
        match self.open.last() {
            Some(Open::Single) => between('\''),
            Some(Open::Double) => between('"'),
            Some(Open::Bracket) | None => words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "),
        }
    }
}

/// One word for a shell.
pub(super) fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=@%+,".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}
