//! What tells one painted block from another.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use crate::ui::theme::Theme;

/// What a painted block is kept under.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PaintKey {
    language: String,
    hash: u64,
    length: usize,
    theme: String,
}

impl PaintKey {
    pub(super) fn new(language: &str, code: &str, theme: &Theme) -> Self {
        let mut hasher = DefaultHasher::new();
        code.hash(&mut hasher);
        Self {
            language: language.to_owned(),
            hash: hasher.finish(),
            length: code.len(),
            theme: theme.name.clone(),
        }
    }
}
