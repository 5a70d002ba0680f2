//! Programs that take their program from their standard input, by the words that they are called with. A pipe
//! into one that has it elsewhere (`python3 -m json.tool`, `ssh host cat`) carries data.

use super::super::shell::is_of_system;
use super::consoles::reads_besides;
use super::evaluators::may_run_texts;
use super::input_files::{brings_keys, is_file_input, is_input, names_file_of_input, names_input};
use super::interpreters::{Interpreter, ProgramSource, interpreter, is_shell};
use super::openers::opens_shell;
use super::sed_scripts::sed_script;
use super::shell_lines;
use super::starters::started;

/// Those whose program is a file, which may be the standard input.
const OF_FILES: &[&str] = &[
    "just",
    "ninja",
    "rake",
    "ant",
    "scons",
    "task",
    "cmake",
    "ansible-playbook",
    "dtrace",
    "stap",
    "bpftrace",
    "gs",
    "groff",
    "troff",
    "uv",
];
const VALUED_OF_PARALLEL: &[&str] = &[
    "-j",
    "--jobs",
    "-n",
    "-N",
    "-L",
    "-I",
    "-P",
    "-S",
    "--sshlogin",
    "-C",
    "--colsep",
    "-d",
    "--delimiter",
    "-a",
    "--arg-file",
    "--halt",
    "--joblog",
    "--tmpdir",
    "--results",
    "--delay",
    "--timeout",
    "--retries",
    "--load",
    "--memfree",
    "--nice",
    "--tagstring",
    "--workdir",
    "--wd",
    "--env",
    "--semaphorename",
    "--id",
    "--trim",
    "--bf",
    "--basefile",
    "--return",
    "--rpl",
    "-s",
    "--max-chars",
    "--block",
    "--recstart",
    "--recend",
];
/// Options of interpreters and shells whose value is the next word.
const VALUED: &[&str] = &[
    "-o",
    "+o",
    "-W",
    "-X",
    "-r",
    "-I",
    "-encoding",
    "--require",
    "--import",
    "--loader",
    "--experimental-loader",
    "--conditions",
    "--emulate",
    "--rcfile",
    "--init-file",
    "--init-command",
    "--load",
];
/// Programs that send a line to a shell elsewhere.
const OF_SSH: &[&str] = &["ssh", "slogin", "rsh", "autossh", "dbclient"];
const VALUED_OF_SSH: &[&str] = &[
    "-B", "-b", "-c", "-D", "-E", "-e", "-F", "-I", "-i", "-J", "-L", "-l", "-m", "-O", "-o", "-P", "-p",
    "-R", "-S", "-W", "-w",
];
/// The same of the one that keeps a connection up, of which `-M` names a port.
const VALUED_OF_AUTOSSH: &[&str] = &[
    "-B", "-b", "-c", "-D", "-E", "-e", "-F", "-I", "-i", "-J", "-L", "-l", "-M", "-m", "-O", "-o", "-P",
    "-p", "-R", "-S", "-W", "-w",
];
const VALUED_OF_WATCH: &[&str] = &["-n", "--interval", "-q", "--equexit", "-s", "--shotsdir"];
/// Long options that bring the program, or a file with it.
const WITH_CODE: &[&str] =
    &["--eval", "--print", "--command", "--execute", "--file", "--run", "--test", "--expr"];
/// Programs that take no notice of `--version` and `--help`.
const WITHOUT_ABOUT: &[&str] = &["tclsh", "wish", "expect", "csh", "ftp", "erl"];
/// Programs of which `-V` tells the version.
const WITH_LETTER: &[&str] = &["python", "pypy", "psql", "mysql", "mariadb", "ssh"];
/// Most words behind a launcher that are looked at.
const MOST_WORDS: usize = 64;

/// Whether what comes in is the program of these words, or of what they start.
pub(in crate::policy) fn reads_program(words: &[String]) -> bool {
    let Some((name, arguments)) = words.split_first() else { return false };
    let program = base(name);
    // What these start is a command of its own in the reading of the line.
    let is_read = matches!(program.as_str(), "sudo" | "doas" | "env" | "xargs" | "time" | "timeout");
    let is_script = is_shell(&program)
        && interpreter(&program)
            .is_some_and(|known| !has_code(known, InterpreterCall::of(known, arguments).options));
    let starts = || started(&program, arguments).iter().any(|words| starts_one(&program, words));
    takes(&program, arguments) || (!is_read && !is_script && starts())
}

