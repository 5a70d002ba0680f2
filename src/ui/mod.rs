//! The screen.

/// What each role looks like.
pub mod theme;

/// Pictures, where the terminal can show them.
pub mod graphics;

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

/// Where the window on the transcript is.
pub mod scroll;

/// How keys arrive: one by one, held down, or in a burst.
pub mod rhythm;

/// What stands on the screen to be decided, and since when.
pub mod stand;

/// What the mouse has done so far.
pub mod selection;

/// Clicks, drags and the wheel.
pub mod pointer;

/// The inspector: its state, its keys, what its pages are made of.
pub mod inspector;

/// Keys become intents.
pub mod update;

/// What is said when the session's file is shut.
pub mod shut;

/// The slash commands.
pub mod commands;

/// The pages that they open.
pub mod pages;

/// Typing into the terminal of a running command.
pub mod typing;

/// Keys as an xterm sends them.
pub mod xterm;

/// Fuzzy matching.
pub mod fuzzy;

/// What is picked from.
pub mod source;

/// One of many, narrowed by typing.
pub mod picker;

/// Search in the transcript.
pub mod search;

/// What the screen asks of whoever runs it.
pub mod errands;

/// What an undo would do.
pub mod offer;

mod request;

/// What the session answers.
pub mod replies;

mod outcome;
mod picking;

/// The terminal's clipboard.
pub mod clipboard;

/// A model that was chosen and does not answer yet.
pub mod coming;

/// What keys ask of the world.
pub mod act;
mod always;

mod answering;
mod answers;
mod copying;
mod deciding;
mod editing;
mod focusing;
mod obeying;
mod outside;
mod overlays;
mod reading;
mod replaying;
mod sending;
mod settings;
mod taking;

/// Where each pane stands.
pub mod layout;

/// The same without a screen: lines of words, for a screen reader, a log or a terminal that cannot move its cursor.
pub mod linear;

/// The panes and how they are drawn.
pub mod panes;

mod pace;
mod terminal;

#[expect(clippy::disallowed_methods, reason = "the screen's event loop reads the clock")]
mod run;

pub use outcome::{UiError, UiOutcome};
pub use outside::{Call, Takes};
pub use panes::{Screen, draw, prepare};
pub use replaying::Replay;
pub use request::{EarlierSession, Reply, Request};
pub use run::linear::listen;
pub use run::run;
pub use settings::{AppIo, Now, UiSettings};
