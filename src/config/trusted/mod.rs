//! Which folders are trusted, each for exactly the contents that a person was shown.

mod book;
mod content;

pub(crate) use book::Book;
pub(crate) use content::{CONFIG, Content, SHARED_SERVERS, skills_of_user};
