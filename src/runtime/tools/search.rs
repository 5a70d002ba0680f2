//! `search`: a regular expression, line by line, through files (ripgrep's engine).

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, sinks::Lossy};
use rustix::fs::FileType;
use serde_json::json;
use tokio::sync::mpsc;

use crate::ledger::{Arguments, Summary};
use crate::policy::RuleKind;
use crate::tool::name::SEARCH;
use crate::tool::{Shown, SideEffect, Territory, ToolSpec};

use super::super::line::in_a_line;
use super::arguments::required;
use super::borders::LeftOut;
use super::filter::Filter;
use super::ignored::Excludes;
use super::stop::StopFlag;
use super::target::Target;
use super::tool::{Running, RunningCall, Tool, ToolOutput, spec};
use super::walk::Walk;
use super::words::{counted, explain, shorten};
use super::workspace::{KeptBelow, Workspace};

/// More matches than this are counted, not shown.
const MOST_SHOWN: usize = 300;
/// Beyond this even counting is no use.
const MOST_COUNTED: usize = 10_000;
const MOST_LINE_CHARS: usize = 300;
/// A line longer than this is no text; its file is skipped.
const MOST_LINE_BYTES: usize = 16 << 20;

/// Most bytes that a pattern may take when it is compiled: `(\p{L}{999}){999}` is short.
const MOST_COMPILED: usize = 4 << 20;
/// Most bytes of what is made of it while it searches.
const MOST_STATES: usize = 16 << 20;

/// The tool.
#[derive(Debug)]
pub(super) struct SearchTool;

impl Tool for SearchTool {
    fn spec(&self) -> ToolSpec {
        spec(
            SEARCH,
            "Searches file contents with a regular expression (Rust syntax, as in ripgrep), line by line. Returns \
             `path:line: text` for each match. Ignored and binary files are skipped. Case-sensitive unless \
             the pattern starts with (?i). Prefer it to grep in the shell.",
            json!({
                "pattern": { "type": "string", "minLength": 1, "description": "The regular expression. Escape special characters to search for them: `foo\\(`." },
                "path": { "type": "string", "description": "A file or folder to search in. Default: the workspace." },
                "glob": { "type": "string", "description": "Only files that match: `*.rs`, \
                `src/**/*.{ts,tsx}`; `!*.md` for all but these." },
            }),
            &["pattern"],
            SideEffect::Reads,
        )
    }

    fn run(&self, call: RunningCall, _output: mpsc::Sender<Shown>) -> Running {
        call.off_thread(|call, stop| {
            run(&call.tools.workspace, &*call.target()?, call.excludes(), call.arguments(), stop)
        })
    }
}

/// Does it.
///
/// # Errors
/// A sentence that says what to do instead.
fn run(
    workspace: &Workspace,
    target: &Target,
    excludes: Excludes,
    arguments: &Arguments,
    stop: &StopFlag,
) -> Result<ToolOutput, String> {
    let matcher = compile(required(arguments, "pattern")?)?;
    let fail = |failure: io::Error| explain(&target.shown, &failure);
    let kind = target.anchor().and_then(|anchor| anchor.kind()).map_err(fail)?;
    let filter = arguments.text("glob").filter(|glob| !glob.is_empty()).map(Filter::new).transpose()?;
    let base = if target.territory == Territory::Outside { &target.path } else { workspace.root() };
    let takes = |path: &Path| filter.as_ref().is_none_or(|filter| filter.takes(base, path));
    let searcher = SearcherBuilder::new()
        .line_number(true)
        .heap_limit(Some(MOST_LINE_BYTES))
        .binary_detection(BinaryDetection::quit(0))
        .build();
    let left_out = workspace.left_out_below(target, kind == FileType::Directory);
    let mut search = FileSearch {
        searcher,
        matcher,
        left_out: left_out.clone(),
        kept: workspace.kept_below(target, kind == FileType::Directory),
        stop,
        found: SearchMatches::default(),
    };
    if kind != FileType::Directory {
        if takes(&target.path) {
            search.file(&target.path, &target.shown, || target.open());
        }
        return Ok(search.found.describe(None));
    }
    let mut walk = Walk::through(target, left_out, excludes, stop).map_err(fail)?;
    while let Some(entry) = walk.next() {
        if search.found.matches >= MOST_COUNTED {
            break;
        }
        let path = walk.path(&entry);
        if entry.kind == FileType::RegularFile && takes(&path) {
            search.file(&path, &workspace.show(&path), || walk.open(&entry));
        }
    }
    search.found.unreadable += walk.unreadable;
    Ok(search.found.describe(walk.remark()))
}

fn compile(pattern: &str) -> Result<RegexMatcher, String> {
    let mut builder = RegexMatcherBuilder::new();
    builder.size_limit(MOST_COMPILED).dfa_size_limit(MOST_STATES).line_terminator(Some(b'\n'));
    builder.build(pattern).map_err(|fault| {
        format!(
            "the pattern is not a valid regular expression: {fault}\nto search for the text itself, escape its special \
             characters, as in `foo\\(`; a pattern is matched within one line"
        )
    })
}

