//! The replacing itself: pure text in, text out, or the reason why not, with a hint that helps the next attempt.

use memchr::memmem::{self, Finder};
use serde_json::Value;

use crate::ledger::Arguments;

use super::arguments::member;
use super::file::MOST_BYTES;
use super::stop::StopFlag;
use super::words::{shorten, size};

/// Most lines of replacements that are named.
const MOST_NAMED: usize = 20;
/// Most characters of a line that is shown in a hint.
const MOST_SHOWN: usize = 500;

/// One replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edit {
    /// What stands there.
    pub(super) old: String,
    /// What shall stand there.
    pub(super) new: String,
    /// Every place rather than the only one.
    pub(super) all: bool,
}

/// The edits of a call.
///
/// # Errors
/// What is missing.
pub(super) fn edits(arguments: &Arguments) -> Result<Vec<Edit>, String> {
    let list = member(arguments, "edits").and_then(Value::as_array).filter(|list| !list.is_empty());
    let list = list.ok_or("`edits` is missing; give a list of {old_text, new_text}")?;
    let text = |edit: &Value, name: &str| {
        let text = edit.get(name).and_then(Value::as_str);
        text.map(str::to_owned).ok_or_else(|| format!("an edit has no `{name}`; give it as a string"))
    };
    list.iter()
        .map(|edit| {
            Ok(Edit {
                old: text(edit, "old_text")?,
                new: text(edit, "new_text")?,
                all: edit.get("all").and_then(Value::as_bool).unwrap_or(false),
            })
        })
        .collect()
}

/// Where edits replaced something.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Replaced {
    /// At how many places.
    pub(super) count: usize,
    /// The lines of the first of them.
    pub(super) lines: Vec<usize>,
}

/// Applies the edits one after the other, each to what the one before left. Line endings stay as the file has them,
/// however the edit writes them. No step makes more than the largest file, unless the text was longer from the first.
///
/// # Errors
/// Which edit does not fit, why, and what to do.
pub(super) fn apply(text: &str, edits: &[Edit], stop: &StopFlag) -> Result<(String, Replaced), String> {
    let most = MOST_BYTES.max(text.len() as u64);
    let mut text = text.to_owned();
    let mut replaced = Replaced::default();
    for (at, edit) in edits.iter().enumerate() {
        if stop.is_set() {
            return Err("stopped before anything was changed".to_owned());
        }
        let which =
            if edits.len() == 1 { String::new() } else { format!("edit {} of {}: ", at + 1, edits.len()) };
        text = apply_one(&text, edit, most, &mut replaced).map_err(|why| format!("{which}{why}"))?;
    }
    Ok((text, replaced))
}

fn apply_one(text: &str, edit: &Edit, most: u64, replaced: &mut Replaced) -> Result<String, String> {
    if edit.old.is_empty() {
        return Err("old_text is empty; give the text to replace, or use `write` for a whole file".to_owned());
    }
    let (old, new) = fit_endings(text, edit);
    if old == new {
        return Err("old_text and new_text are the same; nothing would change".to_owned());
    }
    // Made once: it takes as long as the text that is looked for.
    let finder = Finder::new(&old);
    let Some(first) = finder.find(text.as_bytes()) else { return Err(not_found(text, &edit.old)) };
    if !edit.all {
        // Overlapping places count: `aa` stands twice in `aaa`.
        let step = old.chars().next().map_or(1, char::len_utf8);
        let behind = text.as_bytes().get(first + step..).unwrap_or_default();
        if finder.find(behind).is_some() {
            return Err(not_unique(text, &finder));
        }
    }
    let count = finder.find_iter(text.as_bytes()).count();
    if let Some(why) = too_large(text.len(), count, (old.len(), new.len()), most) {
        return Err(why);
    }
    let (mut line, mut counted_to) = (1, 0);
    let still_named = MOST_NAMED.saturating_sub(replaced.lines.len());
    for at in finder.find_iter(text.as_bytes()).take(still_named) {
        line += text.get(counted_to..at).map_or(0, |between| between.matches('\n').count());
        counted_to = at;
        replaced.lines.push(line);
    }
    replaced.count = replaced.count.saturating_add(count);
    Ok(text.replace(&old, &new))
}

