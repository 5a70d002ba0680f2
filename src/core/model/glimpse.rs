//! What can be told of the arguments of a call while a model still writes them.

use crate::ledger::Arguments;

/// Bytes of arguments in which the path is looked for.
const PATH_WITHIN: usize = 4_096;

/// What is known so far. Costs per piece what the piece costs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Glimpse {
    /// Line breaks in the texts so far.
    pub breaks: u64,
    /// The value of `path`, once it is whole; only where it is the first member.
    pub path: Option<String>,
    /// The last character was a backslash that escapes the next one.
    is_escaped: bool,
}

impl Glimpse {
    /// What can be told of arguments that ended here.
    pub fn of(arguments: &str) -> Self {
        let mut glimpse = Self::default();
        glimpse.take(arguments, arguments);
        glimpse
    }

    /// Takes in a piece, which is already the end of `all`.
    pub(super) fn take(&mut self, piece: &str, all: &str) {
        for byte in piece.bytes() {
            self.breaks += u64::from(self.is_escaped && byte == b'n');
            self.is_escaped = !self.is_escaped && byte == b'\\';
        }
        if self.path.is_none() && all.len() - piece.len() < PATH_WITHIN {
            self.path = path(all);
        }
    }
}

/// The value of the first member, if that is `path` and its text has ended.
fn path(arguments: &str) -> Option<String> {
    let rest = arguments.trim_start().strip_prefix('{')?.trim_start().strip_prefix("\"path\"")?;
    let text = rest.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
    let mut is_escaped = false;
    let end = text.bytes().position(|byte| {
        let ends = !is_escaped && byte == b'"';
        is_escaped = !is_escaped && byte == b'\\';
        ends
    })?;
    let whole = Arguments::parse(&format!("{{\"path\":\"{}\"}}", text.get(..end)?));
    whole.text("path").map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn glimpse(pieces: &[&str]) -> Glimpse {
        let (mut found, mut all) = (Glimpse::default(), String::new());
        for piece in pieces {
            all.push_str(piece);
            found.take(piece, &all);
        }
        found
    }

    #[test]
    fn lines_and_the_path_are_the_same_however_the_stream_is_cut() {
        let whole = r#"{"path": "src/a\"é.rs", "content": "one\ntwo\\n\\\nthree"}"#;
        let expected = glimpse(&[whole]);
        assert_eq!((expected.breaks, expected.path.as_deref()), (2, Some("src/a\"é.rs")));
        for (at, _) in whole.char_indices() {
            let (before, after) = whole.split_at(at);
            let found = glimpse(&[before, after]);
            assert_eq!((found.breaks, &found.path), (2, &expected.path), "cut at {at}");
        }
    }

    #[test]
    fn a_path_is_told_only_when_it_is_whole_and_comes_first() {
        for (arguments, path) in [
            (r#"{"path":"src/a"#, None),
            (r#"{"path":"src/a""#, Some("src/a")),
            (r#" { "path" : "a" , "#, Some("a")),
            (r#"{"content":"x","path":"a"}"#, None),
            (r#"{"path":7}"#, None),
            ("nothing", None),
            ("", None),
        ] {
            assert_eq!(glimpse(&[arguments]).path.as_deref(), path, "{arguments}");
        }
        let long = "é".repeat(PATH_WITHIN);
        assert_eq!(glimpse(&["{\"path\":\"", &long, "\"}"]).path, None, "it is not looked for any more");
    }
}
