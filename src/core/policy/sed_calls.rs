//! Calls of `sed` in what a command starts: its own words, those behind a launcher, and lines and texts in them.

use std::collections::BTreeSet;

use super::effect::{self, SedScript};
use super::shell::{self, Command, HOLE, Reading, Word, WordPiece, conceals, is_of_system, is_read_through};
use super::signs::{text, ways};
use super::started::lines_in;
use crate::tool::SideEffect;

/// Lines stand in lines. Of deeper ones nothing is known.
const MOST_DEPTH: usize = 4;
/// Most lines that are read for one command.
const MOST_LINES: usize = 64;
/// Most calls that are told apart.
const MOST_CALLS: usize = 64;
/// More ways to read the words of one call are not told apart.
const MOST_WAYS: usize = 16;
/// Where a command may end in a text that cannot be read as a line.
const CUTS: &[char] = &[';', '|', '&', '\n', '`', '(', ')', '{', '}'];

/// What the scripts do in all calls that a command may make.
pub(super) fn of_command(command: &Command) -> Vec<SedScript> {
    let mut calls = SedCalls::default();
    calls.command(command, None, 0);
    calls.finish()
}

/// The same, with what the line tells of the variables in the words of a call.
pub(super) fn in_reading(command: &Command, reading: &Reading) -> Vec<SedScript> {
    if !is_call(command) {
        return of_command(command);
    }
    let mut calls = SedCalls::default();
    for arguments in told(command.arguments(), reading) {
        calls.script(&arguments, 0);
    }
    calls.finish()
}

/// The words of a call that may say more of what it runs than its script, as far as that was read. `None`: it is no call of `sed`.
pub(super) fn unread_words(command: &Command, reading: &Reading) -> Option<Vec<String>> {
    if !is_call(command) {
        return None;
    }
    let words = command.arguments();
    let mut all = Vec::new();
    for arguments in told(words, reading) {
        let unread = effect::sed_unread(&arguments);
        let each = arguments.into_iter().zip(words).zip(unread);
        // What the shell makes several words of may bring options.
        let each = each.filter(|((text, word), unread)| *unread || (text.contains(HOLE) && is_split(word)));
        all.extend(each.map(|((text, _), _)| text));
    }
    Some(all)
}

/// Whether this is `sed` itself, and no file of the workspace with its name.
fn is_call(command: &Command) -> bool {
    command.name().is_some_and(|name| is_sed(&name) && is_of_system(&name))
}

/// The words in each way that the line leaves open. Of one that it does not tell, the unknown parts are holes.
fn told(words: &[Word], reading: &Reading) -> Vec<Vec<String>> {
    let mut all: Vec<Vec<String>> = vec![Vec::new()];
    for word in words {
        let known: Option<Vec<String>> = ways(word, reading).iter().map(|way| text(way)).collect();
        // Without quotes, an empty value is no word.
        let known = known.filter(|known| !word.may_split() || known.iter().all(|text| !text.is_empty()));
        let known = known.unwrap_or_else(|| vec![word.with_holes()]);
        if all.len() * known.len() > MOST_WAYS {
            return vec![words.iter().map(Word::with_holes).collect()];
        }
        if let [one] = known.as_slice() {
            all.iter_mut().for_each(|call| call.push(one.clone()));
        } else {
            let longer =
                all.iter().flat_map(|call| known.chunks(1).map(move |end| [call.as_slice(), end].concat()));
            all = longer.collect();
        }
    }
    all
}

/// Whether the shell makes several words of what it puts in.
fn is_split(word: &Word) -> bool {
    word.pieces.iter().any(|piece| matches!(piece, WordPiece::Hole { splits: true, .. }))
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

    fn last(line: &str) -> (Command, Reading) {
        let reading = shell::read(line);
        assert_eq!(reading.unreadable, None, "{line}");
        (reading.commands.last().unwrap().clone(), reading)
    }

    #[test]
    fn what_the_line_tells_of_a_variable_is_put_in() {
        let runs = |line: &str| {
            let (command, reading) = last(line);
            let scripts = in_reading(&command, &reading);
            scripts.iter().any(|script| script.runs_lines || !script.commands.is_empty())
        };
        for line in [
            "a=1; b=5; sed -n \"${a},${b}p\" f",
            "a=1; b=5; sed -n ${a},${b}p f",
            "x='s/a/b/'; sed \"$x\" f",
            "y=b; sed \"s/a/$y/\" f",
        ] {
            assert!(!runs(line), "{line}");
        }
        for line in [
            // Nothing is known of these.
            "sed -n \"${a},${b}p\" f",
            "a=1; a=$x; sed -n \"${a}p\" f",
            "a=1; b=$x; sed -n \"${a},${b}p\" f",
            // These bring what runs.
            "a=1egit; sed -n \"$a push\" f",
            "o=-ee; sed -n p \"$o\"",
            "y='git push/e #'; sed \"s/x/$y/\" f",
            // As no word, it leaves the script to the next one.
            "x=; sed $x '1egit push' f",
        ] {
            assert!(runs(line), "{line}");
        }
        let many = |values: usize| {
            let given: String = (0..values).map(|value| format!("a={value}; b={value}; ")).collect();
            format!("{given}sed -n \"${{a}}p\" \"$b\"")
        };
        // Each may be empty, too.
        assert!(!runs(&many(3)), "as many ways as are told apart");
        assert!(runs(&many(4)), "more of them");
    }

    #[test]
    fn of_the_words_of_a_call_only_those_are_left_that_may_say_more() {
        let (hole, script) = (HOLE.to_string(), format!("s|a|{HOLE}|"));
        let (hole, script) = (hole.as_str(), script.as_str());
        let unread = |line: &str| {
            let (command, reading) = last(line);
            unread_words(&command, &reading)
        };
        for (line, left) in [
            ("sed 's/x/git push a/' git", &[][..]),
            ("sed -n 5p \"$f\"", &["-n"]),
            ("sed -i s/a/b/ *.rs", &["-i"]),
            ("sed s/a/b/ -f git", &["-f", "git"]),
            ("sed -f \"$f\" a", &["-f", hole]),
            ("sed 5p $f", &[hole]),
            ("sed 5p \"$@\"", &[hole]),
            ("sed \"$f\" -e p", &[hole, "-e"]),
            ("f=a; g=b; sed 5p \"$f\" $g", &[hole, hole]),
            ("sed \"s|a|$y|\" f", &[script]),
            ("sed 'k git push' f", &["k git push"]),
        ] {
            assert_eq!(unread(line), Some(left.iter().map(|word| (*word).to_owned()).collect()), "{line}");
        }
        for line in ["./sed p f", "awk p f"] {
            assert_eq!(unread(line), None, "{line}");
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
