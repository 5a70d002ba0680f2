//! Lists, pipelines and compound commands. Whatever stands in them may run, so nothing is left out.

use std::sync::Arc;

use super::names;
use super::parser::{Parser, Read, Unsure};

/// What a list ends at.
#[derive(Clone, Copy)]
enum Ends {
    /// The end of the text.
    Text,
    /// A closing parenthesis.
    Parenthesis,
    /// One of these reserved words.
    Words(&'static [&'static str]),
    /// `;;` and its kin, or `esac`.
    Item,
}

const ORDER: Unsure = Unsure("it is not a complete command");

impl Parser<'_> {
    /// The whole text.
    pub(super) fn whole(&mut self) -> Read<()> {
        self.list(Ends::Text)?;
        if self.peek().is_some() || !self.pending.is_empty() {
            return Err(ORDER);
        }
        Ok(())
    }

    /// A list up to a closing parenthesis, and that one.
    pub(super) fn until_parenthesis(&mut self) -> Read<()> {
        self.list(Ends::Parenthesis)?;
        if self.eat(")") { Ok(()) } else { Err(ORDER) }
    }

    fn list(&mut self, ends: Ends) -> Read<()> {
        loop {
            self.skip_lines()?;
            if self.at_end(ends) {
                return Ok(());
            }
            self.and_or()?;
            self.skip_blanks()?;
            match self.peek() {
                Some('\n') => {}
                Some(';') if self.peek_at(1) != Some(';') && self.peek_at(1) != Some('&') => self.at += 1,
                Some('&') => self.at += 1,
                _ if self.at_end(ends) => return Ok(()),
                _ => return Err(ORDER),
            }
        }
    }

    fn at_end(&self, ends: Ends) -> bool {
        match ends {
            Ends::Text => self.peek().is_none(),
            Ends::Parenthesis => self.peek() == Some(')'),
            Ends::Words(words) => self.reserved().is_some_and(|word| words.contains(&word)),
            Ends::Item => self.starts_with(";;") || self.starts_with(";&") || self.reserved() == Some("esac"),
        }
    }

    /// The reserved word that stands here, if one does.
    fn reserved(&self) -> Option<&'static str> {
        names::RESERVED.iter().copied().find(|word| {
            let after = self.peek_at(word.chars().count());
            self.starts_with(word) && after.is_none_or(|c| " \t\n;&|()<>".contains(c))
        })
    }

    fn and_or(&mut self) -> Read<()> {
        loop {
            self.pipeline()?;
            self.skip_blanks()?;
            if !self.eat("&&") && !self.eat("||") {
                return Ok(());
            }
            self.skip_lines()?;
        }
    }

    fn pipeline(&mut self) -> Read<()> {
        while self.reserved() == Some("!") {
            self.at += 1;
            self.skip_blanks()?;
        }
        let texts = self.given.len();
        let mut piped: Option<Arc<str>> = None;
        loop {
            let (commands, known) = (self.commands.len(), self.given.len() + self.pending.len());
            let inputs = self.inputs;
            self.deeper(Self::command)?;
            if let Some(text) = &piped {
                self.feed(commands, text);
            }
            self.skip_blanks()?;
            if self.starts_with("||") || !self.eat("|") {
                return Ok(());
            }
            self.pipe(texts);
            // What reads a file hands on neither what the pipe brings nor a text of the line.
            let reads_file = self.inputs > inputs;
            let has_texts = !reads_file && self.given.len() + self.pending.len() > known;
            let before = piped.as_deref().filter(|_| !reads_file);
            piped = Some(self.printed(commands, has_texts, before).into());
            // `|&` pipes the errors too.
            self.eat("&");
            self.skip_lines()?;
        }
    }

    /// One command of a pipeline.
    pub(super) fn command(&mut self) -> Read<()> {
        if self.starts_with("((") {
            return Err(Unsure("it is arithmetic or a group, which shells tell apart in their own ways"));
        }
        let commands = self.commands.len();
        if self.eat("(") {
            self.until_parenthesis()?;
            return self.trailing(commands);
        }
        let Some(word) = self.reserved() else { return self.simple() };
        let start = self.at;
        self.at += word.len();
        match word {
            "{" => {
                self.block(&["}"])?;
            }
            "if" => self.conditional()?,
            "while" | "until" => {
                self.repeats = true;
                self.block(&["do"])?;
                self.block(&["done"])?;
            }
            "for" => {
                self.repeats = true;
                self.for_loop()?;
            }
            "case" => self.case()?,
            "[[" => {
                self.at = start;
                return self.simple();
            }
            _ => return Err(Unsure("a reserved word is in a place that countersign cannot parse")),
        }
        self.trailing(commands)
    }

    /// A list and the reserved word after it.
    fn block(&mut self, ends: &'static [&'static str]) -> Read<&'static str> {
        self.list(Ends::Words(ends))?;
        let Some(end) = self.reserved() else { return Err(ORDER) };
        self.at += end.len();
        Ok(end)
    }

    fn conditional(&mut self) -> Read<()> {
        self.block(&["then"])?;
        loop {
            match self.block(&["elif", "else", "fi"])? {
                "fi" => return Ok(()),
                "else" => {
                    self.block(&["fi"])?;
                    return Ok(());
                }
                _ => {
                    self.block(&["then"])?;
                }
            }
        }
    }

    fn for_loop(&mut self) -> Read<()> {
        self.skip_blanks()?;
        let name = self.word()?.raw;
        if !names::is_name(&name) || names::changes_meaning(&name) {
            return Err(Unsure("a loop sets a variable that changes what commands mean"));
        }
        self.sets(&name);
        self.skip_lines()?;
        if self.reserved() == Some("in") {
            self.at += 2;
            let mut words = Vec::new();
            loop {
                self.skip_blanks()?;
                match self.peek() {
                    Some(';' | '\n') => break,
                    _ => words.push(self.word()?),
                };
            }
            self.lists(&name, words);
        } else {
            self.assigned.push((name, None));
        }
        if self.peek() == Some(';') {
            self.at += 1;
        }
        self.skip_lines()?;
        if self.reserved() != Some("do") {
            return Err(ORDER);
        }
        self.at += 2;
        self.block(&["done"])?;
        Ok(())
    }

    fn case(&mut self) -> Read<()> {
        if self.is_substituted {
            return Err(Unsure("older shells misread `case` inside a substitution"));
        }
        self.skip_blanks()?;
        self.word()?;
        self.skip_lines()?;
        if self.reserved() != Some("in") {
            return Err(ORDER);
        }
        self.at += 2;
        loop {
            self.skip_lines()?;
            if self.reserved() == Some("esac") {
                self.at += 4;
                return Ok(());
            }
            self.item()?;
        }
    }

    /// One branch of a `case`: patterns, a list, and what ends it.
    fn item(&mut self) -> Read<()> {
        self.eat("(");
        loop {
            self.skip_blanks()?;
            self.word()?;
            self.skip_blanks()?;
            if self.eat(")") {
                break;
            }
            if !self.eat("|") {
                return Err(ORDER);
            }
        }
        self.list(Ends::Item)?;
        if !self.eat(";;&") && !self.eat(";;") && !self.eat(";&") && self.reserved() != Some("esac") {
            return Err(ORDER);
        }
        Ok(())
    }

    /// The redirections of a compound command, whose own commands come after the first ones.
    fn trailing(&mut self, commands: usize) -> Read<()> {
        let inputs = self.inputs;
        loop {
            self.skip_blanks()?;
            if !self.at_redirection() {
                if self.inputs > inputs {
                    self.fill(commands);
                }
                return Ok(());
            }
            if self.redirection()? && !self.ends_here()? {
                return Err(Unsure("a dash would take `&>` for the end of the command"));
            }
        }
    }

    /// Whether nothing more of this command follows.
    pub(super) fn ends_here(&mut self) -> Read<bool> {
        self.skip_blanks()?;
        Ok(self.at_redirection() || matches!(self.peek(), None | Some('\n' | ';' | '&' | '|' | ')')))
    }
}
