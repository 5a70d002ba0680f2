//! The inspector: the books as pages that are drawn from what the window shows of them.

mod approvals;
mod branches;
mod detail;
mod frame;
mod plots;
mod sees;
mod table;
mod timeline;
mod words;

pub(super) use frame::{draw, line_at, tab_at};
