//! How many elements a parser would make anew for a page: each formatting element that is left open, in every block that
//! follows, and copies of those that end in another order than they begin.
//!
//! It is never fewer than a parser makes: an end counts only where it must be that of the element.

use std::collections::BTreeMap;

use super::tags::{EMPTY, HtmlTag, WITHOUT_END};

/// What a parser makes anew.
const FORMATTING: &[&str] =
    &["a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"];
/// An end in one of these does not end what was begun outside of it.
const BARRIERS: &[&str] = &[
    "annotation-xml",
    "applet",
    "caption",
    "desc",
    "foreignobject",
    "marquee",
    "math",
    "mi",
    "mn",
    "mo",
    "ms",
    "mtext",
    "object",
    "select",
    "svg",
    "table",
    "td",
    "template",
    "th",
];
/// Those of a table whose ends drop what is left open in them.
const CELLS: &[&str] = &["td", "th"];
/// What ends a cell that is not ended, wherever it stands.
const ROWS: &[&str] = &["col", "colgroup", "tbody", "tfoot", "thead", "tr"];
/// Barriers in which the rules of drawings and formulas hold.
const DRAWINGS: &[&str] = &["math", "svg"];
/// Most elements that one end makes: eight times one and three that lie in between.
const MOST_COPIES: usize = 32;
/// How many of those that were begun last an end is compared with.
const MOST_COMPARED: usize = 512;

/// The formatting of a page, as far as it was gone through.
#[derive(Debug, Default)]
pub(super) struct Reopened {
    /// How many elements were made anew.
    made: usize,
    /// How many may be made anew by the next block.
    active: usize,
    /// The same of each name.
    active_by_name: BTreeMap<String, usize>,
    /// Those of them that an end can still end.
    open: Vec<OpenFormatting>,
    barriers: Vec<Barrier>,
    /// How many of these are drawings or formulas.
    drawings: usize,
    /// Other elements that are begun and not ended by an end that is theirs.
    nested: Vec<String>,
    /// How many elements were begun that need no end.
    without_end: usize,
    /// Whether a tag only looked like one.
    has_lost: bool,
}

#[derive(Debug)]
struct OpenFormatting {
    name: String,
    /// How much was nested when it was begun; more than there is, once that was ended.
    nested: usize,
    without_end: usize,
}

#[derive(Debug)]
struct Barrier {
    name: String,
    nested: usize,
    without_end: usize,
    /// What is open outside of it.
    outside: Vec<OpenFormatting>,
    /// Whether a parser must see the table or the cell that this is, and nothing else has ended it. All are sure, or none.
    is_sure: bool,
}

impl Reopened {
    /// How many elements were made anew.
    pub(super) fn made(&self) -> usize {
        self.made
    }

    /// Whether the next tag may stand in a drawing or a formula.
    pub(super) fn is_drawing(&self) -> bool {
        self.drawings > 0
    }

    /// Takes in a tag. `is_lost`: it only looks like one, so that it may begin something and ends nothing.
    pub(super) fn read(&mut self, tag: &HtmlTag, is_lost: bool) {
        if is_lost {
            self.has_lost = true;
            self.doubt();
        }
        match (tag.is_end, is_lost) {
            (false, _) => self.begin(tag, is_lost),
            (true, false) => self.end(&tag.name),
            (true, true) => self.copy(&tag.name),
        }
    }

