//! Untrusted text on its way to the screen: made safe, measured, cut, wrapped and styled.

/// A bounded store of what was worked out once.
pub mod cache;

/// Unified diffs, coloured and numbered.
pub mod diff;

/// Code in colour, worked out beside the screen.
pub mod highlight;

/// Markdown as styled lines.
pub mod markdown;

/// Plain text in pieces.
pub mod plain;

/// What a piece of a line is beside how it looks.
pub mod tag;

mod address;
mod code;
mod line_end;
mod measure;
mod sanitize;
mod spelled_command;
mod wrap;

pub use crate::ledger::grouped;
pub use address::address;
use address::addresses_in;
pub(in crate::ui) use code::with_code;
pub(in crate::ui) use line_end::told_end;
pub use measure::{MEASURE, counted, fit, fit_words, whole_words, width};
pub(in crate::ui) use sanitize::TAB_SIGN;
pub use sanitize::sanitize;
pub(in crate::ui) use spelled_command::{command_in_a_row, command_in_words, spelled_command};
pub use wrap::{cut_spans, wrap, wrap_spans};

/// Splits a text at the last character boundary at or before `at`.
pub(in crate::ui) fn split_before(text: &str, at: usize) -> (&str, &str) {
    let at = (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
    text.split_at_checked(at).unwrap_or((text, ""))
}
