//! JSON that may be a call, read character by character: decided as soon as its members tell.

use super::call::{KEYS, Role, role};

/// How deep a text stands in JSON.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Nesting {
    depth: u32,
    in_string: bool,
    escaped: bool,
}

impl Nesting {
    /// Takes in one character; true when it ends the outermost value.
    pub(super) fn push(&mut self, c: char) -> bool {
        if self.in_string {
            match c {
                _ if self.escaped => self.escaped = false,
                '\\' => self.escaped = true,
                '"' => self.in_string = false,
                _ => {}
            }
            return false;
        }
        match c {
            '"' => self.in_string = true,
            '{' | '[' => self.depth = self.depth.saturating_add(1),
            '}' | ']' => {
                self.depth = self.depth.saturating_sub(1);
                return self.depth == 0;
            }
            _ => {}
        }
        false
    }

    /// Whether the next character belongs to a string.
    pub(super) fn in_string(self) -> bool {
        self.in_string
    }
}

/// What one more character tells about an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ObjectStep {
    /// Nothing yet.
    Open,
    /// It is whole.
    Whole,
    /// It is JSON, and no call: a call has no such member.
    Other,
    /// It is no JSON.
    Foreign,
}

/// What may come next among the members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expect {
    Key,
    InKey,
    Colon,
    Value,
}

/// An object that may be a call.
#[derive(Debug, Clone)]
pub(super) struct Object {
    /// Its text so far.
    pub(super) text: String,
    /// Where in it the next character stands.
    pub(super) nesting: Nesting,
    expect: Expect,
    key: String,
    is_list: bool,
    is_named: bool,
    has_arguments: bool,
}

impl Object {
    /// Before its `{`.
    pub(super) fn new() -> Self {
        Self {
            text: String::new(),
            nesting: Nesting::default(),
            expect: Expect::Key,
            key: String::new(),
            is_list: false,
            is_named: false,
            has_arguments: false,
        }
    }

    /// An object that something before it declares to be a call.
    pub(super) fn declared() -> Self {
        Self { is_list: true, expect: Expect::Value, ..Self::new() }
    }

    /// Whether it is a call, even if its JSON should turn out to be broken.
    pub(super) fn is_call(&self) -> bool {
        self.is_list || (self.is_named && self.has_arguments)
    }

    /// Takes in one character, the opening one first.
    pub(super) fn push(&mut self, c: char) -> ObjectStep {
        let opens = self.text.is_empty();
        let was_in_string = self.nesting.in_string();
        self.text.push(c);
        let is_whole = self.nesting.push(c);
        if is_whole {
            return ObjectStep::Whole;
        }
        if opens {
            return ObjectStep::Open;
        }
        match self.member(c, was_in_string) {
            // What is a call already stays one: broken JSON in it is for the model to mend.
            ObjectStep::Foreign if self.is_call() => ObjectStep::Open,
            ObjectStep::Other if self.is_list => ObjectStep::Open,
            verdict => verdict,
        }
    }

    fn member(&mut self, c: char, in_string: bool) -> ObjectStep {
        match self.expect {
            Expect::Key | Expect::Colon if c.is_ascii_whitespace() => ObjectStep::Open,
            Expect::Key if c == '"' => {
                self.key.clear();
                self.expect = Expect::InKey;
                ObjectStep::Open
            }
            Expect::InKey if c == '"' => {
                self.expect = Expect::Colon;
                if KEYS.contains(&self.key.as_str()) { ObjectStep::Open } else { ObjectStep::Other }
            }
            Expect::InKey => {
                self.key.push(c);
                let may_be = KEYS.iter().any(|key| key.starts_with(self.key.as_str()));
                if may_be { ObjectStep::Open } else { ObjectStep::Other }
            }
            Expect::Colon if c == ':' => {
                self.note_member();
                self.expect = Expect::Value;
                ObjectStep::Open
            }
            Expect::Key | Expect::Colon => ObjectStep::Foreign,
            Expect::Value if in_string && c == '\n' => ObjectStep::Foreign,
            Expect::Value => {
                if c == ',' && !in_string && self.nesting.depth == 1 {
                    self.expect = Expect::Key;
                }
                ObjectStep::Open
            }
        }
    }

    fn note_member(&mut self) {
        match role(&self.key) {
            Some(Role::List) => self.is_list = true,
            Some(Role::Name) => self.is_named = true,
            Some(Role::Arguments) => self.has_arguments = true,
            None => {}
        }
    }
}