/// A search through one file after the other.
struct FileSearch<'a> {
    searcher: Searcher,
    matcher: RegexMatcher,
    left_out: LeftOut,
    kept: KeptBelow<'a>,
    stop: &'a StopFlag,
    found: SearchMatches,
}

impl FileSearch<'_> {
    /// One file, unless its name is that of a secret or a rule keeps it: then it is not even opened.
    fn file(&mut self, path: &Path, shown: &str, open: impl FnOnce() -> io::Result<File>) {
        if self.left_out.keeps(path) {
            self.found.secret.push(shown.to_owned());
            return;
        }
        if let Some(said) = self.kept.said_of(shown) {
            let kept = if said == RuleKind::Deny { &mut self.found.denied } else { &mut self.found.asked };
            kept.push(shown.to_owned());
            return;
        }
        self.found.files += 1;
        if open().and_then(|file| self.lines(file, shown)).is_err() {
            self.found.unreadable += 1;
        }
    }

    fn lines(&mut self, file: File, shown: &str) -> io::Result<()> {
        if !file.metadata()?.is_file() {
            return Err(io::Error::other("it is not a regular file"));
        }
        let Self { searcher, matcher, stop, found, .. } = self;
        let before = found.matches;
        let sink = Lossy(|number, line| {
            found.add(shown, number, line);
            Ok(found.matches < MOST_COUNTED)
        });
        searcher.search_reader(&*matcher, UntilStopped { file, stop }, sink)?;
        found.files_with_match += usize::from(found.matches > before);
        Ok(())
    }
}

/// A file that seems to end when nobody wants the rest.
struct UntilStopped<'a> {
    file: File,
    stop: &'a StopFlag,
}

impl Read for UntilStopped<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.stop.is_set() { Ok(0) } else { self.file.read(buffer) }
    }
}

#[derive(Default)]
struct SearchMatches {
    lines: String,
    matches: usize,
    files: usize,
    files_with_match: usize,
    unreadable: usize,
    secret: Vec<String>,
    denied: Vec<String>,
    asked: Vec<String>,
}

impl SearchMatches {
    fn add(&mut self, shown: &str, number: u64, line: &str) {
        self.matches += 1;
        if self.matches <= MOST_SHOWN {
            let line = shorten(line.trim_end(), MOST_LINE_CHARS);
            self.lines.push_str(&format!("{}:{number}: {line}\n", in_a_line(shown)));
        }
    }

    /// How many matches, in how many files.
    fn counts(&self) -> String {
        if self.matches == 0 {
            return format!("no matches in {}", counted(self.files, "file"));
        }
        let least = if self.matches >= MOST_COUNTED { "at least " } else { "" };
        let (matches, files) = (counted(self.matches, "match"), counted(self.files_with_match, "file"));
        format!("{least}{matches} in {files}")
    }

    fn describe(&self, remark: Option<String>) -> ToolOutput {
        let mut text = self.counts();
        if self.matches == 0 {
            text.push_str(" (hidden by ignore files or binary: not searched)");
        } else {
            text.push_str(&format!("\n{}", self.lines.trim_end()));
        }
        if self.matches > MOST_SHOWN {
            let more = self.matches - MOST_SHOWN;
            text.push_str(&format!("\n… {more} more; narrow the pattern, the path or the glob"));
        }
        if self.unreadable > 0 {
            text.push_str(&format!("\n({} could not be searched)", counted(self.unreadable, "file")));
        }
        text.push_str(&self.describe_left_out());
        text.extend(remark.map(|remark| format!("\n{remark}")));
        ToolOutput::summed_up(text, Summary::Words(self.counts()))
    }

    /// What may hold secrets, or is asked about, is searched when it is named: that is decided about.
    fn describe_left_out(&self) -> String {
        let said = |files: &[String], why: &str, next: &str| {
            let Some(first) = files.first() else { return String::new() };
            let others = match files.len() {
                1 => String::new(),
                all => format!(" and {} more", all - 1),
            };
            format!("\n(not searched, since {why}: {}{others}{next})", in_a_line(first))
        };
        let next = "; give it as `path` to search it";
        [
            said(&self.secret, "it may contain secrets", next),
            said(&self.asked, "a rule asks before it is read", next),
            said(&self.denied, "a rule denies reading it", ""),
        ]
        .concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_pattern_that_is_large_inside_is_refused() {
        for bomb in
            [r"(\p{L}{999}){999}", &"(".repeat(100_000), &format!("{}a{}", "(".repeat(999), ")".repeat(999))]
        {
            assert!(compile(bomb).unwrap_err().starts_with("the pattern is not a valid regular expression"));
        }
        compile(r"(?i)\b[\p{L}_]{1,64}\s*\(").unwrap();
    }
}
