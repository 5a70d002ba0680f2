//! The screen.

/// What each role looks like.
pub mod theme;

/// Untrusted text made safe, measured, wrapped and styled.
pub mod text;

/// Which key does what, and where.
pub mod keymap;

/// A key as people write it.
pub mod chord;

/// The keys as a person has bound them.
pub mod rebinding;

/// Letters as vim takes them.
pub mod vim;

/// What is being typed.
pub mod composer;

/// What only the screen knows: focus, scroll, overlays.
pub mod local;

/// Keys become intents.
pub mod update;

/// What a text that begins with a slash means.
pub mod slash;

mod answers;
mod outcome;
mod outside;
mod overlays;
mod sending;

/// Where each pane stands.
pub mod layout;

/// The panes and how they are drawn.
pub mod panes;

mod terminal;

#[expect(clippy::disallowed_methods, reason = "the one loop of the screen reads the clock")]
mod run;

pub use outcome::{UiError, UiOutcome};
pub use outside::{Call, Takes};
pub use panes::{Screen, draw, prepare};
pub use run::{AppIo, UiSettings, run};
