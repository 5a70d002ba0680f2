//! Calls of `sed` in what a command starts: its own words, those behind a launcher, and lines and texts in them.

use std::collections::BTreeSet;

use super::effect::{self, SedScript};
use super::shell::{self, Command, HOLE, Word, conceals, is_read_through};
use super::started::lines_in;
use crate::tool::SideEffect;

/// Lines stand in lines. Of deeper ones nothing is known.
const MOST_DEPTH: usize = 4;
/// Most lines that are read for one command.
const MOST_LINES: usize = 64;
/// Most calls that are told apart.
const MOST_CALLS: usize = 64;
/// Where a command may end in a text that cannot be read as a line.
const CUTS: &[char] = &[';', '|', '&', '\n', '`', '(', ')', '{', '}'];

/// What the scripts do in all calls that a command may make.
pub(super) fn of_command(command: &Command) -> Vec<SedScript> {
    let mut calls = SedCalls::default();
    calls.command(command, None, 0);
    calls.finish()
}

/// What the scripts do in all calls in a text that may be a line.
pub(super) fn in_line(text: &str) -> Vec<SedScript> {
    let mut calls = SedCalls::default();
    calls.line(text, 0);
    calls.finish()
}

#[derive(Default)]
struct SedCalls {
    found: Vec<SedScript>,
    lines: usize,
    /// Whether there is more than was looked at.
    has_more: bool,
}

impl SedCalls {
    fn finish(mut self) -> Vec<SedScript> {
        if self.has_more {
            self.found.push(SedScript {
                runs_lines: true,
                commands: Vec::new(),
                files: vec![HOLE.to_string()],
            });
        }
        self.found
    }

    /// `stand_in`: what stands for a hole in these words.
    fn command(&mut self, command: &Command, stand_in: Option<char>, depth: usize) {
        if effect::of_command(command) == Some(SideEffect::Reads) {
            return;
        }
        let text = |word: &Word| {
            let text = word.with_holes();
            text.chars().map(|c| if Some(c) == stand_in { HOLE } else { c }).collect()
        };
        let words: Vec<String> = command.words.iter().map(text).collect();
        let Some((name, arguments)) = words.split_first() else { return };
        if is_sed(name) {
            self.script(arguments, depth);
            return;
        }
        // The whole may be a text in quotes.
        if name.contains(char::is_whitespace) {
            self.line(name, depth + 1);
        }
        // What is read as a command of its own comes by itself.
        if is_read_through(command) {
            return;
        }
        let program = base(name);
        let mut lists = effect::started(&program, arguments);
        for words in &lists {
            let places = words.iter().enumerate().filter(|(_, word)| is_sed(word));
            for (at, _) in places {
                self.script(words.get(at + 1..).unwrap_or_default(), depth);
            }
        }
        if lists.is_empty() && effect::is_interpreter(&program, arguments.first().map(String::as_str)) {
            lists.push(arguments.to_vec());
        }
        for line in lists.iter().flatten().flat_map(|word| lines_in(word)) {
            self.line(line, depth + 1);
        }
    }

    fn script(&mut self, arguments: &[String], depth: usize) {
        if self.found.len() >= MOST_CALLS {
            self.has_more = true;
            return;
        }
        let script = effect::sed_script(arguments);
        let commands = script.commands.clone();
        self.found.push(script);
        for command in commands {
            self.line(&command, depth + 1);
        }
    }

    fn line(&mut self, line: &str, depth: usize) {
        if !names_sed(line) {
            return;
        }
        if depth > MOST_DEPTH || self.lines >= MOST_LINES {
            self.has_more = true;
            return;
        }
        self.lines += 1;
        // No line with a hole can be read, so a character stands for it that is nowhere else in the line.
        let is_unknown = |c: char| c == HOLE || conceals(c);
        let known: BTreeSet<char> = line.chars().collect();
        let Some(stand_in) = ('\u{4e00}'..='\u{9fff}').find(|c| !known.contains(c)) else {
            self.has_more = true;
            return;
        };
        let shown: String = line.chars().map(|c| if is_unknown(c) { stand_in } else { c }).collect();
        let reading = shell::read(&shown);
        for command in &reading.commands {
            self.command(command, Some(stand_in), depth);
        }
        if reading.unreadable.is_some() {
            for part in line.split(CUTS).filter(|part| part.len() < line.len()) {
                self.line(part, depth + 1);
            }
        }
    }
}

/// Whether the name is in the text as a word, whatever is quoted of it.
fn names_sed(text: &str) -> bool {
    let bare: String = text.chars().filter(|c| !matches!(c, '\'' | '"' | '\\')).collect();
    bare.split(|c: char| !c.is_alphanumeric() && c != '_').any(is_sed)
}

fn is_sed(name: &str) -> bool {
    matches!(base(name).as_str(), "sed" | "gsed")
}

fn base(name: &str) -> String {
    name.rsplit('/').next().unwrap_or_default().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commands(line: &str) -> Vec<String> {
        let reading = shell::read(line);
        let mut all: Vec<String> =
            reading.commands.iter().flat_map(of_command).flat_map(|script| script.commands).collect();
        all.dedup();
        all
    }

    #[test]
    fn a_call_is_found_wherever_it_stands() {
        for line in [
            "sed '1egit push' f",
            "docker exec c sed '1egit push' f",
            "ssh host \"sed '1egit push' f\"",
            "ssh host \"cd a; s''ed '1egit push' f\"",
            "ssh host \"sed '1egit push' $f\"",
            "ssh host \"((x)); sed '1egit push' f\"",
            "zsh -c \"sed '1egit push' f\"",
            "zsh -c \"watch \\\"sed '1egit push' f\\\"\"",
            "watch \"sed '1egit push' f\"",
            "parallel --tagstring sed sed '1egit push'",
            "fd . -x sed '1egit push'",
            "git submodule foreach \"sed '1egit push' f\"",
            "python3 -c \"import os; os.system(\\\"sed '1egit push' f\\\")\"",
            "sed \"1e sed '1egit push' f\" f",
        ] {
            let found = commands(line);
            assert!(found.iter().any(|command| command == "git push"), "{line}: {found:?}");
        }
    }

    #[test]
    fn other_calls_and_words_run_nothing() {
        let runs = |line: &str| {
            let reading = shell::read(line);
            let mut scripts = reading.commands.iter().flat_map(of_command);
            scripts.any(|script| script.runs_lines || !script.commands.is_empty())
        };
        for line in [
            "ssh host \"sed -n 1,5p f\"",
            "ssh host \"sed 's/a/b/g' f | sort\"",
            "ssh host \"sed -n '/begin/,/end/p' f\"",
            "watch \"sed -n 1p f\"",
            "sudo apt install sed perl",
            "ssh host \"sudo apt install sed perl\"",
            "watch 'ls used e'",
            "echo sed e",
            "man sed",
        ] {
            assert!(!runs(line), "{line}");
        }
    }

    #[test]
    fn of_more_calls_and_lines_than_are_looked_at_nothing_is_known() {
        let has_hole = |text: &str| in_line(text).iter().any(|script| script.runs_lines);
        assert!(has_hole(&format!("watch {}", "sed p ".repeat(MOST_CALLS + 1))));
        assert!(has_hole(&"watch 'sed p'; ".repeat(MOST_LINES)));
        assert!(!has_hole("watch 'sed p'; watch 'sed p'"));
    }
}
