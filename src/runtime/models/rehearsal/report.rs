//! What the results said, in a few true words.

use crate::ledger::{Decider, Outcome, Reach};
use crate::tool::name::{EDIT, LIST, READ, SEARCH, SHELL, WRITE};

use super::round::{CompletedCall, Round};
use super::words::{code, counted, plain};

/// Lines of output that a report repeats.
const SHOWN_LINES: usize = 6;
/// Names of a folder that a report repeats.
const SHOWN_NAMES: usize = 8;

/// What each call came to, and what to do next if one went wrong.
pub(super) fn report(rounds: &[Round]) -> String {
    let advice = rounds.iter().flatten().find(|call| !call.is_ok()).map(advice);
    match advice {
        None => account(rounds),
        Some(advice) => format!("{}\n\n{advice}", account(rounds)),
    }
}

/// One paragraph for each call.
pub(super) fn account(rounds: &[Round]) -> String {
    let parts: Vec<String> = rounds.iter().flatten().map(outcome).collect();
    if parts.is_empty() { "There is nothing to report.".to_owned() } else { parts.join("\n\n") }
}

/// One call.
fn outcome(call: &CompletedCall) -> String {
    let what = deed(call);
    let told = || fenced(&call.result.content, SHOWN_LINES);
    match &call.result.outcome {
        Outcome::Ok => success(call),
        Outcome::Denied(by) => {
            let who = match by {
                Decider::User => "You declined",
                Decider::Policy | Decider::Nobody => "Nobody allowed",
                Decider::Hook => "A hook refused",
            };
            format!("{who} {what}, so it was not started. I was told:\n\n{}", quoted(&call.result.content))
        }
        Outcome::Failed => format!("{} failed:\n\n{}", capital(&what), told()),
        Outcome::Invalid | Outcome::UnknownTool => {
            format!("{} was not run, the call was refused:\n\n{}", capital(&what), told())
        }
        Outcome::TimedOut => format!("{} took too long and was stopped:\n\n{}", capital(&what), told()),
        Outcome::Aborted(abort) if abort.ran_ms.is_none() => {
            format!("{} was interrupted before it started.", capital(&what))
        }
        Outcome::Aborted(abort) if abort.reach() < Reach::CutShort => {
            format!("{} was interrupted; {}.", capital(&what), abort.reach().words())
        }
        Outcome::Aborted(_) => {
            format!("{} was interrupted while it ran; its effects may be partial.", capital(&what))
        }
        Outcome::Lost { started: false } => {
            format!("{} was never started: the program ended first.", capital(&what))
        }
        Outcome::Lost { started: true } => {
            format!("The outcome of {what} is unknown; its effects may be partial.")
        }
    }
}

fn advice(call: &CompletedCall) -> &'static str {
    match &call.result.outcome {
        Outcome::Ok => "",
        Outcome::Denied(Decider::User) => "Tell me what you would like instead.",
        Outcome::Denied(Decider::Policy | Decider::Hook | Decider::Nobody) => {
            "If you want it, allow it with a rule or another mode, and ask again."
        }
        Outcome::Failed if call.name == SHELL => "Its output may say why; change the command and ask again.",
        Outcome::Failed | Outcome::Invalid | Outcome::UnknownTool => {
            "Check the names and ask again; `list` shows what is here."
        }
        Outcome::TimedOut | Outcome::Aborted(_) | Outcome::Lost { .. } => {
            "Please check what was done before you ask for it again."
        }
    }
}

fn success(call: &CompletedCall) -> String {
    let content = call.result.content.trim_end();
    let first = content.lines().next().unwrap_or_default();
    let path = code(call.arguments.text("path").unwrap_or("."));
    match call.name.as_str() {
        READ => read(&path, content),
        LIST => list(first, content),
        SEARCH => {
            let found: Vec<&str> = content.lines().skip(1).collect();
            if found.is_empty() {
                return format!("The search found {}.", plain(first));
            }
            format!("The search found {}:\n\n{}", plain(first), head(&found))
        }
        SHELL => {
            let command = code(call.arguments.text("command").unwrap_or_default());
            format!("{command} succeeded. Its output:\n\n{}", fenced(content, SHOWN_LINES))
        }
        EDIT | WRITE => format!("Done: {}.", plain(first)),
        other => format!("{} answered:\n\n{}", code(other), fenced(content, SHOWN_LINES)),
    }
}

