//! The page of changes: each file as it was before the session's first edit, and as it is now.

use super::undo::Undoing;
use crate::runtime::undo::FileDifference;
use crate::ui::report::ReportPart;

/// Most files whose changes are shown, and most lines of all diffs together.
const MOST_FILES: usize = 100;
const MOST_LINES: usize = 2_000;
/// How the diff of a file begins that was not there.
const NEW_FILE: &str = "--- /dev/null\n";

/// What the page of changes says.
///
/// # Errors
///
/// The records of changes cannot be read.
pub(super) fn changes(undo: &Undoing) -> Result<Vec<ReportPart>, String> {
    let (files, all) = undo.differences(MOST_FILES)?;
    if files.is_empty() {
        return Ok(vec![ReportPart::note(
            "No file differs from what it was before this session's edits. Changes made by commands are not \
             tracked: /diff git shows those, and !git status names new files.",
        )]);
    }
    let is_cut = files.len() < all && files.len() == MOST_FILES;
    let explained = ReportPart::note(if is_cut {
        "The first files are shown. Changes made by commands are not tracked: /diff git shows those, and !git status \
         names new files."
    } else {
        "Each file as it was before this session's first edit, and as it is now. Changes made by commands are not \
         tracked: /diff git shows those, and !git status names new files."
    });
    let mut parts = vec![ReportPart::Heading(added_up(&files, is_cut)), explained];
    let mut left = MOST_LINES;
    for FileDifference { path, diff } in files {
        let path = undo.shown(&path);
        match diff {
            Ok((unified, added, removed)) => {
                // The page leaves out the lines that say so.
                let new = if unified.starts_with(NEW_FILE) { "new  " } else { "" };
                parts.push(ReportPart::Heading(format!("{path}  {new}+{added} −{removed}")));
                let lines = unified.lines().count();
                if lines > left {
                    parts.push(ReportPart::note("not shown: there is too much before it"));
                    continue;
                }
                left -= lines;
                parts.push(ReportPart::Diff { path, unified });
            }
            Err(why) => {
                parts.push(ReportPart::Heading(path));
                parts.push(ReportPart::Line(why));
            }
        }
    }
    Ok(parts)
}

/// How many files differ, and by how many lines; of those that cannot be compared nobody knows.
fn added_up(files: &[FileDifference], is_first: bool) -> String {
    let known = || files.iter().filter_map(|file| file.diff.as_ref().ok());
    let added: usize = known().map(|(_, added, _)| added).sum();
    let removed: usize = known().map(|(.., removed)| removed).sum();
    let count = if files.len() == 1 { "1 file".to_owned() } else { format!("{} files", files.len()) };
    let first = if is_first { "the first " } else { "" };
    format!("{first}{count} · +{added} −{removed}")
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn files_and_lines_are_added_up() {
        let file = |diff| FileDifference { path: PathBuf::from("a.rs"), diff };
        let changed = || file(Ok((String::new(), 12, 3)));
        assert_eq!(added_up(&[changed()], false), "1 file · +12 −3");
        let all = [changed(), file(Ok((String::new(), 0, 1))), file(Err("was too large".to_owned()))];
        assert_eq!(added_up(&all, false), "3 files · +12 −4");
        assert_eq!(added_up(&all, true), "the first 3 files · +12 −4");
    }
}