/// Whether a launcher's words may end in a program that does, or a line in them.
fn starts_one(program: &str, words: &[String]) -> bool {
    let tail_does = |words: &[String]| {
        (0..words.len().min(MOST_WORDS)).any(|at| words.get(at..).is_some_and(takes_as_command))
    };
    let lines: Vec<&String> =
        words.iter().filter(|word| word.contains(char::is_whitespace)).take(MOST_WORDS).collect();
    let mut parts = lines.iter().flat_map(|line| line.split([';', '|', '&', '\n', '(', ')']));
    let mut in_lines = lines.iter().flat_map(|line| shell_lines::commands(line));
    tail_does(words)
        || parts.any(|part| tail_does(&part.split_whitespace().map(str::to_owned).collect::<Vec<_>>()))
        || in_lines.any(|command| sent_behind(&command).into_iter().any(runs_input))
        || lines_for_shells(program, words)
            .iter()
            .any(|line| shell_lines::commands(line).iter().any(|words| line_runs_input(words)))
}

/// The lines that shells may be given by these words of a launcher.
fn lines_for_shells(program: &str, words: &[String]) -> Vec<String> {
    let sent = sent(program, words).into_iter().chain(sent_behind(words)).map(|words| words.join(" "));
    shell_lines::lines(program, words).into_iter().chain(sent).take(MOST_WORDS).collect()
}

/// The lines that shells elsewhere are given by these words: by those of a launcher, or behind any program by the name of
/// a shell and `-c`.
pub(in crate::policy) fn lines_elsewhere(program: &str, arguments: &[String]) -> Vec<String> {
    let lists = started(program, arguments);
    if lists.is_empty() {
        return shell_lines::handed(program, arguments);
    }
    let of_list = |words: &Vec<String>| {
        let mut lines = shell_lines::handed(program, words);
        let sent = sent(program, words).into_iter().chain(sent_behind(words));
        lines.extend(sent.map(|words| words.join(" ")));
        // `git submodule foreach` makes one line of its words.
        let own = words.iter().take_while(|word| word.starts_with('-')).count();
        lines.extend(words.get(own..).filter(|_| program == "git").map(|words| words.join(" ")));
        lines
    };
    lists.iter().flat_map(of_list).collect()
}

/// Whether a line for a shell among these words starts a program whose name only that shell will know.
pub(in crate::policy) fn hides_name(program: &str, arguments: &[String]) -> bool {
    let lists = started(program, arguments);
    let mut lines = lists.iter().flat_map(|words| lines_for_shells(program, words));
    lines.any(|line| shell_lines::hides_name(&line))
}

/// Whether a command of a line for a shell runs what comes in, or one in the lines that it sends or hands on.
fn line_runs_input(command: &[String]) -> bool {
    runs_input(command)
        || sent_behind(command).into_iter().any(runs_input)
        || runs_input(&shell_lines::lines("", command))
}

fn runs_input(command: &[String]) -> bool {
    shell_lines::runs_input(command) || takes_as_command(shell_lines::before_redirections(command))
}

/// Whether these words are a command that takes its program from its standard input.
fn takes_as_command(words: &[String]) -> bool {
    let is_command = |name: &String| is_of_system(name) || name.contains("/bin/");
    words.split_first().is_some_and(|(name, rest)| is_command(name) && takes(&base(name), rest))
}

/// What a program such as `ssh` makes one line of: all words behind the host. Of `watch` these are all its operands.
pub(in crate::policy) fn sent<'w>(program: &str, words: &'w [String]) -> Option<&'w [String]> {
    let (valued, first) = match program {
        "watch" => (VALUED_OF_WATCH, 0),
        _ if OF_SSH.contains(&program) => (valued_of_ssh(program), 1),
        _ => return None,
    };
    let operands = placed_operands(words, valued);
    operands.get(first).and_then(|(at, _)| words.get(*at..))
}

/// The options of such a program whose value is the next word.
fn valued_of_ssh(program: &str) -> &'static [&'static str] {
    if program == "autossh" { VALUED_OF_AUTOSSH } else { VALUED_OF_SSH }
}

