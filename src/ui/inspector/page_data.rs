//! The folds behind the pages of the inspector, made when a page is looked at and kept until the session grows.

use crate::ledger::Body;
use crate::view::{ModelSees, Receipts, Row, SeenEntry, Spending, Timeline, View, model_sees, one_line};

use super::tab::{Group, Side, Tab};

/// What the pages are made of. Two are equal whatever they have read: the session alone decides what they hold.
#[derive(Debug, Clone, Default)]
pub struct PageData {
    /// Calls of the model and endings.
    pub timeline: Timeline,
    /// Budgets over time.
    pub spending: Spending,
    /// Who allowed what.
    pub receipts: Receipts,
    sees: ModelSees,
    /// Rows that the comparison was made of.
    compared: usize,
    /// Places in the comparison of what is not bookkeeping.
    spoken: Vec<usize>,
    shown: FoundRows,
    matches: FoundRows,
}

impl PartialEq for PageData {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for PageData {}

/// Rows that were found, and what was looked for.
#[derive(Debug, Clone, Default)]
struct FoundRows {
    group: Group,
    query: String,
    rows: Vec<usize>,
    read: usize,
}

impl FoundRows {
    /// Reads the rows that are new; all of them when something else is looked for now, or an old row has changed.
    fn catch_up(&mut self, group: Group, query: &str, rows: &[Row]) {
        let fresh = rows.get(self.read.min(rows.len())..).unwrap_or_default();
        let changed = fresh.iter().any(|r| matches!(r.entry.body, Body::Tombstone(_) | Body::Compaction(_)));
        if self.group != group || self.query != query || (changed && !query.is_empty()) {
            *self = Self { group, query: query.to_owned(), ..Self::default() };
        }
        let wanted = query.to_lowercase();
        for (at, row) in rows.iter().enumerate().skip(self.read) {
            if group.holds(&row.entry.body) && (wanted.is_empty() || fits(row, &wanted)) {
                self.rows.push(at);
            }
        }
        self.read = rows.len();
    }
}

fn fits(row: &Row, wanted: &str) -> bool {
    row.entry.body.kind().contains(wanted)
        || row.entry.id.to_string() == wanted
        || row.marks.iter().any(|mark| mark.word().contains(wanted))
        || one_line(&row.entry).to_lowercase().contains(wanted)
}

/// The lines of the page of what the model sees.
#[derive(Debug, Clone, Copy)]
pub struct PageInputs<'a> {
    all: &'a [SeenEntry],
    places: &'a [usize],
}

impl<'a> PageInputs<'a> {
    /// How many there are.
    pub fn len(self) -> usize {
        self.places.len()
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.places.is_empty()
    }

    /// One of them.
    pub fn at(self, line: usize) -> Option<&'a SeenEntry> {
        self.all.get(*self.places.get(line)?)
    }
}

impl PageData {
    pub(super) fn catch_up(&mut self, tab: Tab, group: Group, query: &str, view: &View) {
        let rows = view.rows();
        match tab {
            Tab::Ledger => {
                if group != Group::All {
                    self.shown.catch_up(group, "", rows);
                }
                if !query.is_empty() {
                    self.matches.catch_up(group, query, rows);
                }
            }
            Tab::ModelSees if self.compared != rows.len() => {
                self.sees = model_sees(rows, &view.session.model);
                let apart = |sight: &&SeenEntry| !matches!(sight.fate, crate::view::Fate::Apart(_));
                self.spoken = self.sees.all.iter().filter(apart).map(|sight| sight.row).collect();
                self.compared = rows.len();
            }
            Tab::ModelSees | Tab::Branches => {}
            Tab::Timeline => self.timeline.read(rows),
            Tab::Budgets => self.spending.read(rows, &view.settings.limits),
            Tab::Approvals => self.receipts.read(rows),
        }
    }

    /// The rows of a group; `None`: all of them.
    pub(super) fn shown(&self, group: Group) -> Option<&[usize]> {
        (group != Group::All).then_some(self.shown.rows.as_slice())
    }

    /// The rows that were found, in order.
    pub fn matches(&self) -> &[usize] {
        &self.matches.rows
    }

    /// The next request beside the ledger.
    pub fn sees(&self) -> &ModelSees {
        &self.sees
    }

    /// The lines of the page of what the model sees.
    pub fn sights(&self, side: Side) -> PageInputs<'_> {
        let places = match side {
            Side::Both => &self.spoken,
            Side::Request => &self.sees.sent,
            Side::Difference => &self.sees.differing,
        };
        PageInputs { all: &self.sees.all, places }
    }
}
