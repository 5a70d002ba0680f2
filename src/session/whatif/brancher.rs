//! Branches of a running session, for its front end: made, listed as a tree, and put beside it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use similar::{Algorithm, ChangeTag, capture_diff_slices};

use super::otherwise::{Typed, first, twist};
use super::{branch, departure};
use crate::config::fault::Fault;
use crate::ledger::{Body, Entry, Millis};
use crate::recorded::{Twist, history};
use crate::runtime::SessionStore;
use crate::runtime::store::{find, list};
use crate::runtime::undo::Hash;
use crate::session::branching::Trunk;
use crate::session::family::Family;
use crate::tool::{changes, numbered};
use crate::ui::{BranchRow, BranchStart, BranchWish, Otherwise, Reply, SideBySide};

/// Most rows that are put side by side.
const MOST_ROWS: usize = 5_000;
/// Characters of a row.
const MOST_CHARS: usize = 400;

/// Makes and compares branches of one session.
#[derive(Debug, Clone)]
pub(crate) struct Brancher {
    state: PathBuf,
    id: String,
    home: Option<PathBuf>,
}

impl Brancher {
    /// Of the session of this id.
    pub(crate) fn new(state: PathBuf, id: String, home: Option<PathBuf>) -> Self {
        Self { state, id, home }
    }

    /// Makes the branch: a copy of the folder as it was, and the session that goes on there. Else says why there is none.
    pub(crate) fn reply(&self, wish: &BranchWish, now: Millis) -> Reply {
        self.start(wish, now).map_or_else(Reply::Refused, |start| Reply::BranchStarts(Box::new(start)))
    }

    fn start(&self, wish: &BranchWish, now: Millis) -> Result<BranchStart, String> {
        let path = find(&self.state, &self.id)
            .map_err(|_none| "there are no messages yet, so nothing can go otherwise".to_owned())?;
        let entries = SessionStore::read(&path)?.entries;
        self.made(&path, &entries, wish, now).map_err(|fault| fault.to_string())
    }

    fn made(
        &self,
        path: &Path,
        entries: &[Arc<Entry>],
        wish: &BranchWish,
        now: Millis,
    ) -> Result<BranchStart, Fault> {
        let left = departure(entries, wish.entry)?;
        let mut typed = Typed::default();
        let mut model = None;
        match &wish.otherwise {
            Otherwise::Deny(reason) => typed.deny = Some(reason),
            Otherwise::Allow => typed.allow = true,
            Otherwise::Edit(text) => typed.edit = Some(text),
            Otherwise::Model(name) => (typed.has_other_model, model) = (true, Some(name.clone())),
        }
        let twist = twist(typed, entries, &left)?;
        let folder = match entries.first().map(|entry| &entry.body) {
            Some(Body::SessionStarted(started)) => PathBuf::from(&started.cwd),
            _ => PathBuf::new(),
        };
        let trunk = Trunk { state: &self.state, path, name: self.id.clone(), is_ours: true };
        let made = branch(&trunk, (&twist, &left, entries), (&folder, false), self.home.clone(), now)?;
        let first = first(&made.twist, &left, entries);
        let decided = match made.twist {
            Twist::Decides(call, answer) if first.is_none() => Some((call, answer)),
            Twist::Decides(..) | Twist::Says(..) => None,
        };
        Ok(BranchStart { id: made.id, folder: made.folder, first, decided, model, remarks: made.remarks })
    }

    /// The tree in which the session stands.
    pub(crate) fn rows(&self) -> Vec<BranchRow> {
        let sessions = list(&self.state).sessions;
        Family::of(&sessions).rows_around(&self.id)
    }

    /// What this session and another one decided and did, and what it cost.
    ///
    /// # Errors
    /// Why they cannot be compared, in one line.
    pub(crate) fn beside(&self, other: &str) -> Result<SideBySide, String> {
        let (own, others) = (self.lines(&self.id)?, self.lines(other)?);
        let id = find(&self.state, other)?;
        let id = id.file_stem().map_or_else(|| other.to_owned(), |name| name.to_string_lossy().into_owned());
        Ok(SideBySide { id, rows: aligned(&own, &others) })
    }

