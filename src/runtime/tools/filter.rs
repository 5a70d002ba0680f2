//! File globs, the same in `glob` and `search`.

use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};

/// Most bytes of a glob: braces inside each other are read by functions inside each other.
const MOST_BYTES: usize = 1_000;
/// Most braces inside each other: the library breaks down over some hundreds.
const MOST_BRACES: usize = 20;

/// `*.rs` is matched against names, `src/**/*.rs` against paths, `!` in front turns it round.
pub(super) struct Filter {
    glob: GlobMatcher,
    by_path: bool,
    wants: bool,
}

impl Filter {
    /// A filter as models write it.
    ///
    /// # Errors
    /// A sentence: it is no glob.
    pub(super) fn new(text: &str) -> Result<Self, String> {
        if text.len() > MOST_BYTES {
            return Err(format!(
                "a glob can have at most {MOST_BYTES} bytes; use a shorter one, or several calls"
            ));
        }
        if depth(text) > MOST_BRACES {
            return Err(format!("a glob can have at most {MOST_BRACES} nested braces"));
        }
        let (pattern, wants) = text.strip_prefix('!').map_or((text, true), |rest| (rest, false));
        let pattern = pattern.strip_prefix("./").unwrap_or(pattern).trim_start_matches('/');
        // A folder stands for all that is in it.
        let pattern = if pattern.ends_with('/') { format!("{pattern}**") } else { pattern.to_owned() };
        let glob = GlobBuilder::new(&pattern).literal_separator(true).build().map_err(|fault| {
            format!("`{text}` is not a valid glob: {fault}; write it as in `*.rs` or `src/**/*.rs`")
        })?;
        Ok(Self { glob: glob.compile_matcher(), by_path: pattern.contains('/'), wants })
    }

    /// Whether it says what is wanted, rather than what is not.
    pub(super) fn is_positive(&self) -> bool {
        self.wants
    }

    /// Whether this path, seen from `base`, fits.
    pub(super) fn takes(&self, base: &Path, path: &Path) -> bool {
        let path = match (self.by_path, path.strip_prefix(base)) {
            (true, Ok(rest)) => rest,
            (true, Err(_)) => path,
            (false, _) => Path::new(path.file_name().unwrap_or_default()),
        };
        self.glob.is_match(path) == self.wants
    }
}

/// How many braces stand inside each other at most.
fn depth(glob: &str) -> usize {
    let (mut open, mut most) = (0_usize, 0);
    for c in glob.chars() {
        match c {
            '{' => open += 1,
            '}' => open = open.saturating_sub(1),
            _ => {}
        }
        most = most.max(open);
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_without_an_end_are_refused_and_many_are_no_work() {
        assert!(Filter::new(&"{".repeat(100_000)).is_err());
        assert!(Filter::new(&format!("{}a{}", "{".repeat(50_000), "}".repeat(50_000))).is_err());
        assert!(Filter::new(&format!("{}a{}", "{".repeat(499), "}".repeat(499))).is_err());
        assert!(Filter::new(&format!("{}a{}", "{".repeat(20), "}".repeat(20))).is_ok());
        let many = Filter::new(&"{a,b}".repeat(150)).unwrap();
        assert!(many.takes(Path::new("/"), Path::new(&format!("/{}", "ab".repeat(75)))));
    }
}