/// Why the result is not made, if it would be too large: worked out before anything of it is there.
fn too_large(length: usize, count: usize, (old, new): (usize, usize), most: u64) -> Option<String> {
    let taken = count.saturating_mul(old);
    let put = count.saturating_mul(new);
    let result = u64::try_from(length.saturating_sub(taken).saturating_add(put)).unwrap_or(u64::MAX);
    (result > most).then(|| {
        format!(
            "the text would grow to {}, and at most {} can be edited; use `shell` with sed or a script",
            size(result),
            size(most)
        )
    })
}

fn not_unique(text: &str, finder: &Finder<'_>) -> String {
    let places = || finder.find_iter(text.as_bytes());
    let at: Vec<String> = places().take(10).map(|place| line_of(text, place).to_string()).collect();
    let (count, named) = (places().count(), at.join(", "));
    let occurs = match count {
        0 | 1 => format!("more than once, one over the other, from line {named} on"),
        many if many > at.len() => format!("{many} times, at lines {named}, …"),
        many => format!("{many} times, at lines {named}"),
    };
    format!(
        "old_text occurs {occurs}; give more of the text around the one you mean, or all: true to replace every one"
    )
}

/// Old and new text in the line endings of the place they are meant for.
fn fit_endings(text: &str, edit: &Edit) -> (String, String) {
    let bare = |text: &str| text.replace("\r\n", "\n");
    let full = |text: &str| bare(text).replace('\n', "\r\n");
    let mostly_full = text.matches("\r\n").count() * 2 > text.matches('\n').count();
    let candidates = [edit.old.clone(), bare(&edit.old), full(&edit.old)];
    let old = candidates.into_iter().find(|old| text.contains(old)).unwrap_or_else(|| edit.old.clone());
    let use_full = if old.contains('\n') { old.contains("\r\n") } else { mostly_full };
    let new = if use_full { full(&edit.new) } else { bare(&edit.new) };
    (old, new)
}

fn line_of(text: &str, at: usize) -> usize {
    text.as_bytes().iter().take(at).filter(|byte| **byte == b'\n').count() + 1
}

/// The likeliest reasons, most specific first.
fn not_found(text: &str, old: &str) -> String {
    let wanted: Vec<&str> = old.lines().map(str::trim).collect();
    let there: Vec<&str> = text.lines().collect();
    if let Some(at) = line_but_for_white_space(&there, &wanted) {
        let shown = shorten(there.get(at).copied().unwrap_or_default(), MOST_SHOWN);
        return format!(
            "old_text was not found, but line {} differs from it only in white space: {shown:?}; copy the text exactly",
            at + 1
        );
    }
    if old.lines().all(has_line_number) {
        return "old_text was not found; it seems to contain the line numbers that `read` shows; remove them"
            .to_owned();
    }
    let first = wanted.iter().find(|line| !line.is_empty()).copied().unwrap_or_default();
    match there.iter().position(|line| !first.is_empty() && line.trim() == first) {
        Some(at) => format!(
            "old_text was not found; its line {:?} is at line {}, but the lines around it differ; \
             read the file there and copy the text exactly",
            shorten(first, MOST_SHOWN),
            at + 1
        ),
        None => "old_text was not found; read the file and copy the text exactly".to_owned(),
    }
}

/// After how many lines of `there` those that are wanted stand, white space around each left out. One look through
/// all of them, however often they begin like what is wanted.
fn line_but_for_white_space(there: &[&str], wanted: &[&str]) -> Option<usize> {
    let there = joined(there.iter().map(|line| line.trim()));
    let wanted = joined(wanted.iter().copied());
    let at = memmem::find(there.as_bytes(), wanted.as_bytes())?;
    there.get(..at).map(|before| before.matches('\n').count())
}

/// These lines, each between two ends of lines.
fn joined<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    lines.fold("\n".to_owned(), |mut text, line| {
        text.push_str(line);
        text.push('\n');
        text
    })
}

