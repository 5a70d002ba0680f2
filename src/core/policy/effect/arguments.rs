//! Where options, their values and operands begin and end, for one program. What is not in its list is not guessed at: another
//! word might be an option that writes, or swallow the word after it.

use super::super::shell::{HOLE, Word};

/// What the operands of a program are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    /// Words that are never opened, whatever they are; there are no options that matter.
    Any,
    /// Words that are never opened.
    Words,
    /// Files.
    Files,
    /// Files, but for the first operand: a pattern, if no option brings one.
    PatternAndFiles,
    /// At most one file: a second one would be written. Options stand before it.
    OneFile,
}

/// A program and all that it may be given so that it only looks.
pub(super) struct ReadOnlyProgram {
    /// Its name.
    pub(super) name: &'static str,
    /// Its operands.
    pub(super) takes: Takes,
    /// Its options, with blanks between: `-abc` are letters, which may be joined; `-n:` has a value, joined or in the next
    /// word; `-f<` has a file. `--long`, `--long=` with a value, joined or in the next word, `--long?` with one that can
    /// only be joined (`-I?` too), `--long<` with a file, `--arg==` with two words. `-#` is a number. `alone`: a letter with
    /// a value is joined to nothing.
    /// `holes`: what only the shell will know may stand among the options.
    pub(super) options: &'static str,
}

/// What an option takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OptionValue {
    None,
    Joined,
    One,
    File,
    Two,
    TwoFile,
}

/// What was understood of the words of a command.
#[derive(Default)]
pub(super) struct Taken<'w> {
    /// The options that are there, without their values.
    pub(super) options: Vec<String>,
    /// Files named by options. Behind the first operand other values too: some systems read what stands there as operands.
    pub(super) named: Vec<String>,
    /// The operands.
    pub(super) operands: Vec<&'w Word>,
    /// Whether a file is named in a way that the text does not tell.
    pub(super) is_vague: bool,
}

impl ReadOnlyProgram {
    fn has_mark(&self, mark: &str) -> bool {
        self.options.split_ascii_whitespace().any(|option| option == mark)
    }

    /// What a letter takes; `None`: it is not in the list.
    fn letter(&self, letter: char) -> Option<OptionValue> {
        let groups = self.options.split_ascii_whitespace().filter(|option| !option.starts_with("--"));
        let groups = groups.filter_map(|option| option.strip_prefix('-'));
        groups.filter(|group| *group != "#").find_map(|group| {
            let letters = group.trim_end_matches([':', '<', '?']);
            letters.contains(letter).then_some(match group.strip_prefix(letters) {
                Some(":") => OptionValue::One,
                Some("<") => OptionValue::File,
                Some("?") => OptionValue::Joined,
                _ => OptionValue::None,
            })
        })
    }

    /// What a long option takes.
    fn long(&self, name: &str) -> Option<OptionValue> {
        let ends = |rest: &str| match rest {
            "" => Some(OptionValue::None),
            "?" => Some(OptionValue::Joined),
            "=" => Some(OptionValue::One),
            "<" => Some(OptionValue::File),
            "==" => Some(OptionValue::Two),
            "=<" => Some(OptionValue::TwoFile),
            _ => None,
        };
        self.options.split_ascii_whitespace().find_map(|option| option.strip_prefix(name).and_then(ends))
    }

