//! Golden scenarios: what happens stands above the line, what the ledger says of it below. One file tells one story.
//!
//! `UPDATE=1 cargo test --test scenarios` writes the lower parts anew; a person reads them before they are kept.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    unreachable_pub,
    missing_docs,
    reason = "tests"
)]

mod laws;
mod notation;
mod page;
mod settings;
mod speech;
mod stage;
mod story;

use std::collections::BTreeSet;
use std::path::PathBuf;

use countersign::ledger::{Body, Ending, Transition};

use stage::Stage;
use story::Story;

const FOLDER: &str = "tests/golden/scenarios";
const LINE: &str = "\n---\n";

/// What no story tells: hooks, pauses of a provider and goals are played elsewhere, and three endings wait for their
/// features. A name leaves this list with its first story.
const UNTOLD: &[&str] = &[
    "stop_hook_blocking",
    "provider_pause",
    "goal_check",
    "stop_hook_prevented",
    "policy_denied",
    "blocked_on_user",
    "tool_unavailable",
    "goal_reached",
];

fn stories() -> Vec<(String, String)> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(FOLDER).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    let named = |path: &PathBuf| path.file_stem().unwrap().to_string_lossy().into_owned();
    files.iter().map(|path| (named(path), std::fs::read_to_string(path).unwrap())).collect()
}

/// The story above the line, and what stands below it.
fn halves(text: &str) -> (&str, &str) {
    text.split_once(LINE).unwrap_or((text.trim_end(), ""))
}

fn played(name: &str, told: &str) -> Result<Stage, String> {
    let story = Story::read(told).map_err(|e| format!("{name}: {e}"))?;
    let stage = Stage::play(&story).map_err(|e| format!("{name}: {e}"))?;
    stage.survives_every_cut().map_err(|e| format!("{name}: {e}"))?;
    Ok(stage)
}

#[test]
fn the_ledger_says_what_the_stories_say() {
    let update = std::env::var("UPDATE").is_ok_and(|v| v == "1");
    let mut wrong = Vec::new();
    for (name, text) in stories() {
        let (told, expected) = halves(&text);
        let page = match played(&name, told) {
            Ok(stage) => stage.page.text(),
            Err(broken) => {
                wrong.push(broken);
                continue;
            }
        };
        if update {
            std::fs::write(format!("{FOLDER}/{name}.txt"), format!("{told}{LINE}{page}")).unwrap();
        } else if page != expected {
            wrong.push(format!("{name}: the ledger says otherwise\n{}", difference(expected, &page)));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n\n"));
}

#[test]
fn a_story_played_twice_is_the_same() {
    for (name, text) in stories() {
        let (told, _) = halves(&text);
        let once = played(&name, told).unwrap_or_else(|e| panic!("{e}"));
        let twice = played(&name, told).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(once.log, twice.log, "{name}");
    }
}

/// Every reason to go on and every ending has its story, but for those that are listed as untold.
#[test]
fn every_transition_and_ending_is_told() {
    let mut told = BTreeSet::new();
    for (name, text) in stories() {
        for entry in &played(&name, halves(&text).0).unwrap_or_else(|e| panic!("{e}")).log {
            match &entry.body {
                Body::Transition { reason, .. } => told.insert(reason.as_str()),
                Body::TurnEnded(ended) => told.insert(ended.reason.as_str()),
                _ => false,
            };
        }
    }
    let all = Transition::ALL.map(Transition::as_str).into_iter().chain(Ending::ALL.map(Ending::as_str));
    let missing: Vec<&str> = all.filter(|name| !told.contains(name) && !UNTOLD.contains(name)).collect();
    let stale: Vec<&&str> = UNTOLD.iter().filter(|name| told.contains(**name)).collect();
    assert!(missing.is_empty() && stale.is_empty(), "not told: {missing:?}; told by now: {stale:?}");
}

/// Line by line, what is expected (-) and what is there (+).
fn difference(expected: &str, found: &str) -> String {
    let diff = similar::TextDiff::from_lines(expected, found);
    diff.iter_all_changes().map(|change| format!("  {}{change}", change.tag())).collect()
}
