//! Redirections and here-documents.

use super::HOLE;
use super::parser::{Parser, Read, Unsure};
use super::parts::{Access, GivenText, HereDocument, Redirection, Word};
use super::word::GrowingWord;

impl Parser<'_> {
    /// Whether a redirection begins here.
    pub(super) fn at_redirection(&self) -> bool {
        let mut ahead = 0;
        while self.peek_at(ahead).is_some_and(|c| c.is_ascii_digit()) {
            ahead += 1;
        }
        match self.peek_at(ahead) {
            Some('<' | '>') => self.peek_at(1) != Some('('),
            Some('&') => ahead == 0 && self.peek_at(1) == Some('>'),
            _ => false,
        }
    }

    /// Reads one. Returns whether a dash would take it for the end of the command: `&>`.
    pub(super) fn redirection(&mut self) -> Read<bool> {
        let start = self.at;
        while self.peek().is_some_and(|c| c.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at - start > 1 {
            return Err(Unsure("shells differ in how they read a large file descriptor"));
        }
        let has_number = self.at > start;
        let operators = ["<<<", "<<-", "<<", "<>", "<&", "<", ">>", ">|", ">&", ">", "&>>", "&>"];
        let Some(operator) = operators.into_iter().find(|operator| self.eat(operator)) else {
            return Err(Unsure("a redirection is not complete"));
        };
        // What another descriptor reads has a name, too: `/dev/fd/3`.
        let is_zero = self.between(start, start + usize::from(has_number)) == "0";
        let is_input = operator.starts_with('<') || is_zero;
        self.skip_blanks()?;
        match operator {
            "<<" | "<<-" => self.here_document(operator == "<<-")?,
            "<<<" => {
                let text = self.word()?.with_holes();
                self.given.push(GivenText { text, to: Vec::new(), is_piped: false });
            }
            "<&" | ">&" => self.duplication(operator, has_number, is_input)?,
            "<" => self.opens(&[Access::Reads], is_input)?,
            // What needs a word first is named first.
            "<>" => self.opens(&[Access::Writes, Access::Reads], is_input)?,
            _ => self.opens(&[Access::Writes], false)?,
        }
        Ok(operator.starts_with('&'))
    }

    /// Says to which command the texts go that came up with it: those after the first ones.
    pub(super) fn give(&mut self, texts: usize, documents: usize, words: &[Word]) {
        let texts = self.given.iter_mut().skip(texts).map(|text| &mut text.to);
        let documents = self.pending.iter_mut().skip(documents).map(|document| &mut document.to);
        for to in texts.chain(documents).filter(|to| to.is_empty()) {
            *to = words.iter().map(Word::with_holes).collect();
        }
    }

    /// Says that a pipe takes on what becomes of the texts after the first ones, and of those whose bodies are
    /// still to come: some of these may be of an earlier command, which only makes the line asked about.
    pub(super) fn pipe(&mut self, texts: usize) {
        for text in self.given.iter_mut().skip(texts) {
            text.is_piped = true;
        }
        for document in &mut self.pending {
            document.is_piped = true;
        }
    }

    fn opens(&mut self, accesses: &[Access], is_input: bool) -> Read<()> {
        let target = self.word()?;
        let is_empty = target.literal().is_some_and(|path| path == "/dev/null");
        self.inputs += usize::from(is_input && !is_empty);
        let opened = accesses.iter().map(|access| Redirection { access: *access, target: target.clone() });
        self.redirections.extend(opened);
        Ok(())
    }

    /// `2>&1`, `>&-`; in bash `>& file` opens a file.
    fn duplication(&mut self, operator: &str, has_number: bool, is_input: bool) -> Read<()> {
        let target = self.word()?;
        let text = target.literal();
        let is_descriptor = |text: &str| {
            let digits = text.strip_suffix('-').unwrap_or(text);
            !text.is_empty() && digits.len() <= 1 && digits.chars().all(|c| c.is_ascii_digit())
        };
        match text {
            Some(text) if is_descriptor(&text) => {
                let changes = is_input && !matches!(text.as_str(), "0" | "0-" | "-");
                self.inputs += usize::from(changes);
                Ok(())
            }
            Some(_) if operator == ">&" && !has_number => {
                self.redirections.push(Redirection { access: Access::Writes, target });
                Ok(())
            }
            _ => Err(Unsure("a redirection goes to an unknown descriptor")),
        }
    }

    fn here_document(&mut self, strips_tabs: bool) -> Read<()> {
        let word = self.word()?;
        let plain =
            |text: &String| !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let Some(delimiter) = word.literal().filter(plain) else {
            return Err(Unsure("the end of a here-document is not a plain word"));
        };
        let is_literal = word.raw != delimiter;
        let (to, is_piped) = (Vec::new(), false);
        self.pending.push(HereDocument { to, is_piped, delimiter, is_literal, strips_tabs });
        Ok(())
    }

    /// The lines up to the delimiter. In those that are not literal, substitutions run.
    pub(super) fn body(&mut self, document: &HereDocument) -> Read<()> {
        let (mut text, mut told) = (String::new(), String::new());
        loop {
            let start = self.at;
            while self.peek().is_some_and(|c| c != '\n') {
                self.at += 1;
            }
            let line = self.between(start, self.at);
            let shown = if document.strips_tabs { line.trim_start_matches('\t') } else { &line };
            let is_last = self.next_char().is_none();
            if shown == document.delimiter {
                // As it is written, and as it will be known to the command.
                if told.contains(HOLE) {
                    text.push_str(&told);
                }
                let (to, is_piped) = (document.to.clone(), document.is_piped);
                self.given.push(GivenText { text, to, is_piped });
                return Ok(());
            }
            text.push_str(&line);
            text.push('\n');
            if is_last {
                return Err(Unsure("a here-document has no end"));
            }
            if self.is_substituted && line.contains(['\'', '"', '`', '\\', '(', ')', '#']) {
                return Err(Unsure("older shells would look for quotes in this here-document"));
            }
            if !document.is_literal {
                if line.ends_with('\\') {
                    return Err(Unsure("a line of a here-document is continued"));
                }
                self.inside(&line, true, |parser| {
                    told.push_str(&parser.expanded()?);
                    told.push('\n');
                    Ok(())
                })?;
            }
        }
    }

    /// A line of a here-document, with holes for what only the shell will know: expansions count, quotes do not.
    fn expanded(&mut self) -> Read<String> {
        let mut growing = GrowingWord::default();
        while let Some(c) = self.next_char() {
            match c {
                '\\' => self.next_char().into_iter().for_each(|escaped| growing.push(escaped)),
                '$' => self.dollar(true, &mut growing)?,
                '`' => self.backquoted(true, &mut growing)?,
                _ => growing.push(c),
            }
        }
        Ok(growing.with_holes())
    }
}
