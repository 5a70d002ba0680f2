//! Bounded output: the head, the tail, and how much was cut between them.

/// Text within its bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bounded {
    /// What is left, with a line that says what was cut.
    pub text: String,
    /// Characters cut.
    pub cut_chars: u64,
}

/// Cuts `text` to about `max_chars` characters: one third head, two thirds tail (errors stand at the end), a
/// line between them that says how much is missing. Text within the bound is returned unchanged.
pub fn bound(text: &str, max_chars: usize) -> Bounded {
    let total = text.chars().count();
    if total <= max_chars {
        return Bounded { text: text.to_owned(), cut_chars: 0 };
    }
    let head: String = text.chars().take(max_chars / 3).collect();
    let tail: String = text.chars().skip(total - (max_chars - max_chars / 3)).collect();
    let cut = total - max_chars;
    Bounded { text: format!("{head}\n[… {cut} characters cut …]\n{tail}"), cut_chars: cut as u64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_text_is_left_alone_and_long_text_says_what_is_missing() {
        assert_eq!(bound("héllo", 5), Bounded { text: "héllo".into(), cut_chars: 0 });
        let cut = bound(&"é".repeat(30), 9);
        assert_eq!(cut.text, format!("{}\n[… 21 characters cut …]\n{}", "é".repeat(3), "é".repeat(6)));
        assert_eq!(cut.cut_chars, 21);
        assert_eq!(bound("abc", 0).cut_chars, 3);
    }
}
