//! Whether words name anything: a goal whose every word would fit any goal has no end that could be checked.

/// Words that say nothing about what is to be achieved.
const EMPTY: [&str; 96] = [
    "a",
    "about",
    "all",
    "also",
    "an",
    "and",
    "any",
    "anything",
    "app",
    "application",
    "are",
    "around",
    "as",
    "at",
    "be",
    "been",
    "best",
    "better",
    "big",
    "bit",
    "can",
    "code",
    "codebase",
    "could",
    "do",
    "does",
    "done",
    "enhance",
    "enhanced",
    "enhancement",
    "enhancements",
    "everything",
    "everywhere",
    "few",
    "for",
    "general",
    "generally",
    "good",
    "great",
    "has",
    "have",
    "here",
    "i",
    "improve",
    "improved",
    "improvement",
    "improvements",
    "improving",
    "in",
    "is",
    "it",
    "its",
    "lot",
    "lots",
    "many",
    "misc",
    "miscellaneous",
    "more",
    "much",
    "my",
    "nice",
    "nicer",
    "now",
    "of",
    "on",
    "optimal",
    "or",
    "other",
    "our",
    "overall",
    "perfect",
    "please",
    "polish",
    "possible",
    "program",
    "project",
    "quality",
    "repo",
    "repository",
    "several",
    "software",
    "some",
    "stuff",
    "system",
    "that",
    "the",
    "there",
    "thing",
    "things",
    "this",
    "to",
    "various",
    "was",
    "we",
    "with",
    "work",
];

/// Whether no word of `text` says what is meant: "various improvements", "Is everything better?".
pub(super) fn is_vague(text: &str) -> bool {
    let lower = text.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.all(|word| EMPTY.binary_search(&word).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_can_be_searched() {
        assert!(EMPTY.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn what_fits_any_goal_is_vague() {
        for vague in
            ["various improvements", "Improve everything!", "Is everything better?", "improve code quality"]
        {
            assert!(is_vague(vague), "{vague}");
        }
        for clear in ["improve the parser", "make it build", "Is the manual clear?", "fix it", "解析器を直す"]
        {
            assert!(!is_vague(clear), "{clear}");
        }
    }
}
