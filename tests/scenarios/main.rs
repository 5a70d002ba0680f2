//! Golden scenarios: what happens stands above the line, what the ledger says of it below. One file tells one story.
//!
//! `UPDATE=1 cargo test --test scenarios` writes the lower parts anew; a person reads them before they are kept.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    clippy::disallowed_methods,
    unreachable_pub,
    missing_docs,
    reason = "tests"
)]

extern crate countersign_core as countersign;

mod changed;
mod laws;
#[path = "../support/legacy_facts.rs"]
mod legacy_facts;
mod notation;
mod outside;
mod page;
mod player;
mod replaying;
#[path = "../support/sendable.rs"]
mod sendable;
mod settings;
mod speech;
mod story;

use std::collections::BTreeSet;
use std::path::PathBuf;

use countersign::ledger::{Ending, Transition};

use player::StoryPlayer;
use story::Story;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/scenarios");
const LINE: &str = "\n---\n";

/// What no story tells. A name leaves this list with its first story.
const UNTOLD: &[&str] = &[];

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

fn story(name: &str, told: &str) -> Story {
    Story::read(told).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn played(name: &str, story: &Story) -> Result<StoryPlayer, String> {
    let player = StoryPlayer::play(story).map_err(|e| format!("{name}: {e}"))?;
    player.survives_every_cut().map_err(|e| format!("{name}: {e}"))?;
    Ok(player)
}

/// The stories that the product can tell by now.
fn told() -> Vec<(String, StoryPlayer)> {
    let mut told = Vec::new();
    for (name, text) in stories() {
        let story = story(&name, halves(&text).0);
        if story.awaits.is_none() {
            told.push((name.clone(), played(&name, &story).unwrap_or_else(|e| panic!("{e}"))));
        }
    }
    told
}

/// What is wrong with a story, if anything is. With `UPDATE=1` its lower part is what the ledger says.
fn judge(name: &str, text: &str, update: bool) -> Option<String> {
    let (upper, expected) = halves(text);
    let story = story(name, upper);
    let page = played(name, &story).map(|player| player.page.text());
    if let Some(what) = &story.awaits {
        println!("{name} awaits: {what}");
        let stale = page.is_ok_and(|page| page == expected);
        return stale.then(|| format!("{name}: it is so by now; take the line `awaits: {what}` away"));
    }
    match page {
        Err(broken) => Some(broken),
        Ok(page) if update => {
            std::fs::write(format!("{FOLDER}/{name}.txt"), format!("{upper}{LINE}{page}")).unwrap();
            None
        }
        Ok(page) if page != expected => {
            Some(format!("{name}: the ledger says otherwise\n{}", difference(expected, &page)))
        }
        Ok(_) => None,
    }
}

#[test]
fn the_ledger_says_what_the_stories_say() {
    let update = std::env::var("UPDATE").is_ok_and(|v| v == "1");
    let stories = stories();
    let wrong: Vec<String> = stories.iter().filter_map(|(name, text)| judge(name, text, update)).collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n\n"));
}

#[test]
fn a_story_played_twice_is_the_same() {
    for ((name, once), (_, twice)) in told().into_iter().zip(told()) {
        assert_eq!(once.log, twice.log, "{name}");
    }
}

/// In the place of each input of each story, and after its last one, Esc.
#[test]
fn esc_at_every_position_of_every_story_leaves_it_whole() {
    let (mut stories_told, mut positions, mut cuts) = (0, 0, 0);
    for (name, text) in stories() {
        let story = story(&name, halves(&text).0);
        if story.awaits.is_some() {
            continue;
        }
        let whole = StoryPlayer::play(&story).unwrap_or_else(|e| panic!("{name}: {e}"));
        for at in 0..=whole.inputs {
            let interrupted =
                StoryPlayer::interrupted(&story, at).and_then(|player| player.check_after_esc());
            cuts += interrupted.unwrap_or_else(|e| panic!("{name}, Esc as input {at}: {e}"));
            positions += 1;
        }
        stories_told += 1;
    }
    println!("{stories_told} stories: Esc at {positions} positions, {cuts} cuts of what it wrote");
    assert!(positions > 10 * stories_told && cuts > stories_told, "{positions} positions, {cuts} cuts");
}

/// Every reason to go on and every ending has its story, but for those that are listed as untold.
#[test]
fn every_transition_and_ending_is_told() {
    let mut told = BTreeSet::new();
    for (_, text) in stories() {
        let lines = halves(&text).1.lines();
        let named = lines.filter_map(|l| l.strip_prefix("transition ").or_else(|| l.strip_prefix("turn ")));
        told.extend(named.filter_map(|rest| rest.split_whitespace().next().map(str::to_owned)));
    }
    let all =
        Transition::ALL.iter().map(|one| one.as_str()).chain(Ending::ALL.iter().map(|one| one.as_str()));
    let missing: Vec<&str> = all.filter(|name| !told.contains(*name) && !UNTOLD.contains(name)).collect();
    let stale: Vec<&&str> = UNTOLD.iter().filter(|name| told.contains(**name)).collect();
    assert!(missing.is_empty() && stale.is_empty(), "not told: {missing:?}; told by now: {stale:?}");
}

/// Line by line, what is expected (-) and what is there (+).
fn difference(expected: &str, found: &str) -> String {
    let diff = similar::TextDiff::from_lines(expected, found);
    diff.iter_all_changes().map(|change| format!("  {}{change}", change.tag())).collect()
}
