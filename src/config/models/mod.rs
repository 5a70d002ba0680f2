//! Models: which one answers, what is known about it, how it is reached.

mod choices;
mod choose;
mod found;
mod keys;
mod list;
mod local;
mod presets;
mod price;
mod provider;
mod survey;
mod table;
mod usable;

pub(crate) use choices::{choices, dollars, listed_by, unusable};
pub use choose::{Choice, Transport, choose, reach, unasked};
pub(crate) use list::list_known;
pub use list::{Listed, State, list};
pub(crate) use presets::key_variables;
pub(crate) use provider::is_built_in;
pub(crate) use survey::{Key, Surveyed, connection_of, keys_file, servers_here, survey};
pub use table::{Table, resolve};
pub use usable::Usable;

pub use super::connection::{Connection, Protocol, Secret};
