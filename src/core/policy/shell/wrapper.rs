//! Programs that start other programs: `env`, `timeout 5`, `xargs`, `sh -c 'LINE'`, `find -exec`.

use super::find::{filled, walk};
use super::names;
use super::parser::{Read, Unsure};
use super::parts::Word;

/// What a command starts in turn.
pub(super) enum Wrapped {
    /// Nothing that its words tell of.
    None,
    /// A program with arguments, after some assignments.
    Words(Vec<Word>, Vec<Word>),
    /// Programs that run beside what the command does itself.
    Within(Vec<Vec<Word>>),
    /// A line for a shell.
    Line(String),
}

const OPTIONS: Unsure = Unsure("a wrapper has options that countersign does not know");

/// Options of a wrapper that come before the command.
struct Options {
    /// Single letters without a value.
    flags: &'static str,
    /// Single letters with a value, joined or in the next word.
    valued: &'static str,
    /// Long options; those that end in `=` have a value in the same word.
    long: &'static [&'static str],
    /// How many operands come before the command.
    operands: usize,
}

fn options(program: &str) -> Option<Options> {
    let plain = |flags, valued, long, operands| Some(Options { flags, valued, long, operands });
    match program {
        "timeout" => plain(
            "vfp",
            "ks",
            &["--foreground", "--preserve-status", "--verbose", "--kill-after=", "--signal="],
            1,
        ),
        "nice" => plain("", "n", &["--adjustment="], 0),
        "ionice" => plain("t", "cn", &[], 0),
        "nohup" | "builtin" => plain("", "", &[], 0),
        "exec" => plain("", "", &[], 0),
        "command" => plain("p", "", &[], 0),
        "time" => plain("", "", &[], 0),
        "setsid" => plain("cfw", "", &["--wait", "--fork", "--ctty"], 0),
        "stdbuf" => plain("", "ioe", &["--input=", "--output=", "--error="], 0),
        "sudo" | "doas" => plain("nEHSkb", "ugpCTr", &["--user=", "--group=", "--non-interactive"], 0),
        "xargs" => plain(
            "0rtpx",
            "nPLsdE",
            &["--null", "--no-run-if-empty", "--verbose", "--max-args=", "--max-procs="],
            0,
        ),
        _ => None,
    }
}

/// Whether a program of this name counts as one that starts others.
pub(super) fn is_named(name: &str) -> bool {
    matches!(name, "env" | "eval" | "sh" | "bash" | "dash" | "find" | "gfind") || options(name).is_some()
}

/// Whether the wrapper itself needs a rule, beside what it starts.
pub(super) fn is_privileged(program: &str) -> bool {
    matches!(program, "sudo" | "doas")
}

/// What a command of this name starts.
pub(super) fn inner(name: &str, arguments: &[Word]) -> Read<Wrapped> {
    match names::base(name) {
        "command" if arguments.first().is_some_and(|word| word.raw == "-v" || word.raw == "-V") => {
            Ok(Wrapped::None)
        }
        "env" => env(arguments),
        "xargs" => xargs(arguments),
        "eval" => eval(arguments),
        "sh" | "bash" | "dash" => shell(arguments),
        "find" | "gfind" => find(arguments),
        // A keyword of bash: exactly this option is its own.
        "time" if arguments.first().is_some_and(|word| word.raw == "-p") => {
            Ok(started(arguments.get(1..).unwrap_or_default()))
        }
        program => match options(program) {
            None => Ok(Wrapped::None),
            Some(known) => {
                let at = after_options(arguments, &known)?;
                Ok(started(arguments.get(at..).unwrap_or_default()))
            }
        },
    }
}

fn started(words: &[Word]) -> Wrapped {
    if words.is_empty() { Wrapped::None } else { Wrapped::Words(Vec::new(), words.to_vec()) }
}

/// Where the command begins.
fn after_options(arguments: &[Word], known: &Options) -> Read<usize> {
    let mut at = 0;
    while let Some(word) = arguments.get(at) {
        let text = word.with_holes();
        if text == "--" {
            at += 1;
            break;
        }
        if !text.starts_with('-') || text == "-" {
            break;
        }
        let words = taken(&text, word, known)?;
        if arguments.iter().skip(at).take(words).any(|word| word.literal().is_none()) {
            return Err(OPTIONS);
        }
        at += words;
    }
    for _ in 0..known.operands {
        match arguments.get(at) {
            Some(word) if word.literal().is_some() => at += 1,
            Some(_) => return Err(OPTIONS),
            None => {}
        }
    }
    Ok(at)
}