    fn lines(&self, id: &str) -> Result<Vec<String>, String> {
        let entries = SessionStore::read(&find(&self.state, id)?)?.entries;
        let names = match entries.first().map(|entry| &entry.body) {
            Some(Body::SessionStarted(started)) => {
                vec![(started.session.clone(), "SESSION"), (started.cwd.clone(), "FOLDER")]
            }
            _ => Vec::new(),
        };
        Ok(bounded(history(&entries, &names)))
    }
}

/// At most so many lines of so many characters. What is left out is told apart by its hash, so that different lines stay different.
fn bounded(mut lines: Vec<String>) -> Vec<String> {
    let rest = lines.split_off(lines.len().min(MOST_ROWS));
    let cut = |line: String| match line.char_indices().nth(MOST_CHARS) {
        None => line,
        Some((at, _)) => {
            let (shown, rest) = line.split_at(at);
            format!("{shown}… and {} bytes, sha256 {}", rest.len(), Hash::of(rest.as_bytes()))
        }
    };
    let mut lines: Vec<String> = lines.into_iter().map(cut).collect();
    if !rest.is_empty() {
        let hash = Hash::of(rest.join("\n").as_bytes());
        lines.push(format!("… and {} more lines, sha256 {hash}", rest.len()));
    }
    lines
}

/// The lines beside each other: equal ones in one row, and of a part that differs the first beside the first.
fn aligned(own: &[String], others: &[String]) -> Vec<(Option<String>, Option<String>)> {
    let (own, others): (Vec<&str>, Vec<&str>) =
        (own.iter().map(String::as_str).collect(), others.iter().map(String::as_str).collect());
    let (own_numbers, other_numbers) = numbered(&own, &others);
    let steps = capture_diff_slices(Algorithm::Myers, &own_numbers, &other_numbers);
    let (mut rows, mut left, mut right) = (Vec::new(), Vec::new(), Vec::new());
    for (tag, line) in changes(&steps, &own, &others) {
        let line = line.to_owned();
        match tag {
            ChangeTag::Delete => left.push(line),
            ChangeTag::Insert => right.push(line),
            ChangeTag::Equal => {
                pair(&mut rows, &mut left, &mut right);
                rows.push((Some(line.clone()), Some(line)));
            }
        }
    }
    pair(&mut rows, &mut left, &mut right);
    rows
}

fn pair(rows: &mut Vec<(Option<String>, Option<String>)>, left: &mut Vec<String>, right: &mut Vec<String>) {
    let (mut one, mut other) = (left.drain(..), right.drain(..));
    loop {
        match (one.next(), other.next()) {
            (None, None) => return,
            row => rows.push(row),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST_CHARS, MOST_ROWS, aligned, bounded};

    fn rows(own: &str, others: &str) -> Vec<(Option<String>, Option<String>)> {
        let lines = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        aligned(&lines(own), &lines(others))
    }

    #[test]
    fn what_is_left_out_of_long_lines_and_sessions_is_told_apart() {
        let long = |end: &str| vec![format!("{}{end}", "x".repeat(MOST_CHARS))];
        assert_eq!(bounded(long("")), long(""));
        assert_ne!(bounded(long("a")), bounded(long("b")));
        assert_eq!(bounded(long("a")), bounded(long("a")));
        let many = |last: &str| {
            let mut lines = vec![String::new(); MOST_ROWS];
            lines.push(last.to_owned());
            bounded(lines)
        };
        assert_eq!(many("a").len(), MOST_ROWS + 1);
        assert_ne!(many("a"), many("b"));
    }

    #[test]
    fn what_only_one_has_stands_alone() {
        let some = |one: &str, other: &str| {
            let side = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
            (side(one), side(other))
        };
        assert_eq!(
            rows("a b c", "a x y c d"),
            [some("a", "a"), some("b", "x"), some("", "y"), some("c", "c"), some("", "d")]
        );
        assert_eq!(rows("a", "a"), [some("a", "a")]);
        assert!(rows("", "").is_empty());
    }
}
