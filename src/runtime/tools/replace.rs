//! The replacing itself: pure text in, text out, or the reason why not, with a hint that helps the next attempt.

use serde_json::Value;

use crate::ledger::Arguments;

use super::arguments::member;

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

/// Applies the edits one after the other, each to what the one before left. Line endings stay as the file has them,
/// however the edit writes them. Returns the text and the line of each replacement.
///
/// # Errors
/// Which edit does not fit, why, and what to do.
pub(super) fn apply(text: &str, edits: &[Edit]) -> Result<(String, Vec<usize>), String> {
    let mut text = text.to_owned();
    let mut lines = Vec::new();
    for (at, edit) in edits.iter().enumerate() {
        let which =
            if edits.len() == 1 { String::new() } else { format!("edit {} of {}: ", at + 1, edits.len()) };
        text = apply_one(&text, edit, &mut lines).map_err(|why| format!("{which}{why}"))?;
    }
    Ok((text, lines))
}

fn apply_one(text: &str, edit: &Edit, lines: &mut Vec<usize>) -> Result<String, String> {
    if edit.old.is_empty() {
        return Err("old_text is empty; give the text to replace, or use `write` for a whole file".to_owned());
    }
    let (old, new) = fit_endings(text, edit);
    if old == new {
        return Err("old_text and new_text are the same; nothing would change".to_owned());
    }
    let places = places(text, &old);
    match places.as_slice() {
        [] => return Err(not_found(text, &edit.old)),
        [_] => {}
        _ if edit.all => {}
        many => {
            let at: Vec<String> =
                many.iter().take(10).map(|place| line_of(text, *place).to_string()).collect();
            let more = if many.len() > at.len() { ", …" } else { "" };
            return Err(format!(
                "old_text occurs {} times, at lines {}{more}; give more of the text around the one you mean, \
                 or all: true to replace every one",
                many.len(),
                at.join(", "),
            ));
        }
    }
    let (mut line, mut counted_to) = (1, 0);
    for (at, _) in text.match_indices(&old) {
        line += text.get(counted_to..at).map_or(0, |between| between.matches('\n').count());
        counted_to = at;
        lines.push(line);
    }
    Ok(text.replace(&old, &new))
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

/// Where `old` stands, overlapping places included: `aa` stands twice in `aaa`.
fn places(text: &str, old: &str) -> Vec<usize> {
    let step = old.chars().next().map_or(1, char::len_utf8);
    let mut places = Vec::new();
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find(old)) {
        places.push(from + at);
        from += at + step;
    }
    places
}

fn line_of(text: &str, at: usize) -> usize {
    text.as_bytes().iter().take(at).filter(|byte| **byte == b'\n').count() + 1
}

/// The likeliest reasons, most specific first.
fn not_found(text: &str, old: &str) -> String {
    let wanted: Vec<&str> = old.lines().map(str::trim).collect();
    let there: Vec<&str> = text.lines().collect();
    if let Some(at) = there
        .windows(wanted.len())
        .position(|lines| lines.iter().map(|l| l.trim()).eq(wanted.iter().copied()))
    {
        let shown = there.get(at).copied().unwrap_or_default();
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
            "old_text was not found; its line {first:?} is at line {}, but the lines around it differ; \
             read the file there and copy the text exactly",
            at + 1
        ),
        None => "old_text was not found; read the file and copy the text exactly".to_owned(),
    }
}

fn has_line_number(line: &str) -> bool {
    line.split_once('\t').is_some_and(|(number, _)| number.trim().parse::<u64>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replaced(text: &str, old: &str, new: &str) -> Result<String, String> {
        apply(text, &[Edit { old: old.into(), new: new.into(), all: false }]).map(|(text, _)| text)
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
        assert!(why("aaa", "aa").contains("2 times"));
    }

    #[test]
    fn several_edits_build_on_each_other_or_fail_together() {
        let edit = |old: &str, new: &str, all| Edit { old: old.into(), new: new.into(), all };
        let done = apply("a b a\n", &[edit("a", "c", true), edit("c b", "d", false)]).unwrap();
        assert_eq!(done, ("d c\n".to_owned(), vec![1, 1, 1]));
        let why = apply("a b\n", &[edit("a", "c", false), edit("a", "d", false)]).unwrap_err();
        assert!(why.starts_with("edit 2 of 2: old_text was not found"), "{why}");
    }
}