    /// Reads the words; `None` if one of them is not in the list.
    pub(super) fn take<'w>(&self, words: &'w [Word]) -> Option<Taken<'w>> {
        let mut taken = Taken::default();
        if self.takes == Takes::Any {
            taken.operands = words.iter().collect();
            return Some(taken);
        }
        let mut rest = words.iter();
        let mut are_options_over = false;
        while let Some(word) = rest.next() {
            let text = word.with_holes();
            let is_operand = are_options_over || text == "-" || !text.starts_with(['-', HOLE]);
            let is_one_word = word.literal().is_some() || !word.may_split();
            if word.literal().is_none() && self.writes_a_second() {
                return None;
            } else if is_operand && is_one_word {
                taken.operands.push(word);
            } else if !is_one_word || text.starts_with(HOLE) {
                if !are_options_over && !self.has_mark("holes") {
                    return None;
                }
                taken.operands.push(word);
            } else if self.takes == Takes::OneFile && !taken.operands.is_empty() {
                return None;
            } else if text == "--" {
                are_options_over = true;
            } else if text.starts_with("--") {
                self.long_option(&text, &mut rest, &mut taken)?;
            } else {
                self.letters(&text, &mut rest, &mut taken)?;
            }
        }
        (!self.writes_a_second() || taken.operands.len() <= 1).then_some(taken)
    }

    fn writes_a_second(&self) -> bool {
        self.takes == Takes::OneFile
    }

    fn long_option<'w>(
        &self,
        text: &str,
        rest: &mut impl Iterator<Item = &'w Word>,
        taken: &mut Taken<'w>,
    ) -> Option<()> {
        let (name, joined) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
        let value = self.long(name)?;
        taken.options.push(name.to_owned());
        match (value, joined) {
            (OptionValue::None, None)
            | (OptionValue::Joined | OptionValue::One, Some(_))
            | (OptionValue::Joined, None) => Some(()),
            (OptionValue::File, Some(file)) => taken.file(file),
            (OptionValue::One | OptionValue::File, None) => taken.detached(value, rest.next()?),
            (OptionValue::Two | OptionValue::TwoFile, None) => {
                taken.detached(OptionValue::One, rest.next()?)?;
                let second = if value == OptionValue::Two { OptionValue::One } else { OptionValue::File };
                taken.detached(second, rest.next()?)
            }
            (OptionValue::None | OptionValue::Two | OptionValue::TwoFile, Some(_)) => None,
        }
    }

    fn letters<'w>(
        &self,
        text: &str,
        rest: &mut impl Iterator<Item = &'w Word>,
        taken: &mut Taken<'w>,
    ) -> Option<()> {
        let letters = text.strip_prefix('-')?;
        if letters.chars().all(|c| c.is_ascii_digit()) && self.has_mark("-#") {
            return Some(());
        }
        let is_flag = |letter: char| self.letter(letter) == Some(OptionValue::None);
        if letters.chars().count() != 1 && self.has_mark("alone") && !letters.chars().all(is_flag) {
            return None;
        }
        let mut left = letters.chars();
        while let Some(letter) = left.next() {
            let value = self.letter(letter)?;
            taken.options.push(format!("-{letter}"));
            let joined = left.as_str();
            match value {
                OptionValue::File if !joined.is_empty() => return taken.file(joined),
                OptionValue::Joined => return Some(()),
                OptionValue::One if !joined.is_empty() => return Some(()),
                OptionValue::One | OptionValue::File => return taken.detached(value, rest.next()?),
                OptionValue::None | OptionValue::Two | OptionValue::TwoFile => {}
            }
        }
        Some(())
    }
}

impl<'w> Taken<'w> {
    fn file(&mut self, text: &str) -> Option<()> {
        if text.contains(HOLE) {
            self.is_vague = true;
        } else if text != "-" {
            self.named.push(text.to_owned());
        }
        Some(())
    }

    /// A value in a word of its own. One that looks like an option is not taken: another edition of the program may see
    /// one in it.
    fn detached(&mut self, value: OptionValue, word: &Word) -> Option<()> {
        let text = word.with_holes();
        let number = text.strip_prefix('-').is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit()));
        let is_option = text.starts_with('-') && text != "-" && !number;
        if is_option || (word.literal().is_none() && word.may_split()) {
            return None;
        }
        if value == OptionValue::File || !self.operands.is_empty() { self.file(&text) } else { Some(()) }
    }
}

/// Whether the word is one of these options. Long ones may be shortened, letters may be joined.
pub(super) fn has_option(text: &str, letters: &str, long: &[&str]) -> bool {
    if let Some(option) = text.strip_prefix("--") {
        let name = option.split('=').next().unwrap_or_default();
        return !name.is_empty()
            && long.iter().any(|refused| refused.starts_with(name) || name.starts_with(refused));
    }
    text.strip_prefix('-').is_some_and(|group| group.chars().any(|c| letters.contains(c)))
}
