//! What was typed after `test`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::cli::sessions::args::Pick;
use crate::config::Flags;

const EXAMPLES: &str = "\
Examples:
  countersign test record --last -o tests/fixes-a-bug.jsonl   keep a session as a test
  countersign test run tests/*.jsonl                          play them, without key or network
  countersign test run tests/*.jsonl --junit report.xml       for a CI
  countersign test run tests/*.jsonl --accept                 take what is different now
  countersign test run a.jsonl --live -m anthropic/NAME       ask a model again, and compare decisions

A test plays what people said and decided, what the models answered and what the tools returned through the program as it is
now, with the configuration, rules, hooks and instructions of the current folder. No model is asked and no tool runs; hooks do.";

/// `test`
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub struct TestArgs {
    /// What to do.
    #[command(subcommand)]
    pub verb: TestVerb,
}

/// What can be done with recorded tests.
#[derive(Debug, Clone, Subcommand)]
pub enum TestVerb {
    /// Keep a session as a test: what came from outside, and what the program makes of it now
    Record {
        /// Which.
        #[command(flatten)]
        pick: Pick,
        /// Where to write it; an existing file is not overwritten
        #[arg(short, long, value_name = "FILE")]
        output: PathBuf,
        /// The flags of a run: the mode, limits and rules to play it with.
        #[command(flatten)]
        flags: Box<Flags>,
    },
    /// Play recorded tests, and show what is different; exit code 1 if something is
    Run {
        /// The tests
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Write a report as JUnit XML; a file that is no report is not overwritten
        #[arg(long, value_name = "FILE")]
        junit: Option<PathBuf>,
        /// Write what is different now into the files
        #[arg(long, conflicts_with = "live")]
        accept: bool,
        /// Ask the model that -m names, and compare only the decisions
        #[arg(long, requires = "model")]
        live: bool,
        /// The flags of a run: the mode, limits and rules to play them with.
        #[command(flatten)]
        flags: Box<Flags>,
    },
}
