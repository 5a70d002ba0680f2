//! Lines of a file followed back through its recorded changes, as `git blame` follows them through commits.

use std::time::{Duration, Instant};

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};

use crate::runtime::undo::Content;
use crate::session::file_history::{Contents, FileStep};
use crate::tool::numbered;

/// How long two contents are compared; after that larger parts count as different.
const PATIENCE: Duration = Duration::from_secs(2);

/// Where a line comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    /// This recorded change wrote it, by its place.
    Step(usize),
    /// This recorded change, or something after it that was not recorded: what the change made of the file is not known.
    Perhaps(usize),
    /// Something that was not recorded, after this change.
    Unrecorded(usize),
    /// It was there before the first recorded change.
    Before,
    /// What the file was before this change is not known; why.
    Lost(usize, String),
}

/// Where each line of a text comes from, by the recorded changes of the file, oldest first.
pub(crate) fn origins(now: &str, steps: &[FileStep], contents: &Contents<'_>) -> Vec<Origin> {
    let mut walk = LineWalk::at(now);
    let mut left = steps.len();
    while let Some(place) = left.checked_sub(1).filter(|_| walk.is_open()) {
        let Some(step) = steps.get(place) else { break };
        let before = contents.before(step);
        match contents.after(step) {
            Ok(after) => {
                walk.back_to(after, &Origin::Unrecorded(place));
                if let Some(earlier) = restored(steps, place) {
                    left = earlier;
                    continue;
                }
                match before {
                    Ok(before) => walk.back_to(before, &Origin::Step(place)),
                    Err(why) => walk.close(&Origin::Lost(place, why)),
                }
            }
            Err(_) => match before {
                Ok(before) => walk.back_to(before, &Origin::Perhaps(place)),
                Err(why) => walk.close(&Origin::Lost(place, why)),
            },
        }
        left = place;
    }
    walk.close(&Origin::Before);
    walk.found
}

/// Of an undo, the place of the change that found what it has put back: from there it is as if nothing had happened in between.
fn restored(steps: &[FileStep], place: usize) -> Option<usize> {
    let undo = steps.get(place).filter(|step| step.change.call.is_none())?;
    if !matches!(undo.change.after, Content::Known(_)) {
        return None;
    }
    steps.get(..place)?.iter().rposition(|step| step.change.before == undo.change.after)
}

/// The lines that are still followed, and where they stand in the content that was reached.
struct LineWalk {
    found: Vec<Origin>,
    /// The place of each line in the text, and in the content that was reached.
    open: Vec<(usize, usize)>,
    here: String,
}

impl LineWalk {
    fn at(now: &str) -> Self {
        let count = lines(now).len();
        Self {
            found: vec![Origin::Before; count],
            open: (0..count).map(|at| (at, at)).collect(),
            here: now.to_owned(),
        }
    }

    fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// Goes on to an older content: what is not in it comes from the step between.
    fn back_to(&mut self, older: Option<Vec<u8>>, origin: &Origin) {
        // Whatever is no text is compared as far as it is.
        let older = older.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
        if older == self.here {
            return;
        }
        let mut older_place: Vec<Option<usize>> = vec![None; lines(&self.here).len()];
        {
            let (were, are) = (lines(&older), lines(&self.here));
            let (was, is) = numbered(&were, &are);
            let until = Some(Instant::now() + PATIENCE);
            for step in capture_diff_slices_deadline(Algorithm::Myers, &was, &is, until) {
                if let DiffOp::Equal { old_index, new_index, len } = step {
                    for at in 0..len {
                        if let Some(place) = older_place.get_mut(new_index + at) {
                            *place = Some(old_index + at);
                        }
                    }
                }
            }
        }
        let mut open = Vec::new();
        for (line, place) in std::mem::take(&mut self.open) {
            match older_place.get(place).copied().flatten() {
                Some(place) => open.push((line, place)),
                None => self.settle(line, origin),
            }
        }
        (self.open, self.here) = (open, older);
    }

    fn close(&mut self, origin: &Origin) {
        for (line, _) in std::mem::take(&mut self.open) {
            self.settle(line, origin);
        }
    }

    fn settle(&mut self, line: usize, origin: &Origin) {
        if let Some(found) = self.found.get_mut(line) {
            found.clone_from(origin);
        }
    }
}

/// The lines of a content, each with its end.
pub(super) fn lines(content: &str) -> Vec<&str> {
    content.split_inclusive('\n').collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::{CallId, EntryId, Millis};
    use crate::runtime::undo::{Change, Hash};

    fn step(call: Option<u64>, before: &Content, after: &Content) -> FileStep {
        let (before, after) = (before.clone(), after.clone());
        let call = call.map(CallId);
        let change = Change { call, path: "/w/a".into(), before, after, mode: None, runs: None, made: None };
        FileStep { source: 0, change, at: Millis(0), entry: EntryId(1) }
    }

    fn of(text: &str) -> Content {
        Content::Known(Hash::of(text.as_bytes()))
    }

    #[test]
    fn what_an_undo_has_put_back_comes_from_where_it_came_from_before() {
        let now = "one\ntwo\n";
        let contents = Contents::of(&[], Some(now.into()));
        let made = step(Some(1), &Content::Absent, &of(now));
        let lost = step(Some(2), &of(now), &of("gone\n"));
        let undo = step(None, &of("gone\n"), &of(now));
        let origins = |steps: &[FileStep]| origins(now, steps, &contents);
        assert_eq!(origins(&[made.clone(), lost.clone(), undo.clone()]), [Origin::Step(0), Origin::Step(0)]);
        // Of a file that the session did not make.
        assert_eq!(origins(&[lost, undo.clone()]), [Origin::Before, Origin::Before]);
        assert!(matches!(origins(&[made, undo]).as_slice(), [Origin::Lost(1, _), Origin::Lost(1, _)]));
    }

    #[test]
    fn a_call_whose_outcome_is_not_known_may_have_written_what_was_not_there_before() {
        let contents = Contents::of(&[], Some("one\n".into()));
        let steps = [
            step(Some(1), &Content::Absent, &of("not kept")),
            step(Some(2), &of("one\n"), &Content::Large(9)),
        ];
        assert_eq!(origins("one\ntwo\n", &steps, &contents), [Origin::Perhaps(0), Origin::Perhaps(1)]);
    }
}
