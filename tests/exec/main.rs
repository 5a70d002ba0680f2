//! The real binary without a screen: `exec`, from the command line to the session file and the exit code.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stderr,
    clippy::disallowed_methods,
    missing_docs,
    reason = "tests"
)]

#[path = "../support/a2a/mod.rs"]
mod a2a;
#[path = "../support/collector.rs"]
mod collector;
#[path = "../support/forged.rs"]
mod forged;
#[allow(dead_code, reason = "what a request said in its head is looked at by others")]
#[path = "../support/mcp_site.rs"]
mod mcp_site;
#[path = "../support/model_server/mod.rs"]
mod model_server;

#[path = "../support/pictures.rs"]
mod pictures;

mod acp;
mod adoptions;
mod agents;
mod answers;
mod asked_below;
mod attested;
mod backgrounds;
mod bisected;
mod blames;
mod books;
mod brought;
mod caching;
mod chosen_models;
mod commits;
mod confined;
mod crashes;
mod cut_off;
mod denials;
mod doctor;
mod echoes;
mod ended_elsewhere;
mod events;
mod exits;
mod exported;
mod exposure;
mod files;
mod foreign;
mod fulldisk;
mod gemini;
mod goals;
mod hook_changed;
mod hooked;
mod hosted;
mod hostile;
mod images;
mod imported;
mod imported_ids;
mod instructed;
mod kept;
mod kept_as_tests;
mod keys;
mod killed;
mod killed_subagents;
mod left_behind;
mod left_out;
mod locals;
mod long_keys;
mod many;
mod mcp;
mod mentions;
mod newcomers;
mod outputs;
mod own;
mod parting;
mod policies;
mod prompts;
mod race_attacks;
mod race_branches;
mod race_denials;
mod race_folders;
mod race_seeds;
mod races;
mod recorded;
mod refusals;
mod resumed;
mod rules;
mod running;
mod schemas;
mod sealed;
mod servers;
mod sessions;
mod set_clocks;
mod signals;
mod steered;
#[path = "../support/stub_server.rs"]
mod stub_server;
mod subagents;
mod switched;
mod taken_names;
mod traces;
mod trust;
mod unwritten;
mod usage;
mod washed;
mod whatif_lines;
mod whatif_repositories;
mod whatif_rules;
mod whatifs;
mod windows;
mod worktrees;
mod world;