/// How many words an option takes.
fn taken(text: &str, word: &Word, known: &Options) -> Read<usize> {
    if word.literal().is_none() {
        return Err(OPTIONS);
    }
    if text.starts_with("--") {
        let is_known = known
            .long
            .iter()
            .any(|long| if long.ends_with('=') { text.starts_with(long) } else { text == *long });
        return if is_known { Ok(1) } else { Err(OPTIONS) };
    }
    let mut letters = text.chars().skip(1).peekable();
    if known.valued.contains('n')
        && letters.peek().is_some_and(char::is_ascii_digit)
        && known.flags.is_empty()
    {
        // `nice -5`
        return Ok(1);
    }
    while let Some(letter) = letters.next() {
        if known.valued.contains(letter) {
            return Ok(if letters.peek().is_none() { 2 } else { 1 });
        }
        if !known.flags.contains(letter) {
            return Err(OPTIONS);
        }
    }
    Ok(1)
}

/// `env -i -u NAME A=b CMD`.
fn env(arguments: &[Word]) -> Read<Wrapped> {
    let known = Options {
        flags: "i0v",
        valued: "u",
        long: &["--ignore-environment", "--unset=", "--null"],
        operands: 0,
    };
    let mut at = after_options(arguments, &known)?;
    if arguments.get(at).is_some_and(|word| word.raw == "-") {
        at += 1;
    }
    let rest = arguments.get(at..).unwrap_or_default();
    let assigns = |word: &&Word| word.with_holes().contains('=');
    let environment: Vec<Word> = rest.iter().take_while(assigns).cloned().collect();
    for word in &environment {
        let text = word.with_holes();
        let name = text.split('=').next().unwrap_or_default();
        if !names::is_name(name) || word.may_split() || word.raw.split('=').next() != Some(name) {
            return Err(OPTIONS);
        }
    }
    let words = rest.get(environment.len()..).unwrap_or_default().to_vec();
    Ok(if words.is_empty() { Wrapped::None } else { Wrapped::Words(environment, words) })
}

/// `xargs -I{} CMD {}`: what comes in is not known.
fn xargs(arguments: &[Word]) -> Read<Wrapped> {
    let (mut place, mut arguments) = (None, arguments);
    if let Some(first) = arguments.first().and_then(Word::literal)
        && let Some(joined) = first.strip_prefix("-I")
    {
        let skip = if joined.is_empty() { 2 } else { 1 };
        let next = arguments.get(1).and_then(Word::literal).unwrap_or_default();
        place =
            Some(if joined.is_empty() { next } else { joined.to_owned() }).filter(|text| !text.is_empty());
        arguments = arguments.get(skip..).unwrap_or_default();
        if place.is_none() {
            return Err(OPTIONS);
        }
    }
    let Some(known) = options("xargs") else { return Err(OPTIONS) };
    let at = after_options(arguments, &known)?;
    let mut words = arguments.get(at..).unwrap_or_default().to_vec();
    if words.is_empty() {
        words.push(Word::of("echo"));
    }
    match place {
        Some(place) => words = words.iter().map(|word| filled(word, &place)).collect(),
        None => words.push(Word::unknown()),
    }
    Ok(Wrapped::Words(Vec::new(), words))
}

/// `eval` joins its words into a line.
fn eval(arguments: &[Word]) -> Read<Wrapped> {
    let arguments = match arguments {
        [first, rest @ ..] if first.raw == "--" => rest,
        [first, ..] if first.with_holes().starts_with('-') => return Err(OPTIONS),
        all => all,
    };
    let words: Option<Vec<String>> = arguments.iter().map(Word::literal).collect();
    let line = words.map(|words| words.join(" "));
    line.map(Wrapped::Line).ok_or(Unsure("it evaluates text that is not in the line"))
}

/// `sh -c 'LINE'`. A script's name or the standard input are not looked into.
fn shell(arguments: &[Word]) -> Read<Wrapped> {
    let mut is_line = false;
    let mut at = 0;
    while let Some(word) = arguments.get(at) {
        let text = word.with_holes();
        if text.starts_with(super::HOLE) || (is_line && text.contains(super::HOLE)) {
            return Err(Unsure("a shell runs a line that is not in the text"));
        }
        let Some(letters) = text.strip_prefix(['-', '+']) else { break };
        if letters.is_empty() || !letters.chars().all(|c| "ceuxl".contains(c)) {
            return Err(OPTIONS);
        }
        is_line |= letters.contains('c');
        at += 1;
    }
    match arguments.get(at) {
        None => Err(Unsure("a shell reads commands from its input")),
        Some(_) if !is_line => Ok(Wrapped::None),
        Some(word) => {
            let line = word.literal().ok_or(Unsure("a shell runs a line that is not in the text"))?;
            super::hidden::check(&line).map_err(Unsure)?;
            Ok(Wrapped::Line(line))
        }
    }
}

/// `find … -exec CMD {} ;`
fn find(arguments: &[Word]) -> Read<Wrapped> {
    let commands = walk(arguments).map_err(Unsure)?.commands;
    Ok(if commands.is_empty() { Wrapped::None } else { Wrapped::Within(commands) })
}
