//! How files and their troubles, and the ends of commands, are put into words, the same in every tool.

use std::io;
use std::process::ExitStatus;

use super::super::line::in_a_line;

/// What went wrong with a path, and what to do next.
pub(super) fn explain(shown: &str, failure: &io::Error) -> String {
    let shown = in_a_line(shown);
    match failure.kind() {
        io::ErrorKind::NotFound => {
            format!("`{shown}` does not exist; use `list` or `search` to find the right path")
        }
        io::ErrorKind::PermissionDenied => {
            format!("no permission for `{shown}`; the user can change its permissions")
        }
        io::ErrorKind::NotADirectory => {
            format!("a part of `{shown}` is a file, not a folder; use `list` to find the right path")
        }
        _ => format!("`{shown}`: {failure}"),
    }
}

/// `1.2 KB`, for people.
pub(super) fn size(bytes: u64) -> String {
    const UNITS: [(&str, u64); 3] = [("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10)];
    for (unit, one) in UNITS {
        if bytes >= one {
            return format!("{}.{} {unit}", bytes / one, bytes % one * 10 / one);
        }
    }
    format!("{bytes} B")
}

/// `1 line`, `2 lines`.
pub(super) fn counted(count: usize, one: &str) -> String {
    let many = match one.strip_suffix("ch") {
        Some(_) => "es",
        None => "s",
    };
    if count == 1 { format!("1 {one}") } else { format!("{count} {one}{many}") }
}

/// At most `most` characters of a line; says how many are missing.
pub(super) fn shorten(line: &str, most: usize) -> String {
    match line.char_indices().nth(most).and_then(|(at, _)| line.split_at_checked(at)) {
        None => line.to_owned(),
        Some((head, rest)) => format!("{head}… ({} more characters)", rest.chars().count()),
    }
}

/// In words: "exit code 2", "ended by signal 9 (SIGKILL)".
pub(in crate::runtime) fn describe(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt as _;
    let named = |signal: i32| signal_name(signal).map_or(String::new(), |name| format!(" ({name})"));
    match (status.code(), status.signal()) {
        (Some(code), _) if code > 128 && signal_name(code - 128).is_some() => {
            let signal = code - 128;
            format!("exit code {code}: as after signal {signal}{}", named(signal))
        }
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("ended by signal {signal}{}", named(signal)),
        (None, None) => status.to_string(),
    }
}

/// Those with one number everywhere.
fn signal_name(signal: i32) -> Option<&'static str> {
    Some(match signal {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        6 => "SIGABRT",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        _ => return None,
    })
}
