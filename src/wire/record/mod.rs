//! The durable events of the design as JSON: the lines of a session file and of `exec --json`, apart from the
//! domain types.

mod decode;
mod encode;
mod fault;
mod fields;
mod file;
mod image;
mod line;
mod message;
mod time;

pub use decode::decode;
pub use encode::{encode, without_images};
pub use fault::RecordError;
pub use file::{FirstLine, SessionFile, Skipped, TornTail, first_line, first_user_message, read_session};
pub use line::line;