    fn begin(&mut self, tag: &HtmlTag, is_lost: bool) {
        let name = tag.name.as_str();
        if FORMATTING.contains(&name) {
            // These end the one before them, as their ends do.
            let is_ended = name == "a" && !is_lost && self.close(name);
            if matches!(name, "a" | "nobr") && !is_ended {
                self.copy(name);
            }
            self.begin_formatting(name, is_lost);
            return;
        }
        if ROWS.contains(&name) && !self.is_right_in_table() {
            self.doubt();
        }
        if EMPTY.contains(&name) {
            return;
        }
        // What follows a `span` is made anew before it: its end takes nothing of that away.
        if name != "span" {
            self.add(self.active);
        }
        if is_lost || (self.is_in_drawing() && tag.closes_itself) {
            return;
        }
        if BARRIERS.contains(&name) {
            self.drawings += usize::from(DRAWINGS.contains(&name));
            let is_sure = self.must_be_there(name);
            if !is_sure {
                self.doubt();
            }
            let outside = std::mem::take(&mut self.open);
            let (nested, without_end) = (self.nested.len(), self.without_end);
            self.barriers.push(Barrier { name: name.to_owned(), nested, without_end, outside, is_sure });
        } else if self.drawings > 0 || !WITHOUT_END.contains(&name) {
            self.nested.push(name.to_owned());
        } else {
            self.without_end += 1;
        }
    }

    fn begin_formatting(&mut self, name: &str, is_lost: bool) {
        self.active += 1;
        *self.active_by_name.entry(name.to_owned()).or_default() += 1;
        // Once, by what is no block.
        self.add(1);
        if is_lost {
            return;
        }
        let (nested, without_end) = (self.nested.len(), self.without_end);
        self.open.push(OpenFormatting { name: name.to_owned(), nested, without_end });
        if self.drawings > 0 {
            self.nested.push(name.to_owned());
        }
    }

    fn end(&mut self, name: &str) {
        // These ends begin an element where there is none.
        if matches!(name, "p" | "br") {
            self.add(1);
        }
        if FORMATTING.contains(&name) {
            if self.drawings > 0 {
                self.pop(name);
            }
            if !self.close(name) {
                self.copy(name);
            }
            return;
        }
        let nested = self.nested.len();
        // The end of a drawing ends all shapes in it. What was none of them has ended the drawing before.
        let is_drawing = DRAWINGS.contains(&name);
        let is_whole =
            |barrier: &mut Barrier| barrier.name == name && (is_drawing || barrier.nested == nested);
        match self.barriers.pop_if(is_whole) {
            Some(mut barrier) => {
                self.drawings -= usize::from(is_drawing);
                if barrier.nested < nested {
                    self.nested.truncate(barrier.nested);
                    let last = barrier.outside.iter_mut().rev().take(MOST_COMPARED);
                    last.for_each(|open| open.nested = usize::MAX);
                }
                // What was begun in a cell and not ended is dropped with it. In others it stays active, and nothing ends it any more.
                let left = std::mem::replace(&mut self.open, barrier.outside);
                if barrier.is_sure && CELLS.contains(&name) {
                    left.iter().for_each(|open| self.forget(&open.name));
                }
                if name == "table" {
                    self.without_end = barrier.without_end;
                }
            }
            None => {
                let is_row = ROWS.contains(&name);
                if BARRIERS.contains(&name) || (is_row && !self.is_right_in_table()) {
                    self.doubt();
                }
                self.pop(name);
            }
        }
    }

    /// Whether a parser must see this table or this cell.
    fn must_be_there(&self, name: &str) -> bool {
        let last = self.barriers.last();
        let is_in =
            |names: &[&str]| last.is_some_and(|last| last.is_sure && names.contains(&last.name.as_str()));
        !self.has_lost
            && match name {
                "table" => last.is_none() || is_in(CELLS),
                _ => CELLS.contains(&name) && is_in(&["table"]),
            }
    }

    /// Whether the next tag stands between the cells of a table.
    fn is_right_in_table(&self) -> bool {
        self.barriers.last().is_some_and(|last| last.name == "table")
    }

    /// A parser may see the end of a cell that is open, or more in it than is seen here.
    fn doubt(&mut self) {
        let sure = self.barriers.iter_mut().rev().take_while(|barrier| barrier.is_sure);
        sure.for_each(|barrier| barrier.is_sure = false);
    }

    /// Ends the element that was begun last, if it has this name.
    fn pop(&mut self, name: &str) {
        let floor = self.barriers.last().map_or(0, |barrier| barrier.nested);
        if self.nested.len() > floor && self.nested.last().is_some_and(|last| last == name) {
            self.nested.pop();
            let left = self.nested.len();
            let last = self.open.iter_mut().rev().take(MOST_COMPARED);
            last.take_while(|open| open.nested > left).for_each(|open| open.nested = usize::MAX);
        }
    }

