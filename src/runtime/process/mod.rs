//! Process groups: whatever a command starts ends with it, what escaped from its group too.

mod group;
mod non_dumpable;
mod orphans;
mod private;
mod process_tree;
mod register;

pub(crate) use group::{GRACE, Group};
pub use non_dumpable::keep_to_ourselves;
pub(crate) use private::private_folder;
pub use register::Groups;
