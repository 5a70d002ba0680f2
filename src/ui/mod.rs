//! The screen.

/// What each role looks like.
pub mod theme;

/// Untrusted text made safe, measured, wrapped and styled.
pub mod text;
