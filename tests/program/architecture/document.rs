//! docs/ARCHITECTURE.md names the files that there are: each in the row of its floor, and no folder is left out.

use std::collections::BTreeSet;
use std::fs;

use super::FLOORS;
use super::source::{SourceFile, source_files};

/// What stands between backquotes in this text.
fn spans(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// The folders above a file, the nearest last, without those above its floor.
fn folders(name: &str) -> Vec<&str> {
    let inside = name.strip_prefix("src/").unwrap_or(name);
    let inside = inside.strip_prefix("core/").unwrap_or(inside);
    let parts: Vec<&str> = inside.split('/').collect();
    parts.iter().take(parts.len() - 1).copied().collect()
}

/// The row of this floor in the table.
fn row<'d>(document: &'d str, floor: &str) -> &'d str {
    let start = format!("| `{floor}` |");
    document.lines().find(|line| line.starts_with(&start)).unwrap_or_else(|| panic!("no row {floor}"))
}

/// What is wrong with a document about these files.
fn wrong(document: &str, files: &[SourceFile]) -> Vec<String> {
    let mut wrong = Vec::new();
    for span in spans(document) {
        let path = span.split("::").next().unwrap_or(span);
        let end = format!("/{path}");
        if path.ends_with(".rs") && !files.iter().any(|file| file.name == path || file.name.ends_with(&end)) {
            wrong.push(format!("there is no {path}"));
        }
    }
    for floor in FLOORS {
        let row = row(document, floor);
        let here: Vec<&SourceFile> = files.iter().filter(|file| file.floor(FLOORS) == Some(*floor)).collect();
        for name in spans(row).into_iter().filter(|span| span.ends_with(".rs")) {
            if !here.iter().any(|file| file.name.ends_with(&format!("/{name}"))) {
                wrong.push(format!("{floor} has no {name}"));
            }
        }
        let inside: BTreeSet<&str> = here.iter().flat_map(|file| folders(&file.name)).collect();
        for folder in inside.into_iter().filter(|folder| folder != floor) {
            let is_named = spans(row).iter().any(|span| span.trim_end_matches('/').ends_with(folder));
            if !is_named {
                wrong.push(format!("the row of {floor} does not name {folder}/"));
            }
        }
    }
    wrong
}

#[test]
fn the_document_names_files_and_folders_that_there_are() {
    let document = fs::read_to_string("docs/ARCHITECTURE.md").unwrap();
    let files = source_files(&["src", "tests"]);
    let found = wrong(&document, &files);
    assert!(found.is_empty(), "\n{}", found.join("\n"));
    let moved = wrong(&document.replace("`gateway/`", "`gateway.rs`"), &files);
    let all = moved.join("\n");
    assert!(all.contains("there is no gateway.rs") && all.contains("does not name gateway/"), "{all}");
}
