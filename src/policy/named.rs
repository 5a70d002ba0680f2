//! The files that a line names, for rules that deny or ask about files: such a rule is no word about the tool alone that
//! it is written for.

use super::Rule;
use super::cover::Fit;
use super::effect;
use super::line::{Places, looks};
use super::shell::{Access, Command, Reading, Word};
use super::wildcard::wildcard;
use crate::tool::Preparation;

/// Tools whose patterns are paths.
const OF_FILES: [&str; 3] = ["read", "write", "edit"];

/// What a line names.
pub(super) struct Named {
    /// Files that are surely opened, by each of their names.
    opened: Vec<(Access, Vec<String>)>,
    /// Words of commands of which nobody knows what they do with them.
    words: Vec<String>,
}

impl Named {
    /// The names in a line, and where they lead as far as somebody has looked.
    pub(super) fn of(line: &str, reading: &Reading, found: &Preparation) -> Self {
        let places = Places::of(line, reading, found);
        let (looking, others): (Vec<&Command>, Vec<&Command>) =
            reading.commands.iter().filter(|command| !command.is_wrapper).partition(|command| looks(command));
        let read = looking.into_iter().filter_map(effect::operands).flatten();
        let read = read.map(|path| (Access::Reads, places.names(&path)));
        let by_shell = reading.redirections.iter().filter(|file| !effect::is_sink(file));
        let by_shell = by_shell.filter_map(|file| Some((file.access, places.names(&file.target.literal()?))));
        let words = others.into_iter().flat_map(Command::arguments).filter_map(Word::literal);
        Self { opened: read.chain(by_shell).collect(), words: words.flat_map(|word| parts(&word)).collect() }
    }

    /// Whether a rule that denies or asks speaks of one of them.
    pub(super) fn fit(&self, rule: &Rule) -> Fit {
        let Some(pattern) = rule.pattern.as_deref().filter(|_| !rule.kind.permits()) else { return Fit::No };
        let is_for = |tools: &[&str]| tools.iter().any(|tool| rule.is_for(tool));
        let speaks = |(access, names): &(Access, Vec<String>)| {
            let tools: &[&str] = match access {
                Access::Reads => &["read"],
                Access::Writes => &["write", "edit"],
            };
            is_for(tools) && names.iter().any(|name| wildcard(pattern, name))
        };
        if self.opened.iter().any(speaks) {
            return Fit::Yes;
        }
        // What is said of every file says nothing of a word.
        let says_which = pattern.chars().any(|c| c != '*') && is_for(&OF_FILES);
        if says_which && self.words.iter().any(|word| wildcard(pattern, word)) { Fit::Maybe } else { Fit::No }
    }
}

/// The word, what follows its `=`, and both without a leading `./`.
fn parts(word: &str) -> Vec<String> {
    let value = word.split_once('=').map(|(_, value)| value);
    let all = [Some(word), value].into_iter().flatten();
    all.flat_map(|text| [Some(text), text.strip_prefix("./")]).flatten().map(str::to_owned).collect()
}
