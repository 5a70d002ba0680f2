//! The inspector: what it knows while it is open, its keys, and the folds behind its pages.

mod keys;
mod page_data;
mod state;
mod tab;
mod what_if;

pub use keys::{InspectorAction, choose, open, turn, update};
pub use page_data::{PageData, PageInputs};
pub use state::Inspector;
pub use tab::{Group, Side, Tab};
