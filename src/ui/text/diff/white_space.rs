//! White space that a diff changes: where two lines would look or sound the same, it has signs or words.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use ratatui::text::Span;

use super::read::{DiffRow, Sign, leading};
use crate::ui::text::sanitize::{SAID_CHARACTER, Safe, Spelled, TAB_SIGN, said, sanitize_in_words};

/// Stands for a blank at the end of a changed line.
const END_SIGN: char = '·';

/// What is said for a tab.
const SAID_TAB: &str = "[tab]";

/// An indent of blanks that looks like one of a tab.
const LIKE_A_TAB: &str = "    ";

/// For each row, whether its tabs are told from blanks: where they stand inside of a changed line, where a line
/// of the other side has the same words, and where one change has both kinds of indents. Other diffs stay calm.
pub(super) fn told_tabs(rows: &[DiffRow<'_>]) -> Vec<bool> {
    let is_mixed = is_mixed(rows);
    let mut told = Vec::with_capacity(rows.len());
    let mut rest = rows;
    while let Some((row, others)) = rest.split_first() {
        let (removed, after) = leading(Sign::Remove, rest);
        let (added, after) = leading(Sign::Add, after);
        if removed.is_empty() && added.is_empty() {
            told.push(is_mixed && row.sign == Sign::Context);
            rest = others;
            continue;
        }
        for (side, other) in [(removed, added), (added, removed)] {
            let twins = Twins::of(side, other);
            let is_told = |row: &DiffRow<'_>| is_mixed || has_tab_inside(row.raw) || twins.has(row.raw);
            told.extend(side.iter().map(is_told));
        }
        rest = after;
    }
    told
}

/// Gives the rows their signs. The text and its colours change together.
pub(super) fn show(rows: &mut [DiffRow<'_>]) {
    let told = told_tabs(rows);
    for (row, tells_tabs) in rows.iter_mut().zip(told) {
        let is_changed = matches!(row.sign, Sign::Add | Sign::Remove);
        let is_usual = row.raw.is_ascii() && !row.raw.ends_with([' ', '\t']);
        if !tells_tabs && (is_usual || !is_changed) {
            continue;
        }
        let Spelled { text, written } = marked(row.raw, tells_tabs, is_changed);
        row.written = written;
        row.painted = row.painted.take().and_then(|spans| repainted(spans, &text));
        row.text = Cow::Owned(text);
    }
}

/// The text of a row in words. A line that has such words itself has a backslash before them.
pub(super) fn in_words<'r>(row: &'r DiffRow<'_>, tells_tabs: bool) -> Cow<'r, str> {
    let escaped = |part: &str| {
        let tabs = part.replace(SAID_TAB, &format!("\\{SAID_TAB}"));
        tabs.replace(SAID_CHARACTER, &format!("\\{SAID_CHARACTER}"))
    };
    let says_so = row.raw.contains(SAID_TAB) || row.raw.contains(SAID_CHARACTER);
    if !tells_tabs && !says_so && row.written.is_empty() {
        return Cow::Borrowed(row.text.as_ref());
    }
    if !tells_tabs {
        return Cow::Owned(sanitize_in_words(&escaped(row.raw)));
    }
    let mut words = String::new();
    for (at, part) in row.raw.split('\t').enumerate() {
        if at > 0 {
            words.push_str(if words.is_empty() { "" } else { " " });
            words.push_str(SAID_TAB);
            words.push_str(if part.is_empty() { "" } else { " " });
        }
        for character in escaped(part).chars() {
            if is_other(character) {
                words.push_str(&said(character));
            } else {
                words.push(character);
            }
        }
    }
    Cow::Owned(sanitize_in_words(&words))
}

/// The lines of the other side without their white space, for a side that has more than blanks.
struct Twins<'a> {
    lines: BTreeMap<String, BTreeSet<&'a str>>,
}

impl<'a> Twins<'a> {
    fn of(side: &[DiffRow<'_>], other: &[DiffRow<'a>]) -> Self {
        let mut lines: BTreeMap<String, BTreeSet<&'a str>> = BTreeMap::new();
        if side.iter().any(|row| row.raw.contains(needs_a_sign)) {
            for row in other {
                lines.entry(words(row.raw)).or_default().insert(row.raw);
            }
        }
        Self { lines }
    }

    /// Whether a line differs from one of these by white space alone.
    fn has(&self, line: &str) -> bool {
        line.contains(needs_a_sign)
            && self.lines.get(&words(line)).is_some_and(|twins| twins.iter().any(|twin| *twin != line))
    }
}

fn words(line: &str) -> String {
    line.chars().filter(|character| !character.is_whitespace()).collect()
}

/// White space that is neither a blank nor a tab, and is no control character: those are always shown.
fn is_other(character: char) -> bool {
    character.is_whitespace() && !character.is_control() && character != ' '
}

fn needs_a_sign(character: char) -> bool {
    character == '\t' || is_other(character)
}

/// Whether one indent has a tab and one has blanks instead, of which a changed line has one.
fn is_mixed(rows: &[DiffRow<'_>]) -> bool {
    let any = |has: &str, changed: bool| {
        let is_asked = |sign: Sign| match sign {
            Sign::Add | Sign::Remove => true,
            Sign::Context => !changed,
            Sign::Header | Sign::Note => false,
        };
        rows.iter().filter(|row| is_asked(row.sign)).any(|row| indent(row.raw).contains(has))
    };
    (any("\t", true) && any(LIKE_A_TAB, false)) || (any("\t", false) && any(LIKE_A_TAB, true))
}

/// The blanks and tabs before the first word; a line without words has none.
fn indent(line: &str) -> &str {
    let words = line.trim_start_matches([' ', '\t']);
    if words.is_empty() { "" } else { line.strip_suffix(words).unwrap_or_default() }
}

/// Whether a tab stands behind the indent.
fn has_tab_inside(line: &str) -> bool {
    let words = line.trim_start_matches([' ', '\t']);
    if words.is_empty() { line.contains('\t') } else { words.contains('\t') }
}

/// A text with signs in the place of white space, and made safe. A sign that the line has itself is written out.
fn marked(line: &str, tells_tabs: bool, is_changed: bool) -> Spelled {
    let is_blank = |character: char| character == ' ' || needs_a_sign(character);
    let words = if is_changed { line.trim_end_matches(is_blank) } else { line };
    let end = line.strip_prefix(words).unwrap_or_default();
    let mut text = if tells_tabs { Safe::with_tabs() } else { Safe::default() };
    let mut rest = words.chars().peekable();
    while let Some(character) = rest.next() {
        let next = rest.peek().copied();
        let is_last = is_changed && next.is_none();
        let is_a_sign = character == TAB_SIGN || (is_last && character == END_SIGN);
        if is_a_sign || (tells_tabs && is_other(character)) {
            text.write_out(character);
        } else {
            text.push(character, next);
        }
    }
    for character in end.chars() {
        match character {
            ' ' => text.push(END_SIGN, None),
            '\t' => text.push(character, None),
            _ => text.write_out(character),
        }
    }
    text.spelled()
}

/// The same colours on a text whose signs stand each for one character; none where something is written out.
fn repainted(spans: Vec<Span<'static>>, text: &str) -> Option<Vec<Span<'static>>> {
    let length = |span: &Span<'static>| span.content.chars().count();
    if spans.iter().map(length).sum::<usize>() != text.chars().count() {
        return None;
    }
    let mut rest = text.chars();
    let marked = spans.into_iter().map(|span| {
        let part: String = rest.by_ref().take(length(&span)).collect();
        Span::styled(part, span.style)
    });
    Some(marked.collect())
}

#[cfg(test)]
mod tests {
    use ratatui::style::Modifier;
    use ratatui::text::Span;

    use super::super::{DiffColours, render, spoken};
    use crate::ui::text::highlight::Highlighter;
    use crate::ui::theme::Theme;

    fn shown(unified: &str, width: u16) -> Vec<String> {
        let (theme, highlighter) = (Theme::plain(), Highlighter::off());
        let colours = DiffColours { theme: &theme, language: "", highlighter: &highlighter };
        render(unified, width, colours).iter().skip(1).map(ToString::to_string).collect()
    }

    #[test]
    fn lines_that_differ_by_white_space_alone_look_different() {
        let makefile = "@@ -5,2 +5,2 @@\n all:\n-\trm -f x\n+    rm -f x\n";
        assert_eq!(shown(makefile, 60), ["5 5   all:", "6   - ⇥   rm -f x", "  6 +     rm -f x"]);
        let beside = shown(makefile, 120).join("\n");
        assert!(beside.contains("6 - ⇥   rm -f x") && beside.contains("6 +     rm -f x"), "{beside}");
        // They need not stand at the same place.
        let moved = "@@ -1,2 +1 @@\n-gone\n-\tx\n+  x\n";
        assert_eq!(shown(moved, 60), ["1   - gone", "2   - ⇥   x", "  1 +   x"]);
        assert_eq!(shown("@@ -1 +1 @@\n-a b\n+a\u{a0}b\n", 60), ["1   - a b", "  1 + a\\u{a0}b"]);
    }

    #[test]
    fn blanks_at_the_end_of_a_changed_line_are_seen() {
        assert_eq!(shown("@@ -1 +1 @@\n-one\n+one   \n", 60), ["1   - one", "  1 + one···"]);
        assert_eq!(shown("@@ -1,2 +1,2 @@\n a  \n-\n+  \n", 60)[1..], ["2   - ", "  2 + ··"]);
        assert_eq!(shown("@@ -0,0 +1 @@\n+x\t \n", 60), ["  1 + x⇥  ·"]);
    }

    #[test]
    fn a_change_with_both_kinds_of_indents_tells_them_apart() {
        assert_eq!(
            shown("@@ -0,0 +1,2 @@\n+\ttab\n+    blanks\n", 60),
            ["  1 + ⇥   tab", "  2 +     blanks"]
        );
        assert_eq!(shown("@@ -1 +1,2 @@\n \told\n+    new\n", 60), ["1 1   ⇥   old", "  2 +     new"]);
        assert_eq!(shown("@@ -0,0 +1 @@\n+a\tb\n", 60), ["  1 + a⇥  b"]);
    }

    #[test]
    fn ordinary_diffs_have_no_signs() {
        let tabs = "@@ -1,2 +1,2 @@\n \tsame  \n-\told\n+\tnew\n";
        assert_eq!(shown(tabs, 60)[1..], ["2   -     old", "  2 +     new"]);
        assert!(!shown(tabs, 60).concat().contains(['⇥', '·']));
    }

    #[test]
    fn a_text_cannot_pass_for_a_sign() {
        assert_eq!(
            shown("@@ -1 +1,2 @@\n-\tx\n+⇥   x\n+a··\n", 60),
            ["1   -     x", "  1 + \\u{21e5}   x", "  2 + a·\\u{b7}"]
        );
    }

    #[test]
    fn a_character_that_is_written_out_looks_and_sounds_different_from_those_letters() {
        let unified = "@@ -1 +1,2 @@\n-a\\u{200b} ^G\n+a\u{200b} \x07\n+[character U+0007]\n";
        for theme in Theme::names().iter().filter_map(|name| Theme::builtin(name)) {
            let colours =
                DiffColours { theme: &theme, language: "rs", highlighter: &Highlighter::immediate() };
            for width in [60, 120] {
                let lines = render(unified, width, colours);
                let reversed = |span: &&Span<'_>| span.style.add_modifier.contains(Modifier::REVERSED);
                let written: Vec<&str> = lines
                    .iter()
                    .flat_map(|line| line.spans.iter().filter(reversed))
                    .map(|span| span.content.as_ref())
                    .collect();
                assert_eq!(written.concat(), "\\u{200b}^G", "{}", theme.name);
            }
        }
        assert_eq!(
            spoken(unified)[1..],
            [
                "removed: a\\u{200b} ^G",
                "added: a[character U+200B] [character U+0007]",
                "added: \\[character U+0007]"
            ]
        );
    }

    #[test]
    fn signs_leave_the_code_its_colours() {
        let theme = Theme::builtin("countersign-dark").unwrap();
        let highlighter = Highlighter::immediate();
        let colours = DiffColours { theme: &theme, language: "rs", highlighter: &highlighter };
        let lines = render("@@ -1 +1 @@\n-\tlet a = 1;\n+    let a = 1;\n", 60, colours);
        assert!(lines[1].to_string().contains("- ⇥   let a = 1;"), "{}", lines[1]);
        let keyword = lines[1].spans.iter().find(|span| span.content.contains("let")).unwrap();
        assert_eq!(keyword.style.fg, theme.syntax.keyword.fg);
        assert_eq!(lines[1].spans.iter().filter(|span| span.content.contains('⇥')).count(), 1);
    }

    #[test]
    fn tabs_are_said_where_lines_would_sound_the_same() {
        let said = |unified: &str| spoken(unified).split_off(1);
        assert_eq!(
            said("@@ -1,2 +1,2 @@\n all:\n-\t\trm -f x\n+        rm -f x\n"),
            ["same: all:", "removed: [tab] [tab] rm -f x", "added:         rm -f x"]
        );
        assert_eq!(said("@@ -0,0 +1 @@\n+a\tb\n"), ["added: a [tab] b"]);
        assert_eq!(said("@@ -1 +1 @@\n-\told\n+\tnew\n"), ["removed:     old", "added:     new"]);
        assert_eq!(said("@@ -0,0 +1 @@\n+[tab] b\n"), ["added: \\[tab] b"]);
    }
}
