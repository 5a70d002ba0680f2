//! OpenAI Chat Completions, and the many servers that speak it, each a little differently.

mod calls;
mod decode;
mod details;
mod encode;
mod extras;
mod order;
mod quick;
mod reasoning;
mod think;
mod usage;

pub(super) use decode::ChatReader;
pub(super) use encode::encode;
