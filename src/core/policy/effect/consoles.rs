//! Programs that take commands from their standard input beside the file or the code in their words: `python3 -i a.py`, `ghci a.hs`.

use super::input_files::is_input;
use super::interpreters::{Interpreter, listed_name};

/// Long options that open a console.
const OPENING: &[&str] = &["--interactive", "--repl", "--persist"];
/// Modules of Python that are consoles.
const MODULES: &[&str] =
    &["code", "pdb", "ipdb", "pudb", "asyncio", "idlelib", "IPython", "bpython", "ptpython", "ptipython"];
/// Programs of which a first word stands for a console.
const BY_WORD: &[(&str, &str)] =
    &[("node", "inspect"), ("nodejs", "inspect"), ("node", "debug"), ("deno", "repl"), ("bun", "repl")];
/// Those that go on with what comes in when a file ends, and the options with which each of them does not.
const GOING_ON: &[(&str, &[&str])] = &[
    ("ghci", &["-e"]),
    ("iex", &[]),
    // Behind its goals (`-g`) and its script (`-s`) it goes on.
    ("swipl", &["-t", "-c"]),
    ("gprolog", &[]),
    ("gforth", &[]),
    ("sml", &[]),
    ("poly", &["--script"]),
    ("gp", &[]),
    ("gap", &[]),
    ("maxima", &["-b", "--batch", "--batch-string"]),
    ("csi", &["-s", "-ss", "-script", "-b", "-batch"]),
    ("chez", &["--script"]),
    ("scheme", &["--script"]),
    ("mit-scheme", &[]),
    ("sbcl", &["--script", "--non-interactive"]),
    ("jshell", &[]),
    ("groovysh", &[]),
    ("spark-shell", &[]),
];
/// Those that read several files, one after the other.
const OF_SEVERAL: &[&str] = &["m4", "gnuplot", "gsi", "dc", "gp", "gap"];
/// Those that look for more options behind code.
const OPTIONS_BEHIND_CODE: &[&str] = &["lua", "luajit", "node", "nodejs", "ts-node"];
/// Their options with a value.
const VALUED: &[&str] = &["-e", "-l", "-p", "-pe", "-r", "-C", "--eval", "--print", "--require", "--import"];

/// Whether commands come in beside what the words bring. `options`: those before the first `operand`.
pub(super) fn reads_besides(
    program: &str,
    known: &Interpreter,
    arguments: &[String],
    (options, operand): (&[String], Option<&str>),
) -> bool {
    let name = listed_name(program).unwrap_or(program);
    let ends = |options: &[&str]| {
        arguments.iter().any(|word| options.contains(&word.split('=').next().unwrap_or_default()))
    };
    let goes_on = GOING_ON.iter().any(|(of, ending)| *of == name && !ends(ending));
    let has_behind = OPTIONS_BEHIND_CODE.contains(&name);
    let script = arguments.len() - behind_code(arguments).len();
    let own = if has_behind { arguments.get(..script).unwrap_or_default() } else { options };
    // A `-` behind code is the script of these.
    let is_script = name.starts_with("lua") && arguments.get(script).is_some_and(|word| is_input(word));
    own.iter().any(|word| opens_console(known, word))
        || is_console_module(known, options, operand)
        || BY_WORD.iter().any(|(of, word)| *of == name && operand == Some(*word))
        || (OF_SEVERAL.contains(&name) && arguments.iter().any(|word| is_input(word)))
        || goes_on
        || is_script
}

/// The script and its arguments, behind all options and their values.
fn behind_code(arguments: &[String]) -> &[String] {
    let mut is_value = false;
    let is_own = |word: &String| {
        let is_option = word.starts_with('-') && word != "-";
        let is_own = is_value || is_option;
        is_value = !is_value && VALUED.contains(&word.as_str());
        is_own
    };
    let script = arguments.iter().map(is_own).take_while(|is_own| *is_own).count();
    arguments.get(script..).unwrap_or_default()
}

/// Whether an option opens a console: alone, or among letters, where it is known which of these have values. What has a colon names a
/// module (`perl -d:NYTProf`).
fn opens_console(known: &Interpreter, option: &str) -> bool {
    let Some(letters) = option.strip_prefix('-').filter(|letters| !letters.starts_with('-')) else {
        return OPENING.contains(&option);
    };
    let opens = |c: char| known.console.contains(c);
    let is_end = |c: char| [known.code, known.valued, known.detached].iter().any(|all| all.contains(c));
    let are_letters = !known.valued.is_empty() || letters.chars().count() == 1;
    are_letters && !letters.contains(':') && letters.chars().take_while(|c| !is_end(*c)).any(opens)
}

/// Whether `-m` names a console.
fn is_console_module(known: &Interpreter, options: &[String], operand: Option<&str>) -> bool {
    let Some(letters) = options.last().and_then(|word| word.strip_prefix('-')) else { return false };
    let Some((_, joined)) = letters.split_once('m').filter(|_| known.code.contains('m')) else {
        return false;
    };
    let module = if joined.is_empty() { operand } else { Some(joined) };
    module.is_some_and(|module| MODULES.contains(&module.split('.').next().unwrap_or_default()))
}
