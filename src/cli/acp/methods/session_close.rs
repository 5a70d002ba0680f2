//! `session/close`: a session ends here and can be loaded again. What runs is stopped; a call that waits for a decision waits on.

/// The method.
pub(in crate::cli::acp) const METHOD: &str = "session/close";
