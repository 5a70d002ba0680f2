//! What a page is, and what it is made of when it is drawn. All pages lie above this file, and so does the screen.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use ratatui::text::Line;

use crate::ledger::Millis;
use crate::ui::keymap::KeyAction;
use crate::ui::picker_source::Source;
use crate::ui::rebinding::Keymap;
use crate::ui::text::highlight::Highlighter;
use crate::ui::theme::Theme;
use crate::view::View;

/// What a page is made of when it is drawn: it knows nothing of the screen on which it lies.
#[derive(Clone, Copy)]
pub struct PageFrame<'a> {
    /// What is to be seen.
    pub view: &'a View,
    /// What the keys mean.
    pub keymap: &'a Keymap,
    /// The last rows that background commands have printed, by their ids.
    pub printed: &'a BTreeMap<String, Vec<String>>,
    /// What it looks like.
    pub theme: &'a Theme,
    /// What colours code.
    pub highlighter: &'a Highlighter,
    /// The moment of the frame.
    pub now: Millis,
}

/// A page of text: the screen draws and scrolls it, the screen reader hears it.
pub trait Page: fmt::Debug + Send + Sync {
    /// What stands above it.
    fn title(&self, view: &View) -> String;

    /// Its rows on the screen, of at most `width` cells.
    fn rows(&self, frame: &PageFrame<'_>, width: u16) -> Vec<Line<'static>>;

    /// The same in words.
    fn spoken(&self, view: &View, now: Millis) -> Vec<Spoken>;

    /// Keys that it has beside those that scroll and close every page: the key, and what the foot says of it.
    fn keys(&self, _: &View) -> Vec<(&'static str, &'static str)> {
        Vec::new()
    }

    /// Whether it is the help, which its key closes and does not open again.
    fn is_help(&self) -> bool {
        false
    }

    /// Whether its content changes by itself now: then it is drawn again a few times a second.
    fn watches(&self, _: &View) -> bool {
        false
    }

    /// Whether calls that wait can be opened from it, to be decided.
    fn decides(&self) -> bool {
        false
    }

    /// The list that such a key opens.
    fn opens(&self, _: KeyAction) -> Option<Source> {
        None
    }

    /// The same page anew, where it keeps what it found when it was opened, and more has happened since.
    fn renewed(&self, _: &View) -> Option<Arc<dyn Page>> {
        None
    }
}

/// One thing that is said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Spoken {
    /// A line that begins with who or what it is of.
    Line(String),
    /// More of what the last line was about.
    More(String),
}

/// A page by its name, and how it is opened: some pages keep what was in force at that moment.
#[derive(Clone, Copy)]
pub struct PageEntry {
    /// Its name, which is that of its file.
    pub name: &'static str,
    /// Opens it.
    pub open: fn(&View) -> Arc<dyn Page>,
}

impl PageEntry {
    /// Opens it at its beginning.
    pub fn open(self, view: &View) -> OpenPage {
        OpenPage { name: self.name, page: (self.open)(view), scrolled: 0 }
    }
}

impl fmt::Debug for PageEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for PageEntry {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// A page that lies on top of the screen.
#[derive(Debug, Clone)]
pub struct OpenPage {
    /// Its name.
    pub name: &'static str,
    /// What it shows.
    pub page: Arc<dyn Page>,
    /// Rows above the window.
    pub scrolled: u16,
}

impl OpenPage {
    /// Before a frame: it shows what is so now.
    pub(in crate::ui) fn catch_up(&mut self, view: &View) {
        if let Some(page) = self.page.renewed(view) {
            self.page = page;
        }
    }
}

impl PartialEq for OpenPage {
    fn eq(&self, other: &Self) -> bool {
        (self.name, self.scrolled) == (other.name, other.scrolled)
    }
}

impl Eq for OpenPage {}
