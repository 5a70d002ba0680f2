//! `session/resume`: as `session/load`, without telling again what happened.

/// The method.
pub(in crate::cli::acp) const METHOD: &str = "session/resume";
