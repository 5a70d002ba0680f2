//! Process groups: whatever a command starts ends with it, what escaped from its group too.

mod family;
mod group;
mod ourselves;
mod private;
mod register;
mod stray;

pub(crate) use group::{GRACE, Group};
pub use ourselves::keep_to_ourselves;
pub use register::Groups;
