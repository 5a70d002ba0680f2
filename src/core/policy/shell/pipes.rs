//! What a pipe or a file hands on: the text, where the words of the line tell it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use super::parser::Parser;
use super::parts::{PipedInto, Word};
use super::{Command, HOLE, names};

/// More texts that come to functions are not told apart.
const MOST_PASSED: usize = 64;

impl Parser<'_> {
    /// Says to the commands after the first ones what comes to them through a pipe.
    pub(super) fn feed(&mut self, commands: usize, text: &Arc<str>) {
        self.feed_within(commands..self.commands.len(), text);
    }

    fn feed_within(&mut self, commands: Range<usize>, text: &Arc<str>) {
        let within = self.commands.get(commands).unwrap_or_default();
        let fed = within.iter().filter(|command| !command.is_wrapper);
        self.piped.extend(fed.map(|command| PipedInto {
            words: command.words.iter().map(Word::with_holes).collect(),
            text: Arc::clone(text),
        }));
    }

    /// Says to the commands after the first ones that they read what the line does not tell: a file.
    pub(super) fn fill(&mut self, commands: usize) {
        self.feed(commands, &Arc::from(HOLE.to_string()));
    }

    /// Says to the commands in the body of a function what comes to it where it is called: any of them may read it.
    pub(super) fn pass_on(&mut self) {
        let functions = std::mem::take(&mut self.functions);
        for given in &mut self.given {
            // A function is a group, whose texts are for no command alone.
            if functions.iter().any(|(name, _)| given.to.contains(name)) {
                given.to.clear();
            }
        }
        let mut places: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (place, (name, _)) in functions.iter().enumerate() {
            places.entry(name).or_default().push(place);
        }
        let mut passed: BTreeSet<(usize, Arc<str>)> = BTreeSet::new();
        let mut at = 0;
        while let Some(piped) = self.piped.get(at) {
            at += 1;
            let text = Arc::clone(&piped.text);
            let called = piped.words.first().and_then(|name| places.get(name.as_str()));
            // One that calls itself is told once.
            let bodies: Vec<Range<usize>> = called
                .into_iter()
                .flatten()
                .filter(|place| passed.insert((**place, Arc::clone(&text))))
                .filter_map(|place| functions.get(*place).map(|(_, body)| body.clone()))
                .collect();
            if passed.len() > MOST_PASSED {
                return self.fill(0);
            }
            for body in bodies {
                self.feed_within(body, &text);
            }
        }
    }

    /// What the commands after the first ones print, with holes for what the line does not tell. `before`:
    /// what a pipe brings them. `has_texts`: whether they are given texts that are known by themselves.
    pub(super) fn printed(&self, commands: usize, has_texts: bool, before: Option<&str>) -> String {
        let unknown = || HOLE.to_string();
        let printing = || self.commands.iter().skip(commands).filter(|command| !command.is_wrapper);
        let texts: Vec<String> =
            printing().map(|command| text(command, has_texts, before).unwrap_or_else(unknown)).collect();
        // What another command prints may go on in the midst of a word.
        let is_whole = texts.len() == 1 || (!texts.is_empty() && printing().all(ends_its_line));
        if is_whole { texts.join("\n") } else { unknown() }
    }
}

/// Whether what a program of this name prints may be told by the line.
pub(super) fn is_told(name: &str) -> bool {
    matches!(name, "echo" | "printf" | "cat" | "tee")
}

/// Whether it is an `echo` that ends with a newline.
fn ends_its_line(command: &Command) -> bool {
    let is_option = |word: &Word| word.with_holes().starts_with(['-', HOLE]);
    command.name().as_deref() == Some("echo")
        && !command.arguments().first().is_some_and(is_option)
        && !command.arguments().iter().any(|word| word.with_holes().contains('\\'))
}

/// What one command prints. `None`: the line does not tell.
fn text(command: &Command, has_texts: bool, before: Option<&str>) -> Option<String> {
    let name = command.name().filter(|name| names::is_of_system(name))?;
    let arguments: Vec<String> = command.arguments().iter().map(Word::with_holes).collect();
    let passes_on = match names::base(&name) {
        "echo" => return Some(spoken(&arguments.join(" "))),
        "printf" => return Some(formatted(&arguments)),
        "cat" => arguments.iter().all(|word| word == "-"),
        "tee" => true,
        _ => false,
    };
    let own = before.map(str::to_owned).or_else(|| has_texts.then(String::new));
    own.filter(|_| passes_on)
}

/// A text as it is, and as it is where escapes count: of others than newlines and tabs nobody knows here.
fn spoken(text: &str) -> String {
    if !text.contains('\\') {
        return text.to_owned();
    }
    let cut = text.replace("\\n", "\n").replace("\\t", "\t");
    let is_known = !cut.contains('\\');
    let more = if is_known { String::new() } else { HOLE.to_string() };
    [text, &cut, &more].join("\n")
}

/// What `printf` makes of its words: nobody knows here where a word of the format goes on with one of the
/// others.
fn formatted(arguments: &[String]) -> String {
    let text = spoken(&arguments.join(" "));
    let Some((format, values)) = arguments.split_first() else { return text };
    let format = format.replace("\\n", "\n").replace("\\t", "\t");
    let is_split = format.split_whitespace().any(|word| word.contains('%') && word != "%s");
    // The format begins anew where there are more words.
    let is_joined = values.len() > 1 && !format.ends_with(char::is_whitespace);
    if is_split || is_joined { [text, HOLE.to_string()].join("\n") } else { text }
}
