//! `read`: numbered lines of a text file, a page at a time, of files of any size; and pictures.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek as _, Take};

use serde_json::json;
use sha2::{Digest as _, Sha256};
use tokio::sync::mpsc;

use crate::ledger::{Arguments, Facts, Summary};
use crate::tool::name::READ;
use crate::tool::{Shown, SideEffect, ToolSpec};

use super::arguments::{number, required};
use super::editor::Current;
use super::encoding::Encoding;
use super::file::{MOST_BYTES, content, open, open_if_there};
use super::kind;
use super::local_tools::LocalTools;
use super::pages::{TextPage, scan};
use super::picture;
use super::stop::StopFlag;
use super::target::Target;
use super::tool::{Running, RunningCall, Tool, ToolOutput, spec};
use super::words::{counted, explain, size};
use super::workspace::ResolvedPath;

const PAGE_LINES: u64 = 2000;
const MOST_PAGE_LINES: u64 = 20_000;
/// The largest file of which a message can bring lines: all of it is read once, for its hash.
const MOST_ATTACHED: u64 = 256 << 20;
/// Text has no zero bytes; whatever has one this early is something else.
const BINARY_LOOK: usize = 8192;

/// The tool.
#[derive(Debug)]
pub(super) struct ReadTool;

impl Tool for ReadTool {
    fn spec(&self) -> ToolSpec {
        spec(
            READ,
            "Reads a text file, or shows an image (PNG, JPEG, GIF, WebP). Returns lines with their numbers (number, tab, text; the number is not part of the \
             file) and how many lines there are. Use offset and limit to page through a long file. Read a file before \
             you edit it. For folders use list.",
            json!({
                "path": { "type": "string", "description": "The file; relative to the workspace, absolute, or with ~/." },
                "offset": { "type": "integer", "minimum": 1, "description": "First line to return, from 1. Default 1." },
                "limit": { "type": "integer", "minimum": 1, "description": "Maximum number of lines to \
                return. Default 2000." },
            }),
            &["path"],
            SideEffect::Reads,
        )
    }

    fn run(&self, call: RunningCall, _output: mpsc::Sender<Shown>) -> Running {
        call.off_thread(|call, stop| run(&*call.target()?, &call.tools, call.arguments(), stop))
    }
}

/// Does it.
///
/// # Errors
/// A sentence that says what to do instead.
fn run(
    target: &Target,
    tools: &LocalTools,
    arguments: &Arguments,
    stop: &StopFlag,
) -> Result<ToolOutput, String> {
    let path = required(arguments, "path")?;
    let place: &ResolvedPath = target;
    let first = number(arguments, "offset").unwrap_or(1).max(1);
    let count = number(arguments, "limit").unwrap_or(PAGE_LINES).clamp(1, MOST_PAGE_LINES);
    let disk = match open_if_there(target)? {
        Some((file, meta)) if meta.len() > MOST_BYTES => {
            let page = page_of_large(place, file, meta.len(), first, count, stop)?;
            return told(place, &page, (first, meta.len()), Encoding::Utf8, &Current::default());
        }
        Some((file, meta)) => Some(content(target, file, &meta)?),
        None => None,
    };
    if let Some(content) = disk.as_deref().filter(|content| is_binary(content))
        && let Some(shown) = picture::of(path, place, content)
    {
        return shown;
    }
    let now = tools.editor.current(place, disk)?;
    let Some(content) = now.content() else {
        return Err(explain(&place.shown, &io::ErrorKind::NotFound.into()));
    };
    let (text, encoding) = as_text(place, content)?;
    tools.seen.note(&place.path, content);
    let page = scan(Cursor::new(text.as_deref().unwrap_or(content)), first, count, true, stop);
    let page = page.map_err(|failure| explain(&place.shown, &failure))?;
    told(place, &page, (first, content.len() as u64), encoding, &now)
}

/// A page, with what its lines do not show.
fn told(
    place: &ResolvedPath,
    page: &TextPage,
    (first, bytes): (u64, u64),
    encoding: Encoding,
    now: &Current,
) -> Result<ToolOutput, String> {
    let mut text = describe(place, page, first, bytes)? + &remarks(page, encoding);
    let is_from_editor = now.held.is_some();
    if is_from_editor {
        text.push_str("\n(This is the text in the user's editor, which is not saved. The file on disk is different, and \
                       `search` and commands see that one.)");
    }
    if let Some(why) = &now.refusal {
        text.push_str(&format!("\n(The editor gave no text of it: {why}. This is the file on disk.)"));
    }
    let words = (!page.lines.is_empty()).then(|| {
        let from = if is_from_editor { ", not saved" } else { "" };
        Summary::Words(extent(page, first, bytes) + from)
    });
    Ok(ToolOutput {
        text,
        images: Vec::new(),
        facts: Facts { summary: words, is_from_editor, ..Facts::default() },
    })
}