/// The same of all such programs among the words, whatever starts them: `sshpass -p x ssh host ls`.
fn sent_behind(words: &[String]) -> Vec<&[String]> {
    let names = words.iter().take(MOST_WORDS).enumerate();
    names.filter_map(|(at, name)| sent(&base(name), words.get(at + 1..)?)).collect()
}

fn takes(program: &str, arguments: &[String]) -> bool {
    let has = |wanted: &[&str]| arguments.iter().any(|word| wanted.contains(&word.as_str()));
    let begins =
        |starts: &[&str]| arguments.iter().any(|word| starts.iter().any(|text| word.starts_with(text)));
    let is_option = |word: &String| word.starts_with(['-', '+']);
    if only_tells(program, arguments) {
        return false;
    }
    match program {
        // What comes in through a pipe is the text, unless an option says otherwise.
        "nvim" => begins(&["-e", "-E"]) || brings_keys(arguments),
        // A second word is what it does.
        "sqlite3" | "duckdb" => arguments.len() < 2 || arguments.iter().any(is_option),
        _ if OF_SSH.contains(&program) => operands(arguments, valued_of_ssh(program)).len() < 2,
        "chroot" => operands(arguments, &[]).len() < 2,
        "su" | "runuser" | "script" => !interpreter("sh").is_some_and(|shell| has_code(shell, arguments)),
        "sudo" | "doas" => {
            has(&["-s", "-i", "--shell", "--login"]) && operands(arguments, &["-u", "-g"]).is_empty()
        }
        "at" | "batch" => names_input(arguments) || !begins(&["-f", "-l", "-r", "-d", "-c"]),
        "crontab" => {
            let file = operands(arguments, &["-u"]).first().copied();
            !begins(&["-l", "-r", "-e"]) && file.is_none_or(is_input)
        }
        "parallel" | "sem" => {
            let is_place = |word: &&str| word.starts_with('{') || word.chars().all(|c| c.is_ascii_digit());
            operands(arguments, VALUED_OF_PARALLEL).iter().all(is_place)
        }
        "tmux" => begins(&["-C"]) || names_input(arguments),
        "kak" => begins(&["-p"]),
        // It runs what it reads where its script says so.
        "sed" | "gsed" if sed_script(arguments).runs_lines => true,
        "wsl" => operands(arguments, &["-d", "--distribution", "-u", "--user", "--cd"]).is_empty(),
        _ if opens_shell(program, arguments) => true,
        _ if OF_FILES.contains(&program) => names_input(arguments),
        "deno" | "bun" if names_input(arguments) => true,
        _ => interpreter(program).is_some_and(|known| takes_program(program, known, arguments)),
    }
}

/// Whether a program with a language takes what it runs from its standard input.
fn takes_program(program: &str, known: &Interpreter, arguments: &[String]) -> bool {
    let call = InterpreterCall::of(known, arguments);
    let may_be_input = || call.operand.is_none_or(is_input);
    let is_option = |word: &String| word.starts_with(['-', '+']);
    match known.source {
        ProgramSource::Shell => {
            let is_on = |word: &String| is_option(word) && word.contains('s') && !word.starts_with("--");
            !has_code(known, call.options) && (call.options.iter().any(is_on) || may_be_input())
        }
        ProgramSource::Program => {
            let with_next = arguments.get(..=call.options.len()).unwrap_or(arguments);
            names_file_of_input(with_next)
                || (may_be_input() && !has_code(known, call.options))
                || (has_code(known, call.options) && may_run_texts(program, arguments))
                || reads_besides(program, known, arguments, (call.options, call.operand))
        }
        ProgramSource::PowerShell => names_input(arguments) || arguments.iter().all(is_option),
        ProgramSource::Input => true,
        ProgramSource::Database => names_input(arguments) || !has_code(known, arguments),
        ProgramSource::Filter => {
            let is_sed = matches!(program, "sed" | "gsed");
            is_file_input(known.code, arguments) || (!is_sed && may_run_texts(program, arguments))
        }
        ProgramSource::Files => names_input(arguments),
        ProgramSource::Editor => {
            let is_text = arguments.iter().any(|word| word == "-");
            brings_keys(arguments) || !is_text
        }
    }
}

