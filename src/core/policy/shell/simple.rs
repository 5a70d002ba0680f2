//! Simple commands and function definitions.

use super::parser::{Parser, Read, Unsure};
use super::parts::Word;
use super::{names, pipes, wrapper};

impl Parser<'_> {
    /// Assignments, words and redirections up to the end of the command.
    pub(super) fn simple(&mut self) -> Read<()> {
        let (mut environment, mut words): (Vec<Word>, Vec<Word>) = (Vec::new(), Vec::new());
        let start = self.at;
        let (texts, documents) = (self.given.len(), self.pending.len());
        let (mut redirects, mut reads_file) = (false, false);
        loop {
            self.skip_blanks()?;
            if self.at_redirection() {
                redirects = true;
                let inputs = self.inputs;
                let ends = self.redirection()?;
                reads_file |= self.inputs > inputs;
                if ends && !self.ends_here()? {
                    return Err(Unsure("a dash would take `&>` for the end of the command"));
                }
                continue;
            }
            match self.peek() {
                None | Some('\n' | ';' | '&' | '|' | ')') => break,
                Some('(') => match words.as_slice() {
                    [name] if environment.is_empty() && !redirects => return self.function(&name.raw),
                    _ => return Err(Unsure("a parenthesis is in a place that countersign cannot parse")),
                },
                Some(_) => {}
            }
            let word = self.word()?;
            if words.is_empty() && is_assignment(&word)? {
                environment.push(word);
            } else {
                words.push(word);
            }
        }
        if self.at == start {
            return Err(Unsure("a command is missing"));
        }
        if words.first().is_some_and(|word| word.raw == "[[") {
            condition(&words, redirects)?;
        }
        self.give(texts, documents, &words);
        let has_texts = self.given.len() > texts || self.pending.len() > documents;
        let is_exec = is_bare_exec(&words);
        // It goes on being the standard input of what follows.
        self.is_refilled |= is_exec && (reads_file || has_texts);
        let commands = self.commands.len();
        let result = self.settle(environment, words);
        if reads_file {
            self.fill(commands);
        }
        result
    }

    /// `name()` and the compound command that is its body. What the body runs may run.
    fn function(&mut self, name: &str) -> Read<()> {
        self.at += 1;
        self.skip_blanks()?;
        if !names::is_name(name) || !self.eat(")") {
            return Err(Unsure("a parenthesis is in a place that countersign cannot parse"));
        }
        self.skip_lines()?;
        let is_body = self.peek() == Some('(')
            || (self.peek() == Some('{') && self.peek_at(1).is_some_and(|c| " \t\n".contains(c)));
        if !is_body {
            return Err(Unsure("the body of a function is not a group"));
        }
        if pipes::is_told(name) {
            return Err(Unsure("a function has the name of a program whose output counts as known"));
        }
        if wrapper::is_named(name) {
            return Err(Unsure("a function has the name of a program that starts others"));
        }
        self.repeats = true;
        let body = self.commands.len();
        self.deeper(Self::command)?;
        self.functions.push((name.to_owned(), body..self.commands.len()));
        Ok(())
    }
}

/// Whether it is an `exec` that starts nothing, behind whatever wrapper: `exec`, `command exec --`.
fn is_bare_exec(words: &[Word]) -> bool {
    let mut texts = words.iter().rev().map(|word| word.literal().unwrap_or_default());
    texts.find(|text| text != "--").is_some_and(|text| text == "exec")
}

/// Whether the word assigns a variable. Only `NAME=` does so in every shell.
fn is_assignment(word: &Word) -> Read<bool> {
    let end = word.raw.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(word.raw.len());
    let (name, rest) = word.raw.split_at_checked(end).unwrap_or_default();
    if !names::is_name(name) {
        return Ok(false);
    }
    if rest.starts_with("+=") || rest.starts_with('[') {
        return Err(Unsure("shells differ in how they read this assignment"));
    }
    Ok(rest.starts_with('='))
}

/// `[[ … ]]` where a dash would see a plain command and bash evaluates nothing.
fn condition(words: &[Word], redirects: bool) -> Read<()> {
    const PLAIN: &[&str] =
        &["-e", "-f", "-d", "-n", "-z", "-s", "-r", "-w", "-x", "-L", "-h", "=", "==", "!=", "!"];
    let is_closed = words.last().is_some_and(|word| word.raw == "]]");
    let is_plain = |word: &Word| {
        let is_operator = word.raw.starts_with('-') || word.raw.contains(['=', '!', '[']);
        PLAIN.contains(&word.raw.as_str()) || !is_operator
    };
    let inner = words.get(1..words.len().saturating_sub(1)).unwrap_or_default();
    if is_closed && !redirects && inner.iter().all(is_plain) {
        Ok(())
    } else {
        Err(Unsure("a condition in [[ ]] does more than a plain test"))
    }
}