/// `README.md`: 12 lines. It begins: …
fn read(path: &str, content: &str) -> String {
    let lines: Vec<&str> = content.lines().collect();
    let size = match lines.last().and_then(|last| last.strip_prefix('(')?.strip_suffix(')')) {
        Some(said) => plain(said),
        None => counted(lines.len(), "line"),
    };
    let begins = lines.iter().map(|line| without_number(line)).find(|line| !line.is_empty());
    match begins {
        Some(begins) if lines.len() > 1 => format!("I read {path}: {size}. It begins with {}.", code(begins)),
        _ => format!("I read {path}: {}.", plain(content)),
    }
}

/// A line without the number that `read` puts before it.
fn without_number(line: &str) -> &str {
    match line.split_once('\t') {
        Some((number, rest)) if number.trim().chars().all(|c| c.is_ascii_digit()) => rest.trim(),
        _ => line.trim(),
    }
}

/// `src` has 2 entries: …
fn list(first: &str, content: &str) -> String {
    let size = match first.split_once(": ") {
        Some((".", count)) => format!("This folder has {}", plain(count)),
        Some((folder, count)) => format!("{} has {}", code(folder), plain(count)),
        None => format!("The answer was {}", code(first)),
    };
    let names = names(content);
    if names.is_empty() {
        return format!("{size}.");
    }
    let shown: Vec<String> = names.iter().take(SHOWN_NAMES).map(|name| code(name)).collect();
    let more = if names.len() > SHOWN_NAMES { " and more" } else { "" };
    format!("{size}: {}{more}.", shown.join(", "))
}

/// The names in an answer of `list`: one a line after the first, its size behind two spaces.
pub(super) fn names(content: &str) -> Vec<&str> {
    content
        .lines()
        .skip(1)
        .filter(|line| !line.starts_with(['…', '(']))
        .map(|line| line.split_once("  ").map_or(line, |(name, _)| name).trim())
        .filter(|name| !name.is_empty())
        .collect()
}

/// What a call was about: "reading `a.rs`".
fn deed(call: &CompletedCall) -> String {
    let argument = |name: &str| code(call.arguments.text(name).unwrap_or("this folder"));
    match call.name.as_str() {
        READ => format!("reading {}", argument("path")),
        LIST => format!("listing {}", argument("path")),
        SEARCH => format!("searching for {}", argument("pattern")),
        SHELL => format!("running {}", argument("command")),
        EDIT => format!("changing {}", argument("path")),
        WRITE => format!("writing {}", argument("path")),
        other => format!("calling {}", code(other)),
    }
}

fn capital(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or(String::new(), |first| first.to_uppercase().chain(characters).collect())
}

/// The first line, as a quotation.
fn quoted(content: &str) -> String {
    format!("> {}", content.trim().lines().next().unwrap_or_default())
}

/// The first of these lines, as a block.
fn head(lines: &[&str]) -> String {
    let mut text = lines.iter().take(SHOWN_LINES).copied().collect::<Vec<_>>().join("\n");
    if lines.len() > SHOWN_LINES {
        text.push_str("\n…");
    }
    fenced(&text, SHOWN_LINES + 1)
}

/// The end of an output, where the news is, as a block that no content can close.
fn fenced(content: &str, most: usize) -> String {
    let lines: Vec<&str> = content.trim_end().lines().collect();
    let left_out = lines.len().saturating_sub(most);
    let mut shown: Vec<&str> = lines.into_iter().skip(left_out).collect();
    if left_out > 0 {
        shown.insert(0, "…");
    }
    let text = shown.join("\n");
    let fence = if text.contains("```") { "~~~~~~" } else { "```" };
    format!("{fence}text\n{text}\n{fence}")
}