/// Whether it only says something of itself: the first word makes it do so. Behind another one it may be a word for
/// what is run (`zsh -s --help`).
fn only_tells(program: &str, arguments: &[String]) -> bool {
    let is_of = |names: &[&str]| names.iter().any(|name| program.starts_with(name));
    match arguments.first().map(String::as_str) {
        Some("--version" | "--help") => !is_of(WITHOUT_ABOUT),
        Some("-V") => is_of(WITH_LETTER),
        _ => false,
    }
}

/// The words of an interpreter, taken apart: those behind its first operand are for what it runs.
struct InterpreterCall<'w> {
    /// Its options and their values.
    options: &'w [String],
    /// What follows them.
    operand: Option<&'w str>,
}

impl<'w> InterpreterCall<'w> {
    fn of(known: &Interpreter, arguments: &'w [String]) -> Self {
        let mut is_value = false;
        let mut is_own = |word: &String| {
            let is_option = word.starts_with(['-', '+']) && !matches!(word.as_str(), "-" | "--");
            let is_passed = is_value || is_option;
            is_value = !is_value && is_option && takes_next(known, word);
            is_passed
        };
        let end = arguments.iter().position(|word| !is_own(word)).unwrap_or(arguments.len());
        let (options, rest) = arguments.split_at_checked(end).unwrap_or_default();
        let mut rest = rest.iter().map(String::as_str);
        let operand = match rest.next() {
            Some("--") => rest.next(),
            first => first,
        };
        Self { options, operand }
    }
}

/// Whether the value of an option is the next word.
fn takes_next(known: &Interpreter, option: &str) -> bool {
    let letters = option.strip_prefix(['-', '+']).filter(|letters| !letters.starts_with('-'));
    let letters = letters.unwrap_or_default();
    // What follows such a letter in its own word is the value.
    let first = letters.find(|c: char| known.detached.contains(c));
    VALUED.contains(&option) || first.is_some_and(|at| at + 1 == letters.len())
}

/// The words that are neither options nor their values.
fn operands<'w>(arguments: &'w [String], valued: &[&str]) -> Vec<&'w str> {
    placed_operands(arguments, valued).into_iter().map(|(_, word)| word).collect()
}

/// The same with their places.
fn placed_operands<'w>(arguments: &'w [String], valued: &[&str]) -> Vec<(usize, &'w str)> {
    let mut is_value = false;
    let is_operand = |(_, word): &(usize, &str)| {
        let is_option = word.starts_with(['-', '+']) && *word != "-";
        let is_passed = is_value || is_option;
        is_value = !is_value && has_next(word, valued);
        !is_passed
    };
    arguments.iter().map(String::as_str).enumerate().filter(is_operand).collect()
}

/// Whether the value of an option is the next word. The last of several letters may have one, too: `-tp 22`.
fn has_next(option: &str, valued: &[&str]) -> bool {
    let is_valued = |letter: char| {
        let mut names = valued.iter().filter_map(|option| option.strip_prefix('-'));
        names.any(|name| name.chars().eq([letter]))
    };
    let letters = option.strip_prefix('-').filter(|letters| !letters.starts_with('-')).unwrap_or_default();
    let first = letters.char_indices().find(|(_, letter)| is_valued(*letter));
    valued.contains(&option) || first.is_some_and(|(at, letter)| at + letter.len_utf8() == letters.len())
}

/// Whether an option brings the program. What may be the value of the option before it is none.
fn has_code(known: &Interpreter, arguments: &[String]) -> bool {
    let takes_next = |c: char| known.valued.contains(c) || known.detached.contains(c);
    let mut may_be_value = false;
    arguments.iter().any(|word| {
        let is_value = std::mem::take(&mut may_be_value);
        match word.strip_prefix('-') {
            _ if is_value => false,
            Some(long) if long.starts_with('-') => {
                let brings = WITH_CODE.iter().any(|option| word.starts_with(option));
                may_be_value = !brings && long.len() > 1 && !long.contains('=');
                brings
            }
            Some(letters) => {
                may_be_value = letters.chars().last().is_some_and(takes_next);
                letters.chars().take_while(|c| !takes_next(*c)).any(|c| known.code.contains(c))
            }
            None => false,
        }
    })
}

fn base(name: &str) -> String {
    let name = name.rsplit('/').next().unwrap_or_default().to_lowercase();
    name.strip_suffix(".exe").map_or_else(|| name.clone(), str::to_owned)
}

#[cfg(test)]
#[path = "inputs_tests.rs"]
mod tests;
