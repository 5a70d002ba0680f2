//! File globs, the same in `glob` and `search`.

use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};

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
