//! The words that a request to the rehearsal is made of: verbs, and courtesies.

/// Words around a wish that change nothing of it.
pub(super) const POLITE: &[&str] = &[
    "please", "can", "could", "would", "will", "you", "now", "first", "also", "just", "let's", "finally",
    "next",
];

/// Whether a request begins with this word.
pub(super) fn is_verb(word: &str) -> bool {
    verb(word).is_some()
}

/// What a request begins with.
#[derive(Clone, Copy)]
pub(super) enum RehearsedVerb {
    Read,
    List,
    Search,
    Run,
    Change,
    Write,
}

/// The verbs and their other names.
pub(super) fn verb(word: &str) -> Option<RehearsedVerb> {
    Some(match word.to_lowercase().as_str() {
        "read" | "open" | "show" | "view" => RehearsedVerb::Read,
        "list" | "ls" => RehearsedVerb::List,
        "search" | "find" | "grep" => RehearsedVerb::Search,
        "run" | "execute" => RehearsedVerb::Run,
        "change" | "replace" => RehearsedVerb::Change,
        "write" | "create" => RehearsedVerb::Write,
        _ => return None,
    })
}
