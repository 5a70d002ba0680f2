//! One row of the table of commands: its name, what may follow it, where it exists, what is said of it, what it means.

use super::meaning::Meaning;
use crate::ui::keymap::KeyAction;

/// A slash command.
#[derive(Debug)]
pub struct SlashCommand {
    /// As it is typed.
    pub name: &'static str,
    /// What stands behind the name where a list of lines names it.
    pub hint: &'static str,
    /// What it does, as lists say it, in few words. Empty: a form of a command that is listed already.
    pub help: &'static str,
    /// What may follow the name and what it does then: said once a blank is typed behind the name, and in the help.
    pub more: &'static str,
    /// What may follow, and what it means then.
    pub argument: Argument,
    /// All words that may follow, where they are few: they complete it.
    pub values: &'static [&'static str],
    /// Where it exists.
    pub place: Fronts,
    /// The command of the keymap that means the same.
    pub key: Option<KeyAction>,
}

/// The front ends in which a command exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fronts {
    /// Both.
    Both,
    /// The screen.
    Screen,
    /// Lines of words.
    Lines,
}

/// What words behind a name mean.
pub(super) type Reader = fn(&str) -> Result<Meaning, String>;

/// What may follow a name.
#[derive(Debug)]
pub enum Argument {
    /// Nothing.
    None(Meaning),
    /// Words, which may be missing: what the name means by itself, and with words.
    Optional(Meaning, Reader),
    /// Words, which must not be missing: the reader says so.
    Required(Reader),
    /// A number; anything else belongs to another row of the same name.
    Number(fn(usize) -> Meaning),
    /// This word; anything else belongs to another row of the same name.
    Exactly(&'static str, Meaning),
    /// All that follows one blank, blanks included.
    Line(fn(String) -> Meaning),
}

impl SlashCommand {
    /// A command of both front ends that has no key.
    pub(super) const fn new(name: &'static str, help: &'static str, argument: Argument) -> Self {
        Self { name, hint: "", help, more: "", argument, values: &[], place: Fronts::Both, key: None }
    }

    pub(super) const fn only(mut self, place: Fronts) -> Self {
        self.place = place;
        self
    }

    pub(super) const fn hint(mut self, hint: &'static str) -> Self {
        self.hint = hint;
        self
    }

    pub(super) const fn more(mut self, more: &'static str) -> Self {
        self.more = more;
        self
    }

    pub(super) const fn values(mut self, values: &'static [&'static str]) -> Self {
        self.values = values;
        self
    }

    pub(super) const fn key(mut self, key: KeyAction) -> Self {
        self.key = Some(key);
        self
    }

    /// Whether it must be followed by something.
    pub fn takes_more(&self) -> bool {
        matches!(self.argument, Argument::Required(_))
    }

    /// Whether it exists in a front end.
    pub fn is_in(&self, front: Fronts) -> bool {
        self.place == Fronts::Both || self.place == front
    }

    /// The name, and the hint behind it.
    pub fn titled(&self) -> String {
        format!("{} {}", self.name, self.hint).trim_end().to_owned()
    }

    /// What it does, and what may follow.
    pub fn told(&self) -> String {
        match (self.more, self.takes_more()) {
            ("", _) => self.help.to_owned(),
            (more, true) => format!("{}; {more}", self.help),
            (more, false) => format!("{}; or: {more}", self.help),
        }
    }

    /// What is said of it behind its name and a blank.
    pub(in crate::ui) fn behind_name(&self) -> &'static str {
        [self.more, self.hint, self.help].into_iter().find(|words| !words.is_empty()).unwrap_or_default()
    }

    /// What it means with what was typed behind its name; `None`: another row of the same name may know.
    pub(super) fn read(&self, typed: &str) -> Option<Result<Meaning, String>> {
        let words = typed.trim();
        Some(match &self.argument {
            Argument::None(meaning) if words.is_empty() => Ok(meaning.clone()),
            Argument::None(_) => Err(format!("{} takes no argument", self.name)),
            Argument::Optional(meaning, _) if words.is_empty() => Ok(meaning.clone()),
            Argument::Optional(_, read) | Argument::Required(read) => read(words),
            Argument::Number(meaning) => Ok(meaning(words.parse().ok()?)),
            Argument::Exactly(word, meaning) if words == *word => Ok(meaning.clone()),
            Argument::Exactly(..) => return None,
            Argument::Line(meaning) => Ok(meaning(typed.to_owned())),
        })
    }
}
