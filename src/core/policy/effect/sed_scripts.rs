//! What a script of `sed` does beside editing: it runs commands (`1e git push`), lines (`e`, `s/a/b/e`), and opens files (`w x`).

use std::iter::Peekable;
use std::str::Chars;

use super::super::shell::HOLE;

/// What the script in a call of `sed` does beside editing.
#[derive(Default, PartialEq, Eq)]
pub(in crate::policy) struct SedScript {
    /// Whether it runs lines that it has read or made.
    pub(in crate::policy) runs_lines: bool,
    /// The commands that it runs.
    pub(in crate::policy) commands: Vec<String>,
    /// The files that it reads or writes.
    pub(in crate::policy) files: Vec<String>,
}

/// The script in these arguments. What a file says (`-f`) is not looked into.
pub(in crate::policy) fn sed_script(arguments: &[String]) -> SedScript {
    let gnu = CallWords::of(arguments, Dialect::Gnu).text();
    let bsd = CallWords::of(arguments, Dialect::Bsd).text();
    let mut whole = read(&gnu).unwrap_or_else(|| unread(&gnu));
    if bsd != gnu {
        let is_script = is_surely_bsd(arguments);
        whole.add(read(&bsd).unwrap_or_else(|| if is_script { unread(&bsd) } else { SedScript::default() }));
    }
    whole
}

/// Of each argument whether it may say more of what the call runs than [`sed_script`] knows: options, files with scripts, and
/// scripts of which a part is not known or that cannot be followed.
pub(in crate::policy) fn sed_unread(arguments: &[String]) -> Vec<bool> {
    let mut unread: Vec<&str> = Vec::new();
    for dialect in [Dialect::Gnu, Dialect::Bsd] {
        let words = CallWords::of(arguments, dialect);
        let text = words.text();
        let (is_followed, is_known) = (read(&text).is_some(), !text.contains(HOLE));
        let is_script = is_followed || dialect == Dialect::Gnu || is_surely_bsd(arguments);
        if is_script && !(is_followed && is_known) {
            unread.extend(words.scripts);
        }
        unread.extend(words.files);
    }
    let is_option = |word: &String| word.starts_with('-');
    // What stands before an option may be one, too: `sed "$x" -e p`.
    let last_option = arguments.iter().rposition(is_option);
    let may_be_option = |at: usize, word: &String| {
        is_option(word) || (word.starts_with(HOLE) && last_option.is_some_and(|last| at < last))
    };
    let words = arguments.iter().enumerate();
    words.map(|(at, word)| may_be_option(at, word) || unread.contains(&word.as_str())).collect()
}

/// Whether the word that BSD takes for the script surely is one, and not the name of a file for GNU: there is an empty word, as only
/// the ending of a copy is (`-i ''`).
fn is_surely_bsd(arguments: &[String]) -> bool {
    arguments.iter().any(String::is_empty)
}

impl SedScript {
    fn add(&mut self, other: Self) {
        self.runs_lines |= other.runs_lines;
        self.commands.extend(other.commands);
        self.files.extend(other.files);
    }
}

/// What a script does. `None`: it cannot be followed.
fn read(text: &str) -> Option<SedScript> {
    let (whole, is_followed) = follow(text);
    is_followed.then_some(whole)
}

/// What a script may do that cannot be followed.
fn unread(text: &str) -> SedScript {
    let (opened, _) = follow(text);
    SedScript { runs_lines: text.contains(['e', HOLE]), ..opened }
}

/// What a script does, and whether it can be followed in any way.
fn follow(text: &str) -> (SedScript, bool) {
    // Versions differ in whether a `/` in brackets ends an expression, and in where brackets end. One that cannot read a script runs
    // nothing of it, but has emptied the files that stand before the place. Where none can be followed here, there may be one that
    // reads it all the same.
    let mut ways: Vec<SedScript> = Vec::new();
    let mut is_followed = false;
    for brackets in [Brackets::Signs, Brackets::Flat, Brackets::Nested] {
        let mut reader = SedReader { rest: text.chars().peekable(), brackets, found: SedScript::default() };
        let is_whole = reader.script().is_some();
        let found = reader.found;
        let way = if is_whole { found } else { SedScript { files: found.files, ..SedScript::default() } };
        is_followed |= is_whole;
        if !ways.contains(&way) {
            ways.push(way);
        }
    }
    let mut whole = SedScript::default();
    ways.into_iter().for_each(|way| whole.add(way));
    (whole, is_followed)
}

