//! What is pure: the loop, what a model is shown, the formats, records and the view.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    clippy::string_slice,
    clippy::unwrap_used,
    missing_docs,
    unreachable_pub,
    reason = "tests"
)]

extern crate countersign_core as countersign;

#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../support/adversary.rs"]
mod adversary;
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../support/entries.rs"]
mod entries;
#[path = "../support/facts.rs"]
mod facts;
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../support/legacy_facts.rs"]
mod legacy_facts;
#[path = "../support/pictures.rs"]
mod pictures;
#[path = "../support/scenes.rs"]
mod scenes;
#[path = "../support/session_builder.rs"]
mod session_builder;
#[path = "../support/wire/mod.rs"]
mod support;

mod again;
mod asides;
mod asking;
mod bounds;
mod chain;
mod choosing;
mod compaction;
mod compatible;
mod contradictions;
mod cut_off;
mod escrows;
mod forged_contents;
mod forged_copies;
mod forged_ends;
mod forked_calls;
mod glances;
mod hidden_contents;
mod history;
mod images;
mod ledger;
mod not_started;
mod one_of_all;
mod receipts;
mod records;
mod repeats;
mod requests;
mod reserves;
mod seeds;
mod sharing;
mod sound_files;
mod summaries;
mod told_once;
mod traces;
mod unanswered;
mod unheard;
mod view;
mod view_run;
mod wire;
