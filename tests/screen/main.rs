//! What the screen shows and what keys do, without a terminal: frames drawn into memory, acts that keys come to, lines of words.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    missing_docs,
    unreachable_pub,
    reason = "tests"
)]

#[path = "../support/legacy_facts.rs"]
mod legacy_facts;
#[path = "../support/linear_harness.rs"]
mod linear_harness;
#[path = "../support/mouse.rs"]
mod mouse;
#[path = "../support/pictures.rs"]
mod pictures;
#[path = "../support/scenes.rs"]
mod scenes;
#[path = "../support/screen_harness.rs"]
mod screen_harness;
#[path = "../support/session_builder.rs"]
mod session_builder;

mod activity;
mod always;
mod answering;
mod anyway;
mod asked_below;
mod asking;
mod best_match;
mod blocked_hosts;
mod branching;
mod called_back;
mod changed;
mod colours;
mod coming_back;
mod completing;
mod composing;
mod configured_hosts;
mod delegating;
mod deliberate;
mod editing;
mod ended_elsewhere;
mod failing;
mod finding;
mod fleet;
mod footing;
mod gallery;
mod generated;
mod going_back;
mod graphics;
mod image_chips;
mod inspector;
mod keeping;
mod keys;
mod linear;
mod linear_below;
mod linear_sending;
mod linear_words;
mod long;
mod long_rules;
mod low;
mod marks;
mod mentioning;
mod named;
mod opened;
mod own_commands;
mod pasted_chips;
mod pasted_commands;
mod pasting;
mod permissions;
mod picking;
mod plan;
mod pointer;
mod reading;
mod replacing;
mod replaying;
mod replying;
mod revoking;
mod risk;
mod screens;
mod sending;
mod shells;
mod shown;
mod spending;
mod spoken;
mod subagent_boxes;
mod subagents;
mod text;
mod text_markdown;
mod text_stream;
mod typing;
mod unicode;
mod unseen;
mod waited;
