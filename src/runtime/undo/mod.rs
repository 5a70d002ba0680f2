//! What files were before the agent changed them, kept beside the session, so that a turn can be taken back.
//!
//! Before `write` or `edit` changes a file, its content goes into `ID.files/` beside the session's file: one file a
//! content, named by its SHA-256, and a line in `changes` that says which call changes what. Folders have mode 0700,
//! files 0600. The user's git history is never touched.
//!
//! Undoing has two halves. [`plan()`] is pure: from the changes on record and the files as they are now it says what
//! would be restored, what would be deleted, and what is refused because it is not as the agent left it. [`Snapshots::restore`]
//! does that, all of it or nothing, and keeps what it replaces in turn. A restore that a crash cut off is finished by
//! [`Snapshots::finish`]. Both touch only what the books, too, say was changed ([`Agreement`]).
//!
//! `sessions remove` takes the folder along. A fork in the same folder gets the changes of the calls that go along, with what the
//! files were: what is not as a session left it is refused there as everywhere, so that two sessions can know the same change. What commands of `shell` change is not known here, and is not undone.

mod agreement;
mod blobs;
mod carry;
mod difference;
#[cfg(all(test, target_os = "linux"))]
mod failing_tests;
mod files;
mod history;
mod journal;
mod kept;
mod leftovers;
mod plan;
mod record;
mod restore;
mod together;

pub use agreement::Agreement;
pub use difference::FileDifference;
pub use history::difference_of;
pub use kept::Unrecorded;
pub use leftovers::Leftover;
pub use plan::{FileAction, Plan, PlannedChange, Refusal, UndoScope, Why, plan};
pub use record::{Change, Content, Hash};
pub use restore::{Finished, Restored, Snapshots};
pub use together::NewContent;
