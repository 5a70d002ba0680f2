//! `read`: numbered lines of a text file, a page at a time, of files of any size.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};

use crate::ledger::Arguments;

use super::arguments::{number, required};
use super::file::{MOST_BYTES, examine, load};
use super::pages::{Page, scan};
use super::seen::Seen;
use super::stop::Stop;
use super::words::{counted, explain, size};
use super::workspace::{Place, Workspace};

const PAGE_LINES: u64 = 2000;
const MOST_PAGE_LINES: u64 = 20_000;
/// Text has no zero bytes; whatever has one this early is something else.
const BINARY_LOOK: usize = 8192;

/// Does it.
///
/// # Errors
/// A sentence that says what to do instead.
pub(super) fn run(
    workspace: &Workspace,
    seen: &Seen,
    arguments: &Arguments,
    stop: &Stop,
) -> Result<String, String> {
    let place = workspace.resolve(required(arguments, "path")?)?;
    let meta = examine(&place)?;
    let first = number(arguments, "offset").unwrap_or(1).max(1);
    let count = number(arguments, "limit").unwrap_or(PAGE_LINES).clamp(1, MOST_PAGE_LINES);
    let fail = |failure: io::Error| explain(&place.shown, &failure);
    let page = if meta.len() > MOST_BYTES {
        let file = File::open(&place.path).map_err(fail)?;
        refuse_binary(&place, (&file).take(BINARY_LOOK as u64), meta.len())?;
        let file = File::open(&place.path).map_err(fail)?;
        scan(BufReader::with_capacity(1 << 16, file), first, count, false, stop).map_err(fail)?
    } else {
        let content = load(&place)?.unwrap_or_default();
        refuse_binary(&place, content.as_slice(), content.len() as u64)?;
        seen.note(&place.path, &content);
        scan(Cursor::new(content), first, count, true, stop).map_err(fail)?
    };
    describe(&place, &page, first, meta.len())
}

fn refuse_binary(place: &Place, content: impl Read, bytes: u64) -> Result<(), String> {
    let mut start = Vec::new();
    content
        .take(BINARY_LOOK as u64)
        .read_to_end(&mut start)
        .map_err(|failure| explain(&place.shown, &failure))?;
    if start.contains(&0) {
        return Err(format!(
            "`{}` is a binary file ({}); use `shell` with file, strings or xxd to look into it",
            place.shown,
            size(bytes)
        ));
    }
    Ok(())
}

fn describe(place: &Place, page: &Page, first: u64, bytes: u64) -> Result<String, String> {
    let last = first + page.lines.len() as u64 - u64::from(!page.lines.is_empty());
    let shown = &place.shown;
    if page.lines.is_empty() {
        return match page.total {
            Some(0) => Ok(format!("`{shown}` is empty")),
            Some(total) => Err(format!("offset {first} is past the end: `{shown}` has {total} lines")),
            None => Err(format!("reading `{shown}` was stopped before line {first}")),
        };
    }
    let mut text = String::new();
    for (number, line) in (first..).zip(&page.lines) {
        text.push_str(&format!("{number:>5}\t{line}\n"));
    }
    let next = last + 1;
    text.push_str(&match page.total {
        Some(total) if first == 1 && last == total => format!("({})", counted(page.lines.len(), "line")),
        Some(total) if last == total => format!("(lines {first}-{last} of {total})"),
        Some(total) => format!("(lines {first}-{last} of {total}; go on with offset {next})"),
        None => format!("(lines {first}-{last} of a file of {}; go on with offset {next})", size(bytes)),
    });
    if page.is_lossy {
        text.push_str("\n(Not all of it is valid UTF-8; what is not is shown as \u{fffd}.)");
    }
    Ok(text)
}
