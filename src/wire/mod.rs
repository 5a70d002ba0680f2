//! Other people's formats, bytes only.

pub mod record;
pub mod script;