    /// Ends the formatting element of this name that was begun last; whether there is one.
    fn close(&mut self, name: &str) -> bool {
        let back = self.open.iter().rev().take(MOST_COMPARED).position(|open| open.name == name);
        let Some(at) = back.and_then(|back| self.open.len().checked_sub(back + 1)) else { return false };
        let open = self.open.remove(at);
        self.forget(name);
        if open.nested != self.nested.len() || open.without_end != self.without_end {
            self.add(MOST_COPIES);
        }
        true
    }

    /// One of this name is made anew no more.
    fn forget(&mut self, name: &str) {
        self.active = self.active.saturating_sub(1);
        if let Some(active) = self.active_by_name.get_mut(name) {
            *active = active.saturating_sub(1);
        }
    }

    /// An end of this name may make copies, if there is something that it can end.
    fn copy(&mut self, name: &str) {
        if self.active_by_name.get(name).is_some_and(|active| *active > 0) {
            self.add(MOST_COPIES);
        }
    }

    fn is_in_drawing(&self) -> bool {
        self.barriers.last().is_some_and(|barrier| DRAWINGS.contains(&barrier.name.as_str()))
    }

    fn add(&mut self, elements: usize) {
        self.made = self.made.saturating_add(elements);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tags::HtmlTags;
    use super::*;

    fn read(page: &str) -> Reopened {
        let mut tags = HtmlTags::of(page);
        let mut reopened = Reopened::default();
        while let Some(tag) = tags.find_next(reopened.is_drawing()) {
            reopened.read(&tag, tags.is_lost());
        }
        reopened
    }

    #[test]
    fn what_is_ended_in_order_is_not_made_anew() {
        for page in [
            "<p><b>x</b><i>y</i></p>",
            "<div><b><div>x</div></b></div>",
            "<b><i></b></i>",
            "<font><table><tr><td><b>x</b></td></tr></table></font>",
            "<i><svg><g><path/></g></svg></i>",
            "<svg><desc><p><b>x</b></p></desc></svg>",
            "<a name=x><a name=y></a>",
            "<table><tr><td><a name=x>y</td><th><b>z</th></tr></table>",
            "<table><tbody><tr><td><table><tr><td><i>x</td></tr></table><b>y</td></tr></tbody></table>",
        ] {
            let read = read(&page.repeat(10));
            assert_eq!((read.active, read.open.len(), read.barriers.len()), (0, 0, 0), "{page}");
            assert!(read.made < 100, "{page}: {}", read.made);
        }
    }

    #[test]
    fn an_end_that_may_end_nothing_counts_for_nothing() {
        for page in [
            "<p><b><table><td></b></table></p>",
            "<p><b><object><select></x></object></b></p>",
            "<p><td><b></td></p></b>",
            "<svg><desc><div></svg></desc><b><table></b>",
            "<b><svg><desc></svg></b>",
            "<td><b></td>",
            "<table><td></table><b></td>",
            "<table><td><tr><b></td></table>",
            "<table><td><object></table></object><b></td>",
            "<table><td><table><table></table></table><b></td>",
        ] {
            assert_eq!(read(&page.repeat(10)).active, 10, "{page}");
        }
        let drawn = read(&"<b><svg><path></svg></b>".repeat(10));
        assert_eq!((drawn.active, drawn.barriers.len(), drawn.nested.len()), (0, 0, 0));
        assert!(drawn.made >= 320, "it may have been a block: {}", drawn.made);
        let left_open = format!("<p>{}</p>{}", "<b>".repeat(40), "<p>x".repeat(100));
        assert!(read(&left_open).made >= 4_000);
        assert!(read(&"<b><p></b>".repeat(100)).made >= 3_200, "copies");
        assert!(read(&"<div><b></div>x<div></b></div>".repeat(100)).made >= 3_200, "copies");
    }
}
