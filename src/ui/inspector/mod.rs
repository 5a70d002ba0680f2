//! The inspector: what it knows while it is open, its keys, and the folds behind its pages.

mod books;
mod keys;
mod state;
mod tab;

pub use books::{Books, Sights};
pub use keys::{InspectorAction, choose, turn, update};
pub use state::Inspector;
pub use tab::{Group, Side, Tab};
