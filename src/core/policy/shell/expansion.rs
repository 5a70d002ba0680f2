//! What begins with `$` or a backquote. Values are never known; what runs inside is read like the rest.

use super::names;
use super::parser::{Parser, Read, SPLIT, Unsure};
use super::parts::HoleSource;
use super::word::GrowingWord;

const PARAMETER: Unsure = Unsure("a parameter expansion does more than a plain one");
const ARITHMETIC: Unsure = Unsure("arithmetic reads variables, and bash runs what it finds in them");

impl Parser<'_> {
    /// After the `$`.
    pub(super) fn dollar(&mut self, is_quoted: bool, growing: &mut GrowingWord) -> Read<()> {
        match self.peek() {
            Some('\\') if self.peek_at(1) == Some('\n') => return Err(SPLIT),
            Some('(') if self.peek_at(1) == Some('(') => {
                self.at += 2;
                self.arithmetic()?;
                growing.hole(!is_quoted, HoleSource::Number);
            }
            Some('(') => {
                self.at += 1;
                self.substitution()?;
                growing.hole(!is_quoted, HoleSource::Unknown);
            }
            Some('{') => {
                self.at += 1;
                let (splits, of) = self.parameter()?;
                growing.hole(splits || !is_quoted, of);
            }
            Some('[') => return Err(ARITHMETIC),
            Some('\'') if !is_quoted => {
                self.at += 1;
                self.c_quoted()?;
                growing.hole(false, HoleSource::Unknown);
            }
            Some('"') if !is_quoted => {
                self.at += 1;
                self.double_quoted(growing)?;
                growing.hole(false, HoleSource::Unknown);
            }
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                let start = self.at;
                while self.peek().is_some_and(is_of_name) {
                    self.at += 1;
                }
                let name = self.between(start, self.at);
                growing.hole(!is_quoted, HoleSource::Variable(name));
            }
            Some(c) if c.is_ascii_digit() || "@*#?-$!".contains(c) => {
                self.at += 1;
                let of = if "#?$!-".contains(c) { HoleSource::Number } else { HoleSource::Unknown };
                growing.hole(!is_quoted || c == '@', of);
            }
            _ => growing.push('$'),
        }
        Ok(())
    }

    /// `$'…'`: a dash takes it for a `$` and a quoted text, which ends elsewhere if a quote is escaped in it.
    fn c_quoted(&mut self) -> Read<()> {
        loop {
            match self.next_char() {
                None => return Err(Unsure("a quote is not closed")),
                Some('\'') => return Ok(()),
                Some('\\') if self.peek() == Some('\'') => {
                    return Err(Unsure("a quote is escaped inside $'…'"));
                }
                Some('\n') => self.quoted_newline()?,
                Some(_) => {}
            }
        }
    }

    /// After `$(`, `<(` or `>(`, to the closing parenthesis.
    pub(super) fn substitution(&mut self) -> Read<()> {
        if !self.pending.is_empty() {
            return Err(Unsure("a substitution is between a here-document and its body"));
        }
        let before = std::mem::replace(&mut self.is_substituted, true);
        let result = self.deeper(Self::until_parenthesis);
        self.is_substituted = before;
        result?;
        if self.pending.is_empty() { Ok(()) } else { Err(Unsure("a here-document has no body")) }
    }

    /// After the opening backquote. The text up to the next one is a line of its own.
    pub(super) fn backquoted(&mut self, is_quoted: bool, growing: &mut GrowingWord) -> Read<()> {
        let start = self.at;
        loop {
            match self.next_char() {
                None => return Err(Unsure("a backquote is not closed")),
                Some('`') => break,
                Some('\\') => return Err(Unsure("a backslash is inside backquotes")),
                Some('"') if is_quoted => return Err(Unsure("quotes are nested inside backquotes")),
                Some('\n') => self.quoted_newline()?,
                Some(_) => {}
            }
        }
        if !self.pending.is_empty() {
            return Err(Unsure("a substitution is between a here-document and its body"));
        }
        let text = self.between(start, self.at.saturating_sub(1));
        growing.hole(!is_quoted, HoleSource::Unknown);
        self.inside(&text, true, |parser| parser.whole())
    }

    /// After `${`, to the closing brace. Returns whether it may become several words even in quotes, and where the text
    /// comes from.
    fn parameter(&mut self) -> Read<(bool, HoleSource)> {
        let is_length =
            self.peek() == Some('#') && self.peek_at(1).is_some_and(|c| is_of_name(c) || c == '}');
        if is_length {
            self.at += 1;
            if self.eat("}") {
                return Ok((false, HoleSource::Number));
            }
        }
        let start = self.at;
        match self.next_char() {
            Some(c) if is_of_name(c) => {
                while self.peek().is_some_and(is_of_name) {
                    self.at += 1;
                }
            }
            Some('@' | '*' | '?' | '-' | '$') => {}
            _ => return Err(PARAMETER),
        }
        let name = self.between(start, self.at);
        let is_list = name == "@" || self.subscript()?;
        if self.eat("}") {
            let of = match is_list || is_special(&name) {
                _ if is_length => HoleSource::Number,
                true => HoleSource::Unknown,
                false => HoleSource::Variable(name),
            };
            return Ok((is_list, of));
        }
        if is_length {
            return Err(PARAMETER);
        }
        self.operator(&name)?;
        while let Some(c) = self.next_char() {
            match c {
                '}' => return Ok((is_list, HoleSource::Unknown)),
                _ if c.is_alphanumeric() || " _-./:,+*?@%=^#".contains(c) => {}
                _ => return Err(PARAMETER),
            }
        }
        Err(PARAMETER)
    }

    /// `[@]`, `[*]` or a number; anything else would be arithmetic.
    fn subscript(&mut self) -> Read<bool> {
        if !self.eat("[") {
            return Ok(false);
        }
        if !self.eat("@") && !self.eat("*") {
            while self.peek().is_some_and(|c| c.is_ascii_digit()) {
                self.at += 1;
            }
        }
        if self.eat("]") { Ok(true) } else { Err(PARAMETER) }
    }

    fn operator(&mut self, name: &str) -> Read<()> {
        let assigns = self.starts_with(":=") || self.starts_with("=");
        if assigns && names::changes_meaning(name) {
            return Err(Unsure("it changes a variable that changes what commands mean"));
        }
        if assigns {
            self.assigned.push((name.to_owned(), None));
        }
        let known = [":-", ":=", ":+", ":?", "-", "=", "+", "?", "##", "#", "%%", "%", "^^", "^", ",,", ","];
        if known.iter().any(|operator| self.eat(operator)) || self.eat("//") || self.eat("/") {
            return Ok(());
        }
        // A part of the value: numbers alone, since anything else is arithmetic.
        let is_plain = |c: char| c.is_ascii_digit() || c == ':' || c == ' ' || c == '-';
        let rest = self.starts_with(":") && {
            let mut ahead = 1;
            while self.peek_at(ahead).is_some_and(is_plain) {
                ahead += 1;
            }
            self.peek_at(ahead) == Some('}')
        };
        if rest { Ok(()) } else { Err(PARAMETER) }
    }

    /// After `$((`, to the closing `))`: numbers and operators alone.
    fn arithmetic(&mut self) -> Read<()> {
        let mut open = 0_usize;
        loop {
            match self.next_char() {
                Some('(') => open += 1,
                Some(')') if open > 0 => open -= 1,
                Some(')') if self.eat(")") => return Ok(()),
                Some(c) if c.is_ascii_digit() || " +-*/%<>=!&|^~?:,".contains(c) => {}
                _ => return Err(ARITHMETIC),
            }
        }
    }
}

/// Whether it is an argument of the shell, and no variable of a name.
fn is_special(name: &str) -> bool {
    !names::is_name(name)
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}
