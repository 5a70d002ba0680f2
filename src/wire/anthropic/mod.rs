//! Anthropic Messages, and the servers that speak it.

mod blocks;
mod decode;
mod effort;
mod encode;

pub(super) use decode::Reader;
pub(super) use encode::encode;
