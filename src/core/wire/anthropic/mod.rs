//! Anthropic Messages, and the servers that speak it.

mod blocks;
mod decode;
mod effort;
mod encode;
mod hosted;

pub(super) use decode::AnthropicReader;
pub(super) use encode::{encode, headers};
pub(super) use hosted::HOSTED_TOOLS;
