//! The documents as they are written: fenced blocks, words in backticks, links and headings.

use std::fs;
use std::path::{Path, PathBuf};

/// A document, by its path from the root of the repository.
pub(super) struct Page {
    pub(super) path: String,
    pub(super) text: String,
}

/// A fenced block.
pub(super) struct Fence {
    /// Page and line, for messages.
    pub(super) place: String,
    /// What stands behind the opening fence.
    pub(super) info: String,
    pub(super) body: String,
}

/// What stands between two backticks outside of fences.
pub(super) struct Span {
    pub(super) place: String,
    pub(super) text: String,
    /// Whether it is in a cell of a table that is not the last one.
    pub(super) before_last_cell: bool,
}

pub(super) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &Path) -> Page {
    let name = path.strip_prefix(root()).unwrap().display().to_string();
    Page { path: name, text: fs::read_to_string(path).unwrap() }
}

fn markdown_in(folder: &str) -> Vec<PathBuf> {
    let files = fs::read_dir(root().join(folder)).unwrap().map(|file| file.unwrap().path());
    let mut files: Vec<PathBuf> = files.filter(|file| file.extension().is_some_and(|e| e == "md")).collect();
    files.sort();
    files
}

/// The pages for people who use the program.
pub(super) fn guide() -> Vec<Page> {
    let mut pages = vec![read(&root().join("README.md"))];
    pages.extend(markdown_in("docs/guide").iter().map(|file| read(file)));
    pages
}

/// These, and the pages for people who change it.
pub(super) fn all() -> Vec<Page> {
    let mut pages = guide();
    pages.push(read(&root().join("CONTRIBUTING.md")));
    pages.extend(markdown_in("docs").iter().map(|file| read(file)));
    pages
}

impl Page {
    /// The lines outside of fences, with their numbers.
    fn prose(&self) -> Vec<(usize, &str)> {
        let mut inside = false;
        let mut lines = Vec::new();
        for (at, line) in self.text.lines().enumerate() {
            if line.trim_start().starts_with("```") {
                inside = !inside;
            } else if !inside {
                lines.push((at + 1, line));
            }
        }
        assert!(!inside, "{} ends inside of a fence", self.path);
        lines
    }

    pub(super) fn fences(&self) -> Vec<Fence> {
        let mut fences = Vec::new();
        let mut open: Option<Fence> = None;
        for (at, line) in self.text.lines().enumerate() {
            match (line.trim_start().strip_prefix("```"), open.take()) {
                (Some(_), Some(fence)) => fences.push(fence),
                (Some(info), None) => {
                    let place = format!("{}:{}", self.path, at + 1);
                    open = Some(Fence { place, info: info.to_owned(), body: String::new() });
                }
                (None, Some(fence)) => open = Some(Fence { body: fence.body + line + "\n", ..fence }),
                (None, None) => {}
            }
        }
        fences
    }

    pub(super) fn spans(&self) -> Vec<Span> {
        let mut spans = Vec::new();
        let mut lines = self.prose().into_iter();
        while let Some((at, line)) = lines.next() {
            let place = format!("{}:{at}", self.path);
            let is_table = line.starts_with('|');
            let mut text = line.to_owned();
            // What stands in backticks may go on in the next line.
            while text.matches('`').count() % 2 == 1 {
                let (_, next) = lines.next().unwrap_or_else(|| panic!("{place}: half a pair of backticks"));
                assert!(!next.is_empty() && !is_table, "{place}: half a pair of backticks: {line}");
                text = text + " " + next.trim_start();
            }
            let mut rest = text.as_str();
            while let Some((_, after)) = rest.split_once('`') {
                let Some((text, after)) = after.split_once('`') else { break };
                let cells_behind = after.split('`').step_by(2).flat_map(|out| out.matches('|')).count();
                let before_last_cell = is_table && cells_behind > 1;
                spans.push(Span { place: place.clone(), text: text.to_owned(), before_last_cell });
                rest = after;
            }
        }
        spans
    }

    /// Words such as `Ctrl-O` in sentences, and `ctrl-o` in backticks.
    pub(super) fn chords(&self) -> Vec<(String, String)> {
        let held = ["ctrl-", "alt-", "shift-"];
        let mut chords = Vec::new();
        for (at, line) in self.prose() {
            for word in line.split(|c: char| c.is_whitespace() || "`|,;:()".contains(c)) {
                let word = word.trim_end_matches(['.', '*', '?']).trim_start_matches('*').to_lowercase();
                if held.iter().any(|key| word.starts_with(key)) {
                    chords.push((format!("{}:{at}", self.path), word));
                }
            }
        }
        chords
    }

    /// Where links lead, but for those to other sites.
    pub(super) fn links(&self) -> Vec<(String, String)> {
        let mut links = Vec::new();
        for (at, line) in self.prose() {
            for rest in line.split("](").skip(1) {
                let target = rest.split(')').next().unwrap();
                if !target.contains("://") {
                    links.push((format!("{}:{at}", self.path), target.to_owned()));
                }
            }
        }
        links
    }

    /// The anchors of its headings, as GitHub makes them.
    pub(super) fn anchors(&self) -> Vec<String> {
        let headings = self.prose().into_iter().filter_map(|(_, line)| line.strip_prefix('#'));
        headings.map(|heading| slug(heading.trim_start_matches('#').trim())).collect()
    }
}

fn slug(heading: &str) -> String {
    let kept = heading.to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || *c == ' ' || *c == '-' || *c == '_');
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[test]
fn a_page_is_read_as_it_is_shown() {
    let text = "# One: `two`, three\n\nSay `a` or [b](c.md#d); press Ctrl-O `b\n  c`.\n\n```sh\n`x`\n```\n| `e` | `f` |\n";
    let page = Page { path: "p".to_owned(), text: text.to_owned() };
    assert_eq!(page.anchors(), ["one-two-three"]);
    assert_eq!(page.links(), [("p:3".to_owned(), "c.md#d".to_owned())]);
    assert_eq!(page.chords(), [("p:3".to_owned(), "ctrl-o".to_owned())]);
    let spans: Vec<(String, bool)> =
        page.spans().into_iter().map(|span| (span.text, span.before_last_cell)).collect();
    let expected = [("two", false), ("a", false), ("b c", false), ("e", true), ("f", false)];
    assert_eq!(spans, expected.map(|(text, is_early)| (text.to_owned(), is_early)));
    let [fence] = page.fences().try_into().ok().unwrap();
    assert_eq!((fence.info.as_str(), fence.body.as_str()), ("sh", "`x`\n"));
}
