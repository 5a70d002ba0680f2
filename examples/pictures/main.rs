//! The pictures of the README, made anew: `cargo run --example pictures`.
//!
//! The real program plays a scripted session in a demonstration folder of its own, in a pseudo-terminal. Times and ids
//! of the session are then settled, so that every run draws the same bytes, and the program shows it again: each screen
//! becomes an SVG file in `assets/pictures/`. This process is also the program, when it starts itself.
#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    reason = "a tool for those who work on countersign"
)]

mod app;
mod demo;
mod settle;
mod svg;

use std::path::Path;
use std::process::ExitCode;

/// Set for the process that is the program itself.
const IS_THE_APP: &str = "PICTURES_OF_THE_APP";

fn main() -> ExitCode {
    if std::env::var_os(IS_THE_APP).is_some() {
        return countersign::cli::main();
    }
    let program = app::Program { path: std::env::current_exe().unwrap(), variable: Some(IS_THE_APP) };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/pictures");
    for picture in demo::all(&program) {
        let path = folder.join(picture.name);
        std::fs::write(&path, picture.svg).unwrap();
        println!("{}", path.display());
    }
    ExitCode::SUCCESS
}
