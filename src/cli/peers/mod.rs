//! External services (MCP servers, agents) on the command line: what is alike in listing and trying them.

mod list;
mod tried;

pub(super) use list::list;
pub(super) use tried::{conversed, told};
