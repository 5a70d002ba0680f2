//! `session/update`: what happens in a session, in the kinds of the protocol, a file each.

pub(super) mod available_commands;
pub(super) mod config_option;
pub(super) mod message;
pub(super) mod mode;
pub(super) mod notice;
pub(super) mod plan;
pub(super) mod price;
pub(super) mod session_info;
mod texts;
pub(super) mod tool_call;
pub(super) mod unified_diff;
pub(super) mod usage;