/// What a person attaches of a file: the same text as a call returns.
pub(super) struct ReadLines {
    /// As the model reads it.
    pub(super) text: String,
    /// The last of the lines; of an empty file 0.
    pub(super) last: u64,
    /// How many lines the file has, where these are not all of them; otherwise 0.
    pub(super) of_lines: u64,
    /// Bytes of overlong lines that are left out.
    pub(super) cut_bytes: u64,
    /// The SHA-256 of all of the file, in hexadecimal.
    pub(super) sha256: String,
}

/// Why a file cannot be attached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotAttached {
    /// The lines that are named are not there, in a sentence: others may be.
    NoSuchLines(String),
    /// Anything else, in a sentence.
    Other(String),
}

impl From<String> for NotAttached {
    fn from(why: String) -> Self {
        Self::Other(why)
    }
}

/// Reads lines for a person who attaches them.
///
/// # Errors
/// [`NotAttached`]: also when the file is too large, or is not text.
pub(super) fn lines(target: &Target, first: u64, count: Option<u64>) -> Result<ReadLines, NotAttached> {
    let (file, meta) = open(target)?;
    let (first, count) = (first.max(1), count.unwrap_or(PAGE_LINES).clamp(1, MOST_PAGE_LINES));
    let (page, encoding, sha256) = if meta.len() > MOST_BYTES {
        let (page, sha256) = page_and_hash(target, file, meta.len(), first, count)?;
        (page, Encoding::Utf8, sha256)
    } else {
        let content = content(target, file, &meta)?;
        let (text, encoding) = as_text(target, &content)?;
        let page = scan(text.as_deref().unwrap_or(&content), first, count, true, &StopFlag::default())
            .map_err(|failure| explain(&target.shown, &failure))?;
        (page, encoding, hex(&Sha256::digest(&content)))
    };
    if let (true, Some(total @ 1..)) = (page.lines.is_empty(), page.total) {
        let lines = counted(usize::try_from(total).unwrap_or(usize::MAX), "line");
        let why = format!("`{}` has {lines}, so it has no line {first}", target.shown);
        return Err(NotAttached::NoSuchLines(why));
    }
    let text = describe(target, &page, first, meta.len())? + &remarks(&page, encoding);
    let last = if page.lines.is_empty() { 0 } else { first + page.lines.len() as u64 - 1 };
    let of_lines = page.total.filter(|total| *total > page.lines.len() as u64).unwrap_or(0);
    Ok(ReadLines { text, last, of_lines, cut_bytes: page.cut_bytes, sha256 })
}

/// Some lines of a file that is not held in memory, and the hash of all of it.
fn page_and_hash(
    place: &ResolvedPath,
    mut file: File,
    bytes: u64,
    first: u64,
    count: u64,
) -> Result<(TextPage, String), String> {
    if bytes > MOST_ATTACHED {
        let (bytes, most) = (size(bytes), size(MOST_ATTACHED));
        return Err(format!("`{}` is too large to be attached ({bytes}; at most {most})", place.shown));
    }
    refuse_large_binary(place, &mut file, bytes)?;
    let hashed = HashedReader { file: file.take(MOST_ATTACHED), hash: Sha256::new() };
    let mut reader = BufReader::with_capacity(1 << 16, hashed);
    let page = scan(&mut reader, first, count, true, &StopFlag::default());
    let page = page.map_err(|failure| explain(&place.shown, &failure))?;
    Ok((page, hex(&reader.into_inner().hash.finalize())))
}

/// A file whose bytes are hashed as they are read.
struct HashedReader {
    file: Take<File>,
    hash: Sha256,
}

impl Read for HashedReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        self.hash.update(buffer.get(..count).unwrap_or_default());
        Ok(count)
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Some lines of a file that is not held in memory.
fn page_of_large(
    place: &ResolvedPath,
    mut file: File,
    bytes: u64,
    first: u64,
    count: u64,
    stop: &StopFlag,
) -> Result<TextPage, String> {
    refuse_large_binary(place, &mut file, bytes)?;
    let page = scan(BufReader::with_capacity(1 << 16, file), first, count, false, stop);
    page.map_err(|failure| explain(&place.shown, &failure))
}

