//! The rules of the house that no compiler states: floors, file length, purity, event loops, words that decide nothing.

mod circles;
mod document;
mod resolve;
mod source;
mod tool_names;
mod type_names;

use source::{SourceFile, imports, source_files};

/// Lowest first. A floor may import the floors before it, and nothing else of ours. (`hooks` comes later.)
const FLOORS: &[&str] = &[
    "ledger", "model", "tool", "policy", "budget", "hooks", "goal", "context", "agent", "recorded", "wire",
    "view", "runtime", "ui", "config", "session", "cli",
];
/// Strangers: pairs that never import each other, although the order would allow it.
const APART: &[(&str, &str)] =
    &[("ui", "runtime"), ("ui", "wire"), ("wire", "agent"), ("view", "wire"), ("runtime", "view")];
/// Floors that wait, and the files of the screen that do: its loop, its terminal, its two threads.
const IMPURE: &[&str] = &[
    "src/runtime/",
    "src/config/",
    "src/session/",
    "src/cli/",
    "src/ui/run",
    "src/ui/terminal",
    "src/ui/text/highlight",
    "src/ui/graphics/worker.rs",
    "src/main.rs",
];
const MAX_LINES: usize = 400;
/// Names that say nothing about what is inside.
const EMPTY_NAMES: &[&str] = &["utils", "util", "common", "helpers", "types", "misc"];

fn broken_rules(check: impl Fn(&SourceFile) -> Vec<String>, folders: &[&str]) {
    let broken: Vec<String> = source_files(folders).iter().flat_map(check).collect();
    assert!(broken.is_empty(), "\n{}", broken.join("\n"));
}

#[test]
fn floors_import_only_downward() {
    broken_rules(
        |file| {
            let Some(floor) = file.floor(FLOORS) else { return Vec::new() };
            let height = |name: &str| FLOORS.iter().position(|f| *f == name);
            let wrong = |target: &&str| height(target) > height(floor) || APART.contains(&(floor, *target));
            let targets = imports(&file.code);
            targets
                .into_iter()
                .filter(wrong)
                .map(|t| format!("{}: {floor} must not import {t}", file.name))
                .collect()
        },
        &["src"],
    );
}

#[test]
fn the_floors_in_lib_rs_are_these() {
    let declared = |file: &str| -> Vec<String> {
        let lib = std::fs::read_to_string(file).unwrap();
        let modules = lib.lines().filter_map(|l| l.strip_prefix("pub mod "));
        modules.map(|name| name.trim_end_matches(';').to_owned()).collect()
    };
    let all = [declared("src/core/lib.rs"), declared("src/lib.rs")].concat();
    assert_eq!(all, FLOORS, "the two lib.rs name the floors in their order");
}

/// The compiler holds that what decides cannot wait: no crate is there that could.
#[test]
fn the_core_is_built_without_a_crate_that_waits() {
    let manifest = std::fs::read_to_string("src/core/Cargo.toml").unwrap();
    let section = manifest.split("\n[dependencies]\n").nth(1).unwrap().split("\n[").next().unwrap();
    let crates: Vec<&str> =
        section.lines().filter_map(|line| line.split_once('.')).map(|(name, _)| name).collect();
    const PURE: &[&str] = &[
        "base64",
        "chrono",
        "jsonschema",
        "memchr",
        "percent-encoding",
        "pulldown-cmark",
        "serde",
        "serde_json",
        "sha2",
        "similar",
        "strum",
        "thiserror",
        "unicode-width",
        "url",
    ];
    assert_eq!(crates, PURE);
    assert_eq!(section.lines().filter(|line| !line.is_empty()).count(), PURE.len(), "one a line");
}

#[test]
fn files_are_short_and_say_what_they_are() {
    broken_rules(
        |file| {
            let mut broken = Vec::new();
            if file.text.lines().count() > MAX_LINES {
                broken.push(format!("{}: more than {MAX_LINES} lines", file.name));
            }
            if !file.text.starts_with("//! ") {
                broken.push(format!("{}: does not open with a sentence about itself", file.name));
            }
            if EMPTY_NAMES
                .iter()
                .any(|n| file.name.ends_with(&format!("/{n}.rs")) || file.name.contains(&format!("/{n}/")))
            {
                broken.push(format!("{}: a name that says nothing", file.name));
            }
            broken
        },
        &["src", "tests", "benches"],
    );
}