fn has_line_number(line: &str) -> bool {
    line.split_once('\t').is_some_and(|(number, _)| number.trim().parse::<u64>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(text: &str, edits: &[Edit]) -> Result<(String, Replaced), String> {
        apply(text, edits, &StopFlag::default())
    }

    fn edit(old: &str, new: &str, all: bool) -> Edit {
        Edit { old: old.into(), new: new.into(), all }
    }

    fn replaced(text: &str, old: &str, new: &str) -> Result<String, String> {
        applied(text, &[edit(old, new, false)]).map(|(text, _)| text)
    }

    #[test]
    fn line_endings_stay_as_they_are() {
        assert_eq!(replaced("a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz").unwrap(), "x\r\ny\r\nz\r\nc\r\n");
        assert_eq!(replaced("a\r\nb\r\n", "b", "x\ny").unwrap(), "a\r\nx\r\ny\r\n");
        assert_eq!(replaced("a\nb\n", "a\r\nb", "x\r\ny").unwrap(), "x\ny\n");
        assert_eq!(replaced("a\nb\r\nc\nd\n", "b\r\nc", "x\ny").unwrap(), "a\nx\r\ny\nd\n");
    }

    #[test]
    fn every_failure_says_what_to_do() {
        let why = |text: &str, old: &str| replaced(text, old, "new").unwrap_err();
        assert!(
            why("one\n\ttwo\n", "    two\n")
                .contains("line 2 differs from it only in white space: \"\\ttwo\"")
        );
        assert!(why("one\ntwo\n", "one\nthree").contains("\"one\" is at line 1"));
        assert!(why("one\ntwo\n", "    1\tone\n    2\ttwo").contains("remove them"));
        assert!(why("one\n", "zzz").contains("read the file"));
        assert!(why("one\n", "").contains("empty"));
        assert!(why("new\n", "new").contains("the same"));
        assert!(why("a\nb\na\n", "a").contains("2 times, at lines 1, 3"));
        assert!(why("aaa", "aa").contains("more than once, one over the other, from line 1 on; give more"));
        let many = why(&"a\n".repeat(12), "a");
        assert!(many.contains("12 times, at lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …; give more"), "{many}");
        let long = format!("\t{}", "x".repeat(2_000));
        assert!(why(&long, &format!(" {}", "x".repeat(2_000))).contains("… (1501 more characters)"));
    }

    #[test]
    fn several_edits_build_on_each_other_or_fail_together() {
        let done = applied("a b a\n", &[edit("a", "c", true), edit("c b", "d", false)]).unwrap();
        assert_eq!(done, ("d c\n".to_owned(), Replaced { count: 3, lines: vec![1, 1, 1] }));
        let why = applied("a b\n", &[edit("a", "c", false), edit("a", "d", false)]).unwrap_err();
        assert!(why.starts_with("edit 2 of 2: old_text was not found"), "{why}");
    }

    #[test]
    fn no_text_grows_beyond_the_largest_file() {
        let grow = edit("a", &"a".repeat(2_000), true);
        let why = applied(&"a".repeat(1_000), &[grow.clone(), grow.clone(), grow]).unwrap_err();
        let words = "edit 2 of 3: the text would grow to 3.7 GB, and at most 10.0 MB can be edited";
        assert!(why.starts_with(words), "{why}");
        assert!(too_large(1, usize::MAX, (1, 2), MOST_BYTES).unwrap().contains("GB"));
        // Text that is longer than a file, as that of UTF-16 can be, does not have to shrink.
        let long = "€".repeat(5_000_000);
        assert_eq!(applied(&long, &[edit("€", "$", true)]).unwrap().1.count, 5_000_000);
        assert!(applied(&long, &[edit("€", "€€", true)]).unwrap_err().contains("at most 14.3 MB"));
    }

    #[test]
    fn what_repeats_itself_is_looked_through_once() {
        let long = "a".repeat(400_000);
        let half = "a".repeat(200_000);
        let why = replaced(&long, &half, "b").unwrap_err();
        assert!(why.starts_with("old_text occurs 2 times, at lines 1, 1; give more"), "{why}");
        let (text, found) = applied(&long, &[edit(&half, "b", true)]).unwrap();
        assert_eq!((text.as_str(), found.count), ("bb", 2));
        let lines = "a\n".repeat(200_000);
        let why = replaced(&lines, &format!("{}b\n", "a\n".repeat(100_000)), "c").unwrap_err();
        assert!(why.contains("its line \"a\" is at line 1"), "{why}");
        let (_, found) = applied(&lines, &[edit("a", "b", true)]).unwrap();
        assert_eq!((found.count, found.lines.len()), (200_000, MOST_NAMED), "not one for each is kept");
    }
}