/// What brackets in an expression are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Brackets {
    /// Signs like others.
    Signs,
    /// What is in them ends no expression; they end at the first `]`.
    Flat,
    /// The same, but classes such as `[:alpha:]` may stand in them. POSIX says so, and GNU does so.
    Nested,
}

/// Whose options are meant.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Dialect {
    /// They may stand behind operands, and `-l` has a value.
    Gnu,
    /// They end at the first operand, and the value of `-i` may be the next word: `sed -i '' 's/a/b/' f`.
    Bsd,
}

/// The words of a call that say what it does.
struct CallWords<'w> {
    /// The script: what options bring, each on a line, or else the first operand.
    scripts: Vec<&'w str>,
    /// Words that name files with scripts.
    files: Vec<&'w str>,
}

impl<'w> CallWords<'w> {
    fn of(arguments: &'w [String], options: Dialect) -> Self {
        let (mut brought, mut files): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
        let (mut operand, mut has_file) = (None, false);
        let is_bsd = options == Dialect::Bsd;
        let mut words = arguments.iter().map(String::as_str).peekable();
        while let Some(word) = words.next() {
            if word == "--" {
                operand = operand.or_else(|| words.next());
                break;
            }
            if let Some(long) = word.strip_prefix("--") {
                let value = long.split_once('=').map(|(_, value)| value);
                // Beginnings of their names count, too.
                match long.chars().next() {
                    Some('e') => brought.extend(value.or_else(|| words.next())),
                    Some(letter @ ('f' | 'l')) if !long.starts_with("fo") => {
                        has_file |= letter == 'f';
                        let next = if value.is_none() { words.next() } else { None };
                        files.extend(next.filter(|_| letter == 'f'));
                    }
                    _ => {}
                }
                continue;
            }
            let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.is_empty()) else {
                operand = operand.or(Some(word));
                if is_bsd {
                    break;
                }
                continue;
            };
            let Some((letter, value)) = valued(letters, options) else { continue };
            let value = Some(value).filter(|value| !value.is_empty());
            match letter {
                'e' => brought.extend(value.or_else(|| words.next())),
                'f' | 'l' => {
                    has_file |= letter == 'f';
                    let next = if value.is_none() { words.next() } else { None };
                    files.extend(next.filter(|_| letter == 'f'));
                }
                // The ending of the name of a copy. None has a slash, unlike most scripts.
                'i' | 'I' if is_bsd && value.is_none() => {
                    words.next_if(|word| !word.contains('/'));
                }
                _ => {}
            }
        }
        let is_operand = brought.is_empty() && !has_file;
        Self { scripts: if is_operand { operand.into_iter().collect() } else { brought }, files }
    }

    fn text(&self) -> String {
        self.scripts.join("\n")
    }
}

/// The first letter with a value, and what is joined to it.
fn valued(letters: &str, options: Dialect) -> Option<(char, &str)> {
    let known = if options == Dialect::Bsd { "efiI" } else { "efliI" };
    let (at, letter) = letters.char_indices().find(|(_, c)| known.contains(*c))?;
    letters.get(at + letter.len_utf8()..).map(|value| (letter, value))
}

/// Reads one script.
struct SedReader<'t> {
    rest: Peekable<Chars<'t>>,
    brackets: Brackets,
    found: SedScript,
}

