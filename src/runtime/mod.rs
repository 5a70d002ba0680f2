//! Everything that waits: the driver and what is plugged into it.

pub mod a2a;
mod address;
mod clock;
mod collector;
mod driver;
#[cfg(all(test, target_os = "linux"))]
mod failing;
mod git;
mod hooks;
mod http;
mod line;
pub mod mcp;
mod models;
mod network;
mod operations;
mod outbox;
mod patience;
mod pending_writes;
mod ports;
mod private_file;
mod process;
mod regular;
mod router;
pub mod sandbox;
pub mod signing;
mod spans;
mod staged_name;
mod status_command;
pub mod store;
mod stream_pump;
mod subagents;
mod tools;
pub mod trial;
pub mod undo;
mod untrusted;

pub use clock::Clock;
pub use collector::{Collector, NotSent};
pub use driver::{Driver, DriverError, Handles, Ports};
pub(crate) use git::{changed_files, changed_outside, git, is_commit, left_in_branch};
pub use hooks::{CommandHooks, NoHooks};
pub use http::{HttpModel, Timeouts};
pub use models::{AutoToolMode, Pace, RehearsalModel, ScriptedModel, StringModel};
pub use network::Network;
pub use ports::{HookPort, LateNews, ModelPort, StoreError, StorePort, SubagentPort, ToolPort, Unhurried};
pub use private_file::new_private;
pub(crate) use private_file::{replace_private, staged};
pub use process::{Groups, keep_to_ourselves};
pub use regular::open_regular;
pub use router::ModelRouter;
pub(crate) use staged_name::STAGED;
pub use status_command::UserCommand;
pub use store::{NoStore, SessionStore};
pub use subagents::{AfterEnd, LocalSubagents, MadeSession, MakeRest, MakeSession, NoSubagents};
pub(crate) use subagents::{cut_short, of_ending};
pub(crate) use tools::holds_secret;
pub use tools::{
    AllowedHost, BackgroundOutput, EditorFailure, EditorFiles, FileNames, ListedFile, LocalTools,
    MentionedFile, NotAttached, PastPlaces, Reach, WorkspaceFiles, echo_spec, for_programs, looks_secret,
    names_of, open_named, tool_specs,
};
