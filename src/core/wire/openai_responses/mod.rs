//! OpenAI Responses, without state on the server: the whole history goes along, sealed reasoning included.

mod decode;
mod encode;
mod history;
mod hosted;
mod item;
mod items;
mod usage;

pub(super) use decode::ResponsesReader;
pub(super) use encode::encode;
pub(super) use hosted::HOSTED_TOOLS;
