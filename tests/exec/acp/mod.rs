//! `acp`: an editor at the other end of two pipes. Everything that it is sent is parsed with the types of the protocol's authors.

mod bad_input;
mod buffers;
mod cancels;
mod client;
mod earlier;
mod kept_rules;
mod permissions;
mod priced;
mod prompts;
mod servers;
mod settings;
mod subagents;
mod unwritable;
