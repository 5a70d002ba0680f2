//! The standard input as a file that words name.

use super::super::shell::HOLE;
use super::super::wildcard::could_fit;

/// Names of the standard input that the shell may make of others.
const NAMES: &[&str] = &["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];

/// Whether an option with one of these letters has the standard input as its file: `-f -`, `-nf /dev/stdin`, `-f-`, `--file=-`
pub(super) fn is_file_input(letters: &str, arguments: &[String]) -> bool {
    let is_file = |word: &String| word.starts_with('-') && word.contains(|c: char| letters.contains(c));
    arguments.iter().any(is_file) && names_input(arguments)
}

/// Whether a word is the standard input, or has it joined to an option.
pub(super) fn names_input(arguments: &[String]) -> bool {
    arguments.iter().any(|word| {
        let is_joined = word.starts_with('-') && (word.ends_with("f-") || word.ends_with("=-"));
        let joined = word.find('/').and_then(|at| word.get(at..)).is_some_and(is_input);
        is_joined || joined || is_input(word)
    })
}

/// Whether the keys or commands of an editor come from a file that is the standard input: `-s -`.
pub(super) fn brings_keys(arguments: &[String]) -> bool {
    let of_option = arguments.windows(2).any(|two| match two {
        [option, value] => ["-s", "-S", "-u"].contains(&option.as_str()) && is_input(value),
        _ => false,
    });
    let is_joined =
        |word: &String| word.starts_with('-') && word.len() > 1 && names_input(std::slice::from_ref(word));
    let is_silent = |word: &String| word.starts_with("-e") || word.starts_with("-E");
    of_option
        || arguments.iter().any(|word| is_silent(word) || is_joined(word) || (word != "-" && is_input(word)))
}

/// Whether an option of an interpreter has the standard input as its file: `expect -f -`, `R --file=/dev/stdin`. `words`: its
/// options and the word behind them.
pub(super) fn names_file_of_input(words: &[String]) -> bool {
    let is_file = |word: &String| is_letters(word) && word.ends_with('f');
    let is_joined =
        |word: &String| word.starts_with('-') && word != "-" && names_input(std::slice::from_ref(word));
    let of_option = words.windows(2).any(|two| match two {
        [option, value] => is_file(option) && is_input(value),
        _ => false,
    });
    of_option || words.iter().any(is_joined)
}

/// Whether it is an option of letters.
pub(super) fn is_letters(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-') && !word.starts_with("--")
}

/// Whether a file is the standard input, however it is spelled. Of other descriptors nobody here knows what is in them.
pub(super) fn is_input(file: &str) -> bool {
    let parts: Vec<&str> = file.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    match parts.as_slice() {
        [..] if file == "-" => true,
        [.., "dev", "stdin"] => true,
        [.., "fd", number] => {
            file.starts_with('/') && number.chars().all(|c| c.is_ascii_digit() || c == HOLE)
        }
        ["dev" | "proc", ..] if file.contains(HOLE) => NAMES.iter().any(|name| could_fit(name, file)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_spelling_hides_the_standard_input() {
        for file in
            ["-", "/dev/stdin", "//dev/./stdin", "/dev/fd/0", "/dev/fd/3", "/proc/self/fd/0", "/proc/42/fd/0"]
        {
            assert!(is_input(file), "{file}");
            assert!(names_input(&[file.to_owned()]), "{file}");
        }
        for word in ["-f-", "--file=-", "-f/dev/stdin", "--file=/dev/fd/0"] {
            assert!(names_input(&[word.to_owned()]), "{word}");
        }
        for file in ["/dev/std~", "/dev/std~n", "/dev/~", "/dev/fd/~", "/proc/~/fd/0", "/proc/~/fd/~"] {
            assert!(is_input(&file.replace('~', &HOLE.to_string())), "{file}");
        }
        for file in ["~", "~/a", "/~", "/dev/shm/~", "/dev/~.py", "/tmp/~"] {
            assert!(!is_input(&file.replace('~', &HOLE.to_string())), "{file}");
        }
        for file in ["", "--", "a", "stdin", "/dev/null", "fd/0", "/a/fd/x", "a-"] {
            assert!(!is_input(file), "{file}");
        }
    }
}
