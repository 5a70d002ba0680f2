//! What a line may start besides, as far as words tell: a text in another language, or a program that nobody knows.

use std::collections::BTreeSet;

use super::effect;
use super::elsewhere::Elsewhere;
use super::git_names;
use super::sed_calls;
use super::shell::{Command, GivenText, HOLE, Reading, Word, is_of_system, is_read_through};
use super::started::{
    CommandStarts, CommandWords, FedWords, MOST_TAILS, of_readers, only_names, only_runs, rough_words,
    tails_where,
};
use crate::tool::SideEffect;

/// Behind so many letters of options a text may be joined to the last one.
const MOST_LETTERS: usize = 4;

/// What can be guessed of a line without a rule.
pub(super) struct Guesses {
    texts: Vec<ForeignText>,
    /// Words behind programs that nobody knows.
    unknown: Vec<CommandWords>,
    /// Commands in lines for other shells.
    elsewhere: Vec<CommandStarts>,
    /// Texts among their words.
    elsewhere_texts: Vec<ForeignText>,
}

/// A text in another language, each of whose words may be the name of a program.
struct ForeignText {
    /// The text, where it is no guess if it is only the name of a program: it is in other lists then, or names something.
    listed: Option<String>,
    /// It, cut wherever a command might begin.
    parts: Vec<(CommandWords, Option<FedWords>)>,
}

impl Guesses {
    /// What can be guessed of this line.
    pub(super) fn of(reading: &Reading) -> Self {
        let inputs = in_input(reading);
        let embedded = reading.commands.iter().flat_map(|command| embedded(command, reading));
        let scripts = reading.commands.iter().flat_map(|command| sed_calls::in_reading(command, reading));
        let scripts = scripts.chain(inputs.iter().flat_map(|text| sed_calls::in_line(text)));
        // Lines of which nobody here knows what they say are a hole.
        let run = scripts.flat_map(|script| {
            script.commands.into_iter().chain(script.runs_lines.then(|| HOLE.to_string()))
        });
        let lines = Elsewhere::of(reading);
        let is_hidden = lines.is_hidden || reading.commands.iter().any(hides_name);
        let hidden = is_hidden.then(|| HOLE.to_string());
        let there: Vec<&Command> = lines.readings.iter().flat_map(|line| &line.commands).collect();
        let in_line = |line: &Reading| -> Vec<ForeignText> {
            line.commands.iter().flat_map(|command| self::embedded(command, line)).collect()
        };
        let in_lines = lines.readings.iter().flat_map(in_input);
        let others = inputs.iter().cloned().chain(in_lines).chain(run).chain(hidden);
        let texts = embedded.chain(others.map(|text| ForeignText::of(&text))).collect();
        let commands = reading.commands.iter().chain(there.iter().copied());
        Self {
            texts,
            unknown: commands.filter_map(behind_unknown).collect(),
            elsewhere: there.iter().map(|command| CommandStarts::of(command)).collect(),
            elsewhere_texts: lines.readings.iter().flat_map(in_line).collect(),
        }
    }

    /// What may be started and can begin as the pattern does.
    pub(super) fn started(&self, pattern: &str) -> Vec<CommandWords> {
        let texts = self.texts.iter().flat_map(|text| text.started(pattern));
        let unknown = self.unknown.iter().flat_map(|words| of_unknown(pattern, words));
        let elsewhere = self.elsewhere.iter().map(|command| command.started(pattern));
        let in_texts = self.elsewhere_texts.iter().map(|text| text.started(pattern));
        texts.chain(unknown).chain(elsewhere.chain(in_texts).flat_map(with_names)).collect()
    }
}

/// Those of the lists whose program has a name, at least in part: an argument in a line for another shell that is a
/// variable alone is not guessed at. Of too many lists all are kept, since one stands for those that were left out.
fn with_names(lists: Vec<CommandWords>) -> Vec<CommandWords> {
    let is_named = |name: &String| {
        let base = name.rsplit('/').next().unwrap_or_default();
        !name.contains(HOLE) || (base.contains(HOLE) && base.chars().any(|c| c != HOLE))
    };
    let is_cut = lists.len() > MOST_TAILS;
    lists.into_iter().filter(|words| is_cut || words.first().is_none_or(is_named)).collect()
}

impl ForeignText {
    fn of(text: &str) -> Self {
        let part = |part: CommandWords| {
            let words = part.iter().flat_map(|word| word.split([',', '=', '[', ']']));
            let words: CommandWords = words.filter(|word| !word.is_empty()).map(str::to_owned).collect();
            let fed = FedWords::of("", &words);
            (words, fed)
        };
        Self { listed: None, parts: rough_words(text).into_iter().map(part).collect() }
    }

    fn started(&self, pattern: &str) -> Vec<CommandWords> {
        if self.listed.as_ref().is_some_and(|text| git_names::is_only_a_program(pattern, text)) {
            return Vec::new();
        }
        // A letter is most often the name of a value.
        let is_letter = |words: &CommandWords| words.iter().map(String::len).sum::<usize>() == 1;
        let of_part = |(words, fed): &(CommandWords, Option<FedWords>)| {
            let mut all: Vec<CommandWords> = fed.iter().flat_map(|fed| fed.started(pattern)).collect();
            let tails = tails_where(pattern, words, |_| true);
            all.extend(tails.into_iter().filter(|words| !is_letter(words)));
            all
        };
        self.parts.iter().flat_map(of_part).collect()
    }
}

/// Whether a line that the command hands to a shell starts a program whose name only that shell will know.
fn hides_name(command: &Command) -> bool {
    let program = command.program().unwrap_or_default().to_lowercase();
    let words: CommandWords = command.arguments().iter().map(Word::with_holes).collect();
    !is_read_through(command) && effect::hides_name(&program, &words)
}

