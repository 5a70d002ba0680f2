//! Pages that a command opens: each is one file that both front ends show, drawn on the screen and spoken in lines.

pub(super) mod budgets;
pub(super) mod fleet;
pub(super) mod help;
mod page;
pub(super) mod permissions;
pub(super) mod plan;
pub(super) mod report;
pub(super) mod shells;
pub(super) mod usage;

pub use page::{OpenPage, Page, PageEntry, PageFrame, Spoken};
