//! Which folders are trusted, each for exactly the contents that a person was shown.

mod book;
mod content;
mod places;

pub(crate) use book::Book;
pub(crate) use content::{CONFIG, Content, SHARED_SERVERS};
pub(crate) use places::{agents_of_user, called_name, command_name, commands_of_user, skills_of_user};