/// The arguments of an interpreter, which may be texts in its language.
fn embedded(command: &Command, reading: &Reading) -> Vec<ForeignText> {
    let program = command.program().unwrap_or_default().to_lowercase();
    let first = command.arguments().first().and_then(Word::literal);
    if command.is_wrapper || effect::of_command(command) == Some(SideEffect::Reads) {
        return Vec::new();
    }
    if let Some(words) = sed_calls::unread_words(command, reading) {
        return words.iter().map(|text| ForeignText::of(text)).collect();
    }
    let texts: Vec<String> = command.arguments().iter().map(Word::with_holes).collect();
    if !effect::is_interpreter(&program, first.as_deref()) {
        return in_lines(&program, &texts);
    }
    let before = std::iter::once(None).chain(texts.iter().map(|text| Some(text.as_str())));
    // Of a launcher's words those that may be programs are in other lists.
    let is_listed =
        |before: Option<&str>| effect::is_launcher(&program) || effect::names_its_word(&program, before);
    let mut names = only_names(&program, &texts, is_read_through(command));
    names.extend(of_readers(command));
    let may_start = texts.iter().zip(before).enumerate().filter(|(at, _)| !names.contains(at));
    let of_word = |(_, (text, before)): (usize, (&String, Option<&str>))| {
        let listed = Some(text.clone()).filter(|_| is_listed(before));
        let joined = if effect::is_launcher(&program) { Vec::new() } else { joined_texts(text) };
        let joined = joined.into_iter().map(ForeignText::of);
        std::iter::once(ForeignText { listed, ..ForeignText::of(text) }).chain(joined).collect::<Vec<_>>()
    };
    may_start.flat_map(of_word).collect()
}

/// What may be a line that is joined to an option, behind whichever of its letters: `-x'git push'`, `-ix'git push'`. Several
/// letters without a blank are options alone.
fn joined_texts(word: &str) -> Vec<&str> {
    let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.starts_with('-')) else {
        return Vec::new();
    };
    let most = if letters.contains(char::is_whitespace) { MOST_LETTERS } else { 1 };
    let are_letters = letters.char_indices().take_while(|(_, c)| c.is_ascii_alphabetic()).take(most);
    are_letters.filter_map(|(at, _)| letters.get(at + 1..)).filter(|text| !text.is_empty()).collect()
}

/// The lines that a program starts behind an option or a subcommand: the words in one may start others in turn, as in
/// `npm exec -c 'sudo git push'`.
fn in_lines(program: &str, words: &[String]) -> Vec<ForeignText> {
    let started = effect::started(program, words).into_iter().flatten();
    started.filter(|word| word.contains(char::is_whitespace)).map(|line| ForeignText::of(&line)).collect()
}

/// The words behind a program that nobody knows: it may be one that starts what they say.
fn behind_unknown(command: &Command) -> Option<CommandWords> {
    let is_about_names = |name: &String| {
        is_of_system(name) && effect::is_about_names(name.rsplit('/').next().unwrap_or_default())
    };
    let is_known =
        effect::of_command(command).is_some() || command.name().as_ref().is_some_and(is_about_names);
    (!is_known).then(|| command.arguments().iter().map(Word::with_holes).collect())
}

/// What may be started there. A word that stands alone is most often no command, and a name that only the shell
/// will know is not guessed at.
fn of_unknown(pattern: &str, words: &[String]) -> Vec<CommandWords> {
    let is_command =
        |words: &CommandWords| words.len() > 1 && words.first().is_some_and(|name| !name.contains(HOLE));
    let may_start = |at: usize| !only_runs(pattern, words, at);
    tails_where(pattern, words, may_start).into_iter().filter(is_command).collect()
}

/// The texts that programs are given on their standard input, where those may be programs too. Where one is for
/// sure, so may be what only the shell will know of it; what a script says is not guessed at.
fn in_input(reading: &Reading) -> Vec<String> {
    let runs = |name: &str, words: &[String]| {
        effect::runs_its_input(&name.rsplit('/').next().unwrap_or_default().to_lowercase(), words)
    };
    let is_runner = |command: &Command| {
        let words: CommandWords = command.words.iter().map(Word::with_holes).collect();
        command.name().is_some_and(|name| runs(&name, &words)) || effect::reads_program(&words)
    };
    let has_texts = !reading.given.is_empty();
    let is_any = has_texts && reading.commands.iter().any(is_runner);
    let commands = reading.commands.iter().filter(|command| has_texts && !command.is_wrapper);
    let written =
        commands.map(|command| command.words.iter().map(Word::with_holes).collect::<CommandWords>());
    let readers: Vec<CommandWords> = written.filter(|words| effect::reads_program(words)).collect();
    // What comes to the end of a pipe is read by one of the other commands.
    let is_program = |given: &&GivenText| {
        given.to.iter().any(|word| runs(word, &given.to))
            || readers.iter().any(|words| given.to.ends_with(words))
            || ((given.to.is_empty() || given.is_piped) && is_any)
    };
    let known = |text: &String| if readers.is_empty() { text.replace(HOLE, " ") } else { text.clone() };
    let texts = reading.given.iter().filter(is_program).map(|given| known(&given.text));
    // What a pipe or a file brings may be all that comes: what the line does not tell of it stays a hole.
    let piped = reading.piped.iter().filter(|piped| effect::reads_program(&piped.words));
    let piped: BTreeSet<&str> = piped.map(|piped| &*piped.text).collect();
    texts.chain(piped.into_iter().map(str::to_owned)).collect()
}
