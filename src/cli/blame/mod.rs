//! `blame`: which call wrote a line, who allowed it, and what it was asked for.

pub mod args;
pub(super) mod described;
mod report;

use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::outcome::say;
use super::sessions::place::{SessionPlace, lines, remark};
use crate::config::environment::Environment;
use crate::config::exit::Exit;
use crate::config::fault::Fault;
use crate::runtime::open_regular;
use crate::session::blame::{Blame, Origin};
use args::BlameArgs;

/// Larger files are not followed; their contents were not kept.
const MOST_BYTES: u64 = 10 << 20;

/// Follows the lines back and tells, as seen from the folder `cwd`. Exit 1 where no session wrote any of them.
///
/// # Errors
/// There is no such file or line, or it is not text.
pub(super) fn run(words: &BlameArgs, cwd: PathBuf, environment: Environment) -> Result<Exit, Fault> {
    let place = SessionPlace::new(cwd, environment)?;
    let (path, line) = named(&words.what, &place)?;
    let shown = place.environment.shown(&path);
    let now = content(&path, &shown)?;
    let home = place.environment.home();
    let blame = Blame::of(&place.state, path, now, home.as_ref());
    for why in &blame.unreadable {
        remark(&format!("{why}; not searched"));
    }
    blame.damaged().for_each(remark);
    let texts = blame.lines();
    if let Some(line) = line.filter(|line| *line > texts.len()) {
        let count = texts.len();
        return Err(Fault::usage(
            format!("there is no line {line}: {shown} has {count}"),
            "name one of its lines, or leave the number out",
        ));
    }
    let wanted: Vec<usize> = line.map_or_else(|| (0..texts.len()).collect(), |line| vec![line - 1]);
    let is_written =
        |at: &usize| matches!(blame.origins.get(*at), Some(Origin::Step(_) | Origin::Perhaps(_)));
    let exit = if wanted.iter().any(is_written) { Exit::Completed } else { Exit::Failed };
    let text = if words.json {
        lines(wanted.iter().map(|at| report::json(&blame, &texts, *at, words.diff)))
    } else if line.is_some() {
        wanted.iter().map(|at| report::one(&blame, &texts, *at, words.diff)).collect()
    } else {
        report::all(&blame, &texts, words.diff)
    };
    say(&place.without_keys(text))?;
    Ok(exit)
}

/// The file, links followed, and the number of the line, from 1.
fn named(what: &str, place: &SessionPlace) -> Result<(PathBuf, Option<usize>), Fault> {
    let whole = place.path(Path::new(what));
    let (path, line) = match what.rsplit_once(':') {
        Some((path, number)) if !whole.exists() => {
            let line = number.parse::<usize>().ok().filter(|line| *line > 0);
            let line = line.ok_or_else(|| {
                Fault::usage(format!("`{number}` is not the number of a line"), "lines are counted from 1")
            })?;
            (place.path(Path::new(path)), Some(line))
        }
        _ => (whole, None),
    };
    let real = path.canonicalize().map_err(|why| {
        Fault::usage(
            format!("cannot read {}: {why}", path.display()),
            "name a file that exists; for one that is gone, see `countersign sessions search`",
        )
    })?;
    Ok((real, line))
}

fn content(path: &Path, shown: &str) -> Result<String, Fault> {
    let refused = |why: String| Fault::usage(format!("{shown} {why}"), "name a text file");
    let (file, found) = open_regular(path).map_err(|why| refused(format!("cannot be read: {why}")))?;
    let mut bytes = Vec::new();
    if found.len() <= MOST_BYTES {
        let read = file.take(MOST_BYTES + 1).read_to_end(&mut bytes);
        read.map_err(|why| refused(format!("cannot be read: {why}")))?;
    }
    if found.len() > MOST_BYTES || bytes.len() as u64 > MOST_BYTES {
        return Err(refused(format!("is larger than {} MB", MOST_BYTES >> 20)));
    }
    String::from_utf8(bytes).map_err(|_binary| refused("is not text".to_owned()))
}
