//! Process groups: whatever a command starts ends with it.

mod group;
mod register;

pub(crate) use group::{GRACE, Group};
pub use register::Groups;