impl SedReader<'_> {
    /// `None`: it is not a script.
    fn script(&mut self) -> Option<()> {
        loop {
            self.skip(|c| c.is_whitespace() || c == ';' || c == '}');
            if self.rest.peek().is_none() {
                return Some(());
            }
            self.addresses()?;
            self.command()?;
        }
    }

    fn skip(&mut self, is_skipped: impl Fn(char) -> bool) {
        while self.rest.next_if(|c| is_skipped(*c)).is_some() {}
    }

    fn blanks(&mut self) {
        self.skip(|c| c == ' ' || c == '\t');
    }

    /// A name of a file: all up to the end of the line. No backslash continues it.
    fn file(&mut self) {
        self.blanks();
        let mut file = String::new();
        while let Some(c) = self.rest.next_if(|c| *c != '\n') {
            file.push(c);
        }
        self.found.files.push(file);
    }

    /// The rest of the line; a backslash at its end continues it.
    fn line(&mut self) -> String {
        self.blanks();
        let mut line = String::new();
        while let Some(c) = self.rest.next_if(|c| *c != '\n') {
            match c {
                '\\' => line.extend(self.rest.next()),
                _ => line.push(c),
            }
        }
        line
    }

    fn addresses(&mut self) -> Option<()> {
        self.address()?;
        self.blanks();
        if self.rest.next_if_eq(&',').is_some() {
            self.skip(|c| " \t+~".contains(c));
            self.address()?;
        }
        self.skip(|c| " \t!".contains(c));
        Some(())
    }

    fn address(&mut self) -> Option<()> {
        let sign = *self.rest.peek()?;
        match sign {
            c if c.is_ascii_digit() => self.skip(|c| c.is_ascii_digit() || " \t~".contains(c)),
            '$' => self.skip(|c| c == '$'),
            '/' | '\\' => {
                let first = self.rest.next()?;
                let end = if first == '/' { first } else { self.rest.next()? };
                self.expression(end)?;
                self.skip(|c| " \tIM".contains(c));
            }
            _ => {}
        }
        Some(())
    }

    /// Up to this sign.
    fn expression(&mut self, end: char) -> Option<()> {
        loop {
            match self.rest.next()? {
                c if c == end => return Some(()),
                '\\' => {
                    self.rest.next()?;
                }
                '[' if self.brackets != Brackets::Signs => self.bracket()?,
                _ => {}
            }
        }
    }

    /// Behind a `[`, to its end.
    fn bracket(&mut self) -> Option<()> {
        self.rest.next_if_eq(&'^');
        // As the first one it is no end.
        self.rest.next_if_eq(&']');
        loop {
            match self.rest.next()? {
                ']' => return Some(()),
                '[' if self.brackets == Brackets::Nested => {
                    if let Some(sign) = self.rest.next_if(|c| ":.=".contains(*c)) {
                        self.class(sign)?;
                    }
                }
                _ => {}
            }
        }
    }

    /// Behind the `[:` of `[:alpha:]`, to its end.
    fn class(&mut self, sign: char) -> Option<()> {
        while self.rest.next()? != sign || self.rest.next_if_eq(&']').is_none() {}
        Some(())
    }

    fn command(&mut self) -> Option<()> {
        match self.rest.next()? {
            '{' => return Some(()),
            '#' => self.skip(|c| c != '\n'),
            // White space ends a label, too, and another command may follow: `:a e`.
            ':' | 'b' | 't' | 'T' | 'v' => {
                self.blanks();
                self.skip(|c| !c.is_whitespace() && c != ';' && c != '}');
                return Some(());
            }
            'a' | 'i' | 'c' => {
                self.line();
            }
            'r' | 'R' | 'w' | 'W' => self.file(),
            'e' => match self.line() {
                line if line.is_empty() => self.found.runs_lines = true,
                line => self.found.commands.push(line),
            },
            's' => {
                self.two_expressions()?;
                self.flags();
            }
            'y' => self.two_expressions()?,
            'l' | 'L' | 'q' | 'Q' => self.skip(|c| c == ' ' || c.is_ascii_digit()),
            c if "=dDgGhHnNpPxzF".contains(c) => {}
            _ => return None,
        }
        self.blanks();
        self.rest.peek().is_none_or(|c| ";\n}#".contains(*c)).then_some(())
    }

    fn two_expressions(&mut self) -> Option<()> {
        let end = self.rest.next().filter(|end| *end != '\n' && *end != '\\')?;
        self.expression(end)?;
        // In what is put in, brackets are signs like others.
        let brackets = std::mem::replace(&mut self.brackets, Brackets::Signs);
        let second = self.expression(end);
        self.brackets = brackets;
        second
    }

    fn flags(&mut self) {
        while let Some(flag) = self.rest.next_if(|c| c.is_ascii_digit() || "gpiImMew \t".contains(*c)) {
            self.found.runs_lines |= flag == 'e';
            if flag == 'w' {
                return self.file();
            }
        }
    }
}

#[cfg(test)]
#[path = "sed_scripts_tests.rs"]
mod tests;
