//! Which folders are trusted, each for exactly the contents that a person was shown.

mod book;
mod content;

pub(super) use book::Book;
pub(super) use content::{CONFIG, Content, SHARED_SERVERS};
