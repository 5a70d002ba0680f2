//! What servers and agents of others say and give, made fit to be passed on: words, keys that stand in them, pictures; and
//! the headers that they are sent.

mod address;
mod apart;
mod headers;
mod pictures;
mod secrets;
mod words;

pub(super) use address::shown;
pub(super) use apart::report_apart;
pub(super) use headers::headers;
pub(super) use pictures::Pictures;
pub(super) use secrets::{Secrets, address_and_headers, in_path};
pub(super) use words::{IN_A_SENTENCE, cause, one_line, plain, read};
