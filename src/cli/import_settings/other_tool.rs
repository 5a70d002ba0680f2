//! The tools whose settings can be taken over.

use clap::ValueEnum;

/// Another tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OtherTool {
    /// Claude Code
    Claude,
    /// Codex
    Codex,
    /// opencode
    Opencode,
}