/// Looks at the beginning of a file that is not held in memory, and goes back to it.
fn refuse_large_binary(place: &ResolvedPath, file: &mut File, bytes: u64) -> Result<(), String> {
    let fail = |failure: io::Error| explain(&place.shown, &failure);
    let mut start = Vec::new();
    file.by_ref().take(BINARY_LOOK as u64).read_to_end(&mut start).map_err(fail)?;
    if Encoding::of(&start) != Encoding::Utf8 {
        return Err(format!(
            "`{}` is {} text of {}, too large to decode; use `shell` with iconv to make a UTF-8 copy",
            place.shown,
            Encoding::of(&start).name(),
            size(bytes)
        ));
    }
    refuse_binary(place, &start, bytes)?;
    file.rewind().map_err(fail)
}

/// The text of a content as UTF-8, if it has to be decoded for that.
fn as_text(place: &ResolvedPath, content: &[u8]) -> Result<(Option<Vec<u8>>, Encoding), String> {
    let encoding = Encoding::of(content);
    if encoding == Encoding::Utf8 {
        refuse_binary(place, content, content.len() as u64)?;
        return Ok((None, encoding));
    }
    let text = encoding.decode(content).map_err(|line| {
        format!(
            "`{}` begins like {} text but is not (line {line}); use `shell` with file or xxd to inspect it",
            place.shown,
            encoding.name()
        )
    })?;
    Ok((Some(text.into_bytes()), encoding))
}

fn refuse_binary(place: &ResolvedPath, content: &[u8], bytes: u64) -> Result<(), String> {
    if is_binary(content) {
        return Err(format!(
            "`{}` is not text: {} ({}); use `shell` with file, strings or xxd to inspect it",
            place.shown,
            kind::of(content),
            size(bytes)
        ));
    }
    Ok(())
}

/// A text has no zero byte, in whatever encoding of 8 bits, and hardly a control character besides those that lay it out or colour it.
fn is_binary(content: &[u8]) -> bool {
    let start = content.get(..BINARY_LOOK).unwrap_or(content);
    let is_odd = |byte: &u8| matches!(byte, 0x01..=0x06 | 0x0e..=0x1a | 0x1c..=0x1f | 0x7f);
    start.contains(&0) || start.iter().filter(|byte| is_odd(byte)).count() * 32 > start.len()
}

fn describe(place: &ResolvedPath, page: &TextPage, first: u64, bytes: u64) -> Result<String, String> {
    let last = first + page.lines.len() as u64 - u64::from(!page.lines.is_empty());
    let shown = &place.shown;
    if page.lines.is_empty() {
        return match page.total {
            Some(0) => Ok(format!("`{shown}` is empty")),
            Some(total) => {
                let lines = counted(usize::try_from(total).unwrap_or(usize::MAX), "line");
                Err(format!("offset {first} is past the end: `{shown}` has {lines}"))
            }
            None => Err(format!("reading `{shown}` was stopped before line {first}")),
        };
    }
    let mut text = String::new();
    for (number, line) in (first..).zip(&page.lines) {
        text.push_str(&format!("{number:>5}\t{line}\n"));
    }
    let extent = extent(page, first, bytes);
    text.push_str(&match page.total {
        Some(total) if last == total => format!("({extent})"),
        _ => format!("({extent}; continue with offset {})", last + 1),
    });
    Ok(text)
}

/// Which lines of the file these are.
fn extent(page: &TextPage, first: u64, bytes: u64) -> String {
    let last = first + page.lines.len() as u64 - 1;
    match page.total {
        Some(total) if first == 1 && last == total => counted(page.lines.len(), "line"),
        Some(total) => format!("lines {first}-{last} of {total}"),
        None => format!("lines {first}-{last} of a file of {}", size(bytes)),
    }
}

/// What the lines do not show.
fn remarks(page: &TextPage, encoding: Encoding) -> String {
    let mut remarks = String::new();
    if encoding != Encoding::Utf8 {
        remarks.push_str(&format!("\n(The file is {}; `edit` keeps that.)", encoding.name()));
    } else if page.has_mark {
        remarks.push_str("\n(The file begins with a UTF-8 byte order mark; `edit` keeps it.)");
    }
    match (page.with_return, page.with_feed) {
        (0, _) => {}
        (_, 0) => remarks.push_str("\n(Lines end with CRLF; `edit` keeps that.)"),
        (with_return, with_feed) => remarks.push_str(&format!(
            "\n(Line endings are mixed: {with_return} CRLF and {with_feed} LF on this page; `edit` keeps them.)"
        )),
    }
    if page.is_lossy {
        remarks.push_str("\n(Not all of it is valid UTF-8; invalid bytes are shown as \u{fffd}.)");
    }
    remarks
}
