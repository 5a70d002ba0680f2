//! Parses, runs, exits.

use std::process::ExitCode;

fn main() -> ExitCode {
    countersign::cli::main()
}
