//! Untrusted text on its way to the screen: made safe, measured, cut, wrapped and styled.

/// A bounded store of what was worked out once.
pub mod cache;

/// Unified diffs, coloured and numbered.
pub mod diff;

/// Code in colour, worked out beside the screen.
pub mod highlight;

/// Markdown as styled lines.
pub mod markdown;

/// What a piece of a line is beside how it looks.
pub mod tag;

mod address;
mod measure;
mod sanitize;
mod wrap;

pub use address::address;
use address::addresses_in;
pub use measure::{MEASURE, fit, width};
pub use sanitize::sanitize;
pub use wrap::{cut_spans, wrap, wrap_spans};
