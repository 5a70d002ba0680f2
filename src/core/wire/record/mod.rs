//! The durable events of the design as JSON: the lines of a session file and of `exec --json`, apart from the
//! domain types.

mod attached;
mod audit;
mod canonical;
mod chain;
mod chain_fault;
mod change;
mod contradictions;
mod copy;
mod decode;
mod derived;
mod encode;
mod escrow;
mod fault;
mod fields;
mod file;
mod glance;
mod goal;
mod hashed_line;
mod image;
mod known_members;
mod lacking;
mod left_out;
mod legacy;
mod lesson;
mod line;
mod links;
mod members;
mod message;
mod note;
mod other_program;
mod outline;
mod read_line;
mod redact;
mod result;
mod seals;
mod short;
mod sound_file;
mod spent;
mod time;

pub use audit::{Audit, LineFault, audit, audit_entries, audit_lines, audit_read, audit_with, contradiction};
pub use chain::{Chain, Salt};
pub use chain_fault::ChainFault;
pub use copy::{Copy, Keeps, TakenBack, before, durable_lines, exported_lines, plain_lines, up_to};
pub use decode::decode;
pub use encode::{encode, without_images};
pub use fault::RecordError;
pub use file::{
    FirstLine, SessionFile, Skipped, TornTail, first_line, read_document, read_lines, read_session,
};
pub use glance::{Glance, call_in_words, glance};
pub use lacking::lacks_contents;
pub use line::line;
pub use links::{Links, follow, lines_are_missing};
pub use outline::Outline;
pub use read_line::{ReadLine, lines};
pub use redact::{ContentField, Redacted, without};
pub use seals::{Seal, seals};
pub use short::short_form;
pub use sound_file::sound_file;
pub use spent::{SpentLine, SpentWhat, imported_from, inherited_to};
pub(super) use time::from_value as read_moment;
pub use time::to_value as moment;
