//! How a server stands, for people who ask.

use crate::tool::ToolSpec;

/// How one server stands.
#[derive(Debug, Clone, PartialEq)]
pub struct McpStanding {
    /// Its name here.
    pub name: String,
    /// What it brings; or why not, a sentence that is safe to be shown.
    pub found: Result<McpFound, String>,
}

/// What a server said of itself, safe to be shown.
#[derive(Debug, Clone, PartialEq)]
pub struct McpFound {
    /// What it calls itself.
    pub title: String,
    /// Its version, in its own words.
    pub version: String,
    /// The version of the protocol that is spoken with it.
    pub protocol: String,
    /// Its tools, as the model gets them.
    pub tools: Vec<ToolSpec>,
    /// Tools that it has and that are not there, and why: a sentence each.
    pub left_out: Vec<String>,
}