#[test]
fn only_the_floors_that_wait_touch_the_world() {
    const WORLD: &[&str] = &[
        ".await",
        "async fn",
        "tokio::",
        "std::fs",
        "std::env",
        "std::net",
        "std::process",
        "std::thread",
        "Instant::now",
        "SystemTime",
        "reqwest::",
        "rand::",
    ];
    broken_rules(
        |file| {
            if IMPURE.iter().any(|place| file.name.starts_with(place)) {
                return Vec::new();
            }
            let floor = file.floor(FLOORS).unwrap_or("");
            // The screen's types name channels and key events; everything below is pure without exception.
            let allowed: &[&str] = if floor == "ui" { &["tokio::"] } else { &[] };
            let touched = WORLD.iter().filter(|word| !allowed.contains(word) && file.code.contains(**word));
            touched.map(|word| format!("{}: {word} in a pure floor", file.name)).collect()
        },
        &["src"],
    );
}

#[test]
fn each_front_end_has_one_event_loop_and_what_is_pure_has_none() {
    const LOOPS: &[&str] = &["src/ui/run/mod.rs"];
    broken_rules(
        |file| {
            let is_pure = !IMPURE.iter().any(|place| file.name.starts_with(place));
            let is_front = file.name.starts_with("src/ui/");
            match file.code.matches("select!").count() {
                0 => Vec::new(),
                _ if is_pure => vec![format!("{}: a pure floor waits for nothing", file.name)],
                1 if LOOPS.contains(&file.name.as_str()) => Vec::new(),
                _ if is_front => vec![format!("{}: a front end has one event loop", file.name)],
                _ => Vec::new(),
            }
        },
        &["src"],
    );
}

#[test]
fn the_words_of_notes_are_only_shown_and_recorded() {
    // What decides something uses the kind of a note: its words can be changed at any time.
    const SHOW: &[&str] = &[
        "src/core/view/inspect.rs",
        "src/core/view/transcript.rs",
        "src/core/wire/record/note.rs",
        "src/ui/search.rs",
        "src/ui/inspector/keys.rs",
        "src/ui/panes/remarks.rs",
        "src/ui/linear/renderer.rs",
        "src/cli/acp/conversation/events.rs",
        "src/cli/sessions/search.rs",
    ];
    broken_rules(
        |file| {
            let reads = file.code.contains(".for_people()") && !SHOW.contains(&file.name.as_str());
            if reads { vec![format!("{}: reads the words of a note", file.name)] } else { Vec::new() }
        },
        &["src"],
    );
}

#[test]
fn what_can_be_done_next_is_said_in_our_own_words() {
    // A file may have anything there, and people read it as our advice: `TurnEnded::what_next` is one of our
    // sentences.
    const FIELD: &str = ".next_safe_action";
    const RECORD: &[&str] = &["src/core/ledger/entry.rs", "src/core/wire/record/encode.rs"];
    broken_rules(
        |file| {
            let after = |at: usize| file.code.get(at + FIELD.len()..).unwrap_or("");
            let is_method = |at: usize| after(at).starts_with(['(', '_']);
            let reads = file.code.match_indices(FIELD).any(|(at, _)| !is_method(at));
            if reads && !RECORD.contains(&file.name.as_str()) {
                vec![format!("{}: says what a record advises", file.name)]
            } else {
                Vec::new()
            }
        },
        &["src"],
    );
}

#[test]
fn nothing_refers_to_a_document_by_its_number() {
    broken_rules(
        |file| {
            let lower = file.text.to_lowercase();
            let numbered = |word: &&str| {
                lower.match_indices(*word).any(|(at, _)| {
                    lower
                        .get(at + word.len()..)
                        .is_some_and(|rest| rest.trim_start().starts_with(|c: char| c.is_ascii_digit()))
                })
            };
            let found = ["seed ", "seeds ", "issue ", "document "].into_iter().filter(|word| numbered(word));
            found.map(|word| format!("{}: refers to a {word}by its number", file.name)).collect()
        },
        &["src"],
    );
}

#[test]
fn records_are_serialised_at_the_edges_alone() {
    const EDGES: &[&str] = &["src/core/wire/", "src/config/", "src/cli/", "src/ui/theme", "src/ui/keymap"];
    broken_rules(
        |file| {
            let at_edge = EDGES.iter().any(|place| file.name.starts_with(place));
            let derives = file.code.contains("derive(")
                && (file.code.contains("Serialize") || file.code.contains("Deserialize"));
            if derives && !at_edge {
                vec![format!("{}: serde belongs to the edges", file.name)]
            } else {
                Vec::new()
            }
        },
        &["src"],
    );
}
