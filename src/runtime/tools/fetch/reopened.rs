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
            let outside = std::mem::take(&mut self.open);
            let (nested, without_end) = (self.nested.len(), self.without_end);
            self.barriers.push(Barrier { name: name.to_owned(), nested, without_end, outside });
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
                // What was begun in it and not ended stays active, and nothing ends it any more.
                self.open = barrier.outside;
                if name == "table" {
                    self.without_end = barrier.without_end;
                }
            }
            None => self.pop(name),
        }
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
        self.active = self.active.saturating_sub(1);
        if let Some(active) = self.active_by_name.get_mut(name) {
            *active = active.saturating_sub(1);
        }
        if open.nested != self.nested.len() || open.without_end != self.without_end {
            self.add(MOST_COPIES);
        }
        true
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
