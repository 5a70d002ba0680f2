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

/// A change of a call in the making.
pub mod call_edit;

/// How much of the name of a host has been read.
pub mod host_reading;

/// Which rows of a text have been in sight for long enough.
pub mod in_sight;

/// Where the window on the transcript is.
pub mod scroll;

/// How keys arrive: one by one, held down, or in a burst.
pub mod key_timing;

/// A paste that comes as a burst of keys.
pub mod burst_text;

/// What stands on the screen to be decided, and since when.
pub mod visible_decision;

/// What the mouse has done so far.
pub mod selection;

/// Clicks, drags and the wheel.
pub mod pointer;

/// The inspector: its state, its keys, what its pages are made of.
pub mod inspector;

/// Keys become intents.
pub mod update;

/// What is said when the session's file is shut.
pub mod unwritable;

/// The slash commands.
pub mod commands;

/// The pages that they open.
pub mod pages;

/// What is asked about a session, and the answer.
pub mod report;

/// What sessions have spent, as a table.
pub mod usage_table;

/// The line that a command of the user writes below the composer.
pub mod status_line;

/// Typing into the terminal of a running command.
pub mod program_input;

/// A race, as front ends ask for it.
pub mod race_wish;

/// Keys as an xterm sends them.
pub mod xterm;

/// Fuzzy matching.
pub mod fuzzy;

/// What is picked from.
pub mod picker_source;

/// One of many, narrowed by typing.
pub mod picker;

/// Every action and command, to pick from.
pub mod palette;

/// Search in the transcript.
pub mod search;

/// What the screen asks of whoever runs it.
pub mod host_services;

/// What an undo would do.
pub mod undo_preview;

/// Branches of a session, as front ends ask for them and are told of them.
mod branches;

/// The files that a message can name.
mod file_list;

/// The list of them while an `@` is typed.
mod file_menu;

/// The keys that choose from it.
mod file_menu_keys;

/// How a message names a file.
pub mod mention;

/// What the session answers beside the events of the agent.
mod reply;

/// What is asked of the session.
mod request;

mod rewind_way;
mod rewinding;
mod rule_reading;

/// What is done about what the session answers.
pub mod replies;

mod outcome;
mod picker_keys;

/// The terminal's clipboard.
pub mod clipboard;

/// A model that was chosen and does not answer yet.
pub mod pending_model;

/// What keys ask of the world.
pub mod effect;
pub(crate) mod effect_words;
mod session_rule;

mod approval_keys;
mod blocked_host;
mod chip_text;
mod command_menu;
mod copying;
mod deciding;
mod editing;
mod fleet_picker;
mod focus;
mod gone_images;
mod interrupts;
mod key_actions;
mod new_file;
mod offered_rule;
mod overlays;
mod pasted_words;
mod picker_choice;
mod read_progress;
mod reading_files;
mod recorder;
mod replay_keys;
mod replay_pace;
mod settings;
mod short_hint;
mod submit;
mod terminal_integration;
mod terminal_replies;
mod text_only;
mod unsent;

pub(crate) mod known_names;
/// Where each pane stands.
pub mod layout;

/// The same without a screen: lines of words, for a screen reader, a log or a terminal that cannot move its cursor.
pub mod linear;

/// The panes and how they are drawn.
pub mod panes;

mod frame_pacing;
mod terminal;

#[expect(clippy::disallowed_methods, reason = "the screen's event loop reads the clock")]
mod run;

pub use branches::{BranchRow, BranchStart, BranchWish, Otherwise, SideBySide};
pub use composer::KillBuffer;
pub use file_list::FileList;
pub use interrupts::Interrupts;
pub use outcome::{UiError, UiOutcome};
pub(crate) use panes::words::short as short_number;
pub use panes::{Screen, draw, prepare};
pub use race_wish::RaceWish;
pub use recorder::{Recorder, Recording};
pub use replay_keys::{Replay, ReplayMark};
pub use reply::{EarlierSession, ModelList, PreviewPart, Reply, RuleLines, RulePlan};
pub use request::Request;
pub use run::linear::listen;
pub use run::run;
pub use settings::{AppIo, Now, UiSettings};
pub use terminal_integration::{Call, Takes};
pub use undo_preview::ago;
