//! The words of the rehearsal: who it is, what it understands, how to leave it for a real model.

use super::request::RehearsedAction;

/// A long answer, for a look at the screen and for a try of Esc.
pub(super) const EXPLANATION: &str = include_str!("../../../../assets/rehearsal/explain.md");

const UNDERSTOOD: &str = include_str!("../../../../assets/rehearsal/understood.md");
const CONNECT: &str = include_str!("../../../../assets/rehearsal/connect.md");

/// Who it is and what it understands.
pub(super) fn help() -> String {
    format!(
        "Hello. I am the **rehearsal**: a small model inside this program that needs no key and no network. I \
         follow a few set phrases, and everything that comes of them is real: the tools, your files, your \
         approvals, the ledger.\n\n{}\n\n{}",
        UNDERSTOOD.trim_end(),
        CONNECT.trim_end()
    )
}

/// The same for words that it does not know.
pub(super) fn not_understood(words: &str) -> String {
    format!(
        "I am only the **rehearsal**, a small model inside this program, and {} is more than I can follow, so I \
         did nothing. A real model takes what you want in your own words.\n\n{}\n\n{}",
        code(words),
        UNDERSTOOD.trim_end(),
        CONNECT.trim_end()
    )
}

/// How to connect a real model.
pub(super) fn connect() -> &'static str {
    CONNECT.trim_end()
}

/// "read `a.rs` and list `src`".
pub(super) fn plan(actions: &[RehearsedAction]) -> String {
    let mut parts: Vec<String> = actions.iter().map(intent).collect();
    match parts.pop() {
        None => "do nothing".to_owned(),
        Some(last) if parts.is_empty() => last,
        Some(last) => format!("{} and {last}", parts.join(", ")),
    }
}

fn intent(action: &RehearsedAction) -> String {
    match action {
        RehearsedAction::Read { path } => format!("read {}", code(path)),
        RehearsedAction::List { path: None } => "list this folder".to_owned(),
        RehearsedAction::List { path: Some(path) } => format!("list {}", code(path)),
        RehearsedAction::Search { text, path: None } => format!("search for {}", code(text)),
        RehearsedAction::Search { text, path: Some(path) } => {
            format!("search for {} in {}", code(text), code(path))
        }
        RehearsedAction::Run { command } => format!("run {}", code(command)),
        RehearsedAction::Change { from, to, path } => {
            format!("change {} to {} in {}", code(from), code(to), code(path))
        }
        RehearsedAction::Write { path, .. } => format!("write {}", code(path)),
    }
}

/// A text as inline code: one line, at most 60 characters, whatever is in it.
pub(super) fn code(text: &str) -> String {
    let short = plain(text);
    if short.contains('`') { format!("`` {short} ``") } else { format!("`{short}`") }
}

/// The first line of a text, at most 60 characters of it.
pub(super) fn plain(text: &str) -> String {
    const MOST: usize = 60;
    let line = text.trim().lines().next().unwrap_or_default();
    let short: String = line.chars().take(MOST).collect();
    if short.len() < text.trim().len() { format!("{}…", short.trim_end()) } else { short }
}

/// "1 line", "2 lines".
pub(super) fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
